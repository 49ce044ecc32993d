"""Screens for finding a flight: the search form, results with filters, fares."""

from __future__ import annotations

from datetime import date, timedelta

from fairground_pocket.flights.listing import (
    airline,
    cabin_name,
    city,
    day,
    leg_card,
    option_row,
    party,
    rules,
    short_day,
)
from fairground_pocket.flights.schema import CABINS, DAYS_AHEAD, SITE
from fairground_pocket.flights.store import Option, find, money, option, place, total_price
from fairground_pocket.kit import Database, Field, Filled, Form, Go, Gone, Html, Screen, Visit, html, icon, join, parts

PARTS = {"morning": ("Morning", 0, 12), "afternoon": ("Afternoon", 12, 18), "evening": ("Evening", 18, 24)}
SORTS = {"price": "Cheapest", "time": "Fastest", "early": "Earliest"}
KEPT = ("origin", "destination", "day", "back", "adults", "children", "cabin")
MOST_ADULTS, MOST_CHILDREN = 4, 3


def search_form(db: Database) -> Form:
    """The search form."""
    places = [(code, f"{name} ({code})", land) for code, name, land in
              db.rows("SELECT code, city, country FROM airports ORDER BY city")]  # fmt: skip
    today = db.now.date()
    return Form(
        Field("trip", "Trip", "radio", options=(("return", "Return"), ("oneway", "One way"))),
        Field("origin", "From", "sheet", required=True, options=places),
        Field("destination", "To", "sheet", required=True, options=places),
        Field("day", "Departure date", "date", required=True, start=today, high=DAYS_AHEAD, half=True),
        Field("back", "Return date", "date", start=today, high=DAYS_AHEAD, half=True),
        Field("adults", "Adults", "stepper", low=1, high=MOST_ADULTS),
        Field("children", "Children", "stepper", high=MOST_CHILDREN, hint="Under 12"),
        Field("cabin", "Cabin", "sheet", required=True, options=[(key, name) for key, (name, _) in CABINS.items()]),
        key="search",
    )


@SITE.get("/")
def start(visit: Visit) -> Screen:
    """The search form; query parameters fill fields in."""
    db = visit.db
    values = {name: visit.query(name) for name in KEPT}
    values["trip"] = visit.query("trip") or "return"
    values["origin"] = values["origin"] or db.setting("home")
    values["cabin"] = values["cabin"] or db.setting("default_cabin")
    allowed = {field.name: {option[0] for option in field.options} for field in search_form(db).fields if field.options}
    for name, known in allowed.items():
        values[name] = values[name] if values[name] in known else ""
    for name in ("day", "back"):
        values[name] = values[name] if _is_day(values[name]) else ""
    for name, low, high in (("adults", 1, MOST_ADULTS), ("children", 0, MOST_CHILDREN)):
        values[name] = str(_number(values[name], low, high))
    return _start(db, Filled(values))


@SITE.post("/")
def search(visit: Visit) -> Screen | Go:
    """Goes to the results, and saves the search in the recent ones."""
    db = visit.db
    filled = search_form(db).read(visit)
    if filled["origin"] and filled["origin"] == filled["destination"]:
        filled = filled.wrong("destination", "This is where you start")
    if filled["trip"] == "return":
        if not filled["back"]:
            filled = filled.wrong("back", "Choose return date")
        elif filled["day"] and filled["back"] < filled["day"]:
            filled = filled.wrong("back", "This is before you leave")
    if not filled.ok:
        # The buttons of a stepper only redraw the form, so no field is marked as wrong.
        return _start(db, Filled(filled.values) if filled.again else filled)
    back = filled["back"] if filled["trip"] == "return" else ""
    _remember(db, filled, back)
    return Go(SITE.url("/results", **{**{name: filled[name] for name in KEPT}, "back": back}))


