"""Numbers with their nouns."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fairground.report.plural import counted

ROOT = Path(__file__).resolve().parents[2] / "src" / "fairground"
NOUNS = "episodes|steps|tasks|scenarios|configurations|apps|votes|instances|themes|profiles|lines|mutants"


@pytest.mark.parametrize(
    ("number", "words", "text"),
    [
        (1, ("step",), "1 step"),
        (0, ("step",), "0 steps"),
        (1234, ("episode",), "1,234 episodes"),
        (1, ("axis", "axes"), "1 axis"),
        (2, ("axis", "axes"), "2 axes"),
    ],
)
def test_a_number_has_the_right_form_of_its_noun(number: int, words: tuple[str, ...], text: str) -> None:
    assert counted(number, *words) == text


@pytest.mark.parametrize("room", ["cli", "report"])
def test_no_count_is_printed_with_a_fixed_plural(room: str) -> None:
    """`{len(steps)} steps` would print "1 steps". Constants, and the total in "3 of 10 episodes", are fine."""
    fixed = re.compile(
        r"(?<!of )\{(?:len\([^{}]+\)|[a-z_.]*\b(?:number|count|total|steps|votes|tasks))(?::,)?\} (?:" + NOUNS + r")\b"
    )
    for path in sorted((ROOT / room).rglob("*.py")):
        assert not fixed.findall(path.read_text(encoding="utf-8")), path
