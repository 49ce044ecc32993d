"""Images that GIMP wrote and what GIMP itself says of them, and a writer of files that GIMP would not write."""

from __future__ import annotations

import functools
import json
import os
import random
import shutil
import struct
import subprocess
import tempfile
import zlib
from pathlib import Path

import numpy as np
import pytest

from fairground.verify.reading.xcf import MODES

USUAL = ("NORMAL", "MULTIPLY", "SCREEN", "OVERLAY", "DIFFERENCE", "NORMAL-LEGACY", "HSV-HUE", "LUMINANCE", "DISSOLVE")
KINDS = {"RGB": "RGBA-IMAGE", "GRAY": "GRAYA-IMAGE"}


@functools.cache
def written() -> dict[str, bytes]:
    """All files of one run of GIMP: `fixed.xcf`, `random<n>.xcf` with their layers as PNG, `says.json` and exports."""
    program = shutil.which("gimp-console-2.10") or shutil.which("gimp-console")
    if program is None:
        pytest.skip("GIMP is not installed")
    with tempfile.TemporaryDirectory(prefix="gimp-") as name:
        folder = Path(name)
        (folder / "profile").mkdir()
        (folder / "plug-ins").mkdir()
        for root in Path("/usr/lib").glob("**/gimp/2.0/plug-ins"):
            for plug_in in ("script-fu", "file-png", "file-jpeg", "file-gif-save", "file-gif-load"):
                if (root / plug_in).exists() and not (folder / "plug-ins" / plug_in).exists():
                    (folder / "plug-ins" / plug_in).symlink_to(root / plug_in)
        # Looking for all plug-ins takes longer than all the rest.
        (folder / "profile/gimprc").write_text(f'(plug-in-path "{folder}/plug-ins")')
        (folder / "ours.xcf").write_bytes(xcf(compression=2))
        (folder / "script.scm").write_text(_script(folder))
        command = [program, "-i", "-d", "-s", "--batch-interpreter=plug-in-script-fu-eval"]
        done = subprocess.run(
            [*command, "-b", f'(load "{folder}/script.scm")', "-b", "(gimp-quit 0)"],
            env={**os.environ, "HOME": name, "GIMP2_DIRECTORY": f"{name}/profile", "LC_ALL": "C.UTF-8"},
            capture_output=True,
            timeout=100,
        )
        files = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert "says.json" in files and b"done" in files["says.json"], done.stderr.decode()[-3000:]
    return files


@functools.cache
def says(about: str = "file") -> list[dict[str, object]]:
    """What GIMP says of each layer after it loaded the `file` again, or the number of each `mode`."""
    lines = [json.loads(line) for line in written()["says.json"].decode().splitlines() if line.startswith("{")]
    return [line for line in lines if next(iter(line)) == about]


def _script(folder: Path) -> str:
    text = _PRELUDE.replace("FOLDER", str(folder)) + _FIXED.replace("FOLDER", str(folder))
    for seed in range(4):
        text += _random_image(random.Random(seed), f"{folder}/random{seed}.xcf")
    for mode in MODES:
        text += f'(display "{{\\"mode\\":\\"{mode}\\"" port)(say "number" LAYER-MODE-{mode.upper()})'
        text += '(display "}" port)(newline port)\n'
    return text + f'(say-image "ours" "{folder}/ours.xcf")(display "done" port)(close-output-port port)'


def _random_image(rng: random.Random, path: str) -> str:
    kind = rng.choice(list(KINDS))
    width, height = rng.randint(1, 200), rng.randint(1, 200)
    lines = [f"(set! img (car (gimp-image-new {width} {height} {kind})))(set! parent 0)"]
    for number in range(rng.randint(2, 6)):
        size = f"{rng.randint(1, 150)} {rng.randint(1, 150)}"
        mode, opacity = rng.choice(USUAL), rng.randint(0, 100)
        if number == 2:
            lines.append(
                "(set! parent (car (gimp-layer-group-new img)))(gimp-image-insert-layer img parent 0 -1)"
                '(gimp-item-set-name parent "group é")'
            )
        flags = [rng.choice(("TRUE", "FALSE")) for _ in range(4)]
        lines.append(
            f'(set! layer (car (gimp-layer-new img {size} {KINDS[kind]} "l{number}" {opacity} LAYER-MODE-{mode})))'
            f"(gimp-image-insert-layer img layer parent {rng.randint(0, 1) if number > 2 else 0})"
            f"(gimp-layer-set-offsets layer {rng.randint(-50, 50)} {rng.randint(-50, 50)})"
            f"(gimp-context-set-foreground '({_color(rng)}))(gimp-context-set-background '({_color(rng)}))"
            "(gimp-selection-none img)"
            f"(gimp-drawable-edit-gradient-fill layer {rng.choice(('GRADIENT-LINEAR', 'GRADIENT-RADIAL'))} 0 FALSE 1 0 "
            f"TRUE {rng.randint(0, 40)} 0 {rng.randint(50, 90)} 60)"
            f"(gimp-image-select-ellipse img CHANNEL-OP-REPLACE {rng.randint(0, 30)} 5 40 30)"
            "(gimp-drawable-edit-clear layer)"
            f"(gimp-item-set-visible layer {flags[0]})(gimp-item-set-linked layer {flags[1]})"
            f"(gimp-layer-set-lock-alpha layer {flags[2]})(gimp-item-set-lock-position layer {flags[3]})"
            f"(gimp-item-set-color-tag layer {rng.randint(0, 8)})"
        )
        if rng.random() < 0.4:
            lines.append("(gimp-layer-add-mask layer (car (gimp-layer-create-mask layer ADD-MASK-SELECTION)))")
    lines.append(f'(gimp-xcf-save 0 img layer "{path}" "x.xcf")(say-image "{Path(path).stem}" "{path}")')
    return "\n".join(lines) + "\n"


