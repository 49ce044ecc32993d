"""Text with parts that are not Unicode: names of files, which on Linux may hold any bytes.

Python keeps a byte that is not UTF-8 as a lone surrogate (`os.fsdecode`). Neither JSON in UTF-8 nor a page can hold
one, so such text is packed where it must come back as it was, and made printable where people read it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")
# Packed, a surrogate is the character of the last private plane with the same lower digits. A character of that plane
# that stands for itself follows a mark.
_SHIFT, _MARK = 0x100000, "\U0010fffd"
_TO_PACK = re.compile("[\ud800-\udfff\U0010d800-\U0010dfff\U0010fffd]")
_PACKED = re.compile("\U0010fffd(.)|([\U0010d800-\U0010dfff])", re.DOTALL)


def printable(text: str) -> str:
    r"""The text with lone surrogates written out: `\xff` for a byte that is not UTF-8."""
    return text if text.isascii() else _SURROGATE.sub(_written, text)


def pack(data: Any) -> Any:
    """Plain data in which every text, keys too, can be encoded as UTF-8; `unpack` gives it back.

    Here and below: what needs no change is returned as it is, not copied.
    """
    return _each_text(data, lambda text: _TO_PACK.sub(_pack_one, text))


def unpack(data: Any) -> Any:
    """What was packed."""
    return _each_text(data, lambda text: _PACKED.sub(_unpack_one, text))


def printable_data(data: Any) -> Any:
    """Plain data with every text in it printable."""
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
        return data if all(one is other for one, other in zip(data, parts, strict=True)) else parts
    return data


def _written(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


def _pack_one(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(code + _SHIFT) if code < _SHIFT else _MARK + found[0]


def _unpack_one(found: re.Match[str]) -> str:
    return found[1] or chr(ord(found[2]) - _SHIFT)
