"""Documents of a recorded state, read once, and functions that derive the expected document.

Checks compare the saved document with the expected one, which `body_with`, `painted` and `without_blocks` derive from
the original.
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
"""Tolerance in millimetres or points, because saving rounds."""


@lru_cache(maxsize=16)
def _read(content: bytes, docx: bool) -> Document:
    return read_docx(content) if docx else read_odt(content)


def document_of(state: State, path: str) -> Document:
    """Read a document from a state; raises `StateError` if it is missing or unreadable."""
    return _read(state.file(path), path.endswith(".docx"))


def nothing_else(name: str, expected: Document, found: Document, allowed: Iterable[str] = ()) -> Check:
    """Guard: two documents are equal except for leaves that match `allowed`, such as `block[3].*`.

    An asterisk matches any characters; brackets are literal.
    """
    old, new = document_leaves(expected), document_leaves(found)
    patterns = [pattern.replace("[", "[[]") for pattern in allowed]
    free = {key for key in (*old, *new) if any(fnmatchcase(key, pattern) for pattern in patterns)}
    return unchanged(name, old, new, allowed=free, same=same)


def matches(name: str, expected: Document, found: Document, places: Iterable[str], *, weight: float = 1.0) -> Check:
    """Check that two documents are equal in the leaves that match `places`, with patterns as in `nothing_else`."""
    wanted, actual = document_leaves(expected), document_leaves(found)
    patterns = [pattern.replace("[", "[[]") for pattern in places]
    keys = [key for key in dict.fromkeys((*wanted, *actual)) if any(fnmatchcase(key, pattern) for pattern in patterns)]
    wrong = [key for key in keys if key not in wanted or key not in actual or not same(wanted[key], actual[key])]
    return holds(
        name,
        not wrong,
        expected={key: wanted.get(key) for key in wrong[:8]} or "as asked",
        found={key: actual.get(key) for key in wrong[:8]} or "as asked",
        weight=weight,
    )


def same(one: object, other: object) -> bool:
    """Compare values, with a tolerance for lengths."""
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= NEAR
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


def body_with(document: Document, change: Callable[[int, Paragraph], Paragraph]) -> Document:
    """Apply `change` to every paragraph, including those in tables; the number is that of the body's block."""

    def changed(number: int, block: Block) -> Block:
        if isinstance(block, Paragraph):
            return change(number, block)
        return replace(block, cells=tuple(_cell(cell, number) for cell in block.cells))

    def _cell(cell: TableCell, number: int) -> TableCell:
        inside = tuple(changed(number, block) for block in cell.body)
        return replace(cell, body=inside, text="\n".join(b.text for b in inside if isinstance(b, Paragraph)))

    return replace(document, body=tuple(changed(number, block) for number, block in enumerate(document.body)))


def replaced(paragraph: Paragraph, old: str, new: str) -> Paragraph:
    """Replace a text in a paragraph; the new text gets the format of the first replaced character."""
    letters = [(letter, replace(run, text="")) for run in paragraph.runs for letter in run.text]
    out: list[tuple[str, Run]] = []
    text, start = paragraph.text, 0
    while (at := text.find(old, start)) >= 0:
        out += letters[start:at]
        out += [(letter, letters[at][1]) for letter in new]
        start = at + len(old)
    return _set(paragraph, out + letters[start:])


def painted(paragraph: Paragraph, term: str, **look: Any) -> Paragraph:
    """Change the format of every occurrence of a term in a paragraph."""
    letters = [(letter, replace(run, text="")) for run in paragraph.runs for letter in run.text]
    start = 0
    while (at := paragraph.text.find(term, start)) >= 0:
        start = at + len(term)
        letters[at:start] = [(letter, replace(run, **look)) for letter, run in letters[at:start]]
    return _set(paragraph, letters)


def looked(paragraph: Paragraph, **look: Any) -> Paragraph:
    """Change the format of all characters of a paragraph."""
    return _set(paragraph, [(c, replace(run, text="", **look)) for run in paragraph.runs for c in run.text])


def styled(paragraph: Paragraph, style: NamedStyle, heading: int = 0) -> Paragraph:
    """Return the paragraph in another style, without direct formatting."""
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
    """Return the run of each character in every occurrence of a term."""
    letters = [run for run in paragraph.runs for _ in run.text]
    runs: list[Run] = []
    start = 0
    while (at := paragraph.text.find(term, start)) >= 0:
        start = at + len(term)
        runs += letters[at:start]
    return runs


def without_blocks(document: Document, gone: Collection[int]) -> Document:
    """Remove blocks of the body and everything anchored in them, and renumber the rest."""
    remaining = [number for number in range(len(document.body)) if number not in gone]
    places: dict[int, int] = {number: place for place, number in enumerate(remaining)}
    places[-1] = -1
    places[len(document.body)] = len(remaining)

    def moved(items: tuple[Any, ...], name: str = "block") -> tuple[Any, ...]:
        return tuple(
            replace(item, **{name: places[getattr(item, name)]}) for item in items if getattr(item, name) in places
        )

    return replace(
        document,
        body=tuple(document.body[number] for number in remaining),
        shapes=moved(document.shapes, "paragraph"),
        notes=moved(document.notes),
        comments=moved(document.comments),
        bookmarks=moved(document.bookmarks),
        contents=moved(document.contents),
    )


def block_of(document: Document, text: str) -> int:
    """Return the number of the first block with this text, or -1."""
    for number, block in enumerate(document.body):
        if isinstance(block, Paragraph) and block.text.strip() == text:
            return number
    return -1


def table_at(document: Document, name: str) -> int:
    """Return the number of the block that is the table with this name, or -1."""
    for number, block in enumerate(document.body):
        if isinstance(block, Table) and block.name == name:
            return number
    return -1


def table_of(document: Document, name: str) -> Table:
    """Return the table with this name, or an empty one."""
    place = table_at(document, name)
    block = document.body[place] if place >= 0 else Table()
    assert isinstance(block, Table)
    return block
