"""Near misses of pictures: another size, position, colours or format."""

from __future__ import annotations

import io
import random
import re
import warnings
from collections.abc import Callable, Iterator

from PIL import Image, ImageChops, ImageOps

from fairground.prove.edits_text import in_turn

_PIXELS = 40_000_000
_BYTES = 8  # bytes changed per group; reading a picture again is slow
_WORD = re.compile(rb"[A-Za-z][\w -]{3,60}")
_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP")


def edit_picture(content: bytes, before: bytes | None, draw: random.Random) -> Iterator[tuple[str, bytes]]:
    """Yield edits of a still picture in its own format. Yields nothing for a file that cannot be decoded."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            image = Image.open(io.BytesIO(content), formats=_FORMATS)
            if image.width * image.height > _PIXELS:
                return
            image.load()
    except (OSError, ValueError, SyntaxError, EOFError, Warning, Image.DecompressionBombError):
        return
    edits = list(_EDITS.items())
    draw.shuffle(edits)
    for name, edit in edits:
        try:
            edited = edit(image)
            if edited is not None:
                yield name, _saved(edited, image.format or "PNG", image.info)
        except (OSError, ValueError, KeyError):
            continue  # a mode that this edit does not support
    try:
        other = "JPEG" if image.format == "PNG" else "PNG"
        yield f"saved as {other}", _saved(image.convert("RGB"), other, {})
    except (OSError, ValueError):
        return


def edit_bytes(content: bytes, before: bytes | None, draw: random.Random) -> Iterator[tuple[str, bytes]]:
    """Yield edits of single bytes, for formats without a writer: in new words, and elsewhere."""
    if not content:
        return
    was = before or b""
    words = [match.start() for match in _WORD.finditer(content) if match[0] not in was]
    draw.shuffle(words)
    places = [draw.randrange(len(content)) for _ in range(200)]
    others = [at for at in places if content[at : at + 1] != was[at : at + 1]]
    for at in in_turn(words[:_BYTES], others[:_BYTES]):
        yield f"byte {at} changed", content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


def _saved(image: Image.Image, form: str, info: dict[str | tuple[int, int], object]) -> bytes:
    options = {"dpi": info["dpi"]} if "dpi" in info and form in ("PNG", "JPEG", "TIFF") else {}
    if form == "JPEG":
        options |= {"quality": 95}
    stream = io.BytesIO()
    image.save(stream, format=form, **options)
    return stream.getvalue()


def _inverted_part(image: Image.Image) -> Image.Image:
    """Invert the colours in the middle of the picture, without changing its transparency."""
    edited = image.convert("RGBA")
    box = (image.width // 3, image.height // 3, image.width * 2 // 3 + 1, image.height * 2 // 3 + 1)
    part = edited.crop(box)
    turned = ImageOps.invert(part.convert("RGB")).convert("RGBA")
    turned.putalpha(part.getchannel("A"))
    edited.paste(turned, box)
    return edited.convert(image.mode)


def _lighter(image: Image.Image) -> Image.Image | None:
    return image.point(lambda value: min(255, value + 24)) if image.mode in ("L", "RGB") else None


_EDITS: dict[str, Callable[[Image.Image], Image.Image | None]] = {
    "one pixel wider": lambda image: image.resize((image.width + 1, image.height)),
    "one pixel lower": lambda image: image.resize((image.width, image.height - 1)) if image.height > 1 else None,
    "shifted by a pixel": lambda image: ImageChops.offset(image, 1, 0),
    "a part in opposite colours": _inverted_part,
    "flipped": ImageOps.mirror,
    "upside down": ImageOps.flip,
    "turned": lambda image: image.transpose(Image.Transpose.ROTATE_90),
    "lighter": _lighter,
    "gray": lambda image: image.convert("L").convert(image.mode) if image.mode in ("RGB", "RGBA", "P") else None,
    "half the size": lambda image: image.resize((max(1, image.width // 2), max(1, image.height // 2))),
}
