"""Comparing two accounts of one document, leaf by leaf."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

NEAR = 0.06  # millimetres


@dataclass
class Tally:
    """How much was compared, so that a comparison of nothing is no success."""

    documents: int = 0
    properties: int = 0

    def compare(self, what: str, said: Any, read: Any) -> None:
        """Fails with all the leaves that differ between what the application says and what was read."""
        self.documents += 1
        apart = []
        for place, one, other in _pairs(said, read, ""):
            self.properties += 1
            if not _same(one, other, place):
                apart.append(f"{place or 'all'}: the application says {one!r:.300}, we read {other!r:.300}")
        assert not apart, f"{what}: {len(apart)} of its properties differ\n" + "\n".join(apart[:20])


class _Missing:
    def __repr__(self) -> str:
        return "nothing"


_MISSING = _Missing()


def _pairs(said: Any, read: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(said, Mapping) and isinstance(read, Mapping):
        for name in dict.fromkeys((*said, *read)):
            yield from _pairs(said.get(name, _MISSING), read.get(name, _MISSING), f"{place}.{name}".lstrip("."))
    elif _is_list(said) and _is_list(read):
        for number in range(max(len(said), len(read))):
            one = said[number] if number < len(said) else _MISSING
            other = read[number] if number < len(read) else _MISSING
            yield from _pairs(one, other, f"{place}[{number}]")
        if not said and not read:
            yield place, said, read
    else:
        yield place, said, read


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _same(said: Any, read: Any, place: str) -> bool:
    if _is_list(said) and _is_list(read):
        return not said and not read
    if isinstance(said, bool) or isinstance(read, bool):
        return said is read
    if isinstance(said, int | float) and isinstance(read, int | float):
        if place.rpartition(".")[2].partition("[")[0].endswith("_mm"):
            # Lengths: programs count in hundredths of a millimetre, files in twips, inches or shares of them.
            return abs(said - read) < NEAR
        # The application reads the number from the same text; its way may end on a neighbouring float.
        return math.isclose(said, read, rel_tol=1e-12, abs_tol=1e-300) or said == read
    return bool(said == read)
