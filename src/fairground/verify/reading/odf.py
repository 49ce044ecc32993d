"""OpenDocument packages: the common structure of LibreOffice texts and presentations."""

from __future__ import annotations

import hashlib
import math
import re
from dataclasses import dataclass, field, replace
from typing import Literal
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from fairground.core import StateError
from fairground.verify.reading.archive import Archive
from fairground.verify.reading.prose import Chart, Metadata, Picture

_SPACE = "urn:oasis:names:tc:opendocument:xmlns:"
_NAMESPACES = {
    **{name: f"{_SPACE}{name}:1.0" for name in ("office", "table", "text", "style", "meta", "presentation", "chart")},
    "draw": f"{_SPACE}drawing:1.0",
    "svg": f"{_SPACE}svg-compatible:1.0",
    "fo": f"{_SPACE}xsl-fo-compatible:1.0",
    "anim": f"{_SPACE}animation:1.0",
    "smil": f"{_SPACE}smil-compatible:1.0",
    "config": f"{_SPACE}config:1.0",
    "manifest": f"{_SPACE}manifest:1.0",
    "dc": "http://purl.org/dc/elements/1.1/",
    "xlink": "http://www.w3.org/1999/xlink",
    "loext": "urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0",
}
_SHORT = {full: short for short, full in _NAMESPACES.items()}


def tag(name: str) -> str:
    """A qualified name such as `text:p`, as the parser writes it."""
    space, _, local = name.partition(":")
    return f"{{{_NAMESPACES[space]}}}{local}"


def short(element: Element) -> str:
    """The short name of an element, such as `text:p`; unknown namespaces stay as they are."""
    if not isinstance(element.tag, str):
        return ""
    full, _, local = element.tag.removeprefix("{").partition("}")
    return f"{_SHORT[full]}:{local}" if full in _SHORT else element.tag


def get(element: Element, name: str, default: str = "") -> str:
    """An attribute by its short name."""
    return element.get(tag(name), default)


def names(attributes: dict[str, str]) -> dict[str, str]:
    """Attributes by their short names. Unknown namespaces are dropped."""
    by_short_name = {}
    for name, value in attributes.items():
        full, _, local = name.removeprefix("{").partition("}")
        if full in _SHORT:
            by_short_name[f"{_SHORT[full]}:{local}"] = value
    return by_short_name


@dataclass(frozen=True)
class Package:
    """An opened file of the expected kind."""

    what: str
    archive: Archive
    content: Element
    styles: Element
    body: Element
    media: dict[str, str]
    """Media types of the entries, from the manifest."""
    pictures: dict[str, Picture] = field(default_factory=dict)
    """Cache of pictures: a large picture may be shown a thousand times."""
    charts: dict[str, Chart | None] = field(default_factory=dict)

    def picture(self, address: str, crop: str = "") -> Picture:
        """A picture by its address in the text. One outside of the file is not opened."""
        name = unquote(address).removeprefix("./")
        if name not in self.archive:
            return Picture(link=address, crop=_crop(crop))
        if name not in self.pictures:
            content = self.archive.read(name)
            kind = (self.media.get(name) or name.rpartition(".")[2].lower()).removeprefix("image/")
            self.pictures[name] = Picture(hashlib.sha256(content).hexdigest(), kind, len(content))
        return replace(self.pictures[name], crop=_crop(crop))


def open_package(data: bytes, what: str, mimetype: str, body: str) -> Package:
    """Open a package.

    Raises:
        StateError: It is damaged, encrypted, or contains another kind of document.
    """
    archive = Archive(data, what=what)
    if "mimetype" not in archive or archive.read("mimetype").strip() not in (
        mimetype.encode(),
        f"{mimetype}-template".encode(),
    ):
        raise StateError(f"{what}: its mimetype is not {mimetype}")
    media = {}
    if "META-INF/manifest.xml" in archive:
        for element in archive.xml("META-INF/manifest.xml").iter():
            if short(element) == "manifest:encryption-data":
                raise StateError(f"{what}: it is encrypted with a password")
            if short(element) == "manifest:file-entry":
                media[get(element, "manifest:full-path").removesuffix("/")] = get(element, "manifest:media-type")
    content = archive.xml("content.xml")
    inner = content.find(f"{tag('office:body')}/{tag(body)}")
    if inner is None:
        raise StateError(f"{what}: its content has no {body}, so it is another kind of document")
    styles = archive.xml("styles.xml") if "styles.xml" in archive else Element("none")
    return Package(what, archive, content, styles, inner, media)


