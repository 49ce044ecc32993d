"""Payment requests, incoming and outgoing."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from fairground_pocket.kit import Filled, Go, Gone, Html, Screen, Visit, formats, join, parts
from fairground_pocket.payment.amounts import shown
from fairground_pocket.payment.confirming import pin_given, review
from fairground_pocket.payment.listing import request_row
from fairground_pocket.payment.schema import SITE
from fairground_pocket.payment.store import REQUESTS, pay, refusal

_VIEWS = {
    "": ("To you", "r.direction = 'in' AND r.status = 'open'"),
    "sent": ("From you", "r.direction = 'out' AND r.status = 'open'"),
    "done": ("Settled", "r.status != 'open'"),
}
_PAGE = 30


@SITE.get("/requests")
def requests(visit: Visit) -> Screen:
    """Open incoming requests, open outgoing requests, and settled ones."""
    db = visit.db
    view = visit.query("view") if visit.query("view") in _VIEWS else ""
    words = visit.query("q").strip()[:200]
    rows = db.rows(f"{REQUESTS} WHERE {_VIEWS[view][1]} ORDER BY r.time DESC, r.id DESC")
    rows = [row for row in rows if words.casefold() in f"{row['name']} {row['note']}".casefold()]
    path = SITE.url("/requests")
    chips = [(name, parts.url(path, view=key), view == key) for key, (name, _) in _VIEWS.items()]
    pages = -(-len(rows) // _PAGE)
    page = max(min(visit.page(), pages), 1)
    total = sum(row["amount"] for row in rows)
    count = "1 request" if len(rows) == 1 else f"{len(rows)} requests"
    listed = parts.empty("inbox", "No requests here", "Whoever asks you for money shows up here.")
    if rows:
        listed = parts.rows(request_row(db, row) for row in rows[(page - 1) * _PAGE : page * _PAGE])
    summary = f"{count} · {shown(db, total)} in all"
    results = join([parts.section(summary, listed), parts.pager(path, page, pages, view=view, q=words)])
    body = join(
        [parts.chips(chips, "Views"), parts.search_box(path, words, "Search requests", view=view), parts.live(results)]
    )
    fab = parts.fab(SITE.url("/request"), "New request", "arrow-down")
    return Screen("Requests", body, tab="requests", fab=fab)


@SITE.get("/requests/{number:int}")
def request(visit: Visit, number: int) -> Screen:
    """A request with its actions."""
    db = visit.db
    row = _found(visit, number)
    incoming = row["direction"] == "in"
    facts: list[tuple[str, str | Html]] = [
        ("For", row["note"]),
        ("Asked", formats.moment(datetime.fromisoformat(row["time"]))),
        ("Status", row["status"].capitalize()),
    ]
    if row["reminders"]:
        facts.append(("Reminders", str(row["reminders"])))
    small = f"{row['name']} asks you for" if incoming else f"You asked {row['name']} for"
    body = [parts.hero(shown(db, row["amount"]), small), parts.card(parts.facts(facts))]
    path = SITE.url(f"/requests/{number}")
    sheets = []
    if row["status"] == "open" and incoming:
        body.append(
            parts.side_by_side(
                parts.link(f"{path}/pay", "Pay request", symbol="send", style="slim"),
                parts.link("#decline", "Decline", symbol="close", style="quiet slim"),
            )
        )
        words = f"{row['name']} is told that you do not pay. No money moves."
        sheets.append(parts.confirm("decline", "Decline this request?", words, f"{path}/decline", "Decline request"))
    elif row["status"] == "open":
        body.append(
            parts.side_by_side(
                parts.button(f"{path}/remind", "Remind", symbol="bell", style="slim"),
                parts.link("#cancel", "Cancel request", symbol="close", style="quiet slim"),
            )
        )
        words = f"{row['name']} does not see it any more."
        sheets.append(parts.confirm("cancel", "Cancel this request?", words, f"{path}/cancel", "Cancel it"))
    if row["bill"]:
        body.append(
            parts.link(SITE.url(f"/bills/{row['bill']}"), "Show the bill", symbol="receipt", style="quiet slim")
        )
    if row["payment"]:
        body.append(
            parts.link(SITE.url(f"/activity/{row['payment']}"), "Show the payment", symbol="list", style="quiet slim")
        )
    body.append(parts.link(SITE.url(f"/people/{row['contact']}"), "Show person", symbol="person", style="quiet slim"))
    view = "done" if row["status"] != "open" else "" if incoming else "sent"
    return Screen("Request", join(body), back=SITE.url("/requests", view=view), sheets=sheets)


@SITE.get("/requests/{number:int}/pay")
def pay_page(visit: Visit, number: int) -> Screen:
    """Shows what is about to be paid and asks for the PIN."""
    return _pay_page(visit, _open(visit, number, "in"), Filled())


@SITE.post("/requests/{number:int}/pay")
def pay_request(visit: Visit, number: int) -> Screen | Go:
    """Pays a request if the PIN is right."""
    db = visit.db
    row = _open(visit, number, "in")
    person = visit.found("SELECT * FROM contacts WHERE id = ?", row["contact"])
    pin = pin_given(db, visit)
    if not pin.ok or refusal(db, person, row["amount"]):
        return _pay_page(visit, row, pin)
    pay(db, person, row["amount"], row["note"], "Other", request=number)
    return Go(SITE.url("/requests"), f"{shown(db, row['amount'])} sent to {person['name']}")


@SITE.post("/requests/{number:int}/decline")
def decline(visit: Visit, number: int) -> Go:
    """Declines an incoming request."""
    _open(visit, number, "in")
    visit.db.run("UPDATE requests SET status = 'declined' WHERE id = ?", number)
    return Go(SITE.url("/requests"), "Request declined", undo=True)


@SITE.post("/requests/{number:int}/remind")
def remind(visit: Visit, number: int) -> Go:
    """Sends a reminder for an outgoing request."""
    row = _open(visit, number, "out")
    visit.db.run("UPDATE requests SET reminders = reminders + 1 WHERE id = ?", number)
    return Go(SITE.url(f"/requests/{number}"), f"{row['name']} was reminded", undo=True)


@SITE.post("/requests/{number:int}/cancel")
def cancel(visit: Visit, number: int) -> Go:
    """Cancels an outgoing request."""
    _open(visit, number, "out")
    visit.db.run("UPDATE requests SET status = 'cancelled' WHERE id = ?", number)
    return Go(SITE.url("/requests", view="sent"), "Request cancelled", undo=True)


def _pay_page(visit: Visit, row: sqlite3.Row, pin: Filled) -> Screen:
    db = visit.db
    person = visit.found("SELECT * FROM contacts WHERE id = ?", row["contact"])
    facts = [("To", f"{person['name']} {person['handle']}"), ("For", row["note"]), ("Pay with", "Wallet")]
    path = SITE.url(f"/requests/{row['id']}")
    return review(
        "Confirm payment",
        shown(db, row["amount"]),
        f"to {person['name']}",
        facts,
        f"{path}/pay",
        {},
        button="Pay now",
        back=path,
        filled=pin,
        warning=refusal(db, person, row["amount"]),
    )


def _found(visit: Visit, number: int) -> sqlite3.Row:
    row: sqlite3.Row = visit.found(f"{REQUESTS} WHERE r.id = ?", number)
    return row


def _open(visit: Visit, number: int, direction: str) -> sqlite3.Row:
    row = _found(visit, number)
    if row["status"] != "open" or row["direction"] != direction:
        raise Gone
    return row
