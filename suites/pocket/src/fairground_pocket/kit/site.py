"""An app's pages: routing of addresses to handlers, and the request that a handler receives."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final, TypeAlias

from fairground_pocket.kit.database import Database
from fairground_pocket.kit.parts import empty, url
from fairground_pocket.kit.serving import Request
from fairground_pocket.kit.shell import Screen, Tab

_HOLE: Final = re.compile(r"\{(\w+)(?::(int))?\}")
_INVISIBLE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class Go:
    """A redirect after a form was handled.

    Attributes:
        href: The next address.
        toast: A short message about what was done, shown on the next page.
        undo: Offer to undo the change by restoring the database as it was before.
    """

    href: str
    toast: str = ""
    undo: bool = False


class Gone(Exception):
    """Raised by a handler when the item does not exist (any more); the page says so."""


@dataclass(frozen=True)
class Visit:
    """One request, with the database to answer it from."""

    db: Database
    request: Request

    def query(self, name: str) -> str:
        """A query parameter, cleaned so that any page can show it."""
        return _clean(self.request.query.get(name, ()))

    def page(self) -> int:
        """The requested page of a list, starting at 1."""
        text = self.query("page")
        return max(int(text), 1) if re.fullmatch(r"[0-9]{1,6}", text, re.ASCII) else 1

    def form(self, name: str) -> str:
        """A submitted form field, with normalised newlines and without invisible characters."""
        return _clean(self.request.form.get(name, ()))

    def forms(self, name: str) -> list[str]:
        """All values of a form field that can occur several times, such as ticked boxes."""
        return [_clean([text]) for text in self.request.form.get(name, ())]

    def number(self, name: str) -> int | None:
        """A submitted form field as a whole number, or None."""
        text = self.form(name)
        return int(text) if re.fullmatch(r"-?[0-9]{1,9}", text, re.ASCII) else None

    def found(self, sql: str, *values: Any) -> Any:
        """The first row of a query. Raises `Gone` when there is none."""
        row = self.db.row(sql, *values)
        if row is None:
            raise Gone
        return row


Handler: TypeAlias = Callable[..., "Screen | Go"]


@dataclass(frozen=True)
class Site:
    """An app: its pages and its tables.

    Attributes:
        name: Name of the app; its pages are below `/NAME/`.
        title: Displayed name.
        icon: Icon on the home screen.
        schema: `CREATE TABLE` statements. The kit adds `settings` and `clock`.
        tabs: Its top-level screens.
        free: Effects of merely looking, which are never judged: `table.column=value`, such as `mails.unread=0`, or
            `table.column` for any value.
    """

    name: str
    title: str
    icon: str
    schema: str
    tabs: Sequence[Tab] = ()
    free: Sequence[str] = ()
    _routes: list[tuple[str, re.Pattern[str], dict[str, str], Handler]] = field(default_factory=list, compare=False)

    def url(self, path: str = "/", **query: object) -> str:
        """An absolute address in this app: `site.url("/m/3")` is `/email/m/3`."""
        return url(f"/{self.name}{path}", **query)

    def get(self, path: str) -> Callable[[Handler], Handler]:
        """Registers a handler that shows a screen. `{id:int}` and `{name}` in the path become arguments."""
        return self._register("GET", path)

    def post(self, path: str) -> Callable[[Handler], Handler]:
        """Registers a form handler. It returns a `Go`, or the screen again when the input is invalid."""
        return self._register("POST", path)

    def answer(self, visit: Visit) -> tuple[Screen | Go, HTTPStatus]:
        """Routes a request to its handler and returns the handler's answer."""
        path = visit.request.path.removeprefix(f"/{self.name}") or "/"
        for method, pattern, kinds, handler in self._routes:
            match = pattern.fullmatch(path) if method == visit.request.method else None
            if match is None:
                continue
            holes = {name: int(text) if kinds[name] else text for name, text in match.groupdict().items()}
            try:
                answer = handler(visit, **holes)
            except Gone:
                return self._lost("This is not here any more"), HTTPStatus.NOT_FOUND
            sent = visit.request.method == "POST" and isinstance(answer, Screen)
            return answer, HTTPStatus.UNPROCESSABLE_ENTITY if sent else HTTPStatus.OK
        return self._lost("There is nothing here"), HTTPStatus.NOT_FOUND

    def _register(self, method: str, path: str) -> Callable[[Handler], Handler]:
        kinds = {name: kind for name, kind in _HOLE.findall(path)}
        pattern = _HOLE.sub(lambda hole: f"(?P<{hole[1]}>{'[0-9]{1,9}' if hole[2] else '[^/]{1,200}'})", path)

        def register(handler: Handler) -> Handler:
            self._routes.append(
                (method, re.compile(pattern, re.ASCII if "int" in kinds.values() else 0), kinds, handler)
            )
            return handler

        return register

    def _lost(self, words: str) -> Screen:
        return Screen(self.title, empty("search", words), back=self.url("/"))


def _clean(texts: Sequence[str]) -> str:
    text = next(iter(texts), "").replace("\r\n", "\n").replace("\r", "\n")
    return _INVISIBLE.sub("", text)
