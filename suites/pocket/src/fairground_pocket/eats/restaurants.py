"""A restaurant: menu, details, reviews."""

from __future__ import annotations

from datetime import date
from typing import Final

from fairground_pocket.eats import store
from fairground_pocket.eats.listing import (
    LEVELS,
    RESTAURANTS,
    cash,
    counted,
    diet,
    dish_row,
    hours,
    paged,
    rating,
    restaurant_row,
    stars,
)
from fairground_pocket.eats.menus import DRINKS
from fairground_pocket.eats.schema import SITE
from fairground_pocket.kit import Go, Screen, Visit, formats, html, join, parts

_ONLY: Final = (
    ("", "Whole menu", "1"), ("popular", "Popular", "popular = 1"), ("vegetarian", "Vegetarian", "vegetarian = 1"),
    ("vegan", "Vegan", "vegan = 1"), ("gluten_free", "Gluten-free", "gluten_free = 1"),
)  # fmt: skip
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@SITE.get("/r/{number:int}")
def restaurant(visit: Visit, number: int) -> Screen:
    """A restaurant's menu, by section."""
    db = visit.db
    row = visit.found(f"{RESTAURANTS} r.id = ?", number)
    only = next((entry for entry in _ONLY if entry[0] == visit.query("only")), _ONLY[0])
    here = SITE.url(f"/r/{number}")
    fee = "Free" if row["fee"] == 0 else cash(db, row["fee"])
    about = parts.facts(
        [
            ("Rating", f"★ {rating(row)} ({row['ratings']})"),
            ("Delivery", f"{row['fast']}\u2013{row['slow']} min, {fee}"),
            ("Minimum order", cash(db, row["minimum"])),
            ("Hours", hours(row, db.now)),
        ]
    )
    body = [parts.card(about)]
    if not store.is_open(row, db.now):
        body.append(parts.notice("Closed now. You can order for later.", "clock"))
    body.append(parts.chips([(word, parts.url(here, only=key), key == only[0]) for key, word, _ in _ONLY], "Menu"))
    wanted = diet(db)
    for section in db.rows("SELECT * FROM sections WHERE restaurant = ? ORDER BY place", number):
        dishes = db.rows(f"SELECT * FROM dishes WHERE section = ? AND {only[2]} ORDER BY id", section["id"])
        symbol = "cup" if section["name"] == DRINKS else row["icon"]
        if dishes:
            body.append(
                parts.section(section["name"], parts.rows(dish_row(db, dish, wanted, symbol) for dish in dishes))
            )
    liked = db.one("SELECT 1 FROM favourites WHERE restaurant = ?", number) is not None
    actions = [
        parts.icon_button(
            SITE.url(f"/r/{number}/favourite"),
            "Remove from favourites" if liked else "Add to favourites",
            "heart",
            on=liked,
            liked=0 if liked else 1,
        ),
        parts.bar_link(SITE.url(f"/r/{number}/about"), "About this restaurant", "more"),
    ]
    fab = parts.NOTHING
    if store.cart(db)["restaurant"] == number:
        fab = parts.fab(SITE.url("/cart"), f"View cart, {cash(db, store.sums(db).subtotal)}", "cart")
    return Screen(
        row["name"], join(body), back=SITE.url("/search"), subtitle=f"{row['cooks']} · {row['area']}", actions=actions,
        fab=fab,
    )  # fmt: skip


@SITE.post("/r/{number:int}/favourite")
def favourite(visit: Visit, number: int) -> Go:
    """Adds a restaurant to the favourites or removes it."""
    visit.found("SELECT 1 FROM restaurants WHERE id = ?", number)
    liked = visit.form("liked") == "1"
    visit.db.run("DELETE FROM favourites WHERE restaurant = ?", number)
    if liked:
        visit.db.insert("favourites", restaurant=number)
    to = SITE.url("/favourites") if visit.form("from") == "list" else SITE.url(f"/r/{number}")
    return Go(to, "Added to favourites" if liked else "Removed from favourites", undo=True)


@SITE.get("/favourites")
def favourites(visit: Visit) -> Screen:
    """The owner's favourite restaurants."""
    db = visit.db
    rows = db.rows(f"{RESTAURANTS} r.id IN (SELECT restaurant FROM favourites) ORDER BY fold(r.name), r.id")
    empty = parts.empty("heart", "No favourites yet", "Tap the heart of a restaurant.")
    body = parts.rows(restaurant_row(db, row) for row in rows) if rows else empty
    return Screen("Favourites", body, back=SITE.url("/account"), subtitle=counted(len(rows), "restaurant"))


@SITE.get("/r/{number:int}/about")
def about(visit: Visit, number: int) -> Screen:
    """A restaurant's hours, address and phone number."""
    row = visit.found(f"{RESTAURANTS} r.id = ?", number)
    week = [
        (day, "Closed" if at == row["rests"] else f"{row['opens']}\u2013{row['closes']}")
        for at, day in enumerate(_DAYS)
    ]
    facts = [
        ("Cuisine", row["cooks"]), ("Price", LEVELS[row["price"]]), ("Address", f"{row['street']}, {row['area']}"),
        ("Phone", row["phone"]), ("Rating", f"{rating(row)} from {row['ratings']} people"),
    ]  # fmt: skip
    body = [
        parts.card(parts.facts(facts)),
        parts.section("Opening hours", parts.card(parts.facts(week))),
        parts.link(SITE.url(f"/r/{number}/reviews"), "Read reviews", symbol="star", style="quiet"),
    ]
    return Screen(row["name"], join(body), back=SITE.url(f"/r/{number}"), subtitle="About")


@SITE.get("/r/{number:int}/reviews")
def reviews(visit: Visit, number: int) -> Screen:
    """A restaurant's reviews, newest first."""
    db = visit.db
    row = visit.found(f"{RESTAURANTS} r.id = ?", number)
    rows = db.rows("SELECT * FROM reviews WHERE restaurant = ? ORDER BY time DESC, id DESC", number)
    shown, page, pages = paged(rows, visit.page())
    lines = [
        parts.row(
            "",
            review["author"],
            name=f"Review of {review['author']}",
            note=html("{} {}", stars(review["stars"]), review["text"]),
            meta=formats.day(date.fromisoformat(review["time"][:10])),
            lead=parts.avatar(review["author"]),
        )
        for review in shown
    ]
    head = parts.hero(f"★ {rating(row)}", f"{row['ratings']} ratings, {counted(len(rows), 'review')}")
    pager = parts.pager(SITE.url(f"/r/{number}/reviews"), page, pages)
    return Screen(
        f"Reviews of {row['name']}", join([head, parts.rows(lines), pager]), back=SITE.url(f"/r/{number}/about")
    )
