"""Office Open XML shapes in documents and on slides: position, form, fill and line."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element

from fairground.verify.reading.ooxml import EMU, Package, Relation, colour, millimetres, path, short, tag, whole
from fairground.verify.reading.prose import Picture


class Theme:
    """The named colours and fonts of a theme."""

    def __init__(self, root: Element | None, names: dict[str, str] | None = None) -> None:
        self._colours: dict[str, str] = {}
        self.fonts: dict[str, str] = {}
        self._names = names or {}
        scheme = None if root is None else root.find(path("a:themeElements/a:clrScheme"))
        for entry in [] if scheme is None else scheme:
            for inner in list(entry)[:1]:
                value = inner.get("lastClr") if short(inner) == "a:sysClr" else inner.get("val")
                self._colours[short(entry).removeprefix("a:")] = colour(value)
        for kind, short_name in (("minor", "+mn-lt"), ("major", "+mj-lt")):
            latin = None if root is None else root.find(path(f"a:themeElements/a:fontScheme/a:{kind}Font/a:latin"))
            if latin is not None:
                self.fonts[short_name] = latin.get("typeface", "")[:200]

    def colour(self, element: Element | None) -> str:
        """The colour in an element such as `a:solidFill`, without applying tints."""
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
        """The fill of a shape, a cell or a background; empty if unspecified."""
        for child in [] if element is None else element:
            kind = short(child)
            if kind == "a:solidFill":
                return self.colour(child)
            if kind in _FILLS:
                return _FILLS[kind]
        return ""

    def paint(self, properties: Element | None) -> dict[str, Any]:
        """Fill and outline of a shape, from its properties."""
        line = None if properties is None else properties.find(tag("a:ln"))
        result: dict[str, Any] = {"fill": self.fill(properties)}
        result["line"] = self.fill(line)
        if result["line"] not in ("", "none") and line is not None:
            result["line_width"] = millimetres(line.get("w"), EMU)
        return result


def place(transform: Element | None) -> dict[str, Any]:
    """The position of a shape, before rotation around its center."""
    if transform is None:
        return {}
    offset, extent = transform.find(tag("a:off")), transform.find(tag("a:ext"))
    result: dict[str, Any] = {}
    if offset is not None:
        result |= {"x": millimetres(offset.get("x"), EMU), "y": millimetres(offset.get("y"), EMU)}
    if extent is not None:
        result |= {"width": millimetres(extent.get("cx"), EMU), "height": millimetres(extent.get("cy"), EMU)}
    # Angles are clockwise here, but counterclockwise in OpenDocument and in the result of this reader.
    turned = millimetres(transform.get("rot"), 60_000)
    result["rotation"] = round(-turned % 360, 1) % 360
    return result


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
    """What is cropped at top, right, bottom and left, in percent of the picture."""
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
