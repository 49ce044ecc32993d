"""Reads a page as a browser's accessibility tree shows it: controls that can be pressed or filled, and their names.

It supports only what the kit emits: links, buttons, text fields, checkboxes, radio buttons, sheets.
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
    """An element with its children; a text child is a `str`."""

    tag: str
    attributes: dict[str, str]
    parent: Element | None = None
    children: list[Element | str] = field(default_factory=list)

    def get(self, name: str) -> str:
        """An attribute; empty when it is missing."""
        return self.attributes.get(name, "")

    def walk(self) -> Iterator[Element]:
        """The element and all its descendants, in document order."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting.extend(child for child in reversed(element.children) if isinstance(child, Element))

    def above(self) -> Iterator[Element]:
        """Its ancestors, from the inside out."""
        at = self.parent
        while at is not None:
            yield at
            at = at.parent

    def text(self) -> str:
        """Its visible text."""
        parts = [
            child if isinstance(child, str) else "" if child._silent() else child.text() for child in self.children
        ]
        return "".join(parts)

    def _silent(self) -> bool:
        return "hidden" in self.attributes or self.get("aria-hidden") == "true"

    @property
    def is_sheet(self) -> bool:
        """Whether it is a sheet, which is visible only while the address names it."""
        return "sheet" in self.get("class").split()

    @property
    def role(self) -> str:
        """The role that a browser gives it; empty if it is not a control."""
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
        """The accessible name: its label, or its text."""
        label = self.get("aria-label")
        if not label and self.tag not in ("input", "textarea"):
            label = self.text()
        if not label:
            label = next((at.text() for at in self.above() if at.tag == "label"), "")
        return " ".join(label.split())


class Page:
    """A page as the server returned it.

    Args:
        text: The HTML.
        path: The path with query, without fragment.
        status: The HTTP status.
    """

    def __init__(self, text: str, path: str = "/", status: int = 200) -> None:
        self.path = path
        self.status = status
        self.html = text

    @cached_property
    def root(self) -> Element:
        """The root element, parsed on first access."""
        return _read(self.html)

    @cached_property
    def by_id(self) -> dict[str, Element]:
        return {element.get("id"): element for element in self.root.walk() if element.get("id")}

    def reachable(self, fragment: str = "") -> list[Element]:
        """All controls that can be used while the address has this fragment."""
        return [element for element in self._seen(fragment) if element.role]

    def _seen(self, fragment: str) -> list[Element]:
        """All visible elements. While a sheet is open, only the sheet and the home bar are visible."""
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
        """All text of the page, including sheets."""
        return " ".join(self.root.text().split())


# The kit's output is regular: attributes in double quotes, every text and value escaped.
_TOKEN: Final = re.compile(r'<(/?)([a-z][a-z0-9]*)((?:[^"<>]|"[^"]*")*)>|<![^>]*>|([^<]+)')
_ATTRIBUTE: Final = re.compile(r'([a-z][a-z0-9-]*)(?:="([^"]*)")?')


def _read(text: str) -> Element:
    """Parses a page of the kit into elements."""
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
