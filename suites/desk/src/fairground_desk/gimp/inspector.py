"""What can be asked about GIMP: pictures and images in its folders, its settings and history, what is not saved."""

from __future__ import annotations

from typing import Any

from fairground.core import Check, InvalidInput, State, StateError
from fairground.verify import close_to, contains, equal, holds
from fairground.verify.reading.picture import Picture, Pixels, read_picture
from fairground.verify.reading.picture_measures import (
    color_at,
    difference,
    dominant_colors,
    light,
    rgb,
    sharpness,
    transparent_share,
)
from fairground.verify.reading.picture_metadata import read_metadata
from fairground.verify.reading.settings import read_recent_files, read_sexpressions, setting
from fairground.verify.reading.xcf import XcfImage, XcfLayer, read_xcf
from fairground.verify.reading.xcf_flatten import flattened
from fairground.worlds import Inspector

GIMPRC = "~/.config/GIMP/2.10/gimprc"
RECENT = "~/.local/share/recently-used.xbel"
UNSAVED = "unsaved:"

GIMP = Inspector(
    "gimp",
    channels={
        "saved files": "pictures (PNG, JPEG, ...) and images (XCF) in `~/Pictures` and `~/Documents`",
        "settings": f"`{GIMPRC}`, which GIMP writes when the preferences are confirmed",
        "history": f"`{RECENT}`, which GIMP writes when a file is opened, saved or exported",
        "Script-Fu": "which images are open and unsaved; a copy of those is recorded as `unsaved:` and their path",
    },
)


@GIMP.query("files", name="files")
def files_(state: State, folder: str = "~/Pictures", ending: str = "") -> list[dict[str, Any]]:
    """Files and folders below a folder.

    Args:
        folder: Where to look.
        ending: Only names that end so, such as `.png`.
    """
    start = folder.rstrip("/") + "/"
    return [entry for entry in state.get("files") if entry["path"].startswith(start) and entry["path"].endswith(ending)]


@GIMP.query("content", name="picture")
def picture_(state: State, path: str) -> dict[str, Any]:
    """A picture without its pixels: format, size, mode, transparency, resolution, JPEG quality, digest.

    Args:
        path: Of a PNG, JPEG, GIF, WebP, BMP or TIFF file.
    """
    return _picture(state, path).to_json()


@GIMP.query("content")
def pixel(state: State, path: str, x: int, y: int, radius: int = 0) -> list[int]:
    """Red, green, blue and alpha at a point.

    Args:
        path: Of a picture, or of an image, which is then flattened.
        x: From the left.
        y: From the top.
        radius: Takes the median of the square around it.
    """
    return list(color_at(_pixels(state, path), x, y, radius=radius))


@GIMP.query("content")
def colours(state: State, path: str, count: int = 5) -> list[dict[str, Any]]:
    """The most frequent colours and their shares.

    Args:
        path: Of a picture or image.
        count: How many.
    """
    return [{"color": color, "share": round(share, 4)} for color, share in dominant_colors(_pixels(state, path), count)]


@GIMP.query("formatting")
def tones(state: State, path: str) -> dict[str, float]:
    """Brightness, contrast, saturation, sharpness, and the share that is transparent.

    Args:
        path: Of a picture or image.
    """
    pixels = _pixels(state, path)
    measures = {name: round(value, 3) for name, value in vars(light(pixels)).items()}
    return {**measures, "sharpness": round(sharpness(pixels), 2), "transparent": round(transparent_share(pixels), 4)}


@GIMP.query("metadata")
def metadata(state: State, path: str) -> dict[str, Any]:
    """EXIF, XMP, IPTC, text and comment of a picture.

    Args:
        path: Of the picture.
    """
    return read_metadata(state.file(path)).to_json()


@GIMP.query("metadata")
def comment(state: State, path: str) -> str:
    """The comment of a picture or image.

    Args:
        path: Of the file.
    """
    return _image(state, path).comment if path.endswith(".xcf") else read_metadata(state.file(path)).comment


@GIMP.query("structure", name="image")
def image_(state: State, path: str) -> dict[str, Any]:
    """An image without its layers: size, kind of colours, precision, resolution, unit, colour map, active layer.

    Args:
        path: Of an XCF file; `unsaved:` before it asks for what was not saved.
    """
    image = _image(state, path, pixels=False)
    names = ("width", "height", "base", "precision", "resolution", "unit", "colormap", "comment", "active_layer")
    return {name: getattr(image, name) for name in names} | {"layers": len(image.layers)}


@GIMP.query("structure")
def layers(state: State, path: str) -> list[dict[str, Any]]:
    """The layers of an image from the top: path, size, place, visibility, opacity, mode, kind.

    Args:
        path: Of an XCF file.
    """
    names = ("width", "height", "x", "y", "visible", "opacity", "mode", "group")
    stack = _image(state, path, pixels=False).layers
    return [
        {
            "path": "/".join(layer.path),
            **{name: getattr(layer, name) for name in names},
            "text": layer.text is not None,
            "mask": layer.mask is not None,
        }
        for layer in stack
    ]


