"""Our own script in a page, in a world of its own where the page's scripts cannot reach it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, Final

from fairground.core import ScreenError
from fairground.screen.cdppages import Command, Page
from fairground.screen.cdpwire import Reply, Wire

_WATCH, _SELECT = (
    Path(__file__).with_name(f"cdp{name}.js").read_text(encoding="utf-8") for name in ("watch", "select")
)
_NAME: Final = "fairground"


class Stale(ScreenError):
    """The document that was asked is no longer the one that is shown."""


class World:
    """Asks our script about the document that a page shows now.

    Args:
        wire: To the browser.
        nonce: What our script's answers carry. Without it, a document in another process that happens to have the
            number of ours could answer in its place.
    """

    def __init__(self, wire: Wire, nonce: str) -> None:
        self._wire = wire
        self._nonce = nonce
        self._source = f"{_WATCH.strip()}({json.dumps(nonce)}, () => {{ {_SELECT} }})"
        self._contexts: dict[str, tuple[int, int]] = {}
        self._foreseen: dict[str, tuple[int, Reply]] = {}

    def prepare(self) -> list[Command]:
        """What a page is told when it opens, so that the script is there before the page's own."""
        script = {"source": self._source, "worldName": _NAME, "runImmediately": True}
        return [("Page.addScriptToEvaluateOnNewDocument", script)]

    def foresee(self, page: Page) -> None:
        """Has the way to the script found while the document that has just come still loads; does not wait."""
        reply = self._wire.send("Page.createIsolatedWorld", _place(page), session=page.session)
        self._foreseen[page.session] = page.document, reply

    def ask(self, page: Page, call: str, deadline: float) -> Reply:
        """Calls a function of the script."""
        document = page.document
        known = self._contexts.get(page.session)
        expression = f"fairground.{call}"
        if known is None or known[0] != document:
            left = max(0.0, deadline - time.monotonic())
            foreseen = self._foreseen.pop(page.session, None)
            if foreseen is None or foreseen[0] != document:
                made = self._wire.call("Page.createIsolatedWorld", _place(page), session=page.session, timeout=left)
            else:
                self._wire.wait(lambda: foreseen[1].done, left)
                made = self._wire.result(foreseen[1], left)
            known = self._contexts[page.session] = (document, made["executionContextId"])
            expression = f"{self._source}; {expression}"
        params = {"expression": expression, "contextId": known[1], "awaitPromise": True, "returnByValue": True}
        return self._wire.send("Runtime.evaluate", params, session=page.session)

    def answer(self, page: Page, reply: Reply) -> dict[str, Any]:
        """What it returned; raises `Stale` when that came from nowhere or from somebody else."""
        try:
            value = self._wire.result(reply)["result"].get("value")
        except ScreenError as error:
            self._contexts.pop(page.session, None)
            raise Stale(error.message) from None
        if not isinstance(value, dict) or value.get("nonce") != self._nonce:
            self._contexts.pop(page.session, None)
            raise Stale("another document answered")
        return value


def _place(page: Page) -> dict[str, Any]:
    return {"frameId": page.target, "worldName": _NAME}
