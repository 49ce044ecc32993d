"""A phone: its apps, each with its database, behind one server; the home screen; the current toast."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from fairground_pocket.kit.database import Database
from fairground_pocket.kit.markup import Html
from fairground_pocket.kit.serving import Request, Response
from fairground_pocket.kit.shell import FILES, Screen, Toast, document, launcher
from fairground_pocket.kit.site import Go, Site, Visit

HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


@dataclass(frozen=True)
class PhoneData:
    """Everything that a phone's answers depend on besides its apps and theme."""

    databases: Mapping[str, bytes]
    toasts: Mapping[str, Toast]
    undo: Mapping[str, bytes]
    fresh: bool


class Phone:
    """Answers all requests of one seat or of one rehearsal. Only one thread may use it at a time.

    Args:
        sites: The apps, in the order of the home screen.
        theme: Name of the theme.
        content: Returns an app's initial database; called when it is first needed.
    """

    def __init__(self, sites: Sequence[Site], theme: str, content: Callable[[str], bytes]) -> None:
        self._sites = {site.name: site for site in sites}
        self._content = content
        self._databases: dict[str, Database] = {}
        self._toasts: dict[str, Toast] = {}
        self._undo: dict[str, bytes] = {}
        self._fresh = True
        self.theme = theme

    def database(self, app: str) -> Database:
        """The database of an app, loaded on first use."""
        if app not in self._databases:
            self._databases[app] = Database(self._content(app))
        return self._databases[app]

    def opened(self) -> Mapping[str, Database]:
        """The databases that were loaded so far, by app."""
        return self._databases

    def copy(self) -> PhoneData:
        """A copy of its data, for `paste` of another phone with the same apps."""
        databases = {name: database.dump() for name, database in self._databases.items()}
        return PhoneData(databases, dict(self._toasts), dict(self._undo), self._fresh)

    def paste(self, data: PhoneData) -> None:
        """Replaces all data."""
        self.close()
        self._databases |= {name: Database(content) for name, content in data.databases.items()}
        self._toasts, self._undo, self._fresh = dict(data.toasts), dict(data.undo), data.fresh

    def close(self) -> None:
        for database in self._databases.values():
            database.close()
        self._databases.clear()

    def respond(self, request: Request) -> Response:
        """Answers one request. The response to any request is a page, a redirect or a static file of the kit."""
        if request.path in FILES and request.method == "GET":
            text, kind = FILES[request.path]
            headers = {"Content-Type": f"{kind}; charset=utf-8", "Cache-Control": "max-age=31536000, immutable"}
            return Response(text.encode(), headers={**HEADERS, **headers})
        name = request.path.split("/", 2)[1] if request.path.count("/") else ""
        site = self._sites.get(name)
        if site is None:
            return self._home() if request.path == "/" else _go("/")
        if request.path == f"/{name}":
            return _go(f"/{name}/")
        return self._visit(site, request)

    def _home(self) -> Response:
        self._fresh = False
        apps = [(site.title, site.url(), site.icon) for site in self._sites.values()]
        first = next(iter(self._databases), next(iter(self._sites)))
        return _html(launcher(apps, self.theme, self.database(first).now))

    def _visit(self, site: Site, request: Request) -> Response:
        database = self.database(site.name)
        before = None
        # The first page was loaded before the agent saw it, so it marks nothing as seen.
        handed_over, self._fresh = self._fresh and request.method == "GET", False
        if handed_over:
            before = database.dump()
        if request.method == "POST":
            if request.path == site.url("/undo"):
                return self._take_back(site, database)
            before = database.dump()
            database.tick()
        try:
            answer, status = site.answer(Visit(database, request))
        except BaseException:
            if before is not None:  # a partial change is worse than none
                database.load(before)
            raise
        if isinstance(answer, Go):
            self._undo.pop(site.name, None)
            if answer.undo and before is not None:
                self._undo[site.name] = before
            if answer.toast:
                self._toasts[site.name] = Toast(answer.toast, site.url("/undo") if answer.undo else "")
            return _go(answer.href)
        page = _html(self._document(site, answer, database), status)
        if handed_over and before is not None:
            database.load(before)
        return page

    def _document(self, site: Site, screen: Screen, database: Database) -> Html:
        toast = self._toasts.pop(site.name, None)
        return document(screen, site.tabs, self.theme, database.now, toast)

    def _take_back(self, site: Site, database: Database) -> Response:
        content = self._undo.pop(site.name, None)
        if content is not None:
            database.load(content)
            database.tick()
        self._toasts[site.name] = Toast("Taken back" if content is not None else "Too late to take that back")
        return _go(site.url("/"))


def _html(page: Html, status: HTTPStatus = HTTPStatus.OK) -> Response:
    headers = {**HEADERS, "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store"}
    return Response(page.encode(), status, headers)


def _go(href: str) -> Response:
    return Response(b"", HTTPStatus.SEE_OTHER, {**HEADERS, "Location": href})
