"""Transactions: the list with its filters, one transaction, its note and category."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from fairground_pocket.kit import Database, Field, Filled, Form, Go, Html, Screen, Visit, formats, html, join, parts
from fairground_pocket.payment.amounts import shown, signed
from fairground_pocket.payment.fields import CATEGORY
from fairground_pocket.payment.listing import source_words, transaction_rows
from fairground_pocket.payment.schema import CATEGORIES, KINDS, SITE
from fairground_pocket.payment.store import PAGE, SPENT, month_name, months

FILTERS = {
    "sent": ("Sent", "kind = 'payment'"),
    "received": ("Received", "kind = 'received'"),
    "purchases": ("Purchases", "kind IN ('purchase', 'refund')"),
    "transfers": ("Transfers", "kind IN ('topup', 'withdrawal', 'income')"),
}
_DETAILS = Form(Field("note", "Note", limit=120), CATEGORY)


def found(
    db: Database, words: str = "", kind: str = "", month: str = "", category: str = "", who: int = 0, card: int = 0
) -> list[sqlite3.Row]:
    """Transactions that match the filters, newest first."""
    where, values = ["1"], list[Any]()
    if kind in FILTERS:
        where.append(FILTERS[kind][1])
    for column, value in (("substr(time, 1, 7)", month), ("category", category), ("contact", who), ("card", card)):
        if value:
            where.append(f"{column} = ?")
            values.append(value)
    if category:
        where.append(SPENT)
    rows = db.rows(f"SELECT * FROM transactions WHERE {' AND '.join(where)} ORDER BY time DESC, id DESC", *values)
    folded = words.casefold().split()
    return [
        row
        for row in rows
        if all(word in f"{row['title']} {row['note']} {row['category']}".casefold() for word in folded)
    ]


@SITE.get("/activity")
def activity(visit: Visit) -> Screen:
    """All transactions, or those that match the search and filters, with their sum."""
    db = visit.db
    words, kind = visit.query("q").strip()[:200], visit.query("kind")
    month, category = visit.query("month"), visit.query("category")
    who, card = _number(visit.query("who")), _number(visit.query("card"))
    known = months(db)
    month = month if month in known else ""
    category = category if category in CATEGORIES else ""
    keep: dict[str, Any] = {
        "kind": kind if kind in FILTERS else "",
        "month": month,
        "category": category,
        "who": who or "",
        "card": card or "",
    }
    rows = found(db, words, kind, month, category, who, card)
    path = SITE.url("/activity")
    kinds = [("All kinds", parts.url(path, q=words, **{**keep, "kind": ""}), not keep["kind"])]
    kinds += [
        (name, parts.url(path, q=words, **{**keep, "kind": key}), kind == key) for key, (name, _) in FILTERS.items()
    ]
    pages = -(-len(rows) // PAGE)
    page = max(min(visit.page(), pages), 1)
    listed = parts.empty("search", "Nothing found", "Try other words or another month.")
    if rows:
        listed = transaction_rows(db, rows[(page - 1) * PAGE : page * PAGE])
    results = join(
        [
            parts.chips(kinds, "Kinds"),
            parts.section(_summary(db, rows), listed),
            parts.pager(path, page, pages, q=words, **keep),
        ]
    )
    chosen = parts.live(_chosen(db, path, words, keep), "chosen")
    body = join([parts.search_box(path, words, "Search activity", **keep), chosen, parts.live(results)])
    sheets = [parts.live(_sheets(path, words, keep, known), "filters")]  # the filter links keep the search words
    actions = [
        parts.bar_link("#months", "Choose month", "calendar"),
        parts.bar_link("#categories", "Choose category", "filter"),
    ]
    return Screen("Activity", body, tab="activity", actions=actions, sheets=sheets)


def _sheets(path: str, words: str, keep: dict[str, Any], known: list[str]) -> Html:
    """The sheets for choosing a month and a category."""

    def menu(key: str, title: str, name: str, choices: Sequence[tuple[str, str, str]]) -> Html:
        rows = [
            parts.menu_link(parts.url(path, q=words, **{**keep, name: value}), text, symbol)
            for value, text, symbol in [("", f"Any {title.lower()}", "list"), *choices]
        ]
        return parts.menu(key, title, rows)

    by_month = [(key, month_name(key), "calendar") for key in known]
    by_category = [(name, name, symbol) for name, symbol in CATEGORIES.items()]
    return join([menu("months", "Month", "month", by_month), menu("categories", "Category", "category", by_category)])


def _summary(db: Database, rows: list[sqlite3.Row]) -> str:
    out = -sum(row["amount"] for row in rows if row["amount"] < 0)
    into = sum(row["amount"] for row in rows if row["amount"] > 0)
    count = "1 transaction" if len(rows) == 1 else f"{len(rows)} transactions"
    return f"{count} · out {shown(db, out)} · in {shown(db, into)}"


def _chosen(db: Database, path: str, words: str, keep: dict[str, Any]) -> Html:
    """The active filters, each with a link that removes it."""
    names = {"month": month_name(keep["month"]) if keep["month"] else "", "category": keep["category"]}
    if keep["who"]:
        names["who"] = str(db.one("SELECT name FROM contacts WHERE id = ?", keep["who"]) or "Nobody")
    if keep["card"]:
        names["card"] = source_words(db, keep["card"])
    chips = [
        (f"Remove {name}", parts.url(path, q=words, **{**keep, key: ""}), True) for key, name in names.items() if name
    ]
    return parts.chips(chips, "Chosen") if chips else Html()


@SITE.get("/activity/{number:int}")
def transaction(visit: Visit, number: int) -> Screen:
    """A transaction with its details."""
    db = visit.db
    row = visit.found("SELECT * FROM transactions WHERE id = ?", number)
    facts: list[tuple[str, str | Html]] = [
        ("What", KINDS[row["kind"]][0]),
        ("When", formats.moment(datetime.fromisoformat(row["time"]))),
        ("Note", row["note"] or "None"),
    ]
    if row["kind"] in ("payment", "purchase"):
        facts += [("Category", row["category"]), ("Paid with", source_words(db, row["card"]))]
    if row["kind"] == "refund":
        facts.append(("Paid back to", source_words(db, row["card"])))
    if row["bank"]:
        bank = visit.found("SELECT * FROM banks WHERE id = ?", row["bank"])
        facts.append(("Account", f"{bank['name']} ··{bank['last4']}"))
    facts.append(("Reference", f"PW-{number:06}"))
    small = f"{'to' if row['amount'] < 0 else 'from'} {row['title']}"
    body = [parts.hero(signed(db, row["amount"]), small), parts.card(parts.facts(facts)), _buttons(row)]
    actions = [parts.bar_link(SITE.url(f"/activity/{number}/edit"), "Edit note and category", "edit")]
    return Screen("Transaction", join(body), back=SITE.url("/activity"), actions=actions)


def _buttons(row: sqlite3.Row) -> Html:
    links = []
    if row["kind"] == "payment":
        again = SITE.url("/send", to=row["contact"], note=row["note"], category=row["category"])
        links.append(parts.link(again, "Pay again", symbol="refresh", style="slim"))
    if row["kind"] == "received":
        links.append(
            parts.link(
                SITE.url("/send", to=row["contact"], note=row["note"]), "Send back", symbol="reply", style="slim"
            )
        )
    if row["contact"]:
        links.append(
            parts.link(SITE.url(f"/people/{row['contact']}"), "Show person", symbol="person", style="quiet slim")
        )
    if row["recurring"]:
        links.append(
            parts.link(
                SITE.url(f"/recurring/{row['recurring']}"),
                "Show recurring payment",
                symbol="refresh",
                style="quiet slim",
            )
        )
    if row["kind"] == "purchase":
        href = SITE.url("/activity", q=row["title"])
        links.append(parts.link(href, "All purchases here", symbol="search", style="quiet slim"))
    return parts.side_by_side(*links) if links else html("")


@SITE.get("/activity/{number:int}/edit")
def edit(visit: Visit, number: int) -> Screen:
    """A form for the note and the category."""
    row = visit.found("SELECT * FROM transactions WHERE id = ?", number)
    return _edit_page(row, Filled({"note": row["note"], "category": row["category"]}))


@SITE.post("/activity/{number:int}/edit")
def save(visit: Visit, number: int) -> Screen | Go:
    """Saves the note and the category."""
    row = visit.found("SELECT * FROM transactions WHERE id = ?", number)
    filled = _form(row).read(visit)
    if not filled.ok:
        return _edit_page(row, filled)
    category = filled["category"] or row["category"]
    visit.db.run("UPDATE transactions SET note = ?, category = ? WHERE id = ?", filled["note"], category, number)
    return Go(SITE.url(f"/activity/{number}"), "Saved", undo=True)


def _form(row: sqlite3.Row) -> Form:
    return _DETAILS if row["kind"] in ("payment", "purchase") else Form(_DETAILS.fields[0])


def _edit_page(row: sqlite3.Row, filled: Filled) -> Screen:
    body, sheets = _form(row).show(SITE.url(f"/activity/{row['id']}/edit"), filled)
    back = SITE.url(f"/activity/{row['id']}")
    return Screen(
        "Edit",
        body,
        back=back,
        close=True,
        subtitle=row["title"],
        actions=[parts.submit("Save", "form")],
        sheets=sheets,
    )


def _number(text: str) -> int:
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text, re.ASCII) else 0
