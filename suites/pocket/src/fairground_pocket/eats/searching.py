"""Search for restaurants and dishes, by words and by combined filters."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass
from typing import Final

from fairground_pocket.eats import store
from fairground_pocket.eats.listing import (
    LEVELS,
    RESTAURANTS,
    badges,
    counted,
    diet,
    dish_row,
    paged,
    restaurant_row,
    stack,
)
from fairground_pocket.eats.schema import SITE
from fairground_pocket.kit import Database, Html, Screen, Visit, html, join, parts

SORTS: Final = {
    "": ("Recommended", "r.ratings * (r.rating - 30) DESC, r.id"),
    "rating": ("Highest rating", "r.rating DESC, r.ratings DESC, r.id"),
    "time": ("Shortest delivery", "r.fast, r.slow, r.id"),
    "fee": ("Lowest delivery fee", "r.fee, r.minimum, r.id"),
    "name": ("Name", "fold(r.name), r.id"),
}
_FOUND_DISHES: Final = 20


@dataclass(frozen=True)
class Wanted:
    """A search: words and filters, as in the address."""

    q: str
    filters: dict[str, str]

    def url(self, path: str = "/search", **changed: object) -> str:
        """The address of this search with changes."""
        return SITE.url(path, q=self.q, **{**self.filters, **changed})


def wanted(visit: Visit) -> Wanted:
    """Reads a search from the address; invalid values are ignored."""
    filters = {}
    for name, known in (
        ("cuisine", r"\d{1,6}"),
        ("price", r"[123]"),
        ("rating", r"4[05]"),
        ("free", "1"),
        ("open", "1"),
    ):
        if re.fullmatch(known, visit.query(name), re.ASCII):
            filters[name] = visit.query(name)
    if visit.query("area") in areas(visit.db):
        filters["area"] = visit.query("area")
    if visit.query("sort") in SORTS and visit.query("sort"):
        filters["sort"] = visit.query("sort")
    return Wanted(" ".join(visit.query("q").split())[:200], filters)


def areas(db: Database) -> list[str]:
    """The districts with restaurants, by name."""
    return db.column("SELECT DISTINCT area FROM restaurants ORDER BY area")


def found(db: Database, what: Wanted) -> list[sqlite3.Row]:
    """The restaurants that match a search."""
    conditions, values = ["1"], list[object]()
    for name, sql in (
        ("cuisine", "r.cuisine = ?"), ("area", "r.area = ?"), ("price", "r.price = ?"), ("rating", "r.rating >= ?"),
    ):  # fmt: skip
        if name in what.filters:
            conditions.append(sql)
            values.append(what.filters[name] if name == "area" else int(what.filters[name]))
    if "free" in what.filters:
        conditions.append("r.fee = 0")
    if what.q:
        conditions.append(
            "(instr(fold(r.name), fold(?)) OR instr(fold(c.name), fold(?)) OR EXISTS (SELECT 1 FROM dishes d WHERE "
            "d.restaurant = r.id AND instr(fold(d.name), fold(?))))"
        )
        values += [what.q] * 3
    order = SORTS[what.filters.get("sort", "")][1]
    rows = db.rows(f"{RESTAURANTS} {' AND '.join(conditions)} ORDER BY {order}", *values)
    return [row for row in rows if "open" not in what.filters or store.is_open(row, db.now)]


@SITE.get("/search")
def search(visit: Visit) -> Screen:
    """Restaurants, and dishes if there are search words."""
    db, what = visit.db, wanted(visit)
    rows = found(db, what)
    shown, page, pages = paged(rows, visit.page())
    lines = [restaurant_row(db, row) for row in shown]
    body = [_chips(db, what), parts.text(counted(len(rows), "restaurant"), "muted small")]
    body.append(parts.rows(lines) if lines else parts.empty("search", "Nothing found", "Try fewer filters."))
    body.append(parts.pager(SITE.url("/search"), page, pages, q=what.q, **what.filters))
    if what.q:
        body.append(_dishes(db, what, {row["id"] for row in rows}))
    box = parts.search_box(SITE.url("/search"), what.q, "Search restaurants and dishes", **what.filters)
    return Screen("Search", html("{}{}", box, parts.live(stack(body))), tab="search", badges=badges(db))


@SITE.get("/search/filters")
def filters(visit: Visit) -> Screen:
    """All filters on one screen; each tap updates the number of matching restaurants."""
    db, what = visit.db, wanted(visit)

    def group(title: str, name: str, options: list[tuple[str, str]]) -> Html:
        chosen = what.filters.get(name, "")
        links = [(text, what.url("/search/filters", **{name: value}), chosen == value) for value, text in options]
        return parts.section(title, parts.chips(links, title))

    cuisines = [(str(row["id"]), str(row["name"])) for row in db.rows("SELECT * FROM cuisines ORDER BY id")]
    body = [
        group("Cuisine", "cuisine", [("", "All cuisines"), *cuisines]),
        group("Area", "area", [("", "All areas"), *((area, area) for area in areas(db))]),
        group("Price", "price", [("", "Any price"), *((str(level), word) for level, word in LEVELS.items())]),
        group("Rating", "rating", [("", "Any rating"), ("40", "4.0 and up"), ("45", "4.5 and up")]),
        group("Delivery", "free", [("", "Any fee"), ("1", "Free delivery")]),
        group("Hours", "open", [("", "Open or closed"), ("1", "Open now")]),
        group("Sort by", "sort", [(key, word) for key, (word, _) in SORTS.items()]),
        parts.link(what.url(), "Show results"),
        parts.link(SITE.url("/search", q=what.q), "Clear all filters", style="quiet"),
    ]
    fitting = counted(len(found(db, what)), "restaurant")
    return Screen("Filters", join(body), back=what.url(), subtitle=fitting)


def _chips(db: Database, what: Wanted) -> Html:
    count = len(what.filters)
    links = [(f"Filters ({count})" if count else "Filters", what.url("/search/filters"), False)]
    for name, value, word in (
        ("open", "1", "Open now"),
        ("free", "1", "Free delivery"),
        ("rating", "45", "4.5 and up"),
    ):
        on = what.filters.get(name) == value
        links.append((word, what.url(**{name: "" if on else value}), on))
    if "cuisine" in what.filters:
        name = db.one("SELECT name FROM cuisines WHERE id = ?", int(what.filters["cuisine"])) or "Unknown"
        links.append((f"Only {name}", what.url(cuisine=""), True))
    if "area" in what.filters:
        links.append((f"In {what.filters['area']}", what.url(area=""), True))
    if "price" in what.filters:
        links.append((LEVELS[int(what.filters["price"])], what.url(price=""), True))
    return parts.chips(links)


def _dishes(db: Database, what: Wanted, places: set[int]) -> Html:
    rows = db.rows(
        "SELECT d.*, r.name AS place, c.icon FROM dishes d JOIN restaurants r ON r.id = d.restaurant "
        "JOIN cuisines c ON c.id = r.cuisine WHERE "
        "instr(fold(d.name), fold(?)) ORDER BY r.rating DESC, r.id, d.id",
        what.q,
    )
    fitting = [row for row in rows if row["restaurant"] in places][:_FOUND_DISHES]
    if not fitting:
        return Html()
    preferred = diet(db)
    lines = [dish_row(db, row, preferred, row["icon"], place=row["place"]) for row in fitting]
    return parts.section(f"Dishes with “{what.q}”", parts.rows(lines))
