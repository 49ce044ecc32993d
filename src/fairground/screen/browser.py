"""Start Chromium in a sandbox, with one page as the screen."""

from __future__ import annotations

import json
import os
import secrets
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from fairground.core import AppError, InvalidInput, MissingPrerequisite, SandboxError
from fairground.sandbox import Process, Sandbox
from fairground.screen.cdp import CdpScreen
from fairground.screen.cdpclipboard import Clipboards
from fairground.screen.cdpcontext import Contexts
from fairground.screen.cdppipe import Gone, Pipe
from fairground.screen.cdpwire import NoAnswer, Wire

MAX_SIDE: Final = 8192
_PROGRAMS: Final = (
    "/usr/lib/chromium/chromium",  # without Debian's wrapper script, which takes time
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
)
_START_SECONDS: Final = 30.0
_READ_FD, _WRITE_FD = 3, 4  # the file descriptors of Chromium's DevTools pipes

# Disables what would use the network, ask invisible questions, or use memory and time for an invisible window.
_FLAGS: Final = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-field-trial-config",
    "--disable-gpu",
    "--disable-hang-monitor",
    "--disable-notifications",
    "--disable-prompt-on-repost",
    "--disable-smooth-scrolling",
    "--disable-site-isolation-trials",
    "--deny-permission-prompts",
    # Otherwise the middle button would paste the current selection, even into the page of a later episode.
    "--blink-settings=selectionClipboardBufferAvailable=false",
    "--disable-blink-features=AutomationControlled",  # pages behave as they do for a user
    "--force-color-profile=srgb",
    "--lang=en-US",
    "--metrics-recording-only",
    "--mute-audio",
    "--no-service-autorun",
    "--password-store=basic",
    "--log-level=2",
)
_WITHOUT: Final = (
    "AutofillServerCommunication",
    "BackForwardCache",  # a closed document must not be kept
    "DialMediaRouteProvider",
    "GlobalMediaControls",
    "HttpsUpgrades",
    "IsolateOrigins",  # one process for a page and its frames: half the memory, and one place to look
    "IsolateSandboxedIframes",
    "MediaRouter",
    "OptimizationHints",
    "PreloadTopChromeWebUI",  # the pages behind the address bar: half of the start-up time
    "Prerender2",
    "SpareRendererForSitePerProcess",
    "Translate",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    "WebUIOmniboxPopup",
    "site-per-process",
)
# No autocomplete suggestions: the list would be invisible, and arrow keys would choose from it.
_PREFERENCES: Final = {
    "autofill": {"profile_enabled": False, "credit_card_enabled": False},
    "credentials_enable_service": False,
    "profile": {"password_manager_enabled": False},
    "translate": {"enabled": False},
}
_NO_SANDBOX_SIGNS: Final = ("no usable sandbox", "without --no-sandbox", "sandbox_host_linux", "move to new namespace")


def open_page(
    sandbox: Sandbox,
    size: tuple[int, int] = (412, 915),
    *,
    url: str | None = None,
    scale: float = 1.0,
    mobile: bool = True,
    touch: bool = False,
    color_scheme: Literal["light", "dark"] = "light",
    paced: bool = True,
) -> CdpScreen:
    """Start a browser in a sandbox and return its page as a screen.

    Args:
        sandbox: Where the browser runs, with a new profile in its home.
        size: Size of the picture in pixels. The page has the size `size / scale`.
        url: The page to open; None for an empty page.
        scale: Pixels of the picture per pixel of the page.
        mobile: Lay out pages as on a phone, and identify as one to servers.
        touch: Send touch events instead of mouse events.
        color_scheme: The user's preference that pages see.
        paced: Limit drawing to 60 frames per second, like a monitor. Without it, pictures are available in half the
            time, but any animation uses all available CPU time, and pages can notice.

    Raises:
        MissingPrerequisite: Chromium is not installed. The fix is the command that installs it.
        AppError: The browser did not start. The message includes the end of its output.
        ScreenError: The URL could not be shown.
    """
    _check(size, scale)
    browser = Browser(sandbox, paced=paced)
    try:
        screen = browser.open_page(
            size, scale=scale, mobile=mobile, touch=touch, color_scheme=color_scheme,
            downloads=f"{sandbox.home}/Downloads", end=browser.close,
        )  # fmt: skip
        if url is None:
            screen.settle(_START_SECONDS)
        else:
            screen.navigate(url, _START_SECONDS)
    except BaseException:
        browser.close()
        raise
    return screen


