"""Screens for trips: the list, one trip, changing flights, cancelling, bags."""

from __future__ import annotations

import sqlite3
from datetime import date

from fairground_pocket.flights.listing import (
    cabin_name,
    city,
    day,
    leg_card,
    option_row,
    rules,
    short_day,
    trip_row,
)
from fairground_pocket.flights.schema import DAYS_AHEAD, SITE
from fairground_pocket.flights.store import (
    can_check_in,
    cancel,
    change,
    change_price,
    find,
    legs,
    minute,
    money,
    option,
    pay,
    refund,
    state,
)
from fairground_pocket.kit import Database, Field, Filled, Form, Go, Gone, Html, Screen, Visit, icon, join, parts

LEGS = {"out": "Outbound", "back": "Return"}
_LISTS = (("upcoming", "Upcoming"), ("past", "Past"), ("cancelled", "Cancelled"))
_PAGE = 12
_MOST_BAGS = 4


@SITE.get("/trips")
def trips(visit: Visit) -> Screen:
    """All bookings by state."""
    db = visit.db
    show = visit.query("show") if visit.query("show") in dict(_LISTS) else "upcoming"
    words = visit.query("q")
    bookings = [row for row in _bookings(db) if state(db, row) == show and _matches(db, row, words)]
    if show != "upcoming":
        bookings.reverse()
    page, pages = visit.page(), -(-len(bookings) // _PAGE)
    rows = [trip_row(db, row) for row in bookings[(page - 1) * _PAGE : page * _PAGE]]
    listed = parts.rows(rows, "Trips") if rows else parts.empty("bag", "No trips here", "Book one under Book")
    body = join([
        parts.search_box(SITE.url("/trips"), words, "Search trips", show=show if show != "upcoming" else ""),
        parts.chips([(name, SITE.url("/trips", show=key), key == show) for key, name in _LISTS]),
        parts.live(join([
            parts.text(f"{len(bookings)} trips", "small muted"), listed,
            parts.pager(SITE.url("/trips"), page, pages, show=show, q=words),
        ])),
    ])  # fmt: skip
    return Screen("Trips", body, tab="trips")


def _bookings(db: Database) -> list[sqlite3.Row]:
    return db.rows(
        "SELECT b.*, min(f.starts) AS starts FROM bookings b JOIN coupons c ON c.booking = b.id JOIN flights f ON "
        "f.id = c.flight GROUP BY b.id ORDER BY starts, b.id"
    )


def _matches(db: Database, booking: sqlite3.Row, words: str) -> bool:
    if not words.strip():
        return True
    names = db.column("SELECT name FROM riders WHERE booking = ?", booking["id"])
    places = db.column("SELECT a.city FROM coupons c JOIN flights f ON f.id = c.flight JOIN airports a ON a.code = "
                       "f.destination WHERE c.booking = ?", booking["id"])  # fmt: skip
    text = " ".join([booking["code"], *names, *places]).casefold()
    return all(word in text for word in words.casefold().split())


@SITE.get("/trips/{number:int}")
def trip(visit: Visit, number: int) -> Screen:
    """A booking with its actions."""
    db = visit.db
    booking = visit.found("SELECT * FROM bookings WHERE id = ?", number)
    way = legs(db, number)
    fare = visit.found("SELECT * FROM fares WHERE key = ?", booking["fare"])
    what = state(db, booking)
    target = city(db, way["out"][-1]["destination"])
    riders = db.rows("SELECT * FROM riders WHERE booking = ? ORDER BY id", number)
    people = []
    for rider in riders:
        seats = db.rows("SELECT f.number, c.seat FROM coupons c JOIN flights f ON f.id = c.flight WHERE c.rider = ? "
                        "ORDER BY f.starts", rider["id"])  # fmt: skip
        words = ", ".join(f"{row['number']}: {row['seat'] or 'no seat'}" for row in seats)
        bags = fare["bags"] + rider["extra_bags"]
        note = f"{words} · {bags} checked bag{'s' if bags != 1 else ''}"
        people.append(
            parts.row(
                "", rider["name"], note=note, lead=parts.avatar(rider["name"]), meta="Child" if rider["child"] else ""
            )
        )
    paid = [(f"{row['what']}, {short_day(row['time'])}", money(db, row["amount"]))
            for row in db.rows("SELECT * FROM payments WHERE booking = ? ORDER BY time, id", number)]  # fmt: skip
    total = db.one("SELECT coalesce(sum(amount), 0) FROM payments WHERE booking = ?", number)
    body = join([
        parts.hero(booking["code"], f"Confirmation code · {what}"),
        *(leg_card(db, LEGS[name], flights, linked=True) for name, flights in way.items()),
        parts.section("Travellers", parts.rows(people)),
        parts.section("Manage", parts.rows(_doings(db, booking, way, fare))) if what == "upcoming" else parts.NOTHING,
        parts.section("Paid", parts.card(parts.facts([*paid, ("Total", money(db, total))]))),
        parts.section(f"{cabin_name(booking['cabin'])} {fare['name']}", parts.card(parts.facts(rules(db, fare)))),
    ])  # fmt: skip
    back = refund(db, booking)
    words = f"You get {money(db, back)} back." if back else "This fare gives nothing back."
    sheets = [parts.confirm("cancel", f"Cancel the trip to {target}?", f"{words} Extras are not refunded.",
                            SITE.url(f"/trips/{number}/cancel"), "Cancel booking now")]  # fmt: skip
    return Screen(
        f"Trip to {target}", body, back=SITE.url("/trips"), subtitle=day(way["out"][0]["departs"]), sheets=sheets
    )


def _doings(db: Database, booking: sqlite3.Row, way: dict[str, list[sqlite3.Row]], fare: sqlite3.Row) -> list[Html]:
    here = f"/trips/{booking['id']}"
    links = []
    if any(can_check_in(db, flight) for flights in way.values() for flight in flights):
        links.append(parts.row(SITE.url(f"{here}/check-in"), "Check in", note="Open now", lead=icon("check")))
    if db.one("SELECT 1 FROM coupons WHERE booking = ? AND checked_in = 1", booking["id"]):
        links.append(parts.row(SITE.url(f"{here}/passes"), "Boarding passes", note="Ready", lead=icon("ticket")))
    links.append(parts.row(SITE.url(f"{here}/seats"), "Seats", note="Choose or change", lead=icon("chair")))
    price = money(db, int(db.setting("bag_price")))
    links.append(parts.row(SITE.url(f"{here}/bags"), "Add bags", note=f"{price} a bag", lead=icon("bag")))
    allowed = dict(rules(db, fare))["Changes"]
    links.append(parts.row(SITE.url(f"{here}/change"), "Change flight", note=allowed, lead=icon("swap")))
    back = refund(db, booking)
    words = f"{money(db, back)} back" if back else "Nothing back"
    links.append(parts.row("#cancel", "Cancel booking", note=words, lead=icon("close")))
    return links


@SITE.post("/trips/{number:int}/cancel")
def cancel_trip(visit: Visit, number: int) -> Go:
    """Cancels a booking, and refunds what the fare allows."""
    db = visit.db
    booking = _open_booking(visit, number)
    back = cancel(db, booking)
    db.insert(
        "notices", text=f"Booking {booking['code']} is cancelled", time=db.now.isoformat(), booking=number, seen=0
    )
    return Go(SITE.url(f"/trips/{number}"), f"Cancelled. {money(db, back)} refunded" if back else "Cancelled")


def _open_booking(visit: Visit, number: int) -> sqlite3.Row:
    booking: sqlite3.Row = visit.found("SELECT * FROM bookings WHERE id = ?", number)
    if state(visit.db, booking) != "upcoming":
        raise Gone
    return booking


# --- changing flights ------------------------------------------------------------------------------------------------


def _change_form(db: Database, way: dict[str, list[sqlite3.Row]]) -> Form:
    options = [(name, f"{LEGS[name]}, {short_day(flights[0]['departs'])}") for name, flights in way.items()
               if flights[0]["starts"] > minute(db)]  # fmt: skip
    return Form(
        Field("leg", "Which flight", "radio", required=True, options=options),
        Field("day", "New date", "date", required=True, start=db.now.date(), high=DAYS_AHEAD),
        key="change",
    )


@SITE.get("/trips/{number:int}/change")
def change_day(visit: Visit, number: int) -> Screen:
    """Asks which leg to change, and to which day."""
    booking = _open_booking(visit, number)
    way = legs(visit.db, number)
    return _change_page(visit.db, booking, Filled({"leg": "out", "day": way["out"][0]["departs"][:10]}))


@SITE.post("/trips/{number:int}/change")
def change_search(visit: Visit, number: int) -> Screen | Go:
    """Goes to the flights of the chosen day."""
    booking = _open_booking(visit, number)
    if not _changeable(visit.db, booking):
        raise Gone
    filled = _change_form(visit.db, legs(visit.db, number)).read(visit)
    if not filled.ok:
        return _change_page(visit.db, booking, filled)
    return Go(SITE.url(f"/trips/{number}/flights", leg=filled["leg"], day=filled["day"]))


def _changeable(db: Database, booking: sqlite3.Row) -> bool:
    fee = db.one("SELECT change_fee FROM fares WHERE key = ?", booking["fare"])
    gone = db.one("SELECT 1 FROM coupons WHERE booking = ? AND checked_in = 1", booking["id"])
    return fee is not None and not gone


def _change_page(db: Database, booking: sqlite3.Row, filled: Filled) -> Screen:
    back = SITE.url(f"/trips/{booking['id']}")
    if not _changeable(db, booking):
        words = parts.empty(
            "lock", "This booking cannot be changed", "Light fares and trips with check-in done stay as they are"
        )
        return Screen("Change flight", words, back=back)
    body, sheets = _change_form(db, legs(db, booking["id"])).show(
        SITE.url(f"/trips/{booking['id']}/change"), filled, submit="Show flights"
    )
    fare = db.row("SELECT * FROM fares WHERE key = ?", booking["fare"])
    assert fare is not None
    words = parts.notice(f"Changes with {fare['name']}: {dict(rules(db, fare))['Changes']}", "swap")
    return Screen("Change flight", join([words, body]), back=back, subtitle=booking["code"], sheets=sheets)


@SITE.get("/trips/{number:int}/flights")
def change_flights(visit: Visit, number: int) -> Screen:
    """Other flights for a leg, with the price of each change."""
    db = visit.db
    booking, leg = _leg(visit, number, visit.query("leg"))
    on = visit.query("day")
    old = legs(db, number)[leg]
    options = [
        candidate
        for candidate in find(db, old[0]["origin"], old[-1]["destination"], on)
        if _fits(db, number, leg, candidate.key)
    ]
    rows = []
    for way in options:
        fee, more = change_price(db, booking, leg, [flight["id"] for flight in way.flights])
        href = SITE.url(f"/trips/{number}/confirm", leg=leg, to=way.key)
        rows.append(option_row(db, way, href, f"+ {money(db, fee + more)}"))
    listed = parts.rows(rows, "Flights") if rows else parts.empty("plane", "No other flights", "Try another day")
    return Screen("Choose a flight", listed, back=SITE.url(f"/trips/{number}/change"), subtitle=_day_or_nothing(on))


@SITE.get("/trips/{number:int}/confirm")
def change_confirm(visit: Visit, number: int) -> Screen:
    """A review before a change."""
    db = visit.db
    leg, key = visit.query("leg"), visit.query("to")
    booking, leg = _leg(visit, number, leg)
    if not _fits(db, number, leg, key):
        raise Gone
    new = option(db, key)
    assert new is not None
    fee, more = change_price(db, booking, leg, [flight["id"] for flight in new.flights])
    body = join([
        leg_card(db, "From", legs(db, number)[leg]),
        leg_card(db, "To", new.flights),
        parts.card(parts.facts([("Change fee", money(db, fee)), ("Fare difference", money(db, more)),
                                ("To pay now", money(db, fee + more))])),
        parts.text("Seats on the old flight are given back.", "small muted"),
        parts.button(SITE.url(f"/trips/{number}/flights"), "Confirm change", leg=leg, to=key),
    ])  # fmt: skip
    back = SITE.url(f"/trips/{number}/flights", leg=leg, day=new.flights[0]["departs"][:10])
    return Screen("Confirm change", body, back=back, subtitle=booking["code"])


@SITE.post("/trips/{number:int}/flights")
def change_now(visit: Visit, number: int) -> Go:
    """Moves a leg to other flights."""
    db = visit.db
    booking, leg = _leg(visit, number, visit.form("leg"))
    if not _fits(db, number, leg, visit.form("to")):
        raise Gone
    new = option(db, visit.form("to"))
    assert new is not None
    cost = change(db, booking, leg, [flight["id"] for flight in new.flights])
    db.insert(
        "notices", text=f"Booking {booking['code']} has a new flight", time=db.now.isoformat(), booking=number, seen=0
    )
    return Go(SITE.url(f"/trips/{number}"), f"Changed for {money(db, cost)}" if cost else "Changed for free")


def _leg(visit: Visit, number: int, leg: str) -> tuple[sqlite3.Row, str]:
    booking = _open_booking(visit, number)
    way = legs(visit.db, number)
    if leg not in way or way[leg][0]["starts"] <= minute(visit.db) or not _changeable(visit.db, booking):
        raise Gone
    return booking, leg


def _fits(db: Database, number: int, leg: str, key: str) -> bool:
    """Whether other flights can replace a leg: same ends, same number, not identical, still before the return."""
    way, new = legs(db, number), option(db, key)
    if new is None or len(new.flights) != len(way[leg]):
        return False
    old = way[leg]
    if (new.flights[0]["origin"], new.flights[-1]["destination"]) != (old[0]["origin"], old[-1]["destination"]):
        return False
    if [flight["id"] for flight in new.flights] == [flight["id"] for flight in old]:
        return False
    if leg == "out" and "back" in way:
        return bool(new.flights[-1]["ends"] < way["back"][0]["starts"])
    return bool(leg == "out" or new.flights[0]["starts"] > way["out"][-1]["ends"])


# --- bags ------------------------------------------------------------------------------------------------------------


def _bags_form(riders: list[sqlite3.Row]) -> Form:
    return Form(
        *(
            Field(
                f"rider{row['id']}", f"Extra bags for {row['name']}", "stepper", low=row["extra_bags"], high=_MOST_BAGS
            )
            for row in riders
        ),
        key="bags",
    )


@SITE.get("/trips/{number:int}/bags")
def bags(visit: Visit, number: int) -> Screen:
    """A form for the bags of each traveller."""
    booking = _open_booking(visit, number)
    riders = visit.db.rows("SELECT * FROM riders WHERE booking = ? ORDER BY id", number)
    return _bags_page(
        visit.db, booking, riders, Filled({f"rider{row['id']}": str(row["extra_bags"]) for row in riders})
    )


@SITE.post("/trips/{number:int}/bags")
def buy_bags(visit: Visit, number: int) -> Screen | Go:
    """Buys additional bags."""
    db = visit.db
    booking = _open_booking(visit, number)
    riders = db.rows("SELECT * FROM riders WHERE booking = ? ORDER BY id", number)
    filled = _bags_form(riders).read(visit)
    more = {row["id"]: int(filled[f"rider{row['id']}"]) - row["extra_bags"] for row in riders}
    if not filled.ok or not sum(more.values()):
        return _bags_page(db, booking, riders, filled)
    for rider, count in more.items():
        db.run("UPDATE riders SET extra_bags = extra_bags + ? WHERE id = ?", count, rider)
    cost = sum(more.values()) * int(db.setting("bag_price"))
    pay(db, number, "Extra bags", cost)
    return Go(SITE.url(f"/trips/{number}"), f"Bags added for {money(db, cost)}")


def _bags_page(db: Database, booking: sqlite3.Row, riders: list[sqlite3.Row], filled: Filled) -> Screen:
    more = sum(int(filled[f"rider{row['id']}"] or 0) - row["extra_bags"] for row in riders)
    cost = money(db, more * int(db.setting("bag_price")))
    card = db.one("SELECT name FROM cards ORDER BY preferred DESC, id LIMIT 1")
    body, sheets = _bags_form(riders).show(SITE.url(f"/trips/{booking['id']}/bags"), filled, submit="Pay for bags")
    words = parts.notice(f"{more} more bag{'s' if more != 1 else ''}: {cost}, paid with {card}", "bag")
    note = parts.text("Up to 23 kg each, for the whole trip. Bags that the fare includes come on top.", "small muted")
    back = SITE.url(f"/trips/{booking['id']}")
    return Screen("Add bags", join([words, body, note]), back=back, subtitle=booking["code"], sheets=sheets)


def _day_or_nothing(text: str) -> str:
    try:
        return day(date.fromisoformat(text).isoformat())
    except ValueError:
        return ""
