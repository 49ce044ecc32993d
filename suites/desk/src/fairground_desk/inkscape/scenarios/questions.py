"""Questions about a drawing; nothing may change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fairground.core import Check, InvalidConfiguration
from fairground.verify import equal, holds, match_answer
from fairground.verify.reading.svg import Box, Drawing
from fairground.worlds import Move, Say
from fairground_desk.inkscape.inspector import filled
from fairground_desk.inkscape.sheet import Sheet
from fairground_desk.inkscape.svgwriter import Named
from fairground_desk.inkscape.task import Case, InkTask

_LEAVE = " Do not change the drawing."


class _Question(InkTask):
    kind = "answer"
    touches = False
    form = "number"
    step_budget = 40

    def expected(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Any:
        raise NotImplementedError

    def among(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Sequence[str]:
        """Return plausible wrong answers."""
        return ()

    def verify(self, case: Case) -> Sequence[Check]:
        right = self.expected(case.sheet, case.wanted, case.before)
        question = self.template.format_map({**case.wanted, **self.facts(case.sheet, case.wanted)})
        among = [value for value in self.among(case.sheet, case.wanted) if value != right]
        matched = match_answer(self.form, right, case.answer, among=among, question=question)
        live = case.states[1].data.get("live")
        unsaved = [] if live is None else live.get("unsaved", ["?"])
        return [
            holds("the answer is right", matched, expected=right, found=case.answer),
            equal("the drawing is as it was", case.before, case.after, weight=0, integrity=True),
            equal("nothing is left unsaved", [], unsaved, weight=0, integrity=True).as_weak(),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        return [Say(str(self.expected(sheet, wanted, drawing)))]


class HowManyFilled(_Question):
    """Ask how many objects have a fill colour."""

    name = "how-many-filled"
    template = (
        "How many objects of the open drawing are filled with the colour {color}? Count those in groups too, such as "
        "swatches of the legend. Answer with the number." + _LEAVE
    )
    instances = {"first": {"place": 0}, "second": {"place": 1}, "third": {"place": 2}}

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"color": sheet.colors[int(wanted["place"])]}

    def expected(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> int:
        color = sheet.colors[int(wanted["place"])]
        return sum(item.style.fill.color == color for item in filled(drawing))


class HowLarge(_Question):
    """Ask for the width or height of a block in millimetres."""

    name = "how-large"
    template = "How {side} is the {word} “{block}” (the rectangle) in millimetres? Answer with the number." + _LEAVE
    instances = {
        "wide-first": {"block": 0, "side": "wide", "axis": "width"},
        "high-third": {"block": 3, "side": "high", "axis": "height"},
        "high-last": {"block": -1, "side": "high", "axis": "height"},
        "wide-sixth": {"block": 6, "side": "wide", "axis": "width"},
    }

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"word": sheet.block_word, "block": sheet.blocks[int(wanted["block"])].label}

    def expected(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> float:
        box = drawing[sheet.blocks[int(wanted["block"])].id].box
        assert box is not None
        return round(float(getattr(box, str(wanted["axis"]))), 3)


class WhichBlock(_Question):
    """Ask which block is the largest, the highest on the page or the furthest right."""

    name = "which-block"
    form = "text"
    template = (
        "Which {word} of the open drawing {what}? All {word}s are rectangles on the layer “{layer}”, and those marked "
        "as drafts do not count. Answer with its label as the list of objects shows it." + _LEAVE
    )
    instances = {
        "largest": {"what": "has the largest area", "most": "area"},
        "highest": {"what": "reaches the furthest up on the page and, of several that do, is the furthest right",
                    "most": "top"},
        "right": {"what": "reaches the furthest right and, of several that do, is the furthest down", "most": "right"},
    }  # fmt: skip

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"word": sheet.block_word, "layer": sheet.layers.main.label}

    def expected(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> str:
        measure = _MEASURES[str(wanted["most"])]
        boxes: list[tuple[Named, Box]] = [
            (block, box) for block in sheet.blocks if (box := drawing[block.id].box) is not None
        ]
        ranked = sorted(boxes, key=lambda pair: measure(pair[1]), reverse=True)
        if measure(ranked[0][1]) == measure(ranked[1][1]):
            raise InvalidConfiguration(f"two {sheet.block_word}s are equal in {wanted['most']}")
        return ranked[0][0].label

    def among(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Sequence[str]:
        return [block.label for block in sheet.blocks]


class HowManyOnLayer(_Question):
    """Ask how many texts a layer holds."""

    name = "how-many-texts"
    template = (
        "How many text objects are on the layer “{layer}” of the open drawing, hidden or not? Texts inside of groups "
        "count too. Answer with the number." + _LEAVE
    )
    instances = {"labels": {"role": "labels"}, "notes": {"role": "notes"}}

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"layer": getattr(sheet.layers, str(wanted["role"])).label}

    def expected(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> int:
        layer = getattr(sheet.layers, str(wanted["role"])).id
        return sum(item.kind == "text" and item.layer == layer for item in drawing.objects)


_MEASURES: dict[str, Callable[[Box], tuple[float, ...]]] = {
    "area": lambda box: (round(box.width * box.height, 2),),
    "top": lambda box: (-round(box.y, 2), round(box.right, 2)),
    "right": lambda box: (round(box.right, 2), round(box.bottom, 2)),
}


SCENARIOS = (HowManyFilled(), HowLarge(), WhichBlock(), HowManyOnLayer())
