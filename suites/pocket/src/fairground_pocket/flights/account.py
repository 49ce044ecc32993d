"""Screens of the account: travellers, cards, price alerts, preferences."""

from __future__ import annotations

import re
import sqlite3
from datetime import date

from fairground_pocket.flights.listing import city, day, route
from fairground_pocket.flights.schema import CABINS, DAYS_AHEAD, SITE
from fairground_pocket.flights.store import is_child, money
from fairground_pocket.kit import Database, Field, Filled, Form, Go, Gone, Screen, Visit, formats, icon, join, parts

SWITCHES = (
    ("notify_status", "Delays and cancellations", "As soon as an airline tells us"),
    ("notify_gate", "Gate changes", "On the day of departure"),
    ("notify_offers", "Offers", "Deals from your home airport"),
    ("notify_points", "Points and tier", "When you earn or lose some"),
)
SEATS = (("window", "Window"), ("middle", "Middle"), ("aisle", "Aisle"))
MEALS = (("standard", "Standard"), ("vegetarian", "Vegetarian"), ("vegan", "Vegan"), ("halal", "Halal"),
         ("kosher", "Kosher"), ("gluten-free", "Gluten-free"))  # fmt: skip


@SITE.get("/account")
def account(visit: Visit) -> Screen:
    """The owner's account with links to all its parts."""
    db = visit.db
    counts = {table: db.one(f"SELECT count(*) FROM {table}") for table in ("travellers", "cards", "alerts")}
    preferred = db.one("SELECT name FROM cards ORDER BY preferred DESC, id LIMIT 1")
    links = [
        parts.row(SITE.url("/travellers"), "Travellers", note=f"{counts['travellers']} saved", lead=icon("people")),
        parts.row(SITE.url("/cards"), "Payment cards", note=f"Pays first: {preferred}", lead=icon("card")),
        parts.row(SITE.url("/alerts"), "Price alerts", note=f"{counts['alerts']} routes", lead=icon("bell")),
        parts.row(
            SITE.url("/preferences"), "Preferences", note="Home airport, cabin, seat, meal", lead=icon("settings")
        ),
    ]
    switches = [
        parts.switch_row(SITE.url("/switches"), name, db.setting(key) == "1", note=note, key=key)
        for key, name, note in SWITCHES
    ]
    body = join([
        parts.hero(db.setting("owner"), f"{db.setting('address')} · {db.setting('member')}"),
        parts.rows(links),
        parts.section("Tell me about", parts.rows(switches)),
    ])  # fmt: skip
    return Screen("Account", body, tab="account")


@SITE.post("/switches")
def switch(visit: Visit) -> Go:
    """Sets one of the switches."""
    key = visit.form("key")
    if key not in {name for name, *_ in SWITCHES}:
        raise Gone
    visit.db.set(key, visit.form("on") == "1")
    return Go(SITE.url("/account"))


def _preferences(db: Database) -> Form:
    places = [
        (row["code"], f"{row['city']} ({row['code']})")
        for row in db.rows("SELECT code, city FROM airports ORDER BY city")
    ]
    return Form(
        Field("home", "Home airport", "sheet", required=True, options=places),
        Field(
            "default_cabin",
            "Usual cabin",
            "sheet",
            required=True,
            options=[(key, name) for key, (name, _) in CABINS.items()],
        ),
        Field("seat_wish", "Favourite seat", "radio", required=True, options=SEATS),
        Field("meal", "Meal", "sheet", required=True, options=MEALS),
    )


@SITE.get("/preferences")
def preferences(visit: Visit) -> Screen:
    """The owner's flight preferences."""
    form = _preferences(visit.db)
    return _form_page(
        form, "Preferences", "/preferences", Filled({f.name: visit.db.setting(f.name) for f in form.fields}), "/account"
    )


@SITE.post("/preferences")
def save_preferences(visit: Visit) -> Screen | Go:
    """Saves the preferences."""
    form = _preferences(visit.db)
    filled = form.read(visit)
    if not filled.ok:
        return _form_page(form, "Preferences", "/preferences", filled, "/account")
    for name, value in filled.values.items():
        visit.db.set(name, value)
    return Go(SITE.url("/account"), "Preferences saved", undo=True)


