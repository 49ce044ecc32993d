"""Checkout: address, delivery time, payment method, tip."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

from fairground_pocket.eats import store
from fairground_pocket.eats.listing import badges, bill, cash
from fairground_pocket.eats.schema import SITE
from fairground_pocket.kit import (
    Database,
    Field,
    Filled,
    Form,
    Go,
    Gone,
    Html,
    Screen,
    Visit,
    formats,
    icon,
    join,
    parts,
)

_DAYS = 7
_TIPS = (0, 5, 10, 15)
_TIP = Form(Field("amount", "Other amount", required=True, limit=12, keyboard="decimal"), key="tip")
_HERE = SITE.url("/checkout")


@SITE.get("/checkout")
def checkout(visit: Visit) -> Screen:
    """The order summary."""
    return _page(visit)


@SITE.post("/checkout")
def place_order(visit: Visit) -> Screen | Go:
    """Places the order."""
    fault = store.order_fault(visit.db)
    if fault is not None:
        return _page(visit, fault)
    number = store.place(visit.db)
    return Go(SITE.url(f"/orders/{number}"), f"Order {store.order_number(number)} is placed")


@SITE.post("/checkout/switch")
def switch(visit: Visit) -> Go:
    """Switches cutlery or leaving the order at the door on or off."""
    _cart(visit)
    what = visit.form("what")
    if what not in ("cutlery", "at_door"):
        raise Gone
    visit.db.run(f"UPDATE cart SET {what} = ?", int(visit.form("on") == "1"))
    return Go(_HERE)


@SITE.get("/checkout/address")
def choose_address(visit: Visit) -> Screen:
    """Choose the delivery address for this order."""
    rows = visit.db.rows("SELECT * FROM addresses ORDER BY is_default DESC, id")
    lines = [
        parts.menu_button(
            SITE.url("/checkout/address"), f"Deliver to {row['label']}", "map",
            note=f"{row['street']}, {row['area']}", address=row["id"],
        )
        for row in rows
    ]  # fmt: skip
    new = parts.link(SITE.url("/addresses/new", next="checkout"), "Add an address", symbol="plus", style="quiet")
    return Screen("Deliver to", join([parts.rows(lines), new]), back=_HERE)


@SITE.post("/checkout/address")
def set_address(visit: Visit) -> Go:
    """Saves the address with the cart."""
    _cart(visit)
    row = visit.found("SELECT * FROM addresses WHERE id = ?", visit.number("address"))
    visit.db.run("UPDATE cart SET address = ?", row["id"])
    return Go(_HERE)


@SITE.get("/checkout/payment")
def choose_method(visit: Visit) -> Screen:
    """Choose the payment method for this order."""
    rows = visit.db.rows("SELECT * FROM methods ORDER BY is_default DESC, id")
    lines = [
        parts.menu_button(
            SITE.url("/checkout/payment"), f"Pay with {row['label']}", "card" if row["kind"] == "card" else "wallet",
            method=row["id"],
        )
        for row in rows
    ]  # fmt: skip
    return Screen("Pay with", parts.rows(lines), back=_HERE)


@SITE.post("/checkout/payment")
def set_method(visit: Visit) -> Go:
    """Saves the payment method with the cart."""
    _cart(visit)
    row = visit.found("SELECT * FROM methods WHERE id = ?", visit.number("method"))
    visit.db.run("UPDATE cart SET method = ?", row["id"])
    return Go(_HERE)


@SITE.get("/checkout/time")
def choose_day(visit: Visit) -> Screen:
    """Choose the delivery day: now, or one of the next days."""
    db = visit.db
    place = _place(visit)
    lines = [parts.menu_button(SITE.url("/checkout/time"), "As soon as possible", "bolt", slot="")]
    for ahead in range(_DAYS):
        day = db.now + timedelta(days=ahead)
        free = len(store.slots(place, f"{day:%Y-%m-%d}", db.now))
        if free:
            lines.append(
                parts.row(
                    SITE.url(f"/checkout/time/{day:%Y-%m-%d}"), formats.day_in_full(day),
                    note="Today" if ahead == 0 else "Tomorrow" if ahead == 1 else "", meta=f"{free} times",
                    lead=icon("calendar"), style="plain",
                )
            )  # fmt: skip
    return Screen("When", parts.rows(lines), back=_HERE, subtitle=place["name"])


@SITE.get("/checkout/time/{day}")
def choose_slot(visit: Visit, day: str) -> Screen:
    """Choose a half hour of the day."""
    place = _place(visit)
    if day not in {f"{visit.db.now + timedelta(days=ahead):%Y-%m-%d}" for ahead in range(_DAYS)}:
        raise Gone
    lines = [
        parts.menu_button(SITE.url("/checkout/time"), slot_words(slot), "clock", slot=slot)
        for slot in store.slots(place, day, visit.db.now)
    ]
    title = formats.day_in_full(datetime.fromisoformat(day))
    return Screen(title, parts.rows(lines), back=SITE.url("/checkout/time"), subtitle=place["name"])


@SITE.post("/checkout/time")
def set_slot(visit: Visit) -> Go:
    """Saves the delivery time with the cart."""
    db, slot = visit.db, visit.form("slot")
    place = _place(visit)
    if not slot:
        db.run("UPDATE cart SET slot = NULL")
        return Go(_HERE)
    last = f"{db.now + timedelta(days=_DAYS):%Y-%m-%d}"
    real = re.fullmatch(r"20\d\d-[01]\d-[0-3]\dT[0-2]\d:[03]0:00", slot, re.ASCII) is not None and slot < last
    if not real or not _is_day(slot[:10]) or slot not in store.slots(place, slot[:10], db.now):
        raise Gone
    db.run("UPDATE cart SET slot = ?", slot)
    return Go(_HERE)


@SITE.get("/checkout/tip")
def choose_tip(visit: Visit) -> Screen:
    """Choose a tip: a share of the subtotal, or an amount."""
    _cart(visit)
    return _tip(visit, Filled({"amount": visit.query("amount")}))


@SITE.post("/checkout/tip")
def set_tip(visit: Visit) -> Screen | Go:
    """Saves the tip with the cart."""
    db = visit.db
    _cart(visit)
    if visit.form("percent"):
        percent = visit.number("percent")
        if percent not in _TIPS:
            raise Gone
        db.run("UPDATE cart SET tip_percent = ?, tip_amount = 0", percent)
        return Go(_HERE)
    filled = _TIP.read(visit)
    amount = formats.parse_money(filled["amount"], db.setting("currency"))
    if filled.ok and amount is None:
        filled = filled.wrong("amount", "This is not an amount")
    elif filled.ok and amount is not None and amount > 10 * store.sums(db).subtotal:
        filled = filled.wrong("amount", "That is more than ten times the order")
    if not filled.ok:
        return _tip(visit, filled)
    db.run("UPDATE cart SET tip_percent = 0, tip_amount = ?", amount)
    return Go(_HERE)


def slot_words(slot: str) -> str:
    """Formats a slot as `18:00 to 18:30`."""
    at = datetime.fromisoformat(slot)
    return f"{at:%H:%M} to {at + store.SLOT:%H:%M}"


def _page(visit: Visit, fault: str = "") -> Screen:
    db = visit.db
    row, place = store.cart(db), _place(visit)
    to, pay, sums = store.address(db), store.method(db), store.sums(db)
    when = "As soon as possible"
    if row["slot"]:
        when = f"{formats.day_in_full(datetime.fromisoformat(row['slot']))}, {slot_words(row['slot'])}"
    elif store.is_open(place, db.now):
        when += f", {place['fast']}\u2013{place['slow']} min"
    lines = [
        _line("address", "Deliver to", "map", f"{to['label']}, {to['street']}" if to else "Choose"),
        _line("time", "When", "clock", when),
        _line("payment", "Pay with", "card", pay["label"] if pay else "Choose"),
        _line("tip", "Tip for the courier", "gift", cash(db, sums.tip) if sums.tip else "None"),
        parts.switch_row(
            SITE.url("/checkout/switch"), "Cutlery and napkins", bool(row["cutlery"]), symbol="food", what="cutlery"
        ),
        parts.switch_row(
            SITE.url("/checkout/switch"), "Leave at the door", bool(row["at_door"]), symbol="door", what="at_door"
        ),
    ]
    body = [parts.notice(fault.format(cash(db, place["minimum"])))] if fault else []
    body += [
        parts.rows(lines),
        parts.card(bill(db, sums, row["promo"] or "")),
        parts.button(SITE.url("/checkout"), "Place order", symbol="check"),
    ]
    return Screen("Checkout", join(body), back=SITE.url("/cart"), subtitle=place["name"], badges=badges(db))


def _line(what: str, title: str, symbol: str, note: str) -> Html:
    return parts.row(SITE.url(f"/checkout/{what}"), title, note=note, lead=icon(symbol), style="plain")


def _tip(visit: Visit, filled: Filled) -> Screen:
    db = visit.db
    subtotal = store.sums(db).subtotal
    lines = [
        parts.menu_button(
            SITE.url("/checkout/tip"), f"{percent}%" if percent else "No tip", "gift",
            note=cash(db, store.share(subtotal, percent)), percent=percent,
        )
        for percent in _TIPS
    ]  # fmt: skip
    body, sheets = _TIP.show(SITE.url("/checkout/tip"), filled, submit="Set amount")
    shown = join([parts.rows(lines), parts.section("Or an amount of your own", body)])
    return Screen("Tip for the courier", shown, back=_HERE, sheets=sheets)


def _cart(visit: Visit) -> Database:
    """The cart. Raises `Gone` if it is empty."""
    if not store.lines(visit.db):
        raise Gone
    return visit.db


def _place(visit: Visit) -> Any:
    return visit.found("SELECT * FROM restaurants WHERE id = ?", store.cart(_cart(visit))["restaurant"])


def _is_day(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
