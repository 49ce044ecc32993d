"""Monthly statements: money in, money out, and what it was for."""

from __future__ import annotations

import re

from fairground_pocket.kit import Database, Gone, Html, Screen, Visit, html, icon, join, parts
from fairground_pocket.payment.amounts import shown
from fairground_pocket.payment.schema import CATEGORIES, SITE
from fairground_pocket.payment.store import SPENT, month_name, months


def spent(db: Database, month: str) -> int:
    """The amount spent in a month."""
    sql = f"SELECT coalesce(-sum(amount), 0) FROM transactions WHERE {SPENT} AND substr(time, 1, 7) = ?"
    return int(db.one(sql, month))


@SITE.get("/statements")
def statements(visit: Visit) -> Screen:
    """All months, with the amount spent in each."""
    db = visit.db
    keys = months(db)
    totals = {key: spent(db, key) for key in keys}
    chart = [
        (month_name(key)[:3], float(totals[key]), f"{month_name(key)}: {shown(db, totals[key])}")
        for key in reversed(keys[:6])
    ]
    rows = [
        parts.row(
            SITE.url(f"/statements/{key}"),
            month_name(key),
            lead=icon("calendar"),
            note="So far" if place == 0 else "Statement",
            meta=html("<b>{}</b>", shown(db, totals[key])),
        )
        for place, key in enumerate(keys)
    ]
    body = join(
        [
            parts.section("Spent, last six months", parts.card(parts.bars(chart))),
            parts.section("Months", parts.rows(rows)),
        ]
    )
    return Screen("Statements", body, back=SITE.url("/more"))


@SITE.get("/statements/{key}")
def statement(visit: Visit, key: str) -> Screen:
    """The statement of a month: in and out, by category, by shop or person."""
    db = visit.db
    known = months(db)
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}", key, re.ASCII) or key not in known:
        raise Gone
    kinds = {
        row["kind"]: (row["total"], row["count"])
        for row in db.rows(
            "SELECT kind, sum(amount) AS total, count(*) AS count FROM transactions WHERE substr(time, 1, 7) = ? "
            "GROUP BY kind",
            key,
        )
    }

    def total(*names: str) -> str:
        return shown(db, abs(sum(kinds.get(name, (0, 0))[0] for name in names)))

    facts = [
        ("Sent to people", total("payment")),
        ("Purchases", total("purchase")),
        ("Received from people", total("received")),
        ("Income", total("income")),
        ("Refunds", total("refund")),
        ("Added from bank", total("topup")),
        ("Withdrawn to bank", total("withdrawal")),
    ]
    by_category = db.rows(
        f"SELECT category, -sum(amount) AS total, count(*) AS count FROM transactions "
        f"WHERE {SPENT} AND substr(time, 1, 7) = ? GROUP BY category ORDER BY total DESC, category",
        key,
    )
    rows = [
        parts.row(
            SITE.url("/activity", month=key, category=row["category"]),
            row["category"],
            meta=html("<b>{}</b>", shown(db, row["total"])),
            lead=icon(CATEGORIES.get(row["category"], "label")),
            note=_count(row["count"]),
        )
        for row in by_category
    ]
    place = known.index(key)
    body: list[Html] = [
        parts.hero(shown(db, spent(db, key)), f"Spent in {month_name(key)}"),
        parts.card(parts.facts(facts)),
        parts.section("By category", parts.rows(rows) if rows else parts.text("Nothing was spent", "muted")),
        parts.link(SITE.url("/activity", month=key), "All transactions of this month", symbol="list", style="quiet"),
        _neighbours(known, place),
    ]
    return Screen(month_name(key), join(body), back=SITE.url("/statements"))


def _neighbours(known: list[str], place: int) -> Html:
    links = []
    if place + 1 < len(known):
        links.append(
            parts.link(SITE.url(f"/statements/{known[place + 1]}"), "Month before", symbol="back", style="quiet slim")
        )
    if place > 0:
        links.append(
            parts.link(SITE.url(f"/statements/{known[place - 1]}"), "Month after", symbol="forward", style="quiet slim")
        )
    return parts.side_by_side(*links)


def _count(count: int) -> str:
    return "1 transaction" if count == 1 else f"{count} transactions"
