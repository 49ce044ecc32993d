"""Sending and requesting money: recipient, amount, then confirmation by PIN."""

from __future__ import annotations

import re
import sqlite3
from typing import Any

from fairground_pocket.kit import Database, Field, Filled, Form, Go, Gone, Screen, Visit, join, parts
from fairground_pocket.payment.amounts import parse, shown, typed
from fairground_pocket.payment.confirming import pin_given, review
from fairground_pocket.payment.fields import CATEGORY, amount_field
from fairground_pocket.payment.listing import card_words, person_row, source_words
from fairground_pocket.payment.people import matching
from fairground_pocket.payment.schema import SITE
from fairground_pocket.payment.store import balance, pay, refusal


def _send_form(db: Database) -> Form:
    cards = [
        (
            str(row["id"]),
            card_words(row),
            "Frozen" if row["frozen"] else "Default card" if row["main"] else row["network"],
        )
        for row in db.rows("SELECT * FROM cards ORDER BY id")
    ]
    sources = [("wallet", "Wallet", f"Balance {shown(db, balance(db))}"), *cards]
    return Form(
        Field("to", "To", "hidden", limit=9),
        amount_field(db),
        Field("note", "Note", limit=120),
        CATEGORY,
        Field("source", "Pay with", "radio", required=True, options=sources),
        key="send",
    )


@SITE.get("/send")
def send(visit: Visit) -> Screen:
    """Asks for the recipient, then for the amount; query parameters fill fields in."""
    row = contact(visit.db, visit.query("to"))
    if row is None:
        return _choose(visit, "Send to", "/send")
    values = {name: visit.query(name)[:120] for name in ("amount", "note", "category")}
    values = {**values, "category": values["category"] or "Other", "source": visit.query("source") or "wallet"}
    return _send_page(visit.db, row, Filled({**values, "to": str(row["id"])}))


@SITE.post("/send")
def check(visit: Visit) -> Screen | Go:
    """Validates the payment, and goes on to the PIN."""
    db = visit.db
    row = visit.found("SELECT * FROM contacts WHERE id = ?", visit.number("to"))
    filled = _send_form(db).read(visit)
    if filled.ok:
        amount = parse(db, filled["amount"]) or 0
        if words := refusal(db, row, amount, _card(filled["source"])):
            filled = filled.wrong("amount", words)
    if not filled.ok:
        return _send_page(db, row, filled)
    amount = parse(db, filled["amount"]) or 0
    return Go(SITE.url("/send/review", **{**filled.values, "amount": typed(db, amount)}))


@SITE.get("/send/review")
def look_again(visit: Visit) -> Screen:
    """Shows what is about to be sent and asks for the PIN."""
    return _review(
        visit, {name: visit.query(name) for name in ("to", "amount", "note", "category", "source")}, Filled()
    )


@SITE.post("/send/review")
def confirm(visit: Visit) -> Screen | Go:
    """Sends the payment if the PIN is right."""
    db = visit.db
    row = visit.found("SELECT * FROM contacts WHERE id = ?", visit.number("to"))
    filled = _send_form(db).read(visit)
    pin = pin_given(db, visit)
    amount = parse(db, filled["amount"])
    if not filled.ok or not pin.ok or amount is None or refusal(db, row, amount, _card(filled["source"])):
        return _review(visit, filled.values, pin)
    number = pay(db, row, amount, filled["note"], filled["category"] or "Other", card=_card(filled["source"]))
    return Go(SITE.url(f"/activity/{number}"), f"{shown(db, amount)} sent to {row['name']}")


def _review(visit: Visit, values: Any, pin: Filled) -> Screen:
    db = visit.db
    row = contact(db, values["to"])
    if row is None:
        raise Gone
    amount = parse(db, values["amount"]) or 0
    values = {**values, "source": values["source"] or "wallet", "note": values["note"][:120]}
    warning = refusal(db, row, amount, _card(values["source"])) if amount else "Nothing to send"
    facts = [
        ("To", f"{row['name']} {row['handle']}"),
        ("Note", values["note"] or "None"),
        ("Category", values["category"] or "Other"),
        ("Pay with", source_words(db, _card(values["source"]))),
    ]
    return review(
        "Confirm payment",
        shown(db, amount),
        f"to {row['name']}",
        facts,
        SITE.url("/send/review"),
        values,
        button="Pay now",
        back=SITE.url("/send", **values),
        filled=pin,
        warning=warning,
    )


def _send_page(db: Database, row: sqlite3.Row, filled: Filled) -> Screen:
    body, sheets = _send_form(db).show(SITE.url("/send"), filled, submit="Continue")
    head = parts.rows([person_row(row, SITE.url(f"/people/{row['id']}"), name=f"To {row['name']}")])
    return Screen("Send money", join([head, body]), back=SITE.url("/"), close=True, sheets=sheets)


def _choose(visit: Visit, title: str, path: str) -> Screen:
    words = visit.query("q").strip()[:200]
    contacts = [row for row in matching(visit.db, words) if not row["blocked"]]
    rows = [person_row(row, SITE.url(path, to=row["id"])) for row in contacts]
    results = parts.rows(rows) if rows else parts.empty("people", "Nobody found", "Add people under People.")
    body = join([parts.search_box(SITE.url(path), words, "Search people"), parts.live(results)])
    return Screen(title, body, back=SITE.url("/"), close=True)


# --- asking ----------------------------------------------------------------------------------------------------------


def _request_form(db: Database) -> Form:
    return Form(
        Field("to", "To", "hidden", limit=9),
        amount_field(db),
        Field("note", "What is it for", required=True, limit=120),
        key="request",
    )


@SITE.get("/request")
def ask(visit: Visit) -> Screen:
    """Asks whom to request money from, then how much."""
    row = contact(visit.db, visit.query("to"))
    if row is None:
        return _choose(visit, "Request from", "/request")
    values = {name: visit.query(name)[:120] for name in ("amount", "note")}
    return _request_page(visit.db, row, Filled({**values, "to": str(row["id"])}))


@SITE.post("/request")
def send_request(visit: Visit) -> Screen | Go:
    """Sends a request for money."""
    db = visit.db
    row = visit.found("SELECT * FROM contacts WHERE id = ?", visit.number("to"))
    filled = _request_form(db).read(visit)
    if filled.ok and row["blocked"]:
        filled = filled.wrong("amount", f"{row['name']} is blocked. Unblock {row['name']} to ask for money.")
    if not filled.ok:
        return _request_page(db, row, filled)
    number = db.insert(
        "requests",
        contact=row["id"],
        direction="out",
        amount=parse(db, filled["amount"]) or 0,
        note=filled["note"],
        time=db.now.isoformat(),
    )
    return Go(SITE.url(f"/requests/{number}"), f"{row['name']} was asked", undo=True)


def _request_page(db: Database, row: sqlite3.Row, filled: Filled) -> Screen:
    body, sheets = _request_form(db).show(SITE.url("/request"), filled, submit="Send request")
    head = parts.rows([person_row(row, SITE.url(f"/people/{row['id']}"), name=f"From {row['name']}")])
    return Screen("Request money", join([head, body]), back=SITE.url("/"), close=True, sheets=sheets)


def contact(db: Database, text: str) -> sqlite3.Row | None:
    """The contact with the id in the address."""
    return (
        db.row("SELECT * FROM contacts WHERE id = ?", int(text))
        if re.fullmatch(r"[0-9]{1,9}", text, re.ASCII)
        else None
    )


def _card(source: str) -> int | None:
    return int(source) if re.fullmatch(r"[0-9]{1,9}", source, re.ASCII) else None
