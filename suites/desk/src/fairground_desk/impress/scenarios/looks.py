"""Scenarios about backgrounds, footers, slide size, and the colours, size and position of shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairground.core import Check, State
from fairground.verify import equal, holds
from fairground.verify.reading.prose import Shape
from fairground.verify.reading.slides import Deck
from fairground.worlds import Move, World
from fairground_desk.impress.task import (
    DeckTask,
    about,
    added_shapes,
    done,
    find_shape,
    find_slide,
    on,
    part_of,
    talk_of,
)


class MasterBackground(DeckTask):
    """Set one background colour for all slides."""

    name = "master-background"
    template = (
        "Please give all slides of the open presentation another background at once, by changing the background of "
        'the master slide "Default" to the plain colour {shown} (hex {hex}). No slide should get a background of its '
        "own. Save it."
    )
    instances = {
        "light-yellow": {"shown": "light yellow", "hex": "FFFFD7"},
        "light-green": {"shown": "light green", "hex": "DDE8CB"},
        "light-blue": {"shown": "light blue", "hex": "DEE6EF"},
    }

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        fills = [master.background.fill for master in now.masters]
        own = [slide.name for slide in now.slides if slide.background.fill]
        return [
            equal("the master has the colour", [f"#{str(world.parameters['hex']).lower()}"], fills, weight=2.0),
            equal("no slide has a background of its own", [], own, weight=0.0, integrity=True),
            equal("the master is the same one", [master.name for master in was.masters],
                  [master.name for master in now.masters], weight=0.0, integrity=True),
        ]  # fmt: skip

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        return [r"/master\[[^\]]+\]\.background.*"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return done(("set_master", int(str(world.parameters["hex"]), 16)))


class SlideBackground(DeckTask):
    """Set the background colour of one slide."""

    name = "slide-background"
    template = (
        'Please make the slide "{slide}" stand out: set its background (of this slide only, not of the master) to the '
        "plain colour with the hex value {hex}. Save the presentation."
    )
    instances = {
        "goals": {"role": "goals", "hex": "FFF5CE"},
        "closing": {"role": "closing", "hex": "E0C2CD"},
        "opening": {"role": "opening", "hex": "B4C7DC"},
        "figures": {"role": "figures", "hex": "F6F9D4"},
    }

    def words(self, world: World) -> Mapping[str, object]:
        return {"slide": part_of(world).name}

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        name = part_of(world).name
        coloured = {slide.name: slide.background.fill for slide in now.slides if slide.background.fill}
        return [
            equal("the slide has the colour", f"#{str(world.parameters['hex']).lower()}", coloured.get(name, ""),
                  weight=2.0),
            equal("it is the only one", [name], list(coloured), weight=1.0),
            equal("the master keeps its own", [master.background.fill for master in was.masters],
                  [master.background.fill for master in now.masters], weight=0.0, integrity=True),
        ]  # fmt: skip

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        return [on(part_of(world).name, "background.*")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return done(("set_ground", part_of(world).name, int(str(world.parameters["hex"]), 16)))


class Footers(DeckTask):
    """Show a footer and slide numbers on all slides except the first."""

    name = "footers"
    template = (
        "Please show {what} on every slide of the open presentation except the first one (slides that are hidden in "
        "the show get it too). Save it."
    )
    instances = {
        "footer-and-number": {"footer": True, "number": True, "text": ""},
        "number-only": {"footer": False, "number": True, "text": ""},
        "confidential": {"footer": True, "number": False, "text": "Confidential"},
        "draft": {"footer": True, "number": True, "text": "Draft, please do not share"},
    }

    def _text(self, world: World) -> str:
        return (str(world.parameters["text"]) or talk_of(world).footer) if world.parameters["footer"] else ""

    def words(self, world: World) -> Mapping[str, object]:
        parts = []
        if text := self._text(world):
            parts.append(f'the footer "{text}"')
        if world.parameters["number"]:
            parts.append("the slide number")
        return {"what": " and ".join(parts)}

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        text, number = self._text(world), bool(world.parameters["number"])
        first, rest = now.slides[:1], now.slides[1:]
        count = len(was.slides) - 1
        return [
            equal("the other slides have the footer", count, sum(slide.footer == text for slide in rest),
                  weight=1.0 if text else 0.0),
            equal("the other slides have numbers, or not", count, sum(slide.numbered == number for slide in rest),
                  weight=1.0 if number else 0.0),
            equal("the first slide has neither", [("", False)], [(slide.footer, slide.numbered) for slide in first],
                  weight=0.0),
            equal("no slide has a date", 0, sum(bool(slide.date) for slide in now.slides), weight=0.0),
        ]  # fmt: skip

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        return [r"[^/]+/(?:footer|numbered)"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        values: dict[str, object] = {}
        if text := self._text(world):
            values |= {"IsFooterVisible": True, "FooterText": text}
        if world.parameters["number"]:
            values["IsPageNumberVisible"] = True
        return done(("set_slides", values, [talk_of(world).parts[0].name]))


class SlideSize(DeckTask):
    """Change the slide size for another projector."""

    name = "slide-size"
    template = (
        "The projector there is an old one. Please change the slide format of the open presentation to {shown}, "
        "landscape ({width} mm wide, {height} mm high), for all slides. What is on the slides stays, though "
        "its size and "
        "place may adapt. Save it."
    )
    instances = {
        "screen-4-3": {"shown": "Screen 4:3", "width": 280.0, "height": 210.0},
        "screen-16-10": {"shown": "Screen 16:10", "width": 280.0, "height": 175.0},
        "a4": {"shown": "A4", "width": 297.0, "height": 210.0},
    }

    def words(self, world: World) -> Mapping[str, object]:
        return {name: f"{world.parameters[name]:g}" for name in ("width", "height")}

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        size = (now.width, now.height)
        wanted = [float(world.parameters[name]) for name in ("width", "height")]
        fits = [abs(actual - target) <= 0.5 for actual, target in zip(size, wanted, strict=True)]
        return [
            holds("slides have the size", all(fits), expected=wanted,
                  found=size, weight=3.0),
            equal("the words on slides are the same", [slide.text for slide in was.slides],
                  [slide.text for slide in now.slides], weight=0.0, integrity=True),
            equal("the slides have as many shapes", [len(slide.shapes) for slide in was.slides],
                  [len(slide.shapes) for slide in now.slides], weight=0.0, integrity=True),
        ]  # fmt: skip

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        """The size, and the leaves that depend on it."""
        adapts = r"\.(?:x|y|width|height|size|left|first_line|above|below|right|line_width|shares|tabs)"
        return [r"/(?:width|height)", rf"/master.*{adapts}", rf"[^/]+/(?:shape|note).*{adapts}"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return done(
            ("set_size", round(float(world.parameters["width"]) * 100), round(float(world.parameters["height"]) * 100))
        )


class ShapeColours(DeckTask):
    """Set the fill and outline colours of a box."""

    name = "shape-colours"
    template = (
        'On the slide "{slide}" of the open presentation, please fill the box "{box}" with the plain colour {fill} '
        "(hex) and make its outline {line} (hex). Its text, size and place stay as they are, and so do the "
        "other boxes. Save it."
    )
    instances = {
        "first": {"number": 1, "fill": "FFBF00", "line": "000000"},
        "middle": {"number": 2, "fill": "158466", "line": "FFFF00"},
        "last": {"number": 3, "fill": "780373", "line": "2A6099"},
    }

    def words(self, world: World) -> Mapping[str, object]:
        part = talk_of(world).part("process")
        return {"slide": part.name, "box": part.lines[int(world.parameters["number"]) - 1]}

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        name, box = _box(world)
        old, new = find_slide(was, name), find_slide(now, name)
        shape = find_shape(new, box)
        colours = [
            [(shape.name, shape.fill, shape.line) for shape in slide.shapes if shape.name != box]
            for slide in (old, new)
        ]
        return [
            equal("the box has the fill", f"#{str(world.parameters['fill']).lower()}", shape.fill, weight=1.5),
            equal("the box has the outline", f"#{str(world.parameters['line']).lower()}", shape.line, weight=1.5),
            equal("its text is the same", find_shape(old, box).text, shape.text, weight=0.0, integrity=True),
            equal("the others keep their colours", colours[0], colours[1], weight=0.0, integrity=True),
        ]

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        name, box = _box(world)
        return [on(name, rf"shape\[{box}\]\.(?:fill|line)")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        colours = {"FillColor": world.parameters["fill"], "LineColor": world.parameters["line"]}
        return done(("set_shape", *_box(world), {key: int(str(value), 16) for key, value in colours.items()}))


class ShapePlace(DeckTask):
    """Set the size and position of a box."""

    name = "shape-place"
    template = (
        'On the slide "{slide}" of the open presentation, please make the box "{box}" {width} cm wide and {height} cm '
        "high, and put its top left corner at X {x} cm, Y {y} cm. Nothing else should move. Save it."
    )
    instances = {
        "first": {"number": 1, "x": 1.5, "y": 10.0, "width": 7.0, "height": 3.5},
        "middle": {"number": 2, "x": 11.0, "y": 4.5, "width": 6.0, "height": 2.0},
        "last": {"number": 3, "x": 19.0, "y": 11.0, "width": 8.0, "height": 4.0},
    }

    def words(self, world: World) -> Mapping[str, object]:
        part = talk_of(world).part("process")
        sizes = {key: f"{world.parameters[key]:g}" for key in ("x", "y", "width", "height")}
        return {"slide": part.name, "box": part.lines[int(world.parameters["number"]) - 1], **sizes}

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        name, box = _box(world)
        shape = find_shape(find_slide(now, name), box)
        wanted = {key: float(world.parameters[key]) * 10 for key in ("x", "y", "width", "height")}
        boxes = [_others(find_slide(deck, name).shapes, box) for deck in (was, now)]
        return [
            about("the box lies where asked", {key: wanted[key] for key in ("x", "y")}, shape, weight=1.5),
            about("the box is as large as asked", {key: wanted[key] for key in ("width", "height")}, shape, weight=1.5),
            equal("it is not turned", 0.0, shape.rotation, weight=0.0),
            equal("the other shapes stay where they are", boxes[0], boxes[1], weight=0.0, integrity=True),
        ]

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        name, box = _box(world)
        return [on(name, rf"shape\[{box}\]\.(?:x|y|width|height)")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        sizes = (round(float(world.parameters[key]) * 1000) for key in ("x", "y", "width", "height"))
        return done(("place", *_box(world), *sizes))


class AddShape(DeckTask):
    """Add a rectangle with text."""

    name = "add-shape"
    template = (
        'Please draw a rectangle on the slide "{slide}" of the open presentation: {width} cm wide, {height} cm high, '
        'its top left corner at X {x} cm, Y {y} cm, filled with the plain colour {fill} (hex), with the text "{text}" '
        "in it. Save it."
    )
    instances = {
        "new": {"role": "goals", "x": 20.0, "y": 11.0, "width": 6.0, "height": 2.5, "fill": "FFD428", "text": "New"},
        "vote": {"role": "compare", "x": 9.0, "y": 12.0, "width": 10.0, "height": 2.0, "fill": "81D41A",
                 "text": "Your choice"},
        "alert": {"role": "risks", "x": 18.5, "y": 12.5, "width": 8.0, "height": 2.0, "fill": "FF8000",
                  "text": "Please read"},
    }  # fmt: skip

    def words(self, world: World) -> Mapping[str, object]:
        sizes = {key: f"{world.parameters[key]:g}" for key in ("x", "y", "width", "height")}
        return {"slide": part_of(world).name, **sizes}

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        name = part_of(world).name
        new, _ = added_shapes(find_slide(was, name), find_slide(now, name))
        shape = new[0] if new else Shape()
        wanted = {key: float(world.parameters[key]) * 10 for key in ("x", "y", "width", "height")}
        return [
            equal("there is one rectangle more", ["rectangle"], [shape.kind for shape in new], weight=1.0),
            about("it lies where asked, as large as asked", wanted, shape, weight=1.0),
            equal("it has the fill", f"#{str(world.parameters['fill']).lower()}", shape.fill, weight=1.0),
            equal("it has the text", world.parameters["text"], shape.text.strip(), weight=1.0),
        ]

    def touched(self, world: World, was: Deck, now: Deck) -> Sequence[str]:
        name = part_of(world).name
        return [on(name, added_shapes(find_slide(was, name), find_slide(now, name))[1])]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        sizes = [round(float(world.parameters[key]) * 1000) for key in ("x", "y", "width", "height")]
        values = {"FillStyle": "enum:drawing.FillStyle.SOLID", "FillColor": int(str(world.parameters["fill"]), 16)}
        text = world.parameters["text"]
        return done(("add_shape", part_of(world).name, "RectangleShape", *sizes, values, text))


def _box(world: World) -> tuple[str, str]:
    return talk_of(world).part("process").name, f"Box {world.parameters['number']}"


def _others(shapes: Sequence[Shape], but: str) -> list[tuple[object, ...]]:
    return [
        (shape.name or shape.role, shape.x, shape.y, shape.width, shape.height) for shape in shapes if shape.name != but
    ]


SCENARIOS = (
    MasterBackground(),
    SlideBackground(),
    Footers(),
    SlideSize(),
    ShapeColours(),
    ShapePlace(),
    AddShape(),
)
