"""State changes of an episode: a semantic comparison of the recorded states before and after it, limited in size.

A recording can come from an untrusted source. Values become text of limited length here; pages escape it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

from pydantic import Field

from fairground.core import EpisodeError, Record, State, StateError
from fairground.core.anytext import printable, unpack
from fairground.core.limited import ReadingBudget, within
from fairground.prove.sameness import different, leaves, leaves_of_file
from fairground.report.describe import evidence
from fairground.report.html import Child, Html, tag
from fairground.report.plural import counted
from fairground.rollout.folder import EpisodeFolder, StateFile, StateIndex
from fairground.verify.reading.meaning import file_kind
from fairground.verify.reading.textfile import difference, read_text

Kind = Literal["added", "removed", "changed"]

ENTRIES: Final = 40  # maximum number of changes per file or kind of data
PARTS: Final = 30
_VALUE: Final = 300  # maximum length of a value in characters
_FIELDS: Final = 12  # maximum number of fields of an added or removed object
_READ: Final = 8 << 20  # bytes; of larger files only the size is reported
_HARMLESS: Final = 4096  # bytes; larger data may have been made to be slow to compare
_SMALL: Final = 12  # number of changes of a new file that are shown without a fold-out
_CONTEXT: Final = 60  # characters to show before the first difference in long texts


class Change(Record):
    """One difference."""

    kind: Kind
    place: str = Field(description="location within the file or data")
    before: str | None = Field(None, description="null if it was added")
    after: str | None = Field(None, description="null if it was removed")


class ChangedPart(Record):
    """A file, or one kind of data from the app, with its differences."""

    name: str
    kind: Kind
    own: bool = Field(
        description="whether it belongs to the program itself, such as settings or caches in a hidden folder"
    )
    note: str = Field("", description="why no changes are listed; otherwise empty")
    changes: tuple[Change, ...] = ()
    more: int = Field(0, description="number of changes that are left out")


class StateChanges(Record):
    """Differences between the states before and after an episode."""

    recorded: bool = Field(description="whether the state was recorded before and after")
    parts: tuple[ChangedPart, ...] = Field((), description="documents first, then data, then the program's own files")
    more: int = Field(0, description="number of parts that are left out")


def state_changes(folder: EpisodeFolder) -> StateChanges:
    """Compare the two recorded states. Identical files are not read."""
    before, after = folder.states.before, folder.states.after
    if before is None or after is None:
        return StateChanges(recorded=False)
    names = sorted(before.files.keys() | after.files.keys())
    files = [name for name in names if _digest(before.files.get(name)) != _digest(after.files.get(name))]
    # Data that exists for only one of the two moments, such as what is open at the end, is not a change.
    data = [name for name in before.data if name in after.data and before.data[name] != after.data[name]]
    order = sorted([*((name, True) for name in files), *((name, False) for name in data)], key=_rank)
    listed = [_file(folder, name, before, after) if is_file else _data(name, before, after)
            for name, is_file in order[:PARTS]]  # fmt: skip
    parts = tuple(part for part in listed if part.changes or part.note)
    return StateChanges(recorded=True, parts=parts, more=max(0, len(order) - PARTS))


def changes_section(found: StateChanges) -> Html:
    """Render the changes as part of a page."""
    if not found.recorded:
        return tag("p", "The state before and after this episode was not recorded.", class_="muted")
    if not found.parts:
        return tag("p", "No changes: the recorded state is the same before and after.", class_="muted")
    more = tag("p", f"{found.more:,} more.", class_="muted") if found.more else None
    return tag("div", [_part(part) for part in found.parts], more, class_="changes")


def _part(part: ChangedPart) -> Html:
    count = len(part.changes) + part.more
    note = part.note or counted(count, "change")
    head = tag(
        "summary", tag("bdi", part.name), " ", tag("span", part.kind, class_=f"change-kind {part.kind}"), " ",
        tag("small", note),
    )  # fmt: skip
    rows = [
        tag("tr", tag("td", tag("span", change.kind, class_=f"change-kind {change.kind}")),
            tag("td", tag("bdi", change.place), class_="place"), tag("td", _values(change)))
        for change in part.changes
    ]  # fmt: skip
    more = tag("p", f"{part.more:,} more.", class_="muted") if part.more else None
    shown = tag("table", tag("tbody", rows)) if rows else None
    # Show edits and small additions at once, but not all content of a file that was added or removed.
    unfolded = part.kind == "changed" or (part.kind == "added" and count <= _SMALL)
    return tag("details", head, shown, more, open=bool(rows) and not part.own and unfolded)


def _values(change: Change) -> list[Child]:
    head, tail = _shared(change.before, change.after)
    shown: list[Child] = []
    for name, value in (("del", change.before), ("ins", change.after)):
        if value is not None:
            end = len(value) - tail
            inner = (value[:head], tag("mark", value[head:end]), value[end:]) if head or tail else value
            shown.append(tag(name, inner, dir="auto"))
    return shown


def _shared(before: str | None, after: str | None) -> tuple[int, int]:
    """Return how many characters two texts share at start and end; 0 if that would not help a reader."""
    if before is None or after is None:
        return 0, 0
    least = min(len(before), len(after))
    head = next((at for at in range(least) if before[at] != after[at]), least)
    tail = next((at for at in range(least - head) if before[-1 - at] != after[-1 - at]), least - head)
    return (head, tail) if head + tail > 12 else (0, 0)


def _file(folder: EpisodeFolder, name: str, before: StateIndex, after: StateIndex) -> ChangedPart:
    old, new = before.files.get(name), after.files.get(name)
    kind: Kind = "added" if old is None else "removed" if new is None else "changed"
    part = ChangedPart(name=_short(name), kind=kind, own=_hidden(name))
    sizes = " to ".join(f"{entry.size:,} bytes" for entry in (old, new) if entry is not None)
    if max(entry.size for entry in (old, new) if entry is not None) > _READ:
        return part.model_copy(update={"note": f"too large to compare: {sizes}"})
    try:
        left = folder.state_file("before", name) if old is not None else b""
        right = folder.state_file("after", name) if new is not None else b""
    except EpisodeError:
        return part.model_copy(update={"note": "its recording is damaged"})

    def compare() -> ChangedPart:
        changes = list(_lines(name, left, right)) or list(_leaves(_read(name, left), _read(name, right)))
        return _cut(part, changes) if changes else part.model_copy(update={"note": f"{sizes}, with the same content"})

    if len(left) + len(right) <= _HARMLESS:
        return compare()
    try:
        return ChangedPart.model_validate_json(
            within(ReadingBudget(), part.name, lambda: compare().model_dump_json().encode())
        )
    except StateError as error:
        return part.model_copy(update={"note": f"{sizes}: {error.message}"})


def _lines(name: str, before: bytes, after: bytes) -> Iterator[Change]:
    """Return the added and removed lines of a text file.

    Comparing by line number would report every line after an insertion.
    """
    try:
        if any(content and file_kind(name, content) != "text" for content in (before, after)):
            return
        texts = [read_text(content).text for content in (before, after)]
        lines = difference(*texts)
    except StateError:
        return
    old = new = 0
    for line in lines:
        if line.startswith("@@"):
            old, new = (abs(int(word.partition(",")[0])) for word in line.split()[1:3])
        elif line.startswith("-"):
            yield _one_sided("removed", f"line {old}", _short(line[1:]))
            old += 1
        elif line.startswith("+"):
            yield _one_sided("added", f"line {new}", _short(line[1:]))
            new += 1


def _read(name: str, content: bytes) -> Mapping[str, Any]:
    return {place[1:]: value for place, value in leaves_of_file(name, content).items()} if content else {}


def _data(name: str, before: StateIndex, after: StateIndex) -> ChangedPart:
    sides = []
    for index in (before, after):
        known = dict.fromkeys(index.files, b"")  # a list of files may not contain their sizes
        found_leaves = leaves(State(known, {name: index.data[name]}), known)
        sides.append({place.removeprefix(name).lstrip("."): value for place, value in found_leaves.items()})
    return _cut(ChangedPart(name=_short(name), kind="changed", own=False), list(_leaves(*sides)))


def _leaves(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    """Return the values that differ. Fields of an added or removed object are grouped."""
    apart = different(before, after)
    owners = {_owner(place) for place in before if place in after}
    objects: dict[tuple[str, Kind], dict[str, Any]] = {}
    for place, (old, new) in apart.items():
        owner, kind = _owner(place), _kind(place, before, after)
        if kind != "changed" and owner and owner not in owners:
            objects.setdefault((owner, kind), {})[place[len(owner) + 1 :]] = new if kind == "added" else old
    for place, (old, new) in apart.items():
        owner, kind = _owner(place), _kind(place, before, after)
        if (place, kind) in objects:  # says only that the fields exist
            continue
        if fields := objects.get((owner, kind)):
            if place == f"{owner}.{next(iter(fields))}":  # the first one represents all
                yield _one_sided(kind, owner, _fields(fields))
        elif kind == "changed":
            was, now = _near(evidence(old), evidence(new))
            yield Change(kind=kind, place=_short(place or "content"), before=_short(was), after=_short(now))
        else:
            yield _one_sided(kind, place, _short(evidence(new if kind == "added" else old)))


def _one_sided(kind: Kind, place: str, value: str) -> Change:
    sides = {"after": value} if kind == "added" else {"before": value}
    return Change(kind=kind, place=_short(place or "content"), **sides)


def _fields(fields: Mapping[str, Any]) -> str:
    shown = [f"{name}: {_short(evidence(value))}" for name, value in list(fields.items())[:_FIELDS]]
    more = len(fields) - len(shown)
    return "\n".join([*shown, *([f"and {more} more"] if more else [])])


def _owner(place: str) -> str:
    """Return the object that a field belongs to: `mails[353]` for `mails[353].subject`; empty if there is none."""
    at = max(place.rfind("]."), place.rfind("!"))
    if place[at : at + 2] == "].":
        return place[: at + 1]
    cell, dot, _ = place.rpartition(".")
    return cell if dot and at >= 0 else ""


def _kind(place: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Kind:
    return "added" if place not in before else "removed" if place not in after else "changed"


def _cut(part: ChangedPart, changes: list[Change]) -> ChangedPart:
    return part.model_copy(update={"changes": tuple(changes[:ENTRIES]), "more": max(0, len(changes) - ENTRIES)})


def _near(before: str, after: str) -> tuple[str, str]:
    """Shorten two long texts to start shortly before their first difference."""
    head = _shared(before, after)[0] if max(len(before), len(after)) > _VALUE else 0
    return (before, after) if head <= _CONTEXT else (f"…{before[head - _CONTEXT :]}", f"…{after[head - _CONTEXT :]}")


def _short(text: str) -> str:
    text = printable(unpack(text))
    return text if len(text) <= _VALUE else f"{text[:_VALUE]}… [{len(text):,} characters]"


def _rank(named: tuple[str, bool]) -> int:
    name, is_file = named
    return 2 if is_file and _hidden(name) else 0 if is_file else 1


def _hidden(name: str) -> bool:
    return any(part.startswith(".") for part in name.split("/"))


def _digest(entry: StateFile | None) -> str | None:
    return None if entry is None else entry.digest
