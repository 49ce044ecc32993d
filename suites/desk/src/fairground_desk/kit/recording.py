"""Recording of a seat's folders within limits. What an agent left is untrusted and may be anything."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from fairground.core import StateError
from fairground.sandbox import FileInfo, Sandbox

MEGABYTE = 1 << 20
MOST_FILES = 2_000
MOST_BYTES = 64 * MEGABYTE
"""Maximum size of a file, and of all files together."""

# Lock files, which programs create while a file is open.
_PASSING = re.compile(r"(^|/)(\.~lock\..*#|\.goutputstream-\w+|lu\w+\.tmp|\.[^/]*\.sw[op])$")


@dataclass
class Recorded:
    """Recorded files.

    Attributes:
        files: Content by path.
        missing: Paths that could not be recorded, with the reason.
        listing: Every entry: path, kind and size.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    listing: list[dict[str, Any]] = field(default_factory=list)


def record_folders(sandbox: Sandbox, folders: Iterable[str]) -> Recorded:
    """Record every file below these folders. Links are listed but not followed; files over a limit are only listed."""
    recorded = Recorded()
    left = MOST_BYTES
    for folder in folders:
        try:
            entries = sandbox.list_files(folder, limit=MOST_FILES)
        except StateError as error:
            recorded.missing[folder] = error.message
            continue
        for entry in entries:
            if _PASSING.search(entry.path):
                continue
            path = f"{folder}/{entry.path}"
            recorded.listing.append({"path": path, "kind": entry.kind, "size": entry.size})
            why = _why_not(entry, left)
            if why:
                recorded.missing[path] = why
            elif entry.kind == "file":
                try:
                    recorded.files[path] = sandbox.read_file(path, limit=left)
                    left -= len(recorded.files[path])
                except StateError as error:
                    recorded.missing[path] = error.message
    return recorded


def record_files(sandbox: Sandbox, paths: Iterable[str], found: Recorded) -> None:
    """Record single files, if they exist."""
    for path in paths:
        if path in found.files:
            continue
        try:
            found.files[path] = sandbox.read_file(path)
        except StateError as error:
            found.missing[path] = error.message


def _why_not(entry: FileInfo, left: int) -> str:
    if entry.kind in ("link", "other"):
        return f"it is a {'link' if entry.kind == 'link' else 'device or socket'}, and not a file"
    if entry.kind == "file" and entry.size > left:
        return f"{entry.size} bytes, where {left} are left to record"
    return ""
