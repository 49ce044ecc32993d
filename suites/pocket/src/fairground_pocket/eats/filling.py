"""Fills a profile: the restaurants of a town with their menus, and a year of orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from fairground_pocket.eats import menus, words
from fairground_pocket.eats.schema import ALERTS, DIETS
from fairground_pocket.eats.store import discounted, is_open, order_number, share
from fairground_pocket.kit import Cast, Database, Draw

# Value of one menu unit in the smallest coin, and the step to which prices are rounded.
_MONEY: Final = {
    "NGN": (65_000, 5_000), "SEK": (1_300, 100), "EUR": (100, 10), "JPY": (100, 10), "TRY": (3_500, 500),
    "MAD": (700, 100), "GBP": (95, 5), "COP": (2_500, 500), "INR": (3_000, 500), "CAD": (130, 5),
}  # fmt: skip
_NUMBER_FIRST: Final = frozenset({"Nigeria", "United Kingdom", "Canada", "India", "Morocco"})
_LEVELS: Final = {1: 0.88, 2: 1.02, 3: 1.22}
_SHOWN: Final = 0.72  # share of a cuisine's dishes that a restaurant offers
_DAYS: Final = 330
_ORDERS: Final = 84


@dataclass
class _Town:
    """A profile under construction, with its random generator and its currency."""

    db: Database
    cast: Cast
    draw: Draw
    menu: dict[int, list[tuple[int, str, int, list[int]]]] = field(default_factory=dict)
    """Restaurant -> its dishes on sale: id, name, price and option groups."""
    options: dict[int, list[tuple[int, str, int]]] = field(default_factory=dict)
    """Option group -> id, name and price of each option."""
    required: dict[int, bool] = field(default_factory=dict)

    def money(self, units: float, step: int = 0) -> int:
        """An amount in the smallest coin, rounded like a price."""
        unit, usual = _MONEY[self.cast.currency]
        step = step or usual
        return max(round(units * unit / step), 1 if units > 0 else -(10**9)) * step

    def street(self) -> str:
        name, number = self.draw.choice(self.cast.streets), self.draw.integer(2, 148)
        return f"{number} {name}" if self.cast.country in _NUMBER_FIRST else f"{name} {number}"


def fill(db: Database, cast: Cast, draw: Draw) -> None:
    """Fills the empty database of a profile."""
    town = _Town(db, cast, draw)
    _settings(town)
    kitchens = _kitchens(town)
    for number, (name, cuisine) in enumerate(kitchens, 1):
        _restaurant(town, number, name, cuisine)
    _hours_and_ratings(town)
    _people_reviews(town)
    _places(town)
    _promos(town)
    _history(town)
    _favourites(town)


def _settings(town: _Town) -> None:
    town.db.insert("cart", id=1, tip_percent=0, tip_amount=0, note="", cutlery=0, at_door=0)
    for number, (key, _, _) in enumerate(DIETS):
        town.db.set(f"diet_{key}", town.draw.chance(0.25) and number != 1)
    for key, _, _ in ALERTS:
        town.db.set(f"alert_{key}", town.draw.chance(0.6))


def _kitchens(town: _Town) -> list[tuple[str, str]]:
    """Names with their cuisines, shuffled: the town's own restaurants, and three of every common cuisine."""
    own = menus.towns()[town.cast.name]
    kitchens = [(name, own.cuisine) for name in own.kitchens]
    for cuisine, names in menus.everywhere().items():
        kitchens += [(name, cuisine) for name in town.draw.sample(names, 3)]
    known = [own.cuisine, *menus.everywhere()]
    for name in known:
        town.db.insert("cuisines", name=name, icon=menus.cuisines()[name].icon)
    return town.draw.shuffled(kitchens)


