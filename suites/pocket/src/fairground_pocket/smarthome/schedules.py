"""Schedules: an action of a device at a time, on some days."""

from __future__ import annotations

import sqlite3

from fairground_pocket.kit import Field, Filled, Form, Go, Screen, Visit, icon, join, parts
from fairground_pocket.smarthome.devices import find, schedule_words
from fairground_pocket.smarthome.kinds import KINDS
from fairground_pocket.smarthome.listing import picker
from fairground_pocket.smarthome.scenes import action_field
from fairground_pocket.smarthome.schema import DAYS, SITE
from fairground_pocket.smarthome.store import clock_fault, day_words
from fairground_pocket.smarthome.store import number as to_number

_JOINED = "SELECT s.*, d.name, d.kind FROM schedules s JOIN devices d ON d.id = s.device WHERE {} ORDER BY s.time, s.id"
_SHORT = tuple((str(place), name) for place, name in enumerate(DAYS))


@SITE.get("/schedules")
def schedules(visit: Visit) -> Screen:
    """All schedules by time, of one day, or the matches of a search."""
    words, day = visit.query("q").strip()[:100], visit.query("day")
    day = day if day in {key for key, _ in _SHORT} else ""
    records = [
        row
        for row in visit.db.rows(_JOINED.format("1"))
        if words.casefold() in row["name"].casefold() and (not day or row["days"][int(day)] == "1")
    ]
    rows = [
        parts.row(
            SITE.url(f"/schedules/{row['id']}"), row["name"], name=f"{row['name']}: {schedule_words(row['kind'], row)}",
            note=schedule_words(row["kind"], row), lead=icon(KINDS[row["kind"]].icon),
            meta="" if row["enabled"] else "Paused", style="" if row["enabled"] else "off",
        )
        for row in records
    ]  # fmt: skip
    chips = [("All days", SITE.url("/schedules"), not day)]
    chips += [(name, SITE.url("/schedules", day=key), key == day) for key, name in _SHORT]
    results = join([
        parts.text(f"{len(rows)} schedules", "muted small"),
        parts.rows(rows) if rows else parts.empty("clock", "No schedule found"),
    ])  # fmt: skip
    body = join([
        parts.search_box(SITE.url("/schedules"), words, "Search schedules", day=day),
        parts.chips(chips, "Days"),
        parts.live(results),
    ])  # fmt: skip
    fab = parts.fab(SITE.url("/schedules/new"), "New schedule")
    return Screen("Schedules", body, back=SITE.url("/routines"), fab=fab)


@SITE.get("/schedules/new")
def new_schedule(visit: Visit) -> Screen:
    """Asks for the device, then for time and action; query parameters fill fields in."""
    chosen = to_number(visit.query("device"))
    if chosen is None:
        return picker(visit, "Which device?", "/schedules/new", SITE.url("/schedules"))
    device = find(visit, chosen)
    days = tuple(str(place) for place, digit in enumerate(visit.query("days")[:7]) if digit == "1")
    filled = Filled({"time": visit.query("time")[:5], "action": visit.query("action")[:40]}, {"days": days})
    return _page(device, "New schedule", "/schedules/new", filled)


@SITE.post("/schedules/new")
def add_schedule(visit: Visit) -> Screen | Go:
    """Adds a schedule."""
    device = find(visit, visit.number("device") or 0)
    filled, values = _read(visit, device, 0)
    if not filled.ok:
        return _page(device, "New schedule", "/schedules/new", filled)
    number = visit.db.insert("schedules", device=device["id"], **values)
    return Go(SITE.url(f"/schedules/{number}"), "Schedule added", undo=True)


