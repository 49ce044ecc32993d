"""Questions about the food delivery app."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.eats.scenarios.finding import NTH, PLACE, WISH, dish, open_order, open_place
from fairground_pocket.eats.scenarios.managing import WORLD
from fairground_pocket.kit import Answer, Database, Known, Task

_CODE = "SELECT value FROM settings WHERE name = 'currency'"
_UNIT = "CASE (SELECT value FROM settings WHERE name = 'currency') WHEN 'JPY' THEN 1 WHEN 'COP' THEN 1 ELSE 100 END"


def money(amount: str) -> str:
    """SQL for an amount as an answer: `12.50 EUR`."""
    coins = f"printf('%d.%02d', ({amount}) / 100, ({amount}) % 100)"
    return f"SELECT CASE {_UNIT} WHEN 1 THEN CAST(({amount}) AS TEXT) ELSE {coins} END || ' ' || ({_CODE})"


class OrderTotal(Task):
    """The total of an order."""

    name = "order-total"
    app = "eats"
    kind = "answer"
    template = "What did I pay in total for my order from {order.place} of {order.day}?"
    domain = {"nth": {f"no-{number}": number for number in (1, 4, 9, 14, 20, 26, 33, 41, 50, 60)}}
    facts = {
        "order": "SELECT o.id, o.total, r.name AS place, substr(o.placed, 1, 10) AS day FROM orders o JOIN "
        "restaurants r "
        "ON r.id = o.restaurant, clock WHERE o.cancelled = 0 AND o.due < now AND (SELECT count(*) FROM orders x WHERE "
        "x.restaurant = o.restaurant AND substr(x.placed, 1, 10) = substr(o.placed, 1, 10)) = 1 "
        "ORDER BY o.placed DESC LIMIT 1 OFFSET :nth"
    }
    answer = Answer(money(":order_total"), "money")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return open_order(known.order.id, known.order.place)


class DishPrice(Task):
    """The price of a dish with its options."""

    name = "dish-price"
    app = "eats"
    kind = "answer"
    template = "How much is one {dish.name} ({wish.names}) at {place.name}, without delivery?"
    domain = {"nth": {f"no-{number}": number for number in (1, 6, 10, 15, 17, 23, 28, 32, 37, 42)}, "pick": (1, 2)}
    most = 10
    facts = {
        "place": f"{PLACE} 1 ORDER BY r.name LIMIT 1 OFFSET :nth",
        "dish": dish("d.price DESC, d.id", 2),
        "wish": WISH,
    }
    answer = Answer(money(":wish_price"), "money")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*open_place(known.place.name), Tap(known.dish.name)]


class CountRestaurants(Task):
    """How many restaurants match two filters."""

    name = "count-restaurants"
    app = "eats"
    kind = "answer"
    template = "How many restaurants in {area} {words}? Answer with the number."
    domain = {
        "nth": (0, 1, 2, 3, 4),
        "filter": {
            "free": {"words": "deliver for free", "free": 1, "rating": 0, "price": 0, "chip": "Free delivery"},
            "good": {
                "words": "have a rating of 4.0 or more",
                "free": 0,
                "rating": 40,
                "price": 0,
                "chip": "4.0 and up",
            },
            "cheap": {"words": "are in the price class Budget", "free": 0, "rating": 0, "price": 1, "chip": "Budget"},
        },
    }
    most = 12
    _fits = "(:free = 0 OR fee = 0) AND rating >= :rating AND (:price = 0 OR price = :price)"
    facts = {
        # Several restaurants, because zero or one would be easy to guess.
        "area": f"SELECT area FROM restaurants WHERE {_fits} GROUP BY area HAVING count(*) >= 2 ORDER BY area LIMIT 1 "
        "OFFSET :nth"
    }
    answer = Answer(f"SELECT count(*) FROM restaurants WHERE area = :area AND {_fits}")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("Search"), Tap("Filters"), Tap(known.area), Tap(known.chip), Tap("Show results")]


class ClosingTime(Task):
    """The closing time of a restaurant."""

    name = "closing-time"
    app = "eats"
    kind = "answer"
    template = "At what time does {place.name} close on a day when it is open?"
    domain = {"nth": {f"no-{number}": number for number in (0, 5, 7, 12, 16, 20, 24, 27, 35, 41)}}
    facts = {"place": f"{PLACE} 1 ORDER BY r.ratings, r.id LIMIT 1 OFFSET :nth"}
    answer = Answer("SELECT closes FROM restaurants WHERE id = :place_id", "time")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*open_place(known.place.name), Tap("About this restaurant")]


class FastestPlace(Task):
    """The restaurant with the fastest delivery."""

    name = "fastest-place"
    app = "eats"
    kind = "answer"
    template = "Which {cuisine} restaurant promises the shortest delivery time? Answer with its name."
    domain = {"cuisine": WORLD}
    answer = Answer(
        "SELECT r.name FROM restaurants r JOIN cuisines c ON c.id = r.cuisine WHERE c.name = :cuisine "
        "ORDER BY r.fast LIMIT 1",
        "text",
        among="SELECT name FROM restaurants",
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("Search"), Tap("Filters"), Tap(known.cuisine), Tap("Shortest delivery"), Tap("Show results")]


class MonthSpent(Task):
    """The amount spent in a month."""

    name = "month-spent"
    app = "eats"
    kind = "answer"
    template = "How much did I spend on orders that were placed in {words}, not counting cancelled ones?"
    domain = {"nth": NTH}
    facts = {
        "month": "SELECT DISTINCT substr(placed, 1, 7) FROM orders WHERE cancelled = 0 ORDER BY 1 DESC LIMIT 1 "
        "OFFSET :nth",
        "words": "SELECT trim(substr('January  February March    April    May      June     July     August   September"
        "October  November December ', 9 * substr(:month, 6, 2) - 8, 9)) || ' ' || substr(:month, 1, 4)",
    }
    answer = Answer(
        money("SELECT sum(total) FROM orders WHERE cancelled = 0 AND substr(placed, 1, 7) = :month"), "money"
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("Orders"), Tap("Spending by month"), Tap(f"{date.fromisoformat(known.month + '-01'):%B %Y}")]


class OfferEnds(Task):
    """The last day of a promo code."""

    name = "offer-ends"
    app = "eats"
    kind = "answer"
    template = "Until which date is the promo code {promo.code} valid?"
    domain = {"nth": NTH}
    facts = {"promo": "SELECT code, until FROM promos ORDER BY code LIMIT 1 OFFSET :nth"}
    answer = Answer("SELECT :promo_until", "date")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("Offers"), Tap(known.promo.code)]


class CourierName(Task):
    """The courier of an order."""

    name = "courier-name"
    app = "eats"
    kind = "answer"
    template = (
        "Who was the courier of my order from {order.place} of {order.day}? Answer with the name as the app writes it."
    )
    domain = {"nth": {f"no-{number}": number for number in (0, 3, 7, 11, 16, 22, 29, 37, 45, 55)}}
    facts = {
        "order": "SELECT o.id, o.courier, r.name AS place, substr(o.placed, 1, 10) AS day FROM orders o JOIN "
        "restaurants r "
        "ON r.id = o.restaurant, clock WHERE o.cancelled = 0 AND o.due < now AND (SELECT count(*) FROM orders x WHERE "
        "x.restaurant = o.restaurant AND substr(x.placed, 1, 10) = substr(o.placed, 1, 10)) = 1 "
        "ORDER BY o.placed DESC LIMIT 1 OFFSET :nth"
    }
    answer = Answer("SELECT :order_courier", "text", among="SELECT DISTINCT courier FROM orders")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return open_order(known.order.id, known.order.place)


class ReviewWords(Task):
    """What the owner wrote about an order."""

    name = "review-words"
    app = "eats"
    kind = "answer"
    template = "What did I write in my review of order E-{number}? Answer with my words."
    domain = {"nth": {f"no-{number}": number for number in (0, 2, 5, 8, 11, 14, 17, 20, 23, 26)}}
    facts = {
        "review": "SELECT v.of_order, v.text, r.name AS place FROM reviews v JOIN restaurants r ON r.id = v.restaurant "
        "WHERE v.of_order IS NOT NULL ORDER BY v.of_order DESC LIMIT 1 OFFSET :nth",
        "number": "SELECT 1000 + :review_of_order",
    }
    answer = Answer("SELECT :review_text", "text", among="SELECT DISTINCT text FROM reviews")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return open_order(known.review.of_order, known.review.place)


class VeganDishes(Task):
    """The vegan dishes of a restaurant."""

    name = "vegan-dishes"
    app = "eats"
    kind = "answer"
    template = "Which dishes under “{section.name}” at {section.place} are vegan? Name all of them."
    domain = {"nth": NTH}
    facts = {
        "section": "SELECT s.id, s.name, r.name AS place FROM sections s JOIN restaurants r ON r.id = s.restaurant "
        "JOIN dishes d ON d.section = s.id WHERE s.name != 'Drinks' GROUP BY s.id HAVING sum(d.vegan) BETWEEN 2 AND 4 "
        "AND count(*) > sum(d.vegan) ORDER BY r.ratings, s.id LIMIT 1 OFFSET :nth"
    }
    answer = Answer(
        "SELECT name FROM dishes WHERE section = :section_id AND vegan = 1",
        "list",
        among="SELECT name FROM dishes WHERE section = :section_id",
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*open_place(known.section.place), Tap("Vegan")]


class TimesOrdered(Task):
    """How often the owner ordered from a restaurant."""

    name = "times-ordered"
    app = "eats"
    kind = "answer"
    template = "How many orders have I placed with {place.name} so far, all included? Answer with the number."
    domain = {"nth": NTH}
    facts = {
        "place": f"{PLACE} (SELECT count(*) FROM orders o WHERE o.restaurant = r.id) > 1 ORDER BY r.name LIMIT 1 "
        f"OFFSET :nth"
    }
    answer = Answer("SELECT count(*) FROM orders WHERE restaurant = :place_id")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("Orders"), Fill("Search orders", known.place.name)]
