"""The payment app's logic: balance, limits, payments, shared bills. No HTML."""

from __future__ import annotations

import calendar
import sqlite3
from datetime import date, datetime, timedelta
from typing import Any, Final

from fairground_pocket.kit import Database, formats
from fairground_pocket.payment.amounts import shown

PAGE: Final = 25
SPENT: Final = "kind IN ('payment', 'purchase')"
"""Kinds that count as spending in statements; top-ups and withdrawals do not."""

REQUESTS: Final = "SELECT r.*, c.name, c.blocked FROM requests r JOIN contacts c ON c.id = r.contact"
"""SQL for requests with the name of the sender or receiver, as lists show them."""


def balance(db: Database) -> int:
    """The wallet's balance; card payments do not affect it."""
    return int(db.one("SELECT coalesce(sum(amount), 0) FROM transactions WHERE card IS NULL"))


def limit(db: Database, name: str) -> int:
    """A limit in the smallest coin; `payment` or `daily`."""
    return int(db.setting(f"{name}_limit", "0"))


def sent_today(db: Database) -> int:
    """The total sent to people today."""
    sql = "SELECT coalesce(-sum(amount), 0) FROM transactions WHERE kind = 'payment' AND substr(time, 1, 10) = ?"
    return int(db.one(sql, db.now.date().isoformat()))


def refusal(db: Database, contact: sqlite3.Row, amount: int, card: int | None = None) -> str:
    """Why an amount cannot be sent to a person now; empty if it can."""
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
    """What is wrong with a PIN; empty if it is right."""
    return "" if pin == db.setting("pin") else "This is not your PIN" if pin else "Enter your PIN"


def record(db: Database, kind: str, title: str, amount: int, **more: Any) -> int:
    """Adds a transaction at the current time and returns its id."""
    values = {"category": "", "note": "", **more}
    return db.insert("transactions", time=db.now.isoformat(), kind=kind, title=title, amount=amount, **values)


def pay(
    db: Database, contact: sqlite3.Row, amount: int, note: str, category: str, *,
    card: int | None = None, request: int | None = None,
) -> int:  # fmt: skip
    """Sends money to a person, and marks the request that it settles as paid."""
    number = record(
        db, "payment", contact["name"], -amount, contact=contact["id"], note=note, category=category, card=card
    )
    if request is not None:
        db.run("UPDATE requests SET status = 'paid', payment = ? WHERE id = ?", number, request)
    return number


def shares(total: int, others: int, *, with_me: bool) -> tuple[int, list[int]]:
    """My part of a bill and each other person's part. Leftover coins go to me, or else to the first people."""
    heads = others + with_me
    each, rest = divmod(total, heads)
    if with_me:
        return each + rest, [each] * others
    return 0, [each + (place < rest) for place in range(others)]


def following(day: date, every: str, anchor: int = 0) -> date:
    """The next date of a recurring payment; `anchor` is its intended day of the month."""
    if every == "week":
        return day + timedelta(days=7)
    if every == "fortnight":
        return day + timedelta(days=14)
    year, month = (day.year + 1, 1) if day.month == 12 else (day.year, day.month + 1)
    return date(year, month, min(anchor or day.day, calendar.monthrange(year, month)[1]))


def month_name(key: str) -> str:
    """Formats `2025-03` as `March 2025`."""
    year, month = key.split("-")
    return f"{calendar.month_name[int(month)]} {year}"


def months(db: Database) -> list[str]:
    """Every month with activity, newest first."""
    return [str(key) for key in db.column("SELECT DISTINCT substr(time, 1, 7) FROM transactions ORDER BY 1 DESC")]


def row_name(db: Database, row: Any) -> str:
    """The unique name of a transaction in a list."""
    return f"{row['title']}, {shown(db, row['amount'])}, {formats.moment(datetime.fromisoformat(row['time']))}"
