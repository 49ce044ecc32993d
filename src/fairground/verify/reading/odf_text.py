"""Reading the text of OpenDocument files: paragraphs, lists, sections, indexes, and anchored content."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from xml.etree.ElementTree import Element

from fairground.verify.reading.document import Bookmark, Change, Comment, Contents, Note, Section
from fairground.verify.reading.marked_text import MarkedText
from fairground.verify.reading.odf import Package, get, short, tag, whole
from fairground.verify.reading.odf_runs import Around, Pieces, field_name
from fairground.verify.reading.odf_styles import ListLevel, Properties, Styles, layout, merge
from fairground.verify.reading.prose import (
    Block,
    Budget,
    Look,
    Paragraph,
    Shape,
    paragraph_with,
    plain,
)


class TextReader:
    """Reads text and collects what is anchored in it."""

    def __init__(
        self,
        package: Package,
        styles: Styles,
        budget: Budget,
        read_shape: Callable[[Element, TextReader], Shape | None],
        read_table: Callable[[Element, TextReader, Around], Block],
    ) -> None:
        self.package, self.styles, self.budget = package, styles, budget
        self._read_shape, self._read_table = read_shape, read_table
        self.notes: list[Note] = []
        self.comments: list[Comment] = []
        self.bookmarks: list[Bookmark] = []
        self.sections: list[Section] = []
        self.contents: list[Contents] = []
        self.shapes: list[Shape] = []
        self.inserted: dict[str, str] = {}
        self._said = MarkedText(budget)
        self._inserting: set[str] = set()
        self._remarks: dict[str, Comment] = {}
        self._looks: dict[tuple[str, ...], tuple[Look, ...]] = {}
        self._at = -1
        self._break_next = False

    def body(self, element: Element) -> tuple[Block, ...]:
        """The blocks of the document itself. Anchored content gets their positions."""
        body_blocks: list[Block] = []
        self._fill(element, body_blocks, Around(), top=True)
        return tuple(body_blocks)

    def blocks(self, element: Element, around: Around | None = None) -> tuple[Block, ...]:
        """The blocks of a cell, a note or a text box."""
        inner_blocks: list[Block] = []
        self._fill(element, inner_blocks, around or Around(), top=False)
        return tuple(inner_blocks)

    def _fill(self, element: Element, found: list[Block], around: Around, *, top: bool) -> None:
        first = True
        for child in element:
            kind = short(child)
            if top:
                self._at = len(found)
            if kind in ("text:p", "text:h"):
                found.append(self.paragraph(child, around if first or not around.list_level else _continued(around)))
                if top and len(found) == 1:
                    # The first page needs no break before it.
                    found[0] = replace(found[0], page_break=False)
                first = False
            elif kind == "text:list":
                style = get(child, "text:style-name") or around.list_style
                inner = replace(around, list_style=style, list_level=min(around.list_level + 1, 10))
                for item in child:
                    if short(item) in ("text:list-item", "text:list-header"):
                        self._fill(item, found, replace(inner, bullet=short(item) == "text:list-item"), top=top)
            elif kind == "table:table":
                found.append(self._read_table(child, self, around))
            elif kind == "text:section":
                name = get(child, "text:name")
                self._section(child, name)
                self._fill(child, found, replace(around, section=name), top=top)
            elif child.find(tag("text:index-body")) is not None:
                self._index(child, kind, around)
            elif kind.startswith("draw:"):
                self._shape(child, -1)
            elif kind in ("text:numbered-paragraph", "text:index-title"):
                self._fill(child, found, around, top=top)
            elif kind.startswith("text:bookmark") or kind.startswith("text:change"):
                self._inline(child, kind, Pieces(self, "", around, self._said))

    def paragraph(self, element: Element, around: Around) -> Paragraph:
        """Read a paragraph."""
        self.budget.take("paragraphs")
        name = get(element, "text:style-name")
        styles = self.styles
        properties: Properties = {}
        if around.base is not None:
            merge(properties, around.base(around.list_level)[1])
        merge(properties, styles.properties("paragraph", name, "paragraph", default=around.base is None))
        pieces = Pieces(self, name, around, self._said)
        self._content(element, pieces)
        runs = pieces.finish()
        self._said.say("\n")
        level = styles.list_level(around.list_style, around.list_level) if around.bullet else ListLevel("", "")
        breaks = properties.get("fo:break-before", "")
        page_break = breaks == "page" or bool(styles.master(name)) or self._break_next
        self._break_next = properties.get("fo:break-after") == "page"
        return paragraph_with(
            layout(properties),
            runs,
            style=styles.shown("paragraph", name),
            heading=whole(get(element, "text:outline-level"), 1, 10) if short(element) == "text:h" else 0,
            list=level.kind,
            list_level=around.list_level,
            list_format=level.format,
            page_break=page_break,
            page_style=styles.master(name).replace("_20_", " "),
            column_break=breaks == "column",
            section=around.section,
        )

    def looks(self, paragraph: str, spans: tuple[str, ...], around: Around) -> tuple[Look, ...]:
        key = (around.base_key, str(around.list_level if around.base else 0), paragraph, *spans)
        if key not in self._looks:
            properties: Properties = {}
            if around.base is not None:
                merge(properties, around.base(around.list_level)[0])
            merge(properties, self.styles.properties("paragraph", paragraph, "text", default=around.base is None))
            for span in spans:
                merge(properties, self.styles.properties("text", span, "text", default=False))
            self._looks[key] = self.styles.looks(properties)
        return self._looks[key]

    def _content(self, element: Element, pieces: Pieces) -> None:
        pieces.add(element.text or "")
        for child in element:
            self._inline(child, short(child), pieces)
            pieces.add(child.tail or "")

    def _inline(self, element: Element, kind: str, pieces: Pieces) -> None:
        if kind == "text:span":
            with_style = pieces.span(get(element, "text:style-name"))
            self._content(element, with_style)
        elif kind == "text:a":
            inner = pieces.span(get(element, "text:style-name"))
            inner.link = get(element, "xlink:href")[:5_000]
            self._content(element, inner)
        elif kind == "text:s":
            pieces.exactly(" " * whole(get(element, "text:c"), 1, 100_000))
        elif kind == "text:tab":
            pieces.exactly("\t")
        elif kind == "text:line-break":
            pieces.exactly("\n")
        elif kind == "text:note":
            self._note(element)
        elif kind in ("office:annotation", "office:annotation-end"):
            self._annotation(element, kind)
        elif kind in ("text:bookmark", "text:bookmark-start", "text:bookmark-end"):
            self._bookmark(get(element, "text:name"), kind)
        elif kind in ("text:change-start", "text:change-end"):
            self._change(get(element, "text:change-id"), kind)
        elif kind.startswith("draw:"):
            # Text in a shape is not part of the paragraph, and must not appear in a range of it.
            self._shape(element, self._at)
        elif kind in _TRANSPARENT:
            self._content(element, pieces)
        elif kind.startswith(("text:", "presentation:")) and kind not in _SILENT:
            inner = pieces.span("")
            inner.field = field_name(element, kind)
            self._content(element, inner)
            inner.mark_empty_field()

    def _note(self, element: Element) -> None:
        body = element.find(tag("text:note-body"))
        kind = get(element, "text:note-class")
        text = "" if body is None else plain(self._aside(body))
        self.notes.append(Note("endnote" if kind == "endnote" else "footnote", text, self._at))

    def _annotation(self, element: Element, kind: str) -> None:
        name = get(element, "office:name")
        if kind == "office:annotation-end":
            remark = self._remarks.pop(name, None)
            on = self._said.end(f"remark {name}")
            if remark is not None:
                self.comments.append(replace(remark, on=on or ""))
            return
        remark = Comment(
            text=plain(self._aside(element)),
            author=element.findtext(tag("dc:creator")) or "",
            resolved=get(element, "loext:resolved") == "true",
            block=self._at,
        )
        if name:
            self._remarks[name] = remark
        else:
            self.comments.append(remark)
        self._said.start(f"remark {name}")

    def _aside(self, element: Element) -> tuple[Block, ...]:
        """Text that is attached to a position, but not part of the text there."""
        marked, self._said = self._said, MarkedText(self.budget)
        try:
            return self.blocks(element)
        finally:
            self._said = marked

    def end(self) -> None:
        """Keep comments whose end is missing in the file."""
        self.comments += self._remarks.values()
        self._remarks.clear()

    def _bookmark(self, name: str, kind: str) -> None:
        if kind == "text:bookmark-start":
            self._said.start(f"bookmark {name}")
            return
        if kind == "text:bookmark":
            self._said.start(f"bookmark {name}")
        text = self._said.end(f"bookmark {name}")
        # Names that programs give to headings and similar change with every save.
        if text is not None and not re.match(r"__|_Toc|_Ref|_Hlk|_GoBack", name):
            self.bookmarks.append(Bookmark(name, text, self._at))

    def _change(self, name: str, kind: str) -> None:
        if kind == "text:change-start":
            self._said.start(f"change {name}")
            self._inserting.add(name)
        else:
            self._inserting.discard(name)
            self.inserted[name] = self._said.end(f"change {name}") or ""

    @property
    def inserting(self) -> bool:
        return bool(self._inserting)

    def _shape(self, element: Element, block: int) -> None:
        marked, self._said = self._said, MarkedText(self.budget)
        shape = self._read_shape(element, self)
        self._said = marked
        if shape is not None:
            self.shapes.append(replace(shape, paragraph=block))

    def _section(self, element: Element, name: str) -> None:
        self.budget.take("shapes")
        properties = self.styles.properties("section", get(element, "text:style-name"), "section")
        self.sections.append(
            Section(
                name,
                whole(properties.get("columns", "1"), 1, 100),
                get(element, "text:protected") == "true",
                get(element, "text:display", "true") != "true",
            )
        )

    def _index(self, element: Element, kind: str, around: Around) -> None:
        body = element.find(tag("text:index-body"))
        assert body is not None
        head = body.find(tag("text:index-title"))
        title = "" if head is None else plain(self.blocks(head))
        entries = plain(tuple(self.paragraph(line, Around()) for line in body.findall(tag("text:p"))))
        name = kind.removeprefix("text:")
        self.contents.append(
            Contents(
                "contents" if name == "table-of-content" else name.removesuffix("-index"),
                title,
                tuple(entries.split("\n")) if entries else (),
                self._at,
            )
        )

    def changes(self) -> tuple[Change, ...]:
        """Tracked changes in the order of the file's list."""
        tracked = []
        for region in self.package.body.iterfind(f"{tag('text:tracked-changes')}/{tag('text:changed-region')}"):
            for child in list(region)[:1]:
                kind = short(child)
                author = child.findtext(f"{tag('office:change-info')}/{tag('dc:creator')}") or ""
                if kind == "text:deletion":
                    tracked.append(Change("delete", plain(self._aside(child)), author))
                elif kind == "text:insertion":
                    name = get(region, "text:id")
                    tracked.append(Change("insert", self.inserted.get(name, ""), author))
                elif kind == "text:format-change":
                    name = get(region, "text:id")
                    tracked.append(Change("format", self.inserted.get(name, ""), author))
        return tuple(tracked)


def _continued(around: Around) -> Around:
    """The second paragraph of a list item has no bullet."""
    return replace(around, bullet=False)


_TRANSPARENT = frozenset({"text:ruby", "text:ruby-base", "text:meta", "text:reference-mark", "loext:content-control"})
_SILENT = frozenset(
    {
        "text:soft-page-break",
        "text:change",
        "text:ruby-text",
        "text:reference-mark-start",
        "text:reference-mark-end",
        "text:toc-mark",
        "text:toc-mark-start",
        "text:toc-mark-end",
        "text:alphabetical-index-mark",
        "text:alphabetical-index-mark-start",
        "text:alphabetical-index-mark-end",
        "text:user-index-mark",
        "text:note-citation",
    }
)
