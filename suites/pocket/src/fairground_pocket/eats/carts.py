"""The cart: its lines, promo codes, a note for the restaurant."""

from __future__ import annotations

from fairground_pocket.eats import store
from fairground_pocket.eats.listing import badges, benefit, bill, cash, conditions, counted
from fairground_pocket.eats.schema import SITE
from fairground_pocket.kit import Field, Filled, Form, Go, Gone, Html, Screen, Visit, icon, join, parts

_PROMO = Form(Field("code", "Promo code", required=True, limit=20), key="promo")
_NOTE = Form(Field("note", "Note for the restaurant", "area", limit=200), key="note")


@SITE.get("/cart")
def show_cart(visit: Visit) -> Screen:
    """The cart and its price."""
    db = visit.db
    row, lines = store.cart(db), store.lines(db)
    if not lines:
        body = join(
            [
                parts.empty("cart", "Your cart is empty", "Choose a restaurant and add something good."),
                parts.link(SITE.url("/search"), "Find restaurants"),
            ]
        )
        return Screen("Cart", body, tab="cart")
    place = visit.found("SELECT * FROM restaurants WHERE id = ?", row["restaurant"])
    entries = []
    for line in lines:
        note = ", ".join(text for text in (line.chosen, f"“{line.note}”" if line.note else "") if text)
        entry = parts.row(
            SITE.url(f"/cart/lines/{line.id}"), line.name, name=f"Change {line.label}", note=note,
            meta=cash(db, line.price), style="plain",
        )  # fmt: skip
        steps = parts.stepper(SITE.url(f"/cart/lines/{line.id}/step"), line.label, str(line.quantity))
        entries.append(parts.card(parts.rows([entry]), steps))
    promo = row["promo"] or "None"
    settled = parts.rows(
        [
            parts.row(SITE.url("/cart/promo"), "Promo code", note=promo, lead=icon("ticket"), style="plain"),
            parts.row(
                SITE.url("/cart/note"), "Note for the restaurant", note=row["note"] or "None", lead=icon("edit"),
                style="plain",
            ),
            parts.row(SITE.url(f"/r/{place['id']}"), "Add more dishes", lead=icon("plus"), style="plain"),
        ]
    )  # fmt: skip
    sums = store.sums(db)
    body = join([*entries, settled, parts.card(bill(db, sums, promo))])
    empty = parts.confirm(
        "empty", "Empty the cart?", f"{counted(len(lines), 'line')} from {place['name']}.", SITE.url("/cart/empty"),
        "Empty it",
    )  # fmt: skip
    return Screen(
        "Cart", body, tab="cart", subtitle=place["name"], badges=badges(db), sheets=[empty],
        actions=[parts.bar_link("#empty", "Empty cart", "trash")],
        fab=parts.fab(SITE.url("/checkout"), "Go to checkout", "check"),
    )  # fmt: skip


@SITE.post("/cart/lines/{number:int}/step")
def step(visit: Visit, number: int) -> Go:
    """Changes the quantity of a line by one; zero removes the line."""
    db = visit.db
    row = visit.found("SELECT * FROM cart_lines WHERE id = ?", number)
    by = visit.number("by")
    if by not in (-1, 1):
        raise Gone
    quantity = min(row["quantity"] + by, store.MOST_OF_ONE)
    if quantity:
        db.run("UPDATE cart_lines SET quantity = ? WHERE id = ?", quantity, number)
        return Go(SITE.url("/cart"))
    store.take_out(db, number)
    return Go(SITE.url("/cart"), "Taken out", undo=True)


@SITE.post("/cart/empty")
def empty_cart(visit: Visit) -> Go:
    """Empties the cart."""
    store.clear(visit.db)
    return Go(SITE.url("/cart"), "Your cart is empty", undo=True)


@SITE.get("/cart/promo")
def promo(visit: Visit) -> Screen:
    """A form for a promo code, with the list of existing ones."""
    return _promo(visit, Filled({"code": visit.query("code")}))


@SITE.post("/cart/promo")
def use_promo(visit: Visit) -> Screen | Go:
    """Applies a promo code to this order if its conditions are met."""
    db = visit.db
    if not store.lines(db):
        raise Gone
    filled = _PROMO.read(visit)
    if filled.ok:
        row = db.row("SELECT * FROM promos WHERE code = ?", filled["code"])
        if row is None:
            filled = filled.wrong("code", "There is no such code")
        else:
            fault = store.promo_fault(db, row, store.cart(db)["restaurant"], store.sums(db).subtotal)
            if fault:
                filled = filled.wrong("code", fault.format(cash(db, row["minimum"])))
    if not filled.ok or row is None:
        return _promo(visit, filled)
    db.run("UPDATE cart SET promo = ?", row["code"])
    return Go(SITE.url("/cart"), f"{row['code']} is in use", undo=True)


@SITE.post("/cart/promo/remove")
def remove_promo(visit: Visit) -> Go:
    """Removes the promo code from the order."""
    visit.db.run("UPDATE cart SET promo = NULL")
    return Go(SITE.url("/cart"), "No promo code", undo=True)


@SITE.get("/cart/note")
def note(visit: Visit) -> Screen:
    """A form for a note to the restaurant."""
    body, sheets = _NOTE.show(SITE.url("/cart/note"), Filled({"note": store.cart(visit.db)["note"]}))
    return _note(body, sheets)


@SITE.post("/cart/note")
def save_note(visit: Visit) -> Screen | Go:
    """Saves the note with the cart."""
    filled = _NOTE.read(visit)
    if not store.lines(visit.db):
        raise Gone
    if not filled.ok:
        return _note(*_NOTE.show(SITE.url("/cart/note"), filled))
    visit.db.run("UPDATE cart SET note = ?", filled["note"])
    return Go(SITE.url("/cart"), "Note saved", undo=True)


def _note(body: Html, sheets: list[Html]) -> Screen:
    save = [parts.submit("Save note", "note")]
    return Screen("Note", body, back=SITE.url("/cart"), close=True, actions=save, sheets=sheets)


def _promo(visit: Visit, filled: Filled) -> Screen:
    db = visit.db
    body, sheets = _PROMO.show(SITE.url("/cart/promo"), filled, submit="Apply code")
    shown = [body]
    held = store.cart(db)["promo"]
    if held:
        shown.append(parts.button(SITE.url("/cart/promo/remove"), f"Remove {held}", style="quiet"))
    today = f"{db.now:%Y-%m-%d}"
    rows = db.rows("SELECT * FROM promos WHERE used = 0 AND until >= ? ORDER BY until, code", today)
    shown.append(
        parts.section(
            "Your codes",
            parts.rows(
                parts.menu_button(
                    SITE.url("/cart/promo"), f"Use {row['code']}", "ticket",
                    note=f"{row['title']} ({benefit(db, row)}), {conditions(db, row)}", code=row["code"],
                )
                for row in rows
            ),
        )
    )  # fmt: skip
    return Screen("Promo code", join(shown), back=SITE.url("/cart"), sheets=sheets)
