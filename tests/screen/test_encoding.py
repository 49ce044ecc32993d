"""Frames to bytes and back."""

from __future__ import annotations

import contextlib
import io
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from PIL import Image

from fairground.core import Frame, InvalidInput
from fairground.screen import decode, encode_jpeg, encode_png


def frame(height: int = 72, width: int = 128, seed: int = 0) -> Frame:
    return Frame(np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8))


@given(arrays.arrays(np.uint8, st.tuples(st.integers(1, 40), st.integers(1, 40), st.just(3))))
def test_a_png_holds_the_frame_exactly(pixels: np.ndarray) -> None:
    data = encode_png(Frame(pixels.copy()))
    assert np.array_equal(np.array(Image.open(io.BytesIO(data)).convert("RGB")), pixels)
    assert decode(data).digest == Frame(pixels).digest


def test_a_png_is_what_other_programs_expect() -> None:
    with Image.open(io.BytesIO(encode_png(frame()))) as image:
        image.verify()
        assert (image.format, image.mode, image.size) == ("PNG", "RGB", (128, 72))


def test_a_flat_screen_is_small() -> None:
    assert len(encode_png(Frame(np.full((720, 1280, 3), 90, np.uint8)))) < 20_000


def test_a_part_of_a_frame_can_be_encoded() -> None:
    part = Frame(frame().pixels[10:30, 5:50])
    assert np.array_equal(decode(encode_png(part)).pixels, part.pixels)


def test_a_jpeg_looks_like_the_frame_and_better_quality_is_larger() -> None:
    smooth = np.add.outer(np.arange(72), np.arange(128))[..., None] + np.array([0, 20, 50])
    picture = Frame(smooth.astype(np.uint8))
    data = encode_jpeg(picture, 90)
    assert np.abs(decode(data).pixels.astype(int) - picture.pixels).mean() < 4
    assert len(encode_jpeg(frame(), 95)) > len(encode_jpeg(frame(), 20))


@pytest.mark.parametrize("quality", [0, -5, 101])
def test_a_quality_that_is_none_is_refused(quality: int) -> None:
    with pytest.raises(InvalidInput, match="1 to 100"):
        encode_jpeg(frame(), quality)


@pytest.mark.parametrize("data", [b"", b"\x89PNG", b"not an image", encode_png(frame())[:-200], bytes(1000)])
def test_what_is_no_image_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidInput, match="not a readable image"):
        decode(data)


def test_an_image_that_would_unpack_to_gigabytes_is_refused_before_it_is() -> None:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    bomb = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(1 << 20)))
    with pytest.raises(InvalidInput):
        decode(bomb + chunk(b"IEND", b""))


@given(st.binary(max_size=300), st.integers(0, 300))
def test_a_damaged_png_is_read_or_refused(noise: bytes, place: int) -> None:
    data = bytearray(encode_png(frame(8, 8)))
    data[place : place + len(noise)] = noise
    with contextlib.suppress(InvalidInput):
        decode(bytes(data))
