"""The payment app as a world: its profiles and UI states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from fairground_pocket.kit import Cast, Database, Draw, PocketApp
from fairground_pocket.payment import (
    activity,
    banks,
    bills,
    cards,
    filling,
    paying,
    people,
    preferences,
    recurring,
    requests,
    statements,
    wallet,
)
from fairground_pocket.payment.schema import SITE

PAGES = (wallet, activity, people, paying, requests, bills, cards, banks, recurring, statements, preferences)
"""The modules with handlers; importing them registers their pages."""

_FRIEND = "SELECT id FROM contacts WHERE favourite = 1 ORDER BY id LIMIT 1"
_MONTH = "SELECT DISTINCT substr(time, 1, 7) AS month FROM transactions ORDER BY 1 DESC LIMIT 1 OFFSET 1"

_ASKED = "SELECT id FROM requests WHERE direction = 'in' AND status = 'open' ORDER BY time DESC LIMIT 1"


class Payment(PocketApp):
    """A wallet on a phone: sending, requests, shared bills, cards, recurring payments, statements."""

    name = "payment"
    title = "Payment"
    site = SITE
    clocks = ("now", "time")
    ui_states: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "wallet": {"path": "/"},
        "sent-last-month": {"path": "/activity?kind=sent&month={month}", "facts": {"month": _MONTH}},
        "search": {"path": "/activity?q=coffee"},
        "half-filled-payment": {
            "path": "/send?to={friend}&amount=12&note=For+the+tickets",
            "facts": {"friend": _FRIEND},
        },
        "person-menu": {"path": "/people/{friend}#more", "facts": {"friend": _FRIEND}},
        "newest-request": {
            "path": "/requests/{number}#decline",
            "facts": {"number": _ASKED},
        },
        "requests-sent": {"path": "/requests?view=sent"},
        "statement": {"path": "/statements/{month}", "facts": {"month": _MONTH}},
        "card": {"path": "/cards/{number}", "facts": {"number": "SELECT id FROM cards ORDER BY id LIMIT 1 OFFSET 1"}},
        "half-split-bill": {"path": "/bills/new?title=Lunch+on+Sunday&people={friend}", "facts": {"friend": _FRIEND}},
    }

    def fill(self, database: Database, cast: Cast, draw: Draw) -> None:
        """Fills the wallet with a year of payments between the people of the cast."""
        filling.fill(database, cast, draw)
