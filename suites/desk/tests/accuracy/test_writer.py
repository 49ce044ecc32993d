"""Writer: what it says of its saved texts and what is read from them, in ODT and DOCX."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pytest

from fairground.core import State
from fairground.verify.reading.document import Document
from fairground.verify.reading.docx import read_docx
from fairground.verify.reading.odt import read_odt
from fairground.verify.reading.prose import Paragraph, Run, Table
from fairground_desk.writer.inspector import WRITER

from .agreement import Tally
from .drawing import Draw
from .office import Office

READERS = {"odt": read_odt, "docx": read_docx}
WRITINGS = (
    "שלום עולם",
    "abc שלום, 123 xyz",
    "مرحبا 123 بالعالم",
    "日本語 テスト, and 日本",
    "“שלום” 😀 हिन्दी ไทย 한국어",
)
STYLES = ("Standard", "Text body", "Heading 1", "Heading 2", "Heading 3", "Title", "Quotations", "Preformatted Text")
LOOKS: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("CharWeight", (150.0, 100.0)),
    ("CharPosture", ("ITALIC", "NONE")),
    ("CharUnderline", (0, 1, 2, 10)),
    ("CharStrikeout", (0, 1, 2)),
    ("CharColor", (0xC00000, 0x00A933, 0x000000, 0xFFFFFF)),
    ("CharBackColor", (0xFFFF00, 0x123456)),
    ("CharHeight", (6.0, 10.5, 17.0, 96.0)),
    ("CharFontName", ("Liberation Mono", "DejaVu Sans")),
    ("CharCaseMap", (1, 4)),
    ("CharHidden", (True,)),
    ("HyperLinkURL", ("https://example.org/a?b=c&d=%20e", "mailto:ada@example.org", "https://example.org/#x")),
)

pytestmark = pytest.mark.slow  # tests/verify/reading has an example of each format


@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param(range(1), id="few"),
        pytest.param(range(1, 90), id="many", marks=pytest.mark.timeout(900)),
    ],
)
def test_writer_and_the_reader_agree_on_saved_texts(office: Office, numbers: Iterable[int]) -> None:
    tally = Tally()
    for number in numbers:
        drawn = recipe(Draw(1000 + number))
        made = office.make("writer", drawn)
        _take_lost_notes(made["docx"][1], made["odt"][1])
        for kind, (data, said) in made.items():
            if kind == "docx" and any(block.get("section") for block in drawn["blocks"]):
                continue  # sections end in paragraphs of their own there, which Writer shows and we leave out
            document = READERS[kind](data)
            tally.compare(f"text {number} as {kind.upper()}", said, told(document, kind))
            _endpoints_agree(data, document, kind)
    print(tally)
    assert tally.properties > 100 * tally.documents


def _take_lost_notes(said: dict[str, Any], whole: dict[str, Any]) -> None:
    """Opening a DOCX with several footnotes and several remarks, Writer loses the texts of all footnotes at times.

    The file has them, as the same text has them as ODT.
    """
    if len(said["comments"]) > 1 and len(said["notes"]) > 1 and not any(text for _, text in said["notes"]):
        said["notes"] = whole["notes"]


def recipe(draw: Draw) -> dict[str, Any]:
    """A text, drawn."""
    blocks: list[dict[str, Any]] = []
    for number in range(draw.randint(2, 9)):
        tables = sum(block["kind"] == "table" for block in blocks)
        # An empty paragraph before a table is lost in DOCX.
        if blocks and blocks[-1].get("pieces") and draw.likely(0.2):
            blocks.append(_table(draw, tables))
        blocks.append(_paragraph(draw, number))
    return {
        "page": {
            "landscape": draw.likely(0.3),
            "margins": [draw.randint(5, 40) * 100 for _ in range(4)],
            "Header": draw.choice((None, "Report", "a&b <c>", "日本 😀")),
            "Footer": draw.choice((None, "Page", "שלום")),
        },
        "blocks": blocks,
        "title": draw.text(),
        "subject": draw.text(),
        "description": draw.text(),
        "author": draw.choice(("Ada", "Ødegård & Søn <x>", "")),
        "keywords": draw.some(("one", "a&b", "日本", "two words")),
        "custom": {name: draw.text() for name in draw.some(("Project", "Näme <&>"))},
        "changes": _changes(draw) if draw.likely(0.4) else None,
    }


def _paragraph(draw: Draw, number: int) -> dict[str, Any]:
    style = draw.choice(STYLES)
    properties: dict[str, Any] = {}
    if draw.likely(0.5):
        properties["ParaAdjust"] = draw.choice(("LEFT", "RIGHT", "CENTER", "BLOCK"))
    if draw.likely(0.3):
        properties["ParaTopMargin"] = draw.randint(0, 20) * 100
    if draw.likely(0.3):
        properties["ParaBottomMargin"] = draw.randint(0, 20) * 100
    if draw.likely(0.3):
        properties["ParaLineSpacing"] = draw.choice(((0, 100), (0, 150), (0, 115), (1, 706), (3, 635)))
    if draw.likely(0.2):
        properties["ParaKeepTogether"] = draw.likely(0.5)
    if draw.likely(0.2):
        properties["BreakType"] = "PAGE_BEFORE"
    if draw.likely(0.3) and not style.startswith("Heading"):
        properties["NumberingStyleName"] = draw.choice(("List 1", "Numbering 123", "Numbering ABC", "Numbering ivx"))
        properties["NumberingLevel"] = draw.choice((0, 0, 1, 3))
    elif draw.likely(0.3):
        properties["ParaLeftMargin"] = draw.randint(0, 40) * 100
        properties["ParaFirstLineIndent"] = draw.randint(-10, 20) * 100
        properties["ParaRightMargin"] = draw.randint(0, 20) * 100
    return {
        "kind": "paragraph",
        "style": style,
        "pieces": [_piece(draw, f"{number}-{place}") for place in range(draw.randint(0, 4))],
        "properties": properties,
        "section": _section(draw, number) if draw.likely(0.1) else None,
    }


def _piece(draw: Draw, place: str) -> dict[str, Any]:
    text = draw.text()
    if draw.likely(0.2):
        text = f"{text}\t{draw.text()}\n{draw.text()}"
    look = {name: draw.choice(values) for name, values in LOOKS if draw.likely(0.15)}
    if draw.likely(0.2):
        # Bold and slanted letters of one kind of writing, as the buttons make them of what is selected.
        text = draw.choice(WRITINGS)
        for kind in draw.some(("", "Asian", "Complex")):
            look |= {f"CharWeight{kind}": draw.choice((150.0, 100.0))} if draw.likely(0.7) else {}
            look |= {f"CharPosture{kind}": draw.choice(("ITALIC", "NONE"))} if draw.likely(0.5) else {}
    if draw.likely(0.1):
        look |= draw.choice(({"CharEscapement": 33, "CharEscapementHeight": 58}, {"CharEscapement": -33}))
    kind = draw.choice(("bookmark", "comment", "note")) if draw.likely(0.3) else ""
    return {
        "text": text,
        "look": look,
        "field": draw.choice(("PageNumber", "PageCount")) if draw.likely(0.05) else "",
        # One of them at a place: Writer loses the last letter of a bookmark in DOCX that a comment follows.
        "bookmark": f"mark_{place}" if kind == "bookmark" else "",
        "comment": (draw.choice(("Ada", "Bo & <c>")), draw.text()) if kind == "comment" else None,
        "note": (draw.choice(("Footnote", "Endnote")), draw.text()) if kind == "note" else None,
    }


def _table(draw: Draw, number: int) -> dict[str, Any]:
    rows, columns = draw.randint(1, 4), draw.randint(1, 4)
    return {
        "kind": "table",
        "name": f"Table_&_<{number}>" if draw.likely(0.5) else f"T{number}",
        "rows": rows,
        "columns": columns,
        "texts": [[draw.text() if draw.likely(0.8) else "" for _ in range(columns)] for _ in range(rows)],
        "header": draw.likely(0.5),
        "back": draw.colour() if draw.likely(0.5) else None,
        "merged": ("A1", "B1") if columns > 1 and draw.likely(0.3) else None,
    }


def _section(draw: Draw, number: int) -> dict[str, Any]:
    return {"name": f"Part {number}", "columns": draw.randint(1, 3), "protected": draw.likely(0.3)}


def _changes(draw: Draw) -> dict[str, Any]:
    return {
        "inserted": [(draw.randrange(9), " " + draw.text()) for _ in range(draw.randint(0, 2))],
        # Whole links, parts of them, and what reaches over their ends.
        "deleted": [(place, draw.randrange(6), draw.randint(1, 12)) for place in draw.some((0, 3), 0.5)],
        "recording": draw.likely(0.5),
    }


# What was read, in the words of the account.


def told(document: Document, kind: str) -> dict[str, Any]:
    """All that is compared of a text."""
    page, about = document.page, document.metadata
    found: dict[str, Any] = {
        "blocks": [_told(block, kind) for block in document.body],
        "notes": [[one.kind, one.text] for one in document.notes if one.kind == "footnote"],
        "comments": sorted([one.author, one.text, one.resolved] for one in document.comments),
        "bookmarks": {one.name: one.text for one in document.bookmarks},
        "changes": sorted([one.kind, one.text, one.author] for one in document.changes),
        "tracking": document.tracking,
        "page": {
            "width_mm": page.width,
            "height_mm": page.height,
            "landscape": page.orientation == "landscape",
            "margins_mm": page.margins,
            "header": page.header_text,
            "footer": page.footer_text,
        },
        "about": {
            "title": about.title,
            "subject": about.subject,
            "description": about.description,
            "author": about.author,
            "keywords": about.keywords,
            "custom": dict(about.custom),
        },
    }
    if kind == "docx":
        found["about"]["keywords"] = " ".join(about.keywords).split()
        del found["page"]["margins_mm"]
        found["bookmarks"] = sorted(found["bookmarks"])
    if kind == "odt":
        found["endnotes"] = [[one.kind, one.text] for one in document.notes if one.kind == "endnote"]
        found["sections"] = {one.name: [one.columns, one.protected] for one in document.sections}
    return found


def _told(block: Paragraph | Table, kind: str) -> dict[str, Any]:
    if isinstance(block, Table):
        return _told_table(block, kind)
    runs = _told_runs(block.runs, kind)
    found = {
        "text": "".join(text for text, _ in runs),
        "runs": runs,
        "style": block.style,
        "heading": block.heading,
        "alignment": block.alignment,
        "left_mm": block.left,
        "right_mm": block.right,
        "first_mm": block.first_line,
        "above_mm": block.above,
        "below_mm": block.below,
        "spacing": _spacing(block.line_spacing),
        "keep": block.keep_with_next,
        "list": block.list,
        "level": block.list_level if block.list else 0,
        "how": block.list_format,
    }
    if block.list:
        del found["left_mm"], found["first_mm"]
    return found


def _told_runs(runs: Iterable[Run], kind: str) -> list[list[Any]]:
    """Runs without what the account does not part them by."""
    found: list[list[Any]] = []
    names = ("bold", "italic", "underline", "strike", "colour", "highlight", "font", "size", "script", "caps", "hidden")
    for run in runs:
        look = {name: getattr(run, name) for name in (*names, "link")} | {"field": bool(run.field)}
        if kind == "docx" and run.link:
            look["underline"] = look["colour"] = look["script"] = None
        elif kind == "docx" and run.field and run.script == "sub":
            # The draw lowers letters by a share, a `w:position` in DOCX, which Writer does not give to a field there.
            look["script"] = ""
        if found and found[-1][1] == look:
            found[-1][0] += run.text
        elif run.text:
            found.append([run.text, look])
    return [["#" if look["field"] else text, look] for text, look in found]


def _spacing(text: str) -> Any:
    match = re.fullmatch(r"(at least |leading |)([0-9.]+)pt", text)
    return [{"at least ": 1, "leading ": 2, "": 3}[match[1]], round(float(match[2]))] if match else text


def _told_table(table: Table, kind: str) -> dict[str, Any]:
    cells: dict[str, Any] = {}
    for row in range(table.rows):
        # Writer names the cells of a row one after the other, however many columns each spans.
        for place, cell in enumerate(one for one in table.cells if one.row == row):
            name = f"{'ABCDEFGH'[place]}{row + 1}"
            cells[name] = {"text": cell.text, "background": cell.background}
    found = {"cells": cells, "header": table.header_rows}
    if kind == "odt":
        found["name"] = table.name
    return found


def _endpoints_agree(data: bytes, document: Document, kind: str) -> None:
    """The inspector's endpoints say what the reader says, through JSON."""
    path = f"~/Documents/made.{kind}"
    state = State(files={path: data}, data={})
    assert WRITER.ask(state, "text", {"path": path}) == document.text
    for name in ("notes", "comments", "bookmarks"):
        assert WRITER.ask(state, name, {"path": path}) == [vars(one) for one in getattr(document, name)]
    about = WRITER.ask(state, "metadata", {"path": path})
    assert (about["title"], about["keywords"]) == (document.metadata.title, list(document.metadata.keywords))
