"""Scenarios about titles, bullets, notes, names and terms."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence

from fairground.core import Check, State
from fairground.verify import equal, holds
from fairground.verify.reading.prose import Paragraph
from fairground.verify.reading.slides import Deck, Slide
from fairground.worlds import Move, World
from fairground_desk.impress.api import deck
from fairground_desk.impress.task import (
    DeckTask,
    done,
    find_shape,
    find_slide,
    lines,
    on,
    part_of,
    position,
    talk_of,
    text_places,
)
from fairground_desk.tasks import uno


class EditTitle(DeckTask):
    """Change the title of one slide."""

    name = "edit-title"
    template = (
        'In the presentation that is open ({file}), the slide "{slide}" has the title "{old}". Please change that '
        'title to "{title}", leave everything else as it is, and save the file.'
    )
    instances = {
        "agenda": {"role": "agenda", "title": "What we will talk about"},
        "goals": {"role": "goals", "title": "Four things to remember"},
        "risks": {"role": "risks", "title": "What needs our attention"},
        "closing": {"role": "closing", "title": "Before you go home"},
    }

    def words(self, world: World) -> Mapping[str, object]:
        return {"slide": part_of(world).name, "old": part_of(world).title}

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        """Check the new title and that its format is unchanged."""
        name = part_of(world).name
        old, new = find_shape(find_slide(was, name), "title"), find_shape(find_slide(now, name), "title")
        return [
            equal("the title is the new one", world.parameters["title"], new.text.strip(), weight=3.0),
            equal("the title looks as before", look(old.paragraphs), look(new.paragraphs), weight=0.0),
            equal("the slide is where it was", position(was, name), position(now, name), weight=0.0, integrity=True),
        ]

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        return [on(part_of(world).name, r"shape\[title\]\.paragraph\[0\].*text")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return done(("write", part_of(world).name, "title", world.parameters["title"]))


class EditBullet(DeckTask):
    """Change the text of one bullet."""

    name = "edit-bullet"
    template = (
        'On the slide "{slide}" of the open presentation one bullet is out of date: it says "{old}". Please make it '
        'say "{new}" instead. Nothing else on that slide or elsewhere should change. Save the presentation.'
    )
    instances = {
        "first-goal": {"role": "goals", "number": 0, "new": "Finish the first stage by the end of March"},
        "second-step": {"role": "timeline", "number": 1, "new": "Moved to the second week of the month"},
        "last-risk": {"role": "risks", "number": 3, "new": "Nobody knows yet who will do it"},
        "third-point": {"role": "background", "number": 2, "new": "Three more places have been found since"},
    }

    def words(self, world: World) -> Mapping[str, object]:
        part = part_of(world)
        return {"slide": part.name, "old": part.lines[int(world.parameters["number"])]}

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        number, name = int(world.parameters["number"]), part_of(world).name
        old, new = find_slide(was, name), find_slide(now, name)
        expected = [*lines(old)[:number], str(world.parameters["new"]), *lines(old)[number + 1 :]]
        texts = lines(new)
        shape = [find_shape(slide, "outline").paragraphs[number : number + 1] for slide in (old, new)]
        return [
            equal("the bullet says the new words", world.parameters["new"],
                  texts[number] if number < len(texts) else "", weight=3.0),
            holds("the old words are gone", lines(old)[number] not in texts and bool(texts), expected="gone",
                  found=texts, weight=1.0),
            equal("the list has its bullets in order", expected, texts, weight=0.0),
            equal("the bullet looks as before", look(shape[0]), look(shape[1]), weight=0.0),
        ]  # fmt: skip

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        return [on(part_of(world).name, rf"shape\[outline\]\.paragraph\[{world.parameters['number']}\].*text")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return done(("write_line", part_of(world).name, "outline", world.parameters["number"], world.parameters["new"]))


class AddBullet(DeckTask):
    """Append a bullet to a list."""

    name = "add-bullet"
    template = (
        'Please add one more bullet at the end of the list on the slide "{title}" (slide {number}) of the open '
        'presentation: "{text}". It should be a bullet like the others there. Then save.'
    )
    instances = {
        "agenda": {"role": "agenda", "text": "Questions from the audience"},
        "closing": {"role": "closing", "text": "Feedback forms are at the door"},
        "goals": {"role": "goals", "text": "Report back in six months"},
    }

    def words(self, world: World) -> Mapping[str, object]:
        part = part_of(world)
        return {"title": part.title, "number": talk_of(world).parts.index(part) + 1}

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        name = part_of(world).name
        old, new = find_slide(was, name), find_slide(now, name)
        before, current = find_shape(old, "outline").paragraphs, find_shape(new, "outline").paragraphs
        more = current[len(before) :]
        kinds = [(paragraph.list, paragraph.list_level, paragraph.list_format) for paragraph in more]
        return [
            equal("the list ends with the new bullet", [*lines(old), world.parameters["text"]], lines(new), weight=3.0),
            equal("it is a bullet like the others", [(before[-1].list, before[-1].list_level, before[-1].list_format)],
                  kinds, weight=1.0),
            equal("its letters look like the others", look(before[-1:]), look(more), weight=1.0),
        ]  # fmt: skip

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        count = len(lines(find_slide(was, part_of(world).name)))
        return [on(part_of(world).name, rf"shape\[outline\]\.paragraph\[{count}\].*")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return done(("add_line", part_of(world).name, "outline", world.parameters["text"]))


class IndentBullets(DeckTask):
    """Demote two bullets to the second level."""

    name = "indent-bullets"
    template = (
        'On the slide "{slide}" the {which} bullets belong under the bullet before them. Please demote both by one '
        "level, so that they are second-level points, and keep all the words. Save the presentation afterwards."
    )
    instances = {
        "goals-end": {"role": "goals", "first": 2, "which": "last two"},
        "risks-middle": {"role": "risks", "first": 1, "which": "second and third"},
        "agenda-middle": {"role": "agenda", "first": 2, "which": "third and fourth"},
    }

    def words(self, world: World) -> Mapping[str, object]:
        return {"slide": part_of(world).name}

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        name, first = part_of(world).name, int(world.parameters["first"])
        old, new = find_slide(was, name), find_slide(now, name)
        levels = [paragraph.list_level for paragraph in find_shape(new, "outline").paragraphs]
        expected = [2 if at in (first, first + 1) else 1 for at in range(len(lines(old)))]
        got = [level for at, level in enumerate(levels) if at in (first, first + 1)]
        return [
            equal("the two bullets are on the second level", [2, 2], got, weight=3.0),
            equal("only those two are", expected, levels, weight=1.0),
            equal("the words are the same", lines(old), lines(new), weight=0.0, integrity=True),
        ]

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        """Level and format of both bullets; each level has its own format."""
        first = int(world.parameters["first"])
        return [on(part_of(world).name, rf"shape\[outline\]\.paragraph\[[{first}{first + 1}]\](?!.*text).*")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        name, first = part_of(world).name, int(world.parameters["first"])
        return done(("indent", name, "outline", first, 1), ("indent", name, "outline", first + 1, 1))


class NumberedList(DeckTask):
    """Turn bullets into a numbered list."""

    name = "numbered-list"
    template = (
        'The order matters on the slide "{title}" (slide {number}): please turn its bullets into a numbered list '
        "(1, 2, 3, ...), for the whole list, without changing its words. Save the presentation."
    )
    instances = {role: {"role": role} for role in ("agenda", "timeline", "closing", "goals")}

    def words(self, world: World) -> Mapping[str, object]:
        part = part_of(world)
        return {"title": part.title, "number": talk_of(world).parts.index(part) + 1}

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        name = part_of(world).name
        old, new = find_slide(was, name), find_slide(now, name)
        paragraphs = find_shape(new, "outline").paragraphs
        return [
            equal("every line has a number", ["number"] * len(lines(old)),
                  [paragraph.list for paragraph in paragraphs], weight=3.0),
            equal("the numbers are 1, 2, 3", ["1"] * len(lines(old)),
                  [paragraph.list_format.rstrip(".)") for paragraph in paragraphs], weight=1.0),
            equal("the words are the same", lines(old), lines(new), weight=0.0, integrity=True),
        ]  # fmt: skip

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        """The kind of the list and what depends on it, such as indents."""
        changed = r"(?:list|list_format|left|first_line|tabs)"
        return [on(part_of(world).name, rf"shape\[outline\]\.paragraph\[\d+\]\.{changed}")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [deck(("choose", part_of(world).name, "outline")), uno("DefaultNumbering"), deck(("store",))]


class SpeakerNotes(DeckTask):
    """Replace the notes of a slide."""

    name = "speaker-notes"
    template = (
        'Please replace the speaker notes of the slide "{slide}" by these two lines, each a paragraph of its own: '
        '"Speaker: {speaker}" and "{text}". The slides themselves stay as they are. Save the presentation.'
    )
    instances = {
        "figures": {"role": "figures", "text": "Explain the largest number first"},
        "photo": {"role": "photo", "text": "Give everybody time to look"},
        "closing": {"role": "closing", "text": "Thank the organisers and stop on time"},
        "agenda": {"role": "agenda", "text": "Say that questions are welcome at any time"},
    }

    def words(self, world: World) -> Mapping[str, object]:
        """The slide, and a speaker other than the current one."""
        return {"slide": part_of(world).name, "speaker": self._speaker(world)}

    def _speaker(self, world: World) -> str:
        speakers = [part.speaker for part in talk_of(world).parts]
        return next(speaker for speaker in speakers if speaker != part_of(world).speaker)

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        notes = [paragraph.text.strip() for paragraph in find_slide(now, part_of(world).name).notes]
        first, second = [*notes, "", ""][:2]
        return [
            equal("the notes name the speaker", f"Speaker: {self._speaker(world)}", first, weight=1.5),
            equal("the notes say the new words", world.parameters["text"], second, weight=1.5),
            equal("the notes say nothing else", 2, len(notes), weight=0.0),
        ]

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        return [on(part_of(world).name, r"note.*text")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        text = f"Speaker: {self._speaker(world)}\n{world.parameters['text']}"
        return done(("notes", part_of(world).name, text))


class _Replace(DeckTask):
    """Base class of scenarios that replace a text everywhere on the slides."""

    def pair(self, world: World) -> tuple[str, str]:
        """Return the old and the new text."""
        raise NotImplementedError

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        """Check that every paragraph equals the original with the text replaced."""
        old, new = self.pair(world)
        before, texts = text_places(was), text_places(now)
        wanted = {key: text.replace(old, new) for key, text in before.items() if old in text}
        tables = {key: text for key, text in wanted.items() if ".table." in key}
        plain = {key: text for key, text in wanted.items() if key not in tables}
        return [
            equal(f"every list, title and caption with {old!r} has {new!r} now", plain,
                  {key: texts.get(key) for key in plain}, weight=2.0),
            *([equal(f"the tables have {new!r} too", tables, {key: texts.get(key) for key in tables}, weight=1.0)]
              if tables else []),
            holds(f"{old!r} is on no slide any more", bool(texts) and not any(old in text for text in texts.values()),
                  expected=0, found=sum(old in text for text in texts.values()), weight=1.0),
            equal(f"there are as many {new!r} as there should be",
                  sum(text.replace(old, new).count(new) for text in before.values()),
                  sum(text.count(new) for text in texts.values()), weight=0.0),
        ]  # fmt: skip

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        old, _ = self.pair(world)
        spots = [key.removesuffix(".text") for key, text in text_places(was).items() if old in text]
        return [re.escape(spot) + r"(?:\.run\[\d+\])?\.text" for spot in spots]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return done(("replace", *self.pair(world)))


class CorrectName(_Replace):
    """Correct a misspelt name everywhere."""

    name = "correct-name"
    template = (
        'Embarrassing: we misspelt a name. Wherever a slide says "{old}" it must be "{new}"; it is in lists, in a '
        "table and in other places. The speaker notes are already right. {also}Please correct it everywhere in the "
        "open presentation, change nothing else, and save it."
    )
    instances = {
        "whole-name": {"part": "whole", "also": ""},
        "family-name": {"part": "family", "also": "Only the family name is wrong. "},
    }

    def pair(self, world: World) -> tuple[str, str]:
        """The misspelt and the correct name."""
        talk = talk_of(world)
        if world.parameters["part"] == "whole":
            return talk.wrong_name, talk.right_name
        wrong, right = talk.wrong_name.split(), talk.right_name.split()
        at = next(number for number, word in enumerate(wrong) if word != right[number])
        return (wrong[at], right[at]) if wrong[at] not in right[at] else (talk.wrong_name, talk.right_name)

    def words(self, world: World) -> Mapping[str, object]:
        old, new = self.pair(world)
        talk = talk_of(world)
        full_name = len(old.split()) > 1 or talk.wrong_name.split()[-1] == old
        also = str(world.parameters["also"]) if full_name else "Only the first name is wrong. "
        return {"old": old, "new": new, "also": also if world.parameters["part"] == "family" else ""}


class ReplaceWord(_Replace):
    """Replace a term everywhere."""

    name = "replace-word"
    template = (
        'We no longer say "{old}", we say "{new}". Please replace it on all slides of the open presentation, in '
        "titles, lists and tables alike (the notes do not mention it), keep the formatting, and save."
    )
    instances = {
        "official": {"new": ""},
        "short": {"new": "programme"},
        "other": {"new": "new scheme"},
    }

    def pair(self, world: World) -> tuple[str, str]:
        return talk_of(world).old_word, str(world.parameters["new"]) or talk_of(world).new_word

    def words(self, world: World) -> Mapping[str, object]:
        old, new = self.pair(world)
        return {"old": old, "new": new}


class HighlightTerm(DeckTask):
    """Format every occurrence of a word in the same way."""

    name = "highlight-term"
    template = (
        'The word "{term}" is what this talk is about. Please make it {how} wherever it is written on the slides, '
        "in titles, lists, tables and captions, and leave the letters around it as they are. Save the presentation."
    )
    instances = {
        "bold-red": {"how": "bold and red (C9211E)", "bold": True, "italic": False, "colour": "#c9211e"},
        "italic": {"how": "italic", "bold": False, "italic": True, "colour": ""},
        "bold-green": {"how": "bold and green (00A933)", "bold": True, "italic": False, "colour": "#00a933"},
    }

    def words(self, world: World) -> Mapping[str, object]:
        return {"term": talk_of(world).term}

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        """Compare character by character: those of the word, and all others."""
        term = talk_of(world).term
        wanted: dict[str, object] = {}
        for name in ("bold", "italic"):
            if world.parameters[name]:
                wanted[name] = True
        if world.parameters["colour"]:
            wanted["colour"] = world.parameters["colour"]
        spots = _spots(was, term)
        spots_after = _spots(now, term)
        right = {
            name: sum(all(letter[name] == value for letter in spot) for spot in spots_after)
            for name, value in wanted.items()
        }
        rest = [_rest(deck, term) for deck in (was, now)]
        return [
            *(equal(f"every {term!r} is {name if value is True else value}", len(spots), right[name], weight=2.0)
              for name, value in wanted.items()),
            equal("it stands where it stood", len(spots), len(spots_after), weight=0.0, integrity=True),
            equal("all other letters look as before", rest[0], rest[1], weight=0.0, integrity=True),
            holds("titles have it too, and lists", len(spots) > 3, found=len(spots), weight=0.0),
        ]  # fmt: skip

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        """The runs of the paragraphs that contain the word."""
        term = talk_of(world).term
        spots = [key.removesuffix(".text") for key, text in text_places(was).items() if term in text]
        return [re.escape(spot) + r"\.run\[\d+\].*" for spot in spots]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        values: dict[str, object] = {}
        if world.parameters["bold"]:
            values["CharWeight"] = 150.0
        if world.parameters["italic"]:
            values["CharPosture"] = "enum:awt.FontSlant.ITALIC"
        if world.parameters["colour"]:
            values["CharColor"] = int(str(world.parameters["colour"])[1:], 16)
        return done(("format_word", talk_of(world).term, values))


class AddLink(DeckTask):
    """Turn words of the last bullet on the last slide into a link."""

    name = "add-link"
    template = (
        'The last bullet of the slide "{slide}" reads "{line}". Please turn {what} into a link to {address}, so that '
        "the words stay as they are and a click on them opens that page. Save the presentation."
    )
    instances = {
        "website": {"whole": False, "page": ""},
        "feedback": {"whole": False, "page": "/feedback"},
        "handout": {"whole": False, "page": "/handout.pdf"},
    }

    def words(self, world: World) -> Mapping[str, object]:
        part = talk_of(world).part("closing")
        shown, address = self._facts(world)
        return {"slide": part.name, "line": part.lines[-1], "what": f'the words "{shown}"', "address": address}

    def _facts(self, world: World) -> tuple[str, str]:
        part = talk_of(world).part("closing")
        shown = " ".join(part.lines[-1].split()[-2:])
        return shown, talk_of(world).website + str(world.parameters["page"])

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        shown, address = self._facts(world)
        name = talk_of(world).part("closing").name
        old, new = find_slide(was, name), find_slide(now, name)
        paragraphs = find_shape(new, "outline").paragraphs
        links = [(run.text, run.link) for paragraph in paragraphs for run in paragraph.runs if run.link]
        return [
            equal("a link leads to the page", [address], [to for _, to in links], weight=2.0),
            equal("the right words are the link", [shown], [text for text, _ in links], weight=2.0),
            equal("the words are the same", lines(old), lines(new), weight=0.0, integrity=True),
        ]

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        part = talk_of(world).part("closing")
        return [on(part.name, rf"shape\[outline\]\.paragraph\[{len(part.lines) - 1}\]\.run.*")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        shown, address = self._facts(world)
        part = talk_of(world).part("closing")
        return done(("link", part.name, "outline", len(part.lines) - 1, shown, address))


def look(paragraphs: Sequence[Paragraph]) -> list[tuple[object, ...]]:
    """Return the distinct character formats of the paragraphs."""
    looks = {
        (run.font, run.size, run.colour, run.bold, run.italic, run.underline)
        for paragraph in paragraphs
        for run in paragraph.runs
    }
    return sorted(looks)


def _paragraphs(slide: Slide) -> list[Paragraph]:
    paragraphs: list[Paragraph] = []
    for shape in slide.all_shapes():
        paragraphs += shape.paragraphs
        if shape.table is not None:
            paragraphs += [block for cell in shape.table.cells for block in cell.body if isinstance(block, Paragraph)]
    return paragraphs


def _letters(one: Paragraph) -> list[dict[str, object]]:
    return [
        {"bold": run.bold, "italic": run.italic, "colour": run.colour, "size": run.size, "font": run.font,
         "underline": run.underline, "link": run.link, "letter": letter}
        for run in one.runs
        for letter in run.text
    ]  # fmt: skip


def _spots(whole: Deck, term: str) -> list[list[dict[str, object]]]:
    """Return the characters of every occurrence of a word on the slides."""
    spots = []
    for slide in whole.slides:
        for paragraph in _paragraphs(slide):
            letters = _letters(paragraph)
            text = "".join(str(letter["letter"]) for letter in letters)
            spots += [letters[at.start() : at.end()] for at in re.finditer(re.escape(term), text)]
    return spots


def _rest(whole: Deck, term: str) -> int:
    """Return a checksum of all characters outside the occurrences of a word."""
    parts = []
    for slide in whole.slides:
        for paragraph in _paragraphs(slide):
            letters = _letters(paragraph)
            text = "".join(str(letter["letter"]) for letter in letters)
            gone = {place for at in re.finditer(re.escape(term), text) for place in range(at.start(), at.end())}
            parts.append(repr([letter for place, letter in enumerate(letters) if place not in gone]))
    return zlib.crc32("\n".join(parts).encode())


SCENARIOS = (
    EditTitle(),
    EditBullet(),
    AddBullet(),
    IndentBullets(),
    NumberedList(),
    SpeakerNotes(),
    CorrectName(),
    ReplaceWord(),
    HighlightTerm(),
    AddLink(),
)
