"""Answers each request: reads the address and the form, changes the database, chooses the page."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

from fairground_pocket.kit.markup import Html
from fairground_pocket.kit.serving import Request, Response
from fairground_pocket.notes import pages
from fairground_pocket.notes.icons import ICON_FILE
from fairground_pocket.notes.pages import Draft, View
from fairground_pocket.notes.shell import SCRIPT, STYLE, Toast
from fairground_pocket.notes.store import BODY_LENGTH, LABEL_LENGTH, NOTES, SORTS, TITLE_LENGTH, Note, Store
from fairground_pocket.notes.themes import THEMES

HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
FILES: Final = {
    "/style.css": (STYLE, "text/css"),
    "/notes.js": (SCRIPT, "text/javascript"),
    "/icon.svg": (ICON_FILE, "image/svg+xml"),
}
_NOTE: Final = re.compile(r"/note/([0-9]{1,9})(?:/([a-z]+))?", re.ASCII)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")

# Action -> message, the action that reverts it, and whether the database confirms that it was done.
_TOASTS: Final[Mapping[str, tuple[str, str, Callable[[Note], bool]]]] = {
    "pinned": ("Pinned", "unpin", lambda note: note.pinned),
    "unpinned": ("Unpinned", "pin", lambda note: not note.pinned),
    "trashed": ("Moved to trash", "restore", lambda note: note.trashed is not None),
    "restored": ("Restored", "trash", lambda note: note.trashed is None),
    "saved": ("Saved", "", lambda note: note.trashed is None),
}
_PLAIN_TOASTS: Final = {"deleted": "Deleted for ever", "emptied": "Trash emptied", "settings": "Settings saved"}
_ACTIONS: Final[Mapping[str, tuple[str, Callable[[Store, int], None]]]] = {
    "pin": ("pinned", lambda store, number: store.pin(number, True)),
    "unpin": ("unpinned", lambda store, number: store.pin(number, False)),
    "trash": ("trashed", Store.trash),
    "restore": ("restored", Store.restore),
    "delete": ("deleted", lambda store, number: store.delete([number])),
}


def respond(store: Store, request: Request) -> Response:
    """Answers one request. The response to any request is a page, a redirect or a static file of the app."""
    if request.path in FILES and request.method == "GET":
        text, kind = FILES[request.path]
        headers = {"Content-Type": f"{kind}; charset=utf-8", "Cache-Control": "max-age=31536000, immutable"}
        return Response(text.encode(), headers={**HEADERS, **headers})
    match = _NOTE.fullmatch(request.path)
    if match is not None:
        note = store.note(int(match[1]))
        return _lost(store, "This note is gone") if note is None else _about(store, request, note, match[2])
    match request.method, request.path:
        case "GET", "/":
            view = _view(request)
            return _html(pages.list_page(store, select(store, view), view, _toast(store, request, "list")))
        case "GET", "/new":
            return _html(pages.edit_page(store, Draft(), None))
        case "POST", "/new":
            return _save(store, request, None)
        case "GET", "/trash":
            return _html(pages.trash_page(store, _trashed(store), _toast(store, request, "trash")))
        case "POST", "/trash/empty":
            store.delete([note.id for note in _trashed(store)])
            return _go("/trash", toast="emptied")
        case "GET", "/settings":
            return _html(pages.settings_page(store, _toast(store, request, "list")))
        case "POST", "/settings":
            for name, known in (("sort", SORTS), ("theme", THEMES)):
                if (value := _field(request.form, name)) in known:
                    store.set(name, value)
            return _go("/settings", toast="settings")
    return _lost(store, "There is nothing here")


def select(store: Store, view: View) -> list[Note]:
    """The notes that a list shows, in order."""
    words = view.words.casefold().split()
    notes = [
        note
        for note in store.notes()
        if note.trashed is None
        and (not view.label or view.label in note.labels)
        and all(word in f"{note.title}\n{note.body}".casefold() for word in words)
    ]
    sort = store.setting("sort")
    if sort == "title":
        notes.sort(key=lambda note: note.title.casefold())
    else:
        notes.sort(key=lambda note: (note.modified, note.id), reverse=sort == "newest")
    return sorted(notes, key=lambda note: not note.pinned)


def _about(store: Store, request: Request, note: Note, what: str | None) -> Response:
    match request.method, what:
        case "GET", None:
            return _html(pages.note_page(store, note, _view(request), _toast(store, request, "note", note)))
        case (("GET" | "POST"), "edit") if note.trashed:
            return _lost(store, "This note is in the trash", HTTPStatus.CONFLICT)
        case "GET", "edit":
            return _html(pages.edit_page(store, Draft(note.title, note.body, note.labels), note.id))
        case "POST", "edit":
            return _save(store, request, note)
        case "POST", str(action) if action in _ACTIONS:
            done, act = _ACTIONS[action]
            act(store, note.id)
            return _after(store, note.id, done, _field(request.form, "back"))
    return _lost(store, "There is nothing here")


def _after(store: Store, number: int, done: str, back: str) -> Response:
    """The address after an action: the screen it was done from, if that still makes sense."""
    note = store.note(number)
    if note is None:
        return _go("/trash", toast=done)
    if back == "note" and note.trashed is None:
        return _go(f"/note/{number}", toast=done)
    return _go("/trash" if back == "trash" else "/", toast=done, note=number)


def _save(store: Store, request: Request, note: Note | None) -> Response:
    draft, labels = _draft(store, request)
    if note is None and len(store.notes()) >= NOTES:
        draft = Draft(draft.title, draft.body, draft.labels, draft.new_label, (("title", "There are too many notes"),))
    if draft.errors:
        page = pages.edit_page(store, draft, note.id if note else None)
        return _html(page, HTTPStatus.UNPROCESSABLE_ENTITY)
    if note is None:
        number = store.add(draft.title, draft.body, labels)
    else:
        number = note.id
        store.edit(number, draft.title, draft.body, labels)
    return _go(f"/note/{number}", toast="saved")


def _draft(store: Store, request: Request) -> tuple[Draft, list[str]]:
    """The form's values with their errors, and the resulting labels."""
    known = {label.casefold(): label for label in store.labels()}
    title = " ".join(_field(request.form, "title").split())
    body = _field(request.form, "body").rstrip()
    new_label = " ".join(_field(request.form, "new_label").split())
    chosen = [label for label in store.labels() if label in request.form.get("label", ())]
    errors = []
    if not title:
        errors.append(("title", "A note needs a title"))
    for name, what, text, length in (
        ("title", "The title", title, TITLE_LENGTH),
        ("body", "The note", body, BODY_LENGTH),
        ("label", "The label", new_label, LABEL_LENGTH),
    ):
        if len(text) > length:
            errors.append((name, f"{what} can have {length} characters at most"))
    labels = [*chosen, known.get(new_label.casefold(), new_label)] if new_label else chosen
    return Draft(title, body, tuple(chosen), new_label, tuple(errors)), labels


