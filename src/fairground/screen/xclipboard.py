"""Reading the clipboard of an X server, which asks the program that copied the text.

That program runs in the seat and may be slow, broken or hostile, so its answer is limited in size and time.
"""

from __future__ import annotations

import codecs
import struct
import time
from collections.abc import Callable
from typing import Final, NamedTuple

from fairground.core import ScreenError
from fairground.screen import xrequests as x
from fairground.screen.clipboard import MOST_BYTES, Clipping, clipping
from fairground.screen.xwire import XConnection

_NAMES: Final = ("CLIPBOARD", "INCR", "STRING", "UTF8_STRING", "_CLIPBOARD_TEXT")
_NEW_VALUE: Final = 0
# Some programs do not survive if their reader stops in the middle, so excess data is read too, up to this limit.
_MOST_TAKEN: Final = 16 * MOST_BYTES
_FIX: Final = "copy it again in the app; if that does not help, the app does not provide its clipboard"


def read_selection(connection: XConnection, seconds: float) -> Clipping:
    """Ask the owner of the clipboard for its text.

    Args:
        connection: A separate connection, closed afterwards, because an unfinished transfer would block it.
        seconds: Total timeout.

    Raises:
        ScreenError: The program does not answer in time, or sends something that is not text.
    """
    return _Reading(connection, time.monotonic() + seconds).read()


class _Part(NamedTuple):
    kind: int
    content: bytes
    more: bool  # than fits into the limit


class _Reading:
    def __init__(self, connection: XConnection, deadline: float) -> None:
        self._connection = connection
        self._deadline = deadline
        self._atom = connection.atoms(*_NAMES)
        self._place = self._atom["_CLIPBOARD_TEXT"]
        self._window = connection.new_id()
        connection.send(x.create_hidden_window(self._window, connection.root, x.PROPERTY_CHANGE))

    def read(self) -> Clipping:
        for name in ("UTF8_STRING", "STRING"):
            if self._handed_over(self._atom[name]):
                part = self._take()
                if part.kind == self._atom["INCR"]:
                    part = self._take_in_parts()
                return self._clipping(part)
        return Clipping("")  # the clipboard has no owner, or its content is not text

    def _handed_over(self, kind: int) -> bool:
        """Request one kind of text. Returns whether it was provided."""
        clipboard = self._atom["CLIPBOARD"]
        self._connection.send(x.convert_selection(self._window, clipboard, kind, self._place))

        def answer(event: bytes) -> bool | None:
            window, selection, target, place = struct.unpack_from("<4I", event, 8)
            ours = (window, selection, target) == (self._window, clipboard, kind)
            return place == self._place if ours and place in (0, self._place) else None

        return self._wait(x.SELECTION_NOTIFY, answer)

    def _take(self) -> _Part:
        """Read the provided part. Deleting it requests the next one."""
        reply = self._connection.ask(x.get_property(self._window, self._place, words=MOST_BYTES // 4))[0]
        self._connection.send(x.delete_property(self._window, self._place))
        return _Part(x.property_type(reply), x.property_bytes(reply), x.property_left(reply) > 0)

    def _take_in_parts(self) -> _Part:
        """Read a long text, which arrives in parts. The last part is empty."""
        kind, content, taken = 0, bytearray(), 0
        while taken <= _MOST_TAKEN:
            try:
                self._wait(x.PROPERTY_NOTIFY, self._left_something)
            except ScreenError:
                if taken > MOST_BYTES:
                    break
                raise
            part = self._take()
            if not part.kind:
                continue  # a duplicate notification of a part that was read already
            self._check(part)
            kind = part.kind
            if not part.content:
                break
            content += part.content[: MOST_BYTES - len(content)]
            taken += len(part.content) + part.more
        return _Part(kind, bytes(content), taken > MOST_BYTES)

    def _left_something(self, event: bytes) -> bool | None:
        window, place, _, state = struct.unpack_from("<3IB", event, 4)
        return True if (window, place, state) == (self._window, self._place, _NEW_VALUE) else None

    def _check(self, part: _Part) -> None:
        if part.kind not in (self._atom["UTF8_STRING"], self._atom["STRING"]):
            raise ScreenError("the app that owns the clipboard sent something that is not text", fix=_FIX)

    def _clipping(self, part: _Part) -> Clipping:
        self._check(part)
        if part.kind == self._atom["STRING"]:
            return clipping(part.content.decode("latin-1"), cut=part.more)
        # A character that was cut in two is left out; an invalid one is replaced by U+FFFD.
        text = codecs.getincrementaldecoder("utf-8")("replace").decode(part.content, final=not part.more)
        return clipping(text, cut=part.more)

    def _wait(self, kind: int, read: Callable[[bytes], bool | None]) -> bool:
        """The first result of `read` that is not None, over events of this kind."""
        events = self._connection.events
        while True:
            while events:
                event = events.popleft()
                if event[0] & 0x7F == kind and (result := read(event)) is not None:
                    return result
            left = self._deadline - time.monotonic()
            if left <= 0:
                raise ScreenError("the app that owns the clipboard did not provide it in time", fix=_FIX)
            self._connection.wait_event(left)
