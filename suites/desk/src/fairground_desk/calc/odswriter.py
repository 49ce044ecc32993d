"""A writer of small OpenDocument spreadsheets; the bytes are the same on every run.

It has only what the suite's workbooks need. LibreOffice opens them without prompts and computes their formulas.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias
from xml.sax.saxutils import escape, quoteattr

MIMETYPE = "application/vnd.oasis.opendocument.spreadsheet"
STYLES = ("head", "money", "day", "title")


@dataclass(frozen=True)
class Formula:
    """A formula and its result.

    Attributes:
        text: In the notation of the format, such as `of:=[.A1]*2`.
        result: The computed value; LibreOffice shows it without recalculating.
        style: One of `STYLES`, or none.
    """

    text: str
    result: float
    style: str = ""


@dataclass(frozen=True)
class Styled:
    """A value with one of the `STYLES`."""

    value: float | str | date
    style: str


Entry: TypeAlias = float | str | date | Formula | Styled | None


@dataclass(frozen=True)
class Table:
    """A sheet: its rows, and the widths of its first columns in centimetres."""

    name: str
    rows: Sequence[Sequence[Entry]]
    widths: Sequence[float] = ()


@dataclass(frozen=True)
class View:
    """Where a workbook opens: the active sheet, the selected row (shown near the top), and the zoom."""

    sheet: str
    row: int = 1
    zoom: int = 100


def write_ods(tables: Sequence[Table], view: View | None = None) -> bytes:
    """Return a workbook with these sheets. It opens at `view`, or at its first cell."""
    entries = {
        "mimetype": MIMETYPE,
        "META-INF/manifest.xml": _MANIFEST,
        "styles.xml": _STYLES,
        "content.xml": _content(tables),
        "settings.xml": _settings(view or View(tables[0].name)),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in entries.items():
            # A fixed time stamp; the format requires an uncompressed mimetype as the first entry.
            info = zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, text)
    return buffer.getvalue()


_SPACE = "urn:oasis:names:tc:opendocument:xmlns"
_NAMESPACES = " ".join(
    f'xmlns:{short}="{_SPACE}:{full}:1.0"'
    for short, full in (
        ("office", "office"), ("table", "table"), ("text", "text"), ("style", "style"), ("number", "datastyle"),
        ("fo", "xsl-fo-compatible"),
    )
) + f' xmlns:of="{_SPACE}:of:1.2" office:version="1.2"'  # fmt: skip

_MANIFEST = f"""<?xml version="1.0" encoding="UTF-8"?>
<manifest:manifest xmlns:manifest="{_SPACE}:manifest:1.0" manifest:version="1.2">
<manifest:file-entry manifest:full-path="/" manifest:version="1.2" manifest:media-type="{MIMETYPE}"/>
<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>
<manifest:file-entry manifest:full-path="styles.xml" manifest:media-type="text/xml"/>
<manifest:file-entry manifest:full-path="settings.xml" manifest:media-type="text/xml"/>
</manifest:manifest>"""

_STYLES = f"""<?xml version="1.0" encoding="UTF-8"?>
<office:document-styles {_NAMESPACES}><office:styles>
<style:default-style style:family="table-cell"><style:text-properties style:font-name="Liberation Sans"
 fo:font-size="10pt"/></style:default-style></office:styles>
<office:automatic-styles><style:page-layout style:name="page"><style:page-layout-properties fo:page-width="21cm"
 fo:page-height="29.7cm" style:print-orientation="portrait" fo:margin-top="2cm" fo:margin-bottom="2cm"
 fo:margin-left="2cm" fo:margin-right="2cm"/></style:page-layout></office:automatic-styles>
<office:master-styles><style:master-page style:name="Default" style:page-layout-name="page">
<style:header style:display="false"/><style:footer style:display="false"/></style:master-page></office:master-styles>
</office:document-styles>"""

_AUTOMATIC = """<number:number-style style:name="N1"><number:number number:decimal-places="2"
 number:min-decimal-places="2" number:min-integer-digits="1" number:grouping="true"/></number:number-style>
