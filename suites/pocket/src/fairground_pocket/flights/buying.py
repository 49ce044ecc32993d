"""Screens for buying: travellers, bags, payment method, and a review before paying."""

from __future__ import annotations

from collections.abc import Callable

from fairground_pocket.flights.listing import cabin_name, leg_card, party
from fairground_pocket.flights.schema import CABINS, SITE
from fairground_pocket.flights.store import Order, balance, book, is_child, money, option, order_price, points_worth
from fairground_pocket.kit import Database, Field, Filled, Form, Go, Gone, Html, Screen, Visit, join, parts

MOST_BAGS = 3
POINTS = (0, 500, 1_000, 1_500, 2_000, 5_000, 10_000)
CARRIED = ("out", "back", "cabin", "fare", "adults", "children")
"""The query parameters that are passed on from the choice of flights to the payment."""


def checkout_form(db: Database) -> Form:
    """The checkout form."""
    people = [
        (
            str(row["id"]),
            row["name"],
            ("Child" if is_child(db, row["id"]) else "Adult") + f" · {row['document']} {row['number']}",
        )
        for row in db.rows("SELECT * FROM travellers ORDER BY me DESC, name")
    ]
    cards = [
        (str(row["id"]), row["name"], f"Expires {row['expires']}") for row in db.rows("SELECT * FROM cards ORDER BY id")
    ]
    left = balance(db)
    points = [
        (
            str(amount),
            f"{amount:,} points" if amount else "No points",
            f"{money(db, points_worth(db, amount))} off" if amount else "",
        )
        for amount in POINTS
        if amount <= left
    ]
    return Form(
        Field("travellers", "Travellers", "checks", options=people),
        Field(
            "bags",
            "Extra bags each",
            "stepper",
            high=MOST_BAGS,
            hint=f"{money(db, int(db.setting('bag_price')))} a bag",
        ),
        Field("card", "Pay with", "sheet", required=True, options=cards),
        Field("points", "Points to use", "sheet", required=True, options=points),
        Field("email", "Confirmation to", limit=120, required=True, keyboard="email", check=_email),
        *(Field(name, name, "hidden", limit=40) for name in CARRIED),
        key="checkout",
    )


@SITE.get("/checkout")
def checkout(visit: Visit) -> Screen:
    """Travellers and payment; query parameters fill fields in."""
    db = visit.db
    carried = _carried(visit.query)
    me = db.one("SELECT id FROM travellers WHERE me = 1")
    preferred = db.one("SELECT id FROM cards ORDER BY preferred DESC, id LIMIT 1")
    values = {**carried, "bags": "0", "points": "0", "email": db.setting("address"), "card": str(preferred)}
    ticked = (str(me),) if carried["adults"] == "1" else ()
    return _page(db, Filled(values, {"travellers": ticked}))


@SITE.post("/checkout")
def check(visit: Visit) -> Screen | Go:
    """Validates the checkout form, and goes on to the review."""
    db = visit.db
    carried = _carried(visit.form)
    filled = checkout_form(db).read(visit)
    adults, children = int(carried["adults"]), int(carried["children"])
    young = sum(is_child(db, int(number)) for number in filled.chosen["travellers"])
    if (len(filled.chosen["travellers"]) - young, young) != (adults, children):
        filled = filled.wrong("travellers", f"Choose {party(adults, children)}")
    if not filled.ok:
        return _page(db, Filled(filled.values, filled.chosen) if filled.again else filled)
    order = _order(db, filled.__getitem__, tuple(int(number) for number in filled.chosen["travellers"]))
    if points_worth(db, int(filled["points"])) > sum(order_price(db, order)):
        return _page(db, filled.wrong("points", "These are worth more than the trip"))
    chosen = {name: filled[name] for name in ("bags", "card", "points", "email")}
    return Go(SITE.url("/review", **carried, **chosen, travellers=".".join(filled.chosen["travellers"])))


def _page(db: Database, filled: Filled) -> Screen:
    order = _order(db, filled.__getitem__, travellers=())
    body, sheets = checkout_form(db).show(SITE.url("/checkout"), filled, submit="Review and pay")
    page = join([_summary(db, order), body])
    adults, children = int(filled["adults"]), int(filled["children"])
    back = SITE.url("/fares", **{name: filled[name] for name in CARRIED if name != "fare"})
    return Screen("Travellers and payment", page, back=back, subtitle=party(adults, children), sheets=sheets)


