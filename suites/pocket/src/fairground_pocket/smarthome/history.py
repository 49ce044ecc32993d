"""The history of a profile's home: energy by month and day, hourly temperatures, activity, alerts."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import Final

from fairground_pocket.kit import Cast, Database, Draw
from fairground_pocket.smarthome.kinds import KINDS, Kind, action_words, event_words, values

_MONTHS: Final = 12
_EVENTS: Final = 620
_HOURS: Final = 54
_ALERTS: Final = (
    ("leak", "safety", "Water found by {name}", "The sensor reports water on the floor. Look for a leak."),
    ("smoke", "safety", "Test of {name} is due", "The monthly test has not been made yet."),
    ("smoke", "safety", "Smoke near {name}", "The alarm went off for 40 seconds and then fell silent."),
    ("motion", "security", "Motion at {name} while away", "Somebody moved while nobody was at home."),
    ("contact", "security", "{name} was left open", "It has been open for more than 20 minutes."),
    ("lock", "security", "Wrong code at {name}", "Three wrong codes were entered within a minute."),
    ("camera", "security", "Person seen by {name}", "A clip of 18 seconds was kept."),
    ("doorbell", "security", "Nobody answered {name}", "Somebody rang twice; a clip was kept."),
    ("lock", "battery", "Battery of {name} is getting low", "Have new batteries ready."),
    ("climate", "battery", "Battery of {name} will last two weeks", "Have new batteries ready."),
    ("thermostat", "device", "{name} could not reach its target", "Is a window open?"),
    ("washer", "device", "{name} has finished", "Take the laundry out before it creases."),
    ("vacuum", "device", "{name} is stuck", "Lift it up and clean its brush."),
    ("fridge", "device", "Door of {name} was open", "It was open for four minutes."),
    ("plug", "device", "{name} went over its power limit", "It was turned off for a minute."),
    ("camera", "device", "{name} lost its connection", "It was gone for eleven minutes."),
)


def fill(db: Database, cast: Cast, draw: Draw) -> None:
    """Writes energy, temperatures, activity and alerts."""
    _energy(db, cast, draw)
    _readings(db, cast, draw)
    _activity(db, cast, draw)
    _alerts(db, cast, draw)


def _energy(db: Database, cast: Cast, draw: Draw) -> None:
    """Twelve full months and the current one. The daily values of the last two months add up to their months."""
    today = cast.now.date()
    this = today.replace(day=1)
    last = (this - timedelta(days=1)).replace(day=1)
    months: list[tuple[int, str, int]] = []
    days: list[tuple[int, str, int]] = []
    for row in db.rows("SELECT id, kind FROM devices ORDER BY id"):
        low, high = KINDS[row["kind"]].daily
        if not high:
            continue
        share = 0.5 + draw.share()
        totals: dict[str, int] = {}
        for number in range((today - last).days):
            day = last + timedelta(days=number)
            tenths = round(draw.integer(low, high) * share)
            days.append((row["id"], day.isoformat(), tenths * 100))
            totals[f"{day:%Y-%m}"] = totals.get(f"{day:%Y-%m}", 0) + tenths * 100
        at = last
        for _ in range(_MONTHS - 1):
            at = (at - timedelta(days=1)).replace(day=1)
            season = 1 + 0.35 * math.cos((at.month - 1) / 12 * 2 * math.pi) if row["kind"] in _SEASONAL else 1
            totals[f"{at:%Y-%m}"] = round(30 * share * season * (low + high) / 2 * (0.8 + 0.4 * draw.share())) * 100
        months.extend((row["id"], month, wh) for month, wh in totals.items())
    db.many("INSERT INTO energy_months VALUES (?, ?, ?)", sorted(months))
    db.many("INSERT INTO energy_days VALUES (?, ?, ?)", days)


_SEASONAL: Final = ("thermostat", "heater", "light")


def _readings(db: Database, cast: Cast, draw: Draw) -> None:
    """A temperature per hour; the last one equals the device's current value."""
    start = cast.now.replace(minute=0, second=0)
    for device, now in db.rows(
        "SELECT device, CAST(value AS INTEGER) FROM traits WHERE name = 'temperature' ORDER BY device"
    ):
        value = now
        for back in range(_HOURS):
            moment: datetime = start - timedelta(hours=back)
            db.run("INSERT INTO readings VALUES (?, ?, ?)", device, moment.isoformat(), value)
            value += draw.integer(-4, 4) + (1 if 8 < moment.hour < 18 else -1)


def _activity(db: Database, cast: Cast, draw: Draw) -> None:
    people = [(row["name"], 6.0 if row["role"] == "owner" else 2.0) for row in db.rows(
        "SELECT name, role FROM members WHERE status = 'active' ORDER BY id")]  # fmt: skip
    devices = db.rows("SELECT id, kind, name FROM devices ORDER BY id")
    # Doors are used more often than ovens.
    weights = [(row, 5.0 if row["kind"] in ("lock", "contact", "motion") else 1.0) for row in devices]
    minutes = sorted(draw.sample(range(12, 15 * 24 * 60), _EVENTS), reverse=True)
    rows = []
    for back in minutes:
        row = draw.weighted(weights)
        kind = KINDS[row["kind"]]
        if kind.events:
            who, text = "Sensor", f"{row['name']} {_noticed(draw, kind)}"
        else:
            trait = draw.choice([candidate for candidate in kind.traits[:2] if candidate.form != "read"])
            value = draw.choice(values(trait))
            who = draw.weighted(people) if draw.chance(0.75) else "Schedule"
            text = f"{row['name']}: {action_words(kind.key, trait.key, value)}"
        rows.append(((cast.now - timedelta(minutes=back)).isoformat(), row["id"], who, text))
    db.many("INSERT INTO activity (time, device, who, text) VALUES (?, ?, ?, ?)", rows)


def _noticed(draw: Draw, kind: Kind) -> str:
    """What a sensor reports on a normal day; most sensors only test themselves."""
    if kind.key == "climate":
        return f"reports {draw.integer(34, 68)} % humidity"
    return event_words(kind.key, draw.choice(kind.events)[0]) if kind.key in ("motion", "contact") else "tested itself"


def _alerts(db: Database, cast: Cast, draw: Draw) -> None:
    """Alerts with unique titles, so that each can be identified."""
    titles: set[str] = set()
    rows = []
    for number in range(44):
        kind, group, title, text = _ALERTS[number % len(_ALERTS)]
        device = draw.choice(db.rows("SELECT id, name FROM devices WHERE kind = ? ORDER BY id", kind) or [None])
        if device is None or title.format(name=device["name"]) in titles:
            continue
        titles.add(title.format(name=device["name"]))
        rows.append((device["id"], group, title.format(name=device["name"]), text))
    rows = draw.shuffled(rows)
    minutes = sorted(draw.sample(range(25, 21 * 24 * 60), len(rows)), reverse=True)
    for place, (back, (device, group, title, text)) in enumerate(zip(minutes, rows, strict=True)):
        old = place < len(rows) - 12
        db.insert(
            "alerts", time=(cast.now - timedelta(minutes=back)).isoformat(), device=device, kind=group, title=title,
            text=text, handled=int(old and draw.chance(0.85)), seen=int(old),
        )  # fmt: skip
