"""Scenarios about fills, colours, strokes, dashes, opacity and gradients."""

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
    """Fill two blocks and a dot with plain colours."""

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
        painted = [named for named, _ in colors]
        return [
            *(
                equal(f"{block.label} has its colour", color, paint_words(case.now(block).style.fill))
                for block, color in colors
            ),
            still(case, painted, "all else about them is as before", but=_FILL),
            rest_unchanged(case, free=[block.id for block in painted]),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        return [on(block, do=[set_property("fill", color)]) for block, color in self._colors(sheet, wanted)]

    def _colors(self, sheet: Sheet, wanted: Mapping[str, Any]) -> list[tuple[Named, str]]:
        blocks = [(block, str(wanted["color"])) for block in pick(sheet.blocks, wanted["blocks"])]
        return [*blocks, (sheet.dots[int(wanted["dot"])], str(wanted["second"]))]


class SwapColours(InkTask):
    """Swap two colours in the whole drawing."""

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
        """Check that every object with one colour now has the other, in the legend and elsewhere."""
        pair = self._pair(case.sheet, case.wanted)
        legend = {part.id for part in case.sheet.legend_parts}
        checks, free = [], []
        for color, replacement in (pair, pair[::-1]):
            painted = _having(case.before, color)
            free += [item.id for item in painted]
            for place, here in (("in the drawing", False), ("in the legend", True)):
                ids = [item.id for item in painted if (item.id in legend) == here]
                fills = {name: paint_words(case.after[name].style.fill) for name in ids}
                checks.append(equal(f"{color} became {replacement} {place}", dict.fromkeys(ids, replacement), fills))
        objects = [Named(name, "") for name in free]
        return [
            *checks,
            still(case, objects, "all else about them is as before", but=_FILL),
            rest_unchanged(case, free=free),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        """Select all objects of one colour at once, then all of the other."""
        first, second = self._pair(sheet, wanted)
        return [
            on(*(Named(item.id, "") for item in _having(drawing, color)), do=[set_property("fill", replacement)])
            for color, replacement in ((first, second), (second, first))
        ]

    def _pair(self, sheet: Sheet, wanted: Mapping[str, Any]) -> tuple[str, str]:
        return sheet.colors[int(wanted["one"])], sheet.colors[int(wanted["other"])]


class DashedLine(InkTask):
    """Set the colour, width and dashes of a line."""

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
    """Make three objects partly transparent."""

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
        shares = _shares(case.sheet, case.wanted)
        checks = []
        for item, share in shares:
            opacity = case.now(item).style.opacity
            passed = near(opacity, share / 100, 0.006)
            checks.append(holds(f"{item.label} has its opacity", passed, expected=share / 100, found=opacity))
        named = [item for item, _ in shares]
        return [
            *checks,
            still(case, named, "all else about them is as before", but=("style.opacity",)),
            rest_unchanged(case, free=[item.id for item in named]),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        return [on(item, do=[set_property("opacity", f"{share / 100:g}")]) for item, share in _shares(sheet, wanted)]


class SameGradient(InkTask):
    """Give a plain object the gradient of another object."""

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
        target = getattr(case.sheet, str(case.wanted["role"]))
        model, fill = case.was(case.sheet.banner).style.fill, case.now(target).style.fill
        assert model.gradient is not None
        stops = fill.gradient.stops if fill.gradient else ()
        return [
            equal("it is filled with such a gradient", model.kind, fill.kind),
            equal("the colours are the same", [stop.color for stop in model.gradient.stops],
                  [stop.color for stop in stops]),
            equal("the colours are at the same places", [stop.offset for stop in model.gradient.stops],
                  [stop.offset for stop in stops]),
            equal("it has still no outline", "none", case.now(target).style.stroke.kind, weight=0, integrity=True),
            still(case, (target,), "it is where it was", but=("style",)),
            rest_unchanged(case, free=(target.id,)),
        ]  # fmt: skip

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        return [on(sheet.banner, do=["app.copy"]), on(getattr(sheet, str(wanted["role"])), do=["app.paste-style"])]


class OutlineKind(InkTask):
    """Add an outline to all blocks of a colour."""

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
        blocks = self._some(case.sheet, case.before, case.wanted)
        now = {block.label: case.now(block).style for block in blocks}
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
            still(case, blocks, "they are where they were", but=("style",)),
            rest_unchanged(case, free=[block.id for block in blocks]),
        ]  # fmt: skip

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        steps = [set_property("stroke", str(wanted["stroke"])), set_property("stroke-width", f"{wanted['width']:g}")]
        return [on(*self._some(sheet, drawing, wanted), do=steps)]

    def _some(self, sheet: Sheet, drawing: Drawing, wanted: Mapping[str, Any]) -> tuple[Named, ...]:
        color = sheet.colors[int(wanted["kind"])]
        return tuple(block for block in sheet.blocks if drawing[block.id].style.fill.color == color)


def _having(drawing: Drawing, color: str) -> list[DrawingObject]:
    return [item for item in filled(drawing) if item.style.fill.color == color]


def _fill(case: Case, one: Named) -> str:
    return paint_words(case.now(one).style.fill)


def _solid(sheet: Sheet, place: int) -> Named:
    """Return a line without dashes."""
    drawing = drawn(sheet)
    solid = [link for link in sheet.links if not any(drawing[link.id].style.dashes)]
    return solid[place % len(solid)]


def _shares(sheet: Sheet, wanted: Mapping[str, Any]) -> list[tuple[Named, float]]:
    return [(sheet.lens, wanted["first"]), (sheet.plate, wanted["second"]), (sheet.strip, wanted["third"])]


SCENARIOS = (Recolour(), SwapColours(), DashedLine(), SeeThrough(), SameGradient(), OutlineKind())
