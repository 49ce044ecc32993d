"""Text documents: those that nobody honest would write, and those that LibreOffice wrote."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairground.core import StateError
from fairground.verify.reading.document import Document, document_leaves
from fairground.verify.reading.docx import read_docx
from fairground.verify.reading.odt import MIMETYPE, read_odt
from fairground.verify.reading.prose import Paragraph

from .books import NAMESPACES, pack
from .office import changed, entries, make, repack

pytestmark = pytest.mark.process

DRAW = (
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" '
    'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"'
)
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def odt(body: str, styles: str = "", prolog: str = "", mimetype: str = MIMETYPE) -> bytes:
    text = (
        f'{prolog}<office:document-content {NAMESPACES} {DRAW} office:version="1.3">'
        f"<office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    return pack({"mimetype": mimetype, "content.xml": text})


def docx(body: str) -> bytes:
    return pack({"word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("documents")
    make("documents", made)
    return made


@pytest.fixture(scope="module")
def account(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "account.json").read_text())
    return found


@pytest.fixture(scope="module")
def rich(folder: Path) -> dict[str, Document]:
    return {
        "odt": read_odt((folder / "rich.odt").read_bytes()),
        "docx": read_docx((folder / "rich.docx").read_bytes()),
    }


@pytest.fixture(params=["odt", "docx"])
def document(request: pytest.FixtureRequest, rich: dict[str, Document]) -> Document:
    return rich[request.param]


def said(document: Document, start: str) -> Paragraph:
    return next(paragraph for paragraph in document.paragraphs if paragraph.text.startswith(start))


# Those that nobody honest writes


@pytest.mark.parametrize(
    "data",
    [b"", b"PK", b"%PDF-1.7", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), pack({"a": "b"}), odt("")[:300]],
    ids=["empty", "stub", "pdf", "encrypted or old", "other container", "truncated"],
)
@pytest.mark.parametrize("read", [read_odt, read_docx])
def test_what_is_no_document_is_refused(read: Callable[[bytes], Document], data: bytes) -> None:
    with pytest.raises(StateError):
        read(data)


def test_another_kind_of_document_is_refused() -> None:
    with pytest.raises(StateError, match="mimetype"):
        read_odt(odt("", mimetype="application/vnd.oasis.opendocument.spreadsheet"))
    with pytest.raises(StateError, match="another kind of document"):
        read_odt(pack({"mimetype": MIMETYPE, "content.xml": "<x/>"}))
    with pytest.raises(StateError, match="no body"):
        read_docx(pack({"word/document.xml": f'<w:document xmlns:w="{WORD}"/>'}))
    with pytest.raises(StateError, match="not well-formed"):
        read_docx(docx("<w:p>"))


def test_a_document_behind_a_password_is_refused() -> None:
    manifest = (
        '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        '<m:file-entry m:full-path="content.xml"><m:encryption-data/></m:file-entry></m:manifest>'
    )
    with pytest.raises(StateError, match="encrypted with a password"):
        read_odt(pack({"mimetype": MIMETYPE, "content.xml": b"\x93\xfa", "META-INF/manifest.xml": manifest}))


LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (odt("<text:p>&b;</text:p>", prolog=LAUGHS), "must not"),
        (odt(" " * (30 << 20)), "a bomb"),
        (odt("<text:p>" + "<text:span>" * 300 + "</text:span>" * 300 + "</text:p>"), "nested deeper"),
        (odt("<text:p>" + '<text:s text:c="100000"/>' * 500 + "</text:p>"), "more letters"),
        (odt('<text:p><text:bookmark text:name="a"/></text:p>' * 6000), "bookmarks"),
        (
            odt('<table:table><table:table-row table:number-rows-repeated="9999999"/></table:table>'),
            "rows",
        ),
        (
            odt(
                "<table:table><table:table-row><table:table-cell "
                'table:number-columns-spanned="99999"/></table:table-row></table:table>'
            ),
            "columns",
        ),
        (
            odt(
                "<table:table><table:table-row><table:table-cell "
                'table:number-rows-spanned="7"/></table:table-row></table:table>'
            ),
            "spans more rows",
        ),
        (
            docx('<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="999999"/></w:tcPr><w:p/></w:tc><w:tc/></w:tr></w:tbl>'),
            "columns",
        ),
        (docx("<w:p><w:ins><w:r><w:t>x</w:t></w:r></w:ins></w:p>" * 5_500), "more than 5000"),
    ],
    ids=[
        *("laughs", "spaces", "depth", "counted spaces", "bookmarks", "rows", "columns", "row span"),
        *("span in docx", "changes in docx"),
    ],
)
def test_bombs_are_refused(data: bytes, message: str) -> None:
    read = read_docx if b"word/document.xml" in data else read_odt
    with pytest.raises(StateError, match=message):
        read(data)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (odt("<text:p/>" * 101), "paragraphs"),
        (docx("<w:p/>" * 101), "paragraphs"),
        (odt("<text:p>" + "<text:span/><draw:rect/>" * 101 + "</text:p>"), "shapes"),
        (odt("<text:p>" + "<text:date>1</text:date>2" * 51 + "</text:p>"), "runs"),
        (
            odt(
                '<table:table><table:table-row table:number-rows-repeated="20">'
                '<table:table-cell table:number-columns-repeated="20"/></table:table-row></table:table>'
            ),
            "cells",
        ),
        (docx("<w:tbl>" + "<w:tr>" + "<w:tc/>" * 101 + "</w:tr></w:tbl>"), "cells"),
    ],
)
def test_a_whole_document_keeps_its_limits(monkeypatch: pytest.MonkeyPatch, data: bytes, kind: str) -> None:
    monkeypatch.setattr(f"fairground.verify.reading.prose.MAX_{kind.upper()}", 100)
    with pytest.raises(StateError, match=f"more {kind} than the limit"):
        (read_docx if b"word/document.xml" in data else read_odt)(data)


def test_styles_that_follow_each_other_in_a_circle_end() -> None:
    styles = "".join(
        f'<style:style style:name="{a}" style:family="paragraph" style:parent-style-name="{b}"/>'
        for a, b in (("a", "b"), ("b", "a"))
    )
    assert read_odt(odt('<text:p text:style-name="a">x</text:p>', styles)).text == "x"


def test_a_picture_outside_of_the_file_is_not_opened() -> None:
    frame = '<text:p><draw:frame><draw:image xlink:href="file:///etc/passwd"/></draw:frame></text:p>'
    picture = read_odt(odt(frame)).images[0].picture
    assert picture is not None
    assert (picture.digest, picture.link) == ("", "file:///etc/passwd")


def test_deeply_nested_text_is_read_within_the_stack() -> None:
    levels = 60
    boxes = "<text:p>in<draw:frame><draw:text-box>" * levels + "</draw:text-box></draw:frame></text:p>" * levels
    document = read_odt(odt(boxes))
    assert document.text == "in"
    assert len(document_leaves(document)) > levels


def test_spaces_are_kept_as_the_format_says() -> None:
    body = "<text:p>\n  a  b <text:span> c</text:span><text:s text:c='2'/>d<text:tab/>e<text:line-break/>f</text:p>"
    assert read_odt(odt(body)).text == "a b c  d\te\nf"


def test_a_link_of_a_word_field_leads_to_its_place() -> None:
    def linked(instruction: str) -> str:
        marks = [f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end")]
        code = f"<w:r><w:instrText>{instruction}</w:instrText></w:r>"
        body = f"<w:p>{marks[0]}{code}{marks[1]}<w:r><w:t>here</w:t></w:r>{marks[2]}</w:p>"
        return read_docx(docx(body)).paragraphs[0].runs[0].link

    assert linked(' HYPERLINK "https://example.org/" ') == "https://example.org/"
    assert linked(' HYPERLINK "https://example.org/" \\l "x"') == "https://example.org/#x"
    assert linked(' HYPERLINK \\l "place" ') == "#place"


def test_a_tracked_change_that_was_cut_up_is_one() -> None:
    def change(kind: str, text: str, author: str = "Ada") -> str:
        name = "delText" if kind == "del" else "t"
        return f'<w:{kind} w:author="{author}"><w:r><w:{name}>{text}</w:{name}></w:r></w:{kind}>'

    inserted = change("ins", "one ") + change("ins", "two") + change("ins", "three", "Bo")
    body = f"<w:p>{inserted}<w:r><w:t>kept</w:t></w:r>{change('del', 'a')}{change('del', 'b')}</w:p>"
    found = [(one.kind, one.text, one.author) for one in read_docx(docx(body)).changes]
    assert found == [("insert", "one two", "Ada"), ("insert", "three", "Bo"), ("delete", "ab", "Ada")]


def test_hidden_text_says_so() -> None:
    style = '<style:style style:name="h" style:family="text"><style:text-properties text:display="none"/></style:style>'
    paragraph = read_odt(odt('<text:p>seen<text:span text:style-name="h">not</text:span></text:p>', style)).paragraphs[
        0
    ]
    assert [(run.text, run.hidden) for run in paragraph.runs] == [("seen", False), ("not", True)]
    word = read_docx(docx("<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>not</w:t></w:r></w:p>")).paragraphs[0]
    assert [run.hidden for run in word.runs] == [True]


@settings(
    max_examples=max(3, settings().max_examples // 5), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_a_damaged_file_is_a_document_or_an_error(folder: Path, data: st.DataObject) -> None:
    read, name = data.draw(st.sampled_from([(read_odt, "rich.odt"), (read_docx, "rich.docx")]))
    broken = bytearray((folder / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.sampled_from([len(broken), data.draw(st.integers(0, len(broken)))]))
    try:
        assert isinstance(read(bytes(broken[:cut])), Document)
    except StateError as error:
        assert error.message


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_damaged_content_is_a_document_or_an_error(folder: Path, data: st.DataObject) -> None:
    """The same, past the checksums: values in the XML are altered, and parts are swapped."""
    read, name = data.draw(st.sampled_from([(read_odt, "rich.odt"), (read_docx, "rich.docx")]))
    found = entries((folder / name).read_bytes())
    parts = sorted(entry for entry in found if entry.endswith(".xml") and len(found[entry]) > 100)
    entry = data.draw(st.sampled_from(parts))
    if data.draw(st.booleans()):
        pieces = found[entry].decode().split('"')
        for _ in range(data.draw(st.integers(1, 20))):
            place = data.draw(st.integers(0, (len(pieces) - 1) // 2)) * 2 + 1
            if place < len(pieces) and "://" not in pieces[place] and ":xmlns:" not in pieces[place]:
                pieces[place] = data.draw(st.sampled_from(["", "-1", "99999999999", "NaN", "é", "100%", "P1", "1e9in"]))
        found[entry] = '"'.join(pieces).encode()
    else:
        other = data.draw(st.sampled_from(parts))
        found[entry], found[other] = found[other], found[entry]
    try:
        json.dumps(dataclasses.asdict(read(repack(found))))
    except StateError as error:
        assert error.message


# What LibreOffice wrote


def test_paragraphs_styles_and_headings_are_read(document: Document) -> None:
    assert [(heading.text, heading.heading, heading.style) for heading in document.headings] == [
        ("Introduction", 1, "Heading 1"),
        ("Second", 2, "Heading 2"),
    ]
    assert document.paragraphs[0].style == "Title"
    assert document.paragraphs[0].alignment == "center"
    assert document.headings[0].runs[0].colour == "#1f4e79"
    assert document.headings[0].runs[0].size == 18
    assert document.headings[0].keep_with_next


def test_letters_look_as_they_were_set(document: Document) -> None:
    words = {run.text: run for run in said(document, "plain").runs}
    assert words["bold"].bold and not words["plain "].bold
    assert words["italic"].italic
    assert words["under"].underline
    assert words["struck"].strike
    assert words["coloured"].colour == "#c00000"
    assert words["marked"].highlight == "#ffff00"
    assert (words["large"].font, words["large"].size) == ("Liberation Mono", 18)
    assert words["raised"].script == "super"
    assert words["link"].link == "https://example.org/a?b=c"
    assert words["link"].style == "Internet link"


def test_paragraphs_are_set_as_they_were_set(document: Document) -> None:
    spaced = said(document, "two ")
    assert spaced.text == "two   spaces\tand a tab 株式"
    assert (spaced.alignment, spaced.line_spacing) == ("center", "150%")
    indented = said(document, "indented")
    assert indented.alignment == "justify"
    assert (indented.left, indented.first_line, indented.above) == pytest.approx((10, 5, 3), abs=0.05)
    assert said(document, "after the break").page_break
    assert not said(document, "indented").page_break


def test_lists_and_their_levels_are_read(document: Document) -> None:
    found = [(p.text, p.list, p.list_level) for p in document.paragraphs if p.list]
    assert found == [
        ("first", "bullet", 1),
        ("second", "bullet", 1),
        ("deeper", "bullet", 2),
        ("counted", "number", 1),
    ]
    assert said(document, "counted").list_format == "1"


def test_a_table_is_read_with_merged_cells_and_formulas(document: Document) -> None:
    (table,) = document.tables
    assert table.grid == (
        ("Item", "2023", "2024"),
        ("Pens", "10", "12"),
        ("Ink", "5", "15"),
        ("Both of it", "", ""),
    )
    assert table.header_rows == 1
    assert (table.at(3, 1).text, table.at(3, 1).columns) == ("Both of it", 2)
    assert table.at(2, 2).formula in ("<B2>+<B3>", "B2+B3")
    assert table.at(0, 0).background == "#dddddd"
    assert table.at(0, 0).borders == ("top", "bottom", "left")
    assert table.width == pytest.approx(257, abs=0.1)
    with pytest.raises(StateError, match="no cell at row 9"):
        table.at(9, 0)


def test_pictures_charts_and_boxes_are_read(document: Document, folder: Path) -> None:
    (image,) = document.images
    assert (image.name, image.alt) == ("Logo", "A red square")
    assert (image.width, image.height) == pytest.approx((30, 20), abs=0.1)
    assert image.picture is not None
    assert image.picture.digest == hashlib.sha256((folder / "picture.png").read_bytes()).hexdigest()
    assert document.body[image.paragraph] == said(document, "a picture")
    (shape,) = document.charts
    chart = shape.chart
    assert chart is not None
    assert (shape.name, chart.kind, chart.title) == ("Trend", "line", "Growth")
    assert chart.categories == ("Jan", "Feb", "Mar")
    assert [(one.name, one.values) for one in chart.series] == [
        ("North", (1.0, 3.0, 5.0)),
        ("South", (2.5, 4.0, -6.0)),
    ]
    box = next(shape for shape in document.shapes if shape.kind == "text")
    assert (box.name, box.text) == ("Frame1", "in a box")


def test_notes_comments_and_bookmarks_are_read(document: Document) -> None:
    assert [(note.kind, note.text) for note in document.notes] == [
        ("footnote", "A footnote."),
        ("endnote", "An endnote."),
    ]
    (comment,) = document.comments
    assert (comment.author, comment.text, comment.on) == ("Ada", "Is this so?", "remark")
    assert [(mark.name, mark.text) for mark in document.bookmarks] == [("place", "place")]
    assert document.body[comment.block] == said(document, "a bookmarked")


def test_tracked_changes_are_read(document: Document) -> None:
    assert [(change.kind, change.text) for change in document.changes] == [("delete", "gone"), ("insert", " new")]
    changed = said(document, "changed")
    assert changed.text == "changed: old  new"
    assert [run.text for run in changed.runs if run.inserted] == [" new"]
    assert not document.tracking


def test_the_table_of_contents_is_read(document: Document) -> None:
    (contents,) = document.contents
    assert (contents.kind, contents.title) == ("contents", "Contents")
    assert contents.entries == ("Introduction\t1", "Second\t1")


def test_pages_headers_and_footers_are_read(document: Document) -> None:
    page = document.page
    assert (page.width, page.height) == pytest.approx((297, 210), abs=0.1)
    assert page.orientation == "landscape"
    assert page.margins[1] == pytest.approx(15, abs=0.1)
    assert page.header_text == "Grant report"
    assert [run.field for run in page.footer[0].runs] == ["", "page-number"]
    assert any(section.columns == 2 for section in document.sections)


def test_metadata_language_and_styles_are_read(document: Document) -> None:
    about = document.metadata
    assert (about.title, about.subject, about.author) == ("The title", "The subject", "Ada")
    assert about.custom == (("Project", "Heron"),)
    assert document.language == "en-US"
    style = document.style("Heading 1")
    assert (style.look.colour, style.look.bold, style.look.size) == ("#1f4e79", True, 18)
    assert style.parent == "Heading"
    with pytest.raises(StateError, match="no style 'Heading 99'"):
        document.style("Heading 99")


# What the program says of itself

ALIGNMENTS = {0: "left", 1: "right", 2: "justify", 3: "center"}


@pytest.mark.parametrize("kind", ["odt", "docx"])
@pytest.mark.parametrize("name", [f"random{seed}" for seed in range(4)])
def test_the_program_and_the_reader_agree(folder: Path, account: dict[str, Any], name: str, kind: str) -> None:
    read = read_odt if kind == "odt" else read_docx
    document = read((folder / f"{name}.{kind}").read_bytes())
    expected = account[name]
    assert [p.text for p in document.paragraphs] == [p["text"] for p in expected]
    for paragraph, own in zip(document.paragraphs, expected, strict=True):
        assert paragraph.style == own["style"]
        assert paragraph.heading == own["level"]
        assert paragraph.alignment == ALIGNMENTS[own["alignment"]]
        assert (paragraph.above, paragraph.left) == pytest.approx((own["above"], own["left"]), abs=0.05)
        letters = [
            {
                "bold": run.bold,
                "size": run.size,
                "colour": int(run.colour[1:], 16) if run.colour else -1,
                "underline": run.underline,
                "strike": run.strike,
                "font": run.font,
                "italic": run.italic,
            }
            for run in paragraph.runs
            for _ in run.text
        ]
        assert letters == own["letters"]


def test_both_formats_tell_the_same(rich: dict[str, Document]) -> None:
    def told(document: Document) -> list[object]:
        return [
            dataclasses.replace(
                block, section="", list_format="", left=0.0, first_line=0.0, above=round(block.above), below=0.0
            )
            if isinstance(block, Paragraph)
            else block.grid
            for block in document.body
        ]

    assert told(rich["odt"]) == told(rich["docx"])
    assert rich["odt"].notes == rich["docx"].notes
    assert rich["odt"].comments == rich["docx"].comments
    assert rich["odt"].changes == rich["docx"].changes
    assert rich["odt"].contents == rich["docx"].contents
    assert rich["odt"].bookmarks == rich["docx"].bookmarks


# Leaves


def test_a_file_that_is_opened_and_saved_again_has_equal_leaves(folder: Path, rich: dict[str, Document]) -> None:
    again = read_odt((folder / "again.odt").read_bytes())
    assert document_leaves(again) == document_leaves(rich["odt"])
    assert document_leaves(again)["style[Heading 1].look.colour"] == "#1f4e79"
    assert "style[Heading 3]" not in document_leaves(again)  # nothing is set in it


@pytest.mark.parametrize(
    ("entry", "old", "new", "path"),
    [
        ("content.xml", "indented", "indentes", "block[5].text"),
        ("content.xml", 'fo:font-weight="bold"', 'fo:font-weight="normal"', "block[2].run[1]"),
        ("content.xml", 'fo:line-height="150%"', 'fo:line-height="115%"', "block[4].line_spacing"),
        ("content.xml", 'text:outline-level="2"><', 'text:outline-level="3"><', "block[3].heading"),
        ("content.xml", "example.org", "example.com", "link"),
        ("content.xml", "A footnote.", "The footnote.", "note[0].text"),
        ("content.xml", "Is this so?", "It is so.", "comment[0].text"),
        ("content.xml", ">Ink<", ">Tea<", "block[12].cell[6]"),
        ("content.xml", 'svg:width="1.1811in"', 'svg:width="2in"', "shape[Logo].width"),
        ("content.xml", "A red square", "A blue square", "shape[Logo].alt"),
        ("Object 1/content.xml", "Growth", "Decline", "shape[Trend].chart.title"),
        ("styles.xml", 'fo:margin-left="0.9839in"', 'fo:margin-left="1in"', "page[Standard].margins"),
        ("styles.xml", "Grant report", "Grand report", "page[Standard].header[0]"),
        ("styles.xml", "#1f4e79", "#1f4e78", "style[Heading 1].look.colour"),
        ("meta.xml", "The title", "A title", "metadata.title"),
        ("meta.xml", "Heron", "Crane", "metadata.custom"),
    ],
)
def test_an_edit_shows_in_the_leaves(folder: Path, entry: str, old: str, new: str, path: str) -> None:
    data = (folder / "rich.odt").read_bytes()
    before, after = document_leaves(read_odt(data)), document_leaves(read_odt(changed(data, entry, old, new)))
    different = {key for key in {**before, **after} if before.get(key) != after.get(key)}
    assert any(path in key for key in different), different


def test_an_edit_of_automatic_names_does_not_show(folder: Path) -> None:
    data = (folder / "rich.odt").read_bytes()
    found = entries(data)
    text = found["content.xml"].decode()
    for name in ("P4", "T1", "Sect1"):
        assert f'"{name}"' in text
        text = text.replace(f'"{name}"', f'"{name}x"')
    renamed = repack({**found, "content.xml": text})
    assert document_leaves(read_odt(renamed)) == document_leaves(read_odt(data))
