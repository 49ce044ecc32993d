"""Tasks about words: replacing them everywhere, and making links of them."""

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
    """A word is replaced wherever it stands: text, headings, lists, tables, footnotes."""

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
        """Nothing of the old word is left, the new one stands in its places, and the rest is as it was."""
        old, new = self._words(world)
        expected = body_with(was, lambda _, one: replaced(one, old, new))
        expected = replace(
            expected,
            notes=tuple(replace(one, text=one.text.replace(old, new)) for one in was.notes),
            comments=tuple(replace(one, on=one.on.replace(old, new)) for one in was.comments),
        )
        texts = [one.text for one in expected.all_paragraphs]
        found = [one.text for one in now.all_paragraphs]
        wanted = [n for n, one in enumerate(was.all_paragraphs) if old in one.text]
        done = [n for n in wanted if n < len(found) and found[n] == texts[n]]
        times = sum(text.count(new) for text in texts)
        return [
            equal("the old word is gone", 0, sum(text.count(old) for text in found)),
            equal("the new word stands in every place", times, sum(text.count(new) for text in found)),
            equal("the first place reads as it should", wanted[:1], done[:1]),
            equal("the last place reads as it should", wanted[-1:], done[-1:]),
            equal("every paragraph reads as it should", texts, found, weight=2.0),
            matches("formats stayed", expected, now, ["block*", "note*"]),
            nothing_else(
                "nothing else changed",
                expected,
                now,
                ["block[*].text", "block[*].run*", "block[*]*.text", "block[*].cell*", "note*", "comment*.on"],
            ),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Find and replace, all at once."""
        return [Press("escape"), Press("ctrl+Home"), writer(("replace-all", *self._words(world))), save()]

    def _words(self, world: World) -> tuple[str, str]:
        one = people(world)
        return {
            "term": (one.term[0], one.term[1]),
            "programme": ("programme", "project"),
            "funder": (one.funder, "Common Heritage Foundation"),
            "contractor": (one.contractor, "Hill & Daughters"),
        }[str(world.parameters["what"])]


class MakeLink(WriterTask):
    """Words of the report become a link."""

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
        """Which words, and where they should lead."""
        words, target = self._link(world)
        return {"words": words, "target": target}

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        """These letters and no others lead there."""
        words, target = self._link(world)
        number = self._number(world, was)

        def plain(document: Document) -> Document:
            # A link brings its own style: blue and underlined.
            return body_with(document, lambda at, one: painted(one, words, **_PLAIN) if at == number else one)

        block = now.body[number] if number < len(now.body) else None
        runs = looks_at(block, words) if isinstance(block, Paragraph) else []
        links = {run.link.rstrip("/") for run in runs}
        linked = [run for one in now.all_paragraphs for run in one.runs if run.link]
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
                [one.text for one in was.all_paragraphs],
                [one.text for one in now.all_paragraphs],
                weight=0.0,
                integrity=True,
            ),
            nothing_else("nothing else changed", plain(was), plain(now)),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Selects the words and gives them the link."""
        words, target = self._link(world)
        was = self.before(before)
        number = self._number(world, was)
        earlier = sum(
            one.text.count(words) for n, one in enumerate(was.body) if n < number and isinstance(one, Paragraph)
        )
        return [writer(("find", words, earlier), ("format", {"HyperLinkURL": target})), Press("escape"), save()]

    def _link(self, world: World) -> tuple[str, str]:
        one = people(world)
        return {
            "site": ("our web site", one.site),
            "contractor": (one.contractor, f"{one.site}/partners"),
            "person": (one.user, f"mailto:office@{one.site.removeprefix('https://').partition('/')[0]}"),
        }[str(world.parameters["what"])]

    def _number(self, world: World, was: Document) -> int:
        words, _ = self._link(world)
        return next(n for n, one in enumerate(was.body) if isinstance(one, Paragraph) and words in one.text)


_BLUE = "#000080"
_PLAIN = {"link": "", "style": "", "colour": "", "underline": False, "language": ""}

SCENARIOS = (ReplaceThroughout(), MakeLink())
