"""What a model sees, and that its coordinates come back to the very place it meant."""

from __future__ import annotations

import base64

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.agents.models.context import Context, ContextPolicy, ImageLimits, Seen, cropped, fit, resized
from fairground.core import Click, Drag, Frame, InfrastructureError, InvalidAction, InvalidInput, Look, Type
from fairground.screen import decode

SIDE = st.integers(1, 4000)
SIZES = st.tuples(SIDE, SIDE)
LIMITS = st.builds(ImageLimits, side=st.integers(64, 3000), pixels=st.integers(64 * 64, 4_000_000))


def frame(size: tuple[int, int] = (1280, 720), shade: int = 9) -> Frame:
    return Frame(np.full((size[1], size[0], 3), shade, np.uint8))


@given(SIZES, LIMITS)
def test_what_is_seen_is_within_the_limits_and_never_larger_than_the_screen(
    size: tuple[int, int], limits: ImageLimits
) -> None:
    width, height = fit(size, limits)
    assert 1 <= width <= size[0] and 1 <= height <= size[1]
    assert max(width, height) <= limits.side
    assert width * height <= limits.pixels or min(width, height) == 1


@given(SIZES, LIMITS, st.data())
def test_every_pixel_that_is_seen_leads_to_a_pixel_of_the_screen_under_it(
    size: tuple[int, int], limits: ImageLimits, data: st.DataObject
) -> None:
    context = Context(size, limits, ContextPolicy())
    seen = tuple(data.draw(st.integers(0, side - 1)) for side in context.size)
    action = context.to_screen(Click(point=seen))
    assert isinstance(action, Click) and action.point is not None
    for at, meant, side, small in zip(action.point, seen, size, context.size, strict=True):
        assert 0 <= at < side
        assert meant * side <= (at + 1) * small and at * small <= (meant + 1) * side, "it lies under what was meant"
    x, y = action.point
    assert context.from_screen((int(x), int(y))) == seen, "and the way back is exact"


@given(SIZES, LIMITS)
def test_the_corners_stay_the_corners_regions_stay_on_the_screen(size: tuple[int, int], limits: ImageLimits) -> None:
    context = Context(size, limits, ContextPolicy())
    width, height = context.size
    whole = context.to_screen(Look(region=(0, 0, width, height)))
    assert isinstance(whole, Look) and whole.region == (0, 0, *size)


def test_a_point_outside_what_was_seen_is_refused() -> None:
    context = Context((2560, 1440), ImageLimits(side=1280), ContextPolicy())
    assert context.size == (1280, 720)
    with pytest.raises(InvalidAction, match="1280x720"):
        context.to_screen(Drag(path=((0, 0), (1280, 0))))
    assert context.to_screen(Type(text="x")) == Type(text="x")


def test_frames_beyond_the_policy_are_forgotten_and_let_go() -> None:
    context = Context((1280, 720), ImageLimits(), ContextPolicy(frames=2, slack=1))
    seen = [context.see(frame(shade=shade)) for shade in range(3)]
    assert all(map(context.image, seen)) and not context.edited
    seen.append(context.see(frame(shade=3)))
    assert [context.image(each) is not None for each in seen] == [False, False, True, True]
    assert context.edited and seen[0].frame is None, "a long episode does not hold all its frames"


def test_rendering_puts_pictures_and_words_where_they_belong_and_leaves_the_rest() -> None:
    context = Context((1280, 720), ImageLimits(), ContextPolicy(frames=1, slack=0))
    old, new = context.see(frame()), context.see(frame())
    messages = [{"role": "user", "content": [old, "x"]}, {"content": [{"deep": [new]}], "n": 1}]
    rendered = context.render(messages, lambda image: image.media_type, lambda words: words)
    assert rendered == [
        {"role": "user", "content": ["(An earlier screenshot was here; it is left out to save space.)", "x"]},
        {"content": [{"deep": ["image/png"]}], "n": 1},
    ]
    assert isinstance(messages[0]["content"][0], Seen), "what was rendered is a copy"


def test_shrinking_halves_everything_and_ends_somewhere() -> None:
    context = Context((1280, 720), ImageLimits(), ContextPolicy())
    seen = context.see(frame())
    assert context.shrink() and context.size == (640, 360)
    image = context.image(seen)
    assert image is not None and decode(base64.b64decode(image.data)).size == image.size == (640, 360)
    for _ in range(10):
        context.shrink()
    assert not context.shrink() and min(context.size) >= 64


def test_a_frame_of_another_size_than_the_agent_was_told_is_not_the_agents_fault() -> None:
    with pytest.raises(InfrastructureError, match="800x600.*1280x720"):
        Context((1280, 720), ImageLimits(), ContextPolicy()).see(frame((800, 600)))


def test_a_region_is_cut_out_and_enlarged_to_what_the_model_takes() -> None:
    context = Context((1280, 720), ImageLimits(), ContextPolicy())
    image = context.image(context.see(frame(), (10, 10, 42, 28)))
    assert image is not None and image.size == (1429, 804)


@given(st.tuples(*[st.floats(-5000, 5000)] * 4))
def test_cutting_out_any_region_gives_something(region: tuple[float, float, float, float]) -> None:
    part = cropped(frame((64, 48)), region)
    assert 1 <= part.size[0] <= 64 and 1 <= part.size[1] <= 48


def test_resizing_keeps_the_frame_when_there_is_nothing_to_do() -> None:
    original = frame()
    assert resized(original, (1280, 720)) is original
    assert resized(original, (320, 180)).size == (320, 180)


@pytest.mark.parametrize("wrong", [{"frames": 0}, {"format": "gif"}, {"quality": 0}, {"slack": -1}, {"other": 1}])
def test_a_policy_that_makes_no_sense_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        ContextPolicy.parse(wrong)