@SITE.get("/review")
def review(visit: Visit) -> Screen:
    """A review before paying: flights, travellers and price."""
    db = visit.db
    order = _order(db, visit.query)
    fares, bags, less = order_price(db, order)
    names = [db.one("SELECT name FROM travellers WHERE id = ?", traveller) for traveller in order.travellers]
    card = db.one("SELECT name FROM cards WHERE id = ?", order.card)
    lines = [("Flights", money(db, fares))]
    lines += [(f"{order.extra_bags * len(names)} extra bags", money(db, bags))] if bags else []
    lines += [(f"{order.points:,} points", money(db, -less))] if less else []
    sent = {name: visit.query(name) for name in (*CARRIED, "bags", "card", "points", "email", "travellers")}
    body = join([
        _summary(db, order),
        parts.section("Travellers", parts.card(*(parts.text(name) for name in names))),
        parts.section("Price", parts.card(parts.facts([*lines, ("To pay now", money(db, fares + bags - less))]))),
        parts.text(f"Paid with {card}. The confirmation goes to {order.email}.", "small muted"),
        parts.button(SITE.url("/pay"), "Pay now", symbol="lock", **sent),
    ])  # fmt: skip
    back = SITE.url("/checkout", **{name: visit.query(name) for name in CARRIED})
    return Screen("Review and pay", body, back=back, subtitle=money(db, fares + bags - less))


@SITE.post("/pay")
def pay(visit: Visit) -> Go:
    """Books the flights and pays."""
    db = visit.db
    number = book(db, _order(db, visit.form))
    row = visit.found("SELECT code FROM bookings WHERE id = ?", number)
    db.insert("notices", text=f"Booked: {row['code']}", time=db.now.isoformat(), booking=number, seen=0)
    return Go(SITE.url(f"/trips/{number}"), f"Booked. Your code is {row['code']}")


def _summary(db: Database, order: Order) -> Html:
    fare = db.one("SELECT name FROM fares WHERE key = ?", order.fare)
    cards = []
    for name, ids in order.legs.items():
        rows = [db.row("SELECT * FROM flights WHERE id = ?", number) for number in ids]
        cards.append(leg_card(db, "Outbound" if name == "out" else "Return", [row for row in rows if row]))
    words = parts.tag(f"{cabin_name(order.cabin)} {fare}", strong=True)
    return join([words, *cards])


def _carried(get: Callable[[str], str]) -> dict[str, str]:
    """The checkout's query parameters, with valid counts."""
    values = {name: get(name) for name in CARRIED}
    for name, low, high in (("adults", 1, 4), ("children", 0, 3)):
        text = values[name]
        values[name] = text if text.isascii() and text.isdigit() and low <= int(text[:4]) <= high else str(low)
    return values


def _order(db: Database, get: Callable[[str], str], travellers: tuple[int, ...] | None = None) -> Order:
    """An order from query parameters or a form. Raises `Gone` for a choice that the pages do not offer."""
    legs = {}
    for name in ("out", "back"):
        if get(name):
            way = option(db, get(name))
            if way is None:
                raise Gone
            legs[name] = tuple(int(flight["id"]) for flight in way.flights)
    if "out" not in legs or get("cabin") not in CABINS:
        raise Gone
    if not db.one("SELECT 1 FROM fares WHERE key = ?", get("fare")):
        raise Gone
    if travellers is not None:
        return Order(legs, get("cabin"), get("fare"), travellers, 0, 0, 0, "")
    people = [_known(db, "travellers", text) for text in get("travellers").split(".")]
    card, bags, points = _known(db, "cards", get("card")), get("bags"), get("points")
    known = {str(amount) for amount in POINTS if amount <= balance(db)}
    if bags not in {str(number) for number in range(MOST_BAGS + 1)} or points not in known or _email(get("email")):
        raise Gone
    carried = _carried(get)
    young = sum(is_child(db, traveller) for traveller in people)
    if len(set(people)) != len(people) or (len(people) - young, young) != (
        int(carried["adults"]),
        int(carried["children"]),
    ):
        raise Gone
    order = Order(legs, get("cabin"), get("fare"), tuple(people), int(bags), card, int(points), get("email"))
    fares, more, _ = order_price(db, order)
    if points_worth(db, order.points) > fares + more:
        raise Gone
    return order


def _known(db: Database, table: str, text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0
    if not db.one(f"SELECT 1 FROM {table} WHERE id = ?", number):
        raise Gone
    return number


def _email(text: str) -> str | None:
    name, _, domain = text.partition("@")
    fine = name and "." in domain and " " not in text and len(text) <= 120
    return None if fine else "Write an email address, such as name@example.com"
