"""A dish with its options, and editing a line of the cart."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Literal

from fairground_pocket.eats import store
from fairground_pocket.eats.listing import cash, diet, fits, marks
from fairground_pocket.eats.schema import SITE
from fairground_pocket.kit import Database, Field, Filled, Form, Go, Gone, Html, Screen, Visit, join, parts

_DISH = "SELECT d.*, r.name AS place FROM dishes d JOIN restaurants r ON r.id = d.restaurant WHERE d.id = ?"


@SITE.get("/d/{number:int}")
def dish(visit: Visit, number: int) -> Screen:
    """A dish and its options. Query parameters fill it in: `quantity`, `note`, and `g7` for option group 7."""
    row = visit.found(_DISH, number)
    values = {name: visit.query(name) for name in ("note",)}
    values["quantity"] = visit.query("quantity") if visit.query("quantity") in map(str, range(1, 21)) else "1"
    chosen = {}
    for group in _groups(visit.db, row):
        key = f"g{group['id']}"
        values[key], chosen[key] = visit.query(key), (visit.query(key),)
    return _page(visit.db, row, Filled(values, chosen))


@SITE.post("/d/{number:int}")
def add(visit: Visit, number: int) -> Screen | Go:
    """Adds a dish to the cart."""
    db = visit.db
    row = visit.found(_DISH, number)
    if row["sold_out"]:
        raise Gone
    filled, options = _read(visit, row, _form(db, row, other=_other(db, row)))
    if _other(db, row) and filled["empty"] != "1" and not filled.again:
        filled = filled.wrong("empty", "Your cart holds dishes of another restaurant: empty it first")
    if store.is_full(db) and filled["empty"] != "1":
        filled = filled.wrong("note", "Your cart is full")
    if not filled.ok:
        return _page(db, row, filled)
    store.put(db, number, options, int(filled["quantity"]), filled["note"])
    return Go(SITE.url(f"/r/{row['restaurant']}"))  # the cart button shows the new sum


@SITE.get("/cart/lines/{number:int}")
def line(visit: Visit, number: int) -> Screen:
    """A form to edit a line of the cart."""
    db = visit.db
    entry = visit.found("SELECT * FROM cart_lines WHERE id = ?", number)
    row = visit.found(_DISH, entry["dish"])
    values = {"quantity": str(entry["quantity"]), "note": entry["note"]}
    chosen = {}
    held = db.rows("SELECT o.* FROM cart_options c JOIN options o ON o.id = c.option WHERE c.line = ?", number)
    for group in _groups(db, row):
        mine = tuple(str(option["id"]) for option in held if option["choice"] == group["id"])
        values[f"g{group['id']}"], chosen[f"g{group['id']}"] = "".join(mine[:1]), mine
    return _page(db, row, Filled(values, chosen), entry=number)


@SITE.post("/cart/lines/{number:int}")
def update(visit: Visit, number: int) -> Screen | Go:
    """Saves a line of the cart."""
    db = visit.db
    entry = visit.found("SELECT * FROM cart_lines WHERE id = ?", number)
    row = visit.found(_DISH, entry["dish"])
    filled, options = _read(visit, row, _form(db, row))
    if not filled.ok:
        return _page(db, row, filled, entry=number)
    db.run("UPDATE cart_lines SET quantity = ?, note = ? WHERE id = ?", int(filled["quantity"]), filled["note"], number)
    db.run("DELETE FROM cart_options WHERE line = ?", number)
    db.many("INSERT INTO cart_options VALUES (?, ?)", [(number, option) for option in sorted(options)])
    return Go(SITE.url("/cart"))


def _groups(db: Database, row: sqlite3.Row) -> list[sqlite3.Row]:
    sql = "SELECT c.* FROM choices c JOIN section_choices s ON s.choice = c.id WHERE s.section = ? ORDER BY c.id"
    return db.rows(sql, row["section"])


def _other(db: Database, row: sqlite3.Row) -> str:
    """The restaurant of the cart's dishes, if it is a different one."""
    held = store.cart(db)["restaurant"]
    if held in (None, row["restaurant"]):
        return ""
    return str(db.one("SELECT name FROM restaurants WHERE id = ?", held))


def _form(db: Database, row: sqlite3.Row, *, other: str = "") -> Form:
    fields = []
    for group in _groups(db, row):
        options = [
            (str(option["id"]), option["name"], _extra(db, option["price"]))
            for option in db.rows("SELECT * FROM options WHERE choice = ? ORDER BY id", group["id"])
        ]
        kind: Literal["radio", "checks"] = "radio" if group["required"] else "checks"
        hint = "Choose one" if group["required"] else f"Up to {group['most']}, if you like"
        fields.append(
            Field(f"g{group['id']}", group["name"], kind, required=bool(group["required"]), options=options, hint=hint)
        )
    fields.append(Field("note", "Note for the kitchen", limit=120))
    fields.append(Field("quantity", "Quantity", "stepper", low=1, high=store.MOST_OF_ONE))
    if other:
        fields.append(Field("empty", f"Empty my cart from {other} first", "toggle"))
    return Form(*fields, key="dish")


def _extra(db: Database, price: int) -> str:
    return "" if price == 0 else f"+{cash(db, price)}" if price > 0 else cash(db, price)


def _read(visit: Visit, row: sqlite3.Row, form: Form) -> tuple[Filled, list[int]]:
    filled = form.read(visit)
    options: list[int] = []
    for group in _groups(visit.db, row):
        key = f"g{group['id']}"
        chosen: Sequence[str] = (filled[key],) if group["required"] else filled.chosen[key]
        if len(chosen) > group["most"] and not filled.again:
            filled = filled.wrong(key, f"Choose {group['most']} at most")
        options += [int(text) for text in chosen if text]
    return filled, options


def _page(db: Database, row: sqlite3.Row, filled: Filled, *, entry: int = 0) -> Screen:
    back = SITE.url("/cart") if entry else SITE.url(f"/r/{row['restaurant']}")
    tags = [parts.tag(word) for word in marks(row)]
    if not fits(row, diet(db)):
        tags.append(parts.tag("Not your diet", dot=True))
    head = parts.card(
        parts.text(row["about"], "muted"), parts.text(cash(db, row["price"]), "lead"), parts.text(join(tags))
    )
    if row["sold_out"] and not entry:
        body: Html = join([head, parts.notice("Sold out today.", "clock")])
        return Screen(row["name"], body, back=back, subtitle=row["place"])
    form = _form(db, row, other="" if entry else _other(db, row))
    action = SITE.url(f"/cart/lines/{entry}") if entry else SITE.url(f"/d/{row['id']}")
    shown, sheets = form.show(action, filled, submit="Update cart" if entry else "Add to cart")
    return Screen(row["name"], join([head, shown]), back=back, subtitle=row["place"], sheets=sheets)
