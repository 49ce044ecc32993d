"""Shared by several screens: amounts, restaurants, dishes, sums."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime
from typing import Final, TypeVar

from fairground_pocket.eats import store
from fairground_pocket.eats.schema import DIETS, SITE
from fairground_pocket.kit import Database, Html, formats, html, join, parts

RESTAURANTS: Final = "SELECT r.*, c.name AS cooks, c.icon FROM restaurants r JOIN cuisines c ON c.id = r.cuisine WHERE "
"""SQL for restaurants with their cuisines; append a condition."""
LEVELS: Final = {1: "Budget", 2: "Mid-range", 3: "Upscale"}
_PAGE: Final = 20
T = TypeVar("T")


def cash(db: Database, amount: int) -> str:
    """An amount as written where the owner lives."""
    return formats.money(amount, db.setting("currency"))


def rating(row: sqlite3.Row) -> str:
    """A restaurant's rating, such as `4.7`; it is stored in tenths."""
    return f"{row['rating'] / 10:.1f}"


def badges(db: Database) -> dict[str, int]:
    """Numbers on the tabs, by tab key."""
    return {"cart": db.one("SELECT coalesce(sum(quantity), 0) FROM cart_lines")}


def hours(row: sqlite3.Row, now: datetime) -> str:
    """Whether a restaurant is open, and until or from when."""
    if store.is_open(row, now):
        return f"Open until {row['closes']}"
    if now.weekday() == row["rests"]:
        return "Closed today"
    return f"Opens at {row['opens']}" if f"{now:%H:%M}" < row["opens"] else f"Closed since {row['closes']}"


def restaurant_row(db: Database, row: sqlite3.Row, *, name: str = "") -> Html:
    """A row for a restaurant."""
    now = db.now
    fee = "Free delivery" if row["fee"] == 0 else f"Delivery {cash(db, row['fee'])}"
    tags = [parts.tag(f"{row['fast']}\u2013{row['slow']} min"), parts.tag(fee)]
    if not store.is_open(row, now):
        tags.append(parts.tag(hours(row, now), strong=True))
    return parts.row(
        SITE.url(f"/r/{row['id']}"),
        row["name"],
        name=name,
        note=f"{row['cooks']} · {row['area']} · {LEVELS[row['price']]}",
        meta=f"★ {rating(row)}",
        lead=parts.avatar(row["name"], row["icon"], large=True),
        below=join(tags),
        style="" if store.is_open(row, now) else "off",
    )


def dish_row(db: Database, dish: sqlite3.Row, wanted: Collection[str], symbol: str, *, place: str = "") -> Html:
    """A row for a dish of a menu or of a search, where its restaurant is `place`; `wanted` is the owner's `diet`."""
    tags = [parts.tag("Sold out", strong=True)] if dish["sold_out"] else []
    if dish["popular"]:
        tags.append(parts.tag("Popular"))
    tags += [parts.tag(word) for word in marks(dish)]
    if not fits(dish, wanted):
        tags.append(parts.tag("Not your diet", dot=True))
    return parts.row(
        SITE.url(f"/d/{dish['id']}"),
        dish["name"],
        name=f"{dish['name']}, {place}" if place else "",
        note=f"{place} · {dish['about']}" if place else dish["about"],
        meta=html("<b>{}</b>", cash(db, dish["price"])),
        lead=parts.avatar(dish["name"], symbol, large=True),
        below=join(tags),
        style="off" if dish["sold_out"] else "",
    )


def marks(dish: sqlite3.Row) -> list[str]:
    """The labels of a dish, such as vegan or spicy."""
    labels = ["Vegan"] if dish["vegan"] else ["Vegetarian"] if dish["vegetarian"] else []
    pairs = (("gluten_free", "Gluten-free"), ("spicy", "Spicy"), ("nuts", "Nuts"))
    return labels + [word for column, word in pairs if dish[column]]


def diet(db: Database) -> set[str]:
    """The owner's active dietary preferences."""
    return {key for key, _, _ in DIETS if db.setting(f"diet_{key}") == "1"}


def fits(dish: sqlite3.Row, wanted: Collection[str]) -> bool:
    """Whether a dish meets dietary preferences."""
    good = {key for key in ("vegetarian", "vegan", "gluten_free") if dish[key]}
    good |= {key for key, column in (("no_nuts", "nuts"), ("not_spicy", "spicy")) if not dish[column]}
    return set(wanted) <= good


def bill(db: Database, sums: store.Sums, promo: str = "") -> Html:
    """The sums of an order, line by line."""
    items = [("Subtotal", cash(db, sums.subtotal))]
    if sums.discount:
        items.append((f"Discount {promo}".strip(), cash(db, -sums.discount)))
    items += [("Delivery", cash(db, sums.fee) if sums.fee else "Free"), ("Tip", cash(db, sums.tip))]
    return parts.facts([*items, ("Total", cash(db, sums.total))])


def conditions(db: Database, promo: sqlite3.Row) -> str:
    """The conditions of a promo code, in words."""
    clauses = []
    if promo["minimum"]:
        clauses.append(f"from {cash(db, promo['minimum'])}")
    if promo["cuisine"]:
        clauses.append(f"{db.one('SELECT name FROM cuisines WHERE id = ?', promo['cuisine'])} only")
    clauses.append(f"until {formats.day(date.fromisoformat(promo['until']))}")
    if promo["used"]:
        clauses.append("used")
    return ", ".join(clauses)


def benefit(db: Database, promo: sqlite3.Row) -> str:
    """The benefit of a promo code, in a few words."""
    if promo["kind"] == "percent":
        return f"\u2212{promo['value']}%"
    return "Delivery" if promo["kind"] == "delivery" else cash(db, -promo["value"])


def paged(found: Sequence[T], page: int) -> tuple[Sequence[T], int, int]:
    """The items of one page of a long list, the page number, and the number of pages."""
    pages = max(1, -(-len(found) // _PAGE))
    page = min(page, pages)
    return found[(page - 1) * _PAGE : page * _PAGE], page, pages


def counted(number: int, word: str) -> str:
    """A number with its noun: `1 order`, `2 orders`."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def stars(number: int) -> str:
    """Formats a number of stars as `★★★★☆`."""
    return "★" * number + "☆" * (5 - number)


def stack(items: Iterable[Html]) -> Html:
    """Pieces below each other, with the spacing of cards."""
    return html('<div class="form">{}</div>', join(items))
