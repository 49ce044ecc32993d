"""Opening zip containers and XML that an untrusted program wrote.

Everything here either returns the requested data or raises `StateError`. Nothing that the file claims about itself is
trusted, and the limits apply to any content. Nested archives are never opened.
"""

from __future__ import annotations

import contextlib
import io
import re
import stat
import struct
import zipfile
import zlib
from dataclasses import dataclass
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, fromstring

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from fairground.core import StateError

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class ArchiveLimits:
    """Limits of a container, generous for documents that people create."""

    size: int = 64 * MEGABYTE
    """Maximum bytes of the container itself."""
    entry: int = 64 * MEGABYTE
    """Maximum bytes of one unpacked entry."""
    total: int = 256 * MEGABYTE
    """Maximum bytes of all unpacked entries, according to their declared sizes."""
    entries: int = 5_000
    ratio: float = 300.0
    """Maximum compression ratio, checked for entries above a megabyte."""
    name: int = 500
    """Maximum characters of an entry's name."""


class Archive:
    """A zip container with a validated list of entries."""

    def __init__(self, data: bytes, *, what: str = "archive", limits: ArchiveLimits | None = None) -> None:
        self._what = what
        self._limits = limits or ArchiveLimits()
        if len(data) > self._limits.size:
            raise self._fault(f"{len(data)} bytes, expected at most {self._limits.size}")
        self._check_end(data)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _ZIP_FAULTS as error:
            raise self._fault(f"not a sound zip container: {error}") from None
        self._entries: dict[str, zipfile.ZipInfo] = {}
        self._check_entries(data)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the entries, in the order of the container's list."""
        return tuple(self._entries)

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def size(self, name: str) -> int:
        """Declared size of an unpacked entry. `read` verifies it."""
        if name not in self._entries:
            raise self._fault(f"no entry {name!r}")
        return self._entries[name].file_size

    def read(self, name: str) -> bytes:
        """Return an unpacked entry.

        Raises:
            StateError: It is missing, damaged, or does not have the declared size.
        """
        if name not in self._entries:
            raise self._fault(f"no entry {name!r}")
        info = self._entries[name]
        try:
            with self._zip.open(info) as stream:
                content = stream.read(info.file_size + 1)
        except _ZIP_FAULTS as error:
            raise self._fault(f"entry {name!r} cannot be unpacked: {error}") from None
        if len(content) != info.file_size:
            raise self._fault(f"entry {name!r} has {len(content)} bytes, and says {info.file_size}")
        return content

    def xml(self, name: str) -> Element:
        """Return an entry, parsed as XML."""
        return parse_xml(self.read(name), what=f"{self._what}: {name}")

    def _check_end(self, data: bytes) -> None:
        """Check the size of the list of entries before the list is read."""
        position = data.rfind(b"PK\5\6", max(0, len(data) - 65_557))
        if position < 0 or len(data) - position < 22:
            raise self._fault("not a zip container, or its end is missing")
        count, size = struct.unpack_from("<HI", data, position + 10)
        if count > self._limits.entries or size > 1000 * self._limits.entries or size > len(data):
            raise self._fault(f"a list of {count} entries in {size} bytes, expected at most {self._limits.entries}")

    def _check_entries(self, data: bytes) -> None:
        infos = self._zip.infolist()
        if len(infos) > self._limits.entries:
            raise self._fault(f"{len(infos)} entries, expected at most {self._limits.entries}")
        total = 0
        for info in infos:
            self._check_name(info.filename)
            self._check_kind(info)
            if info.file_size > self._limits.entry:
                raise self._fault(f"entry {info.filename!r} unpacks to {info.file_size} bytes, over the limit")
            if info.file_size > MEGABYTE and info.file_size > self._limits.ratio * info.compress_size:
                raise self._fault(f"entry {info.filename!r} is packed {info.compress_size} to {info.file_size}: a bomb")
            total += info.file_size
            self._entries[info.filename] = info
        if total > self._limits.total:
            raise self._fault(f"unpacks to {total} bytes, expected at most {self._limits.total}")
        self._check_overlaps(data, infos)

    def _check_name(self, name: str) -> None:
        if name in self._entries:
            # Which of the two counts depends on the reader, so the file is ambiguous.
            raise self._fault(f"two entries are named {name[:80]!r}")
        parts = name.removesuffix("/").split("/")
        odd = any(part in ("", ".", "..") for part in parts) or ":" in parts[0] or "\\" in name
        if odd or len(name) > self._limits.name or not name.isprintable():
            raise self._fault(f"an entry is named {name[:80]!r}")

    def _check_kind(self, info: zipfile.ZipInfo) -> None:
        if info.flag_bits & 0x1 or info.flag_bits & 0x40:
            raise self._fault(f"entry {info.filename!r} is encrypted")
        mode = info.external_attr >> 16
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise self._fault(f"entry {info.filename!r} is a link or a device, expected a file")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise self._fault(f"entry {info.filename!r} is packed in an unexpected way ({info.compress_type})")

    def _check_overlaps(self, data: bytes, infos: list[zipfile.ZipInfo]) -> None:
        """Refuse entries that share bytes, which allow a small file to unpack to a huge size."""
        end = 0
        for info in sorted(infos, key=lambda info: info.header_offset):
            start = info.header_offset
            if start < end or data[start : start + 4] != b"PK\3\4" or start + 30 > len(data):
                raise self._fault(f"entry {info.filename!r} overlaps another one, or is not where the list says")
            name, extra = struct.unpack_from("<HH", data, start + 26)
            end = start + 30 + name + extra + info.compress_size
        if end > len(data):
            raise self._fault("its last entry is cut off")

    def _fault(self, message: str) -> StateError:
        return StateError(f"{self._what}: {message}")


