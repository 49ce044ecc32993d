"""PDF files: damaged and hostile ones first, then what is read of honest ones."""

from __future__ import annotations

import contextlib
import json
import random
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import StateError
from fairground.verify.reading import pdf as reader
from fairground.verify.reading import pdf_objects
from fairground.verify.reading.meaning import file_kind, file_leaves
from fairground.verify.reading.pdf import leaves, read_pdf

from .paper import MARGIN, WORDS, objects, packed_pdf, pdf, stream


def with_content(content: bytes) -> bytes:
    return pdf(objects(content))


def with_object(number: int, part: bytes) -> bytes:
    return pdf(objects() | {number: part})


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "begins with"),
        (b"GIF89a", "begins with"),
        (b"%PDF-1.4\n", "cut off"),
        (pdf()[:-20], "cut off"),
        (pdf() + b"more", "something was added"),
        (pdf(trailer=b" /Encrypt 7 0 R"), "encrypted"),
        (pdf(trailer=b" /Prev 9999999"), "no object"),
        (pdf(trailer=b" /Prev -1"), "no first one"),
        (pdf(objects() | {1: b"<</Type /Nothing>>"}), "no catalog"),
        (with_object(2, b"<</Type /Pages /Kids []>>"), "no pages"),
        (with_object(2, b"<</Type /Pages /Kids [2 0 R 2 0 R]>>"), "no end"),
        (with_object(2, b"<</Type /Pages /Kids [7 0 R]>>"), "is none"),
        (pdf(objects(box=b"[0 0 1 (x)]")), "size"),
        (pdf(objects(box=b"[0 0 1]")), "no size"),
        (with_object(4, b"<</Length 5>> stream\nBT ET (and more)\nendstream"), "does not end"),
        (with_object(4, b"<</Length 4 0 R>> stream\nBT\nendstream"), "to read itself"),
        (with_object(4, b"<</Length -5>> stream\n\nendstream"), "the length"),
        (with_object(4, stream(WORDS).replace(b"x\x9c", b"x\x9d", 1)), "damaged"),
        (with_object(9, stream(b"unused").replace(b"x\x9c", b"x\x9d", 1)), "damaged"),
        (with_object(9, b"[" * 200 + b"]" * 200), "deep"),
        (with_object(9, b"(never ends"), "no end"),
        (with_object(9, b"<</A>>"), "names and values"),
        (with_content(b"(text) Tj"), "before any font"),
        (with_content(b"1 2 3 cm"), "six of a matrix"),
        (with_content(b"BI /W 1 ID never"), "no end"),
        (with_content(b"1 " * 500), "nothing is done with"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_sound_pdf_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(StateError, match=said):
        read_pdf(data)


def test_every_cut_of_a_file_is_refused() -> None:
    for whole in (pdf(), packed_pdf()):
        for end in range(0, len(whole) - 1, 7):
            with pytest.raises(StateError):
                read_pdf(whole[:end])


def test_a_bomb_is_refused_before_it_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_objects, "MAX_DECODED", 2_000_000)
    bomb = with_object(9, stream(bytes(20_000_000)))
    tracemalloc.start()
    with pytest.raises(StateError, match="unpacked"):
        read_pdf(bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12_000_000


def test_one_content_that_many_pages_share_counts_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_objects, "MAX_DECODED", 100_000)
    kids = b"<</Type /Pages /Kids [%s]>>" % (b"3 0 R " * 1_000)
    with pytest.raises(StateError, match="unpacked"):
        read_pdf(pdf(objects(b"q Q " * 100) | {2: kids}))


def test_drawings_that_draw_themselves_end() -> None:
    form = stream(b"/X Do /X Do", b"/Type /XObject /Subtype /Form /Resources <</XObject <</X 9 0 R>>>> ")
    page = objects(b"/X Do")[3].replace(b"/Font", b"/XObject <</X 9 0 R>> /Font")
    with pytest.raises(StateError, match="drawings within drawings"):
        read_pdf(pdf(objects(b"/X Do") | {3: page, 9: form}))


def test_a_file_keeps_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name, most in (
        (pdf_objects, "MAX_SIZE", 500),
        (pdf_objects, "MAX_OBJECTS", 5),
        (reader, "MAX_PAGES", 0),
    ):
        with monkeypatch.context() as patch, pytest.raises(StateError):
            patch.setattr(module, name, most)
            read_pdf.cache_clear()
            read_pdf(pdf())
    with monkeypatch.context() as patch, pytest.raises(StateError, match="values"):
        patch.setattr(pdf_objects, "MAX_TOKENS", 60)
        read_pdf.cache_clear()
        read_pdf(pdf())


