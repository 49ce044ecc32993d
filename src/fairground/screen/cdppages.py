"""The pages of one browser context: which one is visible, and what their events say.

A page that opens another (a popup, a new tab) is hidden until that one closes, as on a phone. A dialog (`alert`,
`confirm`, `prompt`) is also shown as a page, because a headless browser draws none, and a page that waits for an answer
can be neither seen nor used.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from fairground.screen.cdpdialog import BINDING, Dialog, dialog_page, read_answer
from fairground.screen.cdpwire import Wire

Command = tuple[str, Mapping[str, Any]]

_MAX_NOTES: Final = 100
_MAX_REQUESTS: Final = 10_000
_NEVER_END: Final = frozenset({"EventSource", "WebSocket", "Ping", "Media", "Prefetch", "CSPViolationReport"})
_UNSEEN: Final = "Other"  # requests that the browser makes by itself; those of elements and scripts have other types
_SCHEDULED_SECONDS: Final = 0.5  # timeout for a requested navigation to begin


@dataclass(eq=False)
class Page:
    """One page, as described by its events. Guarded by `Wire.changed`.

    Attributes:
        target: Its target ID, which is also the ID of its main frame.
        document: Number of documents it has shown. Anything of an earlier one is stale.
        activity: Counts everything that may change the picture.
        scheduled: Frames that requested a navigation, and when.
        frames: IDs of its frames.
        requests: Requests in progress by ID, each with its document and URL.
        outlasted: Requests that did not end during one settling. They are not waited for again.
        unseen: Requests for invisible content, such as a tab icon.
        restless: Whether it has a canvas that kept changing during a whole settling.
        asked: The dialog it shows, which blocks its scripts.
        dialog: The dialog of another page that this page draws.
    """

    target: str
    session: str
    dialog: Dialog | None = None
    asked: Dialog | None = None
    crashed: bool = False
    document: int = 0
    activity: int = 0
    frames: set[str] = field(default_factory=set)
    loading: set[str] = field(default_factory=set)
    scheduled: dict[str, float] = field(default_factory=dict)
    requests: dict[str, tuple[str, str]] = field(default_factory=dict)
    outlasted: set[str] = field(default_factory=set)
    unseen: set[str] = field(default_factory=set)
    restless: bool = False
    drag: dict[str, Any] | None = None
    cast: str | None = None

    def busy(self) -> str:
        """What it is still doing; empty if nothing is known."""
        if self.loading:
            return "the page is loading"
        now = time.monotonic()
        if any(now - at < _SCHEDULED_SECONDS for at in self.scheduled.values()):
            return "the page is about to navigate"
        for request, (_, url) in self.requests.items():
            if request not in self.outlasted:
                return f"a request is in progress ({url[:200]})"
        return ""


class Pages:
    """Tracks the pages of a browser context.

    Args:
        wire: The connection to the browser context. A first page is opened in it.
        prepare: Commands for every new page, before any of its scripts runs.
        backdrop: Returns the picture behind a dialog, as a `data:` URL.
        arrived: Called in the reading thread when a page has gone to another document.
    """

    def __init__(
        self, wire: Wire, prepare: Iterable[Command], backdrop: Callable[[], str], arrived: Callable[[Page], None]
    ) -> None:
        self._wire = wire
        self._prepare = tuple(prepare)
        self._backdrop = backdrop
        self._arrived = arrived
        self._pages: dict[str, Page] = {}
        self._unopened: list[Dialog] = []
        self._notes: deque[str] = deque(maxlen=_MAX_NOTES)
        for method, handler in self._events().items():
            wire.on(method, handler)
        self._open()

    @property
    def shown(self) -> Page | None:
        """The visible page: the one that was opened last."""
        with self._wire.changed:
            return next(reversed(self._pages.values()), None)

    @property
    def opening(self) -> bool:
        """Whether a dialog is about to be shown."""
        return bool(self._unopened)

    @property
    def stack(self) -> tuple[Page, ...]:
        """All pages, the visible one last."""
        with self._wire.changed:
            return tuple(self._pages.values())

    def uncover(self) -> Page | None:
        """Close the pages over the first one, and return that."""
        with self._wire.changed:
            first = next(iter(self._pages.values()), None)
            covering = list(self._pages.values())[1:]
        for page in covering:
            if page.dialog is None:  # those of the first page close with it
                self._close(page, "the page was closed")
        return first

    def renew(self, timeout: float) -> Page | None:
        """Replace all pages, which may no longer answer, by a new one."""
        with self._wire.changed:
            left = list(self._pages.values())
            self._pages.clear()
            self._unopened.clear()
        self._open()
        self._wire.wait(lambda: self.shown is not None, timeout)
        for page in left:
            self._close(page, "the page was left")
        return self.shown

    def note(self, text: str) -> None:
        """Add a note for `take_notes`."""
        with self._wire.changed:
            self._notes.append(text)

    def take_notes(self) -> tuple[str, ...]:
        """Return and clear the notes about invisible events."""
        with self._wire.changed:
            notes = tuple(self._notes)
            self._notes.clear()
            return notes

    def _events(self) -> dict[str, Callable[[dict[str, Any], str], None]]:
        return {
            "Target.attachedToTarget": self._attached,
            "Target.detachedFromTarget": self._detached,
            "Inspector.targetCrashed": self._crashed,
            "Page.frameStartedLoading": self._started_loading,
            "Page.frameStoppedLoading": self._stopped_loading,
            "Page.frameAttached": self._framed,
            "Page.frameDetached": self._stopped_loading,
            "Page.frameScheduledNavigation": self._scheduled,
            "Page.frameRequestedNavigation": self._scheduled,
            "Page.frameClearedScheduledNavigation": self._unscheduled,
            "Page.frameNavigated": self._navigated,
            "Network.requestWillBeSent": self._requested,
            "Network.loadingFinished": self._request_ended,
            "Network.loadingFailed": self._request_ended,
            "Page.javascriptDialogOpening": self._dialog_opened,
            "Page.javascriptDialogClosed": self._dialog_closed,
            "Runtime.bindingCalled": self._dialog_answered,
            "Page.fileChooserOpened": self._file_chooser,
            "Browser.downloadWillBegin": self._download,
            "Input.dragIntercepted": self._dragged,
            "Page.screencastFrame": self._cast,
        }

    def _attached(self, params: dict[str, Any], _: str) -> None:
        info, session = params["targetInfo"], params["sessionId"]
        if info.get("subtype"):  # a page that is only prerendered
            self._wire.post("Runtime.runIfWaitingForDebugger", session=session)
            return
        page = Page(info["targetId"], session)
        if self._unopened and not info.get("openerId"):
            page.dialog = self._unopened.pop(0)
        self._pages[session] = page
        for method, command in self._prepare:
            self._wire.post(method, command, session=session)
        if page.dialog is not None:
            self._wire.post("Runtime.addBinding", {"name": BINDING}, session=session)
        self._wire.post("Runtime.runIfWaitingForDebugger", session=session)
        if page.dialog is not None:
            html = dialog_page(page.dialog, self._backdrop())
            self._wire.post("Page.setDocumentContent", {"frameId": page.target, "html": html}, session=session)

    def _detached(self, params: dict[str, Any], _: str) -> None:
        page = self._pages.pop(params["sessionId"], None)
        if page is None:
            return
        self._wire.end_session(page.session, "the page was closed")
        for remaining in self._pages.values():
            remaining.activity += 1
        if page.asked is not None:
            self._close_dialog(page.asked)
        if self._pages:  # the browser may bring any of the remaining tabs to the front
            self._wire.post("Page.bringToFront", {}, session=list(self._pages)[-1])

    def _crashed(self, _: dict[str, Any], session: str) -> None:
        if page := self._pages.get(session):
            page.crashed = True
            self._wire.end_session(session, "the page crashed")

    def _framed(self, params: dict[str, Any], session: str) -> None:
        if (page := self._touched(session)) and len(page.frames) < _MAX_REQUESTS:
            page.frames.add(params["frameId"])

    def _started_loading(self, params: dict[str, Any], session: str) -> None:
        if page := self._touched(session):
            page.loading.add(params["frameId"])
            page.scheduled.pop(params["frameId"], None)

    def _stopped_loading(self, params: dict[str, Any], session: str) -> None:
        if page := self._touched(session):
            page.loading.discard(params["frameId"])
            page.scheduled.pop(params["frameId"], None)
            if not page.loading:
                # A document's own request has the document's ID. Its end may not be reported in a page that was just
                # opened.
                page.requests = {name: request for name, request in page.requests.items() if name != request[0]}

    def _scheduled(self, params: dict[str, Any], session: str) -> None:
        here = params.get("disposition", "currentTab") == "currentTab"
        if here and params.get("delay", 0) < _SCHEDULED_SECONDS and (page := self._touched(session)):
            page.scheduled[params["frameId"]] = time.monotonic()

    def _unscheduled(self, params: dict[str, Any], session: str) -> None:
        if page := self._touched(session):
            page.scheduled.pop(params["frameId"], None)

    def _navigated(self, params: dict[str, Any], session: str) -> None:
        frame = params["frame"]
        if page := self._touched(session):
            page.scheduled.pop(frame["id"], None)
            if "parentId" in frame:
                return
            page.crashed = page.restless = False
            page.document += 1
            page.drag = None
            page.frames.clear()
            page.loading &= {frame["id"]}
            page.requests = {key: value for key, value in page.requests.items() if value[0] == frame["loaderId"]}
            page.outlasted &= set(page.requests)
            page.unseen.clear()
            self._arrived(page)

    def _requested(self, params: dict[str, Any], session: str) -> None:
        page = self._pages.get(session)
        if page is not None and params.get("type") == _UNSEEN and len(page.unseen) < _MAX_REQUESTS:
            page.unseen.add(params["requestId"])
            return
        page = self._touched(session)
        if page is not None and params.get("type") not in _NEVER_END and len(page.requests) < _MAX_REQUESTS:
            page.requests[params["requestId"]] = (params.get("loaderId", ""), params["request"]["url"])

    def _request_ended(self, params: dict[str, Any], session: str) -> None:
        page = self._pages.get(session)
        if page is not None and params["requestId"] in page.unseen:
            page.unseen.discard(params["requestId"])
        elif page := self._touched(session):
            page.requests.pop(params["requestId"], None)
            page.outlasted.discard(params["requestId"])

    def _dialog_opened(self, params: dict[str, Any], session: str) -> None:
        if not (page := self._touched(session)):
            return
        dialog = Dialog(session, params["type"], params.get("message", ""), params.get("defaultPrompt", ""))
        if dialog.kind == "beforeunload":
            # We left it on purpose, and the browser's own text has no information.
            self.note("the page tried to prevent leaving it")
            self._wire.post("Page.handleJavaScriptDialog", {"accept": True}, session=session)
            return
        page.asked = dialog
        self._unopened.append(dialog)
        self._open()

    def _dialog_answered(self, params: dict[str, Any], session: str) -> None:
        page = self._pages.get(session)
        if page is None or page.dialog is None or params.get("name") != BINDING:
            return
        answer = read_answer(params.get("payload", ""))
        self._wire.post("Page.handleJavaScriptDialog", answer, session=page.dialog.session)
        self._close_dialog(page.dialog)

    def _dialog_closed(self, _: dict[str, Any], session: str) -> None:
        if (page := self._touched(session)) and page.asked is not None:
            self._close_dialog(page.asked)

    def _close_dialog(self, dialog: Dialog) -> None:
        if asking := self._pages.get(dialog.session):
            asking.asked = None
            asking.activity += 1
        if dialog in self._unopened:
            self._unopened.remove(dialog)
        for page in [page for page in self._pages.values() if page.dialog is dialog]:
            self._close(page, "the dialog was closed")

    def _open(self) -> None:
        wish = {"url": "about:blank", "newWindow": True, "background": True}
        self._wire.post("Target.createTarget", {**wish, "browserContextId": self._wire.context})

    def _close(self, page: Page, why: str) -> None:
        with self._wire.changed:
            self._pages.pop(page.session, None)  # at once: the page below is visible from now on
        self._wire.post("Target.closeTarget", {"targetId": page.target})
        self._wire.end_session(page.session, why)

    def _file_chooser(self, _: dict[str, Any], session: str) -> None:
        if self._touched(session):
            self.note("the page asked for a file to upload; this screen cannot choose files")

    def _download(self, params: dict[str, Any], _: str) -> None:
        frame = params.get("frameId")  # of any page of the browser
        if any(frame == page.target or frame in page.frames for page in self._pages.values()):
            self.note(f"the page downloaded a file: {str(params.get('suggestedFilename', ''))[:200]}")

    def _dragged(self, params: dict[str, Any], session: str) -> None:
        if page := self._touched(session):
            page.drag = params["data"]

    def _cast(self, params: dict[str, Any], session: str) -> None:
        if page := self._pages.get(session):
            page.cast = params["data"]
            self._wire.post("Page.screencastFrameAck", {"sessionId": params["sessionId"]}, session=session)

    def _touched(self, session: str) -> Page | None:
        page = self._pages.get(session)
        if page is not None:
            page.activity += 1
        return page
