"""Pack an episode's folder into bytes, to send it from the machine where it was recorded."""

from __future__ import annotations

import io
import os
import shutil
import tarfile
from pathlib import Path, PurePosixPath

from fairground.core import EpisodeError
from fairground.rollout.disk import sync, sync_tree, writing


def pack(folder: Path, largest: int) -> bytes | None:
    """Return the folder's files as an archive, and remove them. None if there is no folder.

    Raises:
        EpisodeError: If it is larger than `largest` bytes.
    """
    if not folder.is_dir():
        return None
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    size = sum(path.stat().st_size for path in files)
    if size > largest:
        shutil.rmtree(folder)
        raise EpisodeError(
            f"the episode has {size:,} bytes; expected at most {largest:,}",
            fix="record into a folder that all nodes share",
        )
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:  # not compressed, because frames already are
        for path in files:
            tar.add(path, path.relative_to(folder).as_posix(), recursive=False)
    shutil.rmtree(folder)
    return out.getvalue()


def unpack(parcel: bytes, folder: Path) -> None:
    """Write the files of an archive atomically. Replaces what an earlier attempt left there.

    Raises:
        EpisodeError: If it contains anything but regular files below the folder.
        InfrastructureError: If they cannot be written.
    """
    draft = folder.with_name(f".{folder.name}.tmp")
    with writing(folder):
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
    try:
        with tarfile.open(fileobj=io.BytesIO(parcel), mode="r:") as tar:
            for member in tar:
                _write(tar, member, draft)
    except (tarfile.TarError, EpisodeError, EOFError, ValueError) as error:
        shutil.rmtree(draft)
        raise EpisodeError(f"{folder.name}: {error}") from error
    sync_tree(draft)
    with writing(folder):
        if folder.exists():
            shutil.rmtree(folder)
        os.replace(draft, folder)
        sync(folder.parent)


def _write(tar: tarfile.TarFile, member: tarfile.TarInfo, draft: Path) -> None:
    place = PurePosixPath(member.name)
    if not place.parts or place.is_absolute() or ".." in place.parts or "\0" in member.name:
        raise EpisodeError(f"{member.name!r} is not a path below the folder")
    file = tar.extractfile(member) if member.isfile() and not member.issparse() else None
    if file is None:
        raise EpisodeError(f"{member.name}: not a regular file")
    target = draft / place
    if target.exists():
        raise EpisodeError(f"{member.name}: occurs twice")
    with writing(target), file:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as out:
            shutil.copyfileobj(file, out)
