"""Scenarios about the structure of long documents: contents, notes, bookmarks, references and sections."""

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
    """Insert a table of contents into the report."""

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
        levels = int(world.parameters["levels"])
        wanted = [heading.text for heading in was.headings if heading.heading <= levels]
        contents = now.contents[0] if len(now.contents) == 1 else None
        entries = [line.partition("\t")[0].strip() for line in contents.entries] if contents else []
        pages = [line.rpartition("\t")[2].strip() for line in contents.entries] if contents else []
        summary = block_of(now, "Summary")
        empty = [n for n in range(2, summary) if getattr(now.body[n], "text", "x") == ""]
        rest = without_blocks(now, empty)
        return [
            equal("there is one index", 1, len(now.contents)),
            equal("it is a table of contents", "contents", contents.kind if contents else None),
            equal("its title is right", world.parameters["title"], contents.title.strip() if contents else None),
            holds(
                "it stands above “Summary”",
                contents is not None and 2 <= contents.block <= summary,
                expected=summary,
                found=contents.block if contents else None,
            ),
            equal("its lines are the headings", wanted, entries, weight=2.0),
            holds(
                "each line has a page",
                bool(pages) and all(page.isdigit() for page in pages),
                expected="numbers",
                found=pages,
            ),
            holds(
                "the pages go up",
                bool(pages) and pages == sorted(pages, key=lambda page: (len(page), page)),
                expected="in order",
                found=pages,
            ),
            nothing_else("nothing else changed", was, replace(rest, contents=())),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        number = block_of(self.before(before), "Summary")
        wanted = world.parameters
        return [Press("escape"), writer(("place", number), ("contents", wanted["title"], wanted["levels"])), save()]


class AddNote(WriterTask):
    """Add a footnote or endnote with a source."""

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
        text, kind = str(world.parameters["text"]), str(world.parameters["kind"]).split()[-1]
        number = self._number(world, was)
        new = [entry for entry in now.notes if entry.text.strip() == text]
        new_note = new[0] if len(new) == 1 else None
        wanted = Note("endnote" if kind == "endnote" else "footnote", text, number)
        expected = replace(was, notes=tuple(sorted((*was.notes, wanted), key=lambda note: note.block)))
        if any(page.name == "Endnote" for page in now.pages):
            # With the first endnote, Writer adds a page style for endnotes that it does not use.
            expected = replace(expected, pages=(*was.pages, replace(was.page, name="Endnote", used=False, header=())))
        return [
            equal("there is one note more", len(was.notes) + 1, len(now.notes)),
            equal("it says what it should", 1, len(new), weight=2.0),
            equal("it is of the right kind", kind, new_note.kind if new_note else None),
            equal("it belongs to that paragraph", number, new_note.block if new_note else None),
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
        """Go to the end of the paragraph, run the menu command, and type."""
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
    """Add a bookmark to a heading of the lease."""

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
        name, heading = world.parameters["name"], str(world.parameters["heading"])
        bookmark = now.bookmarks[0] if len(now.bookmarks) == 1 else None
        return [
            equal("there is one bookmark", 1, len(now.bookmarks)),
            equal("it has the name", name, bookmark.name if bookmark else None),
            equal("it holds the heading's words", heading, bookmark.text.strip() if bookmark else None),
            equal("it stands at that heading", block_of(was, heading), bookmark.block if bookmark else None),
            equal(
                "no text changed",
                [paragraph.text for paragraph in was.all_paragraphs],
                [paragraph.text for paragraph in now.all_paragraphs],
                weight=0.0,
                integrity=True,
            ),
            nothing_else("nothing else changed", was, replace(now, bookmarks=())),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        number = block_of(self.before(before), str(world.parameters["heading"]))
        named = {"Bookmark": world.parameters["name"]}
        return [Press("escape"), writer(("select", number), ("do", "InsertBookmark", named)), save()]


class CrossReference(WriterTask):
    """Add a cross-reference to a bookmark of the report."""

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
        """Check that the paragraph ends with a field that shows the bookmark's text."""
        number = _starting(was, str(world.parameters["start"]))
        old = was.body[number]
        assert isinstance(old, Paragraph)
        words = next(bookmark.text for bookmark in was.bookmarks if bookmark.name == world.parameters["bookmark"])
        new = now.body[number] if number < len(now.body) else None
        runs = new.runs if isinstance(new, Paragraph) else ()
        fields = [run.text for run in runs if run.field == "reference"]
        text = new.text if isinstance(new, Paragraph) else ""
        tail = text[len(old.text) :]
        look = old.runs[-1]
        expected = body_with(
            was,
            lambda at, paragraph: (
                replace(
                    paragraph,
                    text=f"{old.text} See {words}.",
                    runs=(
                        *paragraph.runs[:-1],
                        replace(look, text=f"{look.text} See "),
                        replace(look, text=words, field="reference"),
                        replace(look, text="."),
                    ),
                )
                if at == number
                else paragraph
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
    """Turn a clause of the lease into a section, protected or in columns."""

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
        wanted = world.parameters
        head = block_of(was, str(wanted["clause"]))
        numbers = [head + 1, head + 2]
        section = now.sections[0] if len(now.sections) == 1 else None
        inside = [n for n, block in enumerate(now.body) if block.section]
        name = section.name if section else None
        return [
            equal("there is one section", 1, len(now.sections)),
            equal("it has the name", wanted["name"], name),
            equal("it holds these paragraphs", numbers, inside, weight=2.0),
            equal("columns are as asked", wanted["columns"], section.columns if section else None),
            equal("protection is as asked", wanted["protected"], section.protected if section else None),
            equal("it can be seen", False, section.hidden if section else None),
            nothing_else(
                "nothing else changed",
                was,
                replace(now, sections=()),
                [f"block[{number}].section" for number in numbers],
            ),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = world.parameters
        head = block_of(self.before(before), str(wanted["clause"]))
        section = ("section", wanted["name"], wanted["columns"], wanted["protected"])
        return [Press("escape"), writer(("select", head + 1, head + 2), section), save()]


def _starting(was: Document, words: str) -> int:
    return next(n for n, block in enumerate(was.body) if isinstance(block, Paragraph) and block.text.startswith(words))


SCENARIOS = (TableOfContents(), AddNote(), SetBookmark(), CrossReference(), NamedSection())
