"""The app's logic: opening hours, prices, the cart, promo codes, orders and their progress."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from fairground_pocket.kit import Database

CART: Final = 1
"""The id of the only row of `cart`."""
_EMPTY: Final = (
    "UPDATE cart SET restaurant = NULL, promo = NULL, address = NULL, method = NULL, slot = NULL, tip_percent = 0, "
    "tip_amount = 0, note = '', cutlery = 0, at_door = 0"
)
STEPS: Final = ("Placed", "Being prepared", "On the way", "Delivered")
"""The statuses of an order, as the app's clock advances."""
SLOT: Final = timedelta(minutes=30)
_MOST_LINES: Final = 30
MOST_OF_ONE: Final = 20


@dataclass(frozen=True)
class Line:
    """A line of the cart. `each` is the unit price with options; `label` is unique in the cart."""

    id: int
    dish: int
    name: str
    chosen: str
    quantity: int
    each: int
    note: str
    label: str

    @property
    def price(self) -> int:
        return self.each * self.quantity


@dataclass(frozen=True)
class Sums:
    """What an order costs. The total is exactly the sum of its parts."""

    subtotal: int
    discount: int
    fee: int
    tip: int

    @property
    def total(self) -> int:
        return self.subtotal - self.discount + self.fee + self.tip


# --- hours -----------------------------------------------------------------------------------------------------------


def is_open(restaurant: sqlite3.Row, moment: datetime) -> bool:
    """Whether a restaurant is open at a moment."""
    clock = f"{moment:%H:%M}"
    return bool(moment.weekday() != restaurant["rests"] and restaurant["opens"] <= clock < restaurant["closes"])


def slots(restaurant: sqlite3.Row, day: str, now: datetime) -> list[str]:
    """Half hours of a day in which a restaurant can deliver, by their start."""
    at, end = (datetime.fromisoformat(f"{day}T{restaurant[name]}:00") for name in ("opens", "closes"))
    if at.weekday() == restaurant["rests"]:
        return []
    earliest = now + timedelta(minutes=restaurant["slow"])
    starts = []
    at += SLOT
    while at + SLOT <= end:
        if at >= earliest:
            starts.append(at.isoformat())
        at += SLOT
    return starts


# --- the cart --------------------------------------------------------------------------------------------------------


def cart(db: Database) -> sqlite3.Row:
    """The cart without its lines."""
    row = db.row("SELECT * FROM cart WHERE id = ?", CART)
    assert row is not None
    return row


def lines(db: Database) -> list[Line]:
    """The lines of the cart, in the order in which they were added."""
    cart_lines: list[Line] = []
    labels: set[str] = set()
    for row in db.rows(
        "SELECT l.*, d.name, d.price FROM cart_lines l JOIN dishes d ON d.id = l.dish ORDER BY l.id LIMIT ?",
        _MOST_LINES,
    ):
        options = db.rows(
            "SELECT o.name, o.price FROM cart_options c JOIN options o ON o.id = c.option WHERE c.line = ? "
            "ORDER BY o.id",
            row["id"],
        )
        chosen = ", ".join(option["name"] for option in options)
        label = base = f"{row['name']} ({chosen})" if chosen else row["name"]
        number = 1
        while label in labels:
            number += 1
            label = f"{base} no. {number}"
        labels.add(label)
        each = row["price"] + sum(option["price"] for option in options)
        cart_lines.append(Line(row["id"], row["dish"], row["name"], chosen, row["quantity"], each, row["note"], label))
    return cart_lines


