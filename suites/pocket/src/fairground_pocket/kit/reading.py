"""A page read as a browser's accessibility tree would show it: what can be pressed and filled, and its names.

It knows what the kit emits, no more: links, buttons, text fields, boxes and circles to tick, sheets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from html import unescape
from typing import Final

_VOID: Final = frozenset({"input", "meta", "link", "br", "img", "path", "rect", "hr"})
_FIELD_TYPES: Final = {"text": "textbox", "search": "searchbox", "password": "textbox"}
TEXT_ROLES: Final = frozenset({"textbox", "searchbox"})


@dataclass(eq=False)
class Element:
    """An element with its children; a text is a child that is a `str`."""

    tag: str
    attributes: dict[str, str]
    parent: Element | None = None
    children: list[Element | str] = field(default_factory=list)

    def get(self, name: str) -> str:
        """An attribute; empty when it is not there."""
        return self.attributes.get(name, "")

    def walk(self) -> Iterator[Element]:
        """It and everything in it, in the order of the page."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting.extend(child for child in reversed(element.children) if isinstance(child, Element))

    def above(self) -> Iterator[Element]:
        """What it is in, from the inside out."""
        at = self.parent
        while at is not None:
            yield at
            at = at.parent

    def text(self) -> str:
        """The words in it that are not hidden."""
        parts = [
            child if isinstance(child, str) else "" if child._silent() else child.text() for child in self.children
        ]
        return "".join(parts)

    def _silent(self) -> bool:
        return "hidden" in self.attributes or self.get("aria-hidden") == "true"

    @property
    def is_sheet(self) -> bool:
        """Whether it is a sheet, which is there only while the address names it."""
        return "sheet" in self.get("class").split()

    @property
    def role(self) -> str:
        """The role that a browser gives it; empty for what is no control."""
        if self.get("role") == "switch":
            return "switch"
        if self.tag == "a" and "href" in self.attributes:
            return "link"
        if self.tag == "button":
            return "button"
        if self.tag == "textarea":
            return "textbox"
        if self.tag == "input":
            kind = self.get("type") or "text"
            return kind if kind in ("checkbox", "radio") else _FIELD_TYPES.get(kind, "")
        return ""

    @property
    def name(self) -> str:
        """The accessible name: the label, or what stands in it."""
        said = self.get("aria-label")
        if not said and self.tag not in ("input", "textarea"):
            said = self.text()
        if not said:
            said = next((at.text() for at in self.above() if at.tag == "label"), "")
        return " ".join(said.split())


class Page:
    """A page as it was answered.

    Args:
        text: The HTML.
        path: Its path with query, without fragment.
        status: Of the answer.
    """

    def __init__(self, text: str, path: str = "/", status: int = 200) -> None:
        self.path = path
        self.status = status
        self.html = text

    @cached_property
    def root(self) -> Element:
        """All of it; read when it is first looked at."""
        return _read(self.html)

    @cached_property
    def by_id(self) -> dict[str, Element]:
        return {element.get("id"): element for element in self.root.walk() if element.get("id")}

    def reachable(self, fragment: str = "") -> list[Element]:
        """Every control that can be used while the address ends in this fragment."""
        return [element for element in self._seen(fragment) if element.role]

    def _seen(self, fragment: str) -> list[Element]:
        """Every element that is there for a person: an open sheet leaves only itself and the home bar."""
        sheet = self.by_id.get(fragment)
        if sheet is not None and not sheet.is_sheet:
            sheet = None
        seen: list[Element] = []
        stack: list[Element] = [self.root]
        while stack:
            element = stack.pop()
            if element._silent() or (element.is_sheet and element is not sheet):
                continue
            if sheet is not None and element.tag == "div" and "frame" in element.get("class").split():
                continue
            seen.append(element)
            stack.extend(child for child in reversed(element.children) if isinstance(child, Element))
        return seen

    def words(self) -> str:
        """All that it says, sheets too."""
        return " ".join(self.root.text().split())


# What the kit emits is regular: attributes in double quotes, every text and value escaped.
_TOKEN: Final = re.compile(r'<(/?)([a-z][a-z0-9]*)((?:[^"<>]|"[^"]*")*)>|<![^>]*>|([^<]+)')
_ATTRIBUTE: Final = re.compile(r'([a-z][a-z0-9-]*)(?:="([^"]*)")?')


def _read(text: str) -> Element:
    """The elements of a page of the kit."""
    root = at = Element("root", {})
    for closing, tag, attributes, words in _TOKEN.findall(text):
        if words:
            at.children.append(unescape(words) if "&" in words else words)
        elif closing:
            above: Element | None = at
            while above is not None and above.tag != tag:
                above = above.parent
            if above is not None and above.parent is not None:
                at = above.parent
        elif tag:
            given = {name: unescape(value) if "&" in value else value for name, value in _ATTRIBUTE.findall(attributes)}
            element = Element(tag, given, at)
            at.children.append(element)
            if tag not in _VOID:
                at = element
    return root
