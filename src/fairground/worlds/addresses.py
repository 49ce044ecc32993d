"""Addresses inside structured files (JSON, XML, SQLite, key files), as used by the checks of a folder world.

Each function takes a parsed file and returns every value at the address, each with its surroundings as evidence. If
there is no value, the result describes what is there instead. The parsers are in `fairground.verify.reading`, which
registers them here on import. Files come from untrusted agents, so they are parsed within limits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias
from xml.etree.ElementTree import Element

from fairground.core import InvalidInput, StateError

Format: TypeAlias = Literal["json", "xml", "sqlite", "keyfile"]

MAX_MATCHES = 10_000
"""Maximum number of values at one address. A check that matches more is too broad."""

_AROUND = 300  # characters of a value's surroundings
_NAMES = 12  # maximum number of names listed if something is missing

_PARSERS: dict[Format, tuple[Callable[..., Any], tuple[Path, ...]]] = {}


def register_parser(format_: Format, parse: Callable[..., Any], sources: Iterable[Path]) -> None:
    """Register the parser of a format (bytes to a document, or `StateError`), and the modules that implement it."""
    _PARSERS[format_] = parse, tuple(sources)


def parser_of(format_: Format) -> Callable[..., Any]:
    """Return the parser of a format."""
    return _registered(format_)[0]


def parser_sources(format_: Format) -> tuple[Path, ...]:
    """Return the modules that parse a format. Proofs that used them become stale when they change."""
    return _registered(format_)[1]


def _registered(format_: Format) -> tuple[Callable[..., Any], tuple[Path, ...]]:
    if format_ not in _PARSERS:
        raise InvalidInput(f"nothing parses {format_} files yet", fix="import fairground.verify first")
    return _PARSERS[format_]


@dataclass(frozen=True)
class Match:
    """A value at an address, and its surroundings as short text."""

    value: Any
    around: str = ""


@dataclass(frozen=True)
class Found:
    """The values at an address. If there are none, what is there instead."""

    matches: tuple[Match, ...] = ()
    instead: str = ""

    @property
    def count(self) -> int:
        """Number of values. For a single list or table, the number of its entries."""
        if len(self.matches) == 1 and isinstance(self.matches[0].value, list | dict):
            return len(self.matches[0].value)
        return len(self.matches)


# --- JSON ------------------------------------------------------------------------------------------------------------

_ALL = object()
_STEP = re.compile(r'\.?([^.\[\]"]+)|\[(\d+)\]|\[(\*)\]|\[("(?:[^"\\]|\\.)*")\]')


def json_steps(address: str) -> list[Any]:
    """Parse a JSON Pointer (`/a/0/b`, RFC 6901; empty for the whole document) or path (`a[0].b`, `items[*].name`)."""
    if address == "" or address.startswith("/"):
        if bad := re.search(r"~(?![01])", address):
            raise InvalidInput(f"JSON Pointer {address!r}: ~ at {bad.start()} must be ~0 (for ~) or ~1 (for /)")
        return [step.replace("~1", "/").replace("~0", "~") for step in address.split("/")[1:]]
    text = address.removeprefix("$")
    steps: list[Any] = []
    at = 0
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None:
            raise InvalidInput(
                f"JSON path {address!r} is not understood from {text[at:]!r} on",
                fix='write a.b[0].c, a["key with.dots"], a[*].c, or a JSON Pointer such as /a/b/0/c',
            )
        key, index, every, quoted = match.groups()
        steps.append(key if key is not None else int(index) if index else _ALL if every else json.loads(quoted))
        at = match.end()
    return steps


def find_json(document: Any, address: str) -> Found:
    """Return every value at an address of parsed JSON."""
    current: list[tuple[str, Any, Any]] = [("", document, None)]
    for step in json_steps(address):
        following = [(f"{place}/{key}", value, part) for place, part, _ in current for key, value in _into(part, step)]
        if len(following) > MAX_MATCHES:
            raise StateError(f"more than {MAX_MATCHES} values at {address}")
        if not following:
            place, part, _ = current[0]
            return Found(instead=f"{place or 'the top'} is {_json_names(part)}")
        current = following
    return Found(tuple(Match(value, excerpt(part if part is not None else value, value)) for _, value, part in current))


def _into(part: Any, step: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(part, dict):
        if step is _ALL:
            yield from part.items()
        elif isinstance(step, str) and step in part:
            yield step, part[step]
    elif isinstance(part, list):
        if step is _ALL:
            yield from enumerate(part)
        elif re.fullmatch(r"0|[1-9]\d{0,8}", str(step)) and int(step) < len(part):
            yield step, part[int(step)]


def _json_names(part: Any) -> str:
    if isinstance(part, dict):
        return f"an object with the keys {_listed(part)}" if part else "an empty object"
    return f"a list of {len(part)}" if isinstance(part, list) else f"{type(part).__name__} {excerpt(part)}"


# --- key files -------------------------------------------------------------------------------------------------------


class KeyGroups(Protocol):
    """A parsed key file."""

    @property
    def groups(self) -> Mapping[str, Mapping[str, str]]:
        """Keys and values by group. Keys before the first group header are in the group with the empty name."""


_KEY_ADDRESS = re.compile(r"(?:\[([^\[\]]+)\]\s*)?(.*)", re.DOTALL)


def keyfile_parts(address: str) -> tuple[str, str]:
    """Split `[group] key`. The group is empty for a plain `key`, and the key for a whole `[group]`."""
    match = _KEY_ADDRESS.fullmatch(address.strip())
    if match is None or not (match[1] or match[2]) or "=" in match[2]:
        raise InvalidInput(
            f"key file address {address!r}: expected [group] key, [group], or key for a file of key=value"
        )
    return (match[1] or ""), match[2].strip()


def find_key(file: KeyGroups, address: str) -> Found:
    """Return the value of a key, as written, or a whole group."""
    group, key = keyfile_parts(address)
    if group not in file.groups:
        has = "the groups " + _listed(f"[{name}]" for name in file.groups if name)
        return Found(instead=f"no group [{group}]; the file has {has}" if group else f"no key outside of groups; {has}")
    keys = dict(file.groups[group])
    around = f"[{group}] " if group else ""
    if not key:
        return Found((Match(keys, around + excerpt(keys)),))
    if key not in keys:
        return Found(instead=f"no key {key!r}; {around or 'the file '}has {_listed(keys)}")
    names = list(keys)
    at = names.index(key)
    near = "; ".join(f"{name}={_cut(keys[name], 60)}" for name in names[max(0, at - 2) : at + 3])
    return Found((Match(keys[key], _cut(around + near, _AROUND)),))


# --- XML -------------------------------------------------------------------------------------------------------------

_ATTRIBUTE = re.compile(r"(?:(.*)/)?@(\{[^{}]*\}[\w.-]+|(?:[\w.-]+:)?[\w.-]+)", re.DOTALL)


def check_xml_path(path: str, namespaces: Mapping[str, str]) -> None:
    """Check the syntax of a path.

    Raises:
        InvalidInput: The path is not valid in any document.
    """
    _xml_matches(Element("document"), path, namespaces)


def find_xml(root: Element, path: str, namespaces: Mapping[str, str]) -> Found:
    """Return the elements or the attribute at a path. An element's value is its text, stripped of white space."""
    elements, attribute = _xml_matches(root, path, namespaces)
    if len(elements) > MAX_MATCHES:
        raise StateError(f"more than {MAX_MATCHES} elements at {path}")
    if attribute:
        elements = [element for element in elements if attribute in element.attrib]
    if not elements:
        return Found(
            instead=f"the file has <{root.tag}> with {_listed(dict.fromkeys(child.tag for child in root))} in it"
        )
    parents = {id(child): parent for parent in root.iter() for child in parent}
    return Found(
        tuple(
            Match(
                element.get(attribute, "") if attribute else "".join(element.itertext()).strip(),
                _markup(parents.get(id(element), element), element),
            )
            for element in elements
        )
    )


