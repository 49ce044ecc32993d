"""The one clipboard of a browser, shared out: each of several screens has its own text in it when it looks."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from fairground.core import Action, Key, KeyDown, Type
from fairground.screen.cdppipe import Gone

if TYPE_CHECKING:
    from fairground.screen.cdp import CdpScreen

Copied = dict[str, str]
"""What is on a clipboard: text by kind, such as `text/plain`."""

_KEYS: Final = frozenset({"c", "x", "v", "insert", "delete"})
_CLERK: Final = """
let held = {};
addEventListener("copy", (event) => {
  for (const kind in held) event.clipboardData.setData(kind, held[kind]);
  event.preventDefault();
});
addEventListener("paste", (event) => {
  held = {};
  for (const kind of event.clipboardData.types) if (kind !== "Files") held[kind] = event.clipboardData.getData(kind);
  event.preventDefault();
});
document.body.append(document.createElement("textarea"));
document.querySelector("textarea").focus();
"""


class Clipboards:
    """Lends the browser's clipboard to one screen at a time.

    What is copied with a key is kept apart for each screen. What a script copies by itself, on a click, is lost.

    Args:
        open_page: Opens a page for ourselves, through which the clipboard is read and written.
    """

    def __init__(self, open_page: Callable[[], CdpScreen]) -> None:
        self._open_page = open_page
        self._clerk: CdpScreen | None = None
        self._lock = threading.Lock()

    @contextmanager
    def lent(self, copied: Copied) -> Iterator[None]:
        """Puts this on the clipboard, and afterwards takes in what is there then."""
        with self._lock:
            if self._clerk is None:
                self._clerk = self._open_page()
                self._clerk.evaluate(_CLERK)
            held = copied or {"text/plain": ""}
            self._clerk.evaluate(f"held = {json.dumps(held)}; document.execCommand('copy')")
            yield
            self._clerk.act(Key(keys=("ctrl", "v")))
            found = self._clerk.evaluate("held")
            copied.clear()
            copied.update({str(kind): str(text) for kind, text in found.items() if text})

    def close(self) -> None:
        """Closes that page, and lets go of what opens it."""
        if self._clerk is not None:
            self._clerk.close()
        self._open_page = _gone


def _gone() -> CdpScreen:
    raise Gone("the browser was closed")


def may_copy_or_paste(action: Action, held: int) -> bool:
    """Whether keys may touch the clipboard; `held` are the modifiers that are down."""
    match action:
        case Key():
            return bool(held) or bool(_KEYS & set(action.keys))
        case KeyDown():
            return bool(held) or action.key in _KEYS
        case Type():
            return bool(held)
    return False
