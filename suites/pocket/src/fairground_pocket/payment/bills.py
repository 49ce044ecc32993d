"""Shared bills: what was paid for several people, and who has paid their part."""

from __future__ import annotations

import re
import sqlite3
from datetime import datetime

from fairground_pocket.kit import (
    Database,
    Field,
    Filled,
    Form,
    Go,
    Html,
    Screen,
    Visit,
    formats,
    html,
    icon,
    join,
    parts,
)
from fairground_pocket.payment.amounts import parse, shown, typed
from fairground_pocket.payment.fields import CATEGORY, amount_field
from fairground_pocket.payment.schema import CATEGORIES, SITE
from fairground_pocket.payment.store import REQUESTS, shares

_STATUS = {"open": "Has not paid", "paid": "Paid", "cancelled": "Cancelled"}


@SITE.get("/bills")
def bills(visit: Visit) -> Screen:
    """All shared bills, newest first."""
    db = visit.db
    rows = db.rows(
        "SELECT b.*, count(r.id) AS people, coalesce(sum(r.status = 'open'), 0) AS waiting, "
        "coalesce(sum(CASE WHEN r.status = 'open' THEN r.amount END), 0) AS owed "
        "FROM bills b LEFT JOIN requests r ON r.bill = b.id GROUP BY b.id ORDER BY b.time DESC, b.id DESC"
    )
    items = [
        parts.row(
            SITE.url(f"/bills/{row['id']}"),
            row["title"],
            lead=icon(CATEGORIES.get(row["category"], "receipt")),
            name=f"{row['title']}, {shown(db, row['total'])}, {formats.day(datetime.fromisoformat(row['time']))}",
            note=f"{row['people']} people · {_waiting(row['waiting'])}",
            meta=html("<b>{}</b>", shown(db, row["total"])),
        )
        for row in rows
    ]
    body = parts.rows(items) if items else parts.empty("receipt", "No shared bills", "Split what you paid for others.")
    return Screen("Shared bills", body, back=SITE.url("/more"), fab=parts.fab(SITE.url("/bills/new"), "Split a bill"))


def _form(db: Database) -> Form:
    people = [
        (str(row["id"]), row["name"], f"{row['handle']} · {row['role']}")
        for row in db.rows("SELECT * FROM contacts WHERE blocked = 0 ORDER BY fold(name), id")
    ]
    return Form(
        Field("title", "What was it", required=True, limit=80),
        amount_field(db, "Total"),
        CATEGORY,
        Field("me", "I pay a part too", "toggle"),
        Field("people", "People", "checks", required=True, options=people),
        key="bill",
    )


@SITE.get("/bills/new")
def new_bill(visit: Visit) -> Screen:
    """A form for a bill; query parameters fill fields in."""
    values = {name: visit.query(name)[:80] for name in ("title", "amount", "category")}
    people = tuple(re.findall(r"[0-9]{1,9}", visit.query("people"), re.ASCII)[:40])
    me = visit.query("me") or "1"
    return _page(
        visit.db, Filled({**values, "category": values["category"] or "Other", "me": me}, chosen={"people": people})
    )


@SITE.post("/bills/new")
def check_bill(visit: Visit) -> Screen | Go:
    """Computes all parts and shows them before any request is sent."""
    db = visit.db
    filled = _read(visit)
    if not filled.ok:
        return _page(db, filled)
    people = ",".join(filled.chosen["people"])
    amount = typed(db, parse(db, filled["amount"]) or 0)
    return Go(SITE.url("/bills/new/review", **{**filled.values, "amount": amount, "people": people}))


@SITE.get("/bills/new/review")
def look_again(visit: Visit) -> Screen:
    """Shows each person's part for confirmation."""
    db = visit.db
    names = ("title", "amount", "category", "me", "people")
    values = {name: visit.query(name)[:400] for name in names}
    numbers = re.findall(r"[0-9]{1,9}", values["people"], re.ASCII)[:40]
    people = [
        row
        for row in db.rows("SELECT * FROM contacts WHERE blocked = 0 ORDER BY fold(name), id")
        if str(row["id"]) in numbers
    ]
    total = parse(db, values["amount"]) or 0
    back = SITE.url("/bills/new", **values)
    if not people or not total:
        return Screen("Split a bill", parts.empty("receipt", "Nothing to split"), back=back)
    mine, others = shares(total, len(people), with_me=values["me"] == "1")
    rows = [("You", shown(db, mine))] if values["me"] == "1" else []
    rows += [(row["name"], shown(db, amount)) for row, amount in zip(people, others, strict=True)]
    fields = {"title": values["title"], "amount": values["amount"], "category": values["category"], "me": values["me"]}
    boxes = join(html('<input type="hidden" name="people" value="{}">', row["id"]) for row in people)
    form = html(
        '<form class="form" method="post" action="{}">{}{}<button class="wide">Ask everybody</button></form>',
        SITE.url("/bills/new/review"),
        parts.hidden(fields),
        boxes,
    )
    body = join(
        [parts.hero(shown(db, total), values["title"]), parts.section("Parts", parts.card(parts.facts(rows))), form]
    )
    return Screen("Split a bill", body, back=back)


