"""Styles of SVG drawings: inherited and own properties of an object, and their values."""

from __future__ import annotations

import colorsys
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from PIL import ImageColor

from fairground.core import StateError
from fairground.verify.reading.svg_geometry import MAX_NUMBER, WHAT

MAX_RULES = 2_000
MAX_STYLE = 100_000  # maximum characters of a style attribute
MAX_SHEET = 1_000_000  # maximum characters of all style sheets together

SVG = "{http://www.w3.org/2000/svg}"
INKSCAPE = "{http://www.inkscape.org/namespaces/inkscape}"
SODIPODI = "{http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd}"
XLINK = "{http://www.w3.org/1999/xlink}"
XML = "{http://www.w3.org/XML/1998/namespace}"

# Pixels per unit, at the 96 per inch of the standard.
UNITS = {"": 1.0, "px": 1.0, "in": 96.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "pt": 96 / 72, "pc": 16.0, "q": 96 / 101.6}

Properties = Mapping[str, str]

_INHERITED = frozenset(
    [
        *("fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray"),
        *("stroke-dashoffset", "stroke-linecap", "stroke-linejoin", "stroke-miterlimit", "paint-order", "color"),
        *("font-family", "font-size", "font-weight", "font-style", "font-variant", "font-stretch", "text-anchor"),
        *("text-align", "text-decoration", "text-decoration-line", "letter-spacing", "word-spacing", "line-height"),
        *(
            "visibility",
            "writing-mode",
            "direction",
            "white-space",
            "marker-start",
            "marker-mid",
            "marker-end",
            "marker",
        ),
        *("font-variant-caps", "text-transform"),
    ]
)
_OWN = frozenset(
    [
        *("opacity", "display", "filter", "clip-path", "mask", "mix-blend-mode", "baseline-shift", "shape-inside"),
        *("stop-color", "stop-opacity", "-inkscape-stroke", "vector-effect"),
    ]
)


@dataclass(frozen=True)
class Stylesheet:
    """The rules of a drawing's `style` elements.

    Attributes:
        rules: By selector: the name of an element, `.class` or `#id`.
        unread: Other selectors. Their rules are ignored.
    """

    rules: Mapping[str, Properties] = field(default_factory=dict)
    unread: tuple[str, ...] = ()


def read_stylesheet(root: Element) -> Stylesheet:
    """Read all `style` elements of a drawing."""
    text = "".join("".join(element.itertext()) for element in root.iter(f"{SVG}style"))
    if len(text) > MAX_SHEET:
        raise StateError(f"{WHAT}: style sheets of {len(text)} characters, expected at most {MAX_SHEET}")
    head, *commented = text.split("/*")
    text = head + "".join(part.partition("*/")[2] for part in commented)
    rules: dict[str, dict[str, str]] = {}
    unread: list[str] = []
    for block in text.split("}"):
        selectors, _, body = block.partition("{")
        for selector in selectors.split(","):
            selector = selector.strip()
            if re.fullmatch(r"[.#]?[A-Za-z_][-\w]*|\*", selector):
                rules.setdefault(selector, {}).update(parse_declarations(body))
            elif selector:
                unread.append(selector[:200])
            if len(rules) + len(unread) > MAX_RULES:
                raise StateError(f"{WHAT}: more than {MAX_RULES} style rules")
    return Stylesheet(rules, tuple(unread))


def parse_declarations(text: str) -> dict[str, str]:
    """Parse the properties of a `style` attribute."""
    if len(text) > MAX_STYLE:
        raise StateError(f"{WHAT}: a style of {len(text)} characters, expected at most {MAX_STYLE}")
    properties: dict[str, str] = {}
    for declaration in text.split(";"):
        name, colon, value = declaration.partition(":")
        if colon:
            properties[name.strip().lower()] = value.replace("!important", "").strip()
    return properties


def own_properties(element: Element, sheet: Stylesheet) -> dict[str, str]:
    """An element's own properties, in increasing priority: attributes, rules, its `style` attribute."""
    properties = {name: value.strip() for name, value in element.attrib.items() if name in _INHERITED or name in _OWN}
    if sheet.rules:
        names = ["*", element.tag.removeprefix(SVG)]
        names += [f".{name}" for name in element.get("class", "")[:1000].split()[:50]]
        names.append(f"#{element.get('id', '')}")
        for name in names:
            properties |= sheet.rules.get(name, {})
    if "style" in element.attrib:
        properties |= parse_declarations(element.attrib["style"])
    if any(len(value) > MAX_STYLE for value in properties.values()):
        raise StateError(f"{WHAT}: a style of more than {MAX_STYLE} characters")
    return properties


