"""Devices: the list with its filters, a device's page with its controls, and their handlers."""

from __future__ import annotations

import re
import sqlite3
from datetime import date, datetime

from fairground_pocket.kit import Database, Go, Gone, Html, Screen, Visit, formats, icon, join, parts
from fairground_pocket.smarthome.kinds import KINDS, Trait, action_words, shown, values
from fairground_pocket.smarthome.listing import device_rows, matching
from fairground_pocket.smarthome.schema import SITE
from fairground_pocket.smarthome.store import DEVICES, accepts, day_words, fahrenheit, kwh, log, state, summary, tell

_PAGE = 24
_FILTERS = {
    "on": ("On", "EXISTS (SELECT 1 FROM traits t WHERE t.device = d.id AND t.name = 'power' AND t.value = '1') "
           "AND d.online = 1"),
    "offline": ("Offline", "d.online = 0"),
    "battery": ("Low battery", "d.battery < 20"),
    "update": ("To update", "d.firmware != d.newest"),
    "favourite": ("Favourites", "d.favourite = 1"),
}  # fmt: skip


@SITE.get("/devices")
def devices(visit: Visit) -> Screen:
    """All devices by room or kind, or those that match the search and filters."""
    db = visit.db
    words, only, kind = visit.query("q").strip()[:100], visit.query("only"), visit.query("kind")
    by = "kind" if visit.query("by") == "kind" else ""
    kind = kind if kind in KINDS else ""
    only = only if only in _FILTERS else ""
    where = " AND ".join([_FILTERS[only][1] if only else "1", "d.kind = ?" if kind else "1"])
    matches = matching(db, words, where, *([kind] if kind else []))
    if by:
        matches.sort(key=lambda row: list(KINDS).index(row["kind"]))
    pages = max(-(-len(matches) // _PAGE), 1)
    page = min(visit.page(), pages)
    shown_now = matches[(page - 1) * _PAGE : page * _PAGE]
    keep = {"only": only, "kind": kind, "by": by}
    to = SITE.url("/devices", q=words, page=page if page > 1 else "", **keep)
    results = join([
        parts.text(f"{len(matches)} {'device' if len(matches) == 1 else 'devices'}", "muted small"),
        join(_groups(db, shown_now, by, to)) if matches
        else parts.empty("search", "No device found", "Try other words."),
        parts.pager(SITE.url("/devices"), page, pages, q=words, **keep),
    ])  # fmt: skip
    chips = [("All", SITE.url("/devices", kind=kind, by=by), not only)]
    chips += [
        (name, SITE.url("/devices", only=key, kind=kind, by=by), key == only) for key, (name, _) in _FILTERS.items()
    ]
    body = join([
        parts.search_box(SITE.url("/devices"), words, "Search devices", **keep),
        parts.chips(chips),
        parts.live(results),
    ])  # fmt: skip
    actions = [
        parts.bar_link(SITE.url("/devices", only=only, kind=kind, by="" if by else "kind"),
                       "Group by room" if by else "Group by kind", "list"),
        parts.bar_link("#kinds", "Choose kind", "filter"),
    ]  # fmt: skip
    here = set(db.column("SELECT DISTINCT kind FROM devices"))
    items = [parts.menu_link(SITE.url("/devices", only=only, by=by), "All kinds", "list")]
    items += [
        parts.menu_link(SITE.url("/devices", only=only, kind=key, by=by), device_kind.plural, device_kind.icon)
        for key, device_kind in KINDS.items()
        if key in here
    ]
    subtitle = KINDS[kind].plural if kind else ""
    fab = parts.fab(SITE.url("/devices/new"), "Add device")
    sheets = [parts.menu("kinds", "Which kind?", items)]
    return Screen("Devices", body, tab="devices", subtitle=subtitle, actions=actions, sheets=sheets, fab=fab)


@SITE.get("/d/{number:int}")
def device(visit: Visit, number: int) -> Screen:
    """A device: its state, its controls, its activity."""
    db = visit.db
    row = find(visit, number)
    kind, traits, degrees = KINDS[row["kind"]], state(db, number), fahrenheit(db)
    controls, sheets = _controls(row, traits, degrees)
    reads = [
        (trait.label, shown(trait, traits.get(trait.key, ""), fahrenheit=degrees))
        for trait in kind.traits
        if trait.form == "read"
    ]
    body = join([
        parts.hero(summary(row["kind"], traits, bool(row["online"]), degrees), f"{kind.title} · {row['room_name']}"),
        parts.card(parts.facts(reads)) if reads else Html(),
        _past(number) if "temperature" in traits else Html(),
        controls if row["online"] else parts.notice("This device does not answer. Check its power and the network."),
        _schedules(db, row) if controls else Html(),
        _energy(db, row),
        _recent(db, number),
        parts.section("About", parts.card(parts.facts(_about(row)))),
    ])  # fmt: skip
    heart = "Remove from favourites" if row["favourite"] else "Add to favourites"
    actions = [
        parts.icon_button(SITE.url(f"/d/{number}/favourite"), heart, "heart", on=bool(row["favourite"])),
        parts.bar_link("#more", "More options", "more"),
    ]
    items = [
        parts.menu_link(SITE.url(f"/d/{number}/edit"), "Rename or move", "edit"),
        parts.menu_link(SITE.url("/activity", device=number), "All activity", "list"),
        parts.menu_link("#remove", "Remove device", "trash"),
    ]
    if row["firmware"] != row["newest"]:
        items.insert(1, parts.menu_button(SITE.url(f"/d/{number}/update"), f"Update to {row['newest']}", "chip"))
    if row["battery"] is not None:
        items.insert(1, parts.menu_button(SITE.url(f"/d/{number}/battery"), "Battery replaced", "battery"))
    words = "It leaves all scenes, schedules and automations, and its history is deleted."
    sheets += [
        parts.menu("more", row["name"], items),
        parts.confirm("remove", f"Remove {row['name']}?", words, SITE.url(f"/d/{number}/remove"), "Remove for good"),
    ]
    return Screen(row["name"], body, back=SITE.url("/devices"), actions=actions, sheets=sheets)


@SITE.post("/d/{number:int}/set")
def set_trait(visit: Visit, number: int) -> Go:
    """Sets one trait of a device."""
    row = find(visit, number)
    trait = KINDS[row["kind"]].trait(visit.form("trait"))
    value = visit.form("value") or visit.form("on")
    if trait is None or not accepts(trait, value):
        raise Gone
    return _told(visit, row, trait, value)


@SITE.post("/d/{number:int}/step")
def step(visit: Visit, number: int) -> Go:
    """Increases or decreases a trait by one step."""
    row = find(visit, number)
    trait = KINDS[row["kind"]].trait(visit.form("trait"))
    by = visit.number("by")
    if trait is None or trait.form != "step" or by not in (-1, 1):
        raise Gone
    now = int(state(visit.db, number).get(trait.key, trait.low))
    return _told(visit, row, trait, str(min(max(now + by * trait.step, trait.low), trait.high)))


@SITE.post("/d/{number:int}/favourite")
def favourite(visit: Visit, number: int) -> Go:
    """Adds a device to the first screen or removes it."""
    row = find(visit, number)
    visit.db.run("UPDATE devices SET favourite = ? WHERE id = ?", 1 - row["favourite"], number)
    return Go(SITE.url(f"/d/{number}"), "Favourites changed", undo=True)


@SITE.post("/d/{number:int}/update")
def update(visit: Visit, number: int) -> Go:
    """Installs the latest firmware on a device."""
    row = find(visit, number)
    if row["firmware"] != row["newest"]:
        install(visit.db, row)
    return Go(_back(visit, number), f"{row['name']} is up to date", undo=True)


@SITE.post("/d/{number:int}/battery")
def battery(visit: Visit, number: int) -> Go:
    """Records that the battery was replaced."""
    row = find(visit, number)
    if row["battery"] is None:
        raise Gone
    if row["battery"] < 100:
        visit.db.run("UPDATE devices SET battery = 100 WHERE id = ?", number)
        log(visit.db, f"{row['name']}: battery replaced", number)
    return Go(_back(visit, number), f"Battery of {row['name']} is new", undo=True)


@SITE.post("/d/{number:int}/remove")
def remove(visit: Visit, number: int) -> Go:
    """Removes a device from the home."""
    row = find(visit, number)
    visit.db.run("DELETE FROM devices WHERE id = ?", number)
    log(visit.db, f"{row['name']} was removed")
    return Go(SITE.url("/devices"), f"{row['name']} removed", undo=True)


def find(visit: Visit, number: int) -> sqlite3.Row:
    """A device with the name of its room. Raises `Gone` if there is none."""
    row = visit.db.row(DEVICES.format("d.id = ?"), number)
    if row is None:
        raise Gone
    return row


def install(db: Database, row: sqlite3.Row) -> None:
    """Updates the firmware of a device."""
    db.run("UPDATE devices SET firmware = newest WHERE id = ?", row["id"])
    log(db, f"{row['name']}: updated to {row['newest']}", row["id"])


def _told(visit: Visit, row: sqlite3.Row, trait: Trait, value: str) -> Go:
    href = _back(visit, row["id"])
    if not row["online"]:
        return Go(href, f"{row['name']} does not answer")
    tell(visit.db, row, trait.key, value)
    return Go(href, f"{row['name']}: {action_words(row['kind'], trait.key, value)}", undo=True)


def _back(visit: Visit, number: int) -> str:
    """The page on which a quick button was pressed; only pages with lists of devices have them."""
    to = visit.form("to")
    known = re.fullmatch(r"/smart-home/(devices|batteries|updates|rooms/[0-9]+)(\?[\w=&%+.-]*)?", to, re.ASCII)
    return to if known else SITE.url(f"/d/{number}")


def _groups(db: Database, found: list[sqlite3.Row], by: str, to: str) -> list[Html]:
    groups: dict[str, list[sqlite3.Row]] = {}
    for row in found:
        groups.setdefault(KINDS[row["kind"]].plural if by else row["room_name"], []).append(row)
    return [parts.section(title, device_rows(db, rows, to, rooms=bool(by))) for title, rows in groups.items()]


def _controls(row: sqlite3.Row, traits: dict[str, str], degrees: bool) -> tuple[Html, list[Html]]:
    """The controls of a device in the order of its traits, and the sheets that they open."""
    controls: list[Html] = []
    sheets: list[Html] = []
    lines: list[Html] = []
    action = SITE.url(f"/d/{row['id']}/set")
    for trait in KINDS[row["kind"]].traits:
        value = traits.get(trait.key, "")
        if trait.form == "switch":
            note = shown(trait, value)
            lines.append(parts.switch_row(action, trait.label, value == "1", note=note, trait=trait.key))
        elif trait.form == "mode":
            lines.append(parts.row(f"#set-{trait.key}", trait.label, meta=value, lead=icon("settings")))
        elif trait.form == "step":
            controls.append(
                parts.stepper(
                    SITE.url(f"/d/{row['id']}/step"), trait.label, shown(trait, value, fahrenheit=degrees),
                    trait=trait.key,
                )
            )  # fmt: skip
            lines.append(parts.row(f"#set-{trait.key}", f"Choose {trait.label.lower()}", lead=icon("list"),
                                   meta=shown(trait, value, fahrenheit=degrees)))  # fmt: skip
        if trait.form in ("mode", "step"):
            items = [
                parts.menu_button(
                    action, f"{trait.label} {shown(trait, choice, fahrenheit=degrees)}",
                    "check" if choice == value else "settings", trait=trait.key, value=choice,
                )
                for choice in values(trait)
            ]  # fmt: skip
            sheets.append(parts.menu(f"set-{trait.key}", trait.label, items))
    if not lines:
        return Html(), sheets
    steppers = parts.card(*controls) if controls else Html()
    # The main control comes first, then the steppers, then the rest.
    head = 1 if KINDS[row["kind"]].traits[0].form == "switch" else 0
    first, others = lines[:head], lines[head:]
    return parts.section("Controls", *([parts.rows(first)] if first else []), steppers, parts.rows(others)), sheets


def _schedules(db: Database, row: sqlite3.Row) -> Html:
    rows = [
        parts.row(
            SITE.url(f"/schedules/{schedule['id']}"), schedule_words(row["kind"], schedule),
            lead=icon("clock"), meta="" if schedule["enabled"] else "Paused",
            style="" if schedule["enabled"] else "off",
        )
        for schedule in db.rows("SELECT * FROM schedules WHERE device = ? ORDER BY time, days, id", row["id"])
    ]  # fmt: skip
    scenes = db.column(
        "SELECT DISTINCT s.name FROM scene_actions a JOIN scenes s ON s.id = a.scene WHERE a.device = ? ORDER BY s.id",
        row["id"],
    )
    used = parts.text(f"Part of: {', '.join(scenes)}", "muted small") if scenes else Html()
    new = parts.link(SITE.url("/schedules/new", device=row["id"]), "Add schedule", symbol="plus", style="quiet slim")
    return parts.section("Schedules", parts.rows(rows) if rows else parts.text("None yet", "muted"), used, new)


def schedule_words(kind: str, row: sqlite3.Row) -> str:
    """A schedule in words: `07:10 Turn on, Weekdays`."""
    return f"{row['time']} {action_words(kind, row['trait'], row['value'])}, {day_words(row['days'])}"


def _energy(db: Database, row: sqlite3.Row) -> Html:
    months = db.rows("SELECT month, wh FROM energy_months WHERE device = ? ORDER BY month DESC LIMIT 6", row["id"])
    if not months:
        return Html()
    bars = [
        (f"{month['month'][5:]}/{month['month'][2:4]}", float(month["wh"]), kwh(month["wh"]))
        for month in reversed(months)
    ]
    words = f"{kwh(months[0]['wh'])} this month so far, {kwh(months[1]['wh'])} last month" if len(months) > 1 else ""
    return parts.section(
        "Energy used", parts.card(parts.bars(bars), parts.text(words, "muted small")),
        more=SITE.url(f"/energy/device/{row['id']}"), more_name="Energy history",
    )  # fmt: skip


def _past(number: int) -> Html:
    return parts.link(SITE.url(f"/d/{number}/history"), "Temperature history", symbol="chart", style="quiet slim")


def _recent(db: Database, number: int) -> Html:
    entries = db.rows("SELECT * FROM activity WHERE device = ? ORDER BY time DESC, id DESC LIMIT 5", number)
    rows = [
        parts.row("", entry["who"], note=entry["text"], meta=_when(db, entry["time"]), style="plain")
        for entry in entries
    ]
    return parts.section("Recent activity", parts.rows(rows)) if rows else Html()


def _when(db: Database, time: str) -> str:
    moment = datetime.fromisoformat(time)
    words = formats.when(moment, db.now)
    return words if moment.date() == db.now.date() else f"{words} {moment:%H:%M}"


def _about(row: sqlite3.Row) -> list[tuple[str, str | Html]]:
    facts: list[tuple[str, str | Html]] = [
        ("Model", row["model"]),
        ("Serial number", row["serial"]),
        ("In the home since", formats.day(date.fromisoformat(row["installed"]))),
        (
            "Firmware",
            row["firmware"] if row["firmware"] == row["newest"] else f"{row['firmware']} ({row['newest']} is out)",
        ),
    ]
    if row["battery"] is not None:
        facts.append(("Battery", f"{row['battery']} %"))
    return facts
