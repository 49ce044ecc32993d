"""Maintenance: batteries and firmware of all devices."""

from __future__ import annotations

from fairground_pocket.kit import Go, Screen, Visit, icon, join, parts
from fairground_pocket.smarthome.devices import install
from fairground_pocket.smarthome.kinds import KINDS
from fairground_pocket.smarthome.schema import SITE
from fairground_pocket.smarthome.store import DEVICES

_BY_BATTERY = (
    "SELECT d.*, r.name AS room_name FROM devices d JOIN rooms r ON r.id = d.room WHERE d.battery IS NOT NULL "
    "ORDER BY d.battery, d.id"
)


@SITE.get("/batteries")
def batteries(visit: Visit) -> Screen:
    """All batteries, emptiest first."""
    rows = [
        parts.row(
            SITE.url(f"/d/{row['id']}"), row["name"], note=row["room_name"], meta=f"{row['battery']} %",
            lead=icon("battery"), below=parts.meter(row["battery"] / 100),
            style="strong" if row["battery"] < 20 else "",
            side=parts.icon_button(
                SITE.url(f"/d/{row['id']}/battery"), f"Battery replaced: {row['name']}", "refresh",
                to=SITE.url("/batteries"),
            ),
        )
        for row in visit.db.rows(_BY_BATTERY)
    ]  # fmt: skip
    hint = parts.text("Press the arrows beside a device when you have put a new battery in.", "muted small")
    return Screen("Batteries", join([hint, parts.rows(rows)]), back=SITE.url("/more"))


@SITE.get("/updates")
def updates(visit: Visit) -> Screen:
    """Devices with a firmware update."""
    outdated = visit.db.rows(DEVICES.format("d.firmware != d.newest"))
    rows = [
        parts.row(
            SITE.url(f"/d/{row['id']}"), row["name"], note=f"{row['model']}, {row['room_name']}",
            meta=f"{row['firmware']} → {row['newest']}", lead=icon(KINDS[row["kind"]].icon),
            side=parts.icon_button(
                SITE.url(f"/d/{row['id']}/update"), f"Update {row['name']}", "arrow-down", to=SITE.url("/updates")
            ),
        )
        for row in outdated
    ]  # fmt: skip
    if not rows:
        return Screen("Updates", parts.empty("chip", "Everything is up to date"), back=SITE.url("/more"))
    words = f"{len(rows)} devices restart; this takes a few minutes."
    ask = parts.confirm("all", "Update everything?", words, SITE.url("/updates"), "Update all now", danger=False)
    body = join([parts.rows(rows), parts.link("#all", "Update all", style="quiet")])
    return Screen("Updates", body, back=SITE.url("/more"), sheets=[ask])


@SITE.post("/updates")
def update_all(visit: Visit) -> Go:
    """Updates the firmware of all devices."""
    outdated = visit.db.rows(DEVICES.format("d.firmware != d.newest"))
    for row in outdated:
        install(visit.db, row)
    return Go(SITE.url("/updates"), f"{len(outdated)} devices updated", undo=True)
