"""The list of routines, and scenes: actions on several devices at once."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from fairground_pocket.kit import Database, Field, Filled, Form, Go, Gone, Screen, Visit, formats, icon, join, parts
from fairground_pocket.smarthome.devices import find
from fairground_pocket.smarthome.kinds import KINDS, action_words, actions
from fairground_pocket.smarthome.listing import picker
from fairground_pocket.smarthome.schema import SITE
from fairground_pocket.smarthome.store import number as to_number
from fairground_pocket.smarthome.store import run_scene

_ICONS = (
    ("sun", "Sun"), ("moon", "Moon"), ("tv", "Screen"), ("food", "Meal"), ("music", "Music"), ("door", "Door"),
    ("plane", "Plane"), ("heart", "Heart"), ("leaf", "Leaf"), ("star", "Star"),
)  # fmt: skip
_FORM = Form(
    Field("name", "Name", required=True, limit=40),
    Field("icon", "Symbol", "sheet", required=True, options=_ICONS),
    Field("favourite", "Show on the first screen", "toggle"),
)


@SITE.get("/routines")
def routines(visit: Visit) -> Screen:
    """All scenes, with links to schedules and automations."""
    db = visit.db
    records = db.rows("SELECT s.*, (SELECT count(*) FROM scene_actions a WHERE a.scene = s.id) AS count FROM scenes s "
                    "ORDER BY s.id")  # fmt: skip
    rows = [
        parts.row(
            SITE.url(f"/scenes/{row['id']}"), row["name"], lead=icon(row["icon"]),
            note=f"{row['count']} actions · {_last_run(db, row)}",
            side=parts.icon_button(
                SITE.url(f"/scenes/{row['id']}/run"), f"Run {row['name']}", "play", to="/routines"
            ),
        )
        for row in records
    ]  # fmt: skip
    scheduled = db.one("SELECT count(*) FROM schedules WHERE enabled = 1")
    automatic = db.one("SELECT count(*) FROM automations WHERE enabled = 1")
    links = [
        parts.row(SITE.url("/schedules"), "Schedules", note=f"{scheduled} active", lead=icon("clock")),
        parts.row(SITE.url("/automations"), "Automations", note=f"{automatic} active", lead=icon("rule")),
    ]
    body = join([
        parts.rows(links),
        parts.section("Scenes", parts.rows(rows) if rows else parts.empty("moon", "No scenes yet")),
    ])  # fmt: skip
    return Screen("Routines", body, tab="routines", fab=parts.fab(SITE.url("/scenes/new"), "New scene"))


@SITE.get("/scenes/new")
def new_scene(visit: Visit) -> Screen:
    """A form for a scene; its actions are added afterwards."""
    return _page("New scene", "/scenes/new", Filled({"name": visit.query("name")[:40], "icon": "sun"}), "/routines")


@SITE.post("/scenes/new")
def add_scene(visit: Visit) -> Screen | Go:
    """Adds a scene without actions."""
    filled = _read(visit, 0)
    if not filled.ok:
        return _page("New scene", "/scenes/new", filled, "/routines")
    number = visit.db.insert("scenes", **filled.values, last_run="")
    return Go(SITE.url(f"/scenes/{number}"), "Scene added, now give it actions", undo=True)


@SITE.get("/scenes/{number:int}")
def scene(visit: Visit, number: int) -> Screen:
    """One scene and its actions."""
    db = visit.db
    row = visit.found("SELECT * FROM scenes WHERE id = ?", number)
    rows = []
    for action in _actions(db, number):
        words = action_words(action["kind"], action["trait"], action["value"])
        rows.append(parts.row(
            SITE.url(f"/scenes/{number}/a/{action['id']}"), words, name=action_name(action), note=action["name"],
            lead=icon(KINDS[action["kind"]].icon),
            side=parts.icon_button(
                SITE.url(f"/scenes/{number}/a/{action['id']}/delete"), f"Remove {action_name(action)}", "close"
            ),
        ))  # fmt: skip
    body = join([
        parts.hero(row["name"], _last_run(db, row)),
        parts.button(SITE.url(f"/scenes/{number}/run"), "Run scene", symbol="play"),
        parts.section("Actions", parts.rows(rows) if rows else parts.empty("moon", "No actions yet")),
        parts.link(SITE.url(f"/scenes/{number}/add"), "Add action", symbol="plus", style="quiet"),
    ])  # fmt: skip
    ask = parts.confirm(
        "delete", f"Delete {row['name']}?", "Devices stay as they are.", SITE.url(f"/scenes/{number}/delete"),
        "Delete for good",
    )  # fmt: skip
    bar = [
        parts.bar_link(SITE.url(f"/scenes/{number}/edit"), "Edit scene", "edit"),
        parts.bar_link("#delete", "Delete scene", "trash"),
    ]
    return Screen("Scene", body, back=SITE.url("/routines"), actions=bar, sheets=[ask])


@SITE.post("/scenes/{number:int}/run")
def run(visit: Visit, number: int) -> Go:
    """Runs a scene."""
    row = visit.found("SELECT * FROM scenes WHERE id = ?", number)
    count = run_scene(visit.db, row)
    to = visit.form("to") if visit.form("to") in ("/", "/routines") else f"/scenes/{number}"
    return Go(SITE.url(to), f"{row['name']}: {count} actions done", undo=True)


@SITE.get("/scenes/{number:int}/edit")
def edit_scene(visit: Visit, number: int) -> Screen:
    """A form to rename a scene."""
    row = visit.found("SELECT * FROM scenes WHERE id = ?", number)
    filled = Filled({"name": row["name"], "icon": row["icon"], "favourite": str(row["favourite"])})
    return _page("Edit scene", f"/scenes/{number}/edit", filled, f"/scenes/{number}")


@SITE.post("/scenes/{number:int}/edit")
def save_scene(visit: Visit, number: int) -> Screen | Go:
    """Renames a scene."""
    visit.found("SELECT 1 FROM scenes WHERE id = ?", number)
    filled = _read(visit, number)
    if not filled.ok:
        return _page("Edit scene", f"/scenes/{number}/edit", filled, f"/scenes/{number}")
    visit.db.run("UPDATE scenes SET name = ?, icon = ?, favourite = ? WHERE id = ?", filled["name"], filled["icon"],
                 int(filled["favourite"]), number)  # fmt: skip
    return Go(SITE.url(f"/scenes/{number}"), "Scene saved", undo=True)


@SITE.post("/scenes/{number:int}/delete")
def delete_scene(visit: Visit, number: int) -> Go:
    """Deletes a scene."""
    row = visit.found("SELECT * FROM scenes WHERE id = ?", number)
    visit.db.run("DELETE FROM scenes WHERE id = ?", number)
    return Go(SITE.url("/routines"), f"Scene {row['name']} deleted", undo=True)


@SITE.get("/scenes/{number:int}/add")
def add_action(visit: Visit, number: int) -> Screen:
    """Asks for the device, then for the action."""
    visit.found("SELECT 1 FROM scenes WHERE id = ?", number)
    chosen = to_number(visit.query("device"))
    if chosen is None:
        return picker(visit, "Which device?", f"/scenes/{number}/add", SITE.url(f"/scenes/{number}"))
    return _action_page(find(visit, chosen), f"/scenes/{number}/add", number, Filled({"device": str(chosen)}))


@SITE.post("/scenes/{number:int}/add")
def save_new_action(visit: Visit, number: int) -> Screen | Go:
    """Adds an action; each trait of a device can occur once."""
    visit.found("SELECT 1 FROM scenes WHERE id = ?", number)
    device = find(visit, visit.number("device") or 0)
    filled = _action_form(device["kind"]).read(visit)
    trait, _, value = filled["action"].partition(":")
    sql = "SELECT 1 FROM scene_actions WHERE scene = ? AND device = ? AND trait = ?"
    if visit.db.one(sql, number, device["id"], trait):
        filled = filled.wrong("action", "The scene sets this already; change that action instead")
    if not filled.ok:
        return _action_page(device, f"/scenes/{number}/add", number, filled)
    visit.db.insert("scene_actions", scene=number, device=device["id"], trait=trait, value=value)
    return Go(SITE.url(f"/scenes/{number}"), "Action added", undo=True)


@SITE.get("/scenes/{number:int}/a/{action:int}")
def edit_action(visit: Visit, number: int, action: int) -> Screen:
    """A form to change an action of a scene."""
    row = _action(visit, number, action)
    filled = Filled({"device": str(row["device"]), "action": f"{row['trait']}:{row['value']}"})
    return _action_page(find(visit, row["device"]), f"/scenes/{number}/a/{action}", number, filled)


@SITE.post("/scenes/{number:int}/a/{action:int}")
def save_action(visit: Visit, number: int, action: int) -> Screen | Go:
    """Changes an action."""
    row = _action(visit, number, action)
    device = find(visit, row["device"])
    filled = _action_form(device["kind"]).read(visit)
    trait, _, value = filled["action"].partition(":")
    sql = "SELECT 1 FROM scene_actions WHERE scene = ? AND device = ? AND trait = ? AND id != ?"
    if visit.db.one(sql, number, device["id"], trait, action):
        filled = filled.wrong("action", "Another action of the scene sets this")
    if not filled.ok:
        return _action_page(device, f"/scenes/{number}/a/{action}", number, filled)
    visit.db.run("UPDATE scene_actions SET trait = ?, value = ? WHERE id = ?", trait, value, action)
    return Go(SITE.url(f"/scenes/{number}"), "Action saved", undo=True)


@SITE.post("/scenes/{number:int}/a/{action:int}/delete")
def delete_action(visit: Visit, number: int, action: int) -> Go:
    """Removes an action from a scene."""
    _action(visit, number, action)
    visit.db.run("DELETE FROM scene_actions WHERE id = ?", action)
    return Go(SITE.url(f"/scenes/{number}"), "Action removed", undo=True)


def action_name(row: sqlite3.Row) -> str:
    """The name of an action in its scene; `row` has the device's name and kind."""
    return f"{row['name']}: {action_words(row['kind'], row['trait'], row['value'])}"


