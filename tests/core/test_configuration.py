"""Configuration ids read back as they were written; fingerprints follow the content and nothing else."""

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import AXES, Configuration, InvalidInput, fingerprint

names = st.from_regex(r"[a-z0-9]+([-_.][a-z0-9]+){0,3}", fullmatch=True).filter(lambda name: len(name) <= 80)
configurations = st.builds(Configuration, **dict.fromkeys(("suite", "app", "scenario", *AXES), names))


@given(configurations)
def test_an_id_reads_back(configuration: Configuration) -> None:
    assert Configuration.from_id(configuration.id) == configuration
    assert Configuration.parse(json.loads(configuration.model_dump_json())) == configuration
    assert Configuration.parse(configuration.plain()) == configuration


@given(configurations, configurations)
def test_two_configurations_share_an_id_only_when_they_are_the_same(one: Configuration, two: Configuration) -> None:
    assert (one.id == two.id) == (one == two)


def test_an_id_is_readable() -> None:
    configuration = Configuration(suite="desk", app="calc", scenario="fill-column", theme="dark")
    assert configuration.id == "desk/calc/fill-column/default@default/dark/default"
    assert configuration.task == "desk/calc/fill-column/default"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "desk",
        "desk/calc/fill/default",
        "desk/calc/fill@p/t/u",
        "desk/calc/fill/default@p/t",
        "desk/calc/fill/default@p/t/u/v",
        "desk/calc/fill/default@p@t/u",
        "desk//fill/default@p/t/u",
        "desk/calc/fill/default@p/t/u\n",
        "desk/calc/fill/default@p/t/U",
        "desk/../fill/default@p/t/u",
        "desk/calc/fill/-x@p/t/u",
        f"desk/{'a' * 81}/fill/default@p/t/u",
    ],
)
def test_what_is_no_id_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        Configuration.from_id(text)


def test_the_error_names_the_part_that_is_wrong() -> None:
    with pytest.raises(InvalidInput, match=r"desk/Calc/fill/default@p/t/u\.app: .*'Calc' is not a valid name"):
        Configuration.from_id("desk/Calc/fill/default@p/t/u")


def test_an_id_without_its_axes_is_told_the_whole_form() -> None:
    with pytest.raises(InvalidInput) as caught:
        Configuration.from_id("desk/calc/fill")
    assert caught.value.fix == "expected suite/app/scenario/instance@profile/theme/ui_state"


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@given(plain, plain)
def test_fingerprints_are_equal_exactly_when_the_json_is(one: object, two: object) -> None:
    same = json.dumps(one, sort_keys=True) == json.dumps(two, sort_keys=True)
    assert (fingerprint(one) == fingerprint(two)) == same


@given(st.dictionaries(st.text(max_size=6), st.integers(), max_size=6))
def test_the_order_of_keys_does_not_matter(data: dict[str, int]) -> None:
    assert fingerprint(data) == fingerprint(dict(reversed(data.items())))


@pytest.mark.process
def test_a_fingerprint_is_the_same_in_every_process() -> None:
    data = {"b": [1, 2.5, None], "a": "Grüße", "hash seeds": {"x": 1, "y": 2}}
    program = f"from fairground.core import fingerprint; print(fingerprint({data!r}))"
    other = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
    assert other == fingerprint(data)
    assert len(other) == 32


@pytest.mark.parametrize("data", [float("nan"), {"a": float("inf")}, {1, 2}, b"x"], ids=repr)
def test_what_json_cannot_say_has_no_fingerprint(data: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        fingerprint(data)