def cascaded(inherited: Properties, own: Properties) -> dict[str, str]:
    """All properties of an element: its own, and the inherited ones of its parent."""
    properties = {name: value for name, value in inherited.items() if name in _INHERITED}
    for name, value in own.items():
        if value == "inherit":
            if name in inherited:
                properties[name] = inherited[name]
        else:
            properties[name] = value
    if "font-size" in own:
        # Relative sizes refer to the parent's size, so they must be resolved before they are inherited.
        properties["font-size"] = repr(font_size(own["font-size"], font_size(inherited.get("font-size"))))
    return properties


def font_size(text: str | None, parent: float = 16.0) -> float:
    """A font size in user units."""
    if text is None or text in ("inherit", "medium"):
        return parent if text == "inherit" else 16.0
    names = {"xx-small": 9.6, "x-small": 12.0, "small": 13.33, "large": 19.2, "x-large": 24.0, "xx-large": 32.0}
    if text in names:
        return names[text]
    if text in ("smaller", "larger"):
        return parent * (1.2 if text == "larger" else 1 / 1.2)
    return length(text, of=parent, em=parent)


def length(text: str | None, *, default: float = 0.0, of: float = 0.0, em: float = 16.0) -> float:
    """Parse a length in user units.

    Args:
        text: Such as `12`, `3mm`, `50%` or `1.5em`.
        default: Used if there is no text.
        of: The base of a percentage.
        em: The font size.

    Raises:
        StateError: It is not a length, or too large.
    """
    if text is None or text == "":
        return default
    match = _LENGTH.fullmatch(text.strip()[:100])
    unit = match[2].lower() if match else ""
    factor = {"%": of / 100, "em": em, "ex": em / 2, "rem": 16.0, **UNITS}.get(unit)
    if match is None or factor is None:
        raise StateError(f"{WHAT}: {text[:80]!r} where a length was expected")
    value = float(match[1]) * factor
    if not math.isfinite(value) or abs(value) > MAX_NUMBER:
        raise StateError(f"{WHAT}: the length {text[:80]!r} is out of all bounds")
    return value


_LENGTH = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([a-zA-Z]*|%)")


def share(text: str | None, default: float = 1.0) -> float:
    """An opacity from 0 to 1."""
    if text is None or text == "":
        return default
    value = length(text, of=1.0)
    return round(min(max(value, 0.0), 1.0), 4)


def parse_color(text: str, current: str = "#000000") -> tuple[str, float] | None:
    """A colour as `#rrggbb` and its opacity; None if it is not a colour.

    Args:
        text: Such as `red`, `#f00`, `rgb(100%, 0, 0)` or `hsl(0, 100%, 50%)`.
        current: The value of `currentColor`.
    """
    text = text.strip().lower()[:200].split(" icc-color", 1)[0]
    if text == "currentcolor":
        return current, 1.0
    if text == "transparent":
        return "#000000", 0.0
    if re.fullmatch(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})", text):
        digits = text[1:] if len(text) > 5 else "".join(2 * digit for digit in text[1:])
        return f"#{digits[:6]}", round(int(digits[6:] or "ff", 16) / 255, 4)
    function = re.fullmatch(r"(rgb|hsl)a?\(([^()]*)\)", text)
    if function:
        return _color_function(function[1], function[2].replace(",", " ").replace("/", " ").split())
    if not text.isalpha() or text not in ImageColor.colormap:
        return None
    red, green, blue = ImageColor.getrgb(text)[:3]  # the map itself changes with use
    return f"#{red:02x}{green:02x}{blue:02x}", 1.0


def _color_function(kind: str, parts: list[str]) -> tuple[str, float] | None:
    if len(parts) not in (3, 4):
        return None
    try:
        if kind == "rgb":
            levels = [length(part, of=255.0) for part in parts[:3]]
        else:
            hue = length(parts[0].removesuffix("deg")) / 360 % 1
            strong, bright = (min(max(length(part, of=1.0), 0.0), 1.0) for part in parts[1:3])
            levels = [255 * level for level in colorsys.hls_to_rgb(hue, bright, strong)]
        opacity = share(parts[3]) if len(parts) == 4 else 1.0
    except StateError:
        return None
    return "#" + "".join(f"{round(min(max(level, 0), 255)):02x}" for level in levels), opacity


def weight(text: str | None) -> int:
    """The font weight: 400 is normal, 700 bold."""
    named = {"normal": 400, "bold": 700, "lighter": 300, "bolder": 700}.get(text or "normal")
    if named is not None:
        return named
    return int(text) if text and re.fullmatch(r"[1-9]\d{0,3}", text) else 400


def reference(text: str | None) -> str:
    """The id in `url(#id)` or `#id`; otherwise empty."""
    match = re.match(r"(?:url\(\s*['\"]?)?#([^'\")\s]{1,500})", (text or "").strip()[:1000])
    return match[1] if match else ""
