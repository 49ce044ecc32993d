"""Atomic file writes, and safe reading of folders from untrusted sources."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fairground.core import EpisodeError
from fairground.core.writing import CannotWrite as CannotWrite
from fairground.core.writing import replace_with as replace_with
from fairground.core.writing import writing as writing


def write_whole(path: Path, data: bytes) -> None:
    """Write a file atomically: a kill or power cut leaves the old content or the new."""
    with writing(path):
        replace_with(path, data, durable=True)
        sync(path.parent)


def sync(path: Path) -> None:
    """Wait until a file's content, or a folder's entries, are on disk (fsync)."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_tree(folder: Path) -> None:
    """Wait until everything below a folder is on disk."""
    with writing(folder):
        for parent, _, names in os.walk(folder):
            for name in names:
                sync(Path(parent, name))
            sync(Path(parent))


def read_inside(root: Path, *parts: str, limit: int) -> bytes:
    """Return the content of a regular file below `root`, at most `limit` bytes.

    Links below `root` are not followed, so an untrusted folder cannot make us read anything outside of it.

    Raises:
        EpisodeError: If the file is missing, a link, not a regular file, or over the limit.
    """
    where = "/".join(parts)
    with open_inside(root, *parts) as handle:
        size = os.fstat(handle).st_size
        if size > limit:
            raise EpisodeError(f"{where}: {size:,} bytes, expected at most {limit:,}")
        chunks = []
        left = limit + 1  # one more than allowed, to detect a file that grows while it is read
        while left > 0 and (chunk := os.read(handle, min(left, 1 << 20))):
            chunks.append(chunk)
            left -= len(chunk)
    if left <= 0:
        raise EpisodeError(f"{where}: over {limit:,} bytes")
    return b"".join(chunks)


@contextmanager
def open_inside(root: Path, *parts: str) -> Iterator[int]:
    """Open a regular file below `root` as a file descriptor, with the same rules as `read_inside`."""
    where = "/".join(parts)
    handles = []
    try:
        try:
            handles.append(os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
            for place, part in enumerate(parts):
                if part in ("", ".", "..") or "/" in part or "\0" in part:
                    raise EpisodeError(f"{where}: {part!r} is not a file name")
                # Non-blocking, because opening a FIFO would otherwise wait for a writer.
                flags = os.O_NONBLOCK if place == len(parts) - 1 else os.O_DIRECTORY
                flags |= os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
                handles.append(os.open(part, flags, dir_fd=handles[-1]))
        except FileNotFoundError:
            raise EpisodeError(f"{where}: missing") from None
        except OSError as error:
            # Linux reports ELOOP for a link to a file, and ENOTDIR for a link to a folder.
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                raise EpisodeError(f"{where}: a link or not a folder; expected plain files and folders") from None
            raise EpisodeError(f"{where}: cannot be read: {error.strerror}") from None
        if not stat.S_ISREG(os.fstat(handles[-1]).st_mode):
            raise EpisodeError(f"{where}: not a regular file")
        yield handles[-1]
    finally:
        for handle in handles:
            os.close(handle)
