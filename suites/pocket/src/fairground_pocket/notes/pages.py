"""The app's screens as HTML: pure functions of the database. Everything works without JavaScript."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlencode

from fairground_pocket.kit.markup import Html, html, join
from fairground_pocket.notes.icons import icon
from fairground_pocket.notes.shell import Toast, bar, empty_state, page, post_button, root_bar, sheet
from fairground_pocket.notes.store import BODY_LENGTH, LABEL_LENGTH, NOW, SORTS, TITLE_LENGTH, Note, Store
from fairground_pocket.notes.themes import THEMES

_PREVIEW: Final = 220  # maximum number of characters of a note in a list


@dataclass(frozen=True)
class View:
    """What a list shows: the search words and the selected label."""

    words: str = ""
    label: str = ""

    def query(self, **changes: str) -> str:
        """The query string of this view, with `changes` applied."""
        wanted = {"q": self.words, "label": self.label, **changes}
        parameters = {name: value for name, value in wanted.items() if value}
        return "?" + urlencode(parameters) if parameters else ""


@dataclass(frozen=True)
class Draft:
    """The values of a form: those of a note, or submitted and refused values with their errors."""

    title: str = ""
    body: str = ""
    labels: tuple[str, ...] = ()
    new_label: str = ""
    errors: tuple[tuple[str, str], ...] = ()


def list_page(store: Store, notes: Sequence[Note], view: View, toast: Toast | None) -> Html:
    """The list of notes, pinned ones first, with search and labels above."""
    search = html(
        '<form class="search" role="search" action="/">{icon}<input type="search" name="q" value="{words}" '
        'placeholder="Search notes" aria-label="Search notes" autocomplete="off" maxlength="100">'
        '{label}<button class="hidden">Search</button></form>',
        icon=icon("search"),
        words=view.words,
        label=html('<input type="hidden" name="label" value="{}">', view.label) if view.label else "",
    )
    chips = [_chip("All", "/" + view.query(label=""), not view.label)]
    chips += [
        _chip(label, "/" + view.query(label=label), label == view.label, number % 8)
        for number, label in enumerate(store.labels())
    ]
    results = html(
        '<nav class="chips" id="chips" aria-label="Labels">{chips}</nav><div id="results">{notes}</div>',
        chips=join(chips),
        notes=_results(store, notes, view),
    )
    main = html('<div class="top">{search}</div>{results}', search=search, results=results)
    new = html('<a class="fab" href="/new" aria-label="New note">{icon}<span>New note</span></a>', icon=icon("plus"))
    return page(store.setting("theme"), "Notes", "list", root_bar("Notes", "notes"), join([main, new]), toast=toast)


def note_page(store: Store, note: Note, view: View, toast: Toast | None) -> Html:
    """A note with its actions."""
    labels = store.labels()
    article = html(
        '<article><h1>{note.title}</h1><p class="meta">{dates}</p>{labels}'
        '<div class="body">{note.body}</div></article>',
        note=note,
        dates=_dates(note),
        labels=_tags(note, labels),
    )
    if note.trashed:
        actions = join([
            post_button(f"/note/{note.id}/restore", "Restore", icon("restore"), back="trash"),
            html('<a class="action" href="#sheet" aria-label="Delete for ever">{}</a>', icon("trash")),
        ])  # fmt: skip
        notice = html('<p class="notice">In the trash since {when}</p>', when=when(note.trashed))
        question = "Delete this note for ever?"
        ask = sheet(question, f"“{note.title}” cannot be brought back.", f"/note/{note.id}/delete", "Delete for ever")
        top = bar("/trash", "Trash", actions)
        return page(store.setting("theme"), note.title, "note", top, join([notice, article]), toast=toast, ask=ask)
    pin = ("unpin", "Unpin") if note.pinned else ("pin", "Pin")
    actions = join([
        post_button(f"/note/{note.id}/{pin[0]}", pin[1], icon("pin"), back="note", on=note.pinned),
        html('<a class="action" href="#sheet" aria-label="Move to trash">{}</a>', icon("trash")),
    ])  # fmt: skip
    edit = html(
        '<a class="fab" href="/note/{id}/edit" aria-label="Edit note">{icon}<span>Edit</span></a>',
        id=note.id,
        icon=icon("edit"),
    )
    text = f"“{note.title}” stays in the trash until you delete it for ever."
    ask = sheet("Move this note to the trash?", text, f"/note/{note.id}/trash", "Move to trash")
    top = bar("/" + view.query(), "", actions)
    return page(store.setting("theme"), note.title, "note", top, join([article, edit]), toast=toast, ask=ask)


def edit_page(store: Store, draft: Draft, number: int | None) -> Html:
    """A form for a new note, or for the one with this id."""
    where, heading = ("/new", "New note") if number is None else (f"/note/{number}/edit", "Edit note")
    errors = dict(draft.errors)
    boxes = join(
        html(
            '<label class="chip tint-{tint}"><input type="checkbox" name="label" value="{label}"{checked}>'
            "<span>{label}</span></label>",
            tint=position % 8,
            label=label,
            checked=Html(" checked") if label in draft.labels else "",
        )
        for position, label in enumerate(store.labels())
    )
    form = html(
        '<form class="edit" id="edit" method="post" action="{where}" novalidate>'
        '<label class="field"><span>Title</span><input name="title" value="{title}" maxlength="{title_length}" '
        'autocomplete="off"{title_state}>{title_error}</label>'
        '<label class="field grow"><span>Note</span><textarea name="body" maxlength="{body_length}" rows="9">\n{body}'
        "</textarea>{body_error}</label>"
        '<fieldset><legend>Labels</legend><div class="boxes">{boxes}</div></fieldset>'
        '<label class="field"><span>New label</span><input name="new_label" value="{new_label}" '
        'maxlength="{label_length}" autocomplete="off">{label_error}</label></form>',
        where=where,
        title=draft.title,
        body=draft.body,
        boxes=boxes,
        new_label=draft.new_label,
        title_length=TITLE_LENGTH,
        body_length=BODY_LENGTH,
        label_length=LABEL_LENGTH,
        title_state=Html(' aria-invalid="true"') if "title" in errors else Html(" autofocus" if number is None else ""),
        title_error=_error(errors.get("title")),
        body_error=_error(errors.get("body")),
        label_error=_error(errors.get("label")),
    )
    save = html('<button class="save" form="edit">{icon}<span>Save</span></button>', icon=icon("check"))
    cancel = "/" if number is None else f"/note/{number}"
    return page(store.setting("theme"), heading, "edit", bar(cancel, heading, save, close=True), form)


def trash_page(store: Store, notes: Sequence[Note], toast: Toast | None) -> Html:
    """Notes in the trash, most recent first."""
    theme, top = store.setting("theme"), root_bar("Trash", "trash")
    if not notes:
        return page(theme, "Trash", "list", top, empty_state("trash", "The trash is empty"), toast=toast)
    hint = html('<p class="notice">Open a note to restore it. <a href="#sheet">Empty trash</a></p>')
    main = join([hint, _group("", notes, store, View())])
    ask = sheet("Delete all of this for ever?", "It cannot be brought back.", "/trash/empty", "Empty trash")
    return page(theme, "Trash", "list", top, main, toast=toast, ask=ask)


def settings_page(store: Store, toast: Toast | None) -> Html:
    """Owner, sort order and theme."""
    sorts = [_choice("sort", name, title, store.setting("sort")) for name, title in SORTS.items()]
    themes = [_choice("theme", name, theme["title"], store.setting("theme")) for name, theme in THEMES.items()]
    owner = store.setting("owner")
    form = html(
        '<p class="owner"><b aria-hidden="true">{initials}</b><span>{owner}</span></p>'
        '<form class="settings" method="post" action="/settings">'
        "<fieldset><legend>Sort notes by</legend>{sorts}</fieldset><fieldset><legend>Theme</legend>{themes}</fieldset>"
        '<button class="wide">Save settings</button></form>',
        initials="".join(word[0] for word in owner.split())[:2],
        owner=owner,
        sorts=join(sorts),
        themes=join(themes),
    )
    return page(store.setting("theme"), "Settings", "settings", root_bar("Settings", "settings"), form, toast=toast)


def lost_page(store: Store, text: str) -> Html:
    """The page for an address that does not exist (any more)."""
    back = html('<a class="wide" href="/">All notes</a>')
    return page(store.setting("theme"), text, "lost", bar("/", "", Html()), join([empty_state("notes", text), back]))


def when(moment: datetime) -> str:
    """A moment as a phone shows it: the time for today, else the day, with the year if it is another year."""
    days = (NOW.date() - moment.date()).days
    if days <= 0:
        return f"{moment:%H:%M}"
    if days == 1:
        return "Yesterday"
    return f"{moment.day} {moment:%b}" if moment.year == NOW.year else f"{moment.day} {moment:%b %Y}"


def _results(store: Store, notes: Sequence[Note], view: View) -> Html:
    if not notes:
        if view.words or view.label:
            return empty_state("search", "No notes found")
        return empty_state("notes", "No notes yet. Write the first one.")
    pinned = [note for note in notes if note.pinned]
    others = [note for note in notes if not note.pinned]
    return join([_group("Pinned", pinned, store, view), _group("Notes" if pinned else "", others, store, view)])


def _group(heading: str, notes: Sequence[Note], store: Store, view: View) -> Html:
    if not notes:
        return Html()
    title = html("<h2>{}</h2>", heading) if heading else ""
    labels = store.labels()
    rows = join(_row(note, labels, view) for note in notes)
    return html('<section>{title}<ul class="notes">{rows}</ul></section>', title=title, rows=rows)


def _row(note: Note, labels: Sequence[str], view: View) -> Html:
    tint = f"tint-{labels.index(note.labels[0]) % 8}" if note.labels else "plain"
    return html(
        '<li><a class="note {tint}" href="/note/{note.id}{query}" aria-labelledby="title-{note.id}">'
        '<h3 id="title-{note.id}">{title}</h3><p>{preview}</p><time>{when}</time>{tags}{pin}</a></li>',
        tint=tint,
        note=note,
        query=view.query(),
        title=_marked(note.title, view.words),
        preview=_marked(note.body[:_PREVIEW], view.words),
        when=when(note.modified),
        tags=_tags(note, labels),
        pin=icon("pin") if note.pinned else "",
    )


def _marked(text: str, words: str) -> Html:
    """Text with the search words highlighted."""
    if not words.split():
        return html("{}", text)
    pattern = re.compile("(" + "|".join(re.escape(word) for word in words.split()) + ")", re.IGNORECASE)
    pieces = pattern.split(text)  # matches are at the odd indices
    return join(html("<mark>{}</mark>" if odd % 2 else "{}", piece) for odd, piece in enumerate(pieces))


def _tags(note: Note, labels: Sequence[str]) -> Html:
    if not note.labels:
        return Html()
    tags = (
        html('<li class="tint-{tint}">{label}</li>', tint=labels.index(label) % 8, label=label) for label in note.labels
    )
    return html('<ul class="tags" aria-label="Labels">{tags}</ul>', tags=join(tags))


def _dates(note: Note) -> str:
    edited = f"Edited {when(note.modified)}"
    return edited if note.created == note.modified else f"{edited} · written {when(note.created)}"


def _chip(label: str, where: str, chosen: bool, tint: int | None = None) -> Html:
    return html(
        '<a class="chip{tint}" href="{where}"{current}>{label}</a>',
        tint="" if tint is None else f" tint-{tint}",
        where=where,
        current=Html(' aria-current="true"') if chosen else "",
        label=label,
    )


def _choice(name: str, value: str, title: str, chosen: str) -> Html:
    return html(
        '<label class="choice"><input type="radio" name="{name}" value="{value}"{checked}><span>{title}</span></label>',
        name=name,
        value=value,
        checked=Html(" checked") if value == chosen else "",
        title=title,
    )


def _error(text: str | None) -> Html:
    return html('<em class="error" role="alert">{}</em>', text) if text else Html()
