"""Scenarios about styles, direct formatting, lists and languages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fairground.core import Check, State
from fairground.verify import equal, holds
from fairground.verify.reading.document import Document
from fairground.verify.reading.prose import Paragraph
from fairground.worlds import Move, Press, World
from fairground_desk.tasks import save, uno
from fairground_desk.writer.api import writer
from fairground_desk.writer.documents import CHAPTER, LEASE, POINTS, REPORT
from fairground_desk.writer.reading import (
    block_of,
    body_with,
    looked,
    looks_at,
    matches,
    nothing_else,
    painted,
    styled,
)
from fairground_desk.writer.task import WriterTask, people


class HeadingStyles(WriterTask):
    """Apply heading and quotation styles to plain paragraphs."""

    name = "heading-styles"
    document = CHAPTER
    template = (
        "This draft was typed without any styles. Give {targets} the paragraph style {styles}. Use the styles as they "
        "are, change no word, and leave all other paragraphs alone. Save the document."
    )
    instances = {
        "chapters": {"roles": "chapters", "styles": "“Heading 1”"},
        "sections": {"roles": "sections", "styles": "“Heading 2”"},
        "chapters-and-sections": {"roles": "chapters sections", "styles": "“Heading 1” and “Heading 2”, respectively"},
        "quotations": {"roles": "quotations", "styles": "“Quotations”"},
    }

    _WORDS = {
        "chapters": "each of the four lines that begin with “Chapter”",
        "sections": "each of the eight section titles (the short lines that stand alone above a paragraph; the lines "
        "at the end, below “To do before printing”, are none)",
        "quotations": "each of the three quotations (the paragraphs in « and »)",
    }
    _STYLES = {"chapters": ("Heading 1", 1), "sections": ("Heading 2", 2), "quotations": ("Quotations", 0)}

    def facts(self, world: World) -> dict[str, object]:
        return {"targets": " and ".join(self._WORDS[role] for role in str(world.parameters["roles"]).split())}

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        """Check that each paragraph has its style and no direct formatting, and that the rest is unchanged."""
        wanted = self._wanted(world, was)
        body = list(was.body)
        for number, (style, level) in wanted.items():
            old = was.body[number]
            assert isinstance(old, Paragraph)
            body[number] = styled(old, was.style(style), level)
        expected = replace(was, body=tuple(body))
        places = [f"block[{number}]*" for number in wanted]
        blocks = dict(enumerate(now.body))
        checks = [
            equal(f"“{was.body[number].text[:40]}” is {style}", style, getattr(blocks.get(number), "style", ""))  # type: ignore[union-attr]
            for number, (style, _) in wanted.items()
        ]
        used = [f"style[{style}]*" for style, _ in wanted.values()]
        return [
            *checks,
            matches("they look as the styles say", expected, now, places),
            matches("the styles are as they were", expected, now, used),
            nothing_else("nothing else changed", expected, now, [*places, *used]),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Apply the style to each paragraph in turn."""
        calls: list[tuple[object, ...]] = []
        for number, (style, _) in self._wanted(world, self.before(before)).items():
            calls += [("place", number), ("do", "StyleApply", {"Style": style, "FamilyName": "ParagraphStyles"})]
        return [Press("escape"), writer(*calls), save()]

    def _wanted(self, world: World, was: Document) -> dict[int, tuple[str, int]]:
        draft = people(world).chapter
        lines = {
            "chapters": [f"Chapter {number}: {part.title}" for number, part in enumerate(draft.parts, 1)],
            "sections": [title for part in draft.parts for title in part.sections],
            "quotations": draft.quotes,
        }
        roles = str(world.parameters["roles"]).split()
        styles = {block_of(was, line): self._STYLES[role] for role in roles for line in lines[role]}
        return dict(sorted(styles.items()))


