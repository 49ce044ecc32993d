"""Inspectors: endpoints that are found, told their arguments, and answer in JSON or not at all."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from fairground.core import Check, InvalidInput, State, StateError
from fairground.worlds import Inspector, jsonable

STATE = State(files={"~/note.txt": b"milk\nrice\n"})


@dataclass(frozen=True)
class Line:
    number: int
    text: str


def make() -> Inspector:
    inspector = Inspector("pad", channels={"file": "the saved note"})

    @inspector.query("content")
    def line(state: State, number: int, shout: bool = False, suffix: str | None = None) -> Line:
        """One line of the note.

        Counted as a person does.

        Args:
            number: Which; the first
                is 1.
            shout: In capitals.
            suffix: Put after it.
        """
        text = state.text("~/note.txt").splitlines()[number - 1]
        return Line(number, (text.upper() if shout else text) + (suffix or ""))

    @inspector.query("structure")
    def among(state: State, words: list[str], share: float = 0.5) -> dict[str, Any]:
        """Which words are lines.

        Args:
            words: As JSON.
            share: Of them that must be.
        """
        found = [word for word in words if word in state.text("~/note.txt").splitlines()]
        return {"found": tuple(found), "enough": len(found) >= share * len(words)}

    @inspector.check("content", name="check-line")
    def has(state: State, text: str) -> Check:
        """Whether a line is there."""
        return Check(name="line", passed=text in state.text("~/note.txt").splitlines(), expected=text)

    return inspector


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("lin", {}, "unknown endpoint of pad 'lin'"),
        ("line", {}, "line needs number"),
        ("line", {"number": "1", "colour": "red"}, "unknown argument of line 'colour'"),
        ("line", {"number": "one"}, "number is 'one', expected int"),
        ("line", {"number": "1", "shout": "maybe"}, "shout is 'maybe', expected bool"),
        ("among", {"words": "[milk"}, "words is '\\[milk'"),
        ("among", {"words": "[]", "share": "half"}, "expected float"),
    ],
)
def test_what_is_asked_wrongly_is_refused_with_what_is_there(
    name: str, arguments: dict[str, str], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        make().ask(STATE, name, arguments)


def test_what_is_not_in_the_state_is_an_error_and_never_a_pass() -> None:
    with pytest.raises(StateError, match="not in the recorded state"):
        make().ask(State(), "check-line", {"text": "milk"})


def test_arguments_are_given_as_text_and_answers_are_json() -> None:
    inspector = make()
    assert inspector.ask(STATE, "line", {"number": "2", "shout": "yes"}) == {"number": 2, "text": "RICE"}
    assert inspector.ask(STATE, "line", {"number": 1, "suffix": "!"})["text"] == "milk!"
    answer = inspector.ask(STATE, "among", {"words": '["milk", "tea"]', "share": "0.9"})
    assert answer == {"found": ["milk"], "enough": False}
    assert inspector.ask(STATE, "check-line", {"text": "milk"})["passed"] is True
    assert inspector.ask(STATE, "check-line", {"text": "tea"})["passed"] is False


def test_the_reference_is_made_of_the_docstrings() -> None:
    inspector = make()
    endpoint = inspector.find("line")
    assert (endpoint.summary, endpoint.about) == ("One line of the note.", "Counted as a person does.")
    assert [one.help for one in endpoint.arguments] == ["Which; the first is 1.", "In capitals.", "Put after it."]
    reference = inspector.reference()
    assert "**`line number=... [shout=...] [suffix=...]`**: One line of the note." in reference
    assert "| file | the saved note |" in reference and reference.index("### Content") < reference.index(
        "### Structure"
    )


def test_an_endpoint_without_words_twice_or_of_the_wrong_kind_cannot_be_made() -> None:
    inspector = make()
    with pytest.raises(InvalidInput, match="no docstring"):

        @inspector.query("content")
        def silent(state: State) -> int:
            return 1

    with pytest.raises(InvalidInput, match="must return a Check"):

        @inspector.check("content")
        def undecided(state: State) -> bool:
            """Says yes or no."""
            return True

    with pytest.raises(InvalidInput, match="two endpoints are named line"):

        @inspector.query("content", name="line")
        def again(state: State) -> int:
            """Another."""
            return 1


def test_whatever_an_endpoint_returns_becomes_plain_data() -> None:
    value = {1: (Line(1, "a"),), "set": {"x"}, "raw": b"abc", "path": STATE.files.keys()}
    found = jsonable(value)
    assert json.loads(json.dumps(found)) == found
    assert found["1"] == [{"number": 1, "text": "a"}] and found["raw"] == "3 bytes"