def _restaurant(town: _Town, number: int, name: str, cuisine: str) -> None:
    db, draw = town.db, town.draw
    level = draw.weighted(((1, 3.0), (2, 5.0), (3, 2.0)))
    fast = 10
    phone = f"{town.cast.dial} {draw.integer(20, 98)} {draw.integer(100, 999)} {draw.integer(1000, 9999)}"
    db.insert(
        "restaurants", id=number, name=name,
        cuisine=db.one("SELECT id FROM cuisines WHERE name = ?", cuisine), area=draw.choice(town.cast.districts),
        street=town.street(), phone=phone, rating=0, ratings=draw.integer(38, 2400), price=level,
        fee=0 if draw.chance(0.3) else town.money(draw.integer(4, 12) / 3), minimum=town.money(draw.integer(5, 9)),
        fast=fast, slow=fast, opens="", closes="", rests=-1,
    )  # fmt: skip
    town.menu[number] = []
    groups: dict[str, int] = {}
    factor = _LEVELS[level] * (0.96 + 0.08 * draw.share())
    own = menus.towns()[town.cast.name]
    drinks = menus.cuisines()[menus.DRINKS].sections[0]
    local = tuple(menus.Dish(drink, 2.6, "Vg", "From here") for drink in own.drinks)
    drinks = menus.Section(drinks.name, (), (*local, *draw.sample(drinks.dishes, 3)))
    for place, section in enumerate((*menus.cuisines()[cuisine].sections, drinks)):
        count = len(section.dishes) if section is drinks else max(2, round(_SHOWN * len(section.dishes)))
        chosen = {dish.name for dish in draw.sample(section.dishes, count)}
        key = db.insert("sections", restaurant=number, name=section.name, place=place)
        for group in section.groups:
            groups[group] = groups.get(group) or _group(town, number, menus.groups()[group])
            db.insert("section_choices", section=key, choice=groups[group])
        for dish in section.dishes:
            if dish.name in chosen:
                _dish(town, number, key, dish, factor, [groups[group] for group in section.groups])


def _group(town: _Town, restaurant: int, group: menus.Group) -> int:
    key = town.db.insert(
        "choices", restaurant=restaurant, name=group.name, required=group.required, most=group.most
    )  # fmt: skip
    priced = [(name, 0 if price == 0 else town.money(price)) for name, price in group.options]
    town.options[key] = [
        (town.db.insert("options", choice=key, name=name, price=price), name, price) for name, price in priced
    ]
    town.required[key] = group.required
    return key


def _dish(town: _Town, restaurant: int, section: int, dish: menus.Dish, factor: float, groups: list[int]) -> None:
    price = town.money(dish.price * factor * (0.95 + 0.1 * town.draw.share()))
    sold_out = bool(groups) and town.draw.chance(0.05)
    number = town.db.insert(
        "dishes", restaurant=restaurant, section=section, name=dish.name, about=dish.about, price=price,
        vegetarian="v" in dish.marks or "V" in dish.marks, vegan="V" in dish.marks, gluten_free="g" in dish.marks,
        spicy="s" in dish.marks, nuts="n" in dish.marks, popular=bool(groups) and town.draw.chance(0.22),
        sold_out=sold_out,
    )  # fmt: skip
    if not sold_out:
        town.menu[restaurant].append((number, dish.name, price, groups))


def _hours_and_ratings(town: _Town) -> None:
    """Ratings and delivery times differ within a cuisine, so that the best and the fastest are unique."""
    db, draw = town.db, town.draw

    def quarter(first: int, last: int) -> str:
        """A time, in quarters of an hour since midnight."""
        at = draw.integer(first, last)
        return f"{at // 4:02}:{at % 4 * 15:02}"

    for cuisine in db.rows("SELECT * FROM cuisines ORDER BY id"):
        ids = db.column("SELECT id FROM restaurants WHERE cuisine = ? ORDER BY id", cuisine["id"])
        ratings = draw.sample(range(36, 50), len(ids))
        speeds = draw.sample(range(10, 45), len(ids))
        early = cuisine["name"] == "Coffee and bakery"
        for place, (number, rating, fast) in enumerate(zip(ids, ratings, speeds, strict=True)):
            opens = "07:00" if early or place % 3 == 0 else draw.choice(("09:00", "10:00", "11:00", "11:30", "12:00"))
            closes = quarter(72, 78) if early else quarter(83, 95)
            rests = draw.integer(0, 6) if place % 3 and draw.chance(0.3) else -1
            db.run(
                "UPDATE restaurants SET rating = ?, fast = ?, slow = ?, opens = ?, closes = ?, rests = ? WHERE id = ?",
                rating, fast, fast + draw.choice((8, 10, 12, 15)), opens, closes, rests, number,
            )  # fmt: skip


