"""Automations: when an event occurs and a condition holds, a device does something."""

from __future__ import annotations

import sqlite3

from fairground_pocket.kit import Database, Field, Filled, Form, Go, Screen, Visit, icon, join, parts
from fairground_pocket.smarthome.devices import find
from fairground_pocket.smarthome.kinds import KINDS, SENSORS, action_words, event_words
from fairground_pocket.smarthome.listing import picker
from fairground_pocket.smarthome.scenes import action_field
from fairground_pocket.smarthome.schema import SITE
from fairground_pocket.smarthome.store import DEVICES, clock_fault
from fairground_pocket.smarthome.store import number as to_number

TRIGGERS = (
    ("sensor", "A sensor notices something"),
    ("time", "It is a certain time"),
    ("presence", "People come or go"),
)
PRESENCE = (("leave", "The last person leaves"), ("arrive", "The first person comes home"))
CONDITIONS = (
    ("always", "Always"), ("dark", "After sunset"), ("light", "In daylight"), ("night", "From 22:00 to 06:00"),
    ("nobody", "Nobody is home"), ("somebody", "Somebody is home"), ("weekdays", "On weekdays"),
    ("weekends", "On weekends"),
)  # fmt: skip
_JOINED = (
    "SELECT a.*, d.name AS device_name, d.kind, s.name AS sensor_name, s.kind AS sensor_kind FROM automations a "
    "JOIN devices d ON d.id = a.device LEFT JOIN devices s ON s.id = a.sensor WHERE {} ORDER BY a.id"
)
_KEPT = ("name", "trigger", "sensor", "event", "time", "condition", "trait", "value")


@SITE.get("/automations")
def automations(visit: Visit) -> Screen:
    """All automations."""
    rows = [
        parts.row(
            SITE.url(f"/automations/{row['id']}"), row["name"], note=f"{when(row)}. {then(row)}.",
            lead=icon({"sensor": "motion", "time": "clock"}.get(row["trigger"], "people")),
            meta="" if row["enabled"] else "Paused", style="" if row["enabled"] else "off",
        )
        for row in visit.db.rows(_JOINED.format("1"))
    ]  # fmt: skip
    body = parts.rows(rows) if rows else parts.empty("rule", "No automations yet", "Let sensors do the work.")
    fab = parts.fab(SITE.url("/automations/new"), "New automation")
    return Screen("Automations", body, back=SITE.url("/routines"), fab=fab)


@SITE.get("/automations/new")
def new_automation(visit: Visit) -> Screen:
    """Asks for the device, then for trigger and action; query parameters fill fields in."""
    chosen = to_number(visit.query("device"))
    if chosen is None:
        return picker(visit, "Which device shall act?", "/automations/new", SITE.url("/automations"))
    values = {"trigger": visit.query("trigger") or "sensor", "condition": "always", "name": visit.query("name")[:60]}
    return _page(visit.db, find(visit, chosen), "New automation", "/automations/new", Filled(values))


@SITE.post("/automations/new")
def add_automation(visit: Visit) -> Screen | Go:
    """Adds an automation."""
    device = find(visit, visit.number("device") or 0)
    filled, values = _read(visit, device, 0)
    if not filled.ok:
        return _page(visit.db, device, "New automation", "/automations/new", filled)
    number = visit.db.insert("automations", device=device["id"], **values)
    return Go(SITE.url(f"/automations/{number}"), "Automation added", undo=True)


@SITE.get("/automations/{number:int}")
def automation(visit: Visit, number: int) -> Screen:
    """An automation with its actions."""
    row = visit.found(_JOINED.format("a.id = ?"), number)
    facts = [("When", when(row)), ("If", dict(CONDITIONS)[row["condition"]]), ("Then", then(row))]
    toggle = parts.switch_row(SITE.url(f"/automations/{number}/switch"), "Automation is on", bool(row["enabled"]))
    body = join([
        parts.hero(row["name"], "Active" if row["enabled"] else "Paused"),
        parts.card(parts.facts(facts)),
        parts.rows([toggle]),
        parts.link(SITE.url(f"/d/{row['device']}"), "Open device", style="quiet"),
    ])  # fmt: skip
    ask = parts.confirm(
        "delete", "Delete this automation?", "Devices stay as they are.", SITE.url(f"/automations/{number}/delete"),
        "Delete for good",
    )  # fmt: skip
    actions = [
        parts.bar_link(SITE.url(f"/automations/{number}/edit"), "Edit automation", "edit"),
        parts.bar_link("#delete", "Delete automation", "trash"),
    ]
    return Screen("Automation", body, back=SITE.url("/automations"), actions=actions, sheets=[ask])


@SITE.post("/automations/{number:int}/switch")
def switch(visit: Visit, number: int) -> Go:
    """Pauses or resumes an automation."""
    visit.found("SELECT 1 FROM automations WHERE id = ?", number)
    visit.db.run("UPDATE automations SET enabled = ? WHERE id = ?", visit.form("on") == "1", number)
    return Go(SITE.url(f"/automations/{number}"))