@SITE.post("/bills/new/review")
def add_bill(visit: Visit) -> Screen | Go:
    """Saves the bill and requests each person's part."""
    db = visit.db
    filled = _read(visit)
    if not filled.ok:
        return _page(db, filled)
    total = parse(db, filled["amount"]) or 0
    people = [int(number) for number in filled.chosen["people"]]
    mine, others = shares(total, len(people), with_me=filled["me"] == "1")
    now = db.now.isoformat()
    bill = db.insert(
        "bills", title=filled["title"], total=total, mine=mine, category=filled["category"] or "Other", time=now
    )
    for contact, amount in zip(people, others, strict=True):
        db.insert(
            "requests", contact=contact, direction="out", amount=amount, note=filled["title"], time=now, bill=bill
        )
    return Go(SITE.url(f"/bills/{bill}"), "Everybody was asked", undo=True)


@SITE.get("/bills/{number:int}")
def bill(visit: Visit, number: int) -> Screen:
    """A bill with all parts and who has paid."""
    db = visit.db
    row = visit.found("SELECT * FROM bills WHERE id = ?", number)
    parts_of = db.rows(f"{REQUESTS} WHERE r.bill = ? ORDER BY r.id", number)
    facts = [
        ("When", formats.day(datetime.fromisoformat(row["time"]))),
        ("Category", row["category"]),
        ("Your part", shown(db, row["mine"])),
    ]
    items = [_part(db, part) for part in parts_of]
    waiting = [part for part in parts_of if part["status"] == "open"]
    facts.append(("Still to come", shown(db, sum(part["amount"] for part in waiting))))
    body: list[Html] = [parts.hero(shown(db, row["total"]), row["title"]), parts.card(parts.facts(facts))]
    if waiting:
        paid = sum(part["amount"] for part in parts_of if part["status"] == "paid")
        body.append(parts.meter(paid / max(sum(part["amount"] for part in parts_of), 1)))
    body.append(parts.section("Parts", parts.rows(items)))
    if waiting:
        body.append(
            parts.button(SITE.url(f"/bills/{number}/remind"), "Remind who has not paid", symbol="bell", style="quiet")
        )
    return Screen("Shared bill", join(body), back=SITE.url("/bills"))


@SITE.post("/bills/{number:int}/remind")
def remind(visit: Visit, number: int) -> Go:
    """Reminds everyone who has not paid their part."""
    visit.found("SELECT 1 FROM bills WHERE id = ?", number)
    visit.db.run("UPDATE requests SET reminders = reminders + 1 WHERE bill = ? AND status = 'open'", number)
    return Go(SITE.url(f"/bills/{number}"), "Reminders sent", undo=True)


def _part(db: Database, row: sqlite3.Row) -> Html:
    words = _STATUS.get(row["status"], row["status"].capitalize())
    if row["status"] == "open" and row["reminders"]:
        words += f" · reminded {row['reminders']} times"
    return parts.row(
        SITE.url(f"/requests/{row['id']}"),
        row["name"],
        lead=parts.avatar(row["name"]),
        note=words,
        meta=html('<b class="{}">{}</b>', "good" if row["status"] == "paid" else "", shown(db, row["amount"])),
    )


def _read(visit: Visit) -> Filled:
    filled = _form(visit.db).read(visit)
    total = parse(visit.db, filled["amount"])
    if filled.ok and total is not None and total < len(filled.chosen["people"]) + 1:
        filled = filled.wrong("amount", "This is too little to share")
    return filled


def _page(db: Database, filled: Filled) -> Screen:
    body, sheets = _form(db).show(SITE.url("/bills/new"), filled)
    actions = [parts.submit("Continue", "bill")]
    return Screen("Split a bill", body, back=SITE.url("/bills"), close=True, actions=actions, sheets=sheets)


def _waiting(count: int) -> str:
    return f"{count} still to pay" if count else "everybody has paid"
