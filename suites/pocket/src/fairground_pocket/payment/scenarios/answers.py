"""Questions about the payment app."""

from __future__ import annotations

from collections.abc import Sequence

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.kit import Answer, Balance, Database, EntityExists, Known, MaxCount, Task
from fairground_pocket.payment.scenarios.asking import bill_page
from fairground_pocket.payment.scenarios.finding import (
    MONTH,
    MONTH_WORD,
    WHO,
    cases,
    day_words,
    money,
    person,
    statement,
)
from fairground_pocket.payment.schema import CATEGORIES
from fairground_pocket.payment.store import SPENT

_IN_MONTH = "substr(time, 1, 7) = :month_key"


class PaidInMonth(Task):
    """How much was sent to a person in a month."""

    name = "paid-in-month"
    app = "payment"
    kind = "answer"
    template = "How much did I send to {who.name} in {month.name} altogether?"
    domain = {
        "case": cases(
            "back rank",
            *((f"{back}-back-{rank}", back, rank) for back, rank in (
                (1, 2), (2, 5), (3, 3), (4, 4), (5, 2), (6, 6), (7, 3), (8, 5), (9, 4), (10, 2), (11, 6), (2, 3),
            )),
        )
    }  # fmt: skip
    facts = {
        "month": MONTH,
        "who": (
            "SELECT c.id, c.name FROM transactions t JOIN contacts c ON c.id = t.contact WHERE t.kind = 'payment' AND "
            "substr(t.time, 1, 7) = :month_key GROUP BY c.id ORDER BY count(*) DESC, c.id LIMIT 1 OFFSET :rank"
        ),
    }
    answer = Answer(
        money(f"SELECT -sum(amount) FROM transactions WHERE kind = 'payment' AND contact = :who_id AND {_IN_MONTH}"),
        "money",
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [
            *person(known.who.name), Tap("Whole history"), Tap("Sent"), Tap("Choose month"), Tap(known.month.name)
        ]  # fmt: skip


class CategoryInMonth(Task):
    """How much was spent on a category in a month."""

    name = "category-in-month"
    app = "payment"
    kind = "answer"
    template = "According to my statement for {month.name}, how much did I spend on {category}?"
    domain = {
        "case": cases(
            "category back",
            *((f"{category}-{back}".lower().replace(" ", "-"), category, back) for category, back in (
                ("Groceries", 1), ("Eating out", 2), ("Transport", 3), ("Fun", 4), ("Home", 5), ("Bills", 6),
                ("Shopping", 2), ("Groceries", 8), ("Health", 4), ("Eating out", 10), ("Fun", 7), ("Transport", 11),
            )),
        )
    }  # fmt: skip
    facts = {"month": MONTH}
    needs = (EntityExists("transactions", f"{SPENT} AND category = :category AND {_IN_MONTH}"),)
    answer = Answer(
        money(f"SELECT -sum(amount) FROM transactions WHERE {SPENT} AND category = :category AND {_IN_MONTH}"), "money"
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return statement(known)


class DearestPurchase(Task):
    """Where the largest purchase of a month was made."""

    name = "dearest-purchase"
    app = "payment"
    kind = "answer"
    template = "At which shop or company did I make my most expensive purchase in {month.name}? Answer with its name."
    domain = {"back": {f"{back}-back": back for back in range(1, 12)}}
    facts = {
        "month": MONTH,
        "top": (
            f"SELECT id, title, amount FROM transactions WHERE kind = 'purchase' AND {_IN_MONTH} "
            "ORDER BY amount, id LIMIT 1"
        ),
    }
    needs = (MaxCount("transactions", f"kind = 'purchase' AND {_IN_MONTH} AND amount = :top_amount", 1),)
    answer = Answer(
        "SELECT :top_title", "text", among="SELECT DISTINCT title FROM transactions WHERE kind = 'purchase'"
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("Activity"), Tap("Purchases"), Tap("Choose month"), Tap(known.month.name)]


class TimesPaid(Task):
    """How often a person was paid."""

    name = "times-paid"
    app = "payment"
    kind = "answer"
    template = "How many times have I sent money to {who.name} so far? Answer with the number."
    domain = {"nth": {f"no-{number + 1}": number for number in range(12)}}
    facts = {
        "who": (
            "SELECT c.id, c.name FROM transactions t JOIN contacts c ON c.id = t.contact WHERE t.kind = 'payment' "
            "GROUP BY c.id HAVING count(*) > 5 ORDER BY fold(c.name) LIMIT 1 OFFSET :nth"
        )
    }
    answer = Answer("SELECT count(*) FROM transactions WHERE kind = 'payment' AND contact = :who_id")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*person(known.who.name), Tap("Whole history"), Tap("Sent")]


class CardInMonth(Task):
    """How much was paid with a card in a month."""

    name = "card-in-month"
    app = "payment"
    kind = "answer"
    template = (
        "How much did I pay with my “{card.label}” card in {month.name}? Do not count money that came back to the card."
    )
    domain = {
        "case": cases(
            "back rank",
            *((f"{back}-back-{rank + 1}", back, rank) for back, rank in (
                (1, 0), (2, 1), (3, 2), (4, 1), (5, 2), (6, 0), (7, 1), (8, 2), (9, 0), (10, 1), (11, 2), (1, 2),
            )),
        )
    }  # fmt: skip
    facts = {
        "month": MONTH,
        "card": (
            "SELECT c.id, c.label, c.last4 FROM cards c JOIN transactions t ON t.card = c.id WHERE t.amount < 0 AND "
            "substr(t.time, 1, 7) = :month_key GROUP BY c.id ORDER BY count(*) DESC, c.id LIMIT 1 OFFSET :rank"
        ),
    }
    answer = Answer(
        money(f"SELECT -sum(amount) FROM transactions WHERE card = :card_id AND amount < 0 AND {_IN_MONTH}"), "money"
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        card = f"{known.card.label} ··{known.card.last4}"
        return [
            Tap("More"), Tap("Cards"), Tap(card), Tap("All with this card"), Tap("Choose month"), Tap(known.month.name)
        ]  # fmt: skip


class OpenRequest(Task):
    """Who has the largest, smallest or oldest open request, and for what."""

    name = "open-request"
    app = "payment"
    kind = "answer"
    template = "Of the open requests to me, look at the {which}. {question}"
    domain = {
        "which": {
            "largest": {"which": "one with the largest amount", "nth": 0, "order_by": "-amount"},
            "smallest": {"which": "one with the smallest amount", "nth": 0, "order_by": "amount"},
            "oldest": {"which": "oldest one", "nth": 0, "order_by": "time"},
            "newest": {"which": "newest one", "nth": 0, "order_by": "-time"},
            "second-largest": {"which": "one with the second largest amount", "nth": 1, "order_by": "-amount"},
            "second-oldest": {"which": "second oldest one", "nth": 1, "order_by": "time"},
        },
        "what": {
            "who": {"what": "name", "question": "Who is it from? Answer with the name."},
            "what-for": {"what": "note", "question": "What is it for? Answer with the reason given."},
        },
    }
    facts = {
        "asked": (
            "SELECT r.id, r.note, c.name FROM requests r JOIN contacts c ON c.id = r.contact WHERE r.direction = 'in' "
            "AND r.status = 'open' ORDER BY CASE :order_by WHEN '-amount' THEN -r.amount WHEN 'amount' THEN r.amount "
            "WHEN 'time' THEN julianday(r.time) ELSE -julianday(r.time) END LIMIT 1 OFFSET :nth"
        )
    }
    answer = Answer(
        "SELECT CASE :what WHEN 'name' THEN :asked_name ELSE :asked_note END",
        "text",
        among=(
            "SELECT name FROM contacts WHERE :what = 'name' UNION SELECT note FROM requests WHERE :what = 'note' AND "
            "direction = 'in'"
        ),
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("Requests")]


class OwedOnBill(Task):
    """How much of a bill is still unpaid."""

    name = "owed-on-bill"
    app = "payment"
    kind = "answer"
    template = "How much money is still to come from the others for the shared bill “{bill.title}”?"
    domain = {"nth": {f"no-{number + 1}": number for number in range(12)}}
    facts = {
        "bill": (
            "SELECT id, title FROM bills b WHERE EXISTS (SELECT 1 FROM requests r WHERE r.bill = b.id AND "
            "r.status = 'open') ORDER BY title LIMIT 1 OFFSET :nth"
        )
    }
    needs = (MaxCount("bills", "title = :bill_title", 1),)
    answer = Answer(money("SELECT sum(amount) FROM requests WHERE bill = :bill_id AND status = 'open'"), "money")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return bill_page(known)


class DueUntil(Task):
    """How much recurring payments will cost until a given day."""

    name = "due-until"
    app = "payment"
    kind = "answer"
    template = (
        "Which amount do my active recurring payments add up to whose next payment is on or before {until.words}? "
        "Count each of them once."
    )
    domain = {"days": {f"{days}-days": f"+{days} days" for days in (7, 9, 11, 13, 15, 17, 19, 22, 25, 28)}}
    facts = {"until": f"SELECT date(now, :days) AS day, {day_words('date(now, :days)')} AS words FROM clock"}
    needs = (EntityExists("recurring", "status = 'active' AND due <= :until_day"),)
    answer = Answer(money("SELECT sum(amount) FROM recurring WHERE status = 'active' AND due <= :until_day"), "money")

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("More"), Tap("Recurring payments")]


class DearestMonth(Task):
    """In which month a category cost the most."""

    name = "dearest-month"
    app = "payment"
    kind = "answer"
    template = (
        "Of the months from {first.name} to {last.name}, in which did I spend the most on {category}? Answer with the "
        "month."
    )
    domain = {"category": tuple(CATEGORIES)}
    facts = {
        "first": MONTH.replace(":back", "6"),
        "last": MONTH.replace(":back", "1"),
        "top": (
            f"SELECT substr(time, 1, 7) AS key, -sum(amount) AS total FROM transactions WHERE {SPENT} AND "
            "category = :category AND substr(time, 1, 7) BETWEEN :first_key AND :last_key "
            "GROUP BY 1 ORDER BY total DESC LIMIT 1"
        ),
    }
    needs = (
        MaxCount(
            f"(SELECT sum(amount) AS total FROM transactions WHERE {SPENT} AND category = :category AND "
            "substr(time, 1, 7) BETWEEN :first_key AND :last_key GROUP BY substr(time, 1, 7))",
            "total = -:top_total",
            1,
        ),
        Balance(":top_total", "1"),
    )
    answer = Answer(
        f"SELECT CASE substr(:top_key, 6, 2) {MONTH_WORD} END",
        "text",
        among=(f"SELECT DISTINCT CASE substr(time, 6, 2) {MONTH_WORD} END FROM transactions"),
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("More"), Tap("Statements"), Tap(known.last.name), *[Tap("Month before")] * 5]


class LastPaid(Task):
    """When a person was last paid."""

    name = "last-paid"
    app = "payment"
    kind = "answer"
    template = "On which date did I last send money to {who.name}?"
    domain = {"role": ("sister", "colleague", "aunt", "friend", "friend from school", "running partner", "bandmate",
                       "cousin", "mother", "neighbour", "best friend", "father")}  # fmt: skip
    facts = {"who": WHO}
    needs = (EntityExists("transactions", "kind = 'payment' AND contact = :who_id"),)
    answer = Answer(
        "SELECT substr(max(time), 1, 10) FROM transactions WHERE kind = 'payment' AND contact = :who_id", "date"
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*person(known.who.name), Tap("Whole history"), Tap("Sent")]


class SpentAtShop(Task):
    """How much was spent at a shop in total."""

    name = "spent-at-shop"
    app = "payment"
    kind = "answer"
    template = (
        "Add up everything that I have ever paid at {shop.title}. Do not subtract refunds. How much is it in total?"
    )
    domain = {"nth": {f"no-{number + 1}": number for number in range(2, 24, 2)}}
    facts = {
        "shop": (
            "SELECT title, count(*) AS times FROM transactions WHERE kind = 'purchase' GROUP BY title "
            "ORDER BY times DESC, title LIMIT 1 OFFSET :nth"
        )
    }
    needs = (EntityExists("transactions", "kind = 'purchase' AND title = :shop_title", 2),)
    answer = Answer(
        money("SELECT -sum(amount) FROM transactions WHERE kind = 'purchase' AND title = :shop_title"), "money"
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap("Activity"), Fill("Search activity", known.shop.title), Tap("Purchases")]
