"""The food delivery app by itself: sums, promo codes, hours, the way of an order, and what is refused."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.worlds import Fill, Tap
from fairground_pocket.eats import Eats, menus, store
from fairground_pocket.kit import PROFILES, Database, Hand, Phone
from fairground_pocket.kit.serving import Request

pytestmark = pytest.mark.conformance

PROFILE = "noah-toronto"
OPEN = "opens < '19:00' AND closes > '20:30' AND rests != 1"  # there it is Tuesday, 19:40
PLAIN = "sold_out = 0 AND NOT EXISTS (SELECT 1 FROM section_choices c WHERE c.section = d.section)"


@pytest.fixture
def phone() -> Iterator[Phone]:
    app = Eats()
    made = Phone([app.site], "paper", lambda _: app.content(PROFILE))
    yield made
    made.close()


@pytest.fixture
def db(phone: Phone) -> Database:
    return phone.database("eats")


@pytest.fixture
def hand(phone: Phone) -> Hand:
    return Hand(phone.respond, "/eats/")


def dish(db: Database, where: str = "1") -> sqlite3.Row:
    """A dish without options of an open restaurant."""
    sql = f"SELECT d.* FROM dishes d JOIN restaurants r ON r.id = d.restaurant WHERE {OPEN} AND {PLAIN} AND {where}"
    row = db.row(f"{sql} ORDER BY d.price DESC, d.id")
    assert row is not None
    return row


def kept(db: Database) -> list[tuple[object, ...]]:
    """What an order is made of."""
    tables = ("cart", "orders", "addresses", "reviews", "settings")
    return [tuple(row) for table in tables for row in db.rows(f"SELECT * FROM {table}")]


# --- what is refused -------------------------------------------------------------------------------------------------


def test_less_than_the_minimum_is_not_ordered(db: Database, hand: Hand) -> None:
    row = dish(db, "d.price < r.minimum")
    store.put(db, row["id"], [], 1, "")
    hand.open("/eats/checkout")
    hand.play([Tap("Place order")])
    assert "minimum for an order here is" in hand.page.words()
    assert db.one("SELECT count(*) FROM cart_lines") == 1 and db.one("SELECT count(*) FROM orders") == 86


def test_a_closed_restaurant_takes_orders_for_later_only(db: Database, hand: Hand) -> None:
    row = db.row(
        "SELECT d.*, r.name AS place FROM dishes d JOIN restaurants r ON r.id = d.restaurant WHERE r.closes < '19:30' "
        f"AND r.rests != 2 AND {PLAIN} ORDER BY d.price DESC"
    )
    assert row is not None
    store.put(db, row["id"], [], 9, "")
    hand.open("/eats/checkout")
    hand.play([Tap("Place order")])
    assert "closed now" in hand.page.words() and db.one("SELECT count(*) FROM orders") == 86
    hand.play([Tap("When"), Tap("Wednesday, 3 December"), Tap("12:00 to 12:30"), Tap("Place order")])
    order = db.row("SELECT * FROM orders ORDER BY id DESC")
    assert order is not None and order["slot"] == order["due"] == "2025-12-03T12:00:00"
    assert store.status(order, db.now) == "Scheduled"


@pytest.mark.parametrize(
    ("where", "fault"),
    [
        ("code = 'HELLO10'", "used this code"),
        ("code = 'LASTWEEK'", "expired"),
        ("code = 'SWEET25'", "Desserts only"),
        ("code = 'BIGTABLE'", "at least"),
        ("code = 'NO SUCH'", "no such code"),
    ],
)
def test_a_promo_code_whose_conditions_fail_is_refused_with_the_reason(
    db: Database, hand: Hand, where: str, fault: str
) -> None:
    row = dish(db, "r.cuisine = (SELECT id FROM cuisines WHERE name = 'Indian')")
    store.put(db, row["id"], [], 1, "")
    code = db.one(f"SELECT code FROM promos WHERE {where}") or "NO SUCH"
    hand.open("/eats/cart/promo")
    hand.play([Fill("Promo code", code.lower()), Tap("Apply code")])
    assert fault in hand.page.words()
    assert store.cart(db)["promo"] is None


def test_a_code_that_no_longer_fits_takes_nothing_off_and_stops_the_order(db: Database) -> None:
    row = dish(db)
    code = db.row("SELECT * FROM promos WHERE code = 'FREEBIKE'")
    assert code is not None
    store.put(db, row["id"], [], 20, "")
    db.run("UPDATE cart SET promo = 'FREEBIKE'")
    fee = db.one("SELECT fee FROM restaurants WHERE id = ?", row["restaurant"])
    assert store.sums(db).discount == fee
    db.run("UPDATE promos SET minimum = 999999999 WHERE code = 'FREEBIKE'")
    assert store.sums(db).discount == 0
    assert "FREEBIKE" in str(store.order_fault(db))


def test_dishes_of_two_restaurants_are_not_mixed_by_accident(db: Database, hand: Hand) -> None:
    first = dish(db)
    other = dish(db, f"d.restaurant != {first['restaurant']}")
    store.put(db, first["id"], [], 1, "")
    hand.open(f"/eats/d/{other['id']}")
    hand.play([Tap("Add to cart")])
    assert "another restaurant" in hand.page.words()
    assert db.column("SELECT dish FROM cart_lines") == [first["id"]]
    place = db.one("SELECT name FROM restaurants WHERE id = ?", first["restaurant"])
    hand.play([Tap(f"Empty my cart from {place} first"), Tap("Add to cart")])
    assert db.column("SELECT dish FROM cart_lines") == [other["id"]]


def test_what_must_be_chosen_must_be_chosen_and_no_more_than_allowed(db: Database, phone: Phone) -> None:
    group = db.row("SELECT * FROM choices WHERE required = 0 AND most = 2 ORDER BY id")
    assert group is not None
    options = db.column("SELECT id FROM options WHERE choice = ? ORDER BY id", group["id"])
    number = db.one(
        "SELECT d.id FROM dishes d JOIN section_choices s ON s.section = d.section WHERE s.choice = ? AND sold_out = 0",
        group["id"],
    )
    form = {f"g{group['id']}": [str(option) for option in options], "quantity": ["1"], "note": [""]}
    answer = phone.respond(Request("POST", f"/eats/d/{number}", {}, form))
    assert answer.status == 422 and "Choose 2 at most" in answer.body.decode()
    assert db.one("SELECT count(*) FROM cart_lines") == 0


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/eats/checkout/time", {"slot": ["2025-12-03T03:00:00"]}),
        ("/eats/checkout/time", {"slot": ["2026-12-03T13:00:00"]}),
        ("/eats/checkout/time", {"slot": ["2025-02-31T13:00:00"]}),
        ("/eats/checkout/tip", {"percent": ["-50"]}),
        ("/eats/checkout/address", {"address": ["9999"]}),
        ("/eats/checkout/switch", {"what": ["tip_amount"], "on": ["1"]}),
        ("/eats/orders/1/cancel", {}),
        ("/eats/orders/86/rate", {"stars": ["5"], "text": ["Early"]}),
        ("/eats/addresses/1/delete", {}),
        ("/eats/diet/owner", {"on": ["1"]}),
    ],
)
def test_what_nobody_could_have_chosen_changes_nothing(
    db: Database, phone: Phone, path: str, form: dict[str, list[str]]
) -> None:
    store.put(db, dish(db)["id"], [], 3, "")
    before = kept(db)
    assert phone.respond(Request("POST", path, {}, form)).status == 404
    assert kept(db) == before


# --- sums ------------------------------------------------------------------------------------------------------------


@given(
    subtotal=st.integers(0, 10**9), fee=st.integers(0, 10**6), value=st.integers(0, 100), percent=st.integers(0, 15),
    kind=st.sampled_from(["percent", "amount", "delivery"]),
)  # fmt: skip
def test_the_total_is_the_sum_of_its_parts_and_never_below_nothing(
    subtotal: int, fee: int, value: int, percent: int, kind: str
) -> None:
    off = store.discounted(kind, value, subtotal, fee)
    sums = store.Sums(subtotal, off, fee, store.share(subtotal, percent))
    assert sums.total == subtotal - off + fee + sums.tip
    assert 0 <= off <= subtotal + fee and sums.total >= 0


def test_the_same_dish_with_the_same_options_becomes_one_line(db: Database) -> None:
    row = dish(db)
    for note, quantity in (("", 2), ("", 3), ("Less salt", 1)):
        store.put(db, row["id"], [], quantity, note)
    lines = store.lines(db)
    assert [(line.quantity, line.note) for line in lines] == [(5, ""), (1, "Less salt")]
    assert len({line.label for line in lines}) == 2
    assert store.sums(db).subtotal == 6 * row["price"]


def test_an_order_keeps_what_was_settled_and_leaves_an_empty_cart(db: Database, hand: Hand) -> None:
    row = dish(db)
    untouched = tuple(store.cart(db))
    store.put(db, row["id"], [], 9, "Well done")
    hand.open("/eats/checkout")
    hand.play([Tap("Tip for the courier"), Fill("Other amount", "3.75"), Tap("Set amount"), Tap("Place order")])
    order = db.row("SELECT * FROM orders ORDER BY id DESC")
    assert order is not None
    assert order["tip"] == 375 and order["total"] == 9 * row["price"] + order["fee"] + 375
    assert store.status(order, db.now) == "Placed"
    assert tuple(store.cart(db)) == untouched and store.lines(db) == []


# --- time ------------------------------------------------------------------------------------------------------------


def test_an_order_goes_its_way_by_the_clock(db: Database) -> None:
    row = db.row("SELECT * FROM orders WHERE slot IS NULL ORDER BY id DESC")
    assert row is not None
    placed, due = datetime.fromisoformat(row["placed"]), datetime.fromisoformat(row["due"])
    moments = [placed, placed + (due - placed) / 3, due - timedelta(minutes=1), due]
    assert [store.status(row, moment) for moment in moments] == list(store.STEPS)


def test_slots_lie_within_the_hours_and_in_the_future(db: Database) -> None:
    for row in db.rows("SELECT * FROM restaurants"):
        for ahead in range(7):
            day = db.now + timedelta(days=ahead)
            for slot in store.slots(row, f"{day:%Y-%m-%d}", db.now):
                at = datetime.fromisoformat(slot)
                assert at > db.now and store.is_open(row, at) and at.weekday() != row["rests"]


# --- data ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
def test_a_town_has_enough_to_eat_and_its_past_adds_up(profile: str) -> None:
    db = Database(Eats().content(profile))
    assert db.one("SELECT count(*) FROM restaurants") >= 40
    assert db.one("SELECT count(*) FROM dishes") >= 600
    wrong = (
        "total != subtotal - discount + fee + tip OR subtotal != (SELECT sum(quantity * price) FROM order_lines WHERE"
    )
    assert db.one(f"SELECT count(*) FROM orders WHERE {wrong} of_order = orders.id)") == 0
    cheapest = (
        "SELECT min(d.price + (SELECT coalesce(sum(low), 0) FROM (SELECT min(o.price) AS low FROM options o "
        "JOIN choices c ON c.id = o.choice JOIN section_choices s ON s.choice = c.id "
        "WHERE c.required = 1 AND s.section = d.section GROUP BY c.id))) FROM dishes d"
    )
    assert db.one(cheapest) > 0
    states = {store.status(row, db.now) for row in db.rows("SELECT * FROM orders")}
    assert {"Scheduled", "On the way", "Delivered", "Cancelled"} <= states
    db.close()


def test_no_dish_has_two_options_of_one_name() -> None:
    for cuisine in menus.cuisines().values():
        for section in cuisine.sections:
            names = [name for group in section.groups for name, _ in menus.groups()[group].options]
            assert len(names) == len(set(names)), f"{cuisine.name}, {section.name}"
