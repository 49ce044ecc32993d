"""A sample of the proof of this suite; all of it is `fairground prove desk`."""

from functools import partial
from pathlib import Path

import pytest

from fairground.prove import Options, load_suite, prove
from fairground.prove.cache import Cache

LOAD = partial(load_suite, "desk")
QUICK = ("calc", "inkscape", "mousepad")
# Of a browser's files many are its own books; putting one of them back is no near miss, and is told apart by no check.
LEAST = {"browser": 0.6}


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "app",
    [pytest.param(one.name, marks=() if one.name in QUICK else pytest.mark.slow) for one in LOAD().apps],
)
def test_a_task_of_each_app_is_sound_and_near_misses_are_rejected(app: str, tmp_path: Path) -> None:
    first = next(one for one in LOAD().scenarios if one.app == app)
    with Cache(tmp_path / "proofs.sqlite") as cache:
        proof = prove(LOAD, [first], Options(sample=1, workers=1, mutant_pairs=1), cache=cache)
    (found,) = proof.scenarios
    assert proof.sound, found.pairs or found.errors
    assert found.mutant_count.rejected >= 10 and (found.mutant_count.share or 0) >= LEAST.get(app, 0.9), found.survivors


@pytest.mark.slow
@pytest.mark.timeout(4 * 60 * 60)
def test_every_task_is_sound_and_near_misses_are_rejected(tmp_path: Path) -> None:
    with Cache(tmp_path / "proofs.sqlite") as cache:
        proof = prove(LOAD, options=Options(), cache=cache)
    assert proof.sound, [(one.name, one.errors) for one in proof.scenarios if one.errors]
    assert (proof.mutants.share or 0) >= 0.95
