"""Texts of SVG drawings: their lines, and the parts with different looks."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree.ElementTree import Element

from fairground.core import StateError
from fairground.verify.reading.svg_drawing import Span, Text
from fairground.verify.reading.svg_geometry import WHAT, Matrix, moved, scale_of
from fairground.verify.reading.svg_paint import Paints
from fairground.verify.reading.svg_style import (
    SODIPODI,
    SVG,
    XLINK,
    XML,
    Properties,
    Stylesheet,
    cascaded,
    font_size,
    length,
    own_properties,
    reference,
    weight,
)

MAX_TEXT = 200_000  # maximum characters of a text
MAX_SPANS = 5_000

_LINES = frozenset([f"{SVG}flowPara", f"{SVG}flowDiv"])
_PARTS = frozenset([f"{SVG}{name}" for name in ("tspan", "textPath", "flowSpan", "flowPara", "flowDiv", "a", "tref")])


def read_text(element: Element, properties: Properties, matrix: Matrix, sheet: Stylesheet, paints: Paints) -> Text:
    """Read a `text` or `flowRoot` element.

    Args:
        element: The text.
        properties: All of its style properties.
        matrix: From its coordinates to the drawing's.
        sheet: The drawing's style rules.
        paints: The drawing's colours and gradients.
    """
    reader = _TextReader(scale_of(matrix), sheet, paints)
    reader.read(element, properties, _keeps_space(element, properties, False))
    spans = reader.spans()
    path = element.find(f"{SVG}textPath")
    return Text(
        text="".join(span.text for span in spans),
        spans=spans,
        anchor=properties.get("text-anchor", "start"),
        line_height=properties.get("line-height", "normal")[:100],
        letter_spacing=properties.get("letter-spacing", "normal")[:100],
        position=moved(_position(element), matrix),
        path="" if path is None else reference(path.get(f"{XLINK}href") or path.get("href")),
        frame=reference(properties.get("shape-inside")),
    )


class _TextReader:
    def __init__(self, scale: float, sheet: Stylesheet, paints: Paints) -> None:
        self._scale = scale
        self._sheet = sheet
        self._paints = paints
        self._spans: list[Span] = []
        self._left = MAX_TEXT
        self._line = False

    def read(self, element: Element, properties: Properties, keep: bool) -> None:
        self._add(element.text, properties, keep)
        for child in element:
            if child.tag in _PARTS:
                if child.get(f"{SODIPODI}role") == "line" or child.tag in _LINES:
                    if self._line:
                        self._add("\n", properties, True)
                    self._line = True
                own = cascaded(properties, own_properties(child, self._sheet))
                self.read(child, own, _keeps_space(child, own, keep))
            if child.get(f"{SODIPODI}role") != "line" or (child.tail or "").strip():
                # Otherwise, what follows a line is the file's indentation, not text.
                self._add(child.tail, properties, keep)

    def spans(self) -> tuple[Span, ...]:
        """Adjacent parts with the same look are joined. White space at both ends of the text is removed."""
        joined: list[Span] = []
        for span in self._spans:
            if joined and replace(joined[-1], text="") == replace(span, text=""):
                joined[-1] = replace(span, text=joined[-1].text + span.text)
            else:
                joined.append(span)
        if joined:
            joined[0] = replace(joined[0], text=joined[0].text.lstrip())
            joined[-1] = replace(joined[-1], text=joined[-1].text.rstrip())
        return tuple(span for span in joined if span.text)

    def _add(self, text: str | None, properties: Properties, keep: bool) -> None:
        text = text or ""
        if not keep:
            text = re.sub(r"\s+", " ", text.replace("\n", ""))
            ended = not self._spans or self._spans[-1].text.endswith((" ", "\n"))
            text = text.removeprefix(" ") if ended else text
        if not text:
            return
        self._left -= len(text)
        if self._left < 0 or len(self._spans) >= MAX_SPANS:
            raise StateError(f"{WHAT}: a text of more than {MAX_TEXT} characters, or {MAX_SPANS} parts")
        self._spans.append(
            Span(
                text=text,
                family=properties.get("font-family", "").replace("'", "").replace('"', ""),
                size=font_size(properties.get("font-size")) * self._scale,
                weight=weight(properties.get("font-weight")),
                slant=properties.get("font-style", "normal"),
                decoration=properties.get("text-decoration-line") or properties.get("text-decoration", "none"),
                fill=self._paints.read(properties, "fill", "black"),
                shift=properties.get("baseline-shift", "baseline"),
            )
        )


def _keeps_space(element: Element, properties: Properties, outer: bool) -> bool:
    space = element.get(f"{XML}space")
    if space is not None:
        return space == "preserve"
    return properties.get("white-space", "").startswith("pre") or outer


def _position(element: Element) -> tuple[float, float]:
    """The first x and y of the text or, if it has none, of its first part."""
    inner = element.find(f"{SVG}tspan")
    coordinates = []
    for name in ("x", "y"):
        listed = element.get(name) or (inner.get(name) if inner is not None else None) or "0"
        parts = listed.replace(",", " ").split()
        coordinates.append(length(parts[0]) if parts else 0.0)
    return coordinates[0], coordinates[1]
