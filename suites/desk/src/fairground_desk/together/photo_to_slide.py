"""PCManFM, GIMP and Impress: edit a photograph, export it, and place it on a slide."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from fairground.core import Check, State
from fairground.sandbox import Sandbox
from fairground.verify import equal, holds
from fairground.verify.reading.picture import Pixels, read_picture
from fairground.verify.reading.picture_measures import flipped, is_grayscale, rotated
from fairground.verify.reading.prose import Shape
from fairground.verify.reading.slides import Deck
from fairground.worlds import Enter, Move, Press, World
from fairground_desk.files.app import home_of
from fairground_desk.files.homes import HOMES
from fairground_desk.files.scenarios.plan import FilesTask, Plan, name_of, same_modes, shown
from fairground_desk.gimp import Gimp
from fairground_desk.gimp.preferences import CONFIG, gimprc, sessionrc
from fairground_desk.gimp.scenarios.following import desaturated_as
from fairground_desk.gimp.scenarios.gimp_task import export
from fairground_desk.gimp.scenarios.judging import has_size, is_format, looks
from fairground_desk.impress import Impress
from fairground_desk.impress.folders import folder_of
from fairground_desk.impress.talks import TALKS, Talk
from fairground_desk.impress.task import added_shapes, kept, on, read_deck
from fairground_desk.kit import rest, window
from fairground_desk.tasks import files_unchanged
from fairground_desk.together.opening import Together, open_from_folder, titled
from fairground_desk.together.prepared import prepare_profile

DECK: Final = "~/Documents/talk.odp"
EXPORTED: Final = "~/Pictures/for the slide.png"
_MIDDLE: Final = 2.0  # tolerance from the centre, in millimetres
_GREYS: Final = ("luminance", "luma", "average", "value", "lightness")
_KEYS: Final = {"grey": "ctrl+alt+g", "mirrored": "ctrl+alt+h", "turned": "ctrl+alt+r"}
# Shortcuts that this user assigned to entries of the menu Image, which have none by default.
_MENURC: Final = b"""(gtk_accel_path "<Actions>/image/image-convert-grayscale" "<Primary><Alt>g")
(gtk_accel_path "<Actions>/image/image-flip-horizontal" "<Primary><Alt>h")
(gtk_accel_path "<Actions>/image/image-rotate-90" "<Primary><Alt>r")
"""


class PhotoToSlide(Together, FilesTask):
    """Edit a photograph in GIMP and place it on a slide in Impress; both open from the file manager."""

    name = "photo-to-slide"
    also = (*Gimp.packages, *Impress.packages)
    opens_with = {
        "image/jpeg": "gimp.desktop",
        "application/vnd.oasis.opendocument.presentation": "libreoffice-impress.desktop",
    }
    step_budget = 150
    instances = {
        "grey": {"change": "grey", "words": "without colour (greyscale)", "photo": 0, "slide": 1},
        "mirrored": {"change": "mirrored", "words": "mirrored, left for right", "photo": 2, "slide": 2},
        "turned": {"change": "turned", "words": "turned by 90 degrees clockwise", "photo": 4, "slide": 3},
    }

    def phrase(self, world: World) -> str:
        wanted = world.parameters
        return (
            f"I need the photograph {shown(self._photo(world))} {wanted['words']}. Change it in the picture editor "
            f"(GIMP), at its full size, and export it as a PNG file {shown(EXPORTED)}; the photograph itself stays as "
            f"it is. Then open the presentation {shown(DECK)} and insert that PNG on slide {wanted['slide']}, "
            "embedded, not linked, in the middle of the slide and not distorted, as inserting places it. Nothing else "
            "in the presentation changes. Save it under its own name, in its own format."
        )

    def papers(self, world: World) -> Mapping[str, bytes]:
        """Return the presentation of a client of the profile's owner, and GIMP's settings."""
        dark, widgets = bool(world.theme.get("dark")), str(world.theme.get("widgets", "Adwaita"))
        return {
            DECK: folder_of(_talk_name(world))[_talk(world).path],
            f"{CONFIG}/gimprc": gimprc({}, dark=dark, widgets=widgets),
            f"{CONFIG}/sessionrc": sessionrc({}),
            f"{CONFIG}/menurc": _MENURC,
        }

    def setup(self, sandbox: Sandbox, world: World) -> None:
        """Also write the profiles of both programs, as after their first run."""
        prepare_profile(sandbox, Gimp(), CONFIG)
        prepare_profile(sandbox, Impress(), "~/.config/libreoffice")
        super().setup(sandbox, world)

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Check the picture and the slide, and guard all other files and permissions."""
        plan = Plan(empty=(EXPORTED,))
        return [
            *self._exported(world, before, after),
            *self._placed(world, before, after),
            files_unchanged(before, after, (DECK, EXPORTED)),
            same_modes(plan, before, _without_locks(after), ()),
        ]

    def _exported(self, world: World, before: State, after: State) -> list[Check]:
        photo = read_picture(before.file(self._photo(world)))
        if EXPORTED not in after.files:
            return [holds("the PNG is there", False, expected=EXPORTED)]
        exported = read_picture(after.file(EXPORTED))
        wanted = _changed(photo.pixels, str(world.parameters["change"]))
        height, width = wanted[0].shape[:2]
        grey = (
            [holds("it has no colour", is_grayscale(exported.pixels))] if world.parameters["change"] == "grey" else []
        )
        return [
            holds("the PNG is there", True, expected=EXPORTED),
            is_format(exported, "PNG"),
            *has_size(exported, width, height),
            *grey,
            looks("it is the photograph, changed as asked", exported.pixels, *wanted, mean=3.0, share=0.03),
        ]

    def _placed(self, world: World, before: State, after: State) -> list[Check]:
        was, now = read_deck(before.file(DECK)), read_deck(after.file(DECK))
        place = int(world.parameters["slide"]) - 1
        name = was.slides[place].name
        same = len(now.slides) == len(was.slides)
        new, pattern = added_shapes(was.slides[place], now.slides[place]) if same else ([], "\0")
        digest = hashlib.sha256(after.files.get(EXPORTED, b"")).hexdigest()
        inside = [shape.picture.digest if shape.picture else "" for shape in new]
        return [
            equal("the slide has one picture more", ["image"], [shape.kind for shape in new]),
            holds(
                "it is the exported picture, embedded", inside == [digest], expected=[digest], found=inside, weight=2.0
            ),
            _in_the_middle(new, now),
            *kept(was, now, [on(name, pattern)]),
            equal(
                "the slides are the same, in order", [slide.name for slide in was.slides],
                [slide.name for slide in now.slides], weight=0.0, integrity=True,
            ),
        ]  # fmt: skip

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted, photo = world.parameters, self._photo(world)
        stem = re.escape(name_of(photo).rpartition(".")[0])
        slides = [Press("Next")] * (int(wanted["slide"]) - 1)
        return [
            *open_from_folder(photo, rf"^\S*{stem}.*GIMP"), Press(_KEYS[str(wanted["change"])]), rest(),
            *export(EXPORTED), rest(), Press("alt+Tab"), rest(),
            *open_from_folder(DECK, titled(DECK)), *slides, Press("alt+i"), rest(), Press("Return"),
            window("^Insert Image$"), rest(), Enter(EXPORTED), rest(), Press("Return"),
            window("^Insert Image$", gone=True), rest(), Press("escape"), Press("ctrl+s"), rest(),
        ]  # fmt: skip

    def near_states(self, world: World, before: State, after: State) -> Mapping[str, State]:
        plain = replace(after, files={**after.files, EXPORTED: before.file(self._photo(world))})
        return {"the photograph itself under the new name": plain}

    def _photo(self, world: World) -> str:
        home, at = home_of(world), int(world.parameters["photo"])
        return f"~/Pictures/{home.second}/{home.subjects[at]}-{at + 1}.jpg"


