"""Energy: monthly use by device, room and kind, and the history of each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from fairground_pocket.kit import Database, Gone, Html, Screen, Visit, formats, join, parts
from fairground_pocket.smarthome.devices import find
from fairground_pocket.smarthome.kinds import KINDS
from fairground_pocket.smarthome.schema import SITE
from fairground_pocket.smarthome.store import cost, energy, kwh, month_name, months

_PAGE = 20
_VIEWS = (("room", "Rooms"), ("device", "By device"), ("kind", "Kinds"))


@SITE.get("/energy")
def month(visit: Visit) -> Screen:
    """A month: total, cost, and use by device, room or kind."""
    db = visit.db
    known = months(db)
    chosen = visit.query("month") if visit.query("month") in known else known[0] if known else ""
    if not chosen:
        return Screen("Energy", parts.empty("bolt", "Nothing measured yet"), tab="energy")
    by = visit.query("by") if visit.query("by") in dict(_VIEWS) else "room"
    figures = energy(db, chosen, by)
    total = sum(wh for *_, wh in figures)
    pages = max(-(-len(figures) // _PAGE), 1)
    page = min(visit.page(), pages)
    rows = [
        parts.row(_target(by, key), name, meta=kwh(wh), below=parts.meter(wh / (figures[0][2] or 1)))
        for key, name, wh in figures[(page - 1) * _PAGE : page * _PAGE]
    ]
    so_far = " so far" if chosen == known[0] else ""
    chips = [(name, SITE.url("/energy", month=chosen, by=key), key == by) for key, name in _VIEWS]
    body = join([
        parts.hero(kwh(total), f"{month_name(chosen)}{so_far}", parts.text(f"Costs {cost(db, total)}")),
        parts.link("#months", "Choose month", symbol="calendar", style="slim quiet"),
        parts.card(_bars(_totals(db))),
        parts.chips(chips, "Views"),
        parts.rows(rows),
        parts.pager(SITE.url("/energy"), page, pages, month=chosen, by=by),
    ])  # fmt: skip
    items = [
        parts.menu_link(SITE.url("/energy", month=past_month, by=by), month_name(past_month), "calendar")
        for past_month in known
    ]
    return Screen("Energy", body, tab="energy", sheets=[parts.menu("months", "Which month?", items)])


@SITE.get("/energy/device/{number:int}")
def device_energy(visit: Visit, number: int) -> Screen:
    """A device's use by month, and by day for recent days."""
    db = visit.db
    row = find(visit, number)
    months = db.rows("SELECT month, wh FROM energy_months WHERE device = ? ORDER BY month DESC", number)
    days = db.rows("SELECT day, wh FROM energy_days WHERE device = ? ORDER BY day DESC", number)
    past = [(month["month"], month["wh"]) for month in months]
    body = [_past(db, past)]
    if days:
        lines = [(formats.day(date.fromisoformat(day["day"])), kwh(day["wh"])) for day in days]
        body.append(parts.section("By day", parts.card(parts.facts(lines))))
    body.append(parts.link(SITE.url(f"/d/{number}"), "Open device", style="quiet"))
    return Screen(row["name"], join(body), back=SITE.url("/energy", by="device"), subtitle="Energy")


@SITE.get("/energy/room/{number:int}")
def room_energy(visit: Visit, number: int) -> Screen:
    """A room's use by month."""
    row = visit.found("SELECT name FROM rooms WHERE id = ?", number)
    past = _sums(visit.db, "d.room = ?", number)
    return Screen(row["name"], _past(visit.db, past), back=SITE.url("/energy"), subtitle="Energy")


@SITE.get("/energy/kind/{key}")
def kind_energy(visit: Visit, key: str) -> Screen:
    """The use of all devices of a kind, by month."""
    if key not in KINDS:
        raise Gone
    past = _sums(visit.db, "d.kind = ?", key)
    return Screen(KINDS[key].plural, _past(visit.db, past), back=SITE.url("/energy", by="kind"), subtitle="Energy")


def _sums(db: Database, where: str, *values: object) -> list[tuple[str, int]]:
    rows = db.rows(
        f"SELECT e.month, sum(e.wh) FROM energy_months e JOIN devices d ON d.id = e.device WHERE {where} "
        "GROUP BY e.month ORDER BY e.month DESC",
        *values,
    )
    return [(name, wh) for name, wh in rows]


def _totals(db: Database) -> list[tuple[str, int]]:
    return _sums(db, "1")


def _bars(past: Sequence[tuple[str, int]]) -> Html:
    return parts.bars(
        [(f"{date.fromisoformat(month + '-01'):%b}"[:1], float(wh), f"{month_name(month)}: {kwh(wh)}")
         for month, wh in reversed(past)]
    )  # fmt: skip


def _past(db: Database, past: Sequence[tuple[str, int]]) -> Html:
    if not past:
        return parts.empty("bolt", "Nothing measured", "It runs on a battery, or is new.")
    lines = [(month_name(month), f"{kwh(wh)} · {cost(db, wh)}") for month, wh in past]
    return join([
        parts.hero(kwh(past[0][1]), f"{month_name(past[0][0])} so far"),
        parts.card(_bars(past)),
        parts.section("By month", parts.card(parts.facts(lines))),
    ])  # fmt: skip


def _target(by: str, key: str) -> str:
    return SITE.url(f"/energy/{by}/{key}")
