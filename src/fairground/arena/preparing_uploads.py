"""Files that people have uploaded: kept as bytes under names of ours, found again only by whoever sent them."""

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
"""Files that may be sent at once."""

MAX_FILE: Final = 32 << 20
"""Bytes of each."""

MAX_KEPT: Final = 256 << 20
"""Bytes that are kept for one person; beyond, the oldest go."""

_MAX_NAME: Final = 120
_ID: Final = re.compile(r"[0-9a-f]{32}")
_UNFIT: Final = re.compile(r'[/\\<>:"|?*\x00-\x1f\x7f]+')


@dataclass(frozen=True)
class Upload:
    """A file that was sent.

    Attributes:
        id: Random.
        name: What it is called in a seat: the sender's name for it, made harmless.
        size: Bytes.
    """

    id: str
    name: str
    size: int


class _Kept(Record):
    name: str
    size: int


class Uploads:
    """Where files are kept: one folder a file, with its content and what it was called.

    Args:
        folder: Made when the first file comes.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, person: str, name: str, parts: Iterable[bytes]) -> Upload:
        """Takes a file in.

        Raises:
            InvalidInput: When it is too large.
        """
        id_ = secrets.token_hex(16)
        place = self._folder / f"{person}-{id_}"
        try:
            place.mkdir(parents=True, mode=0o700)
            try:
                size = _write(place / "content", parts)
                upload = Upload(id_, safe_name(name), size)
                told = {key: value for key, value in asdict(upload).items() if key != "id"}
                (place / "about.json").write_text(json.dumps(told), encoding="utf-8")
            except BaseException:
                shutil.rmtree(place, ignore_errors=True)
                raise
        except OSError as error:
            raise InfrastructureError(f"the file cannot be kept: {error.strerror or 'no place'}") from error
        self._make_room(person)
        return upload

    def find(self, person: str, id_: str) -> Upload:
        """A file of this person's. Raises `Refused` when there is none."""
        try:
            if not _ID.fullmatch(id_):
                raise FileNotFoundError
            about = _Kept.parse(json.loads((self._place(person, id_) / "about.json").read_bytes()))
        except (OSError, ValueError):  # gone, or cut short when the machine died
            raise Absent("there is no such file of yours any more", fix="upload it again") from None
        return Upload(id_, about.name, about.size)

    def read(self, person: str, id_: str) -> bytes:
        """Its content."""
        self.find(person, id_)
        return (self._place(person, id_) / "content").read_bytes()

    def _place(self, person: str, id_: str) -> Path:
        return self._folder / f"{person}-{id_}"

    def _make_room(self, person: str) -> None:
        found = sorted(((_age(place), place) for place in self._folder.glob(f"{person}-*")), reverse=True)
        left = MAX_KEPT
        for (_, size), place in found:
            left -= size
            if left < 0:
                shutil.rmtree(place, ignore_errors=True)


def safe_name(name: str) -> str:
    """A name that is only a name: no path, nothing hidden, nothing that reads otherwise than it is, not too long."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    # Cc and Cf: what cannot be seen, or turns the rest around; Cs, Co, Cn: what is no character.
    seen = "".join(one for one in last if unicodedata.category(one)[0] != "C")
    plain = re.sub(r"\s+", " ", _UNFIT.sub("_", seen)).strip(" .-~") or "file"
    stem, dot, ending = plain.rpartition(".")
    if not stem or len(ending) > 16:
        stem, dot, ending = plain, "", ""
    while len(f"{stem}{dot}{ending}") > _MAX_NAME or len(f"{stem}{dot}{ending}".encode()) > 2 * _MAX_NAME:
        stem = stem[:-1]
    return f"{stem}{dot}{ending}"


def _age(place: Path) -> tuple[float, int]:
    """When a file came, and how large it is; it may be going at this moment."""
    try:
        found = (place / "content").stat()
    except OSError:
        return 0.0, 0
    return found.st_mtime, found.st_size


def _write(path: Path, parts: Iterable[bytes]) -> int:
    size = 0
    with open(path, "xb") as file:
        for part in parts:
            size += len(part)
            if size > MAX_FILE:
                raise InvalidInput(f"a file may have {MAX_FILE >> 20} MB; this one has more")
            file.write(part)
    return size
