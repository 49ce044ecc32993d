"""Scenarios about the file: export to other formats, properties and comments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from fairground.core import Check, State
from fairground.verify import equal, holds
from fairground.verify.reading.pptx import read_pptx
from fairground.verify.reading.slides import Deck
from fairground.worlds import Move, World
from fairground_desk.impress.api import deck
from fairground_desk.impress.task import DeckTask, done, find_slide, on, part_of, talk_of


class ExportPdf(DeckTask):
    """Export all or some slides as PDF."""

    name = "export-pdf"
    saved = False
    changes = ("{path}",)
    template = (
        "Please export {what} of the open presentation as a PDF, to {path}. The presentation itself stays as "
        "it is: do not "
        "change or save anything in it."
    )
    instances = {
        "handout": {"path": "~/Documents/handout.pdf", "hidden": False, "pages": 0},
        "complete": {"path": "~/Documents/complete.pdf", "hidden": True, "pages": 0},
        "first-three": {"path": "~/Documents/Lists/first three.pdf", "hidden": False, "pages": 3},
    }

    def words(self, world: World) -> Mapping[str, object]:
        if count := int(world.parameters["pages"]):
            return {"what": f"only the first {count} slides"}
        hidden = "hidden ones included, one page each" if world.parameters["hidden"] else "without the hidden ones"
        return {"what": f"all slides, {hidden},"}

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        content = after.files.get(str(world.parameters["path"]), b"")
        hidden = sum(slide.hidden for slide in was.slides)
        wanted = int(world.parameters["pages"]) or len(was.slides) - (0 if world.parameters["hidden"] else hidden)
        boxes = {tuple(round(float(edge), 1) for edge in box) for box in _BOX.findall(content)}
        ratios = [round((box[2] - box[0]) / (box[3] - box[1]), 2) for box in boxes if box[3] > box[1]]
        title = was.metadata.title.encode("utf-16-be").hex().upper().encode()
        return [
            holds("there is a whole PDF", content.startswith(b"%PDF-") and b"%%EOF" in content[-64:], expected="a PDF",
                  found=content[:8], weight=1.0),
            equal("it has a page for each slide that was asked for", wanted, len(_PAGE.findall(content)), weight=2.0),
            equal("its pages are as slides are", [round(was.width / was.height, 2)], ratios, weight=1.0),
            holds("it says that it is this presentation", title in content.upper(), expected=was.metadata.title,
                  found="another title" if content else "no file", weight=1.0),
        ]  # fmt: skip

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        options: dict[str, object] = {"ExportHiddenSlides": bool(world.parameters["hidden"])}
        if count := int(world.parameters["pages"]):
            options["PageRange"] = f"1-{count}"
        return [deck(("export", world.parameters["path"], "impress_pdf_Export", options))]


_PAGE = re.compile(rb"/Type\s*/Page(?![a-zA-Z])")
_BOX = re.compile(rb"/MediaBox\s*\[\s*([\d.]{1,24})\s+([\d.]{1,24})\s+([\d.]{1,24})\s+([\d.]{1,24})\s*\]")


class ExportPptx(DeckTask):
    """Save a copy for PowerPoint."""

    name = "export-pptx"
    saved = False
    changes = ("{path}",)
    template = (
        "A colleague has only PowerPoint. Please save a copy of the open presentation in PowerPoint's format "
        "(.pptx) as "
        "{path}. Nothing in it changes, and the original file stays as it is."
    )
    instances = {
        "partners": {"path": "~/Documents/for partners.pptx"},
        "lists": {"path": "~/Documents/Lists/slides.pptx"},
        "copy": {"path": "~/Documents/copy for the archive.pptx"},
    }

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        copy = read_pptx(after.file(str(world.parameters["path"])))
        words = [[sorted(slide.text.split()) for slide in deck.slides] for deck in (was, copy)]
        notes = [[_squeezed(slide.notes_text) for slide in deck.slides] for deck in (was, copy)]
        shapes = [
            [[sum(shape.kind == kind for shape in slide.shapes) for kind in ("table", "chart", "image")]
             for slide in deck.slides] for deck in (was, copy)
        ]  # fmt: skip
        hidden = [[number for number, slide in enumerate(deck.slides, 1) if slide.hidden] for deck in (was, copy)]
        return [
            equal("the copy has the same slides, by title", list(was.titles), list(copy.titles), weight=2.0),
            equal("it has the same words", words[0], words[1], weight=1.0),
            equal("it has the same notes", notes[0], notes[1], weight=1.0),
            equal("it has tables, charts and pictures where they were", shapes[0], shapes[1], weight=1.0),
            equal("the same slides are hidden", hidden[0], hidden[1], weight=1.0),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [deck(("export", world.parameters["path"], "Impress MS PowerPoint 2007 XML"))]


class Properties(DeckTask):
    """Set the document properties."""

    name = "properties"
    template = (
        'Please fill in the properties of the open presentation (the tab "Description"): the title '
        '"{title}", the subject '
        '"{subject}", the keywords {told} and the comment "{comment}". Slides stay as they are. Save it.'
    )
    instances = {
        "archive": {"title": "Talk for the archive", "subject": "Talks 2024", "keywords": "archive,slides",
                    "comment": "Final version"},
        "website": {"title": "Slides for the website", "subject": "Public talks", "keywords": "web,public,free",
                    "comment": "May be shared"},
        "internal": {"title": "Internal copy", "subject": "Working papers", "keywords": "internal,draft",
                     "comment": "Do not send around"},
    }  # fmt: skip

    def words(self, world: World) -> Mapping[str, object]:
        listed = [f'"{keyword}"' for keyword in str(world.parameters["keywords"]).split(",")]
        return {"told": f"{', '.join(listed[:-1])} and {listed[-1]}"}

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        metadata = now.metadata
        keywords = str(world.parameters["keywords"]).split(",")
        return [
            equal("the title is set", world.parameters["title"], metadata.title, weight=1.0),
            equal("the subject is set", world.parameters["subject"], metadata.subject, weight=1.0),
            equal("the keywords are set", keywords, list(metadata.keywords), weight=1.0),
            equal("the comment is set", world.parameters["comment"], metadata.description, weight=1.0),
            equal("the author is the same", was.metadata.author, metadata.author, weight=0.0, integrity=True),
        ]

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        return [r"/metadata\.(?:title|subject|keywords|description)"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        given = world.parameters
        values = {"Title": given["title"], "Subject": given["subject"], "Description": given["comment"]}
        return done(("properties", {**values, "Keywords": str(given["keywords"]).split(",")}))


class AddComment(DeckTask):
    """Add a comment to a slide."""

    name = "add-comment"
    template = (
        'Please add a comment to the slide "{slide}" of the open presentation: "{text}". Comments that are there stay. '
        "Save it."
    )
    instances = {
        "figures": {"role": "figures", "text": "Where do these numbers come from?"},
        "photo": {"role": "photo", "text": "Do we have the right to show this?"},
        "goals": {"role": "goals", "text": "Too many for one slide"},
    }

    def words(self, world: World) -> Mapping[str, object]:
        return {"slide": part_of(world).name}

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        name = part_of(world).name
        comments = {
            slide.name: [comment.text.strip() for comment in slide.comments] for slide in now.slides if slide.comments
        }
        before = {slide.name: [comment.text for comment in slide.comments] for slide in was.slides if slide.comments}
        return [
            equal("the slide has the comment", [world.parameters["text"]], comments.get(name, []), weight=2.0),
            equal("it is signed by the one who works here", [talk_of(world).author],
                  [comment.author for comment in find_slide(now, name).comments], weight=1.0),
            equal("the other comments are there", before, {key: text for key, text in comments.items() if key != name},
                  weight=0.0, integrity=True),
        ]  # fmt: skip

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        return [on(part_of(world).name, r"comment.*")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return done(("comment", part_of(world).name, talk_of(world).author, world.parameters["text"]))


class SettleComment(DeckTask):
    """Carry out a comment's request and delete the comment."""

    name = "settle-comment"
    template = (
        "There is a comment on one slide of the open presentation that asks to shorten it. Please do that: "
        "delete the {which} "
        "bullet of that slide, then delete the comment. Everything else stays. Save the presentation."
    )
    instances = {
        "first": {"number": 0, "which": "first"},
        "second": {"number": 1, "which": "second"},
        "last": {"number": 3, "which": "last"},
    }

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        name, number = talk_of(world).part("risks").name, int(world.parameters["number"])
        old, new = find_slide(was, name), find_slide(now, name)
        lines = [[paragraph.text for shape in slide.shapes if shape.role == "outline" for paragraph in shape.paragraphs]
                 for slide in (old, new)]  # fmt: skip
        wanted = [text for at, text in enumerate(lines[0]) if at != number]
        return [
            equal("the bullet is gone, and only that", wanted, lines[1], weight=2.0),
            holds("the comment is gone", bool(new.name) and not new.comments, expected="no comment",
                  found=[comment.text for comment in new.comments], weight=1.0),
            equal("the title is as it was", old.title, new.title, weight=0.0, integrity=True),
        ]  # fmt: skip

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        """The comment, and the bullets from the deleted one on, which have the same format."""
        name, number = talk_of(world).part("risks").name, int(world.parameters["number"])
        return [
            on(name, r"comment.*"),
            on(name, r"shape\[outline\]\.paragraph\[3\].*"),
            on(name, rf"shape\[outline\]\.paragraph\[[{number}-3]\].*text"),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        part, number = talk_of(world).part("risks"), int(world.parameters["number"])
        remaining = [text for at, text in enumerate(part.lines) if at != number]
        shorter = ("write", part.name, "outline", "\n".join(remaining))
        return done(shorter, ("dispatch", ".uno:DeleteAllAnnotation", {}))


def _squeezed(text: str) -> str:
    return " ".join(text.split())


SCENARIOS = (ExportPdf(), ExportPptx(), Properties(), AddComment(), SettleComment())
