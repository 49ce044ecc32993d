"""What the payment app knows and does: balance, limits, paying, sharing a bill. No HTML here."""

from __future__ import annotations

import calendar
import sqlite3
from datetime import date, datetime, timedelta
from typing import Any, Final

from fairground_pocket.kit import Database, formats
from fairground_pocket.payment.amounts import shown

PAGE: Final = 25
SPENT: Final = "kind IN ('payment', 'purchase')"
"""What counts as spending in statements; moving one's own money does not."""

REQUESTS: Final = "SELECT r.*, c.name, c.blocked FROM requests r JOIN contacts c ON c.id = r.contact"
"""Requests with the names of whom they are from or to, as lists show them."""


def balance(db: Database) -> int:
    """What the wallet holds: cards have money of their own."""
    return int(db.one("SELECT coalesce(sum(amount), 0) FROM transactions WHERE card IS NULL"))


def limit(db: Database, name: str) -> int:
    """A limit, `payment` or `daily`."""
    return int(db.setting(f"{name}_limit", "0"))


def sent_today(db: Database) -> int:
    """What was sent to people today."""
    sql = "SELECT coalesce(-sum(amount), 0) FROM transactions WHERE kind = 'payment' AND substr(time, 1, 10) = ?"
    return int(db.one(sql, db.now.date().isoformat()))


def refusal(db: Database, contact: sqlite3.Row, amount: int, card: int | None = None) -> str:
    """Why an amount cannot be sent to somebody now; empty when it can."""
    if contact["blocked"]:
        return f"{contact['name']} is blocked. Unblock {contact['name']} to send money."
    if amount > limit(db, "payment"):
        return f"This is over your limit of {shown(db, limit(db, 'payment'))} for one payment."
    left = limit(db, "daily") - sent_today(db)
    if amount > left:
        return f"This is over your daily limit; {shown(db, max(left, 0))} is left for today."
    if card is not None:
        row = db.row("SELECT * FROM cards WHERE id = ?", card)
        if row is None or row["frozen"]:
            return f"The card {row['label']} is frozen." if row else "This card is not there any more."
    elif amount > balance(db):
        return f"Your balance is {shown(db, balance(db))}. Add money, or send less."
    return ""


def wrong_pin(db: Database, pin: str) -> str:
    """What is wrong with a PIN; empty when it is the right one."""
    return "" if pin == db.setting("pin") else "This is not your PIN" if pin else "Enter your PIN"


def record(db: Database, kind: str, title: str, amount: int, **more: Any) -> int:
    """Adds a transaction as of now; returns its id."""
    values = {"category": "", "note": "", **more}
    return db.insert("transactions", time=db.now.isoformat(), kind=kind, title=title, amount=amount, **values)


def pay(
    db: Database, contact: sqlite3.Row, amount: int, note: str, category: str, *,
    card: int | None = None, request: int | None = None,
) -> int:  # fmt: skip
    """Sends money to somebody, and marks the request that asked for it as paid."""
    number = record(
        db, "payment", contact["name"], -amount, contact=contact["id"], note=note, category=category, card=card
    )
    if request is not None:
        db.run("UPDATE requests SET status = 'paid', payment = ? WHERE id = ?", number, request)
    return number


def shares(total: int, others: int, *, with_me: bool) -> tuple[int, list[int]]:
    """My part of a bill and that of each other; coins that cannot be shared go to me, or else to the first ones."""
    heads = others + with_me
    each, rest = divmod(total, heads)
    if with_me:
        return each + rest, [each] * others
    return 0, [each + (place < rest) for place in range(others)]


def following(day: date, every: str, anchor: int = 0) -> date:
    """The next day of a recurring payment after one of them; `anchor` is the day of the month that is meant."""
    if every == "week":
        return day + timedelta(days=7)
    if every == "fortnight":
        return day + timedelta(days=14)
    year, month = (day.year + 1, 1) if day.month == 12 else (day.year, day.month + 1)
    return date(year, month, min(anchor or day.day, calendar.monthrange(year, month)[1]))


def month_name(key: str) -> str:
    """`2025-03` as people say it."""
    year, month = key.split("-")
    return f"{calendar.month_name[int(month)]} {year}"


def months(db: Database) -> list[str]:
    """Every month with activity, newest first."""
    return [str(key) for key in db.column("SELECT DISTINCT substr(time, 1, 7) FROM transactions ORDER BY 1 DESC")]


def row_name(db: Database, row: Any) -> str:
    """What a transaction is called in a list: no two are called the same."""
    return f"{row['title']}, {shown(db, row['amount'])}, {formats.moment(datetime.fromisoformat(row['time']))}"
