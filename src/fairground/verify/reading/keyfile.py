"""Reading key files: the INI-like settings of GTK, PCManFM, LXDE, desktop entries and trash."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from fairground.core import StateError

MAX_SIZE = 8 << 20
MAX_KEYS = 100_000

_GROUP = re.compile(r"\[([^\[\]\x00-\x1f]{1,500})\]")
_KEY = re.compile(r"[^=\[\]\x00-\x1f]{1,500}(?:\[[^\[\]=\x00-\x1f]{1,100}\])?")


@dataclass(frozen=True)
class KeyFile:
    """Groups of keys in the order of the file, with values as written.

    Attributes:
        groups: By name. Keys before the first group header are in the group with the empty name.
    """

    groups: Mapping[str, Mapping[str, str]]

    def get(self, group: str, key: str, default: str = "") -> str:
        """A value as written."""
        return self.groups.get(group, {}).get(key, default)

    def text(self, group: str, key: str, default: str = "") -> str:
        r"""A value with its escapes (`\s`, `\n`, `\t`, `\r`, `\\`) replaced."""
        value = self.groups.get(group, {}).get(key)
        return default if value is None else _unescaped(value)

    def flag(self, group: str, key: str, default: bool = False) -> bool:
        """A truth value (`true`, `false`, `1`, `0`).

        Raises:
            StateError: The value is something else.
        """
        value = self.groups.get(group, {}).get(key)
        if value is None:
            return default
        if value.strip().lower() not in ("true", "false", "1", "0"):
            raise StateError(f"key file: [{group}] {key} is {value[:40]!r}, expected true or false")
        return value.strip().lower() in ("true", "1")

    def items(self, group: str, key: str) -> tuple[str, ...]:
        """A list, whose items end with semicolons."""
        value = self.get(group, key)
        parts = re.split(r"(?<!\\);", value)
        return tuple(_unescaped(part.replace("\\;", ";")) for part in parts if part)

    def to_json(self) -> dict[str, dict[str, str]]:
        """The groups as plain dicts."""
        return {name: dict(keys) for name, keys in self.groups.items()}


def read_keyfile(data: bytes, *, what: str = "key file") -> KeyFile:
    """Parse a key file (UTF-8).

    Raises:
        StateError: A line is neither a comment, a group nor a key; a key appears twice; it is over a limit.
    """
    if len(data) > MAX_SIZE:
        raise StateError(f"{what}: {len(data)} bytes, expected at most {MAX_SIZE}")
    try:
        lines = data.decode("utf-8-sig").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as error:
        raise StateError(f"{what}: not UTF-8: {error}") from None
    groups: dict[str, dict[str, str]] = {}
    group = ""
    count = 0
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip()[0] in "#;":
            continue
        if match := _GROUP.fullmatch(line.strip()):
            group = match[1]
            groups.setdefault(group, {})
            continue
        key, equals, value = line.partition("=")
        key = key.strip()
        if not equals or not _KEY.fullmatch(key):
            raise StateError(f"{what}: line {number} is {line[:80]!r}, expected [group] or key=value")
        keys = groups.setdefault(group, {})
        count += 1
        if key in keys or count > MAX_KEYS:
            raise StateError(f"{what}: line {number}: {key!r} is said twice, or over {MAX_KEYS} keys")
        keys[key] = value.strip()
    return KeyFile(groups)


def leaves(file: KeyFile) -> dict[str, object]:
    """`[group]key` to the value as written."""
    return {f"[{group}]{key}": value for group, keys in file.groups.items() for key, value in keys.items()}


_ESCAPES = {"s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\"}


def _unescaped(value: str) -> str:
    return re.sub(r"\\([sntr\\])", lambda match: _ESCAPES[match[1]], value)
