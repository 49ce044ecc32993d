"""The page that is shown, asked with care: it may navigate, crash, open a dialog or never answer."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from fairground.core import ScreenError
from fairground.screen.cdppages import Command, Page, Pages
from fairground.screen.cdpwire import NoAnswer, Reply, Wire
from fairground.screen.cdpworld import Stale, World

_ANSWER_SECONDS: Final = 2.0  # for a page to say that it is there


class View:
    """What is shown, and our script in it.

    Args:
        wire: To a browser context.
        prepare: Commands for every new page, before any of its scripts runs.
        backdrop: What a dialog is drawn over: a picture as a `data:` address.
    """

    def __init__(self, wire: Wire, prepare: Iterable[Command], backdrop: Callable[[], str]) -> None:
        self.wire = wire
        self._world = World(wire, secrets.token_hex(8))
        self.pages = Pages(wire, [*prepare, *self._world.prepare()], backdrop, self._world.foresee)

    def page(self, deadline: float) -> Page:
        """The page that is shown, as soon as one is."""
        pages = self.pages
        self.wire.wait(lambda: not pages.opening and pages.shown is not None, deadline - time.monotonic())
        page = pages.shown
        if page is None:
            raise ScreenError("the browser shows no page: it was closed", fix="open a new seat")
        if pages.opening:
            raise Stale("a dialog is about to open")
        if page.crashed:
            raise ScreenError("the page crashed", fix="navigate to get a new one, or open a new seat")
        return page

    def wait(self, page: Page, replies: list[Reply], timeout: float, *, document: int | None = None) -> None:
        """Waits for a page's answers.

        Args:
            page: Who was asked.
            replies: What it was asked.
            timeout: For how many seconds to wait.
            document: Which of its documents was asked, if only that one can answer. A document that is left takes
                what it was asked along; neither a script nor a picture of it is always answered for.

        Raises:
            Stale: A dialog makes the page stand still, or the document was left.
            NoAnswer: The time is over.
        """

        def left() -> bool:
            return document is not None and page.document != document

        def answered() -> bool:
            return all(reply.done for reply in replies)

        done = self.wire.wait(lambda: page.asked is not None or left() or answered(), timeout)
        if page.asked is not None and not answered():
            raise Stale("the page shows a dialog")
        if left() and not answered():
            raise Stale("the page has gone elsewhere")
        if not done:
            raise NoAnswer(f"{replies[-1].method}: the page did not answer within {max(timeout, 0):.1f} s")

    def call(self, page: Page, method: str, params: dict[str, Any], timeout: float) -> dict[str, Any]:
        """Sends a page a command and waits for its answer, as `wait` does."""
        reply = self.wire.send(method, params, session=page.session)
        self.wait(page, [reply], timeout)
        return self.wire.result(reply)

    def ask(self, page: Page, call: str, deadline: float) -> dict[str, Any]:
        """Calls a function of our script in the page."""
        document = page.document
        reply = self._world.ask(page, call, deadline)
        self.wait(page, [reply], deadline - time.monotonic(), document=document)
        return self._world.answer(page, reply)

    def capture(self, page: Page) -> Reply:
        """Has the page drawn anew and pictured; lossless, and packed quickly rather than well."""
        return self.wire.send(
            "Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True}, session=page.session
        )

    def last_drawn(self, page: Page, deadline: float) -> str:
        """What a page shows whose scripts do not let it draw: a browser's window would show that, too."""
        with self.wire.changed:
            page.cast = None
        self.wire.post("Page.startScreencast", {"format": "png"}, session=page.session)
        self.wire.wait(lambda: page.cast is not None, deadline - time.monotonic())
        self.wire.post("Page.stopScreencast", session=page.session)
        if page.cast is None:
            raise NoAnswer("the page does not answer, and the browser has no picture of it")
        return page.cast

    def answers(self, page: Page) -> bool:
        """Whether a page could be told to go elsewhere."""
        if page.crashed:
            return True  # it will, as soon as it has a new process
        reply = self.wire.send("Runtime.evaluate", {"expression": "1"}, session=page.session)
        self.wire.wait(lambda: reply.done or page.asked is not None, _ANSWER_SECONDS)
        return reply.done