def _xml_matches(root: Element, path: str, namespaces: Mapping[str, str]) -> tuple[list[Element], str]:
    steps, attribute = path.strip().removesuffix("/text()"), ""
    if match := _ATTRIBUTE.fullmatch(steps):
        steps, attribute = match[1] or ("." if not path.startswith("/") else ""), match[2]
        prefix, colon, name = attribute.partition(":")
        if colon and not attribute.startswith("{"):
            if prefix not in namespaces:
                raise InvalidInput(
                    f"XML path {path!r}: no namespace {prefix!r}", fix=f'namespaces.{prefix} = "http://..."'
                )
            attribute = f"{{{namespaces[prefix]}}}{name}"
    start = root
    if steps.startswith("/"):  # from the document, whose only element is the root
        start = Element("document")
        start.append(root)
        steps = f".{steps}"
    try:
        return start.findall(steps, dict(namespaces)), attribute
    except (SyntaxError, KeyError, TypeError, IndexError, StopIteration) as error:
        raise InvalidInput(
            f"XML path {path!r} is not understood: {error}",
            fix="steps such as /set/item[2]/name, .//item[@id='x']/@price, ns:item with namespaces.ns = \"...\"",
        ) from None


def _markup(parent: Element, element: Element) -> str:
    """The element and its siblings, as short markup."""
    children = list(parent)
    at = next((place for place, child in enumerate(children) if child is element), 0)
    inside = [_tag(child) for child in children[max(0, at - 1) : at + 2]] or [_cut((parent.text or "").strip(), 80)]
    before, after = ("... " if at > 1 else ""), (" ..." if at + 2 < len(children) else "")
    return _cut(f"{_opening(parent)}{before}{''.join(inside)}{after}</{_short_tag(parent)}>", _AROUND)


