"""Checks of a folder world: what `[[scenario.check]]` may say, and how it is decided on recorded states.

A check looks at a file, at an address inside of one, at the agent's answer, or at everything that had to stay. Its
evidence says what it expected and what it found, with what stands around it. What cannot be read fails: it never passes
by accident.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from fairground.core import Check, FairgroundError, InvalidInput, Parameter, Record, State, StateError
from fairground.worlds.addresses import (
    Format,
    Found,
    Match,
    check_xml_path,
    excerpt,
    find_json,
    find_key,
    find_rows,
    find_xml,
    json_steps,
    keyfile_parts,
    parser_of,
)
from fairground.worlds.folder_recording import changes, covers
from fairground.worlds.patterns import search
from fairground.worlds.placeholders import fill

_SHOWN = 500  # characters of a text that evidence shows
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")
_ALONE = re.compile(r"\{(\w+)\}")
_ORDER = ("at_least", "at_most", "more_than", "less_than", "close_to")
_TESTS = ("exists", "equals", "contains", "lacks", "matches", "unchanged", "count")
_FORMATS: tuple[Format, ...] = ("json", "xml", "sqlite", "keyfile")


class SqliteTable(Record):
    """`sqlite = { table = "...", column = "...", where = { ... } }`: values of a column in the rows that fit."""

    table: str = Field(min_length=1)
    column: str = Field("", description="which value of a row; left out, the check is about the row itself")
    where: dict[str, str | int | float] = {}


class CheckTable(Record):
    """`[[scenario.check]]`: one criterion over what is recorded when the episode ends, or over the answer."""

    name: str = Field(min_length=1)
    file: str | None = Field(None, description="path of the file it looks at")
    answer: bool = Field(False, description="look at the agent's answer instead of a file")
    nothing_else_changed: bool = Field(False, description="look at all recorded files but those in allow")
    allow: tuple[str, ...] = Field((), description="files that may change; * is any name, ** any path")

    json_at: str | None = Field(None, alias="json", description="JSON Pointer or path in the file")
    xml_at: str | None = Field(None, alias="xml", description="path of an element or attribute in the file")
    namespaces: dict[str, str] = Field({}, description="of prefixes in an XML path")
    sqlite_at: SqliteTable | None = Field(None, alias="sqlite")
    keyfile_at: str | None = Field(None, alias="keyfile", description="[group] key in the file")
    values: Literal["one", "any", "all"] = Field("one", description="which of several values must pass the test")

    exists: bool | None = Field(None, description="the file, or something at the address, is there, or is not")
    equals: Any = Field(None, description="the whole value; of a text, white space at the ends aside")
    contains: Any = Field(None, description="text in the text, or entry of the list")
    lacks: Any = Field(None, description="text, or entry of a list, that must not be in it")
    matches: str | None = Field(None, description="pattern that must be found in it")
    count: int | None = Field(None, ge=0, description="how many values, rows or entries there are")
    at_least: float | int | None = None
    at_most: float | int | None = None
    more_than: float | int | None = None
    less_than: float | int | None = None
    close_to: float | int | None = None
    within: float | int = Field(1e-6, ge=0, description="how far from close_to a number may be")
    unchanged: bool | None = Field(None, description="the same as before the agent began")
    weight: float = Field(1.0, ge=0)
    integrity: bool = False

    @model_validator(mode="before")
    @classmethod
    def _guard_weighs_nothing(cls, data: Any) -> Any:
        """A guard has no weight and decides over the whole reward, unless its author says otherwise."""
        if isinstance(data, dict) and data.get("nothing_else_changed") is True:
            return {"weight": 0.0, "integrity": True, **data}
        return data

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.file is not None) + self.answer + self.nothing_else_changed != 1:
            raise ValueError(
                "a check looks at a file (file = ...), at the answer (answer = true), or at everything else "
                "(nothing_else_changed = true): at one of them"
            )
        formats = [name for name in _FORMATS if getattr(self, f"{name}_at") is not None]
        if len(formats) > 1 or (formats and self.file is None):
            raise ValueError(f"{' and '.join(formats)}: expected one address, in a file (file = ...)")
        if self.namespaces and self.xml_at is None:
            raise ValueError("namespaces are for an xml address")
        if self.values != "one" and not formats:
            raise ValueError("values is for an address: json, xml, sqlite or keyfile")
        self._check_test()
        return self

    def _check_test(self) -> None:
        tests = [name for name in _TESTS if getattr(self, name) is not None]
        ordered = [name for name in _ORDER if getattr(self, name) is not None]
        if self.nothing_else_changed:
            if tests or ordered:
                raise ValueError(f"nothing_else_changed has no {(tests + ordered)[0]}")
            return
        if self.allow:
            raise ValueError("allow is for nothing_else_changed = true")
        if len(tests) + bool(ordered) != 1:
            raise ValueError(f"a check has one of {', '.join(_TESTS)}, or a comparison of numbers: {', '.join(_ORDER)}")
        if "within" in self.model_fields_set and self.close_to is None:
            raise ValueError("within is for close_to")
        if self.answer and (self.exists is not None or self.unchanged is not None):
            raise ValueError("exists and unchanged are about files, not about an answer")
        if self.count is not None and self.format is None:
            raise ValueError("count is for an address: json, xml, sqlite or keyfile")
        if self.unchanged is False:
            raise ValueError("unchanged is true or left out")
        for name in ("equals", "contains", "lacks"):
            _check_expected(name, getattr(self, name), self.format)
        if self.matches is not None:
            try:
                re.compile(re.sub(r"\{\w+\}", "x", self.matches))
            except re.error as error:
                raise ValueError(f"matches is not a valid pattern: {error}") from None

    @property
    def format(self) -> Format | None:
        """Which address it has; None for a whole file and for an answer."""
        return next((name for name in _FORMATS if getattr(self, f"{name}_at") is not None), None)

    @property
    def recorded(self) -> tuple[str, ...]:
        """Files that it needs: a database may keep its last changes in a log beside it."""
        if self.file is None:
            return ()
        return (self.file, f"{self.file}-wal", f"{self.file}-journal") if self.format == "sqlite" else (self.file,)


def check_filled(table: CheckTable, parameters: Mapping[str, Parameter], where: str) -> None:
    """Raises `InvalidInput` when a placeholder, or an address with its placeholders filled in, cannot be."""
    filling = _Filling(table, parameters)
    for field, value in filling.texts():
        fill(value, parameters, f"{where}.{field}")
    try:
        if table.json_at is not None:
            json_steps(filling.address(table.json_at))
        if table.keyfile_at is not None:
            keyfile_parts(filling.address(table.keyfile_at))
        if table.xml_at is not None:
            check_xml_path(filling.address(table.xml_at), table.namespaces)
    except InvalidInput as error:
        raise InvalidInput(f"{where}.{table.format}: {error.message}", fix=error.fix) from None


def decide(
    table: CheckTable, parameters: Mapping[str, Parameter], before: State, after: State, answer: str | None
) -> Check:
    """Decides one check on what was recorded, with its evidence."""
    deciding = _Deciding(table, parameters)
    try:
        passed, expected, found = deciding.decide(before, after, answer)
    except StateError as error:
        passed, expected, found = False, deciding.expected(), error.message[:_SHOWN]
    name = deciding.fill(table.name)
    return Check(
        name=name, passed=passed, weight=table.weight, integrity=table.integrity, expected=expected, found=found
    )


@dataclass(frozen=True)
class _Filling:
    """A check with an instance's parameters."""

    table: CheckTable
    parameters: Mapping[str, Parameter]

    def fill(self, text: str) -> str:
        return text.format_map(self.parameters)

    def texts(self) -> Iterator[tuple[str, str]]:
        """Every text with placeholders, by field; patterns apart, where braces also mean repetition."""
        table = self.table
        fields: dict[str, Any] = {"name": table.name, "file": table.file, "allow": table.allow}
        fields |= {"equals": table.equals, "contains": table.contains, "lacks": table.lacks}
        fields |= {name: getattr(table, f"{name}_at") for name in ("json", "xml", "keyfile")}
        if table.sqlite_at is not None:
            fields["sqlite"] = [table.sqlite_at.table, table.sqlite_at.column, *table.sqlite_at.where.values()]
        for field, value in fields.items():
            yield from ((field, text) for text in _texts_in(value))

    def address(self, text: str) -> str:
        """An address; in a JSON Pointer, a parameter stands for one step whatever characters it has."""
        if self.table.json_at is not None and text.startswith("/"):
            escaped = {
                name: value.replace("~", "~0").replace("/", "~1") if isinstance(value, str) else value
                for name, value in self.parameters.items()
            }
            return text.format_map(escaped)
        return self.fill(text)

    def value(self, value: Any) -> Any:
        """An expected value: `"{count}"` alone is the parameter with its own type, where values have types."""
        if isinstance(value, str):
            alone = _ALONE.fullmatch(value)
            if alone and self.table.format in ("json", "sqlite"):
                return self.parameters[alone[1]]
            return self.fill(value)
        if isinstance(value, dict):
            return {key: self.value(entry) for key, entry in value.items()}
        return [self.value(entry) for entry in value] if isinstance(value, list) else value

    def pattern(self) -> str:
        escaped = {name: re.escape(str(value)) for name, value in self.parameters.items()}
        return _ALONE.sub(lambda found: escaped.get(found[1], found[0]), self.table.matches or "")


