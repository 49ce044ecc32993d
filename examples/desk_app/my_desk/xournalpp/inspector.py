"""What can be asked about Xournal++: typed endpoints over a recorded state."""

from __future__ import annotations

from collections import Counter
from typing import Any

from fairground.core import Check, State, StateError
from fairground.verify import contains, equal
from fairground.worlds import Inspector
from my_desk.xournalpp.notebooks import NOTES
from my_desk.xournalpp.reading import Page, Stroke, Text, read_notebook

inspector = Inspector(
    "xournalpp",
    channels={
        "files": "everything below `~/Notes`, as it was saved; notebooks are XML, packed by gzip",
        "windows": "the titles of the windows, read when an attempt ends",
    },
)


@inspector.query("files")
def notebooks(state: State) -> list[str]:
    """The names of all files below `~/Notes`."""
    return sorted(path.removeprefix(f"{NOTES}/") for path in state.files)


@inspector.query("structure")
def pages(state: State, notebook: str) -> list[dict[str, Any]]:
    """The pages of a notebook: size in points, paper, and how much of each kind is on them.

    Args:
        notebook: Its file, such as `mechanics.xopp`.
    """
    return [
        {
            "width": one.width,
            "height": one.height,
            "paper": one.paper,
            "items": dict(Counter(type(item).__name__.lower() for item in one.items)),
        }
        for one in read_pages(state, notebook)
    ]


@inspector.query("content")
def texts(state: State, notebook: str, page: int) -> tuple[Text, ...]:
    """What was typed on a page, with its font, size, colour and place.

    Args:
        notebook: Its file, such as `mechanics.xopp`.
        page: Its number, from 1.
    """
    return read_page(state, notebook, page).texts


@inspector.query("content")
def strokes(state: State, notebook: str, page: int) -> list[Stroke]:
    """What was drawn on a page.

    Args:
        notebook: Its file, such as `mechanics.xopp`.
        page: Its number, from 1.
    """
    return [one for one in read_page(state, notebook, page).items if isinstance(one, Stroke)]


@inspector.check("content")
def check_text(state: State, notebook: str, page: int, text: str) -> Check:
    """Whether something typed on a page says exactly this.

    Args:
        notebook: Its file, such as `mechanics.xopp`.
        page: Its number, from 1.
        text: All of it, spaces at its ends aside.
    """
    said = [one.text.strip() for one in texts(state, notebook, page)]
    return contains(f"page {page} says {text!r}", text, said)


@inspector.check("formatting")
def check_paper(state: State, notebook: str, page: int, paper: str) -> Check:
    """Whether a page has this paper.

    Args:
        notebook: Its file, such as `mechanics.xopp`.
        page: Its number, from 1.
        paper: `plain`, `lined`, `ruled`, `staves`, `graph`, `dotted`, `isodotted` or `isograph`.
    """
    return equal(f"page {page} is {paper}", paper, read_page(state, notebook, page).paper)


@inspector.query("live")
def unsaved(state: State) -> bool:
    """Whether the notebook that is open has changes that are not saved: its title begins with a star."""
    return any(title.startswith("*") for title in state.get("windows"))


def read_pages(state: State, notebook: str) -> tuple[Page, ...]:
    """All pages of a notebook."""
    return read_notebook(state.file(f"{NOTES}/{notebook}"))


def read_page(state: State, notebook: str, page: int) -> Page:
    """One page, by its number from 1."""
    found = read_pages(state, notebook)
    if not 1 <= page <= len(found):
        raise StateError(f"{notebook} has {len(found)} pages, and no page {page}")
    return found[page - 1]
