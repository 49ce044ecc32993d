"""Scenarios that combine pictures: resize a set, place two side by side, add the sign or clear its background."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairground.core import Check, State
from fairground.verify import equal, holds
from fairground.verify.reading.picture_measures import color_at, cropped, difference, resized, transparent_share
from fairground.worlds import Move, World
from fairground_desk.gimp.app import studio_of
from fairground_desk.gimp.scenarios import following
from fairground_desk.gimp.scenarios.gimp_task import GimpTask, export, facts, scheme
from fairground_desk.gimp.scenarios.judging import has_size, is_format, looks, picture
from fairground_desk.gimp.scenarios.photo_shapes import save_jpeg, scale_to


class ResizeSet(GimpTask):
    """Export three pictures of a set in the same size."""

    name = "resize-set"
    opens = "photo"
    changes = ("{set_folder}/*-{suffix}.jpg",)
    template = (
        "The pictures {listed} in the folder {set_folder} are wanted smaller: {width} pixels wide, in proportion. "
        "Export each "
        'as a JPEG file beside it, with "-{suffix}" added to its name (so {example}). The pictures themselves, and '
        "all others, "
        "stay as they are."
    )
    instances = {
        "catalogue": {"width": 240, "suffix": "small", "first": 0},
        "preview": {"width": 160, "suffix": "preview", "first": 1},
        "mail": {"width": 320, "suffix": "mail", "first": 2},
    }
    step_budget = 120

    def phrase(self, world: World) -> str:
        names = [path.rpartition("/")[2] for path in self._paths(world)]
        listed = f"{', '.join(names[:-1])} and {names[-1]}"
        example = names[0].replace(".jpg", f"-{world.parameters['suffix']}.jpg")
        return self.template.format_map({**facts(world), "listed": listed, "example": example})

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        checks: list[Check] = []
        width, suffix = int(world.parameters["width"]), world.parameters["suffix"]
        for path in self._paths(world):
            was = picture(before, path)
            target = path.replace(".jpg", f"-{suffix}.jpg")
            name = path.rpartition("/")[2]
            there = target in after.files
            checks.append(holds(f"{name} has a copy", there))
            if there:
                copy = picture(after, target)
                height = round(was.height * width / was.width)
                right = copy.format == "JPEG" and copy.size == (width, height)
                checks.append(
                    holds(f"the copy of {name} has the size", right, expected=[width, height], found=copy.size)
                )
                checks.append(
                    looks(f"the copy shows {name}", copy.pixels, following.rescaled(was.pixels, *copy.size),
                          mean=5.0, share=0.1, weight=1.0)
                )  # fmt: skip
            else:
                checks += [holds(f"the copy of {name} has the size", False), holds(f"the copy shows {name}", False)]
        added = {path for path in after.files if path.startswith("~/Pictures") and path not in before.files}
        checks.append(equal("there are three new pictures", 3, len(added)))
        return checks

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        width, suffix = int(world.parameters["width"]), world.parameters["suffix"]
        moves: list[Move] = []
        for path in self._paths(world):
            target = path.replace(".jpg", f"-{suffix}.jpg")
            code = (
                f'(let* ((image (car (gimp-file-load RUN-NONINTERACTIVE "{path}" "{path}")))) {scale_to(width)} '
                f"{save_jpeg(target, 90)} (gimp-image-delete image))"
            )
            moves.append(scheme(world, code))
        return moves

    def _paths(self, world: World) -> tuple[str, ...]:
        first = int(world.parameters["first"])
        return studio_of(world).set_paths[first : first + 3]


class SideBySide(GimpTask):
    """Combine two pictures of the set into one."""

    name = "side-by-side"
    opens = "photo"
    changes = ("{folder}/{name}.png",)
    template = (
        "Make a new picture of {width} x {height} pixels from two pictures in the folder {set_folder}: the left half "
        "shows "
        "{one}, the right half {other}, each scaled to fill its half exactly ({half} x {height} pixels). Export it as "
        "{name}.png to the folder {folder}."
    )
    instances = {
        "pair": {"name": "pair", "width": 640, "height": 240, "half": 320, "first": 0, "then": 1},
        "compare": {"name": "comparison", "width": 480, "height": 180, "half": 240, "first": 2, "then": 3},
        "before-after": {"name": "before-after", "width": 800, "height": 300, "half": 400, "first": 4, "then": 0},
    }
    step_budget = 120

    def phrase(self, world: World) -> str:
        first, second = (path.rpartition("/")[2] for path in self._paths(world))
        return self.template.format_map({**facts(world), "one": first, "other": second})

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        studio, wanted = studio_of(world), world.parameters
        width, height, half = (int(wanted[name]) for name in ("width", "height", "half"))
        exported = picture(after, f"{studio.home}/{wanted['name']}.png")
        checks = [is_format(exported, "PNG"), *has_size(exported, width, height)]
        fits = exported.size == (width, height)
        for number, (side, path) in enumerate(zip(("left", "right"), self._paths(world), strict=True)):
            part = cropped(exported.pixels, (number * half, 0, half, height)) if fits else exported.pixels
            expected = following.rescaled(picture(before, path).pixels, half, height)
            checks.append(looks(f"the {side} half shows its picture", part, expected, mean=4.5, share=0.12))
        return checks

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        studio, wanted = studio_of(world), world.parameters
        width, height, half = (int(wanted[name]) for name in ("width", "height", "half"))
        parts = "".join(
            f'(let ((new (car (gimp-file-load-layer RUN-NONINTERACTIVE image "{path}")))) '
            f"(gimp-image-insert-layer image new 0 0) (gimp-layer-scale new {half} {height} FALSE) "
            f"(gimp-layer-set-offsets new {number * half} 0))"
            for number, path in enumerate(self._paths(world))
        )
        target = f"{studio.home}/{wanted['name']}.png"
        code = (
            f"(let* ((image (car (gimp-image-new {width} {height} RGB)))) {parts} "
            f"(let ((flat (car (gimp-image-flatten image)))) "
            f'(file-png-save RUN-NONINTERACTIVE image flat "{target}" "{target}" 0 9 0 0 0 1 1)) (gimp-image-delete '
            f"image))"
        )
        return [scheme(world, code)]

    def _paths(self, world: World) -> tuple[str, str]:
        paths = studio_of(world).set_paths
        return paths[int(world.parameters["first"])], paths[int(world.parameters["then"])]


class StampPhoto(GimpTask):
    """Place the sign on the photograph."""

    name = "stamp-photo"
    opens = "photo"
    changes = ("{folder}/{name}.png",)
    template = (
        "Put our sign {sign_file} onto {photo}: scaled to {side} x {side} pixels, fully opaque (with its white "
        "ground), its "
        "left upper corner at x = {x}, y = {y}. Export the result as {name}.png to the folder {folder}; neither of "
        "the two "
        "pictures may change."
    )
    instances = {
        "left": {"name": "stamped-left", "side": 80, "x": 16, "y": 16},
        "low": {"name": "stamped-low", "side": 100, "x": 20, "y": 240},
        "middle": {"name": "stamped-middle", "side": 120, "x": 180, "y": 120},
    }
    step_budget = 100

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        studio, wanted = studio_of(world), world.parameters
        side, x, y = (int(wanted[name]) for name in ("side", "x", "y"))
        photo, sign = picture(before, studio.photo_path), picture(before, studio.sign_path)
        exported = picture(after, f"{studio.home}/{wanted['name']}.png")
        expected = photo.pixels.copy()
        expected[y : y + side, x : x + side] = following.rescaled(sign.pixels, side, side)
        fits = exported.size == photo.size
        part = cropped(exported.pixels, (x, y, side, side)) if fits else exported.pixels
        around = exported.pixels.copy()
        if fits:
            around[y : y + side, x : x + side] = photo.pixels[y : y + side, x : x + side]
        clean = fits and difference(around, photo.pixels).mean < 0.2
        return [
            is_format(exported, "PNG"),
            *has_size(exported, *photo.size),
            looks("the sign is there", part, following.rescaled(sign.pixels, side, side), mean=6.0, share=0.15,
                  bias=3.0),
            looks("the whole looks right", exported.pixels, expected, mean=1.0, share=0.02, weight=2.0),
            holds("around it the photograph is as it was",
                  clean and difference(exported.pixels, photo.pixels).mean > 0.5),
        ]  # fmt: skip

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """File > Open as Layers..., scale, place, export by keys."""
        wanted = facts(world)
        path = studio_of(world).sign_path
        code = (
            f'(let ((new (car (gimp-file-load-layer RUN-NONINTERACTIVE image "{path}")))) '
            "(gimp-image-insert-layer image new 0 0) "
            f"(gimp-layer-scale new {wanted['side']} {wanted['side']} FALSE) "
            f"(gimp-layer-set-offsets new {wanted['x']} {wanted['y']}))"
        )
        return [scheme(world, code), *export(f"{wanted['folder']}/{wanted['name']}.png")]


class ClearSign(GimpTask):
    """Make the white background of the sign transparent."""

    name = "transparent-sign"
    opens = "sign"
    changes = ("{folder}/{name}.png",)
    template = (
        "{sign_file}, which is open, stands on white. Turn the white into transparency with Colors > Color to Alpha, "
        "scale the "
        "image to {side} x {side} pixels, and export it as {name}.png to the folder {folder}. {sign_file} itself "
        "stays as it is."
    )
    instances = {
        "large": {"name": "sign-clear", "side": 200},
        "letterhead": {"name": "sign-letterhead", "side": 120},
        "icon": {"name": "sign-icon", "side": 96},
    }

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        studio, side = studio_of(world), int(world.parameters["side"])
        sign = picture(before, studio.sign_path)
        exported = picture(after, f"{studio.home}/{world.parameters['name']}.png")
        alpha = exported.pixels[..., 3:].astype(np.float64) / 255
        shown = np.round(exported.pixels[..., :3] * alpha + 255 * (1 - alpha)).astype(np.uint8)
        on_white = np.dstack([shown, np.full(shown.shape[:2], 255, np.uint8)])
        corner = color_at(exported.pixels, 1, 1)[3]
        share = transparent_share(exported.pixels)
        edge = max(1, exported.width * 15 // 200), exported.height // 2
        return [
            is_format(exported, "PNG"),
            *has_size(exported, side, side),
            equal("the file can be transparent", True, exported.has_alpha),
            equal("the corners are transparent", 0, corner, weight=2.0),
            holds("about a third is transparent", 0.25 < share < 0.6, found=share),
            holds(
                "the sign itself is not",
                color_at(exported.pixels, *edge)[3] > 100,
                found=color_at(exported.pixels, *edge),
            ),
            looks(
                "on white it looks as before",
                on_white,
                resized(sign.pixels, side, side),
                following.rescaled(sign.pixels, side, side),
                mean=5.0,
                share=0.12,
                weight=2.0,
            ),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Colors > Color to Alpha..., Image > Scale Image..., export by keys."""
        wanted = facts(world)
        code = (
            "(gimp-layer-add-alpha drawable) (plug-in-colortoalpha RUN-NONINTERACTIVE image drawable '(255 255 255)) "
            f"(gimp-image-scale image {wanted['side']} {wanted['side']})"
        )
        return [scheme(world, code), *export(f"{wanted['folder']}/{wanted['name']}.png")]


SCENARIOS = (ResizeSet(), SideBySide(), StampPhoto(), ClearSign())
