"""Deciding the checks of a folder world on recorded states.

The evidence shows what was expected, what was found, and its surroundings. A file that cannot be read fails the check.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fairground.core import Check, Parameter, State, StateError
from fairground.worlds.addresses import Found, excerpt, find_json, find_key, find_rows, find_xml, parser_of
from fairground.worlds.folder_checks import ORDER, CheckTable, Filling
from fairground.worlds.folder_leaves import differing, leaves
from fairground.worlds.folder_recording import changes, covers
from fairground.worlds.patterns import search

_SHOWN = 500  # maximum characters of a text in evidence
# any other reason means that something exists, but is not a regular file
_ABSENT = re.compile("no such file|not a directory", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")


def decide(
    table: CheckTable, parameters: Mapping[str, Parameter], before: State, after: State, answer: str | None
) -> Check:
    """Decide a check on recorded states, with evidence."""
    deciding = _Deciding(table, parameters)
    try:
        passed, expected, evidence = deciding.decide(before, after, answer)
    except StateError as error:
        passed, expected, evidence = False, deciding.expected(), error.message[:_SHOWN]
    name = deciding.fill(table.name)
    return Check(
        name=name, passed=passed, weight=table.weight, integrity=table.integrity, expected=expected, found=evidence
    )


class _Deciding(Filling):
    """A check that can be decided."""

    def decide(self, before: State, after: State, answer: str | None) -> tuple[bool, Any, Any]:
        """Whether it passes, what it expected and what it found."""
        table = self.table
        if table.nothing_else_changed:
            return self._guard(before, after)
        if table.reads is not None:
            return self._addressed(before, after)
        path = self.fill(table.file or "")
        if table.exists is not None:
            there = path in after.files
            absent = not there and _ABSENT.search(after.missing.get(path, "no such file")) is not None
            description = "there" if there else "not there" if absent else after.missing[path]
            return (there if table.exists else absent), self.expected(), description
        if table.unchanged:
            same = path in before.files and before.files.get(path) == after.files.get(path)
            return same, "the same as before", "the same" if same else after.missing.get(path, "changed")
        text = answer if table.answer else after.text(path)
        if text is None:
            return False, self.expected(), "no answer was given"
        passed = self._passes(text)
        return passed, self.expected(), self._excerpt(text)

    def expected(self) -> Any:
        """What is expected, in words or as a value."""
        table = self.table
        if table.nothing_else_changed:
            return "nothing else changed"
        if table.equals is not None:
            return _shown(self.value(table.equals))
        limits = {name: limit for name in ORDER if (limit := getattr(table, name)) is not None}
        if limits:
            near = f" (within {table.within:g})" if table.close_to is not None else ""
            return "a number " + " and ".join(f"{name.replace('_', ' ')} {at:g}" for name, at in limits.items()) + near
        if table.matches is not None:
            return f"matches {self.pattern()!r}"
        if table.count is not None:
            return f"{table.count} at the address"
        if table.exists is not None:
            return "there" if table.exists else "not there"
        if table.unchanged:
            return "the same as before"
        name = "contains" if table.contains is not None else "lacks"
        return f"{name} {excerpt(self.value(getattr(table, name)))}"

    # --- addresses ---------------------------------------------------------------------------------------------------

    def _addressed(self, before: State, after: State) -> tuple[bool, Any, Any]:
        table = self.table
        current = self._find(after)
        evidence = _evidence(current)
        if table.exists is not None:
            return bool(current.matches) == table.exists, self.expected(), evidence
        if table.count is not None:
            return current.count == table.count, self.expected(), {"count": current.count, **evidence}
        if table.unchanged:
            was = self._find(before)
            same = bool(was.matches) and _same([m.value for m in was.matches], [m.value for m in current.matches])
            return same, {"the same as before": _evidence(was)}, evidence
        if not current.matches:
            return False, self.expected(), evidence
        if table.values == "one" and len(current.matches) > 1:
            return False, f"one value, {self.expected()}", evidence
        passing = [self._passes(match.value) for match in current.matches]
        passed = any(passing) if table.values == "any" else all(passing)
        telling = Found((current.matches[passing.index(passed)],))
        return passed, self.expected(), _evidence(telling, len(passing))

    def _find(self, state: State) -> Found:
        """The values at the address."""
        table = self.table
        with self._parsed(state) as document:
            if table.json_at is not None:
                return find_json(document, self.address(table.json_at))
            if table.keyfile_at is not None:
                return find_key(document, self.address(table.keyfile_at))
            if table.xml_at is not None:
                return find_xml(document, self.address(table.xml_at), table.namespaces)
            query = table.sqlite_at
            assert query is not None
            where = {name: self.value(value) for name, value in query.where.items()}
            return find_rows(document, self.fill(query.table), self.fill(query.column), where)

    @contextmanager
    def _parsed(self, state: State) -> Iterator[Any]:
        """The check's file, parsed according to its format."""
        format_, path = self.table.reads, self.fill(self.table.file or "")
        assert format_ is not None
        content, parse = state.file(path), parser_of(format_)
        try:
            if format_ != "sqlite":
                yield parse(content)
                return
            wal, journal = (state.files.get(f"{path}-{beside}") for beside in ("wal", "journal"))
            with parse(content, wal, journal=journal) as database:
                yield database
        except StateError as error:
            raise StateError(f"{path} cannot be read: {error.message}") from None

    # --- tests -------------------------------------------------------------------------------------------------------

    def _passes(self, value: Any) -> bool:
        """Whether one value passes the test."""
        table = self.table
        plain = table.reads in (None, "xml", "keyfile")
        if table.equals is not None:
            wanted = self.value(table.equals)
            if plain and isinstance(value, str):
                return value.strip() == str(wanted).strip()
            return _same(value, wanted)
        if table.contains is not None:
            return _holds(value, self.value(table.contains))
        if table.lacks is not None:
            return isinstance(value, str | list) and not _holds(value, self.value(table.lacks))
        if table.matches is not None:
            return isinstance(value, str) and search(self.pattern(), value) is not None
        number = _number(value, plain)
        return number is not None and self._in_order(number)

    def _in_order(self, number: float | int) -> bool:
        table = self.table
        return (
            (table.at_least is None or number >= table.at_least)
            and (table.at_most is None or number <= table.at_most)
            and (table.more_than is None or number > table.more_than)
            and (table.less_than is None or number < table.less_than)
            and (table.close_to is None or math.isclose(number, table.close_to, rel_tol=0, abs_tol=table.within))
        )

    def _excerpt(self, text: str) -> str:
        """The relevant part of a text: around the match, at the first difference, or otherwise the beginning."""
        table = self.table
        if table.matches is not None and (span := search(self.pattern(), text)):
            return _line_around(text, *span)
        for part in (table.contains, table.lacks):
            if part is not None and (at := text.find(self.value(part))) >= 0:
                return _line_around(text, at, at + len(self.value(part)))
        if table.equals is not None and len(text) > _SHOWN:
            wanted = str(self.value(table.equals))
            at = next((place for place, (a, b) in enumerate(zip(text, wanted, strict=False)) if a != b), len(wanted))
            return f"differs from character {at} on: {_line_around(text, at, at + 1)}"
        return _cut(text)

    def _guard(self, before: State, after: State) -> tuple[bool, Any, Any]:
        allowed = [self.fill(pattern) for pattern in self.table.allow]
        if self.table.file is not None:
            return self._values_guard(before, after, allowed)
        changed = changes(before, after, lambda path: any(covers(pattern, path) for pattern in allowed))
        compared = sum(entry["kind"] == "file" for entry in after.data.get("files", ()))
        return not changed, self.expected(), _told(changed, f"{compared} files compared")

    def _values_guard(self, before: State, after: State, allowed: list[str]) -> tuple[bool, Any, Any]:
        assert self.table.format is not None
        sides = []
        for state in (before, after):
            with self._parsed(state) as document:
                by_address = leaves(self.table.format, document)
            fixed = [
                place
                for place in by_address
                if not any(covers(pattern, place) or covers(f"{pattern}/**", place) for pattern in allowed)
            ]
            sides.append({place: by_address[place] for place in fixed})
        changed = differing(sides[0], sides[1], _same)
        return not changed, self.expected(), _told(changed, f"{len(sides[1])} values compared")


