"""Reading Word documents (.docx), as written by LibreOffice and Word, or crafted by an attacker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any
from xml.etree.ElementTree import Element

from fairground.core import StateError
from fairground.verify.reading.document import Comment, Document, PageStyle, Section
from fairground.verify.reading.docx_drawing import read_shape
from fairground.verify.reading.docx_styles import Styles
from fairground.verify.reading.docx_text import TextReader, notes_of, read_notes
from fairground.verify.reading.ooxml import TWIPS, Package, millimetres, read_metadata, short, tag, whole
from fairground.verify.reading.prose import Block, Budget, Paragraph, paragraphs_of

MAX_SECTIONS = 2_000
_WHAT = "document (.docx)"
_MAIN = "word/document.xml"


@lru_cache(maxsize=4)
def read_docx(data: bytes) -> Document:
    """Read a text document.

    Raises:
        StateError: It is not such a file, is damaged or encrypted, or is over a limit.
    """
    package = Package(data, _WHAT, _MAIN)
    styles = Styles(package, _MAIN)
    budget = Budget(_WHAT)
    body = package.archive.xml(_MAIN).find(tag("w:body"))
    if body is None:
        raise StateError(f"{_WHAT}: its main part has no body, so it is another kind of document")

    def make(part: str) -> TextReader:
        return TextReader(package, styles, budget, part, read_shape)

    @cache
    def read_part(part: str) -> tuple[Paragraph, ...]:
        """A header or footer, read once, because many sections may share it."""
        return paragraphs_of(make(part).blocks(package.archive.xml(part)))

    reader = make(_MAIN)
    blocks = reader.body(body)
    if len(reader.sections) > MAX_SECTIONS:
        raise StateError(f"{_WHAT}: {len(reader.sections)} sections, expected at most {MAX_SECTIONS}")
    texts = {kind: read_notes(package, make, _MAIN, kind) for kind in ("footnote", "endnote", "comment")}
    settings = _settings(package)
    pages = tuple(
        _page(place, element, reader, read_part) for place, (_, element) in enumerate(reader.sections, start=1)
    )
    return Document(
        body=_in_sections(blocks, [end for end, _ in reader.sections]),
        shapes=tuple(reader.shapes),
        notes=notes_of(reader, texts),
        comments=_comments(package, reader, texts["comment"]),
        bookmarks=tuple(reader.bookmarks),
        changes=tuple(reader.changes),
        tracking=settings.find(tag("w:trackRevisions")) is not None,
        contents=tuple(reader.contents),
        sections=tuple(Section(page.name, page.columns) for page in pages) if len(pages) > 1 else (),
        pages=_inherited(pages),
        styles=styles.named(),
        metadata=read_metadata(package),
        language=styles.text(styles.default, "", {})[0].language,
    )


def _settings(package: Package) -> Element:
    part = package.related(_MAIN, "settings")
    return package.archive.xml(part) if part else Element("none")


def _comments(package: Package, reader: TextReader, texts: dict[str, str]) -> tuple[Comment, ...]:
    part = package.related(_MAIN, "comments")
    if not part:
        return ()
    comments = []
    for element in package.archive.xml(part).iterfind(tag("w:comment")):
        name = element.get(tag("w:id"), "")
        place = reader.remarks.get(name, Comment(""))
        comments.append(replace(place, text=texts.get(name, ""), author=element.get(tag("w:author"), "")))
    return tuple(comments)


def _in_sections(blocks: tuple[Block, ...], ends: list[int]) -> tuple[Block, ...]:
    """Set the section of each block, if there are several sections."""
    if len(ends) < 2:
        return blocks
    assigned: list[Block] = []
    for place, end in enumerate(ends, start=1):
        assigned += [replace(block, section=f"Section {place}") for block in blocks[len(assigned) : end]]
    return (*assigned, *blocks[len(assigned) :])


def _page(
    place: int, element: Element, reader: TextReader, read_part: Callable[[str], tuple[Paragraph, ...]]
) -> PageStyle:
    size, margins, columns = (element.find(tag(f"w:{name}")) for name in ("pgSz", "pgMar", "cols"))
    numbers = element.find(tag("w:pgNumType"))
    parts: dict[str, Any] = {}
    for child in element:
        kind = short(child).removeprefix("w:").removesuffix("Reference")
        relation = reader.relations.get(child.get(tag("r:id"), ""))
        if kind in ("header", "footer") and relation is not None and relation.target in reader.package.archive:
            side = {"first": f"{kind}_first", "even": f"{kind}_left"}.get(child.get(tag("w:type"), ""), kind)
            parts[side] = read_part(relation.target)
    sides = ("w:top", "w:right", "w:bottom", "w:left")
    top, right, bottom, left = (0.0 if margins is None else millimetres(margins.get(tag(s)), TWIPS) for s in sides)
    return PageStyle(
        name=f"Section {place}",
        width=0.0 if size is None else millimetres(size.get(tag("w:w")), TWIPS),
        height=0.0 if size is None else millimetres(size.get(tag("w:h")), TWIPS),
        orientation="landscape" if size is not None and size.get(tag("w:orient")) == "landscape" else "portrait",
        margins=(top, right, bottom, left),
        columns=1 if columns is None else max(whole(columns.get(tag("w:num")), 1, 100), 1),
        borders=element.find(tag("w:pgBorders")) is not None,
        numbering="" if numbers is None else _NUMBERS.get(numbers.get(tag("w:fmt"), ""), ""),
        **parts,
    )


def _inherited(pages: tuple[PageStyle, ...]) -> tuple[PageStyle, ...]:
    """A section without its own header or footer has that of the previous section."""
    complete: list[PageStyle] = []
    for page in pages:
        if complete:
            missing = {name: getattr(complete[-1], name) for name in _PARTS if not getattr(page, name)}
            page = replace(page, **missing)
        complete.append(page)
    return tuple(complete)


_PARTS = ("header", "header_first", "header_left", "footer", "footer_first", "footer_left")
_NUMBERS = {"decimal": "1", "lowerLetter": "a", "upperLetter": "A", "lowerRoman": "i", "upperRoman": "I"}
