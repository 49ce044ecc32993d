"""All values of a structured file by address, and which of them differ: for guards inside one file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from xml.etree.ElementTree import Element

from fairground.core import StateError
from fairground.worlds.addresses import Database, Format, KeyGroups, excerpt

MAX_LEAVES = 200_000


def leaves(format_: Format, document: Any) -> dict[str, Any]:
    """Return values by address: `/a/0/b`, `/set/item[2]/@id`, `[group] key`, `/table/primary key/column`."""
    walks: Mapping[Format, Callable[[Any], Iterator[tuple[str, Any]]]] = {
        "json": _json,
        "xml": _xml,
        "keyfile": _keys,
        "sqlite": _rows,
    }
    by_address: dict[str, Any] = {}
    for place, value in walks[format_](document):
        by_address[place] = value
        if len(by_address) > MAX_LEAVES:
            raise StateError(f"more than {MAX_LEAVES} values")
    return by_address


def differing(before: Mapping[str, Any], after: Mapping[str, Any], same: Callable[[Any, Any], bool]) -> dict[str, str]:
    """Return the addresses whose values differ, with a description of the difference."""
    differences = {}
    for place in dict.fromkeys((*before, *after)):
        if place not in before:
            differences[place] = f"added: {excerpt(after[place], limit=80)}"
        elif place not in after:
            differences[place] = f"removed: {excerpt(before[place], limit=80)}"
        elif not same(before[place], after[place]):
            differences[place] = f"was {excerpt(before[place], limit=80)}, is {excerpt(after[place], limit=80)}"
    return differences


def _json(document: Any) -> Iterator[tuple[str, Any]]:
    stack: list[tuple[str, Any]] = [("", document)]
    while stack:
        place, value = stack.pop()
        if isinstance(value, dict) and value:
            stack += [(f"{place}/{_escaped(key)}", value[key]) for key in reversed(value)]
        elif isinstance(value, list) and value:
            stack += [(f"{place}/{index}", value[index]) for index in reversed(range(len(value)))]
        else:
            yield place, value


def _xml(root: Element) -> Iterator[tuple[str, Any]]:
    stack = [(f"/{root.tag}", root)]
    while stack:
        place, element = stack.pop()
        yield place, (element.text or "").strip()
        yield from ((f"{place}/@{name}", value) for name, value in element.items())
        seen: dict[str, int] = {}
        for child in element:
            seen[child.tag] = seen.get(child.tag, 0) + 1
            inner = f"{place}/{child.tag}[{seen[child.tag]}]"
            stack.append((inner, child))
            if tail := (child.tail or "").strip():
                yield f"{inner}/text after it", tail


def _keys(file: KeyGroups) -> Iterator[tuple[str, Any]]:
    for group, keys in file.groups.items():
        yield from ((f"[{group}] {key}" if group else key, value) for key, value in keys.items())


def _rows(database: Database) -> Iterator[tuple[str, Any]]:
    for table in database.tables:
        keys = database.key(table)
        for number, row in enumerate(database.table(table)):
            name = ",".join(_escaped(str(row[key])) for key in keys) if keys else str(number)
            yield from ((f"/{_escaped(table)}/{name}/{_escaped(column)}", value) for column, value in row.items())


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
