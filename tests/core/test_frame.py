"""Frames, and the tree and windows that come with them."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from fairground.core import Frame, Node, Observation
from fairground.core.frame import Pixels

pixels = arrays.arrays(
    np.uint8, st.tuples(st.integers(1, 5), st.integers(1, 5), st.just(3)), elements=st.integers(0, 2)
)


@given(pixels, pixels)
def test_digests_are_equal_exactly_when_pixels_are(one: Pixels, two: Pixels) -> None:
    assert (Frame(one).digest == Frame(two).digest) == np.array_equal(one, two)


@given(pixels)
def test_a_digest_follows_what_is_seen_and_not_how_it_lies_in_memory(seen: Pixels) -> None:
    column_major = np.asfortranarray(seen)
    reversed_twice = np.ascontiguousarray(seen[:, ::-1])[:, ::-1]
    assert Frame(seen.copy()).digest == Frame(column_major).digest == Frame(reversed_twice).digest


def test_one_bit_of_one_pixel_changes_the_digest() -> None:
    seen = np.zeros((720, 1280, 3), np.uint8)
    other = seen.copy()
    other[719, 1279, 2] = 1
    assert Frame(seen).digest != Frame(other).digest


def test_a_frame_of_another_shape_has_another_digest() -> None:
    assert Frame(np.zeros((2, 8, 3), np.uint8)).digest != Frame(np.zeros((8, 2, 3), np.uint8)).digest
    assert Frame(np.zeros((1, 12, 3), np.uint8)).digest != Frame(np.zeros((12, 1, 3), np.uint8)).digest


def test_the_time_is_no_part_of_what_is_seen() -> None:
    seen = np.zeros((2, 2, 3), np.uint8)
    assert Frame(seen, time=1.0).digest == Frame(seen, time=2.0).digest
    assert Frame(seen, time=1.0) == Frame(seen.copy(), time=2.0)


def test_frames_can_be_compared_and_put_in_a_set() -> None:
    black, white = np.zeros((4, 4, 3), np.uint8), np.full((4, 4, 3), 255, np.uint8)
    assert Frame(black) == Frame(black.copy())
    assert Frame(black) != Frame(white)
    assert Frame(black) != Frame(np.zeros((4, 5, 3), np.uint8))
    assert len({Frame(black), Frame(black.copy()), Frame(white)}) == 2
    assert Observation(Frame(black)) == Observation(Frame(black.copy()))


def test_a_frame_cannot_be_written_to_also_after_a_journey() -> None:
    frame = Frame(np.zeros((2, 2, 3), np.uint8))
    for one in (frame, pickle.loads(pickle.dumps(frame))):
        with pytest.raises(ValueError, match="read-only"):
            one.pixels[0, 0, 0] = 1
        assert one.digest == frame.digest


@pytest.mark.parametrize(
    ("shape", "kind"),
    [
        ((4, 4), np.uint8),
        ((4, 4, 4), np.uint8),
        ((4, 4, 1), np.uint8),
        ((4, 4, 3), np.float32),
        ((1, 4, 4, 3), np.uint8),
    ],
)
def test_what_is_no_picture_is_refused(shape: tuple[int, ...], kind: str) -> None:
    with pytest.raises(ValueError, match="a frame must be height x width x 3 of uint8, got"):
        Frame(np.zeros(shape, kind))


def test_the_size_is_width_and_height() -> None:
    assert Frame(np.zeros((720, 1280, 3), np.uint8)).size == (1280, 720)


TREE = Node(
    "window",
    "Untitled",
    children=(
        Node("menu bar", children=(Node("menu", "File"), Node("menu", "Edit"))),
        Node("table", children=(Node("cell", "A1", value="3", bounds=(10, 20, 31, 40)),)),
        Node("menu", "File", value="a second one"),
    ),
)


def test_a_tree_is_walked_depth_first_in_reading_order() -> None:
    assert [node.name or node.role for node in TREE.walk()] == [
        "Untitled", "menu bar", "File", "Edit", "table", "A1", "File",
    ]  # fmt: skip


def test_the_first_that_fits_is_found() -> None:
    assert TREE.find("menu", "File") == Node("menu", "File")
    assert TREE.find(name="A1") is TREE.children[1].children[0]
    assert TREE.find() is TREE
    assert TREE.find("button") is None


def test_a_tree_as_deep_as_any_program_makes_it_can_be_walked() -> None:
    node = Node("leaf")
    for _ in range(20_000):
        node = Node("group", children=(node,))
    assert node.find("leaf") is not None


def test_the_center_is_inside_the_bounds() -> None:
    assert TREE.children[1].children[0].center == (25, 40)
    assert TREE.center is None
    assert Node("point", bounds=(7, 8, 0, 0)).center == (7, 8)
