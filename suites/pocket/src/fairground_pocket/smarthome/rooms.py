"""Rooms and their devices: adding, renaming, moving."""

from __future__ import annotations

import sqlite3

from fairground_pocket.kit import Database, Field, Filled, Form, Go, Html, Screen, Visit, icon, join, parts
from fairground_pocket.smarthome.devices import find
from fairground_pocket.smarthome.kinds import KINDS, values
from fairground_pocket.smarthome.listing import device_rows
from fairground_pocket.smarthome.overview import temperature
from fairground_pocket.smarthome.schema import SITE
from fairground_pocket.smarthome.store import DEVICES, fahrenheit, log, off

_ICONS = (
    ("sofa", "Living room"), ("bed", "Bedroom"), ("food", "Kitchen"), ("drop", "Bathroom"), ("edit", "Study"),
    ("door", "Hall"), ("leaf", "Outside"), ("car", "Garage"), ("bag", "Shop"), ("archive", "Store room"),
)  # fmt: skip
_ROOM = Form(
    Field("name", "Name", required=True, limit=40),
    Field("floor", "Floor", required=True, limit=30),
    Field("icon", "Looks like", "sheet", required=True, options=_ICONS),
)


@SITE.get("/rooms")
def rooms(visit: Visit) -> Screen:
    """All rooms, grouped by floor."""
    db = visit.db
    degrees = fahrenheit(db)
    floors: dict[str, list[sqlite3.Row]] = {}
    for row in db.rows(
        "SELECT r.*, (SELECT count(*) FROM devices d WHERE d.room = r.id) AS devices FROM rooms r ORDER BY place, id"
    ):
        floors.setdefault(row["floor"], []).append(row)
    lists = [
        parts.section(floor, parts.rows(
            parts.row(SITE.url(f"/rooms/{row['id']}"), row["name"], lead=icon(row["icon"]),
                      note=f"{row['devices']} devices", meta=temperature(db, row["id"], degrees))
            for row in group
        ))
        for floor, group in floors.items()
    ]  # fmt: skip
    fab = parts.fab(SITE.url("/rooms/new"), "New room")
    return Screen("Rooms", join(lists), back=SITE.url("/more"), fab=fab)


@SITE.get("/rooms/new")
def new_room(visit: Visit) -> Screen:
    """A form for a new room."""
    return _room_page("New room", "/rooms/new", Filled({"icon": "sofa"}))


@SITE.post("/rooms/new")
def add_room(visit: Visit) -> Screen | Go:
    """Adds a room."""
    filled = _read_room(visit, 0)
    if not filled.ok:
        return _room_page("New room", "/rooms/new", filled)
    place = visit.db.one("SELECT ifnull(max(place), 0) + 1 FROM rooms")
    number = visit.db.insert("rooms", **filled.values, place=place)
    return Go(SITE.url(f"/rooms/{number}"), "Room added", undo=True)


@SITE.get("/rooms/{number:int}")
def room(visit: Visit, number: int) -> Screen:
    """A room with its devices."""
    db = visit.db
    row = visit.found("SELECT * FROM rooms WHERE id = ?", number)
    devices = db.rows(DEVICES.format("d.room = ?"), number)
    warm = temperature(db, number, fahrenheit(db))
    buttons = parts.side_by_side(
        parts.button(SITE.url(f"/rooms/{number}/off"), "Lights off", symbol="lamp", style="slim quiet", what="light"),
        parts.button(
            SITE.url(f"/rooms/{number}/off"), "Everything off", symbol="power", style="slim quiet", what="all"
        ),
    )
    body = join([
        parts.hero(warm or row["name"], f"{row['floor']} · {len(devices)} devices"),
        buttons if devices else Html(),
        device_rows(db, devices, SITE.url(f"/rooms/{number}"), rooms=False) if devices
        else parts.empty(row["icon"], "No devices yet", "Move some here, or add new ones."),
    ])  # fmt: skip
    actions = [
        parts.bar_link(SITE.url("/devices/new", room=number), "Add device here", "plus"),
        parts.bar_link(SITE.url(f"/rooms/{number}/edit"), "Edit room", "edit"),
    ]
    return Screen(row["name"], body, back=SITE.url("/rooms"), actions=actions)


@SITE.post("/rooms/{number:int}/off")
def room_off(visit: Visit, number: int) -> Go:
    """Turns off the lights of a room, or everything with a switch."""
    visit.found("SELECT 1 FROM rooms WHERE id = ?", number)
    count = off(visit.db, number, ("light",) if visit.form("what") == "light" else tuple(KINDS))
    return Go(SITE.url(f"/rooms/{number}"), f"{count} turned off", undo=True)


@SITE.get("/rooms/{number:int}/edit")
def edit_room(visit: Visit, number: int) -> Screen:
    """A form to change a room."""
    row = visit.found("SELECT * FROM rooms WHERE id = ?", number)
    page = _room_page("Edit room", f"/rooms/{number}/edit", Filled({name: row[name] for name in _names(_ROOM)}))
    words = "Its devices must be moved elsewhere before."
    ask = parts.confirm(
        "delete", f"Delete {row['name']}?", words, SITE.url(f"/rooms/{number}/delete"), "Delete for good"
    )
    actions = [parts.bar_link("#delete", "Delete room", "trash"), *page.actions]
    return Screen(page.title, page.body, back=page.back, close=True, actions=actions, sheets=[*page.sheets, ask])


