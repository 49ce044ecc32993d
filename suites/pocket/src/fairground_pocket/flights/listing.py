"""Rows and cards for flights, options and trips, shared by all screens."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import date, datetime, timedelta

from fairground_pocket.flights.schema import CABINS, SITE
from fairground_pocket.flights.store import Option, legs, minute, money, place
from fairground_pocket.kit import Database, Html, formats, html, icon, join, parts


def clock(text: str) -> str:
    """Formats a stored time as `09:30`."""
    return text[11:16]


def day(text: str) -> str:
    """Formats a stored time or day as `14 March 2025`."""
    return formats.day(date.fromisoformat(text[:10]))


def short_day(text: str) -> str:
    """Formats a stored time or day as `Fri 14 Mar`."""
    moment = date.fromisoformat(text[:10])
    return f"{moment:%a} {moment.day} {moment:%b}"


def span(minutes: int) -> str:
    """Formats minutes as `2 h 05 min`."""
    return formats.duration(timedelta(minutes=minutes))


def landing(first: sqlite3.Row, last: sqlite3.Row) -> str:
    """The arrival time, with the number of days after departure."""
    days = (date.fromisoformat(last["arrives"][:10]) - date.fromisoformat(first["departs"][:10])).days
    return clock(last["arrives"]) + (f" {days:+d}" if days else "")


def airline(db: Database, code: str) -> str:
    """The name of the airline with this code."""
    return str(db.one("SELECT name FROM airlines WHERE code = ?", code))


def city(db: Database, code: str) -> str:
    """The name of the city of the airport with this code."""
    return str(db.one("SELECT city FROM airports WHERE code = ?", code))


def party(adults: int, children: int) -> str:
    """Formats the size of a party as `2 adults, 1 child`."""
    words = f"{adults} adult{'s' if adults != 1 else ''}"
    return words + (f", {children} child{'ren' if children != 1 else ''}" if children else "")


def option_row(db: Database, option: Option, href: str, price: str) -> Html:
    """A row for an option: one flight, or two with a stop."""
    first, last = option.flights[0], option.flights[-1]
    names = " and ".join(dict.fromkeys(airline(db, flight["airline"]) for flight in option.flights))
    stop = "Nonstop" if not option.stops else f"1 stop in {city(db, first['destination'])}"
    note = f"{names} · {' + '.join(flight['number'] for flight in option.flights)}"
    below = [parts.tag(stop), parts.tag(span(option.minutes))]
    title = f"{clock(first['departs'])} \u2013 {landing(first, last)}"
    price_tag = html("<b>{}</b>", price)
    return parts.row(
        href, title, name=option.name, note=note, meta=price_tag, lead=parts.avatar(names), below=join(below),
        style="timed",
    )  # fmt: skip


def leg_card(db: Database, title: str, flights: Sequence[sqlite3.Row], *, linked: bool = False) -> Html:
    """A leg with its flights and the layovers between them."""
    body: list[Html] = []
    for number, flight in enumerate(flights):
        if number:
            wait = flight["starts"] - flights[number - 1]["ends"]
            body.append(parts.text(f"Change in {city(db, flight['origin'])}, {span(wait)}", "small muted"))
        body.append(flight_line(db, flight, linked=linked))
    whole = flights[-1]["ends"] - flights[0]["starts"]
    words = f"{title} · {short_day(flights[0]['departs'])} · {span(whole)}"
    return parts.section(words, parts.rows(item for item in body if item.startswith("<li")) if len(flights) == 1 else
                         join(_in_lists(body)))  # fmt: skip


def flight_line(db: Database, flight: sqlite3.Row, *, linked: bool = False) -> Html:
    """A row for one flight of a leg."""
    title = f"{clock(flight['departs'])} {flight['origin']} \u2013 {landing(flight, flight)} {flight['destination']}"
    note = f"{flight['number']} · {airline(db, flight['airline'])} · {flight['aircraft']}"
    href = SITE.url(f"/flights/{flight['id']}") if linked else ""
    name = f"Flight {flight['number']}, {short_day(flight['departs'])}"
    meta = span(flight["ends"] - flight["starts"])
    return parts.row(href, title, name=name, note=note, meta=meta, lead=icon("plane"))


def trip_row(db: Database, booking: sqlite3.Row) -> Html:
    """A row for a booking."""
    way = legs(db, booking["id"])
    first, last = way["out"][0], way["out"][-1]
    riders = db.column("SELECT name FROM riders WHERE booking = ? ORDER BY id", booking["id"])
    people = riders[0] + (f" and {len(riders) - 1} more" if len(riders) > 1 else "")
    note = f"{first['origin']} \u2013 {last['destination']} · {clock(first['departs'])} · {people}"
    tags = [parts.tag(booking["code"]), parts.tag("Return" if "back" in way else "One way")]
    if booking["status"] == "cancelled":
        tags.append(parts.tag("Cancelled"))
    name = f"{city(db, last['destination'])}, {booking['code']}"
    return parts.row(
        SITE.url(f"/trips/{booking['id']}"), city(db, last["destination"]), name=name, note=note,
        meta=short_day(first["departs"]), lead=parts.avatar(city(db, last["destination"])), below=join(tags),
    )  # fmt: skip


def progress(db: Database, flight: sqlite3.Row) -> str:
    """The progress of a flight, in words."""
    if flight["cancelled"]:
        return "Cancelled"
    now, late = minute(db), flight["delay"]
    if now >= flight["ends"] + late:
        return "Landed" + (f", {late} min late" if late else "")
    if now >= flight["starts"] + late:
        return "In the air" + (f", {late} min late" if late else "")
    if late:
        return f"Delayed {late} min"
    return "Boarding" if flight["starts"] - now <= 40 else "On time"


def expected(text: str, late: int) -> str:
    """A stored time plus some minutes."""
    return f"{datetime.fromisoformat(text) + timedelta(minutes=late):%H:%M}"


def cabin_name(key: str) -> str:
    """The displayed name of a cabin, such as `Economy`."""
    return CABINS[key][0]


def rules(db: Database, fare: sqlite3.Row) -> list[tuple[str, str]]:
    """The rules of a fare, in words."""
    bags = ("Cabin bag only", "1 checked bag, 23 kg", "2 checked bags, 23 kg each")[min(fare["bags"], 2)]
    if fare["change_fee"] is None:
        changes = "Not allowed"
    else:
        changes = (
            f"{money(db, fare['change_fee'])} each, plus fare difference"
            if fare["change_fee"]
            else "Free, plus fare difference"
        )
    refunds = {0: "None", 100: "Full refund"}.get(fare["refund"], f"{fare['refund']}% of the fare")
    seats = "All seats free" if fare["free_seats"] else f"Extra legroom {money(db, int(db.setting('legroom_price')))}"
    return [("Bags", bags), ("Changes", changes), ("Cancellation", refunds), ("Seats", seats)]


def route(db: Database, origin: str, destination: str) -> str:
    """Formats a route as `Lagos (LOS) to Accra (ACC)`."""
    return f"{place(db, origin)} to {place(db, destination)}"


def _in_lists(items: Sequence[Html]) -> list[Html]:
    return [parts.rows([item]) if item.startswith("<li") else item for item in items]