def put(db: Database, dish: int, options: Sequence[int], quantity: int, note: str) -> None:
    """Adds a dish to the cart; with the same options and note it increases the quantity of the existing line."""
    restaurant = db.one("SELECT restaurant FROM dishes WHERE id = ?", dish)
    if cart(db)["restaurant"] not in (None, restaurant):
        clear(db)
    db.run("UPDATE cart SET restaurant = ?", restaurant)
    wanted = sorted(options)
    for line in db.rows("SELECT * FROM cart_lines WHERE dish = ? AND note = ? ORDER BY id", dish, note):
        if db.column("SELECT option FROM cart_options WHERE line = ? ORDER BY option", line["id"]) == wanted:
            more = min(line["quantity"] + quantity, MOST_OF_ONE)
            db.run("UPDATE cart_lines SET quantity = ? WHERE id = ?", more, line["id"])
            return
    number = db.insert("cart_lines", dish=dish, quantity=quantity, note=note)
    db.many("INSERT INTO cart_options VALUES (?, ?)", [(number, option) for option in wanted])


def is_full(db: Database) -> bool:
    """Whether the cart has no room for another line."""
    return bool(db.one("SELECT count(*) FROM cart_lines") >= _MOST_LINES)


def take_out(db: Database, line: int) -> None:
    """Removes a line from the cart. An empty cart loses all its checkout settings."""
    db.run("DELETE FROM cart_lines WHERE id = ?", line)
    if not db.one("SELECT count(*) FROM cart_lines"):
        clear(db)


def clear(db: Database) -> None:
    """Empties the cart."""
    db.run("DELETE FROM cart_lines")
    db.run(_EMPTY)


def address(db: Database) -> sqlite3.Row | None:
    """The delivery address: the one chosen for the cart, or the default."""
    sql = "SELECT a.* FROM addresses a, cart c ORDER BY a.id = c.address DESC, a.is_default DESC, a.id"
    return db.row(sql)


def method(db: Database) -> sqlite3.Row | None:
    """The payment method: the one chosen for the cart, or the default."""
    return db.row("SELECT m.* FROM methods m, cart c ORDER BY m.id = c.method DESC, m.is_default DESC, m.id")


def promo_fault(db: Database, promo: sqlite3.Row, restaurant: int | None, subtotal: int) -> str | None:
    """Why a promo code cannot be used for this cart, or None. The page fills in amounts: `{}` is the minimum."""
    if promo["used"]:
        return "You have used this code already"
    if promo["until"] < f"{db.now:%Y-%m-%d}":
        return "This code has expired"
    if promo["cuisine"] is not None:
        cooked = db.one("SELECT cuisine FROM restaurants WHERE id = ?", restaurant)
        if cooked != promo["cuisine"]:
            name = db.one("SELECT name FROM cuisines WHERE id = ?", promo["cuisine"])
            return f"This code is for {name} only"
    if subtotal < promo["minimum"]:
        return "This code needs an order of at least {}"
    return None


def sums(db: Database) -> Sums:
    """What the cart costs now. A promo code whose conditions are no longer met takes nothing off."""
    row = cart(db)
    subtotal = sum(line.price for line in lines(db))
    if row["restaurant"] is None:
        return Sums(0, 0, 0, 0)
    fee = db.one("SELECT fee FROM restaurants WHERE id = ?", row["restaurant"])
    discount = 0
    promo = db.row("SELECT * FROM promos WHERE code = ?", row["promo"])
    if promo is not None and promo_fault(db, promo, row["restaurant"], subtotal) is None:
        discount = discounted(promo["kind"], promo["value"], subtotal, fee)
    tip = row["tip_amount"] or share(subtotal, row["tip_percent"])
    return Sums(subtotal, discount, fee, tip)


def discounted(kind: str, value: int, subtotal: int, fee: int) -> int:
    """The discount of a promo code: a percentage, an amount, or the delivery fee."""
    if kind == "percent":
        return share(subtotal, value)
    return fee if kind == "delivery" else min(value, subtotal)


def share(amount: int, percent: int) -> int:
    """A percentage of an amount, rounded to the smallest coin."""
    return (amount * percent + 50) // 100


# --- orders ----------------------------------------------------------------------------------------------------------


