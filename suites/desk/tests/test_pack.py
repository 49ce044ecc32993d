"""Every scenario is judged from the recordings that the suite ships, without its programs."""

from __future__ import annotations

import pytest

from fairground.core import Configuration
from fairground.prove.findings import Status
from fairground.prove.pack import judge_pack, pack_path
from fairground_desk import suite

pytestmark = pytest.mark.conformance


@pytest.mark.parametrize("app", [app.name for app in suite.apps])
def test_every_recording_is_solved_and_an_edit_of_it_is_not(app: str) -> None:
    results = list(judge_pack(suite, app, mutants=1))
    assert {each.configuration: each.pair.reason for each in results if each.pair.status is not Status.PROVEN} == {}
    assert {each.configuration: each.mutants.error for each in results if each.mutants.error} == {}
    actions = {scenario.name for scenario in suite.scenarios if scenario.app == app and scenario.kind == "action"}
    tried = {Configuration.from_id(each.configuration).scenario: each.mutants.count.rejected for each in results}
    assert [name for name in actions if not tried[name]] == [], "an edit of the solved state is rejected"


def test_packs_are_small_enough_to_ship() -> None:
    assert suite.proofs is not None
    sizes = {app.name: pack_path(suite.proofs, app.name).stat().st_size for app in suite.apps}
    assert sum(sizes.values()) <= 15_000_000, sizes
