"""The content of a PDF page: runs its operators, and produces text, margin and a digest of the drawing."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fairground.verify.reading.pdf_objects import Name, Objects, Operator, Stream, Values, fault

_MAX_FORMS = 12  # maximum nesting of forms
_MAX_CODES = 70_000  # maximum per font
_SAME_LINE = 1.0  # points by which the baseline may vary within one line
_GAP = -180  # a larger shift within a word, in thousandths of the font size, is a space
_OPERANDS = 100  # maximum per operator

Matrix = tuple[float, float, float, float, float, float]
_UNIT: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_CMAP = re.compile(
    rb"(begincodespacerange|beginbfchar|beginbfrange)(.*?)(?:endcodespacerange|endbfchar|endbfrange)", re.DOTALL
)
_CODES = re.compile(rb"<[0-9A-Fa-f\s]*>|\[|\]")


@dataclass(frozen=True)
class Drawn:
    """The content of a page; see `PdfPage`."""

    lines: tuple[str, ...]
    margin: tuple[str, ...]
    digest: str


@dataclass(frozen=True)
class Font:
    """How the codes of a font are decoded.

    Attributes:
        width: Bytes per code.
        letters: Text by code, if the file defines it.
        plain: Whether other codes are characters themselves.
    """

    name: str
    width: int
    letters: Mapping[int, str]
    plain: bool

    def read(self, codes: bytes) -> str:
        """Decode a string."""
        step = self.width
        numbers = (int.from_bytes(codes[at : at + step], "big") for at in range(0, len(codes), step))
        return "".join(self.letters.get(number) or (_plain(number) if self.plain else "\ufffd") for number in numbers)


class Content:
    """Runs the operators of one page."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._digest = hashlib.blake2b(digest_size=16)
        self._lines: dict[bool, list[str]] = {False: [], True: []}  # by whether it is in the margin
        self._baseline: dict[bool, float | None] = {False: None, True: None}
        self._fonts: dict[int, Font] = {}
        self._marks: list[tuple[str, str | None]] = []
        self._matrix, self._kept = _UNIT, list[Matrix]()
        self._line = self._place = _UNIT
        self._leading = 0.0
        self._font: Font | None = None

    def draw(self, data: bytes, resources: Mapping[str, Any], depth: int = 0) -> None:
        """Run a page, or a form in it."""
        if depth > _MAX_FORMS:
            raise fault(f"drawings within drawings more than {_MAX_FORMS} deep")
        values = Values(data, self._objects.room)
        operands: list[Any] = []
        start = 0
        while not values.at_end():
            value = values.next()
            if not isinstance(value, Operator):
                operands.append(value)
                if len(operands) > _OPERANDS:
                    raise fault("a page has values that nothing is done with")
                continue
            if value == b"ID":
                _skip_picture(values)
            self._do(bytes(value), operands, resources, depth)
            if not self._in_margin and value not in (b"Tf", b"BDC", b"BMC", b"EMC", b"Do"):
                self._digest.update(b" ".join(data[start : values.position].split()) + b"\n")
            operands, start = [], values.position

    def result(self) -> Drawn:
        """Return the content."""
        lines, margin = (
            tuple(text for line in self._lines[in_margin] if (text := " ".join(line.split())))
            for in_margin in (False, True)
        )
        return Drawn(lines, margin, self._digest.hexdigest())

    @property
    def _in_margin(self) -> bool:
        return any(tag == "Artifact" for tag, _ in self._marks)

    def _do(self, operator: bytes, operands: list[Any], resources: Mapping[str, Any], depth: int) -> None:
        match operator, operands:
            case b"q", _:
                self._kept.append(self._matrix)
            case b"Q", _:
                self._matrix = self._kept.pop() if self._kept else self._matrix
            case b"cm", _:
                self._matrix = _times(_matrix(operands), self._matrix)
            case b"BT", _:
                self._line = self._place = _UNIT
                self._new_block()
            case b"Tm", _:
                self._line = self._place = _matrix(operands)
            case ((b"Td" | b"TD"), [x, y]):
                self._leading = -_number(y) if operator == b"TD" else self._leading
                self._move(_number(x), _number(y))
            case b"TL", [leading]:
                self._leading = _number(leading)
            case b"T*", _:
                self._move(0.0, -self._leading)
            case b"Tf", [Name() as name, size]:
                self._choose(resources, name, _number(size))
            case b"Tj", [bytes() as codes]:
                self._show([codes])
            case b"TJ", [list() as codes]:
                self._show(codes)
            case ((b"'" | b'"'), [*_, bytes() as codes]):
                self._move(0.0, -self._leading)
                self._show([codes])
            case ((b"BDC" | b"BMC"), [Name() as tag, *facts]):
                self._marks.append((str(tag), self._spoken(facts, resources)))
            case b"EMC", _:
                self._marks = self._marks[:-1]
            case b"Do", [Name() as name]:
                self._draw_inside(resources, name, depth)

    def _move(self, x: float, y: float) -> None:
        self._line = self._place = _times((1.0, 0.0, 0.0, 1.0, x, y), self._line)

    def _choose(self, resources: Mapping[str, Any], name: str, size: float) -> None:
        value = self._objects.facts(resources.get("Font")).get(name)
        facts = self._objects.facts(value)
        if id(facts) not in self._fonts:
            self._fonts[id(facts)] = _font(self._objects, facts)
        self._font = self._fonts[id(facts)]
        if not self._in_margin:
            self._digest.update(f"{self._font.name} {size:.2f}\n".encode())

    def _show(self, codes: list[Any]) -> None:
        if self._font is None:
            raise fault("a page has text before any font")
        parts = []
        for entry in codes:
            if isinstance(entry, bytes):
                parts.append(self._font.read(entry))
            elif isinstance(entry, int | float) and entry < _GAP:
                parts.append(" ")
        text = "".join(parts)
        # A mark may give the text of what it contains, such as ligatures. It applies once to all of it.
        for at in range(len(self._marks) - 1, -1, -1):
            tag, spoken = self._marks[at]
            if spoken is not None:
                text, self._marks[at] = spoken, (tag, "")
                break
        self._say(text)

    def _say(self, text: str) -> None:
        where = self._in_margin
        height = _times(self._place, self._matrix)[5]
        last = self._baseline[where]
        lines = self._lines[where]
        if last is None or abs(last - height) > _SAME_LINE or not lines:
            lines.append("")
        self._baseline[where] = height
        lines[-1] += text

    def _new_block(self) -> None:
        """Separate two text blocks on one line with a space."""
        lines = self._lines[self._in_margin]
        if lines:
            lines[-1] += " "

    def _spoken(self, facts: list[Any], resources: Mapping[str, Any]) -> str | None:
        properties = facts[0] if facts else None
        if isinstance(properties, Name):
            properties = self._objects.facts(resources.get("Properties")).get(properties)
        spoken = self._objects.follow(self._objects.facts(properties).get("ActualText"))
        return decoded(spoken) if isinstance(spoken, bytes) else None

    def _draw_inside(self, resources: Mapping[str, Any], name: str, depth: int) -> None:
        drawing = self._objects.follow(self._objects.facts(resources.get("XObject")).get(name))
        if not isinstance(drawing, Stream):
            return
        if drawing.facts.get("Subtype") != "Form":
            if not self._in_margin:
                self._digest.update(f"{drawing.facts.get('Width')}x{drawing.facts.get('Height')}\n".encode())
                self._digest.update(hashlib.blake2b(drawing.data, digest_size=16).digest())
            return
        if drawing.packed:
            raise fault("a drawing is packed in a way that is not read")
        outer = self._matrix
        self._matrix = _times(_matrix(self._objects.items(drawing.facts.get("Matrix")) or list(_UNIT)), outer)
        self._objects.room.take_bytes(len(drawing.data))
        self.draw(drawing.data, self._objects.facts(drawing.facts.get("Resources")) or resources, depth + 1)
        self._matrix = outer


