"""Pictures from the browser are read exactly, whichever way they are packed, or not at all."""

from __future__ import annotations

import base64
import struct
import zlib

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import Frame, Pixels, ScreenError
from fairground.screen.cdpframe import data_url, read_frame


def picture(width: int, height: int, seed: int) -> Pixels:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)


def png(pixels: Pixels, *, filters: int = 2, pieces: int = 1) -> str:
    """A PNG with one filter in every row, as a browser in a hurry writes it; its data in several pieces."""
    height, width, _ = pixels.shape
    rows = pixels.reshape(height, -1).copy()
    if filters == 2:
        rows[1:] -= pixels.reshape(height, -1)[:-1]
    body = zlib.compress(np.hstack([np.full((height, 1), filters, np.uint8), rows]).tobytes(), 1)
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"sRGB", b"\0")]
    step = -(-len(body) // pieces)
    chunks += [(b"IDAT", body[at : at + step]) for at in range(0, len(body), step)]
    data = b"\x89PNG\r\n\x1a\n"
    for kind, content in [*chunks, (b"IEND", b"")]:
        data += struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    return base64.b64encode(data).decode()


@given(width=st.integers(1, 40), height=st.integers(1, 40), seed=st.integers(0, 99), pieces=st.integers(1, 5))
def test_a_picture_packed_in_a_hurry_is_read_exactly(width: int, height: int, seed: int, pieces: int) -> None:
    pixels = picture(width, height, seed)
    for filters in (0, 2):
        frame = read_frame(png(pixels, filters=filters, pieces=pieces), (width, height))
        assert (frame.pixels == pixels).all() and not frame.pixels.flags.writeable


def test_any_other_png_is_read_as_well() -> None:
    pixels = picture(30, 20, 1)
    _, data = cv2.imencode(".png", cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR))
    assert (read_frame(base64.b64encode(data.tobytes()).decode(), (30, 20)).pixels == pixels).all()
    grey = np.full((20, 30), 77, np.uint8)
    _, data = cv2.imencode(".png", grey)
    assert (read_frame(base64.b64encode(data.tobytes()).decode(), (30, 20)).pixels == 77).all()


def test_a_picture_of_another_size_is_refused() -> None:
    with pytest.raises(ScreenError, match="one of 30x20; expected 412x915"):
        read_frame(png(picture(30, 20, 1)), (412, 915))


@pytest.mark.parametrize("kept", [0, 5, 20, 40, 200, -60])
def test_half_a_picture_is_none(kept: int) -> None:
    data = base64.b64decode(png(picture(30, 20, 1)))[:kept]
    with pytest.raises(ScreenError, match="no picture"):
        read_frame(base64.b64encode(data).decode(), (30, 20))


def test_a_frame_becomes_an_address_that_shows_it() -> None:
    url = data_url(Frame(np.full((20, 30, 3), 200, np.uint8)), quality=90, brightness=0.5)
    head, _, body = url.partition(",")
    assert head == "data:image/jpeg;base64"
    shown = cv2.imdecode(np.frombuffer(base64.b64decode(body), np.uint8), cv2.IMREAD_COLOR)
    assert shown is not None and abs(int(shown.mean()) - 100) <= 2
