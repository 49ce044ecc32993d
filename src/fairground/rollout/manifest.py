"""`manifest.json` lists the files of an episode folder when it was recorded: name, size and digest.

The recorder hashes what it writes, so nothing is read back. The run's index stores the digest of the manifest. A
manifest detects damage and careless edits. It does not protect against someone who edits a folder and recomputes the
manifest and the index.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from fairground.core import EpisodeError, Record
from fairground.rollout.disk import read_inside
from fairground.rollout.strictjson import loads, read_record

MANIFEST = "manifest.json"
_MOST = 64 << 20  # maximum bytes of a manifest, or of episode.json
_CHUNK = 1 << 20


class FileEntry(Record):
    """Size and digest of one file of an episode."""

    size: int = Field(ge=0)
    digest: str = Field(pattern="^[0-9a-f]{32}$", description="BLAKE2b of the content, 16 bytes")


class Manifest(Record):
    """The content of `manifest.json`. Paths are relative to the episode's folder."""

    format: Literal[1] = Field(1, description="version of the file format")
    files: dict[str, FileEntry] = Field(description="size and digest of each file, by path")


def content_digest(data: bytes) -> str:
    """Return the digest used in manifests and indexes."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


class FileDigests:
    """Sizes and digests of files, computed while they are written. Each file belongs to one thread."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[int, Any]] = {}
        self._known: dict[str, FileEntry] = {}

    def known(self, name: str, size: int, digest: str) -> None:
        """Add a complete file whose digest is already known."""
        self._known[name] = FileEntry(size=size, digest=digest)

    def read(self, folder: Path, name: str) -> None:
        """Add a file that another program wrote."""
        with _opened(folder, ()) as handle:
            size = os.stat(name, dir_fd=handle, follow_symlinks=False).st_size
            self._known[name] = FileEntry(size=size, digest=_digest(handle, name))

    def wrote(self, name: str, data: bytes) -> None:
        """Add a complete file by its content."""
        self._files.pop(name, None)
        self.appended(name, data)

    def appended(self, name: str, data: bytes) -> None:
        """Add data that was appended to a file."""
        size, digest = self._files.get(name) or (0, hashlib.blake2b(digest_size=16))
        digest.update(data)
        self._files[name] = size + len(data), digest

    def manifest(self) -> Manifest:
        """Return the manifest of all files, sorted by name."""
        hashed = {name: FileEntry(size=size, digest=hasher.hexdigest()) for name, (size, hasher) in self._files.items()}
        return Manifest(files=dict(sorted({**hashed, **self._known}.items())))


def read_manifest(root: Path, *parts: str) -> Manifest | None:
    """Return the manifest of an episode's folder. None if there is none, as in folders of earlier versions.

    Raises:
        EpisodeError: If it cannot be read or is malformed.
    """
    if not os.path.lexists(root.joinpath(*parts, MANIFEST)):
        return None
    return read_record(Manifest, read_inside(root, *parts, MANIFEST, limit=_MOST), where="manifest")


def manifest_digest(root: Path, *parts: str) -> str:
    """Return the digest of an episode's manifest, as stored in the index; "" if there is none."""
    if not os.path.lexists(root.joinpath(*parts, MANIFEST)):
        return ""
    return content_digest(read_inside(root, *parts, MANIFEST, limit=_MOST))


def folder_problem(root: Path, *parts: str, digest: str, full: bool = False) -> str:
    """Return what is wrong with the folder of a committed episode; "" if nothing is.

    Args:
        root: The folder of the run. Links below it are not followed.
        parts: Path from there to the episode.
        digest: Digest of the manifest, as stored in the index.
        full: Read and hash every file. Otherwise only `episode.json` is read, and the other files must exist with the
            recorded size.
    """
    try:
        with _opened(root, parts) as handle:
            data = _read(handle, MANIFEST, _MOST)
            if content_digest(data) != digest:
                return f"{MANIFEST} differs from the one committed with this episode"
            listed = loads(data, where="manifest")["files"].items()
            files = {name: (entry["size"], entry["digest"]) for name, entry in listed}
            return _first_problem(handle, files, full)
    except EpisodeError as error:
        return error.message


