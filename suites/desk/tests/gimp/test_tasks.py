"""GIMP's tasks: what they ask, that they can be done, and that the formulas of its tools are GIMP's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from fairground.core import Configuration, State
from fairground.verify import judge
from fairground.verify.reading.picture import Pixels, read_picture
from fairground.verify.reading.picture_measures import difference
from fairground.verify.reading.xcf import read_xcf, xcf_leaves
from fairground.worlds import World, open_seat, suite_of
from fairground_desk.gimp.inspector import GIMPRC
from fairground_desk.gimp.pictures import png
from fairground_desk.gimp.profiles import STUDIOS, build
from fairground_desk.gimp.scenarios import following
from fairground_desk.gimp.scriptfu import evaluate

pytestmark = pytest.mark.conformance


def world_of(scenario: str, instance: str, profile: str, theme: str = "light", ui_state: str = "usual") -> World:
    axes = {"instance": instance, "profile": profile, "theme": theme, "ui_state": ui_state}
    return World.of(suite_of("desk")[0], Configuration(suite="desk", app="gimp", scenario=scenario, **axes))


def recorded(profile: str) -> State:
    """What a seat would record at the start, without one."""
    found = dict(build(profile))
    return State(files=found, data={"files": [{"path": path, "kind": "file", "size": 1} for path in found]})


@pytest.mark.parametrize("profile", STUDIOS)
def test_a_profile_is_the_same_every_time_and_readable(profile: str) -> None:
    made = build(profile)
    build.cache_clear()
    assert made == build(profile) and len(made) >= 30
    studio = STUDIOS[profile]
    image = read_xcf(made[studio.project_path])
    assert [layer.name for layer in image.layers] == list(studio.layers)
    pictures = {path: read_picture(data).digest for path, data in made.items() if path.endswith((".jpg", ".png"))}
    assert len(set(pictures.values())) == len(pictures), "no two pictures are the same"


TOOLS: list[tuple[str, Callable[[Pixels], Pixels]]] = [
    ("(gimp-drawable-brightness-contrast drawable 0.25 -0.3)", lambda p: following.brightened(p, 32, -38)),
    ("(gimp-drawable-levels drawable HISTOGRAM-VALUE 0.1 0.8 TRUE 1.4 0 1 TRUE)",
     lambda p: following.leveled(p, 26, 1.4, 204)),
    ("(gimp-drawable-desaturate drawable DESATURATE-LUMINANCE)", lambda p: following.desaturated_as(p, "luminance")),
    ("(gimp-drawable-posterize drawable 4)", lambda p: following.posterized(p, 4)),
    ("(gimp-drawable-threshold drawable HISTOGRAM-VALUE 0.5 1.0)", lambda p: following.thresholded(p, 128)),
    ("(gimp-drawable-hue-saturation drawable HUE-RANGE-ALL 0 0 -60 0)", lambda p: following.resaturated(p, -60)),
    ("(plug-in-gauss RUN-NONINTERACTIVE image drawable 12 12 0)", lambda p: following.softened_as_sent(p, 4)),
    ("(plug-in-unsharp-mask RUN-NONINTERACTIVE image drawable 3.0 0.5 0)", lambda p: following.sharpened(p, 3, 0.5)),
]  # fmt: skip


@pytest.mark.slow
def test_the_formulas_of_the_tools_are_gimps_and_our_files_come_back_as_they_were() -> None:
    with open_seat(world_of("invert-photo", "film", "pathology-lab")) as seat:
        photo = read_picture(seat.before.file(STUDIOS["pathology-lab"].photo_path)).pixels
        place = f"{seat.sandbox.home}/out.png"
        for code, expected in TOOLS:
            evaluate(seat, _on_a_copy(code, place))
            gap = difference(read_picture(seat.sandbox.read_file(place)).pixels, expected(photo))
            assert gap.mean < 0.6, (code, gap)
        for profile, studio in STUDIOS.items():
            data = build(profile)[studio.project_path]
            seat.sandbox.write_file("~/in.xcf", data)
            evaluate(seat, _SAVED_AGAIN.replace("HOME", seat.sandbox.home))
            assert xcf_leaves(read_xcf(seat.sandbox.read_file("~/out.xcf"))) == xcf_leaves(read_xcf(data))


def _on_a_copy(code: str, place: str) -> str:
    return (
        "(let* ((image (car (gimp-image-duplicate (aref (cadr (gimp-image-list)) 0)))) "
        f"(drawable (car (gimp-image-get-active-drawable image)))) {code} "
        f'(file-png-save RUN-NONINTERACTIVE image drawable "{place}" "x" 0 6 0 0 0 0 0) (gimp-image-delete image))'
    )


_SAVED_AGAIN = """(let* ((image (car (gimp-file-load RUN-NONINTERACTIVE "HOME/in.xcf" "in.xcf"))))
(gimp-xcf-save RUN-NONINTERACTIVE image (car (gimp-image-get-active-drawable image)) "HOME/out.xcf" "out.xcf")
(gimp-image-delete image))"""


def test_a_near_miss_is_rejected() -> None:
    """A copy of the photograph that is a little too dark, and one that is upside down."""
    world = world_of("brightness-contrast", "lift", "roastery")
    state = recorded("roastery")
    photo = read_picture(state.file(STUDIOS["roastery"].photo_path)).pixels
    right = following.brightened(photo, 40, 15)
    for pixels, success in ((right, True), (following.brightened(photo, 34, 15), False), (np.flipud(right), False)):
        assert judge(world, state, _with_export(state, pixels), None).success == success


def _with_export(state: State, pixels: Pixels) -> State:
    path = "~/Pictures/Webshop/lifted.png"
    listing = [*state.get("files"), {"path": path, "kind": "file", "size": 1}]
    return State(files={**state.files, path: png(np.ascontiguousarray(pixels[..., :3]))}, data={"files": listing})


@pytest.mark.parametrize(
    ("added", "passes"),
    [
        (b"", True),
        (b"(fill-options (style solid))\n", True),
        (b"(tile-cache-size 1g)\n", False),
        (b"(default-snap-to-grid yes)\n", False),
        (b'(theme "Dark")\n', False),
    ],
)
def test_a_preference_that_was_not_there_before_is_a_change(added: bytes, passes: bool) -> None:
    profile = next(iter(STUDIOS))
    world = world_of("undo-and-history", "many", profile)
    start = recorded(profile)
    rest = b'(check-updates no)\n(theme "Light")\n'
    before = State({**start.files, GIMPRC: b"(undo-levels 20)\n(num-processors 2)\n" + rest}, start.data)
    done = b"(undo-levels 64)\n(save-document-history no)\n" + rest + added
    assert judge(world, before, State({**start.files, GIMPRC: done}, start.data)).success is passes
