"""The flights app as a world: its profiles and UI states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from fairground_pocket.flights import account, boarding, buying, filling, rewards, searching, trips
from fairground_pocket.flights.schema import SITE
from fairground_pocket.kit import Cast, Database, Draw, PocketApp

PAGES = (searching, buying, trips, boarding, rewards, account)
"""The modules with handlers; importing them registers their pages."""

_AHEAD = """
SELECT b.id FROM bookings b JOIN coupons c ON c.booking = b.id JOIN flights f ON f.id = c.flight
WHERE b.status = 'confirmed' GROUP BY b.id HAVING min(f.departs) > (SELECT now FROM clock)
ORDER BY min(f.starts), b.id LIMIT 1
"""
_SEAT = """
SELECT c.id FROM coupons c JOIN bookings b ON b.id = c.booking JOIN flights f ON f.id = c.flight
WHERE b.status = 'confirmed' AND b.cabin = 'economy' AND f.departs > (SELECT datetime(now, '+3 days') FROM clock)
ORDER BY f.starts, c.id LIMIT 1
"""
_ROUTE = """
SELECT f.origin, f.destination, substr(f.departs, 1, 10) AS day FROM flights f WHERE f.origin =
(SELECT value FROM settings WHERE name = 'home') AND f.departs > (SELECT date(now, '+9 days') FROM clock)
GROUP BY f.destination, day HAVING count(*) > 1 ORDER BY day, f.destination LIMIT 1
"""


class Flights(PocketApp):
    """Flights on a phone: search, fares, booking, seats, bags, changes, check-in, status, points."""

    name = "flights"
    title = "Flights"
    site = SITE
    ui_states: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "search": {"path": "/"},
        "half-filled-search": {
            "path": "/?destination={to}&adults=2&children=1&trip=oneway",
            "facts": {"to": "SELECT destination FROM recent WHERE place = 2"},
        },
        "results-by-price": {
            "path": "/results?origin={route.origin}&destination={route.destination}&day={route.day}&sort=price",
            "facts": {"route": _ROUTE},
        },
        "filters-open": {
            "path": (
                "/results?origin={route.origin}&destination={route.destination}&day={route.day}&only=stops:0#filters"
            ),
            "facts": {"route": _ROUTE},
        },
        "trips-behind": {"path": "/trips?show=past"},
        "next-trip": {"path": "/trips/{number}", "facts": {"number": _AHEAD}},
        "about-to-cancel": {"path": "/trips/{number}#cancel", "facts": {"number": _AHEAD}},
        "seat-map": {"path": "/seats/{number}", "facts": {"number": _SEAT}},
        "arrivals": {"path": "/status?way=arrivals"},
        "half-filled-alert": {
            "path": "/alerts/new?destination={to}&below=100",
            "facts": {"to": "SELECT destination FROM recent WHERE place = 1"},
        },
    }

    def fill(self, database: Database, cast: Cast, draw: Draw) -> None:
        """Fills the account, and the timetable around the cast's home airport."""
        filling.fill(database, cast, draw)
