"""What can be asked about Inkscape: its drawings as saved, exported pictures, settings, recent files, its windows."""

from __future__ import annotations

from collections import Counter
from typing import Any

from fairground.core import Check, State, StateError
from fairground.verify import close_to, equal, holds
from fairground.verify.reading.picture import read_picture
from fairground.verify.reading.settings import read_inkscape_preferences, read_recent_files
from fairground.verify.reading.svg import Drawing, DrawingObject, Paint, read_svg
from fairground.worlds import Inspector

INKSCAPE = Inspector(
    "inkscape",
    channels={
        "drawings": "SVG files below ~/Documents, as they were saved; the one that was open at the start unless named",
        "pictures": "PNG and JPEG files in ~/Documents and ~/Pictures, exported ones among them",
        "preferences": "~/.config/inkscape/preferences.xml, which Inkscape writes when it ends",
        "recent files": "~/.local/share/recently-used.xbel",
        "bus": "the actions that the running program offers on the session bus, and the titles of its windows",
    },
)

TOLERANCE = 0.05
"""Millimetres: what people can set exactly, and programs round differently."""


def drawing_of(state: State, drawing: str = "") -> Drawing:
    """A drawing as it was saved; without a path the one that was open at the start."""
    return read_svg(state.file(drawing or str(state.get("opened"))))


@INKSCAPE.query("content")
def objects(state: State, layer: str = "", kind: str = "", drawing: str = "") -> list[dict[str, Any]]:
    """The objects of a drawing: label, kind, layer, box in millimetres.

    Args:
        layer: Only those in the layer with this label.
        kind: Only those of this kind, such as rect, path or text.
        drawing: Path of the drawing.
    """
    document = drawing_of(state, drawing)
    wanted = document[layer].id if layer else ""
    matching = [item for item in document.objects if item.kind == kind or (not kind and item.kind != "layer")]
    return [_entry(document, item) for item in matching if not layer or item.layer == wanted]


@INKSCAPE.query("content", name="object")
def one_object(state: State, name: str, drawing: str = "") -> dict[str, Any]:
    """Everything about one object: place, style, text, layer, whether it is hidden or locked.

    Args:
        name: Its label or id.
        drawing: Path of the drawing.
    """
    document = drawing_of(state, drawing)
    item = document[name]
    return {
        **_entry(document, item),
        **_look(document, item),
        "text": item.text.text if item.text else None,
        "title": item.title,
        "description": item.description,
        "visible": item.visible,
        "locked": item.locked,
        "inside": [document[parent].label or parent for parent in item.parents],
        "clone_of": item.href,
        "clipped": bool(item.clip),
    }


@INKSCAPE.query("content")
def texts(state: State, drawing: str = "") -> dict[str, str]:
    """What every text says, by label or id.

    Args:
        drawing: Path of the drawing.
    """
    return {item.label or item.id: item.text.text for item in drawing_of(state, drawing).objects if item.text}


@INKSCAPE.query("content")
def pictures(state: State, drawing: str = "") -> list[dict[str, Any]]:
    """Pictures in a drawing: where each links to, or the digest of one that is embedded.

    Args:
        drawing: Path of the drawing.
    """
    document = drawing_of(state, drawing)
    return [_entry(document, item) | {"picture": item.picture} for item in document.objects if item.picture]


@INKSCAPE.check("content")
def check_text(state: State, name: str, text: str, drawing: str = "") -> Check:
    """Whether a text object says exactly this.

    Args:
        name: Its label or id.
        text: What it should say; line breaks count.
        drawing: Path of the drawing.
    """
    item = drawing_of(state, drawing)[name]
    return equal(f"{name} says what it should", text, item.text.text if item.text else None)