def decoded(text: bytes) -> str:
    """Decode a text string: UTF-16 or UTF-8 if it is marked so, else approximately Latin-1."""
    if text.startswith(b"\xfe\xff"):
        return text[2:].decode("utf-16-be", "replace")
    if text.startswith(b"\xff\xfe"):
        return text[2:].decode("utf-16-le", "replace")
    return text[3:].decode("utf-8", "replace") if text.startswith(b"\xef\xbb\xbf") else text.decode("latin-1")


def _font(objects: Objects, facts: Mapping[str, Any]) -> Font:
    name = str(facts.get("BaseFont", "")).rpartition("+")[2]
    wide = facts.get("Subtype") == "Type0"
    table = objects.follow(facts.get("ToUnicode"))
    if not isinstance(table, Stream) or table.packed:
        return Font(name, 2 if wide else 1, {}, not wide)
    width, letters = _letters(table.data)
    return Font(name, width or (2 if wide else 1), letters, not wide)


def _letters(table: bytes) -> tuple[int, dict[int, str]]:
    """Bytes per code, and the text of each code."""
    width, by_code = 0, dict[int, str]()
    for part in _CMAP.finditer(table):
        codes = [_code(token[0]) for token in _CODES.finditer(part[2])]
        if part[1] == b"begincodespacerange":
            width = len(codes[0]) if codes else 0
        elif part[1] == b"beginbfchar":
            by_code.update((int.from_bytes(a, "big"), _utf16(b)) for a, b in zip(codes[::2], codes[1::2], strict=False))
        else:
            by_code.update(_ranges(codes))
        if len(by_code) > _MAX_CODES:
            raise fault(f"a font of more than {_MAX_CODES} letters")
    return width, by_code


