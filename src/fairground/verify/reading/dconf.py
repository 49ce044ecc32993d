"""Reading dconf's database (`~/.config/dconf/user`), where GTK programs such as Mousepad store their settings."""

from __future__ import annotations

import struct

from fairground.core import StateError
from fairground.verify.reading.gvariant import Variant, decode_variant

MAX_SIZE = 4 << 20
MAX_KEYS = 20_000
MAX_KEY = 1_000

_WHAT = "settings (dconf)"
_NO_PARENT = 0xFFFFFFFF


def read_dconf(data: bytes) -> dict[str, Variant]:
    """Return the settings that differ from their defaults.

    By key, such as `/org/xfce/mousepad/preferences/view/tab-width`.

    Raises:
        StateError: It is not such a database, is damaged, contains a key twice, or is over a limit.
    """
    if len(data) > MAX_SIZE:
        raise StateError(f"{_WHAT}: {len(data)} bytes, expected at most {MAX_SIZE}")
    if len(data) < 24 or data[:8] != b"GVariant":
        raise StateError(f"{_WHAT}: it starts with {data[:8]!r}, expected b'GVariant'")
    version, _, start, end = struct.unpack_from("<4I", data, 8)
    if version:
        raise StateError(f"{_WHAT}: version {version}, expected 0")
    items = _items(_slice(data, start, end))
    keys = _keys(data, items)
    settings: dict[str, Variant] = {}
    room = len(data)
    for (stored, _, _, _, kind, value_start, value_end), key in zip(items, keys, strict=True):
        if stored != _hash(key):
            # Programs look keys up by this hash. With a wrong one, they would not see the value that is read here.
            raise StateError(f"{_WHAT}: the key {key[:80]!r} is not where a program would look for it")
        if kind == b"v":
            name = _decoded(key)
            if name in settings:
                raise StateError(f"{_WHAT}: the key {name[:80]!r} is said twice")
            value = _slice(data, value_start, value_end)
            # Keys that share a value would allow a small file to use much memory.
            room -= len(value)
            if room < 0:
                raise StateError(f"{_WHAT}: its values together are longer than the file")
            settings[name] = decode_variant(value)
        elif kind != b"L":
            raise StateError(f"{_WHAT}: {key[:80]!r} holds something of the kind {kind!r}")
    return dict(sorted(settings.items()))


def leaves(settings: dict[str, Variant]) -> dict[str, object]:
    """The settings as they are, without window positions and other state that programs write by themselves."""
    return {key: value for key, value in settings.items() if "/state/window/" not in key}


def _items(table: bytes) -> list[tuple[int, int, int, int, bytes, int, int]]:
    """Hash, parent, start and size of the key, kind, start and end of the value, for each item of a table."""
    if len(table) < 8:
        raise StateError(f"{_WHAT}: its table is cut off")
    blooms, buckets = struct.unpack_from("<2I", table)
    start = 8 + 4 * (blooms & 0x07FFFFFF) + 4 * buckets
    count, rest = divmod(len(table) - start, 24)
    if start > len(table) or rest or count > MAX_KEYS:
        raise StateError(f"{_WHAT}: a table of {len(table)} bytes that does not hold whole items, or too many")
    bounds = struct.unpack_from(f"<{buckets}I", table, start - 4 * buckets)
    items = [struct.unpack_from("<3IHcx2I", table, start + 24 * number) for number in range(count)]
    for number, item in enumerate(items):
        bucket = item[0] % buckets if buckets else 0
        end = bounds[bucket + 1] if bucket + 1 < buckets else count
        if not buckets or not bounds[bucket] <= number < end:
            raise StateError(f"{_WHAT}: item {number} is not in the part of the table that a program would look in")
    return items


def _keys(data: bytes, items: list[tuple[int, int, int, int, bytes, int, int]]) -> list[bytes]:
    keys: list[bytes | None] = [None] * len(items)
    room = MAX_SIZE
    for number in range(len(items)):
        chain: list[int] = []
        at = number
        while at != _NO_PARENT and keys[at] is None:
            chain.append(at)
            at = items[at][1]
            if (at != _NO_PARENT and at >= len(items)) or len(chain) > 100:
                raise StateError(f"{_WHAT}: a key whose parent is missing, or is in itself")
        key = b"" if at == _NO_PARENT else keys[at] or b""
        for place in reversed(chain):
            start, size = items[place][2:4]
            key += _slice(data, start, start + size, align=1)
            room -= len(key)
            if len(key) > MAX_KEY or room < 0:
                raise StateError(f"{_WHAT}: a key of more than {MAX_KEY} bytes, or all of them more than {MAX_SIZE}")
            keys[place] = key
    return [key or b"" for key in keys]


def _slice(data: bytes, start: int, end: int, align: int = 4) -> bytes:
    if not 24 <= start <= end <= len(data) or start % align:
        raise StateError(f"{_WHAT}: points to {start}..{end}, in {len(data)} bytes")
    return data[start:end]


def _hash(key: bytes) -> int:
    number = 5381
    for byte in key:
        # The C code treats bytes as signed.
        number = (number * 33 + (byte - 256 if byte > 127 else byte)) & 0xFFFFFFFF
    return number


def _decoded(key: bytes) -> str:
    try:
        return key.decode()
    except UnicodeDecodeError:
        raise StateError(f"{_WHAT}: a key that is not UTF-8: {key[:80]!r}") from None
