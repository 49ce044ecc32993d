"""Tasks about the account: travellers, cards, alerts, preferences, points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.flights.scenarios.finding import CURRENCY, HOME, NONSTOP, NTH, UNIT
from fairground_pocket.kit import Add, Change, Database, Expect, Known, Remove, Task, ascii_of

PEOPLE: Final = {
    ascii_of(name).partition(".")[0]: {
        "full": name, "born": born, "nation": nation, "paper": paper, "number": number, "until": until,
    }
    for name, born, nation, paper, number, until in (
        ("Ana Ferreira", "1988-02-17", "Portugal", "Passport", "CB481920", "2031-08-04"),
        ("Bjarne Holm", "1975-11-30", "Denmark", "Passport", "P2093847", "2029-01-19"),
        ("Carmen Ruiz", "1992-06-08", "Spain", "National ID card", "XDA55210", "2030-12-01"),
        ("Dmitri Volkov", "1969-04-22", "Latvia", "Passport", "LV730118", "2028-05-27"),
        ("Esi Mensah", "1997-09-13", "Ghana", "Passport", "G0482731", "2032-03-15"),
        ("Farid Rahimi", "1983-01-05", "Germany", "National ID card", "L01X00T4", "2033-07-30"),
        ("Grace Liu", "2000-10-26", "Singapore", "Passport", "K9034512", "2034-02-11"),
        ("Hugo Lefevre", "1979-08-19", "France", "Passport", "20FV11894", "2027-11-09"),
        ("Irina Popescu", "1990-03-03", "Romania", "National ID card", "RX601928", "2031-04-23"),
        ("Jonas Weber", "1965-12-12", "Austria", "Passport", "U8801736", "2030-06-18"),
        ("Keiko Tanaka", "1994-07-21", "Japan", "Passport", "TK5519203", "2033-09-02"),
    )
}  # fmt: skip
_NEW: Final = "id NOT IN (SELECT id FROM before.travellers)"


class AddTraveller(Task):
    """Add a traveller with a document."""

    name = "add-traveller"
    app = "flights"
    template = (
        "Save a new traveller: {full}, born {born}, nationality {nation}, {paper} number {number}, which expires "
        "on {until}."
    )
    domain = {"person": PEOPLE}
    expect = (
        Expect(
            "one traveller more", "SELECT count(*) - (SELECT count(*) FROM before.travellers) FROM after.travellers"
        ),
        Expect(
            "with all data right",
            f"SELECT count(*) FROM after.travellers WHERE {_NEW} AND name = :full AND born = :born "
            "AND fold(nationality) = fold(:nation) AND document = :paper AND number = :number AND expires = :until",
        ),
    )
    allowed = (Add("travellers", "name = :full"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*self._filled(known), Tap("Save")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        start = self._filled(known)
        return {"not saved": start, "days mixed up": [*start, Fill("Expiry date", known.born), Tap("Save")]}

    def _filled(self, known: Known) -> list[Move]:
        return [
            Tap("Account"), Tap("Travellers"), Tap("Add traveller"), Fill("Full name", known.full),
            Fill("Date of birth", known.born), Fill("Nationality", known.nation), Tap(known.paper),
            Fill("Document number", known.number), Fill("Expiry date", known.until),
        ]  # fmt: skip


class RenewDocument(Task):
    """Update a document's number and expiry date."""

    name = "renew-document"
    app = "flights"
    template = (
        "{person.name} has a new document of the same kind: number {number}, valid until {until}. Update the "
        "saved traveller."
    )
    domain = {
        "who": {f"no-{n + 1}": n for n in range(12)},
        "paper": {
            number.lower(): {"number": number, "until": until}
            for number, until in (
                ("B7719203", "2035-01-14"),
                ("ZX402817", "2034-10-03"),
                ("M5500918", "2035-05-29"),
                ("QR118274", "2033-12-20"),
                ("T0092846", "2034-03-08"),
            )
        },
    }
    facts = {"person": "SELECT id, name FROM travellers ORDER BY name LIMIT 1 OFFSET :who"}
    expect = (
        Expect("the number is new", "SELECT number FROM after.travellers WHERE id = :person_id", "{number}"),
        Expect("the expiry date is new", "SELECT expires FROM after.travellers WHERE id = :person_id", "{until}"),
    )
    allowed = (Change("travellers", ("number", "expires"), "id = :person_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        there: list[Move] = [Tap("Account"), Tap("Travellers"), Tap(known.person.name), Tap("Edit")]
        return [*there, Fill("Document number", known.number), Fill("Expiry date", known.until), Tap("Save")]


class RemoveTraveller(Task):
    """Remove a traveller."""

    name = "remove-traveller"
    app = "flights"
    template = "I won't travel with {person.name} any more. Remove them from my saved travellers; booked trips stay."
    domain = {"who": NTH}
    facts = {"person": "SELECT id, name FROM travellers WHERE me = 0 ORDER BY name LIMIT 1 OFFSET :who"}
    expect = (Expect("they are gone", "SELECT count(*) FROM after.travellers WHERE id = :person_id", 0),)
    allowed = (Remove("travellers", "id = :person_id"), Change("riders", ("traveller",), "traveller = :person_id"))

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        there: list[Move] = [Tap("Account"), Tap("Travellers"), Tap(known.person.name)]
        return [*there, Tap("Remove traveller"), Tap("Remove")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {"undone": [*self.moves(known, data), Tap("Undo")]}


class NewAlert(Task):
    """Create a price alert."""

    name = "new-alert"
    app = "flights"
    template = (
        "Set up a price alert for flights from {home.city} to {there.city} in {month.words}: tell me when they "
        "cost less "
        "than {below} {currency}."
    )
    domain = {"nth": {f"no-{n + 1}": n for n in range(12)}, "back": (0, 1), "share": (55, 70, 85)}
    facts = {
        "home": HOME,
        "there": NONSTOP,
        "month": "SELECT iso, CASE substr(iso, 6) WHEN '01' THEN 'January' WHEN '02' THEN 'February' WHEN '03' THEN "
        "'March' "
        "WHEN '04' THEN 'April' WHEN '05' THEN 'May' WHEN '06' THEN 'June' WHEN '07' THEN 'July' WHEN '08' THEN "
        "'August' "
        "WHEN '09' THEN 'September' WHEN '10' THEN 'October' WHEN '11' THEN 'November' ELSE 'December' END || ' ' || "
        "substr(iso, 1, 4) AS words FROM (SELECT DISTINCT substr(departs, 1, 7) AS iso FROM flights WHERE departs > "
        "(SELECT now FROM clock) AND substr(departs, 1, 10) <= (SELECT date(now, '+40 days') FROM clock)) ORDER BY iso "
        "LIMIT 1 OFFSET :back",
        "below": f"SELECT min(price) * :share / 100 / {UNIT} FROM flights WHERE origin = :home_code AND destination = "
        f":there_code",
        "minor": f"SELECT :below * {UNIT}",
        "currency": f"SELECT {CURRENCY}",
    }
    expect = (
        Expect("one alert more", "SELECT count(*) - (SELECT count(*) FROM before.alerts) FROM after.alerts"),
        Expect("for that route, month and price", "SELECT count(*) FROM after.alerts WHERE id NOT IN (SELECT id FROM "
               "before.alerts) AND origin = :home_code AND destination = :there_code AND month = :month_iso AND "
               "below = "
               ":minor AND active = 1"),
    )  # fmt: skip
    allowed = (Add("alerts", "destination = :there_code"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        """The home airport is filled in by default."""
        there: list[Move] = [Tap("Account"), Tap("Price alerts"), Tap("New alert"), Tap("To"), Tap(known.there.place)]
        price = Fill(f"Price below ({known.currency})", str(known.below))
        return [*there, Tap(known.month.words), price, Tap("Save")]


class StopAlert(Task):
    """Pause or delete a price alert."""

    name = "stop-alert"
    app = "flights"
    template = "{words} my price alert for flights to {alert.city}."
    domain = {
        "nth": {f"no-{n + 1}": n for n in range(6)},
        "how": {"pause": {"gone": 0, "words": "Pause, but keep,"}, "delete": {"gone": 1, "words": "Delete"}},
    }
    facts = {
        "alert": "SELECT l.id, a.city, o.city || ' to ' || a.city || ', alert ' || l.id AS name FROM alerts l JOIN "
        "airports "
        "a ON a.code = l.destination JOIN airports o ON o.code = l.origin WHERE l.active = 1 ORDER BY l.id LIMIT "
        "1 OFFSET :nth"
    }
    expect = (
        Expect(
            "it is as asked",
            "SELECT CASE WHEN :gone THEN NOT EXISTS (SELECT 1 FROM after.alerts WHERE id = :alert_id) "
            "ELSE (SELECT active = 0 FROM after.alerts WHERE id = :alert_id) END",
        ),
    )
    allowed = (
        Change("alerts", ("active",), "id = :alert_id AND NOT :gone"),
        Remove("alerts", "id = :alert_id AND :gone"),
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        there: list[Move] = [Tap("Account"), Tap("Price alerts"), Tap(known.alert.name)]
        return [*there, *([Tap("Delete alert"), Tap("Delete")] if known.gone else [Tap("Watch this route")])]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        there: list[Move] = [Tap("Account"), Tap("Price alerts"), Tap(known.alert.name)]
        opposite: list[Move] = [Tap("Watch this route")] if known.gone else [Tap("Delete alert"), Tap("Delete")]
        return {"the other way": [*there, *opposite]}


class SetPreferences(Task):
    """Set the flight preferences."""

    name = "set-preferences"
    app = "flights"
    template = "In my preferences, make {seat} my favourite seat, {meal} my meal and {cabin} my usual cabin."
    domain = {
        "meal": ("Vegetarian", "Vegan", "Halal", "Kosher", "Gluten-free"),
        "seat": ("Aisle", "Middle"),
        "cabin": ("Premium", "Business"),
    }
    expect = tuple(
        Expect(f"the {word} is right", f"SELECT value FROM after.settings WHERE name = '{key}'", value)
        for word, key, value in (("seat", "seat_wish", "{seat_key}"), ("meal", "meal", "{meal_key}"),
                                 ("cabin", "default_cabin", "{cabin_key}"))
    )  # fmt: skip
    facts = {name: f"SELECT lower(:{name.removesuffix('_key')})" for name in ("seat_key", "meal_key", "cabin_key")}
    allowed = (Change("settings", ("value",), "name IN ('seat_wish', 'meal', 'default_cabin')"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        there: list[Move] = [Tap("Account"), Tap("Preferences"), Tap(known.seat), Tap("Meal"), Tap(known.meal)]
        return [*there, Tap("Usual cabin"), Tap(known.cabin), Tap("Save")]


class AddCard(Task):
    """Add a card and make it the preferred one."""

    name = "add-card"
    app = "flights"
    domain = {
        "number": {digits[-4:]: {"digits": digits, "until": until} for digits, until in (
            ("4929110022337781", "04/30"), ("5212900048120034", "11/28"), ("4024007155551209", "07/31"),
            ("5399123400087650", "02/29"), ("4556010203046612", "09/30"), ("5105290118273645", "12/27"),
            ("4716998877660019", "05/29"), ("5280641097315566", "08/28"), ("4485203344559080", "01/31"),
            ("5412751234123471", "10/29"),
        )},
        "kind": {word: {"kind": word, "title": f"{word.capitalize()} card"} for word in ("credit", "debit", "company")},
    }  # fmt: skip
    facts = {"last": "SELECT substr(:digits, -4)"}
    template = "Add my new {kind} card, number {digits}, valid until {until}, and make it the card that pays first."
    expect = (
        Expect("one card more", "SELECT count(*) - (SELECT count(*) FROM before.cards) FROM after.cards"),
        Expect(
            "with the right data",
            "SELECT count(*) FROM after.cards WHERE name = :title || ' ' || :last AND expires = :until",
        ),
        Expect("it pays first", "SELECT group_concat(last4) FROM after.cards WHERE preferred = 1", "{last}"),
    )
    allowed = (Add("cards", "last4 = :last"), Change("cards", ("preferred",)))

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        add: list[Move] = [Tap("Account"), Tap("Payment cards"), Tap("Add card"), Tap(known.title)]
        form: list[Move] = [Fill("Card number", known.digits), Fill("Valid until", known.until), Tap("Save")]
        return [*add, *form, Tap(f"{known.title} {known.last}"), Tap("Pay with this first")]


class RedeemPoints(Task):
    """Redeem points."""

    name = "redeem-points"
    app = "flights"
    template = "Spend my points on {words}."
    domain = {"reward": {
        f"{key}-{count}": {"key": key, "title": title, "cost": cost, "count": count, "words": words}
        for key, title, cost, single, double in (
            ("lounge", "Lounge pass", 6_000, "one lounge pass", "two lounge passes"),
            ("bag", "Extra bag voucher", 4_500, "one extra bag voucher", "two extra bag vouchers"),
            ("legroom", "Legroom voucher", 3_000, "a single legroom voucher", "two legroom vouchers"),
            ("wifi", "Wi-Fi pass", 1_500, "one Wi-Fi pass", "two Wi-Fi passes"),
            ("trees", "Plant ten trees", 2_000, "planting ten trees, once", "planting ten trees, twice"),
        )
        for count, words in ((1, single), (2, double))
    }}  # fmt: skip
    expect = (
        Expect("as many vouchers as asked", "SELECT count(*) = :count FROM after.vouchers WHERE reward = :key"),
        Expect(
            "paid with points",
            "SELECT -sum(points) = :cost * :count FROM after.points WHERE id NOT IN (SELECT id FROM before.points)",
        ),
    )
    allowed = (Add("vouchers", "reward = :key", 2), Add("points", "points = -:cost", 2))

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        once: list[Move] = [Tap(known.title), Tap(f"Redeem {known.cost:,} points")]
        return [Tap("Rewards"), *once * known.count]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        once: list[Move] = [Tap(known.title), Tap(f"Redeem {known.cost:,} points")]
        return {"once more": [Tap("Rewards"), *once * (known.count + 1)]}


KEEPING: Final = (
    AddTraveller(),
    RenewDocument(),
    RemoveTraveller(),
    NewAlert(),
    StopAlert(),
    SetPreferences(),
    AddCard(),
    RedeemPoints(),
)
