"""Tasks about the cart, and about orders that were made before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.eats.scenarios.finding import (
    AT,
    CART_EMPTIED,
    CHOICES,
    DISH,
    LINES,
    NEW,
    NTH,
    OPEN,
    ORDERED,
    PLACE,
    checkout,
    open_order,
    open_place,
    order,
    put,
    wish,
)
from fairground_pocket.eats.scenarios.ordering import at
from fairground_pocket.kit import Add, Change, Database, Expect, Known, Task

_CART = "SELECT group_concat(dish || ' x' || quantity || ' ' || note, ' & ') FROM (SELECT * FROM after.cart_lines ORDER BY dish)"
_PLAIN = f"SELECT d.id, d.name FROM dishes d WHERE d.restaurant = :place_id AND d.sold_out = 0 AND ({CHOICES}) = 0 "
_FILLED = {
    "cart_place": f"{PLACE} {OPEN} AND (SELECT count(*) FROM dishes d WHERE d.restaurant = r.id AND d.sold_out = 0 AND "
    f"({CHOICES}) = 0) >= 3 ORDER BY r.fast, r.id LIMIT 1 OFFSET :nth",
}


def _fill_cart(db: Database, known: Known) -> None:
    """A cart with three lines: twice the first, once the second, three of the third; enough for any minimum."""
    place = known.cart_place
    dishes = db.rows(
        f"SELECT d.id, d.price FROM dishes d WHERE d.restaurant = ? AND d.sold_out = 0 AND ({CHOICES}) = 0 "
        "ORDER BY d.price DESC, d.id LIMIT 3",
        place.id,
    )
    for dish, quantity in zip(dishes, (max(2, -(-place.minimum // dishes[0]["price"])), 1, 3), strict=True):
        db.insert("cart_lines", dish=dish["id"], quantity=quantity, note="")
    db.run("UPDATE cart SET restaurant = ?", place.id)


_LINE = "SELECT l.id, l.dish, l.quantity, d.name FROM cart_lines l JOIN dishes d ON d.id = l.dish ORDER BY l.id LIMIT 1 "
_IN_CART = {
    "place": f"{PLACE} r.id = (SELECT restaurant FROM cart)",
    "first": f"{_LINE} OFFSET 0",
    "second": f"{_LINE} OFFSET 1",
    "third": f"{_LINE} OFFSET 2",
}


class FillCart(Task):
    """Two dishes into the cart, and no order yet."""

    name = "fill-cart"
    app = "eats"
    template = (
        "Put {count} × {dish.name} ({wish.names}) and {number} × {drink.name} from {place.name} into my cart. "
        "Do not order yet, I want to look at it first."
    )
    domain = {
        "nth": {f"no-{number}": number for number in (0, 4, 9, 13, 18, 21, 25, 30, 34, 39)}, "count": (1, 2, 3),
        "number": (2, 1, 4), "pick": (0, 1, 2),
    }  # fmt: skip
    most = 10
    facts = {
        "place": f"{PLACE} 1 ORDER BY r.name, r.id LIMIT 1 OFFSET :nth",
        "dish": f"{DISH} ORDER BY d.id LIMIT 1 OFFSET 1",
        "wish": wish(),
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
        """One after the other."""
        dish, drink = put(known.dish.name, known.wish.names, known.count), put(known.drink.name, "", known.number)
        return [*open_place(known.place.name), *dish, *drink]


class ChangeCart(Task):
    """Another number of one dish, none of another."""

    name = "change-cart"
    app = "eats"
    template = (
        "In my cart, make it {wanted} × {first.name} instead of {first.quantity}, and take the {second.name} out. "
        "Leave the rest, and do not order yet."
    )
    domain = {"nth": NTH, "more": (1, 2, 3)}
    most = 10
    given = _FILLED
    inject = (_fill_cart,)
    facts = {**_IN_CART, "wanted": "SELECT :first_quantity + :more"}
    expect = (
        Expect("the number is right", "SELECT CAST(quantity AS TEXT) FROM after.cart_lines WHERE id = :first_id", "{wanted}"),
        Expect("the other dish is out", "SELECT count(*) = 0 FROM after.cart_lines WHERE dish = :second_dish"),
    )
    allowed = (Change("cart_lines", ("quantity",), "id = :first_id"), _CARTS_REMOVE := None)  # type: ignore[assignment]