@GIMP.query("formatting")
def layer(state: State, path: str, name: str) -> dict[str, Any]:
    """One layer with all of its settings, and a digest of its pixels.

    Args:
        path: Of an XCF file.
        name: Of the layer; names joined by `/` for one in a group.
    """
    chosen = _layer(state, path, name)
    hidden = ("pixels", "parasites", "mask", "text")
    return {key: value for key, value in vars(chosen).items() if key not in hidden}


@GIMP.query("content")
def text(state: State, path: str, name: str) -> dict[str, Any]:
    """What a text layer says: text, font, size, colour.

    Args:
        path: Of an XCF file.
        name: Of the layer.
    """
    content = _layer(state, path, name).text
    if content is None:
        raise StateError(f"the layer {name!r} is no text layer")
    return {key: value for key, value in vars(content).items() if key != "settings"}


@GIMP.query("structure")
def mask(state: State, path: str, name: str) -> dict[str, Any]:
    """A layer's mask: whether it is applied, and how much of it shows the layer, from 0 to 1.

    Args:
        path: Of an XCF file.
        name: Of the layer.
    """
    layer_mask = _layer(state, path, name).mask
    if layer_mask is None or layer_mask.pixels is None:
        raise StateError(f"the layer {name!r} has no mask")
    return {
        "applied": layer_mask.applied,
        "shown": layer_mask.shown,
        "white": round(float(layer_mask.pixels.mean()) / 255, 4),
    }


@GIMP.query("structure")
def guides(state: State, path: str) -> list[dict[str, Any]]:
    """The guides of an image.

    Args:
        path: Of an XCF file.
    """
    return [{"orientation": guide.orientation, "position": guide.position} for guide in _image(state, path).guides]


@GIMP.query("structure", name="channels-and-paths")
def channels_and_paths(state: State, path: str) -> dict[str, list[str]]:
    """Names of the channels and paths that somebody added to an image.

    Args:
        path: Of an XCF file.
    """
    image = _image(state, path, pixels=False)
    return {"channels": [channel.name for channel in image.channels], "paths": [vector.name for vector in image.paths]}


@GIMP.query("settings", name="setting")
def setting_(state: State, name: str) -> list[Any]:
    """A setting of GIMP; an error where the file does not say it, so that GIMP's default holds.

    Args:
        name: Such as `undo-levels`; parts are joined by dots, as in `default-image.width`.
    """
    value = setting(read_sexpressions(state.file(GIMPRC)), *name.split("."))
    if value is None:
        raise StateError(f"{GIMPRC} does not say {name!r}")
    return list(value)


@GIMP.query("history")
def recent(state: State) -> list[str]:
    """Paths of the files that were opened, saved or exported lately."""
    if RECENT not in state.files:
        return []
    return [document.path for document in read_recent_files(state.file(RECENT))]


@GIMP.query("live")
def images(state: State) -> list[dict[str, Any]]:
    """The images that were open when the attempt ended: name, path, size, layers, whether anything is unsaved."""
    return _live(state)


@GIMP.query("live")
def unsaved(state: State) -> list[str]:
    """Paths or names of open images with changes that are not saved."""
    return [str(image["path"] or image["name"]) for image in _live(state) if image["unsaved"]]


@GIMP.check("content", name="check-size")
def check_size(state: State, path: str, width: int, height: int, within: int = 0) -> Check:
    """Whether a picture or image has a size.

    Args:
        path: Of the file.
        width: In pixels.
        height: In pixels.
        within: How far each may be off.
    """
    size = _image(state, path, pixels=False).size if path.endswith(".xcf") else _picture(state, path).size
    near = abs(size[0] - width) <= within and abs(size[1] - height) <= within
    return holds(f"{path} is {width} x {height}", near, expected=[width, height], found=list(size))


@GIMP.check("content", name="check-pixel")
def check_pixel(state: State, path: str, x: int, y: int, color: str, within: int = 8) -> Check:
    """Whether a point has a colour.

    Args:
        path: Of a picture or image.
        x: From the left.
        y: From the top.
        color: Such as `#ff8800`.
        within: How far each channel may be off.
    """
    actual, wanted = color_at(_pixels(state, path), x, y), rgb(color)
    near = actual[3] > 0 and all(abs(value - target) <= within for value, target in zip(actual, wanted, strict=False))
    return holds(f"{path} is {color} at {x}, {y}", near, expected=color, found=list(actual))


