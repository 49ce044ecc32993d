"""Workbooks: those that LibreOffice wrote, and those that nobody honest would."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fairground.core import StateError
from fairground.verify.reading.ods_parts import plain_range
from fairground.verify.reading.spreadsheet import (
    Cell,
    Merged,
    NumberFormat,
    Sheet,
    Workbook,
    address,
    position,
    read_csv,
    read_ods,
    read_xlsx,
)
from fairground.verify.reading.xlsx_styles import parse_format

from .books import MIMETYPE, NAMESPACES, content, convert, flat_book, ods, pack

pytestmark = pytest.mark.process


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("office")
    (made / "book.fods").write_text(flat_book())
    return made


@pytest.fixture(scope="session")
def written_ods(folder: Path) -> bytes:
    return convert(folder, folder / "book.fods", "ods")


@pytest.fixture(scope="session")
def written_xlsx(folder: Path) -> bytes:
    return convert(folder, folder / "book.fods", "xlsx:Calc MS Excel 2007 XML")


@pytest.fixture(params=["ods", "xlsx"])
def book(request: pytest.FixtureRequest, written_ods: bytes, written_xlsx: bytes) -> Workbook:
    return read_ods(written_ods) if request.param == "ods" else read_xlsx(written_xlsx)


def test_values_of_every_type_are_read(book: Workbook) -> None:
    sheet = book["Sales & more"]
    assert sheet["A1"].content == ("text", "Région", "")
    assert sheet["B1"].value == "two   spaces\nsecond line"
    assert sheet["A2"].content == ("number", 1234.5, "")
    assert sheet["B2"].content == ("number", 0.125, "")
    assert sheet["A3"].content == ("date", date(2024, 2, 29), "")
    assert sheet["B3"].content == ("time", timedelta(hours=7, minutes=30), "")
    assert sheet["C3"].content == ("bool", True, "")
    assert sheet["Z99"].content == ("empty", None, "")


def test_formulas_come_with_their_results_and_errors(book: Workbook) -> None:
    sheet = book["Sales & more"]
    assert sheet["A4"].value == 1244.5
    assert sheet["A4"].formula in ("=SUM(A2;10)", "=SUM(A2,10)")
    assert sheet["B4"].content == ("error", "#DIV/0!", "=1/0")
    assert sheet["C4"].value == "secret[.A1]"
    assert sheet["C4"].formula in ('=$Hidden.A1&"[.A1]"', '=Hidden!A1&"[.A1]"')


def test_what_is_shown_is_read_where_the_file_says_it(written_ods: bytes) -> None:
    sheet = read_ods(written_ods)["Sales & more"]
    assert sheet["A2"].text == "€ 1,234.50"
    assert sheet["B2"].text == "12.5%"
    assert sheet["A3"].text == "2024-02-29"
    assert sheet["A8"].text == "with a note"
    assert sheet["A8"].comment.endswith("a note")


def test_bold_and_number_formats_are_read(book: Workbook) -> None:
    sheet = book["Sales & more"]
    assert (sheet["A1"].bold, sheet["B1"].bold) == (True, False)
    assert sheet["A2"].format == NumberFormat("currency", 2, True, "€")
    assert sheet["B2"].format == NumberFormat("percentage", 1)
    assert (sheet["A3"].format.kind, sheet["B3"].format.kind) == ("date", "time")


def test_merged_cells_sheets_and_their_order_are_read(book: Workbook) -> None:
    assert book.names == ("Sales & more", "Hidden")
    assert [sheet.visible for sheet in book.sheets] == [True, False]
    assert book["Sales & more"].merged == (Merged(0, 2, 2, 2),)
    with pytest.raises(StateError, match=r"no sheet 'Sale'; it has Sales & more, Hidden"):
        book["Sale"]


def test_repeated_cells_are_there_as_often_as_they_say(book: Workbook) -> None:
    sheet = book["Sales & more"]
    assert [sheet.at(row, column).value for row in (4, 5, 6) for column in (2, 3)] == [7.0] * 6
    assert sheet.size == (8, 4)


# Those that nobody honest writes

CELL = '<table:table-cell office:value-type="float" office:value="1"/>'


def row(cells: str, repeated: object = 1) -> str:
    return f'<table:table-row table:number-rows-repeated="{repeated}">{cells}</table:table-row>'


def test_a_million_empty_rows_and_columns_take_no_room() -> None:
    empty = '<table:table-cell table:number-columns-repeated="16384"/>'
    book = read_ods(ods(row(CELL) + row(empty, 1_048_575)))
    assert len(book["S"].cells) == 1


@pytest.mark.parametrize(
    "rows",
    [
        row(CELL, 1_048_577),
        row('<table:table-cell table:number-columns-repeated="1000000000"/>'),
        row("", 1_000_000) + row(CELL, 1_000_000),
        row(CELL.replace("/>", ' table:number-columns-repeated="16384"/>'), 1000),
        row(CELL, -1),
        row(CELL, 0),
        row(CELL, "1e9"),
        row(CELL, "٣"),
        row(CELL.replace("/>", ' table:number-rows-spanned="99999999"/>')),
        "".join(row(CELL, 500_000) for _ in range(3)),
    ],
    ids=["rows", "columns", "rows in sum", "cells", "negative", "zero", "1e9", "other digits", "span", "cells in sum"],
)
def test_absurd_repeats_are_refused(rows: str) -> None:
    with pytest.raises(StateError, match=r"expected|cells with something"):
        read_ods(ods(rows))


@pytest.mark.parametrize(
    "attributes",
    [
        'office:value-type="float" office:value="NaN"',
        'office:value-type="float" office:value="inf"',
        'office:value-type="float" office:value="1e999"',
        'office:value-type="float" office:value="1_0_x"',
        'office:value-type="float"',
        'office:value-type="boolean" office:boolean-value="yes"',
        'office:value-type="date" office:date-value="2024-02-30"',
        'office:value-type="time" office:time-value="half past"',
        'office:value-type="wish"',
    ],
)
def test_a_value_that_is_none_is_refused(attributes: str) -> None:
    with pytest.raises(StateError, match="sheet 'S'"):
        read_ods(ods(row(f"<table:table-cell {attributes}/>")))


def cell(attributes: str, text: str = "") -> Cell:
    return read_ods(ods(row(f"<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>")))["S"]["A1"]


def test_what_calc_writes_of_numbers_that_are_shown_as_something_else_is_read() -> None:
    """None of them may make the whole workbook unreadable."""
    truth = cell('office:value-type="boolean" office:boolean-value="0.1"')
    assert (truth.kind, truth.value) == ("number", 0.1)
    long = cell('office:value-type="time" office:time-value="-PT21484517H51M21.5S"')
    assert (long.kind, long.value) == ("time", -timedelta(hours=21484517, minutes=51, seconds=21.5))
    late = cell('office:value-type="date" office:date-value="10000-01-01T12:00:00"')
    assert (late.kind, late.value) == ("number", 2958466.5)
    early = cell('office:value-type="date" office:date-value="-0001-12-31"')
    assert (early.kind, early.value) == ("number", -693594.0)


def test_a_formula_with_an_empty_text_as_its_result_is_a_text() -> None:
    found = cell('table:formula="of:=&quot;&quot;"')
    assert (found.kind, found.value, found.formula) == ("text", "", '=""')


def test_headers_keep_their_regions_and_their_spaces() -> None:
    regions = "<style:region-left><text:p>a<text:s text:c='2'/>b</text:p></style:region-left><style:region-center/>"
    masters = (
        f'<office:document-styles {NAMESPACES}><office:master-styles><style:master-page style:name="Default">'
        f"<style:header>{regions}</style:header><style:footer><text:p>alone</text:p></style:footer>"
        "</style:master-page></office:master-styles></office:document-styles>"
    )
    page = read_ods(ods(row("<table:table-cell/>"), styles_xml=masters))["S"].page
    assert (page.header, page.footer) == ("a  b |  | ", "alone")


def test_what_is_no_spreadsheet_is_refused(written_ods: bytes, written_xlsx: bytes) -> None:
    with pytest.raises(StateError, match="mimetype"):
        read_ods(ods(mimetype="application/vnd.oasis.opendocument.text"))
    with pytest.raises(StateError, match="mimetype"):
        read_ods(written_xlsx)
    with pytest.raises(StateError, match=r"no entry 'xl/workbook.xml'"):
        read_xlsx(written_ods)
    with pytest.raises(StateError, match="not a spreadsheet"):
        read_ods(ods(content_xml="<x/>"))
    with pytest.raises(StateError, match=r"no entry 'content.xml'"):
        read_ods(pack({"mimetype": MIMETYPE}))
    with pytest.raises(StateError, match="encrypted"):
        read_xlsx(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512))


def test_a_file_behind_a_password_is_refused(folder: Path) -> None:
    manifest = (
        '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        '<m:file-entry m:full-path="content.xml"><m:encryption-data/></m:file-entry></m:manifest>'
    )
    entries: dict[str, bytes | str] = {"mimetype": MIMETYPE, "content.xml": b"\x93\xfa\0\1"}
    with pytest.raises(StateError, match="encrypted with a password"):
        read_ods(pack({**entries, "META-INF/manifest.xml": manifest}))


def test_bombs_inside_of_a_workbook_are_refused() -> None:
    laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
    with pytest.raises(StateError, match="must not"):
        read_ods(ods(content_xml=content(row("&b;"), prolog=laughs)))
    with pytest.raises(StateError, match="a bomb"):
        read_ods(ods(content_xml=content(" " * (30 << 20))))
    groups = 5_000
    nested = "<table:table-row-group>" * groups + row(CELL) + "</table:table-row-group>" * groups
    with pytest.raises(StateError, match="nested deeper"):
        read_ods(ods(nested))
    spaces = "<text:p>" + '<text:s text:c="999999"/>' * 1000 + "</text:p>"
    with pytest.raises(StateError, match="characters"):
        read_ods(ods(row(f'<table:table-cell office:value-type="string">{spaces}</table:table-cell>')))


def test_two_sheets_of_one_name_are_refused() -> None:
    doubled = content(row(CELL)).replace("</table:table>", '</table:table><table:table table:name="S"/>', 1)
    with pytest.raises(StateError, match="two of one name"):
        read_ods(ods(content_xml=doubled))


def test_styles_that_follow_each_other_in_a_circle_end() -> None:
    styles = (
        "<office:automatic-styles>"
        '<style:style style:name="a" style:family="table-cell" style:parent-style-name="b"/>'
        '<style:style style:name="b" style:family="table-cell" style:parent-style-name="a"/></office:automatic-styles>'
    )
    text = content(row(CELL.replace("/>", ' table:style-name="a"/>'))).replace(
        "<office:body>", styles + "<office:body>"
    )
    assert not read_ods(ods(content_xml=text))["S"]["A1"].bold


SHEET = "xl/worksheets/sheet1.xml"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def xlsx(rows: str, extra: str = "") -> bytes:
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    return pack(
        {
            "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{relations}"><sheets>'
            '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
            'relationships"><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>',
            SHEET: f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData>{extra}</worksheet>',
        }
    )


def test_letters_that_are_written_by_number_are_read() -> None:
    rows = '<row r="1"><c r="A1" t="inlineStr"><is><t>_x005F_x0041_ _x000D_ _x004 _xD83D_</t></is></c></row>'
    assert read_xlsx(xlsx(rows))["S"]["A1"].value == "_x0041_ \r _x004 _xD83D_"


def test_a_shared_formula_is_read_as_if_copied() -> None:
    rows = (
        '<row r="1"><c r="B1"><f t="shared" si="0">A1*$A$9+SUM($A1,B$2)&amp;"A1"+LOG10(2)</f><v>1</v></c></row>'
        '<row r="3"><c r="C3"><f t="shared" si="0"/><v>2</v></c></row>'
    )
    sheet = read_xlsx(xlsx(rows))["S"]
    assert sheet["B1"].formula == '=A1*$A$9+SUM($A1,B$2)&"A1"+LOG10(2)'
    assert sheet["C3"].formula == '=B3*$A$9+SUM($A3,C$2)&"A1"+LOG10(2)'


@pytest.mark.parametrize(
    ("rows", "extra"),
    [
        ('<row r="9999999"><c r="A9999999"><v>1</v></c></row>', ""),
        ('<row r="0"><c><v>1</v></c></row>', ""),
        ('<row r="1"><c r="AAAA1"><v>1</v></c></row>', ""),
        ('<row r="1"><c r="A2"><v>1</v></c></row>', ""),
        ('<row r="1"><c r="A1"><v>1</v></c><c r="A1"><v>2</v></c></row>', ""),
        ('<row r="1"><c r="A1"><v>NaN</v></c></row>', ""),
        ('<row r="1"><c r="A1" t="s"><v>7</v></c></row>', ""),
        ('<row r="1"><c r="A1" t="s"><v>-1</v></c></row>', ""),
        ('<row r="1"><c r="A1" t="b"><v>2</v></c></row>', ""),
        ('<row r="1"><c r="A1" t="d"><v>soon</v></c></row>', ""),
        ('<row r="1"><c r="A1" t="wish"><v>1</v></c></row>', ""),
        ("", '<mergeCells><mergeCell ref="B2:A1"/></mergeCells>'),
        ("", '<mergeCells><mergeCell ref="everything"/></mergeCells>'),
    ],
)
def test_a_sheet_that_contradicts_itself_is_refused(rows: str, extra: str) -> None:
    with pytest.raises(StateError):
        read_xlsx(xlsx(rows, extra))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("General", NumberFormat()),
        ("0.00", NumberFormat("number", 2)),
        ("#,##0", NumberFormat("number", 0, True)),
        ('[$€-407] #,##0.00;[RED]-[$€-407] #,##0.00', NumberFormat("currency", 2, True, "€")),
        ('#,##0.00 "EUR"', NumberFormat("currency", 2, True, "EUR")),
        ('0.0" kg"', NumberFormat("number", 1)),
        ("0.0%", NumberFormat("percentage", 1)),
        ("yyyy\\-mm\\-dd", NumberFormat("date")),
        ("[h]:mm", NumberFormat("time")),
        ("0.00E+00", NumberFormat("other")),
        ("@", NumberFormat("text")),
        ("[$-409]0.00", NumberFormat("number", 2)),
        ("[$-409]0%", NumberFormat("percentage", 0)),
        ("$#,##0", NumberFormat("currency", 0, True, "$")),
    ],
)  # fmt: skip
def test_format_codes_are_understood(code: str, expected: NumberFormat) -> None:
    assert parse_format(code) == expected


@given(st.data())
def test_a_damaged_file_of_libreoffice_is_a_workbook_or_an_error(
    written_ods: bytes, written_xlsx: bytes, data: st.DataObject
) -> None:
    read, raw = data.draw(st.sampled_from([(read_ods, written_ods), (read_xlsx, written_xlsx)]))
    broken = bytearray(raw)
    for _ in range(data.draw(st.integers(1, 8))):
        broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    try:
        assert isinstance(read(bytes(broken[: data.draw(st.integers(0, len(broken)))])), Workbook)
    except StateError as error:
        assert error.message


@given(st.data())
def test_a_damaged_content_is_a_workbook_or_an_error(written_ods: bytes, data: st.DataObject) -> None:
    """The same, past the checksums: the text of the content itself is altered."""
    text = content(row(CELL, 3) + row('<table:table-cell table:formula="of:=[.A1]" office:value-type="string"/>'))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        text = text[:at] + data.draw(st.sampled_from(list("<>/\"'=:0 9x&[].-é"))) + text[at + 1 :]
    try:
        assert isinstance(read_ods(ods(content_xml=text)), Workbook)
    except StateError as error:
        assert error.message


# CSV and addresses


def test_a_table_of_separated_values_is_one_sheet() -> None:
    sheet = read_csv(b'\xef\xbb\xbfname;amount\r\n"M\xc3\xbcller; Co";-1.5e2\r\n;nan\r\n', delimiter=";").sheets[0]
    assert [cell.content for cell in sheet.cells.values()] == [
        ("text", "name", ""),
        ("text", "amount", ""),
        ("text", "Müller; Co", ""),
        ("number", -150.0, ""),
        ("text", "nan", ""),
    ]
    assert sheet["B2"].text == "-1.5e2"


@pytest.mark.parametrize("data", [b"\xff\xfe\xfa", b"a\0b", b'"torn', b'"a"b', b"x," * 20_000, b"x" * 200_000])
def test_a_broken_table_is_refused(data: bytes) -> None:
    with pytest.raises(StateError, match=r"table \(.csv\)"):
        read_csv(data)


@given(st.binary(max_size=200))
@example(b"\x1c0")
def test_any_bytes_are_a_table_or_an_error(data: bytes) -> None:
    try:
        assert len(read_csv(data).sheets) == 1
    except StateError as error:
        assert error.message


@given(st.integers(0, 1_048_575), st.integers(0, 16_383))
def test_an_address_and_its_position_are_one(row: int, column: int) -> None:
    assert position(address(row, column)) == (row, column)


@pytest.mark.parametrize("text", ["", "A", "1", "A0", "A1048577", "XFE1", "A1:B2", "A١", "Ä1"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(StateError):
        position(text)


# What LibreOffice itself says of a workbook


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Workbooks that LibreOffice made at random, and its own account of them."""
    made = tmp_path_factory.mktemp("told")
    argv = ["/usr/bin/python3", str(Path(__file__).with_name("calc_maker.py")), str(made), "8"]
    subprocess.run(argv, check=True, timeout=300, env={**os.environ, "HOME": str(made)})
    return made, json.loads((made / "account.json").read_text())


