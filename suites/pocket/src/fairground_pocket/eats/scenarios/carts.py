"""Tasks about the cart and past orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.eats.scenarios.finding import (
    AT,
    CART_EMPTIED,
    CHOICES,
    LINES,
    NEW,
    NTH,
    OPEN,
    ORDERED,
    PLACE,
    WISH,
    dish,
    open_order,
    open_place,
    order,
    put,
)
from fairground_pocket.eats.scenarios.ordering import at
from fairground_pocket.kit import Add, Change, Database, Expect, Known, Remove, Task

_PLAIN = f"SELECT d.id, d.name FROM dishes d WHERE d.restaurant = :place_id AND d.sold_out = 0 AND ({CHOICES}) = 0 "
_FILLED = {
    "cart_place": f"{PLACE} {OPEN} AND (SELECT count(*) FROM dishes d WHERE d.restaurant = r.id AND d.sold_out = 0 AND "
    f"({CHOICES}) = 0) >= 3 ORDER BY r.fast, r.id LIMIT 1 OFFSET :nth",
}


def _fill_cart(db: Database, known: Known) -> None:
    """A cart with three lines, of quantities two, one and three; enough for any minimum order."""
    place = known.cart_place
    dishes = db.rows(
        f"SELECT d.id, d.price FROM dishes d WHERE d.restaurant = ? AND d.sold_out = 0 AND ({CHOICES}) = 0 "
        "ORDER BY d.price DESC, d.id LIMIT 3",
        place.id,
    )
    for row, quantity in zip(dishes, (max(2, -(-place.minimum // dishes[0]["price"])), 1, 3), strict=True):
        db.insert("cart_lines", dish=row["id"], quantity=quantity, note="")
    db.run("UPDATE cart SET restaurant = ?", place.id)


_LINE = (
    "SELECT l.id, l.dish, l.quantity, d.name FROM cart_lines l JOIN dishes d ON d.id = l.dish ORDER BY l.id LIMIT 1 "
)
_IN_CART = {
    "place": f"{PLACE} r.id = (SELECT restaurant FROM cart)",
    "first": f"{_LINE} OFFSET 0",
    "second": f"{_LINE} OFFSET 1",
    "third": f"{_LINE} OFFSET 2",
}


class FillCart(Task):
    """Add two dishes to the cart without ordering."""

    name = "fill-cart"
    app = "eats"
    template = (
        "Put {count} x {dish.name} ({wish.names}) and {number} x {drink.name} from {place.name} into my cart. "
        "Do not order yet, I want to look at it first."
    )
    domain = {
        "nth": {f"no-{number}": number for number in (0, 4, 9, 13, 18, 21, 25, 30, 34, 39)}, "count": (1, 2, 3),
        "number": (2, 1, 4), "pick": (0, 1, 2),
    }  # fmt: skip
    most = 10
    facts = {
        "place": f"{PLACE} 1 ORDER BY r.name, r.id LIMIT 1 OFFSET :nth",
        "dish": dish("d.id", 1),
        "wish": WISH,
        "drink": f"{_PLAIN} ORDER BY d.id DESC LIMIT 1",
    }
    expect = (
        Expect("both are in the cart, nothing else",
               "SELECT count(*) = 2 AND sum(dish = :dish_id AND quantity = :count AND note = '') = 1 AND "
               "sum(dish = :drink_id AND quantity = :number AND note = '') = 1 FROM after.cart_lines"),
        Expect("with the right options",
               "SELECT group_concat(name, ', ') FROM (SELECT o.name FROM after.cart_options c JOIN after.options o ON "
               "o.id = c.option ORDER BY o.id)", "{wish.names}"),
    )  # fmt: skip
    allowed = (
        Add("cart_lines", "dish IN (:dish_id, :drink_id)", at_most=2), Add("cart_options", at_most=9),
        Change("cart", ("restaurant",)),
    )  # fmt: skip

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        food, drink = put(known.dish.name, known.wish.names, known.count), put(known.drink.name, "", known.number)
        return [*open_place(known.place.name), *food, *drink]


class ChangeCart(Task):
    """Change the quantity of one dish, and remove another."""

    name = "change-cart"
    app = "eats"
    template = (
        "In my cart, make it {wanted} x {first.name} instead of {first.quantity}, and take the {second.name} out. "
        "Leave the rest, and do not order yet."
    )
    domain = {"nth": NTH, "more": (1, 2, 3)}
    most = 10
    given = _FILLED
    inject = (_fill_cart,)
    facts = {**_IN_CART, "wanted": "SELECT :first_quantity + :more"}
    expect = (
        Expect(
            "the number is right",
            "SELECT CAST(quantity AS TEXT) FROM after.cart_lines WHERE id = :first_id",
            "{wanted}",
        ),
        Expect("the other dish is out", "SELECT count(*) = 0 FROM after.cart_lines WHERE dish = :second_dish"),
    )
    allowed = (Change("cart_lines", ("quantity",), "id = :first_id"), Remove("cart_lines", "id = :second_id"))

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        more = [Tap(f"More {known.first.name}")] * known.more
        return [Tap("Cart"), *more, *[Tap(f"Less {known.second.name}")] * known.second.quantity]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        more: list[Move] = [Tap(f"More {known.first.name}")] * known.more
        return {"another dish out": [Tap("Cart"), *more, *[Tap(f"Less {known.third.name}")] * known.third.quantity]}


class OrderCart(Task):
    """Order the cart with all checkout options set."""

    name = "order-cart"
    app = "eats"
    template = (
        "My cart is ready, please order it: as soon as possible to my default address, paid with {method.label}, "
        "{wishes}, no tip, and this note for the restaurant: “{note}”."
    )
    domain = {
        "note": (
            "Ring the bell twice", "Please pack it well", "It is a birthday", "No plastic bags, please",
            "Call when you are there", "The dog is friendly", "Please no straws", "Write the name Kim on it",
            "Two separate bags, please", "We are in a hurry",
        ),
        "nth": (0, 3, 6, 2, 8), "with": (1, 0, 2),
        "wishes": {
            "cutlery": {"wishes": "with cutlery, not left at the door", "cutlery": 1, "door": 0},
            "door": {"wishes": "left at the door, without cutlery", "cutlery": 0, "door": 1},
            "both": {"wishes": "with cutlery and left at the door", "cutlery": 1, "door": 1},
        },
    }  # fmt: skip
    most = 10
    given = _FILLED
    inject = (_fill_cart,)
    facts = {
        **_IN_CART,
        "method": "SELECT id, label FROM methods WHERE is_default = 0 ORDER BY id LIMIT 1 OFFSET :with",
    }
    expect = (
        ORDERED,
        AT,
        Expect("all that was in the cart", f"SELECT count(*) = (SELECT count(*) FROM before.cart_lines) AND "
               "sum((l.dish, l.quantity) IN (SELECT dish, quantity FROM before.cart_lines)) = count(*) FROM "
               f"after.order_lines l WHERE of_order = {NEW}"),
        Expect("paid as asked", f"SELECT method FROM after.orders WHERE id = {NEW}", "{method.label}"),
        Expect("delivered as asked", f"SELECT cutlery = :cutlery AND at_door = :door FROM after.orders WHERE id = "
        f"{NEW}"),
        Expect("with the note", f"SELECT note FROM after.orders WHERE id = {NEW}", "{note}"),
        Expect("the cart is empty", "SELECT count(*) = 0 FROM after.cart_lines"),
    )  # fmt: skip
    allowed = (
        *order(method="method = :method_label", note="note = :note", cutlery="cutlery = :cutlery", at_door="at_door "
        "= :door"),
        *CART_EMPTIED,
        Change("cart", ("restaurant",)),
    )  # fmt: skip

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        note: list[Move] = [
            Tap("Note for the restaurant"), Fill("Note for the restaurant", known.note), Tap("Save note"),
        ]  # fmt: skip
        pay: list[Move] = [Tap("Pay with"), Tap(f"Pay with {known.method.label}")]
        switches = [Tap("Cutlery and napkins")] * known.cutlery + [Tap("Leave at the door")] * known.door
        return [Tap("Cart"), *note, Tap("Go to checkout"), *pay, *switches, Tap("Place order")]


class OrderAgain(Task):
    """Reorder a past order for another day."""

    name = "order-again"
    app = "eats"
    template = (
        "I liked what I had the last time from {place.name}. Order exactly the same again for tomorrow between {clock} "
        "and half an hour later, to my default address with my default payment method and no tip."
    )
    domain = {"nth": NTH, "clock": ("13:00", "14:00", "12:30", "15:30", "16:30"), "ahead": {"tomorrow": "+1 day"}}
    most = 10
    facts = {
        "place": f"{PLACE} r.rests != (strftime('%w', now, :ahead) + 6) % 7 AND EXISTS (SELECT 1 FROM orders o WHERE "
        "o.restaurant = r.id) AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.restaurant = r.id AND (o.due > now)) AND "
        "(SELECT cancelled FROM orders o WHERE o.restaurant = r.id ORDER BY placed DESC LIMIT 1) = 0 "
        "ORDER BY r.name, r.id LIMIT 1 OFFSET :nth",
        "last": "SELECT id FROM orders WHERE restaurant = :place_id ORDER BY placed DESC LIMIT 1",
        "same": "SELECT group_concat(dish || ' x' || quantity || ' ' || chosen || '|' || note, ' & ') FROM "
        "(SELECT * FROM order_lines WHERE of_order = :last ORDER BY dish, id)",
        "slot": "SELECT strftime('%Y-%m-%dT', now, :ahead) || :clock || ':00' FROM clock",
    }
    expect = (
        ORDERED, AT, Expect("the same dishes", LINES, "{same}"),
        Expect("at the right time", f"SELECT slot FROM after.orders WHERE id = {NEW}", "{slot}"),
    )  # fmt: skip
    allowed = order(slot="slot = :slot")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        past = open_order(known.last, known.place.name)
        return [*past, Tap("Order again"), Tap("Go to checkout"), *at(known.slot), Tap("Place order")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        past = open_order(known.last, known.place.name)
        return {"only in the cart": [*past, Tap("Order again"), Tap("Go to checkout"), *at(known.slot)]}


def _schedule(db: Database, known: Known) -> None:
    """Two scheduled orders: copies of old ones, with their lines."""
    columns = (
        "restaurant, label, street, area, door, method, subtotal, fee, discount, tip, total, promo, note, cutlery, "
        "at_door, courier, cancelled"
    )
    for old, slot in ((known.old, known.slots.first), (known.decoy, known.slots.second)):
        new = db.run(
            f"INSERT INTO orders (placed, slot, due, {columns}) SELECT strftime('%Y-%m-%dT%H:%M:%S', now, '-20 "
            f"minutes'), ?, ?, {columns} FROM orders, clock WHERE id = ?",
            slot, slot, old.id,
        )  # fmt: skip
        db.run(
            "INSERT INTO order_lines (of_order, dish, name, chosen, quantity, price, note) SELECT ?, dish, name, "
            "chosen, quantity, price, note FROM order_lines WHERE of_order = ?",
            new, old.id,
        )  # fmt: skip


_OLD = (
    "SELECT max(o.id) AS id, o.restaurant FROM orders o WHERE o.cancelled = 0 AND o.restaurant NOT IN (SELECT "
    "x.restaurant FROM orders x, clock WHERE x.due > now) GROUP BY o.restaurant ORDER BY o.restaurant LIMIT 1 OFFSET "
)


class CancelScheduled(Task):
    """Cancel one of several scheduled orders."""

    name = "cancel-scheduled"
    app = "eats"
    template = "We are going out after all: cancel the order from {place.name} that is scheduled for {day}."
    domain = {"nth": NTH, "ahead": {"three": "+3 days", "four": "+4 days", "five": "+5 days"}}
    most = 10
    given = {
        "old": f"{_OLD} :nth",
        "decoy": f"{_OLD} (:nth + 1)",
        "slots": "SELECT strftime('%Y-%m-%dT13:00:00', now, :ahead) AS first, "
        "strftime('%Y-%m-%dT13:30:00', now, :ahead) AS second FROM clock",
    }
    inject = (_schedule,)
    facts = {
        "order": "SELECT id, restaurant FROM orders ORDER BY id DESC LIMIT 1 OFFSET 1",
        "place": f"{PLACE} r.id = :order_restaurant",
        "other": "SELECT o.id, r.name FROM orders o JOIN restaurants r ON r.id = o.restaurant ORDER BY o.id DESC "
        "LIMIT 1",
        "day": "SELECT date(now, :ahead) FROM clock",
    }
    expect = (
        Expect("it is cancelled", "SELECT cancelled FROM after.orders WHERE id = :order_id"),
        Expect("no other is", "SELECT sum(cancelled) - (SELECT sum(cancelled) FROM before.orders) FROM after.orders"),
    )
    allowed = (Change("orders", ("cancelled",), "id = :order_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*open_order(known.order.id, known.place.name), Tap("Cancel order"), Tap("Yes, cancel it")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        ask = open_order(known.order.id, known.place.name)
        return {
            "the other order": [
                *open_order(known.other.id, known.other.name),
                Tap("Cancel order"),
                Tap("Yes, cancel it"),
            ],
            "not confirmed": [*ask, Tap("Cancel order"), Tap("Close")],
            "taken back": [*ask, Tap("Cancel order"), Tap("Yes, cancel it"), Tap("Undo")],
        }
