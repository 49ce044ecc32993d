"""Scenarios that apply a colour tool to the photograph and export the result."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np

from fairground.core import Check, State
from fairground.verify import equal, holds
from fairground.verify.reading.picture import Picture, Pixels
from fairground.verify.reading.picture_measures import difference, inverted, is_grayscale, light
from fairground.worlds import Move, World
from fairground_desk.gimp.app import studio_of
from fairground_desk.gimp.pictures import png
from fairground_desk.gimp.scenarios import following
from fairground_desk.gimp.scenarios.gimp_task import GimpTask, export, facts, scheme
from fairground_desk.gimp.scenarios.judging import has_size, is_format, is_opaque, looks, picture

_CLEAR = 4  # levels around a threshold within which either result is accepted
_KEEP = " Export the result as {name}.png to the folder {folder}; the photograph itself must stay as it is."


class PhotoTool(GimpTask):
    """Base class of scenarios that apply a tool to the whole photograph and export a PNG."""

    opens = "photo"
    changes = ("{folder}/{name}.png",)
    tolerance = 0.8
    share = 0.01

    @abstractmethod
    def expected(self, world: World, pixels: Pixels) -> Sequence[Pixels]:
        """Return the acceptable results; several if GIMP has several ways."""

    @abstractmethod
    def code(self, world: World) -> str:
        """Return the Scheme code that applies the tool."""

    def more(self, world: World, before: Pixels, after: Picture) -> Sequence[Check]:
        """Return additional checks of the exported picture."""
        return ()

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        studio = studio_of(world)
        photo = picture(before, studio.photo_path)
        exported = picture(after, f"{studio.home}/{world.parameters['name']}.png")
        wanted = self.expected(world, photo.pixels)
        height, width = wanted[0].shape[:2]
        return [
            is_format(exported, "PNG"),
            *has_size(exported, width, height),
            looks("it looks as the tool makes it", exported.pixels, *wanted, mean=self.tolerance, share=self.share,
                  bias=max(1.5, self.tolerance)),
            is_opaque(exported),
            holds("it is not the photograph as it was", not difference(exported.pixels, photo.pixels).same_size
                  or difference(exported.pixels, photo.pixels).mean > 0.5),
            *self.more(world, photo.pixels, exported),
        ]  # fmt: skip

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = facts(world)
        return [scheme(world, self.code(world)), *export(f"{wanted['folder']}/{wanted['name']}.png")]

    def near_states(self, world: World, before: State, after: State) -> Mapping[str, State]:
        """Return the unchanged photograph, and the right result upside down and slightly too bright."""
        studio = studio_of(world)
        path = f"{studio.home}/{world.parameters['name']}.png"
        photo, right = picture(before, studio.photo_path).pixels, picture(after, path).pixels
        brighter = np.where(right < 250, right + 5, right).astype(np.uint8)
        wrong = {"nothing but an export": photo, "upside down": right[::-1], "a shade too bright": brighter}
        return {
            name: State({**after.files, path: png(np.ascontiguousarray(pixels[..., :3]))}, after.data, after.missing)
            for name, pixels in wrong.items()
        }


class InvertPhoto(PhotoTool):
    """Invert the colours."""

    name = "invert-photo"
    template = "Make a negative of {photo}: invert all of its colours." + _KEEP
    instances = {"negative": {"name": "negative"}, "film": {"name": "film-look"}, "draft": {"name": "draft-inverted"}}

    def expected(self, world: World, pixels: Pixels) -> Sequence[Pixels]:
        return [inverted(pixels)]

    def code(self, world: World) -> str:
        return "(gimp-drawable-invert drawable FALSE)"


class DesaturatePhoto(PhotoTool):
    """Desaturate with a given mode."""

    name = "desaturate-photo"
    template = (
        "Take the colour out of {photo} with Colors > Desaturate, in the mode {shown}. Leave the image in RGB mode."
        + _KEEP
    )
    instances = {
        "luminance": {"name": "gray-press", "shown": "Luminance", "how": "luminance"},
        "average": {"name": "gray-even", "shown": "Average (HSI Intensity)", "how": "average"},
        "value": {"name": "gray-bright", "shown": "Value (HSV)", "how": "value"},
        "lightness": {"name": "gray-soft", "shown": "Lightness (HSL)", "how": "lightness"},
    }

    def expected(self, world: World, pixels: Pixels) -> Sequence[Pixels]:
        return [following.desaturated_as(pixels, str(world.parameters["how"]))]

    def code(self, world: World) -> str:
        return f"(gimp-drawable-desaturate drawable DESATURATE-{str(world.parameters['how']).upper()})"

    def more(self, world: World, before: Pixels, after: Picture) -> Sequence[Check]:
        return [
            holds("it has no colour", is_grayscale(after.pixels)),
            holds("it is an RGB picture", after.mode in ("RGB", "RGBA"), expected="RGB", found=after.mode),
        ]


class BrightenPhoto(PhotoTool):
    """Adjust brightness and contrast."""

    name = "brightness-contrast"
    template = (
        "{photo} is not printed well. In Colors > Brightness-Contrast set the brightness to {brightness} and the "
        "contrast to {contrast}." + _KEEP
    )
    instances = {
        "lift": {"name": "lifted", "brightness": 40, "contrast": 15},
        "punch": {"name": "punchy", "brightness": 10, "contrast": 50},
        "moody": {"name": "moody", "brightness": -35, "contrast": 20},
        "flat": {"name": "flat", "brightness": 25, "contrast": -40},
    }
    tolerance = 1.2

    def expected(self, world: World, pixels: Pixels) -> Sequence[Pixels]:
        wanted = world.parameters
        return [following.brightened(pixels, int(wanted["brightness"]), int(wanted["contrast"]))]

    def code(self, world: World) -> str:
        bright, contrast = (int(world.parameters[name]) / 127 for name in ("brightness", "contrast"))
        return f"(gimp-drawable-brightness-contrast drawable {bright:.6f} {contrast:.6f})"

    def more(self, world: World, before: Pixels, after: Picture) -> Sequence[Check]:
        wanted = following.brightened(before, int(world.parameters["brightness"]), int(world.parameters["contrast"]))
        expected, actual = light(wanted).mean, light(after.pixels).mean
        return [holds("it is as bright as asked", abs(expected - actual) < 2, expected=expected, found=actual)]


class LevelPhoto(PhotoTool):
    """Adjust the levels."""

    name = "levels"
    template = (
        "Correct the tones of {photo} with Colors > Levels, for the channel Value: low input {low}, gamma {gamma}, "
        "high "
        "input {high}; the output levels stay at 0 and 255." + _KEEP
    )
    instances = {
        "open-shadows": {"name": "levels-open", "low": 0, "gamma": 1.5, "high": 230},
        "crisp": {"name": "levels-crisp", "low": 30, "gamma": 1.0, "high": 215},
        "deep": {"name": "levels-deep", "low": 20, "gamma": 0.8, "high": 250},
    }

    def expected(self, world: World, pixels: Pixels) -> Sequence[Pixels]:
        wanted = world.parameters
        return [following.leveled(pixels, int(wanted["low"]), float(wanted["gamma"]), int(wanted["high"]))]

    def code(self, world: World) -> str:
        low, high = (int(world.parameters[name]) / 255 for name in ("low", "high"))
        gamma = float(world.parameters["gamma"])
        return f"(gimp-drawable-levels drawable HISTOGRAM-VALUE {low:.6f} {high:.6f} TRUE {gamma} 0.0 1.0 TRUE)"


class PosterizePhoto(PhotoTool):
    """Posterize to a few levels per channel."""

    name = "posterize"
    template = "For a poster, reduce {photo} to {levels} levels a channel with Colors > Posterize." + _KEEP
    instances = {
        "three": {"name": "poster-3", "levels": 3},
        "four": {"name": "poster-4", "levels": 4},
        "six": {"name": "poster-6", "levels": 6},
    }

    def expected(self, world: World, pixels: Pixels) -> Sequence[Pixels]:
        return [following.posterized(pixels, int(world.parameters["levels"]))]

    def code(self, world: World) -> str:
        return f"(gimp-drawable-posterize drawable {world.parameters['levels']})"

    def more(self, world: World, before: Pixels, after: Picture) -> Sequence[Check]:
        shades = [len(set(after.pixels[..., channel].ravel().tolist())) for channel in range(3)]
        return [
            equal("each channel has that many shades at most", True, max(shades) <= int(world.parameters["levels"]))
        ]


class ThresholdPhoto(PhotoTool):
    """Reduce to black and white with a threshold."""

    name = "threshold"
    template = (
        "Make a black and white version of {photo} for the stencil cutter with Colors > Threshold, channel Value: "
        "white "
        "from {low} to 255, black below." + _KEEP
    )
    instances = {
        "middle": {"name": "stencil", "low": 128},
        "low": {"name": "stencil-light", "low": 90},
        "high": {"name": "stencil-dark", "low": 165},
    }
    # JPEG decoders differ by a level or two, which flips pixels close to the threshold.
    tolerance, share = 5.0, 0.025

    def expected(self, world: World, pixels: Pixels) -> Sequence[Pixels]:
        return [following.thresholded(pixels, int(world.parameters["low"]))]

    def code(self, world: World) -> str:
        return f"(gimp-drawable-threshold drawable HISTOGRAM-VALUE {int(world.parameters['low']) / 255:.6f} 1.0)"

    def more(self, world: World, before: Pixels, after: Picture) -> Sequence[Check]:
        shades = set(after.pixels[..., :3].ravel().tolist())
        value, low = before[..., :3].max(axis=2).astype(int), int(world.parameters["low"])
        clear = abs(value - low) > _CLEAR
        wrong = float(((after.pixels[..., 0] == 255) != (value >= low))[clear].mean()) if _alike(before, after) else 1.0
        return [
            equal("there is only black and white", [0, 255], sorted(shades)[:5]),
            holds("the line between them is where it was asked for", wrong < 0.0005, found=wrong),
        ]


class SaturatePhoto(PhotoTool):
    """Increase or reduce the saturation."""

    name = "saturation"
    template = "Change the saturation of {photo} by {saturation} with Colors > Hue-Saturation, for all colours." + _KEEP
    instances = {
        "paler": {"name": "pale", "saturation": -40},
        "faded": {"name": "faded", "saturation": -70},
        "livelier": {"name": "vivid", "saturation": 35},
    }
    tolerance = 1.2

    def expected(self, world: World, pixels: Pixels) -> Sequence[Pixels]:
        return [following.resaturated(pixels, int(world.parameters["saturation"]))]

    def code(self, world: World) -> str:
        return f"(gimp-drawable-hue-saturation drawable HUE-RANGE-ALL 0 0 {world.parameters['saturation']} 0)"

    def more(self, world: World, before: Pixels, after: Picture) -> Sequence[Check]:
        gap = light(after.pixels).saturation - light(before).saturation
        return [holds("the colours went the right way", gap * int(world.parameters["saturation"]) > 0, found=gap)]


class BlurPhoto(PhotoTool):
    """Apply a Gaussian blur."""

    name = "blur-photo"
    template = (
        "We need {photo} out of focus, as a background. Apply a Gaussian blur to it with a size of {size} pixels in "
        "both "
        "directions." + _KEEP
    )
    instances = {
        "soft": {"name": "backdrop-soft", "size": 2},
        "medium": {"name": "backdrop", "size": 4},
        "strong": {"name": "backdrop-strong", "size": 7},
    }
    tolerance = 1.0

    def expected(self, world: World, pixels: Pixels) -> Sequence[Pixels]:
        """Accept both of GIMP's Gaussian blurs: the dialog uses linear light, the older procedure does not."""
        size = float(world.parameters["size"])
        return [following.softened(pixels, size), following.softened_as_sent(pixels, size)]

    def code(self, world: World) -> str:
        """Filters > Blur > Gaussian Blur; the procedure takes three times the size of the dialog."""
        radius = 3 * int(world.parameters["size"])
        return f"(plug-in-gauss RUN-NONINTERACTIVE image drawable {radius} {radius} 0)"


