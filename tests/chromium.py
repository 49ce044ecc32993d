"""A real browser for tests, and a log of errors in its pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, expect, sync_playwright

MILLISECONDS = 60_000.0


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Open the system's Chromium. While it is open, nothing else in this thread can run an event loop."""
    with sync_playwright() as playwright:
        expect.set_options(timeout=MILLISECONDS)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        yield browser
        browser.close()


def note_faults(page: Page, faults: list[str], *, kinds: tuple[str, ...] = ("error", "warning")) -> None:
    """Append script errors of a page, and console messages of these kinds, to `faults`."""
    page.on("pageerror", lambda fault: faults.append(f"script: {fault}"))
    page.on("console", lambda said: faults.append(f"console: {said.text}") if said.type in kinds else None)
