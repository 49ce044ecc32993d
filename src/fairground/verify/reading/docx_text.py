"""Reading the text of Word documents (.docx): paragraphs, tables, fields, and anchored content."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from xml.etree.ElementTree import Element

from fairground.verify.reading.document import Bookmark, Change, Comment, Contents, Note
from fairground.verify.reading.docx_runs import Pieces, field_name
from fairground.verify.reading.docx_styles import Styles, layout, paragraph_properties
from fairground.verify.reading.docx_table import read_table, value_of
from fairground.verify.reading.marked_text import MarkedText
from fairground.verify.reading.ooxml import (
    Package,
    Relation,
    path,
    short,
    tag,
    whole,
)
from fairground.verify.reading.prose import (
    Block,
    Budget,
    Paragraph,
    Shape,
    paragraph_with,
    plain,
)


class TextReader:
    """Reads the text of one part and collects what is anchored in it."""

    def __init__(
        self,
        package: Package,
        styles: Styles,
        budget: Budget,
        part: str,
        read_shape: Callable[[Element, TextReader], Shape | None],
    ) -> None:
        self.package, self.styles, self.budget = package, styles, budget
        self.relations: dict[str, Relation] = package.relations(part)
        self._read_shape = read_shape
        self.notes: list[tuple[str, str, int]] = []
        self.remarks: dict[str, Comment] = {}
        self.bookmarks: list[Bookmark] = []
        self.changes: list[Change] = []
        self.contents: list[Contents] = []
        self.shapes: list[Shape] = []
        self.sections: list[tuple[int, Element]] = []
        self._marks: dict[str, str] = {}
        self._said = MarkedText(budget)
        self._at = -1
        self._break_next = False
        self._changing = ""  # kind and author of the tracked change that ends here

    def body(self, element: Element) -> tuple[Block, ...]:
        """The blocks of the document itself. Anchored content gets their positions."""
        body_blocks: list[Block] = []
        self._fill(element, body_blocks, top=True)
        return tuple(body_blocks)

    def blocks(self, element: Element) -> tuple[Block, ...]:
        """The blocks of a cell, a note or a text box."""
        inner_blocks: list[Block] = []
        self._fill(element, inner_blocks, top=False)
        return tuple(inner_blocks)

    def _fill(self, element: Element, found: list[Block], *, top: bool) -> None:
        for child in element:
            if top:
                self._at = len(found)
            match short(child):
                case "w:p":
                    self._paragraph_block(child, found, top=top)
                case "w:tbl":
                    found.append(read_table(child, self))
                case "w:sdt":
                    content = child.find(tag("w:sdtContent"))
                    gallery = child.find(path("w:sdtPr/w:docPartObj/w:docPartGallery"))
                    if content is not None and gallery is not None and "Contents" in gallery.get(tag("w:val"), ""):
                        self._contents(content)
                    elif content is not None:
                        self._fill(content, found, top=top)
                case "w:ins" | "w:customXml" | "w:smartTag":
                    self._fill(child, found, top=top)
                case "w:sectPr" if top:
                    self.sections.append((len(found), child))
                case "w:bookmarkStart" | "w:bookmarkEnd" | "w:commentRangeStart" | "w:commentRangeEnd":
                    self._mark(child, short(child))

    def _paragraph_block(self, element: Element, found: list[Block], *, top: bool) -> None:
        section = element.find(path("w:pPr/w:sectPr"))
        # A paragraph that only ends a section has no text of its own.
        if section is None or element.find(tag("w:r")) is not None:
            found.append(self.paragraph(element))
            if top and len(found) == 1:
                found[0] = replace(found[0], page_break=False)
        if section is not None and top:
            self.sections.append((len(found), section))

    def paragraph(self, element: Element) -> Paragraph:
        """Read a paragraph."""
        self.budget.take("paragraphs")
        written = element.find(tag("w:pPr"))
        name = value_of(written, "w:pStyle") or self.styles.default
        properties = self.styles.paragraph(name, paragraph_properties(written))
        starts_page = self._break_next
        self._break_next = False
        self._changing = ""
        pieces = Pieces(self.styles, self.budget, self._said, name)
        self._content(element, pieces)
        self._said.say("\n")
        self._break_next = self._break_next or pieces.break_after
        level = whole(properties.get("list_level", "0"), 0, 8)
        kind, how = self.styles.list_level(properties.get("list", ""), level)
        return paragraph_with(
            layout(properties),
            pieces.runs.finish(),
            style=self.styles.shown(name),
            heading=properties.get("heading", 0),
            list=kind,
            list_level=level + 1 if kind else 0,
            list_format=how,
            page_break=starts_page or bool(properties.get("page_break")) or pieces.break_before,
            column_break=pieces.column_break,
        )

    def _content(self, element: Element, pieces: Pieces) -> None:
        for child in element:
            match kind := short(child):
                case "w:r":
                    self._changing = ""
                    self._run(child, pieces)
                case "w:hyperlink":
                    outer, pieces.link = pieces.link, self._link(child)
                    self._content(child, pieces)
                    pieces.link = outer
                case "w:fldSimple":
                    outer, pieces.field = pieces.field, field_name(child.get(tag("w:instr"), ""))
                    self._content(child, pieces)
                    pieces.field = outer
                case "w:ins" | "w:moveTo":
                    outside, pieces.inserted = pieces.inserted, True
                    before = self._changing
                    key = f"change {len(self.changes)} {id(child)}"
                    self._said.start(key)
                    self._content(child, pieces)
                    change = Change("insert", self._said.end(key) or "", child.get(tag("w:author"), ""))
                    self._change(kind, change, before)
                    pieces.inserted = outside
                case "w:del" | "w:moveFrom":
                    change = Change("delete", _deleted(child), child.get(tag("w:author"), ""))
                    self._change(kind, change, self._changing)
                case "w:sdt":
                    content = child.find(tag("w:sdtContent"))
                    if content is not None:
                        self._content(content, pieces)
                case "w:smartTag" | "w:customXml" | "w:bdo" | "w:dir":
                    self._content(child, pieces)
                case "w:bookmarkStart" | "w:bookmarkEnd" | "w:commentRangeStart" | "w:commentRangeEnd":
                    self._mark(child, kind)
            if len(self.changes) > 5_000:
                raise self.budget.fault("more than 5000 tracked changes")

    def _change(self, kind: str, change: Change, before: str) -> None:
        """Record a tracked change. One that continues the last one was only split, for example at a link."""
        self._changing = f"{kind} {change.author}"
        if before == self._changing and self.changes:
            change = replace(change, text=self.changes.pop().text + change.text)
        self.changes.append(change)

    def _run(self, element: Element, pieces: Pieces) -> None:
        written = element.find(tag("w:rPr"))
        style = value_of(written, "w:rStyle")
        pieces.look(style, self.styles.text_properties(written))
        for child in element:
            match short(child):
                case "w:t":
                    pieces.add(child.text or "")
                case "w:tab" | "w:ptab":
                    pieces.add("\t")
                case "w:br" | "w:cr":
                    pieces.line_break(child.get(tag("w:type"), ""))
                case "w:noBreakHyphen":
                    pieces.add("\u2011")
                case "w:softHyphen":
                    pieces.add("\u00ad")
                case "w:sym":
                    code = child.get(tag("w:char"), "")
                    pieces.add(chr(int(code, 16)) if re.fullmatch("[0-9A-Fa-f]{4}", code) else "")
                case "w:fldChar":
                    pieces.field_mark(child.get(tag("w:fldCharType"), ""))
                case "w:instrText":
                    pieces.instruction(child.text or "")
                case "w:footnoteReference" | "w:endnoteReference" as kind:
                    note = "footnote" if kind == "w:footnoteReference" else "endnote"
                    self.notes.append((note, child.get(tag("w:id"), ""), self._at))
                case "w:commentReference":
                    self.remarks.setdefault(child.get(tag("w:id"), ""), Comment("", block=self._at))
                case "w:drawing" | "w:pict" | "w:object" | "mc:AlternateContent":
                    self._shape(child)

    def _shape(self, element: Element) -> None:
        marked, self._said = self._said, MarkedText(self.budget)
        shape = self._read_shape(element, self)
        self._said = marked
        if shape is not None:
            self.shapes.append(replace(shape, paragraph=self._at))

    def _link(self, element: Element) -> str:
        relation = self.relations.get(element.get(tag("r:id"), ""))
        anchor = element.get(tag("w:anchor"), "")
        return ((relation.target if relation is not None else "") + (f"#{anchor}" if anchor else ""))[:5_000]

    def _mark(self, element: Element, kind: str) -> None:
        name = element.get(tag("w:id"), "")
        if kind == "w:bookmarkStart":
            self._marks[name] = element.get(tag("w:name"), "")
            self._said.start(f"bookmark {name}")
        elif kind == "w:bookmarkEnd":
            text = self._said.end(f"bookmark {name}")
            shown = self._marks.get(name, "")
            if text is not None and not re.match(r"__|_Toc|_Ref|_Hlk|_GoBack", shown):
                self.bookmarks.append(Bookmark(shown, text, self._at))
        elif kind == "w:commentRangeStart":
            self._said.start(f"remark {name}")
        else:
            on = self._said.end(f"remark {name}") or ""
            self.remarks[name] = Comment("", on=on, block=self._at)

    def _contents(self, element: Element) -> None:
        lines = [block for block in self.blocks(element) if isinstance(block, Paragraph)]
        title = [line.text for line in lines if "heading" in line.style.lower()]
        entries = tuple(line.text for line in lines if "heading" not in line.style.lower() and line.text)
        self.contents.append(Contents("contents", "\n".join(title), entries, self._at))


def _deleted(element: Element) -> str:
    """The text of a tracked deletion."""
    letters = {"w:tab": "\t", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "\u2011", "w:softHyphen": "\u00ad"}
    pieces = []
    for run in element.iter(tag("w:r")):
        for child in run:
            kind = short(child)
            pieces.append((child.text or "") if kind in ("w:delText", "w:t") else letters.get(kind, ""))
    return "".join(pieces)


def read_notes(package: Package, make: Callable[[str], TextReader], main: str, kind: str) -> dict[str, str]:
    """Texts of footnotes, endnotes or comments by number."""
    part = package.related(main, f"{kind}s")
    if not part:
        return {}
    reader = make(part)
    texts = {}
    for element in package.archive.xml(part).iterfind(tag(f"w:{kind}")):
        if element.get(tag("w:type"), "normal") == "normal":
            text = plain(reader.blocks(element))
            # A space or a tab separates the mark of a note from its text.
            texts[element.get(tag("w:id"), "")] = text if kind == "comment" else re.sub(r"^[ \t]", "", text)
    return texts


def notes_of(reader: TextReader, texts: dict[str, dict[str, str]]) -> tuple[Note, ...]:
    """The notes that the text refers to."""
    return tuple(
        Note("footnote" if kind == "footnote" else "endnote", texts.get(kind, {}).get(name, ""), block)
        for kind, name, block in reader.notes
    )