def parse_xml(data: bytes, *, what: str = "XML", depth: int = 200, elements: int = 2_000_000) -> Element:
    """Parse XML within limits of size and depth, without document types, entities or external references.

    Raises:
        StateError: It is malformed, declares a document type or an entity, or is over a limit.
    """
    if data.count(b"<") > 2 * elements + 1_000:
        raise StateError(f"{what}: holds more elements than the limit of {elements} allows")
    if _PLAIN.match(data) and b"<!DOCTYPE" not in data and b"<!ENTITY" not in data:
        with contextlib.suppress(ParseError, ValueError, LookupError):  # the other parser says what is wrong
            return _within(fromstring(data), what, depth, elements)
    # Other bytes may declare a document type, too. This parser is much slower, and refuses all of them.
    builder = _BoundedBuilder(what, depth, elements)
    parser = DefusedXMLParser(target=builder, forbid_dtd=True, forbid_entities=True, forbid_external=True)
    try:
        parser.feed(data)
        root = parser.close()
    except DefusedXmlException as error:
        raise StateError(f"{what}: declares what a document must not: {type(error).__name__}") from None
    except (ParseError, ValueError, LookupError, AssertionError) as error:
        raise StateError(f"{what}: not well-formed XML: {error}") from None
    if not isinstance(root, Element):
        raise StateError(f"{what}: no XML element in it")
    return root


_PLAIN = re.compile(
    rb"""(?:\xef\xbb\xbf)?\s{0,100}<(?:[A-Za-z_]|\?xml\s(?:(?!encoding)[^>\0]){0,100}"""
    rb"""(?:encoding=["'][uU][tT][fF]-8["'][^>\0]{0,100})?>)"""
)
"""The beginning of a document whose text is UTF-8, so that a search for bytes finds all declarations."""


def _within(root: Element, what: str, depth: int, elements: int) -> Element:
    """Check the depth and the number of elements of a tree, level by level."""
    level, count = [root], 1
    for _ in range(depth):
        level = [child for element in level for child in element]
        count += len(level)
        if not level:
            break
    if level or count > elements:
        raise StateError(f"{what}: nested deeper, or holding more elements, than the limit allows")
    return root


class _BoundedBuilder(TreeBuilder):
    def __init__(self, what: str, depth: int, elements: int) -> None:
        super().__init__()
        self._what = what
        self._depth_left = depth
        self._elements_left = elements

    def start(self, tag: str, attrs: dict[str, str]) -> Element:
        self._depth_left -= 1
        self._elements_left -= 1
        if self._depth_left < 0 or self._elements_left < 0:
            raise StateError(f"{self._what}: nested deeper, or holding more elements, than the limit allows")
        return super().start(tag, attrs)

    def end(self, tag: str) -> Element:
        self._depth_left += 1
        return super().end(tag)


# Raised by the standard library for damaged or malicious containers.
_ZIP_FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
)
