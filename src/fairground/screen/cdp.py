"""A screen that is one page of a Chromium: pictures, input and accessibility over the DevTools protocol."""

from __future__ import annotations

import base64
import contextlib
import secrets
import time
from collections.abc import Callable, Iterable
from typing import Any, Final, Literal

import cv2
import numpy as np

from fairground.core import (
    Action,
    Click,
    Drag,
    Frame,
    Key,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    Move,
    Node,
    ScreenError,
    Scroll,
    Type,
    Wait,
    Window,
)
from fairground.screen.cdpinput import WHEEL_CLICK, Command, Finger, Keyboard, Pointer, batches, waypoints
from fairground.screen.cdppages import Page, Pages
from fairground.screen.cdptree import read_tree
from fairground.screen.cdpwire import Gone, NoAnswer, ProtocolError, Reply, Wire
from fairground.screen.cdpworld import Stale, World
from fairground.screen.protocol import Settled

_QUIET: Final = 12  # milliseconds without a change in the document
_CALL_SECONDS: Final = 10.0
_ACT_SECONDS: Final = 10.0  # for a page to take in an input before its script is stopped
_ANSWER_SECONDS: Final = 2.0  # for a page to say that it is there
_GRAB_SECONDS: Final = 3.0  # for a page to draw itself anew before we take what it has drawn last
_FRESH_SECONDS: Final = 0.05  # for which the picture that settling ended with is the current one
_GRACE_SECONDS: Final = 0.5  # for the answer of a page that was told when to give up
_LOOK_AGAIN: Final = 0.02
_DRAG_SECONDS: Final = 1.0
_BACKDROP_QUALITY: Final = 60
_HISTORY_KEYS: Final[dict[frozenset[str], int]] = {
    frozenset({"back"}): -1,
    frozenset({"alt", "left"}): -1,
    frozenset({"forward"}): 1,
    frozenset({"alt", "right"}): 1,
}
_RELOAD_KEYS: Final = (
    frozenset({"refresh"}), frozenset({"f5"}), frozenset({"ctrl", "r"}), frozenset({"ctrl", "f5"}),
    frozenset({"ctrl", "shift", "r"}),
)  # fmt: skip