# --- travellers ------------------------------------------------------------------------------------------------------


def _is_day(text: str) -> str | None:
    try:
        return None if len(text) == 10 and 1900 < date.fromisoformat(text).year < 2100 else "Write it as 2031-05-24"
    except ValueError:
        return "Write it as 2031-05-24"


def _document(text: str) -> str | None:
    return None if re.fullmatch(r"[A-Z0-9]{5,12}", text) else "5 to 12 capital letters and digits"


TRAVELLER = Form(
    Field("name", "Full name", limit=80, required=True),
    Field("born", "Date of birth", limit=10, required=True, check=_is_day, hint="Year-month-day, such as 1990-05-24"),
    Field("nationality", "Nationality", limit=60, required=True),
    Field(
        "document",
        "Document",
        "radio",
        required=True,
        options=(("Passport", "Passport"), ("National ID card", "National ID card")),
    ),
    Field("number", "Document number", limit=12, required=True, check=_document),
    Field("expires", "Expiry date", limit=10, required=True, check=_is_day, hint="Year-month-day, such as 2031-05-24"),
    key="traveller",
)


@SITE.get("/travellers")
def travellers(visit: Visit) -> Screen:
    """The saved travellers."""
    db = visit.db
    rows = [
        parts.row(
            SITE.url(f"/travellers/{row['id']}"),
            row["name"],
            lead=parts.avatar(row["name"]),
            note=f"{row['document']} {row['number']}",
            meta="You" if row["me"] else "Child" if is_child(db, row["id"]) else "",
        )
        for row in db.rows("SELECT * FROM travellers ORDER BY me DESC, name")
    ]
    new = parts.fab(SITE.url("/travellers/new"), "Add traveller", "add-person")
    return Screen("Travellers", parts.rows(rows), back=SITE.url("/account"), fab=new)


@SITE.get("/travellers/new")
def new_traveller(visit: Visit) -> Screen:
    """A form for a new traveller; query parameters fill fields in."""
    values = {field.name: visit.query(field.name)[: field.limit] for field in TRAVELLER.fields}
    values["document"] = values["document"] or "Passport"
    return _form_page(TRAVELLER, "New traveller", "/travellers/new", Filled(values), "/travellers")


@SITE.post("/travellers/new")
def add_traveller(visit: Visit) -> Screen | Go:
    """Saves a new traveller."""
    filled = _unique(visit.db, TRAVELLER.read(visit), 0)
    if not filled.ok:
        return _form_page(TRAVELLER, "New traveller", "/travellers/new", filled, "/travellers")
    number = visit.db.insert("travellers", **filled.values)
    return Go(SITE.url(f"/travellers/{number}"), f"{filled['name']} saved", undo=True)


@SITE.get("/travellers/{number:int}")
def traveller(visit: Visit, number: int) -> Screen:
    """A traveller with their document."""
    db = visit.db
    row = visit.found("SELECT * FROM travellers WHERE id = ?", number)
    trips = db.one("SELECT count(*) FROM riders WHERE traveller = ?", number)
    body = join([
        parts.hero(row["name"], "Child" if is_child(db, number) else "Adult"),
        parts.card(parts.facts([
            ("Date of birth", day(row["born"])), ("Nationality", row["nationality"]), ("Document", row["document"]),
            ("Number", row["number"]), ("Expires", day(row["expires"])), ("Trips", str(trips)),
        ])),
        parts.link(SITE.url(f"/travellers/{number}/edit"), "Edit", symbol="edit"),
    ])  # fmt: skip
    actions, sheets = [], []
    if not row["me"]:
        actions.append(parts.bar_link("#delete", "Remove traveller", "trash"))
        where = SITE.url(f"/travellers/{number}/delete")
        sheets.append(
            parts.confirm("delete", f"Remove {row['name']}?", "Booked trips stay as they are.", where, "Remove")
        )
    return Screen(row["name"], body, back=SITE.url("/travellers"), actions=actions, sheets=sheets)


