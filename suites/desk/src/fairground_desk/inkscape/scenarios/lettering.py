"""Scenarios about texts: content, fonts, new texts, and text converted to paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairground.core import Check
from fairground.verify import equal, holds
from fairground.verify.reading.svg import Drawing
from fairground.worlds import Enter, Move, Press
from fairground_desk.inkscape.actions import actions
from fairground_desk.inkscape.inspector import paint_words
from fairground_desk.inkscape.sheet import Sheet
from fairground_desk.inkscape.svgwriter import Named
from fairground_desk.inkscape.task import (
    PIXELS,
    Case,
    InkTask,
    listed,
    near,
    on,
    pick,
    rest_unchanged,
    set_attribute,
    set_property,
    still,
)

SAVE = " Change nothing else, and save the drawing under its own name."
_WORDS = ("text.text", "text.spans")


class Retitle(InkTask):
    """Change the title and subtitle, keeping their format."""

    name = "retitle"
    template = (
        "Change the wording of two texts: “{title}” must read “{first}”, and “{subtitle}” must read “{second}”. Their "
        "fonts, sizes, colours and places stay as they are." + SAVE
    )
    instances = {
        "autumn": {"first": "Autumn edition", "second": "Second version, checked"},
        "guests": {"first": "Welcome, guests!", "second": "What you see on this sheet"},
        "internal": {"first": "For internal use", "second": "Not to be printed before Friday"},
    }

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"title": sheet.title.label, "subtitle": sheet.subtitle.label}

    def verify(self, case: Case) -> Sequence[Check]:
        sheet = case.sheet
        pairs = ((sheet.title, str(case.wanted["first"])), (sheet.subtitle, str(case.wanted["second"])))
        named = [text_object for text_object, _ in pairs]
        return [
            *(
                equal(f"{text_object.label} says what it should", text, _says(case, text_object))
                for text_object, text in pairs
            ),
            *(_same_letters(case, text_object) for text_object in named),
            still(case, named, "they are where they were", but=_WORDS),
            rest_unchanged(case, free=[text_object.id for text_object in named]),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        return [*retype(sheet.title, str(wanted["first"])), *retype(sheet.subtitle, str(wanted["second"])), *leave()]


class NextYear(InkTask):
    """Change the year in three texts."""

    name = "next-year"
    template = (
        "The year {year} must become {new} wherever it stands in the drawing: it is in three texts, {texts}. All other "
        "words, line breaks, fonts and places stay as they are." + SAVE
    )
    instances = {"next": {"by": 1}, "after-next": {"by": 2}, "decade": {"by": 10}}

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"year": str(sheet.year), "new": str(sheet.year + int(wanted["by"])), "texts": listed(sheet.dated)}

    def verify(self, case: Case) -> Sequence[Check]:
        dated = case.sheet.dated
        expected = self._texts(case.sheet, case.before, case.wanted)
        return [
            *(
                equal(f"{text_object.label} has the new year", expected[text_object.id], _says(case, text_object))
                for text_object in dated
            ),
            *(_same_letters(case, text_object) for text_object in dated),
            still(case, dated, "they are where they were", but=_WORDS),
            rest_unchanged(case, free=[text_object.id for text_object in dated]),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        texts = self._texts(sheet, drawing, wanted)
        return [move for text_object in sheet.dated for move in retype(text_object, texts[text_object.id])] + leave()

    def _texts(self, sheet: Sheet, drawing: Drawing, wanted: Mapping[str, Any]) -> dict[str, str]:
        new = str(sheet.year + int(wanted["by"]))
        texts = {text_object.id: drawing[text_object.id].text for text_object in sheet.dated}
        return {name: text.text.replace(str(sheet.year), new) for name, text in texts.items() if text}


class TitleFont(InkTask):
    """Change the font, size and colour of the title."""

    name = "title-font"
    template = (
        "Set the title, the text “{title}”, in the font {family}, {style}, {size} mm high (that is its font size: "
        "{points} pt) and in the colour {color}. What it says stays the same." + SAVE
    )
    instances = {
        "serif": {"family": "DejaVu Serif", "style": "italic, not bold", "weight": 400, "slant": "italic", "size": 9,
                  "points": 25.51, "color": "#263238"},
        "mono": {"family": "DejaVu Sans Mono", "style": "normal, not bold", "weight": 400, "slant": "normal",
                 "size": 7.5, "points": 21.26, "color": "#b71c1c"},
        "roman": {"family": "Liberation Serif", "style": "bold and italic", "weight": 700, "slant": "italic",
                  "size": 12.5, "points": 35.43, "color": "#1a237e"},
    }  # fmt: skip

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"title": sheet.title.label}

    def verify(self, case: Case) -> Sequence[Check]:
        title, wanted = case.sheet.title, case.wanted
        text = case.now(title).text
        spans = text.spans if text else ()
        colors = {paint_words(span.fill) for span in spans}
        weights = {(span.weight, span.slant.replace("oblique", "italic")) for span in spans}
        return [
            equal("the font is the one asked for", [str(wanted["family"])], sorted({span.family for span in spans})),
            equal("bold and italic are as asked", [(wanted["weight"], wanted["slant"])], sorted(weights)),
            holds("the letters are as large as asked", bool(spans) and all(
                near(span.size, wanted["size"], 0.06) for span in spans), expected=wanted["size"],
                found=[span.size for span in spans]),
            equal("the colour is as asked", [str(wanted["color"])], sorted(colors)),
            equal("it says the same", _said(case, title), _says(case, title), weight=0, integrity=True),
            still(case, (title,), "it is where it was", but=("text", "style")),
            rest_unchanged(case, free=(title.id,)),
        ]  # fmt: skip

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        style = {
            "font-family": f'"{wanted["family"]}"',
            "font-size": f"{wanted['size']}px",
            "font-weight": "bold" if wanted["weight"] == 700 else "normal",
            "font-style": str(wanted["slant"]),
            "fill": str(wanted["color"]),
        }
        return [on(sheet.title, do=[set_property(name, value) for name, value in style.items()])]


class BoldCaptions(InkTask):
    """Make captions bold, larger and coloured."""

    name = "bold-captions"
    template = (
        "Make the texts {captions} bold, with a font size of {size} mm ({points} pt) and in the colour {color}. What "
        "they say stays the same." + SAVE
    )
    instances = {
        "red": {"captions": "0 2", "size": 5, "points": 14.17, "color": "#c62828"},
        "blue": {"captions": "3 4 6", "size": 3, "points": 8.5, "color": "#1565c0"},
        "brown": {"captions": "1 -1", "size": 4.5, "points": 12.76, "color": "#4e342e"},
    }

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"captions": listed(pick(sheet.captions, wanted["captions"]))}

    def verify(self, case: Case) -> Sequence[Check]:
        captions, wanted = pick(case.sheet.captions, case.wanted["captions"]), case.wanted
        spans = {caption.label: text.spans if (text := case.now(caption).text) else () for caption in captions}
        every = [span for line in spans.values() for span in line]
        complete = all(spans.values())
        return [
            holds("all are bold", complete and all(span.weight == 700 for span in every), expected=700,
                  found=[span.weight for span in every]),
            holds("all are as large as asked",
                  complete and all(near(span.size, wanted["size"], 0.06) for span in every),
                  expected=wanted["size"], found=[span.size for span in every]),
            equal("all have the colour", [str(wanted["color"])], sorted({paint_words(span.fill) for span in every})),
            equal("they say the same", [_said(case, caption) for caption in captions],
                  [_says(case, caption) for caption in captions], weight=0, integrity=True),
            still(case, captions, "all else is as before", but=("text.spans", "text.position", "style.fill")),
            rest_unchanged(case, free=[caption.id for caption in captions]),
        ]  # fmt: skip

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        style = {"font-weight": "bold", "font-size": f"{wanted['size']}px", "fill": str(wanted["color"])}
        steps = [set_property(name, value) for name, value in style.items()]
        return [on(*pick(sheet.captions, wanted["captions"]), do=steps)]


class TextToShapes(InkTask):
    """Convert a text to paths, for a printer that lacks the font."""

    name = "text-to-shapes"
    template = (
        "The printer does not have our font: turn the text “{text}” into outlines (paths), so that it looks the same "
        "and is no text any more. All other texts stay texts. What comes out of it keeps the label “{text}”." + SAVE
    )
    instances = {"title": {"role": "title"}, "subtitle": {"role": "subtitle"}, "imprint": {"role": "imprint"}}

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"text": self._text(sheet, wanted).label}

    def verify(self, case: Case) -> Sequence[Check]:
        """Check that there are as many paths as letters at the position of the text."""
        named = self._text(case.sheet, case.wanted)
        was = case.was(named)
        assert was.text is not None
        outlines = [part for part in case.after.objects if part.label == named.label and part.kind in ("group", "path")]
        outline = outlines[0] if len(outlines) == 1 else None
        inside = case.after.inside(outline.id) if outline and outline.kind == "group" else outlines
        shapes = [part for part in inside if part.kind == "path"]
        letters = sum(not letter.isspace() for letter in was.text.text)
        joined = sum(was.text.text.count(pair) for pair in ("fi", "fl", "ff"))  # fonts draw these as one shape
        # One path that combines all letters is also accepted.
        count = min(outline.shape.subpaths, letters) if outline and outline.shape else len(shapes)
        x, y = was.text.position
        size = was.text.spans[0].size
        box = outline.box if outline else None
        inked = {paint_words(part.style.fill) for part in shapes}
        texts = [part.label for part in case.after.objects if part.text]
        return [
            equal("one thing with that label is no text", 1, len(outlines)),
            holds("there are as many outlines as letters", letters - joined <= count <= letters, expected=letters,
                  found=count),
            holds("they are where the text was", box is not None and abs(box.x - x) < size
                  and y - 1.2 * size < box.y < y and box.bottom < y + 0.5 * size, expected=[x, y],
                  found=box and [box.x, box.y, box.width, box.height]),
            equal("they have its colour", [paint_words(was.style.fill)], sorted(inked)),
            equal("all other texts are texts", [part.label for part in case.before.objects if part.text
                  and part.id != named.id], texts, weight=0, integrity=True),
            equal("it is on the same layer", was.layer, outline.layer if outline else was.layer, weight=0,
                  integrity=True),
            rest_unchanged(case, free=[named.id, *(part.id for part in (*outlines, *inside))]),
        ]  # fmt: skip

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        return [on(self._text(sheet, wanted), do=["app.object-to-path"])]

    def _text(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Named:
        role = str(wanted["role"])
        named = sheet.dated[-1] if role == "imprint" else getattr(sheet, role)
        assert isinstance(named, Named)
        return named


class AddRemark(InkTask):
    """Add a text at an exact position."""

    name = "add-remark"
    template = (
        "On the layer “{layer}”, add a text that reads “{text}”: left-aligned, font size {size} mm ({points} pt), "
        "colour {color}, starting {x} mm from the left edge of the page, with its baseline {y} mm below the upper "
        "edge. Label it “{label}” in the list of objects." + SAVE
    )
    instances = {
        "proof": {"text": "Proof, not for sale", "size": 6, "points": 17.01, "color": "#b71c1c", "x": 80, "y": 55,
                  "label": "Proof mark"},
        "contact": {"text": "Questions: room 4", "size": 4.5, "points": 12.76, "color": "#00695c", "x": 120, "y": 190,
                    "label": "Contact line"},
        "version": {"text": "v2 (checked)", "size": 3.5, "points": 9.92, "color": "#4527a0", "x": 150, "y": 30.5,
                    "label": "Version"},
    }  # fmt: skip

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"layer": sheet.layers.labels.label}

    def verify(self, case: Case) -> Sequence[Check]:
        wanted = case.wanted
        new = case.new[0] if len(case.new) == 1 else None
        text = new.text if new else None
        spans = text.spans if text else ()
        x, y = text.position if text else (-1.0, -1.0)
        return [
            equal("one new text", ["text"], [item.kind for item in case.new]),
            equal("it reads as asked", str(wanted["text"]), text.text if text else None),
            holds("it is as large as asked",
                  bool(spans) and all(near(span.size, wanted["size"], 0.06) for span in spans),
                  expected=wanted["size"], found=[span.size for span in spans]),
            equal("its colour is as asked", [str(wanted["color"])], sorted({paint_words(span.fill) for span in spans})),
            holds("it starts at the place", text is not None and text.anchor == "start" and near(x, wanted["x"], 0.1)
                  and near(y, wanted["y"], 0.1), expected=[wanted["x"], wanted["y"]], found=[x, y]),
            equal("its label is as asked", str(wanted["label"]), new.label if new else None),
            equal("it is on the layer", case.sheet.layers.labels.id, new.layer if new else None),
            rest_unchanged(case, free=[item.id for item in case.new]),
        ]  # fmt: skip

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        """Duplicate the subtitle, whose position is known, and change the copy."""
        text = drawing[sheet.subtitle.id].text
        assert text is not None
        right, below = wanted["x"] - text.position[0], wanted["y"] - text.position[1]
        style = {"font-size": f"{wanted['size']}px", "fill": str(wanted["color"])}
        return [
            on(
                sheet.subtitle,
                do=[
                    "app.duplicate",
                    set_attribute("inkscape:label", str(wanted["label"])),
                    *(set_property(name, value) for name, value in style.items()),
                    ("app.transform-translate", f"{right * PIXELS},{below * PIXELS}"),
                    ("win.tool-switch", "Text"),
                ],
            ),
            *type_over(str(wanted["text"])),
            *leave(),
        ]


def retype(named: Named, text: str) -> list[Move]:
    """Replace the content of a text with the text tool."""
    return [on(named, do=[("win.tool-switch", "Text")]), *type_over(text)]


def type_over(text: str) -> list[Move]:
    """Replace the content of the selected text; the text tool must be active."""
    return [Press("Return"), Press("ctrl+a"), Enter(text)]


def leave() -> list[Move]:
    """Leave the text tool."""
    return [actions(("win.tool-switch", "Select"))]


def _said(case: Case, one: Named) -> str:
    text = case.was(one).text
    return text.text if text else ""


def _says(case: Case, one: Named) -> str:
    text = case.now(one).text
    return text.text if text else ""


def _same_letters(case: Case, one: Named) -> Check:
    """Guard: a text has a single format, the same as before."""
    looks = []
    for text in (case.was(one).text, case.now(one).text):
        spans = text.spans if text else ()
        looks.append(
            sorted({(span.family, round(span.size, 2), span.weight, span.slant, span.fill.color) for span in spans})
        )
    return equal(f"{one.label} looks the same", looks[0], looks[1], weight=0, integrity=True)


SCENARIOS = (Retitle(), NextYear(), TitleFont(), BoldCaptions(), TextToShapes(), AddRemark())
