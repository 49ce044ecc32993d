"""Atomic file writes, with errors that say how much disk space is left and where."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fairground.core.errors import InfrastructureError


class CannotWrite(InfrastructureError):
    """A path cannot be written at the moment. Further writes there will fail as well."""


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Convert errors raised while writing `path` to `CannotWrite`."""
    try:
        yield
    except OSError as error:
        raise _write_error(error, path) from error


def replace_with(path: Path, data: bytes, *, durable: bool) -> None:
    """Write a temporary file and rename it to `path`. `durable` waits until the content is on disk."""
    draft = path.with_name(f".{path.name}.tmp")
    try:
        with open(draft, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def disk_full(path: Path, *, quota: bool = False) -> CannotWrite:
    """Create the error for a file that could not be written because the disk is full."""
    whose = " (the user's quota is used up)" if quota else ""
    return CannotWrite(
        f"the disk is full{whose}: could not write {path}; {_free(path)} free there",
        fix=f"free space on the disk that holds {path.parent}, or write into a folder on another disk",
    )


def database_full(error: BaseException | None, path: Path) -> CannotWrite | None:
    """Return `disk_full` for an SQLite error that a full disk caused; None for other errors."""
    if not isinstance(error, sqlite3.Error):
        return None
    code = vars(error).get("sqlite_errorcode", 0) & 0xFF  # missing on errors that Python itself raises
    full = code == sqlite3.SQLITE_FULL or (code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN) and _is_full(path))
    return disk_full(path) if full else None


def _write_error(error: OSError, path: Path) -> CannotWrite:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return disk_full(path, quota=error.errno == errno.EDQUOT)
    if error.errno == errno.EFBIG:
        return CannotWrite(
            f"could not write {path}: it reached this process's limit on file size",
            fix="raise the limit (ulimit -f)",
        )
    refused = error.errno in (errno.EROFS, errno.EACCES, errno.EPERM)
    fix = "choose a writable folder with --out" if refused else None
    return CannotWrite(f"could not write {path}: {error.strerror or error}", fix=fix)


def _is_full(path: Path) -> bool:
    """Whether there is no room for a database page. SQLite reports that as an I/O error in some places."""
    try:
        return shutil.disk_usage(path.parent).free < 1 << 16
    except OSError:
        return False


def _free(path: Path) -> str:
    try:
        return f"{shutil.disk_usage(path.parent).free:,} bytes"
    except OSError:
        return "an unknown number of bytes"
