"""Containers and XML that were made to hurt."""

from __future__ import annotations

import io
import stat
import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import StateError
from fairground.verify.reading.archive import MEGABYTE, Archive, ArchiveLimits, parse_xml

from .books import pack


def test_a_sound_container_gives_its_entries_back() -> None:
    archive = Archive(pack({"a.txt": "hello", "b/c.xml": "<x/>"}))
    assert archive.names == ("a.txt", "b/c.xml")
    assert archive.read("a.txt") == b"hello"
    assert archive.xml("b/c.xml").tag == "x"
    with pytest.raises(StateError, match=r"no entry 'nothing'"):
        archive.read("nothing")


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    with pytest.raises(StateError, match="a bomb"):
        Archive(pack({"zeros": bytes(40 * MEGABYTE)}))


def test_many_harmless_looking_entries_together_are_refused_too() -> None:
    limits = ArchiveLimits(total=10 * MEGABYTE)
    with pytest.raises(StateError, match="unpacks to"):
        Archive(pack({f"{number}": bytes(MEGABYTE) for number in range(12)}), limits=limits)


def test_an_entry_that_is_larger_than_it_says_is_refused() -> None:
    data = bytearray(pack({"a": "x" * 1000}))
    for signature, place in ((b"PK\1\2", 24), (b"PK\3\4", 22)):
        at = data.find(signature)
        data[at + place : at + place + 4] = struct.pack("<I", 10)
    with pytest.raises(StateError, match="cannot be unpacked"):
        Archive(bytes(data)).read("a")


def test_an_entry_that_is_smaller_than_it_says_is_refused() -> None:
    data = bytearray(pack({"a": "x" * 1000}))
    at = data.find(b"PK\1\2")
    data[at + 24 : at + 28] = struct.pack("<I", 2000)
    with pytest.raises(StateError, match="says 2000"):
        Archive(bytes(data)).read("a")


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../up", "a/../../b", "a//b", "C:/x", "a\\b", "a\nb", "./a", "n" * 600], ids=repr
)
def test_a_name_that_leads_elsewhere_is_refused(name: str) -> None:
    with pytest.raises(StateError, match="an entry is named"):
        Archive(pack({name: "x"}))


def test_two_entries_of_one_name_are_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("content.xml", "<good/>")
        archive.writestr("content.xml", "<bad/>")
    with pytest.raises(StateError, match="two entries"):
        Archive(buffer.getvalue())


def test_a_link_is_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = zipfile.ZipInfo("content.xml")
        info.create_system = 3
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    with pytest.raises(StateError, match="a link"):
        Archive(buffer.getvalue())


def test_an_encrypted_entry_is_refused() -> None:
    data = bytearray(pack({"a": "x"}))
    for signature, place in ((b"PK\1\2", 8), (b"PK\3\4", 6)):
        data[data.find(signature) + place] |= 1
    with pytest.raises(StateError, match="encrypted"):
        Archive(bytes(data))


def test_entries_that_share_their_bytes_are_refused() -> None:
    data = bytearray(pack({"first": "x" * 500, "other": "y" * 500}))
    at = data.find(b"other", data.find(b"PK\1\2")) - 46
    data[at + 42 : at + 46] = struct.pack("<I", 0)
    with pytest.raises(StateError, match="overlaps"):
        Archive(bytes(data))


def test_too_many_entries_are_refused() -> None:
    many = pack({f"{number}": "" for number in range(300)})
    with pytest.raises(StateError, match="300 entries"):
        Archive(many, limits=ArchiveLimits(entries=200))
    lying = bytearray(many)
    lying[-14:-10] = struct.pack("<HH", 1, 1)
    with pytest.raises(StateError, match="entries"):
        Archive(bytes(lying), limits=ArchiveLimits(entries=200))


def test_an_unusual_packing_is_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a", "x" * 100)
    with pytest.raises(StateError, match="unexpected way"):
        Archive(buffer.getvalue())


@pytest.mark.parametrize("data", [b"", b"PK", b"\0" * 5000, b"PK\5\6" + b"\xff" * 18, b"%PDF-1.7"], ids=repr)
def test_what_is_no_container_is_refused(data: bytes) -> None:
    with pytest.raises(StateError):
        Archive(data)


@given(st.data())
def test_a_damaged_container_gives_its_content_or_an_error(data: st.DataObject) -> None:
    raw = bytearray(pack({"a.txt": "hello " * 50, "b.xml": "<x><y/></x>"}))
    for _ in range(data.draw(st.integers(1, 5))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        archive = Archive(bytes(raw[: data.draw(st.integers(0, len(raw)))]))
        for name in archive.names:
            archive.read(name)
    except StateError as error:
        assert error.message.startswith("archive: ")


BILLION = "<!DOCTYPE x [" + "".join(
    f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "ha"}">' for n in range(10)
)  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        BILLION + "]><x>&e9;</x>",
        '<!DOCTYPE x [<!ENTITY a "' + "a" * 50_000 + '">]><x>' + "&a;" * 50_000 + "</x>",
        '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><x>&f;</x>',
        '<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd"><x/>',
    ],
    ids=["billion laughs", "quadratic blowup", "outside file", "outside document type"],
)
def test_a_document_type_is_refused(text: str) -> None:
    with pytest.raises(StateError, match="must not"):
        parse_xml(text.encode())


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(StateError, match="nested deeper"):
        parse_xml(b"<x>" * 1_000_000)


def test_too_many_elements_are_refused() -> None:
    with pytest.raises(StateError, match="more elements"):
        parse_xml(b"<x>" + b"<y/>" * 1000 + b"</x>", elements=500)


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"   ", b"text", b"<x>", b"<x></y>", b"<x a='1' a='2'/>", b"<x>\xff\xfe</x>", b"<x/><y/>", b"<p:x/>"),
        *(b'<?xml version="1.0" encoding="no-such"?><x/>', b"<x>&nbsp;</x>", b"<x>\0</x>"),
    ],
    ids=repr,
)
def test_malformed_xml_is_an_error(data: bytes) -> None:
    with pytest.raises(StateError, match="XML"):
        parse_xml(data)


@given(st.binary(max_size=300))
def test_any_bytes_are_xml_or_an_error(data: bytes) -> None:
    try:
        assert parse_xml(b"<x>" + data + b"</x>").tag == "x"
    except StateError as error:
        assert error.message.startswith("XML: ")
