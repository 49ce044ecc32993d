"""Colours, gradients and filters of SVG drawings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal
from xml.etree.ElementTree import Element

from fairground.verify.reading.svg_drawing import Gradient, Paint, Stop
from fairground.verify.reading.svg_geometry import parse_transform
from fairground.verify.reading.svg_style import (
    SVG,
    XLINK,
    Properties,
    Stylesheet,
    length,
    own_properties,
    parse_color,
    reference,
    share,
)

MAX_CHAIN = 20  # maximum number of gradients that inherit from each other
MAX_STOPS = 500
MAX_PRIMITIVES = 100  # maximum per filter

_KINDS: dict[str, Literal["linear", "radial"]] = {
    f"{SVG}linearGradient": "linear",
    f"{SVG}radialGradient": "radial",
}
_VECTORS = {
    "linear": (("x1", "0%"), ("y1", "0%"), ("x2", "100%"), ("y2", "0%")),
    "radial": (("cx", "50%"), ("cy", "50%"), ("r", "50%"), ("fx", ""), ("fy", "")),
}


class Paints:
    """Resolves references to paints and filters in one drawing."""

    def __init__(self, ids: Mapping[str, Element], sheet: Stylesheet) -> None:
        self._ids = ids
        self._sheet = sheet
        self._gradients: dict[str, Gradient] = {}

    def read(self, properties: Properties, name: Literal["fill", "stroke"], default: str) -> Paint:
        """Read the paint of a `fill` or `stroke`."""
        text = properties.get(name) or default
        opacity = share(properties.get(f"{name}-opacity"))
        if text == "none":
            return Paint("none")
        target = reference(text) if text.startswith("url(") else ""
        element = self._ids.get(target)
        if element is not None and element.tag in _KINDS:
            gradient = self._gradient(target, element)
            return Paint(gradient.kind, "", opacity, gradient, target)
        current = parse_color(properties.get("color", "black"))
        # A missing paint is followed by a fallback colour.
        color = parse_color(text.partition(")")[2] if target else text, current[0] if current else "#000000")
        if color is None or element is not None:
            return Paint("other", "", opacity, None, target)
        return Paint("color", color[0], round(color[1] * opacity, 4))

    def gradients(self) -> tuple[Gradient, ...]:
        """All defined gradients with an id."""
        return tuple(self._gradient(name, element) for name, element in self._ids.items() if element.tag in _KINDS)

    def filters(self, text: str | None) -> tuple[str, ...]:
        """The steps of the filter that a `filter` property refers to, with their parameters."""
        element = self._ids.get(reference(text))
        if element is None or element.tag != f"{SVG}filter":
            return ()
        steps: list[str] = []
        for step in list(element)[:MAX_PRIMITIVES]:
            shown = [f"{name}={value[:100]}" for name, value in sorted(step.attrib.items()) if name in _FILTER_NUMBERS]
            steps.append(" ".join([step.tag.rpartition("}")[2], *shown]))
        return tuple(steps)

    def _gradient(self, name: str, element: Element) -> Gradient:
        if name not in self._gradients:
            self._gradients[name] = self._read_gradient(name, element)
        return self._gradients[name]

    def _read_gradient(self, name: str, element: Element) -> Gradient:
        kind = _KINDS[element.tag]
        chain = [element]
        for _ in range(MAX_CHAIN):
            last = chain[-1]
            following = self._ids.get(reference(last.get(f"{XLINK}href") or last.get("href")))
            if following is None or following.tag not in _KINDS or following in chain:
                break
            chain.append(following)

        def said(attribute: str, default: str) -> str:
            return next((value for part in chain if (value := part.get(attribute)) is not None), default)

        stops = next((elements for part in chain if (elements := part.findall(f"{SVG}stop"))), [])
        vector = [said(attribute, default) for attribute, default in _VECTORS[kind]]
        if kind == "radial":
            vector[3:] = [focus or center for focus, center in zip(vector[3:], vector[:2], strict=True)]
        return Gradient(
            id=name,
            kind=kind,
            stops=tuple(self._stop(stop) for stop in stops[:MAX_STOPS]),
            vector=tuple(length(part, of=1.0) for part in vector),
            units=said("gradientUnits", "objectBoundingBox")[:100],
            spread=said("spreadMethod", "pad")[:100],
            transform=parse_transform(said("gradientTransform", "")),
        )

    def _stop(self, element: Element) -> Stop:
        own = own_properties(element, self._sheet)
        color = parse_color(own.get("stop-color", "black")) or ("#000000", 1.0)
        opacity = round(color[1] * share(own.get("stop-opacity")), 4)
        return Stop(share(element.get("offset"), 0.0), color[0], opacity)


_FILTER_NUMBERS = frozenset(
    [
        "stdDeviation",
        "dx",
        "dy",
        "type",
        "values",
        "mode",
        "flood-color",
        "flood-opacity",
        "radius",
        "scale",
        "operator",
    ]
)
