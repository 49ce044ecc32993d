"""Near misses of a solved state, as edits of its recording. A good verifier rejects them all.

For apps without a rehearsal, playing a mistake takes seconds; editing what the oracle left takes milliseconds. An edit
counts only if the *meaning* of the file changes.
"""

from __future__ import annotations

import io
import itertools
import math
import random
import zipfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from fairground.core import State
from fairground.prove.edits_picture import edit_bytes, edit_picture
from fairground.prove.edits_sqlite import edit_database
from fairground.prove.edits_text import edit_data, edit_json, edit_lines
from fairground.prove.edits_xml import edit_archive, edit_xml, squeezed
from fairground.prove.sameness import different, is_listing, leaves, leaves_of_file
from fairground.prove.watching import Watch
from fairground.verify.reading.meaning import file_kind

MOST = 24

PUT_BACK = "a change not made"
GONE = "a file gone"
CUT = "a file cut short"
WRONG = "a value that was asked for is wrong"
SIDE_EFFECT = "an extra side effect"
ANOTHER = "the right thing to the wrong record"

_WORK = 12_000_000  # maximum number of bytes unpacked and read again per file
_SHARE = 0.6  # maximum share of edits of one kind
_BYSTANDERS = 3


@dataclass(frozen=True)
class Edit:
    """A near miss.

    Attributes:
        kind: Kind of edit.
        name: Description of the edit.
        state: The resulting state.
        differs: Places where its meaning differs from the solved state.
    """

    kind: str
    name: str
    state: State = field(repr=False)
    differs: tuple[str, ...] = ()


def edited_states(
    before: State,
    after: State,
    *,
    most: int = MOST,
    seed: int,
    others: Sequence[State] = (),
    clocks: Collection[str] = (),
    watch: Watch | None = None,
) -> Iterator[Edit]:
    """Yield near misses of a solved state, of every kind in turn. The same seed gives the same edits.

    Args:
        before: The state before the solution.
        after: The state after it.
        most: Maximum number of edits.
        seed: Seed of the random choices.
        others: Solved states of other instances on the same profile.
        clocks: Names of fields that a clock writes. Differences there are ignored.
        watch: What the checks read. If given, files outside of the recorded folders and captured data that no check
            reads are left alone: programs write them at any time.
    """
    bench = _Bench(before, after, random.Random(seed), clocks, watch)
    streams = [bench.whole_files(), bench.inside(), bench.data(), bench.others(others), bench.bystanders()]
    share = math.ceil(most * _SHARE)
    kinds: Counter[str] = Counter()
    seen: set[int] = set()
    count = 0
    for edit in _in_turn(streams):
        if count >= most:
            return
        mark = hash((tuple(edit.state.files.items()), repr(edit.state.data), tuple(edit.state.missing)))
        if mark in seen or kinds[edit.kind] >= share:
            continue
        seen.add(mark)
        kinds[edit.kind] += 1
        count += 1
        yield edit


def with_file(state: State, path: str, content: bytes | None) -> State:
    """Return a state with another content of a file, or without it (None). Recorded file listings are updated."""
    files = {name: data for name, data in state.files.items() if name != path}
    missing = {name: why for name, why in state.missing.items() if name != path}
    if content is not None:
        files[path] = content
    elif not any(map(is_listing, state.data.values())):
        missing[path] = "no such file"
    data = {name: _listed(value, path, content) if is_listing(value) else value for name, value in state.data.items()}
    return State(files=files, data=data, missing=missing)


def _listed(listing: list[dict[str, Any]], path: str, content: bytes | None) -> list[dict[str, Any]]:
    folder = str(PurePosixPath(path).parent)
    entries = [entry for entry in listing if entry["path"] != path or content is not None]
    if content is None:
        return entries
    if any(entry["path"] == path for entry in entries):
        return [entry | {"size": len(content)} if entry["path"] == path else entry for entry in entries]
    like = next((entry for entry in entries if str(PurePosixPath(entry["path"]).parent) == folder), None)
    if like is None:
        return entries
    facts = {"path": path, "kind": "file", "size": len(content)}
    more = {name: facts.get(name, value) for name, value in like.items()}
    return sorted([*entries, more], key=lambda entry: str(entry["path"]))


