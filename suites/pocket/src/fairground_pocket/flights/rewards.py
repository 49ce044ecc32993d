"""Screens of the loyalty programme: points, tier, rewards; and notifications."""

from __future__ import annotations

import hashlib
import sqlite3
from datetime import datetime

from fairground_pocket.flights.schema import REWARDS, SITE
from fairground_pocket.flights.store import balance, money, points_worth, tier
from fairground_pocket.kit import Go, Gone, Html, Screen, Visit, formats, icon, join, parts

_PAGE = 15


@SITE.get("/rewards")
def rewards(visit: Visit) -> Screen:
    """Balance, tier and available rewards."""
    db = visit.db
    have = balance(db)
    name, earned, later = tier(db)
    lines = [("Tier", name), ("Earned in 12 months", f"{earned:,} points"), ("Member number", db.setting("member"))]
    if later:
        lines.append((f"Missing to {later[0]}", f"{later[1] - earned:,} points"))
    gifts = [
        parts.row(SITE.url(f"/rewards/{key}"), title, note=words, meta=f"{points:,}", lead=icon("gift"))
        for key, title, points, words in REWARDS
    ]
    newest = db.rows("SELECT * FROM points ORDER BY time DESC, id DESC LIMIT 4")
    vouchers = db.rows("SELECT * FROM vouchers ORDER BY id DESC")
    names = {key: title for key, title, *_ in REWARDS}
    mine = [parts.row("", names[row["reward"]], note=f"Code {row['code']}", lead=icon("ticket")) for row in vouchers]
    body = join(
        [
            parts.hero(f"{have:,} points", f"{name} · worth {money(db, points_worth(db, have))} on flights"),
            parts.card(parts.facts(lines), parts.meter(earned / later[1] if later else 1.0)),
            parts.section("Spend points", parts.rows(gifts)),
            parts.section("My vouchers", parts.rows(mine)) if mine else parts.NOTHING,
            parts.section(
                "Latest points",
                parts.rows(_entry(row) for row in newest),
                more=SITE.url("/points"),
                more_name="All points",
            ),
        ]
    )
    return Screen("Rewards", body, tab="rewards")


@SITE.get("/points")
def ledger(visit: Visit) -> Screen:
    """All points earned and spent."""
    db = visit.db
    rows = db.rows("SELECT * FROM points ORDER BY time DESC, id DESC")
    page, pages = visit.page(), -(-len(rows) // _PAGE)
    listed = parts.rows(_entry(row) for row in rows[(page - 1) * _PAGE : page * _PAGE])
    body = join([listed, parts.pager(SITE.url("/points"), page, pages)])
    return Screen("Points", body, back=SITE.url("/rewards"), subtitle=f"{balance(db):,} points")


def _entry(row: sqlite3.Row) -> Html:
    points, time = row["points"], row["time"]
    sign = "+" if points > 0 else "\u2212"
    when = formats.day(datetime.fromisoformat(time).date())
    return parts.row("", row["what"], note=when, meta=f"{sign}{abs(points):,}", lead=icon("star"))


@SITE.get("/rewards/{key}")
def reward(visit: Visit, key: str) -> Screen:
    """A reward and its price in points."""
    _, title, points, words = _reward(key)
    have = balance(visit.db)
    body = join(
        [
            parts.hero(f"{points:,} points", title),
            parts.card(
                parts.text(words),
                parts.facts([("You have", f"{have:,}"), ("Left afterwards", f"{max(have - points, 0):,}")]),
            ),
            parts.button(SITE.url(f"/rewards/{key}"), f"Redeem {points:,} points")
            if have >= points
            else parts.notice(f"{points - have:,} points are missing", "star"),
        ]
    )
    return Screen(title, body, back=SITE.url("/rewards"))


@SITE.post("/rewards/{key}")
def redeem(visit: Visit, key: str) -> Go:
    """Redeems points for a reward."""
    db = visit.db
    _, title, points, _ = _reward(key)
    if balance(db) < points:
        raise Gone
    count = db.one("SELECT count(*) FROM vouchers")
    code = hashlib.blake2b(f"{db.setting('member')} {key} {count}".encode(), digest_size=4).hexdigest().upper()
    db.insert("vouchers", reward=key, code=code, time=db.now.isoformat())
    db.insert("points", time=db.now.isoformat(), what=title, points=-points, booking=None)
    return Go(SITE.url("/rewards"), f"{title}: your code is {code}", undo=True)


def _reward(key: str) -> tuple[str, str, int, str]:
    for offer in REWARDS:
        if offer[0] == key:
            return offer
    raise Gone


@SITE.get("/notices")
def notices(visit: Visit) -> Screen:
    """Notifications about trips and points; opening the page marks them as seen."""
    db = visit.db
    rows = []
    for row in db.rows("SELECT * FROM notices ORDER BY time DESC, id DESC LIMIT 40"):
        href = SITE.url(f"/trips/{row['booking']}") if row["booking"] else ""
        moment = formats.when(datetime.fromisoformat(row["time"]), db.now)
        style = "" if row["seen"] else "strong"
        rows.append(
            parts.row(href, row["text"], name=f"{row['text']}, {moment}", meta=moment, lead=icon("bell"), style=style)
        )
    db.run("UPDATE notices SET seen = 1 WHERE seen = 0")
    body = parts.rows(rows) if rows else parts.empty("bell", "No news", "Good news")
    return Screen("Notifications", body, back=SITE.url("/"))
