"""Tasks about feedback (reviews, problems) and preferences (diet, notifications)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.eats.scenarios.finding import open_order
from fairground_pocket.eats.schema import ALERTS, DIETS, PROBLEMS
from fairground_pocket.kit import Add, Change, Database, Expect, Known, Task

_DELIVERED = (
    "SELECT o.id, o.restaurant, r.name AS place, substr(o.placed, 1, 10) AS day FROM orders o JOIN restaurants r ON "
    "r.id = o.restaurant, clock WHERE o.cancelled = 0 AND o.due < now "
)


class RateOrder(Task):
    """Rate an order with stars and a text."""

    name = "rate-order"
    app = "eats"
    template = "Give my order from {order.place} of {order.day} {stars} stars and write: “{text}”"
    domain = {
        "review": {
            "cold": {"stars": 2, "text": "It was cold when it came."},
            "lovely": {"stars": 5, "text": "Lovely, and so quick!"},
            "salty": {"stars": 3, "text": "Too salty for me."},
            "small": {"stars": 3, "text": "Good, but the portion was small."},
            "again": {"stars": 5, "text": "We will order again."},
            "late": {"stars": 2, "text": "Almost an hour late."},
            "fine": {"stars": 4, "text": "Fine for a weekday."},
            "sauce": {"stars": 4, "text": "The sauce is wonderful."},
            "party": {"stars": 5, "text": "A hit at our party."},
            "spilled": {"stars": 2, "text": "Half of it was spilled."},
        },
        "nth": (0, 1, 2, 3, 4, 5),
    }
    most = 10
    facts = {
        "order": f"{_DELIVERED} AND o.id NOT IN (SELECT of_order FROM reviews WHERE of_order IS NOT NULL) AND "
        "(SELECT count(*) FROM orders x WHERE x.restaurant = o.restaurant AND substr(x.placed, 1, 10) = "
        "substr(o.placed, 1, 10)) = 1 ORDER BY o.placed DESC LIMIT 1 OFFSET :nth"
    }
    expect = (
        Expect("the right order has one review", "SELECT count(*) FROM after.reviews WHERE of_order = :order_id"),
        Expect(
            "with the right stars",
            "SELECT CAST(stars AS TEXT) FROM after.reviews WHERE of_order = :order_id",
            "{stars}",
        ),
        Expect("and the right words", "SELECT text FROM after.reviews WHERE of_order = :order_id", "{text}"),
    )
    allowed = (Add("reviews", "of_order = :order_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        rate: list[Move] = [Tap("Rate this order"), Tap(f"{known.stars} stars"), Fill("Your review", known.text)]
        return [*open_order(known.order.id, known.order.place), *rate, Tap("Send review")]


class ReportProblem(Task):
    """Report a problem with an order."""

    name = "report-problem"
    app = "eats"
    template = (
        "Report a problem with my order from {order.place} of {order.day}: “{words}”. Describe it like this: “{text}”"
    )
    domain = {
        "problem": {
            f"{key}-{number}": {"kind": key, "words": dict(PROBLEMS)[key], "text": text}
            for number, (key, text) in enumerate(
                (
                    ("missing", "The drinks were not in the bag."), ("wrong", "I got somebody else's soup."),
                    ("cold", "Everything was stone cold."), ("late", "It came ninety minutes late."),
                    ("spilled", "The sauce ran all over the bag."), ("missing", "One of the two mains is missing."),
                    ("wrong", "This has meat in it, I ordered without."), ("cold", "The chips were cold and soft."),
                    ("late", "My guests had left already."), ("spilled", "The box was crushed."),
                ), 1,
            )
        },
        "nth": (2, 4, 0, 6, 1),
    }  # fmt: skip
    most = 10
    facts = {
        "order": f"{_DELIVERED} AND (SELECT count(*) FROM orders x WHERE x.restaurant = o.restaurant AND "
        "substr(x.placed, 1, 10) = substr(o.placed, 1, 10)) = 1 ORDER BY o.placed DESC LIMIT 1 OFFSET :nth"
    }
    expect = (
        Expect("it is reported", "SELECT count(*) FROM after.problems WHERE of_order = :order_id AND kind = :kind"),
        Expect("with the right words", "SELECT text FROM after.problems WHERE of_order = :order_id", "{text}"),
    )
    allowed = (Add("problems", "of_order = :order_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        report: list[Move] = [Tap("Report a problem"), Tap(known.words), Fill("What happened", known.text)]
        return [*open_order(known.order.id, known.order.place), *report, Tap("Send report")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        word = (
            "Change my review"
            if data.one("SELECT 1 FROM reviews WHERE of_order = ?", known.order.id)
            else "Rate this order"
        )
        rate: list[Move] = [Tap(word), Tap("1 star"), Fill("Your review", known.text), Tap("Send review")]
        return {"as a review": [*open_order(known.order.id, known.order.place), *rate]}


def _switched(prefix: str) -> Expect:
    sql = (
        f"SELECT count(*) FROM after.settings WHERE (name = '{prefix}_' || :one AND value = '1') OR "
        f"(name = '{prefix}_' || :two AND value = '1') OR (name = '{prefix}_' || :off AND value = '0')"
    )
    return Expect("all three are as asked", sql, 3)


def _opposite(prefix: str) -> Callable[[Database, Known], None]:
    def inject(db: Database, known: Known) -> None:
        for key, value in ((known.one, False), (known.two, False), (known.off, True)):
            db.set(f"{prefix}_{key}", value)

    return inject


def _combinations(entries: Sequence[tuple[str, str, str]]) -> dict[str, dict[str, str]]:
    """Ten combinations of two items to switch on and one to switch off."""
    names = {key: name for key, name, _ in entries}
    keys = list(names)
    cases = {}
    for number in range(10):
        first, second = keys[number % len(keys)], keys[(number + 1 + number // len(keys)) % len(keys)]
        off = next(key for key in keys[number % 3 :] + keys if key not in (first, second))
        words = {"one_name": names[first], "two_name": names[second], "off_name": names[off]}
        cases[f"{first}-{second}-not-{off}".replace("_", "-")] = {"one": first, "two": second, "off": off, **words}
    return cases


class SetDiet(Task):
    """Set the dietary preferences."""

    name = "set-diet"
    app = "eats"
    template = (
        "Update my dietary preferences: switch on “{one_name}” and “{two_name}”, switch off “{off_name}”, and leave "
        "the others as they are."
    )
    domain = {"diet": _combinations(DIETS)}
    inject = (_opposite("diet"),)
    expect = (_switched("diet"),)
    allowed = (Change("settings", ("value",), "name IN ('diet_' || :one, 'diet_' || :two, 'diet_' || :off)"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [
            Tap("Account"),
            Tap("Dietary preferences"),
            Tap(known.one_name),
            Tap(known.two_name),
            Tap(known.off_name),
        ]


class SetAlerts(Task):
    """Set the notification preferences."""

    name = "set-alerts"
    app = "eats"
    template = (
        "In the notification settings, turn on “{one_name}” and “{two_name}” and turn off “{off_name}”. "
        "Everything else stays."
    )
    domain = {"alerts": _combinations(ALERTS)}
    inject = (_opposite("alert"),)
    expect = (_switched("alert"),)
    allowed = (Change("settings", ("value",), "name IN ('alert_' || :one, 'alert_' || :two, 'alert_' || :off)"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        page: list[Move] = [Tap("Account"), Tap("Notification settings")]
        return [*page, Tap(known.one_name), Tap(known.two_name), Tap(known.off_name)]
