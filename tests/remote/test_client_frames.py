"""Frames at the client: decoding of PNGs from a server that may send anything, and what is kept of them."""

from __future__ import annotations

import gc
import io
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from fairground.core import Frame, InvalidInput
from fairground.remote import frames
from fairground.remote.frames import FrameCache, decode_frame
from fairground.screen import encode_png


def noise(width: int, height: int, seed: int = 0) -> Frame:
    return Frame(np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8))


def png_of(width: int, height: int, rows: bytes) -> bytes:
    """A PNG with this header and these rows, whether or not they fit together."""
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    ]
    chunks = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def message(digest: str, png: bytes) -> bytes:
    return digest.rjust(32, "0").encode() + png


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 5))
def test_our_own_pngs_are_decoded_to_the_same_pixels(width: int, height: int, seed: int) -> None:
    frame = noise(width, height, seed)
    decoded = decode_frame(encode_png(frame))
    assert decoded == frame and decoded.digest == frame.digest
    assert not decoded.pixels.flags.writeable


def test_the_pixels_are_a_view_of_what_was_inflated() -> None:
    assert not decode_frame(encode_png(noise(64, 48))).pixels.flags.owndata


@pytest.mark.parametrize("mode", ["RGB", "L", "P", "RGBA", "1"])
def test_pngs_of_other_programs_are_decoded_too(mode: str) -> None:
    image = Image.fromarray(np.array(noise(30, 20).pixels)).convert(mode)
    out = io.BytesIO()
    image.save(out, "PNG")
    assert np.array_equal(decode_frame(out.getvalue()).pixels, np.array(image.convert("RGB")))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x89PNG\r\n\x1a\n",
        b"GIF89a" + bytes(100),
        png_of(10, 10, b""),
        png_of(10, 10, bytes(10 * 31 - 1)),
        png_of(10, 10, bytes(10 * 31 + 1)),
        png_of(10, 10, bytes(8 << 20)),
        png_of(0, 10, b""),
        png_of(1 << 30, 1 << 30, bytes(100)),
        encode_png(noise(9, 9))[:-100],
        encode_png(noise(9, 9))[:60] + b"\0" * 8 + encode_png(noise(9, 9))[68:],
    ],
    ids=["empty", "magic", "gif", "no rows", "short", "long", "bomb", "no width", "huge", "cut", "damaged"],
)
def test_what_is_no_picture_or_too_large_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidInput):
        decode_frame(data)


def test_a_frame_is_decoded_once_while_somebody_holds_it() -> None:
    cache = FrameCache()
    cache.receive(message("a", encode_png(noise(8, 8))))
    held = cache.get("a".rjust(32, "0"))
    assert held is not None and cache.get("a".rjust(32, "0")) is held
    assert cache.get("b".rjust(32, "0")) is None


def test_the_oldest_frames_are_dropped_above_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    png = encode_png(noise(8, 8))
    cache = FrameCache()
    for number in range(frames.KEPT_FRAMES + 1):
        cache.receive(message(str(number), png))
    gc.collect()
    assert cache.get("0".rjust(32, "0")) is None and cache.get("1".rjust(32, "0")) is not None
    monkeypatch.setattr(frames, "KEPT_BYTES", 3 * len(png))
    cache.receive(message("last", png))
    gc.collect()
    kept = [number for number in range(frames.KEPT_FRAMES + 1) if cache.get(str(number).rjust(32, "0"))]
    assert kept == [frames.KEPT_FRAMES - 1, frames.KEPT_FRAMES]


def test_a_frame_larger_than_all_limits_is_kept_until_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "KEPT_BYTES", 1)
    cache = FrameCache()
    cache.receive(message("a", encode_png(noise(8, 8))))
    assert cache.get("a".rjust(32, "0")) is not None
