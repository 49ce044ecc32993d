"""Browser contexts: each has its own cookies, storage, caches, workers and history."""

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
    """A context that is being created, and the one server that it can connect to, if it is restricted to one."""

    reply: Reply
    server: socket.socket | None


class Contexts:
    """Creates browser contexts for a screen, one after another.

    Args:
        wire: The connection to the browser.
        downloads: Folder for downloads; None refuses them.
        listen: Creates a listening socket on the loopback, one per context. Pages can connect to that socket and to
            nothing else. None allows all connections.
    """

    def __init__(self, wire: Wire, *, downloads: str | None, listen: Callable[[], socket.socket] | None = None) -> None:
        self.server: socket.socket | None = None
        """The server of the current context. The caller that takes it sets this to None."""
        self._wire = wire
        self._downloads = downloads
        self._listen = listen
        self._leaving: list[tuple[Wire, Reply]] = []

    def order(self) -> Ordered:
        """Start creating a context, to be entered later."""
        params: dict[str, Any] = {}
        server = self._listen() if self._listen is not None else None
        if server is not None:
            # All connections use a proxy that does not exist, except those to this port. Chromium decides this where it
            # connects, so it applies to pages, frames, workers and sockets.
            allowed = f"<-loopback>;127.0.0.1:{server.getsockname()[1]}"
            params = {"proxyServer": _NOWHERE, "proxyBypassList": allowed}
        return Ordered(self._wire.send("Target.createBrowserContext", params), server)

    def enter(self, ordered: Ordered) -> Wire:
        """Return a connection to an unused context."""
        self._wire.wait(lambda: ordered.reply.done, _SECONDS)
        context = self._wire.result(ordered.reply, _SECONDS)["browserContextId"]
        wire = self._wire.branch(context)
        behaviour = {"behavior": "allow", "downloadPath": self._downloads} if self._downloads else {"behavior": "deny"}
        events = self._downloads is not None
        wire.post("Browser.setDownloadBehavior", {**behaviour, "browserContextId": context, "eventsEnabled": events})
        return wire

    def leave(self, wire: Wire) -> None:
        """Start removing a context, with all pages and everything they stored."""
        # The connection stays open meanwhile, because pages may show a "leave page?" dialog.
        self._leaving.append(
            (wire, self._wire.send("Target.disposeBrowserContext", {"browserContextId": wire.context}))
        )

    def wait_left(self) -> None:
        """Wait until all left contexts are gone.

        Raises:
            ScreenError: A context does not go away.
        """
        while self._leaving:
            wire, reply = self._leaving[0]
            if not self._wire.wait(lambda reply=reply: reply.done, _LEAVE_SECONDS):  # type: ignore[misc]
                raise ScreenError("a previous page does not close", fix="open a new seat")
            wire.close()
            del self._leaving[0]

    def close(self) -> None:
        """Close the connections to contexts that were left."""
        for wire, _ in self._leaving:
            wire.close()
        self._leaving.clear()
