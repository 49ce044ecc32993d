"""A person's browser, and an ear at its wall: what it was told, and what went wrong in it."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Error, Locator, Page, Request, WebSocket

from tests.chromium import note_faults
from tests.waiting import eventually

LOOPBACK = ("127.0.0.1", "localhost", "::1")
NOT_SENT = ("blob", "data")  # schemes of addresses that ask nobody


@dataclass
class Ear:
    """Listens to a page from its beginning.

    Attributes:
        told: All that the server said: what it is, and its words (heads, bodies, frames of WebSockets).
        faults: Errors of scripts, requests that failed, and requests to anybody else.
        wary: Whether bodies are kept; they are many.
    """

    wary: bool = False
    told: list[tuple[str, bytes]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def listen(self, page: Page) -> None:
        note_faults(page, self.faults, kinds=("error",))
        page.on("request", lambda asked: self._check(asked.url))
        page.on("requestfailed", self._failed)
        page.on("requestfinished", self._finished)
        page.on("websocket", self._connected)

    def said(self, *words: str) -> list[tuple[str, str]]:
        """Where one of these words was told, whatever its case. Files that are the same for everybody do not count."""
        return [
            (where, word)
            for where, what in self.told
            for word in words
            if "/static/" not in where and word.encode() in what.lower()
        ]

    def _check(self, url: str) -> None:
        found = urlsplit(url)
        if found.scheme not in NOT_SENT and found.hostname not in LOOPBACK:
            self.faults.append(f"asked of others: {url}")

    def _failed(self, asked: Request) -> None:
        if asked.failure != "net::ERR_ABORTED":  # the person went on to another page
            self.faults.append(f"request: {asked.method} {asked.url}: {asked.failure}")

    def _finished(self, asked: Request) -> None:
        answer = asked.response()
        if answer is None:
            return
        if answer.status >= 400:
            self.faults.append(f"request: {asked.method} {asked.url}: {answer.status}")
        if self.wary:
            head = "\n".join(f"{one['name']}: {one['value']}" for one in answer.headers_array())
            self.told.append((f"head of {asked.url}", f"{asked.url}\n{head}".encode()))
            with suppress(Error):  # a redirection has no body
                self.told.append((f"body of {asked.url}", answer.body()))

    def _connected(self, socket: WebSocket) -> None:
        self._check(socket.url)

        def keep(frame: str | bytes) -> None:
            if self.wary:
                self.told.append((f"frame of {socket.url}", frame.encode() if isinstance(frame, str) else frame))

        socket.on("framereceived", keep)


def scan(page: Page) -> None:
    """No violation that keeps people out (axe-core)."""
    # Of a long table the first rows speak for the others, and a scan takes its time with each.
    found = Axe().run(page, {"exclude": [["tbody tr:nth-child(n + 12)"]]}).response["violations"]
    grave = [one for one in found if one["impact"] in ("serious", "critical")]
    told = [f"{one['id']}: {one['help']}: {[node['html'][:200] for node in one['nodes']][:5]}" for one in grave]
    assert not told, "\n".join(told)


def overflow(page: Page) -> int:
    """By how many pixels the page is wider than its window."""
    found: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return found


def wait_for_colours(canvas: Locator) -> None:
    """Waits until a picture is more than one surface."""
    eventually(lambda: len(set(struct.unpack(f"<{len(found := pixels(canvas)) // 4}I", found))) > 20)


def pixels(canvas: Locator) -> bytes:
    """What a picture shows now, four bytes a pixel."""
    found: str = canvas.evaluate(
        """async (canvas) => {
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          const reader = new FileReader();
          return new Promise((done) => {
            reader.onload = () => done(reader.result.split(",")[1]);
            reader.readAsDataURL(new Blob([data]));
          });
        }"""
    )
    return base64.b64decode(found)


def press_until(page: Page, key: str, reached: Callable[[], bool], most: int = 120) -> None:
    """Presses a key until something is so, as one does who sees where the focus is."""
    for _ in range(most):
        if reached():
            return
        page.keyboard.press(key)
    raise AssertionError(f"{key} was pressed {most} times; the focus is on {focused(page)}")


def focused(page: Page) -> str:
    """What has the focus, as markup."""
    found: str = page.evaluate("document.activeElement?.outerHTML.slice(0, 300) ?? ''")
    return found
