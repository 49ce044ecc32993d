"""Tasks about cards, limits, the PIN, settings and categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.kit import Add, Change, Database, Draw, Expect, Known, Task
from fairground_pocket.payment.scenarios.finding import PIN, added, amount, cases, day_words, transaction_row

_CARDS = ("Everyday", "Travel", "Online shopping", "Joint account", "Family")


def _card(known: Known, name: str) -> list[Move]:
    card = getattr(known, name)
    return [Tap("More"), Tap("Cards"), Tap(f"{card.label} ··{card.last4}")]


class FreezeAndSwitch(Task):
    """Freeze a card, and make another the default."""

    name = "freeze-and-switch"
    app = "payment"
    template = (
        "I have lost my card “{lost.label}”. Freeze it, and make “{new.label}” the default card. Do not remove "
        "any card."
    )
    domain = {
        "case": cases(
            "lost_label new_label",
            *(
                (f"{lost}-to-{new}".lower().replace(" ", "-"), lost, new)
                for place, lost in enumerate(_CARDS)
                for new in _CARDS[1:]
                if new != lost and (lost == "Everyday" or _CARDS.index(new) - place != 2)
            ),
        )
    }
    facts = {
        "lost": "SELECT id, label, last4 FROM cards WHERE label = :lost_label AND frozen = 0",
        "new": "SELECT id, label, last4 FROM cards WHERE label = :new_label AND main = 0",
    }
    expect = (
        Expect("the lost card is frozen", "SELECT frozen FROM after.cards WHERE id = :lost_id"),
        Expect("the other is the default", "SELECT sum(main * id) = :new_id FROM after.cards"),
    )
    allowed = (Change("cards", ("frozen", "main"), "id = :lost_id"), Change("cards", ("main",)))

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*_card(known, "lost"), Tap("Freeze card"), Tap("Back"), *self._switch(known)]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        thawed = [*_card(known, "lost"), Tap("Freeze card"), Tap("Freeze card"), Tap("Back"), *self._switch(known)]
        wrong = [*_card(known, "new"), Tap("Freeze card"), Tap("Make default")]
        return {"frozen and thawed": thawed, "the other card": wrong}

    def _switch(self, known: Known) -> list[Move]:
        return [Tap(f"{known.new.label} ··{known.new.last4}"), Tap("Make default")]


class AddCard(Task):
    """Add a card."""

    name = "add-card"
    app = "payment"
    template = (
        "Add my new card: number {number}, valid until {end.expires}, security code {code}. Call it “{label}” and "
        "{words}."
    )
    _main = "make it the default card"
    _not = "keep the default card that I have"
    domain = {
        "case": cases(
            "label number code main words",
            ("salary", "Salary", "4539 1488 0343 6467", "318", 1, _main),
            ("hiking", "Hiking club", "5425 2334 3010 9903", "902", 0, _not),
            ("student", "Student card", "4485 2757 4230 8327", "447", 1, _main),
            ("fuel", "Fuel", "6011 0009 9013 9424", "155", 0, _not),
            ("rewards", "Rewards", "5105 1051 0510 5100", "731", 1, _main),
            ("groceries", "Groceries only", "4716 6912 5640 8736", "620", 0, _not),
            ("metal", "Metal", "5555 3412 4444 1115", "084", 1, _main),
            ("prepaid", "Prepaid", "4012 8888 8888 1881", "299", 0, _not),
            ("company", "Company", "6011 1111 1111 1117", "513", 1, _main),
            ("holiday", "Holiday", "5200 8282 8282 8210", "876", 0, _not),
            ("spare", "Spare", "4000 0566 5566 5556", "140", 1, _main),
            ("gifts", "Gifts", "6011 9811 1111 1113", "665", 0, _not),
        )
    }
    facts = {
        "end": (
            "SELECT substr(:number, -4) AS last4, "
            "printf('%02d/%02d', pin % 12 + 1, year % 100 + 1 + pin % 4) AS expires FROM "
            "(SELECT CAST(value AS INTEGER) AS pin FROM settings WHERE name = 'pin'), "
            "(SELECT CAST(strftime('%Y', now) AS INTEGER) AS year FROM clock)"
        ),
    }
    _card = "fold(label) = fold(:label) AND last4 = :end_last4 AND expires = :end_expires AND frozen = 0 AND "
    _card += "network = CASE substr(:number, 1, 1) WHEN '4' THEN 'Vela' WHEN '5' THEN 'Cirro' ELSE 'Unipay' END"
    expect = (
        Expect("the card is there", added("cards", _card), weight=2),
        Expect("one card is the default", "SELECT sum(main) FROM after.cards"),
        Expect("it is the right one", added("cards", "main = :main")),
    )
    allowed = (Add("cards", f"{_card} AND main = :main"), Change("cards", ("main",), "main = 1 AND :main = 1"))

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return self._add(known, bool(known.main))

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {"the wrong default": self._add(known, not known.main)}

    def _add(self, known: Known, main: bool) -> list[Move]:
        return [
            Tap("More"), Tap("Cards"), Tap("Add card"), Fill("Card name", known.label),
            Fill("Card number", known.number), Fill("Valid until", known.end.expires),
            Fill("Security code", known.code), *([Tap("Make it the default card")] if main else []),
            Tap("Add this card"),
        ]  # fmt: skip


class ChangeLimits(Task):
    """Change both limits."""

    name = "change-limits"
    app = "payment"
    template = "Set my limits: {one.text} for one payment and {day.text} for one day. Nothing else. My PIN is {pin}."
    domain = {
        "case": cases(
            "single daily",
            *((f"{single}-{daily}", single, daily) for single, daily in (
                (2000, 5000), (1500, 4500), (3000, 3000), (7500, 9000), (800, 2400), (10000, 20000), (4200, 8400),
                (950, 1900), (6600, 15000), (1250, 11000),
            )),
        )
    }  # fmt: skip
    facts = {"one": amount(":single * worth / 10"), "day": amount(":daily * worth / 10"), "pin": PIN}
    _value = "SELECT CAST(value AS INTEGER) = :{}_amount FROM after.settings WHERE name = '{}_limit'"
    expect = (
        Expect("the limit for one payment", _value.format("one", "payment")),
        Expect("the limit for one day", _value.format("day", "daily")),
    )
    allowed = (Change("settings", ("value",), "name IN ('payment_limit', 'daily_limit')"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return self._set(known, known.one.plain, known.day.plain)

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        if known.single == known.daily:
            return {}
        return {"the same for both": self._set(known, known.day.plain, known.day.plain)}

    def _set(self, known: Known, one: str, day: str) -> list[Move]:
        return [
            Tap("More"), Tap("Limits"), Fill("For one payment", one), Fill("For one day", day), Fill("PIN", known.pin),
            Tap("Save limits"),
        ]  # fmt: skip


class ChangePin(Task):
    """Change the PIN."""

    name = "change-pin"
    app = "payment"
    template = "Somebody watched me type my PIN, {pin}. Change it to {new}."
    domain = {"new": {f"to-{pin}": pin for pin in (
        "2580", "7193", "4406", "9051", "3826", "6174", "1937", "8240", "5068", "7702",
    )}}  # fmt: skip
    facts = {"pin": PIN}
    expect = (Expect("the PIN is the new one", "SELECT value = :new FROM after.settings WHERE name = 'pin'"),)
    allowed = (Change("settings", ("value",), "name = 'pin'"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [
            Tap("More"), Tap("Change PIN"), Fill("Current PIN", known.pin), Fill("New PIN", known.new),
            Fill("New PIN again", known.new), Tap("Change it"),
        ]  # fmt: skip


_NAMES = {
    "notify_received": ("notifications about money that comes in", "Money that comes in"),
    "notify_requests": ("notifications about new requests", "New requests"),
    "notify_statements": ("notifications about monthly statements", "Monthly statements"),
    "hide_balance": ("hiding of the balance", "Hide balance"),
    "private": ("private activity", "Private activity"),
    "round_up": ("rounding up of purchases", "Round up purchases"),
}


def _three(*wanted: tuple[str, int]) -> tuple[str, ...]:
    """A case: three switches with their target values."""
    words = [f"{_NAMES[key][0]} {'on' if on else 'off'}" for key, on in wanted]
    name = "-".join(f"{key.split('_')[-1]}-{'on' if on else 'off'}" for key, on in wanted)
    return (name, *(key for key, _ in wanted), *(str(on) for _, on in wanted), f"{words[0]}, {words[1]} and {words[2]}")


def _scramble(db: Database, known: Known) -> None:
    """Sets the three switches so that some are wrong; which ones depends on the profile."""
    wrong = Draw(db.setting("owner"), known.words).integer(1, 7)
    for place, name in enumerate(("a", "b", "c")):
        on = getattr(known, f"{name}_on")
        db.set(getattr(known, name), (1 - int(on)) if wrong >> place & 1 else on)


class Switches(Task):
    """Set three switches; some already have the right value."""

    name = "switches"
    app = "payment"
    template = "Make sure that these are right in the settings of my wallet: {words}. Leave the other switches alone."
    domain = {
        "case": cases(
            "a b c a_on b_on c_on words",
            _three(("notify_received", 0), ("hide_balance", 1), ("private", 0)),
            _three(("notify_requests", 0), ("notify_statements", 1), ("round_up", 0)),
            _three(("private", 0), ("round_up", 1), ("notify_received", 1)),
            _three(("notify_statements", 1), ("round_up", 1), ("hide_balance", 0)),
            _three(("hide_balance", 1), ("private", 0), ("notify_requests", 1)),
            _three(("notify_received", 0), ("notify_requests", 0), ("notify_statements", 0)),
            _three(("round_up", 1), ("hide_balance", 1), ("notify_received", 0)),
            _three(("notify_statements", 1), ("private", 1), ("round_up", 0)),
            _three(("notify_requests", 0), ("hide_balance", 0), ("private", 1)),
            _three(("notify_received", 1), ("private", 0), ("notify_statements", 0)),
        )
    }
    inject = (_scramble,)
    _value = "SELECT value = :{0}_on FROM after.settings WHERE name = :{0}"
    expect = (
        Expect("the first is right", _value.format("a")),
        Expect("the second is right", _value.format("b")),
        Expect("the third is right", _value.format("c")),
    )
    allowed = (Change("settings", ("value",), "name IN (:a, :b, :c)"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        wrong = [name for name in ("a", "b", "c") if data.setting(getattr(known, name)) != getattr(known, f"{name}_on")]
        return [Tap("More"), Tap("Settings"), *(Tap(_NAMES[getattr(known, name)][1]) for name in wrong)]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        every: list[Move] = [Tap(_NAMES[getattr(known, name)][1]) for name in ("a", "b", "c")]
        turned = [Tap("More"), Tap("Settings"), *every]
        return {} if turned == list(self.moves(known, data)) else {"all turned": turned}


class Recategorise(Task):
    """Change the category of a purchase and add a note."""

    name = "recategorise"
    app = "payment"
    template = (
        "My purchase at {bought.title} on {bought.day}, {price.text}, was really “{note}”. Write that into its note "
        "and file it under {category}."
    )
    domain = {
        "case": cases(
            "nth note category",
            ("team", 3, "Snacks for the team", "Work"),
            ("nephew", 8, "Something for my nephew", "Gifts"),
            ("flat", 13, "Things for the flat", "Home"),
            ("doctor", 19, "On doctor's orders", "Health"),
            ("trip", 24, "For the trip", "Travel"),
            ("shared", 31, "Shared with the neighbours", "Other"),
            ("party", 37, "For the party", "Fun"),
            ("client", 44, "Lunch with a client", "Work"),
            ("bus", 50, "Bus pass", "Transport"),
            ("costume", 58, "Costume for the play", "Shopping"),
            ("pantry", 63, "Stock for the pantry", "Groceries"),
            ("phone", 70, "Phone credit", "Bills"),
        )
    }
    facts = {
        "bought": (
            f"SELECT id, title, -amount AS amount, {day_words('time')} AS day FROM "
            "(SELECT *, count(*) OVER (PARTITION BY title, substr(time, 1, 10)) AS same FROM transactions "
            "WHERE kind IN ('purchase', 'refund')) "
            "WHERE same = 1 AND kind = 'purchase' AND category != :category ORDER BY time DESC LIMIT 1 OFFSET :nth"
        ),
        "price": amount(":bought_amount"),
    }
    expect = (
        Expect("the category", "SELECT category FROM after.transactions WHERE id = :bought_id", "{category}"),
        Expect("the note", "SELECT fold(note) = fold(:note) FROM after.transactions WHERE id = :bought_id"),
    )
    allowed = (Change("transactions", ("category", "note"), "id = :bought_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        month = " ".join(known.bought.day.split()[1:])
        return [
            Tap("Activity"), Fill("Search activity", known.bought.title), Tap("Purchases"), Tap("Choose month"),
            Tap(month), Tap(transaction_row(data, known.bought.id)), Tap("Edit note and category"),
            Fill("Note", known.note), Tap("Category"), Tap(known.category), Tap("Save"),
        ]  # fmt: skip

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {"taken back": [*self.moves(known, data), Tap("Undo")]}
