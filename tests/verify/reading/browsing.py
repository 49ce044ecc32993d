"""A real Chromium that is used for a moment, so that the readers meet a profile it wrote itself."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from fairground.verify.reading.chromium import FILES

BOOKMARKS = """
async () => {
  const make = (node) => new Promise((done) => chrome.bookmarks.create(node, done));
  const folder = await make({parentId: '1', title: 'Grants é 2026'});
  await make({parentId: folder.id, title: 'Call for proposals', url: 'https://example.org/call?x=1'});
  const inner = await make({parentId: folder.id, title: 'Budgets'});
  await make({parentId: inner.id, title: 'Sheet "A"', url: 'https://example.org/budget'});
  await make({parentId: '2', title: '日本 😀', url: 'https://example.org/elsewhere'});
}
"""
ADDRESS = """
() => chrome.autofillPrivate.saveAddress({fields: [
  {type: 'NAME_FULL', value: 'Ada Byron'}, {type: 'ADDRESS_HOME_CITY', value: 'London'},
  {type: 'ADDRESS_HOME_ZIP', value: 'SW1A 1AA'}, {type: 'EMAIL_ADDRESS', value: 'ada@example.org'}]})
"""
BOOKMARK_TREE = "() => new Promise((done) => chrome.bookmarks.getTree(done))"
SETTINGS = {
    "homepage": "https://example.org/home",
    "homepage_is_newtabpage": False,
    "browser.show_home_button": True,
    "session.restore_on_startup": 4,
    "session.startup_urls": ["https://example.org/a", "https://example.org/b"],
    "webkit.webprefs.default_font_size": 20,
    "webkit.webprefs.minimum_font_size": 9,
    "bookmark_bar.show_on_all_tabs": True,
    "enable_do_not_track": True,
    "download.prompt_for_download": True,
    "profile.cookie_controls_mode": 1,
    "credentials_enable_service": False,
}


def browse(folder: Path) -> tuple[dict[str, bytes], dict[str, object]]:
    """Uses a browser and closes it; gives the files of its profile, and what it said of itself."""
    profile = folder / "profile"
    said: dict[str, object] = {}
    with _site() as address, sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(profile),
            executable_path=shutil.which("chromium"),
            headless=True,
            args=["--no-sandbox", "--disable-gpu"],
            accept_downloads=True,
            ignore_default_args=["--enable-automation", "--disable-extensions", "--no-startup-window"],
        )
        page = context.pages[0] if context.pages else context.new_page()
        said["address"] = address
        page.goto(f"{address}/grant")
        page.goto(f"{address}/other")
        page.goto(f"{address}/grant")
        page.goto("chrome://bookmarks")
        page.evaluate(BOOKMARKS)
        said["bookmarks"] = page.evaluate(BOOKMARK_TREE)
        page.goto("chrome://settings")
        said["settings"] = {key: _set(page, key, value) for key, value in SETTINGS.items()}
        page.evaluate("() => new Promise((done) => chrome.settingsPrivate.setDefaultZoom(1.25, done))")
        page.evaluate(ADDRESS)
        _choose_search_engine(page)
        context.close()
    files = {name: (profile / "Default" / name).read_bytes() for name in FILES if (profile / "Default" / name).exists()}
    files["Local State"] = (profile / "Local State").read_bytes()
    return files, said


def _choose_search_engine(page: Page) -> None:
    """As a person does it: the browser's own messages for it cannot be sent by hand."""
    page.goto("chrome://settings/search")
    page.locator("settings-search-page cr-button").first.click()
    dialog = page.locator("settings-search-engine-list-dialog")
    dialog.locator("cr-radio-button", has_text="Bing").click()
    dialog.locator("cr-button.action-button, #setAsDefaultButton").first.click()
    dialog.wait_for(state="detached")


def _set(page: Page, key: str, value: object) -> object:
    change = "([key, value]) => new Promise((done) => chrome.settingsPrivate.setPref(key, value, '', done))"
    page.evaluate(change, [key, value])
    got: dict[str, object] = page.evaluate(
        "(key) => new Promise((done) => chrome.settingsPrivate.getPref(key, done))", key
    )
    return got["value"]


@contextmanager
def _site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Pages)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = f"<meta charset=utf-8><title>Page é of {self.path}</title>".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Set-Cookie", "session=secret; Max-Age=86400; HttpOnly")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass
