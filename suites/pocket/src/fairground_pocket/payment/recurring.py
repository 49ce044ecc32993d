"""Recurring payments: start, change, pause, end."""

from __future__ import annotations

import re
import sqlite3
from datetime import date
from typing import Any

from fairground_pocket.kit import (
    Database,
    Field,
    Filled,
    Form,
    Go,
    Gone,
    Html,
    Screen,
    Visit,
    formats,
    html,
    join,
    parts,
)
from fairground_pocket.payment.amounts import parse, shown, typed
from fairground_pocket.payment.confirming import pin_given, review
from fairground_pocket.payment.fields import CATEGORY, amount_field
from fairground_pocket.payment.listing import transaction_rows
from fairground_pocket.payment.schema import CATEGORIES, EVERY, SITE
from fairground_pocket.payment.store import limit

_ALL = "SELECT r.*, c.name, c.handle, c.blocked FROM recurring r JOIN contacts c ON c.id = r.contact"
_WORDS = {"active": "Active", "paused": "Paused", "cancelled": "Ended"}


@SITE.get("/recurring")
def recurring(visit: Visit) -> Screen:
    """All recurring payments, grouped by status."""
    db = visit.db
    rows = db.rows(f"{_ALL} ORDER BY r.due, r.id")
    groups = [(words, [row for row in rows if row["status"] == key]) for key, words in _WORDS.items()]
    lists = [parts.section(words, parts.rows(_row(db, row) for row in group)) for words, group in groups if group]
    body = (
        join(lists) if lists else parts.empty("refresh", "Nothing recurs", "Set up rent, fees and pocket money once.")
    )
    return Screen(
        "Recurring payments", body, back=SITE.url("/more"), fab=parts.fab(SITE.url("/recurring/new"), "New recurring")
    )


def _row(db: Database, row: sqlite3.Row) -> Html:
    due = (
        f"next on {formats.day(date.fromisoformat(row['due']))}"
        if row["status"] == "active"
        else _WORDS[row["status"]].lower()
    )
    return parts.row(
        SITE.url(f"/recurring/{row['id']}"),
        row["name"],
        name=f"{row['note']} to {row['name']}, {shown(db, row['amount'])}, {row['every']}",
        lead=parts.avatar(row["name"]),
        note=f"{row['note']} · {EVERY[row['every']].lower()} · {due}",
        meta=html("<b>{}</b>", shown(db, row["amount"])),
        style="" if row["status"] == "active" else "off",
    )


def _form(db: Database) -> Form:
    people = [
        (str(row["id"]), row["name"])
        for row in db.rows("SELECT * FROM contacts WHERE blocked = 0 ORDER BY fold(name), id")
    ]
    return Form(
        Field("to", "Person", "sheet", required=True, options=people),
        amount_field(db),
        Field("note", "Note", required=True, limit=120),
        Field("every", "How often", "radio", required=True, options=tuple(EVERY.items())),
        Field("first", "First payment", "date", required=True, start=db.now.date(), low=1, high=92),
        CATEGORY,
        key="recurring",
    )


@SITE.get("/recurring/new")
def new(visit: Visit) -> Screen:
    """A form for a recurring payment; query parameters fill fields in."""
    values = {name: visit.query(name)[:120] for name in ("to", "amount", "note", "every", "first", "category")}
    known = {
        "category": values["category"] if values["category"] in CATEGORIES else "Other",
        "first": _day(values["first"]),
    }
    return _page(visit.db, Filled({**values, **known}))


@SITE.post("/recurring/new")
def check(visit: Visit) -> Screen | Go:
    """Validates the form, and goes on to the PIN."""
    db = visit.db
    filled = _read(visit)
    if not filled.ok:
        return _page(db, filled)
    return Go(
        SITE.url("/recurring/new/review", **{**filled.values, "amount": typed(db, parse(db, filled["amount"]) or 0)})
    )


@SITE.get("/recurring/new/review")
def look_again(visit: Visit) -> Screen:
    """Shows what is about to be set up and asks for the PIN."""
    return _review(
        visit,
        {name: visit.query(name)[:120] for name in ("to", "amount", "note", "every", "first", "category")},
        Filled(),
    )


@SITE.post("/recurring/new/review")
def add(visit: Visit) -> Screen | Go:
    """Sets up the recurring payment if the PIN is right."""
    db = visit.db
    filled, pin = _read(visit), pin_given(db, visit)
    if not filled.ok or not pin.ok:
        return _review(visit, filled.values, pin)
    number = db.insert(
        "recurring",
        contact=int(filled["to"]),
        amount=parse(db, filled["amount"]) or 0,
        note=filled["note"],
        every=filled["every"],
        due=filled["first"],
        category=filled["category"] or "Other",
        status="active",
    )
    return Go(SITE.url(f"/recurring/{number}"), "Recurring payment set up")


