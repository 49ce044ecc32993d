"""Tasks that span Eats and Email."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.eats.scenarios.answers import money
from fairground_pocket.eats.scenarios.finding import (
    AT,
    LINES,
    NEW,
    OPEN,
    ORDERED,
    PLACE,
    WISH,
    checkout,
    dish,
    enough,
    open_order,
    open_place,
    order,
    put,
)
from fairground_pocket.kit import HOME, Add, Answer, Database, Expect, Known, Row, Task, formats

_NEW_MAIL = (
    "(SELECT max(id) FROM after_email.mails WHERE folder = 'sent' AND id NOT IN (SELECT id FROM before_email.mails))"
)
_SENT = Expect(
    "one mail was sent",
    "SELECT count(*) FROM after_email.mails WHERE folder = 'sent' AND id NOT IN (SELECT id FROM before_email.mails)",
)
_TO = Expect(
    "to the right person and nobody else",
    f"SELECT group_concat(address) FROM after_email.recipients WHERE mail = {_NEW_MAIL}",
    "{person.address}",
)
_SUBJECT = Expect(
    "with the right subject", f"SELECT subject FROM after_email.mails WHERE id = {_NEW_MAIL}", "{subject}"
)
_ONE_MAIL = (
    Add("mails", "folder = 'sent'", app="email"),
    Add("threads", app="email"),
    Add("recipients", f"mail = {_NEW_MAIL}", app="email"),
)
_SIGNED = "char(10) || char(10) || '-- ' || char(10)"
_TEXT = (
    f"(SELECT trim(substr(body, 1, instr(body || {_SIGNED}, {_SIGNED}) - 1), ' ' || char(10)) FROM after_email.mails "
    f"WHERE id = {_NEW_MAIL})"
)
"""SQL for the text of the new mail above its signature."""
_CONTACT = "SELECT name, address FROM email.contacts ORDER BY name, id LIMIT 1 OFFSET :who"
_FREE = (
    "SELECT (SELECT max(id) + 1 FROM email.threads) AS thread, (SELECT max(id) + 1 FROM email.mails) AS mail, "
    "strftime('%Y-%m-%dT%H:%M:11', now, '-50 minutes') AS time, (SELECT value FROM settings WHERE name = 'owner') "
    "AS owner, (SELECT value FROM settings WHERE name = 'address') AS address FROM clock"
)


def _received(subject: str, body: str) -> tuple[Row, ...]:
    """A mail in the inbox, from `person`; `free` has its ids."""
    return (
        Row("threads", {"id": "{free.thread}", "subject": subject}, app="email"),
        Row(
            "mails",
            {
                "id": "{free.mail}", "thread": "{free.thread}", "folder": "inbox", "sender": "{person.name}",
                "address": "{person.address}", "subject": subject, "body": body, "time": "{free.time}", "unread": 1,
            },
            app="email",
        ),
        Row(
            "recipients",
            {"mail": "{free.mail}", "kind": "to", "name": "{free.owner}", "address": "{free.address}"},
            app="email",
        ),
    )  # fmt: skip


def _mail(to: str, subject: str, text: str) -> list[Move]:
    write: list[Move] = [Fill("To", to), Fill("Subject", subject), Fill("Message", text), Tap("Send")]
    return [Tap(HOME), Tap("Email"), Tap("Compose"), *write]


class OrderFromMail(Task):
    """Order what a mail asks for, to the address in it."""

    name = "order-from-mail"
    app = "eats"
    also = ("email",)
    template = (
        "{person.name} sent me an email called “{subject}”. Order what it asks for, as soon as possible, to the "
        "address in it (save it as “{label}”), with my default payment method and no tip."
    )
    domain = {
        "case": {
            key: {"subject": subject, "label": label, "street": street, "door": door}
            for key, subject, label, street, door in (
                ("move", "We are moving and hungry", "The move", "Ludlow Row 14", "2nd floor"),
                ("exam", "Exam week", "Study room", "Canon Lane 3", "Room 8"),
                ("baby", "News and a small wish", "Maternity ward", "Hospital Walk 1", "Ward C"),
                ("paint", "Painting day", "Empty flat", "Harvest Street 27", "Flat 6"),
                ("shift", "Night shift", "Fire station", "Engine Yard 9", "Gate 2"),
                ("rehearsal", "Rehearsal runs late", "Rehearsal room", "Organ Street 41", "Basement"),
                ("sick", "Down with a cold", "Sick bed", "Willow Close 18", "Ground floor"),
                ("team", "Lunch for the team", "Team room", "Foundry Road 60", "4th floor"),
                ("stall", "Our market stall", "Market stall", "Exchange Square 5", "Stall 12"),
                ("film", "Film night", "Cinema club", "Mirror Alley 22", "Back door"),
            )
        },
        "nth": (1, 3, 6, 8, 2), "who": (3, 8, 13, 17, 21, 5), "pick": (0, 1, 2), "count": (2, 3),
    }  # fmt: skip
    most = 10
    _asked = {
        "person": _CONTACT,
        "place": f"{PLACE} {OPEN} ORDER BY r.name, r.id LIMIT 1 OFFSET :nth",
        "dish": dish("d.name", 2),
        "wish": WISH,
        "quantity": enough(),
        "area": "SELECT DISTINCT area FROM restaurants ORDER BY area DESC LIMIT 1 OFFSET :nth % 5",
    }
    given = {**_asked, "free": _FREE}
    inject = _received(
        "{subject}",
        "Hello,\n\nyou offered to help with food, and now I say yes! Could you order {quantity} x {dish.name} "
        "({wish.names}) from {place.name} for us?\n\nThe address is {street}, in {area}. Floor or door: {door}. "
        "No notes needed.\n\nYou are the best\n{person.name}",
    )
    facts = _asked
    expect = (
        ORDERED, AT,
        Expect("what the mail asks for", LINES, "{dish.id} x{quantity} {wish.names}|"),
        Expect("to the address in the mail",
               f"SELECT street || ', ' || area || ', ' || door FROM after.orders WHERE id = {NEW}",
               "{street}, {area}, {door}", weight=2),
    )  # fmt: skip
    allowed = (
        *order(label="label = :label"),
        Add("addresses", "label = :label AND street = :street AND area = :area AND door = :door AND is_default = 0"),
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        read: list[Move] = [Tap(HOME), Tap("Email"), Tap("Search"), Fill("Search mail", f'subject:"{known.subject}"')]
        food = put(known.dish.name, known.wish.names, known.quantity)
        return [*read, Tap(HOME), Tap("Eats"), *open_place(known.place.name), *food, *checkout(), *_new_address(known),
                Tap("Place order")]  # fmt: skip

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        food = put(known.dish.name, known.wish.names, known.quantity)
        return {"to my own address": [*open_place(known.place.name), *food, *checkout(), Tap("Place order")]}


def _new_address(known: Known) -> list[Move]:
    return [
        Tap("Deliver to"), Tap("Add an address"), Fill("Label", known.label), Fill("Street and number", known.street),
        Tap("Area"), Tap(known.area), Fill("Floor or door", known.door), Tap("Save"),
    ]  # fmt: skip


class MailTotal(Task):
    """Mail the total of an order to a person."""

    name = "mail-total"
    app = "eats"
    also = ("email",)
    template = (
        "Look up the total of my order E-{number} from {order.place} and email it to {person.name}. The subject is "
        "“{subject}”, and the message is nothing but the amount as the app shows it."
    )
    domain = {
        "subject": (
            "Dinner", "What we owe", "The bill", "Lunch money", "Our order", "For the books", "Food costs",
            "Splitting it", "The total", "Last meal",
        ),
        "nth": (2, 6, 12, 18, 25), "who": (2, 7, 11, 16, 20, 4),
    }  # fmt: skip
    most = 10
    facts = {
        "person": _CONTACT,
        "order": "SELECT o.id, o.total, r.name AS place FROM orders o JOIN restaurants r ON r.id = o.restaurant, clock "
        "WHERE o.cancelled = 0 AND o.due < now ORDER BY o.placed DESC LIMIT 1 OFFSET :nth",
        "number": "SELECT 1000 + :order_id",
        "plain": f"SELECT substr(answer, 1, instr(answer, ' ') - 1) FROM ({money(':order_total')} AS answer)",
    }
    expect = (
        _SENT,
        _TO,
        _SUBJECT,
        # With or without the currency sign, with any separators: only digits and the decimal position count.
        Expect(
            "it says the amount",
            "WITH said(text) AS (SELECT replace(replace(replace(replace("
            f"{_TEXT}, char(160), ''), ' ', ''), ',', '.'), (SELECT value FROM before.settings WHERE "
            "name = 'currency'), '')), plain(text) AS (SELECT trim(text, '₦€£¥₹₺$krMAD') FROM said) "
            "SELECT CASE WHEN instr(:plain, '.') = 0 THEN replace(text, '.', '') = :plain ELSE "
            "replace(text, '.', '') = replace(:plain, '.', '') AND substr(text, -3, 1) = '.' END FROM plain",
            weight=2,
        ),
    )
    allowed = _ONE_MAIL

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        amount = formats.money(known.order.total, data.setting("currency"))
        return [*open_order(known.order.id, known.order.place), *_mail(known.person.name, known.subject, amount)]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        amount = formats.money(known.order.total + 10, data.setting("currency"))
        return {"another amount": _mail(known.person.name, known.subject, amount)}


class MailPhone(Task):
    """Mail a restaurant's phone number to a person."""

    name = "mail-phone"
    app = "eats"
    also = ("email",)
    template = (
        "{person.name} wants to book a table at {place.name}. Find its phone number in Eats and email it to them, with "
        "the subject “{subject}” and only the number as the message."
    )
    domain = {
        "subject": (
            "The number", "Call them", "For the table", "Booking", "Here it is", "Restaurant", "Phone number",
            "As you asked", "Table for two", "Ring them up",
        ),
        "nth": (4, 11, 19, 27, 33), "who": (1, 6, 10, 15, 19, 12),
    }  # fmt: skip
    most = 10
    facts = {"person": _CONTACT, "place": f"{PLACE} 1 ORDER BY r.minimum, r.id LIMIT 1 OFFSET :nth"}
    expect = (
        _SENT,
        _TO,
        _SUBJECT,
        Expect(
            "it says the number",
            f"SELECT replace({_TEXT}, ' ', '') = replace(:place_phone, ' ', '')",
            weight=2,
        ),
    )
    allowed = _ONE_MAIL

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        read: list[Move] = [*open_place(known.place.name), Tap("About this restaurant")]
        return [*read, *_mail(known.person.name, known.subject, known.place.phone)]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        other_phone = data.one("SELECT phone FROM restaurants WHERE id != ? ORDER BY id", known.place.id)
        return {"another number": _mail(known.person.name, known.subject, other_phone)}


class RecommendedMinimum(Task):
    """The minimum order of a restaurant that a mail recommends."""

    name = "recommended-minimum"
    app = "eats"
    kind = "answer"
    also = ("email",)
    template = (
        "{person.name} recommended a restaurant in the email “{subject}”. What is the minimum order there, "
        "according to Eats?"
    )
    domain = {
        "subject": (
            "You have to try this", "Best meal in weeks", "A tip for you", "Where we ate on Sunday", "Forget the rest",
            "My new favourite", "About dinner", "So good", "You asked where to eat", "A table worth it",
        ),
        "nth": (3, 10, 17, 24, 31, 38), "who": (0, 9, 14, 18, 22),
    }  # fmt: skip
    most = 10
    _about = {"person": _CONTACT, "place": f"{PLACE} 1 ORDER BY r.phone, r.id LIMIT 1 OFFSET :nth"}
    given = {**_about, "free": _FREE}
    inject = _received(
        "{subject}",
        "Hi,\n\nwe were at {place.name} last week and I cannot stop talking about it. They deliver too! "
        "Order something and tell me what you think.\n\n{person.name}",
    )
    facts = _about
    answer = Answer(money(":place_minimum"), "money")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return open_place(known.place.name)
