"""Screens for the airport: seats, check-in, boarding passes, flight status."""

from __future__ import annotations

import hashlib
import sqlite3
from datetime import timedelta

from fairground_pocket.flights.listing import airline, cabin_name, city, clock, day, expected, progress, short_day, span
from fairground_pocket.flights.schema import SITE
from fairground_pocket.flights.store import can_check_in, legs, minute, money, pay, place, seat_price, seats, state
from fairground_pocket.kit import Database, Field, Filled, Form, Go, Gone, Html, Screen, Visit, html, icon, join, parts

_COUPON = "SELECT c.*, r.name FROM coupons c JOIN riders r ON r.id = c.rider"


# --- seats -----------------------------------------------------------------------------------------------------------


@SITE.get("/trips/{number:int}/seats")
def seat_list(visit: Visit, number: int) -> Screen:
    """The seats of all travellers, by flight."""
    db = visit.db
    booking = visit.found("SELECT * FROM bookings WHERE id = ?", number)
    body = []
    for flights in legs(db, number).values():
        for flight in flights:
            rows = []
            for coupon in db.rows(
                f"{_COUPON} WHERE c.booking = ? AND c.flight = ? ORDER BY c.id", number, flight["id"]
            ):
                open_ = _can_move(db, booking, coupon, flight)
                seat = coupon["seat"] or "None yet"
                rows.append(parts.row(
                    SITE.url(f"/seats/{coupon['id']}") if open_ else "", coupon["name"], meta=seat, lead=icon("chair"),
                    name=f"Seat of {coupon['name']} on {flight['number']}",
                    note="Checked in" if coupon["checked_in"] else "Tap to choose" if open_ else "",
                ))  # fmt: skip
            title = (
                f"{flight['number']} · {flight['origin']} \u2013 {flight['destination']} · "
                f"{short_day(flight['departs'])}"
            )
            body.append(parts.section(title, parts.rows(rows)))
    return Screen("Seats", join(body), back=SITE.url(f"/trips/{number}"), subtitle=booking["code"])


def _can_move(db: Database, booking: sqlite3.Row, coupon: sqlite3.Row, flight: sqlite3.Row) -> bool:
    return booking["status"] == "confirmed" and not coupon["checked_in"] and flight["starts"] > minute(db)


def _movable(visit: Visit, number: int) -> tuple[sqlite3.Row, sqlite3.Row, sqlite3.Row]:
    coupon = visit.found(f"{_COUPON} WHERE c.id = ?", number)
    booking = visit.found("SELECT * FROM bookings WHERE id = ?", coupon["booking"])
    flight = visit.found("SELECT * FROM flights WHERE id = ?", coupon["flight"])
    if not _can_move(visit.db, booking, coupon, flight):
        raise Gone
    return coupon, booking, flight


@SITE.get("/seats/{number:int}")
def seat_map(visit: Visit, number: int) -> Screen:
    """The seat map of the cabin, row by row."""
    db = visit.db
    coupon, booking, flight = _movable(visit, number)
    cabin = seats(db, coupon)
    cells: list[Html] = [html('<span class="head">{}</span>', letter) for letter in ("A", "B", "C", "", "D", "E", "F")]
    for row in sorted({seat["row"] for seat in cabin.values()}):
        for letter in "ABC DEF":
            seat = cabin.get(f"{row}{letter}")
            if letter == " ":
                cells.append(html('<span class="head">{}</span>', row))
            elif seat is None:
                cells.append(html("<span></span>"))
            else:
                cells.append(_seat(number, seat, coupon["seat"]))
    price = seat_price(db, booking, {"legroom": 1})
    legroom = f"Extra legroom: {money(db, price)}" if price else "Extra legroom is free with this fare"
    legend = [
        parts.tag("Free"),
        parts.tag("+ Extra legroom"),
        parts.tag("\u00d7 Taken"),
        parts.tag("Yours", strong=True),
    ]
    body = join([
        parts.facts([("Flight", f"{flight['number']}, {flight['origin']} \u2013 {flight['destination']}"),
                     ("Seat now", coupon["seat"] or "None yet"), ("Cabin", cabin_name(booking["cabin"]))]),
        html('<p class="row-of">{}</p>', join(legend)),
        parts.text(legroom, "small muted"),
        html('<div class="days seats">{}</div>', join(cells)),
    ])  # fmt: skip
    return Screen(
        f"Seat for {coupon['name']}", body, back=SITE.url(f"/trips/{booking['id']}/seats"), subtitle=booking["code"]
    )


