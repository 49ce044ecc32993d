"""Promo codes and their conditions."""

from __future__ import annotations

from datetime import date

from fairground_pocket.eats.listing import benefit, cash, conditions
from fairground_pocket.eats.schema import SITE
from fairground_pocket.kit import Html, Screen, Visit, formats, icon, join, parts


@SITE.get("/offers")
def offers(visit: Visit) -> Screen:
    """All promo codes, usable ones first."""
    db = visit.db
    today = f"{db.now:%Y-%m-%d}"
    good: list[Html] = []
    past: list[Html] = []
    for row in db.rows("SELECT * FROM promos ORDER BY until, code"):
        usable = not row["used"] and row["until"] >= today
        line = parts.row(
            SITE.url(f"/offers/{row['code']}"), row["code"], note=f"{row['title']}: {conditions(db, row)}",
            meta=benefit(db, row), lead=icon("ticket"), style="" if usable else "off",
        )  # fmt: skip
        (good if usable else past).append(line)
    body = [parts.section("For you", parts.rows(good)), parts.section("Used or expired", parts.rows(past))]
    hint = parts.notice("Enter a code in your cart, below the dishes.", "cart")
    return Screen("Offers", join([hint, *body]), back=SITE.url("/account"))


@SITE.get("/offers/{code}")
def offer(visit: Visit, code: str) -> Screen:
    """The conditions of a promo code."""
    db = visit.db
    row = visit.found("SELECT * FROM promos WHERE code = ?", code)
    only = db.one("SELECT name FROM cuisines WHERE id = ?", row["cuisine"])
    facts = [
        ("You save", "The delivery fee" if row["kind"] == "delivery" else benefit(db, row).lstrip("\u2212")),
        ("Minimum order", cash(db, row["minimum"]) if row["minimum"] else "None"),
        ("Restaurants", f"{only} only" if only else "All"),
        ("Valid until", formats.day(date.fromisoformat(row["until"]))),
        ("Used", "Yes" if row["used"] else "Not yet"),
    ]
    once = parts.text("Every code can be used once. The minimum is counted before delivery and tip.", "muted small")
    body = join([parts.hero(row["code"], row["title"]), parts.card(parts.facts(facts)), once])
    return Screen("Offer", body, back=SITE.url("/offers"))
