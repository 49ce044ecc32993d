"""Shared by the tasks of the smart home: queries for devices that can be identified uniquely, and routes to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.kit import Add, Change, Database, Expect, Known

AGAIN: Final[list[Move]] = [Tap("Home screen"), Tap("Smart Home")]
"""From any screen back to the first one."""

NTH: Final = {f"no-{number + 1}": number for number in range(10)}
"""A domain of ten positions that the instruction does not mention."""

LOGGED: Final = Add("activity", "device = :device_id", at_most=None)
"""Allows any number of log entries about `device`."""

NOTED: Final = Add("activity", "device IS NULL")
"""Allows one log entry that is about no device."""

MONTH: Final = "SELECT DISTINCT month FROM energy_months ORDER BY month DESC LIMIT 1 OFFSET :back"
"""The month that is `back` months ago."""

_NAMES: Final = (
    "trim(substr('January  February March    April    May      June     July     August   SeptemberOctober  November "
    "December ', (CAST(substr({0}, 6, 2) AS INTEGER) - 1) * 9 + 1, 9)) || ' ' || substr({0}, 1, 4)"
)
MONTH_NAME: Final = f"SELECT {_NAMES.format(':month')}"
"""The fact `month` in words."""


def devices(where: str, nth: str = ":nth", columns: str = "d.id, d.name, d.kind") -> str:
    """SQL for the nth reachable device that meets a condition; nth wraps around."""
    source = f"FROM devices d JOIN rooms r ON r.id = d.room WHERE d.online = 1 AND ({where})"
    # Serial numbers are random, so this order differs between homes and favours no device.
    return (
        f"SELECT {columns}, r.name AS room {source} ORDER BY d.serial LIMIT 1 "
        f"OFFSET ({nth}) % max((SELECT count(*) {source}), 1)"
    )


def spoken_day(fact: str) -> str:
    """SQL for an ISO day in words: `14 March 2025`."""
    return f"SELECT CAST(substr(:{fact}, 9) AS INTEGER) || ' ' || {_NAMES.format(f':{fact}')}"


def of(kind: str, nth: str = ":nth") -> str:
    """SQL for the nth device of a kind."""
    return devices(f"d.kind = '{kind}'", nth)


def has(trait: str, test: str) -> str:
    """A condition for `devices` on the value of a trait, such as `= '1'`."""
    return f"EXISTS (SELECT 1 FROM traits t WHERE t.device = d.id AND t.name = '{trait}' AND t.value {test})"


def becomes(name: str, trait: str, value: Any, device: str = "device") -> Expect:
    """Expects a trait of the task's device to have this value afterwards."""
    return Expect(name, f"SELECT value FROM after.traits WHERE device = :{device}_id AND name = '{trait}'", value)


def turned(*traits: str, device: str = "device") -> Change:
    """Allows only these traits of the device to change."""
    names = ", ".join(f"'{trait}'" for trait in traits)
    return Change("traits", ("value",), f"device = :{device}_id AND name IN ({names})")


def preset(device: str = "device", **traits: str) -> Callable[[Database, Known], None]:
    """Sets traits of a device of `given` before the episode; texts have placeholders."""

    def inject(db: Database, known: Known) -> None:
        for name, value in traits.items():
            number = getattr(known, device).id
            db.run("UPDATE traits SET value = ? WHERE device = ? AND name = ?", known.fill(value), number, name)

    return inject


def open_device(name: str) -> list[Move]:
    """From the first screen to a device, by search."""
    return [Tap("Devices"), Fill("Search devices", name), Tap(name)]


def pick(name: str) -> list[Move]:
    """Picks a device for a routine."""
    return [Fill("Search for a device", name), Tap(name)]


def lookup(data: Database, sql: str, *values: Any) -> Any:
    """A row that must exist."""
    row = data.row(sql, *values)
    assert row is not None, sql
    return row
