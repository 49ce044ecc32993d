"""GIMP: what it says of its saved images and what is read from them, in XCF, PNG and JPEG."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from fairground.core import State
from fairground.sandbox import SandboxSpec, open_sandbox
from fairground.verify.reading.picture import Picture, Pixels, read_picture
from fairground.verify.reading.xcf import MODES, XcfImage, XcfLayer, read_xcf
from fairground_desk.gimp.inspector import GIMP

from .agreement import Tally
from .drawing import Draw
from .scheme import Gimp, text

KINDS = {"RGB": ("RGBA-IMAGE", "RGB-IMAGE"), "GRAY": ("GRAYA-IMAGE", "GRAY-IMAGE")}
USUAL = ("normal", "multiply", "screen", "overlay", "difference", "hsv-hue", "luminance", "dissolve", "grain-merge")
FAMILIES = ("Sans", "Sans Bold", "Serif Italic", "Monospace")

TELL = """
(define (fg-points d) (let ((w (car (gimp-drawable-width d))) (h (car (gimp-drawable-height d))))
  (map (lambda (p) (vector->list (cadr (gimp-drawable-get-pixel d (car p) (cadr p)))))
    (list (list 0 0) (list (min 1 (- w 1)) 0) (list (- w 1) (- h 1)) (list (quotient w 2) (quotient h 2))))))
(define (fg-layer d) (append (list (list
    (car (gimp-item-get-name d)) (car (gimp-drawable-width d)) (car (gimp-drawable-height d))
    (car (gimp-drawable-offsets d)) (cadr (gimp-drawable-offsets d)) (car (gimp-drawable-has-alpha d))
    (car (gimp-layer-get-opacity d)) (car (gimp-layer-get-mode d)) (car (gimp-item-get-visible d))
    (car (gimp-item-get-linked d)) (car (gimp-item-get-lock-content d)) (car (gimp-layer-get-lock-alpha d))
    (car (gimp-item-get-lock-position d)) (car (gimp-item-get-color-tag d)) (car (gimp-item-is-group d))
    (let ((m (car (gimp-layer-get-mask d)))) (if (= m -1) (list) (list (car (gimp-layer-get-apply-mask d))
      (car (gimp-layer-get-show-mask d)) (fg-points m))))
    (if (= 1 (car (gimp-item-is-text-layer d))) (list (car (gimp-text-layer-get-text d))
      (car (gimp-text-layer-get-font d)) (car (gimp-text-layer-get-font-size d))
      (car (gimp-text-layer-get-color d)) (car (gimp-text-layer-get-justification d))) (list))
    (if (= 1 (car (gimp-item-is-group d))) (list) (fg-points d))))
  (if (= 1 (car (gimp-item-is-group d)))
    (apply append (map fg-layer (vector->list (cadr (gimp-item-get-children d))))) (list))))
(define (fg-guides i g) (let ((n (car (gimp-image-find-next-guide i g)))) (if (= n 0) (list)
  (cons (list (car (gimp-image-get-guide-orientation i n)) (car (gimp-image-get-guide-position i n)))
    (fg-guides i n)))))
(define (fg-comment i) (let ((all (cadr (gimp-image-get-parasite-list i))))
  (if (member "gimp-comment" all) (caddr (car (gimp-image-get-parasite i "gimp-comment"))) "")))
(define (fg-image i) (let ((said (list
    (car (gimp-image-width i)) (car (gimp-image-height i)) (car (gimp-image-base-type i))
    (car (gimp-image-get-resolution i)) (cadr (gimp-image-get-resolution i)) (fg-comment i) (fg-guides i 0)
    (map (lambda (c) (list (car (gimp-item-get-name c)) (car (gimp-channel-get-opacity c))
        (car (gimp-item-get-visible c)) (car (gimp-channel-get-color c)) (fg-points c)))
      (vector->list (cadr (gimp-image-get-channels i))))
    (map (lambda (p) (list (car (gimp-item-get-name p)) (car (gimp-vectors-get-strokes p))))
      (vector->list (cadr (gimp-image-get-vectors i))))
    (gimp-selection-bounds i)
    (apply append (map fg-layer (vector->list (cadr (gimp-image-get-layers i))))))))
  (gimp-image-delete i) said))
