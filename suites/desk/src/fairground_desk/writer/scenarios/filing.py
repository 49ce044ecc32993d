"""Scenarios about files: properties, copies in other formats, and letters from lists and spreadsheets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from fairground.core import Check, State, StateError
from fairground.verify import contains, equal, holds
from fairground.verify.reading.document import Document
from fairground.verify.reading.prose import Paragraph
from fairground.worlds import Move, Press, World
from fairground_desk.tasks import save
from fairground_desk.writer.api import writer
from fairground_desk.writer.documents import LEASE, LETTER, REPORT, contacts, figures
from fairground_desk.writer.reading import body_with, document_of, matches, nothing_else, replaced
from fairground_desk.writer.task import WriterTask, people


class SetProperties(WriterTask):
    """Set the document properties of the report."""

    name = "set-properties"
    document = REPORT
    template = (
        "Fill in the document properties of this report: the title “{title}”, the subject “{subject}” and the keywords "
        "“{keywords}” (in this order). Leave the other properties and the report itself as they are, and save it."
    )
    instances = {
        "funder": {
            "title": "Report to our funder",
            "subject": "Annual report",
            "keywords": "report, funder, programmes",
        },
        "public": {"title": "Our year", "subject": "Report for the public", "keywords": "report, public"},
        "archive": {"title": "Archive copy", "subject": "Annual report", "keywords": "archive, year, figures"},
    }

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        wanted = world.parameters
        keywords = [word.strip() for word in str(wanted["keywords"]).split(",")]
        actual = [part.strip() for word in now.metadata.keywords for part in word.split(",")]
        meta = replace(
            was.metadata, title=now.metadata.title, subject=now.metadata.subject, keywords=now.metadata.keywords
        )
        return [
            equal("the title is right", wanted["title"], now.metadata.title.strip()),
            equal("the subject is right", wanted["subject"], now.metadata.subject.strip()),
            contains("the first keyword is there", keywords[0], actual),
            contains("the last keyword is there", keywords[-1], actual),
            equal("the keywords are right, in order", keywords, actual),
            equal("the other properties are as they were", repr(meta), repr(now.metadata), weight=0.0, integrity=True),
            nothing_else(
                "nothing else changed",
                was,
                now,
                ["metadata", "metadata.title", "metadata.subject", "metadata.keywords"],
            ),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Set the properties directly, as the dialog would."""
        wanted = world.parameters
        given = {
            "Title": wanted["title"],
            "Subject": wanted["subject"],
            "Keywords": [word.strip() for word in str(wanted["keywords"]).split(",")],
        }
        return [Press("escape"), writer(("metadata", given)), save()]


