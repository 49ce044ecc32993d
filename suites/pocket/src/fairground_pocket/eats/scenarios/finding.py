"""Shared by the tasks of the food delivery app: finding restaurants and dishes, and judging an order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.kit import Add, Expect, Known, Remove
from fairground_pocket.kit.changes import Allowance

NTH: Final = {f"no-{number + 1}": number for number in range(10)}
"""A domain of ten positions that the instruction does not mention."""

OPEN: Final = (
    "r.opens <= substr(now, 12, 5) AND r.closes > strftime('%H:%M', now, '+40 minutes') "
    "AND r.rests != (strftime('%w', now) + 6) % 7"
)
"""A restaurant that is open and does not close soon."""
PLACE: Final = "SELECT r.id, r.name, r.fee, r.minimum, r.phone FROM restaurants r, clock WHERE "
CHOICES: Final = "SELECT count(*) FROM section_choices s JOIN choices c ON c.id = s.choice WHERE s.section = d.section"
_DISH: Final = (
    "SELECT d.id, d.name, d.price, d.section FROM dishes d WHERE d.restaurant = :place_id AND d.sold_out = 0 AND "
    f"({CHOICES} AND c.required = 1) > 0"
)
_PICKED: Final = (
    "SELECT o.id, o.name, o.price FROM choices c JOIN section_choices s ON s.choice = c.id JOIN options o ON "
    "o.choice = c.id WHERE s.section = :dish_section AND c.required = 1 AND (SELECT count(*) FROM options x WHERE "
    "x.choice = c.id AND x.id < o.id) = :pick % (SELECT count(*) FROM options y WHERE y.choice = c.id) ORDER BY o.id"
)
WISH: Final = f"SELECT group_concat(name, ', ') AS names, :dish_price + sum(price) AS price FROM ({_PICKED})"
"""One option per required group of `dish`, selected by `pick`: the names, and the price with them."""


def dish(order: str, at: int = 0, where: str = "1") -> str:
    """SQL for a dish of `place` with required options: the one at position `at` of an order; `at` wraps around."""
    matching = f"{_DISH} AND {where}"
    return f"{matching} ORDER BY {order} LIMIT 1 OFFSET {at} % (SELECT max(1, count(*)) FROM ({matching}))"


def enough(least: str = ":place_minimum", count: str = ":count", price: str = ":wish_price") -> str:
    """SQL for a quantity: `count`, or more if that is below the minimum order."""
    return f"SELECT max({count}, ({least} + {price} - 1) / {price})"


NEW: Final = "(SELECT max(id) FROM after.orders WHERE id NOT IN (SELECT id FROM before.orders))"
ORDERED: Final = Expect(
    "one order was placed", "SELECT count(*) FROM after.orders WHERE id NOT IN (SELECT id FROM before.orders)"
)
AT: Final = Expect("at the right restaurant", f"SELECT restaurant = :place_id FROM after.orders WHERE id = {NEW}")
LINES: Final = (
    "SELECT group_concat(dish || ' x' || quantity || ' ' || chosen || '|' || note, ' & ') FROM "
    f"(SELECT * FROM after.order_lines WHERE of_order = {NEW} ORDER BY dish, id)"
)
DEFAULTS: Final = {
    "promo": "promo = ''", "slot": "slot IS NULL", "tip": "tip = 0", "note": "note = ''", "cutlery": "cutlery = 0",
    "at_door": "at_door = 0", "label": "label = (SELECT label FROM before.addresses WHERE is_default = 1)",
    "method": "method = (SELECT label FROM before.methods WHERE is_default = 1)",
}  # fmt: skip
"""Column -> SQL condition for an order with default settings."""


def order(*, restaurant: str = ":place_id", **asked: str) -> tuple[Allowance, ...]:
    """The changes that one order may make; `asked` says how it differs from the defaults, by column."""
    conditions = [f"restaurant = {restaurant}", *{**DEFAULTS, **asked}.values()]
    return (
        Add("orders", " AND ".join(conditions)),
        Add("order_lines", f"of_order = {NEW}", at_most=9),
        Add("order_options", f"line IN (SELECT id FROM after.order_lines WHERE of_order = {NEW})", at_most=40),
        Add("notices", f"of_order = {NEW}"),
    )


CART_EMPTIED: Final = (Remove("cart_lines"), Remove("cart_options"))


# --- moves -----------------------------------------------------------------------------------------------------------


def open_place(name: str) -> list[Move]:
    """From the first screen to a restaurant."""
    return [Tap("Search"), Fill("Search restaurants and dishes", name), Tap(name)]


def put(dish: str, options: Sequence[str] | str, quantity: int = 1, note: str = "") -> list[Move]:
    """From a restaurant: adds a dish to the cart."""
    names = options.split(", ") if isinstance(options, str) else options
    moves: list[Move] = [Tap(dish), *(Tap(name) for name in names if name)]
    if note:
        moves.append(Fill("Note for the kitchen", note))
    return [*moves, *[Tap("More Quantity")] * (quantity - 1), Tap("Add to cart")]


def checkout() -> list[Move]:
    """From a restaurant to the checkout."""
    return [Tap("View cart"), Tap("Go to checkout")]


def wished(known: Known) -> list[Move]:
    """From the first screen: adds the task's dish to the cart."""
    return [*open_place(known.place.name), *put(known.dish.name, known.wish.names, known.quantity)]


def open_order(number: int, place: str) -> list[Move]:
    """From the first screen to an order, by searching the history for its restaurant."""
    name = f"E-{1000 + number}, {place}"
    return [Tap("Orders"), Fill("Search orders", place), Tap(name)]