@given(st.data())
def test_damage_anywhere_gives_a_file_that_reads_or_is_refused(data: st.DataObject) -> None:
    whole = bytearray(data.draw(st.sampled_from([pdf(), packed_pdf()])))
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(whole) - 1))
        edit = data.draw(st.binary(max_size=4))
        whole[at : at + data.draw(st.integers(0, 6))] = edit
    with contextlib.suppress(StateError):
        json.dumps(leaves(read_pdf(bytes(whole))))


@given(st.binary(max_size=300), st.integers(0, 2**32))
def test_any_bytes_as_a_pages_content_read_or_are_refused(content: bytes, seed: int) -> None:
    pieces = [
        content,
        *WORDS.split(),
        b"q",
        b"Q",
        b"EMC",
        b"T*",
        b"'",
        b"/Span <</ActualText (x)>> BDC",
        b"[",
        b"]",
        b"<<",
    ]
    random.Random(seed).shuffle(pieces)
    with contextlib.suppress(StateError):
        read_pdf(with_content(b" ".join(pieces)))


def test_title_text_links_and_size_are_read() -> None:
    found = read_pdf(pdf(objects(WORDS + b" " + MARGIN, title=b"<FEFF004F006C00E1>")))
    (page,) = found.pages
    assert (found.version, found.title, found.producer) == ("1.4", "Olá", "Skia/PDF m1")
    assert page.lines == ("Hie",) and page.margin == ("j",)
    assert page.links == ("http://a.example/",)
    assert page.size == (595, 842) and not page.landscape
    json.dumps(found.to_json())


def test_objects_in_streams_and_packed_tables_are_read() -> None:
    assert leaves(read_pdf(packed_pdf())) == leaves(read_pdf(pdf()))


def test_a_page_that_is_turned_is_landscape() -> None:
    page = objects()[3].replace(b"/Contents", b"/Rotate 90 /Contents")
    assert read_pdf(with_object(3, page)).pages[0].landscape


def test_lines_are_parted_by_height_and_ligatures_say_their_letters() -> None:
    content = (
        b"BT /F1 12 Tf 1 0 0 1 72 700 Tm <0001> Tj 0 -14 Td /Span <</ActualText (ff)>> BDC <0002> Tj <0003> Tj EMC "
        b"[<0001> -400 <0001>] TJ ET BT 1 0 0 1 200 686 Tm <0002> Tj ET"
    )
    assert read_pdf(with_content(content)).pages[0].lines == ("H", "ffH H i")


def test_fonts_without_a_table_of_letters_are_read_as_plain_text() -> None:
    font = b"<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>"
    content = rb"BT /F1 12 Tf (Plain \(text\) \351) Tj ET"
    assert read_pdf(pdf(objects(content) | {5: font})).text == "Plain (text) é"


def test_when_it_was_written_and_its_margins_are_no_part_of_its_meaning() -> None:
    one = pdf(objects(WORDS + b" " + MARGIN))
    other = pdf(
        objects(WORDS + b" " + MARGIN.replace(b"0003", b"0001")) | {7: b"<</Title (A page) /ModDate (D:2027)>>"}
    )
    assert one != other
    assert file_leaves("a.pdf", one) == file_leaves("b.pdf", other)
    assert file_kind("nameless", one) == ".pdf"


@pytest.mark.parametrize(
    ("number", "part"),
    [
        (4, stream(WORDS.replace(b"0002", b"0003"))),
        (4, stream(WORDS + b" 0 0 5 5 re f")),
        (4, stream(WORDS.replace(b"12 Tf", b"13 Tf"))),
        (7, b"<</Title (Another)>>"),
        (8, objects()[8].replace(b"a.example", b"b.example")),
        (3, objects(box=b"[0 0 842 595]")[3]),
    ],
)
def test_what_is_on_a_page_is_part_of_its_meaning(number: int, part: bytes) -> None:
    assert file_leaves("a.pdf", pdf()) != file_leaves("a.pdf", with_object(number, part))


def test_a_stream_that_goes_on_behind_its_end_is_refused() -> None:
    body = zlib.compress(WORDS) + b"hidden"
    part = b"<</Filter /FlateDecode /Length %d>> stream\n%s\nendstream" % (len(body), body)
    with pytest.raises(StateError, match="goes on"):
        read_pdf(with_object(4, part))
