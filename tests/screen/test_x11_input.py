"""What reaches a program when an action is carried out."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from fairground.core import (
    Action,
    Answer,
    CallUser,
    Click,
    Done,
    Drag,
    Fail,
    InvalidAction,
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

pytestmark = pytest.mark.process

SHIFT, CONTROL, BUTTON1 = 1, 4, 0x100


def received(bench: Any, client: Any) -> list[Any]:
    """All that has reached the client; the window manager holds clicks back for a moment."""
    bench.screen.settle()
    return client.read()


def clicks(events: list[Any]) -> list[tuple[str, int, int, int]]:
    return [(event.kind, event.detail, event.x, event.y) for event in events if event.kind in ("down", "up")]


OFF_SCREEN: list[Action] = [
    Click(point=(1280, 10)),
    Click(point=(-1, 10)),
    Move(point=(10, 720)),
    Scroll(point=(5000, 5000), dy=1),
    MouseDown(point=(0, -0.5)),
    Drag(path=((300, 300), (1281, 300))),
    Click(point=(1.01, 0.5), space="unit"),
    Look(region=(0, 0, 1281, 10)),
]


def test_an_action_off_screen_is_refused_before_anything_is_touched(bench: Any) -> None:
    client = bench.client()
    bench.screen.act(Move(point=(400, 300)))
    received(bench, client).clear()
    for action in OFF_SCREEN:
        with pytest.raises(InvalidAction):
            bench.screen.act(action)
        assert received(bench, client) == [], action
        assert bench.screen.cursor() == (400, 300), action


def test_the_pointer_reaches_every_corner(bench: Any) -> None:
    for corner in [(0, 0), (1279, 0), (0, 719), (1279, 719)]:
        bench.screen.act(Move(point=corner))
        assert bench.screen.cursor() == corner


def test_actions_that_are_no_input_do_nothing(bench: Any) -> None:
    client = bench.client()
    before = bench.screen.cursor()
    for action in (Look(), Answer(text="42"), CallUser(text="?"), Done(), Fail(), Wait(seconds=0), Type(text="")):
        bench.screen.act(action)
    assert received(bench, client) == []
    assert bench.screen.cursor() == before


def test_each_button_clicks_where_it_is_told(bench: Any) -> None:
    client = bench.client()
    buttons: list[tuple[Any, int]] = [("left", 1), ("middle", 2), ("right", 3), ("back", 8), ("forward", 9)]
    for button, number in buttons:
        bench.screen.act(Click(point=(400, 300), button=button))
        assert clicks(received(bench, client)) == [("down", number, 400, 300), ("up", number, 400, 300)]
        client.seen.clear()


def test_a_double_click_is_quick_and_two_clicks_are_not(bench: Any) -> None:
    client = bench.client()
    bench.screen.act(Click(point=(500, 300), count=2))
    first, second = (event.time for event in received(bench, client) if event.kind == "down")
    assert second - first < 200
    client.seen.clear()
    bench.screen.act(Click(point=(500, 300)))
    bench.screen.act(Click(point=(502, 301)))
    first, second = (event.time for event in received(bench, client) if event.kind == "down")
    assert second - first >= 450  # toolkits take two clicks within 400 ms for a double click


def test_modifiers_are_held_during_a_click_and_only_then(bench: Any) -> None:
    client = bench.client()
    bench.screen.act(Click(point=(400, 300), modifiers=("ctrl", "shift")))
    assert next(event.state for event in received(bench, client) if event.kind == "down") == SHIFT | CONTROL
    client.seen.clear()
    bench.screen.act(Click(point=(440, 340)))
    assert [event.state for event in received(bench, client) if event.kind == "down"] == [0]


WHEEL = [
    (Scroll(point=(400, 300), dy=3), [5, 5, 5]),
    (Scroll(point=(400, 300), dy=-2), [4, 4]),
    (Scroll(point=(400, 300), dx=2), [7, 7]),
    (Scroll(point=(400, 300), dx=-1, dy=1), [5, 6]),
    (Scroll(point=(400, 300), dy=250, unit="pixels"), [5, 5]),
    (Scroll(point=(400, 300), dy=0.2), [5]),
]


def test_scrolling_turns_the_wheel(bench: Any) -> None:
    client = bench.client()
    for scroll, wheel in WHEEL:
        bench.screen.act(scroll)
        assert [event.detail for event in received(bench, client) if event.kind == "down"] == wheel, scroll
        client.seen.clear()


def test_scrolling_with_ctrl_holds_ctrl(bench: Any) -> None:
    client = bench.client()
    bench.screen.act(Scroll(point=(400, 300), dy=1, modifiers=("ctrl",)))
    assert [event.state for event in received(bench, client) if event.kind == "down"] == [CONTROL]


def test_a_drag_is_a_press_a_way_and_a_release(bench: Any) -> None:
    client = bench.client()
    bench.screen.act(Drag(path=((300, 300), (500, 300), (500, 450)), modifiers=("shift",)))
    events = received(bench, client)
    assert clicks(events) == [("down", 1, 300, 300), ("up", 1, 500, 450)]
    pressed = next(place for place, event in enumerate(events) if event.kind == "down")
    way = [event for event in events[pressed:] if event.kind == "move"]
    assert len(way) >= 20
    assert all(event.state & BUTTON1 and event.state & SHIFT for event in way)
    assert (500, 300) in {(event.x, event.y) for event in way}
    steps = [abs(b.x - a.x) + abs(b.y - a.y) for a, b in itertools.pairwise(way)]
    assert max(steps) <= 17


def test_a_drag_as_long_as_they_come_ends(bench: Any) -> None:
    client = bench.client((0, 40, 1270, 670))
    path = tuple((10 + 1200 * (index % 2), 100 + index / 2) for index in range(1000))
    bench.screen.act(Drag(path=path))
    assert clicks(received(bench, client))[-1] == ("up", 1, 1210, 599)


def test_a_pressed_button_stays_down_until_it_is_let_go(bench: Any) -> None:
    client = bench.client()
    bench.screen.act(MouseDown(point=(300, 300)))
    bench.screen.act(Move(point=(350, 350)))
    assert clicks(received(bench, client)) == [("down", 1, 300, 300)]
    bench.screen.act(MouseUp(point=(360, 350)))
    assert clicks(received(bench, client))[1:] == [("up", 1, 360, 350)]


def test_release_lets_every_held_key_and_button_go(bench: Any) -> None:
    client = bench.client()
    for action in (KeyDown(key="ctrl"), KeyDown(key="A"), MouseDown(point=(300, 300)), MouseDown(button="right")):
        bench.screen.act(action)
    received(bench, client).clear()
    bench.screen.release()
    assert sorted(event.kind for event in received(bench, client)) == ["key up"] * 3 + ["up"] * 2
    client.seen.clear()
    bench.screen.release()
    assert received(bench, client) == []


def test_a_chord_presses_in_order_and_lets_go_in_reverse(bench: Any) -> None:
    client = bench.client()
    bench.screen.act(Key(keys=("ctrl", "shift", "s"), repeat=2))
    seen = [(event.kind, event.detail) for event in received(bench, client)]
    ctrl, shift, key = (code for _, code in seen[:3])
    once = [("key down", ctrl), ("key down", shift), ("key down", key)]
    once += [("key up", key), ("key up", shift), ("key up", ctrl)]
    assert seen == once * 2


def test_ctrl_with_a_capital_is_the_key_that_is_printed_so(bench: Any) -> None:
    client = bench.client()
    bench.screen.act(Key(keys=("ctrl", "C")))
    bench.screen.act(Key(keys=("ctrl", "c")))
    seen = [(event.kind, event.detail, event.state) for event in received(bench, client)]
    assert seen[:4] == seen[4:]


def test_a_key_is_held_for_as_long_as_asked(bench: Any) -> None:
    client = bench.client()
    bench.screen.act(Key(keys=("left",), seconds=0.3))
    events = received(bench, client)
    assert events[-1].kind == "key up"
    assert events[-1].time - events[0].time >= 295


def test_a_chord_does_not_let_a_held_key_go(bench: Any) -> None:
    client = bench.client()
    bench.screen.act(KeyDown(key="shift"))
    bench.screen.act(KeyDown(key="shift"))
    bench.screen.act(Key(keys=("shift", "left")))
    assert [event.kind for event in received(bench, client)] == ["key down", "key down", "key up"]
    bench.screen.act(KeyUp(key="shift"))
    bench.screen.act(KeyUp(key="shift"))
    assert [event.kind for event in received(bench, client)][3:] == ["key up"]
