"""Windows of an X server, and whether their programs have handled the input sent to them.

A program that supports `_NET_WM_PING` answers only after it has handled every event before the ping. The window manager
holds back a click until it has decided on the focus, so it is asked first.
"""

from __future__ import annotations

import itertools
import struct
import time
from typing import Final

from fairground.core import Window
from fairground.screen import xrequests as x
from fairground.screen.xwire import XConnection

MAX_WINDOWS: Final = 128
MAX_TITLE: Final = 512
_NAMES: Final = (
    "_NET_ACTIVE_WINDOW", "_NET_CLIENT_LIST_STACKING", "_NET_FRAME_EXTENTS", "_NET_REQUEST_FRAME_EXTENTS",
    "_NET_SUPPORTED", "_NET_SUPPORTING_WM_CHECK", "_NET_WM_NAME", "_NET_WM_PING", "_NET_WM_STATE",
    "_NET_WM_STATE_HIDDEN", "_NET_WM_WINDOW_TYPE", "_NET_WM_WINDOW_TYPE_DIALOG", "WM_NAME", "WM_PROTOCOLS",
)  # fmt: skip
_ASK_AGAIN: Final = 0.01
_RECHECK: Final = 0.05
_SILENT: Final = 0.25  # seconds to wait for a window that has missed a whole deadline before


