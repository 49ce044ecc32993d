"""Content of a text document, independent of the file format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from fairground.core import StateError
from fairground.verify.reading.kept import kept
from fairground.verify.reading.leaves import flatten
from fairground.verify.reading.prose import Block, Layout, Look, Metadata, Paragraph, Shape, Table, paragraphs_of


@dataclass(frozen=True)
class Note:
    """A footnote or endnote. `block` is the index of its block in the body."""

    kind: Literal["footnote", "endnote"]
    text: str
    block: int = -1


@dataclass(frozen=True)
class Comment:
    """A comment in the margin.

    Attributes:
        on: The commented text; empty if it marks only a position.
        block: Index of its block in the body.
    """

    text: str
    author: str = ""
    on: str = ""
    resolved: bool = False
    block: int = -1


@dataclass(frozen=True)
class Bookmark:
    """A named position. Those that programs create for themselves (names with `__` or `_Toc`) are left out."""

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
        entries: Its lines as stored in the file, such as `Introduction<tab>1`; they may be out of date.
        block: Index in the body of the block after it.
    """

    kind: str
    title: str = ""
    entries: tuple[str, ...] = ()
    block: int = -1


@dataclass(frozen=True)
class Section:
    """A named section of the text."""

    name: str
    columns: int = 1
    protected: bool = False
    hidden: bool = False


@dataclass(frozen=True, kw_only=True)
class PageStyle:
    """The layout of pages: in ODT one per page style, in DOCX one per section in order (`Section 1`).

    Attributes:
        used: Whether the body uses it: the style of the first page, and those that breaks and styles lead to.
        header: Paragraphs of the page header; `header_first` and `header_left` for pages that differ.
        margins: Top, right, bottom, left.
        numbering: Format of page numbers: `1`, `i`, `I`, `a`, `A`.
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
    """A style that the file defines, with everything that it inherits."""

    name: str
    family: Literal["paragraph", "character"]
    parent: str = ""
    look: Look = field(default_factory=Look)
    layout: Layout = field(default_factory=Layout)


@dataclass(frozen=True, kw_only=True)
class Document:
    """A text document.

    Attributes:
        body: Paragraphs and tables in order, including those in sections, without indexes.
        shapes: Everything placed in the body: pictures, text boxes, charts, drawings.
        language: Language of the document's default text.
        tracking: Whether changes are recorded.
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
        """Paragraphs of the body, including those in tables."""
        return paragraphs_of(self.body)

    @property
    def tables(self) -> tuple[Table, ...]:
        """Tables of the body, without nested tables."""
        return tuple(block for block in self.body if isinstance(block, Table))

    @property
    def headings(self) -> tuple[Paragraph, ...]:
        """Paragraphs that are headings."""
        return tuple(paragraph for paragraph in self.paragraphs if paragraph.heading)

    @property
    def images(self) -> tuple[Shape, ...]:
        """Pictures, including those in groups."""
        return tuple(shape for shape in self.all_shapes() if shape.kind == "image")

    @property
    def charts(self) -> tuple[Shape, ...]:
        """Charts, including those in groups."""
        return tuple(shape for shape in self.all_shapes() if shape.kind == "chart")

    @property
    def text(self) -> str:
        """Paragraphs of the body in lines, without tables."""
        return "\n".join(paragraph.text for paragraph in self.paragraphs)

    def all_shapes(self) -> Iterator[Shape]:
        """Shapes of the body, each group followed by its children."""
        yield from walk(self.shapes)

    def style(self, name: str) -> NamedStyle:
        """Return the paragraph or character style with this name.

        Raises:
            StateError: There is none.
        """
        for style in self.styles:
            if style.name == name:
                return style
        raise StateError(f"the document has no style {name!r}; it has {', '.join(s.name for s in self.styles)[:500]}")

    @property
    def page(self) -> PageStyle:
        """The layout of the first page."""
        if not self.pages:
            raise StateError("the document says nothing of its pages")
        return self.pages[0]


@kept
def document_leaves(document: Document) -> dict[str, object]:
    """Return all content and formatting as paths: `block[3].text`, `block[3].run[0].bold`.

    Default values are left out. A block is a paragraph or a table, counted from 0 as in `Document.body`. Saving a
    document twice gives equal leaves. Only styles in use are included, because programs add others by themselves.
    """
    result = flatten(replace(document, styles=()))
    used = {name for path, name in result.items() if path.endswith(".style")}
    styles = tuple(style for style in document.styles if style.name in used)
    return {**result, **flatten(Document(styles=styles))}


def walk(shapes: tuple[Shape, ...]) -> Iterator[Shape]:
    """Shapes, each group followed by its children."""
    for shape in shapes:
        yield shape
        yield from walk(shape.children)
