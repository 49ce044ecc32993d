"""A screen that shows a page of Chromium: pictures, input and accessibility over the DevTools protocol."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Callable
from typing import Any, Final, Literal

from fairground.core import Action, Frame, Node, ScreenError, Wait, Window
from fairground.screen.cdpclipboard import Clipboards, Copied, may_copy_or_paste
from fairground.screen.cdpcontext import Contexts, Ordered
from fairground.screen.cdpframe import data_url, read_frame
from fairground.screen.cdphand import Hand
from fairground.screen.cdppages import Command, Page
from fairground.screen.cdppipe import Gone
from fairground.screen.cdpsettle import wait_for_rest
from fairground.screen.cdptree import read_tree
from fairground.screen.cdpview import View
from fairground.screen.cdpwire import NoAnswer, ProtocolError, Wire
from fairground.screen.cdpworld import Stale
from fairground.screen.clipboard import Clipping
from fairground.screen.protocol import Settled

_OPEN_SECONDS: Final = 30.0
_CALL_SECONDS: Final = 10.0
_TREE_SECONDS: Final = 30.0
_DRAW_SECONDS: Final = 3.0  # timeout for a page to redraw; after that, its last picture is used
_FRESH_SECONDS: Final = 0.05  # how long the picture at the end of settling stays current
_LOOK_AGAIN: Final = 0.02
_EMPTY_CLIPBOARD: Final = """
addEventListener("copy", (event) => { event.clipboardData.setData("text/plain", ""); event.preventDefault() });
document.execCommand("copy")
"""
_BACKDROP_QUALITY, _BACKDROP_BRIGHTNESS = 60, 0.5


class CdpScreen:
    """The page that a browser shows.

    A page that opens another (a popup, a new tab) is hidden until that one is closed. A dialog (`alert`, `confirm`,
    `prompt`) is drawn and answered as a page. `take_notes` reports events that are not visible. The pointer is not
    drawn.

    Args:
        contexts: Source of the browser contexts for its pages.
        size: Size of the picture in pixels.
        scale: Pixels of the picture per pixel of the page.
        mobile: Lay out pages as on a phone.
        touch: Send touch events instead of events of the left mouse button.
        color_scheme: The user's preference that pages see.
        user_agent: The browser's user agent string.
        clipboards: Reads the browser's clipboard.
        own_clipboard: Use a separate clipboard, for a browser that others use as well.
        notes: Initial notes for `take_notes`.
        end: Called when the screen is closed, to end what it owns.
    """

    backend = "cdp"
    in_memory = False

    def __init__(
        self,
        contexts: Contexts,
        size: tuple[int, int],
        *,
        scale: float = 1.0,
        mobile: bool = True,
        touch: bool = False,
        color_scheme: Literal["light", "dark"] = "light",
        user_agent: str = "",
        clipboards: Clipboards,
        own_clipboard: bool = False,
        notes: tuple[str, ...] = (),
        end: Callable[[], None] = lambda: None,
    ) -> None:
        self.size = size
        self._contexts = contexts
        self._scale = scale
        self._mobile, self._touch = mobile, touch
        self._prepare = _prepare(size, scale, mobile, touch, color_scheme, user_agent)
        self._clipboards, self._own_clipboard = clipboards, own_clipboard
        self._notes = notes
        self._end = end
        self._left: View | None = None
        self._ready: Page | None = None
        self._ordered: Ordered | None = None
        self._spare: tuple[Ordered, View] | None = None
        """The page for the next `renew`, opened while the current one is in use."""
        self._show(*self._enter(contexts.order()))

    def _enter(self, ordered: Ordered) -> tuple[Ordered, View]:
        return ordered, View(self._contexts.enter(ordered), self._prepare, self._backdrop)

    def _show(self, ordered: Ordered, view: View) -> None:
        self._contexts.server = ordered.server
        self._view = view
        self._hand = Hand(view, self.size, self._scale, zoomable=self._mobile, touch=self._touch)
        self._copied: Copied = {}
        self._frame: Frame | None = None
        self._settled_at = 0.0
        for text in self._notes:
            self.note(text)
        view.wire.wait(lambda: view.pages.shown is not None, _OPEN_SECONDS)

    @property
    def _wire(self) -> Wire:
        return self._view.wire

    @property
    def alive(self) -> bool:
        """Whether the browser runs and its page has not crashed."""
        page = self._view.pages.shown
        return self._wire.alive and page is not None and not page.crashed

    def renew(self) -> None:
        """Replace everything by an empty page in an unused browser context.

        This removes pages, dialogs, held keys and buttons, zoom, history, cookies, storage, caches, workers and notes.
        The browser itself stays, with an empty clipboard. Downloaded files stay.

        Raises:
            ScreenError: The browser is gone, or opens no page.
        """
        self._contexts.wait_left()
        self._leave()
        spare, ordered = self._spare, self._ordered
        self._spare = self._ordered = None
        self._left = self._view
        self._show(*(spare or self._enter(ordered or self._contexts.order())))
        self._ready = self._view.page(time.monotonic() + _CALL_SECONDS)
        wish = {"expression": "1" if self._own_clipboard else _EMPTY_CLIPBOARD, "userGesture": True}
        self._view.call(self._ready, "Runtime.evaluate", wish, _CALL_SECONDS)

    def _leave(self) -> None:
        """Close the previous pages and prepare the next one, after the first picture of the new page."""
        left, self._left = self._left, None
        if left is not None:
            self._contexts.leave(left.wire)
            self._ordered = self._contexts.order()  # a screen that was renewed once will be renewed again

    def freeze(self) -> None:
        """Pause the scripts of its pages at their next statement, for a browser that others use as well.

        Workers and the clock continue. Only freezing the whole sandbox stops those.
        """
        for page in self._view.pages.stack:
            self._wire.post("Debugger.enable", session=page.session)
            self._wire.post("Debugger.pause", session=page.session)

    def thaw(self) -> None:
        """Continue the scripts."""
        for page in self._view.pages.stack:
            self._wire.post("Debugger.disable", session=page.session)

    def take_server(self) -> socket.socket:
        """Return the listening socket that pages can connect to until `renew`, if they can connect to only one.

        Once only.

        Raises:
            ScreenError: The socket was taken already.
        """
        server, self._contexts.server = self._contexts.server, None
        if server is None:
            raise ScreenError(
                "a page in a shared browser can connect to one server, which was taken already",
                fix="use one server for everything, or open a seat with its own browser",
            )
        return server

    def note(self, text: str) -> None:
        """Add a note for `take_notes`."""
        self._view.pages.note(text)

    def take_notes(self) -> tuple[str, ...]:
        """Return and clear the notes about invisible events, such as a download or a file chooser."""
        return self._view.pages.take_notes()

    def grab(self) -> Frame:
        """Return the current picture. It has no pointer, because the browser draws none."""
        if self._frame is not None and time.monotonic() - self._settled_at < _FRESH_SECONDS and self._wire.alive:
            return self._frame
        deadline = time.monotonic() + _CALL_SECONDS
        while True:
            page = self._view.page(deadline)
            document = page.document
            shot = self._view.capture(page)
            try:
                self._view.wait(page, [shot], min(_DRAW_SECONDS, deadline - time.monotonic()), document=document)
                data = self._wire.result(shot)["data"]
            except NoAnswer:
                data = self._view.last_drawn(page, deadline)
            except (Stale, Gone, ProtocolError):
                # Another page is shown by now, or this one is between two documents.
                if time.monotonic() > deadline:
                    raise
                self._wire.wait(lambda: False, _LOOK_AGAIN)
                continue
            self._frame = read_frame(data, self.size)
            return self._frame

    def glance(self) -> tuple[Frame | None, tuple[int, int]]:
        """Return the last picture taken, if any, and the pointer position.

        Thread-safe, and sends nothing to the browser.
        """
        if not self._wire.alive:
            raise ScreenError("the browser is gone", fix="open a new seat")
        return self._frame, self._hand.position

    def act(self, action: Action) -> None:
        """Perform an input action on the visible page; see `Screen.act`."""
        action = action.to_pixels(*self.size)
        if isinstance(action, Wait):
            self._wire.wait(lambda: False, action.seconds)
        else:
            self._settled_at = 0.0
            self._leave()
            with self._clipboard(action):
                self._hand.act(action)
            if self._ordered is not None and self._ordered.reply.done:
                self._spare, self._ordered = self._enter(self._ordered), None

    def _clipboard(self, action: Action) -> contextlib.AbstractContextManager[None]:
        if not self._own_clipboard or not may_copy_or_paste(action, self._hand.modifiers):
            return contextlib.nullcontext()
        return self._clipboards.lent(self._copied)

    def settle(self, timeout: float = 5.0, *, picture: bool = True) -> Settled:
        """Wait until the page has loaded and drawn, and nothing changes or moves any more.

        With `picture`, a picture is taken meanwhile for the following `grab`. Without it, this takes half as long.
        Activity that outlasts one call (an endless animation, an open request) is ignored in later calls, so that it
        costs one timeout, not one per step. The result is still not `quiet` while the page moves.
        """
        started = time.monotonic()
        self._settled_at = 0.0
        rest = wait_for_rest(self._view, self.size, started + timeout, picture=picture)
        now = time.monotonic()
        if rest.frame is not None:
            self._frame, self._settled_at = rest.frame, now
        if rest.zoom is not None:
            self._hand.zoom = rest.zoom
        return Settled(not rest.why, now - started, rest.why)

    def wait_change(self, timeout: float) -> bool:
        """Wait at most `timeout` seconds until the picture changes. Returns whether it did."""
        deadline = time.monotonic() + timeout
        before = self.grab()
        self._settled_at = 0.0
        while time.monotonic() < deadline:
            self._wire.wait(lambda: False, min(_LOOK_AGAIN, max(0.0, deadline - time.monotonic())))
            if self.grab().digest != before.digest:
                return True
        return False

    def clipboard(self) -> Clipping:
        """Return what was copied last, read by a separate page of ours."""
        return self._clipboards.read(self._copied if self._own_clipboard else None)

    def cursor(self) -> tuple[int, int] | None:
        """Return the last pointer position; initially the center."""
        return self._hand.position

    def tree(self, *, depth: int = 64, limit: int = 5_000) -> Node:
        """Return the page's accessibility tree, including frames. Roles are ARIA roles."""
        deadline = time.monotonic() + _TREE_SECONDS
        page = self._view.page(deadline)

        def ask(method: str, **params: Any) -> dict[str, Any]:
            return self._view.call(page, method, params, deadline - time.monotonic())

        return read_tree(ask, self._scale, self.size, depth=depth, limit=limit)

    def windows(self) -> tuple[Window, ...]:
        """Return each open page as a window of the screen's size, the visible one last."""
        stack = self._view.pages.stack
        replies = [self._wire.send("Target.getTargetInfo", {"targetId": page.target}) for page in stack]
        self._wire.wait(lambda: all(reply.done for reply in replies), _CALL_SECONDS)
        windows = []
        for page, reply in zip(stack, replies, strict=True):
            with contextlib.suppress(ProtocolError):  # closed meanwhile
                title = self._wire.result(reply, _CALL_SECONDS)["targetInfo"]["title"]
                windows.append(Window(title, (0, 0, *self.size), page is stack[-1]))
        return tuple(windows)

    def navigate(self, url: str, timeout: float = 30.0, *, settle: float = 5.0) -> Settled:
        """Open a URL, wait until it has loaded, and then at most `settle` seconds until it has settled.

        Closes the pages that the page had opened, and clears the history. A page that does not answer, because of an
        endless script or a dialog, is replaced by a new one.

        Raises:
            ScreenError: The URL is not valid, or nothing answers there.
        """
        deadline = time.monotonic() + timeout
        self._settled_at = 0.0
        page = self._view.pages.uncover()
        ready, self._ready = self._ready, None  # it has just answered, and has no script that could block it
        if page is None or not (page is ready or self._view.answers(page)):
            page = self._view.pages.renew(timeout)
            if page is None or not self._view.answers(page):
                raise ScreenError("the browser opens no page", fix="open a new seat")
        left = deadline - time.monotonic()
        answer = self._wire.call("Page.navigate", {"url": url}, session=page.session, timeout=left)
        if error := answer.get("errorText"):
            raise ScreenError(f"{url}: {error}", fix="check that the server listens inside the sandbox")
        if not self._wire.wait(lambda: not page.loading or page.asked is not None, deadline - time.monotonic()):
            raise ScreenError(f"{url}: still loading after {timeout:g} s; {page.busy()}")
        # An agent that goes back must not find what was shown before its episode began.
        self._wire.post("Page.resetNavigationHistory", {}, session=page.session)
        settled = self.settle(settle)
        self._leave()
        return settled

    def evaluate(self, expression: str, timeout: float = 5.0) -> Any:
        """Run JavaScript in the page, as one of its own scripts, and return its value. Promises are awaited.

        For apps that inspect or prepare their own page.

        Raises:
            ScreenError: The script failed, opened a dialog, or did not end in time. In the last case it is stopped.
        """
        page = self._view.page(time.monotonic() + timeout)
        params = {"expression": expression, "returnByValue": True, "awaitPromise": True, "userGesture": True}
        try:
            answer = self._view.call(page, "Runtime.evaluate", params, timeout)
        except NoAnswer:
            self._wire.post("Runtime.terminateExecution", session=page.session)
            raise ScreenError(f"a script in the page did not end within {timeout:g} s: {expression[:200]}") from None
        except Stale:
            raise ScreenError(f"a script opened a dialog and waits for its answer: {expression[:200]}") from None
        if details := answer.get("exceptionDetails"):
            description = details.get("exception", {}).get("description") or details.get("text", "")
            raise ScreenError(f"a script in the page failed: {description[:2000]}")
        return answer["result"].get("value")

    def release(self) -> None:
        """Release every held key and button."""
        self._settled_at = 0.0
        self._hand.release()

    def close(self) -> None:
        """Close its pages, and end the browser if it owns it. Calling it twice is allowed."""
        spare, ordered = self._spare, self._ordered
        self._spare = self._ordered = None
        left, self._left = self._left, None
        for view in (self._view, left, spare[1] if spare else None):
            if view is not None:
                with contextlib.suppress(Gone):
                    self._contexts.leave(view.wire)
                view.wire.close()
        for waiting in (self._contexts.server, spare[0].server if spare else None, ordered.server if ordered else None):
            if waiting is not None:
                waiting.close()
        self._contexts.close()
        end, self._end = self._end, lambda: None
        end()

    def _backdrop(self) -> str:
        if self._frame is None:
            return ""
        return data_url(self._frame, quality=_BACKDROP_QUALITY, brightness=_BACKDROP_BRIGHTNESS)