class _Deciding(_Filling):
    """How a check is decided."""

    def decide(self, before: State, after: State, answer: str | None) -> tuple[bool, Any, Any]:
        """Whether it passes, what it expected and what it found."""
        table = self.table
        if table.nothing_else_changed:
            return self._guard(before, after)
        if table.format is not None:
            return self._addressed(before, after)
        path = self.fill(table.file or "")
        if table.exists is not None:
            there = path in after.files
            words = ("not there", "there")
            return there == table.exists, words[table.exists], words[there]
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
            value = self.value(table.equals)
            return (
                value
                if isinstance(value, bool | int | float)
                else _cut(value)
                if isinstance(value, str)
                else excerpt(value)
            )
        ordered = [
            f"{name.replace('_', ' ')} {getattr(table, name):g}" for name in _ORDER if getattr(table, name) is not None
        ]
        if ordered:
            return (
                "a number "
                + " and ".join(ordered)
                + (f" (within {table.within:g})" if table.close_to is not None else "")
            )
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
        found = self._find(after)
        evidence = _evidence(found)
        if table.exists is not None:
            return bool(found.matches) == table.exists, self.expected(), evidence
        if table.count is not None:
            return found.count == table.count, self.expected(), {"count": found.count, **evidence}
        if table.unchanged:
            was = self._find(before)
            same = bool(was.matches) and _same([m.value for m in was.matches], [m.value for m in found.matches])
            return same, {"the same as before": _evidence(was)}, evidence
        if not found.matches or (table.values == "one" and len(found.matches) > 1):
            return (
                False,
                self.expected(),
                evidence if not found.matches else {"values, expected one": found.count, **evidence},
            )
        passing = [self._passes(match.value) for match in found.matches]
        if table.values == "any" and any(passing):
            found = Found((found.matches[passing.index(True)],))
        elif not all(passing):
            found = Found(
                (found.matches[passing.index(False)], *(m for m, ok in zip(found.matches, passing, strict=True) if ok))
            )
        return (any if table.values == "any" else all)(passing), self.expected(), _evidence(found, len(passing))

    def _find(self, state: State) -> Found:
        table, path = self.table, self.fill(self.table.file or "")
        content = state.file(path)
        format_ = table.format
        assert format_ is not None
        parse = parser_of(format_)
        try:
            match format_:
                case "json":
                    return find_json(parse(content), self.address(table.json_at or ""))
                case "keyfile":
                    return find_key(parse(content), self.address(table.keyfile_at or ""))
                case "xml":
                    return find_xml(parse(content), self.address(table.xml_at or ""), table.namespaces)
                case "sqlite":
                    query = table.sqlite_at
                    assert query is not None
                    where = {name: self.value(value) for name, value in query.where.items()}
                    wal, journal = (state.files.get(f"{path}-{beside}") for beside in ("wal", "journal"))
                    with parse(content, wal, journal=journal) as database:
                        return find_rows(database, self.fill(query.table), self.fill(query.column), where)
        except StateError as error:
            raise StateError(f"{path} cannot be read: {error.message}") from None
        except FairgroundError as error:
            raise InvalidInput(f"check {table.name!r}: {error.message}", fix=error.fix) from None

    # --- tests -------------------------------------------------------------------------------------------------------

    def _passes(self, value: Any) -> bool:
        """Whether one value passes the test."""
        table = self.table
        plain = table.format in (None, "xml", "keyfile")
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
        """The part of a text that a test is about: around what it found, where it differs, else how it begins."""
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
        changed = changes(before, after, lambda path: any(covers(pattern, path) for pattern in allowed))
        if not changed:
            compared = sum(entry["kind"] == "file" for entry in after.data.get("files", ()))
            return True, self.expected(), f"nothing else changed; {compared} files compared"
        shown = dict(list(changed.items())[:20])
        return False, self.expected(), {"changed": len(changed), "first": shown}


