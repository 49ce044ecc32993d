"""The history of a thermometer: hourly values, with each day's highest and lowest."""

from __future__ import annotations

from datetime import date

from fairground_pocket.kit import Screen, Visit, formats, join, parts
from fairground_pocket.smarthome.devices import find
from fairground_pocket.smarthome.kinds import Trait, shown
from fairground_pocket.smarthome.schema import SITE
from fairground_pocket.smarthome.store import fahrenheit

_DEGREES = Trait("temperature", "Temperature", "read", unit=" °C")


@SITE.get("/d/{number:int}/history")
def history(visit: Visit, number: int) -> Screen:
    """Temperatures by day and hour, newest first."""
    row = find(visit, number)
    degrees = fahrenheit(visit.db)
    readings = visit.db.rows("SELECT time, value FROM readings WHERE device = ? ORDER BY time DESC", number)
    days: dict[str, list[tuple[str, int]]] = {}
    for time, value in readings:
        days.setdefault(time[:10], []).append((time[11:16], value))

    def said(value: int) -> str:
        return shown(_DEGREES, str(value), fahrenheit=degrees)

    def bars(hours: list[tuple[str, int]]) -> list[tuple[str, float, str]]:
        low = min(value for _, value in hours) - 10
        return [(hour[:2] if int(hour[:2]) % 6 == 0 else "", float(value - low), f"{hour} {said(value)}")
                for hour, value in reversed(hours)]  # fmt: skip

    lists = [
        parts.section(
            formats.day_in_full(date.fromisoformat(day)),
            parts.card(
                parts.text(
                    f"Highest {said(max(hours, key=_value)[1])}, lowest {said(min(hours, key=_value)[1])}", "lead"
                ),
                parts.bars(bars(hours)),
                parts.facts((hour, said(value)) for hour, value in hours),
            ),
        )
        for day, hours in days.items()
    ]
    body = join(lists) if lists else parts.empty("thermostat", "Nothing measured yet")
    return Screen(row["name"], body, back=SITE.url(f"/d/{number}"), subtitle="Temperature")


def _value(hour: tuple[str, int]) -> int:
    return hour[1]
