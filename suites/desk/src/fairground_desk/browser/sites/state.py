"""What the sites keep: it lies on the host, so nothing inside of a sandbox can forge it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fairground_desk.browser.person import Person

CATEGORIES = ("Hardware", "Software", "Network", "Building", "Access and keys")
URGENCIES = ("Low", "Normal", "High")
TICKET_TYPES = ("Standard", "Reduced", "Online only")
MEALS = ("No meal", "Vegetarian", "Vegan", "Meat")

MOST = 1000
"""Entries of one kind that are kept; forms beyond that are refused."""


@dataclass
class SiteState:
    """What was sent in, in the order in which it came.

    Attributes:
        tickets: Of the help desk.
        registrations: For events.
        orders: At the shop, each with its lines.
        basket: Pieces by the product's number, not yet ordered.
        comments: Under reports of the newspaper.
        downloads: Paths of files that the sites handed out.
    """

    tickets: list[dict[str, str]] = field(default_factory=list)
    registrations: list[dict[str, str]] = field(default_factory=list)
    orders: list[dict[str, Any]] = field(default_factory=list)
    basket: dict[str, int] = field(default_factory=dict)
    comments: list[dict[str, str]] = field(default_factory=list)
    downloads: list[str] = field(default_factory=list)

    def recorded(self) -> dict[str, Any]:
        """As plain data, for the recording."""
        return {
            "tickets": [dict(one) for one in self.tickets],
            "registrations": [dict(one) for one in self.registrations],
            "orders": [{**one, "lines": [dict(line) for line in one["lines"]]} for one in self.orders],
            "basket": dict(self.basket),
            "comments": [dict(one) for one in self.comments],
            "downloads": list(self.downloads),
        }


def initial(person: Person) -> SiteState:
    """What was sent in before today."""
    others = person.staff
    tickets = [
        ("Projector shows a green picture", "Hardware", "Normal", 3),
        ("Door of the store room sticks", "Building", "Low", 6),
        ("Cannot open shared calendar", "Software", "High", 1),
    ]
    return SiteState(
        tickets=[
            {
                "subject": subject, "category": category, "urgency": urgency, "room": others[who].room,
                "description": f"Reported by {others[who].name} by telephone.", "copy": "no",
            }
            for subject, category, urgency, who in tickets
        ],
        registrations=[
            {
                "event": person.events[4].title, "name": others[2].name, "email": f"office@{person.domain}",
                "organisation": person.organisation, "ticket": "Standard", "meal": "No meal", "newsletter": "no",
            }
        ],
        orders=[
            {
                "reference": "Spring order", "deliver": others[5].room,
                "lines": [{"product": person.products[0].name, "pieces": 4}],
            }
        ],
    )  # fmt: skip
