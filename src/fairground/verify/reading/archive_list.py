"""Listing of archives: zip, tar, and tar packed with gzip, bzip2 or xz. Names only; nothing is unpacked.

The tar parser is our own, because the standard library's has looped forever on hostile headers.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fairground.core import StateError
from fairground.verify.reading.archive import Archive

MAX_SIZE = 64 << 20
MAX_UNPACKED = 128 << 20
MAX_MEMBERS = 20_000
MAX_NAME = 4_000

ArchiveKind: TypeAlias = Literal["zip", "tar", "tar.gz", "tar.bz2", "tar.xz"]
_WHAT = "archive"


@dataclass(frozen=True)
class Member:
    """One entry of an archive.

    Attributes:
        size: Bytes of a file; otherwise 0.
        target: Target of a link.
    """

    name: str
    kind: Literal["file", "folder", "link", "other"]
    size: int = 0
    target: str = ""


@dataclass(frozen=True)
class ArchiveListing:
    """The entries of an archive, in its order."""

    kind: ArchiveKind
    members: tuple[Member, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the members; folders without a trailing slash."""
        return tuple(member.name for member in self.members)


def list_archive(data: bytes) -> ArchiveListing:
    """List an archive. Its first bytes determine the kind.

    Raises:
        StateError: It is of no known kind, damaged or encrypted, contains a name twice, or is over a limit.
    """
    if len(data) > MAX_SIZE:
        raise StateError(f"{_WHAT}: {len(data)} bytes, expected at most {MAX_SIZE}")
    if data[:2] == b"PK":
        return _listing("zip", _zip_members(data))
    for kind, start in _PACKED.items():
        if data.startswith(start):
            return _listing(kind, _tar_members(_unpacked(data, kind)))
    return _listing("tar", _tar_members(data))


def leaves(listing: ArchiveListing) -> dict[str, object]:
    """Kind and size of each member by name, independent of the order."""
    result: dict[str, object] = {"kind": listing.kind}
    for member in sorted(listing.members, key=lambda member: member.name):
        result[f"member[{member.name}].kind"] = member.kind
        result[f"member[{member.name}].size"] = member.size
    return result


_WITHOUT_BODY = (b"1", b"2", b"3", b"4", b"5", b"6")  # links, devices, folders, pipes
_PACKED: dict[ArchiveKind, bytes] = {"tar.gz": b"\x1f\x8b", "tar.bz2": b"BZh", "tar.xz": b"\xfd7zXZ\0"}


def _listing(kind: ArchiveKind, members: list[Member]) -> ArchiveListing:
    if len({member.name for member in members}) != len(members):
        raise StateError(f"{_WHAT}: a name is said twice")
    return ArchiveListing(kind, tuple(members))


def _zip_members(data: bytes) -> list[Member]:
    archive = Archive(data, what=_WHAT)
    return [
        Member(name.removesuffix("/"), "folder" if name.endswith("/") else "file", archive.size(name))
        for name in archive.names
    ]


def _unpacked(data: bytes, kind: ArchiveKind) -> bytes:
    try:
        if kind == "tar.gz":
            packer = zlib.decompressobj(wbits=31)
            content = packer.decompress(data, MAX_UNPACKED)
            complete = packer.eof
        elif kind == "tar.bz2":
            unpacker = bz2.BZ2Decompressor()
            content = unpacker.decompress(data, MAX_UNPACKED)
            complete = unpacker.eof
        else:
            reader = lzma.LZMADecompressor(memlimit=128 << 20)
            content = reader.decompress(data, MAX_UNPACKED)
            complete = reader.eof
    except (zlib.error, OSError, lzma.LZMAError, EOFError, ValueError, MemoryError) as error:
        raise StateError(f"{_WHAT}: cannot be unpacked: {error}") from None
    if not complete:
        raise StateError(f"{_WHAT}: cut off, or more than {MAX_UNPACKED} bytes unpacked")
    return content


