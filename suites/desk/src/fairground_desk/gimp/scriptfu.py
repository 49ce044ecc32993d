"""Client for the Script-Fu server of a running GIMP, used from outside the seat.

The server runs inside the seat, so its replies are only as trustworthy as the seat. They are used only for what no
file contains: which images are open, which have unsaved changes, and copies of those.
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
"""Scheme code that starts the server when GIMP starts."""

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
    """Run Scheme code in GIMP and return its reply.

    Raises:
        AppError: If GIMP reports an error, does not answer, or cannot be reached.
    """
    data = code.encode()
    try:
        with seat.sandbox.connect(PORT) as link:
            link.settimeout(_SECONDS)
            link.sendall(b"G" + struct.pack(">H", len(data)) + data)
            magic, failed, length = struct.unpack(">cBH", _read(link, 4))
            reply = _read(link, length).decode(errors="replace").strip()
    except (OSError, FairgroundError) as error:
        raise AppError(f"GIMP does not answer: {error}") from error
    if magic != b"G" or failed:
        raise AppError(f"GIMP refuses: {reply[:500]}")
    return reply


def wait_ready(seat: Seat, seconds: float) -> None:
    """Wait until the server answers."""
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
    """Run Scheme code on an open image; in the code, `image` is the image and `drawable` its active layer."""
    evaluate(
        seat,
        f"(begin {_FIND} (let* ((image (fg-named {quoted(image)}))"
        " (drawable (car (gimp-image-get-active-drawable image)))"
        " (layer (lambda (name) (car (gimp-image-get-layer-by-name image name)))))"
        f" {code} (gimp-displays-flush)))",
    )


def open_images(seat: Seat) -> list[dict[str, Any]]:
    """Return the open images: name, path, unsaved changes, size, mode, number of layers and active layer.

    Raises:
        AppError: If GIMP does not answer.
    """
    reply = evaluate(seat, _IMAGES)
    images = []
    for row in _ROW.finditer(reply):
        number, name, path, dirty, width, height, base, layers, empty, active = row.groups()
        images.append(
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
    return sorted(images, key=lambda image: image["id"])[:_MOST_IMAGES]


def unsaved_copies(seat: Seat, images: list[dict[str, Any]]) -> dict[str, bytes]:
    """Return the images with unsaved changes as XCF files, by path or name."""
    copies = {}
    for image in images:
        if image["unsaved"]:
            place = f"{seat.sandbox.home}/.cache/unsaved-{image['id']}.xcf"
            number = image["id"]
            active = f"(car (gimp-image-get-active-drawable {number}))"
            evaluate(seat, f"(gimp-xcf-save 1 {number} {active} {quoted(place)} {quoted(place)})")
            try:
                copies[image["path"] or image["name"]] = seat.sandbox.read_file(place)
            except StateError as error:
                raise AppError(f"GIMP wrote no copy of {image['name']!r}: {error.message}") from error
    return copies


def quoted(text: str) -> str:
    """Quote a text as a Scheme string."""
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
