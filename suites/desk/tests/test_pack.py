"""Every scenario is judged from the recordings that the suite ships, without its programs."""

from __future__ import annotations

import zlib
from functools import cache

import pytest

from fairground.core import Configuration
from fairground.prove.discrimination import try_mutants
from fairground.prove.findings import Status
from fairground.prove.pack import Recording, _Packed, pack_path, read_pack
from fairground.prove.pairs import Open, prove_pair
from fairground.worlds import Scenario, World
from fairground_desk import suite

pytestmark = pytest.mark.conformance

APPS = [app.name for app in suite.apps]


@cache
def recordings(app: str) -> dict[str, Recording]:
    """The recordings of an app, by scenario."""
    assert suite.proofs is not None
    found = read_pack(pack_path(suite.proofs, app))
    return {Configuration.from_id(recording.configuration).scenario: recording for recording in found}


def packed(scenario: Scenario) -> tuple[World, Open]:
    """The world of a scenario's recording, and what opens it without a seat."""
    recording = recordings(scenario.app)[scenario.name]
    return World.of(suite, Configuration.from_id(recording.configuration)), lambda _: _Packed(recording)


@pytest.mark.parametrize("scenario", suite.scenarios, ids=lambda one: f"{one.app}-{one.name}")
def test_a_recording_of_every_scenario_is_solved(scenario: Scenario) -> None:
    world, open_ = packed(scenario)
    pair = prove_pair(lambda: world, open_)
    assert pair.status is Status.PROVEN, pair.reason


# Edits of a third of the scenarios are judged with every change, those of the others in tier 3.
@pytest.mark.parametrize(
    "scenario",
    [
        pytest.param(
            scenario,
            id=f"{scenario.app}-{scenario.name}",
            marks=() if zlib.crc32(f"{scenario.app}/{scenario.name}".encode()) % 3 == 0 else pytest.mark.slow,
        )
        for scenario in suite.scenarios
    ],
)
def test_an_edit_of_a_recording_is_rejected(scenario: Scenario) -> None:
    world, open_ = packed(scenario)
    mutants = try_mutants(world, open_, most=1, plays=0)
    assert not mutants.error
    assert scenario.kind == "answer" or mutants.count.rejected


@pytest.mark.parametrize("app", APPS)
def test_a_pack_has_a_recording_of_every_scenario_and_no_other(app: str) -> None:
    assert set(recordings(app)) == {scenario.name for scenario in suite.scenarios if scenario.app == app}


def test_packs_are_small_enough_to_ship() -> None:
    assert suite.proofs is not None
    sizes = {app: pack_path(suite.proofs, app).stat().st_size for app in APPS}
    assert sum(sizes.values()) <= 15_000_000, sizes
