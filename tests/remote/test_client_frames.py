"""Frames at the client: decoding of PNGs from a server that may send anything, and what is kept of them."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from fairground.core import Frame, InvalidInput
from fairground.remote import bands, frames
from fairground.remote.bands import BandDecoder, BandEncoder
from fairground.remote.frames import FrameCache
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


@st.composite
def sequences(draw: st.DrawFn) -> list[Frame]:
    """Frames of one screen, each with another rectangle changed; now and then another screen size."""
    frames = []
    for seed in range(draw(st.integers(1, 3))):
        width, height = draw(st.integers(1, 40)), draw(st.integers(1, 3 * bands.ROWS))
        pixels = np.array(noise(width, height, seed).pixels)
        for _ in range(draw(st.integers(1, 4))):
            frames.append(Frame(pixels.copy()))
            top, left = draw(st.integers(0, height - 1)), draw(st.integers(0, width - 1))
            pixels[top : draw(st.integers(top, height)), left:] ^= draw(st.integers(0, 255))
    return frames


@given(sequences())
def test_every_frame_of_a_session_is_decoded_to_the_same_pixels(sequence: list[Frame]) -> None:
    encoder, decoder = BandEncoder(), BandDecoder()
    for frame in sequence:
        png = encoder.encode(frame)
        decoded = decoder.decode(png)
        assert decoded == frame and decoded.digest == frame.digest
        assert not decoded.pixels.flags.writeable
        assert png == BandEncoder().encode(frame), "a frame has one PNG, whatever came before it"
        with Image.open(io.BytesIO(png)) as image:  # as any other program reads it, with all checksums
            assert np.array_equal(np.array(image), frame.pixels)


def test_observations_of_the_same_frame_share_no_memory() -> None:
    png, decoder = BandEncoder().encode(noise(64, 100)), BandDecoder()
    first, second = decoder.decode(png), decoder.decode(bytes(bytearray(png)))
    assert first == second and not np.shares_memory(first.pixels, second.pixels)


def test_pixels_that_a_user_holds_do_not_change_with_later_frames() -> None:
    encoder, decoder = BandEncoder(), BandDecoder()
    first, second = noise(20, 100), noise(20, 100, 1)
    held = decoder.decode(encoder.encode(first))
    decoder.decode(encoder.encode(second))
    assert held == first


@pytest.mark.parametrize("mode", ["RGB", "L", "P", "RGBA", "1"])
def test_pngs_of_other_programs_are_decoded_too(mode: str) -> None:
    image = Image.fromarray(np.array(noise(30, 20).pixels)).convert(mode)
    out = io.BytesIO()
    image.save(out, "PNG")
    assert np.array_equal(BandDecoder().decode(out.getvalue()).pixels, np.array(image.convert("RGB")))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x89PNG\r\n\x1a\n",
        b"GIF89a" + bytes(100),
        png_of(10, 10, b""),
        png_of(10, 10, bytes(10 * 31 - 1)),
        png_of(0, 10, b""),
        png_of(1 << 30, 1 << 30, bytes(100)),
        encode_png(noise(9, 9))[:-100],
        encode_png(noise(9, 9))[:60] + b"\0" * 8 + encode_png(noise(9, 9))[68:],
    ],
    ids=["empty", "magic", "gif", "no rows", "short", "no width", "huge", "cut", "damaged"],
)
def test_what_is_no_picture_or_too_large_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidInput):
        BandDecoder().decode(data)


@pytest.mark.parametrize("place", range(8))
def test_damaged_bands_are_refused_or_give_the_right_pixels(place: int) -> None:
    """A decoder that has seen a frame must not take the damage for something unchanged."""
    before, frame = noise(30, 100), noise(30, 100, 1)
    png = BandEncoder().encode(frame)
    for offset in range(place, len(png), 97):
        damaged = png[:offset] + bytes([png[offset] ^ 0x55]) + png[offset + 1 :]
        decoder = BandDecoder()
        decoder.decode(BandEncoder().encode(before))
        try:
            assert decoder.decode(damaged).size != frame.size or decoder.decode(damaged) == frame
        except InvalidInput:
            assert decoder.decode(png) == frame, "and it can go on"


@pytest.mark.parametrize("rows", [b"", bytes(48 * 31 - 1), bytes(48 * 31 + 1), bytes(64 << 20), b"\1" * (48 * 31)])
def test_bands_of_another_size_or_with_filters_are_refused(rows: bytes) -> None:
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    band = bands._chunk(b"IDAT", deflate.compress(rows) + deflate.flush(zlib.Z_FULL_FLUSH))
    png = BandEncoder().encode(noise(10, 48))
    start = png.index(bands._HEAD) + len(bands._HEAD)
    end = start + 12 + int.from_bytes(png[start : start + 4])
    with pytest.raises(InvalidInput):
        BandDecoder().decode(png[:start] + band + png[end:])


def test_the_oldest_frames_are_dropped_above_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    png = encode_png(noise(8, 8))
    cache = FrameCache()
    for number in range(frames.KEPT_FRAMES + 1):
        cache.receive(message(str(number), png))
    assert cache.get("0".rjust(32, "0")) is None and cache.get("1".rjust(32, "0")) is not None
    monkeypatch.setattr(frames, "KEPT_BYTES", 3 * len(png))
    cache.receive(message("last", png))
    kept = [number for number in range(frames.KEPT_FRAMES + 1) if cache.get(str(number).rjust(32, "0"))]
    assert kept == [frames.KEPT_FRAMES - 1, frames.KEPT_FRAMES]


def test_a_frame_larger_than_all_limits_is_kept_until_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "KEPT_BYTES", 1)
    cache = FrameCache()
    cache.receive(message("a", encode_png(noise(8, 8))))
    assert cache.get("a".rjust(32, "0")) is not None
