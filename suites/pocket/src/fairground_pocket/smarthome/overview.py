"""The first screen: state of the home, favourite devices, rooms; and the page with all other links."""

from __future__ import annotations

from fairground_pocket.kit import Database, Go, Gone, Html, Screen, Visit, icon, join, parts
from fairground_pocket.smarthome.kinds import KINDS, shown
from fairground_pocket.smarthome.listing import quick_name
from fairground_pocket.smarthome.schema import MODES, SITE
from fairground_pocket.smarthome.store import DEVICES, fahrenheit, log, states, summary


@SITE.get("/")
def overview(visit: Visit) -> Screen:
    """The first screen: mode, safety warning, favourite devices, scenes and rooms."""
    db = visit.db
    mode = next(entry for entry in MODES if entry[0] == db.setting("mode"))
    present = db.one("SELECT count(*) FROM members WHERE present = 1")
    words = f"{mode[1]} mode · {present} {'person' if present == 1 else 'people'} in"
    body = join([
        parts.hero(db.setting("home"), words),
        parts.side_by_side(
            parts.link("#mode", "Change mode", symbol="shield", style="slim quiet"),
            parts.link(SITE.url("/rooms"), "All rooms", symbol="home", style="slim quiet"),
        ),
        _warning(db),
        _favourites(db),
        _scenes(db),
        _rooms(db),
    ])  # fmt: skip
    items = [
        parts.menu_button(SITE.url("/mode"), f"Set {name} mode", symbol, note=note, mode=key)
        for (key, name, note), symbol in zip(MODES, ("home", "shield", "moon"), strict=True)
        if key != mode[0]
    ]
    actions = [
        parts.bar_link(SITE.url("/alerts"), "Alerts", "bell", count=unseen(db)),
        parts.bar_link(SITE.url("/devices/new"), "Add device", "plus"),
    ]
    sheet = parts.menu("mode", f"{mode[1]} mode is on", items)
    return Screen("Smart Home", body, tab="overview", subtitle=db.setting("home_kind"), actions=actions, sheets=[sheet])


@SITE.post("/mode")
def set_mode(visit: Visit) -> Go:
    """Sets the home's mode: at home, away or asleep."""
    name = next((name for key, name, _ in MODES if key == visit.form("mode")), None)
    if name is None:
        raise Gone
    if visit.db.setting("mode") != visit.form("mode"):
        visit.db.set("mode", visit.form("mode"))
        log(visit.db, f"{name} mode was set")
    return Go(SITE.url("/"), f"{name} mode is on", undo=True)


@SITE.get("/more")
def more(visit: Visit) -> Screen:
    """Links to everything without its own tab."""
    db = visit.db
    low = db.one("SELECT count(*) FROM devices WHERE battery < 20")
    updates = db.one("SELECT count(*) FROM devices WHERE firmware != newest")
    away = db.one("SELECT count(*) FROM devices WHERE online = 0")
    groups = (
        ("People", (
            ("/members", "Members", "people", f"{db.one('SELECT count(*) FROM members')} people and guests"),
            ("/codes", "Door codes", "key", f"{db.one('SELECT count(*) FROM codes')} codes for guests and helpers"),
        )),
        ("What happened", (
            ("/alerts", "Alerts", "bell", f"{db.one('SELECT count(*) FROM alerts WHERE handled = 0')} open"),
            ("/activity", "Activity log", "list", "Who did what, and when"),
        )),
        ("Care", (
            ("/batteries", "Batteries", "battery", f"{low} below 20 %"),
            ("/updates", "Updates", "chip", f"{updates} devices have new firmware"),
            ("/devices?only=offline", "Not reachable", "wind", f"{away} devices"),
        )),
        ("Home", (
            ("/rooms", "Rooms", "home", f"{db.one('SELECT count(*) FROM rooms')} rooms"),
            ("/settings", "Settings", "settings", "Name, place, units, quiet hours"),
        )),
    )  # fmt: skip
    lists = [
        parts.section(
            title,
            parts.rows(
                parts.row(SITE.url(path), name, note=note, lead=icon(symbol)) for path, name, symbol, note in links
            ),
        )
        for title, links in groups
    ]  # fmt: skip
    return Screen("More", join(lists), tab="more", subtitle=db.setting("home"))


def unseen(db: Database) -> int:
    """The number of unseen alerts."""
    return int(db.one("SELECT count(*) FROM alerts WHERE seen = 0 AND handled = 0"))


def _warning(db: Database) -> Html:
    """The newest unhandled safety alert."""
    row = db.row("SELECT * FROM alerts WHERE kind = 'safety' AND handled = 0 ORDER BY time DESC LIMIT 1")
    return parts.notice(row["title"], "warning") if row is not None else Html()


def _favourites(db: Database) -> Html:
    known, degrees = states(db), fahrenheit(db)
    tiles = []
    for row in db.rows(DEVICES.format("d.favourite = 1")):
        traits = known.get(row["id"], {})
        quick = quick_name(row["kind"], traits)
        state = summary(row["kind"], traits, bool(row["online"]), degrees)
        on = quick is not None and quick[1] == "0" and quick[0] == "power" and bool(row["online"])
        tiles.append(
            parts.tile(SITE.url(f"/d/{row['id']}"), row["name"], note=state, symbol=KINDS[row["kind"]].icon, on=on)
        )
    hint = parts.text("Give a device a heart and it is shown here.", "muted")
    return parts.section("Favourites", parts.tiles(tiles) if tiles else hint)


def _scenes(db: Database) -> Html:
    rows = [
        parts.row(
            SITE.url(f"/scenes/{row['id']}"), row["name"], lead=icon(row["icon"]),
            side=parts.icon_button(SITE.url(f"/scenes/{row['id']}/run"), f"Run {row['name']}", "play", to="/"),
        )
        for row in db.rows("SELECT * FROM scenes WHERE favourite = 1 ORDER BY id")
    ]  # fmt: skip
    return parts.section("Scenes", parts.rows(rows), more=SITE.url("/routines")) if rows else Html()


def _rooms(db: Database) -> Html:
    degrees = fahrenheit(db)
    tiles = []
    for row in db.rows("SELECT * FROM rooms ORDER BY place, id"):
        warm = temperature(db, row["id"], degrees)
        on = db.one(
            "SELECT count(*) FROM devices d JOIN traits t ON t.device = d.id WHERE d.room = ? AND d.online = 1 "
            "AND t.name = 'power' AND t.value = '1'",
            row["id"],
        )
        words = [*([warm] if warm else []), f"{on} on"]
        tiles.append(
            parts.tile(SITE.url(f"/rooms/{row['id']}"), row["name"], note=" · ".join(words), symbol=row["icon"])
        )
    return parts.section("Rooms", parts.tiles(tiles))


def temperature(db: Database, room: int, degrees: bool) -> str:
    """The temperature of a room, by its thermostat or sensor; empty if it has none."""
    row = db.row(
        "SELECT d.kind, t.value FROM devices d JOIN traits t ON t.device = d.id WHERE d.room = ? "
        "AND t.name = 'temperature' ORDER BY d.id LIMIT 1",
        room,
    )
    trait = KINDS[row["kind"]].trait("temperature") if row is not None else None
    return shown(trait, row["value"], fahrenheit=degrees) if row is not None and trait is not None else ""
