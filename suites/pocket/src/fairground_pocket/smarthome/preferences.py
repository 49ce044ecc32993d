"""Settings: the home's name and place, units, energy tariff, quiet hours, alerts."""

from __future__ import annotations

from fairground_pocket.kit import Field, Filled, Form, Go, Gone, Screen, Visit, formats, icon, join, parts
from fairground_pocket.smarthome.schema import SITE
from fairground_pocket.smarthome.store import clock_fault

_SWITCHES = (
    ("alert_safety", "Safety alerts", "Smoke, water, gas"),
    ("alert_security", "Security alerts", "Doors, motion, cameras"),
    ("alert_battery", "Battery alerts", "When one is getting low"),
    ("alert_device", "Appliance alerts", "Finished, stuck, disconnected"),
    ("share_location", "Use my location", "To know when you come and go"),
    ("weekly_report", "Weekly energy report", "Every Monday morning"),
)
_HOME = Form(
    Field("home", "Home name", required=True, limit=40), Field("location", "Address", "area", required=True, limit=120)
)
_QUIET = Form(
    Field("quiet_on", "Keep quiet at night", "toggle"),
    Field("quiet_from", "Quiet from", required=True, limit=5, check=clock_fault),
    Field("quiet_to", "Quiet until", required=True, limit=5, check=clock_fault),
)
_TARIFF = Form(Field("tariff", "Price of a kilowatt hour", required=True, limit=12, keyboard="decimal"))


@SITE.get("/settings")
def settings(visit: Visit) -> Screen:
    """The list of settings."""
    db = visit.db
    quiet = f"{db.setting('quiet_from')} to {db.setting('quiet_to')}" if db.setting("quiet_on") == "1" else "Off"
    price = formats.money(int(db.setting("tariff")), db.setting("currency"))
    links = [
        parts.row(SITE.url("/settings/home"), "Name and place", note=f"{db.setting('home')}, {db.setting('location')}",
                  lead=icon("map")),
        parts.row(SITE.url("/settings/quiet"), "Quiet hours", note=quiet, lead=icon("moon")),
        parts.row(SITE.url("/settings/tariff"), "Energy price", note=f"{price} per kWh", lead=icon("bolt")),
    ]  # fmt: skip
    fahrenheit = db.setting("fahrenheit") == "1"
    units = parts.switch_row(
        SITE.url("/settings"), "Fahrenheit", fahrenheit, note="Otherwise Celsius", key="fahrenheit"
    )
    switches = [
        parts.switch_row(SITE.url("/settings"), name, db.setting(key) == "1", note=note, key=key)
        for key, name, note in _SWITCHES
    ]
    body = join([
        parts.section("Home", parts.rows(links)),
        parts.section("Units", parts.rows([units])),
        parts.section("Notifications", parts.rows(switches)),
    ])  # fmt: skip
    return Screen("Settings", body, back=SITE.url("/more"))


@SITE.post("/settings")
def switch(visit: Visit) -> Go:
    """Sets one of the switches."""
    key = visit.form("key")
    if key != "fahrenheit" and key not in {name for name, *_ in _SWITCHES}:
        raise Gone
    visit.db.set(key, visit.form("on") == "1")
    return Go(SITE.url("/settings"))


@SITE.get("/settings/home")
def home(visit: Visit) -> Screen:
    """A form for the home's name and place."""
    return _page(_HOME, "Name and place", "/settings/home", _kept(visit, _HOME))


@SITE.post("/settings/home")
def save_home(visit: Visit) -> Screen | Go:
    """Saves the home's name and place."""
    return _save(visit, _HOME, _HOME.read(visit), "Name and place", "/settings/home")


@SITE.get("/settings/quiet")
def quiet(visit: Visit) -> Screen:
    """A form for the quiet hours, when alerts make no sound."""
    return _page(_QUIET, "Quiet hours", "/settings/quiet", _kept(visit, _QUIET))


@SITE.post("/settings/quiet")
def save_quiet(visit: Visit) -> Screen | Go:
    """Saves the quiet hours."""
    return _save(visit, _QUIET, _QUIET.read(visit), "Quiet hours", "/settings/quiet")


@SITE.get("/settings/tariff")
def tariff(visit: Visit) -> Screen:
    """A form for the energy tariff."""
    price = formats.plain_money(int(visit.db.setting("tariff")), visit.db.setting("currency"))
    return _page(_TARIFF, "Energy price", "/settings/tariff", Filled({"tariff": price}))


@SITE.post("/settings/tariff")
def save_tariff(visit: Visit) -> Screen | Go:
    """Saves the energy tariff."""
    filled = _TARIFF.read(visit)
    amount = formats.parse_money(filled["tariff"], visit.db.setting("currency"))
    if filled["tariff"] and not amount:
        filled = filled.wrong("tariff", f"Write an amount in {visit.db.setting('currency')}")
    if not filled.ok:
        return _page(_TARIFF, "Energy price", "/settings/tariff", filled)
    visit.db.set("tariff", amount)
    return Go(SITE.url("/settings"), "Energy price saved", undo=True)


def _kept(visit: Visit, form: Form) -> Filled:
    return Filled({entry.name: visit.db.setting(entry.name) for entry in form.fields})


def _save(visit: Visit, form: Form, filled: Filled, title: str, path: str) -> Screen | Go:
    if not filled.ok:
        return _page(form, title, path, filled)
    for name, value in filled.values.items():
        visit.db.set(name, value)
    return Go(SITE.url("/settings"), f"{title} saved", undo=True)


def _page(form: Form, title: str, path: str, filled: Filled) -> Screen:
    body, sheets = form.show(SITE.url(path), filled)
    back = SITE.url("/settings")
    return Screen(title, body, back=back, close=True, actions=[parts.submit("Save", "form")], sheets=sheets)
