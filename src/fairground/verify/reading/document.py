"""What a word processor's file holds, whatever its format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from fairground.core import StateError
from fairground.verify.reading.leaves import flatten
from fairground.verify.reading.prose import Block, Layout, Look, Metadata, Paragraph, Shape, Table, paragraphs_of


@dataclass(frozen=True)
class Note:
    """A footnote or endnote; `block` is the index in the body of the block that it belongs to."""

    kind: Literal["footnote", "endnote"]
    text: str
    block: int = -1


@dataclass(frozen=True)
class Comment:
    """A remark in the margin.

    Attributes:
        on: The text that it is about; empty when it marks only a place.
        block: Index in the body of the block that it belongs to.
    """

    text: str
    author: str = ""
    on: str = ""
    resolved: bool = False
    block: int = -1


@dataclass(frozen=True)
class Bookmark:
    """A named place; those that the program makes for itself (names with `__` or `_Toc`) are left out."""

    name: str
    text: str = ""
    block: int = -1


@dataclass(frozen=True)
class Change:
    """A tracked change that was neither accepted nor rejected."""

    kind: Literal["insert", "delete", "format"]
    text: str
    author: str = ""


@dataclass(frozen=True)
class Contents:
    """A table of contents or another index: `kind` is `contents`, `alphabetical`, `illustrations`, ...

    Attributes:
        entries: Its lines as they stand in the file, such as `Introduction<tab>1`: as old as its last update.
        block: Index in the body of the block before which it stands.
    """

    kind: str
    title: str = ""
    entries: tuple[str, ...] = ()
    block: int = -1


@dataclass(frozen=True)
class Section:
    """A named part of the text."""

    name: str
    columns: int = 1
    protected: bool = False
    hidden: bool = False


@dataclass(frozen=True, kw_only=True)
class PageStyle:
    """How pages look: in ODT one for each page style, in DOCX one for each section in order (`Section 1`).

    Attributes:
        used: Whether the body can come to it: the first page's style and those that breaks and styles lead to.
        header: Paragraphs on top of a page; `header_first` and `header_left` where those pages differ.
        margins: Top, right, bottom, left.
        numbering: How page numbers are written: `1`, `i`, `I`, `a`, `A`.
    """

    name: str
    used: bool = True
    width: float = 0.0
    height: float = 0.0
    orientation: Literal["portrait", "landscape"] = "portrait"
    margins: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    columns: int = 1
    background: str = ""
    borders: bool = False
    numbering: str = ""
    header: tuple[Paragraph, ...] = ()
    header_first: tuple[Paragraph, ...] = ()
    header_left: tuple[Paragraph, ...] = ()
    footer: tuple[Paragraph, ...] = ()
    footer_first: tuple[Paragraph, ...] = ()
    footer_left: tuple[Paragraph, ...] = ()
    shapes: tuple[Shape, ...] = ()

    @property
    def header_text(self) -> str:
        """Text of the header, in lines."""
        return "\n".join(paragraph.text for paragraph in self.header)

    @property
    def footer_text(self) -> str:
        """Text of the footer, in lines."""
        return "\n".join(paragraph.text for paragraph in self.footer)


@dataclass(frozen=True)
class NamedStyle:
    """A style that the file defines, with all that it inherits."""

    name: str
    family: Literal["paragraph", "character"]
    parent: str = ""
    look: Look = field(default_factory=Look)
    layout: Layout = field(default_factory=Layout)


@dataclass(frozen=True, kw_only=True)
class Document:
    """A text document.

    Attributes:
        body: Paragraphs and tables in their order; what stands in sections is among them, indexes are not.
        shapes: Everything placed in the body: pictures, boxes of text, charts, drawings.
        language: Of the document's default text.
        tracking: Whether changes are being recorded.
    """

    body: tuple[Block, ...] = ()
    shapes: tuple[Shape, ...] = ()
    notes: tuple[Note, ...] = ()
    comments: tuple[Comment, ...] = ()
    bookmarks: tuple[Bookmark, ...] = ()
    changes: tuple[Change, ...] = ()
    tracking: bool = False
    contents: tuple[Contents, ...] = ()
    sections: tuple[Section, ...] = ()
    pages: tuple[PageStyle, ...] = ()
    styles: tuple[NamedStyle, ...] = ()
    metadata: Metadata = field(default_factory=Metadata)
    language: str = ""

    @property
    def paragraphs(self) -> tuple[Paragraph, ...]:
        """Paragraphs of the body, without those in tables."""
        return tuple(block for block in self.body if isinstance(block, Paragraph))

    @property
    def all_paragraphs(self) -> tuple[Paragraph, ...]:
        """Paragraphs of the body, with those in tables."""
        return paragraphs_of(self.body)

    @property
    def tables(self) -> tuple[Table, ...]:
        """Tables of the body, without those inside of other tables."""
        return tuple(block for block in self.body if isinstance(block, Table))

    @property
    def headings(self) -> tuple[Paragraph, ...]:
        """Paragraphs that are headings."""
        return tuple(paragraph for paragraph in self.paragraphs if paragraph.heading)

    @property
    def images(self) -> tuple[Shape, ...]:
        """Pictures, also those in groups."""
        return tuple(shape for shape in self.all_shapes() if shape.kind == "image")

    @property
    def charts(self) -> tuple[Shape, ...]:
        """Charts, also those in groups."""
        return tuple(shape for shape in self.all_shapes() if shape.kind == "chart")

    @property
    def text(self) -> str:
        """Paragraphs of the body in lines, without tables."""
        return "\n".join(paragraph.text for paragraph in self.paragraphs)

    def all_shapes(self) -> Iterator[Shape]:
        """Shapes of the body and, after each group, what it holds."""
        yield from walk(self.shapes)

    def style(self, name: str) -> NamedStyle:
        """The paragraph or character style of this name; raises `StateError` when there is none."""
        for style in self.styles:
            if style.name == name:
                return style
        raise StateError(f"the document has no style {name!r}; it has {', '.join(s.name for s in self.styles)[:500]}")

    @property
    def page(self) -> PageStyle:
        """How the first page looks."""
        if not self.pages:
            raise StateError("the document says nothing of its pages")
        return self.pages[0]


def document_leaves(document: Document) -> dict[str, object]:
    """Everything that a person would call content or formatting, as paths: `block[3].text`, `block[3].run[0].bold`.

    What has the value that nothing was said about is left out; a block is a paragraph or a table, counted from 0 as in
    `Document.body`. Two saves of one document give equal leaves: of the styles, only those in use are among them, since
    a program adds others as it likes.
    """
    found = flatten(replace(document, styles=()))
    used = {name for path, name in found.items() if path.endswith(".style")}
    styles = tuple(style for style in document.styles if style.name in used)
    return {**found, **flatten(Document(styles=styles))}


def walk(shapes: tuple[Shape, ...]) -> Iterator[Shape]:
    """Shapes and, after each group, what it holds."""
    for shape in shapes:
        yield shape
        yield from walk(shape.children)
