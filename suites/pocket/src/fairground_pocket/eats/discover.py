"""The first screen: delivery address, current orders, suggestions."""

from __future__ import annotations

from datetime import datetime

from fairground_pocket.eats import store
from fairground_pocket.eats.listing import RESTAURANTS, badges, restaurant_row
from fairground_pocket.eats.schema import SITE
from fairground_pocket.kit import Html, Screen, Visit, formats, icon, join, parts

_SHOWN = 8


@SITE.get("/")
def discover(visit: Visit) -> Screen:
    """Cuisines, offers, and restaurants that are familiar or well rated."""
    db = visit.db
    to = db.row("SELECT * FROM addresses ORDER BY is_default DESC, id")
    unseen = db.one("SELECT count(*) FROM notices WHERE seen = 0")
    cuisines = db.rows("SELECT * FROM cuisines ORDER BY id")
    signs = [
        (parts.avatar(row["name"], row["icon"]), row["name"], row["name"], SITE.url("/search", cuisine=row["id"]))
        for row in cuisines
    ]
    body = [parts.link(SITE.url("/search"), "What would you like to eat?", symbol="search", style="quiet seek")]
    if to is not None:
        title, where = f"Deliver to {to['label']}", f"{to['street']}, {to['area']}"
        body.append(parts.rows([parts.row(SITE.url("/addresses"), title, note=where, lead=icon("map"), style="plain")]))
    body += [_under_way(visit), parts.section("Cuisines", parts.circles(signs, "Cuisines"))]
    known = db.column("SELECT restaurant FROM orders GROUP BY restaurant ORDER BY max(placed) DESC, restaurant LIMIT 3")
    again = [db.rows(f"{RESTAURANTS} r.id = ?", number)[0] for number in known]
    best = [
        row
        for row in db.rows(f"{RESTAURANTS} 1 ORDER BY r.rating DESC, r.ratings DESC, r.id")
        if row["id"] not in known and store.is_open(row, db.now)
    ]
    body.append(parts.section("Order again", parts.rows(restaurant_row(db, row) for row in again)))
    body.append(
        parts.section(
            "Best rated and open",
            parts.rows(restaurant_row(db, row) for row in best[:_SHOWN]),
            more=SITE.url("/search", open=1, sort="rating"),
            more_name="See all that are open",
        )
    )
    actions = [
        parts.bar_link(SITE.url("/offers"), "Offers", "ticket"),
        parts.bar_link(SITE.url("/favourites"), "Favourites", "heart"),
        parts.bar_link(SITE.url("/notices"), "Notifications", "bell", count=unseen),
    ]
    return Screen("Eats", join(body), tab="discover", actions=actions, badges=badges(db))


def _under_way(visit: Visit) -> Html:
    """Orders that are not delivered yet."""
    db, now = visit.db, visit.db.now
    rows = db.rows(
        "SELECT o.*, r.name FROM orders o JOIN restaurants r ON r.id = o.restaurant WHERE due > ? AND cancelled = 0 "
        "ORDER BY due, o.id LIMIT 3",
        now.isoformat(),
    )
    if not rows:
        return Html()
    lines = [
        parts.row(
            SITE.url(f"/orders/{row['id']}"),
            row["name"],
            name=f"Track {store.order_number(row['id'])}",
            note=f"{store.status(row, now)}, expected {_expected(row['due'], now)}",
            lead=icon("clock" if store.status(row, now) == "Scheduled" else "bike"),
            style="strong",
        )
        for row in rows
    ]
    return parts.section("On its way to you", parts.rows(lines))


def _expected(due: str, now: datetime) -> str:
    moment = datetime.fromisoformat(due)
    day = "" if moment.date() == now.date() else f"{formats.day_in_full(moment)}, "
    return f"{day}{moment:%H:%M}"
