"""Tasks about booking flights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from fairground.worlds import Move, Tap
from fairground_pocket.flights.scenarios.finding import (
    CARD,
    CHEAPEST,
    CHILD,
    DAY,
    EARLIEST,
    FAR,
    FARES,
    FLIGHT,
    GROWN,
    HOME,
    LATEST,
    ME,
    NTH,
    ROUTE,
    days,
    option_name,
    pay,
    search,
    spoken,
)
from fairground_pocket.kit import Add, Database, Expect, Known, Task

NEW: Final = "(SELECT max(id) FROM after.bookings WHERE id NOT IN (SELECT id FROM before.bookings))"
_FLIGHTS: Final = (
    f"SELECT group_concat(part, ' ') FROM (SELECT DISTINCT leg || ':' || flight AS part FROM after.coupons WHERE "
    f"booking = {NEW} ORDER BY leg DESC, flight)"
)
_PEOPLE: Final = (
    f"SELECT group_concat(traveller, ' ') FROM (SELECT traveller FROM after.riders WHERE booking = {NEW} "
    "ORDER BY traveller)"
)


def booked(
    flights: str, people: str = "{me.id}", *, fare: str = "{fare}", cabin: str = "economy", bags: int | str = 0,
    card: str = "{card.id}", points: int | str = 0,
) -> tuple[Expect, ...]:  # fmt: skip
    """Checks for exactly one new booking, with these flights, travellers and payment."""
    return (
        Expect("one booking was made", "SELECT count(*) - (SELECT count(*) FROM before.bookings) FROM after.bookings"),
        Expect("on the right flights", _FLIGHTS, flights, weight=2),
        Expect("for the right people", _PEOPLE, people),
        Expect("in the right cabin", f"SELECT cabin FROM after.bookings WHERE id = {NEW}", cabin),
        Expect("at the right fare", f"SELECT fare FROM after.bookings WHERE id = {NEW}", fare),
        Expect(
            "with the right bags", f"SELECT '' || max(extra_bags) FROM after.riders WHERE booking = {NEW}", str(bags)
        ),
        Expect("with the right card", f"SELECT '' || card FROM after.payments WHERE booking = {NEW}", card),
        Expect(
            "with the right points",
            "SELECT '' || coalesce(-sum(points), 0) FROM after.points WHERE id NOT IN (SELECT id FROM before.points)",
            str(points),
        ),
        Expect(
            "confirmed to me",
            f"SELECT email = (SELECT value FROM before.settings WHERE name = 'address') FROM "
            f"after.bookings WHERE id = {NEW}",
        ),
    )


def one_booking(people: int = 1, flights: int = 1, points: bool = False) -> tuple[Add, ...]:
    """The changes that one booking may make."""
    new = "booking > (SELECT max(id) FROM before.bookings)"
    more = (Add("points", "points < 0"),) if points else ()
    return (
        Add("bookings", "status = 'confirmed'"), Add("riders", new, people), Add("coupons", new, people * flights),
        Add("payments", new), Add("notices", new), *more,
    )  # fmt: skip


def another_fare(known: Known) -> str:
    """A fare other than the requested one."""
    return next(name for name in ("Standard", "Light") if name != known.fare_name)


class BookCheapest(Task):
    """Book the cheapest nonstop flight of a day."""

    name = "book-cheapest"
    app = "flights"
    template = (
        "Book me the cheapest nonstop flight from {home.city} to {there.city} on {day.words}, one way in Economy with "
        "the {fare_name} fare. It's just me, no extra bags, no points, and my {card.name} pays."
    )
    domain = {
        "nth": {f"no-{n + 1}": n for n in range(12)},
        "ahead": days(5, 9, 16, 23, 30),
        "fare": FARES,
        "card_nth": (0,),
    }
    facts = {**ROUTE, "flight": CHEAPEST, "me": ME, "card": CARD}
    expect = booked("out:{flight.id}")
    allowed = one_booking()

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        way = search(known.there.place, known.day.words)
        return [*way, Tap("Cheapest"), Tap(option_name(known.flight)), Tap(f"Choose {known.fare_name}"), *pay()]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        way = [*search(known.there.place, known.day.words), Tap(option_name(known.flight))]
        return {
            "another fare": [*way, Tap(f"Choose {another_fare(known)}"), *pay()],
            "not paid": [*way, Tap(f"Choose {known.fare_name}"), Tap("Review and pay")],
        }


class BookForSomebody(Task):
    """Book the first flight of a day for another traveller."""

    name = "book-for-somebody"
    app = "flights"
    template = (
        "{person.name} needs to get from {home.city} to {there.city} on {day.words}. Book the first nonstop flight of "
        "that day for them alone, one way, Economy {fare_name}, without extra bags or points, on my {card.name}."
    )
    domain = {"nth": NTH, "who": (2, 5, 7, 0, 4, 8), "ahead": days(3, 7, 12, 18, 26), "fare": FARES, "card_nth": (0,)}
    facts = {**ROUTE, "flight": EARLIEST, "me": ME, "person": GROWN, "card": CARD}
    expect = booked("out:{flight.id}", "{person.id}")
    allowed = one_booking()

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        """Unticks the owner, who is ticked by default."""
        way = [*search(known.there.place, known.day.words), Tap(option_name(known.flight))]
        return [*way, Tap(f"Choose {known.fare_name}"), Tap(known.me.name), Tap(known.person.name), *pay()]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        way = [*search(known.there.place, known.day.words), Tap(option_name(known.flight))]
        return {"for me": [*way, Tap(f"Choose {known.fare_name}"), *pay()]}


class BookReturn(Task):
    """Book a return trip."""

    name = "book-return"
    app = "flights"
    template = (
        "Book me a return trip from {home.city} to {there.city}: out on {day.words}, back on {until.words}, "
        "nonstop and "
        "the cheapest flight each way, Economy {fare_name}. No extra bags, no points; charge my {card.name}."
    )
    domain = {
        "nth": {f"no-{n + 1}": n for n in range(11, 0, -1)},
        "ahead": days(4, 8, 15, 22),
        "stay": ("+3 days", "+6 days", "+10 days"),
        "fare": FARES,
        "card_nth": (0,),
    }
    facts = {
        **ROUTE,
        "until": f"SELECT date(:day_iso, :stay) AS iso, {spoken('date(:day_iso, :stay)')} AS words",
        "flight": CHEAPEST,
        "home_flight": f"{FLIGHT} WHERE origin = :there_code AND destination = :home_code AND substr(departs, 1, 10) = "
        ":until_iso AND cancelled = 0 ORDER BY price, id LIMIT 1",
        "me": ME,
        "card": CARD,
    }
    expect = booked("out:{flight.id} back:{home_flight.id}")
    allowed = one_booking(flights=2)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        way = search(known.there.place, known.day.words, back=known.until.words)
        legs: list[Move] = [Tap(option_name(known.flight)), Tap(option_name(known.home_flight))]
        return [*way, *legs, Tap(f"Choose {known.fare_name}"), *pay()]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        way = [*search(known.there.place, known.day.words), Tap(option_name(known.flight))]
        return {"one way": [*way, Tap(f"Choose {known.fare_name}"), *pay()]}


class BookForTwo(Task):
    """Book for two travellers with bags."""

    name = "book-for-two"
    app = "flights"
    template = (
        "{person.name} and I fly from {home.city} to {there.city} on {day.words} with the last nonstop flight of the "
        "day. Book it one way for the two of us in Economy {fare_name}, with {bag_words} for each of us. Use "
        "no points and pay with the {card.name}."
    )
    domain = {
        "nth": NTH,
        "who": (1, 3, 6, 8),
        "bags": {
            "one-bag": {"bags": 1, "bag_words": "one extra bag"},
            "two-bags": {"bags": 2, "bag_words": "two extra bags"},
        },
        "ahead": days(6, 11, 19, 27),
        "fare": FARES,
        "card_nth": (0,),
    }
    facts = {**ROUTE, "flight": LATEST, "me": ME, "person": GROWN, "card": CARD,
             "party": "SELECT min(:me_id, :person_id) || ' ' || max(:me_id, :person_id)"}  # fmt: skip
    expect = booked("out:{flight.id}", "{party}", bags="{bags}")
    allowed = one_booking(people=2)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        way = search(known.there.place, known.day.words, adults=2)
        who: list[Move] = [Tap(known.me.name), Tap(known.person.name)]
        bags: list[Move] = [Tap("More Extra bags each")] * known.bags
        return [*way, Tap(option_name(known.flight)), Tap(f"Choose {known.fare_name}"), *who, *bags, *pay()]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        way = search(known.there.place, known.day.words, adults=2)
        who: list[Move] = [Tap(known.me.name), Tap(known.person.name)]
        return {"no bags": [*way, Tap(option_name(known.flight)), Tap(f"Choose {known.fare_name}"), *who, *pay()]}


class BookCabin(Task):
    """Book a flight by its number, in a higher cabin, with another card."""

    name = "book-cabin"
    app = "flights"
    template = (
        "Book me on flight {flight.number} from {home.city} to {there.city} on {day.words}, one way, in "
        "{cabin_name} with the {fare_name} fare. Pay with my {card.name}, without points. No extra bags."
    )
    domain = {
        "nth": NTH, "fare": FARES, "ahead": days(7, 13, 21, 29), "card_nth": (1, 2),
        "cabin": {"business": {"cabin": "business", "cabin_name": "Business"},
                  "premium": {"cabin": "premium", "cabin_name": "Premium"}},
    }  # fmt: skip
    facts = {**ROUTE, "flight": LATEST, "me": ME, "card": CARD}
    expect = booked("out:{flight.id}", cabin="{cabin}")
    allowed = one_booking()

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        way = search(known.there.place, known.day.words, cabin=known.cabin_name)
        card: list[Move] = [Tap("Pay with"), Tap(known.card.name)]
        return [*way, Tap(option_name(known.flight)), Tap(f"Choose {known.fare_name}"), *card, *pay()]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        card: list[Move] = [Tap("Pay with"), Tap(known.card.name)]
        on: list[Move] = [Tap(option_name(known.flight)), Tap(f"Choose {known.fare_name}")]
        better = search(known.there.place, known.day.words, cabin=known.cabin_name)
        return {
            "in Economy": [*search(known.there.place, known.day.words), *on, *card, *pay()],
            "another card": [*better, *on, *pay()],
        }


class BookWithPoints(Task):
    """Book a flight and pay partly with points."""

    name = "book-with-points"
    app = "flights"
    template = (
        "Book me the cheapest nonstop flight to {there.city} on {day.words} from {home.city}, one way, Economy "
        "{fare_name}, no extra bags. Use {points} of my points and pay the rest with my {card.name}."
    )
    domain = {
        "nth": NTH,
        "points": (500, 1_000, 1_500, 2_000),
        "ahead": days(10, 14, 20, 33),
        "fare": FARES,
        "card_nth": (0,),
    }
    facts = {**ROUTE, "flight": CHEAPEST, "me": ME, "card": CARD}
    expect = booked("out:{flight.id}", points="{points}")
    allowed = one_booking(points=True)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        way = [*search(known.there.place, known.day.words), Tap(option_name(known.flight))]
        points: list[Move] = [Tap("Points to use"), Tap(f"{known.points:,} points")]
        return [*way, Tap(f"Choose {known.fare_name}"), *points, *pay()]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        way = [*search(known.there.place, known.day.words), Tap(option_name(known.flight))]
        return {"without points": [*way, Tap(f"Choose {known.fare_name}"), *pay()]}


class BookWithChild(Task):
    """Book for the owner and a child."""

    name = "book-with-child"
    app = "flights"
    template = (
        "I'm taking {child.name}, who is a child, from {home.city} to {there.city} on {day.words}. Book the cheapest "
        "nonstop flight for the two of us, one way, Economy {fare_name}, no extra bags, no points, on my {card.name}."
    )
    domain = {"nth": NTH, "who": (0, 1), "ahead": days(9, 17, 25, 31), "fare": FARES, "card_nth": (0,)}
    facts = {**ROUTE, "flight": CHEAPEST, "me": ME, "child": CHILD, "card": CARD,
             "party": "SELECT min(:me_id, :child_id) || ' ' || max(:me_id, :child_id)"}  # fmt: skip
    expect = booked("out:{flight.id}", "{party}")
    allowed = one_booking(people=2)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        """Books one adult and one child; the owner is ticked by default."""
        way = [*search(known.there.place, known.day.words, children=1), Tap(option_name(known.flight))]
        return [*way, Tap(f"Choose {known.fare_name}"), Tap(known.child.name), *pay()]


_WAYS: Final = """
flights a JOIN flights b ON b.origin = a.destination AND b.starts BETWEEN a.ends + 50 AND a.ends + 360
WHERE a.origin = :home_code AND b.destination = :there_code AND substr(a.departs, 1, 10) = :day_iso AND a.cancelled = 0
AND b.cancelled = 0
"""


class BookConnection(Task):
    """Book a trip with a connection."""

    name = "book-connection"
    app = "flights"
    template = (
        "There is no nonstop flight from {home.city} to {there.city}. Book me the cheapest connection that leaves on "
        "{day.words}, one way, Economy {fare_name}, no extra bags, no points, paid with my {card.name}."
    )
    domain = {"nth": {f"no-{n + 1}": n for n in range(5)}, "ahead": days(6, 12, 19), "fare": FARES, "card_nth": (0,)}
    facts = {
        "home": HOME, "there": FAR, "day": DAY,
        "way": "SELECT a.id AS one, b.id AS two, a.number || ' + ' || b.number || ', ' || substr(a.departs, 12, 5) AS "
        f"name, a.price + b.price AS price FROM {_WAYS} ORDER BY price, a.id, b.id LIMIT 1",
        "only": f"SELECT 'one' WHERE (SELECT count(*) FROM {_WAYS} AND a.price + b.price = :way_price) = 1",
        "flights": "SELECT 'out:' || min(:way_one, :way_two) || ' out:' || max(:way_one, :way_two)",
        "me": ME, "card": CARD,
    }  # fmt: skip
    expect = booked("{flights}")
    allowed = one_booking(flights=2)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        way = [*search(known.there.place, known.day.words), Tap("Cheapest"), Tap(known.way.name)]
        return [*way, Tap(f"Choose {known.fare_name}"), *pay()]


BOOKING: Final = (
    BookCheapest(), BookForSomebody(), BookReturn(), BookForTwo(), BookCabin(), BookWithPoints(), BookWithChild(),
    BookConnection(),
)  # fmt: skip