@SITE.get("/travellers/{number:int}/edit")
def edit_traveller(visit: Visit, number: int) -> Screen:
    """The traveller form, filled with the saved values."""
    row = visit.found("SELECT * FROM travellers WHERE id = ?", number)
    values = {field.name: str(row[field.name]) for field in TRAVELLER.fields}
    return _form_page(
        TRAVELLER, "Edit traveller", f"/travellers/{number}/edit", Filled(values), f"/travellers/{number}"
    )


@SITE.post("/travellers/{number:int}/edit")
def save_traveller(visit: Visit, number: int) -> Screen | Go:
    """Saves changes to a traveller."""
    db = visit.db
    visit.found("SELECT 1 FROM travellers WHERE id = ?", number)
    filled = _unique(db, TRAVELLER.read(visit), number)
    if not filled.ok:
        return _form_page(TRAVELLER, "Edit traveller", f"/travellers/{number}/edit", filled, f"/travellers/{number}")
    for name, value in filled.values.items():
        db.run(f"UPDATE travellers SET {name} = ? WHERE id = ?", value, number)
    return Go(SITE.url(f"/travellers/{number}"), "Saved", undo=True)


@SITE.post("/travellers/{number:int}/delete")
def remove_traveller(visit: Visit, number: int) -> Go:
    """Removes a traveller."""
    row = visit.found("SELECT * FROM travellers WHERE id = ? AND me = 0", number)
    visit.db.run("DELETE FROM travellers WHERE id = ?", number)
    return Go(SITE.url("/travellers"), f"{row['name']} removed", undo=True)


def _unique(db: Database, filled: Filled, number: int) -> Filled:
    if db.one("SELECT 1 FROM travellers WHERE name = ? AND id != ?", filled["name"], number):
        return filled.wrong("name", "Somebody of this name is saved already")
    if "born" not in filled.errors and filled["born"] > db.now.date().isoformat():
        return filled.wrong("born", "This day has not come yet")
    return filled


# --- cards -----------------------------------------------------------------------------------------------------------


def _digits(text: str) -> str | None:
    return None if re.fullmatch(r"[0-9]{16}", text.replace(" ", "")) else "A card number has 16 digits"


def _expiry(text: str) -> str | None:
    return None if re.fullmatch(r"(0[1-9]|1[0-2])/[2-4][0-9]", text) else "Write it as 09/29"


CARD = Form(
    Field("kind", "Kind", "radio", required=True,
          options=tuple((kind, kind) for kind in ("Credit card", "Debit card", "Company card"))),
    Field("number", "Card number", limit=19, required=True, keyboard="numeric", check=_digits),
    Field("expires", "Valid until", limit=5, required=True, check=_expiry, hint="Month and year, such as 09/29"),
    key="card",
)  # fmt: skip


@SITE.get("/cards")
def cards(visit: Visit) -> Screen:
    """The saved payment cards."""
    rows = [
        parts.row(SITE.url(f"/cards/{row['id']}"), row["name"], note=f"Expires {row['expires']}", lead=icon("card"),
                  meta="Pays first" if row["preferred"] else "")
        for row in visit.db.rows("SELECT * FROM cards ORDER BY id")
    ]  # fmt: skip
    return Screen(
        "Payment cards", parts.rows(rows), back=SITE.url("/account"), fab=parts.fab(SITE.url("/cards/new"), "Add card")
    )


@SITE.get("/cards/new")
def new_card(visit: Visit) -> Screen:
    """A form for a new card."""
    return _form_page(CARD, "New card", "/cards/new", Filled({"kind": "Credit card"}), "/cards")


@SITE.post("/cards/new")
def add_card(visit: Visit) -> Screen | Go:
    """Saves a card; only the last digits of its number are stored."""
    filled = CARD.read(visit)
    last = filled["number"].replace(" ", "")[-4:]
    name = f"{filled['kind']} {last}"
    if filled.ok and visit.db.one("SELECT 1 FROM cards WHERE name = ?", name):
        filled = filled.wrong("number", "This card is saved already")
    if not filled.ok:
        return _form_page(CARD, "New card", "/cards/new", filled, "/cards")
    visit.db.insert("cards", name=name, last4=last, expires=filled["expires"])
    return Go(SITE.url("/cards"), f"{name} saved", undo=True)


