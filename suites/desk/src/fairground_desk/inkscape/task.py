"""What the tasks of Inkscape are written with: a drawing before and after, and what must not have changed in it."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any, ClassVar

from fairground.core import Check, Parameter, State
from fairground.verify import holds, unchanged
from fairground.verify.reading.svg import Box, Drawing, DrawingObject, drawing_leaves, read_svg
from fairground.worlds import Command, Move, Press, World
from fairground_desk.inkscape.actions import Step, actions, select
from fairground_desk.inkscape.sheet import Sheet
from fairground_desk.inkscape.sheets import sheet_of
from fairground_desk.inkscape.svgwriter import Named, View
from fairground_desk.tasks import DeskTask, files_unchanged

NEAR = 0.05
"""Millimetres, the drawings' own unit: what Inkscape's number fields round to, with some room."""

PIXELS = 96 / 25.4
"""Of a millimetre: actions that move things count in pixels."""


@dataclass(frozen=True)
class Case:
    """What an attempt is judged by.

    Attributes:
        sheet: The profile's drawing, with its roles.
        wanted: The parameters.
        before: The drawing as it was.
        after: The drawing as it was saved.
        states: The two recordings.
        answer: What was answered.
    """

    sheet: Sheet
    wanted: Mapping[str, Any]
    before: Drawing
    after: Drawing
    states: tuple[State, State]
    answer: str | None

    def was(self, named: Named) -> DrawingObject:
        return self.before[named.id]

    def now(self, named: Named) -> DrawingObject:
        """The same object after; raises `StateError` when it is gone."""
        return self.after[named.id]

    @cached_property
    def leaves(self) -> tuple[dict[str, object], dict[str, object]]:
        return _flat(self.before), _flat(self.after)

    @property
    def new(self) -> tuple[DrawingObject, ...]:
        """Objects that are there now and were not before."""
        known = {one.id for one in self.before.objects}
        return tuple(one for one in self.after.objects if one.id not in known)


class InkTask(DeskTask):
    """A task in the drawing that is open. Its words come from the profile's drawing, by the roles of its objects.

    Attributes:
        touches: Whether the drawing itself may change; `changes` names files besides it.
    """

    app = "inkscape"
    touches: ClassVar[bool] = True
    step_budget = 60

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        """What the template needs besides the parameters, from the profile's drawing."""
        return {}

    @abstractmethod
    def verify(self, case: Case) -> Sequence[Check]:
        """The checks of this task."""

    @abstractmethod
    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        """Moves that solve it, from a window in which nothing is selected."""

    def phrase(self, world: World) -> str:
        """The instruction, with the names of the profile's own objects."""
        sheet = sheet_of(world)
        return self.template.format_map({**world.parameters, **self.facts(sheet, world.parameters)})

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Reads both drawings and compares them."""
        sheet = sheet_of(world)
        was, now = _read(before.file(sheet.path)), _read(after.file(sheet.path))
        return self.verify(Case(sheet, world.parameters, was, now, (before, after), answer))

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """The task's own checks, and the guard over all other files."""
        allowed = [path.format_map(world.parameters) for path in self.changes]
        allowed += [sheet_of(world).path] if self.touches else []
        return [*self.judge(world, before, after, answer), files_unchanged(before, after, allowed)]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        sheet = sheet_of(world)
        moves = list(self.solve(sheet, world.parameters, read_svg(before.file(sheet.path))))
        return [*moves, Press("ctrl+s")] if self.touches else moves


def rest_unchanged(
    case: Case, *, free: Collection[str] = (), parts: Collection[str] = (), everywhere: Collection[str] = (),
    kept_order: bool = True,
) -> Check:  # fmt: skip
    """A guard: nothing in the drawing changed but what the task is about.

    Args:
        case: The drawings.
        free: Ids of objects that may change, come or go.
        parts: Leaves that may change, such as `guides` or `metadata.title`.
        everywhere: Endings of leaves that may change on every object, such as `.visible`.
        kept_order: Whether all other objects must keep their order from below to above.
    """

    def kept(drawing: Drawing, flat: Mapping[str, object]) -> dict[str, object]:
        outer = {one.id for one in drawing.objects if one.kind in ("group", "layer")}
        dropped = tuple(f"object[{name}]." for name in free)
        # The box of a group follows from what is in it.
        dropped += tuple(f"object[{name}].box" for name in outer)
        leaves = {
            place: value
            for place, value in flat.items()
            if not place.startswith(dropped) and place not in parts and not place.endswith(tuple(everywhere))
        }
        ids = [one.id for one in drawing.objects if one.id not in free]
        leaves["order"] = tuple(ids) if kept_order else tuple(sorted(ids))
        return leaves

    return unchanged(
        "nothing else in the drawing changed", kept(case.before, case.leaves[0]), kept(case.after, case.leaves[1])
    )


