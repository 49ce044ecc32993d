"""Lists of devices: rows with a quick switch, and a page for picking a device."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable

from fairground_pocket.kit import Database, Html, Screen, Visit, icon, join, parts
from fairground_pocket.smarthome.kinds import KINDS, actions
from fairground_pocket.smarthome.schema import SITE
from fairground_pocket.smarthome.store import DEVICES, fahrenheit, states, summary

_QUICK = ("power", "locked")


def device_rows(db: Database, devices: Iterable[sqlite3.Row], to: str, *, rooms: bool = True) -> Html:
    """Rows that link to devices, with a quick switch if they have one; `to` is the address after switching."""
    known, degrees = states(db), fahrenheit(db)
    return parts.rows(_row(row, known.get(row["id"], {}), degrees, to, rooms) for row in devices)


def matching(db: Database, words: str, where: str = "1", *values: object) -> list[sqlite3.Row]:
    """Devices whose name, room, kind or model contains all words of a search."""
    wanted = words.casefold().split()
    return [row for row in db.rows(DEVICES.format(where), *values) if all(word in _text(row) for word in wanted)]


def picker(
    visit: Visit,
    title: str,
    path: str,
    back: str,
    *,
    fits: Callable[[sqlite3.Row], bool] = lambda row: any(True for _ in actions(row["kind"])),
    **keep: object,
) -> Screen:
    """A page for picking a device; each row links to `path?device=ID`."""
    words = visit.query("q").strip()[:100]
    matches = [row for row in matching(visit.db, words) if fits(row)]
    rows = [
        parts.row(
            SITE.url(path, device=row["id"], **keep), row["name"],
            note=f"{KINDS[row['kind']].title}, {row['room_name']}",
            lead=icon(KINDS[row["kind"]].icon),
        )
        for row in matches
    ]  # fmt: skip
    results = parts.rows(rows) if rows else parts.empty("search", "No device found")
    body = join([parts.search_box(SITE.url(path), words, "Search for a device", **keep), parts.live(results)])
    return Screen(title, body, back=back, close=True)


def quick_name(kind: str, traits: dict[str, str]) -> tuple[str, str, str] | None:
    """The quick switch of a device: its trait, the value it would set, and its name."""
    for trait in KINDS[kind].traits:
        if trait.key in _QUICK:
            on = traits.get(trait.key) == "1"
            return trait.key, "0" if on else "1", trait.words[1] if on else trait.words[0]
    return None


def _row(row: sqlite3.Row, traits: dict[str, str], degrees: bool, to: str, rooms: bool) -> Html:
    kind = KINDS[row["kind"]]
    state = summary(row["kind"], traits, bool(row["online"]), degrees)
    quick = quick_name(row["kind"], traits) if row["online"] else None
    side = Html()
    if quick is not None:
        trait, value, words = quick
        symbol = "lock" if trait == "locked" else "power"
        side = parts.icon_button(
            SITE.url(f"/d/{row['id']}/set"), f"{words} {row['name']}", symbol, trait=trait, value=value, to=to,
        )  # fmt: skip
    return parts.row(
        SITE.url(f"/d/{row['id']}"), row["name"], note=f"{state} · {row['room_name']}" if rooms else state,
        lead=parts.avatar(kind.title, kind.icon), side=side, style="" if row["online"] else "off",
    )  # fmt: skip


def _text(row: sqlite3.Row) -> str:
    return f"{row['name']} {row['room_name']} {KINDS[row['kind']].title} {row['model']}".casefold()
