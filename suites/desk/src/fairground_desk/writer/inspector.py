"""What can be asked about the documents of a seat: their text, how it looks, how it is built, and what surrounds it."""

from __future__ import annotations

from typing import Any

from fairground.core import Check, State, StateError
from fairground.verify import close_to, contains, equal, holds
from fairground.verify.reading.prose import Paragraph
from fairground.verify.reading.xmlsettings import read_recent_files, read_registry
from fairground.worlds import Inspector
from fairground_desk.office import REGISTRY
from fairground_desk.writer.reading import document_of, looks_at, table_of

RECENT = "~/.local/share/recently-used.xbel"

WRITER = Inspector(
    "writer",
    channels={
        "saved documents": "`.odt` and `.docx` in `~/Documents`: content, formatting, structure, metadata",
        "UNO": "documents with unsaved changes, a copy of each, and where the cursor is",
        "profile": "`registrymodifications.xcu` and `recently-used.xbel`: settings and recent documents",
        "file system": "everything in `~/Documents` and `~/Pictures`",
    },
)


@WRITER.query("content")
def text(state: State, path: str) -> str:
    """The text of a document, a paragraph a line, without tables.

    Args:
        path: Where it was saved, such as `~/Documents/report.odt`.
    """
    return document_of(state, path).text


@WRITER.query("content")
def paragraph(state: State, path: str, number: int) -> Paragraph:
    """One paragraph of the body with its runs and its layout.

    Args:
        path: Where the document was saved.
        number: Counted from 0; tables count as one.
    """
    return _paragraph(state, path, number)


@WRITER.query("content")
def find(state: State, path: str, wanted: str) -> list[dict[str, Any]]:
    """Where a text occurs, exactly as it is written, also in tables.

    Args:
        path: Where the document was saved.
        wanted: The text.
    """
    return [
        {"text": paragraph.text, "times": paragraph.text.count(wanted), "style": paragraph.style}
        for paragraph in document_of(state, path).all_paragraphs
        if wanted in paragraph.text
    ]


@WRITER.query("content")
def table(state: State, path: str, name: str) -> dict[str, Any]:
    """A table: its texts row by row, its formulas, its merged cells and how many rows are its heading.

    Args:
        path: Where the document was saved.
        name: Of the table, as the navigator shows it.
    """
    content = _table(state, path, name)
    return {
        "rows": content.grid,
        "header_rows": content.header_rows,
        "formulas": {_name(cell.row, cell.column): cell.formula for cell in content.cells if cell.formula},
        "merged": {
            _name(cell.row, cell.column): [cell.rows, cell.columns]
            for cell in content.cells
            if cell.rows > 1 or cell.columns > 1
        },
    }


@WRITER.query("content")
def notes(state: State, path: str) -> Any:
    """Footnotes and endnotes, with the number of the paragraph that each belongs to.

    Args:
        path: Where the document was saved.
    """
    return document_of(state, path).notes


@WRITER.query("content")
def comments(state: State, path: str) -> Any:
    """Comments: text, author, what each is about, and whether it is resolved.

    Args:
        path: Where the document was saved.
    """
    return document_of(state, path).comments


@WRITER.check("content")
def check_text(state: State, path: str, wanted: str, times: int = 1) -> Check:
    """Whether a text occurs so many times in all, also in tables.

    Args:
        path: Where the document was saved.
        wanted: The text, exactly as it is written.
        times: How many times.
    """
    count = sum(paragraph.text.count(wanted) for paragraph in document_of(state, path).all_paragraphs)
    return equal(f"{wanted!r} occurs {times} times", times, count)


@WRITER.check("content")
def check_cell(state: State, path: str, name: str, row: int, column: int, wanted: str) -> Check:
    """Whether a cell of a table holds a text.

    Args:
        path: Where the document was saved.
        name: Of the table.
        row: Counted from 0, with the heading.
        column: Counted from 0.
        wanted: The text.
    """
    return equal(f"{name} {_name(row, column)}", wanted, _table(state, path, name).at(row, column).text)


@WRITER.query("formatting")
def looks(state: State, path: str, wanted: str) -> list[dict[str, Any]]:
    """How every occurrence of a text looks: bold, italic, colours, font, size, language.

    Args:
        path: Where the document was saved.
        wanted: The text, exactly as it is written.
    """
    runs = []
    for paragraph in document_of(state, path).all_paragraphs:
        for run in dict.fromkeys(looks_at(paragraph, wanted)):
            runs.append({"text": run.text, "style": run.style, "link": run.link, **_look(run)})
    return runs


