"""The smart home by itself: devices, routines, people, energy, and the homes that it is filled with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fairground.worlds import Fill, Tap
from fairground_pocket.kit import PROFILES, Database, Hand, Phone
from fairground_pocket.kit.changes import touched
from fairground_pocket.kit.serving import Request
from fairground_pocket.smarthome import SmartHome
from fairground_pocket.smarthome.kinds import KINDS, action_words, actions, shown, values
from fairground_pocket.smarthome.store import accepts, clock_fault, day_words, energy, months

pytestmark = pytest.mark.conformance

PROFILE = "mateo-medellin"


@pytest.fixture
def phone() -> Iterator[Phone]:
    app = SmartHome()
    made = Phone([app.site], "paper", lambda _: app.content(PROFILE))
    yield made
    made.close()


@pytest.fixture
def db(phone: Phone) -> Database:
    return phone.database("smart-home")


@pytest.fixture
def hand(phone: Phone) -> Hand:
    return Hand(phone.respond, "/smart-home/")


def one(db: Database, kind: str) -> tuple[int, str]:
    """A device of a kind that can be reached."""
    row = db.row("SELECT id, name FROM devices WHERE kind = ? AND online = 1 ORDER BY id LIMIT 1", kind)
    assert row is not None
    return row["id"], row["name"]


def value(db: Database, device: int, trait: str) -> str:
    return str(db.one("SELECT value FROM traits WHERE device = ? AND name = ?", device, trait))


def sent(phone: Phone, path: str, **fields: str) -> int:
    """What a form answers that no page of the app would send."""
    form = {name: [text] for name, text in fields.items()}
    return phone.respond(Request("POST", f"/smart-home{path}", {}, form)).status


def test_nothing_can_be_told_to_a_device_that_it_does_not_know(phone: Phone, db: Database) -> None:
    light, _ = one(db, "light")
    before = db.dump()
    for trait, wrong in (("brightness", "101"), ("brightness", "-5"), ("colour", "Plaid"), ("locked", "1"), ("x", "1")):
        assert sent(phone, f"/d/{light}/set", trait=trait, value=wrong) == 404
    assert sent(phone, f"/d/{light}/step", trait="colour", by="1") == 404
    assert sent(phone, "/d/99999/set", trait="power", value="1") == 404
    assert sent(phone, "/mode", mode="party") == 404
    assert not touched(before, db.dump())


def test_a_device_that_cannot_be_reached_stays_as_it_is(phone: Phone, db: Database) -> None:
    light, _ = one(db, "light")
    db.run("UPDATE devices SET online = 0 WHERE id = ?", light)
    now = value(db, light, "power")
    assert sent(phone, f"/d/{light}/set", trait="power", value=str(1 - int(now))) == 303
    assert value(db, light, "power") == now


def test_less_and_more_stop_at_the_ends(hand: Hand, db: Database) -> None:
    number, name = one(db, "light")
    db.run("UPDATE traits SET value = '90' WHERE device = ? AND name = 'brightness'", number)
    open_light = [Tap("Devices"), Fill("Search devices", name), Tap(name)]
    hand.play([*open_light, *[Tap("More Brightness")] * 4])
    assert value(db, number, "brightness") == "100"


def test_what_a_device_is_told_is_noted_down_once_and_can_be_undone(hand: Hand, db: Database) -> None:
    number, name = one(db, "light")
    db.run("UPDATE traits SET value = '30' WHERE device = ? AND name = 'brightness'", number)
    before = db.one("SELECT count(*) FROM activity")
    choose = [Tap("Choose brightness"), Tap("Brightness 70 %")]
    hand.play([Tap("Devices"), Fill("Search devices", name), Tap(name), *choose, *choose])
    assert db.one("SELECT count(*) FROM activity") == before + 1, "what holds already is no news"
    hand.play([Tap("Choose brightness"), Tap("Brightness 20 %"), Tap("Undo")])
    assert value(db, number, "brightness") == "70" and db.one("SELECT count(*) FROM activity") == before + 1


def test_a_scene_does_all_that_it_says_to_what_can_be_reached(hand: Hand, db: Database) -> None:
    hand.play([Tap("Routines"), Tap("Run Good night")])
    left = db.one(
        "SELECT count(*) FROM scene_actions a JOIN scenes s ON s.id = a.scene JOIN devices d ON d.id = a.device "
        "JOIN traits t ON t.device = a.device AND t.name = a.trait WHERE s.name = 'Good night' AND t.value != a.value "
        "AND d.online = 1"
    )
    assert left == 0


def test_a_schedule_is_refused_without_a_time_or_days_and_when_it_exists(hand: Hand, db: Database) -> None:
    _, name = one(db, "plug")
    count = db.one("SELECT count(*) FROM schedules")
    start = [Tap("Routines"), Tap("Schedules"), Tap("New schedule"), Fill("Search for a device", name), Tap(name)]
    hand.play([*start, Tap("Action"), Tap("Turn on"), Fill("Time", "25:10"), Tap("Save")])
    assert "Write the time like 07:30" in hand.page.html and "Choose days" in hand.page.html
    hand.play([Fill("Time", "04:05"), Tap("Monday"), Tap("Save")])
    assert db.one("SELECT count(*) FROM schedules") == count + 1
    again = [Tap("Home screen"), Tap("Smart Home"), *start, Tap("Action"), Tap("Turn on"), Fill("Time", "04:05")]
    hand.play([*again, Tap("Monday"), Tap("Save")])
    assert "There is such a schedule already" in hand.page.html
    assert db.one("SELECT count(*) FROM schedules") == count + 1


def test_an_automation_needs_what_sets_it_off(hand: Hand, db: Database) -> None:
    _, name = one(db, "light")
    start = [Tap("Routines"), Tap("Automations"), Tap("New automation"), Fill("Search for a device", name), Tap(name)]
    hand.play([*start, Fill("Name", "At dusk"), Tap("People come or go"), Tap("Action"), Tap("Turn on"), Tap("Save")])
    assert "Choose whether people come or go" in hand.page.html
    hand.play([Tap("Coming or going"), Tap("The last person leaves"), Tap("Save")])
    row = db.row("SELECT * FROM automations WHERE name = 'At dusk'")
    assert row is not None and (row["trigger"], row["event"], row["sensor"]) == ("presence", "leave", None)


def test_a_guest_needs_an_end_and_the_owner_cannot_be_removed(hand: Hand, phone: Phone, db: Database) -> None:
    invite = [
        Tap("More"),
        Tap("Members"),
        Tap("Invite somebody"),
        Fill("Name", "Nadia"),
        Fill("Email address", "n@x.org"),
    ]
    hand.play([*invite, Tap("Guest"), Tap("Invite")])
    assert "Choose when a guest" in hand.page.html
    assert sent(phone, "/members/1/remove") == 404
    assert db.one("SELECT role FROM members WHERE id = 1") == "owner"


def test_a_door_code_is_checked(hand: Hand, db: Database) -> None:
    taken = db.row("SELECT name, code FROM codes ORDER BY id LIMIT 1")
    assert taken is not None
    form = [
        Tap("More"),
        Tap("Door codes"),
        Tap("New code"),
        Fill("Who is it for?", taken["name"]),
        Fill("Code", "12 34"),
    ]
    hand.play([*form, Fill("From", "18:00"), Fill("Until", "09:00"), Tap("Save")])
    for words in ("It has six digits", "There is a code of this name", "Choose lock", "Choose first day", "not after"):
        assert words in hand.page.html, words


def test_a_room_with_devices_stays(hand: Hand, db: Database) -> None:
    count = db.one("SELECT count(*) FROM rooms")
    hand.play([Tap("All rooms"), Tap("Barn"), Tap("Edit room"), Tap("Delete room"), Tap("Delete for good")])
    assert "Move its devices elsewhere first" in hand.page.html and db.one("SELECT count(*) FROM rooms") == count


def test_a_removed_device_leaves_nothing_behind(hand: Hand, db: Database) -> None:
    row = db.row("SELECT d.id, d.name FROM devices d JOIN scene_actions a ON a.device = d.id ORDER BY d.id LIMIT 1")
    assert row is not None
    find = [Tap("Devices"), Fill("Search devices", row["name"]), Tap(row["name"])]
    hand.play([*find, Tap("More options"), Tap("Remove device"), Tap("Remove for good")])
    for table in ("traits", "scene_actions", "schedules", "energy_months", "readings"):
        assert db.one(f"SELECT count(*) FROM {table} WHERE device = ?", row["id"]) == 0
    assert db.rows("PRAGMA foreign_key_check") == []


def test_fahrenheit_changes_what_is_shown_and_not_what_is_kept(hand: Hand, db: Database) -> None:
    number, name = one(db, "thermostat")
    db.run("UPDATE traits SET value = '200' WHERE device = ? AND name = 'target'", number)
    hand.play([Tap("More"), Tap("Settings"), Tap("Fahrenheit"), Tap("Home screen"), Tap("Smart Home")])
    hand.play([Tap("Devices"), Fill("Search devices", name), Tap(name)])
    assert "68.0 °F" in hand.page.html and value(db, number, "target") == "200"


@pytest.mark.parametrize("profile", PROFILES)
def test_every_home_is_large_and_adds_up(profile: str) -> None:
    db = Database(SmartHome().content(profile))
    assert db.one("SELECT count(*) FROM devices") >= 60
    assert db.one("SELECT count(DISTINCT kind) FROM devices") >= 15
    last = months(db)[1]
    wrong = db.one(
        "SELECT count(*) FROM energy_months m WHERE m.month = ? AND m.wh != "
        "(SELECT sum(d.wh) FROM energy_days d WHERE d.device = m.device AND substr(d.day, 1, 7) = m.month)",
        last,
    )
    assert wrong == 0, "the days of a month add up to the month"
    total = db.one("SELECT sum(wh) FROM energy_months WHERE month = ?", last)
    for by in ("device", "room", "kind"):
        assert sum(wh for *_, wh in energy(db, last, by)) == total
    for table, columns in (("traits", "name, value"), ("schedules", "trait, value"), ("scene_actions", "trait, value")):
        for kind, trait, now in db.rows(f"SELECT d.kind, {columns} FROM {table} x JOIN devices d ON d.id = x.device"
                                        .replace("name, value", "x.name, x.value")):  # fmt: skip
            known = KINDS[kind].trait(trait)
            assert known is not None and (known.form == "read" or accepts(known, now)), (table, kind, trait, now)
    db.close()


def test_every_value_that_can_be_chosen_is_accepted_and_called_by_its_own_name() -> None:
    for kind in KINDS.values():
        words = [text for _, text in actions(kind.key)]
        assert len(words) == len(set(words)), kind.key
        for trait in kind.traits:
            assert all(accepts(trait, one) for one in values(trait))
    assert action_words("lock", "locked", "0") == "Unlock"
    target = KINDS["thermostat"].trait("target")
    assert target is not None and shown(target, "215") == "21.5 °C"


def test_times_and_days_in_words() -> None:
    assert clock_fault("07:30") is None
    assert all(clock_fault(text) for text in ("7:30", "24:00", "12:60", "ab:cd", "", "1²:00"))
    assert [day_words(days) for days in ("1111100", "0000011", "1001000")] == ["Weekdays", "Weekends", "Mon, Thu"]


@pytest.mark.parametrize("profile", PROFILES)
def test_every_routine_does_what_its_form_offers_so_that_it_can_be_edited(profile: str) -> None:
    database = Database(SmartHome().content(profile))
    for table in ("schedules", "scene_actions", "automations"):
        for row in database.rows(f"SELECT x.*, d.kind FROM {table} x JOIN devices d ON d.id = x.device"):
            assert f"{row['trait']}:{row['value']}" in dict(actions(row["kind"])), (table, row["id"])
    database.close()
