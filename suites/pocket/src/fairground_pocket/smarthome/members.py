"""Members: who may use the home, in which role, and until when."""

from __future__ import annotations

import re
import sqlite3
from datetime import date

from fairground_pocket.kit import Database, Field, Filled, Form, Go, Gone, Screen, Visit, formats, join, parts
from fairground_pocket.smarthome.schema import ROLES, SITE
from fairground_pocket.smarthome.store import log

_ADDRESS = re.compile(r"[^@\s]{1,64}@[^@\s.]+(\.[^@\s.]+)+")
_NAMES = {"owner": "Owner", **{key: name for key, name, _ in ROLES}}


@SITE.get("/members")
def members(visit: Visit) -> Screen:
    """All members, grouped by role and status."""
    db = visit.db
    rows = db.rows("SELECT * FROM members ORDER BY id")
    groups = {
        "Household": [row for row in rows if row["role"] != "guest" and row["status"] == "active"],
        "Guests": [row for row in rows if row["role"] == "guest" and row["status"] == "active"],
        "Invited": [row for row in rows if row["status"] == "invited"],
    }
    lists = [
        parts.section(title, parts.rows(
            parts.row(SITE.url(f"/members/{row['id']}"), row["name"], lead=parts.avatar(row["name"]),
                      name=f"{row['name']}, {_NAMES[row['role']]}", note=_note(row),
                      meta="At home" if row["present"] else "")
            for row in group
        ))
        for title, group in groups.items() if group
    ]  # fmt: skip
    fab = parts.fab(SITE.url("/members/new"), "Invite somebody", "add-person")
    return Screen("Members", join(lists), back=SITE.url("/more"), fab=fab)


@SITE.get("/members/new")
def invite(visit: Visit) -> Screen:
    """A form to invite a person; query parameters fill fields in."""
    values = {name: visit.query(name)[:80] for name in ("name", "address", "role")}
    return _page(_form(visit.db), "Invite somebody", "/members/new", Filled(values), "/members", "Invite")


@SITE.post("/members/new")
def add_member(visit: Visit) -> Screen | Go:
    """Invites a person."""
    form = _form(visit.db)
    filled = form.read(visit)
    if visit.db.one("SELECT 1 FROM members WHERE fold(address) = fold(?)", filled["address"]):
        filled = filled.wrong("address", "This address has access already")
    filled = _limited(filled)
    if not filled.ok:
        return _page(form, "Invite somebody", "/members/new", filled, "/members", "Invite")
    number = visit.db.insert("members", **filled.values, status="invited", since=visit.db.now.date().isoformat())
    log(visit.db, f"{filled['name']} was invited")
    return Go(SITE.url(f"/members/{number}"), "Invitation sent", undo=True)


@SITE.get("/members/{number:int}")
def member(visit: Visit, number: int) -> Screen:
    """A member with their role and activity."""
    row = visit.found("SELECT * FROM members WHERE id = ?", number)
    facts = [
        ("Role", _NAMES[row["role"]]),
        ("Email", row["address"]),
        ("Status", "Invited, has not answered yet" if row["status"] == "invited" else "Active"),
        ("Since", formats.day(date.fromisoformat(row["since"]))),
        ("Access until", formats.day(date.fromisoformat(row["until"])) if row["until"] else "No end"),
    ]
    seen = visit.db.rows("SELECT * FROM activity WHERE who = ? ORDER BY time DESC, id DESC LIMIT 5", row["name"])
    rows = [parts.row("", entry["time"][:16].replace("T", " "), note=entry["text"], style="plain") for entry in seen]
    body = join([
        parts.hero(row["name"], "At home" if row["present"] else "Not at home"),
        parts.card(parts.facts(facts)),
        parts.section("Did last", parts.rows(rows) if rows else parts.text("Nothing yet", "muted")),
    ])  # fmt: skip
    if row["role"] == "owner":
        return Screen("Member", body, back=SITE.url("/members"))
    ask = parts.confirm(
        "remove", f"Remove {row['name']}?", "All access ends at once.", SITE.url(f"/members/{number}/remove"),
        "Remove for good",
    )  # fmt: skip
    actions = [
        parts.bar_link(SITE.url(f"/members/{number}/edit"), "Change role", "edit"),
        parts.bar_link("#remove", "Remove member", "trash"),
    ]
    return Screen("Member", body, back=SITE.url("/members"), actions=actions, sheets=[ask])


@SITE.get("/members/{number:int}/edit")
def edit_member(visit: Visit, number: int) -> Screen:
    """A form to change a member's role."""
    row = _not_owner(visit, number)
    filled = Filled({"role": row["role"], "until": row["until"]})
    return _page(_role(visit.db), row["name"], f"/members/{number}/edit", filled, f"/members/{number}", "Save")


@SITE.post("/members/{number:int}/edit")
def save_member(visit: Visit, number: int) -> Screen | Go:
    """Saves a member's role."""
    row = _not_owner(visit, number)
    form = _role(visit.db)
    filled = _limited(form.read(visit))
    if not filled.ok:
        return _page(form, row["name"], f"/members/{number}/edit", filled, f"/members/{number}", "Save")
    visit.db.run("UPDATE members SET role = ?, until = ? WHERE id = ?", filled["role"], filled["until"], number)
    log(visit.db, f"{row['name']} is now {_NAMES[filled['role']].lower()}")
    return Go(SITE.url(f"/members/{number}"), "Role saved", undo=True)


@SITE.post("/members/{number:int}/remove")
def remove_member(visit: Visit, number: int) -> Go:
    """Removes a member."""
    row = _not_owner(visit, number)
    visit.db.run("DELETE FROM members WHERE id = ?", number)
    log(visit.db, f"{row['name']} was removed")
    return Go(SITE.url("/members"), f"{row['name']} removed", undo=True)


def _not_owner(visit: Visit, number: int) -> sqlite3.Row:
    row: sqlite3.Row = visit.found("SELECT * FROM members WHERE id = ?", number)
    if row["role"] == "owner":
        raise Gone
    return row


def _role(db: Database) -> Form:
    return Form(
        Field("role", "Role", "radio", required=True, options=ROLES),
        Field("until", "Access until", "date", start=db.now.date(), high=120, hint="Only guests need an end"),
    )


def _form(db: Database) -> Form:
    return Form(
        Field("name", "Name", required=True, limit=80),
        Field("address", "Email address", required=True, limit=120, keyboard="email",
              check=lambda text: None if _ADDRESS.fullmatch(text) else "This is not an email address"),
        *_role(db).fields,
    )  # fmt: skip


def _limited(filled: Filled) -> Filled:
    if filled["role"] == "guest" and not filled["until"] and not filled.again:
        return filled.wrong("until", "Choose when a guest's access ends")
    return Filled({**filled.values, "until": ""}, filled.chosen, filled.errors) if filled["role"] != "guest" else filled


def _page(form: Form, title: str, path: str, filled: Filled, back: str, name: str) -> Screen:
    body, sheets = form.show(SITE.url(path), filled)
    return Screen(title, body, back=SITE.url(back), close=True, actions=[parts.submit(name, "form")], sheets=sheets)


def _note(row: sqlite3.Row) -> str:
    until = f" until {formats.day(date.fromisoformat(row['until']))}" if row["until"] else ""
    return f"{_NAMES[row['role']]}{until}"