@WRITER.query("formatting")
def styles(state: State, path: str) -> dict[str, int]:
    """Which paragraph styles the body uses, with how many paragraphs have each.

    Args:
        path: Where the document was saved.
    """
    counts: dict[str, int] = {}
    for paragraph in document_of(state, path).all_paragraphs:
        counts[paragraph.style] = counts.get(paragraph.style, 0) + 1
    return counts


@WRITER.check("formatting")
def check_style(state: State, path: str, line: str, style: str) -> Check:
    """Whether the paragraph with this text has a style.

    Args:
        path: Where the document was saved.
        line: The whole text of the paragraph.
        style: Name of the style, such as `Heading 1`.
    """
    names = [paragraph.style for paragraph in document_of(state, path).all_paragraphs if paragraph.text.strip() == line]
    return holds(f"{line!r} is {style}", names == [style], expected=[style], found=names)


@WRITER.check("formatting")
def check_look(state: State, path: str, wanted: str, name: str, value: str) -> Check:
    """Whether every letter of every occurrence of a text looks so; false where the text does not occur.

    Args:
        path: Where the document was saved.
        wanted: The text, exactly as it is written.
        name: `bold`, `italic`, `underline`, `colour`, `highlight`, `font`, `size`, `language`, `link`, `style`.
        value: As text: `true`, `#ff0000`, `12.0`.
    """
    runs = [run for paragraph in document_of(state, path).all_paragraphs for run in looks_at(paragraph, wanted)]
    if runs and not hasattr(runs[0], name):
        raise StateError(f"letters have no {name!r}")
    values = sorted({str(getattr(run, name)).lower() for run in runs})
    return equal(f"{wanted!r} has {name} {value}", [value.lower()], values)


@WRITER.query("structure")
def outline(state: State, path: str) -> list[dict[str, Any]]:
    """The headings in order, each with its level and whether a new page starts with it.

    Args:
        path: Where the document was saved.
    """
    headings = document_of(state, path).headings
    return [{"text": heading.text, "level": heading.heading, "page_break": heading.page_break} for heading in headings]


@WRITER.query("structure")
def lists(state: State, path: str) -> list[dict[str, Any]]:
    """The paragraphs that are items of lists, with kind, level and format.

    Args:
        path: Where the document was saved.
    """
    return [
        {"text": paragraph.text, "list": paragraph.list, "level": paragraph.list_level, "format": paragraph.list_format}
        for paragraph in document_of(state, path).paragraphs
        if paragraph.list
    ]


@WRITER.query("structure")
def contents(state: State, path: str) -> Any:
    """Tables of contents and other indexes, with their lines as they were last updated.

    Args:
        path: Where the document was saved.
    """
    return document_of(state, path).contents


@WRITER.query("structure")
def sections(state: State, path: str) -> Any:
    """Named sections: columns, protection, whether hidden.

    Args:
        path: Where the document was saved.
    """
    return document_of(state, path).sections


@WRITER.query("structure")
def images(state: State, path: str) -> list[dict[str, Any]]:
    """The pictures: name, size in millimetres, texts for people who do not see them, and the hash of the bytes.

    Args:
        path: Where the document was saved.
    """
    return [
        {
            "name": image.name, "width": image.width, "height": image.height, "title": image.alt_title,
            "alt": image.alt, "anchor": image.anchor, "block": image.paragraph,
            "digest": image.picture.digest if image.picture else "",
        }
        for image in document_of(state, path).images
    ]  # fmt: skip


@WRITER.query("structure")
def bookmarks(state: State, path: str) -> Any:
    """Bookmarks, with the text that each is about.

    Args:
        path: Where the document was saved.
    """
    return document_of(state, path).bookmarks


@WRITER.check("structure")
def check_heading(state: State, path: str, line: str, level: int) -> Check:
    """Whether there is a heading with this text and level.

    Args:
        path: Where the document was saved.
        line: The heading's whole text.
        level: From 1.
    """
    headings = [[heading.text, heading.heading] for heading in document_of(state, path).headings]
    return contains(f"{line!r} is a heading of level {level}", [line, level], headings)


@WRITER.query("history")
def changes(state: State, path: str) -> dict[str, Any]:
    """Tracked changes that nobody has accepted or rejected, and whether changes are being recorded.

    Args:
        path: Where the document was saved.
    """
    document = document_of(state, path)
    return {"recording": document.tracking, "changes": document.changes}