@pytest.mark.slow
def test_the_reader_and_libreoffice_agree_on_every_cell(told: tuple[Path, dict[str, Any]]) -> None:
    made, account = told
    seen = 0
    for name, about in account.items():
        book = read_ods((made / name).read_bytes())
        assert list(book.names) == list(about["sheets"])
        for sheet, facts in about["sheets"].items():
            filled = {address(*at) for at, cell in book[sheet].cells.items() if cell.kind != "empty"}
            assert filled == facts["cells"].keys()
            for place, said in facts["cells"].items():
                cell = book[sheet][place]
                seen += 1
                assert (cell.kind == "error") == said["error"], (name, sheet, place)
                if said["value"] is not None:
                    assert cell.value == pytest.approx(said["value"], rel=1e-12), (name, sheet, place)
                elif not said["error"]:
                    assert cell.value == said["text"], (name, sheet, place)
                assert cell.formula == said["formula"], (name, sheet, place)
                assert (cell.bold, cell.italic) == (said["bold"], said["italic"]), (name, sheet, place)
                assert cell.background == colour(said["background"]), (name, sheet, place)
                assert cell.align == {"STANDARD": ""}.get(said["align"], said["align"].lower()), (name, sheet, place)
    assert seen > 200


@pytest.mark.slow
def test_the_reader_and_libreoffice_agree_on_everything_beside_cells(told: tuple[Path, dict[str, Any]]) -> None:
    made, account = told
    for name, about in account.items():
        book = read_ods((made / name).read_bytes())
        assert {one.name: one.refers_to for one in book.ranges} == {"Some": "One.B2:B7"} and about["names"]
        assert book.properties.title == about["title"]
        assert list(book["One"].frozen) == about["frozen"], name
        for sheet, facts in about["sheets"].items():
            found = book[sheet]
            wide = {at: one for one in found.columns for at in range(one.first, min(one.last, 8) + 1)}
            hidden = [wide[at].hidden if at in wide else False for at in range(8)]
            assert hidden == facts["hidden"], (name, sheet)
            for at, width in enumerate(facts["widths"]):
                assert (wide[at].width if at in wide else 23) == pytest.approx(width / 100, abs=0.6), (name, sheet, at)
            assert any(one.first <= 14 <= one.last for one in found.hidden_rows) == facts["row 15 hidden"]
            assert bool(found.merged) == facts["merged"]
            assert found.tab_colour == colour(facts["tab"])
            assert found.protected == facts["protected"]
            assert len(found.print_ranges) == facts["print"]
            assert found.page.landscape == facts["landscape"]
            comments = {row * 100 + at: cell.comment for (row, at), cell in found.cells.items() if cell.comment}
            assert {str(key): text for key, text in comments.items()} == facts["comments"], (name, sheet)
            check_rules(found, facts)


