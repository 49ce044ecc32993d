"""The visible page, with safe access: it may navigate, crash, open a dialog or never answer."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from fairground.core import ScreenError
from fairground.screen.cdppages import Command, Page, Pages
from fairground.screen.cdpwire import NoAnswer, Reply, Wire
from fairground.screen.cdpworld import Stale, World

_ANSWER_SECONDS: Final = 2.0  # timeout for a page to show that it answers


class View:
    """The visible page, and our script in it.

    Args:
        wire: The connection to a browser context.
        prepare: Commands for every new page, before any of its scripts runs.
        backdrop: Returns the picture behind a dialog, as a `data:` URL.
    """

    def __init__(self, wire: Wire, prepare: Iterable[Command], backdrop: Callable[[], str]) -> None:
        self.wire = wire
        self._world = World(wire, secrets.token_hex(8))
        self.pages = Pages(wire, [*prepare, *self._world.prepare()], backdrop, self._world.foresee)

    def page(self, deadline: float) -> Page:
        """Return the visible page. Waits until there is one."""
        pages = self.pages
        self.wire.wait(lambda: not pages.opening and pages.shown is not None, deadline - time.monotonic())
        page = pages.shown
        if page is None:
            raise ScreenError("the browser shows no page: it was closed", fix="open a new seat")
        if pages.opening:
            raise Stale("a dialog is about to open")
        if page.crashed:
            raise ScreenError("the page crashed", fix="navigate to another page, or open a new seat")
        return page

    def wait(self, page: Page, replies: list[Reply], timeout: float, *, document: int | None = None) -> None:
        """Wait for a page's answers.

        Args:
            page: The page.
            replies: The pending answers.
            timeout: Seconds to wait.
            document: The document that was asked, if only that one can answer. When a document is left, commands to it
                may never be answered.

        Raises:
            Stale: A dialog blocks the page, or the document was left.
            NoAnswer: The timeout has passed.
        """

        def left() -> bool:
            return document is not None and page.document != document

        def answered() -> bool:
            return all(reply.done for reply in replies)

        done = self.wire.wait(lambda: page.asked is not None or left() or answered(), timeout)
        if page.asked is not None and not answered():
            raise Stale("the page shows a dialog")
        if left() and not answered():
            raise Stale("the page has navigated")
        if not done:
            raise NoAnswer(f"{replies[-1].method}: the page did not answer within {max(timeout, 0):.1f} s")

    def call(self, page: Page, method: str, params: dict[str, Any], timeout: float) -> dict[str, Any]:
        """Send a command to a page and wait for its answer, as `wait` does."""
        reply = self.wire.send(method, params, session=page.session)
        self.wait(page, [reply], timeout)
        return self.wire.result(reply)

    def ask(self, page: Page, call: str, deadline: float) -> dict[str, Any]:
        """Call a function of our script in the page."""
        document = page.document
        reply = self._world.ask(page, call, deadline)
        self.wait(page, [reply], deadline - time.monotonic(), document=document)
        return self._world.answer(page, reply)

    def capture(self, page: Page) -> Reply:
        """Request a new picture of the page: lossless, compressed for speed rather than size."""
        return self.wire.send(
            "Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True}, session=page.session
        )

    def last_drawn(self, page: Page, deadline: float) -> str:
        """Return the last picture of a page whose scripts prevent drawing, as a browser window would show it."""
        with self.wire.changed:
            page.cast = None
        self.wire.post("Page.startScreencast", {"format": "png"}, session=page.session)
        self.wire.wait(lambda: page.cast is not None, deadline - time.monotonic())
        self.wire.post("Page.stopScreencast", session=page.session)
        if page.cast is None:
            raise NoAnswer("the page does not answer, and the browser has no picture of it")
        return page.cast

    def answers(self, page: Page) -> bool:
        """Whether a page can navigate."""
        if page.crashed:
            return True  # it gets a new process when it navigates
        reply = self.wire.send("Runtime.evaluate", {"expression": "1"}, session=page.session)
        self.wire.wait(lambda: reply.done or page.asked is not None, _ANSWER_SECONDS)
        return reply.done