class _Bench:
    """Makes edits of one solved state."""

    def __init__(
        self, before: State, after: State, draw: random.Random, clocks: Collection[str], watch: Watch | None
    ) -> None:
        self._before, self._after, self._draw, self._clocks, self._watch = before, after, draw, clocks, watch
        lists = [value for state in (before, after) for value in state.data.values() if is_listing(value)]
        self._listed = {entry["path"] for listing in lists for entry in listing}
        self._leaves: dict[tuple[str, bool], Mapping[str, Any]] = {}
        paths = [path for path in dict.fromkeys((*after.files, *before.files)) if self._matters(path)]
        self._changed = [path for path in paths if self._asked(path)]
        self._stayed = [path for path in paths if path in after.files and path not in self._changed]
        draw.shuffle(self._changed)
        draw.shuffle(self._stayed)

    def whole_files(self) -> Iterator[Edit]:
        """Edit each file that the solution changed as a whole: put back, removed, truncated."""
        for path in self._changed:
            was, now = self._before.files.get(path), self._after.files.get(path)
            yield self._edit(PUT_BACK, f"{path} as it was", with_file(self._after, path, was))
            if now is not None and was is not None:
                yield self._edit(GONE, path, with_file(self._after, path, None))
            if now:
                yield self._edit(CUT, path, with_file(self._after, path, now[: len(now) * 2 // 3]))

    def inside(self) -> Iterator[Edit]:
        """Edit the content of files that the solution changed."""
        yield from _in_turn([self._perturbed(path) for path in self._changed if path in self._after.files])

    def data(self) -> Iterator[Edit]:
        """Edit the answers of live endpoints."""
        for name, value in self._after.data.items():
            if is_listing(value):
                continue
            was = self._before.data.get(name)
            expected = different(leaves(State(data={name: was})), leaves(State(data={name: value})), self._clocks)
            for what, edited in itertools.islice(edit_data(value, was, self._draw, shaped=True), 60):
                state = State(self._after.files, {**self._after.data, name: edited}, self._after.missing)
                edit = self._edit(WRONG, f"{name}: {what}", state)
                if any(map(self._reads, edit.differs)):
                    kind = WRONG if expected.keys() >= set(edit.differs) else SIDE_EFFECT
                    yield Edit(kind, edit.name, edit.state, edit.differs)

    def others(self, states: Sequence[State]) -> Iterator[Edit]:
        """Use solved states of other instances."""
        for number, state in enumerate(states, 1):
            edit = self._edit(ANOTHER, f"as for another instance ({number})", state)
            if edit.differs:
                yield edit

    def bystanders(self) -> Iterator[Edit]:
        """Edit files that must not change: changed, removed, and one additional file."""
        for path in self._stayed[:_BYSTANDERS]:
            yield from itertools.islice(self._perturbed(path), 2)
            yield self._edit(SIDE_EFFECT, f"{path} gone", with_file(self._after, path, None))
        listed = [
            path for path in (*self._changed, *self._stayed) if path in self._listed and path in self._after.files
        ]
        for path in listed[:1]:
            name = PurePosixPath(path)
            stray = str(name.with_name(f"{name.stem} (copy){name.suffix}"))
            if stray not in self._after.files:
                state = with_file(self._after, stray, self._after.files[path])
                yield self._edit(SIDE_EFFECT, f"{stray} is there too", state)

    def _perturbed(self, path: str) -> Iterator[Edit]:
        content, was = self._after.files[path], self._before.files.get(path)
        solved, expected = self._meaning(path, True), self._asked(path)
        own = path in self._listed or not self._listed
        known = {value for value in self._meaning(path, False).values() if isinstance(value, str)}
        for name, edited in itertools.islice(self._candidates(path, content, was, expected), _tries(content)):
            meaning = leaves_of_file(path, edited)
            if "" in meaning and "" not in solved:
                continue  # no longer a file of its kind; `whole_files` has one of those
            differs = different(solved, meaning, self._clocks)
            wrong = expected.keys() >= differs.keys() and any(_is_new(solved.get(place), known) for place in differs)
            # Apart from what was asked for, changes of a program's own settings do not matter.
            if differs and (wrong or own):
                kind = WRONG if wrong and expected else SIDE_EFFECT
                places = tuple(f"{path}{place}" for place in differs)
                yield Edit(kind, f"{path}: {name}", with_file(self._after, path, edited), places)

    def _candidates(
        self, path: str, content: bytes, was: bytes | None, asked: Mapping[str, tuple[Any, Any]]
    ) -> Iterator[tuple[str, bytes]]:
        known = set(map(squeezed, self._meaning(path, False).values()))
        values = {
            squeezed(now)
            for place, (_, now) in asked.items()
            if now not in (None, True, False, "") and not place.endswith((".kind", ":"))
        }
        hot = values - known or values
        kind = file_kind(path, content)
        start = content.lstrip()[:5]
        if content.startswith(b"PK\3\4"):
            return edit_archive(content, was, self._draw, hot)
        if kind == ".svg" or start == b"<?xml":
            return edit_xml(content, was, self._draw, hot)
        if content.startswith(b"SQLite format 3\0"):
            return edit_database(content, was, self._draw)
        if kind == "picture":
            return edit_picture(content, was, self._draw)
        if kind == "json" or start[:1] == b"{":
            return edit_json(content, was, self._draw)
        return edit_lines(content, was, self._draw) if kind == "text" else edit_bytes(content, was, self._draw)

    def _edit(self, kind: str, name: str, state: State) -> Edit:
        same = {path for path, content in self._after.files.items() if state.files.get(path) == content}
        differs = different(leaves(self._after, same), leaves(state, same), self._clocks)
        return Edit(kind, name, state, tuple(differs))

    def _asked(self, path: str) -> dict[str, tuple[Any, Any]]:
        """Return the places of a file that the solution changed."""
        if self._before.files.get(path) == self._after.files.get(path):
            return {}
        return different(self._meaning(path, False), self._meaning(path, True), self._clocks)

    def _meaning(self, path: str, solved: bool) -> Mapping[str, Any]:
        if (path, solved) not in self._leaves:
            content = (self._after if solved else self._before).files.get(path)
            self._leaves[path, solved] = leaves_of_file(path, content) if content is not None else {}
        return self._leaves[path, solved]

    def _matters(self, path: str) -> bool:
        return self._watch is None or path in self._listed or not self._listed or self._watch.saw_file(path)

    def _reads(self, leaf: str) -> bool:
        return self._watch is None or self._watch.saw_data(leaf)


def _is_new(value: object, known: Collection[str]) -> bool:
    """Return whether a value is new, and not one that moved from another place (as below an inserted line)."""
    return not isinstance(value, str) or value not in known


def _tries(content: bytes) -> int:
    """Return how many candidate edits of a file to try: fewer for a large file, because each is read again."""
    if not content.startswith(b"PK"):
        return max(8, min(200, _WORK // (len(content) + 1)))
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = sum(part.file_size for part in archive.infolist() if part.filename.endswith(".xml"))
    except (
        zipfile.BadZipFile,
        ValueError,
        OSError,
        NotImplementedError,
    ):  # NotImplementedError: a compression method that zipfile does not support
        return 0
    return max(8, min(48, _WORK // (size + 1)))


def _in_turn(streams: Sequence[Iterator[Edit]]) -> Iterator[Edit]:
    left = list(streams)
    while left:
        for stream in list(left):
            edit = next(stream, None)
            if edit is None:
                left.remove(stream)
            else:
                yield edit
