"""Recording of a folder world: the files that its checks name, and whole folders for guards.

What an agent left is untrusted. Links are listed and never followed. Pipes and devices are never opened. Files over the
limit are listed with the reason why they were not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from fairground.core import State, StateError
from fairground.sandbox import FileInfo, Sandbox

MAX_FILES = 5_000
MAX_BYTES = 64 << 20
"""Maximum bytes per file, and of all recorded folders together."""

INCIDENTAL = (
    "~/.cache/**",
    "~/.dbus/**",
    "~/.stage/**",
    "~/.local/share/recently-used.xbel*",
    "~/.local/share/gvfs-metadata/**",
    "~/.local/state/**",
    "~/.config/dconf/**",
    "~/.config/ibus/**",
    "~/.config/pulse/**",
    "~/.Xauthority",
    "~/.xsession-errors",
    "~/**/.~lock.*#",
    "~/**/.goutputstream-*",
    "~/**/.*.swp",
    "~/**/.*.swo",
)
"""Files that programs write by themselves. Guards ignore them."""

_LINK = "it is a link, and links are not followed"
_UNREADABLE = "unreadable"


def record(
    sandbox: Sandbox,
    named: Iterable[str],
    folders: Iterable[str] = (),
    passing: Callable[[str], bool] = lambda _: False,
) -> State:
    """Record files, and all files below folders.

    Args:
        sandbox: The sandbox.
        named: Paths of single files.
        folders: Folders to record completely: contents in `files`, and every entry in `data["files"]`.
        passing: Whether guards ignore a path. Such paths are not listed.
    """
    files: dict[str, bytes] = {}
    missing: dict[str, str] = {}
    listing: list[dict[str, Any]] = []
    links = _Links(sandbox)
    left = MAX_BYTES
    for folder in folders:
        try:
            links.refuse(folder)
            entries = _entries(sandbox, folder)
        except StateError as error:
            missing[folder] = error.message
            listing.append({"path": folder, "kind": _UNREADABLE, "size": 0})
            continue
        for path, entry in entries:
            name = path.encode("utf-8", "backslashreplace").decode()  # a name may contain any bytes
            if not passing(name):
                listing.append({"path": name, "kind": entry.kind, "size": entry.size})
            if entry.kind != "file":
                continue
            try:
                files[name] = sandbox.read_file(path, limit=left)
                left -= len(files[name])
            except StateError as error:
                missing[name] = error.message
    for path in named:
        if path in files or path in missing:
            continue
        try:
            links.refuse(path)
            files[path] = sandbox.read_file(path)
        except StateError as error:
            missing[path] = error.message
    return State(files=files, missing=missing, data={"files": listing} if listing else {})


def changes(before: State, after: State, allowed: Callable[[str], bool]) -> dict[str, str]:
    """Describe which listed files were added, removed or changed, by path, without those that are allowed to."""
    old, new = ({entry["path"]: entry for entry in state.data.get("files", ())} for state in (before, after))
    described = {path: words for path in dict.fromkeys((*old, *new)) if (words := _told(path, old, new, before, after))}
    fine = [path for path in described if allowed(path)]

    def holds_allowed(path: str) -> bool:
        """A folder that was added or removed only with an allowed file."""
        return (new.get(path) or old[path])["kind"] == "folder" and any(
            allowed_path.startswith(f"{path}/") for allowed_path in fine
        )

    return {path: words for path, words in described.items() if path not in fine and not holds_allowed(path)}


def covers(pattern: str, path: str) -> bool:
    """Whether a path matches a pattern: `*` matches any part of a name, `**` any path."""
    return _compiled(pattern).fullmatch(path) is not None


def _told(path: str, old: Mapping[str, Any], new: Mapping[str, Any], before: State, after: State) -> str:
    """Describe how a path changed; empty if it did not."""
    kinds = [side[path]["kind"] if path in side else None for side in (old, new)]
    if _UNREADABLE in kinds:
        return f"not recorded: {after.missing.get(path) or before.missing.get(path)}"
    if kinds[0] is None:
        return f"added: {kinds[1]}" + (f" of {new[path]['size']} bytes" if kinds[1] == "file" else "")
    if kinds[1] is None:
        return f"removed: {kinds[0]}"
    if kinds[0] != kinds[1]:
        return f"was a {kinds[0]}, is a {kinds[1]}"
    if kinds[0] != "file":
        return ""
    was, now = before.files.get(path), after.files.get(path)
    if was is not None and now is not None:
        return "" if was == now else f"changed: {_difference(was, now)}"
    return f"cannot be compared: {after.missing.get(path) or before.missing.get(path, 'it was not recorded')}"


def _difference(was: bytes, now: bytes) -> str:
    """The first differing line of a text; for other files, the sizes."""
    try:
        old, new = was.decode().splitlines(), now.decode().splitlines()
    except UnicodeDecodeError:
        return f"{len(was)} bytes, then {len(now)}"
    at = next((place for place, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    first, then = (repr(lines[at][:60]) if at < len(lines) else "nothing" for lines in (old, new))
    return f"line {at + 1} was {first}, is {then}" if first != then else f"{len(was)} bytes, then {len(now)}"


def _entries(sandbox: Sandbox, folder: str) -> list[tuple[str, FileInfo]]:
    """All entries below a folder, except those that programs write by themselves."""
    recorded = []
    for entry in sandbox.list_files(folder):
        path = f"{folder.rstrip('/')}/{entry.path}"
        if not any(covers(pattern, path) for pattern in INCIDENTAL):
            recorded.append((path, entry))
    if len(recorded) > MAX_FILES:
        raise StateError(f"{folder} holds {len(recorded)} files and folders; at most {MAX_FILES} are recorded")
    return recorded


class _Links:
    """The links below the home, or below another top-level folder."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._links: dict[str, frozenset[str]] = {}

    def refuse(self, path: str) -> None:
        """Refuse a path that contains a link, which an agent may have created.

        Raises:
            StateError: The path contains a link.
        """
        full_path = (
            path.replace(f"{self._sandbox.home}/", "~/", 1) if path.startswith(f"{self._sandbox.home}/") else path
        )
        top = "~" if full_path.startswith("~/") else "/".join(full_path.split("/")[:2])
        if top not in self._links:
            self._links[top] = self._list(top)
        parts = full_path.split("/")
        for end in range(len(top.split("/")) + 1, len(parts) + 1):
            if "/".join(parts[:end]) in self._links[top]:
                raise StateError(f"{'/'.join(parts[:end])} cannot be read: {_LINK}")

    def _list(self, top: str) -> frozenset[str]:
        try:
            return frozenset(f"{top}/{entry.path}" for entry in self._sandbox.list_files(top) if entry.kind == "link")
        except StateError:
            if top == "~":
                raise
            return frozenset()  # too large, or a single file: part of the system, where an agent cannot write


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(meaning.get(part, re.escape(part)) for part in parts), re.DOTALL)
