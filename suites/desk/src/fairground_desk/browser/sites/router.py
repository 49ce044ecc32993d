"""Routing of requests to sites by host name."""

from __future__ import annotations

from http import HTTPStatus

from fairground_desk.browser.person import SITES, Person
from fairground_desk.browser.serving import Request, Response
from fairground_desk.browser.sites import reading, sending
from fairground_desk.browser.sites.markup import page
from fairground_desk.browser.sites.reading import Missing
from fairground_desk.browser.sites.state import initial

_RESPOND = {
    "intranet": reading.intranet,
    "catalogue": reading.catalogue,
    "library": reading.library,
    "helpdesk": sending.helpdesk,
    "events": sending.events,
    "shop": sending.shop,
}


class Sites:
    """All sites of a person, with the data sent through their forms."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.state = initial(person)
        self._hosts = {person.host(site): site for site in SITES}

    def respond(self, request: Request) -> Response:
        """Return the response of the site with this host, or 502 if there is none."""
        site = self._hosts.get(request.host)
        if site is None:
            return Response(b"This site cannot be reached from here.", "text/plain", HTTPStatus.BAD_GATEWAY)
        try:
            if site == "news":
                commented = request.method == "POST" and request.path.endswith("/comment")
                return (sending.comment if commented else reading.news)(self.person, self.state, request)
            return _RESPOND[site](self.person, self.state, request)
        except Missing:
            missing = page(self.person, site, "Page not found", "<p>There is nothing here.</p>")
            return Response(missing.body, missing.kind, HTTPStatus.NOT_FOUND)
