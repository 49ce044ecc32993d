"""The site: one web application for the studio and the arena, put together and served.

A page module has a `router`; `ROUTERS` names them all. What they need is the `Site`, found by `visit.site_of`.
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
from fairground.web.arena import admin, api, leaderboard, pages
from fairground.web.arena.news import open_contests
from fairground.web.door import Door
from fairground.web.guard import is_loopback
from fairground.web.house import House
from fairground.web.limits import Pace, Rates
from fairground.web.listening import Exposed, Listening
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
    """What the pages are about.

    Attributes:
        store: The arena's database.
        home: Where the server keeps what is its own: its key, uploads, recordings of battles and of people.
        runs: Folders in which runs are looked for.
        plays: Folders in which people's attempts lie, beside those of this site.
        agents: What makes each agent that may fight in the arena, by name. Names are secrets until a vote.
        battles: How many are fought at once; the others wait for their turn.
        retirement: When an agent is drawn no more.
        rates: How often anybody may ask.
        secure: Whether browsers come by https.
        closing: What ends with the site.
        pace: How long requests may take to come in.
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
        """Ends everything that was begun, the last first; the store is the caller's."""
        while self.closing:
            self.closing.pop()()
        self.contests.close()
        self.house.close()


def make_app(site: Site, host: str = "127.0.0.1", routers: Sequence[APIRouter] = ROUTERS) -> ASGIApp:
    """The whole application, door and all."""
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
    """Serves a site from a thread of its own as long as the block runs; yields its address.

    Raises:
        InfrastructureError: When the address cannot be had.
    """
    if not site.secure and not is_loopback(host):
        warnings.warn(
            f"the site listens on {host} without https: anybody on the way can read and change what people send",
            Exposed,
            stacklevel=3,
        )
    with Listening(make_app(site, host), host, port, head_seconds=site.pace.head) as listening:
        try:
            yield listening.url
        finally:
            site.close()


def _add_static(app: FastAPI) -> None:
    found = {path.name: path.read_bytes() for path in sorted((_STATIC / "site").iterdir()) if path.suffix in _TYPES}
    found["theme.css"] = theme().encode()
    # One mark for all of them, in the path: modules that name each other must not become two of each.
    mark = hashlib.blake2b(b"".join(found.values()), digest_size=6).hexdigest()
    app.state.assets = f"/static/{mark}"
    for name, content in found.items():
        app.get(f"{app.state.assets}/{name}", include_in_schema=False)(_file(content, _TYPES[Path(name).suffix]))


def _file(content: bytes, kind: str) -> Callable[[], Awaitable[Response]]:
    async def answer() -> Response:
        return Response(content, media_type=kind)

    return answer


async def _on_error(request: Request, error: Exception) -> Response:
    """What went wrong, in words: as a page to people and as JSON to programs."""
    status, said, fix = _explained(error)
    if fix and _COMMAND.search(fix) and not ("visitor" in request.scope["state"] and has_role(request, "admin")):
        fix = "The people who run this site can correct that."
    return trouble_page(request, status, said, fix, as_json=wants_json(request))


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
    return 500, "something broke here", None


_COMMAND: Final = re.compile(r"\b(fairground|make|pip|apt-get|apt|sudo) [a-z]")
"""A fix that has to be typed at the server is of no use to anybody else."""

_PLAIN: Final = {404: "there is no such page", 405: "that cannot be done here"}
