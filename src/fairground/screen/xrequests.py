"""Encoding of X11 requests and decoding of replies. Pure functions; `xwire` sends and receives."""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

KEY_PRESS: Final = 2
KEY_RELEASE: Final = 3
BUTTON_PRESS: Final = 4
BUTTON_RELEASE: Final = 5
MOTION: Final = 6
PROPERTY_NOTIFY: Final = 28
SELECTION_NOTIFY: Final = 31
CLIENT_MESSAGE: Final = 33
MAPPING_NOTIFY: Final = 34

SUBSTRUCTURE_NOTIFY: Final = 1 << 19
SUBSTRUCTURE_REDIRECT: Final = 1 << 20
PROPERTY_CHANGE: Final = 1 << 22

_FAKE_INPUT = struct.Struct("<BBHBBHIIIIhhIHBB")


def fake_input(opcode: int, kind: int, detail: int = 0, x: int = 0, y: int = 0, *, delay: int = 0) -> bytes:
    """XTEST FakeInput. The X server waits `delay` milliseconds before the event."""
    return _FAKE_INPUT.pack(opcode, 2, 9, kind, detail, 0, delay, 0, 0, 0, x, y, 0, 0, 0, 0)


def ignore_server_grabs(opcode: int) -> bytes:
    """XTEST GrabControl: execute this client's requests even while another client grabs the server."""
    return struct.pack("<BBHB3x", opcode, 3, 2, 1)


def query_extension(name: str) -> bytes:
    """Query an extension. Read the reply with `extension_opcode`."""
    raw = name.encode("ascii")
    return struct.pack("<BxHHxx", 98, 2 + _words(len(raw)), len(raw)) + _padded(raw)


def extension_opcode(reply: bytes) -> int | None:
    """The major opcode, or None if the server lacks the extension."""
    present, opcode = struct.unpack_from("<BB", reply, 8)
    return int(opcode) if present else None


def intern_atom(name: str) -> bytes:
    """Get the atom of a name. Read the reply with `value`."""
    raw = name.encode("ascii")
    return struct.pack("<BBHHxx", 16, 0, 2 + _words(len(raw)), len(raw)) + _padded(raw)


def value(reply: bytes) -> int:
    """The first 32-bit value of a reply: an atom, or the window that has the focus."""
    return int(struct.unpack_from("<I", reply, 8)[0])


def get_input_focus() -> bytes:
    """The cheapest request with a reply. X clients use it to know that all earlier requests were executed."""
    return struct.pack("<BxH", 43, 1)


def get_property(window: int, name: int, *, words: int = 1024) -> bytes:
    """Get at most `words` 32-bit words of a window's property, of any type."""
    return struct.pack("<BBHIIIII", 20, 0, 6, window, name, 0, 0, words)


