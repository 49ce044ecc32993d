"""Asking a running GIMP, from outside of the seat, by the Script-Fu server that it was started with.

What it says can be no better than what runs in the seat. So only what is nowhere else is taken from it: which images
are open, which have unsaved changes, and a copy of those.
"""

from __future__ import annotations

import re
import socket
import struct
import time
from typing import Any

from fairground.core import AppError, FairgroundError, StateError
from fairground.worlds import Seat

PORT = 10008
SERVE = f'(plug-in-script-fu-server RUN-NONINTERACTIVE "127.0.0.1" {PORT} "")'
"""What GIMP is started with, so that it can be asked."""

_SECONDS = 20.0
_MOST_IMAGES = 20

_FIND = """(define (fg-named name)
  (let loop ((some (vector->list (cadr (gimp-image-list)))))
    (if (null? some) (error (string-append "no open image is named " name))
      (let* ((path (car (gimp-image-get-filename (car some)))) (start (- (string-length path) (string-length name))))
        (if (and (>= start 0) (string=? name (substring path start (string-length path))))
          (car some) (loop (cdr some)))))))"""

_IMAGES = """(map (lambda (i) (list i (car (gimp-image-get-name i)) (car (gimp-image-get-filename i))
  (car (gimp-image-is-dirty i)) (car (gimp-image-width i)) (car (gimp-image-height i))
  (car (gimp-image-base-type i)) (car (gimp-image-get-layers i)) (car (gimp-selection-is-empty i))
  (let ((d (car (gimp-image-get-active-drawable i)))) (if (= d -1) "" (car (gimp-item-get-name d))))))
  (vector->list (cadr (gimp-image-list))))"""


def evaluate(seat: Seat, code: str) -> str:
    """Has GIMP carry out a program in Scheme; returns what it says.

    Raises:
        AppError: When it refuses, does not answer, or cannot be reached.
    """
    data = code.encode()
    try:
        with seat.sandbox.connect(PORT) as link:
            link.settimeout(_SECONDS)
            link.sendall(b"G" + struct.pack(">H", len(data)) + data)
            magic, failed, length = struct.unpack(">cBH", _read(link, 4))
            said = _read(link, length).decode(errors="replace").strip()
    except (OSError, FairgroundError) as error:
        raise AppError(f"GIMP does not answer: {error}") from error
    if magic != b"G" or failed:
        raise AppError(f"GIMP refuses: {said[:500]}")
    return said


def wait_ready(seat: Seat, seconds: float) -> None:
    """Waits until GIMP can be asked."""
    deadline = time.monotonic() + seconds
    while True:
        seat.check()
        try:
            evaluate(seat, "(begin 1)")
        except AppError:
            if time.monotonic() > deadline:
                raise
            seat.screen.wait_change(0.1)
        else:
            return


def do(seat: Seat, image: str, code: str) -> None:
    """Carries out a program on an open image; in it, `image` is the image and `drawable` its active layer."""
    evaluate(
        seat,
        f"(begin {_FIND} (let* ((image (fg-named {quoted(image)}))"
        " (drawable (car (gimp-image-get-active-drawable image)))"
        " (layer (lambda (name) (car (gimp-image-get-layer-by-name image name)))))"
        f" {code} (gimp-displays-flush)))",
    )


def open_images(seat: Seat) -> list[dict[str, Any]]:
    """The open images: name, file, whether there is anything unsaved, size, mode, number of layers, active layer.

    Raises:
        AppError: When GIMP does not answer.
    """
    said = evaluate(seat, _IMAGES)
    found = []
    for row in _ROW.finditer(said):
        number, name, path, dirty, width, height, base, layers, empty, active = row.groups()
        found.append(
            {
                "id": int(number),
                "name": _plain(name),
                "path": _plain(path).replace(seat.sandbox.home, "~", 1),
                "unsaved": dirty == "1",
                "width": int(width),
                "height": int(height),
                "base": ("rgb", "gray", "indexed")[int(base)],
                "layers": int(layers),
                "selection": empty == "0",
                "active_layer": _plain(active),
            }
        )
    return sorted(found, key=lambda one: one["id"])[:_MOST_IMAGES]


def unsaved_copies(seat: Seat, images: list[dict[str, Any]]) -> dict[str, bytes]:
    """The content of the images with unsaved changes, as XCF, by their path or name."""
    found = {}
    for one in images:
        if one["unsaved"]:
            place = f"{seat.sandbox.home}/.cache/unsaved-{one['id']}.xcf"
            number = one["id"]
            active = f"(car (gimp-image-get-active-drawable {number}))"
            evaluate(seat, f"(gimp-xcf-save 1 {number} {active} {quoted(place)} {quoted(place)})")
            try:
                found[one["path"] or one["name"]] = seat.sandbox.read_file(place)
            except StateError as error:
                raise AppError(f"GIMP wrote no copy of {one['name']!r}: {error.message}") from error
    return found


def quoted(text: str) -> str:
    """A text in Scheme."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


_TEXT = r'"((?:[^"\\]|\\.)*)"'
_ROW = re.compile(rf"\((\d+) {_TEXT} {_TEXT} (\d) (\d+) (\d+) ([012]) (\d+) ([01]) {_TEXT}\)")


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def _read(link: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        part = link.recv(count - len(data))
        if not part:
            raise OSError("the connection ended")
        data += part
    return data
