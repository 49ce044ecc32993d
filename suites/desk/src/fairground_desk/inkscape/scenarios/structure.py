"""Scenarios about groups, stacking order, layers, labels and deletion."""

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
    """Group some dots and label the group."""

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
        dots = pick(case.sheet.dots, case.wanted["dots"])
        group = case.new[0] if len(case.new) == 1 and case.new[0].kind == "group" else None
        inside = {item.id for item in case.after.inside(group.id)} if group else set()
        main = case.sheet.layers.main.id
        return [
            equal("one new group", ["group"], [item.kind for item in case.new]),
            equal("it has the label", str(case.wanted["label"]), group.label if group else None),
            equal("it holds those circles", sorted(dot.id for dot in dots), sorted(inside)),
            equal("it is directly on the layer", (main,), group.parents if group else None),
            still(case, dots, "they are where they were", but=("parents",)),
            rest_unchanged(case, free=[*(dot.id for dot in dots), *(item.id for item in case.new)]),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        """Group the dots, then label the new group, which is selected."""
        steps = ["app.selection-group", set_attribute("inkscape:label", str(wanted["label"]))]
        return [on(*pick(sheet.dots, wanted["dots"]), do=steps)]


class Ungroup(InkTask):
    """Ungroup one or both groups."""

    name = "ungroup"
    template = (
        "Take the group “{group}” apart, so that the objects in it lie directly on its layer and the group is gone. "
        "They keep their labels, looks and places." + SAVE
    )
    instances = {"legend": {"roles": "legend"}, "stamp": {"roles": "stamp"}, "both": {"roles": "legend stamp"}}

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        groups = _groups(sheet, wanted)
        return {"group": "” and the group “".join(group.label for group in groups)}

    def verify(self, case: Case) -> Sequence[Check]:
        checks, free = [], []
        for group in _groups(case.sheet, case.wanted):
            parts = case.before.inside(group.id)
            free += [group.id, *(part.id for part in parts)]
            left = {item.id: item for item in case.after.objects}
            layer = case.was(group).parents
            checks += [
                holds(f"{group.label} is gone", group.id not in left, expected="gone", found=group.id in left),
                equal(f"the parts of {group.label} are on its layer", [layer] * len(parts),
                      [left[part.id].parents if part.id in left else None for part in parts]),
                still(case, [Named(part.id, "") for part in parts], f"the parts of {group.label} look as before",
                      but=("parents", "geometry", "transform")),
                equal(f"the parts of {group.label} kept their order", [part.id for part in parts],
                      [item.id for item in case.after.objects if item.id in {part.id for part in parts}], weight=0,
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
    """Raise one object to the top of its layer and lower another to the bottom."""

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
        front, back = self._pair(case.sheet, case.wanted)
        main = case.sheet.layers.main.id
        was, now = (
            [item.id for item in drawing.objects if item.parents == (main,)] for drawing in (case.before, case.after)
        )
        remaining = [[name for name in names if name not in (front.id, back.id)] for names in (was, now)]
        inside = [
            part.id for item in (front, back) for part in case.before.inside(item.id) if case.was(item).kind == "group"
        ]
        moved = (front, back, *(Named(name, "") for name in inside))
        return [
            equal("it is in front of all others", front.id, now[-1] if now else None, weight=2),
            equal("it is behind all others", back.id, now[0] if now else None, weight=2),
            equal("the others kept their order", remaining[0], remaining[1], weight=0, integrity=True),
            still(case, moved, "both are as and where they were", but=()),
            rest_unchanged(case, free=[item.id for item in moved]),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        front, back = self._pair(sheet, wanted)
        return [on(front, do=["app.selection-top"]), on(back, do=["app.selection-bottom"])]

    def _pair(self, sheet: Sheet, wanted: Mapping[str, Any]) -> tuple[Named, Named]:
        block = sheet.blocks[int(wanted["block"])]
        return block if wanted["front"] == "block" else getattr(sheet, str(wanted["front"])), getattr(
            sheet, str(wanted["back"])
        )


class ToOtherLayer(InkTask):
    """Move objects to another layer."""

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
        source, target = self._layers(sheet, wanted)
        return {"objects": listed(self._some(sheet, wanted)), "source": source.label, "target": target.label}

    def verify(self, case: Case) -> Sequence[Check]:
        objects = self._some(case.sheet, case.wanted)
        _, target = self._layers(case.sheet, case.wanted)
        return [
            *(equal(f"{item.label} is on the other layer", (target.id,), case.now(item).parents) for item in objects),
            equal("nothing is new", (), case.new, weight=0, integrity=True),
            still(case, objects, "they are where they were", but=("parents", "layer")),
            rest_unchanged(case, free=[item.id for item in objects]),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        return [on(*self._some(sheet, wanted), do=[_ABOVE if wanted["up"] else _BELOW])]

    def _some(self, sheet: Sheet, wanted: Mapping[str, Any]) -> tuple[Named, ...]:
        return pick(getattr(sheet, str(wanted["kind"])), wanted["some"])

    def _layers(self, sheet: Sheet, wanted: Mapping[str, Any]) -> tuple[Named, Named]:
        main, labels = sheet.layers.main, sheet.layers.labels
        return (main, labels) if wanted["up"] else (labels, main)


class SetUpLayers(InkTask):
    """Show, hide, lock, unlock and rename layers."""

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
            free = {name for target, name in ((renamed, "label"), (shown, "visible"), (locked, "locked"))
                    if target == layer}  # fmt: skip
            checks.append(still(case, (layer,), f"nothing but that changed ({part})", but=tuple(sorted(free))))
        ids = [changed.id for changed in (renamed, shown, locked)]
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
    """Add a layer on top and move two objects to it."""

    name = "new-top-layer"
    template = (
        "Add a layer named “{label}” above all other layers, and move “{plate}” and “{tab}” onto it. They stay at "
        "their places on the page." + SAVE
    )
    instances = {"signs": {"label": "Signs"}, "cut": {"label": "Cut outs"}, "foil": {"label": "Foil print 2"}}

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"plate": sheet.plate.label, "tab": sheet.tab.label}

    def verify(self, case: Case) -> Sequence[Check]:
        new = case.new[0] if len(case.new) == 1 and case.new[0].kind == "layer" else None
        pair = (case.sheet.plate, case.sheet.tab)
        top = case.after.layers[-1].id if case.after.layers else ""
        return [
            equal("one new layer", ["layer"], [item.kind for item in case.new]),
            equal("it has its name", str(case.wanted["label"]), new.label if new else None),
            holds("it is above all others", new is not None and new.id == top and not new.parents,
                  expected="the topmost", found=[layer.label for layer in case.after.layers]),
            *(equal(f"{item.label} is on it", (new.id,) if new else ("?",), case.now(item).parents) for item in pair),
            holds("it can be seen", new is None or new.visible, weight=0, expected="visible", found=new is not None),
            still(case, pair, "they are where they were", but=("parents", "layer")),
            rest_unchanged(case, free=[*(item.id for item in pair), *(item.id for item in case.new)]),
        ]  # fmt: skip

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        """Add a layer above the current one, raise it to the top, then move both objects up layer by layer."""
        return [
            on(sheet.plate, do=["win.layer-new"]),
            Press("ctrl+a"),
            Enter(f"{wanted['label']}\n"),
            actions("win.layer-top"),
            on(sheet.plate, sheet.tab, do=[_ABOVE, _ABOVE, _ABOVE]),
        ]


class Discard(InkTask):
    """Delete all objects of a kind."""

    name = "discard"
    template = "Delete {what} from the drawing; there are {count} of them: {objects}." + SAVE
    instances = {
        "drafts": {"kind": "drafts", "what": "everything that is marked as a draft (hidden layers have some too)"},
        "dots": {"kind": "dots", "what": "all circles of that row"},
        "links": {"kind": "links", "what": "these lines"},
    }

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        objects = getattr(sheet, str(wanted["kind"]))
        return {"count": str(len(objects)), "objects": listed(objects)}

    def verify(self, case: Case) -> Sequence[Check]:
        removed = getattr(case.sheet, str(case.wanted["kind"]))
        left = {item.id for item in case.after.objects}
        labels = [item.label for item in case.after.objects]
        return [
            *(holds(f"{item.label} is gone", item.id not in left and item.label not in labels, expected="gone",
                    found="there" if item.id in left else "gone") for item in removed),
            equal("nothing is new", (), case.new, weight=0, integrity=True),
            rest_unchanged(case, free=[item.id for item in removed]),
        ]  # fmt: skip

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        return [on(*getattr(sheet, str(wanted["kind"])), do=["app.delete"])]


class Relabel(InkTask):
    """Label objects in order."""

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
            *(equal(f"{dot.label} has its new label", f"{case.wanted['stem']} {number}", case.now(dot).label)
              for number, dot in enumerate(dots, 1)),
            still(case, dots, "all else about them is as before", but=("label",)),
            rest_unchanged(case, free=[dot.id for dot in dots]),
        ]  # fmt: skip

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        dots = pick(sheet.dots, wanted["some"])
        return [
            on(dot, do=[set_attribute("inkscape:label", f"{wanted['stem']} {number}")])
            for number, dot in enumerate(dots, 1)
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