def manifest_problem(folder: Path, manifest: Manifest, *, full: bool = False) -> str:
    """Return what is wrong with a folder outside of a run, according to its own manifest; see `folder_problem`."""
    files = {name: (entry.size, entry.digest) for name, entry in manifest.files.items()}
    if "episode.json" not in files:
        return f"{MANIFEST} does not list episode.json"
    if unsafe := next((name for name in files if _is_unsafe(name)), None):
        return f"{MANIFEST} lists {unsafe!r}, which is not a file below the folder"
    try:
        with _opened(folder, ()) as handle:
            return _first_problem(handle, files, full)
    except EpisodeError as error:
        return error.message


def _folders(files: Iterable[str]) -> list[str]:
    """Return the folders of these files, outer folders first."""
    parents = {name.rpartition("/")[0] for name in files}
    for name in list(parents):
        while name := name.rpartition("/")[0]:
            parents.add(name)
    return sorted(parents - {""})


def _is_unsafe(name: str) -> bool:
    return "\0" in name or any(part in ("", ".", "..") for part in name.split("/"))


def _first_problem(folder: int, files: dict[str, tuple[int, str]], full: bool) -> str:
    for parent in _folders(files):
        try:
            kind = os.stat(parent, dir_fd=folder, follow_symlinks=False).st_mode
        except OSError:
            return f"{parent}/ is missing"
        if not stat.S_ISDIR(kind):
            return f"{parent} is a link or a file; expected a folder"
    for name, (size, digest) in files.items():
        try:
            about = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return f"{name} is missing"
        except OSError as error:
            return f"{name} cannot be read: {error.strerror}"
        if not stat.S_ISREG(about.st_mode):
            return f"{name} is a link or not a regular file"
        if about.st_size != size:
            return f"{name} has {about.st_size:,} bytes; {size:,} were recorded"
        if (full or name == "episode.json") and _digest(folder, name) != digest:
            return f"{name}: content differs from what was recorded"
    return ""


@contextmanager
def _opened(root: Path, parts: tuple[str, ...]) -> Iterator[int]:
    """Open the folder of an episode as a file descriptor."""
    try:
        handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise EpisodeError(f"the folder cannot be read: {error.strerror}") from None
    try:
        for part in parts:
            try:
                inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=handle)
            except FileNotFoundError:
                raise EpisodeError("the episode's folder is missing") from None
            except OSError as error:  # ELOOP or ENOTDIR for a link
                raise EpisodeError(f"{part} is a link or not a folder ({error.strerror})") from None
            os.close(handle)
            handle = inner
        yield handle
    finally:
        os.close(handle)


def _read(folder: int, name: str, limit: int) -> bytes:
    with _file(folder, name) as handle:
        size = os.fstat(handle).st_size
        if size > limit:
            raise EpisodeError(f"{name} has {size:,} bytes; expected at most {limit:,}")
        data = b""
        while chunk := os.read(handle, size + 1):  # usually the whole file, and then nothing
            data += chunk
            if len(data) > limit:
                raise EpisodeError(f"{name} grew while it was read")
        return data


def _digest(folder: int, name: str) -> str:
    digest = hashlib.blake2b(digest_size=16)
    with _file(folder, name) as handle:
        while chunk := os.read(handle, _CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


@contextmanager
def _file(folder: int, name: str) -> Iterator[int]:
    try:
        # Non-blocking, because opening a FIFO would otherwise wait for a writer.
        handle = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        raise EpisodeError(f"{name} is missing") from None
    except OSError as error:
        raise EpisodeError(f"{name} cannot be read: {error.strerror}") from None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise EpisodeError(f"{name} is not a regular file")
        yield handle
    except OSError as error:
        raise EpisodeError(f"{name} cannot be read: {error.strerror}") from None
    finally:
        os.close(handle)