def _remember(db: Database, filled: Filled, back: str) -> None:
    """Saves the three latest searches in rows that always exist, so that a search does not add rows."""
    for number in (3, 2):
        db.run(
            "UPDATE recent SET (origin, destination, day, back, adults, children, cabin) = (SELECT origin, "
            "destination, day, back, adults, children, cabin FROM recent WHERE place = ?) WHERE place = ?",
            number - 1, number,
        )  # fmt: skip
    db.run(
        "UPDATE recent SET origin = ?, destination = ?, day = ?, back = ?, adults = ?, children = ?, cabin = ? "
        "WHERE place = 1",
        filled["origin"], filled["destination"], filled["day"], back, int(filled["adults"]), int(filled["children"]),
        filled["cabin"],
    )  # fmt: skip


def _start(db: Database, filled: Filled) -> Screen:
    body, sheets = search_form(db).show(SITE.url("/"), filled, submit="Search flights")
    recent = []
    for row in db.rows("SELECT * FROM recent ORDER BY place"):
        note = short_day(row["day"]) + (f" \u2013 {short_day(row['back'])}" if row["back"] else "")
        title = f"{city(db, row['origin'])} to {city(db, row['destination'])}"
        href = SITE.url("/results", **{name: row[name] for name in KEPT})
        words = f"{note} · {party(row['adults'], row['children'])} · {cabin_name(row['cabin'])}"
        recent.append(parts.row(href, title, name=f"Search {row['place']}: {title}", note=words, lead=icon("clock")))
    unseen = db.one("SELECT count(*) FROM notices WHERE seen = 0")
    page = join([body, parts.section("Recent searches", parts.rows(recent)), _deals(db)])
    bell = parts.bar_link(SITE.url("/notices"), "Notifications", "bell", count=unseen)
    return Screen("Where to?", page, tab="book", actions=[bell], sheets=sheets)


def _deals(db: Database) -> Html:
    home = db.setting("home")
    rows = db.rows(
        "SELECT f.destination, a.city, min(f.price) AS price, f.departs FROM flights f JOIN airports a ON a.code = "
        "f.destination WHERE f.origin = ? AND f.departs > ? GROUP BY f.destination ORDER BY price, a.city LIMIT 6",
        home, (db.now + timedelta(days=2)).isoformat(),
    )  # fmt: skip
    tiles = [
        parts.tile(
            SITE.url("/results", origin=home, destination=row["destination"], day=row["departs"][:10]), row["city"],
            name=f"Deal to {row['city']}", symbol="plane",
            note=f"from {money(db, row['price'])} · {short_day(row['departs'])}",
        )
        for row in rows
    ]  # fmt: skip
    return parts.section(f"Good prices from {city(db, home)}", parts.tiles(tiles))


# --- results ---------------------------------------------------------------------------------------------------------