def _tar_members(data: bytes) -> list[Member]:
    members: list[Member] = []
    place = headers = 0
    given: dict[str, str] = {}  # names and sizes that do not fit into a header, given before it
    while True:
        header = data[place : place + 512]
        if len(header) == 512 and not any(header):
            break
        _check_header(header, place)
        headers += 1
        size = int(given.pop("size", "0")) or _number(header[124:136])
        kind = header[156:157]
        body = place + 512
        held = 0 if kind in _WITHOUT_BODY else size
        if body + held > len(data) or kind == b"S":
            raise StateError(f"{_WHAT}: a member of {size} bytes is cut off, or has holes")
        if kind in (b"L", b"K"):
            given["path" if kind == b"L" else "linkpath"] = _name(data[body : body + min(size, MAX_NAME + 1)])
        elif kind == b"x":
            given |= _extended(data[body : body + size])
        elif kind != b"g":
            members.append(_member(header, kind, size, given))
            given = {}
        if headers > 3 * MAX_MEMBERS or len(members) > MAX_MEMBERS:
            raise StateError(f"{_WHAT}: more than {MAX_MEMBERS} members")
        place = body + held + -held % 512
    if not members:
        raise StateError(f"{_WHAT}: nothing in it, or not an archive")
    return members


def _check_header(header: bytes, place: int) -> None:
    if len(header) < 512 or header[257:262] != b"ustar":
        raise StateError(f"{_WHAT}: no tar header at byte {place}: not an archive, or it is cut off")
    if _number(header[148:156]) != sum(header[:148]) + 8 * 32 + sum(header[156:]):
        raise StateError(f"{_WHAT}: the header at byte {place} is damaged")


def _number(field: bytes) -> int:
    if field[0] & 0x80:
        return int.from_bytes(bytes([field[0] & 0x7F]) + field[1:], "big")
    text = field.strip(b"\0 ")
    if not text:
        return 0
    if any(byte not in b"01234567" for byte in text):
        raise StateError(f"{_WHAT}: {field!r} is not a number")
    return int(text, 8)


def _name(field: bytes) -> str:
    try:
        name = field.split(b"\0", 1)[0].decode()
    except UnicodeDecodeError:
        raise StateError(f"{_WHAT}: a name that is not UTF-8: {field[:80]!r}") from None
    if len(name) > MAX_NAME:
        raise StateError(f"{_WHAT}: a name of more than {MAX_NAME} characters")
    return name


def _extended(data: bytes) -> dict[str, str]:
    """The records `length key=value` with data that does not fit into a header."""
    records: dict[str, str] = {}
    place = 0
    while place < len(data) and data[place]:
        length, space, _ = data[place : place + 20].partition(b" ")
        if not space or not length.isdigit() or not len(length) + 2 < int(length) <= len(data) - place:
            raise StateError(f"{_WHAT}: an extended header is damaged")
        key, _, value = data[place + len(length) + 1 : place + int(length) - 1].partition(b"=")
        if key in (b"path", b"linkpath"):
            records[key.decode()] = _name(value)
        elif key == b"size":
            if not value.isdigit() or len(value) > 15:
                raise StateError(f"{_WHAT}: an extended header gives the size {value[:40]!r}")
            records["size"] = value.decode()
        place += int(length)
    return records


def _member(header: bytes, kind: bytes, size: int, given: dict[str, str]) -> Member:
    prefix = _name(header[345:500]) if header[257:263] == b"ustar\0" else ""
    short = _name(header[:100])
    name = given.get("path") or (f"{prefix}/{short}" if prefix else short)
    target = given.get("linkpath") or _name(header[157:257])
    if not name:
        raise StateError(f"{_WHAT}: a member without a name")
    if kind in (b"\0", b"0", b"7") and not name.endswith("/"):
        return Member(name, "file", size)
    if kind == b"5" or name.endswith("/"):
        return Member(name.rstrip("/") or "/", "folder")
    return Member(name, "link", 0, target) if kind in (b"1", b"2") else Member(name, "other")
