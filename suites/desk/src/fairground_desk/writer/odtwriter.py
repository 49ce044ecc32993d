"""Writer of text documents (.odt) in LibreOffice's form: saving one again in LibreOffice does not change its content.

Text uses a small markup, so that documents are readable in code:

    **bold**   //italic//   {fn|a footnote}   {bm|name|text}   {c|author|remark|the text that it is about}
    {ins|author|added text}   {del|author|removed text}

The same document always gives the same bytes.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from xml.sax.saxutils import escape, quoteattr

DAY = "2026-03-02T09:30:00"
"""Timestamp of everything that has one."""


@dataclass(frozen=True)
class Text:
    """A paragraph; a `level` above 0 makes it a heading."""

    text: str
    style: str = "Text body"
    level: int = 0


@dataclass(frozen=True)
class Items:
    """A bulleted or numbered list."""

    items: tuple[str, ...]
    numbered: bool = False


@dataclass(frozen=True)
class Grid:
    """A table; its first row is a heading that is repeated on every page."""

    name: str
    rows: tuple[tuple[str, ...], ...]
    widths: tuple[float, ...]


@dataclass(frozen=True)
class Image:
    """A picture in its own paragraph, anchored as a character; sizes are centimetres."""

    name: str
    content: bytes = field(repr=False)
    width: float
    height: float


Block = Text | Items | Grid | Image


@dataclass(frozen=True, kw_only=True)
class Odt:
    """A document: its content and its metadata."""

    title: str
    author: str
    blocks: Sequence[Block]
    header: str = ""
    language: tuple[str, str] = ("en", "GB")


@dataclass(frozen=True)
class View:
    """The initial view: distance from the top in hundredths of a millimetre, zoom in percent, pages side by side."""

    top: int = 0
    zoom: int = 100
    columns: int = 1


def write_odt(document: Odt, view: View | None = None) -> bytes:
    """Return the document as an ODT file."""
    pictures: dict[str, bytes] = {}
    content = _content(document, pictures)
    first, country = document.language
    styles = files(__package__).joinpath("styles.xml").read_text(encoding="utf-8")
    head = ""
    if document.header:
        head = f'<style:header><text:p text:style-name="Header">{escape(document.header)}</text:p></style:header>'
    space = _HEADER_SPACE if head else ""
    styles = (
        styles.replace("@HEADER-STYLE@", space)
        .replace("@LANGUAGE@", first)
        .replace("@COUNTRY@", country)
        .replace("@HEADER@", head)
    )
    parts: dict[str, bytes] = {
        "content.xml": content.encode(),
        "styles.xml": styles.encode(),
        "meta.xml": _meta(document).encode(),
        "settings.xml": _settings(view or View()).encode(),
        **pictures,
    }
    return pack("application/vnd.oasis.opendocument.text", parts)


def pack(mimetype: str, parts: Mapping[str, bytes]) -> bytes:
    """Pack the parts of an OpenDocument file into an archive."""
    listed = "".join(
        f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type='
        f'"{"image/png" if name.endswith(".png") else "text/xml"}"/>'
        for name in parts
    )
    manifest = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<manifest:manifest manifest:version="1.3" '
        'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry '
        f'manifest:full-path="/" manifest:version="1.3" manifest:media-type="{mimetype}"/>{listed}</manifest:manifest>'
    )
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(zipfile.ZipInfo("mimetype"), mimetype)
        for name, data in {**parts, "META-INF/manifest.xml": manifest.encode()}.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return target.getvalue()


class _Marks:
    """Converts marked text to XML and collects the tracked changes in it."""

    def __init__(self) -> None:
        self.changes: list[str] = []
        self._notes = self._remarks = 0

    def xml(self, text: str) -> str:
        return "".join(self._part(part) for part in _MARK.split(text) if part)

    def _part(self, part: str) -> str:
        if part.startswith("**"):
            return f'<text:span text:style-name="T1">{escape(part[2:-2])}</text:span>'
        if part.startswith("//"):
            return f'<text:span text:style-name="T2">{escape(part[2:-2])}</text:span>'
        if not part.startswith("{"):
            return escape(part)
        kind, *values = part[1:-1].split("|")
        return str(getattr(self, f"_{kind}")(*values))

    def _fn(self, text: str) -> str:
        self._notes += 1
        return (
            f'<text:note text:id="ftn{self._notes}" text:note-class="footnote"><text:note-citation>{self._notes}'
            f'</text:note-citation><text:note-body><text:p text:style-name="Footnote">{escape(text)}</text:p>'
            "</text:note-body></text:note>"
        )

    def _bm(self, name: str, text: str) -> str:
        named = f"text:name={quoteattr(name)}"
        return f"<text:bookmark-start {named}/>{escape(text)}<text:bookmark-end {named}/>"

    def _c(self, author: str, remark: str, on: str) -> str:
        self._remarks += 1
        name = f'office:name="__Annotation__{self._remarks}_7"'
        initials = "".join(word[0] for word in author.split())
        return (
            f'<office:annotation {name} loext:resolved="false"><dc:creator>{escape(author)}</dc:creator>'
            f"<dc:date>{DAY}</dc:date><meta:creator-initials>{escape(initials)}</meta:creator-initials>"
            f"<text:p>{escape(remark)}</text:p></office:annotation>{escape(on)}<office:annotation-end {name}/>"
        )

    def _ins(self, author: str, text: str) -> str:
        name = self._changed("insertion", author)
        return f'<text:change-start text:change-id="{name}"/>{escape(text)}<text:change-end text:change-id="{name}"/>'

    def _del(self, author: str, text: str) -> str:
        spaced = f"<text:s/>{escape(text[1:])}" if text.startswith(" ") else escape(text)
        name = self._changed("deletion", author, f'<text:p text:style-name="Text_20_body">{spaced}</text:p>')
        return f'<text:change text:change-id="{name}"/>'

    def _changed(self, kind: str, author: str, content: str = "") -> str:
        name = f"ct{len(self.changes) + 1}"
        self.changes.append(
            f'<text:changed-region xml:id="{name}" text:id="{name}"><text:{kind}><office:change-info><dc:creator>'
            f"{escape(author)}</dc:creator><dc:date>{DAY}</dc:date></office:change-info>{content}"
            f"</text:{kind}></text:changed-region>"
        )
        return name


_MARK = re.compile(r"(\*\*.+?\*\*|//.+?//|\{[^{}]+\})")


def _content(document: Odt, pictures: dict[str, bytes]) -> str:
    marks = _Marks()
    styles: list[str] = []
    body = "".join(_block(block, marks, styles, pictures) for block in document.blocks)
    tracked = ""
    if marks.changes:
        tracked = f'<text:tracked-changes text:track-changes="false">{"".join(marks.changes)}</text:tracked-changes>'
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<office:document-content {NAMESPACES} office:version="1.3">'
        f"<office:automatic-styles>{_STYLES}{''.join(styles)}</office:automatic-styles>"
        f"<office:body><office:text>{tracked}{body}</office:text></office:body></office:document-content>"
    )


def _block(block: Block, marks: _Marks, styles: list[str], pictures: dict[str, bytes]) -> str:
    match block:
        case Text(text, style, 0):
            return f'<text:p text:style-name="{_code(style)}">{marks.xml(text)}</text:p>'
        case Text(text, _, level):
            name = f"Heading_20_{level}"
            return f'<text:h text:style-name="{name}" text:outline-level="{level}">{marks.xml(text)}</text:h>'
        case Items(items, numbered):
            number = len(styles)
            kind = "Numbering" if numbered else "List"
            styles.append(_list_style(number, f"{kind}_20_1"))
            inside = "".join(
                f'<text:list-item><text:p text:style-name="PL{number}">{marks.xml(item)}</text:p></text:list-item>'
                for item in items
            )
            return f'<text:list text:style-name="{kind}_20_1">{inside}</text:list>'
        case Grid():
            return "".join(_table(block, marks, styles))
        case Image(name, content, width, height):
            place = f"Pictures/{len(pictures) + 1:04}.png"
            pictures[place] = content
            return (
                f'<text:p text:style-name="Text_20_body"><draw:frame draw:style-name="fr1" draw:name={quoteattr(name)} '
                f'text:anchor-type="as-char" svg:width="{width}cm" svg:height="{height}cm" draw:z-index="0">'
                f'<draw:image xlink:href="{place}" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad" '
                'draw:mime-type="image/png"/></draw:frame></text:p>'
            )


def _table(grid: Grid, marks: _Marks, styles: list[str]) -> Iterator[str]:
    name = grid.name
    total = sum(grid.widths)
    styles.append(
        f'<style:style style:name="{name}" style:family="table"><style:table-properties style:width="{total:g}cm" '
        'table:align="margins"/></style:style>'
    )
    letters = "ABCDEFGHIJ"
    for letter, width in zip(letters, grid.widths, strict=False):
        styles.append(
            f'<style:style style:name="{name}.{letter}" style:family="table-column"><style:table-column-properties '
            f'style:column-width="{width:g}cm" style:rel-column-width="{round(width / total * 65535)}*"/></style:style>'
        )
    yield f'<table:table table:name="{name}" table:style-name="{name}">'
    for letter, _ in zip(letters, grid.widths, strict=False):
        yield f'<table:table-column table:style-name="{name}.{letter}"/>'
    for number, row in enumerate(grid.rows):
        cells = "".join(_cell(text, number == 0, marks) for text in row)
        line = f"<table:table-row>{cells}</table:table-row>"
        yield f"<table:table-header-rows>{line}</table:table-header-rows>" if number == 0 else line
    yield "</table:table>"


def _cell(text: str, head: bool, marks: _Marks) -> str:
    style = "Table_20_Heading" if head else "Table_20_Contents"
    value = ""
    if not head and _NUMBER.fullmatch(text):
        value = f' office:value-type="float" office:value="{text}"'
        style = "PN"
    else:
        value = ' office:value-type="string"'
    return (
        f'<table:table-cell table:style-name="Cell"{value}><text:p text:style-name="{style}">{marks.xml(text)}'
        "</text:p></table:table-cell>"
    )


_NUMBER = re.compile(r"\d+")


def _list_style(number: int, name: str) -> str:
    return (
        f'<style:style style:name="PL{number}" style:family="paragraph" style:parent-style-name="Text_20_body" '
        f'style:list-style-name="{name}"/>'
    )


def _code(style: str) -> str:
    return style.replace(" ", "_20_")


def _meta(document: Odt) -> str:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<office:document-meta {NAMESPACES} office:version="1.3"><office:meta>'
        f"<dc:title>{escape(document.title)}</dc:title><meta:initial-creator>{escape(document.author)}"
        f"</meta:initial-creator><dc:creator>{escape(document.author)}</dc:creator><meta:creation-date>{DAY}"
        f"</meta:creation-date><dc:date>{DAY}</dc:date></office:meta></office:document-meta>"
    )


def _settings(view: View) -> str:
    items = {
        "ViewId": ("string", "view2"),
        "ViewLeft": ("long", "2501"),
        "ViewTop": ("long", str(view.top or 2501)),
        # LibreOffice ignores the other settings unless all four of these are present.
        "VisibleLeft": ("long", "0"),
        "VisibleTop": ("long", str(max(0, view.top - 2501))),
        "VisibleRight": ("long", "24000"),
        "VisibleBottom": ("long", str(max(0, view.top - 2501) + 12000)),
        "ZoomType": ("short", "0"),
        "ZoomFactor": ("short", str(view.zoom)),
        "ViewLayoutColumns": ("short", str(view.columns)),
        "ViewLayoutBookMode": ("boolean", "false"),
    }
    inside = "".join(
        f'<config:config-item config:name="{name}" config:type="{kind}">{value}</config:config-item>'
        for name, (kind, value) in items.items()
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<office:document-settings {NAMESPACES} office:version="1.3">'
        '<office:settings><config:config-item-set config:name="ooo:view-settings"><config:config-item-map-indexed '
        f'config:name="Views"><config:config-item-map-entry>{inside}</config:config-item-map-entry>'
        "</config:config-item-map-indexed></config:config-item-set></office:settings></office:document-settings>"
    )


_OASIS = ("office", "style", "text", "table", "meta", "config", "manifest")
NAMESPACES = " ".join(
    [
        *(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in _OASIS),
        'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"',
        'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"',
        'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"',
        'xmlns:xlink="http://www.w3.org/1999/xlink"',
        'xmlns:dc="http://purl.org/dc/elements/1.1/"',
        'xmlns:ooo="http://openoffice.org/2004/office"',
        'xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"',
    ]
)

_HEADER_SPACE = '<style:header-footer-properties fo:min-height="0.6cm" fo:margin-bottom="0.499cm"/>'
_STYLES = (
    '<style:style style:name="T1" style:family="text"><style:text-properties fo:font-weight="bold" '
    'style:font-weight-asian="bold" style:font-weight-complex="bold"/></style:style>'
    '<style:style style:name="T2" style:family="text"><style:text-properties fo:font-style="italic" '
    'style:font-style-asian="italic" style:font-style-complex="italic"/></style:style>'
    '<style:style style:name="PN" style:family="paragraph" style:parent-style-name="Table_20_Contents">'
    '<style:paragraph-properties fo:text-align="end" style:justify-single-word="false"/></style:style>'
    '<style:style style:name="Cell" style:family="table-cell"><style:table-cell-properties fo:padding="0.097cm" '
    'fo:border="0.5pt solid #808080"/></style:style>'
    '<style:style style:name="fr1" style:family="graphic" style:parent-style-name="Graphics">'
    '<style:graphic-properties style:vertical-pos="top" style:vertical-rel="baseline"/></style:style>'
)
