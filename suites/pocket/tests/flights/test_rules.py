"""Money and rules of bookings: what fares, bags, changes and cancellations cost."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from fairground_pocket.flights import store
from fairground_pocket.flights.app import Flights
from fairground_pocket.kit import Database, Hand, Phone

pytestmark = pytest.mark.conformance


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(Flights().content("george-bristol"))
    yield database
    database.close()


def nonstop(db: Database, days: int = 10) -> sqlite3.Row:
    home = db.setting("home")
    row = db.row("SELECT * FROM flights WHERE origin = ? AND substr(departs, 1, 10) = date(?, ?) ORDER BY id LIMIT 1",
                 home, db.now.isoformat(), f"+{days} days")  # fmt: skip
    assert row is not None
    return row


def order(db: Database, flight: int, fare: str = "standard", people: int = 2, **other: int) -> store.Order:
    travellers = db.column("SELECT id FROM travellers WHERE email != '' ORDER BY id LIMIT ?", people)
    bags, points = other.get("bags", 0), other.get("points", 0)
    return store.Order({"out": (flight,)}, "economy", fare, tuple(travellers), bags, 1, points, "a@b.example")


def booking(db: Database, number: int) -> sqlite3.Row:
    row = db.row("SELECT * FROM bookings WHERE id = ?", number)
    assert row is not None
    return row


def test_a_dearer_fare_and_cabin_cost_more_and_light_economy_is_the_price_shown(db: Database) -> None:
    price = nonstop(db)["price"]
    prices = [store.flight_price(db, price, cabin, fare) for cabin in ("economy", "premium", "business")
              for fare in ("light", "standard", "flexible")]  # fmt: skip
    assert prices[0] == price and prices[:3] == sorted(prices[:3]) and len(set(prices)) == 9
    assert all(one % int(db.setting("price_step")) == 0 for one in prices)


def test_a_booking_is_paid_in_full_with_bags_and_without_what_points_pay(db: Database) -> None:
    flight = nonstop(db)["id"]
    had = store.balance(db)
    number = store.book(db, order(db, flight, bags=1, points=500))
    fares = 2 * store.flight_price(db, nonstop(db)["price"], "economy", "standard")
    bags = 2 * int(db.setting("bag_price"))
    paid = db.one("SELECT sum(amount) FROM payments WHERE booking = ?", number)
    assert paid == fares + bags - store.points_worth(db, 500) and store.balance(db) == had - 500


@pytest.mark.parametrize(("fare", "percent"), [("light", 0), ("standard", 60), ("flexible", 100)])
def test_a_cancellation_gives_back_what_the_fare_says_and_never_the_bags(db: Database, fare: str, percent: int) -> None:
    number = store.book(db, order(db, nonstop(db)["id"], fare, bags=2))
    fares = booking(db, number)["fare_total"]
    assert store.cancel(db, booking(db, number)) == fares * percent // 100
    assert booking(db, number)["status"] == "cancelled"


def test_a_change_costs_a_fee_for_each_and_the_difference_but_gives_nothing_back(db: Database) -> None:
    first = nonstop(db)
    others = db.rows("SELECT * FROM flights WHERE origin = ? AND destination = ? AND departs > ? ORDER BY price",
                     first["origin"], first["destination"], first["departs"][:10])  # fmt: skip
    cheap, dear = others[0], others[-1]
    number = store.book(db, order(db, cheap["id"]))
    fee = db.one("SELECT change_fee FROM fares WHERE key = 'standard'")
    difference = 2 * (store.flight_price(db, dear["price"], "economy", "standard")
                      - store.flight_price(db, cheap["price"], "economy", "standard"))  # fmt: skip
    assert store.change_price(db, booking(db, number), "out", [dear["id"]]) == (2 * fee, difference)
    store.change(db, booking(db, number), "out", [dear["id"]])
    assert store.change_price(db, booking(db, number), "out", [cheap["id"]]) == (2 * fee, 0)
    assert db.column("SELECT DISTINCT flight FROM coupons WHERE booking = ?", number) == [dear["id"]]


def test_a_child_pays_three_quarters(db: Database) -> None:
    flight = nonstop(db)
    adult = store.total_price(db, [flight["id"]], "economy", "light", 1, 0)
    child = store.total_price(db, [flight["id"]], "economy", "light", 0, 1)
    step = int(db.setting("price_step"))
    assert 0.75 * adult <= child < 0.75 * adult + step


@pytest.mark.parametrize("path", [
    "/fares?out=1.2.3", "/fares?out=999999", "/fares?out=x", "/checkout?out=1&cabin=economy&fare=gold",
    "/results?day=9999-12-31", "/review?out=1&cabin=economy&fare=light&travellers=1.1&adults=2", "/seats/1/99Z",
    "/rewards/castle",
])  # fmt: skip
def test_what_nobody_could_have_chosen_is_not_there(path: str) -> None:
    app = Flights()
    phone = Phone([app.site], "paper", lambda name: app.content("george-bristol"))
    assert Hand(phone.respond).open(f"/flights{path}").status == 404
