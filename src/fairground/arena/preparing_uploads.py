"""Uploaded files: stored as bytes under random names, accessible only to the person who sent them."""

from __future__ import annotations

import json
import re
import secrets
import shutil
import unicodedata
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from fairground.arena.people import Absent
from fairground.core import InfrastructureError, InvalidInput, Record

MAX_FILES: Final = 20
"""Maximum number of files per request."""

MAX_FILE: Final = 32 << 20
"""Maximum size of a file in bytes."""

MAX_KEPT: Final = 256 << 20
"""Maximum number of bytes stored per person; the oldest files are deleted first."""

_MAX_NAME: Final = 120
_ID: Final = re.compile(r"[0-9a-f]{32}")
_UNFIT: Final = re.compile(r'[/\\<>:"|?*\x00-\x1f\x7f]+')


@dataclass(frozen=True)
class Upload:
    """An uploaded file.

    Attributes:
        id: Random ID.
        name: Name in a seat: the sender's file name, sanitised.
        size: Size in bytes.
    """

    id: str
    name: str
    size: int


class _Kept(Record):
    name: str
    size: int


class Uploads:
    """Storage of uploads: one folder per file, with its content and name.

    Args:
        folder: Created when the first file is stored.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, person: str, name: str, parts: Iterable[bytes]) -> Upload:
        """Store a file.

        Raises:
            InvalidInput: If it is too large.
        """
        id_ = secrets.token_hex(16)
        place = self._folder / f"{person}-{id_}"
        try:
            place.mkdir(parents=True, mode=0o700)
            try:
                size = _write(place / "content", parts)
                upload = Upload(id_, safe_name(name), size)
                data = {key: value for key, value in asdict(upload).items() if key != "id"}
                (place / "about.json").write_text(json.dumps(data), encoding="utf-8")
            except BaseException:
                shutil.rmtree(place, ignore_errors=True)
                raise
        except OSError as error:
            raise InfrastructureError(f"the file cannot be stored: {error.strerror or 'no space left'}") from error
        self._make_room(person)
        return upload

    def find(self, person: str, id_: str) -> Upload:
        """Return a file of this person. Raises `Refused` if there is none."""
        try:
            if not _ID.fullmatch(id_):
                raise FileNotFoundError
            about = _Kept.parse(json.loads((self._place(person, id_) / "about.json").read_bytes()))
        except (OSError, ValueError):  # deleted, or incomplete because the machine died
            raise Absent("this file no longer exists, or is not yours", fix="upload it again") from None
        return Upload(id_, about.name, about.size)

    def read(self, person: str, id_: str) -> bytes:
        """Return its content."""
        self.find(person, id_)
        return (self._place(person, id_) / "content").read_bytes()

    def _place(self, person: str, id_: str) -> Path:
        return self._folder / f"{person}-{id_}"

    def _make_room(self, person: str) -> None:
        uploads = sorted(((_age(place), place) for place in self._folder.glob(f"{person}-*")), reverse=True)
        left = MAX_KEPT
        for (_, size), place in uploads:
            left -= size
            if left < 0:
                shutil.rmtree(place, ignore_errors=True)


def safe_name(name: str) -> str:
    """Sanitise a file name: no path, not hidden, no misleading characters, not too long."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    # Cc and Cf: invisible or direction-changing; Cs, Co, Cn: not characters.
    seen = "".join(upload for upload in last if unicodedata.category(upload)[0] != "C")
    plain = re.sub(r"\s+", " ", _UNFIT.sub("_", seen)).strip(" .-~") or "file"
    stem, dot, ending = plain.rpartition(".")
    if not stem or len(ending) > 16:
        stem, dot, ending = plain, "", ""
    while len(f"{stem}{dot}{ending}") > _MAX_NAME or len(f"{stem}{dot}{ending}".encode()) > 2 * _MAX_NAME:
        stem = stem[:-1]
    return f"{stem}{dot}{ending}"


def _age(place: Path) -> tuple[float, int]:
    """Return time and size of a file, which may be deleted concurrently."""
    try:
        status = (place / "content").stat()
    except OSError:
        return 0.0, 0
    return status.st_mtime, status.st_size


def _write(path: Path, parts: Iterable[bytes]) -> int:
    size = 0
    with open(path, "xb") as file:
        for part in parts:
            size += len(part)
            if size > MAX_FILE:
                raise InvalidInput(f"a file may have at most {MAX_FILE >> 20} MB; this one is larger")
            file.write(part)
    return size
