"""A folder as data: its entries, changes between two snapshots, the trash, launchers, and archives.

It works on plain data, so that any kind of recording can be used (a list of entries, or paths with their bytes).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, TypeAlias
from urllib.parse import unquote

from fairground.core import StateError
from fairground.verify.reading.archive_list import ArchiveListing, Member, list_archive
from fairground.verify.reading.archive_list import leaves as archive_leaves
from fairground.verify.reading.keyfile import read_keyfile

__all__ = [
    "ArchiveListing",
    "Changes",
    "DesktopEntry",
    "Entry",
    "Member",
    "Moved",
    "Trashed",
    "Tree",
    "archive_leaves",
    "changes",
    "leaves",
    "list_archive",
    "make_tree",
    "read_desktop_entry",
    "read_trash",
    "tree_leaves",
    "tree_of_files",
]

MAX_ENTRIES = 200_000
MAX_PATH = 4_096
MAX_DEPTH = 100

Kind: TypeAlias = Literal["file", "folder", "link", "other"]


@dataclass(frozen=True)
class Entry:
    """One entry of a folder.

    Attributes:
        path: Relative to the folder, with slashes, without a leading or trailing slash.
        size: Bytes of a file.
        mode: Permission bits, such as 0o644; `None` if not recorded.
        mtime: Seconds since 1970, if recorded.
        target: Target of a link, not followed.
        digest: SHA-256 of a file's content in hexadecimal; empty if not recorded.
    """

    path: str
    kind: Kind = "file"
    size: int = 0
    mode: int | None = None
    mtime: float | None = None
    target: str = ""
    digest: str = ""

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """The path without its last part; empty at the top."""
        return self.path.rpartition("/")[0]

    @property
    def content(self) -> tuple[Kind, int, str, str]:
        """The content, without permissions and times."""
        return self.kind, self.size, self.target, self.digest


@dataclass(frozen=True)
class Tree:
    """The entries of a folder and all its subfolders, by path, sorted."""

    entries: Mapping[str, Entry]

    def __getitem__(self, path: str) -> Entry:
        if path not in self.entries:
            raise StateError(f"folder: no {path[:200]!r} in it")
        return self.entries[path]

    def __contains__(self, path: object) -> bool:
        return path in self.entries

    def inside(self, folder: str = "") -> tuple[Entry, ...]:
        """The entries directly in a folder; by default the top."""
        return tuple(entry for entry in self.entries.values() if entry.folder == folder)

    def under(self, folder: str) -> tuple[Entry, ...]:
        """The entries in a folder at any depth."""
        return tuple(entry for entry in self.entries.values() if entry.path.startswith(f"{folder}/"))

    def files(self) -> tuple[Entry, ...]:
        """All files."""
        return tuple(entry for entry in self.entries.values() if entry.kind == "file")

    def to_json(self) -> list[dict[str, object]]:
        """The entries as a list that `make_tree` accepts."""
        return [asdict(entry) for entry in self.entries.values()]


@dataclass(frozen=True)
class Moved:
    """An entry with another path and the same content (for a folder: the same paths and contents inside)."""

    before: str
    after: str


@dataclass(frozen=True)
class Changes:
    """The differences between two trees. Moved entries are in neither `added` nor `removed`.

    Attributes:
        changed: Paths whose kind, content or link target differs.
        modes: Old and new permissions of paths whose permissions differ.
    """

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    moved: tuple[Moved, ...] = ()
    modes: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def none(self) -> bool:
        """Whether there is no difference."""
        return not (self.added or self.removed or self.changed or self.moved or self.modes)


def make_tree(entries: Iterable[Entry | Mapping[str, Any]]) -> Tree:
    """Validate a recorded list of entries, given as `Entry` or as dicts with the same fields.

    Raises:
        StateError: A field is wrong, a path leads outside or appears twice, or there are too many.
    """
    by_path: dict[str, Entry] = {}
    for number, given in enumerate(entries):
        if number >= MAX_ENTRIES:
            raise StateError(f"folder: more than {MAX_ENTRIES} entries")
        entry = given if isinstance(given, Entry) else _entry(given)
        _check(entry)
        if entry.path in by_path:
            raise StateError(f"folder: {entry.path[:200]!r} is listed twice")
        by_path[entry.path] = entry
    return Tree({path: by_path[path] for path in sorted(by_path)})


def tree_of_files(files: Mapping[str, bytes]) -> Tree:
    """Create a tree from paths with their bytes. Parent folders are added."""
    entries: dict[str, Entry] = {}
    for path, data in files.items():
        entries[path] = Entry(path, "file", len(data), digest=hashlib.sha256(data).hexdigest())
        folder = path.rpartition("/")[0]
        while folder and folder not in entries:
            entries[folder] = Entry(folder, "folder")
            folder = folder.rpartition("/")[0]
    return make_tree(entries.values())


def changes(before: Tree, after: Tree) -> Changes:
    """Compare two trees, ignoring times. A file has moved if its content is gone at one path and new at another."""
    old, new = before.entries, after.entries
    removed = {path for path in old if path not in new}
    added = {path for path in new if path not in old}
    both = [path for path in old if path in new]
    moved = _moved_files(before, after, removed, added)
    moved |= _moved_folders(before, after, removed, added, moved)
    return Changes(
        added=tuple(sorted(added - set(moved.values()))),
        removed=tuple(sorted(removed - set(moved))),
        changed=tuple(path for path in both if _differs(old[path], new[path])),
        moved=tuple(Moved(path, moved[path]) for path in sorted(moved)),
        modes={path: pair for path in both if (pair := _modes(old[path], new[path]))},
    )


def tree_leaves(tree: Tree) -> dict[str, object]:
    """Kind, content and permissions of every entry, without times. A file without a digest has its size."""
    result: dict[str, object] = {}
    for entry in tree.entries.values():
        result[f"{entry.path}.kind"] = entry.kind
        if entry.kind == "file":
            result[f"{entry.path}.content"] = entry.digest or entry.size
        elif entry.kind == "link":
            result[f"{entry.path}.target"] = entry.target
        if entry.mode is not None:
            result[f"{entry.path}.mode"] = f"{entry.mode:o}"
    return result


leaves = tree_leaves


@dataclass(frozen=True)
class Trashed:
    """An entry in the trash.

    Attributes:
        name: Its name in the trash's `files` folder.
        path: Its original path, unescaped.
        deleted: When, in the time zone of the desktop.
    """

    name: str
    path: str
    deleted: datetime | None


def read_trash(infos: Mapping[str, bytes]) -> tuple[Trashed, ...]:
    """Read the trash: paths that end in `NAME.trashinfo` with their bytes, sorted by name.

    The tree shows whether the file itself exists (`files/NAME`). Other paths are ignored.
    """
    entries = []
    for path in sorted(infos):
        base = path.rpartition("/")[2]
        if base.endswith(".trashinfo"):
            entries.append(_trashed(base.removesuffix(".trashinfo"), infos[path]))
    return tuple(entries)


@dataclass(frozen=True)
class DesktopEntry:
    """A launcher or a link (`.desktop`).

    Attributes:
        fields: All keys of its main group, as written, with translations such as `Name[de]`.
    """

    type: str
    name: str
    exec: str
    icon: str
    url: str
    comment: str
    terminal: bool
    hidden: bool
    no_display: bool
    categories: tuple[str, ...]
    mime_types: tuple[str, ...]
    fields: Mapping[str, str]


def read_desktop_entry(data: bytes) -> DesktopEntry:
    """Read a launcher. Nothing in it is executed."""
    file = read_keyfile(data, what="launcher (.desktop)")
    group = "Desktop Entry"
    if group not in file.groups:
        raise StateError("launcher (.desktop): no group [Desktop Entry]")
    return DesktopEntry(
        type=file.text(group, "Type"),
        name=file.text(group, "Name"),
        exec=file.text(group, "Exec"),
        icon=file.text(group, "Icon"),
        url=file.text(group, "URL"),
        comment=file.text(group, "Comment"),
        terminal=file.flag(group, "Terminal"),
        hidden=file.flag(group, "Hidden"),
        no_display=file.flag(group, "NoDisplay"),
        categories=file.items(group, "Categories"),
        mime_types=file.items(group, "MimeType"),
        fields=dict(file.groups[group]),
    )


_FIELDS: dict[str, tuple[type, ...]] = {
    "path": (str,),
    "kind": (str,),
    "size": (int,),
    "mode": (int, type(None)),
    "mtime": (int, float, type(None)),
    "target": (str,),
    "digest": (str,),
}


def _entry(given: Mapping[str, Any]) -> Entry:
    if not isinstance(given, Mapping) or "path" not in given:
        raise StateError(f"folder: {str(given)[:80]!r}, expected an entry with its path")
    for name, value in given.items():
        if name not in _FIELDS or not isinstance(value, _FIELDS[name]) or isinstance(value, bool):
            raise StateError(f"folder: an entry has {str(name)[:40]!r} = {str(value)[:80]!r}")
    return Entry(**given)


def _check(entry: Entry) -> None:
    parts = entry.path.split("/")
    if (
        len(entry.path) > MAX_PATH
        or len(parts) > MAX_DEPTH
        or "\0" in entry.path
        or any(part in ("", ".", "..") for part in parts)
    ):
        raise StateError(f"folder: an entry has the path {entry.path[:200]!r}")
    if entry.kind not in ("file", "folder", "link", "other") or entry.size < 0:
        raise StateError(f"folder: {entry.path[:200]!r} is a {entry.kind[:40]!r} of {entry.size} bytes")


def _differs(old: Entry, new: Entry) -> bool:
    if old.kind != new.kind:
        return True
    if old.kind == "folder":
        return False
    if not (old.digest and new.digest):
        # Without a digest on both sides, only size and target can be compared.
        old, new = replace(old, digest=""), replace(new, digest="")
    return old.content != new.content


def _modes(old: Entry, new: Entry) -> tuple[int, int] | None:
    if old.mode is None or new.mode is None or old.mode == new.mode or old.kind != new.kind:
        return None
    return old.mode, new.mode


def _moved_files(before: Tree, after: Tree, removed: set[str], added: set[str]) -> dict[str, str]:
    """Pair files by content. Of several with equal content, those with the same name first, then in order."""
    moved: dict[str, str] = {}
    for by_name in (True, False):
        gone: dict[tuple[str, str], list[str]] = {}
        for path in sorted(removed - set(moved), reverse=True):
            entry = before.entries[path]
            if entry.kind == "file" and entry.digest:
                gone.setdefault((entry.digest, entry.name if by_name else ""), []).append(path)
        for path in sorted(added - set(moved.values())):
            entry = after.entries[path]
            if entry.kind == "file" and (same := gone.get((entry.digest, entry.name if by_name else ""))):
                moved[same.pop()] = path
    return moved


def _moved_folders(
    before: Tree, after: Tree, removed: set[str], added: set[str], files: Mapping[str, str]
) -> dict[str, str]:
    """Folders whose files are all at the same relative path in one new folder. Empty ones move with their parent."""
    targets: dict[str, set[str | None]] = {}
    for path in removed:
        if before.entries[path].kind != "folder":
            old, new = path, files.get(path)
            while old:
                old, _, part = old.rpartition("/")
                new = new.rpartition("/")[0] if new and new.rpartition("/")[2] == part else None
                targets.setdefault(old, set()).add(new)
    moved: dict[str, str] = {}
    for path in sorted(path for path in removed if before.entries[path].kind == "folder"):
        if path in targets:
            target = next(iter(targets[path])) if len(targets[path]) == 1 else None
        else:
            holder, _, part = path.rpartition("/")
            target = f"{moved[holder]}/{part}" if holder in moved else None
        if target in added and after.entries[target].kind == "folder":
            moved[path] = target
    return moved


def _trashed(name: str, data: bytes) -> Trashed:
    what = f"trash ({name[:80]})"
    file = read_keyfile(data[:100_000], what=what)
    path = file.get("Trash Info", "Path")
    if not path:
        raise StateError(f"{what}: it does not say where it was")
    written_date = file.get("Trash Info", "DeletionDate")
    try:
        return Trashed(
            name, unquote(path, errors="strict"), datetime.fromisoformat(written_date) if written_date else None
        )
    except ValueError:
        raise StateError(f"{what}: {path[:80]!r} is not a path, or {written_date[:40]!r} is not a date") from None
