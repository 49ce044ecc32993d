"""Names that people type."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import InvalidInput, UnknownName, check_name, unknown


@pytest.mark.parametrize("name", ["a", "calc", "fill-column", "v1.2", "a_b", "0", "a" * 80])
def test_a_good_name_passes(name: str) -> None:
    assert check_name("app", name) == name


@pytest.mark.parametrize(
    "name", ["", "A", "a b", "a/b", "a@b", "-a", "a-", "a--b", "..", "a\n", "é", "٣", "a" * 81, "a\x00"]
)
def test_a_bad_name_is_refused_with_the_form(name: str) -> None:
    with pytest.raises(InvalidInput, match="^app .* is not a valid name: expected up to 80 lower-case letters"):
        check_name("app", name)


def test_the_nearest_names_are_suggested() -> None:
    error = unknown("app", "calk", ["writer", "calc", "impress"])
    assert isinstance(error, UnknownName)
    assert str(error) == "unknown app 'calk'\n  fix: did you mean calc?"


def test_without_a_near_one_the_known_are_listed_in_order() -> None:
    assert unknown("app", "zzz", ["writer", "calc"]).fix == "known: calc, writer"


def test_a_long_list_is_cut_short() -> None:
    fix = unknown("app", "zzz", [f"name{number:03}" for number in range(100)]).fix
    assert fix is not None and fix.endswith(", ...") and len(fix) < 200


def test_without_any_it_says_so() -> None:
    assert unknown("suite", "desk", []).fix == "there is no suite yet"


@given(st.text(max_size=50), st.lists(st.text(max_size=20), max_size=20))
def test_there_is_always_a_fix(name: str, known: list[str]) -> None:
    assert unknown("app", name, known).fix