def _seat(coupon: int, seat: dict[str, object], own: str) -> Html:
    name = seat["seat"]
    if name == own:
        return html('<span class="seat own">{}</span>', name)
    if seat["taken"]:
        return html('<span class="seat taken" aria-hidden="true">\u00d7</span>')
    href = SITE.url(f"/seats/{coupon}/{name}")
    return html(
        '<a class="seat{wide}" href="{href}" aria-label="Seat {name}">{sign}{name}</a>',
        wide=" wide-seat" if seat["legroom"] else "",
        href=href,
        name=name,
        sign="+" if seat["legroom"] else "",
    )


@SITE.get("/seats/{number:int}/{name}")
def seat_page(visit: Visit, number: int, name: str) -> Screen:
    """A seat and its price."""
    db = visit.db
    coupon, booking, flight = _movable(visit, number)
    seat = seats(db, coupon).get(name)
    if seat is None or seat["taken"]:
        raise Gone
    price = seat_price(db, booking, seat)
    kind = {"A": "Window", "F": "Window", "C": "Aisle", "D": "Aisle"}.get(seat["letter"], "Middle")
    card = db.one("SELECT name FROM cards ORDER BY preferred DESC, id LIMIT 1")
    body = join([
        parts.hero(f"Seat {name}", f"{coupon['name']} · {flight['number']}"),
        parts.card(parts.facts([
            ("Place", f"{kind}, row {seat['row']}"), ("Legroom", "Extra" if seat["legroom"] else "Standard"),
            ("Price", money(db, price) if price else "Free"), *([("Paid with", card)] if price else []),
        ])),
        parts.button(SITE.url(f"/seats/{number}/{name}"), f"Take seat {name}"),
    ])  # fmt: skip
    return Screen(f"Seat {name}", body, back=SITE.url(f"/seats/{number}"))


@SITE.post("/seats/{number:int}/{name}")
def take_seat(visit: Visit, number: int, name: str) -> Go:
    """Assigns a seat to a traveller."""
    db = visit.db
    coupon, booking, _ = _movable(visit, number)
    seat = seats(db, coupon).get(name)
    if seat is None or seat["taken"]:
        raise Gone
    db.run("UPDATE coupons SET seat = ? WHERE id = ?", name, number)
    pay(db, booking["id"], f"Seat {name}", seat_price(db, booking, seat))
    return Go(SITE.url(f"/trips/{booking['id']}/seats"), f"{coupon['name']} sits in {name}", undo=True)


# --- check-in --------------------------------------------------------------------------------------------------------


def _open_coupons(db: Database, number: int) -> list[sqlite3.Row]:
    rows = db.rows(f"{_COUPON} WHERE c.booking = ? AND c.checked_in = 0 ORDER BY c.flight, c.id", number)
    flights = {row["flight"]: db.row("SELECT * FROM flights WHERE id = ?", row["flight"]) for row in rows}
    return [row for row in rows if (flight := flights[row["flight"]]) is not None and can_check_in(db, flight)]


def _check_in_form(db: Database, coupons: list[sqlite3.Row]) -> Form:
    options = [
        (str(row["id"]), f"{row['name']}, {db.one('SELECT number FROM flights WHERE id = ?', row['flight'])}",
         f"Seat {row['seat']}" if row["seat"] else "A seat is given to you")
        for row in coupons
    ]  # fmt: skip
    return Form(
        Field("coupons", "Who checks in", "checks", required=True, options=options),
        Field("safe", "No dangerous goods in any bag", "toggle"),
        key="check-in",
    )


@SITE.get("/trips/{number:int}/check-in")
def check_in(visit: Visit, number: int) -> Screen:
    """A form to choose who is checked in."""
    return _check_in_page(visit, number, Filled())


@SITE.post("/trips/{number:int}/check-in")
def check_in_now(visit: Visit, number: int) -> Screen | Go:
    """Checks travellers in, and assigns seats to those without one."""
    db = visit.db
    booking = visit.found("SELECT * FROM bookings WHERE id = ? AND status = 'confirmed'", number)
    coupons = _open_coupons(db, number)
    filled = _check_in_form(db, coupons).read(visit)
    if filled["safe"] != "1":
        filled = filled.wrong("safe", "Say that your bags are safe")
    if not filled.ok:
        return _check_in_page(visit, number, filled)
    for coupon in coupons:
        if str(coupon["id"]) in filled.chosen["coupons"]:
            seat = coupon["seat"] or _given(db, coupon)
            db.run("UPDATE coupons SET checked_in = 1, seat = ? WHERE id = ?", seat, coupon["id"])
    count = len(filled.chosen["coupons"])
    words = f"{count} boarding pass{'es' if count != 1 else ''} ready"
    return Go(SITE.url(f"/trips/{booking['id']}/passes"), words)