def _people_reviews(town: _Town) -> None:
    db, draw = town.db, town.draw
    firsts = sorted({person.first for person in town.cast.people})
    for restaurant in db.rows("SELECT id, rating FROM restaurants ORDER BY id"):
        at = town.cast.now
        for author in draw.sample(firsts, draw.integer(4, 8)):
            at -= timedelta(hours=draw.integer(20, 260), minutes=draw.integer(0, 59))
            good = (restaurant["rating"] - 30) / 20
            stars = draw.weighted(((5, good), (4, 0.6), (3, 0.5 - good / 3), (2, 0.25 - good / 5)))
            db.insert(
                "reviews", restaurant=restaurant["id"], author=f"{author} {draw.choice('ABCDEFGHKLMNPRST')}.",
                stars=stars, text=draw.choice(words.REVIEWS[stars]), time=at.isoformat(),
            )  # fmt: skip


def _places(town: _Town) -> None:
    db, draw, cast = town.db, town.draw, town.cast
    friend, parent = cast.of("friend")[0], cast.of("family")[0]
    labels = ("Home", "Work", f"{parent.first}'s place", f"{friend.first}'s flat", "Sports club")
    for number, label in enumerate(labels):
        db.insert(
            "addresses", label=label, street=town.street(), area=draw.choice(cast.districts),
            door=draw.choice(words.DOORS), note=draw.choice(words.COURIER_NOTES) if draw.chance(0.6) else "",
            is_default=number == 0,
        )  # fmt: skip
    expires = f"{draw.integer(1, 12):02}/{cast.now.year % 100 + draw.integer(1, 4)}"
    for number, brand in enumerate(("Visa", "Mastercard", "Meal card")):
        last4 = str(draw.integer(1000, 9999))
        db.insert(
            "methods", label=f"{brand} {last4}", kind="card", last4=last4, expires=expires, is_default=number == 0
        )  # fmt: skip
    db.insert("methods", label="Cash on delivery", kind="cash", last4="", expires="", is_default=0)


def _promos(town: _Town) -> None:
    db, draw = town.db, town.draw
    city = "".join(letter for letter in town.cast.name.partition("-")[2].upper() if letter.isalpha())
    own = menus.towns()[town.cast.name].cuisine
    percent = draw.choice((10, 12, 15, 18))
    entries = (
        ("HELLO10", "10% off your first order", "percent", 10, 0.0, "", 40, 1),
        (f"{city}{percent}", f"{percent}% off for you", "percent", percent, draw.integer(12, 18), "", 21, 0),
        ("FREEBIKE", "Free delivery", "delivery", 0, draw.integer(10, 14), "", 9, 0),
        ("SLICE20", "20% off pizza", "percent", 20, draw.integer(9, 13), "Pizza", 14, 0),
        ("SWEET25", "25% off desserts", "percent", 25, draw.integer(6, 9), "Desserts", 30, 0),
        ("ROLLIN15", "15% off sushi", "percent", 15, draw.integer(12, 16), "Sushi", 12, 0),
        ("BIGTABLE", "A gift for big orders", "amount", draw.integer(5, 7), draw.integer(34, 42), "", 18, 0),
        ("HOMETOWN", f"Money off {own} food", "amount", draw.integer(2, 4), draw.integer(13, 18), own, 25, 0),
        ("GREEN10", "10% off bowls and salads", "percent", 10, draw.integer(8, 12), "Bowls", 33, 0),
        ("LASTWEEK", "12% off everything", "percent", 12, draw.integer(8, 12), "", -6, 0),
    )  # fmt: skip
    for code, title, kind, value, minimum, cuisine, days, used in entries:
        db.insert(
            "promos", code=code, title=title, kind=kind, value=town.money(value) if kind == "amount" else value,
            minimum=town.money(minimum) if minimum else 0,
            cuisine=db.one("SELECT id FROM cuisines WHERE name = ?", cuisine),
            until=f"{town.cast.now + timedelta(days=days):%Y-%m-%d}", used=used,
        )  # fmt: skip