class Browser:
    """A Chromium in a sandbox, without a page yet.

    Args:
        sandbox: Where the browser runs, with a new profile in its home.
        paced: As for `open_page`.
    """

    def __init__(self, sandbox: Sandbox, *, paced: bool = True) -> None:
        self._sandbox = sandbox
        flags = [f"--disable-features={','.join(_WITHOUT)}", *([] if paced else ["--disable-frame-rate-limit"])]
        self._started = _launch(sandbox, flags)
        attach = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True, "filter": [{"type": "page"}]}
        self._started.wire.post("Target.setAutoAttach", attach)
        self._clipboards = Clipboards(lambda: self.open_page((64, 64)))

    @property
    def alive(self) -> bool:
        """Whether the browser runs."""
        return self._started.wire.alive

    def open_page(
        self,
        size: tuple[int, int],
        *,
        scale: float = 1.0,
        mobile: bool = True,
        touch: bool = False,
        color_scheme: Literal["light", "dark"] = "light",
        downloads: str | None = None,
        listen: Callable[[], socket.socket] | None = None,
        own_clipboard: bool = False,
        end: Callable[[], None] = lambda: None,
    ) -> CdpScreen:
        """Open an empty page as a screen, in its own browser context: it shares no cookies, storage or cache.

        Args:
            size: Size of the picture in pixels.
            scale: Pixels of the picture per pixel of the page.
            mobile: Lay out pages as on a phone, and identify as one to servers.
            touch: Send touch events instead of mouse events.
            color_scheme: The user's preference that pages see.
            downloads: Folder for downloads; None refuses them.
            listen: Creates the only server socket that the page's context can connect to, a new one per context (see
                `CdpScreen.take_server`). None allows all connections.
            own_clipboard: Give the page its own clipboard. By default it uses the browser's.
            end: Called when the screen is closed.
        """
        _check(size, scale)
        started = self._started
        unconfined = "Chromium runs without its own sandbox, because this machine or user does not allow it"
        return CdpScreen(
            Contexts(started.wire, downloads=downloads, listen=listen), size, scale=scale, mobile=mobile, touch=touch,
            color_scheme=color_scheme, user_agent=_user_agent(started.user_agent, mobile),
            clipboards=self._clipboards, own_clipboard=own_clipboard,
            notes=() if started.own_sandbox else (unconfined,), end=end,
        )  # fmt: skip

    def close(self) -> None:
        """End the browser with all its pages. Calling it twice is allowed."""
        self._clipboards.close()
        self._started.wire.close()
        _end(self._sandbox, self._started.process)


def _check(size: tuple[int, int], scale: float) -> None:
    if not (0.25 <= scale <= 8):
        raise InvalidInput(f"scale {scale:g}: expected 0.25 to 8")
    for side in size:
        if not 64 <= side <= MAX_SIDE:
            raise InvalidInput(f"screen size {size[0]}x{size[1]}: expected 64 to {MAX_SIDE} pixels per side")
        if abs(side / scale - round(side / scale)) > 1e-6:
            raise InvalidInput(
                f"screen size {size[0]}x{size[1]} at scale {scale:g}: a page cannot be {side / scale:g} pixels long",
                fix="choose a size that is a multiple of the scale",
            )


@dataclass(frozen=True)
class _Started:
    process: Process
    wire: Wire
    user_agent: str
    own_sandbox: bool


def _launch(sandbox: Sandbox, flags: Sequence[str]) -> _Started:
    """Start the browser, with its own sandbox around its pages if the machine allows that."""
    profile = f"{sandbox.home}/.config/page-{secrets.token_hex(4)}"
    sandbox.write_file(f"{profile}/Default/Preferences", json.dumps(_PREFERENCES).encode())
    flags = [*flags, f"--user-data-dir={profile}", "--no-startup-window"]
    if not sandbox.isolated:
        flags.append("--disable-dev-shm-usage")  # small in containers, where isolation is often unavailable
    root = not sandbox.isolated and os.geteuid() == 0  # Chromium refuses its own sandbox as root
    for own_sandbox in (False,) if root else (True, False):
        process, wire = _start(sandbox, [*_FLAGS, *flags, *([] if own_sandbox else ["--no-sandbox"])])
        try:
            version = wire.call("Browser.getVersion", timeout=_START_SECONDS)
            return _Started(process, wire, version["userAgent"], own_sandbox)
        except (Gone, NoAnswer):
            code = process.poll()
            wire.close()
            _end(sandbox, process)
            printed = process.output(4000).strip()
            if own_sandbox and any(sign in printed.lower() for sign in _NO_SANDBOX_SIGNS):
                continue
            state = "did not answer" if code is None else f"exited at once with status {code}"
            raise AppError(f"Chromium {state}" + (f"; its output ends:\n{printed}" if printed else "")) from None
    raise AssertionError("unreachable: the last attempt returns or raises")


def _start(sandbox: Sandbox, flags: Sequence[str]) -> tuple[Process, Wire]:
    browser_reads, we_write = os.pipe2(os.O_CLOEXEC)
    we_read, browser_writes = os.pipe2(os.O_CLOEXEC)
    env = {"DBUS_SESSION_BUS_ADDRESS": "disabled:", "DBUS_SYSTEM_BUS_ADDRESS": "disabled:"}
    process: Process | None = None
    try:
        for program in _PROGRAMS:
            try:
                fds = {_READ_FD: browser_reads, _WRITE_FD: browser_writes}
                process = sandbox.start([program, *flags], env=env, fds=fds)
                break
            except MissingPrerequisite:
                continue
        else:
            raise MissingPrerequisite("a page needs Chromium, which is not installed", fix="apt-get install chromium")
    finally:
        os.close(browser_reads)
        os.close(browser_writes)
        if process is None:
            os.close(we_read)
            os.close(we_write)
    started = process
    return started, Wire(Pipe(we_read, we_write, describe=lambda: _final_output(started)))


def _final_output(process: Process) -> str:
    try:
        process.wait(1.0)
        return process.output(2000)
    except TimeoutError:
        return process.output(2000)
    except SandboxError:
        return ""


def _end(sandbox: Sandbox, process: Process) -> None:
    if sandbox.frozen:
        return  # a frozen process may not even die; it ends with the sandbox
    try:
        process.kill()  # the profile is temporary, so there is nothing to save
        process.wait(5.0)
    except (SandboxError, TimeoutError):
        pass  # the programs ended with their sandbox


def _user_agent(agent: str, mobile: bool) -> str:
    agent = agent.replace("HeadlessChrome", "Chrome")
    if not mobile:
        return agent
    version = agent.partition("Chrome/")[2].partition(" ")[0]
    engine = "AppleWebKit/537.36 (KHTML, like Gecko)"
    return f"Mozilla/5.0 (Linux; Android 10; K) {engine} Chrome/{version} Mobile Safari/537.36"
