"""Record which parts of a state the checks read. Edits elsewhere would say nothing about the checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from fairground.core import State


@dataclass
class Watch:
    """Places of a state that were read.

    Attributes:
        files: Paths.
        data: Places in the captured data. A place that was read as a whole stands for everything below it.
    """

    files: set[tuple[str, ...]] = field(default_factory=set)
    data: set[tuple[str, ...]] = field(default_factory=set)

    def saw_file(self, path: str) -> bool:
        """Return whether this file was read."""
        return () in self.files or (path,) in self.files

    def saw_data(self, leaf: str) -> bool:
        """Return whether a leaf such as `live.documents[0].title`, or a place above it, was read."""
        return (
            any(f"{leaf}.".startswith((f"{place}.", f"{place}[")) for place in map(".".join, self.data))
            or () in self.data
        )


def watched(state: State) -> tuple[State, Watch]:
    """Return the same state with recording of reads, and the record."""
    watch = Watch()
    files = _Watched(state.files, (), watch.files)
    return State(files=files, data=_Watched(state.data, (), watch.data), missing=state.missing), watch


class _Watched(dict[str, Any]):
    """A dictionary that records which entries are read. Iterating over it counts as reading everything."""

    def __init__(self, data: Any, place: tuple[str, ...], seen: set[tuple[str, ...]]) -> None:
        super().__init__({
            name: _Watched(value, (*place, name), seen) if isinstance(value, dict) and value else value
            for name, value in data.items()
        })  # fmt: skip
        self._place, self._seen = place, seen

    def __getitem__(self, name: str) -> Any:
        if not isinstance(value := super().__getitem__(name), _Watched):
            self._seen.add((*self._place, name))
        return value

    def __contains__(self, name: object) -> bool:
        found = super().__contains__(name)
        if not found or not isinstance(super().__getitem__(str(name)), _Watched):
            self._seen.add((*self._place, str(name)))
        return found

    def get(self, name: str, default: Any = None) -> Any:
        if name not in self:
            return default
        return self[name]

    def __iter__(self) -> Iterator[str]:
        self._seen.add(self._place)
        return super().__iter__()

    def items(self) -> Any:
        self._seen.add(self._place)
        return super().items()

    def values(self) -> Any:
        self._seen.add(self._place)
        return super().values()

    def keys(self) -> Any:
        self._seen.add(self._place)
        return super().keys()

    def __eq__(self, other: object) -> bool:
        self._seen.add(self._place)
        return super().__eq__(other)

    __hash__ = None