def _history(town: _Town) -> None:
    """Orders of the past year in chronological order, a current one and a scheduled one."""
    db, draw, now = town.db, town.draw, town.cast.now
    rows = {row["id"]: row for row in db.rows("SELECT * FROM restaurants ORDER BY id")}
    usual = draw.sample(list(rows), 17)
    weights = [(number, 1.0 + 5.0 * draw.share()) for number in usual]
    moments: list[tuple[datetime, int]] = []
    for step in range(_ORDERS):
        number = usual[step] if step < len(usual) else draw.weighted(weights)
        day = now - timedelta(days=draw.integer(2, _DAYS))
        while day.weekday() == rows[number]["rests"]:
            day -= timedelta(days=1)
        hour = draw.integer(12, 14) if rows[number]["closes"] < "20:00" or draw.chance(0.3) else draw.integer(17, 19)
        moments.append((day.replace(hour=hour, minute=draw.integer(1, 58), second=draw.integer(0, 59)), number))
    moments.sort()
    firsts = draw.sample(sorted({person.first for person in town.cast.people}), 9)
    lasts = draw.sample(sorted({person.name.split()[-1] for person in town.cast.people}), 9)
    couriers = [f"{first} {last}" for first, last in zip(firsts, lasts, strict=True)]
    places, ways = (db.rows(f"SELECT * FROM {table} ORDER BY id") for table in ("addresses", "methods"))
    for step, (placed, number) in enumerate(moments):
        costs = {"placed": placed, "promo": "HELLO10" if step == 0 else "", "cancelled": draw.chance(0.05)}
        order = _order(town, rows[number], places, ways, couriers, costs)
        if not costs["cancelled"] and step < len(moments) - 9 and draw.chance(0.55):
            _my_review(town, number, order, placed)
        if step >= len(moments) - 12:
            _told(town, order, rows[number]["name"], placed, rows[number]["slow"])
    early = now - timedelta(minutes=34)
    here = [row for row in rows.values() if row["slow"] >= 30 and is_open(row, now) and is_open(row, early)]
    under_way = max(here, key=lambda row: (row["slow"], row["id"]))
    placed = now - timedelta(minutes=under_way["slow"] // 2 + 4, seconds=15)
    order = _order(town, under_way, places, ways, couriers, {"placed": placed})
    _told(town, order, under_way["name"], placed, None)
    later = rows[draw.choice([number for number in usual if number != under_way["id"]])]
    day = now + timedelta(days=2)
    while day.weekday() == later["rests"]:
        day += timedelta(days=1)
    slot = day.replace(hour=13, minute=0, second=0, microsecond=0).isoformat()
    _order(town, later, places, ways, couriers, {"placed": now - timedelta(minutes=7), "slot": slot})


def _order(
    town: _Town, restaurant: Any, places: Sequence[Any], ways: Sequence[Any], couriers: Sequence[str],
    given: Mapping[str, Any],
) -> int:  # fmt: skip
    db, draw = town.db, town.draw
    placed, slot = given["placed"], given.get("slot")
    lines = []
    menu = town.menu[restaurant["id"]]
    main = draw.choice([dish for dish in menu if dish[3]])
    others = [dish for dish in menu if dish is not main]
    for dish, name, price, groups in (main, *draw.sample(others, draw.integer(0, 3))):
        chosen: list[tuple[int, str, int]] = []
        for group in groups:
            if town.required[group] or draw.chance(0.3):
                chosen.append(draw.choice(town.options[group]))
        each = price + sum(option[2] for option in chosen)
        lines.append((dish, name, sorted(chosen), draw.weighted(((1, 5.0), (2, 3.0), (3, 1.0))), each))
    subtotal = sum(quantity * each for *_, quantity, each in lines)
    while subtotal < restaurant["minimum"]:  # reach the minimum order
        dish, name, chosen, quantity, each = lines[0]
        lines[0] = dish, name, chosen, quantity + 1, each
        subtotal += each
    place = places[draw.weighted(((0, 6.0), (1, 3.0), (2, 0.7), (3, 0.7), (4, 0.4)))]
    way = ways[draw.weighted(((0, 6.0), (1, 2.0), (2, 2.0), (3, 1.0)))]
    discount = discounted("percent", 10, subtotal, 0) if given.get("promo") else 0
    tip = share(subtotal, draw.weighted(((0, 5.0), (5, 2.0), (10, 3.0), (15, 1.0))))
    number = db.insert(
        "orders", restaurant=restaurant["id"], placed=placed.isoformat(), slot=slot,
        due=slot or (placed + timedelta(minutes=restaurant["slow"])).isoformat(), label=place["label"],
        street=place["street"], area=place["area"], door=place["door"], method=way["label"], subtotal=subtotal,
        fee=restaurant["fee"], discount=discount, tip=tip, total=subtotal - discount + restaurant["fee"] + tip,
        promo=given.get("promo", ""), note="", cutlery=draw.chance(0.2), at_door=draw.chance(0.2),
        courier=draw.choice(couriers), cancelled=int(given.get("cancelled", False)),
    )  # fmt: skip
    for dish, name, chosen, quantity, each in lines:
        options = ", ".join(option[1] for option in chosen)
        note = draw.choice(words.KITCHEN_NOTES) if draw.chance(0.08) else ""
        line = db.insert(
            "order_lines", of_order=number, dish=dish, name=name, chosen=options, quantity=quantity, price=each,
            note=note,
        )  # fmt: skip
        db.many("INSERT INTO order_options VALUES (?, ?)", [(line, option[0]) for option in chosen])
    return number


def _my_review(town: _Town, restaurant: int, order: int, placed: datetime) -> None:
    stars = town.draw.weighted(((5, 4.0), (4, 3.0), (3, 1.5), (2, 0.7)))
    town.db.insert(
        "reviews", restaurant=restaurant, author=town.cast.owner.name, stars=stars,
        text=town.draw.choice(words.REVIEWS[stars]), of_order=order,
        time=(placed + timedelta(hours=town.draw.integer(2, 20))).isoformat(),
    )  # fmt: skip


def _told(town: _Town, order: int, restaurant: str, placed: datetime, slow: int | None) -> None:
    """The app's notifications about an order, during and after delivery."""
    number = order_number(order)
    messages = [("Order placed", f"{restaurant} has your order {number}.", placed + timedelta(seconds=5))]
    if slow is None:
        messages.append(("On the way", f"Your order {number} has left {restaurant}.", placed + timedelta(minutes=18)))
    else:
        at = placed + timedelta(minutes=slow)
        messages.append(("Delivered", f"Order {number} from {restaurant} is here. Enjoy your meal!", at))
    for title, text, time in messages:
        town.db.insert(
            "notices", title=title, text=text, time=time.isoformat(), of_order=order, seen=int(slow is not None)
        )  # fmt: skip


def _favourites(town: _Town) -> None:
    often = town.db.column("SELECT restaurant FROM orders GROUP BY restaurant ORDER BY count(*) DESC, restaurant")
    for number in sorted(often[:12:2]):
        town.db.insert("favourites", restaurant=number)
