"""The suites that are installed here: their proof tables are of these sources, and one task per app is still solved."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from fairground.prove import Cache, Options, check_tables, load_suite, prove
from fairground.prove.seats import has_rehearsal
from fairground.worlds import Scenario, suites

PROVEN = [suite for suite in suites().values() if suite.proofs is not None]


@pytest.mark.slow
def test_proof_tables_are_of_these_sources_and_all_of_it_is_sound() -> None:
    assert [one for suite in PROVEN for one in check_tables(suite)] == [], "fairground prove SUITE writes them anew"


def one_per_app(scenarios: list[Scenario]) -> list[Scenario]:
    return list({one.app: one for one in scenarios}.values())


@pytest.mark.parametrize(
    "some", [pytest.param(one_per_app, marks=pytest.mark.process), pytest.param(list, marks=pytest.mark.slow)]
)
def test_what_is_proven_is_solved_again(some: Callable[[list[Scenario]], list[Scenario]], tmp_path: Path) -> None:
    options = Options(sample=1, browser=False, mutant_pairs=0, workers=1)  # each worker imports all of it
    with Cache(tmp_path / "proofs.sqlite") as cache:
        for suite in PROVEN:
            # Oracles of apps that need a seat are among the slow tests of their suites.
            if quick := [one for one in suite.scenarios if has_rehearsal(suite.app(one.app))]:
                proof = prove(partial(load_suite, suite.name), some(quick), options, cache=cache)
                assert proof.sound, proof.summary()