def _toast(store: Store, request: Request, screen: str, note: Note | None = None) -> Toast | None:
    done = _field(request.query, "toast")
    if done in _PLAIN_TOASTS:
        return Toast(_PLAIN_TOASTS[done])
    number = _field(request.query, "note")
    if note is None and re.fullmatch(r"[0-9]{1,9}", number, re.ASCII):
        note = store.note(int(number))
    if done not in _TOASTS or note is None:
        return None
    text, undo, agrees = _TOASTS[done]
    return Toast(text, f"/note/{note.id}/{undo}" if undo else "", screen) if agrees(note) else None


def _view(request: Request) -> View:
    return View(_field(request.query, "q").strip()[:100], _field(request.query, "label"))


def _trashed(store: Store) -> list[Note]:
    thrown = [(note.trashed, note) for note in store.notes() if note.trashed is not None]
    return [note for _, note in sorted(thrown, key=lambda pair: pair[0], reverse=True)]


def _field(fields: Mapping[str, Sequence[str]], name: str) -> str:
    """A field cleaned for display: normalised newlines, no invisible characters."""
    text = next(iter(fields.get(name, ())), "").replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", text)


def _html(page: Html, status: HTTPStatus = HTTPStatus.OK) -> Response:
    headers = {**HEADERS, "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store"}
    return Response(page.encode(), status, headers)


def _go(where: str, **query: Any) -> Response:
    return Response(b"", HTTPStatus.SEE_OTHER, {**HEADERS, "Location": f"{where}?{urlencode(query)}"})


def _lost(store: Store, text: str, status: HTTPStatus = HTTPStatus.NOT_FOUND) -> Response:
    return _html(pages.lost_page(store, text), status)
