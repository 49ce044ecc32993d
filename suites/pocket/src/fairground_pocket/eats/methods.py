"""Payment methods: cards and cash."""

from __future__ import annotations

import re

from fairground_pocket.eats.schema import SITE
from fairground_pocket.kit import Database, Field, Filled, Form, Go, Html, Screen, Visit, icon, join, parts

_BRANDS = {"4": "Visa", "5": "Mastercard", "3": "Amex", "6": "Maestro"}


def _card(text: str) -> str | None:
    return None if re.fullmatch(r"[0-9]{16}", re.sub(r"[ -]", "", text), re.ASCII) else "A card number has 16 digits"


def _expiry(text: str) -> str | None:
    return None if re.fullmatch(r"(0[1-9]|1[0-2])/[0-9]{2}", text, re.ASCII) else "Write month and year: 08/27"


def _code(text: str) -> str | None:
    return None if re.fullmatch(r"[0-9]{3,4}", text, re.ASCII) else "Three digits on the back of the card"


_CARD = Form(
    Field("number", "Card number", required=True, limit=24, keyboard="numeric", check=_card),
    Field("expires", "Expires", required=True, limit=5, hint="Month and year, such as 08/27", check=_expiry),
    Field("code", "Security code", "secret", required=True, limit=4, keyboard="numeric", check=_code),
    Field("is_default", "Use as default", "toggle"),
    key="card",
)


@SITE.get("/methods")
def methods(visit: Visit) -> Screen:
    """Cards and cash, the default first."""
    rows = visit.db.rows("SELECT * FROM methods ORDER BY is_default DESC, id")
    lines = [
        parts.row(
            SITE.url(f"/methods/{row['id']}"), row["label"],
            note=f"Expires {row['expires']}" if row["expires"] else "At the door",
            lead=icon("card" if row["kind"] == "card" else "wallet"),
            below=parts.tag("Default", strong=True) if row["is_default"] else parts.NOTHING,
        )
        for row in rows
    ]  # fmt: skip
    return Screen(
        "Payment methods", parts.rows(lines), back=SITE.url("/account"),
        fab=parts.fab(SITE.url("/methods/new"), "New card"),
    )  # fmt: skip


@SITE.get("/methods/new")
def new(visit: Visit) -> Screen:
    """A form for a new card."""
    return _page(Filled())


@SITE.post("/methods/new")
def create(visit: Visit) -> Screen | Go:
    """Adds a card; only its last digits are stored."""
    db = visit.db
    filled = _CARD.read(visit)
    number = re.sub(r"[ -]", "", filled["number"])
    label = f"{_BRANDS.get(number[:1], 'Card')} {number[-4:]}"
    if filled.ok and _expired(db, filled["expires"]):
        filled = filled.wrong("expires", "This card has expired")
    if filled.ok and db.one("SELECT 1 FROM methods WHERE label = ?", label):
        filled = filled.wrong("number", "You have this card already")
    if not filled.ok:
        return _page(filled)
    key = db.insert("methods", label=label, kind="card", last4=number[-4:], expires=filled["expires"], is_default=0)
    if filled["is_default"] == "1":
        db.run("UPDATE methods SET is_default = (id = ?)", key)
    return Go(SITE.url("/methods"), f"{label} is added", undo=True)


@SITE.get("/methods/{number:int}")
def method(visit: Visit, number: int) -> Screen:
    """A payment method with its actions."""
    row = visit.found("SELECT * FROM methods WHERE id = ?", number)
    orders = visit.db.one("SELECT count(*) FROM orders WHERE method = ?", row["label"])
    facts = [("Kind", "Card" if row["kind"] == "card" else "Cash"), ("Orders paid", str(orders))]
    if row["expires"]:
        facts.insert(1, ("Expires", row["expires"]))
    body: list[Html] = [parts.card(parts.facts(facts))]
    sheets = []
    if row["is_default"]:
        body.append(parts.notice("You pay with this unless you choose something else.", "check"))
    else:
        body.append(parts.button(SITE.url(f"/methods/{number}/default"), "Make it the default", style="quiet"))
        body.append(parts.link("#remove", "Remove", style="quiet"))
        action = SITE.url(f"/methods/{number}/remove")
        sheets.append(
            parts.confirm("remove", f"Remove {row['label']}?", "You can add it again.", action, "Yes, remove it")
        )
    return Screen(row["label"], join(body), back=SITE.url("/methods"), sheets=sheets)


@SITE.post("/methods/{number:int}/default")
def make_default(visit: Visit, number: int) -> Go:
    """Makes a payment method the default."""
    visit.found("SELECT 1 FROM methods WHERE id = ?", number)
    visit.db.run("UPDATE methods SET is_default = (id = ?)", number)
    return Go(SITE.url("/methods"), "Default changed", undo=True)


@SITE.post("/methods/{number:int}/remove")
def remove(visit: Visit, number: int) -> Go:
    """Removes a payment method that is not the default."""
    visit.found("SELECT 1 FROM methods WHERE id = ? AND is_default = 0", number)
    visit.db.run("DELETE FROM methods WHERE id = ?", number)
    return Go(SITE.url("/methods"), "Removed", undo=True)


def _expired(db: Database, expires: str) -> bool:
    month, year = expires.split("/")
    return (2000 + int(year), int(month)) < (db.now.year, db.now.month)


def _page(filled: Filled) -> Screen:
    body, sheets = _CARD.show(SITE.url("/methods/new"), filled)
    save = [parts.submit("Save card", "card")]
    return Screen("New card", body, back=SITE.url("/methods"), close=True, actions=save, sheets=sheets)
