"""Copies a seat whose screen is a page to another seat at the same world, for apps that declare `ForksExactly`.

The copy gets the document as it is now, at the same address and the same place in an equal history; unsent fields,
scroll positions, focus, caret, selection and pointer; the clipboard; and the app's data on the host. It does not get
what the browser tells nobody: the undo steps of fields, and the scroll positions and unsent fields of documents that
were left, which it restores when the user goes back to them.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from fairground.core import Frame, Key, Move, ScreenError
from fairground.screen import CdpScreen
from fairground.worlds.forking import ForkFailed, ForksExactly
from fairground.worlds.seat import Seat

_SECONDS: Final = 10.0  # timeout for a copy to load, and to look the same
_SCRIPT: Final = Path(__file__).with_name("page_copy.js").read_text(encoding="utf-8").strip()

# Rebuilds a history: each document adds the entries that belong to it, and opens the next one.
_BUILDER: Final = """<!doctype html><html style="overflow-anchor: none"><title></title>
<link rel="icon" href="data:,"><script>
const plan = %s;
addEventListener("load", () => setTimeout(() => {
  let at = navigation.currentEntry.index;
  const mark = () => navigation.updateCurrentEntry({ state: plan[at] });
  mark();
  scrollTo(0, plan[at].scrolled);
  while (plan[at + 1]?.document === plan[at].document) {
    at += 1;
    history.pushState(null, "", plan[at].url);
    scrollTo(0, plan[at].scrolled);
    mark();
  }
  if (at === plan.length - 1) return void (globalThis.built = true);
  const { url, sent } = plan[at + 1];
  if (sent === null) return void navigation.navigate(url, { history: "push" });
  const form = document.createElement("form");
  form.method = "post";
  form.action = url;
  for (const [name, value] of new URLSearchParams(sent)) {
    const field = document.createElement("input");
    Object.assign(field, { type: "hidden", name, value });
    form.append(field);
  }
  document.body.append(form);
  HTMLFormElement.prototype.submit.call(form);
}));
</script><body style="margin: 0; height: 1000000px"></body>"""

_LOAD: Final = """(([plan, entry]) => {
  globalThis.left = true;
  const back = entry - (plan.length - 1);
  if (plan.length === 1) history.replaceState(null, "", plan[0].url);
  if (back === 0) return void location.reload();
  if (plan[entry].document === plan.at(-1).document) {
    addEventListener("popstate", () => location.reload(), { once: true });
  }
  history.go(back);
})(%s)"""

_COPY_TEXT: Final = """addEventListener("copy", (event) => {
  event.clipboardData.setData("text/plain", %s);
  event.preventDefault();
}, { once: true })"""


@dataclass(frozen=True, eq=False)
class SeatCopy:
    """The state of a seat at one moment.

    Attributes:
        page: The document, and what the browser keeps about it.
        frame: The settled picture.
        cursor: The pointer position.
        clipboard: The copied text; None if nothing was copied.
        data: The app's data on the host.
    """

    page: dict[str, Any]
    frame: Frame
    cursor: tuple[int, int] | None
    clipboard: str | None
    data: Any


def copy_seat(seat: Seat, *, clipboard: bool = True) -> SeatCopy:
    """Return the state of a seat. Nothing in the seat changes.

    Args:
        seat: A seat whose app declares `ForksExactly`.
        clipboard: Whether something may have been copied to the clipboard. Reading it takes time.

    Raises:
        ForkFailed: The seat is in a state that cannot be copied. The message says which.
    """
    app, screen = _parts(seat)
    settled = screen.settle()
    if not settled.quiet:
        raise ForkFailed(f"the page is not at rest: {settled.reason}", fix="step on, and fork later")
    if (count := len(screen.windows())) != 1:
        raise ForkFailed(f"expected one page, found {count}", fix="close the other pages, and fork then")
    frame = screen.grab()
    page = _read(screen)
    if page is None:
        raise ForkFailed("the browser shows an error page of its own", fix="go back or forward, and fork then")
    entries = page["entries"]
    if None in entries or entries[0]["sent"] is not None:
        raise ForkFailed(f"the history has entries that cannot be copied: {entries}")
    text = None
    if clipboard:
        copied = screen.clipboard()
        if copied.cut:
            raise ForkFailed("the text on the clipboard is too long to be copied")
        text = copied.text
    return SeatCopy(page, frame, screen.cursor(), text, app.copy_data(seat))


def paste_seat(copy: SeatCopy, seat: Seat) -> None:
    """Bring a fresh seat at the same world into a copied state, and compare the two.

    Raises:
        ForkFailed: The seat differs from the copied one. The message says in what.
    """
    app, screen = _parts(seat)
    deadline = time.monotonic() + _SECONDS
    page = copy.page
    plan = json.dumps(page["entries"]).replace("<", "\\u003c")
    try:
        if copy.clipboard:
            screen.evaluate(_COPY_TEXT % json.dumps(copy.clipboard))
            screen.act(Key(keys=("ctrl", "c")))
        if len(page["entries"]) > 1:
            app.stand_in(seat, _BUILDER % plan, scripted=True)
            first = json.dumps(page["entries"][0]["url"])
            screen.evaluate(f'history.replaceState(null, "", {first}); location.reload()')
            _wait(screen, "globalThis.built", deadline)
        doctype = "<!doctype html>" if page["mode"] == "CSS1Compat" else ""
        app.stand_in(seat, doctype + page["html"])
        screen.evaluate(_LOAD % f"[{plan}, {page['entry']}]")
        _wait(screen, "!globalThis.left && document.readyState === 'complete'", deadline)
    finally:
        app.stand_in(seat, None)
    app.paste_data(seat, copy.data)
    screen.evaluate(f"{_SCRIPT}.write({json.dumps(page)})")
    if page["hover"] and copy.cursor is not None:
        screen.act(Move(point=copy.cursor))
    _compare(copy, seat, deadline)


def _compare(copy: SeatCopy, seat: Seat, deadline: float) -> None:
    app, screen = _parts(seat)
    while True:
        screen.settle()
        page = _read(screen) or {}
        # After scrolling, a browser updates `hover` only with the next movement. What it changes is in the picture.
        differing = [name for name, value in copy.page.items() if page.get(name) != value and name != "hover"]
        if screen.grab() != copy.frame:
            differing.append("picture")
        if app.copy_data(seat) != copy.data:
            differing.append("data of the app")
        if not differing:
            return
        if time.monotonic() > deadline:
            raise ForkFailed(f"the copy differs from the original: {', '.join(differing)}", fix="report it, or replay")
        screen.wait_change(0.25)


def _read(screen: CdpScreen) -> dict[str, Any] | None:
    return cast(dict[str, Any] | None, screen.evaluate(f"{_SCRIPT}.read()"))


def _wait(screen: CdpScreen, condition: str, deadline: float) -> None:
    while True:
        try:
            if screen.evaluate(f"Boolean({condition})"):
                return
        except ScreenError:
            if not screen.alive:
                raise
        if time.monotonic() > deadline:
            raise ForkFailed(f"the copy did not load within {_SECONDS:g} s")
        screen.settle(1.0, picture=False)


def _parts(seat: Seat) -> tuple[ForksExactly, CdpScreen]:
    app, screen = seat.world.app, seat.screen
    if not isinstance(app, ForksExactly) or not isinstance(screen, CdpScreen):
        raise ForkFailed(f"{seat.world.id}: the state of {app.name} cannot be copied", fix="replay the actions instead")
    return app, screen