def _told(changed: Mapping[str, str], compared: str) -> Any:
    if not changed:
        return f"nothing else changed; {compared}"
    return {"changed": len(changed), "first": {place[:200]: words for place, words in list(changed.items())[:20]}}


def _same(one: Any, other: Any) -> bool:
    """Equal and of the same type: true is not 1, and 1 is not "1", but 1 and 1.0 are equal."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return type(one) is type(other) and bool(one == other)


def _holds(value: Any, part: Any) -> bool:
    if isinstance(value, list):
        return any(_same(entry, part) for entry in value)
    return isinstance(value, str) and isinstance(part, str) and part in value


def _number(value: Any, plain: bool) -> float | int | None:
    """A finite number. Texts count only in formats that have nothing but texts."""
    if plain and isinstance(value, str):
        text = value.strip()
        value = float(text) if len(text) <= 64 and _NUMBER.fullmatch(text) else None
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
    return value if is_number else None


def _evidence(found: Found, count: int | None = None) -> dict[str, Any]:
    """The value at an address and its surroundings, shortened."""
    if not found.matches:
        return {"found": "nothing at the address", "instead": _cut(found.instead)}
    first = found.matches[0]
    several = count or len(found.matches)
    return {"found": _shown(first.value), "around": first.around, **({"values": several} if several > 1 else {})}


def _shown(value: Any) -> Any:
    """A value for evidence: unchanged if it is short and JSON-serializable."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):  # as text if it exceeds what every JSON parser keeps exactly
        return value if abs(value) < 2**53 else excerpt(value, limit=40)
    return _cut(value) if isinstance(value, str) else excerpt(value)


def _line_around(text: str, start: int, end: int) -> str:
    line = text.count("\n", 0, start) + 1
    left, right = max(0, start - 80), min(len(text), max(end, start) + 80, start + 300)
    return f"line {line}: {'...' if left else ''}{text[left:right]}{'...' if right < len(text) else ''}"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