def _changed(pixels: Pixels, change: str) -> list[Pixels]:
    """The accepted results; there are several ways to desaturate."""
    if change == "grey":
        return [desaturated_as(pixels, how) for how in _GREYS]
    return [flipped(pixels, "horizontal") if change == "mirrored" else rotated(pixels, 90)]


def _in_the_middle(new: Sequence[Shape], deck: Deck) -> Check:
    """Check that the new picture is centred on its slide, upright and not distorted."""
    if len(new) != 1 or not new[0].height:
        return holds("it is in the middle of the slide, not distorted", False, found=[shape.kind for shape in new])
    shape = new[0]
    off = (abs(shape.x + shape.width / 2 - deck.width / 2), abs(shape.y + shape.height / 2 - deck.height / 2))
    sides = sorted((shape.width, shape.height))
    good = max(off) <= _MIDDLE and not shape.rotation and abs(sides[1] / sides[0] - 1.5) <= 0.03
    return holds(
        "it is in the middle of the slide, not distorted", good, expected="in the middle, 3 to 2",
        found=(shape.x, shape.y, shape.width, shape.height, shape.rotation),
    )  # fmt: skip


def _without_locks(state: State) -> State:
    """Leave out the permissions of LibreOffice's lock files."""
    modes = {path: mode for path, mode in state.get("modes").items() if not name_of(path).startswith(".~lock.")}
    return State(data={"files": state.get("files"), "modes": modes})


def _talk_name(world: World) -> str:
    return list(TALKS)[list(HOMES).index(world.configuration.profile)]


def _talk(world: World) -> Talk:
    return TALKS[_talk_name(world)]


SCENARIOS = (PhotoToSlide(),)
