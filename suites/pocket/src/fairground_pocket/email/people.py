"""Contacts: the list, one contact, adding and editing."""

from __future__ import annotations

import sqlite3

from fairground_pocket.email.schema import SITE
from fairground_pocket.email.store import ADDRESS
from fairground_pocket.kit import Field, Filled, Form, Go, Html, Screen, Visit, icon, join, parts

_FORM = Form(
    Field("name", "Name", required=True, limit=80),
    Field(
        "address", "Email address", required=True, limit=120, keyboard="email",
        check=lambda text: None if ADDRESS.fullmatch(text) else "This is not an email address",
    ),
    Field("phone", "Phone", limit=30, keyboard="tel"),
    Field("note", "Note", "area", limit=500),
)  # fmt: skip


@SITE.get("/contacts")
def contacts(visit: Visit) -> Screen:
    """All contacts or the matches of a search, by name, favourites first."""
    words = visit.query("q").strip()[:200]
    rows = visit.db.rows("SELECT * FROM contacts ORDER BY fold(name), id")
    rows = [row for row in rows if words.casefold() in f"{row['name']} {row['address']}".casefold()]
    favourites = [row for row in rows if row["favourite"]]
    others = [row for row in rows if not row["favourite"]]
    groups = [("Favourites", favourites), ("All others", others)]
    lists = [parts.section(title, parts.rows(map(_row, group))) for title, group in groups if group]
    results = join(lists) if lists else parts.empty("people", "Nobody found")
    body = join([parts.search_box(SITE.url("/contacts"), words, "Search contacts"), parts.live(results)])
    fab = parts.fab(SITE.url("/contacts/new"), "New contact", "add-person")
    return Screen("Contacts", body, tab="contacts", fab=fab)


@SITE.get("/contacts/new")
def new_contact(visit: Visit) -> Screen:
    """A form for a new contact; query parameters fill fields in."""
    values = {name: visit.query(name)[:120] for name in ("name", "address", "phone")}
    return _page("New contact", "/contacts/new", Filled(values))


@SITE.post("/contacts/new")
def add_contact(visit: Visit) -> Screen | Go:
    """Adds a contact."""
    filled = _read(visit, 0)
    if not filled.ok:
        return _page("New contact", "/contacts/new", filled)
    number = visit.db.insert("contacts", **filled.values)
    return Go(SITE.url(f"/contacts/{number}"), "Contact added", undo=True)


@SITE.get("/contacts/{number:int}")
def contact(visit: Visit, number: int) -> Screen:
    """A contact with their latest mails."""
    row = visit.found("SELECT * FROM contacts WHERE id = ?", number)
    recent = visit.db.rows(
        "SELECT thread, subject, max(time) AS time FROM mails WHERE address = ? "
        "AND folder NOT IN ('spam', 'trash', 'drafts') GROUP BY thread ORDER BY time DESC LIMIT 5",
        row["address"],
    )
    mails = [
        parts.row(SITE.url(f"/t/{mail['thread']}"), mail["subject"], lead=icon("mail"), style="plain")
        for mail in recent
    ]
    facts = [("Email", row["address"]), ("Phone", row["phone"] or "none")]
    if row["note"]:
        facts.append(("Note", row["note"]))
    body = join([
        parts.hero(row["name"], "Contact"),
        parts.card(parts.facts(facts)),
        parts.side_by_side(
            parts.link(SITE.url("/compose", to=row["address"]), "Write a mail", symbol="edit", style="slim"),
            parts.link(
                SITE.url("/search", q=f"from:{row['address']}"), "All mails", symbol="search", style="quiet slim"
            ),
        ),
        parts.section("Recent mails", parts.rows(mails) if mails else parts.text("Nothing yet", "muted")),
    ])  # fmt: skip
    name = "Remove from favourites" if row["favourite"] else "Add to favourites"
    words = f"{row['name']} is removed from your contacts; mails stay."
    ask = parts.confirm("delete", "Delete this contact?", words, SITE.url(f"/contacts/{number}/delete"), "Delete")
    actions = [
        parts.icon_button(SITE.url(f"/contacts/{number}/favourite"), name, "heart", on=bool(row["favourite"])),
        parts.bar_link(SITE.url(f"/contacts/{number}/edit"), "Edit contact", "edit"),
        parts.bar_link("#delete", "Delete contact", "trash"),
    ]
    return Screen("Contact", body, back=SITE.url("/contacts"), actions=actions, sheets=[ask])


@SITE.post("/contacts/{number:int}/favourite")
def favourite(visit: Visit, number: int) -> Go:
    """Adds a contact to the favourites or removes it."""
    row = visit.found("SELECT * FROM contacts WHERE id = ?", number)
    visit.db.run("UPDATE contacts SET favourite = ? WHERE id = ?", 1 - row["favourite"], number)
    return Go(SITE.url(f"/contacts/{number}"), "Favourites changed", undo=True)


@SITE.get("/contacts/{number:int}/edit")
def edit_contact(visit: Visit, number: int) -> Screen:
    """A form to edit a contact."""
    row = visit.found("SELECT * FROM contacts WHERE id = ?", number)
    values = {name: str(row[name]) for name in ("name", "address", "phone", "note")}
    return _page("Edit contact", f"/contacts/{number}/edit", Filled(values))


@SITE.post("/contacts/{number:int}/edit")
def save_contact(visit: Visit, number: int) -> Screen | Go:
    """Saves a contact."""
    visit.found("SELECT * FROM contacts WHERE id = ?", number)
    filled = _read(visit, number)
    if not filled.ok:
        return _page("Edit contact", f"/contacts/{number}/edit", filled)
    values = [filled[name] for name in ("name", "address", "phone", "note")]
    visit.db.run("UPDATE contacts SET name = ?, address = ?, phone = ?, note = ? WHERE id = ?", *values, number)
    return Go(SITE.url(f"/contacts/{number}"), "Contact saved", undo=True)


@SITE.post("/contacts/{number:int}/delete")
def delete_contact(visit: Visit, number: int) -> Go:
    """Deletes a contact."""
    visit.found("SELECT * FROM contacts WHERE id = ?", number)
    visit.db.run("DELETE FROM contacts WHERE id = ?", number)
    return Go(SITE.url("/contacts"), "Contact deleted", undo=True)


def _read(visit: Visit, number: int) -> Filled:
    filled = _FORM.read(visit)
    if visit.db.one("SELECT 1 FROM contacts WHERE address = ? AND id != ?", filled["address"], number):
        filled = filled.wrong("address", "There is a contact with this address")
    return filled


def _page(title: str, path: str, filled: Filled) -> Screen:
    body, sheets = _FORM.show(SITE.url(path), filled)
    back = SITE.url("/contacts") if path == "/contacts/new" else SITE.url(path.removesuffix("/edit"))
    return Screen(title, body, back=back, close=True, actions=[parts.submit("Save", "form")], sheets=sheets)


def _row(row: sqlite3.Row) -> Html:
    return parts.row(
        SITE.url(f"/contacts/{row['id']}"), row["name"], name=f"{row['name']}, {row['address']}", note=row["address"],
        lead=parts.avatar(row["name"]),
    )  # fmt: skip
