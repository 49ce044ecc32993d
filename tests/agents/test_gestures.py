"""What hands do becomes what agents say: raw input, as a browser sends it, as canonical actions."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from fairground.agents.gestures import AGAIN, LONG, TURNING, TYPING, Gestures
from fairground.core import Action, Click, Drag, Key, KeyDown, KeyUp, MouseDown, MouseUp, Move, Scroll, Type

Timed = tuple[float, Action]


def gather(events: Sequence[Timed]) -> list[Action]:
    """What a person did, as the episode gets it."""
    gestures, found = Gestures(), list[Action]()
    for at, event in events:
        due = gestures.due
        if not gestures.takes(event, at) or (due is not None and at > due):
            found += gestures.end()
        gestures.add(event, at)
    return found + gestures.end()


def press(at: float, x: float, y: float, button: str = "left", **more: object) -> list[Timed]:
    options = {"point": (x, y), "button": button, **more}
    return [(at, MouseDown.model_validate(options)), (at + 0.08, MouseUp.model_validate(options))]


def test_down_and_up_at_one_place_is_a_click_there_and_the_way_to_it_is_part_of_it() -> None:
    way = [(0.0, Move(point=(1, 1))), (0.1, Move(point=(50, 60)))]
    assert gather([*way, *press(0.2, 100, 120)]) == [Click(point=(100, 120))]


def test_a_hand_that_trembles_still_clicks() -> None:
    down, up = press(0, 100, 100)
    trembled = [down, (0.05, Move(point=(103, 101))), (0.08, MouseUp(point=(102, 101)))]
    assert gather(trembled) == [Click(point=(100, 100))]
    assert up[1] != trembled[-1][1]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_quick_clicks_at_one_place_are_one_with_a_count(count: int) -> None:
    events = [event for number in range(count) for event in press(number * 0.2, 10 + number, 10)]
    assert gather(events) == [Click(point=(10, 10), count=count)]


def test_a_fourth_click_a_late_one_another_button_and_another_place_are_clicks_of_their_own() -> None:
    assert len(gather([event for number in range(4) for event in press(number * 0.2, 10, 10)])) == 2
    assert gather([*press(0, 10, 10), *press(0.1 + 2 * AGAIN, 10, 10)]) == [Click(point=(10, 10))] * 2
    assert gather([*press(0, 10, 10), *press(0.2, 10, 10, "right")]) == [
        Click(point=(10, 10)),
        Click(point=(10, 10), button="right"),
    ]
    assert [each.points[0] for each in gather([*press(0, 10, 10), *press(0.2, 90, 10)])] == [(10, 10), (90, 10)]


def test_modifiers_stay_with_their_click() -> None:
    both = gather([*press(0, 10, 10, modifiers=("ctrl",)), *press(0.2, 10, 10)])
    assert both == [Click(point=(10, 10), modifiers=("ctrl",)), Click(point=(10, 10))]


def test_down_here_and_up_there_is_a_drag_along_the_way_with_few_points() -> None:
    moves = [(index * 0.01, Move(point=(100.0 + index, 100.0))) for index in range(1, 2000)]
    (drag,) = gather([(0.0, MouseDown(point=(100, 100))), *moves, (20.0, MouseUp(point=(2100, 100)))])
    assert isinstance(drag, Drag)
    assert drag.path[0] == (100, 100) and drag.path[-1] == (2100, 100)
    assert 10 < len(drag.path) <= 202
    assert list(drag.path) == sorted(drag.path)


def test_a_button_that_is_held_long_is_said_as_it_was() -> None:
    held: list[Timed] = [(0.0, MouseDown(point=(5, 5))), (LONG + 0.5, MouseUp(point=(5, 5)))]
    assert gather(held) == [MouseDown(point=(5, 5)), MouseUp(point=(5, 5))]


def test_a_key_in_the_middle_of_a_drag_does_not_lose_the_drag() -> None:
    events: list[Timed] = [
        (0.0, MouseDown(point=(5, 5))),
        (0.1, Move(point=(50, 50))),
        (0.2, Key(keys=("escape",))),
        (0.3, MouseUp(point=(50, 50))),
    ]
    assert gather(events) == [
        MouseDown(point=(5, 5)),
        Move(point=(50, 50)),
        Key(keys=("escape",)),
        MouseUp(point=(50, 50)),
    ]


def test_letters_are_one_text_until_a_pause_or_something_else() -> None:
    letters = [(index * 0.2, Type(text=letter)) for index, letter in enumerate("hello")]
    later = (1.0 + TYPING + 1, Type(text="again"))
    assert gather([*letters, (0.9, Move(point=(1, 1))), later]) == [Type(text="hello"), Type(text="again")]
    enter = (1.0, Key(keys=("enter",)))
    assert gather([*letters, enter, (1.1, Type(text="x"))]) == [
        Type(text="hello"),
        Key(keys=("enter",)),
        Type(text="x"),
    ]


def test_a_key_that_repeats_is_one_with_a_count() -> None:
    repeated = [(index * 0.05, Key(keys=("backspace",))) for index in range(7)]
    assert gather(repeated) == [Key(keys=("backspace",), repeat=7)]
    assert len(gather([(0.0, Key(keys=("a",))), (TURNING * 3, Key(keys=("a",)))])) == 2


def test_turns_of_the_wheel_are_one_scroll_while_they_go_one_way() -> None:
    down = [(index * 0.1, Scroll(point=(9, 9), dy=1)) for index in range(5)]
    assert gather(down) == [Scroll(point=(9, 9), dy=5)]
    back = [*down, (0.6, Scroll(point=(9, 9), dy=-2))]
    assert gather(back) == [Scroll(point=(9, 9), dy=5), Scroll(point=(9, 9), dy=-2)]
    assert len(gather([*down, (0.6, Scroll(point=(300, 9), dy=1))])) == 2


def test_keys_that_are_held_stay_what_they_are() -> None:
    events: list[Timed] = [(0.0, KeyDown(key="shift")), (0.2, KeyUp(key="shift"))]
    assert gather(events) == [KeyDown(key="shift"), KeyUp(key="shift")]


def test_whatever_comes_nothing_that_was_typed_or_scrolled_is_lost() -> None:
    rng = random.Random(7)
    for _ in range(200):
        events, at = list[Timed](), 0.0
        for _ in range(rng.randrange(1, 30)):
            at += rng.choice((0.01, 0.1, 0.45, 1.3))
            point = (rng.randrange(200), rng.randrange(200))
            made: Action = rng.choice(
                (
                    Move(point=point),
                    MouseDown(point=point),
                    MouseUp(point=point),
                    MouseUp(),
                    Type(text=rng.choice("abc")),
                    Key(keys=("tab",)),
                    Scroll(point=point, dy=rng.choice((1, -1))),
                    Click(point=point, button="right"),
                )
            )
            events.append((at, made))
        found = gather(events)
        typed = "".join(each.text for _, each in events if isinstance(each, Type))
        assert "".join(each.text for each in found if isinstance(each, Type)) == typed
        turned = sum(each.dy for _, each in events if isinstance(each, Scroll))
        assert sum(each.dy for each in found if isinstance(each, Scroll)) == turned
        keys = sum(isinstance(each, Key) for _, each in events)
        assert sum(each.repeat for each in found if isinstance(each, Key)) == keys