def _color(rng: random.Random) -> str:
    return f"{rng.randint(0, 255)} {rng.randint(0, 255)} {rng.randint(0, 255)}"


_PRELUDE = r"""
(define port (open-output-file "FOLDER/says.json"))
(define img 0) (define layer 0) (define parent 0)
(define (say name value)
  (display ",\"" port) (display name port) (display "\":" port)
  (if (string? value) (begin (display "\"" port) (display value port) (display "\"" port)) (display value port)))
(define (say-layer file id path)
  (display "{\"file\":\"" port) (display file port) (display "\"" port)
  (let ((offsets (gimp-drawable-offsets id)) (name (string-append path (car (gimp-item-get-name id)))))
    (say "path" name)
    (say "width" (car (gimp-drawable-width id))) (say "height" (car (gimp-drawable-height id)))
    (say "x" (car offsets)) (say "y" (cadr offsets))
    (say "opacity" (car (gimp-layer-get-opacity id))) (say "mode" (car (gimp-layer-get-mode id)))
    (say "visible" (car (gimp-item-get-visible id))) (say "linked" (car (gimp-item-get-linked id)))
    (say "lock_alpha" (car (gimp-layer-get-lock-alpha id)))
    (say "lock_position" (car (gimp-item-get-lock-position id)))
    (say "color_tag" (car (gimp-item-get-color-tag id)))
    (say "group" (car (gimp-item-is-group id)))
    (say "mask" (if (= (car (gimp-layer-get-mask id)) -1) 0 1))
    (if (= (car (gimp-item-is-group id)) 0)
      (let ((target (string-append "FOLDER/" file "." (number->string id) ".png")))
        (say "png" (string-append file "." (number->string id) ".png"))
        (if (not (= (car (gimp-layer-get-mask id)) -1)) (gimp-layer-remove-mask id MASK-DISCARD))
        (file-png-save 1 (car (gimp-item-get-image id)) id target target 0 0 0 0 0 0 0)))
    (display "}" port) (newline port)
    (if (= (car (gimp-item-is-group id)) 1)
      (for-each (lambda (child) (say-layer file child (string-append name "/")))
                (vector->list (cadr (gimp-item-get-children id)))))))
(define (say-image file path)
  (let ((loaded (car (gimp-xcf-load 0 path path))))
    (for-each (lambda (id) (say-layer file id "")) (vector->list (cadr (gimp-image-get-layers loaded))))
    (gimp-image-delete loaded)))
"""