class FormatTerm(WriterTask):
    """Format every occurrence of a defined term of the lease."""

    name = "format-term"
    document = LEASE
    template = (
        "In the open lease, make every occurrence of the word “{term}” {words}: in the text, in headings and in the "
        "table, wherever it stands, exactly as it is written here. Change nothing else, and save the document."
    )
    instances = {
        "tenant-bold": {"term": "Tenant", "words": "bold", "look": "bold"},
        "landlord-italic": {"term": "Landlord", "words": "italic", "look": "italic"},
        "premises-yellow": {"term": "Premises", "words": "highlighted in yellow (#FFFF00)", "look": "highlight"},
        "rent-red": {"term": "Rent", "words": "red (#FF0000)", "look": "colour"},
        "months-underlined": {"term": "month", "words": "underlined with a single line", "look": "underline"},
    }

    _LOOKS: dict[str, tuple[dict[str, object], dict[str, object]]] = {
        "bold": ({"bold": True}, {"CharWeight": 150.0}),
        "italic": ({"italic": True}, {}),
        "highlight": ({"highlight": "#ffff00"}, {"CharBackColor": 0xFFFF00}),
        "colour": ({"colour": "#ff0000"}, {"CharColor": 0xFF0000}),
        "underline": ({"underline": True}, {"CharUnderline": 1}),
    }

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        """Check that all occurrences have the format, nothing else has it, and no text changed."""
        term = str(world.parameters["term"])
        look, _ = self._LOOKS[str(world.parameters["look"])]
        ((name, value),) = look.items()
        expected = body_with(was, lambda _, paragraph: painted(paragraph, term, **look))
        texts = [paragraph.text for paragraph in was.all_paragraphs]
        pairs = list(zip(was.all_paragraphs, now.all_paragraphs, strict=False))

        def formatted(some: Sequence[Paragraph]) -> tuple[int, int]:
            runs = [run for paragraph in some for run in looks_at(paragraph, term)]
            return sum(getattr(run, name) == value for run in runs), len(runs)

        def is_head(one: Paragraph) -> bool:
            return bool(one.heading)

        plain = formatted([new for old, new in pairs if not is_head(old)])
        counts = formatted(now.all_paragraphs)
        first = formatted([new for old, new in pairs if term in old.text][:1])
        return [
            holds("the first occurrence has the format", first[0] == first[1] > 0, expected=look, found=first),
            holds("those in the running text have it", plain[0] == plain[1] > 0, expected=look, found=plain),
            holds("all of them have it", counts[0] == counts[1] > 0, expected=look, found=counts, weight=2.0),
            holds(
                "nothing but the occurrences has it",
                counts[0] == counts[1] > 0 and _letters(now, name, value) == _letters(expected, name, value),
                expected=_letters(expected, name, value),
                found=_letters(now, name, value),
            ),
            matches("they look as asked", expected, now, ["block[*].run*", "block[*].cell*run*"]),
            equal(
                "no word changed",
                texts,
                [paragraph.text for paragraph in now.all_paragraphs],
                weight=0.0,
                integrity=True,
            ),
            nothing_else("nothing else changed", expected, now, ["block[*].run*", "block[*].cell*run*"]),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        kind, term = str(world.parameters["look"]), str(world.parameters["term"])
        if kind == "italic":
            return [writer(("find-all", term)), Press("ctrl+i"), save()]
        return [Press("escape"), writer(("format-all", term, self._LOOKS[kind][1])), save()]


class ParagraphFormat(WriterTask):
    """Change the paragraph format of the clauses of the lease."""

    name = "paragraph-format"
    document = LEASE
    template = (
        "Set the running text of this lease differently: {words}. That means every paragraph but the title, the "
        "headings and the table; in other words, everything in the style “Text Body”. Change nothing else about these "
        "paragraphs, leave the others as they are, and save the document."
    )
    instances = {
        "justified": {"words": "justified", "alignment": "justify"},
        "spacing": {"words": "with a line spacing of 1.5 lines", "line_spacing": "150%"},
        "indent": {"words": "with an indent of 0.5 cm for the first line", "first_line": 5.0},
        "justified-apart": {
            "words": "justified, with 0.4 cm of space below each paragraph",
            "alignment": "justify",
            "below": 4.0,
        },
    }

    _PROPERTIES = {
        "alignment": ("ParaAdjust", 2),
        "first_line": ("ParaFirstLineIndent", 500),
        "below": ("ParaBottomMargin", 400),
    }

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        """Check that every body paragraph has the format, and that the rest is unchanged."""
        layout = {name: value for name, value in world.parameters.items() if name != "words"}
        numbers = _running(was)
        expected = body_with(
            was,
            lambda number, paragraph: replace(paragraph, **layout) if number in numbers else paragraph,  # type: ignore[arg-type]
        )
        blocks = {number: block for number, block in enumerate(now.body) if number in numbers}

        def share(some: Sequence[int]) -> int:
            return sum(
                all(_near(getattr(blocks.get(number), name, None), value) for name, value in layout.items())
                for number in some
            )

        half = len(numbers) // 2
        places = [f"block[{number}].{name}" for number in numbers for name in layout]
        return [
            equal("the first paragraph is set so", 1, share(numbers[:1])),
            equal("those of the first half are", half, share(numbers[:half])),
            equal("those of the second half are", len(numbers) - half, share(numbers[half:])),
            equal("the last one is", 1, share(numbers[-1:])),
            matches("all of them are set so", expected, now, places, weight=2.0),
            # The paragraph style may be changed instead.
            nothing_else(
                "nothing else changed", expected, now, [*places, *(f"style[Text body].layout.{n}" for n in layout)]
            ),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Select and format each paragraph."""
        calls: list[tuple[object, ...]] = []
        for number in _running(self.before(before)):
            calls.append(("select", number))
            for name in world.parameters:
                if name == "line_spacing":
                    calls.append(("do", "SpacePara15"))
                elif name in self._PROPERTIES:
                    key, value = self._PROPERTIES[name]
                    calls.append(("format", {key: value}))
        return [Press("escape"), writer(*calls), save()]


class PageBreaks(WriterTask):
    """Start parts of the report on new pages."""

    name = "page-breaks"
    document = REPORT
    template = (
        "Let {words} of this report begin on a new page. Set a page break before the heading itself; do not leave "
        "empty paragraphs behind, and break nowhere else. Save the document."
    )
    instances = {
        "main-parts": {"words": "each main part (heading of level 1) but the first one", "level": 1, "only": ""},
        "programmes": {"words": "each programme (heading of level 2)", "level": 2, "only": ""},
        "finances": {"words": "the parts “Finances” and “Thanks”", "level": 1, "only": "Finances Thanks"},
        "risks": {"words": "the parts “Risks”, “Outlook” and “Thanks”", "level": 1, "only": "Risks Outlook Thanks"},
    }

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        """Check for a break before each of these headings, and nowhere else."""
        wanted = self._wanted(world, was)
        expected = body_with(
            was, lambda number, paragraph: replace(paragraph, page_break=True) if number in wanted else paragraph
        )
        broken = [number for number, block in enumerate(now.body) if block.page_break]
        places = [f"block[{number}].page_break" for number in wanted]
        return [
            *(
                holds(f"a page begins with “{was.body[number].text}”", number in broken, expected=number, found=broken)  # type: ignore[union-attr]
                for number in wanted
            ),
            equal("breaks are there and nowhere else", wanted, broken),
            nothing_else("nothing else changed", expected, now, places),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        calls: list[tuple[object, ...]] = []
        for number in self._wanted(world, self.before(before)):
            calls += [("place", number), ("break-before",)]
        return [Press("escape"), writer(*calls), save()]

    def _wanted(self, world: World, was: Document) -> list[int]:
        level, only = world.parameters["level"], str(world.parameters["only"]).split()
        heads = [n for n, block in enumerate(was.body) if isinstance(block, Paragraph) and block.heading == level]
        if only:
            return [number for number in heads if was.body[number].text in only]  # type: ignore[union-attr]
        return heads[1:] if level == 1 else heads


class MakeList(WriterTask):
    """Turn lines into a list."""

    name = "make-list"
    document = CHAPTER
    template = (
        "At the end of this draft, below “To do before printing”, stand five short lines, from “{first}” to “{last}”. "
        "Make {words} of them a {kind} list, on its first level. Type no bullets or numbers by hand. Leave the rest of "
        "the document as it is, and save it."
    )
    instances = {
        "bullets": {"words": "all five", "kind": "bulleted", "begin": 0, "end": 5},
        "numbers": {"words": "all five", "kind": "numbered (1, 2, 3)", "begin": 0, "end": 5},
        "first-three": {"words": "the first three", "kind": "bulleted", "begin": 0, "end": 3},
        "last-three": {"words": "the last three", "kind": "numbered (1, 2, 3)", "begin": 2, "end": 5},
    }

    def facts(self, world: World) -> dict[str, object]:
        return {"first": POINTS[0], "last": POINTS[-1]}

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        kind = "bullet" if world.parameters["kind"] == "bulleted" else "number"
        numbers = self._numbers(world, was)
        blocks = [now.body[number] if number < len(now.body) else None for number in numbers]
        kinds = [getattr(block, "list", "") for block in blocks]
        aspects = ("list", "list_level", "list_format", "left", "first_line", "tabs", "style")
        places = [f"block[{number}].{aspect}" for number in numbers for aspect in aspects]
        formats = {getattr(block, "list_format", "") for block in blocks}
        good = formats == {"1"} if kind == "number" else len(formats) == 1 and "" not in formats
        return [
            *(
                equal(f"“{POINTS[int(world.parameters['begin']) + place]}” is an item", kind, actual)
                for place, actual in enumerate(kinds)
            ),
            equal("all on the first level", [1] * len(numbers), [getattr(block, "list_level", 0) for block in blocks]),
            holds("they are counted or marked in one way", good, expected=kind, found=sorted(formats)),
            equal(
                "the lines say what they said",
                [was.body[n].text for n in numbers],  # type: ignore[union-attr]
                [getattr(block, "text", None) for block in blocks],
                weight=0.0,
                integrity=True,
            ),
            nothing_else("nothing else changed", was, now, [*places, "style[List*"]),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Select the lines and run the toolbar command."""
        numbers = self._numbers(world, self.before(before))
        name = "DefaultBullet" if world.parameters["kind"] == "bulleted" else "DefaultNumbering"
        return [Press("escape"), writer(("select", numbers[0], numbers[-1])), uno(name, On=True), save()]

    def _numbers(self, world: World, was: Document) -> list[int]:
        lines = POINTS[int(world.parameters["begin"]) : int(world.parameters["end"])]
        return [block_of(was, line) for line in lines]


class QuotationLanguage(WriterTask):
    """Set the language of quotations, so that the spelling checker ignores them."""

    name = "quotation-language"
    document = CHAPTER
    template = (
        "The quotations of this draft (the paragraphs in « and ») are in another language. Mark {words} as "
        "{language}, so that the spelling checker leaves them alone: the language of these paragraphs only, and "
        "neither of the document nor of a style. Change no word, and save the document."
    )
    instances = {
        "all": {"words": "all three of them", "which": "0 1 2"},
        "first": {"words": "the first one", "which": "0"},
        "last-two": {"words": "the second and the third one", "which": "1 2"},
    }

    _NAMES = {
        "nb-NO": "Norwegian, Bokmål",
        "sw-KE": "Swahili (Kenya)",
        "es-MX": "Spanish (Mexico)",
        "fr-FR": "French (France)",
    }

    def facts(self, world: World) -> dict[str, object]:
        """The language name that LibreOffice uses."""
        return {"language": self._NAMES[people(world).chapter.quote_language]}

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        language = people(world).chapter.quote_language
        numbers = self._numbers(world, was)
        expected = body_with(
            was, lambda number, paragraph: looked(paragraph, language=language) if number in numbers else paragraph
        )
        blocks = [now.body[number] if number < len(now.body) else None for number in numbers]
        languages = [sorted({run.language for run in getattr(block, "runs", ())}) for block in blocks]
        places = [f"block[{number}].run*.language" for number in numbers]
        count = sum(
            len(run.text) for paragraph in now.all_paragraphs for run in paragraph.runs if run.language == language
        )
        letters = sum(len(str(getattr(was.body[number], "text", ""))) for number in numbers)
        return [
            *(
                equal(f"quotation {place + 1} has the language", [language], actual)
                for place, actual in enumerate(languages)
            ),
            equal("all of its letters, and no others", letters, count),
            matches("the paragraphs are otherwise as they were", expected, now, [f"block[{n}]*" for n in numbers]),
            equal("the document's own language stays", was.language, now.language, weight=0.0, integrity=True),
            nothing_else("nothing else changed", expected, now, places),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        language = people(world).chapter.quote_language
        calls: list[tuple[object, ...]] = []
        for number in self._numbers(world, self.before(before)):
            calls += [("select", number), ("language", language)]
        return [Press("escape"), writer(*calls), save()]

    def _numbers(self, world: World, was: Document) -> list[int]:
        quotes = people(world).chapter.quotes
        return [block_of(was, quotes[int(index)]) for index in str(world.parameters["which"]).split()]


def _running(was: Document) -> list[int]:
    return [n for n, block in enumerate(was.body) if isinstance(block, Paragraph) and block.style == "Text body"]


def _letters(document: Document, name: str, value: object) -> int:
    return sum(
        len(run.text) for paragraph in document.all_paragraphs for run in paragraph.runs if getattr(run, name) == value
    )


def _near(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) < 0.3
    return one == other


SCENARIOS = (HeadingStyles(), FormatTerm(), ParagraphFormat(), PageBreaks(), MakeList(), QuotationLanguage())
