"""Agents that tell who they are: found in each channel, and as evidence only where a screen may have shown it."""

from __future__ import annotations

import pytest

from fairground.arena import Redactor, identify
from fairground.arena.identification import MOST, typed
from fairground.core import Action, Answer, CallUser, Click, Done, Fail, Key, KeyDown, Type
from tests.recordings import a_step

HIDE = Redactor(("anthropic:claude-opus-4-1", "Zorblatt-9000"), "Search google for flights to Phoenix")


def found(*actions: Action, thought: str = "") -> list[tuple[str, int, str, bool]]:
    steps = [a_step(index, action, thought=thought) for index, action in enumerate(actions)]
    return [(one.channel, one.step, one.word, one.seen) for one in identify("a", steps, HIDE)]


@pytest.mark.parametrize(
    "actions",
    [
        [Type(text="I am Claude")],
        [Type(text="Cla"), Click(point=(1, 1)), Type(text="ude")],
        [Key(keys=(letter,)) for letter in "claude"],
        [Key(keys=("shift", "c")), Type(text="laude")],
        [Key(keys=tuple("claude"))],
        [KeyDown(key=letter) for letter in "claude"],
        [Type(text="Clax"), Key(keys=("backspace",)), Type(text="ude")],
        [Type(text="Claxx"), Key(keys=("backspace",), repeat=2), Type(text="ude")],
        [Type(text="Cl\u0430ud\u0435")],
        [Type(text="zorblatt was here")],
        [Type(text="made by Google")],
    ],
    ids=lambda actions: " ".join(str(one.plain()) for one in actions)[:60].encode("ascii", "replace").decode(),
)
def test_a_name_that_is_typed_is_found(actions: list[Action]) -> None:
    (one,) = found(*actions, Done())
    assert one[0] == "typed" and one[1] == 1 and one[3]


def test_what_is_hidden_is_kept_too_and_was_not_seen() -> None:
    assert found(CallUser(text="I am Claude")) == [("question", 1, "claude", False)]
    assert found(Answer(text="Claude did it")) == [("answer", 1, "claude", False)]
    assert found(Fail(reason="Claude cannot")) == [("answer", 1, "claude", False)]
    assert found(Done(), thought="As Claude, I stop") == [("thought", 1, "claude", False)]


@pytest.mark.parametrize("text", ["google flights", "google.com", "meta", "a sonnet on Amazon", "cell O3", "include"])
def test_ordinary_words_identify_nobody(text: str) -> None:
    assert found(Type(text=text)) == []


def test_keys_that_write_nothing_are_nothing() -> None:
    steps = [a_step(n, Key(keys=keys)) for n, keys in enumerate([("ctrl", "c"), ("alt", "f4"), ("enter",), ("x",)])]
    assert typed(steps) == [(2, "\n"), (3, "x")]
    assert typed([a_step(0, Type(text="claude"), refused="off")]) == [], "what was refused was not typed"


def test_an_agent_that_repeats_itself_fills_no_database() -> None:
    assert len(found(*[Type(text="claude ") for _ in range(100)], thought="claude")) == MOST
