"""The action space: every sample is a valid action, and recorded actions can be said in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import Click, Drag, InvalidAction, Key, KeyDown, Scroll, Type, Wait
from fairground.env import action_space, decode_action, encode_action

SIZE = (1280, 720)


@given(st.integers(0, 2**32 - 1))
def test_every_sample_is_a_valid_action_on_any_screen(seed: int) -> None:
    space = action_space()
    space.seed(seed)
    sample = space.sample()
    assert sample in space
    decode_action(sample).to_pixels(*SIZE)
    decode_action(sample).to_pixels(412, 915)


@pytest.mark.parametrize(
    "action",
    [
        Click(point=(0, 0)),
        Click(point=(1279, 719), button="right", count=3, modifiers=("ctrl",)),
        Drag(path=((10, 20), (300, 400))),
        Scroll(point=(5, 6), dy=-3),
        Key(keys=("ctrl", "shift", "s")),
        Type(text="hello\n"),
        Wait(seconds=0.5),
    ],
)
def test_what_was_recorded_can_be_said_in_the_space_and_read_back(action: Click) -> None:
    sample = encode_action(action, SIZE)
    assert sample in action_space()
    assert decode_action(sample).to_pixels(*SIZE) == action.to_pixels(*SIZE)


@given(st.integers(0, 1279), st.integers(0, 719))
def test_no_pixel_moves_on_the_way_through_the_space(x: int, y: int) -> None:
    sample = encode_action(Click(point=(x, y)), SIZE)
    assert decode_action(sample).to_pixels(*SIZE).points == ((x, y),)


@pytest.mark.parametrize("action", [KeyDown(key="a"), Type(text="日本"), Drag(path=((0, 0), (1, 1), (2, 2)))])
def test_what_the_space_cannot_say_is_refused(action: Drag) -> None:
    with pytest.raises(InvalidAction):
        encode_action(action, SIZE)


@pytest.mark.parametrize("sample", [{"kind": 3}, {"kind": 99, "point": [0, 0]}, {}, "click", []])
def test_what_is_no_sample_is_refused(sample: object) -> None:
    with pytest.raises(InvalidAction):
        decode_action(sample)
