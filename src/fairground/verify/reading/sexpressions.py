"""Reading the settings that GIMP stores as s-expressions: gimprc, toolrc, sessionrc, templaterc and similar."""

from __future__ import annotations

import re
from typing import TypeAlias

from fairground.core import StateError
from fairground.verify.reading.leaf_room import LeafRoom

MAX_SIZE = 8 << 20
MAX_ITEMS = 500_000
MAX_DEPTH = 50


class Symbol(str):
    """A bare word, such as `yes`. A quoted text is a plain `str`."""

    __slots__ = ()


Expression: TypeAlias = "Symbol | str | int | float | tuple[Expression, ...]"

_TOKEN = re.compile(
    r'\s+|[#;][^\n]*|(?P<open>\()|(?P<close>\))|"(?P<text>[^"\\]*(?:\\.[^"\\]*)*)"|(?P<word>[^\s()"#;]+)', re.DOTALL
)


def read_sexpressions(data: bytes, *, what: str = "settings (GIMP)") -> tuple[Expression, ...]:
    """Parse the expressions of a file, in order. Numbers become numbers, words `Symbol`, quoted text `str`.

    Raises:
        StateError: It is malformed or over a limit.
    """
    if len(data) > MAX_SIZE:
        raise StateError(f"{what}: {len(data)} bytes, expected at most {MAX_SIZE}")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise StateError(f"{what}: not UTF-8: {error}") from None
    stack: list[list[Expression]] = [[]]
    place = items = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise StateError(f"{what}: a text that never ends, at character {place}")
        place = match.end()
        items += 1
        if items > MAX_ITEMS or len(stack) > MAX_DEPTH:
            raise StateError(f"{what}: more than {MAX_ITEMS} parts, or nested deeper than {MAX_DEPTH}")
        if match["open"]:
            stack.append([])
        elif match["close"]:
            if len(stack) == 1:
                raise StateError(f"{what}: a bracket too many, at character {place}")
            inner = tuple(stack.pop())
            stack[-1].append(inner)
        elif match["text"] is not None:
            stack[-1].append(_unescaped(match["text"]))
        elif match["word"]:
            stack[-1].append(_atom(match["word"]))
    if len(stack) != 1:
        raise StateError(f"{what}: {len(stack) - 1} brackets are not closed")
    return tuple(stack[0])


def setting(expressions: tuple[Expression, ...], *names: str) -> tuple[Expression, ...] | None:
    """What follows a name: `setting(gimprc, "default-image", "width")` returns `(1920,)`.

    Later expressions win, as in GIMP. `None` if the file does not contain it, so that the default applies.
    """
    inside: tuple[Expression, ...] = expressions
    for name in names:
        for part in reversed(inside):
            if isinstance(part, tuple) and part and isinstance(part[0], str) and part[0] == name:
                inside = part[1:]
                break
        else:
            return None
    return inside


def leaves(expressions: tuple[Expression, ...]) -> dict[str, object]:
    """Paths of leading words (numbered if they repeat) to the values, such as `default-image.width` to 1920."""
    result: dict[str, object] = {}
    room = LeafRoom("settings (GIMP)")
    stack: list[tuple[str, tuple[Expression, ...]]] = [("", expressions)]
    while stack:
        path, parts = stack.pop()
        plain = [part for part in parts if not isinstance(part, tuple)]
        if plain or not parts:
            result[path] = plain[0] if len(plain) == 1 else plain
        seen: dict[str, int] = {}
        inside = []
        for part in parts:
            if isinstance(part, tuple):
                name, rest = _named(part)
                seen[name] = seen.get(name, 0) + 1
                place = f"[{seen[name]}]" if seen[name] > 1 else ""
                inside.append((room.take(f"{path}.{name}{place}".lstrip(".")), rest))
        stack += reversed(inside)
    result.pop("", None)
    return result


def _named(part: tuple[Expression, ...]) -> tuple[str, tuple[Expression, ...]]:
    """The name of an expression and what follows.

    An item such as `(tool "pencil" (visible no))` has a name of two words.
    """
    if not part or not isinstance(part[0], str):
        return "()", part
    if len(part) > 2 and isinstance(part[1], str) and all(isinstance(rest, tuple) for rest in part[2:]):
        return f"{part[0]}[{part[1]}]", part[2:]
    return str(part[0]), part[1:]


def _atom(word: str) -> Expression:
    if re.fullmatch(r"[+-]?[0-9]{1,18}", word):
        return int(word)
    if re.fullmatch(r"[+-]?[0-9]{1,30}\.[0-9]{0,30}(?:[eE][+-]?[0-9]{1,2})?", word):
        return float(word)
    return Symbol(word)


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def _unescaped(text: str) -> str:
    def plain(found: re.Match[str]) -> str:
        return chr(int(found[1], 8)) if found[1] else _ESCAPES.get(found[2], found[2])

    if "\\" not in text:
        return text
    # GIMP writes non-ASCII characters as octal UTF-8 bytes, which are combined here.
    unescaped = re.sub(r"\\(?:([0-3][0-7]{2})|(.))", plain, text, flags=re.DOTALL)
    try:
        return unescaped.encode("latin-1").decode()
    except (UnicodeEncodeError, UnicodeDecodeError):
        return unescaped
