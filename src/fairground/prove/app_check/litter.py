"""Leave typical user data on a seat, to check afterwards that it does not leak into the next episode."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterator
from typing import Final

from fairground.core import StateError
from fairground.screen import CdpScreen
from fairground.screen import xrequests as x
from fairground.screen.xwire import XConnection
from fairground.worlds import Seat

MARK: Final = "left-behind"
"""Text in the name or content of everything that is left."""

RECENT: Final = "~/.local/share/recently-used.xbel"
"""Where desktop programs list recently used documents."""

_FILES: Final = (f"~/{MARK}.txt", f"~/Documents/{MARK}.ods", f"~/.config/{MARK}/settings.ini", f"~/.cache/{MARK}")
_ORANGE: Final = 0xFF8800
_WM_NAME, _STRING = 39, 31  # predefined X11 atoms


def leave_files(seat: Seat) -> None:
    """Leave documents, settings, a cache, and a recently used document."""
    for path in _FILES:
        seat.sandbox.write_file(path, b"left behind\n")
    bookmark = f'<bookmark href="file://{seat.sandbox.home}/{MARK}.txt" added="2025-01-01T00:00:00Z"/>'
    seat.sandbox.write_file(RECENT, f'<?xml version="1.0"?><xbel version="1.0">{bookmark}</xbel>'.encode())


def recent_documents(seat: Seat) -> bool:
    """Return whether the recently used document is still listed."""
    return MARK in _text(seat, RECENT)


@contextlib.contextmanager
def cluttered(seat: Seat) -> Iterator[None]:
    """Put something on the clipboard and open an additional window. For a page, set a cookie and local storage."""
    if isinstance(seat.screen, CdpScreen):
        seat.screen.evaluate(f"document.cookie = '{MARK}=1; max-age=9999'; localStorage.setItem('{MARK}', '1'); 1")
        yield
        return
    with contextlib.closing(_connection(seat)) as connection:
        window, clipboard = connection.new_id(), connection.atoms("CLIPBOARD")["CLIPBOARD"]
        title = struct.pack("<I", len(MARK)) + MARK.encode() + bytes(-len(MARK) % 4)
        connection.send(
            # Create a window, name it and map it; it then owns the clipboard.
            struct.pack("<BBHIIhhHHHHIII", 1, 0, 9, window, connection.root, 40, 40, 400, 300, 0, 1, 0, 2, _ORANGE),
            struct.pack("<BBHIIIB3x", 18, 0, 5 + len(title) // 4, window, _WM_NAME, _STRING, 8) + title,
            struct.pack("<BxHI", 8, 2, window),
            struct.pack("<BxHIII", 22, 4, window, clipboard, 0),
        )
        connection.sync()
        seat.wait_window(MARK)
        yield


def clipboard_used(seat: Seat) -> bool | None:
    """Return whether the clipboard (for a page: its storage) is in use. None if unknown."""
    if isinstance(seat.screen, CdpScreen):
        return bool(seat.screen.evaluate(f"document.cookie.includes('{MARK}') || !!localStorage.getItem('{MARK}')"))
    if "DISPLAY" not in seat.env:
        return None
    with contextlib.closing(_connection(seat)) as connection:
        atom = connection.atoms("CLIPBOARD")["CLIPBOARD"]
        return x.value(connection.ask(struct.pack("<BxHI", 23, 2, atom))[0]) != 0


def _connection(seat: Seat) -> XConnection:
    number = seat.env["DISPLAY"].lstrip(":").partition(".")[0]
    return XConnection(seat.sandbox.connect(f"/tmp/.X11-unix/X{number}"))


def _text(seat: Seat, path: str) -> str:
    try:
        return seat.sandbox.read_file(path).decode(errors="replace")
    except StateError:
        return ""
