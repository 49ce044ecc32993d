"""Actions in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import (
    Action,
    Answer,
    CallUser,
    Click,
    Done,
    Drag,
    Fail,
    Key,
    KeyDown,
    KeyUp,
    Look,
    MouseDown,
    MouseUp,
    Move,
    Scroll,
    Type,
    Wait,
)
from fairground.report.describe import describe, evidence, quote
from fairground.report.marks import Box, Ring, Trail, caption, marks


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (Click(point=(120, 45)), "click (120, 45)"),
        (Click(point=(120.5, 45), count=2), "double-click (120.5, 45)"),
        (Click(point=(1, 2), count=3, button="middle"), "middle-triple-click (1, 2)"),
        (Click(point=(1, 2), button="right", modifiers=("ctrl", "shift")), "ctrl+shift+right-click (1, 2)"),
        (Click(), "click at the pointer"),
        (Click(point=(0.25, 1 / 3), space="unit"), "click (0.25, 0.333) unit"),
        (Click(point=(1_234_567, 2)), "click (1234567, 2)"),
        (Move(point=(3, 4)), "move to (3, 4)"),
        (MouseDown(point=(3, 4)), "hold left button (3, 4)"),
        (MouseUp(), "release left button at the pointer"),
        (Scroll(point=(1, 2), dy=3), "scroll down 3 (1, 2)"),
        (Scroll(point=(1, 2), dy=-120, dx=60, unit="pixels"), "scroll up 120 px and right 60 px (1, 2)"),
        (Scroll(), "scroll by 0 at the pointer"),
        (Drag(path=((1, 2), (3, 4))), "drag (1, 2) to (3, 4)"),
        (Drag(path=((1, 2), (9, 9), (3, 4)), button="right"), "right-drag (1, 2) to (3, 4) through 1 more"),
        (Key(keys=("Control", "S")), "press ctrl+S"),
        (Key(keys=("Return",), repeat=3, seconds=0.5), "press enter 3 times for 0.5 s"),
        (KeyDown(key="shift"), "hold shift"),
        (KeyUp(key="shift"), "release shift"),
        (Type(text="Hello"), "type 'Hello'"),
        (Type(text="a\nb\tc"), "type 'a⏎b⇥c'"),
        (Type(text="x" * 100), "type '" + "x" * 47 + "…'"),
        (Type(text="abc\u202edef"), "type 'abc·def'"),
        (Wait(seconds=2), "wait 2 s"),
        (Look(), "look"),
        (Look(region=(1, 2, 3, 4)), "look at (1, 2) to (3, 4)"),
        (Answer(text="42"), "answer '42'"),
        (CallUser(text="Which one?"), "ask the user 'Which one?'"),
        (CallUser(), "ask the user"),
        (Done(), "done"),
        (Fail(), "give up"),
        (Fail(reason="no such cell"), "give up: 'no such cell'"),
    ],
)
def test_an_action_in_words(action: Action, words: str) -> None:
    assert describe(action) == words


@given(st.text(), st.integers(1, 80))
def test_whatever_is_said_fits_one_printable_line(text: str, limit: int) -> None:
    shown = quote(text, limit)
    assert len(shown) <= limit + 2
    assert shown.isprintable()


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, "nothing"), ("", '""'), (" a", '" a"'), ("a", "a"), (1.5, "1.5"), (True, "true"), ([1, "é"], '[1, "é"]')],
)
def test_evidence_in_words(value: object, words: str) -> None:
    assert evidence(value) == words


@pytest.mark.parametrize(
    ("action", "drawn"),
    [
        (Click(point=(10, 20), count=2), (Ring((10, 20), 2),)),
        (Click(point=(0.5, 0.5), space="unit"), (Ring((50, 40)),)),
        (Click(), (Ring((7, 8)),)),
        (Click(point=(1000, 20)), ()),
        (Drag(path=((1, 2), (3, 4))), (Trail(((1, 2), (3, 4))), Ring((1, 2)))),
        (Look(region=(1, 2, 3, 4)), (Box((1, 2, 3, 4)),)),
        (Type(text="x"), ()),
        (Done(), ()),
    ],
)
def test_where_an_action_is_drawn(action: Action, drawn: tuple[object, ...]) -> None:
    assert marks(action, (100, 80), cursor=(7, 8)) == drawn


def test_without_a_pointer_there_is_nothing_to_draw() -> None:
    assert marks(Click(), (100, 80)) == ()


def test_a_scroll_points_where_the_page_goes() -> None:
    (trail,) = marks(Scroll(point=(50, 40), dy=500), (100, 80))
    assert isinstance(trail, Trail)
    assert trail.points == ((50, 40), (50, 60))


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (Type(text="a\nb"), "a⏎b"),
        (Key(keys=("ctrl", "s"), repeat=2), "ctrl + s (2 times)"),
        (KeyDown(key="a"), "a ↓"),
        (Done(), ""),
    ],
)
def test_what_is_written_over_a_frame(action: Action, words: str) -> None:
    assert caption(action) == words
