"""How things look: fills, colours throughout, outlines, dashes, opacity, gradients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairground.core import Check
from fairground.verify import equal, holds
from fairground.verify.reading.svg import Drawing, DrawingObject
from fairground.worlds import Move
from fairground_desk.inkscape.inspector import filled, paint_words
from fairground_desk.inkscape.sheet import Sheet
from fairground_desk.inkscape.svgwriter import Named
from fairground_desk.inkscape.task import (
    Case,
    InkTask,
    drawn,
    listed,
    near,
    on,
    pick,
    rest_unchanged,
    set_property,
    still,
)

SAVE = " Change nothing else, and save the drawing under its own name."
_FILL = ("style.fill",)


class Recolour(InkTask):
    """Two blocks and a dot get plain colours."""

    name = "recolour"
    template = (
        "Fill the {word}s {blocks} with the plain colour {color}, and the circle “{dot}” with {second}. All three stay "
        "opaque and keep what they have as an outline." + SAVE
    )
    instances = {
        "green": {"blocks": "0 3", "dot": 1, "color": "#4caf50", "second": "#1b5e20"},
        "violet": {"blocks": "2 5", "dot": 0, "color": "#9575cd", "second": "#311b92"},
        "sand": {"blocks": "1 -1", "dot": 3, "color": "#e6c9a8", "second": "#8d5524"},
    }

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        blocks, dot = pick(sheet.blocks, wanted["blocks"]), sheet.dots[int(wanted["dot"])]
        return {"word": sheet.block_word, "blocks": listed(blocks), "dot": dot.label}

    def verify(self, case: Case) -> Sequence[Check]:
        colors = self._colors(case.sheet, case.wanted)
        some = [named for named, _ in colors]
        return [
            *(
                equal(f"{one.label} has its colour", color, paint_words(case.now(one).style.fill))
                for one, color in colors
            ),
            still(case, some, "all else about them is as before", but=_FILL),
            rest_unchanged(case, free=[one.id for one in some]),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        return [on(one, do=[set_property("fill", color)]) for one, color in self._colors(sheet, wanted)]

    def _colors(self, sheet: Sheet, wanted: Mapping[str, Any]) -> list[tuple[Named, str]]:
        blocks = [(one, str(wanted["color"])) for one in pick(sheet.blocks, wanted["blocks"])]
        return [*blocks, (sheet.dots[int(wanted["dot"])], str(wanted["second"]))]


class SwapColours(InkTask):
    """Two colours are swapped throughout the drawing."""

    name = "swap-colours"
    template = (
        "We mixed up two colours. Throughout the drawing, in the legend too, whatever is filled with {first} must be "
        "filled with {second}, and whatever is filled with {second} with {first}." + SAVE
    )
    instances = {
        "first-second": {"one": 0, "other": 1},
        "first-third": {"one": 0, "other": 2},
        "second-third": {"one": 1, "other": 2},
    }

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        first, second = self._pair(sheet, wanted)
        return {"first": first, "second": second}

    def verify(self, case: Case) -> Sequence[Check]:
        """Every object that had one has the other, in the legend and elsewhere."""
        pair = self._pair(case.sheet, case.wanted)
        legend = {part.id for part in case.sheet.legend_parts}
        checks, free = [], []
        for color, other in (pair, pair[::-1]):
            some = _having(case.before, color)
            free += [one.id for one in some]
            for place, here in (("in the drawing", False), ("in the legend", True)):
                ids = [one.id for one in some if (one.id in legend) == here]
                found = {name: paint_words(case.after[name].style.fill) for name in ids}
                checks.append(equal(f"{color} became {other} {place}", dict.fromkeys(ids, other), found))
        objects = [Named(name, "") for name in free]
        return [
            *checks,
            still(case, objects, "all else about them is as before", but=_FILL),
            rest_unchanged(case, free=free),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        """All of one colour at once, then all of the other."""
        first, second = self._pair(sheet, wanted)
        return [
            on(*(Named(one.id, "") for one in _having(drawing, color)), do=[set_property("fill", other)])
            for color, other in ((first, second), (second, first))
        ]

    def _pair(self, sheet: Sheet, wanted: Mapping[str, Any]) -> tuple[str, str]:
        return sheet.colors[int(wanted["one"])], sheet.colors[int(wanted["other"])]


class DashedLine(InkTask):
    """A line gets a colour, a width and dashes."""

    name = "dashed-line"
    template = (
        "Make the line “{link}” stand out: colour {color}, {width} mm wide, and dashed (any pattern of dashes will "
        "do) instead of solid. Its course stays the same." + SAVE
    )
    instances = {
        "orange": {"link": 0, "color": "#ff6f00", "width": 2.4},
        "teal": {"link": 1, "color": "#00796b", "width": 0.5},
        "black": {"link": 2, "color": "#000000", "width": 3.2},
    }

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        """The line: of those that are solid."""
        return {"link": _solid(sheet, int(wanted["link"])).label}

    def verify(self, case: Case) -> Sequence[Check]:
        link, wanted = _solid(case.sheet, int(case.wanted["link"])), case.wanted
        now = case.now(link).style
        return [
            equal("the line has its colour", str(wanted["color"]), paint_words(now.stroke)),
            holds("the line is as wide as asked", near(now.stroke_width, wanted["width"], 0.01), found=now.stroke_width,
                  expected=wanted["width"]),
            holds("the line is dashed", any(now.dashes), expected="dashes", found=now.dashes),
            holds("it has still no fill", now.fill.kind == "none", expected="none", found=now.fill.kind, weight=0),
            still(case, (link,), "its course is as before", but=("style.stroke", "style.stroke_width", "style.dashes")),
            rest_unchanged(case, free=(link.id,)),
        ]  # fmt: skip

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        width = float(wanted["width"])
        stroke = {
            "stroke": str(wanted["color"]),
            "stroke-width": f"{width:g}",
            "stroke-dasharray": f"{width * 3:g} {width * 3:g}",
        }
        steps = [set_property(name, value) for name, value in stroke.items()]
        return [on(_solid(sheet, int(wanted["link"])), do=steps)]


class SeeThrough(InkTask):
    """Three things become partly transparent."""

    name = "see-through"
    template = (
        "Set the opacity of “{lens}” to {first} %, that of “{plate}” to {second} % and that of “{strip}” to {third} % "
        "(of the objects themselves, so that it shows in the field for opacity below the canvas)." + SAVE
    )
    instances = {
        "light": {"first": 35, "second": 80, "third": 60},
        "half": {"first": 50, "second": 45, "third": 25},
        "faint": {"first": 10, "second": 70, "third": 15},
    }

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"lens": sheet.lens.label, "plate": sheet.plate.label, "strip": sheet.strip.label}

    def verify(self, case: Case) -> Sequence[Check]:
        some = _shares(case.sheet, case.wanted)
        checks = []
        for one, share in some:
            found = case.now(one).style.opacity
            passed = near(found, share / 100, 0.006)
            checks.append(holds(f"{one.label} has its opacity", passed, expected=share / 100, found=found))
        named = [one for one, _ in some]
        return [
            *checks,
            still(case, named, "all else about them is as before", but=("style.opacity",)),
            rest_unchanged(case, free=[one.id for one in named]),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        return [on(one, do=[set_property("opacity", f"{share / 100:g}")]) for one, share in _shares(sheet, wanted)]


class SameGradient(InkTask):
    """Something plain gets the gradient of something else."""

    name = "same-gradient"
    template = (
        "“{banner}” is filled with a gradient. Give “{object}” the same look: the same kind of gradient with the same "
        "two colours in the same order (copying the style will do). It stays where it is." + SAVE
    )
    instances = {
        "strip": {"role": "strip"},
        "plate": {"role": "plate"},
        "tab": {"role": "tab"},
        "lens": {"role": "lens"},
    }

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"banner": sheet.banner.label, "object": getattr(sheet, str(wanted["role"])).label}

    def verify(self, case: Case) -> Sequence[Check]:
        """Kind, colours and opacity of the gradient are those of the other."""
        one = getattr(case.sheet, str(case.wanted["role"]))
        model, found = case.was(case.sheet.banner).style.fill, case.now(one).style.fill
        assert model.gradient is not None
        stops = found.gradient.stops if found.gradient else ()
        return [
            equal("it is filled with such a gradient", model.kind, found.kind),
            equal("the colours are the same", [stop.color for stop in model.gradient.stops],
                  [stop.color for stop in stops]),
            equal("the colours are at the same places", [stop.offset for stop in model.gradient.stops],
                  [stop.offset for stop in stops]),
            equal("it has still no outline", "none", case.now(one).style.stroke.kind, weight=0, integrity=True),
            still(case, (one,), "it is where it was", but=("style",)),
            rest_unchanged(case, free=(one.id,)),
        ]  # fmt: skip

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        return [on(sheet.banner, do=["app.copy"]), on(getattr(sheet, str(wanted["role"])), do=["app.paste-style"])]


class OutlineKind(InkTask):
    """All blocks of a kind get an outline."""

    name = "outline-kind"
    template = (
        "Give every {word} that is filled with {color} (the swatch of the legend is not one) a solid outline "
        "in {stroke}, {width} mm wide. Their fill and their place stay the same." + SAVE
    )
    instances = {
        "first": {"kind": 0, "stroke": "#5d4037", "width": 0.6},
        "second": {"kind": 1, "stroke": "#263238", "width": 0.9},
        "third": {"kind": 2, "stroke": "#880e4f", "width": 0.35},
    }

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"word": sheet.block_word, "color": sheet.colors[int(wanted["kind"])]}

    def verify(self, case: Case) -> Sequence[Check]:
        """All of them have it, and no others."""
        some = self._some(case.sheet, case.before, case.wanted)
        now = {one.label: case.now(one).style for one in some}
        width = float(case.wanted["width"])
        return [
            equal("each has an outline of that colour", dict.fromkeys(now, str(case.wanted["stroke"])),
                  {label: paint_words(style.stroke) for label, style in now.items()}),
            holds("each outline is as wide as asked",
                  all(style.stroke.kind == "color" and near(style.stroke_width, width, 0.01) for style in now.values()),
                  expected=width, found={label: style.stroke_width for label, style in now.items()}),
            holds("the outlines are solid", not any(any(style.dashes) for style in now.values()), weight=0,
                  expected="no dashes", found={label: style.dashes for label, style in now.items()}),
            equal("each kept its fill", {label: case.sheet.colors[int(case.wanted["kind"])] for label in now},
                  {label: paint_words(style.fill) for label, style in now.items()}, weight=0, integrity=True),
            still(case, some, "they are where they were", but=("style",)),
            rest_unchanged(case, free=[one.id for one in some]),
        ]  # fmt: skip

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        steps = [set_property("stroke", str(wanted["stroke"])), set_property("stroke-width", f"{wanted['width']:g}")]
        return [on(*self._some(sheet, drawing, wanted), do=steps)]

    def _some(self, sheet: Sheet, drawing: Drawing, wanted: Mapping[str, Any]) -> tuple[Named, ...]:
        color = sheet.colors[int(wanted["kind"])]
        return tuple(one for one in sheet.blocks if drawing[one.id].style.fill.color == color)


def _having(drawing: Drawing, color: str) -> list[DrawingObject]:
    return [one for one in filled(drawing) if one.style.fill.color == color]


def _fill(case: Case, one: Named) -> str:
    return paint_words(case.now(one).style.fill)


def _solid(sheet: Sheet, place: int) -> Named:
    """One of the lines without dashes, which a task can make dashed."""
    drawing = drawn(sheet)
    solid = [one for one in sheet.links if not any(drawing[one.id].style.dashes)]
    return solid[place % len(solid)]


def _shares(sheet: Sheet, wanted: Mapping[str, Any]) -> list[tuple[Named, float]]:
    return [(sheet.lens, wanted["first"]), (sheet.plate, wanted["second"]), (sheet.strip, wanted["third"])]


SCENARIOS = (Recolour(), SwapColours(), DashedLine(), SeeThrough(), SameGradient(), OutlineKind())
