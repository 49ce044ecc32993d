"""Documents of a recorded state, read once; and the same documents with single things changed.

Checks compare what was saved with the document that should have come of the one before: `body_with`, `painted` and
`without_blocks` make that one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from fairground.core import Check, State
from fairground.verify import holds, unchanged
from fairground.verify.reading.document import Document, NamedStyle, document_leaves
from fairground.verify.reading.docx import read_docx
from fairground.verify.reading.odt import read_odt
from fairground.verify.reading.prose import Block, Paragraph, Run, Table, TableCell, paragraph_with, run_with

NEAR = 0.15
"""Millimetres and points that saving may round."""


@lru_cache(maxsize=16)
def _read(content: bytes, docx: bool) -> Document:
    return read_docx(content) if docx else read_odt(content)


def document_of(state: State, path: str) -> Document:
    """The document that was saved there; raises `StateError` where there is none that can be read."""
    return _read(state.file(path), path.endswith(".docx"))


def nothing_else(name: str, expected: Document, found: Document, allowed: Iterable[str] = ()) -> Check:
    """A guard: two documents hold the same, but for the places that match `allowed` (`block[3].*`).

    An asterisk stands for any letters; brackets stand for themselves.
    """
    one, other = document_leaves(expected), document_leaves(found)
    patterns = [pattern.replace("[", "[[]") for pattern in allowed]
    free = {key for key in (*one, *other) if any(fnmatchcase(key, pattern) for pattern in patterns)}
    return unchanged(name, one, other, allowed=free, same=same)


def matches(name: str, expected: Document, found: Document, places: Iterable[str], *, weight: float = 1.0) -> Check:
    """Whether two documents hold the same in the places that match `places`, which are written as in `nothing_else`."""
    one, other = document_leaves(expected), document_leaves(found)
    patterns = [pattern.replace("[", "[[]") for pattern in places]
    keys = [key for key in dict.fromkeys((*one, *other)) if any(fnmatchcase(key, pattern) for pattern in patterns)]
    wrong = [key for key in keys if key not in one or key not in other or not same(one[key], other[key])]
    return holds(
        name,
        not wrong,
        expected={key: one.get(key) for key in wrong[:8]} or "as asked",
        found={key: other.get(key) for key in wrong[:8]} or "as asked",
        weight=weight,
    )


def same(one: object, other: object) -> bool:
    """Equal, but for the last digits of lengths."""
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= NEAR
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


def body_with(document: Document, change: Callable[[int, Paragraph], Paragraph]) -> Document:
    """The document with every paragraph changed, also those in tables; the number is that of the block of the body."""

    def changed(number: int, block: Block) -> Block:
        if isinstance(block, Paragraph):
            return change(number, block)
        return replace(block, cells=tuple(_cell(cell, number) for cell in block.cells))

    def _cell(cell: TableCell, number: int) -> TableCell:
        inside = tuple(changed(number, block) for block in cell.body)
        return replace(cell, body=inside, text="\n".join(b.text for b in inside if isinstance(b, Paragraph)))

    return replace(document, body=tuple(changed(number, block) for number, block in enumerate(document.body)))


def replaced(paragraph: Paragraph, old: str, new: str) -> Paragraph:
    """The paragraph with a text in place of another, which looks like the first letter of what it replaces."""
    letters = [(letter, replace(run, text="")) for run in paragraph.runs for letter in run.text]
    out: list[tuple[str, Run]] = []
    text, start = paragraph.text, 0
    while (at := text.find(old, start)) >= 0:
        out += letters[start:at]
        out += [(letter, letters[at][1]) for letter in new]
        start = at + len(old)
    return _set(paragraph, out + letters[start:])


def painted(paragraph: Paragraph, term: str, **look: Any) -> Paragraph:
    """The paragraph with another look for every occurrence of a term."""
    letters = [(letter, replace(run, text="")) for run in paragraph.runs for letter in run.text]
    start = 0
    while (at := paragraph.text.find(term, start)) >= 0:
        start = at + len(term)
        letters[at:start] = [(letter, replace(run, **look)) for letter, run in letters[at:start]]
    return _set(paragraph, letters)


def looked(paragraph: Paragraph, **look: Any) -> Paragraph:
    """The paragraph with another look for all of its letters."""
    return _set(paragraph, [(c, replace(run, text="", **look)) for run in paragraph.runs for c in run.text])


def styled(paragraph: Paragraph, style: NamedStyle, heading: int = 0) -> Paragraph:
    """The paragraph in another style, with nothing else said about its look."""
    runs = tuple(run_with(style.look, run.text) for run in paragraph.runs)
    return paragraph_with(style.layout, runs, style=style.name, heading=heading)


def _set(paragraph: Paragraph, letters: Iterable[tuple[str, Run]]) -> Paragraph:
    runs: list[Run] = []
    for letter, look in letters:
        if runs and replace(runs[-1], text="") == look:
            runs[-1] = replace(runs[-1], text=runs[-1].text + letter)
        else:
            runs.append(replace(look, text=letter))
    return replace(paragraph, runs=tuple(runs), text="".join(run.text for run in runs))


def looks_at(paragraph: Paragraph, term: str) -> list[Run]:
    """How the letters of every occurrence of a term look."""
    letters = [run for run in paragraph.runs for _ in run.text]
    found: list[Run] = []
    start = 0
    while (at := paragraph.text.find(term, start)) >= 0:
        start = at + len(term)
        found += letters[at:start]
    return found


def without_blocks(document: Document, gone: Collection[int]) -> Document:
    """The document without some blocks of its body, and without what was anchored in these; the rest moves up."""
    kept = [number for number in range(len(document.body)) if number not in gone]
    places: dict[int, int] = {number: place for place, number in enumerate(kept)}
    places[-1] = -1
    places[len(document.body)] = len(kept)

    def moved(items: tuple[Any, ...], name: str = "block") -> tuple[Any, ...]:
        return tuple(
            replace(one, **{name: places[getattr(one, name)]}) for one in items if getattr(one, name) in places
        )

    return replace(
        document,
        body=tuple(document.body[number] for number in kept),
        shapes=moved(document.shapes, "paragraph"),
        notes=moved(document.notes),
        comments=moved(document.comments),
        bookmarks=moved(document.bookmarks),
        contents=moved(document.contents),
    )


def block_of(document: Document, text: str) -> int:
    """The number of the first block whose text is this; -1 where there is none."""
    for number, block in enumerate(document.body):
        if isinstance(block, Paragraph) and block.text.strip() == text:
            return number
    return -1


def table_at(document: Document, name: str) -> int:
    """The number of the block that is the table of this name; -1 where there is none."""
    for number, block in enumerate(document.body):
        if isinstance(block, Table) and block.name == name:
            return number
    return -1


def table_of(document: Document, name: str) -> Table:
    """The table of this name; an empty one where there is none."""
    place = table_at(document, name)
    block = document.body[place] if place >= 0 else Table()
    assert isinstance(block, Table)
    return block
