"""The food delivery app as a world: its profiles and UI states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from fairground_pocket.eats import (
    account,
    addresses,
    carts,
    checkout,
    discover,
    dishes,
    feedback,
    filling,
    methods,
    offers,
    orders,
    restaurants,
    searching,
)
from fairground_pocket.eats.schema import SITE
from fairground_pocket.kit import Cast, Database, Draw, PocketApp

PAGES = (
    discover, searching, restaurants, dishes, carts, checkout, orders, feedback, addresses, methods, offers, account,
)  # fmt: skip
"""The modules with handlers; importing them registers their pages."""

_LAST = "SELECT o.id FROM orders o, clock WHERE due < now AND cancelled = 0 ORDER BY placed DESC LIMIT 1"
_BEST = "SELECT id FROM restaurants ORDER BY rating DESC, ratings DESC, id LIMIT 1"
_DISH = (
    "SELECT d.id, c.id AS choice, (SELECT o.id FROM options o WHERE o.choice = c.id ORDER BY o.id DESC LIMIT 1) AS last"
    " FROM dishes d JOIN section_choices s ON s.section = d.section JOIN choices c ON c.id = s.choice "
    "WHERE c.required = 1 AND d.sold_out = 0 AND d.popular = 1 ORDER BY d.id LIMIT 1"
)


class Eats(PocketApp):
    """Food delivery on a phone: restaurants, menus, a cart, orders."""

    name = "eats"
    title = "Eats"
    site = SITE
    clocks = ("now", "time", "placed", "due")
    ui_states: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "discover": {"path": "/"},
        "free-and-open": {"path": "/search?free=1&open=1&sort=rating"},
        "filters": {
            "path": "/search/filters?area={area}&rating=40",
            "facts": {"area": "SELECT area FROM restaurants ORDER BY id LIMIT 1"},
        },
        "best-restaurant": {"path": "/r/{number}", "facts": {"number": _BEST}},
        "half-chosen-dish": {
            "path": "/d/{dish.id}?quantity=2&note=No+onions&g{dish.choice}={dish.last}",
            "facts": {"dish": _DISH},
        },
        "empty-cart": {"path": "/cart"},
        "cancelling": {
            "path": "/orders/{number}#cancel",
            "facts": {"number": "SELECT id FROM orders WHERE slot IS NOT NULL ORDER BY id DESC LIMIT 1"},
        },
        "half-written-review": {"path": "/orders/{number}/rate?stars=4&text=The+rice+was", "facts": {"number": _LAST}},
        "half-filled-address": {"path": "/addresses/new?label=New+office&door=3rd+floor#address-area"},
        "notification-settings": {"path": "/alerts"},
    }

    def fill(self, database: Database, cast: Cast, draw: Draw) -> None:
        """Fills the town's restaurants and the order history."""
        filling.fill(database, cast, draw)
