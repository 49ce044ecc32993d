"""What copying a phone needs of its server: a page that stands in for all others, and marks on answers to forms."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Final
from urllib.parse import urlencode

from fairground_pocket.kit.markup import html
from fairground_pocket.kit.serving import Request, Response

_START: Final = b"<!doctype html><html "
_PLAIN: Final = {"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store"}


class Answers:
    """Answers the requests of one seat.

    A page that answers a form names the form in the attribute `data-sent`. The page's script stores it in the history,
    because the browser sends the form again when the user goes back to that page.

    Args:
        respond: Returns the app's response.
        files: Paths of static files.
        headers: Headers of the app's pages.
    """

    def __init__(
        self, respond: Callable[[Request], Response], files: Container[str], headers: Mapping[str, str]
    ) -> None:
        self._respond = respond
        self._files = files
        self._headers = headers
        self._page: Response | None = None

    def __call__(self, request: Request) -> Response:
        if self._page is not None and request.path not in self._files:
            return self._page
        response = self._respond(request)
        if request.method != "POST" or not response.body.startswith(_START):
            return response
        mark = html('data-sent="{}" ', urlencode(request.form, doseq=True)).encode()
        return replace(response, body=_START + mark + response.body[len(_START) :])

    def stand_in(self, page: str | None, *, scripted: bool = False) -> None:
        """Answers every request for a page with this document, until called with None."""
        headers = _PLAIN if scripted else {**self._headers, **_PLAIN}
        self._page = None if page is None else Response(page.encode(), HTTPStatus.OK, headers)