@SITE.get("/automations/{number:int}/edit")
def edit_automation(visit: Visit, number: int) -> Screen:
    """A form to change an automation."""
    row = visit.found("SELECT * FROM automations WHERE id = ?", number)
    values = {name: row[name] for name in ("name", "trigger", "time", "condition")}
    values["action"] = f"{row['trait']}:{row['value']}"
    values["presence"] = row["event"] if row["trigger"] == "presence" else ""
    values["event"] = f"{row['sensor']}:{row['event']}" if row["trigger"] == "sensor" else ""
    device = find(visit, row["device"])
    return _page(visit.db, device, "Edit automation", f"/automations/{number}/edit", Filled(values))


@SITE.post("/automations/{number:int}/edit")
def save_automation(visit: Visit, number: int) -> Screen | Go:
    """Changes an automation."""
    row = visit.found("SELECT * FROM automations WHERE id = ?", number)
    device = find(visit, row["device"])
    filled, values = _read(visit, device, number)
    if not filled.ok:
        return _page(visit.db, device, "Edit automation", f"/automations/{number}/edit", filled)
    columns = ", ".join(f"{name} = ?" for name in _KEPT)
    visit.db.run(f"UPDATE automations SET {columns} WHERE id = ?", *(values[name] for name in _KEPT), number)
    return Go(SITE.url(f"/automations/{number}"), "Automation saved", undo=True)


@SITE.post("/automations/{number:int}/delete")
def delete_automation(visit: Visit, number: int) -> Go:
    """Deletes an automation."""
    visit.found("SELECT 1 FROM automations WHERE id = ?", number)
    visit.db.run("DELETE FROM automations WHERE id = ?", number)
    return Go(SITE.url("/automations"), "Automation deleted", undo=True)


def when(row: sqlite3.Row) -> str:
    """The trigger of an automation in words; `row` has the sensor's name and kind."""
    if row["trigger"] == "time":
        return f"At {row['time']}"
    if row["trigger"] == "presence":
        return dict(PRESENCE).get(row["event"], "People come or go")
    return f"{row['sensor_name']} {event_words(row['sensor_kind'], row['event'])}"


def then(row: sqlite3.Row) -> str:
    """The action of an automation in words."""
    return f"{row['device_name']}: {action_words(row['kind'], row['trait'], row['value'])}"


def _form(db: Database, kind: str) -> Form:
    marks = ", ".join(f"'{key}'" for key in SENSORS)
    events = [
        (f"{row['id']}:{key}", f"{row['name']} {words}")
        for row in db.rows(DEVICES.format(f"d.kind IN ({marks})"))
        for key, words in KINDS[row["kind"]].events
    ]
    return Form(
        Field("device", "Device", "hidden"),
        Field("name", "Name", required=True, limit=120),
        Field("trigger", "When", "radio", required=True, options=TRIGGERS),
        Field("event", "Sensor event", "sheet", options=events, hint="For a sensor"),
        Field("time", "Time", limit=5, check=clock_fault, hint="For a certain time, such as 07:30"),
        Field("presence", "Coming or going", "sheet", options=PRESENCE, hint="For people"),
        Field("condition", "Only if", "sheet", required=True, options=CONDITIONS),
        action_field(kind),
    )


def _read(visit: Visit, device: sqlite3.Row, number: int) -> tuple[Filled, dict[str, object]]:
    """The submitted values, and the columns they are stored in."""
    filled = _form(visit.db, device["kind"]).read(visit)
    needed = {"sensor": ("event", "Choose the sensor event"), "time": ("time", "Time is missing"),
              "presence": ("presence", "Choose whether people come or go")}.get(filled["trigger"])  # fmt: skip
    if needed and not filled[needed[0]] and not filled.again:
        filled = filled.wrong(*needed)
    if visit.db.one("SELECT 1 FROM automations WHERE fold(name) = fold(?) AND id != ?", filled["name"], number):
        filled = filled.wrong("name", "There is an automation of this name")
    sensor, _, event = filled["event"].partition(":")
    trait, _, value = filled["action"].partition(":")
    trigger = filled["trigger"]
    return filled, {
        "name": filled["name"],
        "trigger": trigger,
        "sensor": int(sensor) if trigger == "sensor" and sensor else None,
        "event": event if trigger == "sensor" else filled["presence"] if trigger == "presence" else "",
        "time": filled["time"] if trigger == "time" else "",
        "condition": filled["condition"],
        "trait": trait,
        "value": value,
    }


def _page(db: Database, device: sqlite3.Row, title: str, path: str, filled: Filled) -> Screen:
    filled = Filled({**filled.values, "device": str(device["id"])}, filled.chosen, filled.errors, filled.again)
    form, sheets = _form(db, device["kind"]).show(SITE.url(path), filled)
    body = join([parts.notice(f"Then: {device['name']}", KINDS[device["kind"]].icon), form])
    back = SITE.url("/automations")
    return Screen(title, body, back=back, close=True, actions=[parts.submit("Save", "form")], sheets=sheets)
