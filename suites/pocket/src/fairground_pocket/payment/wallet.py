"""The first screen, and the notifications."""

from __future__ import annotations

from datetime import date, datetime

from fairground_pocket.kit import Go, Html, Screen, Visit, formats, html, icon, join, parts
from fairground_pocket.payment.amounts import shown
from fairground_pocket.payment.listing import request_row, transaction_rows
from fairground_pocket.payment.schema import EVERY, SITE
from fairground_pocket.payment.store import REQUESTS, balance

_NOTICES = {
    "requests": ("New request", "inbox"),
    "activity": ("Money received", "arrow-down"),
    "statements": ("Statement", "receipt"),
}


@SITE.get("/")
def wallet(visit: Visit) -> Screen:
    """Balance, main actions, open requests, latest transactions."""
    db = visit.db
    hidden = db.setting("hide_balance") == "1"
    hero = parts.hero("••••" if hidden else shown(db, balance(db)), "Balance hidden" if hidden else "Balance")
    bank = parts.side_by_side(
        parts.link(SITE.url("/add"), "Add money", symbol="plus", style="quiet slim"),
        parts.link(SITE.url("/withdraw"), "Withdraw", symbol="bank", style="quiet slim"),
    )
    tiles = [
        parts.tile(SITE.url("/send"), "Send", note="To anybody you know", symbol="send"),
        parts.tile(SITE.url("/request"), "Request", note="Ask for money", symbol="arrow-down"),
        parts.tile(SITE.url("/bills/new"), "Split a bill", note="Share what you paid", symbol="people"),
        parts.tile(SITE.url("/cards"), "Cards", note=_main_card(visit), symbol="card"),
    ]
    waiting = db.rows(f"{REQUESTS} WHERE r.direction = 'in' AND r.status = 'open' ORDER BY r.time DESC")
    recent = db.rows("SELECT * FROM transactions ORDER BY time DESC, id DESC LIMIT 8")
    body = [hero, bank, parts.tiles(tiles), _favourites(visit)]
    if waiting:
        more = SITE.url("/requests")
        body.append(
            parts.section(
                "Waiting for you",
                parts.rows(request_row(db, row) for row in waiting[:3]),
                more=more,
                more_name="All requests",
            )
        )
    body.append(_upcoming(visit))
    body.append(
        parts.section("Latest", transaction_rows(db, recent), more=SITE.url("/activity"), more_name="All activity")
    )
    unseen = db.one("SELECT count(*) FROM notices WHERE seen = 0")
    return Screen(
        "Wallet",
        join(body),
        tab="wallet",
        subtitle=db.setting("owner"),
        actions=[parts.bar_link(SITE.url("/notices"), "Notifications", "bell", count=unseen)],
    )


def _main_card(visit: Visit) -> str:
    row = visit.db.row("SELECT * FROM cards WHERE main = 1")
    return f"{row['label']} ··{row['last4']}" if row else "None yet"


def _favourites(visit: Visit) -> Html:
    rows = visit.db.rows("SELECT * FROM contacts WHERE favourite = 1 AND blocked = 0 ORDER BY fold(name), id LIMIT 6")
    signs = [
        (parts.avatar(row["name"]), row["name"].split()[0], f"Pay {row['name']}", SITE.url("/send", to=row["id"]))
        for row in rows
    ]
    return parts.section("Favourites", parts.circles(signs, "Favourites")) if rows else Html()


def _upcoming(visit: Visit) -> Html:
    rows = visit.db.rows(
        "SELECT r.*, c.name FROM recurring r JOIN contacts c ON c.id = r.contact WHERE r.status = 'active' "
        "ORDER BY r.due, r.id LIMIT 2"
    )
    items = [
        parts.row(
            SITE.url(f"/recurring/{row['id']}"),
            row["name"],
            name=f"{row['note']} to {row['name']}",
            lead=icon("refresh"),
            note=f"{row['note']} · {EVERY[row['every']].lower()}",
            meta=html("<b>{}</b> {}", shown(visit.db, row["amount"]), formats.day(date.fromisoformat(row["due"]))[:-5]),
        )
        for row in rows
    ]
    more = SITE.url("/recurring")
    return parts.section("Coming up", parts.rows(items), more=more, more_name="All recurring") if items else Html()


@SITE.get("/notices")
def notices(visit: Visit) -> Screen:
    """Notifications; opening the page marks them as seen."""
    db = visit.db
    records = db.rows("SELECT * FROM notices ORDER BY time DESC, id DESC")
    rows = []
    for notice in records:
        about, symbol = _NOTICES.get(notice["href"].split("/")[2], ("News", "bell"))
        rows.append(
            parts.row(
                notice["href"],
                about,
                name=notice["text"],
                note=notice["text"],
                lead=icon(symbol),
                meta=formats.when(datetime.fromisoformat(notice["time"]), db.now),
                style="plain" if notice["seen"] else "strong",
            )
        )
    db.run("UPDATE notices SET seen = 1")
    body = (
        parts.rows(rows)
        if rows
        else parts.empty("bell", "Nothing new", "Money and requests that come in show up here.")
    )
    actions = [parts.icon_button(SITE.url("/notices/clear"), "Clear all", "check")] if rows else []
    return Screen("Notifications", body, back=SITE.url("/"), actions=actions)


@SITE.post("/notices/clear")
def clear_notices(visit: Visit) -> Go:
    """Deletes all notifications."""
    visit.db.run("DELETE FROM notices")
    return Go(SITE.url("/notices"), "Notifications cleared", undo=True)
