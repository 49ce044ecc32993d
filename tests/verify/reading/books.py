"""Spreadsheet files for the tests: one that LibreOffice wrote, and pieces to build bad ones from."""

from __future__ import annotations

import io
import os
import subprocess
import zipfile
from pathlib import Path

MIMETYPE = "application/vnd.oasis.opendocument.spreadsheet"
NAMESPACES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{full}:1.0"'
    for short, full in (
        ("office", "office"), ("table", "table"), ("text", "text"), ("style", "style"), ("number", "datastyle"),
        ("fo", "xsl-fo-compatible"),
    )
)  # fmt: skip


def convert(folder: Path, source: Path, kind: str) -> bytes:
    """What the real LibreOffice makes of a file."""
    # The account's own settings are not touched.
    argv = ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--norestore"]
    argv += ["--convert-to", kind, "--outdir", str(folder / "out"), str(source)]
    subprocess.run(argv, check=True, capture_output=True, timeout=120, env={**os.environ, "HOME": str(folder)})
    return (folder / "out" / f"{source.stem}.{kind.partition(':')[0]}").read_bytes()


def flat_book() -> str:
    """A workbook with something of everything, as flat XML that LibreOffice opens."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<office:document {NAMESPACES} xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2" office:version="1.2"
 office:mimetype="{MIMETYPE}">
<office:automatic-styles>
 <number:currency-style style:name="N1"><number:currency-symbol>€</number:currency-symbol><number:text> </number:text>
  <number:number number:decimal-places="2" number:min-decimal-places="2" number:min-integer-digits="1"
   number:grouping="true"/></number:currency-style>
 <number:percentage-style style:name="N2"><number:number number:decimal-places="1" number:min-decimal-places="1"
  number:min-integer-digits="1"/><number:text>%</number:text></number:percentage-style>
 <number:date-style style:name="N3"><number:year number:style="long"/><number:text>-</number:text>
  <number:month number:style="long"/><number:text>-</number:text><number:day number:style="long"/></number:date-style>
 <number:time-style style:name="N4"><number:hours number:style="long"/><number:text>:</number:text>
  <number:minutes number:style="long"/></number:time-style>
 <number:boolean-style style:name="N5"><number:boolean/></number:boolean-style>
 <style:style style:name="bold" style:family="table-cell"><style:text-properties fo:font-weight="bold"/></style:style>
 <style:style style:name="money" style:family="table-cell" style:data-style-name="N1"/>
 <style:style style:name="share" style:family="table-cell" style:data-style-name="N2"/>
 <style:style style:name="day" style:family="table-cell" style:data-style-name="N3"/>
 <style:style style:name="hour" style:family="table-cell" style:data-style-name="N4"/>
 <style:style style:name="truth" style:family="table-cell" style:data-style-name="N5"/>
 <style:style style:name="hidden" style:family="table"><style:table-properties table:display="false"/></style:style>
</office:automatic-styles>
<office:body><office:spreadsheet>
<table:table table:name="Sales &amp; more">
 <table:table-row>
  <table:table-cell table:style-name="bold" office:value-type="string"><text:p>Région</text:p></table:table-cell>
  <table:table-cell office:value-type="string"><text:p>two<text:s text:c="3"/>spaces</text:p>
   <text:p>second line</text:p></table:table-cell>
  <table:table-cell table:number-columns-spanned="2" table:number-rows-spanned="2" office:value-type="string">
   <text:p>merged</text:p></table:table-cell>
  <table:covered-table-cell/>
 </table:table-row>
 <table:table-row>
  <table:table-cell table:style-name="money" office:value-type="float" office:value="1234.5"><text:p/>
  </table:table-cell>
  <table:table-cell table:style-name="share" office:value-type="percentage" office:value="0.125"><text:p/>
  </table:table-cell>
  <table:covered-table-cell table:number-columns-repeated="2"/>
 </table:table-row>
 <table:table-row>
  <table:table-cell table:style-name="day" office:value-type="date" office:date-value="2024-02-29"><text:p/>
  </table:table-cell>
  <table:table-cell table:style-name="hour" office:value-type="time" office:time-value="PT07H30M00S"><text:p/>
  </table:table-cell>
  <table:table-cell table:style-name="truth" office:value-type="boolean" office:boolean-value="true"><text:p/>
  </table:table-cell>
 </table:table-row>
 <table:table-row>
  <table:table-cell table:formula="of:=SUM([.A2];10)" office:value-type="float" office:value="1244.5"><text:p/>
  </table:table-cell>
  <table:table-cell table:formula="of:=1/0" office:value-type="string" office:string-value=""><text:p/>
  </table:table-cell>
  <table:table-cell table:formula="of:=[$Hidden.A1]&amp;&quot;[.A1]&quot;" office:value-type="string"><text:p/>
  </table:table-cell>
 </table:table-row>
 <table:table-row table:number-rows-repeated="3">
  <table:table-cell table:number-columns-repeated="2"/>
  <table:table-cell table:number-columns-repeated="2" office:value-type="float" office:value="7"><text:p>7</text:p>
  </table:table-cell>
 </table:table-row>
 <table:table-row><table:table-cell office:value-type="string"><office:annotation><text:p>a note</text:p>
  </office:annotation><text:p>with a note</text:p></table:table-cell></table:table-row>
</table:table>
<table:table table:name="Hidden" table:style-name="hidden">
 <table:table-row><table:table-cell office:value-type="string"><text:p>secret</text:p></table:table-cell>
 </table:table-row>
</table:table>
</office:spreadsheet></office:body></office:document>"""


def pack(entries: dict[str, bytes | str], *, stored: tuple[str, ...] = ("mimetype",)) -> bytes:
    """A zip container."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content, zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def content(sheet: str, *, prolog: str = "") -> str:
    """A `content.xml` with these rows in its one sheet."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>{prolog}<office:document-content {NAMESPACES}><office:body>'
        f'<office:spreadsheet><table:table table:name="S">{sheet}</table:table></office:spreadsheet></office:body>'
        "</office:document-content>"
    )


def ods(sheet: str = "", **entries: bytes | str) -> bytes:
    """An .ods with these rows, and further entries (`content_xml=...` replaces the content)."""
    found: dict[str, bytes | str] = {"mimetype": MIMETYPE, "content.xml": content(sheet)}
    found.update({name.replace("_", "."): entry for name, entry in entries.items()})
    return pack(found)
