"""Base class and building blocks of the GIMP scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from fairground.core import Check, Parameter, State
from fairground.verify import holds
from fairground.worlds import Command, Enter, Move, Press, World
from fairground_desk.gimp.app import opened, studio_of
from fairground_desk.gimp.profiles import Studio
from fairground_desk.kit import window
from fairground_desk.tasks import DeskTask, files_unchanged


class GimpTask(DeskTask):
    """Base class of GIMP scenarios; templates may name the profile's files and layers, such as `{photo}`.

    Attributes:
        opens: Role of the picture opened at the start: `photo`, `second`, `sign` or `project`.
    """

    app = "gimp"
    opens: ClassVar[str] = "project"
    step_budget = 60

    def phrase(self, world: World) -> str:
        return self.template.format_map(facts(world))

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Add the guard over all other files; `changes` may also name the profile's files."""
        allowed = [path.format_map(facts(world)) for path in self.changes]
        guard = files_unchanged(before, after, allowed)
        missing = [path for path in allowed if "*" not in path and path not in after.files]
        if missing:  # not created yet, or deleted: nothing else can be checked
            return [*(holds(f"{path.rpartition('/')[2]} is there", False, expected=path) for path in missing), guard]
        return [*self.judge(world, before, after, answer), guard]


def facts(world: World) -> dict[str, Parameter]:
    """Return the values that an instruction can name: the parameters, and files and layers by role."""
    studio = studio_of(world)
    named = dict(zip(("caption", "sign", "tint", "ground"), studio.layers, strict=True))
    common: dict[str, Parameter] = {
        **world.parameters,
        "folder": studio.home,
        "photo": f"{studio.photo[0]}.jpg",
        "photo_stem": studio.photo[0],
        "second": f"{studio.second[0]}.jpg",
        "second_stem": studio.second[0],
        "sign_file": f"{studio.sign}.png",
        "project": f"{studio.project}.xcf",
        "project_stem": studio.project,
        "set_folder": f"{studio.home}/{studio.set_folder}",
        "slides": studio.slides_folder,
        "said": studio.caption,
        **named,
    }
    return common | {
        name: named[str(value)] for name, value in world.parameters.items() if value in named and name != "role"
    }


def layer_of(studio: Studio, role: object) -> str:
    """Return the name of the layer with a role: `caption`, `sign`, `tint` or `ground`."""
    return studio.layers[("caption", "sign", "tint", "ground").index(str(role))]


def scheme(world: World, code: str, image: str = "") -> Command:
    """Run Scheme code on the opened image, or on another open image."""
    path = image or opened(world)
    return Command("script-fu", {"image": path.rpartition("/")[2], "code": code})


def save() -> list[Move]:
    """Save an XCF image under its own name."""
    return [Press("escape"), Press("ctrl+s"), window(r"^\*", gone=True)]


def export(path: str) -> list[Move]:
    """Export the active image with GIMP's default options."""
    dialog = "^Export Image as "
    return [
        *_named("ctrl+shift+e", "^Export Image$", path),
        window(dialog),
        Press("return"),
        window("^Export Image", gone=True),
    ]


def save_as(path: str) -> list[Move]:
    """Save an XCF image under another name."""
    return [*_named("ctrl+shift+s", "^Save Image$", path), window("^Save Image$", gone=True), window(r"^\*", gone=True)]


def _named(keys: str, dialog: str, path: str) -> list[Move]:
    return [Press("escape"), Press(keys), window(dialog), Press("ctrl+a"), Enter(f"{path}\n")]
