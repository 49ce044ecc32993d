"""Tasks about sending money."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.kit import Add, Balance, Change, Database, EntityExists, Expect, Known, Task
from fairground_pocket.payment.scenarios.finding import (
    BALANCE,
    PAYMENT_LIMIT,
    PIN,
    WHO,
    added,
    amount,
    cases,
    person,
    send,
    transaction_row,
)

_SENT = "kind = 'payment' AND contact = :who_id AND amount = -:pay_amount AND card IS NULL"
_NOTED = f"{_SENT} AND fold(note) = fold(:note)"


class SendMoney(Task):
    """Send a person an amount with a note."""

    name = "send-money"
    app = "payment"
    template = "Send {pay.text} to {who.name} from my wallet with the note “{note}”. My PIN is {pin}."
    domain = {
        "case": cases(
            "role size note",
            ("mother", "mother", 245, "Groceries and medicine"),
            ("sister", "sister", 118, "Half of the present"),
            ("father", "father", 372, "Tyres for the car"),
            ("cousin", "cousin", 65, "Bus ticket"),
            ("best-friend", "best friend", 487, "Cabin in the woods"),
            ("friend", "friend", 93, "Lunch on Tuesday"),
            ("bandmate", "bandmate", 154, "New guitar strings"),
            ("colleague", "colleague", 37, "Coffee round"),
            ("neighbour", "neighbour", 206, "Paint for the stairwell"),
            ("hairdresser", "hairdresser", 321, "Haircut"),
            ("tutor", "maths tutor", 540, "Three lessons"),
            ("photographer", "photographer", 613, "Family portraits"),
        )
    }
    facts = {"who": WHO, "pay": amount(), "pin": PIN}
    needs = (Balance(BALANCE, ":pay_amount"), Balance(PAYMENT_LIMIT, ":pay_amount"))
    expect = (
        Expect("the amount went to the right person", added("transactions", _SENT), weight=2),
        Expect("with the note", added("transactions", _NOTED)),
    )
    allowed = (Add("transactions", _NOTED),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return send(known.who.name, known.pay.plain, known.pin, note=known.note)

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        ask: list[Move] = [Tap("Request money"), Fill("Amount", known.pay.plain), Fill("What is it for", known.note)]
        return {
            "requested instead of sent": [*person(known.who.name), *ask, Tap("Send request")],
            "from a card": send(known.who.name, known.pay.plain, known.pin, note=known.note, source="Everyday"),
        }


class SendWithCard(Task):
    """Pay a person with a given card, and set the category."""

    name = "send-with-card"
    app = "payment"
    template = (
        "Pay {who.name} {pay.text} with my “{card.label}” card instead of the wallet, and file it under {category}. "
        "PIN: {pin}."
    )
    domain = {
        "case": cases(
            "role size label category",
            ("hotel", "running partner", 720, "Travel", "Travel"),
            ("keyboard", "designer", 254, "Online shopping", "Work"),
            ("sofa", "neighbour upstairs", 880, "Joint account", "Home"),
            ("physio", "doctor", 410, "Everyday", "Health"),
            ("train", "brother", 233, "Travel", "Transport"),
            ("roses", "aunt", 187, "Online shopping", "Gifts"),
            ("dinner", "manager", 365, "Everyday", "Eating out"),
            ("festival", "friend from university", 645, "Joint account", "Fun"),
            ("basket", "gardener", 98, "Everyday", "Groceries"),
            ("dress", "tailor", 512, "Online shopping", "Shopping"),
            ("wiring", "electrician", 470, "Joint account", "Bills"),
            ("walks", "dog sitter", 143, "Travel", "Other"),
        )
    }
    facts = {
        "who": WHO,
        "pay": amount(),
        "card": "SELECT id, label, last4 FROM cards WHERE label = :label AND frozen = 0",
        "pin": PIN,
    }
    needs = (Balance(PAYMENT_LIMIT, ":pay_amount"),)
    _paid = "kind = 'payment' AND contact = :who_id AND amount = -:pay_amount"
    expect = (
        Expect("the amount went to the right person", added("transactions", _paid)),
        Expect("with the right card", added("transactions", f"{_paid} AND card = :card_id")),
        Expect("in the right category", added("transactions", f"{_paid} AND category = :category")),
    )
    allowed = (Add("transactions", f"{_paid} AND card = :card_id AND category = :category"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        card = f"{known.card.label} ··{known.card.last4}"
        return send(known.who.name, known.pay.plain, known.pin, category=known.category, source=card)

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {"from the wallet": send(known.who.name, known.pay.plain, known.pin, category=known.category)}


class SendBack(Task):
    """Send a person exactly the amount that they sent last."""

    name = "send-back"
    app = "payment"
    template = (
        "{who.name} paid me by mistake. Look up the newest payment that I received from {who.name} and send exactly "
        "that amount back from my wallet, with the note “{note}”. PIN {pin}."
    )
    domain = {
        "case": cases(
            "nth note",
            ("first", 0, "Sent back"),
            ("second", 1, "Your money back"),
            ("third", 2, "Returned"),
            ("fourth", 3, "Wrong person, here it is"),
            ("fifth", 4, "Paid twice, sending it back"),
            ("sixth", 5, "Mistaken transfer"),
            ("seventh", 6, "Back to you"),
            ("eighth", 7, "Refund"),
            ("ninth", 8, "This was not for me"),
            ("tenth", 9, "Correction"),
        )
    }
    facts = {
        "who": (
            "SELECT c.id, c.name FROM transactions t JOIN contacts c ON c.id = t.contact WHERE t.kind = 'received' "
            "AND c.blocked = 0 GROUP BY c.id ORDER BY max(t.time) DESC LIMIT 1 OFFSET :nth"
        ),
        "pay": (
            "SELECT id, amount FROM transactions WHERE kind = 'received' AND contact = :who_id "
            "ORDER BY time DESC LIMIT 1"
        ),
        "typed": amount(":pay_amount"),
        "pin": PIN,
    }
    needs = (Balance(BALANCE, ":pay_amount"), Balance(PAYMENT_LIMIT, ":pay_amount"))
    expect = (
        Expect("the same amount went back", added("transactions", _SENT), weight=2),
        Expect("with the note", added("transactions", _NOTED)),
    )
    allowed = (Add("transactions", _NOTED),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [
            *person(known.who.name), Tap("Whole history"), Tap("Received"), Tap(transaction_row(data, known.pay.id)),
            Tap("Send back"), Fill("Amount", known.typed.plain), Fill("Note", known.note), Tap("Continue"),
            Fill("PIN", known.pin), Tap("Pay now"),
        ]  # fmt: skip


class RaiseLimitAndSend(Task):
    """Make a payment over the limit: the limit must be raised first."""

    name = "raise-limit-and-send"
    app = "payment"
    template = (
        "I have to send {who.name} {pay.text}, note “{note}”, from my wallet. That is over my limit for one payment, "
        "so set that limit to exactly {new.text} first. Leave the daily limit as it is. My PIN is {pin}."
    )
    domain = {
        "case": cases(
            "role extra room note",
            ("deposit", "landlord", 100, 100, "Deposit for the garage"),
            ("engine", "mechanic", 245, 55, "New engine parts"),
            ("wedding", "sister", 60, 240, "Wedding photographer"),
            ("boat", "bandmate", 310, 90, "Share of the boat"),
            ("surgery", "doctor", 185, 15, "Private clinic"),
            ("course", "analyst", 150, 150, "Evening course"),
            ("trip", "best friend", 275, 25, "Trip around the lake"),
            ("piano", "piano teacher", 420, 80, "Second-hand piano"),
            ("roof", "father", 335, 65, "Roof repair"),
            ("stove", "neighbour", 90, 10, "Wood stove"),
            ("camera", "photographer", 205, 95, "Used camera"),
        )
    }
    facts = {
        "who": WHO,
        "pay": amount(f"{PAYMENT_LIMIT} + :extra * worth / 10"),
        "new": amount(f"{PAYMENT_LIMIT} + (:extra + :room) * worth / 10"),
        "pin": PIN,
    }
    needs = (Balance(BALANCE, ":pay_amount"),)
    expect = (
        Expect("the amount went to the right person", added("transactions", _NOTED)),
        Expect(
            "the limit is the new one",
            "SELECT CAST(value AS INTEGER) = :new_amount FROM after.settings WHERE name = 'payment_limit'",
        ),
    )
    allowed = (Add("transactions", _NOTED), Change("settings", ("value",), "name = 'payment_limit'"))

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [
            *self._raise(known.new.plain, known.pin),
            *send(known.who.name, known.pay.plain, known.pin, note=known.note),
        ]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        paid = send(known.who.name, known.pay.plain, known.pin, note=known.note)
        return {
            "only as far as needed": [*self._raise(known.pay.plain, known.pin), *paid],
            "only raised": self._raise(known.new.plain, known.pin),
        }

    def _raise(self, plain: str, pin: str) -> list[Move]:
        return [Tap("More"), Tap("Limits"), Fill("For one payment", plain), Fill("PIN", pin), Tap("Save limits")]


class AddPersonAndSend(Task):
    """Add a new person and pay them."""

    name = "add-person-and-send"
    app = "payment"
    template = (
        "Add {new_name} to my people, with the handle {new_handle}, and then send them {pay.text} from my wallet. "
        "The note should be “{note}”, and my PIN is {pin}."
    )
    domain = {
        "case": cases(
            "new_name new_handle size note",
            ("carpenter", "Ola Winther", "@ola.winther", 430, "Kitchen shelf"),
            ("florist", "Mirela Popescu", "@mirela.flowers", 126, "Table flowers"),
            ("coach", "Dante Okafor", "@dante.coach", 250, "Swimming lessons"),
            ("baker", "Yuna Seo", "@yuna.bakes", 85, "Birthday cake"),
            ("driver", "Petar Ilic", "@petar.ilic", 173, "Ride to the airport"),
            ("vet", "Amira Haddad", "@amira.vet", 368, "Vaccination for the cat"),
            ("drummer", "Cole Barnaby", "@cole.drums", 214, "Drum kit rental"),
            ("painter", "Ines Duarte", "@ines.duarte", 587, "Two watercolours"),
            ("guide", "Tenzin Norbu", "@tenzin.norbu", 299, "Guided tour"),
            ("translator", "Lucie Faure", "@lucie.faure", 345, "Translated certificate"),
        )
    }
    facts = {"pay": amount(), "pin": PIN}
    needs = (Balance(BALANCE, ":pay_amount"), Balance(PAYMENT_LIMIT, ":pay_amount"))
    _new = "name = :new_name AND handle = :new_handle"
    _them = f"contact = (SELECT id FROM after.contacts WHERE {_new})"
    _paid = f"kind = 'payment' AND card IS NULL AND amount = -:pay_amount AND fold(note) = fold(:note) AND {_them}"
    expect = (
        Expect("the person is there", added("contacts", f"{_new} AND blocked = 0")),
        Expect("and was paid", added("transactions", _paid), weight=2),
    )
    allowed = (Add("contacts", f"{_new} AND blocked = 0"), Add("transactions", _paid))

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [
            Tap("People"), Tap("New person"), Fill("Name", known.new_name), Fill("Handle", known.new_handle),
            Tap("Save"), Tap("Send money"), Fill("Amount", known.pay.plain), Fill("Note", known.note), Tap("Continue"),
            Fill("PIN", known.pin), Tap("Pay now"),
        ]  # fmt: skip


class TopUp(Task):
    """Top up the wallet from a bank account."""

    name = "top-up"
    app = "payment"
    template = (
        "Fill my wallet up from my account at {bank.name}: when you are done, exactly {goal.text} should be in it. "
        "Add it in one go."
    )
    domain = {
        "case": cases(
            "size nth",
            *((f"{size}-from-{nth + 1}", size, nth) for size, nth in (
                (500, 0), (750, 1), (1200, 2), (333, 1), (2050, 0), (95, 2), (1575, 1), (640, 2), (2800, 0), (415, 1),
            )),
        )
    }  # fmt: skip
    facts = {
        "goal": amount(f"({BALANCE} / worth + 1) * worth + :size * worth / 10"),
        "pay": amount(f":goal_amount - {BALANCE}"),
        "bank": "SELECT id, name FROM banks ORDER BY id LIMIT 1 OFFSET :nth",
    }
    _added = "kind = 'topup' AND amount = :pay_amount AND bank = :bank_id"
    expect = (
        Expect("the wallet holds it", "SELECT sum(amount) = :goal_amount FROM after.transactions WHERE card IS NULL"),
        Expect("from the right account", added("transactions", _added)),
    )
    allowed = (Add("transactions", _added),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return self._add(known, known.pay.plain)

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        pin = str(data.one(PIN))
        form: list[Move] = [Fill("Amount", known.pay.plain), Tap(known.bank.name), Tap("Continue")]
        return {
            "withdrawn instead": [Tap("Withdraw"), *form, Fill("PIN", pin), Tap("Withdraw now")],
            "the goal itself": self._add(known, known.goal.plain),
        }

    def _add(self, known: Known, plain: str) -> list[Move]:
        return [Tap("Add money"), Fill("Amount", plain), Tap(known.bank.name), Tap("Add now")]


class WithdrawDownTo(Task):
    """Withdraw all but a given amount."""

    name = "withdraw-down-to"
    app = "payment"
    template = (
        "Move money from my wallet to my account at {bank.name} so that exactly {rest.text} stays in the wallet. "
        "Do it in one withdrawal. My PIN is {pin}."
    )
    domain = {
        "case": cases(
            "size nth",
            *((f"{size}-to-{nth + 1}", size, nth) for size, nth in (
                (1000, 0), (2500, 1), (505, 2), (750, 0), (3200, 1), (1840, 2), (100, 0), (4000, 1), (2760, 2),
                (620, 0),
            )),
        )
    }  # fmt: skip
    facts = {
        "rest": amount(),
        "pay": amount(f"{BALANCE} - :rest_amount"),
        "bank": "SELECT id, name FROM banks ORDER BY id LIMIT 1 OFFSET :nth",
        "pin": PIN,
    }
    needs = (Balance(":pay_amount", "1"), EntityExists("banks", "id = :bank_id"))
    _gone = "kind = 'withdrawal' AND amount = -:pay_amount AND bank = :bank_id"
    expect = (
        Expect(
            "the rest is exact",
            "SELECT sum(amount) = :rest_amount FROM after.transactions WHERE card IS NULL",
        ),
        Expect("it went to the right account", added("transactions", _gone)),
    )
    allowed = (Add("transactions", _gone),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return self._withdraw(known.pay.plain, known)

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {"the rest itself": self._withdraw(known.rest.plain, known)}

    def _withdraw(self, plain: str, known: Known) -> list[Move]:
        return [
            Tap("Withdraw"), Fill("Amount", plain), Tap(known.bank.name), Tap("Continue"), Fill("PIN", known.pin),
            Tap("Withdraw now"),
        ]  # fmt: skip
