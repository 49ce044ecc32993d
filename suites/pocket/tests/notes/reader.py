"""The app served on this machine's loopback, and a reader of its pages that follows links and fills in forms."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode

from fairground.core import Configuration
from fairground.worlds import World
from fairground_pocket import suite
from fairground_pocket.kit.serving import Server
from fairground_pocket.notes.app import Phone
from fairground_pocket.notes.store import Note


def world(
    scenario: str = "pin-and-label",
    instance: str = "dentist-health",
    profile: str = "student",
    *,
    theme: str = "paper",
    ui_state: str = "list",
) -> World:
    """A configuration of the app."""
    names = {"scenario": scenario, "instance": instance, "profile": profile, "theme": theme, "ui_state": ui_state}
    return World.of(suite, Configuration(suite="pocket", app="notes", **names))


@dataclass
class Form:
    """One form of a page: where it goes, what it holds, and what its buttons say."""

    method: str
    action: str
    fields: list[tuple[str, str]] = field(default_factory=list)
    buttons: list[str] = field(default_factory=list)
    id: str = ""


class Page(HTMLParser):
    """An answer of the app, read as a browser would."""

    def __init__(self, client: Client, status: int, headers: dict[str, str], text: str) -> None:
        super().__init__()
        self.client, self.status, self.headers, self.text = client, status, headers, text
        self.links: dict[str, str] = {}
        self.forms: list[Form] = []
        self.titles: list[str] = []
        self.tags: list[tuple[str, dict[str, Any]]] = []
        self.words = ""
        self._open: list[tuple[str, dict[str, Any], str]] = []
        self._form: Form | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value if value is not None else "" for name, value in attrs}
        self.tags.append((tag, given))
        if tag == "form":
            self._form = Form(given.get("method", "get"), given["action"], id=given.get("id", ""))
            self.forms.append(self._form)
        elif tag == "input":
            chosen = given.get("type") not in ("checkbox", "radio") or "checked" in given
            if chosen and self._form:
                self._form.fields.append((given["name"], given.get("value", "")))
        else:
            self._open.append((tag, given, ""))

    def handle_data(self, data: str) -> None:
        self.words += data
        self._open = [(tag, given, text + data) for tag, given, text in self._open]

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
            return
        while self._open:
            name, given, text = self._open.pop()
            if name == "a" and "href" in given:
                self.links.setdefault(given.get("aria-label") or text, given["href"])
            elif name == "h3":
                self.titles.append(text)
                self.links[text] = next(a["href"] for _, a in reversed(self.tags) if "aria-labelledby" in a)
            elif name == "textarea" and self._form:
                self._form.fields.append((given["name"], text.removeprefix("\n")))
            elif name == "button":
                owner = next((form for form in self.forms if form.id == given.get("form")), None)
                form = owner if given.get("form") else self._form
                if form:
                    form.buttons.append(given.get("aria-label") or text)
            if name == tag:
                return

    def follow(self, link: str) -> Page:
        return self.client.get(self.links[link])

    def submit(self, button: str, *, add: tuple[tuple[str, str], ...] = (), **values: str) -> Page:
        """Presses a button, with fields changed by `values` and further ones (checked boxes) added."""
        buttons = [(form, name) for form in self.forms for name in form.buttons]
        form = next((form for form, name in buttons if name == button), None)
        # The save button stands in the bar, before the form that it belongs to.
        form = form or next(form for form in self.forms if form.id == "edit")
        fields = [(name, value) for name, value in form.fields if name not in values]
        fields += [*values.items(), *add]
        if form.method == "get":
            return self.client.get(form.action + "?" + urlencode(fields))
        return self.client.post(form.action, fields)


@dataclass
class Client:
    """Talks to the app's server."""

    phone: Phone

    def get(self, path: str) -> Page:
        return self._ask("GET", path)

    def post(self, path: str, fields: list[tuple[str, str]] | dict[str, str] | bytes = b"") -> Page:
        body = fields if isinstance(fields, bytes) else urlencode(fields).encode()
        return self._ask("POST", path, body)

    def _ask(self, method: str, path: str, body: bytes = b"") -> Page:
        connection = http.client.HTTPConnection("127.0.0.1", self.phone.server.port, timeout=20)
        try:
            kind = {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
            connection.request(method, path.partition("#")[0], body or None, kind)
            answer = connection.getresponse()
            text = answer.read().decode()
            headers = dict(answer.getheaders())
        finally:
            connection.close()
        if answer.status == 303:
            return self.get(headers["Location"])
        return Page(self, answer.status, headers, text)

    def raw(self, data: bytes) -> bytes:
        """Sends bytes as they are; returns all that comes back until the connection is closed."""
        with socket.create_connection(("127.0.0.1", self.phone.server.port), timeout=20) as connection:
            answer = b""
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it had heard enough
                connection.sendall(data)
            with contextlib.suppress(ConnectionResetError):
                while chunk := connection.recv(65536):
                    answer += chunk
            return answer

    def note(self, title: str) -> Note:
        (found,) = [note for note in self.phone.store.notes() if note.title == title]
        return found


def serve(phone: Phone, **options: Any) -> Server:
    listener = socket.create_server(("127.0.0.1", 0))
    phone.server = Server(listener, phone.respond, **options)
    return phone.server


def ended(threads: set[threading.Thread]) -> bool:
    """Whether threads end; a thread that has done all its work takes a moment to be gone."""
    for thread in threads:
        thread.join(60)
    return not any(thread.is_alive() for thread in threads)


def request_threads() -> set[threading.Thread]:
    """Threads of servers that are running now."""
    return {thread for thread in threading.enumerate() if thread.name.startswith("pocket-")}
