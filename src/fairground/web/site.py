"""The site: one web application with the studio and the arena.

Each page module has a `router`; `ROUTERS` lists them. They get the `Site` with `visit.site_of`.
"""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from fairground.agents import Agent
from fairground.arena import Absent, Refused, Retirement, Store, interrupt_all
from fairground.core import FairgroundError, InfrastructureError, InvalidInput, StateError
from fairground.report.plots import theme
from fairground.sandbox import keep_private
from fairground.serving import Exposed, Listening, is_loopback
from fairground.web.arena import admin, api, leaderboard, pages
from fairground.web.arena.news import open_contests
from fairground.web.door import Door
from fairground.web.house import House
from fairground.web.limits import Pace, Rates
from fairground.web.session import Signer, load_key
from fairground.web.shell import trouble_page
from fairground.web.studio import catalogue, live, replay, runs, welcome
from fairground.web.trouble import unplaced
from fairground.web.visit import TooLong, has_role, wants_json

ROUTERS: Final[tuple[APIRouter, ...]] = (
    welcome.router,
    catalogue.router,
    runs.router,
    replay.router,
    live.router,
    leaderboard.router,
    admin.router,
    api.router,
    pages.router,
)
_STATIC: Final = Path(__file__).parent / "static"
_TYPES: Final = {
    ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".woff2": "font/woff2", ".png": "image/png",
}  # fmt: skip


@dataclass
class Site:
    """Configuration and state of a site.

    Attributes:
        store: The arena's database.
        home: Folder for the server's own data: its key, uploads, recordings of battles and of people.
        runs: Folders to search for runs.
        plays: Additional folders with people's attempts.
        agents: Factories of the arena's agents, by name. Names are secret until a vote.
        battles: Number of battles that run at once; the others wait in a queue.
        retirement: When an agent is retired.
        rates: Rate limits.
        secure: Whether browsers use https.
        closing: Callbacks to run when the site closes.
        pace: Timeouts for receiving requests.
    """

    store: Store
    home: Path
    runs: tuple[Path, ...] = ()
    agents: Mapping[str, Callable[[], Agent]] = field(default_factory=dict)
    battles: int = 1
    retirement: Retirement = field(default_factory=Retirement)
    rates: Rates = field(default_factory=Rates.usual)
    secure: bool = False
    closing: list[Callable[[], None]] = field(default_factory=list)
    pace: Pace = field(default_factory=Pace)
    plays: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        for folder in (self.home, *self.runs, *self.plays):
            keep_private(folder)
        self.signer = Signer(load_key(self.home / "key"))
        interrupt_all(self.store)
        self.house = House()
        self.contests = open_contests(self)

    def close(self) -> None:
        """Stop everything that was started, in reverse order. The caller closes the store."""
        while self.closing:
            self.closing.pop()()
        self.contests.close()
        self.house.close()


def make_app(site: Site, host: str = "127.0.0.1", routers: Sequence[APIRouter] = ROUTERS) -> ASGIApp:
    """Return the complete ASGI application, including the middleware."""
    app = FastAPI(title="Fairground", openapi_url="/api/openapi.json", docs_url=None, redoc_url=None)
    app.state.site = site
    _add_static(app)
    for router in routers:
        app.include_router(router)
    app.add_exception_handler(FairgroundError, _on_error)
    app.add_exception_handler(HTTPException, _on_error)
    app.add_exception_handler(RequestValidationError, _on_error)
    door = Door(app, site.store, site.signer, host, site.rates, site.secure, site.pace)
    app.state.door = door
    return door


@contextmanager
def serving(site: Site, *, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Serve a site from a thread while the block runs. Yields its URL.

    Raises:
        InfrastructureError: If the address is not available.
    """
    if not site.secure and not is_loopback(host):
        warnings.warn(
            f"the site listens on {host} without https: others on the network can read and change the traffic",
            Exposed,
            stacklevel=3,
        )
    with Listening(make_app(site, host), host, port, head_seconds=site.pace.head) as listening:
        try:
            yield listening.url
        finally:
            site.close()


def _add_static(app: FastAPI) -> None:
    files = {path.name: path.read_bytes() for path in sorted((_STATIC / "site").iterdir()) if path.suffix in _TYPES}
    files["theme.css"] = theme().encode()
    # One content hash in the path for all files: a module imported under two URLs would be loaded twice.
    mark = hashlib.blake2b(b"".join(files.values()), digest_size=6).hexdigest()
    app.state.assets = f"/static/{mark}"
    for name, content in files.items():
        app.get(f"{app.state.assets}/{name}", include_in_schema=False)(_file(content, _TYPES[Path(name).suffix]))


def _file(content: bytes, kind: str) -> Callable[[], Awaitable[Response]]:
    async def answer() -> Response:
        return Response(content, media_type=kind)

    return answer


async def _on_error(request: Request, error: Exception) -> Response:
    """Render an error as a page for people, or as JSON for programs."""
    status, problem, fix = _explained(error)
    if fix and _COMMAND.search(fix) and not ("visitor" in request.scope["state"] and has_role(request, "admin")):
        fix = "Ask the administrator of this site to fix this."
    return trouble_page(request, status, problem, fix, as_json=wants_json(request))


def _explained(error: Exception) -> tuple[int, str, str | None]:
    match error:
        case HTTPException():
            return error.status_code, _PLAIN.get(error.status_code, str(error.detail)), None
        case RequestValidationError():
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"][1:])
            return 422, f"{where or 'the request'}: {first['msg']}", None
        case TooLong():
            return 413, error.message, error.fix
        case Absent():
            return 404, error.message, error.fix
        case Refused():
            return 403, error.message, error.fix
        case InvalidInput() | StateError():
            return 400, error.message, error.fix
        case InfrastructureError():
            return 503, unplaced(error.message), error.fix and unplaced(error.fix)
        case FairgroundError():
            return 400, error.message, error.fix
    return 500, "an internal error occurred", None


_COMMAND: Final = re.compile(r"\b(fairground|make|pip|apt-get|apt|sudo) [a-z]")
"""Matches fixes that require a command on the server. Only admins see those."""

_PLAIN: Final = {404: "page not found", 405: "method not allowed"}
