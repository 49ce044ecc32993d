"""How a drawing is built: groups, order, layers, labels, and what is thrown away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairground.core import Check
from fairground.verify import equal, holds
from fairground.verify.reading.svg import Drawing
from fairground.worlds import Enter, Move, Press
from fairground_desk.inkscape.actions import actions
from fairground_desk.inkscape.sheet import Sheet
from fairground_desk.inkscape.svgwriter import Named
from fairground_desk.inkscape.task import (
    Case,
    InkTask,
    listed,
    on,
    pick,
    rest_unchanged,
    set_attribute,
    set_property,
    still,
)

SAVE = " Change nothing else, and save the drawing under its own name."
_ABOVE = "win.selection-move-to-layer-above"
_BELOW = "win.selection-move-to-layer-below"


class GroupDots(InkTask):
    """Some dots become a group with a label."""

    name = "group-dots"
    template = (
        "Group the circles {dots} (those and no others) into one new group, and label it “{label}” in the list of "
        "objects. The circles stay where they are, on the layer that they are on." + SAVE
    )
    instances = {
        "first": {"dots": "0 1 2", "label": "First three"},
        "outer": {"dots": "0 -1", "label": "Outer points"},
        "inner": {"dots": "1 2 3", "label": "Inner points"},
    }

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"dots": listed(pick(sheet.dots, wanted["dots"]))}

    def verify(self, case: Case) -> Sequence[Check]:
        """One new group that holds them."""
        dots = pick(case.sheet.dots, case.wanted["dots"])
        group = case.new[0] if len(case.new) == 1 and case.new[0].kind == "group" else None
        inside = {one.id for one in case.after.inside(group.id)} if group else set()
        main = case.sheet.layers.main.id
        return [
            equal("one new group", ["group"], [one.kind for one in case.new]),
            equal("it has the label", str(case.wanted["label"]), group.label if group else None),
            equal("it holds those circles", sorted(one.id for one in dots), sorted(inside)),
            equal("it is directly on the layer", (main,), group.parents if group else None),
            still(case, dots, "they are where they were", but=("parents",)),
            rest_unchanged(case, free=[*(one.id for one in dots), *(one.id for one in case.new)]),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        """Groups them, and labels what is then selected."""
        steps = ["app.selection-group", set_attribute("inkscape:label", str(wanted["label"]))]
        return [on(*pick(sheet.dots, wanted["dots"]), do=steps)]


class Ungroup(InkTask):
    """A group is taken apart."""

    name = "ungroup"
    template = (
        "Take the group “{group}” apart, so that the objects in it lie directly on its layer and the group is gone. "
        "They keep their labels, looks and places." + SAVE
    )
    instances = {"legend": {"roles": "legend"}, "stamp": {"roles": "stamp"}, "both": {"roles": "legend stamp"}}

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        """The group, or both of them."""
        groups = _groups(sheet, wanted)
        return {"group": "” and the group “".join(one.label for one in groups)}

    def verify(self, case: Case) -> Sequence[Check]:
        """The groups are gone, and what they held is on the layer."""
        checks, free = [], []
        for group in _groups(case.sheet, case.wanted):
            parts = case.before.inside(group.id)
            free += [group.id, *(part.id for part in parts)]
            left = {one.id: one for one in case.after.objects}
            layer = case.was(group).parents
            checks += [
                holds(f"{group.label} is gone", group.id not in left, expected="gone", found=group.id in left),
                equal(f"the parts of {group.label} are on its layer", [layer] * len(parts),
                      [left[part.id].parents if part.id in left else None for part in parts]),
                still(case, [Named(part.id, "") for part in parts], f"the parts of {group.label} look as before",
                      but=("parents", "geometry", "transform")),
                equal(f"the parts of {group.label} kept their order", [part.id for part in parts],
                      [one.id for one in case.after.objects if one.id in {part.id for part in parts}], weight=0,
                      integrity=True),
            ]  # fmt: skip
        return [
            *checks,
            equal("nothing is new", (), case.new, weight=0, integrity=True),
            rest_unchanged(case, free=free),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        return [on(group, do=["app.selection-ungroup"]) for group in _groups(sheet, wanted)]


class FrontAndBack(InkTask):
    """One thing comes to the front of its layer, another goes to the back."""

    name = "front-and-back"
    template = (
        "On the layer “{layer}”, bring “{front}” in front of everything else on that layer, and put “{back}” behind "
        "everything else on it. Both stay on the layer and where they are." + SAVE
    )
    instances = {
        "photo-lens": {"front": "photo", "back": "lens", "block": 0},
        "block-stamp": {"front": "block", "back": "stamp", "block": 3},
        "strip-tab": {"front": "strip", "back": "tab", "block": 0},
    }

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        front, back = self._pair(sheet, wanted)
        return {"layer": sheet.layers.main.label, "front": front.label, "back": back.label}

    def verify(self, case: Case) -> Sequence[Check]:
        """First and last of the layer, and the others in their order."""
        front, back = self._pair(case.sheet, case.wanted)
        main = case.sheet.layers.main.id
        was, now = (
            [one.id for one in drawing.objects if one.parents == (main,)] for drawing in (case.before, case.after)
        )
        others = [[name for name in names if name not in (front.id, back.id)] for names in (was, now)]
        inside = [
            part.id for one in (front, back) for part in case.before.inside(one.id) if case.was(one).kind == "group"
        ]
        moved = (front, back, *(Named(name, "") for name in inside))
        return [
            equal("it is in front of all others", front.id, now[-1] if now else None, weight=2),
            equal("it is behind all others", back.id, now[0] if now else None, weight=2),
            equal("the others kept their order", others[0], others[1], weight=0, integrity=True),
            still(case, moved, "both are as and where they were", but=()),
            rest_unchanged(case, free=[one.id for one in moved]),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        """To the top, to the bottom."""
        front, back = self._pair(sheet, wanted)
        return [on(front, do=["app.selection-top"]), on(back, do=["app.selection-bottom"])]

    def _pair(self, sheet: Sheet, wanted: Mapping[str, Any]) -> tuple[Named, Named]:
        block = sheet.blocks[int(wanted["block"])]
        return block if wanted["front"] == "block" else getattr(sheet, str(wanted["front"])), getattr(
            sheet, str(wanted["back"])
        )


class ToOtherLayer(InkTask):
    """Things go to another layer."""

    name = "to-other-layer"
    template = (
        "Move {objects} from the layer “{source}” to the layer “{target}”. They stay at their places on the page and "
        "look as before." + SAVE
    )
    instances = {
        "dots": {"kind": "dots", "some": "0 1 2", "up": True},
        "links": {"kind": "links", "some": "1 2", "up": True},
        "captions": {"kind": "captions", "some": "0 3 -1", "up": False},
    }

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        """What moves, from where, to where."""
        source, target = self._layers(sheet, wanted)
        return {"objects": listed(self._some(sheet, wanted)), "source": source.label, "target": target.label}

    def verify(self, case: Case) -> Sequence[Check]:
        """Each is on the other layer."""
        some = self._some(case.sheet, case.wanted)
        _, target = self._layers(case.sheet, case.wanted)
        return [
            *(equal(f"{one.label} is on the other layer", (target.id,), case.now(one).parents) for one in some),
            equal("nothing is new", (), case.new, weight=0, integrity=True),
            still(case, some, "they are where they were", but=("parents", "layer")),
            rest_unchanged(case, free=[one.id for one in some]),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        return [on(*self._some(sheet, wanted), do=[_ABOVE if wanted["up"] else _BELOW])]

    def _some(self, sheet: Sheet, wanted: Mapping[str, Any]) -> tuple[Named, ...]:
        return pick(getattr(sheet, str(wanted["kind"])), wanted["some"])

    def _layers(self, sheet: Sheet, wanted: Mapping[str, Any]) -> tuple[Named, Named]:
        main, labels = sheet.layers.main, sheet.layers.labels
        return (main, labels) if wanted["up"] else (labels, main)


class SetUpLayers(InkTask):
    """Layers are shown, hidden, locked, unlocked and renamed."""

    name = "set-up-layers"
    template = (
        "Set the layers up: rename the layer “{renamed}” to “{label}”; {show} the layer “{shown}”; {lock} the layer "
        "“{locked}”." + SAVE
    )
    instances = {
        "review": {"renamed": "main", "label": "Artwork", "shown": "notes", "show": "show", "visible": True,
                   "locked": "labels", "lock": "lock", "closed": True},
        "print": {"renamed": "notes", "label": "Internal", "shown": "labels", "show": "hide", "visible": False,
                  "locked": "base", "lock": "unlock", "closed": False},
        "safe": {"renamed": "labels", "label": "Text only", "shown": "notes", "show": "show", "visible": True,
                 "locked": "main", "lock": "lock", "closed": True},
    }  # fmt: skip

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {role: getattr(sheet.layers, str(wanted[role])).label for role in ("renamed", "shown", "locked")}

    def verify(self, case: Case) -> Sequence[Check]:
        wanted = case.wanted
        renamed, shown, locked = (getattr(case.sheet.layers, str(wanted[role])) for role in self._roles)
        parts = [Named(part.id, "") for part in case.before.inside(shown.id)]
        seen = [case.now(part).visible for part in parts]
        checks = [
            equal("the layer has its new name", str(wanted["label"]), case.now(renamed).label),
            equal("the layer is shown or hidden as asked", wanted["visible"], case.now(shown).visible),
            equal("the layer is locked or unlocked as asked", wanted["closed"], case.now(locked).locked),
            equal("what is on it is shown or hidden with it", [wanted["visible"]] * len(parts), seen),
        ]
        for layer, part in ((renamed, "label"), (shown, "visible"), (locked, "locked")):
            free = {name for other, name in ((renamed, "label"), (shown, "visible"), (locked, "locked"))
                    if other == layer}  # fmt: skip
            checks.append(still(case, (layer,), f"nothing but that changed ({part})", but=tuple(sorted(free))))
        ids = [one.id for one in (renamed, shown, locked)]
        hidden = [f"object[{part.id}].visible" for part in parts]
        return [*checks, rest_unchanged(case, free=ids, parts=hidden)]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        renamed, shown, locked = (getattr(sheet.layers, str(wanted[role])) for role in self._roles)
        return [
            on(renamed, do=[set_attribute("inkscape:label", str(wanted["label"]))]),
            on(shown, do=[set_property("display", "inline" if wanted["visible"] else "none")]),
            on(locked, do=[set_attribute("sodipodi:insensitive", "true" if wanted["closed"] else "false")]),
        ]

    _roles = ("renamed", "shown", "locked")


class NewTopLayer(InkTask):
    """A new layer above all others takes two things."""

    name = "new-top-layer"
    template = (
        "Add a layer named “{label}” above all other layers, and move “{plate}” and “{tab}” onto it. They stay at "
        "their places on the page." + SAVE
    )
    instances = {"signs": {"label": "Signs"}, "cut": {"label": "Cut outs"}, "foil": {"label": "Foil print 2"}}

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"plate": sheet.plate.label, "tab": sheet.tab.label}

    def verify(self, case: Case) -> Sequence[Check]:
        """The layer is there, on top, and holds them."""
        new = case.new[0] if len(case.new) == 1 and case.new[0].kind == "layer" else None
        pair = (case.sheet.plate, case.sheet.tab)
        top = case.after.layers[-1].id if case.after.layers else ""
        return [
            equal("one new layer", ["layer"], [one.kind for one in case.new]),
            equal("it has its name", str(case.wanted["label"]), new.label if new else None),
            holds("it is above all others", new is not None and new.id == top and not new.parents,
                  expected="the topmost", found=[layer.label for layer in case.after.layers]),
            *(equal(f"{one.label} is on it", (new.id,) if new else ("?",), case.now(one).parents) for one in pair),
            holds("it can be seen", new is None or new.visible, weight=0, expected="visible", found=new is not None),
            still(case, pair, "they are where they were", but=("parents", "layer")),
            rest_unchanged(case, free=[*(one.id for one in pair), *(one.id for one in case.new)]),
        ]  # fmt: skip

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        """A layer above the current one, then to the top; then both go up layer by layer."""
        return [
            on(sheet.plate, do=["win.layer-new"]),
            Press("ctrl+a"),
            Enter(f"{wanted['label']}\n"),
            actions("win.layer-top"),
            on(sheet.plate, sheet.tab, do=[_ABOVE, _ABOVE, _ABOVE]),
        ]


class Discard(InkTask):
    """All objects of a kind are deleted."""

    name = "discard"
    template = "Delete {what} from the drawing; there are {count} of them: {objects}." + SAVE
    instances = {
        "drafts": {"kind": "drafts", "what": "everything that is marked as a draft (hidden layers have some too)"},
        "dots": {"kind": "dots", "what": "all circles of that row"},
        "links": {"kind": "links", "what": "these lines"},
    }

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        some = getattr(sheet, str(wanted["kind"]))
        return {"count": str(len(some)), "objects": listed(some)}

    def verify(self, case: Case) -> Sequence[Check]:
        """All of them are gone, and nothing else."""
        some = getattr(case.sheet, str(case.wanted["kind"]))
        left = {one.id for one in case.after.objects}
        labels = [one.label for one in case.after.objects]
        return [
            *(holds(f"{one.label} is gone", one.id not in left and one.label not in labels, expected="gone",
                    found="there" if one.id in left else "gone") for one in some),
            equal("nothing is new", (), case.new, weight=0, integrity=True),
            rest_unchanged(case, free=[one.id for one in some]),
        ]  # fmt: skip

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        return [on(*getattr(sheet, str(wanted["kind"])), do=["app.delete"])]


class Relabel(InkTask):
    """Objects get labels, in order."""

    name = "relabel"
    template = (
        "In the list of objects, relabel the circles {dots}, in this order, to “{stem} 1”, “{stem} 2” and so on up to "
        "“{stem} {count}”." + SAVE
    )
    instances = {
        "marker": {"stem": "Marker", "some": "0 1 2 3"},
        "node": {"stem": "Node", "some": "4 3 2 1 0"},
        "pin": {"stem": "Pin", "some": "1 2 3"},
    }

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        dots = pick(sheet.dots, wanted["some"])
        return {"dots": listed(dots), "count": str(len(dots))}

    def verify(self, case: Case) -> Sequence[Check]:
        dots = pick(case.sheet.dots, case.wanted["some"])
        return [
            *(equal(f"{one.label} has its new label", f"{case.wanted['stem']} {number}", case.now(one).label)
              for number, one in enumerate(dots, 1)),
            still(case, dots, "all else about them is as before", but=("label",)),
            rest_unchanged(case, free=[one.id for one in dots]),
        ]  # fmt: skip

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        dots = pick(sheet.dots, wanted["some"])
        return [
            on(one, do=[set_attribute("inkscape:label", f"{wanted['stem']} {number}")])
            for number, one in enumerate(dots, 1)
        ]


def _groups(sheet: Sheet, wanted: Mapping[str, Any]) -> list[Named]:
    return [getattr(sheet, role) for role in str(wanted["roles"]).split()]


SCENARIOS = (
    GroupDots(),
    Ungroup(),
    FrontAndBack(),
    ToOtherLayer(),
    SetUpLayers(),
    NewTopLayer(),
    Discard(),
    Relabel(),
)