def _prepare(
    size: tuple[int, int], scale: float, mobile: bool, touch: bool, color_scheme: str, user_agent: str
) -> list[Command]:
    width, height = round(size[0] / scale), round(size[1] / scale)
    metrics = {"width": width, "height": height, "screenWidth": width, "screenHeight": height}
    commands: list[Command] = [
        ("Page.enable", {}),
        ("Network.enable", {"maxTotalBufferSize": 1024, "maxResourceBufferSize": 1024}),
        ("Inspector.enable", {}),
        ("Emulation.setDeviceMetricsOverride", {**metrics, "deviceScaleFactor": scale, "mobile": mobile}),
        ("Emulation.setFocusEmulationEnabled", {"enabled": True}),
        ("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": color_scheme}]}),
        ("Input.setInterceptDrags", {"enabled": True}),
        ("Page.setInterceptFileChooserDialog", {"enabled": True}),
        ("Page.bringToFront", {}),  # a tab behind another draws nothing
    ]
    if user_agent:
        commands.append(("Emulation.setUserAgentOverride", {"userAgent": user_agent}))
    if mobile:
        # A phone's scroll bar fades out, which makes two pictures of the same page differ.
        commands.append(("Emulation.setScrollbarsHidden", {"hidden": True}))
    if touch:
        commands.append(("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 1}))
    return commands
