"""The suites that are installed here: their proof tables are of these sources, and a sample of them still holds."""

from functools import partial
from pathlib import Path

from fairground.prove import Cache, Options, check_tables, load_suite, prove
from fairground.prove.seats import has_rehearsal
from fairground.worlds import suites

PROVEN = [suite for suite in suites().values() if suite.proofs is not None]


FAULTY = "the table says that it is faulty"


def test_proof_tables_are_of_these_sources() -> None:
    stale = [one for suite in PROVEN for one in check_tables(suite) if one.why != FAULTY]
    assert stale == [], "fairground prove SUITE writes them anew"


def test_what_is_known_to_be_faulty_is_rare_and_not_served() -> None:
    for suite in PROVEN:
        faulty = sum(one.pairs for one in check_tables(suite) if one.why == FAULTY)
        whole = sum(len(one.instances) * len(suite.app(one.app).profiles) for one in suite.scenarios)
        served = sum(len(suite.pairs(one)) for one in suite.scenarios)
        assert served + faulty <= whole and faulty < 0.005 * whole


def test_a_sample_of_what_is_proven_is_solved_again(tmp_path: Path) -> None:
    options = Options(sample=1, browser=False, mutant_pairs=0)
    with Cache(tmp_path / "proofs.sqlite") as cache:
        for suite in PROVEN:
            quick = [one for one in suite.scenarios if has_rehearsal(suite.app(one.app))]
            proof = prove(partial(load_suite, suite.name), quick, options, cache=cache)
            assert proof.sound, proof.summary()