def _check_in_page(visit: Visit, number: int, filled: Filled) -> Screen:
    db = visit.db
    booking = visit.found("SELECT * FROM bookings WHERE id = ? AND status = 'confirmed'", number)
    back = SITE.url(f"/trips/{number}")
    coupons = _open_coupons(db, number)
    if not coupons:
        words = parts.empty("check", "Nobody to check in", "Check-in is open from 48 hours to 1 hour before departure")
        return Screen("Check in", words, back=back)
    body, sheets = _check_in_form(db, coupons).show(
        SITE.url(f"/trips/{number}/check-in"), filled, submit="Check in now"
    )
    words = parts.notice("Choose seats first if you care where you sit: they are fixed afterwards.", "chair")
    return Screen("Check in", join([words, body]), back=back, subtitle=booking["code"], sheets=sheets)


def _given(db: Database, coupon: sqlite3.Row) -> str:
    free = [seat["seat"] for seat in seats(db, coupon).values() if not seat["taken"] and not seat["legroom"]]
    return str(free[-1]) if free else ""


@SITE.get("/trips/{number:int}/passes")
def passes(visit: Visit, number: int) -> Screen:
    """All boarding passes of a trip."""
    db = visit.db
    booking = visit.found("SELECT * FROM bookings WHERE id = ?", number)
    rows = []
    for coupon in db.rows(f"{_COUPON} WHERE c.booking = ? AND c.checked_in = 1 ORDER BY c.flight, c.id", number):
        flight = visit.found("SELECT * FROM flights WHERE id = ?", coupon["flight"])
        route = f"{flight['number']} · {flight['origin']} \u2013 {flight['destination']}"
        rows.append(
            parts.row(
                SITE.url(f"/passes/{coupon['id']}"),
                coupon["name"],
                name=f"Pass of {coupon['name']} on {flight['number']}",
                note=f"{route} · {short_day(flight['departs'])}",
                meta=coupon["seat"],
                lead=icon("ticket"),
            )
        )
    body = parts.rows(rows) if rows else parts.empty("ticket", "No boarding passes yet", "Check in first")
    return Screen("Boarding passes", body, back=SITE.url(f"/trips/{number}"), subtitle=booking["code"])


@SITE.get("/passes/{number:int}")
def boarding_pass(visit: Visit, number: int) -> Screen:
    """The boarding pass of a traveller."""
    db = visit.db
    coupon = visit.found(f"{_COUPON} WHERE c.id = ? AND c.checked_in = 1", number)
    flight = visit.found("SELECT * FROM flights WHERE id = ?", coupon["flight"])
    booking = visit.found("SELECT * FROM bookings WHERE id = ?", coupon["booking"])
    boards = expected(flight["departs"], flight["delay"] - 40)
    body = join(
        [
            parts.hero(
                f"{flight['origin']} \u2013 {flight['destination']}",
                f"{flight['number']} · {airline(db, flight['airline'])}",
            ),
            parts.card(
                parts.facts(
                    [
                        ("Passenger", coupon["name"]),
                        ("Date", day(flight["departs"])),
                        ("Boarding", boards),
                        ("Gate", flight["gate"]),
                        ("Seat", coupon["seat"]),
                        ("Departure", clock(flight["departs"])),
                        ("Class", cabin_name(booking["cabin"])),
                        ("Code", booking["code"]),
                    ]
                ),
                _stripes(f"{booking['code']} {number}"),
            ),
            parts.text("Gates close 15 minutes before departure.", "small muted"),
        ]
    )
    back = SITE.url(f"/trips/{booking['id']}/passes")
    return Screen("Boarding pass", body, back=back, subtitle=f"Seat {coupon['seat']}")


def _stripes(text: str) -> Html:
    """A decorative bar code; the same text always gives the same drawing."""
    bits = "".join(f"{byte:08b}" for byte in hashlib.blake2b(text.encode(), digest_size=16).digest())
    bars = join(html('<rect x="{}" y="0" width="2" height="40"/>', 2 * at) for at, bit in enumerate(bits) if bit == "1")
    return html('<svg viewBox="0 0 256 40" width="100%" height="64" preserveAspectRatio="none" fill="currentColor" '
                'aria-hidden="true">{}</svg>', bars)  # fmt: skip


# --- status ----------------------------------------------------------------------------------------------------------

_DAYS = (("-1", "Yesterday"), ("0", "Today"), ("1", "Tomorrow"))


