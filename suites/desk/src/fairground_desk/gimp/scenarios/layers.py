"""Scenarios about single layers of the project, saved under its own name."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from fairground.core import Check, State
from fairground.verify import close_to, equal, holds
from fairground.verify.reading.picture_measures import rgb
from fairground.verify.reading.xcf import XcfImage, XcfLayer
from fairground.verify.reading.xcf_flatten import flattened
from fairground.worlds import Move, World
from fairground_desk.gimp.app import studio_of
from fairground_desk.gimp.scenarios.gimp_task import GimpTask, export, facts, layer_of, save, scheme
from fairground_desk.gimp.scenarios.judging import (
    has_size,
    image,
    is_format,
    looks,
    order,
    others_stay,
    picture,
    rest_stays,
)

_SAVE = " Leave everything else in the image as it is, and save it under its own name."


class ProjectTask(GimpTask):
    """Base class of scenarios that change the open project."""

    opens = "project"
    changes: ClassVar[tuple[str, ...]] = ("{folder}/{project}",)

    @abstractmethod
    def code(self, world: World) -> str:
        """Return the Scheme code that solves the task."""

    @abstractmethod
    def compare(self, world: World, before: XcfImage, after: XcfImage) -> Sequence[Check]:
        """Return the checks of the saved image against the original."""

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        path = studio_of(world).project_path
        return self.compare(world, image(before, path), image(after, path))

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [scheme(world, self.code(world)), *save()]


class RenameLayer(ProjectTask):
    """Rename a layer."""

    name = "rename-layer"
    template = 'In {project}, which is open, rename the layer "{role}" to "{to}".' + _SAVE
    instances = {
        "sign": {"role": "sign", "to": "Logo final"},
        "tint": {"role": "tint", "to": "Colour wash"},
        "ground": {"role": "ground", "to": "Base picture"},
    }

    def phrase(self, world: World) -> str:
        return with_role(self.template, world)

    def compare(self, world: World, before: XcfImage, after: XcfImage) -> Sequence[Check]:
        old, new = layer_of(studio_of(world), world.parameters["role"]), str(world.parameters["to"])
        names = order(after)
        renamed = [layer for layer in after.layers if layer.name == new]
        return [
            holds("there is a layer of that name", names.count(new) == 1, expected=new, found=names, weight=2.0),
            holds("the old name is gone", old not in names, found=names),
            equal("it is where it was", [new if name == old else name for name in order(before)], names),
            holds("it shows what it showed", bool(renamed) and renamed[0].digest == before[old].digest),
            holds("its settings are as they were", bool(renamed) and same_look(renamed[0], before[old])),
            others_stay(before, after, old, new),
        ]

    def code(self, world: World) -> str:
        return f'(gimp-item-set-name {role(world)} "{world.parameters["to"]}")'


class RestackLayer(ProjectTask):
    """Move a layer to another position in the stack."""

    name = "restack-layer"
    template = 'In {project}, which is open, move the layer "{role}" {where} of the stack of layers.' + _SAVE
    instances = {
        "sign-top": {"role": "sign", "where": "to the top", "place": 0},
        "tint-top": {"role": "tint", "where": "to the top", "place": 0},
        "sign-bottom": {"role": "sign", "where": "to the bottom", "place": 3},
        "caption-bottom": {"role": "caption", "where": "to the bottom", "place": 3},
    }

    def phrase(self, world: World) -> str:
        return with_role(self.template, world)

    def compare(self, world: World, before: XcfImage, after: XcfImage) -> Sequence[Check]:
        name, place = layer_of(studio_of(world), world.parameters["role"]), int(world.parameters["place"])
        rest = [entry for entry in order(before) if entry != name]
        wanted = [*rest[:place], name, *rest[place:]]
        names = order(after)
        at = names.index(name) if name in names else None
        return [
            equal("the layer is where it was asked for", place, at, weight=2.0),
            equal("the order is right", wanted, names, weight=2.0),
            holds(
                "the others kept their order",
                [entry for entry in names if entry != name] == rest and names != order(before),
            ),
            holds("it shows what it showed", at == place and after[name].digest == before[name].digest),
            rest_stays(before, after, "layers"),
        ]

    def code(self, world: World) -> str:
        top = world.parameters["place"] == 0
        return f"(gimp-image-{'raise' if top else 'lower'}-item-to-{'top' if top else 'bottom'} image {role(world)})"


class BlendLayer(ProjectTask):
    """Set the opacity and blend mode of a layer."""

    name = "blend-layer"
    template = (
        'In {project}, which is open, set the layer "{role}" to the mode {shown} with an opacity of {percent} percent.'
        + _SAVE
    )
    instances = {
        "multiply": {"role": "tint", "shown": "Multiply", "mode": "multiply", "percent": 60},
        "screen": {"role": "tint", "shown": "Screen", "mode": "screen", "percent": 45},
        "soft": {"role": "sign", "shown": "Overlay", "mode": "overlay", "percent": 80},
        "darken": {"role": "sign", "shown": "Darken only", "mode": "darken-only", "percent": 70},
    }

    def phrase(self, world: World) -> str:
        return with_role(self.template, world)

    def compare(self, world: World, before: XcfImage, after: XcfImage) -> Sequence[Check]:
        name, wanted = layer_of(studio_of(world), world.parameters["role"]), world.parameters
        layer, old = after[name], before[name]
        opacity = int(wanted["percent"]) / 100
        return [
            equal("the mode is right", wanted["mode"], layer.mode, weight=2.0),
            close_to("the opacity is right", opacity, layer.opacity, within=0.0006, weight=2.0),
            holds(
                "it is visible, and both were set",
                layer.visible and layer.mode != old.mode and layer.opacity != old.opacity,
            ),
            holds("its pixels are as they were", layer.digest == old.digest and layer.mode == wanted["mode"]),
            rest_stays(before, after, f"layer[{name}].mode", f"layer[{name}].opacity"),
        ]

    def code(self, world: World) -> str:
        mode = str(world.parameters["mode"]).upper()
        layer = role(world)
        opacity = f"(gimp-layer-set-opacity {layer} {world.parameters['percent']})"
        return f"(gimp-layer-set-mode {layer} LAYER-MODE-{mode}) {opacity}"


class HideLayer(ProjectTask):
    """Hide a layer, save, and export the result."""

    name = "hide-and-export"
    changes = ("{folder}/{project}", "{folder}/{name}.png")
    template = (
        'In {project}, which is open, hide the layer "{role}" (do not delete it) and save the image under its own '
        "name. "
        "Then export what is left to see as {name}.png to the folder {folder}. Change nothing else."
    )
    instances = {
        "no-sign": {"role": "sign", "name": "without-sign"},
        "no-tint": {"role": "tint", "name": "untinted"},
        "no-caption": {"role": "caption", "name": "no-text"},
    }

    def phrase(self, world: World) -> str:
        return with_role(self.template, world)

    def compare(self, world: World, before: XcfImage, after: XcfImage) -> Sequence[Check]:
        name = layer_of(studio_of(world), world.parameters["role"])
        layer = after[name]
        return [
            equal("the layer is hidden", False, layer.visible, weight=2.0),
            holds("it is still whole", not layer.visible and layer.digest == before[name].digest),
            rest_stays(before, after, f"layer[{name}].visible"),
        ]

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        studio = studio_of(world)
        saved = image(after, studio.project_path)
        exported = picture(after, f"{studio.home}/{world.parameters['name']}.png")
        return [
            *super().judge(world, before, after, answer),
            is_format(exported, "PNG"),
            *has_size(exported, *saved.size),
            looks("the picture shows what is left", exported.pixels, flattened(saved), mean=1.0),
        ]

    def code(self, world: World) -> str:
        return f"(gimp-item-set-visible {role(world)} FALSE)"

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = facts(world)
        return [*super().oracle(world, before), *export(f"{wanted['folder']}/{wanted['name']}.png")]


class MoveLayer(ProjectTask):
    """Move a layer on the canvas."""

    name = "move-layer"
    template = (
        'In {project}, which is open, move the layer "{role}" so that its left upper corner is at x = {x}, y = {y}.'
        + _SAVE
    )
    instances = {
        "sign-left": {"role": "sign", "x": 30, "y": 24},
        "sign-low": {"role": "sign", "x": 440, "y": 250},
        "caption-up": {"role": "caption", "x": 40, "y": 40},
        "caption-in": {"role": "caption", "x": 120, "y": 220},
    }

    def phrase(self, world: World) -> str:
        return with_role(self.template, world)

    def compare(self, world: World, before: XcfImage, after: XcfImage) -> Sequence[Check]:
        name, wanted = layer_of(studio_of(world), world.parameters["role"]), world.parameters
        layer, old = after[name], before[name]
        moved = (layer.x, layer.y) != (old.x, old.y)
        return [
            equal("x is right", [wanted["x"], True], [layer.x, moved], weight=2.0),
            equal("y is right", [wanted["y"], True], [layer.y, moved], weight=2.0),
            holds("it was moved and not altered", moved and layer.digest == old.digest),
            holds("it has the size that it had", moved and (layer.width, layer.height) == (old.width, old.height)),
            rest_stays(before, after, f"layer[{name}].x", f"layer[{name}].y"),
        ]

    def code(self, world: World) -> str:
        return f"(gimp-layer-set-offsets {role(world)} {world.parameters['x']} {world.parameters['y']})"


class DuplicateLayer(ProjectTask):
    """Duplicate a layer, then rename and move the copy."""

    name = "duplicate-layer"
    template = (
        'In {project}, which is open, duplicate the layer "{sign}". Name the copy "{to}", let it lie directly above '
        "the "
        "original, and place its left upper corner at x = {x}, y = {y}. The original stays where it is." + _SAVE
    )
    instances = {
        "left": {"to": "Second mark", "x": 20, "y": 24},
        "low": {"to": "Mark below", "x": 450, "y": 260},
        "middle": {"to": "Mark centre", "x": 240, "y": 140},
    }

    def compare(self, world: World, before: XcfImage, after: XcfImage) -> Sequence[Check]:
        old, wanted = studio_of(world).layers[1], world.parameters
        names = order(after)
        new = str(wanted["to"])
        copies = [layer for layer in after.layers if layer.name == new]
        copy = copies[0] if len(copies) == 1 else None
        expected = order(before)
        expected.insert(expected.index(old), new)
        return [
            equal("there is one layer of that name", 1, len(copies), weight=2.0),
            equal("it is directly above the original", expected, names),
            holds("it shows the same", copy is not None and copy.digest == before[old].digest, weight=2.0),
            equal("it is where it was asked for", [wanted["x"], wanted["y"]], [copy.x, copy.y] if copy else None),
            holds("it can be seen fully", copy is not None and copy.visible and copy.opacity == 1),
            others_stay(before, after, new),
        ]

    def code(self, world: World) -> str:
        """Layer > Duplicate Layer, then name and position."""
        return (
            "(let ((copy (car (gimp-layer-copy {old} FALSE)))) (gimp-image-insert-layer image copy 0 "
            '(car (gimp-image-get-item-position image {old}))) (gimp-item-set-name copy "{to}") '
            "(gimp-layer-set-offsets copy {x} {y}))"
        ).format_map({**world.parameters, "old": named(studio_of(world).layers[1])})


class DeleteLayer(ProjectTask):
    """Delete a layer."""

    name = "delete-layer"
    template = 'In {project}, which is open, delete the layer "{role}".' + _SAVE
    instances = {"sign": {"role": "sign"}, "tint": {"role": "tint"}, "caption": {"role": "caption"}}

    def phrase(self, world: World) -> str:
        return with_role(self.template, world)

    def compare(self, world: World, before: XcfImage, after: XcfImage) -> Sequence[Check]:
        name = layer_of(studio_of(world), world.parameters["role"])
        names = order(after)
        return [
            holds("the layer is gone", name not in names, found=names, weight=2.0),
            equal("the others are there, in order", [entry for entry in order(before) if entry != name], names),
            equal("there is one layer less", len(before.layers) - 1, len(after.layers)),
            others_stay(before, after, name),
        ]

    def code(self, world: World) -> str:
        return f"(gimp-image-remove-layer image {role(world)})"


class FillLayer(ProjectTask):
    """Add a new layer filled with one colour."""

    name = "new-colour-layer"
    template = (
        'In {project}, which is open, add a layer named "{to}" at the very top. It covers the whole canvas, is filled '
        "with "
        "the colour {color}, and has an opacity of {percent} percent in normal mode." + _SAVE
    )
    instances = {
        "dim": {"to": "Dim", "color": "#000000", "percent": 30},
        "veil": {"to": "Veil", "color": "#ffffff", "percent": 20},
        "brand": {"to": "Brand wash", "color": "#c0392b", "percent": 15},
    }

    def compare(self, world: World, before: XcfImage, after: XcfImage) -> Sequence[Check]:
        wanted = world.parameters
        new = str(wanted["to"])
        layer = next((layer for layer in after.layers if layer.name == new), None)
        if layer is None or layer.pixels is None:
            return [holds("there is a layer of that name", False, expected=new, found=order(after), weight=6.0)]
        covers = (layer.x, layer.y, layer.width, layer.height) == (0, 0, before.width, before.height)
        even = bool((layer.pixels == (*rgb(str(wanted["color"])), 255)).all())
        return [
            equal("it is at the top", [new, *order(before)], order(after), weight=2.0),
            holds("it covers the canvas", covers),
            holds("it is filled with the colour", even, expected=wanted["color"], weight=2.0),
            close_to("its opacity is right", int(wanted["percent"]) / 100, layer.opacity, within=0.0006),
            equal("its mode is normal", "normal", layer.mode, weight=0.5),
            others_stay(before, after, new),
        ]

    def code(self, world: World) -> str:
        """Layer > New Layer..., Edit > Fill with FG Color."""
        red, green, blue = rgb(str(world.parameters["color"]))
        return (
            "(let ((new (car (gimp-layer-new image (car (gimp-image-width image)) (car (gimp-image-height image)) "
            f'RGBA-IMAGE "{world.parameters["to"]}" {world.parameters["percent"]} LAYER-MODE-NORMAL)))) '
            f"(gimp-image-insert-layer image new 0 0) (gimp-context-set-foreground '({red} {green} {blue})) "
            "(gimp-drawable-fill new FILL-FOREGROUND))"
        )


def with_role(template: str, world: World) -> str:
    """Format the template with the name of the layer that the parameter `role` selects."""
    return template.format_map({**facts(world), "role": layer_of(studio_of(world), world.parameters["role"])})


def role(world: World) -> str:
    """Return Scheme code for the layer that the parameter `role` selects."""
    return named(layer_of(studio_of(world), world.parameters["role"]))


def named(name: str) -> str:
    """Return Scheme code that finds a layer by name."""
    return f'(layer "{name}")'


def same_look(one: XcfLayer, other: XcfLayer) -> bool:
    """Return whether two layers have the same position, size and blending."""
    names = ("x", "y", "width", "height", "opacity", "mode", "visible")
    return all(getattr(one, name) == getattr(other, name) for name in names)


SCENARIOS = (
    RenameLayer(), RestackLayer(), BlendLayer(), HideLayer(), MoveLayer(), DuplicateLayer(), DeleteLayer(), FillLayer(),
)  # fmt: skip
