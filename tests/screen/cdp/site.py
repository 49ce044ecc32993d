"""What the tests of the page screen share: a browser in a sandbox, and a site that only it can reach."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fairground.sandbox import Sandbox, SandboxSpec, open_sandbox
from fairground.screen.browser import open_page
from fairground.screen.cdp import CdpScreen

HEAD = """<!doctype html><meta charset="utf-8"><style>body { margin: 0 }</style>
<meta name="viewport" content="width=device-width, initial-scale=1, minimum-scale=1">"""
Answer = str | bytes | Callable[[http.server.BaseHTTPRequestHandler], None]


class Site:
    """A server on the host, reachable inside one sandbox only."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.pages: dict[str, Answer] = {}
        self.requests: list[tuple[str, str]] = []
        self._socket = sandbox.listen(0)
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                length = int(self.headers.get("Content-Length") or 0)
                site.requests.append((self.path, self.rfile.read(length).decode()))
                answer = site.pages.get(path)
                if callable(answer):
                    answer(self)
                    return
                data = answer.encode() if isinstance(answer, str) else answer
                self.send_response(404 if data is None else 200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(data or b"")))
                self.end_headers()
                self.wfile.write(data or b"")

            do_POST = do_GET

            def log_message(self, *args: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler, bind_and_activate=False)
        self._server.socket.close()
        self._server.socket = self._socket
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Browser:
    """A page and the site it looks at."""

    def __init__(self, sandbox: Sandbox, **options: object) -> None:
        self.sandbox = sandbox
        self.site = Site(sandbox)
        self.screen: CdpScreen = open_page(sandbox, **options)  # type: ignore[arg-type]

    def show(self, body: str, path: str = "/", settle: float = 5.0) -> CdpScreen:
        """Serves a document and goes there."""
        self.site.pages[path] = HEAD + body
        self.screen.release()
        self.screen.take_notes()
        self.screen.navigate(self.site.url + path, settle=settle)
        return self.screen

    def close(self) -> None:
        self.screen.close()
        self.site.close()


@contextmanager
def browser(runner: str = "namespace", **options: object) -> Iterator[Browser]:
    sandbox = open_sandbox(SandboxSpec(), runner=runner)
    try:
        opened = Browser(sandbox, **options)
        try:
            yield opened
        finally:
            opened.close()
    finally:
        sandbox.discard()
