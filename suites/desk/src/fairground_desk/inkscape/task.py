"""Base class and helpers of the Inkscape scenarios, with guards over the rest of the drawing."""

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
"""Tolerance in millimetres, the unit of the drawings: a little more than Inkscape's number fields round."""

PIXELS = 96 / 25.4
"""Pixels per millimetre, because Inkscape's move actions take pixels."""


@dataclass(frozen=True)
class Case:
    """The evidence for judging an attempt.

    Attributes:
        sheet: The profile's drawing, with its roles.
        wanted: The parameters of the instance.
        before: The drawing at the start.
        after: The drawing as saved at the end.
        states: The recorded states before and after.
        answer: The agent's answer.
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
        """Return the object at the end; raises `StateError` if it is gone."""
        return self.after[named.id]

    @cached_property
    def leaves(self) -> tuple[dict[str, object], dict[str, object]]:
        return _flat(self.before), _flat(self.after)

    @property
    def new(self) -> tuple[DrawingObject, ...]:
        """Objects that were added."""
        known = {item.id for item in self.before.objects}
        return tuple(item for item in self.after.objects if item.id not in known)


class InkTask(DeskTask):
    """Base class of scenarios in the open drawing. Templates name the profile's objects by role.

    Attributes:
        touches: Whether the drawing itself may change; `changes` names other files.
    """

    app = "inkscape"
    touches: ClassVar[bool] = True
    step_budget = 60

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        """Return values from the profile's drawing for the template, in addition to the parameters."""
        return {}

    @abstractmethod
    def verify(self, case: Case) -> Sequence[Check]:
        """Return the checks of this task."""

    @abstractmethod
    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        """Return moves that solve the task, starting with nothing selected."""

    def phrase(self, world: World) -> str:
        sheet = sheet_of(world)
        return self.template.format_map({**world.parameters, **self.facts(sheet, world.parameters)})

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        sheet = sheet_of(world)
        was, now = _read(before.file(sheet.path)), _read(after.file(sheet.path))
        return self.verify(Case(sheet, world.parameters, was, now, (before, after), answer))

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Add the guard over all other files."""
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
    """Guard: only the named parts of the drawing changed.

    Args:
        case: The attempt.
        free: Ids of objects that may be changed, added or removed.
        parts: Leaves that may change, such as `guides` or `metadata.title`.
        everywhere: Suffixes of leaves that may change on every object, such as `.visible`.
        kept_order: Whether all other objects must keep their stacking order.
    """

    def kept(drawing: Drawing, flat: Mapping[str, object]) -> dict[str, object]:
        outer = {item.id for item in drawing.objects if item.kind in ("group", "layer")}
        dropped = tuple(f"object[{name}]." for name in free)
        # The box of a group depends on its members.
        dropped += tuple(f"object[{name}].box" for name in outer)
        leaves = {
            place: value
            for place, value in flat.items()
            if not place.startswith(dropped) and place not in parts and not place.endswith(tuple(everywhere))
        }
        ids = [item.id for item in drawing.objects if item.id not in free]
        leaves["order"] = tuple(ids) if kept_order else tuple(sorted(ids))
        return leaves

    return unchanged(
        "nothing else in the drawing changed", kept(case.before, case.leaves[0]), kept(case.after, case.leaves[1])
    )


def same_box(name: str, expected: Box | None, found: Box | None, *, weight: float = 1.0, within: float = NEAR) -> Check:
    """Check the position and size of a box."""
    return holds(name, boxes_near(expected, found, within), expected=_numbers(expected), found=_numbers(found),
                 weight=weight)  # fmt: skip


def boxes_near(one: Box | None, other: Box | None, within: float = NEAR) -> bool:
    """Return whether two boxes are equal within a tolerance."""
    if one is None or other is None:
        return False
    pairs = zip(_numbers(one), _numbers(other), strict=True)
    return all(math.isclose(a, b, abs_tol=within) for a, b in pairs)


def near(found: float, expected: float, within: float = NEAR) -> bool:
    """Return whether two lengths are equal within a tolerance."""
    return math.isclose(found, expected, abs_tol=within)


@cache
def drawn(sheet: Sheet) -> Drawing:
    """Return the initial drawing of a sheet."""
    return read_svg(sheet.write(View()))


def still(case: Case, named: Sequence[Named], what: str, *, but: Collection[str]) -> Check:
    """Guard: only the named leaves of these objects changed.

    Args:
        case: The attempt.
        named: The objects.
        what: Name of the check.
        but: Leaves that may change, such as `box` or `style.fill`, including all leaves below them.
    """
    heads = tuple(f"object[{item.id}]." for item in named)
    ends = tuple(f"{head}{part}" for head in heads for part in but)
    was, now = (
        {place: value for place, value in flat.items() if place.startswith(heads) and not _below(place, ends)}
        for flat in case.leaves
    )
    return unchanged(what, was, now)


PLACE = ("box", "geometry", "transform", "shape", "clip_box", "text.position")
"""Leaves of an object that depend on its position and size."""


def on(*named: Named, do: Sequence[Step] = ()) -> Command:
    """Select objects and run actions on them."""
    return actions(*select(*(item.id for item in named)), *do)


def set_property(name: str, value: str) -> Step:
    """Return a step that sets a style property of the selection."""
    return ("app.object-set-property", f"{name},{value}")


def set_attribute(name: str, value: str | float) -> Step:
    """Return a step that sets an attribute of the selection, as the XML editor does."""
    return ("app.object-set-attribute", f"{name},{value if isinstance(value, str) else format(value, 'g')}")


def pick(named: Sequence[Named], places: Parameter | str) -> tuple[Named, ...]:
    """Return objects by index, such as `0 2 5`; negative indices count from the end."""
    return tuple(named[int(place)] for place in str(places).split())


def listed(named: Sequence[Named]) -> str:
    """Return the labels as text for an instruction: “A”, “B” and “C”."""
    quoted = [f"“{item.label}”" for item in named]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _flat(drawing: Drawing) -> dict[str, object]:
    """Return the leaves of a drawing, without the width of invisible strokes, which Inkscape scales too."""
    bare = {item.id for item in drawing.objects if item.style.stroke.kind == "none"}
    unseen = {f"object[{name}].style.{part}" for name in bare for part in ("stroke_width", "dashes")}
    return {place: value for place, value in drawing_leaves(drawing).items() if place not in unseen}


@lru_cache(maxsize=4)
def _read(data: bytes) -> Drawing:
    """Read a drawing, with a cache: the same initial drawing is compared with many final ones."""
    return read_svg(data)


def _below(place: str, ends: tuple[str, ...]) -> bool:
    return any(place == end or place.startswith((f"{end}.", f"{end}[")) for end in ends)


def _numbers(box: Box | None) -> list[float]:
    return [] if box is None else [round(value, 3) for value in (box.x, box.y, box.width, box.height)]