class Windows:
    """The windows of one X server."""

    def __init__(self, connection: XConnection) -> None:
        self._connection = connection
        self._atom = connection.atoms(*_NAMES)
        self._tokens = itertools.count(1)
        self._silent: set[int] = set()
        self._manager_known = False
        self._mailbox = connection.new_id()
        connection.send(
            x.create_hidden_window(self._mailbox, connection.root, x.PROPERTY_CHANGE),
            # Answers to pings go to the root window, for clients that select its events.
            x.select_events(connection.root, x.SUBSTRUCTURE_NOTIFY),
        )
        connection.sync()

    def visible(self) -> tuple[Window, ...]:
        """Return the visible windows, topmost last. Bounds include the frame of the window manager."""
        ids, focused = self._managed()
        if ids is None:
            ids = self._unmanaged()
        ids = ids[-MAX_WINDOWS:]
        questions = [self._questions(each) for each in ids]
        replies = iter(self._connection.ask_each(*itertools.chain.from_iterable(questions)))
        described = [
            self._window([next(replies) for _ in questions_of_window], focused=each == focused)
            for each, questions_of_window in zip(ids, questions, strict=True)
        ]
        return tuple(window for window in described if window is not None)

    def taken_in(self, deadline: float) -> str:
        """Wait until the window manager and the programs in front have handled all input sent so far.

        Returns:
            An empty string, or which one has not answered by the deadline.
        """
        if not self.manager_taken_in(deadline):
            return "the window manager has not answered"
        waiting = {window: next(self._tokens) for window in self._in_front()}
        ping = self._atom["_NET_WM_PING"]
        protocols = self._atom["WM_PROTOCOLS"]
        self._connection.send(
            *(x.send_message(each, each, protocols, (ping, token, each)) for each, token in waiting.items())
        )
        if waiting and waiting.keys() <= self._silent:
            deadline = min(deadline, time.monotonic() + _SILENT)
        while waiting:
            recheck = time.monotonic() + _RECHECK
            while waiting and time.monotonic() < min(recheck, deadline):
                self._connection.wait_event(min(recheck, deadline) - time.monotonic())
                for window, token in self._pongs():
                    self._silent.discard(window)
                    if waiting.get(window) == token:
                        del waiting[window]
            # A window that the input itself has closed never answers.
            waiting = {each: token for each, token in waiting.items() if self._viewable(each)}
            if waiting and time.monotonic() >= deadline:
                self._silent = set(list(waiting)[:MAX_WINDOWS])
                return f"the window {self._title(next(iter(waiting)))!r} has not answered"
        return ""

    def dialog_in_front(self) -> bool:
        """Whether the focused window is a dialog."""
        root, atom = self._connection.root, self._atom
        active = self._connection.ask_each(x.get_property(root, atom["_NET_ACTIVE_WINDOW"], words=1))[0]
        window = x.property_words(active)[:1] if active else ()
        if not window:
            return False
        kind = self._connection.ask_each(x.get_property(window[0], atom["_NET_WM_WINDOW_TYPE"], words=16))[0]
        return kind is not None and atom["_NET_WM_WINDOW_TYPE_DIALOG"] in x.property_words(kind)

    def has_manager(self) -> bool:
        """Whether a window manager runs that supports requests."""
        root, check, able = self._connection.root, self._atom["_NET_SUPPORTING_WM_CHECK"], self._atom["_NET_SUPPORTED"]
        window, supported = self._connection.ask_each(x.get_property(root, check), x.get_property(root, able))
        if not window or not supported:
            return False
        # Properties on the root window outlive the window manager; its own window does not.
        (own,) = x.property_words(window)[:1] or (0,)
        alive = self._connection.ask_each(x.get_window_attributes(own))[0] is not None
        return alive and self._atom["_NET_REQUEST_FRAME_EXTENTS"] in x.property_words(supported)

    def manager_taken_in(self, deadline: float) -> bool:
        """Wait until the window manager, if any, has handled all input sent so far. False on timeout."""
        if not self._manager_known and not self.has_manager():
            return True
        self._take(x.PROPERTY_NOTIFY)
        self._ask_manager()
        while True:
            recheck = min(deadline, time.monotonic() + (_RECHECK if self._manager_known else _ASK_AGAIN))
            while time.monotonic() < recheck:
                self._connection.wait_event(recheck - time.monotonic())
                for event in self._take(x.PROPERTY_NOTIFY):
                    if struct.unpack_from("<I", event, 4)[0] == self._mailbox:
                        self._manager_known = True
                        return True
            if time.monotonic() >= deadline:
                return False
            if not self.has_manager():
                self._manager_known = False
                return True
            if not self._manager_known:
                self._ask_manager()  # a window manager that is just starting drops requests

    def _ask_manager(self) -> None:
        request, mask = self._atom["_NET_REQUEST_FRAME_EXTENTS"], x.SUBSTRUCTURE_NOTIFY | x.SUBSTRUCTURE_REDIRECT
        self._connection.send(x.send_message(self._connection.root, self._mailbox, request, (), mask=mask))

    def _in_front(self) -> set[int]:
        """The focused window and the one under the pointer, if they support pings."""
        root, ping = self._connection.root, self._atom["_NET_WM_PING"]
        active, pointed = self._connection.ask_each(
            x.get_property(root, self._atom["_NET_ACTIVE_WINDOW"], words=1), x.query_pointer(root)
        )
        front = set(x.property_words(active)[:1]) if active else set()
        # A child of the root is the window manager's frame, or without one the window itself.
        frame = x.pointer(pointed).child if pointed else 0
        front = (front | {frame}) - {0}
        candidates = sorted(front)
        inside, *replies = self._connection.ask_each(x.query_pointer(frame or root), *map(self._protocols, candidates))
        child = x.pointer(inside).child if inside and frame else 0
        if child and child not in front:
            candidates.append(child)
            replies += self._connection.ask_each(self._protocols(child))
        return {
            each
            for each, reply in zip(candidates, replies, strict=True)
            if reply is not None and ping in x.property_words(reply)
        }

    def _protocols(self, window: int) -> bytes:
        return x.get_property(window, self._atom["WM_PROTOCOLS"], words=64)

    def _pongs(self) -> list[tuple[int, int]]:
        pongs = []
        for event in self._take(x.CLIENT_MESSAGE):
            kind, ping, token, window = struct.unpack_from("<4I", event, 8)
            if kind == self._atom["WM_PROTOCOLS"] and ping == self._atom["_NET_WM_PING"]:
                pongs.append((window, token))
        return pongs

    def _take(self, kind: int) -> list[bytes]:
        """The events of one kind. All others are dropped."""
        events = self._connection.events
        matching = [event for event in events if event[0] & 0x7F == kind]
        events.clear()
        return matching

    def _managed(self) -> tuple[tuple[int, ...] | None, int]:
        root = self._connection.root
        stacking, active = self._connection.ask_each(
            x.get_property(root, self._atom["_NET_CLIENT_LIST_STACKING"]),
            x.get_property(root, self._atom["_NET_ACTIVE_WINDOW"], words=1),
        )
        focused = x.property_words(active)[:1] if active else ()
        ids = x.property_words(stacking) if stacking is not None and stacking[1] else None
        return ids, focused[0] if focused else 0

    def _unmanaged(self) -> tuple[int, ...]:
        tree = self._connection.ask_each(x.query_tree(self._connection.root))[0]
        return tuple(each for each in x.children(tree) if each != self._mailbox) if tree else ()

    def _questions(self, window: int) -> tuple[bytes, ...]:
        return (
            x.get_window_attributes(window),
            x.get_geometry(window),
            x.translate_coordinates(window, self._connection.root),
            x.get_property(window, self._atom["_NET_FRAME_EXTENTS"], words=4),
            x.get_property(window, self._atom["_NET_WM_STATE"], words=64),
            x.get_property(window, self._atom["_NET_WM_NAME"], words=MAX_TITLE),
            x.get_property(window, self._atom["WM_NAME"], words=MAX_TITLE),
        )

    def _window(self, replies: list[bytes | None], *, focused: bool) -> Window | None:
        attributes, geometry, position, extents, state, name, old_name = replies
        if attributes is None or geometry is None or position is None or not x.is_viewable(attributes):
            return None
        if state is not None and self._atom["_NET_WM_STATE_HIDDEN"] in x.property_words(state):
            return None
        (width, height), (left, top) = x.geometry(geometry), x.position(position)
        around = x.property_words(extents)[:4] if extents is not None else ()
        if len(around) == 4 and max(around) < 1000:
            left, top = left - around[0], top - around[2]
            width, height = width + around[0] + around[1], height + around[2] + around[3]
        return Window(title=_title(name, old_name), bounds=(left, top, width, height), focused=focused)

    def _viewable(self, window: int) -> bool:
        reply = self._connection.ask_each(x.get_window_attributes(window))[0]
        return reply is not None and x.is_viewable(reply)

    def _title(self, window: int) -> str:
        names = ("_NET_WM_NAME", "WM_NAME")
        name, old = self._connection.ask_each(*(x.get_property(window, self._atom[each]) for each in names))
        return _title(name, old)


def _title(name: bytes | None, old_name: bytes | None) -> str:
    text = x.property_bytes(name).decode("utf-8", "replace") if name else ""
    if not text and old_name:
        text = x.property_bytes(old_name).decode("latin-1")
    return "".join(each if each.isprintable() else " " for each in text)[:MAX_TITLE].strip()