def _check_expected(name: str, value: Any, format_: Format | None) -> None:
    """That a value of TOML can be what is expected in a format."""
    if value is None:
        return
    if format_ == "json":
        if not _plain_data(value):
            raise ValueError(f"{name}: JSON has no dates and times; write the text that stands in the file")
    elif format_ == "sqlite":
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise ValueError(f"{name}: a value in SQLite is a text or a number; it keeps true as 1, and false as 0")
    elif not isinstance(value, str):
        raise ValueError(f'{name}: values here are texts: write {name} = "{value}", or compare numbers with close_to')
    if name == "lacks" and value == "":
        raise ValueError("lacks: every text has the empty text in it")


def _plain_data(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_plain_data, value.values()))
    return all(map(_plain_data, value)) if isinstance(value, list) else isinstance(value, str | int | float)


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for entry in value.values() for text in _texts_in(entry))
    elif isinstance(value, list | tuple):
        yield from (text for entry in value for text in _texts_in(entry))


def _same(one: Any, other: Any) -> bool:
    """Equal and of one type: true is not 1, and 1 is not "1"; a whole number may be written as 1 or 1.0."""
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
    """A finite number; of a text only where a format has nothing but texts."""
    if plain and isinstance(value, str):
        text = value.strip()
        value = float(text) if len(text) <= 64 and _NUMBER.fullmatch(text) else None
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
    return value if is_number else None


def _evidence(found: Found, count: int | None = None) -> dict[str, Any]:
    """What is at an address, and what stands around it; short."""
    if not found.matches:
        return {"found": "nothing at the address", "instead": _cut(found.instead)}
    first: Match = found.matches[0]
    value = first.value
    plain = (
        value
        if isinstance(value, bool | int | float) or value is None
        else _cut(value)
        if isinstance(value, str)
        else excerpt(value)
    )
    if isinstance(plain, int | float) and not isinstance(plain, bool) and not abs(plain) < 2**53:
        plain = str(plain)[:40]  # beyond what every reader of JSON keeps exactly
    several = {"values": count or len(found.matches)} if (count or len(found.matches)) > 1 else {}
    return {"found": plain, "around": first.around, **several}


def _line_around(text: str, start: int, end: int) -> str:
    line = text.count("\n", 0, start) + 1
    left, right = max(0, start - 80), min(len(text), max(end, start) + 80, start + 300)
    return f"line {line}: {'...' if left else ''}{text[left:right]}{'...' if right < len(text) else ''}"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