@INKSCAPE.check("content")
def check_box(
    state: State, name: str, x: float, y: float, width: float, height: float, within: float = TOLERANCE,
    drawing: str = "",
) -> Check:  # fmt: skip
    """Whether an object is at a place and of a size, in millimetres from the left upper corner of the page.

    Args:
        name: Its label or id.
        x: Left edge.
        y: Upper edge.
        width: Width, without the outline.
        height: Height, without the outline.
        within: How far each may be off.
        drawing: Path of the drawing.
    """
    box = box_in_mm(drawing_of(state, drawing), name)
    wanted = [x, y, width, height]
    near = box is not None and all(abs(a - b) <= within for a, b in zip(box, wanted, strict=True))
    return holds(f"{name} is where it should be", near, expected=wanted, found=box)


@INKSCAPE.query("formatting")
def style(state: State, name: str, drawing: str = "") -> dict[str, Any]:
    """How an object looks: fill, stroke, dashes, opacity; of a text the fonts.

    Args:
        name: Its label or id.
        drawing: Path of the drawing.
    """
    document = drawing_of(state, drawing)
    return _look(document, document[name])


@INKSCAPE.query("formatting")
def colors(state: State, drawing: str = "") -> dict[str, int]:
    """How many objects are filled with each plain colour, the most frequent first.

    Args:
        drawing: Path of the drawing.
    """
    return dict(Counter(item.style.fill.color for item in filled(drawing_of(state, drawing))).most_common())


@INKSCAPE.query("formatting")
def gradients(state: State, drawing: str = "") -> list[dict[str, Any]]:
    """Objects that are filled with a gradient, and its colours.

    Args:
        drawing: Path of the drawing.
    """
    painted = [item for item in drawing_of(state, drawing).objects if item.style.fill.gradient and item.kind != "layer"]
    return [{"object": item.label or item.id, "fill": paint_words(item.style.fill)} for item in painted]


@INKSCAPE.check("formatting")
def check_fill(state: State, name: str, color: str, drawing: str = "") -> Check:
    """Whether an object is filled with a plain colour.

    Args:
        name: Its label or id.
        color: Such as #ff8800.
        drawing: Path of the drawing.
    """
    return equal(f"fill of {name}", color.lower(), paint_words(drawing_of(state, drawing)[name].style.fill))


@INKSCAPE.check("formatting")
def check_stroke(state: State, name: str, color: str, width: float, drawing: str = "") -> Check:
    """Whether an object has an outline of a plain colour and a width.

    Args:
        name: Its label or id.
        color: Such as #ff8800.
        width: In millimetres.
        drawing: Path of the drawing.
    """
    document = drawing_of(state, drawing)
    look = document[name].style
    paint, wide = paint_words(look.stroke), round(document.length_in("mm", look.stroke_width), 3)
    passed = paint == color.lower() and abs(wide - width) <= TOLERANCE / 5
    return holds(f"outline of {name}", passed, expected=[color.lower(), width], found=[paint, wide])


@INKSCAPE.query("structure")
def layers(state: State, drawing: str = "") -> list[dict[str, Any]]:
    """The layers, the lowest first: whether shown and locked, and how many objects each holds.

    Args:
        drawing: Path of the drawing.
    """
    document = drawing_of(state, drawing)
    return [
        {
            "label": layer.label,
            "visible": layer.visible,
            "locked": layer.locked,
            "objects": sum(part.layer == layer.id and part.kind != "layer" for part in document.objects),
        }
        for layer in document.layers
    ]


@INKSCAPE.query("structure")
def groups(state: State, drawing: str = "") -> dict[str, list[str]]:
    """What every group holds, by label or id.

    Args:
        drawing: Path of the drawing.
    """
    document = drawing_of(state, drawing)
    return {
        group.label or group.id: [part.label or part.id for part in document.inside(group.id)]
        for group in document.objects
        if group.kind == "group"
    }


@INKSCAPE.query("structure")
def order(state: State, layer: str, drawing: str = "") -> list[str]:
    """The objects of a layer from the lowest to the one in front; those inside of groups are left out.

    Args:
        layer: Its label or id.
        drawing: Path of the drawing.
    """
    document = drawing_of(state, drawing)
    return [
        item.label or item.id for item in document.objects if item.parents and item.parents[-1] == document[layer].id
    ]