@SITE.get("/cards/{number:int}")
def card(visit: Visit, number: int) -> Screen:
    """A card with its actions."""
    row = visit.found("SELECT * FROM cards WHERE id = ?", number)
    body = [parts.hero(f"•••• {row['last4']}", row["name"]), parts.card(parts.facts([
        ("Expires", row["expires"]), ("Pays first", "Yes" if row["preferred"] else "No"),
    ]))]  # fmt: skip
    actions, sheets = [], []
    if not row["preferred"]:
        body.append(parts.button(SITE.url(f"/cards/{number}/prefer"), "Pay with this first", symbol="star"))
        actions.append(parts.bar_link("#delete", "Remove card", "trash"))
        where = SITE.url(f"/cards/{number}/delete")
        sheets.append(parts.confirm("delete", f"Remove {row['name']}?", "You can add it again.", where, "Remove"))
    return Screen(row["name"], join(body), back=SITE.url("/cards"), actions=actions, sheets=sheets)


@SITE.post("/cards/{number:int}/prefer")
def prefer_card(visit: Visit, number: int) -> Go:
    """Makes a card the preferred one."""
    row = visit.found("SELECT * FROM cards WHERE id = ?", number)
    visit.db.run("UPDATE cards SET preferred = (id = ?)", number)
    return Go(SITE.url("/cards"), f"{row['name']} pays first", undo=True)


@SITE.post("/cards/{number:int}/delete")
def remove_card(visit: Visit, number: int) -> Go:
    """Removes a card."""
    row = visit.found("SELECT * FROM cards WHERE id = ? AND preferred = 0", number)
    visit.db.run("DELETE FROM cards WHERE id = ?", number)
    return Go(SITE.url("/cards"), f"{row['name']} removed", undo=True)


# --- alerts ----------------------------------------------------------------------------------------------------------


def months(db: Database) -> list[tuple[str, str]]:
    """Months in which flights can be booked, as (value, name)."""
    today = db.now.date()
    upcoming = dict.fromkeys(
        date.fromordinal(today.toordinal() + number).replace(day=1) for number in range(DAYS_AHEAD + 1)
    )
    return [(f"{month:%Y-%m}", f"{month:%B %Y}") for month in upcoming]


def _alert_form(db: Database) -> Form:
    places = [
        (row["code"], f"{row['city']} ({row['code']})")
        for row in db.rows("SELECT code, city FROM airports ORDER BY city")
    ]
    code = db.setting("currency")
    return Form(
        Field("origin", "From", "sheet", required=True, options=places),
        Field("destination", "To", "sheet", required=True, options=places),
        Field("month", "Month", "radio", required=True, options=months(db)),
        Field("below", f"Price below ({code})", limit=12, required=True, keyboard="decimal",
              check=lambda text: None if formats.parse_money(text, code) else "Write an amount"),
        key="alert",
    )  # fmt: skip


@SITE.get("/alerts")
def alerts(visit: Visit) -> Screen:
    """All price alerts."""
    db = visit.db
    rows = [
        parts.row(
            SITE.url(f"/alerts/{row['id']}"),
            f"{city(db, row['origin'])} to {city(db, row['destination'])}",
            name=alert_name(db, row),
            note=f"Below {money(db, row['below'])} in {_month(row['month'])}",
            lead=icon("bell"),
            meta="On" if row["active"] else "Paused",
            style="" if row["active"] else "off",
        )
        for row in db.rows("SELECT * FROM alerts ORDER BY id")
    ]
    body = (
        parts.rows(rows)
        if rows
        else parts.empty("bell", "No price alerts", "Watch a route, and hear when it gets cheap")
    )
    return Screen("Price alerts", body, back=SITE.url("/account"), fab=parts.fab(SITE.url("/alerts/new"), "New alert"))


