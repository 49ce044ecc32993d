"""Tasks about ordering: from a restaurant to a placed order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.eats.checkout import slot_words
from fairground_pocket.eats.scenarios.finding import (
    AT,
    CHOICES,
    LINES,
    NEW,
    NTH,
    OPEN,
    ORDERED,
    PLACE,
    WISH,
    checkout,
    dish,
    enough,
    open_place,
    order,
    put,
    wished,
)
from fairground_pocket.kit import Change, Database, Expect, Known, Task, formats

_ONE_LINE = Expect("the right dish, with the right options", LINES, "{dish.id} x{quantity} {wish.names}|")


class OrderDish(Task):
    """Order a dish with its required options, as soon as possible."""

    name = "order-dish"
    app = "eats"
    template = (
        "Order {quantity} x {dish.name} ({wish.names}) from {place.name}. Deliver it as soon as possible to my default "
        "address and use my default payment method, without a tip."
    )
    domain = {"nth": NTH, "count": (1, 2, 3), "pick": (0, 1, 2)}
    most = 10
    facts = {
        "place": f"{PLACE} {OPEN} ORDER BY r.ratings DESC, r.id LIMIT 1 OFFSET :nth",
        "dish": dish("d.popular DESC, d.id", 1),
        "wish": WISH,
        "quantity": enough(),
    }
    expect = (ORDERED, AT, _ONE_LINE)
    allowed = order()

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*wished(known), *checkout(), Tap("Place order")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        other_address = data.one("SELECT label FROM addresses WHERE is_default = 0 ORDER BY id LIMIT 1")
        return {
            "left in the cart": wished(known),
            "with a tip": [*wished(known), *checkout(), Tap("Tip for the courier"), Tap("5%"), Tap("Place order")],
            "elsewhere": [
                *wished(known), *checkout(), Tap("Deliver to"), Tap(f"Deliver to {other_address}"), Tap("Place order"),
            ],
        }  # fmt: skip


class OrderWithExtras(Task):
    """Order a dish with an extra and a note to the kitchen."""

    name = "order-with-extras"
    app = "eats"
    template = (
        "Get me {quantity} x {dish.name} from {place.name}: {wish.names}, with {extra.name} on top, and the note for "
        "the kitchen “{note}”. As soon as possible, default address and payment, no tip."
    )
    domain = {
        "note": (
            "No onions", "Sauce on the side", "Less salt", "Cut it in half", "Extra crispy", "No coriander",
            "Pack it separately", "Well done", "Very little oil", "Please no sesame",
        ),
        "nth": (0, 1, 2, 3, 4), "count": (1, 2), "pick": (1, 0, 2),
    }  # fmt: skip
    most = 10
    facts = {
        "place": f"{PLACE} {OPEN} AND EXISTS (SELECT 1 FROM dishes d WHERE d.restaurant = r.id AND d.sold_out = 0 AND "
        f"({CHOICES} AND c.required = 1) > 0 AND ({CHOICES} AND c.required = 0) = 1) "
        "ORDER BY r.rating DESC, r.id LIMIT 1 OFFSET :nth",
        "dish": dish("d.price DESC, d.id", where=f"({CHOICES} AND c.required = 0) = 1"),
        "wish": WISH,
        "extra": "SELECT o.id, o.name, o.price FROM options o JOIN choices c ON c.id = o.choice JOIN section_choices s "
        "ON s.choice = c.id WHERE s.section = :dish_section AND c.required = 0 ORDER BY o.id LIMIT 1 OFFSET :pick % 2",
        "chosen": "SELECT group_concat(name, ', ') FROM (SELECT o.id, o.name FROM options o JOIN choices c ON "
        "c.id = o.choice JOIN section_choices s ON s.choice = c.id WHERE s.section = :dish_section AND "
        "(o.id = :extra_id OR (c.required = 1 AND instr(', ' || :wish_names || ',', ', ' || o.name || ','))) "
        "ORDER BY o.id)",
        "quantity": enough(price="(:wish_price + :extra_price)"),
    }
    expect = (
        ORDERED,
        AT,
        Expect("the right dish, options and note", LINES, "{dish.id} x{quantity} {chosen}|{note}"),
    )
    allowed = order()

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [
            *open_place(known.place.name), *put(known.dish.name, known.chosen, known.quantity, known.note),
            *checkout(), Tap("Place order"),
        ]  # fmt: skip

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        into = put(known.dish.name, known.chosen, known.quantity)
        note: list[Move] = [
            Tap("View cart"), Tap("Note for the restaurant"), Fill("Note for the restaurant", known.note),
            Tap("Save note"), Tap("Go to checkout"), Tap("Place order"),
        ]  # fmt: skip
        return {"the note elsewhere": [*open_place(known.place.name), *into, *note]}


class ScheduleOrder(Task):
    """Order a dish for a later time."""

    name = "schedule-order"
    app = "eats"
    template = (
        "Order {quantity} x {dish.name} ({wish.names}) from {place.name} for {day}, delivered between {clock} and half "
        "an hour later. Default address, default payment, no tip."
    )
    domain = {
        "nth": {f"no-{number}": number for number in (3, 8, 11, 14, 19, 22, 26, 29, 31, 5)},
        "when": {
            "tomorrow": {"day": "tomorrow", "ahead": "+1 day"},
            "day-after": {"day": "the day after tomorrow", "ahead": "+2 days"},
            "in-three-days": {"day": "the day in three days from now", "ahead": "+3 days"},
        },
        "clock": ("13:00", "14:30", "16:00", "12:30", "17:00"), "pick": (0, 1), "count": (1, 2),
    }  # fmt: skip
    most = 10
    facts = {
        "place": f"{PLACE} r.rests != (strftime('%w', now, :ahead) + 6) % 7 ORDER BY r.id LIMIT 1 OFFSET :nth",
        "dish": dish("d.id", 2),
        "wish": WISH,
        "quantity": enough(),
        "slot": "SELECT strftime('%Y-%m-%dT', now, :ahead) || :clock || ':00' FROM clock",
    }
    expect = (
        ORDERED, AT, _ONE_LINE,
        Expect("at the right time", f"SELECT slot FROM after.orders WHERE id = {NEW}", "{slot}", weight=2),
    )  # fmt: skip
    allowed = order(slot="slot = :slot")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*wished(known), *checkout(), *at(known.slot), Tap("Place order")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        moment = datetime.fromisoformat(known.slot)
        late = moment.replace(hour=moment.hour + (moment.minute == 30), minute=30 - moment.minute)
        return {"half an hour later": [*wished(known), *checkout(), *at(late.isoformat()), Tap("Place order")]}


def at(slot: str) -> list[Move]:
    """At the checkout: sets the delivery time."""
    return [Tap("When"), Tap(formats.day_in_full(datetime.fromisoformat(slot))), Tap(slot_words(slot))]


class OrderWithCode(Task):
    """Order with a given promo code."""

    name = "order-with-code"
    app = "eats"
    template = (
        "Order {quantity} x {dish.name} ({wish.names}) from {place.name} with the promo code {promo.code}. "
        "As soon as possible, default address and payment, no tip."
    )
    domain = {"at": {f"code-{number + 1}": number for number in range(8)}, "nth": (0, 1), "pick": (1, 2), "count": (1,)}
    most = 12
    facts = {
        "promo": "SELECT p.code, p.title, p.kind, p.value, p.minimum, p.cuisine FROM promos p, clock WHERE used = 0 "
        "AND until >= substr(now, 1, 10) ORDER BY code LIMIT 1 OFFSET :at",
        "place": f"{PLACE} {OPEN} AND (:promo_cuisine IS NULL OR r.cuisine = :promo_cuisine) AND "
        "(:promo_kind != 'delivery' OR r.fee > 0) ORDER BY r.ratings % 7, r.id LIMIT 1 OFFSET "
        "(CASE WHEN :promo_cuisine IS NULL THEN :nth + 3 ELSE 0 END)",
        "dish": dish("d.price DESC, d.id", 1),
        "wish": WISH,
        "quantity": enough("max(:place_minimum, :promo_minimum)"),
        "saved": "SELECT CASE :promo_kind WHEN 'percent' THEN (:quantity * :wish_price * :promo_value + 50) / 100 "
        "WHEN 'delivery' THEN :place_fee ELSE min(:promo_value, :quantity * :wish_price) END",
    }
    expect = (
        ORDERED, AT, _ONE_LINE,
        Expect("the code took off what it should", f"SELECT CAST(discount AS TEXT) FROM after.orders WHERE "
               f"id = {NEW} AND promo = :promo_code", weight=2, value="{saved}"),
    )  # fmt: skip
    allowed = (*order(promo="promo = :promo_code"), Change("promos", ("used",), "code = :promo_code"))

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        code: list[Move] = [Tap("Promo code"), Fill("Promo code", known.promo.code), Tap("Apply code")]
        return [*wished(known), Tap("View cart"), *code, Tap("Go to checkout"), Tap("Place order")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        code: list[Move] = [Tap("Promo code"), Fill("Promo code", known.promo.code), Tap("Apply code")]
        return {
            "without the code": [*wished(known), *checkout(), Tap("Place order")],
            "never placed": [*wished(known), Tap("View cart"), *code, Tap("Go to checkout")],
        }


class OrderWithOffer(OrderWithCode):
    """Order with a promo code that must be found among the offers."""

    name = "order-with-offer"
    template = (
        "I saw the offer “{promo.title}” in the app. Use its code for an order of {quantity} x {dish.name} "
        "({wish.names}) from {place.name}. As soon as possible, default address and payment, no tip."
    )
    domain = {
        "at": {f"offer-{number + 1}": number for number in range(8)},
        "nth": (5, 2),
        "pick": (0, 1),
        "count": (2,),
    }

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        use: list[Move] = [Tap("Promo code"), Tap(f"Use {known.promo.code}")]
        return [*wished(known), Tap("View cart"), *use, Tap("Go to checkout"), Tap("Place order")]


class OrderElsewhere(Task):
    """Order with another address, another payment method and a tip."""

    name = "order-elsewhere"
    app = "eats"
    template = (
        "Order {quantity} x {dish.name} ({wish.names}) from {place.name} to my address “{address.label}”, pay with "
        "{method.label} and tip the courier {percent}%. As soon as possible."
    )
    domain = {
        "nth": {f"no-{number}": number for number in (2, 5, 9, 1, 7, 10, 4, 8, 6, 3)}, "to": (0, 1, 2, 3),
        "with": (0, 1, 2), "percent": (5, 10, 15), "pick": (2, 0), "count": (1, 2),
    }  # fmt: skip
    most = 10
    facts = {
        "place": f"{PLACE} {OPEN} ORDER BY r.fee, r.id LIMIT 1 OFFSET :nth",
        "dish": dish("d.price, d.id", 3),
        "wish": WISH,
        "quantity": enough(),
        "address": "SELECT id, label, street FROM addresses WHERE is_default = 0 ORDER BY id LIMIT 1 OFFSET :to",
        "method": "SELECT id, label FROM methods WHERE is_default = 0 ORDER BY id LIMIT 1 OFFSET :with",
        "tip": "SELECT (:quantity * :wish_price * :percent + 50) / 100",
    }
    expect = (
        ORDERED, AT, _ONE_LINE,
        Expect("to the right address", f"SELECT street FROM after.orders WHERE id = {NEW}", "{address.street}"),
        Expect("paid as asked", f"SELECT method FROM after.orders WHERE id = {NEW}", "{method.label}"),
        Expect("with the right tip", f"SELECT CAST(tip AS TEXT) FROM after.orders WHERE id = {NEW}", "{tip}"),
    )  # fmt: skip
    allowed = order(label="label = :address_label", method="method = :method_label", tip="tip = :tip")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*wished(known), *checkout(), *_settled(known), Tap("Place order")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        other_tip = "5%" if known.percent != 5 else "10%"
        settled = _settled(known)[:-1]
        return {"another tip": [*wished(known), *checkout(), *settled, Tap(other_tip), Tap("Place order")]}


def _settled(known: Known) -> list[Move]:
    return [
        Tap("Deliver to"), Tap(f"Deliver to {known.address.label}"), Tap("Pay with"),
        Tap(f"Pay with {known.method.label}"), Tap("Tip for the courier"), Tap(f"{known.percent}%"),
    ]  # fmt: skip


class OrderCheapest(Task):
    """Order the cheapest dish of a section, which must be found first."""

    name = "order-cheapest"
    app = "eats"
    template = (
        "Which is the cheapest dish under “{section.name}” at {place.name}? Order {quantity} of it, as soon as "
        "possible, to my default address, with my default payment method and no tip."
    )
    domain = {"nth": NTH, "count": (1, 2, 3)}
    most = 10
    facts = {
        "section": "SELECT s.id, s.name, s.restaurant FROM sections s JOIN restaurants r ON r.id = s.restaurant, clock "
        f"WHERE {OPEN} AND s.name != 'Drinks' AND NOT EXISTS (SELECT 1 FROM section_choices c WHERE c.section = s.id) "
        "AND (SELECT count(*) FROM dishes d WHERE d.section = s.id) >= 2 AND (SELECT max(sold_out) FROM dishes d WHERE "
        "d.section = s.id) = 0 AND (SELECT count(*) FROM dishes d WHERE d.section = s.id AND d.price = (SELECT "
        "min(e.price) FROM dishes e WHERE e.section = s.id)) = 1 ORDER BY s.restaurant % 5, s.id LIMIT 1 OFFSET :nth",
        "place": f"{PLACE} r.id = :section_restaurant",
        "dish": "SELECT id, name, price FROM dishes WHERE section = :section_id ORDER BY price LIMIT 1",
        "quantity": enough(price=":dish_price"),
    }
    expect = (ORDERED, AT, Expect("the cheapest dish, as often as asked", LINES, "{dish.id} x{quantity} |"))
    allowed = order()

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        into = put(known.dish.name, "", known.quantity)
        return [*open_place(known.place.name), *into, *checkout(), Tap("Place order")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        other_dish = data.one(
            "SELECT name FROM dishes WHERE section = ? ORDER BY price LIMIT 1 OFFSET 1", known.section.id
        )
        into = put(other_dish, "", known.quantity)
        return {"the next cheapest": [*open_place(known.place.name), *into, *checkout(), Tap("Place order")]}