@SITE.get("/results")
def results(visit: Visit) -> Screen:
    """Options for the outbound or return leg, filtered and sorted."""
    db = visit.db
    asked = asked_for(visit)
    out = option(db, visit.query("out")) if visit.query("out") else None
    if visit.query("out") and (out is None or not asked["back"]):
        raise Gone
    ends = (asked["destination"], asked["origin"]) if out else (asked["origin"], asked["destination"])
    on = str(asked["back"] if out else asked["day"])
    adults, children, cabin = int(asked["adults"]), int(asked["children"]), str(asked["cabin"])
    people = party(adults, children)
    every = [
        option
        for option in find(db, str(ends[0]), str(ends[1]), on)
        if not out or option.flights[0]["starts"] > out.flights[-1]["ends"]
    ]
    chosen = _chosen(visit.query("only"))
    sort = visit.query("sort") if visit.query("sort") in SORTS else "early"

    def here(**other: object) -> str:
        current = {**asked, "out": visit.query("out"), "sort": visit.query("sort"), "only": _only(chosen)}
        return SITE.url("/results", **{**current, **other})

    def price(one: Option) -> int:
        return total_price(db, [flight["id"] for flight in one.flights], cabin, "light", adults, children)

    prices = {option.key: price(option) for option in every}
    shown = _filtered(every, prices, chosen)
    orders = {
        "price": lambda option: prices[option.key],
        "time": lambda option: option.minutes,
        "early": lambda option: 0,
    }
    shown.sort(key=orders[sort])
    rows = []
    for way in shown:
        if asked["back"] and not out:
            href = SITE.url("/results", **asked, out=way.key)
        else:
            legs = {"out": out.key, "back": way.key} if out else {"out": way.key}
            href = SITE.url("/fares", **legs, **{name: asked[name] for name in ("adults", "children", "cabin")})
        rows.append(option_row(db, way, href, money(db, prices[way.key])))
    sorts = [(name, here(sort=key), sort == key) for key, name in SORTS.items()]
    listed = (
        parts.rows(rows, "Flights")
        if rows
        else parts.empty("plane", "No flights fit", "Try another day or fewer filters")
    )
    head = "Return flight" if out else "Outbound flight" if asked["back"] else "Flights"
    count = f"{head}: {len(shown)} of {len(every)} · {day(on)}"
    active = sum(map(bool, chosen.values()))
    body = join(
        [
            _days(on, here, bool(out)),
            parts.chips(sorts, "Sorting"),
            parts.text(count, "small muted"),
            listed,
            parts.text(f"Prices for {people} in {cabin_name(cabin)} Light. Times are local.", "small muted"),
        ]
    )
    return Screen(
        f"{city(db, str(ends[0]))} to {city(db, str(ends[1]))}",
        body,
        back=SITE.url("/", **asked),
        subtitle=f"{short_day(on)} · {people} · {cabin_name(cabin)}",
        actions=[parts.bar_link("#filters", "Filters", "filter", count=active)],
        sheets=[_filters(db, every, prices, chosen, here)],
    )


def asked_for(visit: Visit) -> dict[str, str | int]:
    """The searched route, from query parameters. Raises `Gone` if it makes no sense."""
    known = set(visit.db.column("SELECT code FROM airports"))
    values: dict[str, str | int] = {name: visit.query(name) for name in KEPT}
    if values["origin"] not in known or values["destination"] not in known or not _is_day(str(values["day"])):
        raise Gone
    if values["back"] and not _is_day(str(values["back"])):
        raise Gone
    values["cabin"] = values["cabin"] if values["cabin"] in CABINS else "economy"
    values["adults"] = _number(str(values["adults"]), 1, MOST_ADULTS)
    values["children"] = _number(str(values["children"]), 0, MOST_CHILDREN)
    return values


def _chosen(only: str) -> dict[str, str]:
    """Filters from one query parameter, such as `stops:0,part:morning`."""
    pairs = dict(word.partition(":")[::2] for word in only.split(","))
    return {name: pairs.get(name, "") for name in ("stops", "part", "airline", "below")}


def _only(chosen: dict[str, str]) -> str:
    return ",".join(f"{name}:{value}" for name, value in chosen.items() if value)


def _filtered(every: list[Option], prices: dict[str, int], chosen: dict[str, str]) -> list[Option]:
    shown = list(every)
    if chosen["stops"] in ("0", "1"):
        shown = [option for option in shown if option.stops == int(chosen["stops"])]
    if chosen["part"] in PARTS:
        _, low, high = PARTS[chosen["part"]]
        shown = [option for option in shown if low <= int(option.flights[0]["departs"][11:13]) < high]
    if chosen["airline"]:
        shown = [option for option in shown if option.flights[0]["airline"] == chosen["airline"]]
    if chosen["below"].isascii() and chosen["below"].isdigit():
        shown = [option for option in shown if prices[option.key] <= int(chosen["below"][:12])]
    return shown


