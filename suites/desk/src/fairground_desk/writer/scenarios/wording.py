"""Scenarios that replace words everywhere or turn them into links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fairground.core import Check, State
from fairground.verify import equal, holds
from fairground.verify.reading.document import Document
from fairground.verify.reading.prose import Paragraph
from fairground.worlds import Move, Press, World
from fairground_desk.tasks import save
from fairground_desk.writer.api import writer
from fairground_desk.writer.documents import REPORT
from fairground_desk.writer.reading import body_with, looks_at, matches, nothing_else, painted, replaced
from fairground_desk.writer.task import WriterTask, people


class ReplaceThroughout(WriterTask):
    """Replace a word everywhere: text, headings, lists, tables and footnotes."""

    name = "replace-throughout"
    document = REPORT
    template = (
        "Replace “{old}” by “{new}” in the whole report: in the text, in headings, lists, tables and footnotes, also "
        "where it is a part of a longer word. Only the spelling given here counts; a word with another capital letter "
        "stays. Formats and comments stay as they are. Save the document."
    )
    instances = {
        "word-of-the-trade": {"what": "term"},
        "programme": {"what": "programme"},
        "funder": {"what": "funder"},
        "contractor": {"what": "contractor"},
    }

    def facts(self, world: World) -> dict[str, object]:
        old, new = self._words(world)
        return {"old": old, "new": new}

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        old, new = self._words(world)
        expected = body_with(was, lambda _, paragraph: replaced(paragraph, old, new))
        expected = replace(
            expected,
            notes=tuple(replace(note, text=note.text.replace(old, new)) for note in was.notes),
            comments=tuple(replace(comment, on=comment.on.replace(old, new)) for comment in was.comments),
        )
        texts = [paragraph.text for paragraph in expected.all_paragraphs]
        texts_after = [paragraph.text for paragraph in now.all_paragraphs]
        wanted = [n for n, paragraph in enumerate(was.all_paragraphs) if old in paragraph.text]
        done = [n for n in wanted if n < len(texts_after) and texts_after[n] == texts[n]]
        times = sum(text.count(new) for text in texts)
        return [
            equal("the old word is gone", 0, sum(text.count(old) for text in texts_after)),
            equal("the new word stands in every place", times, sum(text.count(new) for text in texts_after)),
            equal("the first place reads as it should", wanted[:1], done[:1]),
            equal("the last place reads as it should", wanted[-1:], done[-1:]),
            equal("every paragraph reads as it should", texts, texts_after, weight=2.0),
            matches("formats stayed", expected, now, ["block*", "note*"]),
            nothing_else(
                "nothing else changed",
                expected,
                now,
                ["block[*].text", "block[*].run*", "block[*]*.text", "block[*].cell*", "note*", "comment*.on"],
            ),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Use Find and Replace, all at once."""
        return [Press("escape"), Press("ctrl+Home"), writer(("replace-all", *self._words(world))), save()]

    def _words(self, world: World) -> tuple[str, str]:
        organisation = people(world)
        return {
            "term": (organisation.term[0], organisation.term[1]),
            "programme": ("programme", "project"),
            "funder": (organisation.funder, "Common Heritage Foundation"),
            "contractor": (organisation.contractor, "Hill & Daughters"),
        }[str(world.parameters["what"])]


class MakeLink(WriterTask):
    """Turn words of the report into a link."""

    name = "make-link"
    document = REPORT
    template = (
        "In the report, make the words “{words}” (in the part “{part}”) a hyperlink to {target} . The words themselves "
        "stay as they are, and so does everything else. Save the document."
    )
    instances = {
        "web-site": {"what": "site", "part": "Programmes"},
        "contractor": {"what": "contractor", "part": "Outlook"},
        "person": {"what": "person", "part": "Thanks"},
    }

    def facts(self, world: World) -> dict[str, object]:
        words, target = self._link(world)
        return {"words": words, "target": target}

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        """Check that exactly these characters are linked to the target."""
        words, target = self._link(world)
        number = self._number(world, was)

        def plain(document: Document) -> Document:
            # A link brings its own style: blue and underlined.
            return body_with(
                document, lambda at, paragraph: painted(paragraph, words, **_PLAIN) if at == number else paragraph
            )

        block = now.body[number] if number < len(now.body) else None
        runs = looks_at(block, words) if isinstance(block, Paragraph) else []
        links = {run.link.rstrip("/") for run in runs}
        linked = [run for paragraph in now.all_paragraphs for run in paragraph.runs if run.link]
        text = "".join(run.text for run in linked)
        return [
            holds(
                "the first letter leads there",
                bool(runs) and runs[0].link.rstrip("/") == target,
                expected=target,
                found=sorted(links),
            ),
            holds("all of these words do", links == {target}, expected=target, found=sorted(links), weight=2.0),
            equal("these words and no others are a link", words, text),
            holds(
                "they look as the program's links do",
                bool(runs) and all(run.underline and run.colour == _BLUE and run.style for run in runs),
                expected=["Internet link", _BLUE, True],
                found=sorted({(run.style, run.colour, run.underline) for run in runs}),
            ),
            holds(
                "nothing leads elsewhere",
                bool(linked) and all(run.link.rstrip("/") == target for run in linked),
                expected=target,
                found=[run.link for run in linked],
            ),
            equal(
                "no text changed",
                [paragraph.text for paragraph in was.all_paragraphs],
                [paragraph.text for paragraph in now.all_paragraphs],
                weight=0.0,
                integrity=True,
            ),
            nothing_else("nothing else changed", plain(was), plain(now)),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        words, target = self._link(world)
        was = self.before(before)
        number = self._number(world, was)
        earlier = sum(
            block.text.count(words) for n, block in enumerate(was.body) if n < number and isinstance(block, Paragraph)
        )
        return [writer(("find", words, earlier), ("format", {"HyperLinkURL": target})), Press("escape"), save()]

    def _link(self, world: World) -> tuple[str, str]:
        organisation = people(world)
        return {
            "site": ("our web site", organisation.site),
            "contractor": (organisation.contractor, f"{organisation.site}/partners"),
            "person": (
                organisation.user,
                f"mailto:office@{organisation.site.removeprefix('https://').partition('/')[0]}",
            ),
        }[str(world.parameters["what"])]

    def _number(self, world: World, was: Document) -> int:
        words, _ = self._link(world)
        return next(n for n, block in enumerate(was.body) if isinstance(block, Paragraph) and words in block.text)


_BLUE = "#000080"
_PLAIN = {"link": "", "style": "", "colour": "", "underline": False, "language": ""}

SCENARIOS = (ReplaceThroughout(), MakeLink())