@SITE.get("/schedules/{number:int}")
def schedule(visit: Visit, number: int) -> Screen:
    """A schedule with its actions."""
    row = visit.found(_JOINED.format("s.id = ?"), number)
    facts = [("Device", row["name"]), ("Does", schedule_words(row["kind"], row)), ("Days", day_words(row["days"]))]
    body = join([
        parts.hero(row["time"], row["name"]),
        parts.card(parts.facts(facts)),
        parts.rows([parts.switch_row(SITE.url(f"/schedules/{number}/switch"), "Schedule is on", bool(row["enabled"]))]),
        parts.link(SITE.url(f"/d/{row['device']}"), "Open device", style="quiet"),
    ])  # fmt: skip
    ask = parts.confirm(
        "delete", "Delete this schedule?", f"{row['name']} stays as it is.", SITE.url(f"/schedules/{number}/delete"),
        "Delete for good",
    )  # fmt: skip
    actions = [
        parts.bar_link(SITE.url(f"/schedules/{number}/edit"), "Edit schedule", "edit"),
        parts.bar_link("#delete", "Delete schedule", "trash"),
    ]
    return Screen("Schedule", body, back=SITE.url("/schedules"), actions=actions, sheets=[ask])


@SITE.post("/schedules/{number:int}/switch")
def switch(visit: Visit, number: int) -> Go:
    """Pauses or resumes a schedule."""
    visit.found("SELECT 1 FROM schedules WHERE id = ?", number)
    visit.db.run("UPDATE schedules SET enabled = ? WHERE id = ?", visit.form("on") == "1", number)
    return Go(SITE.url(f"/schedules/{number}"))


@SITE.get("/schedules/{number:int}/edit")
def edit_schedule(visit: Visit, number: int) -> Screen:
    """A form to change a schedule."""
    row = visit.found(_JOINED.format("s.id = ?"), number)
    days = tuple(str(place) for place, digit in enumerate(row["days"]) if digit == "1")
    filled = Filled({"time": row["time"], "action": f"{row['trait']}:{row['value']}"}, {"days": days})
    return _page(find(visit, row["device"]), "Edit schedule", f"/schedules/{number}/edit", filled)


@SITE.post("/schedules/{number:int}/edit")
def save_schedule(visit: Visit, number: int) -> Screen | Go:
    """Changes a schedule."""
    row = visit.found(_JOINED.format("s.id = ?"), number)
    device = find(visit, row["device"])
    filled, values = _read(visit, device, number)
    if not filled.ok:
        return _page(device, "Edit schedule", f"/schedules/{number}/edit", filled)
    visit.db.run("UPDATE schedules SET trait = ?, value = ?, time = ?, days = ? WHERE id = ?", *values.values(), number)
    return Go(SITE.url(f"/schedules/{number}"), "Schedule saved", undo=True)


@SITE.post("/schedules/{number:int}/delete")
def delete_schedule(visit: Visit, number: int) -> Go:
    """Deletes a schedule."""
    visit.found("SELECT 1 FROM schedules WHERE id = ?", number)
    visit.db.run("DELETE FROM schedules WHERE id = ?", number)
    return Go(SITE.url("/schedules"), "Schedule deleted", undo=True)


def _form(kind: str) -> Form:
    return Form(
        Field("device", "Device", "hidden"),
        action_field(kind),
        Field("time", "Time", required=True, limit=5, check=clock_fault, hint="Hours and minutes, such as 07:30"),
        Field("days", "Days", "checks", required=True, options=_SHORT),
    )


def _read(visit: Visit, device: sqlite3.Row, number: int) -> tuple[Filled, dict[str, str]]:
    """The submitted values, and the columns they are stored in: trait, value, time, days."""
    filled = _form(device["kind"]).read(visit)
    trait, _, value = filled["action"].partition(":")
    days = "".join("1" if key in filled.chosen["days"] else "0" for key, _ in _SHORT)
    values = {"trait": trait, "value": value, "time": filled["time"], "days": days}
    sql = "SELECT 1 FROM schedules WHERE device = ? AND trait = ? AND value = ? AND time = ? AND days = ? AND id != ?"
    if visit.db.one(sql, device["id"], *values.values(), number):
        filled = filled.wrong("time", "There is such a schedule already")
    return filled, values


def _page(device: sqlite3.Row, title: str, path: str, filled: Filled) -> Screen:
    filled = Filled({**filled.values, "device": str(device["id"])}, filled.chosen, filled.errors, filled.again)
    form, sheets = _form(device["kind"]).show(SITE.url(path), filled)
    body = join([parts.notice(device["name"], KINDS[device["kind"]].icon), form])
    back = SITE.url("/schedules")
    return Screen(title, body, back=back, close=True, actions=[parts.submit("Save", "form")], sheets=sheets)
