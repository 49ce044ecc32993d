"""Shapes as Office Open XML draws them: place, form, fill and line, in documents and on slides."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element

from fairground.verify.reading.ooxml import EMU, Package, Relation, colour, millimetres, path, short, tag, whole
from fairground.verify.reading.prose import Picture


class Theme:
    """The colours and fonts that a presentation's or document's theme has names for."""

    def __init__(self, root: Element | None, names: dict[str, str] | None = None) -> None:
        self._colours: dict[str, str] = {}
        self.fonts: dict[str, str] = {}
        self._names = names or {}
        scheme = None if root is None else root.find(path("a:themeElements/a:clrScheme"))
        for one in [] if scheme is None else scheme:
            for inner in list(one)[:1]:
                value = inner.get("lastClr") if short(inner) == "a:sysClr" else inner.get("val")
                self._colours[short(one).removeprefix("a:")] = colour(value)
        for kind, short_name in (("minor", "+mn-lt"), ("major", "+mj-lt")):
            latin = None if root is None else root.find(path(f"a:themeElements/a:fontScheme/a:{kind}Font/a:latin"))
            if latin is not None:
                self.fonts[short_name] = latin.get("typeface", "")[:200]

    def colour(self, element: Element | None) -> str:
        """The colour of an element that holds one, such as `a:solidFill`; tints are not worked out."""
        for child in [] if element is None else element:
            if short(child) == "a:srgbClr":
                return colour(child.get("val"))
            if short(child) == "a:schemeClr":
                name = child.get("val", "")
                return self._colours.get(_OTHER_NAMES.get(self._names.get(name, name), self._names.get(name, name)), "")
            if short(child) == "a:sysClr":
                return colour(child.get("lastClr"))
        return ""

    def fill(self, element: Element | None) -> str:
        """How a shape, a cell or a background is filled; empty where nothing is said."""
        for child in [] if element is None else element:
            kind = short(child)
            if kind == "a:solidFill":
                return self.colour(child)
            if kind in _FILLS:
                return _FILLS[kind]
        return ""

    def paint(self, properties: Element | None) -> dict[str, Any]:
        """Fill and outline of a shape, as its properties say."""
        line = None if properties is None else properties.find(tag("a:ln"))
        found: dict[str, Any] = {"fill": self.fill(properties)}
        found["line"] = self.fill(line)
        if found["line"] not in ("", "none") and line is not None:
            found["line_width"] = millimetres(line.get("w"), EMU)
        return found


def place(transform: Element | None) -> dict[str, Any]:
    """Where a shape lies, before it is turned around its middle."""
    if transform is None:
        return {}
    offset, extent = transform.find(tag("a:off")), transform.find(tag("a:ext"))
    found: dict[str, Any] = {}
    if offset is not None:
        found |= {"x": millimetres(offset.get("x"), EMU), "y": millimetres(offset.get("y"), EMU)}
    if extent is not None:
        found |= {"width": millimetres(extent.get("cx"), EMU), "height": millimetres(extent.get("cy"), EMU)}
    # Here angles grow clockwise; in OpenDocument and in what this reader returns, the other way.
    turned = millimetres(transform.get("rot"), 60_000)
    found["rotation"] = round(-turned % 360, 1) % 360
    return found


def form(properties: Element | None) -> str:
    """The kind of a drawn shape."""
    if properties is None:
        return ""
    preset = properties.find(tag("a:prstGeom"))
    if preset is None:
        return "custom" if properties.find(tag("a:custGeom")) is not None else ""
    name = preset.get("prst", "")[:60]
    return {"rect": "rectangle"}.get(name, name)


def crop(blip_fill: Element | None) -> tuple[float, float, float, float]:
    """What is cut off at top, right, bottom and left, in hundredths of the picture."""
    cut = None if blip_fill is None else blip_fill.find(tag("a:srcRect"))
    if cut is None:
        return 0.0, 0.0, 0.0, 0.0
    top, right, bottom, left = (whole(cut.get(side)) / 1000 for side in ("t", "r", "b", "l"))
    return top, right, bottom, left


def picture(package: Package, blip_fill: Element | None, relations: dict[str, Relation]) -> Picture:
    """The picture that fills a shape."""
    blip = None if blip_fill is None else blip_fill.find(tag("a:blip"))
    name = "" if blip is None else blip.get(tag("r:embed")) or blip.get(tag("r:link")) or ""
    return package.picture(relations.get(name), crop(blip_fill))


_FILLS = {
    "a:noFill": "none",
    "a:gradFill": "gradient",
    "a:blipFill": "bitmap",
    "a:pattFill": "hatch",
    "a:grpFill": "group",
}
_OTHER_NAMES = {"tx1": "dk1", "tx2": "dk2", "bg1": "lt1", "bg2": "lt2"}
