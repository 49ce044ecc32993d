"""Waiting until a page has settled: loaded, drawn, and nothing changes or moves any more."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from fairground.core import Frame
from fairground.screen.cdpframe import read_frame
from fairground.screen.cdppipe import Gone
from fairground.screen.cdpview import View
from fairground.screen.cdpwire import NoAnswer, ProtocolError
from fairground.screen.cdpworld import Stale

_QUIET: Final = 12  # milliseconds without a change in the document
_GRACE_SECONDS: Final = 0.5  # extra time for the answer of a page that was told when to give up
_LOOK_AGAIN: Final = 0.02


@dataclass(frozen=True)
class Rest:
    """The result of waiting for a page to settle.

    Attributes:
        why: What it was still doing; empty if it has settled.
        frame: The settled picture, if one was taken.
        zoom: Zoom factor of the page, if requested.
    """

    why: str
    frame: Frame | None = None
    zoom: float | None = None


@dataclass(frozen=True)
class _Look:
    decided: bool
    rest: Rest


def wait_for_rest(view: View, size: tuple[int, int], deadline: float, *, picture: bool = True) -> Rest:
    """Wait until the visible page has settled, or until the deadline. Takes a picture only if requested."""
    frame: Frame | None = None
    while True:
        try:
            look = _look(view, size, deadline, frame, picture)
            frame = look.rest.frame or frame
        except (Stale, ProtocolError, Gone):
            if not view.wire.alive:
                raise
            look = _Look(False, Rest("the page is loading"))
        except NoAnswer:
            return Rest("the page does not answer")
        if look.decided or time.monotonic() >= deadline:
            return look.rest


def _look(view: View, size: tuple[int, int], deadline: float, earlier: Frame | None, picture: bool) -> _Look:
    page = view.page(deadline)
    left = deadline - time.monotonic()
    if not view.wire.wait(lambda: not page.busy() or page.asked is not None, min(_LOOK_AGAIN, left)):
        with view.wire.changed:
            why = page.busy() or "the page is loading"
            if time.monotonic() >= deadline:
                page.outlasted |= set(page.requests)
        return _Look(False, Rest(why))
    activity, document = page.activity, page.document
    before = view.ask(page, "state()", deadline)
    # The picture is taken while we wait. It counts if nothing has changed meanwhile.
    wanted = picture or before["painted"]  # only comparing two pictures shows whether a canvas was drawn on
    shot = view.capture(page) if wanted and not before["why"] else None
    budget = max(0, int((deadline - time.monotonic()) * 1000))
    after = view.ask(page, f"rest({_QUIET}, {budget})", deadline + _GRACE_SECONDS)
    if after["why"]:
        return _Look(True, Rest(str(after["why"])))
    if after["changes"] != before["changes"] or (shot is None and (wanted or after["painted"])):
        return _Look(False, Rest("the page keeps changing"))
    if shot is not None:
        view.wait(page, [shot], deadline + _GRACE_SECONDS - time.monotonic(), document=document)
    if page.activity != activity or page is not view.pages.shown:
        return _Look(False, Rest(page.busy() or "the page keeps changing"))
    zoom = float(after["zoom"])
    if shot is None:
        return _Look(True, Rest(str(after["moving"]), None, zoom))
    frame = read_frame(view.wire.result(shot)["data"], size)
    if not after["painted"] or (earlier is not None and earlier.digest == frame.digest):
        return _Look(True, Rest(str(after["moving"]), frame, zoom))
    decided = earlier is not None and page.restless
    page.restless |= time.monotonic() >= deadline
    return _Look(decided, Rest("a canvas keeps changing", frame, zoom))