def _filters(db: Database, every: list[Option], prices: dict[str, int], chosen: dict[str, str], here: object) -> Html:
    assert callable(here)

    def group(title: str, name: str, options: list[tuple[str, str]]) -> Html:
        links = [
            (
                word,
                f"{here(only=_only({**chosen, name: '' if chosen[name] == key else key}))}#filters",
                chosen[name] == key,
            )
            for key, word in options
        ]
        return parts.section(title, parts.chips(links, title))

    carriers = dict.fromkeys(option.flights[0]["airline"] for option in every)
    levels = sorted(set(prices.values()))
    cuts = sorted({levels[len(levels) * share // 4] for share in (1, 2, 3)}) if levels else []
    return parts.sheet(
        "filters", "Filters",
        group("Stops", "stops", [("0", "Nonstop"), ("1", "One stop")]),
        group("Departure", "part", [(key, name) for key, (name, *_) in PARTS.items()]),
        group("Airline", "airline", [(code, airline(db, code)) for code in carriers]),
        group("Price", "below", [(str(cut), f"Up to {money(db, cut)}") for cut in cuts]),
        parts.link(here(only=""), "Clear filters", style="quiet"),
    )  # fmt: skip


def _days(on: str, here: object, back: bool) -> Html:
    assert callable(here)
    name = "back" if back else "day"
    links = []
    for number, word in ((-1, "Previous day"), (1, "Next day")):
        near_day = (date.fromisoformat(on) + timedelta(days=number)).isoformat()
        links.append(parts.link(here(**{name: near_day}), word, style="quiet slim"))
    return parts.side_by_side(*links)


# --- fares -----------------------------------------------------------------------------------------------------------


@SITE.get("/fares")
def fares(visit: Visit) -> Screen:
    """The fares of the chosen flights with their rules."""
    db = visit.db
    keys = {name: visit.query(name) for name in ("out", "back") if visit.query(name)}
    ways = {name: option(db, key) for name, key in keys.items()}
    if "out" not in ways or None in ways.values():
        raise Gone
    cabin = visit.query("cabin") if visit.query("cabin") in CABINS else "economy"
    adults = _number(visit.query("adults"), 1, MOST_ADULTS)
    children = _number(visit.query("children"), 0, MOST_CHILDREN)
    legs = [(name, way) for name, way in ways.items() if way is not None]
    flights = [flight["id"] for _, way in legs for flight in way.flights]
    cards = [leg_card(db, "Outbound" if name == "out" else "Return", way.flights) for name, way in legs]
    for fare in db.rows("SELECT * FROM fares ORDER BY factor"):
        total = total_price(db, flights, cabin, fare["key"], adults, children)
        href = SITE.url("/checkout", **keys, cabin=cabin, fare=fare["key"], adults=adults, children=children)
        cards.append(parts.card(
            html('<p class="lead">{} <span class="muted">{}</span></p>', fare["name"], money(db, total)),
            parts.facts(rules(db, fare)), parts.link(href, f"Choose {fare['name']}"),
        ))  # fmt: skip
    first = legs[0][1].flights[0]
    last = legs[0][1].flights[-1]
    back = SITE.url(
        "/results",
        origin=first["origin"],
        destination=last["destination"],
        day=first["departs"][:10],
        adults=adults,
        children=children,
        cabin=cabin,
        **({"back": legs[1][1].flights[0]["departs"][:10], "out": keys["out"]} if len(legs) > 1 else {}),
    )
    words = f"{party(adults, children)} · {cabin_name(cabin)}"
    return Screen(f"Fares to {place(db, last['destination'])}", join(cards), back=back, subtitle=words)


def _is_day(text: str) -> bool:
    try:
        return len(text) == 10 and 2000 < date.fromisoformat(text).year < 2100
    except ValueError:
        return False


def _number(text: str, low: int, high: int) -> int:
    return min(max(int(text), low), high) if text.isascii() and text.isdigit() and len(text) < 5 else low