def property_bytes(reply: bytes) -> bytes:
    """The content of a property; empty if there is none."""
    width, (length,) = reply[1], struct.unpack_from("<I", reply, 16)
    return reply[32 : 32 + length * (width // 8)]


def property_type(reply: bytes) -> int:
    """The atom of a property's type; 0 if there is no such property."""
    return int(struct.unpack_from("<I", reply, 8)[0])


def property_left(reply: bytes) -> int:
    """Number of bytes of a property after those in the reply."""
    return int(struct.unpack_from("<I", reply, 12)[0])


def property_words(reply: bytes) -> tuple[int, ...]:
    """The content of a property of 32-bit values: windows, atoms, numbers."""
    raw = property_bytes(reply) if reply[1] == 32 else b""
    return struct.unpack(f"<{len(raw) // 4}I", raw[: len(raw) // 4 * 4])


def delete_property(window: int, name: int) -> bytes:
    """Delete a property of a window."""
    return struct.pack("<BxHII", 19, 3, window, name)


def convert_selection(window: int, selection: int, kind: int, name: int) -> bytes:
    """Request a selection from its owner, as a property of our window. The owner answers with an event."""
    return struct.pack("<BxHIIIII", 24, 6, window, selection, kind, name, 0)


class Pointer(NamedTuple):
    """The pointer position and what is held: bits of `mask` are Shift 1, Lock 2, Control 4, Mod1 8, ..."""

    child: int
    x: int
    y: int
    mask: int


def query_pointer(window: int) -> bytes:
    """Query the pointer. In the reply, `child` is the child of `window` under the pointer. Read it with `pointer`."""
    return struct.pack("<BxHI", 38, 2, window)


def pointer(reply: bytes) -> Pointer:
    """Decode a reply to `query_pointer`."""
    child, x, y, _, _, mask = struct.unpack_from("<IhhhhH", reply, 12)
    return Pointer(child, x, y, mask)


def query_tree(window: int) -> bytes:
    """List the children of a window, bottom first. Read the reply with `children`."""
    return struct.pack("<BxHI", 15, 2, window)


def children(reply: bytes) -> tuple[int, ...]:
    """Decode a reply to `query_tree`."""
    (count,) = struct.unpack_from("<H", reply, 16)
    count = min(count, (len(reply) - 32) // 4)
    return struct.unpack_from(f"<{count}I", reply, 32)


def get_geometry(window: int) -> bytes:
    """Get a window's geometry. Read the reply with `geometry`."""
    return struct.pack("<BxHI", 14, 2, window)


def geometry(reply: bytes) -> tuple[int, int]:
    """Width and height."""
    width, height = struct.unpack_from("<HH", reply, 16)
    return width, height


def get_window_attributes(window: int) -> bytes:
    """Get a window's attributes. Read the reply with `is_viewable`."""
    return struct.pack("<BxHI", 3, 2, window)


def is_viewable(reply: bytes) -> bool:
    """Whether the window and all its ancestors are mapped."""
    return reply[26] == 2


def translate_coordinates(window: int, root: int) -> bytes:
    """Get the position of a window's top left corner on the screen. Read the reply with `position`."""
    return struct.pack("<BxHIIhh", 40, 4, window, root, 0, 0)


def position(reply: bytes) -> tuple[int, int]:
    """Left and top."""
    x, y = struct.unpack_from("<hh", reply, 12)
    return x, y


def select_events(window: int, mask: int) -> bytes:
    """Select the events of a window that this client receives."""
    return struct.pack("<BxHIII", 2, 4, window, 1 << 11, mask)


def set_background(window: int, pixel: int) -> bytes:
    """Set the background colour of a window, 0xRRGGBB."""
    return struct.pack("<BxHIII", 2, 4, window, 1 << 1, pixel)


def clear_area(window: int) -> bytes:
    """Paint a whole window with its background."""
    return struct.pack("<BxHIhhHH", 61, 4, window, 0, 0, 0, 0)


def set_picture(window: int, pixmap: int) -> bytes:
    """Set the background picture of a window."""
    return struct.pack("<BxHIII", 2, 4, window, 1 << 0, pixmap)


def create_pixmap(pixmap: int, window: int, width: int, height: int) -> bytes:
    """Create a picture on the server, for a window's screen."""
    return struct.pack("<BBHIIHH", 53, 24, 4, pixmap, window, width, height)


def create_context(context: int, drawable: int) -> bytes:
    """Create a default graphics context for drawing."""
    return struct.pack("<BxHIII", 55, 4, context, drawable, 0)


def put_rows(pixmap: int, context: int, width: int, top: int, rows: bytes) -> bytes:
    """Draw whole rows of a picture, four bytes per pixel: blue, green, red, unused."""
    count = len(rows) // (4 * width)
    head = struct.pack("<BBHIIHHhhBBxx", 72, 2, 6 + _words(len(rows)), pixmap, context, width, count, 0, top, 0, 24)
    return head + rows


def free_pixmap(pixmap: int) -> bytes:
    """Free a picture. A window that has it as its background keeps it."""
    return struct.pack("<BxHI", 54, 2, pixmap)


def create_hidden_window(window: int, root: int, mask: int) -> bytes:
    """Create a window that is never shown, as a target for messages."""
    return struct.pack("<BBHIIhhHHHHIII", 1, 0, 9, window, root, -1, -1, 1, 1, 0, 2, 0, 1 << 11, mask)


def send_message(to: int, window: int, kind: int, data: tuple[int, ...], *, mask: int = 0) -> bytes:
    """Send a client message about `window` to `to`."""
    words = (*data, 0, 0, 0, 0, 0)[:5]
    event = struct.pack("<BBHII5I", CLIENT_MESSAGE, 32, 0, window, kind, *words)
    return struct.pack("<BBHII", 25, 0, 11, to, mask) + event


def get_keyboard_mapping(first: int, count: int) -> bytes:
    """Get the keyboard mapping. Read the reply with `keyboard_mapping`."""
    return struct.pack("<BxHBBxx", 101, 2, first, count)


def keyboard_mapping(reply: bytes) -> list[tuple[int, ...]]:
    """The keysyms of each keycode."""
    width = reply[1]
    raw = reply[32:]
    if not width or len(raw) % (4 * width):
        return []
    symbols = struct.unpack(f"<{len(raw) // 4}I", raw)
    return [symbols[start : start + width] for start in range(0, len(symbols), width)]


def change_keyboard_mapping(first: int, rows: list[tuple[int, ...]]) -> bytes:
    """Assign keysyms to successive keycodes. All rows have the same length."""
    width = len(rows[0])
    symbols = [symbol for row in rows for symbol in row]
    head = struct.pack("<BBHBBxx", 100, len(rows), 2 + len(symbols), first, width)
    return head + struct.pack(f"<{len(symbols)}I", *symbols)


def get_modifier_mapping() -> bytes:
    """Get the modifier mapping. Read the reply with `modifier_mapping`."""
    return struct.pack("<BxH", 119, 1)


def modifier_mapping(reply: bytes) -> tuple[frozenset[int], ...]:
    """The keycodes of each of the eight modifiers: Shift, Lock, Control, Mod1 to Mod5."""
    width = reply[1]
    raw = reply[32 : 32 + 8 * width]
    return tuple(frozenset(raw[start * width : (start + 1) * width]) - {0} for start in range(8))


def _words(size: int) -> int:
    return (size + 3) // 4


def _padded(raw: bytes) -> bytes:
    return raw + bytes(-len(raw) % 4)
