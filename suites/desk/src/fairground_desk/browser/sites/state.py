"""Data that the sites received. It is kept on the host, so nothing inside a sandbox can forge it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fairground_desk.browser.person import Person

CATEGORIES = ("Hardware", "Software", "Network", "Building", "Access and keys")
URGENCIES = ("Low", "Normal", "High")
TICKET_TYPES = ("Standard", "Reduced", "Online only")
MEALS = ("No meal", "Vegetarian", "Vegan", "Meat")

MOST = 1000
"""Maximum number of entries per kind; further forms are refused."""


@dataclass
class SiteState:
    """Submitted data, in the order of arrival.

    Attributes:
        tickets: Of the help desk.
        registrations: For events.
        orders: At the shop, each with its lines.
        basket: Number of pieces by product number, not yet ordered.
        comments: On reports of the newspaper.
        downloads: Paths of files that the sites served.
    """

    tickets: list[dict[str, str]] = field(default_factory=list)
    registrations: list[dict[str, str]] = field(default_factory=list)
    orders: list[dict[str, Any]] = field(default_factory=list)
    basket: dict[str, int] = field(default_factory=dict)
    comments: list[dict[str, str]] = field(default_factory=list)
    downloads: list[str] = field(default_factory=list)

    def recorded(self) -> dict[str, Any]:
        """Return plain data for the recording."""
        return {
            "tickets": [dict(ticket) for ticket in self.tickets],
            "registrations": [dict(registration) for registration in self.registrations],
            "orders": [{**order, "lines": [dict(line) for line in order["lines"]]} for order in self.orders],
            "basket": dict(self.basket),
            "comments": [dict(comment) for comment in self.comments],
            "downloads": list(self.downloads),
        }


def initial(person: Person) -> SiteState:
    """Return the data that was sent before the task starts."""
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