@SITE.post("/rooms/{number:int}/edit")
def save_room(visit: Visit, number: int) -> Screen | Go:
    """Changes a room."""
    visit.found("SELECT 1 FROM rooms WHERE id = ?", number)
    filled = _read_room(visit, number)
    if not filled.ok:
        return _room_page("Edit room", f"/rooms/{number}/edit", filled)
    visit.db.run("UPDATE rooms SET name = ?, floor = ?, icon = ? WHERE id = ?", *map(filled.__getitem__, _names(_ROOM)),
                 number)  # fmt: skip
    return Go(SITE.url(f"/rooms/{number}"), "Room saved", undo=True)


@SITE.post("/rooms/{number:int}/delete")
def delete_room(visit: Visit, number: int) -> Go:
    """Deletes a room without devices."""
    row = visit.found("SELECT * FROM rooms WHERE id = ?", number)
    if visit.db.one("SELECT 1 FROM devices WHERE room = ?", number):
        return Go(SITE.url(f"/rooms/{number}"), "Move its devices elsewhere first")
    visit.db.run("DELETE FROM rooms WHERE id = ?", number)
    return Go(SITE.url("/rooms"), f"{row['name']} deleted", undo=True)


@SITE.get("/devices/new")
def new_device(visit: Visit) -> Screen:
    """A form for a new device."""
    values_now = {name: visit.query(name)[:60] for name in ("name", "kind", "room", "serial")}
    return _device_page(_new_device(visit.db), "Add device", "/devices/new", Filled(values_now), SITE.url("/devices"))


@SITE.post("/devices/new")
def add_device(visit: Visit) -> Screen | Go:
    """Adds a device in its factory state."""
    form = _new_device(visit.db)
    filled = _unique(visit, form.read(visit), 0)
    if not filled.ok:
        return _device_page(form, "Add device", "/devices/new", filled, SITE.url("/devices"))
    db, kind = visit.db, KINDS[filled["kind"]]
    number = db.insert(
        "devices", room=int(filled["room"]), kind=kind.key, name=filled["name"], model=kind.models[0],
        serial=filled["serial"], installed=db.now.date().isoformat(), firmware="1.0.0", newest="1.0.0",
        battery=100 if kind.battery else None,
    )  # fmt: skip
    db.many(
        "INSERT INTO traits VALUES (?, ?, ?)",
        [(number, trait.key, (values(trait) or ("0",))[-1 if trait.form == "switch" else 0]) for trait in kind.traits],
    )
    log(db, f"{filled['name']} was added", number)
    return Go(SITE.url(f"/d/{number}"), "Device added", undo=True)


@SITE.get("/d/{number:int}/edit")
def edit_device(visit: Visit, number: int) -> Screen:
    """A form to rename or move a device."""
    row = find(visit, number)
    filled = Filled({"name": row["name"], "room": str(row["room"])})
    return _device_page(_old_device(visit.db), "Edit device", f"/d/{number}/edit", filled, SITE.url(f"/d/{number}"))


@SITE.post("/d/{number:int}/edit")
def save_device(visit: Visit, number: int) -> Screen | Go:
    """Renames or moves a device."""
    find(visit, number)
    form = _old_device(visit.db)
    filled = _unique(visit, form.read(visit), number)
    if not filled.ok:
        return _device_page(form, "Edit device", f"/d/{number}/edit", filled, SITE.url(f"/d/{number}"))
    visit.db.run("UPDATE devices SET name = ?, room = ? WHERE id = ?", filled["name"], int(filled["room"]), number)
    return Go(SITE.url(f"/d/{number}"), "Device saved", undo=True)


def _names(form: Form) -> list[str]:
    return [entry.name for entry in form.fields]


def _read_room(visit: Visit, number: int) -> Filled:
    filled = _ROOM.read(visit)
    taken = visit.db.one("SELECT 1 FROM rooms WHERE fold(name) = fold(?) AND id != ?", filled["name"], number)
    return filled.wrong("name", "There is a room of this name") if taken else filled


def _unique(visit: Visit, filled: Filled, number: int) -> Filled:
    taken = visit.db.one("SELECT 1 FROM devices WHERE fold(name) = fold(?) AND id != ?", filled["name"], number)
    return filled.wrong("name", "There is a device of this name") if taken else filled


def _room_page(title: str, path: str, filled: Filled) -> Screen:
    body, sheets = _ROOM.show(SITE.url(path), filled)
    return Screen(
        title, body, back=SITE.url("/rooms"), close=True, actions=[parts.submit("Save", "form")], sheets=sheets
    )


def _device_page(form: Form, title: str, path: str, filled: Filled, back: str) -> Screen:
    body, sheets = form.show(SITE.url(path), filled)
    return Screen(title, body, back=back, close=True, actions=[parts.submit("Save", "form")], sheets=sheets)


def _old_device(db: Database) -> Form:
    options = [(str(row["id"]), row["name"]) for row in db.rows("SELECT id, name FROM rooms ORDER BY place, id")]
    return Form(
        Field("name", "Name", required=True, limit=60), Field("room", "Room", "sheet", required=True, options=options)
    )


def _new_device(db: Database) -> Form:
    return Form(
        Field("kind", "Kind", "sheet", required=True, options=[(key, kind.title) for key, kind in KINDS.items()]),
        *_old_device(db).fields,
        Field("serial", "Serial number", required=True, limit=10, hint="Ten letters and digits on the box",
              check=lambda text: None if len(text) == 10 and text.isalnum() else "It has ten letters and digits"),
    )  # fmt: skip