def read_metadata(package: Package) -> Metadata:
    """The metadata of the file."""
    if "meta.xml" not in package.archive:
        return Metadata()
    root = package.archive.xml("meta.xml")
    metadata = root.find(tag("office:meta"))
    if metadata is None:
        return Metadata()

    def one(name: str) -> str:
        return metadata.findtext(tag(name)) or ""

    custom = tuple(
        (get(element, "meta:name"), element.text or "") for element in metadata.findall(tag("meta:user-defined"))
    )
    return Metadata(
        title=one("dc:title"),
        subject=one("dc:subject"),
        description=one("dc:description"),
        # Some versions write all of them into one element.
        keywords=tuple(
            word.strip()
            for element in metadata.findall(tag("meta:keyword"))
            for word in (element.text or "").split(",")
            if word.strip()
        ),
        author=one("meta:initial-creator") or one("dc:creator"),
        language=one("dc:language"),
        custom=tuple(sorted(custom)),
    )


def flat_text(paragraph: Element, spaces: int = 1_000) -> str:
    """The text of a paragraph, with the spaces, tabs and line breaks that the format writes as elements.

    Args:
        paragraph: A `text:p`.
        spaces: Maximum number of spaces from `text:s` elements, which each have a count.
    """
    parts: list[str] = []
    stack: list[tuple[Element, Literal["start", "tail"]]] = [(paragraph, "start")]
    while stack:
        element, what = stack.pop()
        if what == "tail":
            parts.append(element.tail or "")
            continue
        kind = short(element)
        if kind == "text:s":
            count = min(whole(get(element, "text:c"), 1), spaces)
            spaces -= count
            parts.append(" " * count)
        elif kind in ("text:tab", "text:line-break"):
            parts.append("\t" if kind == "text:tab" else "\n")
        elif kind != "office:annotation":
            parts.append(element.text or "")
            for child in reversed(element):
                stack.append((child, "tail"))
                stack.append((child, "start"))
    return "".join(parts)


_LENGTH = re.compile(r"(-?[0-9]{0,9}(?:\.[0-9]{1,20})?)(mm|cm|in|inch|pt|pc|px)")
_IN_MILLIMETRES = {"mm": 1.0, "cm": 10.0, "in": 25.4, "inch": 25.4, "pt": 25.4 / 72, "pc": 25.4 / 6, "px": 25.4 / 96}


def length(text: str, default: float = 0.0) -> float:
    """A length such as `1.5cm` in millimetres, rounded to a hundredth; the default if it is not a length."""
    match = _LENGTH.fullmatch(text.strip())
    if match is None or match[1] in ("", "-"):
        return default
    return tidy(float(match[1]) * _IN_MILLIMETRES[match[2]])


def points(text: str) -> float:
    """A length in points, rounded to a tenth; 0 if it is not a length."""
    match = _LENGTH.fullmatch(text.strip())
    if match is None or match[1] in ("", "-"):
        return 0.0
    return round(float(match[1]) * _IN_MILLIMETRES[match[2]] * 72 / 25.4, 1) + 0.0


def percent(text: str) -> float | None:
    """A percentage such as `115%`; None if it is not one."""
    match = re.fullmatch(r"(-?[0-9]{1,6}(?:\.[0-9]{1,20})?)%", text.strip())
    return None if match is None else float(match[1])


def whole(text: str, default: int, most: int = 1_000_000) -> int:
    """A whole number from 0 to `most`; the default if it is not one."""
    return min(int(text), most) if re.fullmatch(r"[0-9]{1,9}", text) else default


def number(text: str) -> float | None:
    """A finite number; None if it is not one."""
    try:
        value = float(text) if len(text) <= 400 else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def colour(text: str) -> str:
    """A colour as `#rrggbb`; empty if it is not one, such as `transparent`."""
    return text.lower() if re.fullmatch(r"#[0-9A-Fa-f]{6}", text) else ""


def tidy(millimetres: float) -> float:
    """Rounded to a hundredth, without a negative zero."""
    return round(millimetres, 2) + 0.0


def _crop(text: str) -> tuple[float, float, float, float]:
    match = re.fullmatch(r"rect\(([^(),]{1,30}),([^(),]{1,30}),([^(),]{1,30}),([^(),]{1,30})\)", text)
    if match is None:
        return 0.0, 0.0, 0.0, 0.0
    return length(match[1]), length(match[2]), length(match[3]), length(match[4])