@WRITER.query("history")
def recent(state: State) -> list[str]:
    """Files that were opened or saved lately, as the desktop remembers them; empty before the first."""
    content = state.files.get(RECENT)
    return [entry.uri for entry in read_recent_files(content)] if content else []


@WRITER.query("settings")
def page(state: State, path: str) -> list[dict[str, Any]]:
    """The page styles in use: size and margins in millimetres, columns, header, footer.

    Args:
        path: Where the document was saved.
    """
    return [
        {
            "name": layout.name, "width": layout.width, "height": layout.height, "orientation": layout.orientation,
            "margins": layout.margins, "columns": layout.columns, "header": layout.header_text,
            "footer": layout.footer_text,
        }
        for layout in document_of(state, path).pages
        if layout.used
    ]  # fmt: skip


@WRITER.check("settings")
def check_page(state: State, path: str, width: float, height: float) -> Check:
    """Whether the first page has a size, within half a millimetre.

    Args:
        path: Where the document was saved.
        width: In millimetres.
        height: In millimetres.
    """
    layout = document_of(state, path).page
    wide = close_to("width", width, layout.width, within=0.5)
    high = close_to("height", height, layout.height, within=0.5)
    return holds(
        f"the page is {width:g} x {height:g} mm",
        wide.passed and high.passed,
        expected=[width, height],
        found=[layout.width, layout.height],
    )


@WRITER.query("settings")
def setting(state: State, name: str) -> Any:
    """A setting of LibreOffice that differs from its default; None for one that does not.

    Args:
        name: Its path, such as `/org.openoffice.UserProfile/Data/sn`.
    """
    return read_registry(state.file(REGISTRY)).get(name)


@WRITER.query("files")
def files(state: State) -> list[str]:
    """Every file in the folders of documents and pictures."""
    return [entry["path"] for entry in state.get("files") if entry["kind"] == "file"]


@WRITER.check("files")
def check_file(state: State, path: str) -> Check:
    """Whether a file is there.

    Args:
        path: Such as `~/Documents/report.docx`.
    """
    return holds(f"{path} is there", path in state.files, expected=path, found=files(state)[:60])


@WRITER.query("metadata")
def metadata(state: State, path: str) -> Any:
    """What a document says about itself: title, subject, keywords, description, author, custom properties.

    Args:
        path: Where the document was saved.
    """
    return document_of(state, path).metadata


@WRITER.check("metadata")
def check_metadata(state: State, path: str, name: str, value: str) -> Check:
    """Whether a document says something about itself.

    Args:
        path: Where the document was saved.
        name: `title`, `subject`, `description`, `author`, or `keywords` with commas between them.
        value: What it should be.
    """
    recorded = getattr(document_of(state, path).metadata, name, None)
    shown = ", ".join(recorded) if isinstance(recorded, tuple) else recorded
    return equal(f"{name} of {path}", value, shown)


@WRITER.query("live")
def unsaved(state: State) -> list[str]:
    """Documents that were open with unsaved changes when the attempt ended."""
    return [str(document.get("path") or document.get("title")) for document in _open(state) if document.get("modified")]


@WRITER.query("live")
def view(state: State) -> list[dict[str, Any]]:
    """The documents that were open when the attempt ended, with the page of the cursor and what was selected."""
    return [
        {"path": document.get("path"), "kind": document.get("kind"), **document.get("view", {})}
        for document in _open(state)
    ]


def _open(state: State) -> list[dict[str, Any]]:
    live = state.get("live")
    if "documents" not in live:
        raise StateError(f"LibreOffice did not say what is open: {live.get('error', 'no reason')}")
    return list(live["documents"])


def _paragraph(state: State, path: str, number: int) -> Paragraph:
    body = document_of(state, path).body
    if not 0 <= number < len(body):
        raise StateError(f"{path} has {len(body)} blocks, and none of number {number}")
    block = body[number]
    if not isinstance(block, Paragraph):
        raise StateError(f"block {number} of {path} is a table")
    return block


def _table(state: State, path: str, name: str) -> Any:
    document = document_of(state, path)
    content = table_of(document, name)
    if not content.rows:
        raise StateError(f"{path} has no table {name!r}; it has {[item.name for item in document.tables]}")
    return content


def _look(run: Any) -> dict[str, Any]:
    names = ("bold", "italic", "underline", "strike", "colour", "highlight", "font", "size", "language")
    return {name: getattr(run, name) for name in names}


def _name(row: int, column: int) -> str:
    return f"{chr(65 + column)}{row + 1}"
