"""The suites that are installed here: their proof tables are of these sources, and a sample of them still holds."""

from functools import partial
from pathlib import Path

import pytest

from fairground.prove import Cache, Options, check_tables, load_suite, prove
from fairground.prove.seats import has_rehearsal
from fairground.worlds import suites

PROVEN = [suite for suite in suites().values() if suite.proofs is not None]


def test_proof_tables_are_of_these_sources_and_all_of_it_is_sound() -> None:
    assert [one for suite in PROVEN for one in check_tables(suite)] == [], "fairground prove SUITE writes them anew"


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_a_sample_of_what_is_proven_is_solved_again(every: int, tmp_path: Path) -> None:
    options = Options(sample=1, browser=False, mutant_pairs=0)
    with Cache(tmp_path / "proofs.sqlite") as cache:
        for suite in PROVEN:
            # Of what needs a seat, each app's own tests solve some again.
            if quick := [one for one in suite.scenarios if has_rehearsal(suite.app(one.app))]:
                proof = prove(partial(load_suite, suite.name), quick[::every], options, cache=cache)
                assert proof.sound, proof.summary()