@SITE.get("/status")
def status(visit: Visit) -> Screen:
    """Departures or arrivals at the home airport."""
    db = visit.db
    arriving = visit.query("way") == "arrivals"
    days = visit.query("day") if visit.query("day") in dict(_DAYS) else "0"
    words = visit.query("q").casefold().split()
    on = (db.now + timedelta(days=int(days))).date().isoformat()
    home = db.setting("home")
    side, far_end, time = ("destination", "origin", "arrives") if arriving else ("origin", "destination", "departs")
    rows = []
    for flight in db.rows(
        f"SELECT * FROM flights WHERE {side} = ? AND substr({time}, 1, 10) = ? ORDER BY {time}, id", home, on
    ):
        name = city(db, flight[far_end])
        text = (
            f"{flight['number']} {flight['number'].replace(' ', '')} {name} {airline(db, flight['airline'])}".casefold()
        )
        if all(word in text for word in words):
            doing = progress(db, flight)
            calm = doing in ("On time", "Landed", "In the air", "Boarding")
            rows.append(
                parts.row(
                    SITE.url(f"/flights/{flight['id']}"),
                    f"{clock(flight[time])} {name}",
                    name=f"{flight['number']}, {name}",
                    note=f"{flight['number']} · {airline(db, flight['airline'])} · Gate {flight['gate']}",
                    lead=icon("arrow-down" if arriving else "arrow-up"),
                    below=parts.tag(doing, strong=not calm),
                )
            )
    ways = [
        ("Departures", SITE.url("/status", day=days), not arriving),
        ("Arrivals", SITE.url("/status", way="arrivals", day=days), arriving),
    ]
    way = "arrivals" if arriving else ""
    dates = [(name, SITE.url("/status", way=way, day=key), key == days) for key, name in _DAYS]
    listed = (
        parts.rows(rows, "Flights") if rows else parts.empty("plane", "No flights fit", "Look for a number or a city")
    )
    body = join([
        parts.search_box(SITE.url("/status"), visit.query("q"), "Flight or city", way=way, day=days),
        parts.chips(ways, "Direction"), parts.chips(dates, "Day"),
        parts.live(join([parts.text(f"{len(rows)} flights · {place(db, home)} · {day(on)}", "small muted"), listed])),
    ])  # fmt: skip
    return Screen("Flight status", body, tab="status")


@SITE.get("/flights/{number:int}")
def flight_page(visit: Visit, number: int) -> Screen:
    """A flight: times at both ends, gate, aircraft."""
    db = visit.db
    flight = visit.found("SELECT * FROM flights WHERE id = ?", number)
    zones = {
        code: db.one("SELECT timezone FROM airports WHERE code = ?", code)
        for code in (flight["origin"], flight["destination"])
    }
    late = flight["delay"]
    now = (
        [
            ("Expected departure", expected(flight["departs"], late)),
            ("Expected arrival", expected(flight["arrives"], late)),
            ("Delay", f"{late} min"),
        ]
        if late
        else []
    )
    mine = db.rows("SELECT DISTINCT b.id, b.code, b.status FROM bookings b JOIN coupons c ON c.booking = b.id WHERE "
                   "c.flight = ? AND b.status = 'confirmed' ORDER BY b.id", number)  # fmt: skip
    own = [
        parts.row(
            SITE.url(f"/trips/{row['id']}"),
            f"Booking {row['code']}",
            lead=icon("bag"),
            note=state(db, row).capitalize(),
        )
        for row in mine
    ]
    body = join([
        parts.hero(progress(db, flight), f"{flight['number']} · {airline(db, flight['airline'])}"),
        parts.section("Departure", parts.card(parts.facts([
            ("Airport", place(db, flight["origin"])), ("Date", day(flight["departs"])),
            ("Scheduled", clock(flight["departs"])), ("Gate", flight["gate"]), ("Time zone", zones[flight["origin"]]),
        ]))),
        parts.section("Arrival", parts.card(parts.facts([
            ("Airport", place(db, flight["destination"])), ("Date", day(flight["arrives"])),
            ("Scheduled", clock(flight["arrives"])), ("Time zone", zones[flight["destination"]]),
        ]))),
        parts.section("Flight", parts.card(parts.facts([
            ("Duration", span(flight["ends"] - flight["starts"])), ("Aircraft", flight["aircraft"]), *now,
        ]))),
        parts.section("My bookings", parts.rows(own)) if own else parts.NOTHING,
    ])  # fmt: skip
    title = f"{city(db, flight['origin'])} to {city(db, flight['destination'])}"
    return Screen(title, body, back=SITE.url("/status"), subtitle=f"{flight['number']}, {short_day(flight['departs'])}")
