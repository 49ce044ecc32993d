"""Reading the metadata of a picture: EXIF, XMP, IPTC, text chunks, comments, colour profile."""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar
from xml.etree.ElementTree import Element

from PIL import ExifTags

from fairground.core import StateError
from fairground.verify.reading.archive import parse_xml
from fairground.verify.reading.picture import opened_picture

MAX_ENTRIES = 1_000  # maximum per EXIF directory, of XMP, of IPTC, of text chunks
MAX_TEXT = 100_000  # maximum characters of a value
MAX_VALUES = 1_000  # maximum numbers of an EXIF value; longer ones are digested

Number: TypeAlias = int | float
Value: TypeAlias = str | Number | tuple[Number, ...]

_WHAT = "picture"
_V = TypeVar("_V")


@dataclass(frozen=True)
class Metadata:
    """The metadata of a picture.

    Attributes:
        exif: Such as `Image.Make`, `Photo.DateTimeOriginal`, `GPS.GPSLatitude`. Bytes are given as hexadecimal digits,
            or as a digest (`sha256:...`) if they are long.
        xmp: Such as `dc:title` or `xmp:Rating`. A list has a text per item. Of texts in several languages, the default
            one is first.
        iptc: Such as `keywords` or `headline`; a number (`2:101`) for unusual fields.
        text: The text chunks of a PNG file, by keyword.
        comment: Comment of a JPEG, GIF or PNG file.
        icc: A digest of the colour profile; empty if there is none.
    """

    exif: Mapping[str, Value] = field(default_factory=dict)
    xmp: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    iptc: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    text: Mapping[str, str] = field(default_factory=dict)
    comment: str = ""
    icc: str = ""

    @property
    def orientation(self) -> int:
        """How viewers rotate the picture, as an EXIF number from 1 to 8; 1 is upright."""
        value = self.exif.get("Image.Orientation", 1)
        return value if isinstance(value, int) and 1 <= value <= 8 else 1

    @property
    def place(self) -> tuple[float, float] | None:
        """Where it was taken: degrees north and east."""
        parts = []
        for name, negative in (("GPS.GPSLatitude", "S"), ("GPS.GPSLongitude", "W")):
            value, side = self.exif.get(name), self.exif.get(f"{name}Ref")
            if not isinstance(value, tuple) or len(value) != 3 or not isinstance(side, str):
                return None
            degrees = value[0] + value[1] / 60 + value[2] / 3600
            parts.append(round(-degrees if side.upper() == negative else degrees, 6))
        return parts[0], parts[1]

    def to_json(self) -> dict[str, object]:
        """Everything, as plain lists and dictionaries."""
        return {
            "exif": {name: list(value) if isinstance(value, tuple) else value for name, value in self.exif.items()},
            "xmp": {name: list(value) for name, value in self.xmp.items()},
            "iptc": {name: list(value) for name, value in self.iptc.items()},
            "text": dict(self.text),
            "comment": self.comment,
            "icc": self.icc,
            "orientation": self.orientation,
            "place": self.place and list(self.place),
        }


def read_metadata(data: bytes) -> Metadata:
    """Read all metadata of a picture.

    Raises:
        StateError: The picture or its metadata is damaged, or over a limit.
    """
    with opened_picture(data) as image:
        image.load()  # some of it may come after the pixels
        info = image.info
        text = {str(name): _bounded(str(value), "text") for name, value in getattr(image, "text", {}).items()}
        raw, profile = info.get("exif"), info.get("icc_profile")
        if image.format == "TIFF":
            raw = data
        comment = info.get("comment", "")
        xmp = text.pop("XML:com.adobe.xmp", None) or info.get("xmp") or ""
        iptc = _photoshop_iptc(info.get("photoshop")) or getattr(image, "tag_v2", {}).get(33723, b"")
    if isinstance(comment, bytes):
        comment = _decoded(comment)
    return Metadata(
        exif=_read_exif(raw, whole_file=raw is data) if isinstance(raw, bytes) and raw else {},
        xmp=_read_xmp(xmp.encode() if isinstance(xmp, str) else bytes(xmp)) if xmp else {},
        iptc=_read_iptc(iptc) if isinstance(iptc, bytes) else {},
        text=_few(text, "text chunks"),
        comment=_bounded(str(comment or text.get("Comment", "")), "comment"),
        icc=hashlib.sha256(profile).hexdigest()[:32] if isinstance(profile, bytes) and profile else "",
    )


def metadata_leaves(metadata: Metadata) -> dict[str, object]:
    """The metadata, flattened, without what every save changes (save times, program name, thumbnails)."""
    leaves: dict[str, object] = {"comment": metadata.comment, "icc": metadata.icc}
    for kind in ("exif", "xmp", "iptc", "text"):
        for name, value in getattr(metadata, kind).items():
            if name not in _VOLATILE and not name.startswith(_VOLATILE_STARTS):
                leaves[f"{kind}.{name}"] = value
    return leaves


