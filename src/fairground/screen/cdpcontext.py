"""Browser contexts: each has cookies, storage, caches, workers and history of its own, and takes them along."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from fairground.core import ScreenError
from fairground.screen.cdpwire import Reply, Wire

_SECONDS: Final = 30.0
_LEAVE_SECONDS: Final = 5.0
_NOWHERE: Final = "127.0.0.1:1"  # nothing listens there


@dataclass(frozen=True, eq=False)
class Ordered:
    """A context that is being made, and the one server that it will reach, if it is to reach only one."""

    reply: Reply
    server: socket.socket | None


class Contexts:
    """Makes browser contexts for a screen, one after the other.

    Args:
        wire: To the browser.
        downloads: Folder for what pages download; None refuses it.
        listen: Makes a listening socket on the loopback, one for each context: its pages can connect to that and to
            nothing else at all. None does not limit them.
    """

    def __init__(self, wire: Wire, *, downloads: str | None, listen: Callable[[], socket.socket] | None = None) -> None:
        self.server: socket.socket | None = None
        """What the pages of the present context reach; whoever takes it sets this to None."""
        self._wire = wire
        self._downloads = downloads
        self._listen = listen
        self._leaving: list[tuple[Wire, Reply]] = []

    def order(self) -> Ordered:
        """Has a context made, to be entered later."""
        params: dict[str, Any] = {}
        server = self._listen() if self._listen is not None else None
        if server is not None:
            # Every connection goes by a proxy that is not there, but for those to this port. That is decided where
            # connections are made, so it holds for pages, frames, workers and sockets alike.
            allowed = f"<-loopback>;127.0.0.1:{server.getsockname()[1]}"
            params = {"proxyServer": _NOWHERE, "proxyBypassList": allowed}
        return Ordered(self._wire.send("Target.createBrowserContext", params), server)

    def enter(self, ordered: Ordered) -> Wire:
        """A wire to a context that nobody has used."""
        self._wire.wait(lambda: ordered.reply.done, _SECONDS)
        context = self._wire.result(ordered.reply, _SECONDS)["browserContextId"]
        wire = self._wire.branch(context)
        behaviour = {"behavior": "allow", "downloadPath": self._downloads} if self._downloads else {"behavior": "deny"}
        events = self._downloads is not None
        wire.post("Browser.setDownloadBehavior", {**behaviour, "browserContextId": context, "eventsEnabled": events})
        return wire

    def leave(self, wire: Wire) -> None:
        """Has a context thrown away, with all pages and everything that they stored."""
        # The wire stays for as long as that takes: pages may ask whether one really wants to leave.
        self._leaving.append(
            (wire, self._wire.send("Target.disposeBrowserContext", {"browserContextId": wire.context}))
        )

    def wait_left(self) -> None:
        """Waits until what was left is gone; raises `ScreenError` when it stays."""
        while self._leaving:
            wire, reply = self._leaving[0]
            if not self._wire.wait(lambda reply=reply: reply.done, _LEAVE_SECONDS):  # type: ignore[misc]
                raise ScreenError("a page that was left does not go away", fix="open a new seat")
            wire.close()
            del self._leaving[0]

    def close(self) -> None:
        """Ends the conversations with contexts that were left."""
        for wire, _ in self._leaving:
            wire.close()
        self._leaving.clear()