class CdpScreen:
    """The page that a browser shows.

    What a page opens (a popup, a new tab) is shown in its place until it is closed; a dialog (`alert`, `confirm`,
    `prompt`) is drawn as a page and answered like one. What cannot be seen is told by `take_notes`. The pointer is
    not drawn.

    Args:
        wire: To the browser; owned from now on.
        size: Of the picture, in pixels.
        scale: Pixels of the picture for each pixel of the page.
        mobile: Lay pages out as on a phone.
        touch: Have pages see a finger instead of the left button of a mouse.
        color_scheme: What pages are told that the user prefers.
        user_agent: How the browser names itself to pages.
        end: Ends the browser, when the screen is closed.
    """

    backend = "cdp"

    def __init__(
        self,
        wire: Wire,
        size: tuple[int, int],
        *,
        scale: float = 1.0,
        mobile: bool = True,
        touch: bool = False,
        color_scheme: Literal["light", "dark"] = "light",
        user_agent: str = "",
        end: Callable[[], None] = lambda: None,
    ) -> None:
        self.size = size
        self._wire = wire
        self._scale = scale
        self._mobile = mobile
        self._zoom: float | None = None
        self._end = end
        self._world = World(wire, secrets.token_hex(8))
        self._frame: Frame | None = None
        self._settled_at = 0.0
        self._keyboard = Keyboard()
        self._pointer = (Finger if touch else Pointer)((size[0] // 2, size[1] // 2), self._keyboard)
        prepare = [*_prepare(size, scale, mobile, touch, color_scheme, user_agent), *self._world.prepare()]
        self._pages = Pages(wire, prepare, self._backdrop)

    @property
    def alive(self) -> bool:
        """Whether the browser runs and its page has not crashed."""
        page = self._pages.shown
        return self._wire.alive and page is not None and not page.crashed

    def note(self, text: str) -> None:
        """Adds to what `take_notes` tells."""
        with self._wire.changed:
            self._pages.notes.append(text)

    def take_notes(self) -> tuple[str, ...]:
        """What happened that cannot be seen (a download, a file asked for), since it was last asked."""
        return self._pages.take_notes()

    def grab(self) -> Frame:
        """The current picture; without a pointer, because the browser draws none."""
        if self._frame is not None and time.monotonic() - self._settled_at < _FRESH_SECONDS and self._wire.alive:
            return self._frame
        deadline = time.monotonic() + _CALL_SECONDS
        while True:
            page = self._page(deadline)
            shot = self._capture(page)
            try:
                self._await(page, [shot], min(_GRAB_SECONDS, deadline - time.monotonic()))
                return self._keep(self._wire.result(shot, _GRAB_SECONDS)["data"])
            except NoAnswer:
                return self._keep(self._last_drawn(page, deadline))
            except (Stale, Gone, ProtocolError):
                # Another page is shown by now, or this one is between two documents.
                if time.monotonic() > deadline:
                    raise
                self._wire.wait(lambda: False, 0.002)

    def act(self, action: Action) -> None:
        """Carries an input out; see `Screen.act`."""
        action = action.to_pixels(*self.size)
        match action:
            case Click() | Move() | MouseDown() | MouseUp() | Scroll():
                self._with_modifiers(action.modifiers, lambda: self._touch(action))
            case Drag():
                self._with_modifiers(action.modifiers, lambda: self._drag(action))
            case Key():
                self._key(action)
            case KeyDown():
                self._perform([self._keyboard.down(action.key)])
            case KeyUp():
                self._perform([self._keyboard.up(action.key)])
            case Type():
                self._perform(self._keyboard.type(action.text))
            case Wait():
                self._wire.wait(lambda: False, action.seconds)
            case _:
                pass

    def settle(self, timeout: float = 5.0) -> Settled:
        """Waits until the page has loaded, drawn what changed, and nothing more changes or moves.

        What outlasted one settling (an endless animation, a request that stays open) is not waited for again: it
        costs one deadline, not one a step. The page is still not called quiet while it moves.
        """
        started = time.monotonic()
        deadline = started + timeout
        self._frame = None
        why = ""
        while True:
            try:
                done, why = self._rest(deadline)
            except (Stale, ProtocolError, Gone):
                if not self._wire.alive:
                    raise
                done, why = False, "the page is loading"
            except NoAnswer:
                done, why = True, "the page does not answer"
            now = time.monotonic()
            if done or now >= deadline:
                self._settled_at = now
                return Settled(done and not why, now - started, why)

    def wait_change(self, timeout: float) -> bool:
        """Waits until the picture changes, at most `timeout` seconds; says whether it did."""
        deadline = time.monotonic() + timeout
        before = self.grab()
        while time.monotonic() < deadline:
            self._wire.wait(lambda: False, min(_LOOK_AGAIN, max(0.0, deadline - time.monotonic())))
            self._frame = None
            if self.grab().digest != before.digest:
                return True
        return False

    def cursor(self) -> tuple[int, int] | None:
        """Where the pointer was last moved to; in the middle before that."""
        return self._pointer.position

    def tree(self, *, depth: int = 64, limit: int = 5_000) -> Node:
        """The page's accessibility tree, frames included; roles are those of ARIA."""
        deadline = time.monotonic() + _CALL_SECONDS
        page = self._page(deadline)

        def ask(method: str, **params: Any) -> dict[str, Any]:
            reply = self._wire.send(method, params, session=page.session)
            self._await(page, [reply], deadline - time.monotonic())
            return self._wire.result(reply, _CALL_SECONDS)

        return read_tree(ask, self._scale, self.size, depth=depth, limit=limit)

    def windows(self) -> tuple[Window, ...]:
        """Each page that is open as a window of the screen's size, the one shown last."""
        stack = self._pages.stack
        replies = [self._wire.send("Target.getTargetInfo", {"targetId": page.target}) for page in stack]
        self._wire.wait(lambda: all(reply.done for reply in replies), _CALL_SECONDS)
        found = []
        for page, reply in zip(stack, replies, strict=True):
            with contextlib.suppress(ProtocolError):  # closed meanwhile
                title = self._wire.result(reply, _CALL_SECONDS)["targetInfo"]["title"]
                found.append(Window(title, (0, 0, *self.size), page is stack[-1]))
        return tuple(found)

    def navigate(self, url: str, timeout: float = 30.0, *, settle: float = 5.0) -> Settled:
        """Goes to an address, waits until it has loaded, and then at most `settle` seconds until it has settled.

        What the page had opened is closed. A page that does not answer, because a script of it never ends or it
        shows a dialog, is left for a new one.

        Raises:
            ScreenError: There is no such page: nothing answers there, or it is not an address.
        """
        deadline = time.monotonic() + timeout
        self._frame = None
        page = self._pages.uncover()
        if page is None or not self._answers(page):
            page = self._pages.renew(timeout)
        if page is None:
            raise ScreenError("the browser opens no page", fix="open a new seat")
        left = deadline - time.monotonic()
        answer = self._wire.call("Page.navigate", {"url": url}, session=page.session, timeout=left)
        if error := answer.get("errorText"):
            raise ScreenError(f"{url}: {error}", fix="is the server listening, inside the sandbox?")
        if not self._wire.wait(lambda: not page.loading or page.asked is not None, deadline - time.monotonic()):
            raise ScreenError(f"{url}: still loading after {timeout:g} s; {page.busy()}")
        return self.settle(settle)

    def evaluate(self, expression: str, timeout: float = 5.0) -> Any:
        """Runs JavaScript in the page, as one of its own scripts, and returns its value (of a promise: awaited).

        For apps to look at or prepare their own page. Raises `ScreenError` with the script's error; a script that
        does not end in time is stopped.
        """
        page = self._page(time.monotonic() + timeout)
        params = {"expression": expression, "returnByValue": True, "awaitPromise": True, "userGesture": True}
        reply = self._wire.send("Runtime.evaluate", params, session=page.session)
        try:
            self._await(page, [reply], timeout)
            answer = self._wire.result(reply, timeout)
        except NoAnswer:
            self._wire.post("Runtime.terminateExecution", session=page.session)
            raise ScreenError(f"a script in the page did not end within {timeout:g} s: {expression[:200]}") from None
        except Stale:
            raise ScreenError(f"a script opened a dialog, and waits for its answer: {expression[:200]}") from None
        if details := answer.get("exceptionDetails"):
            said = details.get("exception", {}).get("description") or details.get("text", "")
            raise ScreenError(f"a script in the page failed: {said[:2000]}")
        return answer["result"].get("value")

    def release(self) -> None:
        """Lets every held key and button go."""
        self._perform([*self._pointer.release(), *self._keyboard.release()])

    def close(self) -> None:
        """Ends the browser; may be called twice."""
        self._wire.close()
        end, self._end = self._end, lambda: None
        end()

    # Looking

    def _capture(self, page: Page) -> Reply:
        return self._wire.send("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True}, session=page.session)

    def _keep(self, data: str) -> Frame:
        pixels = cv2.imdecode(np.frombuffer(base64.b64decode(data), np.uint8), cv2.IMREAD_COLOR)
        if pixels is None or pixels.shape[:2] != (self.size[1], self.size[0]):
            found = "no picture" if pixels is None else f"one of {pixels.shape[1]}x{pixels.shape[0]}"
            raise ScreenError(f"the browser gave {found}; expected {self.size[0]}x{self.size[1]}")
        self._frame = Frame(np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2RGB), np.uint8), time.monotonic())
        return self._frame

    def _last_drawn(self, page: Page, deadline: float) -> str:
        """What a page shows whose scripts do not let it draw: a browser's window would show that, too."""
        with self._wire.changed:
            page.cast = None
        self._wire.post("Page.startScreencast", {"format": "png"}, session=page.session)
        self._wire.wait(lambda: page.cast is not None, deadline - time.monotonic())
        self._wire.post("Page.stopScreencast", session=page.session)
        if page.cast is None:
            raise NoAnswer("the page does not answer, and the browser has no picture of it")
        return page.cast

    def _backdrop(self) -> str:
        if self._frame is None:
            return ""
        dimmed = cv2.cvtColor(self._frame.pixels, cv2.COLOR_RGB2BGR) // 2
        _, data = cv2.imencode(".jpg", dimmed, [cv2.IMWRITE_JPEG_QUALITY, _BACKDROP_QUALITY])
        return "data:image/jpeg;base64," + base64.b64encode(data.tobytes()).decode()

    # Waiting

    def _page(self, deadline: float) -> Page:
        """The page that is shown, when it can be."""
        self._wire.wait(lambda: not self._pages.opening and self._pages.shown is not None, deadline - time.monotonic())
        page = self._pages.shown
        if page is None or self._pages.opening:
            raise ScreenError("the browser shows no page: it was closed" if page is None else "a dialog did not open")
        if page.crashed:
            raise ScreenError("the page crashed", fix="navigate to get a new one, or open a new seat")
        return page

    def _await(self, page: Page, replies: list[Reply], timeout: float) -> None:
        """Waits for answers; raises `Stale` when a dialog makes the page stand still, `NoAnswer` in the end."""
        done = self._wire.wait(lambda: page.asked is not None or all(reply.done for reply in replies), timeout)
        if page.asked is not None and not all(reply.done for reply in replies):
            raise Stale("the page shows a dialog")
        if not done:
            raise NoAnswer(f"{replies[-1].method}: the page did not answer within {timeout:.1f} s")

    def _answers(self, page: Page) -> bool:
        if page.crashed:
            return True  # it will, as soon as it has a new process
        reply = self._wire.send("Runtime.evaluate", {"expression": "1"}, session=page.session)
        self._wire.wait(lambda: reply.done or page.asked is not None, _ANSWER_SECONDS)
        return reply.done

    def _rest(self, deadline: float) -> tuple[bool, str]:
        """Looks once whether the page has come to rest.

        Returns whether that is decided, and what it waits for or what keeps moving; nothing when it is at rest.
        """
        page = self._page(deadline)
        left = deadline - time.monotonic()
        if not self._wire.wait(lambda: not page.busy() or page.asked is not None, min(_LOOK_AGAIN, left)):
            with self._wire.changed:
                why = page.busy() or "the page is loading"
                if time.monotonic() >= deadline:
                    page.outlasted |= set(page.requests)
            return False, why
        activity = page.activity
        before = self._ask(page, "state()", deadline)
        # The picture is taken while we wait; it counts if nothing has changed meanwhile.
        shot = None if before["why"] else self._capture(page)
        budget = max(0, int((deadline - time.monotonic()) * 1000))
        after = self._ask(page, f"rest({_QUIET}, {budget})", deadline + _GRACE_SECONDS)
        if after["why"]:
            return True, str(after["why"])
        if shot is None or after["changes"] != before["changes"]:
            return False, "the page keeps changing"
        self._await(page, [shot], deadline + _GRACE_SECONDS - time.monotonic())
        if page.activity != activity or page is not self._pages.shown:
            return False, page.busy() or "the page keeps changing"
        self._zoom = float(after["zoom"])
        earlier = self._frame
        frame = self._keep(self._wire.result(shot)["data"])
        if not after["painted"] or (earlier is not None and earlier.digest == frame.digest):
            return True, str(after["moving"])
        # Nothing tells that a canvas was drawn on: two pictures do.
        decided = earlier is not None and page.restless
        page.restless |= time.monotonic() >= deadline
        return decided, "a canvas keeps changing"

    def _ask(self, page: Page, call: str, deadline: float) -> dict[str, Any]:
        reply = self._world.ask(page, call, deadline)
        self._await(page, [reply], deadline - time.monotonic())
        return self._world.answer(page, reply)

    # Acting

    def _perform(self, commands: Iterable[Command]) -> None:
        self._frame = self._zoom = None
        for group in batches(commands):
            page = self._page(time.monotonic() + _ACT_SECONDS)
            replies = self._wire.send_all(group, session=page.session)
            try:
                self._await(page, replies, _ACT_SECONDS)
            except NoAnswer:
                self._stop_script(page, replies)
            except Stale:
                continue  # it opened a dialog, which gets the rest
            for reply in replies:
                with contextlib.suppress(Gone):  # it closed its own page, as asked
                    self._wire.result(reply)

    def _stop_script(self, page: Page, replies: list[Reply]) -> None:
        self._wire.post("Runtime.terminateExecution", session=page.session)
        if not self._wire.wait(lambda: all(reply.done for reply in replies), _ACT_SECONDS):
            raise NoAnswer(f"the page took no input for {2 * _ACT_SECONDS:g} s, and its script could not be stopped")
        self.note(f"a script of the page was stopped: it took no input for {_ACT_SECONDS:g} s")

    def _with_modifiers(self, names: tuple[str, ...], perform: Callable[[], None]) -> None:
        self._pointer.scale = self._scale * self._page_zoom()
        self._perform([self._keyboard.down(name) for name in names])
        try:
            perform()
        finally:
            self._perform([self._keyboard.up(name) for name in reversed(names)])

    def _page_zoom(self) -> float:
        """By how much the page is zoomed: phones show one that is too wide for them smaller."""
        if self._mobile and self._zoom is None:
            try:
                deadline = time.monotonic() + _ACT_SECONDS
                self._zoom = float(self._ask(self._page(deadline), "state()", deadline)["zoom"])
            except (Stale, NoAnswer, ProtocolError):
                return 1.0  # between two documents, or under a dialog: nothing there can be aimed at
        return self._zoom or 1.0

    def _touch(self, action: Click | Move | MouseDown | MouseUp | Scroll) -> None:
        pointer = self._pointer
        commands = pointer.move(action.point)
        match action:
            case Click():
                commands += pointer.click(action.button, action.count)
            case MouseDown():
                commands.append(pointer.down(action.button))
            case MouseUp():
                self._move_dragged(commands)
                self._drop(action.button)
                return
            case Move() if pointer.pressed:
                self._move_dragged(commands)
                return
            case Scroll():
                per = WHEEL_CLICK if action.unit == "clicks" else 1.0 / self._scale
                commands += pointer.wheel(action.dx * per, action.dy * per)
        self._perform(commands)

    def _drag(self, action: Drag) -> None:
        pointer = self._pointer
        self._perform([*pointer.move(action.path[0]), pointer.down(action.button)])
        for point in waypoints(action.path):
            self._move_dragged(pointer.move(point))
        self._drop(action.button)

    def _move_dragged(self, commands: list[Command]) -> None:
        """Moves with a button down; from the moment the page begins to drag data, the data is moved as well."""
        page = self._pages.shown
        if page is not None and page.drag is not None:
            self._perform([self._pointer.drag("dragOver", page.drag)])
            return
        self._perform(commands)
        if page is None or not self._pointer.pressed:
            return
        with contextlib.suppress(Stale, ProtocolError, NoAnswer):
            if self._world.drags(page, self._ask(page, "dragged()", time.monotonic() + _DRAG_SECONDS)):
                self._wire.wait(lambda: page.drag is not None, _DRAG_SECONDS)
        if page.drag is not None:
            self._perform([self._pointer.drag("dragEnter", page.drag), self._pointer.drag("dragOver", page.drag)])

    def _drop(self, button: Any) -> None:
        page = self._pages.shown
        if page is not None and page.drag is not None and button == "left":
            data, page.drag = page.drag, None
            self._perform([self._pointer.drag("dragOver", data), self._pointer.drag("drop", data)])
        self._perform([self._pointer.up(button)])

    def _key(self, action: Key) -> None:
        for number in range(action.repeat):
            downs = [self._keyboard.down(name) for name in action.keys]
            self._perform(downs)
            if number == 0 and action.seconds:
                self._wire.wait(lambda: False, action.seconds)
            self._perform([self._keyboard.up(name) for name in reversed(action.keys)])
            self._browser_key(frozenset(action.keys))

    def _browser_key(self, keys: frozenset[str]) -> None:
        """Does what the browser itself would do on a key: events that we send reach the page only."""
        page = self._pages.shown
        if page is None or page.crashed:
            return
        if keys in _RELOAD_KEYS:
            self._wire.call("Page.reload", session=page.session)
        elif (step := _HISTORY_KEYS.get(keys)) is not None:
            history = self._wire.call("Page.getNavigationHistory", session=page.session)
            index = history["currentIndex"] + step
            if 0 <= index < len(history["entries"]):
                entry = {"entryId": history["entries"][index]["id"]}
                self._wire.call("Page.navigateToHistoryEntry", entry, session=page.session)


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
    ]
    if user_agent:
        commands.append(("Emulation.setUserAgentOverride", {"userAgent": user_agent}))
    if mobile:
        # A phone's scroll bar fades away; one that is fading makes two pictures of one page differ.
        commands.append(("Emulation.setScrollbarsHidden", {"hidden": True}))
    if touch:
        commands.append(("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 1}))
    return commands
