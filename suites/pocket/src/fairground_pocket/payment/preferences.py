"""The More tab, settings, limits and the PIN."""

from __future__ import annotations

import re

from fairground_pocket.kit import Database, Field, Filled, Form, Go, Gone, Screen, Visit, icon, join, parts
from fairground_pocket.payment.amounts import parse, shown, typed
from fairground_pocket.payment.fields import PIN, amount_field
from fairground_pocket.payment.schema import SITE
from fairground_pocket.payment.store import limit, sent_today, wrong_pin

SWITCHES = (
    ("notify_received", "Money that comes in", "Notify me when somebody pays me"),
    ("notify_requests", "New requests", "Notify me when somebody asks for money"),
    ("notify_statements", "Monthly statements", "Notify me when a statement is ready"),
    ("hide_balance", "Hide balance", "Dots in place of the amount on the first screen"),
    ("private", "Private activity", "Friends do not see whom you pay"),
    ("round_up", "Round up purchases", "Save the change of every purchase"),
)


def _four_digits(text: str) -> str | None:
    return None if re.fullmatch(r"[0-9]{4}", text, re.ASCII) else "A PIN has four digits"


_PIN_FORM = Form(
    Field("old", "Current PIN", "secret", required=True, limit=8, keyboard="numeric"),
    Field("new", "New PIN", "secret", required=True, limit=8, keyboard="numeric", check=_four_digits),
    Field("again", "New PIN again", "secret", required=True, limit=8, keyboard="numeric"),
)


@SITE.get("/more")
def more(visit: Visit) -> Screen:
    """Links to everything without its own tab."""
    db = visit.db
    counts = {
        name: db.one(sql)
        for name, sql in (
            ("cards", "SELECT count(*) FROM cards"),
            ("banks", "SELECT count(*) FROM banks"),
            ("recurring", "SELECT count(*) FROM recurring WHERE status = 'active'"),
            ("bills", "SELECT count(DISTINCT bill) FROM requests WHERE status = 'open' AND bill IS NOT NULL"),
        )
    }
    money = [
        parts.row(SITE.url("/cards"), "Cards", note=f"{counts['cards']} cards", lead=icon("card")),
        parts.row(SITE.url("/banks"), "Bank accounts", note=f"{counts['banks']} accounts", lead=icon("bank")),
        parts.row(
            SITE.url("/recurring"), "Recurring payments", note=f"{counts['recurring']} active", lead=icon("refresh")
        ),
        parts.row(
            SITE.url("/bills"), "Shared bills", note=f"{counts['bills']} not paid by everybody", lead=icon("people")
        ),
        parts.row(SITE.url("/statements"), "Statements", note="By month and category", lead=icon("receipt")),
    ]
    safety = [
        parts.row(SITE.url("/limits"), "Limits", note=f"{shown(db, limit(db, 'daily'))} a day", lead=icon("shield")),
        parts.row(SITE.url("/pin"), "Change PIN", note="For every payment", lead=icon("key")),
        parts.row(SITE.url("/settings"), "Settings", note="Notifications and privacy", lead=icon("settings")),
    ]
    hero = parts.hero(db.setting("owner"), db.setting("phone"))
    return Screen(
        "More",
        join([hero, parts.section("Money", parts.rows(money)), parts.section("Safety", parts.rows(safety))]),
        tab="more",
    )


@SITE.get("/settings")
def settings(visit: Visit) -> Screen:
    """Settings that are switches."""
    rows = [
        parts.switch_row(SITE.url("/settings"), name, visit.db.setting(key) == "1", note=note, key=key)
        for key, name, note in SWITCHES
    ]
    body = join([parts.section("Notifications", parts.rows(rows[:3])), parts.section("Wallet", parts.rows(rows[3:]))])
    return Screen("Settings", body, back=SITE.url("/more"))


@SITE.post("/settings")
def switch(visit: Visit) -> Go:
    """Sets one of the switches."""
    key = visit.form("key")
    if key not in {name for name, *_ in SWITCHES}:
        raise Gone
    visit.db.set(key, visit.form("on") == "1")
    return Go(SITE.url("/settings"))


def _limits_form(db: Database) -> Form:
    return Form(amount_field(db, "For one payment", "payment"), amount_field(db, "For one day", "daily"), PIN)


@SITE.get("/limits")
def limits(visit: Visit) -> Screen:
    """The limits per payment and per day."""
    db = visit.db
    return _limits_page(db, Filled({name: typed(db, limit(db, name)) for name in ("payment", "daily")}))


@SITE.post("/limits")
def save_limits(visit: Visit) -> Screen | Go:
    """Saves the limits if the PIN is right."""
    db = visit.db
    filled = _limits_form(db).read(visit)
    payment, daily = (parse(db, filled[name]) or 0 for name in ("payment", "daily"))
    if not filled.errors and daily < payment:
        filled = filled.wrong("daily", "The limit for a day cannot be less than that for one payment")
    if filled["pin"] and (words := wrong_pin(db, filled["pin"])):
        filled = filled.wrong("pin", words)
    if not filled.ok:
        return _limits_page(db, filled)
    db.set("payment_limit", payment)
    db.set("daily_limit", daily)
    return Go(SITE.url("/more"), "Limits saved")


def _limits_page(db: Database, filled: Filled) -> Screen:
    again = Filled({name: filled[name] for name in ("payment", "daily")}, errors=filled.errors)
    body, sheets = _limits_form(db).show(SITE.url("/limits"), again, submit="Save limits")
    daily, used = limit(db, "daily"), sent_today(db)
    words = f"Sent today: {shown(db, used)} of {shown(db, daily)}."
    head = parts.card(parts.text(words, "small"), parts.meter(used / max(daily, 1)))
    return Screen("Limits", join([head, body]), back=SITE.url("/more"), sheets=sheets)


@SITE.get("/pin")
def pin(visit: Visit) -> Screen:
    """A form for a new PIN."""
    return _pin_page(Filled())


@SITE.post("/pin")
def change_pin(visit: Visit) -> Screen | Go:
    """Changes the PIN if the old one is right."""
    filled = _PIN_FORM.read(visit)
    if filled["old"] and (words := wrong_pin(visit.db, filled["old"])):
        filled = filled.wrong("old", words)
    if filled["new"] != filled["again"]:
        filled = filled.wrong("again", "The two are not the same")
    if not filled.ok:
        return _pin_page(filled)
    visit.db.set("pin", filled["new"])
    return Go(SITE.url("/more"), "PIN changed")


def _pin_page(filled: Filled) -> Screen:
    body, sheets = _PIN_FORM.show(SITE.url("/pin"), Filled(errors=filled.errors), submit="Change it")
    return Screen("Change PIN", body, back=SITE.url("/more"), close=True, sheets=sheets)