_VOLATILE = frozenset(
    [
        *("Image.DateTime", "Image.Software", "Image.ExifTag", "Image.GPSTag", "Image.ProcessingSoftware"),
        *("xmp:ModifyDate", "xmp:MetadataDate", "xmp:CreatorTool", "date:create", "date:modify", "Software"),
        *("Image.ImageWidth", "Image.ImageLength", "Photo.ExifImageWidth", "Photo.ExifImageHeight"),
        *("date:timestamp", "Raw profile type exif", "Raw profile type iptc", "Creation Time", "Image.XMLPacket"),
    ]
)
_VOLATILE_STARTS = ("xmpMM:", "GIMP:", "stEvt:")


# EXIF

_DIRECTORIES = {0x8769: "Photo", 0x8825: "GPS", 0xA005: "Interop"}
_NAMES: dict[str, dict[int, str]] = {
    "Image": {tag.value: tag.name for tag in ExifTags.Base},
    "Photo": {tag.value: tag.name for tag in ExifTags.Base},
    "GPS": {tag.value: tag.name for tag in ExifTags.GPS},
    "Interop": {tag.value: tag.name for tag in ExifTags.Interop},
}
# The pixel layout of a TIFF file, and blocks that are read elsewhere. Users would not call it metadata.
_LAYOUT = frozenset(
    [
        *(254, 255, 256, 257, 258, 259, 262, 266, 273, 277, 278, 279, 284, 292, 293, 317, 320, 322, 323, 324, 325),
        *(330, 338, 339, 347, 700, 33723, 34377, 34675, *range(512, 533)),
    ]
)
_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4}
_CODES = {1: "B", 3: "H", 4: "I", 5: "I", 6: "b", 8: "h", 9: "i", 10: "i", 11: "f", 12: "d", 13: "I"}


def _read_exif(data: bytes, *, whole_file: bool) -> dict[str, Value]:
    data = data.removeprefix(b"Exif\0\0")
    order = {b"II": "<", b"MM": ">"}.get(data[:2])
    if order is None or len(data) < 8 or struct.unpack(f"{order}H", data[2:4])[0] != 42:
        raise StateError(f"{_WHAT}: EXIF data that does not begin as it should")
    by_name: dict[str, Value] = {}
    waiting = [("Image", struct.unpack(f"{order}I", data[4:8])[0])]
    done: set[str] = set()
    while waiting:
        name, start = waiting.pop()
        if name in done:
            raise StateError(f"{_WHAT}: EXIF data with two directories {name}")
        done.add(name)
        for tag, kind, count, raw in _entries(data, order, start):
            if tag in _DIRECTORIES and kind in (4, 13) and count == 1:
                waiting.append((_DIRECTORIES[tag], struct.unpack(f"{order}I", raw)[0]))
            elif not (whole_file and name == "Image" and tag in _LAYOUT):
                field_name = _NAMES[name].get(tag, f"0x{tag:04x}")
                by_name[f"{name}.{field_name}"] = _exif_text(tag, raw, order) or _exif_value(raw, order, kind, count)
    return by_name


def _entries(data: bytes, order: str, start: int) -> Iterator[tuple[int, int, int, bytes]]:
    count = struct.unpack_from(f"{order}H", data, start)[0] if start + 2 <= len(data) else MAX_ENTRIES + 1
    if count > MAX_ENTRIES or start + 2 + 12 * count > len(data):
        raise StateError(f"{_WHAT}: EXIF data that is cut off, or with more than {MAX_ENTRIES} entries")
    for number in range(count):
        place = start + 2 + 12 * number
        tag, kind, values = struct.unpack_from(f"{order}HHI", data, place)
        size = _SIZES.get(kind, 0) * values
        if size > 4:
            place = struct.unpack_from(f"{order}I", data, place + 8)[0] - 8
        if kind not in _SIZES or place + 8 + size > len(data):
            raise StateError(f"{_WHAT}: EXIF tag {tag} is of an unknown kind, or is cut off")
        yield tag, kind, values, data[place + 8 : place + 8 + size]


def _exif_text(tag: int, raw: bytes, order: str) -> str:
    """Text in fields of another kind: those of Windows, and a comment with a declared script."""
    wide = "utf-16-le" if order == "<" else "utf-16-be"
    if 0x9C9B <= tag <= 0x9C9F:
        return _bounded(raw.decode("utf-16-le", "replace").rstrip("\0"), "EXIF text")
    if tag == 0x9286 and raw[:8] == b"ASCII\0\0\0":
        return _bounded(_decoded(raw[8:]), "EXIF text")
    if tag == 0x9286 and raw[:8] == b"UNICODE\0":
        return _bounded(raw[8:].decode(wide, "replace").rstrip("\0"), "EXIF text")
    return ""


