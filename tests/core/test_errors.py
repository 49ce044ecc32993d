"""Errors keep what they say, also on the way home from another process."""

import copy
import inspect
import multiprocessing
import pickle

import pytest

from fairground.core import FairgroundError, InfrastructureError, InvalidAction, InvalidInput, UnknownName, errors

KINDS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, FairgroundError)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fix", [None, "do this"])
def test_an_error_survives_pickling_and_copying(kind: type[FairgroundError], fix: str | None) -> None:
    error = kind("expected a, found b", fix=fix)
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(twin) is kind
        assert (twin.message, twin.fix, twin.args, str(twin)) == (error.message, fix, error.args, str(error))


class StageFailed(FairgroundError):
    """An error with a constructor of its own, as a suite could define."""

    def __init__(self, stage: str) -> None:
        super().__init__(f"stage {stage} failed", fix=f"look at {stage}.log")


def test_an_error_with_its_own_constructor_survives_too() -> None:
    twin = pickle.loads(pickle.dumps(StageFailed("install")))
    assert type(twin) is StageFailed
    assert str(twin) == "stage install failed\n  fix: look at install.log"


def _refuse() -> None:
    raise UnknownName("unknown app 'calk'", fix="did you mean calc?")


def test_an_error_raised_in_a_worker_arrives_whole() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool, pytest.raises(UnknownName) as caught:
        pool.apply(_refuse)
    assert caught.value.fix == "did you mean calc?"


def test_the_fix_stands_on_a_line_of_its_own() -> None:
    assert str(InvalidInput("wrong")) == "wrong"
    assert str(InvalidInput("wrong", fix="right")) == "wrong\n  fix: right"


def test_the_agents_fault_is_never_ours() -> None:
    assert issubclass(InvalidAction, InvalidInput) and issubclass(InvalidAction, ValueError)
    assert not issubclass(InvalidAction, InfrastructureError)
