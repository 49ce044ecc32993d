"""Property lists in GIMP's file format: their structure, paths, parasites, and the settings of text layers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from fairground.core import StateError
from fairground.verify.reading.xcf_bytes import WHAT, Cursor

MAX_PROPERTIES = 500  # maximum per image, layer or channel
MAX_PARASITES = 500
MAX_PATHS = 2_000
MAX_POINTS = 500_000  # maximum per path
MAX_WORDS = 20_000  # maximum in the settings of a text layer

# The numbers of the properties in use.
COLORMAP, ACTIVE_LAYER, SELECTION, FLOATING, OPACITY, MODE, VISIBLE, LINKED, LOCK_ALPHA = 1, 2, 4, 5, 6, 7, 8, 9, 10
APPLY_MASK, SHOW_MASK, OFFSETS, COLOR, COMPRESSION, GUIDES, RESOLUTION = 11, 13, 15, 16, 17, 18, 19
PARASITES, UNIT, OLD_PATHS, PATHS, TEXT_FLAGS, LOCK_CONTENT, GROUP, ITEM_PATH = 21, 22, 23, 25, 26, 28, 29, 30
LOCK_POSITION, EXACT_OPACITY, COLOR_TAG = 32, 33, 34


@dataclass(frozen=True)
class XcfStroke:
    """One stroke of a path.

    Attributes:
        closed: Whether it is closed.
        points: x and y, three per node: handle, node, handle.
    """

    closed: bool
    points: tuple[tuple[float, float], ...]

    @property
    def nodes(self) -> tuple[tuple[float, float], ...]:
        """The nodes on the stroke."""
        return self.points[1::3]


@dataclass(frozen=True)
class XcfPath:
    """A path (GIMP's procedures call them vectors)."""

    name: str
    visible: bool
    linked: bool
    strokes: tuple[XcfStroke, ...]


@dataclass(frozen=True)
class XcfText:
    """Text and settings of a text layer.

    Attributes:
        text: Without markup.
        markup: Pango markup, if parts of the text look different; otherwise empty.
        unit: Unit of the size, such as `pixels` or `points`.
        color: `#rrggbb`.
        justify: `left`, `right`, `center` or `fill`.
        settings: All settings as in the file, such as `line-spacing`, without those at their defaults.
    """

    text: str
    markup: str
    font: str
    size: float
    unit: str
    color: str
    justify: str
    settings: Mapping[str, str]


def read_properties(cursor: Cursor) -> dict[int, Cursor]:
    """Read the properties at the cursor, which moves past them. The last of repeated properties wins."""
    properties: dict[int, Cursor] = {}
    for _ in range(MAX_PROPERTIES):
        kind, length = cursor.number(), cursor.number()
        if kind == 0:
            return properties
        if kind == COLORMAP:
            # Old versions of GIMP wrote a wrong length here; the number of colours gives the right one.
            start = cursor.at(cursor.position)
            length = 4 + 3 * start.number()
        properties[kind] = cursor.part(length)
    raise StateError(f"{WHAT}: more than {MAX_PROPERTIES} properties")


def read_parasites(cursor: Cursor | None) -> dict[str, bytes]:
    """Named data that GIMP and its plug-ins attach; a property of an image, layer or path."""
    by_name: dict[str, bytes] = {}
    while cursor is not None and cursor.left:
        name, data = _parasite(cursor)
        by_name[name] = data
        if len(by_name) > MAX_PARASITES:
            raise StateError(f"{WHAT}: more than {MAX_PARASITES} parasites")
    return by_name


def _parasite(cursor: Cursor) -> tuple[str, bytes]:
    name, _flags = cursor.text(), cursor.number()
    return name, cursor.take(cursor.number())


def read_paths(properties: Mapping[int, Cursor]) -> tuple[XcfPath, ...]:
    """The paths of an image, from either of the two properties."""
    if PATHS in properties:
        return _new_paths(properties[PATHS])
    return _old_paths(properties[OLD_PATHS]) if OLD_PATHS in properties else ()


def _new_paths(cursor: Cursor) -> tuple[XcfPath, ...]:
    version, _active, count = cursor.number(), cursor.number(), cursor.number()
    if version != 1 or count > MAX_PATHS:
        raise StateError(f"{WHAT}: {count} paths of version {version}, expected at most {MAX_PATHS} of version 1")
    paths: list[XcfPath] = []
    for _ in range(count):
        name, _tattoo = cursor.text(), cursor.number()
        visible, linked = cursor.number() != 0, cursor.number() != 0
        parasites, strokes = cursor.number(), cursor.number()
        if parasites > MAX_PARASITES or strokes > MAX_POINTS:
            raise StateError(f"{WHAT}: a path of {strokes} strokes and {parasites} parasites")
        for _ in range(parasites):
            _parasite(cursor)
        paths.append(XcfPath(name, visible, linked, tuple(_stroke(cursor) for _ in range(strokes))))
    return tuple(paths)


def _stroke(cursor: Cursor) -> XcfStroke:
    _kind, closed, axes, count = cursor.number(), cursor.number(), cursor.number(), cursor.number()
    if not 2 <= axes <= 6 or count > MAX_POINTS:
        raise StateError(f"{WHAT}: a stroke of {count} points with {axes} numbers each")
    points: list[tuple[float, float]] = []
    for _ in range(count):
        cursor.number()
        x, y, *_more = [cursor.real() for _ in range(axes)]
        points.append((x, y))
    return XcfStroke(closed != 0, tuple(points))


def _old_paths(cursor: Cursor) -> tuple[XcfPath, ...]:
    """Paths in the format of GIMP 1.2, which GIMP still writes if it can express them."""
    _selected, count = cursor.number(), cursor.number()
    if count > MAX_PATHS:
        raise StateError(f"{WHAT}: {count} paths, expected at most {MAX_PATHS}")
    paths: list[XcfPath] = []
    for _ in range(count):
        name, linked, _state = cursor.text(), cursor.number() != 0, cursor.byte()
        closed, points, version = cursor.number() != 0, cursor.number(), cursor.number()
        if not 1 <= version <= 3 or points > MAX_POINTS:
            raise StateError(f"{WHAT}: a path of {points} points in version {version}")
        for _ in range(version - 1):
            cursor.number()
        strokes: list[list[tuple[float, float]]] = [[]]
        for _ in range(points):
            kind = cursor.number()
            x, y = (cursor.real(), cursor.real()) if version > 1 else (cursor.signed(), cursor.signed())
            if kind == 3:
                strokes.append([])
            strokes[-1].append((x, y))
        # All but the last stroke are closed, and each begins with its first node and ends with that node's handle.
        done = [
            XcfStroke(closed or number < len(strokes) - 1, tuple(_handle_first(stroke)))
            for number, stroke in enumerate(strokes)
            if stroke
        ]
        paths.append(XcfPath(name, False, linked, tuple(done)))
    return tuple(paths)


def _handle_first(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    if len(points) % 3 == 0:
        return [points[-1], *points[:-1]]
    return [points[0], *points, *points[-1:]][: 3 * (-(-len(points) // 3))]


def read_text(data: bytes) -> XcfText:
    """Read the settings of a text layer from its parasite."""
    try:
        words = _WORD.findall(data.rstrip(b"\0").decode())
    except UnicodeDecodeError:
        raise StateError(f"{WHAT}: the settings of a text layer are not UTF-8") from None
    if len(words) > MAX_WORDS:
        raise StateError(f"{WHAT}: the settings of a text layer hold more than {MAX_WORDS} words")
    settings: dict[str, str] = {}
    depth = 0
    name, values = "", list[str]()
    for word in words:
        depth += (word == "(") - (word == ")")
        if word == "(" and depth == 1:
            name, values = "", []
        elif word == ")" and depth == 0:
            settings[name] = " ".join(values)
        elif word not in "()":
            word = _unquoted(word)
            name, values = (word, values) if not name else (name, [*values[-50:], word])
    if depth != 0 or not settings.keys() & {"text", "markup"}:
        raise StateError(f"{WHAT}: a text layer whose settings are cut off, or say no text")
    markup = settings.get("markup", "")
    return XcfText(
        text=settings["text"] if "text" in settings else _without_markup(markup),
        markup=markup,
        font=settings.get("font", ""),
        size=_real(settings.get("font-size", "24"), "font-size"),
        unit=settings.get("font-size-unit", "pixels"),
        color=_color(settings.get("color", "color-rgb 0 0 0")),
        justify=settings.get("justify", "left"),
        settings=settings,
    )


# A string that does not end extends to the end of the data, so that it is scanned only once.
_WORD = re.compile(r'"(?:[^"\\]|\\.|\\\Z)*(?:"|\Z)|[()]|[^\s()"]+', re.DOTALL)
_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)", re.DOTALL)
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&#39;": "'", "&amp;": "&"}


def _unquoted(word: str) -> str:
    if not word.startswith('"'):
        return word
    if len(word) == 1 or not word.endswith('"'):
        raise StateError(f"{WHAT}: a text layer whose settings are cut off")
    word = word[1:-1]
    if "\\" not in word:
        return word
    # Non-ASCII bytes may be written as octal numbers, several per character.
    raw = _ESCAPE.sub(lambda match: _escaped(match[1]), word)
    return raw.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _escaped(what: str) -> str:
    if what[0] in "01234567":
        return bytes([int(what, 8) & 255]).decode("utf-8", "surrogateescape")
    return {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}.get(what, what)


def _without_markup(markup: str) -> str:
    text = re.sub(r"<[^<>]*>", "", markup)
    return re.sub(r"&[#\w]+;", lambda match: _ENTITIES.get(match[0], match[0]), text)


def _color(words: str) -> str:
    parts = words.split()[1:]
    if len(parts) not in (3, 4):
        raise StateError(f"{WHAT}: a text's colour is {words[:80]!r}")
    levels = [round(255 * min(max(_real(part, "color"), 0.0), 1.0)) for part in parts[:3]]
    return "#" + "".join(f"{level:02x}" for level in levels)


def _real(word: str, name: str) -> float:
    if not re.fullmatch(r"-?\d{1,9}(\.\d{1,30})?([eE][-+]?\d{1,2})?", word):
        raise StateError(f"{WHAT}: a text's {name} is {word[:80]!r}, expected a number")
    return float(word)
