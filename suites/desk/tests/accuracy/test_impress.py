"""Impress: what it says of its saved presentations and what is read from them, in ODP and PPTX."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from fairground.core import State
from fairground.verify.reading.odp import read_odp
from fairground.verify.reading.pptx import read_pptx
from fairground.verify.reading.prose import Paragraph, Shape
from fairground.verify.reading.slides import Deck, Slide
from fairground_desk.impress.inspector import INSPECTOR

from .agreement import Tally
from .drawing import Draw
from .office import Office

READERS = {"odp": read_odp, "pptx": read_pptx}
FORMS = ("right-arrow", "smiley", "rectangle", "hexagon")
LOOKS: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("CharWeight", (150.0, 100.0)),
    ("CharWeightComplex", (150.0,)),
    ("CharPosture", ("ITALIC", "NONE")),
    ("CharUnderline", (0, 1)),
    ("CharColor", (0xC00000, 0x00A933, 0x000000)),
    ("CharHeight", (6.0, 10.5, 17.0, 96.0)),
    ("CharFontName", ("Liberation Mono", "DejaVu Sans")),
)

pytestmark = pytest.mark.slow  # tests/verify/reading has an example of each format


@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param(range(1), id="few"),
        pytest.param(range(1, 40), id="many", marks=pytest.mark.timeout(900)),
    ],
)
def test_impress_and_the_reader_agree_on_saved_presentations(office: Office, numbers: Iterable[int]) -> None:
    tally = Tally()
    for number in numbers:
        for kind, (data, said) in office.make("impress", recipe(Draw(2000 + number))).items():
            deck = READERS[kind](data)
            tally.compare(f"presentation {number} as {kind.upper()}", said, told(deck, kind))
            _endpoints_agree(data, deck, kind)
    print(tally)
    assert tally.properties > 50 * tally.documents


def recipe(draw: Draw) -> dict[str, Any]:
    """A presentation, drawn."""
    return {
        "slides": [_slide(draw, number) for number in range(draw.randint(1, 4))],
        "endless": draw.likely(0.5),
        "title": draw.text(),
        "subject": draw.text(),
        "author": draw.choice(("Ada", "Ødegård & Søn <x>", "")),
    }


def _slide(draw: Draw, number: int) -> dict[str, Any]:
    return {
        # Of a first slide without a layout, Impress says that it is a title slide.
        "layout": draw.choice((0, 1, 3, 19, 20) if number else (0, 1, 3, 19)),
        "name": draw.choice((f"Part {number}", f"a&b <{number}>", f"日本 😀 {number}", f"עברית {number}")),
        "filled": [draw.text() if draw.likely(0.7) else "" for _ in range(3)],
        "shapes": [_shape(draw, f"shape {place}") for place in range(draw.randint(0, 5))],
        "visible": draw.likely(0.8),
        "transition": draw.choice((None, (37, 101, 1.5), (1, 1, 0.5), (36, 97, 2.0), (35, 98, 0.75))),
        "advance": draw.choice((0, 0, 5, 90)),
        "footer": draw.choice((None, None, "Confidential", "a&b <c> 😀")),
        "numbered": draw.likely(0.3),
        "background": draw.colour() if draw.likely(0.3) else None,
        "notes": draw.choice(("", draw.text(), f"{draw.text()}\n{draw.text()}")),
    }


def _shape(draw: Draw, name: str, *, inner: bool = False) -> dict[str, Any]:
    kinds = ["RectangleShape", "EllipseShape", "TextShape", "LineShape", "CustomShape"]
    kind = draw.choice(kinds if inner else [*kinds, "TableShape", "GroupShape"])
    box = [draw.randint(0, 20000), draw.randint(0, 12000), draw.randint(800, 6000), draw.randint(800, 3000)]
    written = kind not in ("LineShape", "TableShape", "GroupShape") and draw.likely(0.7)
    return {
        "kind": kind,
        "name": name if draw.likely(0.5) else f"{name} & <{draw.choice('abc')}> 😀",
        "box": box,
        "form": draw.choice(FORMS),
        "alt_title": draw.choice(("", "a&b <c>")),
        "alt": draw.text() if draw.likely(0.3) else "",
        "fill": draw.choice((None, ("SOLID", draw.colour()), ("NONE", 0))),
        "line": draw.choice((None, ("SOLID", draw.colour(), draw.choice((0, 100, 250))), ("NONE", 0, 0))),
        "turned": draw.choice((0, 0, 30, 90, 200)) if kind in ("RectangleShape", "EllipseShape") and not inner else 0,
        "paragraphs": [_paragraph(draw) for _ in range(draw.randint(1, 3))] if written else [],
        "texts": [[draw.text() for _ in range(2)] for _ in range(draw.randint(1, 3))],
        "children": [_shape(draw, f"{name}.{n}", inner=True) for n in range(2)] if kind == "GroupShape" else [],
    }


def _paragraph(draw: Draw) -> tuple[str, dict[str, Any], str]:
    looks = {name: draw.choice(values) for name, values in LOOKS if draw.likely(0.2)}
    return draw.text(), looks, draw.choice(("LEFT", "RIGHT", "CENTER", "BLOCK"))


# What was read, in the words of the account.


def told(deck: Deck, kind: str) -> dict[str, Any]:
    """All that is compared of a presentation."""
    about = deck.metadata
    return {
        "slides": [_told_slide(slide, kind) for slide in deck.slides],
        "size_mm": [deck.width, deck.height],
        "endless": deck.show.endless,
        "about": {"title": about.title, "subject": about.subject, "author": about.author},
    }


def _told_slide(slide: Slide, kind: str) -> dict[str, Any]:
    found = {
        "visible": not slide.hidden,
        "shapes": [_told_shape(shape, kind) for shape in slide.shapes],
        "notes": slide.notes_text,
        "background": slide.background.fill,
        "moving": bool(slide.transition.kind),
        "advance": slide.transition.advance,
        "footer": slide.footer,
        "numbered": slide.numbered,
    }
    if kind == "odp":
        found["name"] = slide.name
        found["layout"] = slide.layout
        found["seconds"] = slide.transition.duration
        found["transition"] = [slide.transition.kind, slide.transition.subtype]
    return found


def _told_shape(shape: Shape, kind: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": shape.name,
        "kind": "rectangle" if kind == "pptx" and shape.kind == "text" and not shape.role else shape.kind,
        "role": shape.role,
        "empty": shape.placeholder,
        "box_mm": [shape.x, shape.y, shape.width, shape.height],
        "turned": shape.rotation,
        "alt_title": shape.alt_title,
        "alt": shape.alt,
    }
    if shape.kind == "table" or (shape.role and not shape.placeholder):
        del found["box_mm"]
    if shape.kind == "group":
        found["children"] = [_told_shape(child, kind) for child in shape.children]
    elif shape.table is not None:
        found["texts"] = shape.table.grid
    else:
        found["fill"] = shape.fill if shape.kind != "line" else None
        found["line"] = shape.line
        found["line_mm"] = shape.line_width
        found["paragraphs"] = [_told_paragraph(one) for one in shape.paragraphs]
    return found


def _told_paragraph(paragraph: Paragraph) -> dict[str, Any]:
    runs: list[list[Any]] = []
    for run in paragraph.runs:
        look = {name: getattr(run, name) for name in ("bold", "italic", "underline", "colour", "size", "font")}
        if runs and runs[-1][1] == look:
            runs[-1][0] += run.text
        else:
            runs.append([run.text, look])
    return {"alignment": paragraph.alignment, "runs": runs}


def _endpoints_agree(data: bytes, deck: Deck, kind: str) -> None:
    """The inspector's endpoints say what the reader says, through JSON."""
    path = f"~/Documents/made.{kind}"
    state = State(files={path: data}, data={})
    assert INSPECTOR.ask(state, "titles", {"path": path}) == list(deck.titles)
    for slide in deck.slides:
        asked = INSPECTOR.ask(state, "notes", {"path": path, "slide": slide.name})
        assert asked == [one.text for one in slide.notes]
