"""A notice board in a page: an app that can be reset, whose page keeps, plants and looks for everything there is."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

from fairground.core import Check, Configuration, State
from fairground.screen import CdpScreen
from fairground.worlds import App, Scenario, ScreenSpec, Seat, Suite, World

PAGE = """<!doctype html><meta charset="utf-8"><title>Board</title><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body { margin: 0; font: 16px sans-serif; background: %(colour)s } main { height: 4000px }
  input, button, a { display: block; height: 40px; width: 300px; margin: 10px }</style>
<form action="/" autocomplete="on"><input name="q" aria-label="Word"></form>
<button onclick="window.open('/popup')">Open</button><button onclick="setTimeout(() => alert('Stay'))">Ask</button>
<a href="/file" download>Get</a><main>%(words)s</main>
<script>
const plant = async () => {
  document.cookie = "left=1; max-age=9999"; localStorage.left = sessionStorage.left = window.name = "left";
  await new Promise((done) => { const open = indexedDB.open("left"); open.onsuccess = done });
  await (await caches.open("left")).put("/left", new Response("left"));
  await navigator.serviceWorker.register("/worker.js"); await navigator.serviceWorker.ready;
  for (let n = 0; n < 5; n += 1) history.pushState({}, "", "/?" + n);
  document.querySelector("input").value = "left"; scrollTo(0, 2000);
};
const hammer = () => {
  const send = () => fetch("/add", { method: "POST", keepalive: true, body: "hammered" }).catch(() => 0);
  setInterval(send, 2);
  const source = `setInterval(() => fetch("${origin}/add", { method: "POST", body: "worker" }).catch(() => 0), 2)`;
  new Worker(URL.createObjectURL(new Blob([source])));
  for (const event of ["pagehide", "beforeunload", "visibilitychange"]) {
    addEventListener(event, (leaving) => { navigator.sendBeacon("/add", "beacon"); leaving.preventDefault() });
  }
};
const look = async () => ({
  cookie: document.cookie, local: localStorage.length, session: sessionStorage.length, name: window.name,
  databases: (await indexedDB.databases()).length, caches: (await caches.keys()).length,
  workers: (await navigator.serviceWorker.getRegistrations()).length, history: history.length,
  text: document.querySelector("input").value, scroll: scrollY, zoom: visualViewport.scale,
  focus: document.activeElement.tagName, opener: window.opener, shown: document.visibilityState,
});
</script>"""
WORKER = """self.addEventListener("activate", (event) => event.waitUntil(clients.claim()));
setInterval(() => fetch("/add", { method: "POST", body: "service worker" }).catch(() => 0), 5)"""


class Server:
    """One board on the host: what was posted, and every request there was."""

    def __init__(self, listener: Any, page: str) -> None:
        self.posted: list[str] = []
        self.requests: list[str] = []
        board = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                board.requests.append(self.path)
                headers = {"/worker.js": "text/javascript", "/file": "application/octet-stream"}
                text = {"/worker.js": WORKER, "/file": "a file"}.get(self.path, page)
                self.send_response(200)
                self.send_header("Content-Type", headers.get(self.path, "text/html; charset=utf-8"))
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

            def do_POST(self) -> None:
                board.requests.append(self.path)
                board.posted.append(self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode())
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        class Quiet(http.server.ThreadingHTTPServer):
            def handle_error(self, *_: Any) -> None:
                """A client that went away is what these tests are about."""

        listener.setblocking(True)
        self._server = Quiet(("127.0.0.1", 0), Handler, bind_and_activate=False)
        self._server.socket.close()
        self._server.socket = listener
        self.port: int = listener.getsockname()[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class Board(App):
    """Notices on a page."""

    name = "board"
    packages = ("chromium",)
    screen = ScreenSpec("cdp", (412, 915))
    themes: ClassVar[Mapping[str, Mapping[str, Any]]] = {"white": {"colour": "#fff"}, "blue": {"colour": "#9cf"}}
    profiles: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "short": {"words": "Hello"},
        "long": {"words": "Lunch at one"},
    }

    def launch(self, seat: Seat) -> None:
        seat.defer(lambda: server_of(seat).close())
        self._serve(seat, seat.world)

    def reset(self, seat: Seat, world: World) -> bool:
        server_of(seat).close()
        self._serve(seat, world)
        return True

    def capture(self, seat: Seat, world: World) -> State:
        return State(data={"posted": list(server_of(seat).posted), "words": world.profile["words"]})

    def _serve(self, seat: Seat, world: World) -> None:
        page = PAGE % {"colour": world.theme["colour"], "words": world.profile["words"]}
        server = seat.keep["board"] = Server(seat.sandbox.listen(), page)
        page_of(seat).navigate(f"http://127.0.0.1:{server.port}/")


class Read(Scenario):
    """Says what is on the board."""

    name = "read"
    app = "board"
    kind = "answer"
    template = "What is on the board?"

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        words = world.profile["words"]
        return [Check(name="the words", passed=answer == words, expected=words, found=answer)]


def world(app: App | None = None, *, profile: str = "short", theme: str = "white", seed: int = 0) -> World:
    """A world of the board."""
    suite = Suite("boards", "Boards", "1", (app or BOARD,), (READ,), origin="test")
    names = {"suite": "boards", "app": "board", "scenario": "read", "instance": "default", "ui_state": "default"}
    return World.of(suite, Configuration(**names, profile=profile, theme=theme), seed)


def page_of(seat: Seat) -> CdpScreen:
    """The seat's screen as what it is."""
    return cast(CdpScreen, seat.screen)


def server_of(seat: Seat) -> Server:
    """The board that the seat shows now."""
    return cast(Server, seat.keep["board"])


BOARD, READ = Board(), Read()
