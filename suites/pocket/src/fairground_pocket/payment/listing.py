"""Rows for transactions, people and requests, shared by all screens with lists."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import date, datetime
from itertools import groupby

from fairground_pocket.kit import Database, Html, formats, html, join, parts
from fairground_pocket.payment.amounts import shown, signed
from fairground_pocket.payment.schema import CATEGORIES, KINDS, SITE
from fairground_pocket.payment.store import row_name


def transaction_rows(db: Database, found: Sequence[sqlite3.Row]) -> Html:
    """Transactions grouped by day."""
    return join(
        parts.section(_day(db, day), parts.rows(transaction_row(db, row) for row in group))
        for day, group in groupby(found, key=lambda row: str(row["time"])[:10])
    )


def transaction_row(db: Database, row: sqlite3.Row) -> Html:
    """A row for a transaction."""
    name, symbol = KINDS[row["kind"]]
    lead = parts.avatar(row["title"], "" if row["contact"] else CATEGORIES.get(row["category"], symbol))
    words = [row["note"] or row["category"] or name, formats.clock(datetime.fromisoformat(row["time"]))]
    style = "good" if row["amount"] > 0 else ""
    return parts.row(
        SITE.url(f"/activity/{row['id']}"),
        row["title"],
        name=row_name(db, row),
        note=" · ".join(words),
        lead=lead,
        meta=html('<b class="{}">{}</b>', style, signed(db, row["amount"])),
    )


def person_row(row: sqlite3.Row, href: str, *, name: str = "", meta: str = "") -> Html:
    """A row for a person to pay."""
    tags = [parts.tag("Blocked")] if row["blocked"] else []
    return parts.row(
        href,
        row["name"],
        name=name or row["name"],
        note=f"{row['handle']} · {row['role']}",
        meta=meta,
        lead=parts.avatar(row["name"]),
        below=join(tags),
        style="off" if row["blocked"] else "",
    )


def request_row(db: Database, row: sqlite3.Row) -> Html:
    """A row for a request; `name` in the row is the sender or receiver."""
    tags = [parts.tag(row["status"].capitalize())] if row["status"] != "open" else []
    if row["status"] == "open" and row["reminders"]:
        tags.append(parts.tag(f"Reminded {row['reminders']} times" if row["reminders"] > 1 else "Reminded"))
    moment = datetime.fromisoformat(row["time"])
    return parts.row(
        SITE.url(f"/requests/{row['id']}"),
        row["name"],
        name=request_name(db, row),
        lead=parts.avatar(row["name"]),
        note=f"{row['note']} · {formats.when(moment, db.now)}",
        meta=html("<b>{}</b>", shown(db, row["amount"])),
        below=join(tags),
    )


def request_name(db: Database, row: sqlite3.Row) -> str:
    """The accessible name of a request in a list."""
    return (
        f"{row['note']}, {row['name']}, {shown(db, row['amount'])}, {formats.day(date.fromisoformat(row['time'][:10]))}"
    )


def card_words(row: sqlite3.Row) -> str:
    """A card in words, as its owner knows it."""
    return f"{row['label']} ··{row['last4']}"


def source_words(db: Database, card: int | None) -> str:
    """What a payment was made with, in words."""
    row = db.row("SELECT * FROM cards WHERE id = ?", card) if card is not None else None
    return card_words(row) if row else "Wallet"


def _day(db: Database, day: str) -> str:
    moment = date.fromisoformat(day)
    days = (db.now.date() - moment).days
    return {0: "Today", 1: "Yesterday"}.get(days, formats.day(moment))
