"""Two tasks: a note on a page, and a page more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fairground.core import Check, State
from fairground.verify import contains, equal, holds, unchanged
from fairground.worlds import Enter, Move, Point, Press, Scenario, Tap, World
from my_desk.xournalpp.inspector import check_paper, check_text, read_pages
from my_desk.xournalpp.notebooks import NOTES, opened
from my_desk.xournalpp.reading import Page, Text, rewritten

FREE_SPOT = (700, 480)
"""On the page and below what is written on it, in every UI state, when the page begins at the top of the window."""


class JotNote(Scenario):
    """A typed line on a page that is there."""

    name = "jot-note"
    app = "xournalpp"
    template = (
        "In the notebook that is open, type the note “{text}” on page {page}, as one text in a free place. "
        "Leave everything else as it is, and save the notebook."
    )
    instances = {
        "deadline": {"page": 2, "text": "Ask about the deadline"},
        "figures": {"page": 3, "text": "Check these figures again"},
        "copy": {"page": 4, "text": "Copy this for Noor"},
    }
    step_budget = 20

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """The note is there, once, where it was asked for; nothing else changed."""
        number, text = int(world.parameters["page"]), str(world.parameters["text"])
        book = _book(world)
        old, new = read_pages(before, book), read_pages(after, book)
        added = Counter(_items(new)) - Counter(_items(old))
        notes = [one for _, one in added if isinstance(one, Text)]
        return [
            check_text(after, book, number, text),
            equal("one thing was added, on that page", [number], [page for page, _ in added.elements()]),
            equal("the note is there once", 1, [one.text.strip() for one in notes].count(text)),
            holds("it lies in a free place of the page", any(_is_free(one, old[number - 1]) for one in notes)),
            unchanged("nothing is gone from any page", {}, _named(Counter(_items(old)) - Counter(_items(new)))),
            unchanged("pages and papers are as they were", _numbered(map(_ground, old)), _numbered(map(_ground, new))),
            _other_files(world, before, after),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """To the page, then the text tool."""
        return [*_go_to(int(world.parameters["page"])), *_type(str(world.parameters["text"])), Press("ctrl+s")]

    def near_states(self, world: World, before: State, after: State) -> Mapping[str, State]:
        """Mistakes inside of the notebook, which only who can read its format can make."""
        path, text = opened(world.profile), str(world.parameters["text"])
        line = f">{text}</text>"
        first = next(one.text for one in read_pages(before, _book(world))[0].texts)
        return {
            "a letter is missing": rewritten(after, path, lambda xml: xml.replace(line, f">{text[:-1]}</text>")),
            "another page's heading is gone": rewritten(after, path, lambda xml: xml.replace(f">{first}<", "><")),
            "the note is on the first page": rewritten(after, path, lambda xml: _to_first_page(xml, line)),
            "a paper is another": rewritten(after, path, lambda xml: xml.replace('style="', 'style="x', 1)),
            "the note is there twice": rewritten(after, path, lambda xml: _twice(xml, line)),
            "a line is bolder": rewritten(after, path, lambda xml: xml.replace('width="1.41', 'width="2.41', 1)),
        }


class InsertPage(Scenario):
    """A new page with another paper and a heading."""

    name = "insert-page"
    app = "xournalpp"
    template = (
        "Put one new page with {paper} paper right after page {page} of the notebook that is open, and type "
        "“{heading}” on it. It should be as large as page {page}, with nothing else on it. Leave all other pages as "
        "they are, and save the notebook."
    )
    instances = {
        "sketches": {"page": 1, "paper": "graph", "heading": "Sketches"},
        "questions": {"page": 2, "paper": "plain", "heading": "Open questions"},
        "plan": {"page": 3, "paper": "dotted", "heading": "Plan for next week"},
    }
    step_budget = 30

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """The page is where it was asked for, as it was asked for; all others are as they were."""
        number, heading = int(world.parameters["page"]), str(world.parameters["heading"])
        book = _book(world)
        old, new = read_pages(before, book), read_pages(after, book)
        fresh = [one for one in new if one not in old]
        said = [one.text.strip() for page in fresh for one in page.items if isinstance(one, Text)]
        at = number + 1
        return [
            equal("the notebook has one page more", len(old) + 1, len(new)),
            equal("the new page is in its place", [at], [place for place, one in enumerate(new, 1) if one in fresh]),
            check_paper(after, book, at, str(world.parameters["paper"])),
            contains("the heading is on it", heading, said),
            equal("nothing else is on it", [1], [len(one.items) for one in fresh]),
            equal("it is as large as the page before", [_size(old[number - 1])], [_size(one) for one in fresh]),
            unchanged("the other pages are as they were", _numbered(old), _numbered(one for one in new if one in old)),
            _other_files(world, before, after),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """To the page, a new one after it, its paper by the menu, and the text tool."""
        paper = str(world.parameters["paper"]).capitalize()
        return [
            *_go_to(int(world.parameters["page"])),
            Press("ctrl+d"),
            *(Tap("Journal"), Tap("Paper Background"), Tap(paper)),
            *_type(str(world.parameters["heading"])),
            Press("ctrl+s"),
        ]

    def near_states(self, world: World, before: State, after: State) -> Mapping[str, State]:
        """Mistakes inside of the notebook."""
        path, heading = opened(world.profile), str(world.parameters["heading"])
        paper = f'style="{world.parameters["paper"]}"'
        first = next(one.text for one in read_pages(before, _book(world))[0].texts)
        return {
            "the paper is another": rewritten(after, path, lambda xml: xml.replace(paper, 'style="ruled"')),
            "a letter is missing": rewritten(after, path, lambda xml: xml.replace(f">{heading}<", f">{heading[:-1]}<")),
            "another page's heading is gone": rewritten(after, path, lambda xml: xml.replace(f">{first}<", "><")),
            "the last page is gone": rewritten(after, path, lambda xml: xml[: xml.rindex("<page")] + "</xournal>"),
            "it is of another size": rewritten(after, path, lambda xml: _shorter(xml, paper)),
        }


def _go_to(page: int) -> list[Move]:
    """To the top of a page, wherever the notebook was opened."""
    return [Press("ctrl+home"), *[Press("ctrl+page_down")] * (page - 1)]


def _type(text: str) -> list[Move]:
    return [Press("ctrl+shift+t"), Point(FREE_SPOT), Enter(text)]


def _book(world: World) -> str:
    return opened(world.profile).removeprefix(f"{NOTES}/")


def _items(pages: Sequence[Page]) -> list[tuple[int, Any]]:
    return [(number, item) for number, page in enumerate(pages, 1) for item in page.items]


def _named(items: Counter[tuple[int, Any]]) -> dict[str, Any]:
    return {f"page {page}: {item}": count for (page, item), count in items.items()}


def _numbered(entries: Iterable[Any]) -> dict[str, Any]:
    return {f"page {number}": one for number, one in enumerate(entries, 1)}


def _size(page: Page) -> tuple[float, float]:
    return page.width, page.height


def _ground(page: Page) -> tuple[str, float, float]:
    return page.paper, page.width, page.height


def _is_free(note: Text, page: Page) -> bool:
    """Whether a note begins on the page and not in another text. How wide that is drawn is guessed, rather too low."""
    inside = 0 <= note.x < page.width and 0 <= note.y < page.height - note.size
    return inside and not any(
        0 <= note.x - one.x < 0.45 * one.size * len(one.text) and abs(note.y - one.y) < one.size / 2
        for one in page.texts
    )


def _other_files(world: World, before: State, after: State) -> Check:
    """A guard: no other file was added, removed or altered."""
    one, other = (
        {entry["path"]: state.files.get(entry["path"], entry["kind"]) for entry in state.get("files")}
        for state in (before, after)
    )
    return unchanged("no other file changed", one, other, allowed=[opened(world.profile)])


def _to_first_page(xml: str, line: str) -> str:
    note = _element(xml, line)
    return xml.replace(note, "").replace("</layer>", f"{note}</layer>", 1)


def _twice(xml: str, line: str) -> str:
    note = _element(xml, line)
    return xml.replace(note, note + note)


def _element(xml: str, line: str) -> str:
    """The whole element whose end this is."""
    end = xml.index(line) + len(line)
    return xml[xml.rindex("<text", 0, end) : end]


def _shorter(xml: str, paper: str) -> str:
    start = xml.rindex("<page", 0, xml.index(paper))
    return xml[:start] + xml[start:].replace('height="842', 'height="420', 1)
