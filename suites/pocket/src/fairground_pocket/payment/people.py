"""People to pay: the list, one person, adding, editing, blocking."""

from __future__ import annotations

import re
import sqlite3

from fairground_pocket.kit import Database, Field, Filled, Form, Go, Html, Screen, Visit, icon, join, parts
from fairground_pocket.payment.amounts import shown
from fairground_pocket.payment.listing import person_row, request_row, transaction_rows
from fairground_pocket.payment.schema import SITE
from fairground_pocket.payment.store import REQUESTS

_HANDLE = re.compile(r"@[a-z0-9][a-z0-9._-]{1,38}", re.IGNORECASE | re.ASCII)
_FORM = Form(
    Field("name", "Name", required=True, limit=80),
    Field(
        "handle",
        "Handle",
        required=True,
        limit=40,
        hint="Such as @anna.berg",
        check=lambda text: (
            None if _HANDLE.fullmatch(text) else "A handle begins with @ and has letters, digits and points"
        ),
    ),
    Field("phone", "Phone", limit=30, keyboard="tel"),
    Field("role", "Who is it", limit=60),
)


def matching(db: Database, words: str) -> list[sqlite3.Row]:
    """Contacts whose name, handle or role contains these words, sorted by name."""
    rows = db.rows("SELECT * FROM contacts ORDER BY fold(name), id")
    return [row for row in rows if words.casefold() in f"{row['name']} {row['handle']} {row['role']}".casefold()]


@SITE.get("/people")
def people(visit: Visit) -> Screen:
    """All people or the matches of a search, favourites first."""
    words = visit.query("q").strip()[:200]
    rows = matching(visit.db, words)
    groups = [
        ("Favourites", [row for row in rows if row["favourite"] and not row["blocked"]]),
        ("Everybody", [row for row in rows if not row["favourite"] and not row["blocked"]]),
        ("Blocked", [row for row in rows if row["blocked"]]),
    ]
    lists = [parts.section(title, parts.rows(map(_row, group))) for title, group in groups if group]
    results = join(lists) if lists else parts.empty("people", "Nobody found", "Try another name or handle.")
    body = join([parts.search_box(SITE.url("/people"), words, "Search people"), parts.live(results)])
    return Screen("People", body, tab="people", fab=parts.fab(SITE.url("/people/new"), "New person", "add-person"))


def _row(row: sqlite3.Row) -> Html:
    return person_row(row, SITE.url(f"/people/{row['id']}"))


@SITE.get("/people/new")
def new_person(visit: Visit) -> Screen:
    """A form for a new person; query parameters fill fields in."""
    values = {name: visit.query(name)[:80] for name in ("name", "handle", "phone", "role")}
    return _page("New person", "/people/new", Filled(values))


@SITE.post("/people/new")
def add_person(visit: Visit) -> Screen | Go:
    """Adds a person."""
    filled = _read(visit, 0)
    if not filled.ok:
        return _page("New person", "/people/new", filled)
    number = visit.db.insert("contacts", email="", **filled.values)
    return Go(SITE.url(f"/people/{number}"), f"{filled['name']} added", undo=True)


@SITE.get("/people/{number:int}")
def person(visit: Visit, number: int) -> Screen:
    """A person with open requests and past transactions."""
    db = visit.db
    row = visit.found("SELECT * FROM contacts WHERE id = ?", number)
    history = db.rows("SELECT * FROM transactions WHERE contact = ? ORDER BY time DESC, id DESC", number)
    pending = db.rows(f"{REQUESTS} WHERE r.contact = ? AND r.status = 'open' ORDER BY r.time DESC", number)
    facts = [("Handle", row["handle"]), ("Phone", row["phone"] or "None"), ("Who", row["role"] or "Not said")]
    body: list[Html] = [parts.hero(row["name"], row["handle"]), parts.card(parts.facts(facts))]
    if row["blocked"]:
        body.append(
            parts.notice(f"{row['name']} is blocked: no money goes there, and no requests come from there.", "lock")
        )
    body.append(
        parts.side_by_side(
            parts.link(SITE.url("/send", to=number), "Send money", symbol="send", style="slim"),
            parts.link(SITE.url("/request", to=number), "Request money", symbol="arrow-down", style="quiet slim"),
        )
    )
    for title, direction in (("Asks you for", "in"), ("Is asked by you for", "out")):
        requests = [request for request in pending if request["direction"] == direction]
        if requests:
            body.append(parts.section(title, parts.rows(request_row(db, request) for request in requests)))
    sent = -sum(entry["amount"] for entry in history if entry["kind"] == "payment")
    got = sum(entry["amount"] for entry in history if entry["kind"] == "received")
    totals = [
        ("You sent in all", shown(db, sent)),
        ("You received in all", shown(db, got)),
        ("Transactions", str(len(history))),
    ]
    body.append(parts.section("Between you", parts.card(parts.facts(totals))))
    if history:
        more = SITE.url("/activity", who=number)
        body.append(parts.section("History", transaction_rows(db, history[:8]), more=more, more_name="Whole history"))
    name = "Remove from favourites" if row["favourite"] else "Add to favourites"
    actions = [
        parts.icon_button(SITE.url(f"/people/{number}/favourite"), name, "heart", on=bool(row["favourite"])),
        parts.bar_link("#more", "More about this person", "more"),
    ]
    return Screen("Person", join(body), back=SITE.url("/people"), actions=actions, sheets=_sheets(row))


