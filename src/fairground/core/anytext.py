"""Text that is not valid Unicode, such as file names, which may contain any bytes on Linux.

Python represents a byte that is not UTF-8 as a lone surrogate (`os.fsdecode`), which cannot be encoded as UTF-8. `pack`
converts such text to a form that `unpack` restores. `printable` converts it to a form for people to read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")
# A surrogate is packed as the character of the last private-use plane with the same low bits. An original character of
# that plane is escaped with a mark.
_SHIFT, _MARK = 0x100000, "\U0010fffd"
_TO_PACK = re.compile("[\ud800-\udfff\U0010d800-\U0010dfff\U0010fffd]")
_PACKED = re.compile("\U0010fffd(.)|([\U0010d800-\U0010dfff])", re.DOTALL)


def printable(text: str) -> str:
    r"""Return the text with lone surrogates escaped: `\xff` for a byte that is not UTF-8."""
    return text if text.isascii() else _SURROGATE.sub(_written, text)


def pack(data: Any) -> Any:
    """Return plain data in which every string, including keys, can be encoded as UTF-8. `unpack` reverses it.

    Data that needs no change is returned as it is, not copied. The same holds for the functions below.
    """
    return _each_text(data, lambda text: _TO_PACK.sub(_pack_one, text))


def unpack(data: Any) -> Any:
    """Reverse `pack`."""
    return _each_text(data, lambda text: _PACKED.sub(_unpack_one, text))


def printable_data(data: Any) -> Any:
    """Return plain data in which every string is `printable`."""
    return _each_text(data, lambda text: _SURROGATE.sub(_written, text))


def _each_text(data: Any, change: Callable[[str], str]) -> Any:
    if isinstance(data, str):
        return data if data.isascii() else change(data)
    if isinstance(data, Mapping):
        changed = {_each_text(key, change): _each_text(value, change) for key, value in data.items()}
        pairs = zip(data.items(), changed.items(), strict=False)
        same = len(data) == len(changed) and all(
            key is new_key and value is new for (key, value), (new_key, new) in pairs
        )
        return data if same else changed
    if isinstance(data, list | tuple):
        parts = [_each_text(value, change) for value in data]
        return data if all(before is after for before, after in zip(data, parts, strict=True)) else parts
    return data


def _written(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


def _pack_one(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(code + _SHIFT) if code < _SHIFT else _MARK + match[0]


def _unpack_one(match: re.Match[str]) -> str:
    return match[1] or chr(ord(match[2]) - _SHIFT)
