"""Our own script in a page, in an isolated world that the page's scripts cannot access."""

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
    """The document has been replaced by another one."""


class World:
    """Calls our script about the document that a page shows now.

    Args:
        wire: The connection to the browser.
        nonce: Included in our script's answers. Without it, a document in another process with the same execution
            context ID could answer instead.
    """

    def __init__(self, wire: Wire, nonce: str) -> None:
        self._wire = wire
        self._nonce = nonce
        self._source = f"{_WATCH.strip()}({json.dumps(nonce)}, () => {{ {_SELECT} }})"
        self._contexts: dict[str, tuple[int, int]] = {}
        self._foreseen: dict[str, tuple[int, Reply]] = {}

    def prepare(self) -> list[Command]:
        """The commands for a new page that install the script before the page's own scripts run."""
        script = {"source": self._source, "worldName": _NAME, "runImmediately": True}
        return [("Page.addScriptToEvaluateOnNewDocument", script)]

    def foresee(self, page: Page) -> None:
        """Look up the script's execution context while a new document still loads. Does not wait."""
        reply = self._wire.send("Page.createIsolatedWorld", _place(page), session=page.session)
        self._foreseen[page.session] = page.document, reply

    def ask(self, page: Page, call: str, deadline: float) -> Reply:
        """Call a function of the script."""
        document = page.document
        known = self._contexts.get(page.session)
        expression = f"fairground.{call}"
        if known is None or known[0] != document:
            left = max(0.0, deadline - time.monotonic())
            foreseen = self._foreseen.pop(page.session, None)
            if foreseen is None or foreseen[0] != document:
                created = self._wire.call("Page.createIsolatedWorld", _place(page), session=page.session, timeout=left)
            else:
                self._wire.wait(lambda: foreseen[1].done, left)
                created = self._wire.result(foreseen[1], left)
            known = self._contexts[page.session] = (document, created["executionContextId"])
            expression = f"{self._source}; {expression}"
        params = {"expression": expression, "contextId": known[1], "awaitPromise": True, "returnByValue": True}
        return self._wire.send("Runtime.evaluate", params, session=page.session)

    def answer(self, page: Page, reply: Reply) -> dict[str, Any]:
        """Return the result of a call.

        Raises:
            Stale: There was no result, or it came from another document.
        """
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