<number:date-style style:name="N2"><number:year number:style="long"/><number:text>-</number:text>
<number:month number:style="long"/><number:text>-</number:text><number:day number:style="long"/></number:date-style>
<style:style style:name="head" style:family="table-cell"><style:text-properties fo:font-weight="bold"/></style:style>
<style:style style:name="title" style:family="table-cell"><style:text-properties fo:font-weight="bold"
 fo:font-size="14pt"/></style:style>
<style:style style:name="sheet" style:family="table" style:master-page-name="Default"/>
<style:style style:name="money" style:family="table-cell" style:data-style-name="N1"/>
<style:style style:name="day" style:family="table-cell" style:data-style-name="N2"/>"""


def _settings(view: View) -> str:
    def item(name: str, kind: str, value: object) -> str:
        return (
            f'<config:config-item config:name="{name}" config:type="{kind}">{escape(str(value))}</config:config-item>'
        )

    place = item("CursorPositionY", "int", view.row - 1) + item("PositionBottom", "int", max(0, view.row - 4))
    zoom = item("ZoomType", "short", 0) + item("ZoomValue", "int", view.zoom)
    place += zoom
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-settings xmlns:office="{_SPACE}:office:1.0" '
        f'xmlns:config="{_SPACE}:config:1.0" xmlns:ooo="http://openoffice.org/2004/office" office:version="1.2">'
        "<office:settings>"
        '<config:config-item-set config:name="ooo:view-settings"><config:config-item-map-indexed config:name="Views">'
        f"<config:config-item-map-entry>{item('ViewId', 'string', 'view1')}"
        f'<config:config-item-map-named config:name="Tables"><config:config-item-map-entry '
        f"config:name={quoteattr(view.sheet)}>{place}</config:config-item-map-entry></config:config-item-map-named>"
        f"{item('ActiveTable', 'string', view.sheet)}{zoom}"
        "</config:config-item-map-entry></config:config-item-map-indexed>"
        "</config:config-item-set></office:settings></office:document-settings>"
    )


def _content(tables: Sequence[Table]) -> str:
    widths = sorted({width for table in tables for width in table.widths})
    columns = "".join(
        f'<style:style style:name="w{width:g}" style:family="table-column"><style:table-column-properties '
        f'style:column-width="{width:g}cm"/></style:style>'
        for width in widths
    )
    sheets = "".join(_table(table) for table in tables)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {_NAMESPACES}>'
        f"<office:automatic-styles>{columns}{_AUTOMATIC}</office:automatic-styles>"
        f"<office:body><office:spreadsheet>{sheets}</office:spreadsheet></office:body></office:document-content>"
    )


def _table(table: Table) -> str:
    columns = "".join(f'<table:table-column table:style-name="w{width:g}"/>' for width in table.widths)
    rows = "".join(f"<table:table-row>{''.join(map(_cell, row))}</table:table-row>" for row in table.rows)
    start = f'<table:table table:name={quoteattr(table.name)} table:style-name="sheet">'
    return f"{start}{columns}{rows}</table:table>"


def _cell(entry: Entry) -> str:
    formula = style = ""
    if isinstance(entry, Styled):
        style, entry = f' table:style-name="{entry.style}"', entry.value
    elif isinstance(entry, Formula):
        formula = f" table:formula={quoteattr(entry.text)}"
        style = f' table:style-name="{entry.style}"' if entry.style else ""
        entry = entry.result
    if entry is None:
        return "<table:table-cell/>"
    if isinstance(entry, str):
        value = ' office:value-type="string"'
    elif isinstance(entry, date):
        value = f' office:value-type="date" office:date-value="{entry.isoformat()}"'
    else:
        value = f' office:value-type="float" office:value="{entry!r}"'
    # LibreOffice shows this text only until it has rendered the value.
    return f"<table:table-cell{style}{formula}{value}><text:p>{escape(str(entry))}</text:p></table:table-cell>"