def order_fault(db: Database) -> str | None:
    """Why the cart cannot be ordered now, or None; `{}` stands for the restaurant's minimum."""
    row = cart(db)
    restaurant = db.row("SELECT * FROM restaurants WHERE id = ?", row["restaurant"])
    if restaurant is None or not lines(db):
        return "Your cart is empty"
    if sums(db).subtotal < restaurant["minimum"]:
        return "The minimum for an order here is {}"
    if address(db) is None:
        return "Add an address to deliver to"
    if method(db) is None:
        return "Add a way to pay"
    if row["slot"] is None and not is_open(restaurant, db.now):
        return f"{restaurant['name']} is closed now: choose a time"
    if row["slot"] is not None and row["slot"] not in slots(restaurant, row["slot"][:10], db.now):
        return "The time that you chose is not possible any more"
    promo = db.row("SELECT * FROM promos WHERE code = ?", row["promo"])
    if promo is not None and promo_fault(db, promo, row["restaurant"], sums(db).subtotal) is not None:
        return f"The code {promo['code']} does not fit this order: take it out"
    return None


def place(db: Database) -> int:
    """Turns the cart into an order, empties it, and returns the order's id. The cart must have no `order_fault`."""
    row, costs, to, pay = cart(db), sums(db), address(db), method(db)
    restaurant = db.row("SELECT * FROM restaurants WHERE id = ?", row["restaurant"])
    assert restaurant is not None and to is not None and pay is not None
    now = db.now
    due = row["slot"] or (now + timedelta(minutes=restaurant["slow"])).isoformat()
    couriers = db.column("SELECT DISTINCT courier FROM orders ORDER BY courier")
    number = db.insert(
        "orders", restaurant=row["restaurant"], placed=now.isoformat(), slot=row["slot"], due=due, label=to["label"],
        street=to["street"], area=to["area"], door=to["door"], method=pay["label"], subtotal=costs.subtotal,
        fee=costs.fee, discount=costs.discount, tip=costs.tip, total=costs.total, promo=row["promo"] or "",
        note=row["note"], cutlery=row["cutlery"], at_door=row["at_door"],
        courier=couriers[row["restaurant"] % len(couriers)] if couriers else "", cancelled=0,
    )  # fmt: skip
    for line in lines(db):
        added = db.insert(
            "order_lines", of_order=number, dish=line.dish, name=line.name, chosen=line.chosen,
            quantity=line.quantity, price=line.each, note=line.note,
        )  # fmt: skip
        db.run("INSERT INTO order_options SELECT ?, option FROM cart_options WHERE line = ?", added, line.id)
    if row["promo"]:
        db.run("UPDATE promos SET used = 1 WHERE code = ?", row["promo"])
    text = f"{restaurant['name']} has your order {order_number(number)}."
    db.insert("notices", title="Order placed", text=text, time=now.isoformat(), of_order=number, seen=0)
    clear(db)
    return number


def reorder(db: Database, order: int) -> list[str]:
    """Replaces the cart by the dishes of a past order. Returns the names of dishes that are sold out."""
    clear(db)
    missing = []
    for line in db.rows(
        "SELECT l.*, d.sold_out FROM order_lines l JOIN dishes d ON d.id = l.dish WHERE of_order = ? ORDER BY l.id",
        order,
    ):
        if line["sold_out"]:
            missing.append(str(line["name"]))
            continue
        options = db.column("SELECT option FROM order_options WHERE line = ?", line["id"])
        put(db, line["dish"], options, line["quantity"], line["note"])
    return missing


def status(order: sqlite3.Row, now: datetime) -> str:
    """The status of an order by the app's clock: Scheduled, one of `STEPS`, or Cancelled."""
    if order["cancelled"]:
        return "Cancelled"
    due = datetime.fromisoformat(order["due"])
    begins = datetime.fromisoformat(order["placed"])
    if order["slot"]:
        begins = max(begins, due - timedelta(minutes=45))
        if now < begins:
            return "Scheduled"
    if now >= due:
        return STEPS[3]
    if now < begins + timedelta(minutes=4):
        return STEPS[0]
    return STEPS[1] if now < begins + (due - begins) / 2 else STEPS[2]


def order_number(order: int) -> str:
    """The displayed number of an order, such as `E-1042`."""
    return f"E-{1000 + order}"
