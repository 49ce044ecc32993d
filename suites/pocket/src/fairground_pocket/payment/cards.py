"""Cards: add, freeze, remove, and choose the default."""

from __future__ import annotations

import re
import sqlite3

from fairground_pocket.kit import Database, Field, Filled, Form, Go, Html, Screen, Visit, html, join, parts
from fairground_pocket.payment.amounts import shown
from fairground_pocket.payment.listing import card_words, transaction_rows
from fairground_pocket.payment.schema import SITE

_NETWORKS = {"4": "Vela", "5": "Cirro", "6": "Unipay"}


def _wrong_number(text: str) -> str | None:
    digits = re.sub(r"[ -]", "", text)
    if not re.fullmatch(r"[0-9]{16}", digits, re.ASCII):
        return "A card number has 16 digits"
    if digits[0] not in _NETWORKS:
        return "Cards that begin with 4, 5 or 6 can be added"
    doubled = [int(digit) * (2 - place % 2) for place, digit in enumerate(digits)]
    if sum(number - 9 if number > 9 else number for number in doubled) % 10:
        return "This number has a typing mistake"
    return None


def _form(db: Database) -> Form:
    def expires(text: str) -> str | None:
        match = re.fullmatch(r"(0[1-9]|1[0-2])/([0-9]{2})", text, re.ASCII)
        if match is None:
            return "Write it as on the card, such as 07/28"
        month = (2000 + int(match[2]), int(match[1]))
        return None if month >= (db.now.year, db.now.month) else "This card has expired"

    return Form(
        Field("label", "Card name", required=True, limit=40, hint="What you want to call it"),
        Field("number", "Card number", required=True, limit=24, keyboard="numeric", check=_wrong_number),
        Field("expires", "Valid until", required=True, limit=5, hint="Month and year, such as 07/28", check=expires),
        Field(
            "code",
            "Security code",
            "secret",
            required=True,
            limit=4,
            keyboard="numeric",
            check=lambda text: (
                None if re.fullmatch(r"[0-9]{3,4}", text, re.ASCII) else "Three or four digits from the back"
            ),
        ),
        Field("main", "Make it the default card", "toggle"),
    )


@SITE.get("/cards")
def cards(visit: Visit) -> Screen:
    """All cards."""
    rows = visit.db.rows("SELECT * FROM cards ORDER BY main DESC, id")
    items = [_row(row) for row in rows]
    body = parts.rows(items) if items else parts.empty("card", "No cards yet", "Add one to pay with it.")
    return Screen("Cards", body, back=SITE.url("/more"), fab=parts.fab(SITE.url("/cards/new"), "Add card"))


def _row(row: sqlite3.Row) -> Html:
    tags = ([parts.tag("Default", strong=True)] if row["main"] else []) + (
        [parts.tag("Frozen")] if row["frozen"] else []
    )
    return parts.row(
        SITE.url(f"/cards/{row['id']}"),
        card_words(row),
        lead=parts.avatar(row["label"], "card"),
        below=join(tags),
        note=f"{row['network']} · valid until {row['expires']}",
        style="off" if row["frozen"] else "",
    )


@SITE.get("/cards/new")
def new_card(visit: Visit) -> Screen:
    """A form for a card; query parameters fill fields in."""
    return _page(visit.db, Filled({name: visit.query(name)[:40] for name in ("label", "number", "expires")}))


@SITE.post("/cards/new")
def add_card(visit: Visit) -> Screen | Go:
    """Adds a card."""
    db = visit.db
    filled = _form(db).read(visit)
    if filled.ok and db.one("SELECT 1 FROM cards WHERE fold(label) = fold(?)", filled["label"]):
        filled = filled.wrong("label", "There is a card with this name")
    if not filled.ok:
        return _page(db, filled)
    digits = re.sub(r"[ -]", "", filled["number"])
    main = filled["main"] == "1" or not db.one("SELECT count(*) FROM cards")
    if main:
        db.run("UPDATE cards SET main = 0")
    number = db.insert(
        "cards",
        label=filled["label"],
        network=_NETWORKS[digits[0]],
        last4=digits[-4:],
        expires=filled["expires"],
        main=int(main),
    )
    return Go(SITE.url(f"/cards/{number}"), "Card added", undo=True)