@GIMP.check("content", name="check-same")
def check_same(state: State, path: str, other: str, mean: float = 1.0) -> Check:
    """Whether two pictures look the same.

    Args:
        path: Of a picture or image.
        other: Of another.
        mean: How much channels may differ on average, of 255.
    """
    gap = difference(_pixels(state, path), _pixels(state, other))
    return holds(f"{path} looks like {other}", gap.same_size and gap.mean <= mean, expected=mean, found=gap.mean)


@GIMP.check("formatting", name="check-layer")
def check_layer(
    state: State, path: str, name: str, opacity: float | None = None, mode: str = "", visible: bool | None = None
) -> Check:
    """Whether a layer is set as asked; what is not given is not looked at.

    Args:
        path: Of an XCF file.
        name: Of the layer.
        opacity: 0 to 1.
        mode: GIMP's name, such as `multiply`.
        visible: Whether its eye is open.
    """
    layer = _layer(state, path, name)
    wanted: dict[str, Any] = {}
    if opacity is not None:
        wanted["opacity"] = opacity
    if mode:
        wanted["mode"] = mode
    if visible is not None:
        wanted["visible"] = visible
    if not wanted:
        raise InvalidInput("check-layer was told nothing to check", fix="give opacity=..., mode=... or visible=...")
    is_ = {key: getattr(layer, key) for key in wanted}
    near = opacity is None or abs(layer.opacity - opacity) <= 0.003
    rest = all(is_[key] == value for key, value in wanted.items() if key != "opacity")
    return holds(f"layer {name} is set as asked", near and rest, expected=wanted, found=is_)


@GIMP.check("structure", name="check-order")
def check_order(state: State, path: str, names: list[str]) -> Check:
    """Whether the layers of an image are these, from the top.

    Args:
        path: Of an XCF file.
        names: A list such as `["Title", "Photo"]`; those in groups with the group's name and `/` before.
    """
    paths = ["/".join(layer.path) for layer in _image(state, path, pixels=False).layers]
    return equal(f"the layers of {path} are in order", list(names), paths)


@GIMP.check("content", name="check-text")
def check_text(state: State, path: str, name: str, says: str) -> Check:
    """Whether a text layer says something, exactly.

    Args:
        path: Of an XCF file.
        name: Of the layer.
        says: The text.
    """
    content = _layer(state, path, name).text
    return equal(f"layer {name} says it", says, content.text if content else None)


@GIMP.check("structure", name="check-guide")
def check_guide(state: State, path: str, orientation: str, position: int) -> Check:
    """Whether an image has a guide.

    Args:
        path: Of an XCF file.
        orientation: `horizontal` or `vertical`.
        position: In pixels.
    """
    guides = [(guide.orientation, guide.position) for guide in _image(state, path, pixels=False).guides]
    return contains(f"there is a guide at {position}", (orientation, position), guides)


@GIMP.check("metadata", name="check-resolution")
def check_resolution(state: State, path: str, dpi: float) -> Check:
    """Whether a picture or image has a resolution, across and down.

    Args:
        path: Of the file.
        dpi: Pixels an inch.
    """
    xcf = path.endswith(".xcf")
    resolution = _image(state, path, pixels=False).resolution if xcf else _picture(state, path).dpi
    across, down = resolution or (None, None)
    even = across is not None and down is not None and abs(across - down) < 1
    return close_to(f"{path} has {dpi:g} dpi", dpi, across if even else None, within=1.0)


@GIMP.check("settings", name="check-setting")
def check_setting(state: State, name: str, value: str) -> Check:
    """Whether GIMP's settings say something.

    Args:
        name: Such as `undo-levels`.
        value: As it stands in the file, words joined by a space.
    """
    values = setting(read_sexpressions(state.file(GIMPRC)), *name.split("."))
    return equal(f"{name} is {value}", value, None if values is None else " ".join(map(str, values)))


@GIMP.check("live", name="check-saved")
def check_saved(state: State) -> Check:
    """Whether no open image has changes that are not saved."""
    return equal("everything is saved", [], unsaved(state))


def _picture(state: State, path: str) -> Picture:
    return read_picture(state.file(path))


def _image(state: State, path: str, *, pixels: bool = True) -> XcfImage:
    return read_xcf(state.file(path), pixels=pixels)


def _layer(state: State, path: str, name: str) -> XcfLayer:
    return _image(state, path)[name]


def _pixels(state: State, path: str) -> Pixels:
    image = path.endswith(".xcf") or path.startswith(UNSAVED)
    return flattened(_image(state, path)) if image else _picture(state, path).pixels


def _live(state: State) -> list[dict[str, Any]]:
    reply = state.get("live")
    if not isinstance(reply, dict) or not isinstance(reply.get("images"), list):
        raise StateError(f"GIMP did not say what it has open: {str(reply)[:200]}")
    return [image for image in reply["images"] if isinstance(image, dict)]
