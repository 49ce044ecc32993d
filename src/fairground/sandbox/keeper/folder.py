"""The folder for the files of a bare sandbox, created and removed by the keeper."""

from __future__ import annotations

import os

_BELOW = ("home", "run", "tmp")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def make_folder(path: str, uid: int, gid: int) -> None:
    """Create it for this user. Only root can create it for another user."""
    for place in (path, *(f"{path}/{name}" for name in _BELOW)):
        os.mkdir(place, 0o700)
        if os.geteuid() == 0:
            os.chown(place, uid, gid)


def remove_folder(path: str) -> None:
    """Remove it, even if programs removed permissions or created paths longer than allowed.

    Works on open folders, not on paths, because programs may have left links.
    """
    try:
        os.chmod(path, 0o700)
    except FileNotFoundError:
        return
    top = os.open(path, _FOLDER)
    try:
        # Move deeper folders up before emptying them, so that nothing is more than one level away.
        prefix, number = os.urandom(8).hex(), 0
        while folders := _clear(top):
            for name in folders:
                folder = os.open(name, _FOLDER, dir_fd=top)
                try:
                    for below in _clear(folder):
                        number += 1
                        os.rename(below, f"{prefix}-{number}", src_dir_fd=folder, dst_dir_fd=top)
                finally:
                    os.close(folder)
                os.rmdir(name, dir_fd=top)
    finally:
        os.close(top)
    os.rmdir(path)


def _clear(folder: int) -> list[str]:
    """Remove everything but folders. Returns those, with permissions to enter and move them."""
    folders = []
    for entry in list(os.scandir(folder)):
        if not entry.is_dir(follow_symlinks=False):
            os.unlink(entry.name, dir_fd=folder)
            continue
        os.chmod(entry.name, 0o700, dir_fd=folder)
        folders.append(entry.name)
    return folders
