"""Tasks about what a long document is built of: contents, notes, bookmarks, references, sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fairground.core import Check, State
from fairground.verify import equal, holds
from fairground.verify.reading.document import Document, Note
from fairground.verify.reading.prose import Paragraph
from fairground.worlds import Enter, Move, Press, World
from fairground_desk.tasks import save
from fairground_desk.writer.api import writer
from fairground_desk.writer.documents import LEASE, REPORT
from fairground_desk.writer.reading import block_of, body_with, matches, nothing_else, without_blocks
from fairground_desk.writer.task import WriterTask


class TableOfContents(WriterTask):
    """The report gets a table of contents."""

    name = "table-of-contents"
    document = REPORT
    template = (
        "Insert a table of contents into this report, between the subtitle and the heading “Summary”. Its title is "
        "“{title}”, and it lists {words}. Its lines must be up to date. Leave the rest of the report as it is, and "
        "save it."
    )
    instances = {
        "main-parts": {"title": "Contents", "words": "the headings of level 1 only", "levels": 1},
        "two-levels": {"title": "Table of Contents", "words": "the headings of levels 1 and 2", "levels": 2},
        "overview": {"title": "Overview", "words": "the headings of level 1 only", "levels": 1},
        "in-this-report": {"title": "In this report", "words": "the headings of levels 1 and 2", "levels": 2},
    }

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        """One index in its place, with this title and these lines."""
        levels = int(world.parameters["levels"])
        wanted = [one.text for one in was.headings if one.heading <= levels]
        found = now.contents[0] if len(now.contents) == 1 else None
        entries = [line.partition("\t")[0].strip() for line in found.entries] if found else []
        pages = [line.rpartition("\t")[2].strip() for line in found.entries] if found else []
        summary = block_of(now, "Summary")
        empty = [n for n in range(2, summary) if getattr(now.body[n], "text", "x") == ""]
        rest = without_blocks(now, empty)
        return [
            equal("there is one index", 1, len(now.contents)),
            equal("it is a table of contents", "contents", found.kind if found else None),
            equal("its title is right", world.parameters["title"], found.title.strip() if found else None),
            holds(
                "it stands above “Summary”",
                found is not None and 2 <= found.block <= summary,
                expected=summary,
                found=found.block if found else None,
            ),
            equal("its lines are the headings", wanted, entries, weight=2.0),
            holds(
                "each line has a page",
                bool(pages) and all(one.isdigit() for one in pages),
                expected="numbers",
                found=pages,
            ),
            holds(
                "the pages go up",
                bool(pages) and pages == sorted(pages, key=lambda one: (len(one), one)),
                expected="in order",
                found=pages,
            ),
            nothing_else("nothing else changed", was, replace(rest, contents=())),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """To the heading, and in with the index."""
        number = block_of(self.before(before), "Summary")
        asked = world.parameters
        return [Press("escape"), writer(("place", number), ("contents", asked["title"], asked["levels"])), save()]


class AddNote(WriterTask):
    """A source is given in a note."""

    name = "add-note"
    document = REPORT
    template = (
        "Add {kind} at the end of the paragraph of this report that begins with “{start}”. The note says: “{text}” "
        "Leave the notes that are there, and everything else, as they are. Save the document."
    )
    instances = {
        "kept": {
            "kind": "a footnote",
            "start": "What was not spent is kept",
            "text": "As the rules of the fund allow.",
        },
        "risks": {
            "kind": "a footnote",
            "start": "The board looked at the risks",
            "text": "See the minutes of both days.",
        },
        "outlook": {"kind": "an endnote", "start": "Three things come first", "text": "In the order of their cost."},
        "order": {"kind": "an endnote", "start": "Each programme has a manager", "text": "The list is kept by hand."},
    }

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        """One note more, of this kind, with this text, in this paragraph."""
        text, kind = str(world.parameters["text"]), str(world.parameters["kind"]).split()[-1]
        number = self._number(world, was)
        new = [one for one in now.notes if one.text.strip() == text]
        one = new[0] if len(new) == 1 else None
        wanted = Note("endnote" if kind == "endnote" else "footnote", text, number)
        expected = replace(was, notes=tuple(sorted((*was.notes, wanted), key=lambda note: note.block)))
        if any(page.name == "Endnote" for page in now.pages):
            # The program brings a style for pages of endnotes with the first of them, and does not use it.
            expected = replace(expected, pages=(*was.pages, replace(was.page, name="Endnote", used=False, header=())))
        return [
            equal("there is one note more", len(was.notes) + 1, len(now.notes)),
            equal("it says what it should", 1, len(new), weight=2.0),
            equal("it is of the right kind", kind, one.kind if one else None),
            equal("it belongs to that paragraph", number, one.block if one else None),
            equal(
                "the paragraph reads as before",
                [n.text for n in was.notes],
                [n.text for n in now.notes if n.text.strip() != text],
                weight=0.0,
                integrity=True,
            ),
            nothing_else("nothing else changed", expected, now, ["note*"] if len(now.notes) == len(was.notes) else []),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """To the end of the paragraph; the command of the menu; typing."""
        name = "InsertEndnote" if str(world.parameters["kind"]).endswith("endnote") else "InsertFootnote"
        number = self._number(world, self.before(before))
        return [
            Press("escape"),
            writer(("place", number, True), ("do", name)),
            Enter(str(world.parameters["text"])),
            save(),
        ]

    def _number(self, world: World, was: Document) -> int:
        return _starting(was, str(world.parameters["start"]))


class SetBookmark(WriterTask):
    """A heading of the lease gets a bookmark that others can point to."""

    name = "set-bookmark"
    document = LEASE
    template = (
        "Set a bookmark with the name “{name}” in this lease: on the whole heading “{heading}”, so that it holds "
        "exactly this heading's words. Change nothing else, and save the document."
    )
    instances = {
        "notice": {"name": "notice-clause", "heading": "Notice"},
        "rent": {"name": "rent-clause", "heading": "Rent"},
        "deposit": {"name": "deposit-clause", "heading": "Deposit"},
        "payments": {"name": "payments", "heading": "Schedule of payments"},
    }

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        """One bookmark with this name, on this heading."""
        name, heading = world.parameters["name"], str(world.parameters["heading"])
        found = now.bookmarks[0] if len(now.bookmarks) == 1 else None
        return [
            equal("there is one bookmark", 1, len(now.bookmarks)),
            equal("it has the name", name, found.name if found else None),
            equal("it holds the heading's words", heading, found.text.strip() if found else None),
            equal("it stands at that heading", block_of(was, heading), found.block if found else None),
            equal(
                "no text changed",
                [one.text for one in was.all_paragraphs],
                [one.text for one in now.all_paragraphs],
                weight=0.0,
                integrity=True,
            ),
            nothing_else("nothing else changed", was, replace(now, bookmarks=())),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Selects the heading, and sets it."""
        number = block_of(self.before(before), str(world.parameters["heading"]))
        named = {"Bookmark": world.parameters["name"]}
        return [Press("escape"), writer(("select", number), ("do", "InsertBookmark", named)), save()]