def same_box(name: str, expected: Box | None, found: Box | None, *, weight: float = 1.0, within: float = NEAR) -> Check:
    """Whether something is where it should be and as large as it should be."""
    return holds(name, boxes_near(expected, found, within), expected=_numbers(expected), found=_numbers(found),
                 weight=weight)  # fmt: skip


def boxes_near(one: Box | None, other: Box | None, within: float = NEAR) -> bool:
    """Whether two boxes are the same to the eye."""
    if one is None or other is None:
        return False
    pairs = zip(_numbers(one), _numbers(other), strict=True)
    return all(math.isclose(a, b, abs_tol=within) for a, b in pairs)


def near(found: float, expected: float, within: float = NEAR) -> bool:
    """Whether two lengths are the same to the eye."""
    return math.isclose(found, expected, abs_tol=within)


@cache
def drawn(sheet: Sheet) -> Drawing:
    """A sheet's drawing, as it is before anybody touches it."""
    return read_svg(sheet.write(View()))


def still(case: Case, named: Sequence[Named], what: str, *, but: Collection[str]) -> Check:
    """A guard over objects that the task is about: everything else of them is as it was.

    Args:
        case: The drawings.
        named: The objects.
        what: In words.
        but: Leaves of an object that may change, such as `box` or `style.fill`, and all below them.
    """
    heads = tuple(f"object[{one.id}]." for one in named)
    ends = tuple(f"{head}{part}" for head in heads for part in but)
    was, now = (
        {place: value for place, value in flat.items() if place.startswith(heads) and not _below(place, ends)}
        for flat in case.leaves
    )
    return unchanged(what, was, now)


PLACE = ("box", "geometry", "transform", "shape", "clip_box", "text.position")
"""Leaves of an object that follow from where it is and how large."""


def on(*named: Named, do: Sequence[Step] = ()) -> Command:
    """Selects objects, and has Inkscape do something with them."""
    return actions(*select(*(one.id for one in named)), *do)


def set_property(name: str, value: str) -> Step:
    """A style property of what is selected."""
    return ("app.object-set-property", f"{name},{value}")


def set_attribute(name: str, value: str | float) -> Step:
    """An attribute of what is selected, as the XML editor sets it."""
    return ("app.object-set-attribute", f"{name},{value if isinstance(value, str) else format(value, 'g')}")


def pick(named: Sequence[Named], places: Parameter | str) -> tuple[Named, ...]:
    """Some of a sheet's objects by their places, such as `0 2 5`; places count from the end when negative."""
    return tuple(named[int(place)] for place in str(places).split())


def listed(named: Sequence[Named]) -> str:
    """Labels for an instruction: “A”, “B” and “C”."""
    quoted = [f"“{one.label}”" for one in named]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _flat(drawing: Drawing) -> dict[str, object]:
    """A drawing, flattened; without the width of outlines that are not there, which Inkscape scales all the same."""
    bare = {one.id for one in drawing.objects if one.style.stroke.kind == "none"}
    unseen = {f"object[{name}].style.{part}" for name in bare for part in ("stroke_width", "dashes")}
    return {place: value for place, value in drawing_leaves(drawing).items() if place not in unseen}


@lru_cache(maxsize=4)
def _read(data: bytes) -> Drawing:
    """What was recorded at the start is compared with one ending after the other."""
    return read_svg(data)


def _below(place: str, ends: tuple[str, ...]) -> bool:
    return any(place == end or place.startswith((f"{end}.", f"{end}[")) for end in ends)


def _numbers(box: Box | None) -> list[float]:
    return [] if box is None else [round(value, 3) for value in (box.x, box.y, box.width, box.height)]