@INKSCAPE.check("structure")
def check_layer(state: State, name: str, layer: str, drawing: str = "") -> Check:
    """Whether an object is in a layer.

    Args:
        name: Label or id of the object.
        layer: Label of the layer.
        drawing: Path of the drawing.
    """
    document = drawing_of(state, drawing)
    where = document[name].layer
    return equal(f"layer of {name}", layer, document[where].label if where else "")


@INKSCAPE.query("settings")
def page(state: State, drawing: str = "") -> dict[str, Any]:
    """The page: width and height in millimetres, the unit that is shown, its colour.

    Args:
        drawing: Path of the drawing.
    """
    document = drawing_of(state, drawing)
    return {
        "width": mm(document.width),
        "height": mm(document.height),
        "unit": document.unit,
        "color": document.page_color,
    }


@INKSCAPE.query("settings")
def guides(state: State, drawing: str = "") -> list[dict[str, Any]]:
    """The guides: upright or level, and how far from the left or the upper edge, in millimetres.

    Args:
        drawing: Path of the drawing.
    """
    document = drawing_of(state, drawing)
    return [
        {
            "orientation": guide.orientation,
            "at": round(document.length_in("mm", guide.x if guide.orientation == "vertical" else guide.y), 3),
        }
        for guide in document.guides
    ]


@INKSCAPE.query("settings")
def grids(state: State, drawing: str = "") -> list[dict[str, Any]]:
    """The grids: kind, spacing in millimetres, whether shown.

    Args:
        drawing: Path of the drawing.
    """
    document = drawing_of(state, drawing)
    return [
        {
            "kind": grid.kind,
            "spacing": [round(document.length_in("mm", value), 3) for value in grid.spacing],
            "visible": grid.visible,
        }
        for grid in document.grids
    ]


@INKSCAPE.check("settings")
def check_page(state: State, width: float, height: float, drawing: str = "") -> Check:
    """Whether the page has a size.

    Args:
        width: In millimetres.
        height: In millimetres.
        drawing: Path of the drawing.
    """
    size = page(state, drawing)
    near = abs(size["width"] - width) <= TOLERANCE and abs(size["height"] - height) <= TOLERANCE
    return holds("size of the page", near, expected=[width, height], found=[size["width"], size["height"]])


@INKSCAPE.query("settings")
def preference(state: State, path: str) -> str:
    """One of Inkscape's own settings.

    Args:
        path: As Inkscape names it, such as /options/boot/enabled.
    """
    preferences = read_inkscape_preferences(state.file("~/.config/inkscape/preferences.xml"))
    if path not in preferences:
        raise StateError(f"Inkscape's preferences say nothing of {path!r}")
    return preferences[path]


@INKSCAPE.query("metadata")
def metadata(state: State, drawing: str = "") -> dict[str, str]:
    """What the drawing says of itself: title, creator, rights, keywords and so on.

    Args:
        drawing: Path of the drawing.
    """
    return dict(drawing_of(state, drawing).metadata)


@INKSCAPE.check("metadata")
def check_metadata(state: State, field: str, value: str, drawing: str = "") -> Check:
    """Whether one of these has a value.

    Args:
        field: Such as title, creator, rights, publisher, language, keywords or description.
        value: What it should be.
        drawing: Path of the drawing.
    """
    return equal(f"{field} of the drawing", value, drawing_of(state, drawing).metadata.get(field, ""))


@INKSCAPE.query("files", name="files")
def listed(state: State, under: str = "~/Documents") -> list[str]:
    """Paths of the files below a folder.

    Args:
        under: The folder.
    """
    return [
        entry["path"]
        for entry in state.get("files")
        if entry["kind"] == "file" and entry["path"].startswith(under + "/")
    ]


@INKSCAPE.query("files")
def exported(state: State, path: str) -> dict[str, Any]:
    """A picture file: format, width and height in pixels, dots an inch.

    Args:
        path: Of the picture.
    """
    picture = read_picture(state.file(path))
    return {"format": picture.format, "width": picture.size[0], "height": picture.size[1], "dpi": picture.dpi}