class SharpenPhoto(PhotoTool):
    """Sharpen with an unsharp mask."""

    name = "sharpen-photo"
    template = (
        "{photo} needs sharpening before it is printed: Filters > Enhance > Sharpen (Unsharp Mask), radius {radius}, "
        "amount {amount}, threshold 0." + _KEEP
    )
    instances = {
        "fine": {"name": "sharp-fine", "radius": 2.0, "amount": 0.8},
        "print": {"name": "sharp-print", "radius": 3.0, "amount": 0.5},
        "strong": {"name": "sharp-strong", "radius": 4.0, "amount": 1.0},
    }
    tolerance = 1.2

    def expected(self, world: World, pixels: Pixels) -> Sequence[Pixels]:
        return [following.sharpened(pixels, float(world.parameters["radius"]), float(world.parameters["amount"]))]

    def code(self, world: World) -> str:
        """Filters > Enhance > Sharpen (Unsharp Mask)..."""
        wanted = world.parameters
        return f"(plug-in-unsharp-mask RUN-NONINTERACTIVE image drawable {wanted['radius']} {wanted['amount']} 0)"


def _alike(before: Pixels, after: Picture) -> bool:
    return before.shape == after.pixels.shape


SCENARIOS = (
    InvertPhoto(), DesaturatePhoto(), BrightenPhoto(), LevelPhoto(), PosterizePhoto(), ThresholdPhoto(),
    SaturatePhoto(), BlurPhoto(), SharpenPhoto(),
)  # fmt: skip
