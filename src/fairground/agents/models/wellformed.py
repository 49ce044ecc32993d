"""Text as it can be written down: what a model says goes into files and back to its server, in UTF-8."""

from __future__ import annotations

from typing import Any


def well_formed(data: Any) -> Any:
    """Plain data whose texts can all be encoded.

    JSON lets half a character stand alone, and a stream may bring one in two halves: halves that fit are joined, and a
    half that is alone becomes the replacement character.
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
