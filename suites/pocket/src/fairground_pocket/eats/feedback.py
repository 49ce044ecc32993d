"""Feedback on an order: a review, a problem report."""

from __future__ import annotations

import sqlite3

from fairground_pocket.eats import store
from fairground_pocket.eats.schema import PROBLEMS, SITE
from fairground_pocket.kit import Field, Filled, Form, Go, Gone, Screen, Visit, parts

_STARS = tuple((str(number), "1 star" if number == 1 else f"{number} stars") for number in range(5, 0, -1))
_REVIEW = Form(
    Field("stars", "Your rating", "radio", required=True, options=_STARS),
    Field("text", "Your review", "area", limit=1000),
    key="review",
)
_PROBLEM = Form(
    Field("kind", "The problem", "radio", required=True, options=PROBLEMS),
    Field("text", "What happened", "area", required=True, limit=1000),
    key="problem",
)


@SITE.get("/orders/{number:int}/rate")
def rate(visit: Visit, number: int) -> Screen:
    """A form for stars and a text."""
    row = _delivered(visit, number)
    held = visit.db.row("SELECT * FROM reviews WHERE of_order = ?", number)
    values = {"stars": visit.query("stars"), "text": visit.query("text")}
    if held is not None:
        values = {"stars": str(held["stars"]), "text": held["text"]}
    return _page(_REVIEW, "rate", row, Filled(values), "Send review")


@SITE.post("/orders/{number:int}/rate")
def send_review(visit: Visit, number: int) -> Screen | Go:
    """Publishes or updates the review."""
    db = visit.db
    row = _delivered(visit, number)
    filled = _REVIEW.read(visit)
    if not filled.ok:
        return _page(_REVIEW, "rate", row, filled, "Send review")
    values = {"stars": int(filled["stars"]), "text": filled["text"]}
    if db.one("SELECT 1 FROM reviews WHERE of_order = ?", number):
        db.run("UPDATE reviews SET stars = ?, text = ? WHERE of_order = ?", *values.values(), number)
    else:
        db.insert(
            "reviews", restaurant=row["restaurant"], author=db.setting("owner"), time=db.now.isoformat(),
            of_order=number, **values,
        )  # fmt: skip
    return Go(SITE.url(f"/orders/{number}"), "Thank you for your review", undo=True)


@SITE.get("/orders/{number:int}/problem")
def problem(visit: Visit, number: int) -> Screen:
    """A form to report a problem; query parameters fill fields in."""
    filled = Filled({"kind": visit.query("kind"), "text": visit.query("text")})
    return _page(_PROBLEM, "problem", _delivered(visit, number), filled, "Send report")


@SITE.post("/orders/{number:int}/problem")
def send_problem(visit: Visit, number: int) -> Screen | Go:
    """Saves the problem report."""
    row = _delivered(visit, number)
    filled = _PROBLEM.read(visit)
    if not filled.ok:
        return _page(_PROBLEM, "problem", row, filled, "Send report")
    visit.db.insert(
        "problems", of_order=number, kind=filled["kind"], text=filled["text"], time=visit.db.now.isoformat()
    )
    return Go(SITE.url(f"/orders/{number}"), "We look into it", undo=True)


def _delivered(visit: Visit, number: int) -> sqlite3.Row:
    row: sqlite3.Row = visit.found(
        "SELECT o.*, r.name AS place FROM orders o JOIN restaurants r ON r.id = o.restaurant WHERE o.id = ?", number
    )
    if store.status(row, visit.db.now) != "Delivered":
        raise Gone
    return row


def _page(form: Form, what: str, row: sqlite3.Row, filled: Filled, send: str) -> Screen:
    where = SITE.url(f"/orders/{row['id']}")
    body, sheets = form.show(f"{where}/{what}", filled)
    title = "Rate your order" if what == "rate" else "Report a problem"
    subtitle = f"{store.order_number(row['id'])}, {row['place']}"
    actions = [parts.submit(send, form.key, "send")]
    return Screen(title, body, back=where, close=True, subtitle=subtitle, actions=actions, sheets=sheets)
