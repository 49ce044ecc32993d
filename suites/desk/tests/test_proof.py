"""A task of each app is proven live. `make prove` proves all of them; what it found is in the proof tables."""

from functools import partial
from pathlib import Path

import pytest

from fairground.prove import Cache, Options, load_suite, prove

LOAD = partial(load_suite, "desk")
APPS = [app.name for app in LOAD().apps]

pytestmark = pytest.mark.slow


@pytest.mark.timeout(600)
@pytest.mark.parametrize("app", APPS)
def test_a_task_of_each_app_is_sound_and_near_misses_are_rejected(app: str, tmp_path: Path) -> None:
    first = next(one for one in LOAD().scenarios if one.app == app)
    with Cache(tmp_path / "proofs.sqlite") as cache:
        proof = prove(LOAD, [first], Options(sample=1, workers=1, mutant_pairs=1), cache=cache)
    (found,) = proof.scenarios
    assert proof.sound, found.pairs or found.errors
    assert found.mutant_count.rejected >= 10 and (found.mutant_count.share or 0) >= 0.9, found.survivors