@SITE.get("/recurring/{number:int}")
def one(visit: Visit, number: int) -> Screen:
    """A recurring payment with its past payments."""
    db = visit.db
    row = _found(visit, number)
    history = db.rows("SELECT * FROM transactions WHERE recurring = ? ORDER BY time DESC, id DESC", number)
    facts: list[tuple[str, str | Html]] = [
        ("For", row["note"]),
        ("How often", EVERY[row["every"]]),
        ("Status", _WORDS[row["status"]]),
        ("Category", row["category"]),
        ("Next payment", formats.day(date.fromisoformat(row["due"])) if row["status"] == "active" else "None"),
    ]
    path = SITE.url(f"/recurring/{number}")
    body = [parts.hero(shown(db, row["amount"]), f"to {row['name']}"), parts.card(parts.facts(facts))]
    sheets, actions = [], []
    if row["status"] != "cancelled":
        stop, symbol, status = (
            ("Pause", "clock", "paused") if row["status"] == "active" else ("Resume", "refresh", "active")
        )
        body.append(
            parts.side_by_side(
                parts.button(f"{path}/status", stop, symbol=symbol, style="quiet slim", status=status),
                parts.link("#end", "End", symbol="close", style="quiet slim"),
            )
        )
        sheets.append(
            parts.confirm(
                "end",
                "End this recurring payment?",
                "It cannot be started again; you can set up a new one.",
                f"{path}/status",
                "End it",
                status="cancelled",
            )
        )
        actions.append(parts.bar_link(f"{path}/edit", "Change amount", "edit"))
    if history:
        body.append(parts.section("Made so far", transaction_rows(db, history[:6])))
    return Screen("Recurring payment", join(body), back=SITE.url("/recurring"), actions=actions, sheets=sheets)


@SITE.post("/recurring/{number:int}/status")
def change_status(visit: Visit, number: int) -> Go:
    """Pauses, resumes or ends a recurring payment."""
    row = _found(visit, number)
    status = visit.form("status")
    if status not in _WORDS or row["status"] == "cancelled":
        raise Gone
    visit.db.run("UPDATE recurring SET status = ? WHERE id = ?", status, number)
    return Go(SITE.url(f"/recurring/{number}"), f"{row['note']}: {_WORDS[status].lower()}", undo=True)


@SITE.get("/recurring/{number:int}/edit")
def edit(visit: Visit, number: int) -> Screen:
    """A form for a new amount or note."""
    row = _changeable(visit, number)
    return _edit_page(visit.db, row, Filled({"amount": typed(visit.db, row["amount"]), "note": row["note"]}))


@SITE.post("/recurring/{number:int}/edit")
def save(visit: Visit, number: int) -> Screen | Go:
    """Changes the amount or the note if the PIN is right."""
    db = visit.db
    row = _changeable(visit, number)
    filled = _edit_form(db).read(visit)
    amount = parse(db, filled["amount"]) or 0
    if filled.ok and amount > limit(db, "payment"):
        filled = filled.wrong("amount", _over(db))
    pin = pin_given(db, visit)
    filled = filled.wrong("pin", pin.errors["pin"]) if not pin.ok else filled
    if not filled.ok:
        return _edit_page(db, row, filled)
    db.run("UPDATE recurring SET amount = ?, note = ? WHERE id = ?", amount, filled["note"], number)
    return Go(SITE.url(f"/recurring/{number}"), "Changed")


def _edit_form(db: Database) -> Form:
    return Form(
        amount_field(db),
        Field("note", "Note", required=True, limit=120),
        Field("pin", "PIN", "secret", limit=8, keyboard="numeric"),
    )


def _edit_page(db: Database, row: sqlite3.Row, filled: Filled) -> Screen:
    shown_again = Filled({name: filled[name] for name in ("amount", "note")}, errors=filled.errors)
    body, sheets = _edit_form(db).show(SITE.url(f"/recurring/{row['id']}/edit"), shown_again, submit="Save changes")
    return Screen(
        "Change amount", body, back=SITE.url(f"/recurring/{row['id']}"), close=True, subtitle=row["name"], sheets=sheets
    )


def _read(visit: Visit) -> Filled:
    filled = _form(visit.db).read(visit)
    if filled.ok and (parse(visit.db, filled["amount"]) or 0) > limit(visit.db, "payment"):
        filled = filled.wrong("amount", _over(visit.db))
    return filled


def _over(db: Database) -> str:
    return f"This is over your limit of {shown(db, limit(db, 'payment'))} for one payment."


def _review(visit: Visit, values: Any, pin: Filled) -> Screen:
    db = visit.db
    number = int(values["to"]) if re.fullmatch(r"[0-9]{1,9}", values["to"], re.ASCII) else 0
    row = visit.found("SELECT * FROM contacts WHERE id = ?", number)
    if values["every"] not in EVERY or not _day(values["first"]):
        raise Gone
    amount = parse(db, values["amount"]) or 0
    facts = [
        ("To", f"{row['name']} {row['handle']}"),
        ("For", values["note"]),
        ("How often", EVERY[values["every"]]),
        ("First payment", formats.day(date.fromisoformat(values["first"]))),
        ("Category", values["category"] or "Other"),
    ]
    return review(
        "Confirm recurring payment",
        shown(db, amount),
        f"to {row['name']}",
        facts,
        SITE.url("/recurring/new/review"),
        values,
        button="Set up",
        back=SITE.url("/recurring/new", **values),
        filled=pin,
        warning=_over(db) if amount > limit(db, "payment") else "",
    )


def _page(db: Database, filled: Filled) -> Screen:
    body, sheets = _form(db).show(SITE.url("/recurring/new"), filled, submit="Continue")
    return Screen("New recurring payment", body, back=SITE.url("/recurring"), close=True, sheets=sheets)


def _found(visit: Visit, number: int) -> sqlite3.Row:
    row: sqlite3.Row = visit.found(f"{_ALL} WHERE r.id = ?", number)
    return row


def _changeable(visit: Visit, number: int) -> sqlite3.Row:
    row = _found(visit, number)
    if row["status"] == "cancelled":
        raise Gone
    return row


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        return ""