"""

pytestmark = pytest.mark.slow  # tests/verify/reading has an example of each format


@pytest.fixture(scope="module")
def gimp() -> Iterator[Gimp]:
    sandbox = open_sandbox(SandboxSpec())
    try:
        running = Gimp(sandbox)
        running.ask(f"(begin {TELL} 1)")
        yield running
    finally:
        sandbox.discard()


@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param(range(1), id="few"),
        pytest.param(range(1, 120), id="many", marks=pytest.mark.timeout(900)),
    ],
)
def test_gimp_and_the_readers_agree_on_saved_images(gimp: Gimp, numbers: Iterable[int]) -> None:
    tally = Tally()
    for number in numbers:
        place = f"{gimp.sandbox.home}/made/{number}"
        gimp.ask(program(Draw(3000 + number), place))
        data = gimp.sandbox.read_file(f"{place}.xcf")
        read = read_xcf(data)
        said = _image(gimp.ask(f'(fg-image (car (gimp-xcf-load 0 {text(f"{place}.xcf")} "x")))'))
        tally.compare(f"image {number} as XCF", said, told(read))
        listed = GIMP.ask(State(files={"~/a.xcf": data}, data={}), "layers", {"path": "~/a.xcf"})
        assert [one["path"] for one in listed] == ["/".join(layer.path) for layer in read.layers]
        for kind, near in (("png", 0), ("jpg", 3)):
            picture = read_picture(gimp.sandbox.read_file(f"{place}.{kind}"))
            again = gimp.ask(f'(fg-image (car (gimp-file-load 1 {text(f"{place}.{kind}")} "x")))')
            tally.compare(f"image {number} as {kind.upper()}", _flat(again, picture, near), _told_flat(picture))
    print(tally)
    assert tally.properties > 30 * tally.documents


def program(draw: Draw, place: str) -> str:
    """An image, drawn, as a program that makes it and saves it three times."""
    base = draw.choice(tuple(KINDS))
    width, height = draw.randint(1, 200), draw.randint(1, 200)
    lines = [f"(let* ((img (car (gimp-image-new {width} {height} {base}))) (layer 0) (parent 0))"]
    for number in range(draw.randint(1, 5)):
        if number == 2:
            lines.append(
                "(set! parent (car (gimp-layer-group-new img)))(gimp-image-insert-layer img parent 0 -1)"
                f"(gimp-item-set-name parent {text(_name(draw, number))})"
            )
        lines.append(_layer(draw, base, number, (width, height)))
    if draw.likely(0.5):
        words = draw.choice(("Hello", 'a&b <b>bold</b> "q" \\ é', "שלום", "one\ntwo", "日本 😀"))
        lines.append(
            f"(gimp-context-set-foreground '({_colour(draw)}))(set! layer (car (gimp-text-fontname img -1 "
            f"{draw.randint(-9, 50)} {draw.randint(0, 50)} {text(words)} 0 TRUE {draw.randint(6, 40)} PIXELS "
            f'"{draw.choice(FAMILIES)}")))(gimp-text-layer-set-justification layer {draw.randint(0, 3)})'
        )
    for _ in range(draw.randint(0, 3)):
        way, most = draw.choice((("h", height), ("v", width)))
        lines.append(f"(gimp-image-add-{way}guide img {draw.randint(0, most)})")
    if draw.likely(0.5):
        lines.append(f"(gimp-image-set-resolution img {draw.choice((72, 300, 96.5))} {draw.choice((72, 150))})")
    if draw.likely(0.5):
        said = draw.text()[:200]
        lines.append(f'(gimp-image-attach-parasite img (list "gimp-comment" 1 {text(said)}))')
    for number in range(draw.randint(0, 2)):
        lines.append(
            f"(let ((c (car (gimp-channel-new img {width} {height} {text(_name(draw, number))} {draw.randint(0, 100)} "
            f"'({_colour(draw)}))))) (gimp-image-insert-channel img c 0 0)"
            f"(gimp-item-set-visible c {draw.choice(('TRUE', 'FALSE'))}))"
        )
    for number in range(draw.randint(0, 2)):
        lines.append(
            f"(let ((p (car (gimp-vectors-new img {text(_name(draw, number))})))) (gimp-image-insert-vectors img p 0 0)"
            f"(gimp-vectors-stroke-new-from-points p 0 12 #(1 2 3 4 5 6 10 20 30 40 50 60) {draw.choice(('0', '1'))}))"
        )
    if draw.likely(0.4):
        lines.append(f"(gimp-image-select-rectangle img 2 0 0 {draw.randint(1, width)} {draw.randint(1, height)})")
    lines.append(f'(gimp-xcf-save 0 img layer {text(f"{place}.xcf")} "x.xcf")(gimp-selection-none img)')
    if draw.likely(0.5):
        lines.append("(gimp-image-flatten img)")
    else:
        lines.append("(gimp-image-merge-visible-layers img 1)")
    lines.append(
        "(set! layer (car (gimp-image-get-active-drawable img)))"
        f'(file-png-save 1 img layer {text(f"{place}.png")} "x" {draw.randint(0, 1)} 9 0 0 0 1 0)'
        "(set! layer (car (gimp-image-flatten img)))"
        f'(file-jpeg-save 1 img layer {text(f"{place}.jpg")} "x" 0.9 0 1 {draw.randint(0, 1)} "" 0 1 0 0)'
        "(gimp-image-delete img) 1)"
    )
    return "\n".join(lines)


def _layer(draw: Draw, base: str, number: int, canvas: tuple[int, int]) -> str:
    flags = [draw.choice(("TRUE", "FALSE")) for _ in range(5)]
    # One layer at least is seen, and not wholly beside the image: GIMP refuses to merge what leaves nothing.
    shown = "TRUE" if number == 0 else flags[0]
    size = draw.randint(1, 150), draw.randint(1, 150)
    made = (
        f"(set! layer (car (gimp-layer-new img {size[0]} {size[1]} "
        f"{draw.choice(KINDS[base])} {text(_name(draw, number))} {draw.randint(0, 1000) / 10} "
        f"LAYER-MODE-{draw.choice(USUAL).upper()})))"
        f"(gimp-image-insert-layer img layer parent 0)"
    )
    offsets = [draw.randint(-50, 50), draw.randint(-50, 50)]
    if number == 0:
        offsets = [min(max(at, 1 - own), whole - 1) for at, own, whole in zip(offsets, size, canvas, strict=True)]
    made += (
        f"(gimp-layer-set-offsets layer {offsets[0]} {offsets[1]})"
        f"(gimp-context-set-foreground '({_colour(draw)}))(gimp-context-set-background '({_colour(draw)}))"
        f"(gimp-drawable-edit-gradient-fill layer GRADIENT-LINEAR 0 FALSE 1 0 TRUE {draw.randint(0, 40)} 0 "
        f"{draw.randint(50, 90)} 60)"
        f"(gimp-image-select-ellipse img CHANNEL-OP-REPLACE {draw.randint(0, 30)} 5 40 30)"
        "(gimp-drawable-edit-clear layer)"
    )
    if draw.likely(0.4):
        made += (
            "(gimp-layer-add-mask layer (car (gimp-layer-create-mask layer ADD-MASK-SELECTION)))"
            f"(gimp-layer-set-apply-mask layer {draw.choice(('TRUE', 'FALSE'))})"
        )
    return made + (
        f"(gimp-selection-none img)(gimp-item-set-visible layer {shown})(gimp-item-set-linked layer {flags[1]})"
        f"(gimp-layer-set-lock-alpha layer {flags[2]})(gimp-item-set-lock-position layer {flags[3]})"
        f"(gimp-item-set-lock-content layer {flags[4]})(gimp-item-set-color-tag layer {draw.randint(0, 8)})"
    )


def _name(draw: Draw, number: int) -> str:
    # GIMP itself numbers a second thing of one name; so they differ here.
    return f"{draw.text()[:120]} {number}{draw.randint(0, 999)}"


def _colour(draw: Draw) -> str:
    return " ".join(str(draw.randint(0, 255)) for _ in range(3))


# What GIMP says, by name.


def _image(said: list[Any]) -> dict[str, Any]:
    width, height, base, across, down, comment, guides, channels, paths, bounds, layers = said
    selected = None if not bounds[0] else [bounds[1], bounds[2], bounds[3] - bounds[1], bounds[4] - bounds[2]]
    return {
        "size": [width, height],
        "base": ("rgb", "gray", "indexed")[int(base)],
        "resolution": [round(across, 3), round(down, 3)],
        "comment": comment,
        "guides": [[("horizontal", "vertical")[int(way)], place] for way, place in guides],
        "channels": [
            {"name": name, "opacity": round(opacity / 100, 2), "visible": bool(visible), "color": _hexed(color),
             "points": points}
            for name, opacity, visible, color, points in channels
        ],
        "paths": [[name, strokes] for name, strokes in paths],
        "selection": selected,
        "layers": [_said_layer(layer, int(base)) for layer in layers],
    }  # fmt: skip


def _said_layer(said: list[Any], base: int) -> dict[str, Any]:
    (name, width, height, x, y, alpha, opacity, mode, visible, linked, content, lock_alpha, position, tag, group, mask,
     words, points) = said  # fmt: skip
    return {
        "name": name,
        "box": [x, y, width, height],
        "alpha": bool(alpha),
        "opacity": round(opacity / 100, 4),
        "mode": MODES[int(mode)],
        "flags": [bool(one) for one in (visible, linked, content, lock_alpha, position, group)],
        "tag": tag,
        "mask": [bool(mask[0]), bool(mask[1]), mask[2]] if mask else None,
        "text": {
            "says": words[0], "font": words[1], "size": words[2], "color": _hexed(words[3]),
            "justify": ("left", "right", "center", "fill")[int(words[4])],
        } if words else None,
        "points": [_seen(one, base) for one in points],
    }  # fmt: skip


def _seen(levels: list[float], base: int) -> list[int]:
    """Red, green, blue, alpha; what is wholly transparent is black."""
    found = [int(level) for level in levels]
    if base == 1:
        found = [found[0]] * 3 + found[1:]
    found = found if len(found) == 4 else [*found, 255]
    return found if found[3] else [0, 0, 0, 0]


def _hexed(color: list[float]) -> str:
    return "#" + "".join(f"{int(level):02x}" for level in color)


def _flat(said: list[Any], read: Picture, near: int) -> dict[str, Any]:
    """A flat picture; a colour that is as near as two decoders of JPEG may be counts as the one that was read."""
    width, height, base, across, down, _comment, _guides, _channels, _paths, _bounds, (layer,) = said
    points = [_seen(one, int(base)) for one in layer[-1]]
    ours = _points(read.pixels)
    close = [
        other if all(abs(a - b) <= near for a, b in zip(one, other, strict=True)) else one
        for one, other in zip(points, ours, strict=True)
    ]
    return {
        "size": [width, height],
        "dots": [round(across), round(down)],
        "gray": base == 1,
        "alpha": bool(layer[5]),
        "points": close,
    }


# What was read, in the words of the account.


def told(image: XcfImage) -> dict[str, Any]:
    """All that is compared of an image."""
    return {
        "size": image.size,
        "base": image.base,
        "resolution": image.resolution,
        "comment": image.comment,
        "guides": [[one.orientation, one.position] for one in image.guides],
        "channels": [
            {"name": one.name, "opacity": round(one.opacity, 2), "visible": one.visible, "color": one.color,
             "points": [[int(one.pixels[y, x])] for x, y in _places(one.pixels)] if one.pixels is not None else None}
            for one in image.channels
        ],
        "paths": [[one.name, len(one.strokes)] for one in image.paths],
        "selection": image.selection,
        "layers": [_told_layer(layer) for layer in image.layers],
    }  # fmt: skip


def _told_layer(layer: XcfLayer) -> dict[str, Any]:
    mask, words = layer.mask, layer.text
    flags = (layer.visible, layer.linked, layer.lock_content, layer.lock_alpha, layer.lock_position, layer.group)
    return {
        "name": layer.name,
        "box": [layer.x, layer.y, layer.width, layer.height],
        "alpha": layer.has_alpha,
        "opacity": layer.opacity,
        "mode": layer.mode,
        "flags": flags,
        "tag": layer.color_tag,
        "mask": None
        if mask is None or mask.pixels is None
        else [mask.applied, mask.shown, [[_brightness(int(mask.pixels[y, x]))] for x, y in _places(mask.pixels)]],
        "text": {
            "says": words.text, "font": words.font, "size": words.size, "color": words.color, "justify": words.justify,
        } if words is not None else None,
        "points": [] if layer.pixels is None else _points(layer.pixels),
    }  # fmt: skip


def _brightness(share: int) -> int:
    """A level of a mask as GIMP says it when asked for a pixel: as the brightness of a gray, in the curve of sRGB.

    What it saves is the share of the layer that is left, as are the levels of its selections and the opacity of a layer
    to which a mask was applied; and so it is read.
    """
    level = share / 255
    return round(255 * (12.92 * level if level <= 0.0031308 else 1.055 * level ** (1 / 2.4) - 0.055))


def _places(pixels: Any) -> list[tuple[int, int]]:
    height, width = pixels.shape[:2]
    return [(0, 0), (min(1, width - 1), 0), (width - 1, height - 1), (width // 2, height // 2)]


def _points(pixels: Pixels) -> list[list[int]]:
    return [[int(level) for level in pixels[y, x]] for x, y in _places(pixels)]


def _told_flat(picture: Picture) -> dict[str, Any]:
    return {
        "size": picture.size,
        "dots": [round(one) for one in picture.dpi or (72, 72)],
        "gray": picture.mode in ("L", "LA"),
        "alpha": picture.has_alpha,
        "points": _points(picture.pixels),
    }