@INKSCAPE.check("files")
def check_exported(state: State, path: str, width: int, height: int) -> Check:
    """Whether a picture file is there and has a size in pixels; a pixel more or less is let pass.

    Args:
        path: Of the picture.
        width: In pixels.
        height: In pixels.
    """
    picture = exported(state, path)
    near = abs(picture["width"] - width) <= 1 and abs(picture["height"] - height) <= 1
    return holds(f"size of {path}", near, expected=[width, height], found=[picture["width"], picture["height"]])


@INKSCAPE.query("history")
def recent_files(state: State) -> list[str]:
    """Paths of the files that the desktop remembers as recently used."""
    return [document.path for document in read_recent_files(state.file("~/.local/share/recently-used.xbel"))]


@INKSCAPE.query("live")
def unsaved(state: State) -> list[str]:
    """Titles of the windows whose drawing had changes that were not saved when the attempt ended."""
    return list(_live(state)["unsaved"])


@INKSCAPE.query("live")
def workspace(state: State, action: str = "tool-switch") -> str:
    """The state of one of Inkscape's actions when the attempt ended: the tool, snapping, bars that are shown.

    Args:
        action: Such as tool-switch, snap-global-toggle, canvas-rulers or undo.
    """
    actions = _live(state)["actions"]
    if action not in actions:
        raise StateError(f"Inkscape has no action {action!r} with a state")
    return str(actions[action])


@INKSCAPE.check("live")
def check_saved(state: State) -> Check:
    """Whether all changes were saved when the attempt ended."""
    return close_to("windows with unsaved changes", 0.0, float(len(unsaved(state))))


def filled(drawing: Drawing) -> list[DrawingObject]:
    """Objects with a plain fill: no groups, layers, pictures, and no open lines, which have none."""
    return [
        item
        for item in drawing.objects
        if item.kind not in ("group", "layer", "image", "use") and item.style.fill.kind == "color"
    ]


def box_in_mm(drawing: Drawing, name: str) -> list[float] | None:
    """Left, top, width and height of an object in millimetres from the page's left upper corner."""
    box = drawing[name].box
    if box is None:
        return None
    left, top = drawing.viewbox[:2]
    values = (box.x - left, box.y - top, box.width, box.height)
    return [round(drawing.length_in("mm", value), 4) for value in values]


def paint_words(paint: Paint) -> str:
    """A paint in words: `#ff8800`, `#ff8800 at 50%`, `none`, `linear #aaaaaa to #bbbbbb`."""
    if paint.gradient is not None:
        return f"{paint.kind} {' to '.join(stop.color for stop in paint.gradient.stops)}"
    shade = "" if paint.opacity >= 0.999 else f" at {round(paint.opacity * 100)}%"
    return f"{paint.color}{shade}" if paint.kind == "color" else paint.kind


def mm(pixels: float) -> float:
    """Pixels of a page in millimetres."""
    return round(pixels * 25.4 / 96, 3)


def _live(state: State) -> dict[str, Any]:
    live = state.get("live")
    if "error" in live:
        raise StateError(f"the program did not answer when the attempt ended: {live['error']}")
    return dict(live)


def _entry(drawing: Drawing, one: DrawingObject) -> dict[str, Any]:
    return {
        "label": one.label,
        "id": one.id,
        "kind": one.kind,
        "layer": drawing[one.layer].label if one.layer else "",
        "box": box_in_mm(drawing, one.id),
    }


def _look(drawing: Drawing, one: DrawingObject) -> dict[str, Any]:
    look = one.style
    return {
        "fill": paint_words(look.fill),
        "stroke": paint_words(look.stroke),
        "stroke_width": round(drawing.length_in("mm", look.stroke_width), 3),
        "dashes": [round(drawing.length_in("mm", value), 3) for value in look.dashes],
        "opacity": look.opacity,
        "fonts": [
            {"family": part.family, "size": round(part.size, 3), "weight": part.weight, "slant": part.slant}
            for part in (one.text.spans if one.text else ())
        ],
    }
