"""Reading pictures (PNG, JPEG, GIF, WebP, BMP, TIFF) that an untrusted program wrote.

The size is checked before decoding, only these six decoders are used, and a truncated picture is an error. Metadata is
in `picture_metadata`, and functions on pixels are in `picture_measures`.
"""

from __future__ import annotations

import hashlib
import io
import struct
import threading
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from PIL import Image, JpegImagePlugin

from fairground.core import StateError
from fairground.verify.reading.archive import MEGABYTE

MAX_BYTES = 64 * MEGABYTE
MAX_PIXELS = 30_000_000  # maximum pixels per frame; a 24-megapixel photograph fits
MAX_SIDE = 30_000
MAX_FRAMES = 500
MAX_FRAME_PIXELS = 120_000_000  # maximum pixels of all frames together

Format: TypeAlias = Literal["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF"]
FORMATS: tuple[Format, ...] = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
Pixels: TypeAlias = NDArray[np.uint8]
"""Rows, columns, then red, green, blue, alpha; 0 to 255."""

_WHAT = "picture"


@dataclass(frozen=True)
class Frame:
    """One frame of an animation, or one page of a TIFF file.

    Attributes:
        milliseconds: Display time; 0 if unknown.
        digest: Digest of its size and pixels.
    """

    width: int
    height: int
    milliseconds: int
    digest: str


@dataclass(frozen=True)
class Picture:
    """A decoded picture.

    Attributes:
        mode: The pixel format of the file: `1`, `L` (gray), `LA`, `P` (palette), `RGB`, `RGBA`, `CMYK`, `I;16` and so
            on.
        has_alpha: Whether the file supports transparent pixels.
        dpi: Dots per inch, horizontal and vertical, if known.
        interlaced: Interlaced (PNG, GIF) or progressive (JPEG).
        quality: JPEG quality, 1 to 100, from its quantization table; None if the table is unusual.
        frames: One for a still picture.
        digest: Digest of size and pixels; equal for pictures that look the same, in any format.
        pixels: Pixels of the first frame, read-only. Fully transparent pixels are black, because their colour is
            invisible.
    """

    format: Format
    width: int
    height: int
    mode: str
    has_alpha: bool
    dpi: tuple[float, float] | None
    interlaced: bool
    quality: int | None
    frames: tuple[Frame, ...]
    digest: str
    pixels: Pixels = field(repr=False, compare=False)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.width, self.height

    def to_json(self) -> dict[str, object]:
        """Everything but the pixels, which the digest represents."""
        result = {name: value for name, value in vars(self).items() if name != "pixels"}
        return result | {"dpi": self.dpi and list(self.dpi), "frames": [dict(vars(frame)) for frame in self.frames]}


@lru_cache(maxsize=4)
def read_picture(data: bytes) -> Picture:
    """Decode a picture.

    Raises:
        StateError: It has none of the six formats, is damaged or truncated, or is over a limit.
    """
    with opened_picture(data) as image:
        # Read first, because decoding the next frame changes them.
        mode, has_alpha, info = image.mode, _has_alpha(image), dict(image.info)
        quality = _quality(image)
        first: Pixels | None = None
        frames: list[Frame] = []
        left = MAX_FRAME_PIXELS
        for number in range(MAX_FRAMES + 1):
            try:
                image.seek(number)
            except EOFError:
                break
            width, height = _checked_size(image.size)
            left -= width * height
            if number == MAX_FRAMES or left < 0:
                raise StateError(f"{_WHAT}: more than {MAX_FRAMES} frames, or {MAX_FRAME_PIXELS} pixels in all of them")
            pixels = _decoded(image)
            first = pixels if first is None else first
            frames.append(Frame(width, height, _milliseconds(image.info.get("duration")), pixels_digest(pixels)))
        if first is None:
            raise StateError(f"{_WHAT}: no frame in it")
        return Picture(
            format=cast(Format, image.format),
            width=first.shape[1],
            height=first.shape[0],
            mode=mode,
            has_alpha=has_alpha,
            dpi=_dpi(info.get("dpi")),
            interlaced=bool(info.get("interlace") or info.get("progressive")),
            quality=quality,
            frames=tuple(frames),
            digest=frames[0].digest,
            pixels=first,
        )


def picture_leaves(picture: Picture) -> dict[str, object]:
    """The content of the picture, flattened. Saving it again without loss does not change it."""
    leaves: dict[str, object] = {
        "format": picture.format,
        "width": picture.width,
        "height": picture.height,
        "mode": picture.mode,
        "has_alpha": picture.has_alpha,
        "dpi": picture.dpi and tuple(round(value) for value in picture.dpi),
        "pixels": picture.digest,
    }
    for number, frame in enumerate(picture.frames[1:], start=1):
        leaves[f"frame[{number}].pixels"] = frame.digest
    if len(picture.frames) > 1:
        leaves |= {f"frame[{number}].milliseconds": frame.milliseconds for number, frame in enumerate(picture.frames)}
    return leaves


def pixels_digest(pixels: Pixels) -> str:
    """Return a digest of the size and all pixels."""
    digest = hashlib.sha256(repr(pixels.shape).encode())
    digest.update(np.ascontiguousarray(pixels).data)
    return digest.hexdigest()[:32]