def alert_name(db: Database, row: sqlite3.Row) -> str:
    """The name of an alert; its number distinguishes two alerts for the same route."""
    return f"{city(db, row['origin'])} to {city(db, row['destination'])}, alert {row['id']}"


def _month(text: str) -> str:
    return f"{date.fromisoformat(text + '-01'):%B %Y}"


@SITE.get("/alerts/new")
def new_alert(visit: Visit) -> Screen:
    """A form for a new alert; query parameters fill fields in."""
    db = visit.db
    known = set(db.column("SELECT code FROM airports"))
    destination = visit.query("destination") if visit.query("destination") in known else ""
    values = {
        "origin": db.setting("home"),
        "destination": destination,
        "month": months(db)[0][0],
        "below": visit.query("below")[:12],
    }
    return _form_page(_alert_form(db), "New alert", "/alerts/new", Filled(values), "/alerts")


@SITE.post("/alerts/new")
def add_alert(visit: Visit) -> Screen | Go:
    """Saves a new alert."""
    db = visit.db
    filled = _alert_form(db).read(visit)
    if filled["origin"] and filled["origin"] == filled["destination"]:
        filled = filled.wrong("destination", "This is where you start")
    if not filled.ok:
        return _form_page(_alert_form(db), "New alert", "/alerts/new", filled, "/alerts")
    below = formats.parse_money(filled["below"], db.setting("currency"))
    db.insert("alerts", origin=filled["origin"], destination=filled["destination"], month=filled["month"], below=below)
    return Go(SITE.url("/alerts"), "You will hear from us", undo=True)


@SITE.get("/alerts/{number:int}")
def alert(visit: Visit, number: int) -> Screen:
    """An alert, with the current price of its route."""
    db = visit.db
    row = visit.found("SELECT * FROM alerts WHERE id = ?", number)
    low = db.one(
        "SELECT min(price) FROM flights WHERE origin = ? AND destination = ? AND substr(departs, 1, 7) = ? AND "
        "departs > ? AND cancelled = 0",
        row["origin"],
        row["destination"],
        row["month"],
        db.now.isoformat(),
    )
    body = join(
        [
            parts.card(
                parts.facts(
                    [
                        ("Route", route(db, row["origin"], row["destination"])),
                        ("Month", _month(row["month"])),
                        ("Below", money(db, row["below"])),
                        ("Cheapest nonstop now", money(db, low) if low else "None"),
                    ]
                )
            ),
            parts.rows([parts.switch_row(SITE.url(f"/alerts/{number}"), "Watch this route", bool(row["active"]))]),
        ]
    )
    where = SITE.url(f"/alerts/{number}/delete")
    sheets = [parts.confirm("delete", "Delete this alert?", "You will not hear about this route.", where, "Delete")]
    actions = [parts.bar_link("#delete", "Delete alert", "trash")]
    return Screen("Price alert", body, back=SITE.url("/alerts"), actions=actions, sheets=sheets)


@SITE.post("/alerts/{number:int}")
def switch_alert(visit: Visit, number: int) -> Go:
    """Pauses or resumes an alert."""
    visit.found("SELECT 1 FROM alerts WHERE id = ?", number)
    visit.db.run("UPDATE alerts SET active = ? WHERE id = ?", int(visit.form("on") == "1"), number)
    return Go(SITE.url(f"/alerts/{number}"))


@SITE.post("/alerts/{number:int}/delete")
def delete_alert(visit: Visit, number: int) -> Go:
    """Deletes an alert."""
    visit.found("SELECT 1 FROM alerts WHERE id = ?", number)
    visit.db.run("DELETE FROM alerts WHERE id = ?", number)
    return Go(SITE.url("/alerts"), "Alert deleted", undo=True)


def _form_page(form: Form, title: str, path: str, filled: Filled, back: str) -> Screen:
    body, sheets = form.show(SITE.url(path), filled)
    actions = [parts.submit("Save", form.key)]
    return Screen(title, body, back=SITE.url(back), close=True, actions=actions, sheets=sheets)
