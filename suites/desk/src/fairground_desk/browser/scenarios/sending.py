"""Forms of web sites: tickets, registrations, orders, comments. Checks compare what the site received."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairground.core import Check, State
from fairground.verify import equal
from fairground.worlds import Enter, Move, Press, Tap, World
from fairground_desk.browser.belongings import attendee_mail, attendees
from fairground_desk.browser.inspector import sites_of
from fairground_desk.browser.person import Person
from fairground_desk.browser.scenarios.browser_task import BrowserTask, choose, go
from fairground_desk.browser.waiting import focused, titled


class Ticket(BrowserTask):
    """Send a ticket to the help desk; one value is in the staff directory."""

    name = "help-desk-ticket"
    template = (
        "Open a ticket at the help desk ({site}): subject “{subject}”, category {category}, urgency {urgency}. "
        "The room "
        "is the one of {colleague}, which you find in the staff directory of the intranet. As description write: "
        "“{description}” {copy}"
    )
    instances = {
        "printer": {"subject": "Printer jams on every second page", "category": "Hardware", "urgency": "High", "who": 2,
                    "copy": "Have a copy sent to me.", "description": "It began on Monday. Paper is new."},
        "socket": {"subject": "Network socket is dead", "category": "Network", "urgency": "Normal", "who": 4,
                   "copy": "I need no copy.", "description": "The light at the wall is off, the cable is fine."},
        "key": {"subject": "Key for the side entrance", "category": "Access and keys", "urgency": "Low", "who": 7,
                "copy": "Have a copy sent to me.", "description": "Needed from the first of the month."},
        "heating": {"subject": "Heating cannot be turned down", "category": "Building", "urgency": "High", "who": 9,
                    "copy": "I need no copy.", "description": "It is 27 degrees in here."},
    }  # fmt: skip
    received = ("tickets",)

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        return {"site": person.host("helpdesk"), "colleague": person.staff[int(world.parameters["who"])].name}

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        wanted = self._wanted(world)
        return [*_one_more("ticket", before, after, "tickets"), *_fields("tickets", wanted, before, after)]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = self._wanted(world)
        box: list[Move] = [Press("space")] if wanted["copy"] == "yes" else []
        return [
            *go(self.person(world).url("helpdesk", "/new")), Tap("Subject", role="entry"),
            Enter(wanted["subject"] + "\t"),
            Enter(wanted["category"] + "\t"), Enter(wanted["urgency"] + "\t"), Enter(wanted["room"] + "\t"),
            Enter(wanted["description"] + "\t"), *box, Press("tab"), Press("enter"), titled("Thank you"),
        ]  # fmt: skip

    def _wanted(self, world: World) -> dict[str, str]:
        parameters = world.parameters
        fields = {name: str(parameters[name]) for name in ("subject", "category", "urgency", "description")}
        room = self.person(world).staff[int(parameters["who"])].room
        return fields | {"room": room, "copy": "yes" if "Have" in str(parameters["copy"]) else "no"}


class Register(BrowserTask):
    """Register for an event that has to be found first; the form has three pages."""

    name = "register-for-event"
    template = (
        "Register me ({name}, {email}, {organisation}) at {site} for {which}. I want the ticket “{ticket}”, for lunch "
        "“{meal}”, and {newsletter}. Go through to the end of the registration."
    )
    instances = {
        "cheapest": {"pick": "cheapest", "ticket": "Standard", "meal": "Vegan", "letter": False},
        "dearest": {"pick": "dearest", "ticket": "Reduced", "meal": "Meat", "letter": True},
        "first-free": {"pick": "first", "ticket": "Online only", "meal": "No meal", "letter": True},
        "fullest": {"pick": "fullest", "ticket": "Standard", "meal": "Vegetarian", "letter": False},
    }
    received = ("registrations",)
    step_budget = 80

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        which = {
            "cheapest": "the cheapest event in the programme that still has places",
            "dearest": "the most expensive event in the programme that still has places",
            "first": "the first event of the programme (by date) that still has places",
            "fullest": "the event with the fewest places left, but at least one",
        }[str(world.parameters["pick"])]
        return {
            "name": person.name, "email": person.email, "organisation": person.organisation,
            "site": person.host("events"), "which": which,
            "newsletter": "I do want the newsletter" if world.parameters["letter"] else "no newsletter, please",
        }  # fmt: skip

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        wanted = self._wanted(world)
        return [
            *_one_more("registration", before, after, "registrations"),
            *_fields("registrations", wanted, before, after),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        owner, wanted = self.person(world), self._wanted(world)
        number = [event.title for event in owner.events].index(wanted["event"]) + 1
        return _registration(owner.url("events", f"/register/{number}"), wanted)

    def _wanted(self, world: World) -> dict[str, str]:
        owner, parameters = self.person(world), world.parameters
        free = [candidate for candidate in owner.events if candidate.seats]
        event = {
            "cheapest": min(free, key=lambda candidate: candidate.price),
            "dearest": max(free, key=lambda candidate: candidate.price),
            "first": min(free, key=lambda candidate: candidate.date),
            "fullest": min(free, key=lambda candidate: candidate.seats),
        }[str(parameters["pick"])]  # fmt: skip
        return {
            "event": event.title, "name": owner.name, "email": owner.email, "organisation": owner.organisation,
            "ticket": str(parameters["ticket"]), "meal": str(parameters["meal"]),
            "newsletter": "yes" if parameters["letter"] else "no",
        }  # fmt: skip


class RegisterFromList(BrowserTask):
    """Register a colleague whose choices are in a file."""

    name = "register-from-list"
    template = (
        "The file attendees.txt in my Documents has one line for each colleague: name; e-mail; organisation; kind of "
        "ticket; lunch. Register {colleague} with these data at {site} for “{event}”, without the newsletter."
    )
    instances = {
        "first": {"line": 0, "event": 2},
        "second": {"line": 1, "event": 4},
        "third": {"line": 2, "event": 6},
        "fourth": {"line": 3, "event": 8},
    }
    received = ("registrations",)
    step_budget = 80

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        return {
            "colleague": attendees(person)[int(world.parameters["line"])][0].name, "site": person.host("events"),
            "event": person.events[int(world.parameters["event"]) - 1].title,
        }  # fmt: skip

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        wanted = self._wanted(world)
        return [
            *_one_more("registration", before, after, "registrations"),
            *_fields("registrations", wanted, before, after),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        url = self.person(world).url("events", f"/register/{world.parameters['event']}")
        return _registration(url, self._wanted(world))

    def _wanted(self, world: World) -> dict[str, str]:
        owner = self.person(world)
        colleague, ticket, meal = attendees(owner)[int(world.parameters["line"])]
        return {
            "event": owner.events[int(world.parameters["event"]) - 1].title, "name": colleague.name,
            "email": attendee_mail(owner, colleague.name), "organisation": owner.organisation, "ticket": ticket,
            "meal": meal, "newsletter": "no",
        }  # fmt: skip


class Order(BrowserTask):
    """Order two products."""

    name = "order-supplies"
    template = (
        "Order at {site}: {pieces} pieces of “{first}” and {more} of the {which} product of the category "
        "{category} that "
        "is in stock. Your reference: “{reference}”. Deliver to the room of {colleague} (see the staff directory)."
    )
    instances = {
        "spring": {"one": 1, "pieces": 3, "category": 3, "pick": "cheapest", "more": 2, "who": 1,
            "reference": "Spring refill"},
        "project": {"one": 4, "pieces": 5, "category": 0, "pick": "most expensive", "more": 1, "who": 3,
                    "reference": "Project 27-B"},
        "urgent": {"one": 13, "pieces": 2, "category": 1, "pick": "cheapest", "more": 4, "who": 8,
            "reference": "Urgent, A. M."},
        "stock": {"one": 17, "pieces": 4, "category": 2, "pick": "cheapest", "more": 3, "who": 6,
            "reference": "Shelf stock"},
    }  # fmt: skip
    received = ("orders", "basket")
    step_budget = 90

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        first, _ = self._products(world)
        return {
            "site": person.host("shop"), "first": person.products[first].name, "which": world.parameters["pick"],
            "category": self._category(world), "colleague": person.staff[int(world.parameters["who"])].name,
        }  # fmt: skip

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        owner, parameters = self.person(world), world.parameters
        first, second = self._products(world)
        first_name, second_name = owner.products[first].name, owner.products[second].name
        old, new = len(sites_of(before)["orders"]), sites_of(after)["orders"]
        last: dict[str, Any] = new[-1] if len(new) > old else {}
        lines = {str(line["product"]): line["pieces"] for line in last.get("lines", [])}
        return [
            *_one_more("order", before, after, "orders"),
            equal(f"pieces of {first_name}", parameters["pieces"], lines.get(first_name)),
            equal(f"pieces of {second_name}", parameters["more"], lines.get(second_name)),
            equal("there is nothing else in it", sorted((first_name, second_name)), sorted(lines)),
            equal("the reference", parameters["reference"], last.get("reference")),
            equal("the room", owner.staff[int(parameters["who"])].room, last.get("deliver")),
            equal("the basket is empty", {}, sites_of(after)["basket"], weight=0.0, integrity=True),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        owner, parameters = self.person(world), world.parameters
        moves: list[Move] = []
        for at, pieces in zip(self._products(world), (parameters["pieces"], parameters["more"]), strict=True):
            moves += [
                *go(owner.url("shop", f"/products/{at + 1}")), Tap("Pieces", role="entry"), focused("Pieces"),
                Press("ctrl+a"), Enter(f"{pieces}"), Tap("Add to basket"), titled("Added"),
            ]  # fmt: skip
        room = owner.staff[int(parameters["who"])].room
        return [
            *moves, *go(owner.url("shop", "/basket")), Tap("Your reference", role="entry"),
            Enter(f"{parameters['reference']}\t{room}\n"), titled("Order placed"),
        ]  # fmt: skip

    def _category(self, world: World) -> str:
        names = list(dict.fromkeys(product.category for product in self.person(world).products))
        return names[int(world.parameters["category"])]

    def _products(self, world: World) -> tuple[int, int]:
        owner = self.person(world)
        first = int(world.parameters["one"])
        fitting = [
            (product.price, at) for at, product in enumerate(owner.products)
            if product.category == self._category(world) and product.stock >= int(world.parameters["more"])
        ]  # fmt: skip
        pick = min if world.parameters["pick"] == "cheapest" else max
        return first, pick(fitting)[1]


class PublishComment(BrowserTask):
    """Comment on a report that has to be found in the archive."""

    name = "comment-on-report"
    template = "Publish a comment under the {which} report of the section {section} at {site}, as {name}: “{text}”"
    instances = {
        "thanks": {"pick": "newest", "section": 0, "text": "Thank you, that was overdue."},
        "question": {"pick": "oldest", "section": 1, "text": "Where can the figures be read?"},
        "correction": {"pick": "newest", "section": 1, "text": "The date in the second line is wrong."},
    }
    received = ("comments",)

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        return {
            "which": world.parameters["pick"], "section": self._section(world), "site": person.host("news"),
            "name": person.name,
        }  # fmt: skip

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        _, report = self._report(world)
        wanted = {"report": report, "name": self.person(world).name, "text": str(world.parameters["text"])}
        return [*_one_more("comment", before, after, "comments"), *_fields("comments", wanted, before, after)]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        owner = self.person(world)
        number, _ = self._report(world)
        return [
            *go(owner.url("news", f"/{number}")), Tap("Your name", role="entry"),
            Enter(f"{owner.name}\t{world.parameters['text']}\t"), Press("enter"), titled("Comment published"),
        ]  # fmt: skip

    def _section(self, world: World) -> str:
        names = list(dict.fromkeys(article.section for article in self.person(world).articles))
        return names[int(world.parameters["section"])]

    def _report(self, world: World) -> tuple[int, str]:
        reports = [
            (article.date, number, article.title)
            for number, article in enumerate(self.person(world).articles, 1)
            if article.section == self._section(world)
        ]
        _, number, title = (max if world.parameters["pick"] == "newest" else min)(reports)
        return number, title


def _registration(url: str, wanted: Mapping[str, str]) -> list[Move]:
    letter: list[Move] = [Press("space")] if wanted["newsletter"] == "yes" else []
    return [
        *go(url), Tap("Full name", role="entry"),
        Enter(f"{wanted['name']}\t{wanted['email']}\t{wanted['organisation']}\n"), titled("Step 2"),
        *choose("Kind of ticket", wanted["ticket"]), Press("tab"), Enter(f"{wanted['meal']}\t"), *letter,
        Press("tab"), Press("enter"), titled("Step 3"), Tap("Confirm registration"), titled("You are registered"),
    ]  # fmt: skip


def _one_more(noun: str, before: State, after: State, part: str) -> list[Check]:
    old, new = sites_of(before)[part], sites_of(after)[part]
    return [
        equal(f"the site has one {noun} more", len(old) + 1, len(new)),
        equal("what it had is as it was", old, new[: len(old)], weight=0.0, integrity=True),
    ]


def _fields(part: str, wanted: Mapping[str, str], before: State, after: State) -> list[Check]:
    old, new = sites_of(before)[part], sites_of(after)[part]
    last = new[-1] if len(new) > len(old) else {}
    return [equal(name, value, last.get(name)) for name, value in wanted.items()]


SCENARIOS = (Ticket(), Register(), RegisterFromList(), Order(), PublishComment())