class CopyInFormat(WriterTask):
    """Save a copy of the lease in another format."""

    name = "copy-in-format"
    document = LEASE
    changes = ("{target}",)
    template = (
        "Save a copy of this lease as {words}, under the name {name} in the folder Documents. The copy says everything "
        "that the lease says. The file lease.odt itself stays as it is."
    )
    instances = {
        "word": {"words": "a Word document (.docx)", "name": "lease.docx", "target": "~/Documents/lease.docx"},
        "word-to-sign": {
            "words": "a Word document (.docx)",
            "name": "lease to sign.docx",
            "target": "~/Documents/lease to sign.docx",
        },
        "text": {"words": "plain text (.txt, UTF-8)", "name": "lease.txt", "target": "~/Documents/lease.txt"},
        "opendocument": {
            "words": "an OpenDocument text (.odt)",
            "name": "lease draft 2.odt",
            "target": "~/Documents/lease draft 2.odt",
        },
    }
    own_document = False

    _FILTERS: ClassVar[dict[str, str]] = {"docx": "MS Word 2007 XML", "txt": "Text (encoded)", "odt": "writer8"}

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Also check that the lease itself is unchanged."""
        checks = super().checks(world, before, after, answer)
        same = before.files.get(self.document) == after.files.get(self.document)
        return [*checks, equal("lease.odt is as it was", True, same, weight=0.0, integrity=True)]

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Read the copy with the reader of its format."""
        was = document_of(before, self.document)
        target = str(world.parameters["target"])
        lines = [paragraph.text for paragraph in was.paragraphs]
        cells = [cell.text for table in was.tables for cell in table.cells]
        content = after.files.get(target, b"")
        there = holds("the copy is there", bool(content), expected=target, found=sorted(after.missing)[:5])
        if target.endswith(".txt"):
            text = content.decode("utf-8-sig", errors="replace")
            rows = [line.strip() for line in text.splitlines() if line.strip()]
            missing = [line for line in lines if line.strip() not in rows]
            return [
                there,
                holds(
                    "it is plain text",
                    bool(content)
                    and b"\0" not in content
                    and "\ufffd" not in text
                    and not content.startswith((b"PK", b"{\\rtf")),
                    expected="text",
                    found=content[:20],
                ),
                holds("it begins with the title", rows[:1] == lines[:1], expected=lines[:1], found=rows[:1]),
                holds(
                    "every paragraph is in it", bool(rows) and not missing, expected=[], found=missing[:5], weight=2.0
                ),
                holds("they are in order", bool(rows) and _in_order(lines, rows), expected="in order", found=rows[:5]),
                holds(
                    "the table is in it",
                    bool(rows) and all(cell in text for cell in cells),
                    expected=len(cells),
                    found=[cell for cell in cells if cell not in text][:5],
                ),
                holds(
                    "nothing else is in it",
                    bool(rows) and len("".join(rows)) <= 1.2 * len("".join(lines + cells)),
                    expected="no more",
                    found=len(text),
                ),
            ]
        copy = _copy(after, target)
        return [
            there,
            holds("it can be read in its format", bool(copy.body), expected="readable", found=len(copy.body)),
            equal("every paragraph is in it", lines, [paragraph.text for paragraph in copy.paragraphs], weight=2.0),
            equal(
                "headings are headings",
                [(heading.text, heading.heading) for heading in was.headings],
                [(heading.text, heading.heading) for heading in copy.headings],
            ),
            equal("the table is in it", [table.grid for table in was.tables], [table.grid for table in copy.tables]),
            equal("bold letters are bold", _bold(was), _bold(copy)),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        target = str(world.parameters["target"])
        kind = self._FILTERS[target.rpartition(".")[2]]
        return [Press("escape"), writer(("save-copy", target, kind))]


class LetterFromList(WriterTask):
    """Write a letter to one person in a list. Uses Writer and a CSV file."""

    name = "letter-from-list"
    document = LETTER
    changes = ("{target}",)
    template = (
        "letter.odt is a form letter. Fill it in for number {number} of the list contacts.csv in Documents: put that "
        "row's name, street, town, programme and amount in place of [Name], [Street], [Town], [Programme] and [Amount] "
        "wherever these stand, and {date} in place of [Date]. Leave [Spent] for the accountant, and all formats as "
        "they are. Save the result as {name} in Documents; letter.odt must stay a form letter."
    )
    instances = {
        f"number-{number}": {
            "number": number,
            "date": date,
            "name": f"letter-{number}.odt",
            "target": f"~/Documents/letter-{number}.odt",
        }
        for number, date in ((103, "2026-03-16"), (110, "2026-03-17"), (117, "2026-03-18"), (122, "2026-03-19"))
    }
    own_document = False

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Check that each placeholder has the value from the row, in its format, and that the form is unchanged."""
        was = document_of(before, self.document)
        target = str(world.parameters["target"])
        expected = was
        values = self._values(world)
        for mark, value in values.items():
            expected = body_with(expected, lambda _, block, mark=mark, value=value: replaced(block, mark, value))  # type: ignore[misc]
        copy = _copy(after, target)
        text = copy.text
        checks = [
            holds(
                f"{mark} is filled in",
                bool(text) and mark not in text and text.count(value) >= was.text.count(mark),
                expected=value,
                found=[line for line in text.splitlines() if value in line][:3],
            )
            for mark, value in values.items()
        ]
        good = expected.text == text
        form = before.files.get(self.document) == after.files.get(self.document)
        return [
            holds("the letter is there", bool(copy.body), expected=target, found=len(copy.body)),
            *checks,
            equal("it reads as it should", expected.text, text, weight=2.0),
            holds(
                "it is formatted as the form is",
                good and matches("formats", expected, copy, ["block*", "page*"]).passed,
                expected="as the form",
                found="otherwise" if good else "another text",
            ),
            equal("the form is as it was", True, form, weight=0.0, integrity=True),
            *([nothing_else("nothing else differs from the form", expected, copy)] if good else []),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Replace the placeholders one by one, and save under the other name."""
        calls: list[tuple[object, ...]] = [("replace-all", *pair) for pair in self._values(world).items()]
        return [
            Press("escape"),
            Press("ctrl+Home"),
            writer(*calls),
            writer(("save-as", world.parameters["target"], "writer8")),
        ]

    def _values(self, world: World) -> dict[str, str]:
        head, *rows = contacts(people(world))
        row = next(row for row in rows if row[0] == str(world.parameters["number"]))
        values = {f"[{name}]": value for name, value in zip(head[1:], row[1:], strict=True)}
        return {**values, "[Date]": str(world.parameters["date"])}


class LetterFigure(WriterTask):
    """Insert a figure from a spreadsheet into the letter. Uses Writer and Calc."""

    name = "letter-figure"
    document = LETTER
    template = (
        "The form letter says [Spent] where a sum is missing. The sheet “Spending” of figures.ods in Documents has the "
        "figures: put {words} in place of [Spent], as a plain number without separators. Leave all other placeholders "
        "and formats of the letter as they are, do not change the spreadsheet, and save the letter under its own name."
    )
    instances = {
        "whole-year": {"words": "what all programmes spent in the whole year", "columns": "1234", "row": 0},
        "first-half": {"words": "what all programmes spent in Q1 and Q2 together", "columns": "12", "row": 0},
        "last-quarter": {"words": "what all programmes spent in Q4", "columns": "4", "row": 0},
        "one-programme": {"words": "what “{programme}” spent in Q2 and Q3 together", "columns": "23", "row": 4},
    }

    def phrase(self, world: World) -> str:
        name = people(world).programmes[3].name
        return self.template.format(words=str(world.parameters["words"]).format(programme=name))

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        total = str(self._total(world))
        expected = body_with(was, lambda _, paragraph: replaced(paragraph, "[Spent]", total))
        number = next(n for n, block in enumerate(was.body) if isinstance(block, Paragraph) and "[Spent]" in block.text)
        sentence = getattr(now.body[number], "text", "") if number < len(now.body) else ""
        wanted = getattr(expected.body[number], "text", "")
        marks = ("[Name]", "[Street]", "[Town]", "[Date]", "[Amount]", "[Programme]")
        places = [f"block[{number}].text", f"block[{number}].run*"]
        gone = "[Spent]" not in now.text
        return [
            equal("the mark is gone", 0, now.text.count("[Spent]")),
            contains("the sum is in the letter", total, sentence, weight=3.0),
            equal("the sentence reads as it should", wanted, sentence),
            matches("it looks as it did", expected, now, places),
            holds(
                "the other marks are still there",
                gone and all(was.text.count(m) == now.text.count(m) for m in marks),
                expected={m: was.text.count(m) for m in marks},
                found={m: now.text.count(m) for m in marks},
            ),
            nothing_else("nothing else changed", expected, now, places),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [Press("escape"), writer(("replace-all", "[Spent]", str(self._total(world)))), save()]

    def _total(self, world: World) -> int:
        rows = figures(people(world))[1:]
        row = int(world.parameters["row"])
        chosen = rows[row - 1 : row] if row else rows
        return sum(int(row[int(column)]) for row in chosen for column in str(world.parameters["columns"]))


def _copy(state: State, path: str) -> Document:
    """Read a copy, or return an empty document if it is missing or unreadable."""
    try:
        return document_of(state, path)
    except StateError:
        return Document()


def _in_order(lines: Sequence[str], rows: Sequence[str]) -> bool:
    """Return whether the rows contain all lines in order; other rows may come between them."""
    left = iter(rows)
    return all(line.strip() in left for line in lines)


def _bold(document: Document) -> list[str]:
    return [
        "".join(run.text for run in paragraph.runs if run.bold)
        for paragraph in document.paragraphs
        if not paragraph.heading
    ]


SCENARIOS = (SetProperties(), CopyInFormat(), LetterFromList(), LetterFigure())
