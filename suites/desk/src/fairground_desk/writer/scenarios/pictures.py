"""Scenarios about pictures: inserting one, and setting alternative text and size."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from fairground.core import Check, State
from fairground.verify import equal, holds
from fairground.verify.reading.document import Document
from fairground.verify.reading.prose import Paragraph
from fairground.worlds import Move, Press, World
from fairground_desk.tasks import save
from fairground_desk.writer.api import writer
from fairground_desk.writer.documents import PICTURES, REPORT
from fairground_desk.writer.reading import block_of, document_of, nothing_else, without_blocks
from fairground_desk.writer.task import WriterTask


class PlacePicture(WriterTask):
    """Insert a picture from the pictures folder into the report."""

    name = "place-picture"
    document = REPORT
    template = (
        "Insert the picture {file} from the folder Pictures into the part “{part}” of this report, anywhere below that "
        "heading and above the next one. It is {width:g} cm wide and keeps its proportions; its alternative text is "
        "“{alt}”. It is to be a part of the document and no link to the file. Leave the other pictures and all text as "
        "they are, and save the document."
    )
    instances = {
        "spending": {"file": "spending.png", "part": "Finances", "width": 8.0, "alt": "What each programme spent"},
        "people": {"file": "people.png", "part": "The year in brief", "width": 7.0, "alt": "People reached"},
        "logo": {"file": "logo.png", "part": "Thanks", "width": 3.0, "alt": "Our logo"},
        "visit": {"file": "old/visit.png", "part": "Outlook", "width": 6.0, "alt": "A visit some years ago"},
    }

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Check for one new picture: bytes, size, alternative text and position."""
        was, now = document_of(before, self.document), document_of(after, self.document)
        wanted = world.parameters
        digest = hashlib.sha256(before.file(f"{PICTURES}/{wanted['file']}")).hexdigest()
        names = {picture.name for picture in was.images}
        added = [picture for picture in now.images if picture.name not in names]
        image = added[0] if len(added) == 1 else None
        wide, high = _size(before.file(f"{PICTURES}/{wanted['file']}"))
        width = float(wanted["width"]) * 10
        height = width * high / wide
        begin = block_of(now, str(wanted["part"]))
        after_it = [n for n, b in enumerate(now.body) if n > begin and isinstance(b, Paragraph) and b.heading == 1]
        end = after_it[0] if after_it else len(now.body)
        empty = [n for n in range(begin + 1, end) if getattr(now.body[n], "text", "x") == ""]
        blank = [n for n in empty if not any(s.paragraph == n for s in now.shapes if s.name in names)]
        rest = replace(now, shapes=tuple(shape for shape in now.shapes if shape.name in names))
        return [
            equal("there is one picture more", len(was.images) + 1, len(now.images)),
            holds(
                "it is the one from the folder",
                image is not None and image.picture is not None and image.picture.digest == digest,
                expected=digest[:12],
                found=image.picture.digest[:12] if image and image.picture else None,
                weight=2.0,
            ),
            holds(
                "it is as wide as asked",
                image is not None and abs(image.width - width) < 0.6,
                expected=width,
                found=image.width if image else None,
            ),
            holds(
                "it keeps its proportions",
                image is not None and abs(image.height - height) < 1.0,
                expected=height,
                found=image.height if image else None,
            ),
            holds(
                "it is described",
                image is not None and str(wanted["alt"]) in (image.alt_title.strip(), image.alt.strip()),
                expected=wanted["alt"],
                found=[image.alt_title, image.alt] if image else None,
            ),
            holds(
                "it stands in that part",
                image is not None and begin <= image.paragraph < end,
                expected=[begin, end],
                found=image.paragraph if image else None,
            ),
            nothing_else("nothing else changed", was, without_blocks(rest, blank)),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Insert it below the heading with the menu command, then set its properties."""
        wanted = world.parameters
        number = block_of(self.before(before), str(wanted["part"])) + 1
        size = {"width": round(float(wanted["width"]) * 1000), "Title": wanted["alt"]}
        return [
            Press("escape"),
            writer(("place", number, True), ("insert-picture", f"{PICTURES}/{wanted['file']}"), ("picture", "", size)),
            Press("escape"),
            Press("ctrl+Home"),
            save(),
        ]


class DescribePictures(WriterTask):
    """Set the alternative text or the size of the report's pictures."""

    name = "describe-pictures"
    document = REPORT
    template = (
        "This report has two pictures, “Picture 1” and “Picture 2”. {words} Everything else about them, and the rest "
        "of the report, stays as it is. Save the document."
    )
    instances = {
        "first": {
            "words": "Give the first one the alternative text “Hills in the morning”.",
            "one": "Hills in the morning",
            "two": "",
        },
        "second": {
            "words": "Give the second one the alternative text “Hills in the evening”.",
            "one": "",
            "two": "Hills in the evening",
        },
        "both": {
            "words": "Give the first one the alternative text “Early light”, and the second one “Late light”.",
            "one": "Early light",
            "two": "Late light",
        },
        "smaller": {
            "words": "Make both of them 6.4 cm wide and 4 cm high, with “Ridge” as the alternative text of the first.",
            "one": "Ridge",
            "two": "",
            "width": 64.0,
            "height": 40.0,
        },
    }

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        wanted = world.parameters
        checks = []
        allowed = []
        images = {picture.name: picture for picture in now.images}
        for name, key in (("Picture 1", "one"), ("Picture 2", "two")):
            image, text = images.get(name), str(wanted[key])
            if text:
                descriptions = [image.alt_title.strip(), image.alt.strip()] if image else []
                checks += [
                    holds(f"{name} is described", text in descriptions, expected=text, found=descriptions, weight=2.0),
                    holds(
                        f"{name} is described by nothing else",
                        text in descriptions and set(descriptions) <= {text, ""},
                        expected=[text],
                        found=descriptions,
                    ),
                    holds(
                        f"{name} is still the picture that it was",
                        text in descriptions
                        and image is not None
                        and image.picture == next(old.picture for old in was.images if old.name == name),
                        expected="the same picture",
                        found=image.picture if image else None,
                    ),
                ]
                allowed += [f"shape[{name}].alt", f"shape[{name}].alt_title"]
            if "width" in wanted:
                for side in ("width", "height"):
                    size = getattr(image, side, 0.0)
                    checks.append(
                        holds(
                            f"the {side} of {name} is right",
                            abs(size - float(wanted[side])) < 0.6,
                            expected=wanted[side],
                            found=size,
                        )
                    )
                    allowed.append(f"shape[{name}].{side}")
        return [
            *checks,
            equal(
                "the pictures are the same ones",
                [image.picture for image in was.images],
                [image.picture for image in now.images],
                weight=0.0,
                integrity=True,
            ),
            equal(
                "no text changed",
                [paragraph.text for paragraph in was.all_paragraphs],
                [paragraph.text for paragraph in now.all_paragraphs],
                weight=0.0,
                integrity=True,
            ),
            nothing_else("nothing else changed", was, now, allowed),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = world.parameters
        calls: list[tuple[object, ...]] = []
        for name, key in (("Picture 1", "one"), ("Picture 2", "two")):
            given: dict[str, object] = {"Title": wanted[key]} if wanted[key] else {}
            if "width" in wanted:
                given |= {"width": round(float(wanted["width"]) * 100), "height": round(float(wanted["height"]) * 100)}
            if given:
                calls.append(("picture", name, given))
        return [Press("escape"), writer(*calls), save()]


def _size(png: bytes) -> tuple[int, int]:
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


SCENARIOS = (PlacePicture(), DescribePictures())
