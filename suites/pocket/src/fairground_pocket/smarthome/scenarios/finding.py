"""What the tasks of the smart home share: queries for devices that can be named without doubt, and the way to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.kit import Add, Change, Database, Expect, Known

AGAIN: Final[list[Move]] = [Tap("Home screen"), Tap("Smart Home")]
"""Back to the first screen, from wherever one is."""

NTH: Final = {f"no-{number + 1}": number for number in range(10)}
"""A domain of ten places that are not spoken of."""

LOGGED: Final = Add("activity", "device = :device_id", at_most=None)
"""What is done to `device` is noted down, as often as it is done."""

NOTED: Final = Add("activity", "device IS NULL")
"""One entry of the log that is about no device."""

MONTH: Final = "SELECT DISTINCT month FROM energy_months ORDER BY month DESC LIMIT 1 OFFSET :back"
"""The month so many months ago, by the parameter `back`."""

_NAMES: Final = (
    "trim(substr('January  February March    April    May      June     July     August   SeptemberOctober  November "
    "December ', (CAST(substr({0}, 6, 2) AS INTEGER) - 1) * 9 + 1, 9)) || ' ' || substr({0}, 1, 4)"
)
MONTH_NAME: Final = f"SELECT {_NAMES.format(':month')}"
"""The fact `month` as people say it."""


def devices(where: str, nth: str = ":nth", columns: str = "d.id, d.name, d.kind") -> str:
    """SQL for the nth device, round and round, of those that can be reached and for which something holds."""
    source = f"FROM devices d JOIN rooms r ON r.id = d.room WHERE d.online = 1 AND ({where})"
    # Serial numbers are drawn by chance: an order that differs from home to home and is nobody's favourite.
    return (
        f"SELECT {columns}, r.name AS room {source} ORDER BY d.serial LIMIT 1 "
        f"OFFSET ({nth}) % max((SELECT count(*) {source}), 1)"
    )


def spoken_day(fact: str) -> str:
    """SQL for a fact that is an ISO day, as people say it: `14 March 2025`."""
    return f"SELECT CAST(substr(:{fact}, 9) AS INTEGER) || ' ' || {_NAMES.format(f':{fact}')}"


def of(kind: str, nth: str = ":nth") -> str:
    """SQL for the nth device of a kind."""
    return devices(f"d.kind = '{kind}'", nth)


def has(trait: str, test: str) -> str:
    """A condition for `devices`: something about the value of a trait, such as `= '1'`."""
    return f"EXISTS (SELECT 1 FROM traits t WHERE t.device = d.id AND t.name = '{trait}' AND t.value {test})"


def becomes(name: str, trait: str, value: Any, device: str = "device") -> Expect:
    """A trait of the device that the task is about has this value afterwards."""
    return Expect(name, f"SELECT value FROM after.traits WHERE device = :{device}_id AND name = '{trait}'", value)


def turned(*traits: str, device: str = "device") -> Change:
    """Only these traits of the device may change."""
    names = ", ".join(f"'{trait}'" for trait in traits)
    return Change("traits", ("value",), f"device = :{device}_id AND name IN ({names})")


def preset(device: str = "device", **traits: str) -> Callable[[Database, Known], None]:
    """Puts traits of a device of `given` to values; texts with placeholders."""

    def inject(db: Database, known: Known) -> None:
        for name, value in traits.items():
            number = getattr(known, device).id
            db.run("UPDATE traits SET value = ? WHERE device = ? AND name = ?", known.fill(value), number, name)

    return inject


def open_device(name: str) -> list[Move]:
    """From the first screen to a device: by search."""
    return [Tap("Devices"), Fill("Search devices", name), Tap(name)]


def pick(name: str) -> list[Move]:
    """Where a device is chosen for a routine."""
    return [Fill("Search for a device", name), Tap(name)]


def lookup(data: Database, sql: str, *values: Any) -> Any:
    """A row that must be there."""
    row = data.row(sql, *values)
    assert row is not None, sql
    return row
