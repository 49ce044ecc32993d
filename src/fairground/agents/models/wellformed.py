"""Make text encodable: what a model says is written to files and sent back to its server in UTF-8."""

from __future__ import annotations

from typing import Any


def well_formed(data: Any) -> Any:
    """Return plain data in which all texts can be encoded.

    JSON allows a lone surrogate, and a stream may split a pair. Matching halves are joined, and a lone half becomes the
    replacement character.
    """
    if isinstance(data, str):
        if data.isascii() or not any("\ud800" <= character <= "\udfff" for character in data):
            return data
        return data.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(data, dict):
        return {well_formed(name): well_formed(value) for name, value in data.items()}
    if isinstance(data, list):
        return [well_formed(part) for part in data]
    return data