def _ranges(tokens: list[bytes]) -> dict[int, str]:
    by_code: dict[int, str] = {}
    at = 0
    while at + 2 < len(tokens):
        first, last = int.from_bytes(tokens[at], "big"), int.from_bytes(tokens[at + 1], "big")
        if not 0 <= last - first < _MAX_CODES or len(by_code) > _MAX_CODES:
            raise fault("a font's table of letters is damaged")
        if tokens[at + 2] == b"[":
            end = tokens.index(b"]", at) if b"]" in tokens[at:] else len(tokens)
            by_code.update(zip(range(first, last + 1), map(_utf16, tokens[at + 3 : end]), strict=False))
            at = end + 1
        else:
            text = _utf16(tokens[at + 2])
            if text:
                last_letter = ord(text[-1])
                for code in range(first, min(last, first + 0x10FFFF - last_letter) + 1):
                    by_code[code] = text[:-1] + chr(last_letter + code - first)
            at += 3
    return by_code


def _code(token: bytes) -> bytes:
    """The bytes of a code. Brackets around several codes stay as they are."""
    digits = "".join(token.strip(b"<>").decode().split())
    return bytes.fromhex(digits + "0" * (len(digits) % 2)) if token.startswith(b"<") else token


def _utf16(text: bytes) -> str:
    return text.decode("utf-16-be", "replace")


def _plain(code: int) -> str:
    return bytes([code & 255]).decode("cp1252", "replace")


def _skip_picture(values: Values) -> None:
    """Skip an inline picture."""
    end = re.compile(rb"[\s\0]EI(?=[\s\0]|$)").search(values.data, values.position)
    if not end:
        raise fault("a picture in a page has no end")
    values.position = end.end()


def _number(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise fault(f"{value!r:.40} in a page, expected a number")
    return float(value)


def _matrix(values: list[Any]) -> Matrix:
    if len(values) != 6:
        raise fault(f"{len(values)} numbers in a page, expected the six of a matrix")
    a, b, c, d, e, f = map(_number, values)
    return a, b, c, d, e, f


def _times(one: Matrix, other: Matrix) -> Matrix:
    a, b, c, d, e, f = one
    g, h, i, j, k, m = other
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m