def check_rules(found: Sheet, facts: dict[str, Any]) -> None:
    """Rules for entries, conditional formats and charts."""
    kind, one, other, title = facts["rule"]
    inside = [rule for rule in found.validations if any(part in ("E2:E9", "E3:F6") for part in rule.ranges)]
    if kind == "WHOLE":
        assert [rule.title for rule in inside] == [title]
        assert inside[0].condition == f"cell-content-is-whole-number() and cell-content-is-between({one},{other})"
    else:
        assert not inside
    assert [(rule.range, rule.rule) for rule in found.conditions] == [("A1:B6", f"<{facts['condition']}")]
    kinds = {"BarDiagram": "bar", "LineDiagram": "line", "PieDiagram": "pie", "AreaDiagram": "area"}
    assert [(chart.kind, chart.title) for chart in found.charts] == [(kinds[of], text) for of, text in facts["charts"]]


def colour(number: int) -> str:
    return "" if number < 0 else f"#{number:06x}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$Sales.$A$1:$Sales.$F$9", "Sales.A1:F9"),
        ("Sales.A1:.F9", "Sales.A1:F9"),
        ("$'Two words'.$B$2", "'Two words'.B2"),
        ("'Sales'.A1:'Sales'.A1", "Sales.A1"),
        ("A1:B2", "A1:B2"),
        ("'it''s'.A1:.B2", "'it''s'.A1:B2"),
    ],
)
def test_ranges_are_written_in_one_way(text: str, expected: str) -> None:
    assert plain_range(text) == expected


CALCEXT = "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"
VALIDATED = '<table:table-cell table:content-validation-name="v"/><table:table-cell/>'


@pytest.mark.parametrize(
    "part",
    [
        f'<c:formats xmlns:c="{CALCEXT}">{"<c:conditional-format/>" * 2_100}</c:formats>',
        row(VALIDATED * 8_000) + row("<table:table-cell/>" + VALIDATED * 8_000),
    ],
    ids=["conditions", "validated cells"],
)
def test_too_many_parts_are_refused(part: str) -> None:
    with pytest.raises(StateError, match=r"parts of one kind|too many places"):
        read_ods(ods(part))
