"""Bank accounts: top-ups and withdrawals."""

from __future__ import annotations

import re
import sqlite3

from fairground_pocket.kit import Database, Field, Filled, Form, Go, Screen, Visit, html, icon, join, parts
from fairground_pocket.payment.amounts import parse, shown, typed
from fairground_pocket.payment.confirming import pin_given, review
from fairground_pocket.payment.fields import amount_field
from fairground_pocket.payment.schema import SITE
from fairground_pocket.payment.store import balance, record


def _form(db: Database, label: str) -> Form:
    banks = [
        (str(row["id"]), row["name"], f"Account ··{row['last4']}") for row in db.rows("SELECT * FROM banks ORDER BY id")
    ]
    return Form(amount_field(db), Field("bank", label, "radio", required=True, options=banks), key="bank")


@SITE.get("/add")
def add(visit: Visit) -> Screen:
    """A form for a top-up: amount and bank account."""
    return _page(
        visit.db, "Add money", "/add", Filled({"amount": visit.query("amount")[:20], "bank": visit.query("bank")[:9]})
    )


@SITE.post("/add")
def add_money(visit: Visit) -> Screen | Go:
    """Adds money from a bank account."""
    db = visit.db
    filled = _form(db, "From").read(visit)
    if not filled.ok:
        return _page(db, "Add money", "/add", filled)
    amount = parse(db, filled["amount"]) or 0
    bank = visit.found("SELECT * FROM banks WHERE id = ?", filled["bank"])
    record(db, "topup", bank["name"], amount, bank=bank["id"])
    return Go(SITE.url("/"), f"{shown(db, amount)} added from {bank['name']}")


@SITE.get("/withdraw")
def withdraw(visit: Visit) -> Screen:
    """A form for a withdrawal: amount and bank account."""
    return _page(
        visit.db,
        "Withdraw",
        "/withdraw",
        Filled({"amount": visit.query("amount")[:20], "bank": visit.query("bank")[:9]}),
    )


@SITE.post("/withdraw")
def check(visit: Visit) -> Screen | Go:
    """Checks that the balance suffices, and goes on to the PIN."""
    db = visit.db
    filled = _form(db, "To").read(visit)
    if filled.ok and (parse(db, filled["amount"]) or 0) > balance(db):
        filled = filled.wrong("amount", f"Your balance is {shown(db, balance(db))}.")
    if not filled.ok:
        return _page(db, "Withdraw", "/withdraw", filled)
    return Go(SITE.url("/withdraw/review", amount=typed(db, parse(db, filled["amount"]) or 0), bank=filled["bank"]))


@SITE.get("/withdraw/review")
def look_again(visit: Visit) -> Screen:
    """Shows what is about to be withdrawn and asks for the PIN."""
    return _review(visit, visit.query("amount"), visit.query("bank"), Filled())


@SITE.post("/withdraw/review")
def confirm(visit: Visit) -> Screen | Go:
    """Withdraws the amount if the PIN is right."""
    db = visit.db
    filled = _form(db, "To").read(visit)
    pin = pin_given(db, visit)
    amount = parse(db, filled["amount"])
    if not filled.ok or not pin.ok or amount is None or amount > balance(db):
        return _review(visit, filled["amount"], filled["bank"], pin)
    bank = visit.found("SELECT * FROM banks WHERE id = ?", filled["bank"])
    record(db, "withdrawal", bank["name"], -amount, bank=bank["id"])
    return Go(SITE.url("/"), f"{shown(db, amount)} withdrawn to {bank['name']}")


@SITE.get("/banks")
def banks(visit: Visit) -> Screen:
    """The linked bank accounts with their latest transfers."""
    rows = visit.db.rows("SELECT * FROM banks ORDER BY id")
    items = [
        parts.row(
            SITE.url("/activity", kind="transfers", q=row["name"]),
            row["name"],
            lead=icon("bank"),
            note=f"Account ··{row['last4']}",
            meta=html("{}", _moved(visit.db, row)),
        )
        for row in rows
    ]
    buttons = parts.side_by_side(
        parts.link(SITE.url("/add"), "Add money", symbol="plus", style="slim"),
        parts.link(SITE.url("/withdraw"), "Withdraw", symbol="bank", style="quiet slim"),
    )
    return Screen("Bank accounts", join([parts.rows(items), buttons]), back=SITE.url("/more"))


def _moved(db: Database, row: sqlite3.Row) -> str:
    count = db.one("SELECT count(*) FROM transactions WHERE bank = ?", row["id"])
    return "1 transfer" if count == 1 else f"{count} transfers"


def _review(visit: Visit, amount: str, bank: str, pin: Filled) -> Screen:
    db = visit.db
    row = visit.found(
        "SELECT * FROM banks WHERE id = ?", int(bank) if re.fullmatch(r"[0-9]{1,9}", bank, re.ASCII) else None
    )
    value = parse(db, amount) or 0
    warning = f"Your balance is {shown(db, balance(db))}." if value > balance(db) else ""
    facts = [("To", f"{row['name']} ··{row['last4']}"), ("Left in the wallet", shown(db, balance(db) - value))]
    values = {"amount": amount, "bank": row["id"]}
    return review(
        "Confirm withdrawal",
        shown(db, value),
        f"to {row['name']}",
        facts,
        SITE.url("/withdraw/review"),
        values,
        button="Withdraw now",
        back=SITE.url("/withdraw", **values),
        filled=pin,
        warning=warning,
    )


def _page(db: Database, title: str, path: str, filled: Filled) -> Screen:
    body, sheets = _form(db, "From" if path == "/add" else "To").show(
        SITE.url(path), filled, submit="Add now" if path == "/add" else "Continue"
    )
    head = parts.text(f"Your balance is {shown(db, balance(db))}.", "muted")
    return Screen(title, join([head, body]), back=SITE.url("/"), close=True, sheets=sheets)