def _sheets(row: sqlite3.Row) -> list[Html]:
    path = SITE.url(f"/people/{row['id']}")
    if row["blocked"]:
        block = parts.menu_button(f"{path}/block", "Unblock", "lock", on=0)
    else:
        block = parts.row("#block", "Block", lead=icon("lock"), style="plain")
    items = [
        parts.menu_link(f"{path}/edit", "Edit details", "edit"),
        parts.menu_link(SITE.url("/recurring/new", to=row["id"]), "Pay regularly", "refresh"),
        block,
    ]
    words = f"No money can be sent to {row['name']} until you unblock them. Open requests stay."
    return [
        parts.menu("more", row["name"], items),
        parts.confirm("block", f"Block {row['name']}?", words, f"{path}/block", "Block now", on=1),
    ]


@SITE.post("/people/{number:int}/favourite")
def favourite(visit: Visit, number: int) -> Go:
    """Adds a person to the favourites or removes them."""
    row = visit.found("SELECT * FROM contacts WHERE id = ?", number)
    visit.db.run("UPDATE contacts SET favourite = ? WHERE id = ?", 1 - row["favourite"], number)
    return Go(SITE.url(f"/people/{number}"), "Favourites changed", undo=True)


@SITE.post("/people/{number:int}/block")
def block(visit: Visit, number: int) -> Go:
    """Blocks or unblocks a person."""
    row = visit.found("SELECT * FROM contacts WHERE id = ?", number)
    on = visit.form("on") == "1"
    visit.db.run("UPDATE contacts SET blocked = ? WHERE id = ?", on, number)
    return Go(
        SITE.url(f"/people/{number}"), f"{row['name']} is {'blocked' if on else 'not blocked any more'}", undo=True
    )


@SITE.get("/people/{number:int}/edit")
def edit_person(visit: Visit, number: int) -> Screen:
    """A form for a person's details."""
    row = visit.found("SELECT * FROM contacts WHERE id = ?", number)
    return _page(
        "Edit person",
        f"/people/{number}/edit",
        Filled({name: row[name] for name in ("name", "handle", "phone", "role")}),
    )


@SITE.post("/people/{number:int}/edit")
def save_person(visit: Visit, number: int) -> Screen | Go:
    """Saves a person's details."""
    visit.found("SELECT * FROM contacts WHERE id = ?", number)
    filled = _read(visit, number)
    if not filled.ok:
        return _page("Edit person", f"/people/{number}/edit", filled)
    values = [filled[name] for name in ("name", "handle", "phone", "role")]
    visit.db.run("UPDATE contacts SET name = ?, handle = ?, phone = ?, role = ? WHERE id = ?", *values, number)
    return Go(SITE.url(f"/people/{number}"), "Saved", undo=True)


def _read(visit: Visit, number: int) -> Filled:
    filled = _FORM.read(visit)
    if visit.db.one("SELECT 1 FROM contacts WHERE handle = ? AND id != ?", filled["handle"], number):
        filled = filled.wrong("handle", "Somebody else has this handle")
    return filled


def _page(title: str, path: str, filled: Filled) -> Screen:
    body, sheets = _FORM.show(SITE.url(path), filled)
    back = SITE.url("/people") if path == "/people/new" else SITE.url(path.removesuffix("/edit"))
    return Screen(title, body, back=back, close=True, actions=[parts.submit("Save", "form")], sheets=sheets)