def _tag(element: Element) -> str:
    text = (element.text or "").strip() or ("..." if len(element) else "")
    return f"{_opening(element)}{_cut(text, 80)}</{_short_tag(element)}>"


def _opening(element: Element) -> str:
    attributes = "".join(f' {name.rpartition("}")[2]}="{_cut(value, 40)}"' for name, value in list(element.items())[:8])
    return f"<{_short_tag(element)}{attributes}>"


def _short_tag(element: Element) -> str:
    return _cut(str(element.tag).rpartition("}")[2], 60)


# --- SQLite ----------------------------------------------------------------------------------------------------------


class Database(Protocol):
    """A read-only database."""

    tables: tuple[str, ...]

    def columns(self, table: str) -> tuple[str, ...]:
        """Names of a table's columns."""

    def key(self, table: str) -> tuple[str, ...]:
        """Names of the columns of its primary key."""

    def rows(self, sql: str, *args: Any) -> Sequence[Mapping[str, Any]]:
        """The result rows of a SELECT."""

    def table(self, name: str) -> Sequence[Mapping[str, Any]]:
        """All rows of a table."""


def find_rows(database: Database, table: str, column: str, where: Mapping[str, Any]) -> Found:
    """Return a column's values (whole rows for an empty name) in the rows of a table that meet all conditions."""
    if table not in database.tables:
        return Found(instead=f"no table {table!r}; the database has {_listed(database.tables)}")
    known = database.columns(table)
    for name in (*where, *([column] if column else [])):
        if name not in known:
            return Found(instead=f"no column {name!r}; {table} has {_listed(known)}")
    conditions = " AND ".join(f"{_quoted(name)} = ?" for name in where)
    clause = f" FROM {_quoted(table)}" + (f" WHERE {conditions}" if where else "")
    rows = database.rows(f"SELECT *{clause} LIMIT {MAX_MATCHES + 1}", *where.values())
    if len(rows) > MAX_MATCHES:
        raise StateError(f"more than {MAX_MATCHES} rows of {table} fit")
    if not rows:
        (total,) = database.rows(f"SELECT count(*) AS n FROM {_quoted(table)}")
        return Found(instead=f"no such row; {table} has {total['n']} rows of {_listed(known)}")
    return Found(tuple(Match(row[column] if column else dict(row), excerpt(row)) for row in rows))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


# --- evidence --------------------------------------------------------------------------------------------------------


def excerpt(value: Any, focus: Any = None, limit: int = _AROUND) -> str:
    """Return a value as short text: of a list or table the entries around `focus`, of nested values the size."""
    if isinstance(value, Mapping):
        pairs = list(value.items())
        shown, more = _around(pairs, next((at for at, (_, part) in enumerate(pairs) if part is focus), 0))
        text = "{" + ", ".join(f"{json.dumps(str(key))}: {_brief(part)}" for key, part in shown) + more + "}"
    elif isinstance(value, list | tuple):
        shown, more = _around(list(value), next((at for at, part in enumerate(value) if part is focus), 0))
        text = "[" + ", ".join(map(_brief, shown)) + more + "]"
    else:
        text = _brief(value, limit)
    return _cut(text, limit)


def _around(entries: list[Any], at: int) -> tuple[list[Any], str]:
    shown = entries[max(0, at - 3) : at + 4]
    return shown, f", ... {len(entries) - len(shown)} more" if len(shown) < len(entries) else ""


def _brief(value: Any, limit: int = 80) -> str:
    if isinstance(value, Mapping):
        return f"{{{len(value)} keys}}" if value else "{}"
    if isinstance(value, list | tuple):
        return f"[{len(value)} items]" if value else "[]"
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    if isinstance(value, str):
        return json.dumps(_cut(value, limit), ensure_ascii=False)
    return _cut(json.dumps(value, default=str), limit)


def _listed(names: Any) -> str:
    known = [_cut(str(name), 60) for name in names]
    more = f" and {len(known) - _NAMES} more" if len(known) > _NAMES else ""
    return (", ".join(known[:_NAMES]) + more) or "none"


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."
