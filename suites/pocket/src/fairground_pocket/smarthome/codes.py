"""Door codes: who may open which lock, on which days, between which hours."""

from __future__ import annotations

import sqlite3
from datetime import date

from fairground_pocket.kit import Database, Field, Filled, Form, Go, Screen, Visit, formats, icon, join, parts
from fairground_pocket.smarthome.schema import SITE
from fairground_pocket.smarthome.store import clock_fault, log

_JOINED = "SELECT c.*, d.name AS lock_name FROM codes c JOIN devices d ON d.id = c.lock WHERE {} ORDER BY c.first, c.id"
_COLUMNS = ("name", "code", "lock", "first", "last", "opens", "closes")


@SITE.get("/codes")
def codes(visit: Visit) -> Screen:
    """All codes: valid, upcoming and expired."""
    today = visit.db.now.date().isoformat()
    rows = visit.db.rows(_JOINED.format("1"))
    groups = {
        "Valid now": [row for row in rows if row["first"] <= today <= row["last"]],
        "Later": [row for row in rows if row["first"] > today],
        "Run out": [row for row in rows if row["last"] < today],
    }
    lists = [
        parts.section(title, parts.rows(
            parts.row(SITE.url(f"/codes/{row['id']}"), row["name"], lead=icon("key"),
                      style="off" if title == "Run out" else "",
                      note=f"{row['lock_name']}, until {formats.day(date.fromisoformat(row['last']))}")
            for row in group
        ))
        for title, group in groups.items() if group
    ]  # fmt: skip
    body = join(lists) if lists else parts.empty("key", "No codes", "Give guests a code instead of a key.")
    return Screen("Door codes", body, back=SITE.url("/more"), fab=parts.fab(SITE.url("/codes/new"), "New code"))


@SITE.get("/codes/new")
def new_code(visit: Visit) -> Screen:
    """A form for a code; query parameters fill fields in."""
    values = {name: visit.query(name)[:60] for name in ("name", "code")}
    form = _form(visit.db, visit.db.now.date())
    return _page(form, "New code", "/codes/new", Filled({"opens": "00:00", "closes": "23:59", **values}), "/codes")


@SITE.post("/codes/new")
def add_code(visit: Visit) -> Screen | Go:
    """Adds a code."""
    form = _form(visit.db, visit.db.now.date())
    filled = _checked(visit.db, form.read(visit), 0)
    if not filled.ok:
        return _page(form, "New code", "/codes/new", filled, "/codes")
    number = visit.db.insert("codes", **{**filled.values, "lock": int(filled["lock"])})
    log(visit.db, f"Door code {filled['name']} was made", int(filled["lock"]))
    return Go(SITE.url(f"/codes/{number}"), "Code added", undo=True)


@SITE.get("/codes/{number:int}")
def code(visit: Visit, number: int) -> Screen:
    """A code with its actions."""
    row = visit.found(_JOINED.format("c.id = ?"), number)
    facts = [
        ("For", row["name"]),
        ("Lock", row["lock_name"]),
        ("First day", formats.day(date.fromisoformat(row["first"]))),
        ("Last day", formats.day(date.fromisoformat(row["last"]))),
        (
            "Hours",
            "All day" if (row["opens"], row["closes"]) == ("00:00", "23:59") else f"{row['opens']} to {row['closes']}",
        ),
    ]
    body = join([parts.hero(f"{row['code'][:3]} {row['code'][3:]}", "Code"), parts.card(parts.facts(facts))])
    ask = parts.confirm(
        "delete",
        "Delete this code?",
        "It stops working at once.",
        SITE.url(f"/codes/{number}/delete"),
        "Delete for good",
    )
    actions = [
        parts.bar_link(SITE.url(f"/codes/{number}/edit"), "Edit code", "edit"),
        parts.bar_link("#delete", "Delete code", "trash"),
    ]
    return Screen("Door code", body, back=SITE.url("/codes"), actions=actions, sheets=[ask])


@SITE.get("/codes/{number:int}/edit")
def edit_code(visit: Visit, number: int) -> Screen:
    """A form to change a code."""
    row = visit.found("SELECT * FROM codes WHERE id = ?", number)
    filled = Filled({name: str(row[name]) for name in _COLUMNS})
    return _page(_edit_form(visit.db, row), "Edit code", f"/codes/{number}/edit", filled, f"/codes/{number}")


@SITE.post("/codes/{number:int}/edit")
def save_code(visit: Visit, number: int) -> Screen | Go:
    """Changes a code."""
    row = visit.found("SELECT * FROM codes WHERE id = ?", number)
    form = _edit_form(visit.db, row)
    filled = _checked(visit.db, form.read(visit), number)
    if not filled.ok:
        return _page(form, "Edit code", f"/codes/{number}/edit", filled, f"/codes/{number}")
    columns = ", ".join(f"{name} = ?" for name in _COLUMNS)
    values = {**filled.values, "lock": int(filled["lock"])}
    visit.db.run(f"UPDATE codes SET {columns} WHERE id = ?", *(values[name] for name in _COLUMNS), number)
    return Go(SITE.url(f"/codes/{number}"), "Code saved", undo=True)


@SITE.post("/codes/{number:int}/delete")
def delete_code(visit: Visit, number: int) -> Go:
    """Deletes a code."""
    row = visit.found("SELECT * FROM codes WHERE id = ?", number)
    visit.db.run("DELETE FROM codes WHERE id = ?", number)
    log(visit.db, f"Door code {row['name']} was deleted", row["lock"])
    return Go(SITE.url("/codes"), "Code deleted", undo=True)


def _edit_form(db: Database, row: sqlite3.Row) -> Form:
    return _form(db, min(db.now.date(), date.fromisoformat(row["first"])))


def _form(db: Database, start: date) -> Form:
    locks = [
        (str(row["id"]), row["name"]) for row in db.rows("SELECT id, name FROM devices WHERE kind = 'lock' ORDER BY id")
    ]
    return Form(
        Field("name", "Who is it for?", required=True, limit=60),
        Field("code", "Code", required=True, limit=6, keyboard="numeric", hint="Six digits",
              check=lambda text: None if len(text) == 6 and text.isascii() and text.isdigit() else "It has six digits"),
        Field("lock", "Lock", "sheet", required=True, options=locks),
        Field("first", "First day", "date", required=True, start=start, high=210, half=True),
        Field("last", "Last day", "date", required=True, start=start, high=210, half=True),
        Field("opens", "From", required=True, limit=5, check=clock_fault, half=True),
        Field("closes", "Until", required=True, limit=5, check=clock_fault, half=True),
    )  # fmt: skip


def _checked(db: Database, filled: Filled, number: int) -> Filled:
    if filled["first"] and filled["last"] and filled["last"] < filled["first"]:
        filled = filled.wrong("last", "The last day is before the first")
    if filled["opens"] and filled["closes"] and filled["closes"] <= filled["opens"]:
        filled = filled.wrong("closes", "This is not after the beginning")
    if db.one("SELECT 1 FROM codes WHERE fold(name) = fold(?) AND id != ?", filled["name"], number):
        filled = filled.wrong("name", "There is a code of this name")
    if db.one("SELECT 1 FROM codes WHERE code = ? AND id != ?", filled["code"], number):
        filled = filled.wrong("code", "This code is taken")
    return filled


def _page(form: Form, title: str, path: str, filled: Filled, back: str) -> Screen:
    body, sheets = form.show(SITE.url(path), filled)
    return Screen(title, body, back=SITE.url(back), close=True, actions=[parts.submit("Save", "form")], sheets=sheets)
