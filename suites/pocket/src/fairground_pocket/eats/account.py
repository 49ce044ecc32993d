"""The account: personal details, dietary preferences, notifications."""

from __future__ import annotations

import re
from datetime import datetime

from fairground_pocket.eats.listing import badges, counted
from fairground_pocket.eats.schema import ALERTS, DIETS, SITE
from fairground_pocket.kit import Field, Filled, Form, Go, Gone, Screen, Visit, formats, icon, join, parts


def _phone(text: str) -> str | None:
    return None if re.fullmatch(r"\+?[0-9 ]{6,24}", text, re.ASCII) else "This is not a phone number"


_DETAILS = Form(
    Field("owner", "Name", required=True, limit=80),
    Field("phone", "Phone", required=True, limit=30, keyboard="tel", check=_phone),
    key="details",
)


@SITE.get("/account")
def account(visit: Visit) -> Screen:
    """The owner's account with links to all its parts."""
    db = visit.db
    diets = [name for key, name, _ in DIETS if db.setting(f"diet_{key}") == "1"]
    unseen = db.one("SELECT count(*) FROM notices WHERE seen = 0")
    entries = (
        ("/details", "My details", "person", db.setting("phone")),
        ("/addresses", "Addresses", "map", counted(db.one("SELECT count(*) FROM addresses"), "place")),
        ("/methods", "Payment methods", "card", db.one("SELECT label FROM methods ORDER BY is_default DESC, id")),
        ("/favourites", "Favourites", "heart", counted(db.one("SELECT count(*) FROM favourites"), "restaurant")),
        ("/offers", "Offers", "ticket", counted(db.one("SELECT count(*) FROM promos WHERE used = 0"), "code")),
        ("/spending", "Spending by month", "wallet", ""),
        ("/diet", "Dietary preferences", "leaf", ", ".join(diets) or "None"),
        ("/notices", "Notifications", "bell", f"{unseen} new" if unseen else ""),
        ("/alerts", "Notification settings", "settings", ""),
    )
    rows = [
        parts.row(SITE.url(path), title, note=note or "", lead=icon(symbol), style="plain")
        for path, title, symbol, note in entries
    ]
    head = parts.hero(db.setting("owner"), db.setting("city"))
    return Screen("Account", join([head, parts.rows(rows)]), tab="account", badges=badges(db))


@SITE.get("/details")
def details(visit: Visit) -> Screen:
    """A form for name and phone number."""
    return _details(Filled({name: visit.db.setting(name) for name in ("owner", "phone")}))


@SITE.post("/details")
def save_details(visit: Visit) -> Screen | Go:
    """Saves name and phone number."""
    filled = _DETAILS.read(visit)
    if not filled.ok:
        return _details(filled)
    for name in ("owner", "phone"):
        visit.db.set(name, filled[name])
    return Go(SITE.url("/account"), "Saved", undo=True)


@SITE.get("/diet")
def diet(visit: Visit) -> Screen:
    """The owner's dietary preferences."""
    db = visit.db
    rows = [
        parts.switch_row(SITE.url(f"/diet/{key}"), name, db.setting(f"diet_{key}") == "1", note=note, symbol="leaf")
        for key, name, note in DIETS
    ]
    note = parts.notice("Dishes that do not fit are marked in every menu.", "leaf")
    return Screen("Dietary preferences", join([note, parts.rows(rows)]), back=SITE.url("/account"))


@SITE.post("/diet/{key}")
def set_diet(visit: Visit, key: str) -> Go:
    """Sets one dietary preference."""
    if key not in {known for known, _, _ in DIETS}:
        raise Gone
    visit.db.set(f"diet_{key}", visit.form("on") == "1")
    return Go(SITE.url("/diet"))


@SITE.get("/alerts")
def alerts(visit: Visit) -> Screen:
    """The kinds of notifications."""
    db = visit.db
    rows = [
        parts.switch_row(SITE.url(f"/alerts/{key}"), name, db.setting(f"alert_{key}") == "1", note=note, symbol="bell")
        for key, name, note in ALERTS
    ]
    return Screen("Notification settings", parts.rows(rows), back=SITE.url("/account"))


@SITE.post("/alerts/{key}")
def set_alert(visit: Visit, key: str) -> Go:
    """Turns a kind of notification on or off."""
    if key not in {known for known, _, _ in ALERTS}:
        raise Gone
    visit.db.set(f"alert_{key}", visit.form("on") == "1")
    return Go(SITE.url("/alerts"))


@SITE.get("/notices")
def notices(visit: Visit) -> Screen:
    """The notifications; opening the page marks them as seen."""
    db, now = visit.db, visit.db.now
    rows = db.rows("SELECT * FROM notices ORDER BY time DESC, id DESC")
    lines = [
        parts.row(
            SITE.url(f"/notices/{row['id']}"), row["title"], name=row["text"], note=row["text"],
            meta=formats.when(datetime.fromisoformat(row["time"]), now), lead=icon("bell"),
            style="" if row["seen"] else "strong",
        )
        for row in rows
    ]  # fmt: skip
    body = parts.rows(lines) if lines else parts.empty("bell", "Nothing new")
    return Screen("Notifications", body, back=SITE.url("/account"))


@SITE.get("/notices/{number:int}")
def notice(visit: Visit, number: int) -> Screen:
    """A notification; opening it marks it as seen."""
    row = visit.found("SELECT * FROM notices WHERE id = ?", number)
    if not row["seen"]:
        visit.db.run("UPDATE notices SET seen = 1 WHERE id = ?", number)
    body = [parts.text(row["text"], "lead"), parts.text(formats.moment(datetime.fromisoformat(row["time"])), "muted")]
    if row["of_order"]:
        body.append(parts.link(SITE.url(f"/orders/{row['of_order']}"), "Open the order"))
    return Screen(row["title"], join(body), back=SITE.url("/notices"))


def _details(filled: Filled) -> Screen:
    body, sheets = _DETAILS.show(SITE.url("/details"), filled)
    save = [parts.submit("Save", "details")]
    return Screen("My details", body, back=SITE.url("/account"), close=True, actions=save, sheets=sheets)