def action_field(kind: str) -> Field:
    """A form field with all actions of a kind of device."""
    return Field("action", "Action", "sheet", required=True, options=list(actions(kind)))


def _actions(db: Database, scene_number: int) -> list[sqlite3.Row]:
    return db.rows(
        "SELECT a.*, d.name, d.kind FROM scene_actions a JOIN devices d ON d.id = a.device WHERE a.scene = ? "
        "ORDER BY a.id",
        scene_number,
    )


def _action(visit: Visit, number: int, action: int) -> sqlite3.Row:
    for row in _actions(visit.db, number):
        if row["id"] == action:
            return row
    raise Gone


def _action_form(kind: str) -> Form:
    return Form(Field("device", "Device", "hidden"), action_field(kind))


def _action_page(device: sqlite3.Row, path: str, number: int, filled: Filled) -> Screen:
    filled = Filled({**filled.values, "device": str(device["id"])}, filled.chosen, filled.errors, filled.again)
    form, sheets = _action_form(device["kind"]).show(SITE.url(path), filled)
    body = join([parts.notice(device["name"], KINDS[device["kind"]].icon), form])
    back = SITE.url(f"/scenes/{number}")
    return Screen(
        "What shall it do?", body, back=back, close=True, actions=[parts.submit("Save", "form")], sheets=sheets
    )


def _read(visit: Visit, number: int) -> Filled:
    filled = _FORM.read(visit)
    taken = visit.db.one("SELECT 1 FROM scenes WHERE fold(name) = fold(?) AND id != ?", filled["name"], number)
    return filled.wrong("name", "There is a scene of this name") if taken else filled


def _page(title: str, path: str, filled: Filled, back: str) -> Screen:
    body, sheets = _FORM.show(SITE.url(path), filled)
    return Screen(title, body, back=SITE.url(back), close=True, actions=[parts.submit("Save", "form")], sheets=sheets)


def _last_run(db: Database, row: sqlite3.Row) -> str:
    if not row["last_run"]:
        return "Never run"
    return f"Last run {formats.when(datetime.fromisoformat(row['last_run']), db.now)}"