class CrossReference(WriterTask):
    """A sentence points to another place of the report, by a reference that follows it."""

    name = "cross-reference"
    document = REPORT
    template = (
        "Append a sentence to the end of the paragraph of this report that begins with “{start}”: a space, the word "
        "“See”, a space, a cross-reference to the bookmark “{bookmark}” that shows its referenced text, and a full "
        "stop. The reference must be a field and not typed text. Leave the rest as it is, and save the document."
    )
    instances = {
        "figures-from-outlook": {"start": "Three things come first", "bookmark": "figures"},
        "web-site-from-finances": {"start": "What was not spent is kept", "bookmark": "website"},
        "figures-from-risks": {"start": "The board looked at the risks", "bookmark": "figures"},
    }

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        """The paragraph ends with a field that shows the bookmark's words."""
        number = _starting(was, str(world.parameters["start"]))
        old = was.body[number]
        assert isinstance(old, Paragraph)
        words = next(one.text for one in was.bookmarks if one.name == world.parameters["bookmark"])
        new = now.body[number] if number < len(now.body) else None
        runs = new.runs if isinstance(new, Paragraph) else ()
        fields = [run.text for run in runs if run.field == "reference"]
        text = new.text if isinstance(new, Paragraph) else ""
        tail = text[len(old.text) :]
        look = old.runs[-1]
        expected = body_with(
            was,
            lambda at, one: (
                replace(
                    one,
                    text=f"{old.text} See {words}.",
                    runs=(
                        *one.runs[:-1],
                        replace(look, text=f"{look.text} See "),
                        replace(look, text=words, field="reference"),
                        replace(look, text="."),
                    ),
                )
                if at == number
                else one
            ),
        )
        places = [f"block[{number}].text", f"block[{number}].run*"]
        return [
            equal("there is one reference", 1, len(fields)),
            equal("it shows the bookmark's words", [words], fields, weight=2.0),
            holds("the sentence begins as asked", tail.startswith(" See "), expected=" See ", found=tail[:5]),
            equal("the sentence reads as asked", f" See {words}.", tail),
            matches("the paragraph is as asked", expected, now, places),
            nothing_else("nothing else changed", expected, now, places),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        number = _starting(self.before(before), str(world.parameters["start"]))
        return [
            Press("escape"),
            writer(("place", number, True)),
            Enter(" See "),
            writer(("reference", world.parameters["bookmark"])),
            Enter("."),
            save(),
        ]


class NamedSection(WriterTask):
    """A clause of the lease becomes a section: protected, or in columns."""

    name = "named-section"
    document = LEASE
    template = (
        "Put the two paragraphs below the heading “{clause}” of this lease, without the heading, into a section of "
        "their own. Name it “{name}”; {words}. Change nothing else, and save the document."
    )
    instances = {
        "rent-protected": {
            "clause": "Rent",
            "name": "Fixed rent",
            "columns": 1,
            "protected": True,
            "words": "it is protected against changes, without a password, and has one column",
        },
        "notice-protected": {
            "clause": "Notice",
            "name": "Fixed notice",
            "columns": 1,
            "protected": True,
            "words": "it is protected against changes, without a password, and has one column",
        },
        "maintenance-columns": {
            "clause": "Maintenance",
            "name": "Two columns",
            "columns": 2,
            "protected": False,
            "words": "it has two columns and is not protected",
        },
        "use-columns": {
            "clause": "Use of the Premises",
            "name": "House rules",
            "columns": 3,
            "protected": True,
            "words": "it has three columns and is protected against changes, without a password",
        },
    }

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        """One section, so set, that holds these paragraphs and no others."""
        asked = world.parameters
        head = block_of(was, str(asked["clause"]))
        numbers = [head + 1, head + 2]
        found = now.sections[0] if len(now.sections) == 1 else None
        inside = [n for n, one in enumerate(now.body) if one.section]
        name = found.name if found else None
        return [
            equal("there is one section", 1, len(now.sections)),
            equal("it has the name", asked["name"], name),
            equal("it holds these paragraphs", numbers, inside, weight=2.0),
            equal("columns are as asked", asked["columns"], found.columns if found else None),
            equal("protection is as asked", asked["protected"], found.protected if found else None),
            equal("it can be seen", False, found.hidden if found else None),
            nothing_else(
                "nothing else changed",
                was,
                replace(now, sections=()),
                [f"block[{number}].section" for number in numbers],
            ),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Selects the paragraphs, and makes them a section."""
        asked = world.parameters
        head = block_of(self.before(before), str(asked["clause"]))
        made = ("section", asked["name"], asked["columns"], asked["protected"])
        return [Press("escape"), writer(("select", head + 1, head + 2), made), save()]


def _starting(was: Document, words: str) -> int:
    return next(n for n, one in enumerate(was.body) if isinstance(one, Paragraph) and one.text.startswith(words))


SCENARIOS = (TableOfContents(), AddNote(), SetBookmark(), CrossReference(), NamedSection())
