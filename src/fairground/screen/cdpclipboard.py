"""The browser's single clipboard, shared by several screens: each one finds its own text in it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from fairground.core import Action, Key, KeyDown, ScreenError, Type
from fairground.screen.cdppipe import Gone
from fairground.screen.clipboard import MOST_BYTES, SECONDS, Clipping, clipping

if TYPE_CHECKING:
    from fairground.screen.cdp import CdpScreen

Copied = dict[str, str]
"""Content of a clipboard: text by MIME type, such as `text/plain`."""

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
    """Lends the browser's clipboard to one screen at a time, and reads it.

    Text copied with a key is kept separate per screen. Text that a script copies by itself on a click is lost.

    Args:
        open_page: Opens a page of ours, through which the clipboard is read and written.
    """

    def __init__(self, open_page: Callable[[], CdpScreen]) -> None:
        self._open_page = open_page
        self._clerk: CdpScreen | None = None
        self._lock = threading.Lock()

    @contextmanager
    def lent(self, copied: Copied) -> Iterator[None]:
        """Put this on the clipboard, and afterwards store what the clipboard then contains."""
        with self._lock:
            clerk = self._at_work()
            held = copied or {"text/plain": ""}
            clerk.evaluate(f"held = {json.dumps(held)}; document.execCommand('copy')")
            yield
            clerk.act(Key(keys=("ctrl", "v")))
            content = clerk.evaluate("held")
            copied.clear()
            copied.update({str(kind): str(text) for kind, text in content.items() if text})

    def read(self, copied: Copied | None) -> Clipping:
        """Return the text of a screen's separate clipboard.

        With None, read the browser's clipboard without changing it.
        """
        if not self._lock.acquire(timeout=SECONDS):
            raise ScreenError("the clipboard of this browser is in use", fix="try again")
        try:
            text = copied.get("text/plain", "") if copied is not None else self._pasted()
        finally:
            self._lock.release()
        return clipping(text, cut=len(text) > MOST_BYTES)

    def _pasted(self) -> str:
        """Paste into a page of ours. A page of the seat could return something else."""
        clerk = self._at_work()
        try:
            clerk.evaluate("held = {}")
            clerk.act(Key(keys=("ctrl", "v")))
            return str(clerk.evaluate(f'(held["text/plain"] ?? "").slice(0, {MOST_BYTES + 1})'))
        except ScreenError as error:
            self._clerk = None  # the next caller opens a new one
            clerk.close()
            raise ScreenError("the browser did not return its clipboard in time", fix="try again") from error

    def _at_work(self) -> CdpScreen:
        if self._clerk is None:
            clerk = self._open_page()
            clerk.evaluate(_CLERK)
            self._clerk = clerk
        return self._clerk

    def close(self) -> None:
        """Close that page."""
        if self._clerk is not None:
            self._clerk.close()
        self._open_page = _gone


def _gone() -> CdpScreen:
    raise Gone("the browser was closed")


def may_copy_or_paste(action: Action, held: int) -> bool:
    """Whether an action may use the clipboard. `held` are the modifiers that are down."""
    match action:
        case Key():
            return bool(held) or bool(_KEYS & set(action.keys))
        case KeyDown():
            return bool(held) or action.key in _KEYS
        case Type():
            return bool(held)
    return False
