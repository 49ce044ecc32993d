"""The payment app by itself: amounts, limits, who may be paid, sharing bills, and that its tasks hold up."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import Configuration
from fairground.worlds import Fill, Stuck, Tap, World
from fairground_pocket import suite
from fairground_pocket.kit import PROFILES, Database, Hand, Phone, formats
from fairground_pocket.kit.serving import Request
from fairground_pocket.payment import Payment
from fairground_pocket.payment.amounts import parse, shown, typed
from fairground_pocket.payment.store import balance, following, limit, refusal, shares

pytestmark = pytest.mark.conformance

PROFILE = "george-bristol"
TASKS = [task for task in suite.scenarios if task.app == "payment"]


@pytest.fixture
def phone() -> Iterator[Phone]:
    app = Payment()
    made = Phone([app.site], "paper", lambda _: app.content(PROFILE))
    yield made
    made.close()


@pytest.fixture
def db(phone: Phone) -> Database:
    return phone.database("payment")


@pytest.fixture
def hand(phone: Phone) -> Hand:
    return Hand(phone.respond, "/payment/")


def count(db: Database, table: str = "transactions") -> int:
    return int(db.one(f"SELECT count(*) FROM {table}"))


def friend(db: Database) -> int:
    return int(db.one("SELECT id FROM contacts WHERE role = 'best friend'"))


# --- amounts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "pence"),
    [
        ("12", 1200), ("12.5", 1250), ("12,50", 1250), ("1,250.50", 125050), ("1.250,50", 125050), ("1 250", 125000),
        ("£3.07", 307), ("GBP 4", 400), ("0.01", 1), ("1,250", 125000), ("0", 0),
        ("", None), ("-5", None), ("1.2.3", None), ("12.345.6", None), ("1e3", None), ("٣", None), ("12.005", 1200500),
        ("1" * 13, None), ("abc", None), (".5", None),
    ],
)  # fmt: skip
def test_amounts_are_understood_as_people_type_them(db: Database, text: str, pence: int | None) -> None:
    assert parse(db, text) == pence


@pytest.mark.parametrize("profile", PROFILES)
def test_whatever_is_shown_or_typed_means_the_same_amount(profile: str) -> None:
    database = Database(Payment().content(profile))
    for amount in (1, 10, 99, 100, 101, 12_345, 1_000_000, 98_765_432):
        assert parse(database, typed(database, amount)) == amount
        assert parse(database, shown(database, amount)) == amount
    database.close()


@given(total=st.integers(1, 10**9), others=st.integers(1, 40), with_me=st.booleans())
def test_the_parts_of_a_bill_add_up_to_it_and_are_as_equal_as_coins_allow(
    total: int, others: int, with_me: bool
) -> None:
    mine, parts = shares(total, others, with_me=with_me)
    assert mine + sum(parts) == total
    assert max(parts) - min(parts) <= 1
    assert (mine >= max(parts)) == with_me or mine == max(parts) == 0


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        ("nothing at all", "This is not an amount"), ("0", "The amount must be more than nothing"),
        ("601", "over your limit of £600.00 for one payment"), ("", "Amount is missing"),
    ],
)  # fmt: skip
def test_an_amount_that_cannot_be_sent_is_refused_in_words(hand: Hand, db: Database, amount: str, words: str) -> None:
    before = count(db)
    hand.open(f"/payment/send?to={friend(db)}")
    hand.play([Fill("Amount", amount), Tap("Continue")])
    assert words in hand.page.words()
    assert count(db) == before


def test_more_than_the_balance_is_refused(hand: Hand, db: Database) -> None:
    db.set("payment_limit", 10**9)
    db.set("daily_limit", 10**9)
    hand.open(f"/payment/send?to={friend(db)}")
    hand.play([Fill("Amount", typed(db, balance(db) + 1)), Tap("Continue")])
    assert f"Your balance is {shown(db, balance(db))}" in hand.page.words().replace("\u00a0", " ")
    hand.play([Fill("Amount", typed(db, balance(db))), Tap("Continue"), Fill("PIN", db.setting("pin")), Tap("Pay now")])
    assert balance(db) == 0


def test_the_daily_limit_counts_what_was_sent_today(hand: Hand, db: Database) -> None:
    db.set("daily_limit", 10_000)
    for amount in ("60", "40.01"):
        hand.open(f"/payment/send?to={friend(db)}")
        hand.play([Fill("Amount", amount), Tap("Continue")])
        if amount == "60":
            hand.play([Fill("PIN", db.setting("pin")), Tap("Pay now")])
    assert "over your daily limit; £40.00 is left for today" in hand.page.words()


def test_nobody_who_is_blocked_can_be_paid_by_any_way(hand: Hand, db: Database) -> None:
    before = count(db)
    db.run("UPDATE contacts SET blocked = 1 WHERE id IN (SELECT contact FROM requests WHERE direction = 'in')")
    blocked = db.one("SELECT id FROM contacts WHERE blocked = 1 ORDER BY id")
    pin = db.setting("pin")
    hand.open(f"/payment/send?to={blocked}")
    hand.play([Fill("Amount", "5"), Tap("Continue")])
    assert "is blocked" in hand.page.words()
    hand.open(f"/payment/send/review?to={blocked}&amount=5&source=wallet")
    hand.play([Fill("PIN", pin), Tap("Pay now")])
    asked = db.one("SELECT id FROM requests WHERE direction = 'in' AND status = 'open'")
    hand.open(f"/payment/requests/{asked}/pay")
    hand.play([Fill("PIN", pin), Tap("Pay now")])
    assert "is blocked" in hand.page.words()
    assert count(db) == before
    with pytest.raises(Stuck):
        hand.open("/payment/bills/new")
        hand.play([Tap(str(db.one("SELECT name FROM contacts WHERE id = ?", blocked)))])


def test_a_frozen_card_pays_nothing(hand: Hand, db: Database) -> None:
    before = count(db)
    hand.open(f"/payment/send?to={friend(db)}")
    hand.play([Fill("Amount", "5"), Tap("Old credit"), Tap("Continue")])
    assert "The card Old credit is frozen" in hand.page.words()
    assert count(db) == before


@pytest.mark.parametrize("pin", ["", "0000", "12345", "' OR 1=1 --"])
def test_without_the_pin_nothing_moves(hand: Hand, db: Database, pin: str) -> None:
    before = (
        db.rows("SELECT * FROM transactions"),
        db.rows("SELECT * FROM settings"),
        db.rows("SELECT * FROM recurring"),
    )
    asked = db.one("SELECT id FROM requests WHERE direction = 'in' AND status = 'open'")
    for path, button in (
        (f"/payment/send/review?to={friend(db)}&amount=5&source=wallet", "Pay now"),
        (f"/payment/requests/{asked}/pay", "Pay now"),
        ("/payment/withdraw/review?amount=5&bank=1", "Withdraw now"),
        ("/payment/recurring/1/edit", "Save changes"),
        ("/payment/limits", "Save limits"),
    ):
        hand.open(path)
        hand.play([Fill("PIN", pin), Tap(button)])
        assert "PIN" in hand.page.words()
    hand.open("/payment/pin")
    hand.play([Fill("Current PIN", pin), Fill("New PIN", "2468"), Fill("New PIN again", "2468"), Tap("Change it")])
    after = db.rows("SELECT * FROM transactions"), db.rows("SELECT * FROM settings"), db.rows("SELECT * FROM recurring")
    assert after == before


def test_a_forged_form_cannot_go_around_the_limits(phone: Phone, db: Database) -> None:
    before = count(db)
    pin = db.setting("pin")
    for amount in ("100000", "-5", "0", "1e9"):
        form = {"to": [str(friend(db))], "amount": [amount], "source": ["wallet"], "pin": [pin]}
        phone.respond(Request("POST", "/payment/send/review", {}, form))
    forged = {"to": ["99999"], "amount": ["5"], "source": ["wallet"], "pin": [pin]}
    assert phone.respond(Request("POST", "/payment/send/review", {}, forged)).status == 404
    unknown_card = {"to": [str(friend(db))], "amount": ["5"], "source": ["77"], "pin": [pin]}
    phone.respond(Request("POST", "/payment/send/review", {}, unknown_card))
    assert count(db) == before


@pytest.mark.parametrize(
    "path",
    [
        "/activity?month=2025-13", "/activity?month=0000-00&card=999999&who=999999&category=x&kind=y&page=999999",
        "/statements/2025-99", "/send/review?to=x&amount=y", "/send?to=99999999999", "/recurring/new?first=2025-02-31",
        "/recurring/new/review?to=1&every=never&first=soon", "/bills/new/review?people=1,2,999&amount=-4",
        "/withdraw/review?bank=9", "/requests/0/pay",
    ],
)  # fmt: skip
def test_an_address_that_makes_no_sense_still_gives_a_page(hand: Hand, path: str) -> None:
    assert hand.open(f"/payment{path}").status in (200, 404)


# --- what is done ----------------------------------------------------------------------------------------------------


def test_a_request_is_paid_once_and_cannot_be_paid_again(hand: Hand, db: Database) -> None:
    row = db.row("SELECT * FROM requests WHERE direction = 'in' AND status = 'open' ORDER BY id")
    assert row is not None
    held = balance(db)
    hand.open(f"/payment/requests/{row['id']}/pay")
    hand.play([Fill("PIN", db.setting("pin")), Tap("Pay now")])
    assert balance(db) == held - row["amount"]
    assert hand.open(f"/payment/requests/{row['id']}/pay").status == 404


def test_paying_with_a_card_leaves_the_wallet_as_it_is(hand: Hand, db: Database) -> None:
    held = balance(db)
    hand.open(f"/payment/send?to={friend(db)}&amount=20")
    hand.play([Tap("Everyday"), Tap("Continue"), Fill("PIN", db.setting("pin")), Tap("Pay now")])
    assert balance(db) == held
    assert db.one("SELECT amount FROM transactions ORDER BY id DESC") == -2000


def test_there_is_always_one_default_card(hand: Hand, db: Database) -> None:
    hand.open("/payment/cards/new")
    hand.play([
        Fill("Card name", "Fresh"), Fill("Card number", "4539-1488-0343-6467"), Fill("Valid until", "12/29"),
        Fill("Security code", "123"), Tap("Make it the default card"), Tap("Add this card"),
    ])  # fmt: skip
    assert db.column("SELECT label FROM cards WHERE main = 1") == ["Fresh"]
    hand.play([Tap("Remove card"), Tap("Remove now")])
    assert db.one("SELECT sum(main) FROM cards") == 1
    assert not db.column("SELECT 1 FROM cards WHERE label = 'Fresh'")


@pytest.mark.parametrize(
    ("number", "expires", "words"),
    [
        ("4539 1488 0343 6468", "12/29", "typing mistake"), ("4539", "12/29", "16 digits"),
        ("3539 1488 0343 6467", "12/29", "begin with"), ("4539 1488 0343 6467", "10/25", "expired"),
        ("4539 1488 0343 6467", "13/29", "as on the card"),
    ],
)  # fmt: skip
def test_a_card_that_cannot_be_is_not_added(hand: Hand, db: Database, number: str, expires: str, words: str) -> None:
    hand.open("/payment/cards/new?label=Fresh")
    hand.play([Fill("Card number", number), Fill("Valid until", expires), Fill("Security code", "123")])
    hand.play([Tap("Add this card")])
    assert words in hand.page.words()
    assert count(db, "cards") == 6


def test_a_payment_each_month_keeps_its_day() -> None:
    assert following(date(2025, 1, 31), "month") == date(2025, 2, 28)
    assert following(date(2025, 2, 28), "month", 31) == date(2025, 3, 31)
    assert following(date(2025, 12, 5), "month") == date(2026, 1, 5)
    assert following(date(2025, 12, 30), "week") == date(2026, 1, 6)


# --- the data --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
def test_the_money_of_a_profile_makes_sense(profile: str) -> None:
    database = Database(Payment().content(profile))
    held = 0
    for amount in database.column("SELECT amount FROM transactions WHERE card IS NULL ORDER BY time"):
        held += amount
        assert held >= 0, "the wallet was never overdrawn"
    assert held == balance(database) > limit(database, "payment")
    assert not database.rows("SELECT time FROM transactions GROUP BY time HAVING count(*) > 1")
    assert not database.rows("SELECT 1 FROM transactions, clock WHERE time >= now")
    unpaid = "SELECT 1 FROM requests WHERE (status = 'paid') != (payment IS NOT NULL)"
    assert not database.rows(unpaid), "what is paid has its payment"
    bills = database.rows(
        "SELECT total, mine + sum(amount) AS parts FROM bills b JOIN requests r ON r.bill = b.id GROUP BY b.id"
    )
    assert bills and all(row["total"] == row["parts"] for row in bills)
    contact = database.row("SELECT * FROM contacts WHERE blocked = 1")
    assert contact is not None and "is blocked" in refusal(database, contact, 1)
    assert formats.money(held, database.setting("currency")) == shown(database, held)
    database.close()


# --- tasks -----------------------------------------------------------------------------------------------------------


def world(task: object, instance: str, profile: str) -> World:
    name = getattr(task, "name", "")
    made = Configuration(
        suite="pocket",
        app="payment",
        scenario=name,
        instance=instance,
        profile=profile,
        theme="paper",
        ui_state="wallet",
    )
    return World.of(suite, made)


@pytest.mark.parametrize("task", [task for task in TASKS if task.kind == "answer"], ids=lambda task: task.name)
def test_an_answer_of_one_profile_does_not_fit_the_others(task: object) -> None:
    scenario = next(one for one in TASKS if one is task)
    answers = set()
    for profile in PROFILES[:5]:
        made = world(scenario, next(iter(scenario.instances)), profile)
        rehearsal = made.app.rehearse(made)
        assert rehearsal is not None
        answers.add(rehearsal.play(scenario.oracle(made, rehearsal.before)))
        rehearsal.close()
    assert len(answers) >= 2