@SITE.get("/cards/{number:int}")
def card(visit: Visit, number: int) -> Screen:
    """A card with its transactions."""
    db = visit.db
    row = visit.found("SELECT * FROM cards WHERE id = ?", number)
    history = db.rows("SELECT * FROM transactions WHERE card = ? ORDER BY time DESC, id DESC", number)
    month = db.now.strftime("%Y-%m")
    spent = -sum(entry["amount"] for entry in history if entry["time"].startswith(month) and entry["amount"] < 0)
    facts = [("Valid until", row["expires"]), ("Network", row["network"]), ("Paid this month", shown(db, spent))]
    path = SITE.url(f"/cards/{number}")
    body: list[Html] = [
        parts.hero(
            f"···· {row['last4']}",
            row["label"],
            html('<p class="foot"><span>{}</span><span>{}</span></p>', db.setting("owner"), row["network"]),
            style="plastic",
        ),
        parts.card(parts.facts(facts)),
        parts.rows(
            [
                parts.switch_row(
                    f"{path}/freeze",
                    "Freeze card",
                    bool(row["frozen"]),
                    note="Nothing can be paid with a frozen card",
                    symbol="lock",
                )
            ]
        ),
    ]
    if not row["main"]:
        body.append(parts.button(f"{path}/main", "Make default", symbol="check", style="quiet"))
    else:
        body.append(parts.notice("This is your default card.", "check"))
    if history:
        more = SITE.url("/activity", card=number)
        body.append(
            parts.section("Paid with it", transaction_rows(db, history[:6]), more=more, more_name="All with this card")
        )
    ask = parts.confirm(
        "remove", "Remove this card?", "What was paid with it stays in your activity.", f"{path}/remove", "Remove now"
    )
    actions = [parts.bar_link(f"{path}/edit", "Rename card", "edit"), parts.bar_link("#remove", "Remove card", "trash")]
    return Screen("Card", join(body), back=SITE.url("/cards"), actions=actions, sheets=[ask])


@SITE.post("/cards/{number:int}/freeze")
def freeze(visit: Visit, number: int) -> Go:
    """Freezes or unfreezes a card."""
    row = visit.found("SELECT * FROM cards WHERE id = ?", number)
    on = visit.form("on") == "1"
    visit.db.run("UPDATE cards SET frozen = ? WHERE id = ?", on, number)
    return Go(SITE.url(f"/cards/{number}"), f"{row['label']} is {'frozen' if on else 'not frozen any more'}")


@SITE.post("/cards/{number:int}/main")
def make_main(visit: Visit, number: int) -> Go:
    """Makes a card the default."""
    row = visit.found("SELECT * FROM cards WHERE id = ?", number)
    visit.db.run("UPDATE cards SET main = (id = ?)", number)
    return Go(SITE.url(f"/cards/{number}"), f"{row['label']} is your default card", undo=True)


@SITE.post("/cards/{number:int}/remove")
def remove(visit: Visit, number: int) -> Go:
    """Removes a card. If it was the default, the first remaining card becomes the default."""
    db = visit.db
    row = visit.found("SELECT * FROM cards WHERE id = ?", number)
    if db.one("SELECT 1 FROM transactions WHERE card = ?", number):
        # Past card payments must not turn into payments from the wallet.
        return Go(SITE.url(f"/cards/{number}"), "A card that you paid with cannot be removed. Freeze it instead.")
    db.run("DELETE FROM cards WHERE id = ?", number)
    if row["main"]:
        db.run("UPDATE cards SET main = 1 WHERE id = (SELECT min(id) FROM cards)")
    return Go(SITE.url("/cards"), "Card removed", undo=True)


_RENAME = Form(Field("label", "Card name", required=True, limit=40))


@SITE.get("/cards/{number:int}/edit")
def edit(visit: Visit, number: int) -> Screen:
    """A form for a card's name."""
    row = visit.found("SELECT * FROM cards WHERE id = ?", number)
    return _rename_page(number, Filled({"label": row["label"]}))


@SITE.post("/cards/{number:int}/edit")
def rename(visit: Visit, number: int) -> Screen | Go:
    """Renames a card."""
    visit.found("SELECT * FROM cards WHERE id = ?", number)
    filled = _RENAME.read(visit)
    if filled.ok and visit.db.one(
        "SELECT 1 FROM cards WHERE fold(label) = fold(?) AND id != ?", filled["label"], number
    ):
        filled = filled.wrong("label", "There is a card with this name")
    if not filled.ok:
        return _rename_page(number, filled)
    visit.db.run("UPDATE cards SET label = ? WHERE id = ?", filled["label"], number)
    return Go(SITE.url(f"/cards/{number}"), "Card renamed", undo=True)


def _rename_page(number: int, filled: Filled) -> Screen:
    body, sheets = _RENAME.show(SITE.url(f"/cards/{number}/edit"), filled, submit="Save")
    return Screen("Rename card", body, back=SITE.url(f"/cards/{number}"), close=True, sheets=sheets)


def _page(db: Database, filled: Filled) -> Screen:
    body, sheets = _form(db).show(SITE.url("/cards/new"), filled, submit="Add this card")
    return Screen("Add card", body, back=SITE.url("/cards"), close=True, sheets=sheets)
