"""Reading PDF: title, pages, their size, text and links. For files of browsers and office programs, not for scans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from fairground.verify.reading.pdf_objects import Objects, Stream, fault
from fairground.verify.reading.pdf_page import Content, decoded

__all__ = ["MAX_PAGES", "PdfFile", "PdfPage", "leaves", "read_pdf"]

MAX_PAGES = 2_000
_MAX_LEVELS = 40  # maximum depth of the page tree
_MOST_POINTS = 1e6
_INFO = ("title", "author", "subject", "keywords", "creator", "producer")
_INHERITED = ("MediaBox", "CropBox", "Resources", "Rotate")


@dataclass(frozen=True)
class PdfPage:
    """One page.

    Attributes:
        size: Width and height in points as displayed, including the page's rotation.
        lines: Its text in drawing order. Spaces between words may be missing if words are separated only by position,
            so compare without spaces.
        margin: Text that is marked as not part of the content, such as a date and a page number.
        links: URLs of its links, in order.
        drawing: Digest of everything that is drawn, except the margin: lines, fills, text and pictures.
    """

    size: tuple[float, float]
    lines: tuple[str, ...]
    margin: tuple[str, ...]
    links: tuple[str, ...]
    drawing: str

    @property
    def landscape(self) -> bool:
        """Whether it is wider than high."""
        return self.size[0] > self.size[1]


@dataclass(frozen=True)
class PdfFile:
    """A document.

    Attributes:
        version: Such as `1.4`.
        creator: The program that created the document.
        producer: The program that wrote the file.
    """

    version: str
    title: str
    author: str
    subject: str
    keywords: str
    creator: str
    producer: str
    pages: tuple[PdfPage, ...]

    @property
    def text(self) -> str:
        """The lines of all pages, without the margins."""
        return "\n".join(line for page in self.pages for line in page.lines)

    def to_json(self) -> dict[str, object]:
        """Return all fields."""
        return asdict(self)


@lru_cache(maxsize=4)
def read_pdf(data: bytes) -> PdfFile:
    """Read a PDF file. Every object in it must be intact, used or not.

    Raises:
        StateError: It is not a PDF, is damaged, cut off, encrypted, or over a limit.
    """
    objects = Objects(data)
    root = objects.facts(objects.trailer.get("Root"))
    document_info = objects.facts(objects.trailer.get("Info"))
    if root.get("Type") != "Catalog":
        raise fault("it has no catalog")
    pages = tuple(_page(objects, facts) for facts in _pages(objects, root.get("Pages")))
    if not pages:
        raise fault("it has no pages")
    info = {name: objects.follow(document_info.get(name.capitalize())) for name in _INFO}
    texts = {name: decoded(value) if isinstance(value, bytes) else "" for name, value in info.items()}
    return PdfFile(version=data[5:8].decode("latin-1"), pages=pages, **texts)


def leaves(file: PdfFile) -> dict[str, object]:
    """Pages and document properties, without margins, which contain the date, and without the producer."""
    result: dict[str, object] = {name: getattr(file, name) for name in ("title", "author", "subject", "keywords")}
    result["pages"] = len(file.pages)
    for number, page in enumerate(file.pages, 1):
        place = f"page[{number}]"
        result[f"{place}.size"] = page.size
        result[f"{place}.drawing"] = page.drawing
        result |= {f"{place}.line[{at}]": line for at, line in enumerate(page.lines, 1)}
        result |= {f"{place}.link[{at}]": link for at, link in enumerate(page.links, 1)}
    return result


def _pages(objects: Objects, root: Any) -> list[Mapping[str, Any]]:
    """The pages in order, each with its inherited attributes."""
    pages: list[Mapping[str, Any]] = []
    waiting: list[tuple[Any, Mapping[str, Any], int]] = [(root, {}, 0)]
    nodes = 0
    while waiting:
        node, above, level = waiting.pop()
        facts = objects.facts(node)
        nodes += 1
        if level > _MAX_LEVELS or nodes > 4 * MAX_PAGES:
            raise fault("its pages are in a tree that has no end")
        own = {**above, **{name: facts[name] for name in _INHERITED if name in facts}}
        if facts.get("Type") == "Pages":
            waiting += [(kid, own, level + 1) for kid in reversed(objects.items(facts.get("Kids")))]
        elif facts.get("Type") == "Page":
            pages.append({**facts, **own})
        else:
            raise fault("something among its pages is none")
        if len(pages) > MAX_PAGES:
            raise fault(f"more than {MAX_PAGES} pages")
    return pages


def _page(objects: Objects, facts: Mapping[str, Any]) -> PdfPage:
    box = objects.follow(facts.get("CropBox", facts.get("MediaBox")))
    if not isinstance(box, list) or len(box) != 4:
        raise fault("a page has no size")
    left, bottom, right, top = (_length(objects.follow(edge)) for edge in box)
    size = round(abs(right - left), 2), round(abs(top - bottom), 2)
    turned = objects.follow(facts.get("Rotate"))
    if turned in (90, 270, -90):
        size = size[1], size[0]
    content = Content(objects)
    content.draw(_content(objects, facts.get("Contents")), objects.facts(facts.get("Resources")))
    drawn = content.result()
    return PdfPage(size, drawn.lines, drawn.margin, _links(objects, facts.get("Annots")), drawn.digest)


def _content(objects: Objects, value: Any) -> bytes:
    content = objects.follow(value)
    streams = [objects.follow(part) for part in content] if isinstance(content, list) else [content] if content else []
    parts = []
    for stream in streams:
        if not isinstance(stream, Stream) or stream.packed:
            raise fault("a page's content is packed in a way that is not read")
        objects.room.take_bytes(len(stream.data))  # many pages may use the same stream
        parts.append(stream.data)
    return b"\n".join(parts)


def _links(objects: Objects, value: Any) -> tuple[str, ...]:
    urls = []
    for annotation in objects.items(value):
        objects.room.take_token()
        action = objects.facts(objects.facts(annotation).get("A"))
        target = objects.follow(action.get("URI"))
        if isinstance(target, bytes):
            urls.append(decoded(target))
    return tuple(urls)


def _length(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or abs(value) > _MOST_POINTS:
        raise fault(f"a page's size has {value!r:.40} in it")
    return float(value)
