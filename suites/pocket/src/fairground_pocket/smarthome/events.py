"""Alerts, and the log of who did what."""

from __future__ import annotations

from datetime import date, datetime

from fairground_pocket.kit import Go, Html, Screen, Visit, formats, icon, join, parts
from fairground_pocket.smarthome.schema import SITE
from fairground_pocket.smarthome.store import number as to_number

_PAGE = 30
_ICONS = {"safety": "warning", "security": "shield", "battery": "battery", "device": "chip"}
_KINDS = (("safety", "Safety"), ("security", "Security"), ("battery", "Battery"), ("device", "Appliances"))


@SITE.get("/alerts")
def alerts(visit: Visit) -> Screen:
    """Alerts, newest first: open ones or all, of one kind or of every kind."""
    db = visit.db
    kind = visit.query("kind") if visit.query("kind") in _ICONS else ""
    done = visit.query("show") == "all"
    records = db.rows(
        "SELECT * FROM alerts WHERE (? = '' OR kind = ?) AND (? OR handled = 0) ORDER BY time DESC, id",
        kind,
        kind,
        done,
    )
    show = "all" if done else ""
    rows = [
        parts.row(
            SITE.url(f"/alerts/{row['id']}"), row["title"],
            note=f"{formats.when(datetime.fromisoformat(row['time']), db.now)} · {row['text']}",
            lead=icon(_ICONS[row["kind"]]), meta="Handled" if row["handled"] else "",
            style="off" if row["handled"] else "" if row["seen"] else "strong",
        )
        for row in records
    ]  # fmt: skip
    chips = [("Every kind", SITE.url("/alerts", show=show), not kind)]
    chips += [(name, SITE.url("/alerts", kind=key, show=show), key == kind) for key, name in _KINDS]
    body = join([
        parts.chips(chips),
        parts.text(f"{len(rows)} {'alert' if len(rows) == 1 else 'alerts'}", "muted small"),
        parts.rows(rows) if rows else parts.empty("check", "Nothing is wrong", "Alerts are shown here."),
    ])  # fmt: skip
    name, to = ("Show open ones only", "") if done else ("Show handled too", "all")
    actions = [parts.bar_link(SITE.url("/alerts", kind=kind, show=to), name, "archive")]
    return Screen("Alerts", body, back=SITE.url("/"), actions=actions)


@SITE.get("/alerts/{number:int}")
def alert(visit: Visit, number: int) -> Screen:
    """An alert; opening it marks it as seen."""
    row = visit.found("SELECT * FROM alerts WHERE id = ?", number)
    visit.db.run("UPDATE alerts SET seen = 1 WHERE id = ? AND seen = 0", number)
    facts = [("When", formats.moment(datetime.fromisoformat(row["time"]))), ("Kind", dict(_KINDS)[row["kind"]]),
             ("State", "Handled" if row["handled"] else "Open")]  # fmt: skip
    body = [parts.hero(row["title"], "Alert"), parts.text(row["text"], "lead"), parts.card(parts.facts(facts))]
    if row["handled"]:
        body.append(parts.button(SITE.url(f"/alerts/{number}/handle"), "Open again", style="quiet", on=0))
    else:
        body.append(parts.button(SITE.url(f"/alerts/{number}/handle"), "Mark as handled", symbol="check", on=1))
    if row["device"] is not None:
        body.append(parts.link(SITE.url(f"/d/{row['device']}"), "Open device", style="quiet"))
    return Screen("Alert", join(body), back=SITE.url("/alerts"))


@SITE.post("/alerts/{number:int}/handle")
def handle(visit: Visit, number: int) -> Go:
    """Marks an alert as handled or as open again."""
    visit.found("SELECT 1 FROM alerts WHERE id = ?", number)
    done = visit.form("on") == "1"
    visit.db.run("UPDATE alerts SET handled = ? WHERE id = ?", done, number)
    return Go(SITE.url("/alerts"), "Marked as handled" if done else "Open again", undo=True)


@SITE.get("/activity")
def activity(visit: Visit) -> Screen:
    """The log, newest first: everything, one device, or the matches of a search."""
    db = visit.db
    words, device = visit.query("q").strip()[:100], to_number(visit.query("device"))
    entries = [
        row
        for row in db.rows("SELECT * FROM activity WHERE (? IS NULL OR device = ?) ORDER BY time DESC, id DESC",
                           device, device)
        if words.casefold() in f"{row['text']} {row['who']}".casefold()
    ]  # fmt: skip
    pages = max(-(-len(entries) // _PAGE), 1)
    page = min(visit.page(), pages)
    days: dict[str, list[Html]] = {}
    for row in entries[(page - 1) * _PAGE : page * _PAGE]:
        line = parts.row("", row["who"], note=row["text"], meta=row["time"][11:16], style="plain")
        days.setdefault(row["time"][:10], []).append(line)
    lists = [
        parts.section(formats.day_in_full(date.fromisoformat(day)), parts.rows(lines)) for day, lines in days.items()
    ]
    results = join([
        parts.text(f"{len(entries)} entries", "muted small"),
        join(lists) if lists else parts.empty("list", "Nothing found"),
        parts.pager(SITE.url("/activity"), page, pages, q=words, device=device),
    ])  # fmt: skip
    name = db.one("SELECT name FROM devices WHERE id = ?", device) if device is not None else None
    box = parts.search_box(SITE.url("/activity"), words, "Search activity", device=device or "")
    back = SITE.url(f"/d/{device}") if name else SITE.url("/more")
    return Screen("Activity log", join([box, parts.live(results)]), back=back, subtitle=name or "")
