"""File access for the host: regular files and folders only, never through a magic link of /proc."""

from __future__ import annotations

import errno
import json
import os
import socket
import stat

from . import kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_COPY = 1 << 20
_NAMES = 8 << 20  # maximum bytes of all paths in one listing


class Refused(Exception):
    """A refused request: an error code that the host knows, and a message."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Files:
    """The files of one sandbox, addressed by the paths that the host uses."""

    def __init__(self, home: str) -> None:
        self.home = home
        # Files on these devices belong to the kernel, even if they look like regular files.
        self._kernels = {os.stat(path).st_dev for path in ("/proc", "/sys") if os.path.ismount(path)}

    def place(self, path: str) -> str:
        """Return an absolute path."""
        if path == "~" or path.startswith("~/"):
            return self.home + path[1:]
        if not path.startswith("/"):
            raise Refused("EINVAL", f"path {path!r} is neither absolute nor below ~/")
        return path

    def read(self, path: str) -> int:
        """Open a regular file for reading."""
        # First without opening it for reading: that would wake the writer of a pipe, and may have any effect on a
        # device.
        handle = kernel.open_inside(self.place(path), os.O_PATH)
        try:
            self._check_plain(handle, path)
            # Non-blocking, because a program may hold a lease on the file.
            return os.open(f"/proc/self/fd/{handle}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        finally:
            os.close(handle)

    def write(self, path: str, mode: int, source: int) -> None:
        """Write the content of an open file to a path, creating parent folders."""
        target = self.place(path)
        self._make_folders(os.path.dirname(target))
        # Not truncated on opening, because it may not be a regular file.
        flags = os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK | os.O_NOCTTY
        out = kernel.open_inside(target, flags, mode & 0o7777)
        try:
            self._check_plain(out, path)
            os.ftruncate(out, 0)
            while data := os.read(source, _COPY):
                view = memoryview(data)
                while view:
                    view = view[os.write(out, view) :]
            os.fchmod(out, mode & 0o7777)
        finally:
            os.close(out)

    def tree(self, path: str, limit: int, target: int) -> int:
        """Write all entries below a folder to an open file as a JSON list. Returns their number."""
        rows: list[tuple[str, str, int, float]] = []
        names = 0
        start = kernel.open_inside(self.place(path), os.O_RDONLY | os.O_DIRECTORY)
        try:
            if os.fstat(start).st_dev in self._kernels:
                raise Refused("special", f"{path} belongs to the kernel")
            folders = [""]
            while folders:
                folder = folders.pop()
                for row in self._entries(start, folder):
                    if len(rows) >= limit:
                        raise Refused("limit", f"{path} holds more than {limit} entries")
                    names += len(row[0])
                    if names > _NAMES:
                        raise Refused("limit", f"the names below {path} have more than {_NAMES} bytes")
                    rows.append(row)
                    if row[1] == "folder":
                        folders.append(row[0])
        finally:
            os.close(start)
        text = memoryview(json.dumps(sorted(rows)).encode())
        while text:
            text = text[os.write(target, text) :]
        return len(rows)

    def connect(self, path: str) -> socket.socket:
        """Connect to a server's socket file."""
        handle = kernel.open_inside(self.place(path), os.O_PATH)
        try:
            if not stat.S_ISSOCK(os.fstat(handle).st_mode):
                raise Refused("ENOTSOCK", "it is not a socket")
            client = socket.socket(socket.AF_UNIX)
            try:
                client.setblocking(False)  # a server that accepts no connections must not block the keeper
                # by file descriptor, because socket addresses have a maximum length
                client.connect(f"/proc/self/fd/{handle}")
                client.setblocking(True)
            except BaseException:
                client.close()
                raise
            return client
        finally:
            os.close(handle)

    def _check_plain(self, fd: int, path: str) -> None:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode) or info.st_dev in self._kernels:
            raise Refused("special", f"{path} is not a regular file")

    def _make_folders(self, path: str) -> None:
        try:
            os.close(kernel.open_inside(path, os.O_PATH | os.O_DIRECTORY))
        except FileNotFoundError:
            above, name = os.path.split(path)
            self._make_folders(above)
            parent = kernel.open_inside(above, os.O_PATH | os.O_DIRECTORY)
            try:
                os.mkdir(name, 0o755, dir_fd=parent)
            except FileExistsError:
                pass
            finally:
                os.close(parent)

    def _entries(self, start: int, folder: str) -> Iterator[tuple[str, str, int, float]]:
        """List a folder below `start` without following links, even if it changes meanwhile."""
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
        try:
            fd = kernel.open_inside(folder or ".", flags, folder=start, resolve=kernel.RESOLVE_NO_SYMLINKS)
        except OSError as error:
            if folder and error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EACCES):
                return  # removed, replaced or made unreadable by a program; the folder itself is listed
            raise
        try:
            if os.fstat(fd).st_dev in self._kernels:
                return
            with os.scandir(fd) as entries:
                for entry in entries:
                    try:
                        info = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        continue
                    name = f"{folder}/{entry.name}" if folder else entry.name
                    yield name, _kind(info.st_mode), info.st_size, info.st_mtime
        finally:
            os.close(fd)


def _kind(mode: int) -> str:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    return "link" if stat.S_ISLNK(mode) else "other"