def seen(pixels: Pixels) -> Pixels:
    """Read-only pixels, with fully transparent ones set to black."""
    hidden = pixels[..., 3] == 0
    if hidden.any():
        pixels = pixels.copy()
        pixels[hidden] = 0
    pixels.setflags(write=False)
    return pixels


@contextmanager
def opened_picture(data: bytes) -> Iterator[Image.Image]:
    """Open a picture: the header is read, but nothing is decoded yet. Errors inside the block become `StateError`."""
    if len(data) > MAX_BYTES:
        raise StateError(f"{_WHAT}: {len(data)} bytes, expected at most {MAX_BYTES}")
    _check_container(data)
    try:
        # Decoders warn about faults that are checked here anyway. The warnings filter is shared by all threads.
        with _WARNINGS, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=FORMATS) as image:
                _checked_size(image.size)
                _check_tiles(image)
                yield image
    except DECODER_FAULTS as error:
        raise StateError(
            f"{_WHAT}: cannot be decoded: {type(error).__name__}: {str(error)[:200]}",
            fix=f"expected a whole picture in one of {', '.join(FORMATS)}",
        ) from None


def _check_container(data: bytes) -> None:
    if data[:8] == _PNG:
        for _ in png_chunks(data):
            pass
    elif data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        # Its decoder allocates the whole picture on opening.
        _checked_size(_webp_size(data))
        if struct.unpack_from("<I", data, 4)[0] + 8 > len(data):
            raise StateError(f"{_WHAT}: a WebP file that is cut off")


def png_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Kind and content of every chunk of a PNG file. All checksums must be right."""
    position = len(_PNG)
    while True:
        header = data[position : position + 8]
        length = struct.unpack(">I", header[:4])[0] if len(header) == 8 else len(data)
        body = data[position + 4 : position + 8 + length]
        check = data[position + 8 + length : position + 12 + length]
        if len(check) < 4 or zlib.crc32(body) != struct.unpack(">I", check)[0]:
            raise StateError(f"{_WHAT}: a PNG file that is damaged or cut off at byte {position}")
        yield body[:4], body[4:]
        if body[:4] == b"IEND":
            return
        position += 12 + length


def _webp_size(data: bytes) -> tuple[int, int]:
    if len(data) < 30:
        raise StateError(f"{_WHAT}: a WebP file that is cut off")
    kind = data[12:16]
    if kind == b"VP8X":
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    width, height = struct.unpack_from("<HH", data, 26)
    return width & 0x3FFF, height & 0x3FFF


def _checked_size(size: tuple[int, int]) -> tuple[int, int]:
    width, height = size
    if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE) or width * height > MAX_PIXELS:
        raise StateError(f"{_WHAT}: {width} x {height} pixels, expected at most {MAX_PIXELS} and {MAX_SIDE} a side")
    return size


def _check_tiles(image: Image.Image) -> None:
    """Refuse TIFF files with tiles far larger than the picture, which the decoder would allocate."""
    tags = getattr(image, "tag_v2", None)
    if tags is None:
        return
    width, height = tags.get(322, 0), tags.get(323, 0)
    if not isinstance(width, int) or not isinstance(height, int) or width * height > MAX_PIXELS:
        raise StateError(f"{_WHAT}: tiles of {width} x {height} pixels")


def _has_alpha(image: Image.Image) -> bool:
    return image.mode in ("LA", "PA", "La", "RGBA", "RGBa") or "transparency" in image.info


def _decoded(image: Image.Image) -> Pixels:
    image.load()
    if image.mode.startswith("I;16"):
        # Pillow would clip values above 255 instead of scaling them.
        gray = (np.asarray(image).astype(np.uint16) >> 8).astype(np.uint8)
        alpha = np.full_like(gray, 255)
        return seen(np.stack([gray, gray, gray, alpha], axis=-1))
    if image.mode in ("I", "F"):
        raise StateError(f"{_WHAT}: pixels of mode {image.mode} are not read, expected 8 or 16 bits a channel")
    return seen(np.array(image.convert("RGBA"), dtype=np.uint8))


def _milliseconds(value: object) -> int:
    return round(value) if isinstance(value, int | float) and 0 <= value < 1e9 else 0


def _dpi(value: object) -> tuple[float, float] | None:
    if not isinstance(value, tuple) or len(value) != 2:
        return None
    across, down = (float(part) for part in value)
    return (round(across, 2), round(down, 2)) if 0 < across < 1e6 and 0 < down < 1e6 else None


def _quality(image: Image.Image) -> int | None:
    if not isinstance(image, JpegImagePlugin.JpegImageFile) or not image.quantization:
        return None
    table = list(image.quantization.get(0, ()))
    for quality in range(100, 0, -1):
        scale = 5000 // quality if quality < 50 else 200 - 2 * quality
        if table == [min(max((value * scale + 50) // 100, 1), 255) for value in _LUMINANCE]:
            return quality
    return None


# The table of the JPEG standard (annex K), which common encoders scale by the quality.
_LUMINANCE = (
    *(16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55),
    *(14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51, 87, 80, 62),
    *(18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92),
    *(49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99),
)

_PNG = b"\x89PNG\r\n\x1a\n"
_WARNINGS = threading.RLock()

# Raised by the decoders for damaged or malicious files.
DECODER_FAULTS = (
    *(OSError, SyntaxError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, EOFError),
    *(struct.error, zlib.error, MemoryError, RuntimeError, AssertionError, Image.DecompressionBombError),
)