def _exif_value(raw: bytes, order: str, kind: int, count: int) -> Value:
    if kind == 2:
        return _bounded(_decoded(raw.rstrip(b"\0")), "EXIF text")
    if kind == 7 or (kind == 1 and count > 8):
        return raw.hex() if len(raw) <= 64 else f"sha256:{hashlib.sha256(raw).hexdigest()[:32]}"
    if count > MAX_VALUES:
        return f"sha256:{hashlib.sha256(raw).hexdigest()[:32]}"
    numbers: list[Number] = list(
        struct.unpack(f"{order}{len(raw) // struct.calcsize(_CODES[kind])}{_CODES[kind]}", raw)
    )
    if kind in (5, 10):
        pairs = zip(numbers[::2], numbers[1::2], strict=True)
        # Cameras write 0/0 for an unknown value.
        numbers = [above / below if below else 0.0 for above, below in pairs]
    if not all(math.isfinite(number) for number in numbers):
        raise StateError(f"{_WHAT}: a number in EXIF data that is none")
    return numbers[0] if len(numbers) == 1 else tuple(numbers)


# XMP

_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_PREFIXES = {
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://ns.adobe.com/xap/1.0/": "xmp",
    "http://ns.adobe.com/xap/1.0/rights/": "xmpRights",
    "http://ns.adobe.com/xap/1.0/mm/": "xmpMM",
    "http://ns.adobe.com/photoshop/1.0/": "photoshop",
    "http://ns.adobe.com/tiff/1.0/": "tiff",
    "http://ns.adobe.com/exif/1.0/": "exif",
    "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/": "Iptc4xmpCore",
    "http://www.gimp.org/xmp/": "GIMP",
    "http://www.gimp.org/xmp/1.0/": "GIMP",
    "http://creativecommons.org/ns#": "cc",
}


def _read_xmp(packet: bytes) -> dict[str, tuple[str, ...]]:
    root = parse_xml(packet.strip(b"\0 \r\n\t"), what=f"{_WHAT}: XMP", depth=50, elements=20_000)
    by_name: dict[str, tuple[str, ...]] = {}
    for description in root.iter(f"{_RDF}Description"):
        for name, value in description.attrib.items():
            if not name.startswith((_RDF, "{http://www.w3.org/XML/")):
                by_name[_short(name)] = (_bounded(value, "XMP"),)
        for part in description:
            by_name[_short(part.tag)] = tuple(_bounded(text, "XMP") for text in _items(part))
    return _few(by_name, "XMP")


def _items(element: Element) -> list[str]:
    items = list(element.iter(f"{_RDF}li"))
    if items:
        # The order of languages is not defined, except that the default one comes first.
        items.sort(key=lambda item: item.get("{http://www.w3.org/XML/1998/namespace}lang") != "x-default")
        return ["".join(item.itertext()).strip() for item in items]
    return [element.get(f"{_RDF}resource") or "".join(element.itertext()).strip()]


def _short(name: str) -> str:
    space, _, local = name.removeprefix("{").rpartition("}")
    return f"{_PREFIXES.get(space, space)}:{local}" if space else local


# IPTC

_IPTC_NAMES = {
    **{5: "object name", 15: "category", 25: "keywords", 55: "date created", 60: "time created", 80: "byline"},
    **{85: "byline title", 90: "city", 95: "state", 101: "country", 105: "headline", 110: "credit", 115: "source"},
    **{116: "copyright", 120: "caption", 122: "caption writer"},
}


def _photoshop_iptc(blocks: object) -> bytes:
    block = blocks.get(0x0404) if isinstance(blocks, dict) else None
    return block if isinstance(block, bytes) else b""


def _read_iptc(data: bytes) -> dict[str, tuple[str, ...]]:
    by_name: dict[str, list[str]] = {}
    position, count = 0, 0
    while len(data) - position >= 5 and data[position] == 0x1C:
        record, number, length = struct.unpack_from(">BBH", data, position + 1)
        value = data[position + 5 : position + 5 + length]
        position += 5 + length
        count += 1
        if length >= 0x8000 or len(value) != length or count > MAX_ENTRIES:
            raise StateError(f"{_WHAT}: IPTC data that is cut off, or with more than {MAX_ENTRIES} entries")
        if record == 2 and number:
            name = _IPTC_NAMES.get(number, f"2:{number}")
            by_name.setdefault(name, []).append(_bounded(_decoded(value), "IPTC"))
    if data[position:].strip(b"\0"):
        raise StateError(f"{_WHAT}: IPTC data that is damaged at byte {position}")
    return {name: tuple(values) for name, values in by_name.items()}


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode().rstrip("\0")
    except UnicodeDecodeError:
        return raw.decode("latin-1").rstrip("\0")


def _bounded(text: str, what: str) -> str:
    if len(text) > MAX_TEXT:
        raise StateError(f"{_WHAT}: {what} of {len(text)} characters, expected at most {MAX_TEXT}")
    return text


def _few(found: dict[str, _V], what: str) -> dict[str, _V]:
    if len(found) > MAX_ENTRIES:
        raise StateError(f"{_WHAT}: {len(found)} entries of {what}, expected at most {MAX_ENTRIES}")
    return found
