"""Reading a notebook that an agent may have written: within limits, and never more than was asked for."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias
from xml.etree.ElementTree import Element, tostring

from fairground.core import State, StateError
from fairground.verify.reading.archive import parse_xml

LARGEST = 32 << 20
"""Bytes of a notebook, unpacked."""


@dataclass(frozen=True)
class Text:
    """A typed note, by its upper left corner in points."""

    text: str
    font: str
    size: float
    color: str
    x: float
    y: float


@dataclass(frozen=True)
class Stroke:
    """A drawn line."""

    tool: str
    color: str
    width: tuple[float, ...]
    points: tuple[float, ...]


@dataclass(frozen=True)
class Other:
    """Something else, such as a picture, as it is written."""

    kind: str
    written: str


Item: TypeAlias = Text | Stroke | Other


@dataclass(frozen=True)
class Page:
    """One page: its size in points, its paper, and what is on it, whatever the layer."""

    width: float
    height: float
    paper: str
    items: tuple[Item, ...]

    @property
    def texts(self) -> tuple[Text, ...]:
        """What was typed."""
        return tuple(one for one in self.items if isinstance(one, Text))


def read_notebook(content: bytes) -> tuple[Page, ...]:
    """The pages of a `.xopp` file.

    Raises:
        StateError: It is not gzip, unpacks to more than `LARGEST`, or is not a notebook.
    """
    root = parse_xml(_unpacked(content), what="notebook")
    if root.tag != "xournal":
        raise StateError(f"notebook: it is a {root.tag[:40]!r}, expected xournal")
    return tuple(_page(one) for one in root.iter("page"))


def rewritten(state: State, path: str, edit: Callable[[str], str]) -> State:
    """The same recording with a notebook's XML edited: what a near miss would have left."""
    content = gzip.compress(edit(_unpacked(state.file(path)).decode()).encode(), mtime=0)
    return State(files={**state.files, path: content}, data=state.data, missing=state.missing)


def _unpacked(content: bytes) -> bytes:
    stream = zlib.decompressobj(wbits=31)  # gzip
    try:
        found = stream.decompress(content, LARGEST)
    except zlib.error as error:
        raise StateError(f"notebook: not gzip: {error}") from None
    if not stream.eof:
        raise StateError(f"notebook: cut short, or more than {LARGEST} bytes when unpacked")
    return found


def _page(element: Element) -> Page:
    ground = element.find("background")
    if ground is None:
        raise StateError("notebook: a page without a background")
    kind = ground.get("type", "")
    paper = ground.get("style", "") if kind == "solid" else kind  # else a PDF or a picture
    items = tuple(_item(one) for layer in element.iter("layer") for one in layer)
    return Page(_number(element, "width"), _number(element, "height"), paper, items)


def _item(element: Element) -> Item:
    if element.tag == "text":
        size, x, y = (_number(element, name) for name in ("size", "x", "y"))
        return Text(element.text or "", element.get("font", ""), size, element.get("color", ""), x, y)
    if element.tag == "stroke":
        tool, color = element.get("tool", ""), element.get("color", "")
        return Stroke(tool, color, _numbers(element.get("width", "")), _numbers(element.text or ""))
    return Other(element.tag, tostring(element, encoding="unicode"))


def _number(element: Element, name: str) -> float:
    found = _numbers(element.get(name, ""))
    if len(found) != 1:
        raise StateError(f"notebook: a {element.tag} whose {name} is {element.get(name)!r}, expected a number")
    return found[0]


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(round(float(word), 3) for word in text.split())
    except ValueError:
        raise StateError(f"notebook: {text[:40]!r} are no numbers") from None