_FIXED = r"""
(set! img (car (gimp-image-new 200 150 RGB)))
(set! layer (car (gimp-layer-new img 200 150 RGB-IMAGE "Background" 100 LAYER-MODE-NORMAL)))
(define back layer)
(gimp-image-insert-layer img layer 0 0)
(gimp-context-set-foreground '(10 20 30))
(gimp-drawable-fill layer FILL-FOREGROUND)
(gimp-context-set-foreground '(200 100 50))
(set! layer (car (gimp-text-fontname img -1 20 30 "Hello \"World\"\nzweite Zeile é" 0 TRUE 24 PIXELS "Sans Bold")))
(gimp-item-set-name layer "Title")
(gimp-image-add-vguide img 33) (gimp-image-add-hguide img 44)
(gimp-image-set-resolution img 300 150)
(gimp-image-attach-parasite img (list "gimp-comment" 1 "Hello comment"))
(define channel (car (gimp-channel-new img 200 150 "Saved" 50 '(255 0 0))))
(gimp-image-insert-channel img channel 0 0)
(gimp-image-set-active-layer img layer)
(define (add-path name visible closed points)
  (let ((path (car (gimp-vectors-new img name))))
    (gimp-image-insert-vectors img path 0 0)
    (gimp-vectors-stroke-new-from-points path 0 (length points) (list->vector points) closed)
    (gimp-item-set-visible path visible)))
(add-path "open" FALSE FALSE '(1 2 3 4 5 6 10 20 30 40 50 60))
(add-path "closed" FALSE TRUE '(1 2 3 4 5 6 10 20 30 40 50 60))
(gimp-image-select-rectangle img CHANNEL-OP-REPLACE 10 20 30 40)
(gimp-xcf-save 0 img layer "FOLDER/fixed.xcf" "x.xcf")
(gimp-xcf-save 0 img layer "FOLDER/again.xcf" "x.xcf")
(add-path "shown" TRUE TRUE '(1 2 3 4 5 6 10 20 30 40 50 60))
(gimp-xcf-save 0 img layer "FOLDER/newpaths.xcf" "x.xcf")
(gimp-drawable-invert layer FALSE)
(gimp-xcf-save 0 img layer "FOLDER/painted.xcf" "x.xcf")
(gimp-image-convert-precision img 250)
(gimp-xcf-save 0 img layer "FOLDER/deep.xcf" "x.xcf")
(gimp-image-convert-precision img 150)
(gimp-selection-none img)
(define veil (car (gimp-layer-new img 90 90 RGBA-IMAGE "Veil" 40 LAYER-MODE-NORMAL)))
(gimp-image-insert-layer img veil 0 0)
(gimp-layer-set-offsets veil -20 90)
(gimp-drawable-fill veil FILL-FOREGROUND)
(gimp-image-select-ellipse img CHANNEL-OP-REPLACE 0 95 50 40)
(gimp-layer-add-mask veil (car (gimp-layer-create-mask veil ADD-MASK-SELECTION)))
(gimp-selection-none img)
(gimp-xcf-save 0 img layer "FOLDER/veiled.xcf" "x.xcf")
(gimp-image-flatten img)
(set! layer (car (gimp-image-get-active-drawable img)))
(file-png-save 1 img layer "FOLDER/flat.png" "f" 1 9 0 0 0 1 0)
(file-jpeg-save 1 img layer "FOLDER/flat.jpg" "f" 0.85 0 1 1 "a comment" 0 1 0 0)
(gimp-image-convert-indexed img 0 0 16 FALSE FALSE "")
(gimp-xcf-save 0 img layer "FOLDER/indexed.xcf" "x.xcf")
"""


def xcf(
    *,
    version: int = 8,
    compression: int = 0,
    size: tuple[int, int] = (70, 66),
    claimed: tuple[int, int] | None = None,
    properties: bytes = b"",
    image_properties: bytes = b"",
    name: bytes = b"one",
    layers: int = 1,
    shared: bool = False,
) -> bytes:
    """A file with RGBA layers, each the same; `claimed` is the size that a layer says, and `shared` repeats a tile."""
    width, height = size
    head = b"gimp xcf " + (b"file" if version == 0 else b"v%03d" % version) + b"\0" + struct.pack(">III", *size, 0)
    head += struct.pack(">I", 150) if version >= 4 else b""
    head += struct.pack(">IIB", 17, 1, compression) + image_properties + bytes(8)
    wide = 8 if version >= 11 else 4
    layer_at = len(head) + wide * (layers + 2)
    body = head + b"".join(layer_at.to_bytes(wide, "big") for _ in range(layers)) + bytes(2 * wide)
    layer = struct.pack(">III", *(claimed or size), 1) + struct.pack(">I", len(name) + 1) + name + b"\0"
    layer += properties + bytes(8)
    hierarchy_at = layer_at + len(layer) + 2 * wide
    layer += hierarchy_at.to_bytes(wide, "big") + bytes(wide)
    level_at = hierarchy_at + 12 + 2 * wide
    hierarchy = struct.pack(">III", *(claimed or size), 4) + level_at.to_bytes(wide, "big") + bytes(wide)
    pixels = pattern(*size)
    tiles = [pixels[top : top + 64, left : left + 64] for top in range(0, height, 64) for left in range(0, width, 64)]
    packed = [_packed(tile, compression) for tile in tiles]
    position = level_at + 8 + wide * (len(tiles) + 1)
    level = struct.pack(">II", *(claimed or size))
    for part in packed:
        level += position.to_bytes(wide, "big")
        position += 0 if shared else len(part)
    return body + layer + hierarchy + level + bytes(wide) + b"".join(packed)


def pattern(width: int, height: int) -> np.ndarray:
    """The pixels of the layers that `xcf` writes."""
    rows, columns = np.mgrid[0:height, 0:width]
    return np.stack([rows * 3, columns * 2, rows ^ columns, 255 - columns], axis=-1).astype(np.uint8)


def _packed(tile: np.ndarray, compression: int) -> bytes:
    if compression == 0:
        return tile.tobytes()
    if compression == 2:
        return zlib.compress(tile.tobytes())
    runs = b""
    for plane in range(4):
        for value in tile[..., plane].reshape(-1).tolist():
            runs += bytes([0, value])
    return runs


def prop(kind: int, body: bytes) -> bytes:
    """One property."""
    return struct.pack(">II", kind, len(body)) + body


def parasite(name: bytes, data: bytes) -> bytes:
    """One parasite, as it stands in a property."""
    return struct.pack(">I", len(name) + 1) + name + b"\0" + struct.pack(">II", 1, len(data)) + data
