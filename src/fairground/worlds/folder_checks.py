"""Checks of a folder world: the keys of `[[scenario.check]]`.

A check reads a file, an address inside a file, or the agent's answer, or it guards that nothing else changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from fairground.core import InvalidInput, Parameter, Record
from fairground.worlds.addresses import (
    Format,
    check_xml_path,
    json_steps,
    keyfile_parts,
)
from fairground.worlds.placeholders import fill

_ALONE = re.compile(r"\{(\w+)\}")
ORDER = ("at_least", "at_most", "more_than", "less_than", "close_to")
_TESTS = ("exists", "equals", "contains", "lacks", "matches", "unchanged", "count")
_FORMATS: tuple[Format, ...] = ("json", "xml", "sqlite", "keyfile")


class SqliteTable(Record):
    """`sqlite = { table = "...", column = "...", where = { ... } }`: values of a column in the matching rows."""

    table: str = Field(min_length=1)
    column: str = Field("", description="which value of a row; left out, the check is about the row itself")
    where: dict[str, str | int | float] = {}


class CheckTable(Record):
    """`[[scenario.check]]`: one criterion over the state recorded at the end of the episode, or over the answer."""

    name: str = Field(min_length=1)
    file: str | None = Field(None, description="path of the file it looks at")
    answer: bool = Field(False, description="look at the agent's answer instead of a file")
    nothing_else_changed: bool = Field(False, description="look at all recorded files, or all values of one")
    format: Format | None = Field(None, description="how the file of a guard is read")
    allow: tuple[str, ...] = Field((), description="files or values that may change; * is any name, ** any path")

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
        """By default, a guard has weight 0 and a violation makes the reward 0."""
        if isinstance(data, dict) and data.get("nothing_else_changed") is True:
            return {"weight": 0.0, "integrity": True, **data}
        return data

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.file is not None or self.nothing_else_changed) == self.answer:
            raise ValueError(
                "a check looks at a file (file = ...), at the answer (answer = true), or at everything else "
                "(nothing_else_changed = true)"
            )
        if (self.format is not None) != (self.nothing_else_changed and self.file is not None):
            raise ValueError(
                "nothing_else_changed looks at all files, or, with file = ... and format = ..., at all values of one"
            )
        formats = [name for name in _FORMATS if getattr(self, f"{name}_at") is not None]
        if len(formats) > 1 or (formats and self.file is None):
            raise ValueError(f"{' and '.join(formats)}: expected one address, in a file (file = ...)")
        if self.namespaces and self.xml_at is None:
            raise ValueError("namespaces are for an xml address")
        if self.values != "one" and not formats:
            raise ValueError("values is for an address: json, xml, sqlite or keyfile")
        if formats and self.nothing_else_changed:
            raise ValueError(f"nothing_else_changed looks at all of a file: write format = {formats[0]!r}")
        self._check_test()
        return self

    def _check_test(self) -> None:
        tests = [name for name in _TESTS if getattr(self, name) is not None]
        ordered = [name for name in ORDER if getattr(self, name) is not None]
        if self.nothing_else_changed:
            if tests or ordered:
                raise ValueError(f"nothing_else_changed and {(tests + ordered)[0]} are two checks")
            return
        if self.allow:
            raise ValueError("allow is for nothing_else_changed = true")
        if len(tests) + bool(ordered) != 1:
            raise ValueError(f"a check has one of {', '.join(_TESTS)}, or a comparison of numbers: {', '.join(ORDER)}")
        if "within" in self.model_fields_set and self.close_to is None:
            raise ValueError("within is for close_to")
        if self.answer and (self.exists is not None or self.unchanged is not None):
            raise ValueError("exists and unchanged are about files, not about an answer")
        if self.count is not None and self.reads is None:
            raise ValueError("count is for an address: json, xml, sqlite or keyfile")
        if self.unchanged is False:
            raise ValueError("unchanged is true or left out")
        for name in ("equals", "contains", "lacks"):
            _check_expected(name, getattr(self, name), self.reads)
        if self.matches is not None:
            try:
                re.compile(re.sub(r"\{\w+\}", "x", self.matches))
            except re.error as error:
                raise ValueError(f"matches is not a valid pattern: {error}") from None

    @property
    def reads(self) -> Format | None:
        """The format of its file; None for a text file and for an answer."""
        return self.format or next((name for name in _FORMATS if getattr(self, f"{name}_at") is not None), None)

    @property
    def recorded(self) -> tuple[str, ...]:
        """The files it needs. A database may have recent changes in a log next to it."""
        if self.file is None:
            return ()
        return (self.file, f"{self.file}-wal", f"{self.file}-journal") if self.reads == "sqlite" else (self.file,)


def check_filled(table: CheckTable, parameters: Mapping[str, Parameter], where: str) -> None:
    """Check the placeholders of a check, and its address with the placeholders filled in.

    Raises:
        InvalidInput: A placeholder has no value, or the address is not valid.
    """
    filling = Filling(table, parameters)
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
        raise InvalidInput(f"{where}.{table.reads}: {error.message}", fix=error.fix) from None


@dataclass(frozen=True)
class Filling:
    """A check with an instance's parameters."""

    table: CheckTable
    parameters: Mapping[str, Parameter]

    def fill(self, text: str) -> str:
        return text.format_map(self.parameters)

    def texts(self) -> Iterator[tuple[str, str]]:
        """Every text with placeholders, by field. Patterns are excluded, because braces also mean repetition there."""
        table = self.table
        fields: dict[str, Any] = {"name": table.name, "file": table.file, "allow": table.allow}
        fields |= {"equals": table.equals, "contains": table.contains, "lacks": table.lacks}
        fields |= {name: getattr(table, f"{name}_at") for name in ("json", "xml", "keyfile")}
        if table.sqlite_at is not None:
            fields["sqlite"] = [table.sqlite_at.table, table.sqlite_at.column, *table.sqlite_at.where.values()]
        for field, value in fields.items():
            yield from ((field, text) for text in _texts_in(value))

    def address(self, text: str) -> str:
        """An address. In a JSON Pointer, a parameter is always one step, whatever characters it contains."""
        if self.table.json_at is not None and text.startswith("/"):
            escaped = {
                name: value.replace("~", "~0").replace("/", "~1") if isinstance(value, str) else value
                for name, value in self.parameters.items()
            }
            return text.format_map(escaped)
        return self.fill(text)

    def value(self, value: Any) -> Any:
        """An expected value. `"{count}"` alone keeps the parameter's type, in formats that have types."""
        if isinstance(value, str):
            alone = _ALONE.fullmatch(value)
            if alone and self.table.reads in ("json", "sqlite"):
                return self.parameters[alone[1]]
            return self.fill(value)
        if isinstance(value, dict):
            return {key: self.value(entry) for key, entry in value.items()}
        return [self.value(entry) for entry in value] if isinstance(value, list) else value

    def pattern(self) -> str:
        escaped = {name: re.escape(str(value)) for name, value in self.parameters.items()}
        return _ALONE.sub(lambda found: escaped.get(found[1], found[0]), self.table.matches or "")


def _check_expected(name: str, value: Any, format_: Format | None) -> None:
    """Check that a TOML value can occur in a format."""
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
