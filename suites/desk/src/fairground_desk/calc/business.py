"""Workbooks of a small business beside its sales: people, attendance, budget, stock, bank statements.

Every profile has the same sheets and columns with its own people, places, items and numbers, so every task works with
every profile. The same profile gives the same bytes on every machine.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from fairground_desk.calc.odswriter import Entry, Formula, Styled, Table

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
DEPARTMENTS = ("Warehouse", "Shop", "Office", "Online", "Delivery")
CATEGORIES = ("Standard", "Seasonal", "Clearance", "Premium")
COSTS = (
    "Rent",
    "Wages",
    "Energy",
    "Insurance",
    "Transport",
    "Packaging",
    "Advertising",
    "Repairs",
    "Software",
    "Training",
    "Travel",
    "Sundries",
)
WORKSHOPS = ("First aid", "Fire safety", "Spreadsheets", "Customer care")
DAYS = 20
"""Working days of the sheet Attendance."""


@dataclass(frozen=True)
class Business:
    """What makes one profile different from another.

    Attributes:
        year: Year of the budget.
        first: First names.
        last: Family names.
        mail: Domain of its e-mail addresses.
        pay: Typical hourly pay.
        rent: Monthly rent; the other costs follow from it.
        items: What is in stock.
        suppliers: Name, city, and delivery time in days.
        survey: Name of its table of public data.
        seed: Seed of the random numbers.
    """

    year: int
    first: tuple[str, ...]
    last: tuple[str, ...]
    mail: str
    pay: float
    rent: float
    items: tuple[str, ...]
    suppliers: tuple[tuple[str, str, int], ...]
    survey: str
    seed: int


BUSINESSES = {
    "outdoor-shop": Business(
        year=2024,
        first=("Maya", "Ethan", "Grace", "Luis", "Hannah", "Tyler", "Rosa", "Derek", "Paige", "Omar", "Claire", "Wes"),
        last=("Bennett", "Ortiz", "Kowalski", "Reed", "Nguyen", "Harper", "Castillo", "Dunn", "Fisher", "Abbott"),
        mail="alderpine.example",
        pay=21.5,
        rent=4200.0,
        items=(
            "Tent peg",
            "Guy line",
            "Head torch",
            "Water filter",
            "Dry bag",
            "Trekking pole",
            "Camp chair",
            "Cooler",
            "Rain jacket",
            "Fleece",
            "Gaiters",
            "Compass",
            "Bear bell",
            "Fuel can",
            "Mess kit",
            "Hammock",
        ),
        suppliers=(
            ("Cascade Gear", "Portland", 5),
            ("Summit Textiles", "Denver", 9),
            ("Blue Ridge Supply", "Asheville", 12),
            ("Great Basin Metal", "Reno", 7),
            ("Lakeshore Imports", "Duluth", 16),
            ("Redwood Outfit", "Eureka", 4),
        ),
        survey="weather",
        seed=41,
    ),
    "kitchen-supplies": Business(
        year=2024,
        first=(
            "Alice",
            "Rhys",
            "Imogen",
            "Callum",
            "Priya",
            "Fergus",
            "Nia",
            "Oliver",
            "Zainab",
            "Hugh",
            "Beth",
            "Ewan",
        ),
        last=("Whitfield", "Pryce", "MacLeod", "Sandhu", "Barlow", "Ashdown", "Yates", "Okoro", "Thornton", "Gill"),
        mail="copperkettle.example",
        pay=13.4,
        rent=3150.0,
        items=(
            "Whisk",
            "Ladle",
            "Colander",
            "Rolling pin",
            "Bread tin",
            "Peeler",
            "Spatula",
            "Grater",
            "Measuring jug",
            "Pie dish",
            "Casserole",
            "Tea towel",
            "Jam funnel",
            "Corkscrew",
            "Pestle",
            "Cake stand",
        ),
        suppliers=(
            ("Sheffield Blades", "Sheffield", 6),
            ("Potteries Direct", "Stoke-on-Trent", 8),
            ("Tyne Castings", "Gateshead", 10),
            ("Clyde Linen", "Paisley", 13),
            ("Severn Woodware", "Worcester", 5),
            ("Anglia Glass", "Norwich", 15),
        ),
        survey="cars",
        seed=42,
    ),
    "museum-shop": Business(
        year=2023,
        first=(
            "Ingrid",
            "Lars",
            "Sunniva",
            "Aslak",
            "Maren",
            "Henrik",
            "Elle",
            "Torbjorn",
            "Silje",
            "Nils",
            "Ragnhild",
            "Jonas",
        ),
        last=("Solberg", "Haugen", "Bakken", "Sara", "Lunde", "Eira", "Myhre", "Strand", "Dahl", "Tveit"),
        mail="polarhavn.example",
        pay=228.0,
        rent=31500.0,
        items=(
            "Postcard",
            "Fridge magnet",
            "Wool sock",
            "Sea chart",
            "Model ship",
            "Whale print",
            "Tea light",
            "Bookmark",
            "Puzzle",
            "Tote bag",
            "Scarf",
            "Snow globe",
            "Notebook",
            "Pencil set",
            "Star map",
            "Cork board",
        ),
        suppliers=(
            ("Nordlys Trykk", "Tromso", 3),
            ("Fjordull", "Bergen", 11),
            ("Kystkeramikk", "Bodo", 8),
            ("Skog og Tre", "Hamar", 14),
            ("Isfjord Papir", "Longyearbyen", 21),
            ("Havn Leker", "Alesund", 9),
        ),
        survey="penguins",
        seed=43,
    ),
    "seed-cooperative": Business(
        year=2023,
        first=(
            "Wanjiru",
            "Kiprop",
            "Achieng",
            "Mutua",
            "Chebet",
            "Baraka",
            "Nekesa",
            "Juma",
            "Wairimu",
            "Kamau",
            "Jeptoo",
            "Otieno",
        ),
        last=("Koech", "Mwangi", "Odhiambo", "Cherono", "Wekesa", "Njoroge", "Ruto", "Akinyi", "Kilonzo", "Sang"),
        mail="nandiseed.example",
        pay=410.0,
        rent=58000.0,
        items=(
            "Sorghum bag",
            "Cowpea bag",
            "Kale seed",
            "Onion seed",
            "Watering can",
            "Sisal rope",
            "Sack needle",
            "Sprayer",
            "Rain gauge",
            "Seed tray",
            "Gloves",
            "Wheelbarrow",
            "Tarpaulin",
            "Panga",
            "Soil test kit",
            "Grain bin",
        ),
        suppliers=(
            ("Rift Valley Grains", "Nakuru", 4),
            ("Uasin Tools", "Eldoret", 3),
            ("Lake Basin Agro", "Kisumu", 6),
            ("Coast Sisal", "Mombasa", 12),
            ("Highland Packers", "Nyeri", 9),
            ("Savanna Metal", "Machakos", 10),
        ),
        survey="barley",
        seed=44,
    ),
}


def staff(one: Business) -> list[Table]:
    """Return the sheets for people, attendance, and workshop registrations, some of which are duplicates."""
    draw = random.Random(one.seed * 7 + 1).random
    people = _people(one, draw)
    lines = _head("Number", "Name", "Department", "Since", "Hours", "Pay", "Email")
    for number, (name, mail) in enumerate(people):
        since = date(2010, 1, 4) + timedelta(days=int(4600 * draw()))
        pay = round(one.pay * (0.85 + 0.6 * draw()), 2)
        hours = (20, 25, 30, 37, 40)[int(5 * draw())]
        department = DEPARTMENTS[int(len(DEPARTMENTS) * draw() ** 1.4)]
        lines.append([1001 + 7 * number, name, department, Styled(since, "day"), hours, Styled(pay, "money"), mail])
    return [
        Table("Staff", lines, (2.2, 4.6, 2.9, 2.6, 1.8, 2.4, 6.4)),
        Table("Attendance", _attendance(one, people, draw), (4.6, *[1.4] * DAYS)),
        Table("Sign-up", _signups(people, draw), (4.6, 6.4, 3.6, 2.6)),
    ]


def _people(one: Business, draw: Callable[[], float]) -> list[tuple[str, str]]:
    pairs = [(first, last) for first in one.first for last in one.last]
    for place in range(len(pairs) - 1, 0, -1):
        drawn = int((place + 1) * draw())
        pairs[place], pairs[drawn] = pairs[drawn], pairs[place]
    chosen = pairs[:54]
    return [(f"{first} {last}", f"{first}.{last}@{one.mail}".lower()) for first, last in chosen]


def _attendance(one: Business, people: Sequence[tuple[str, str]], draw: Callable[[], float]) -> list[list[Entry]]:
    lines = _head("Name", *(f"D{day:02}" for day in range(1, DAYS + 1)))
    for name, _ in people[:36]:
        ill = 0.03 + 0.2 * draw()
        marks = ["P" if (drawn := draw()) > ill * 1.6 else "A" if drawn > ill * 0.6 else "V" for _ in range(DAYS)]
        lines.append([name, *marks])
    return lines


def _signups(people: Sequence[tuple[str, str]], draw: Callable[[], float]) -> list[list[Entry]]:
    rows: list[list[Entry]] = []
    for number, (name, mail) in enumerate(people[:40]):
        workshop = WORKSHOPS[int(len(WORKSHOPS) * draw())]
        day = date(2024, 2, 1) + timedelta(days=number // 3)
        rows.append([name, mail, workshop, Styled(day, "day")])
    # A duplicate of the line, a few rows further down.
    for place in sorted(({int(32 * draw()) for _ in range(14)}), reverse=True)[:7]:
        rows.insert(place + 3 + int(5 * draw()), list(rows[place]))
    return [*_head("Name", "Email", "Workshop", "Date"), *rows]


def budget(one: Business) -> list[Table]:
    """Return the sheets for the planned budget of a year, the actual numbers, and the price of a workshop."""
    draw = random.Random(one.seed * 7 + 2).random
    planned = [[round(one.rent * share * (0.9 + 0.2 * draw()), -1) for _ in MONTHS] for share in _SHARES]
    planned[0] = [one.rent] * 12
    actual = [[round(value * (0.82 + 0.4 * draw()), 2) for value in row] for row in planned]
    seats, price, each, fixed = 24, round(one.pay * 9, 2), round(one.pay * 2.5, 2), round(one.rent * 0.6, 2)
    pricing: list[list[Entry]] = [
        [Styled("Evening workshop", "title")],
        [],
        ["Price of a seat", Styled(price, "money")],
        ["Seats sold", seats],
        ["Cost of a seat", Styled(each, "money")],
        ["Fixed costs", Styled(fixed, "money")],
        [
            "Result",
            Formula("of:=[.B3]*[.B4]-[.B5]*[.B4]-[.B6]", round(price * seats - each * seats - fixed, 2), "money"),
        ],
    ]
    widths = (3.4, *[2.2] * 12, 2.6)
    return [
        Table("Budget", _plan(planned), widths),
        Table("Actual", _plan(actual), widths),
        Table("Pricing", pricing, (4.6, 3.0)),
    ]


_SHARES = (1.0, 2.6, 0.28, 0.12, 0.35, 0.18, 0.22, 0.15, 0.11, 0.08, 0.14, 0.06)


def _plan(values: Sequence[Sequence[float]]) -> list[list[Entry]]:
    lines = _head("Item", *MONTHS, "Year")
    for number, (item, row) in enumerate(zip(COSTS, values, strict=True), 2):
        year = Formula(f"of:=SUM([.B{number}:.M{number}])", round(sum(row), 2), "money")
        lines.append([item, *(Styled(value, "money") for value in row), year])
    sums = [*(round(sum(row[month] for row in values), 2) for month in range(12))]
    total: list[Entry] = [Styled("Total", "head")]
    for letter, value in zip("BCDEFGHIJKLMN", [*sums, round(sum(sums), 2)], strict=True):
        total.append(Formula(f"of:=SUM([.{letter}2:.{letter}13])", value, "money"))
    return [*lines, total]


def stock(one: Business) -> list[Table]:
    """Return the sheets for stock and suppliers."""
    draw = random.Random(one.seed * 7 + 3).random
    lines = _head("SKU", "Item", "Category", "Supplier", "In stock", "Reorder at", "Unit cost", "Shelf")
    number = 0
    for item in one.items:
        for size in ("small", "medium", "large", "pair", "set of 4", "refill", "used", "gift", "bulk", "sample"):
            if draw() > 0.86:
                continue
            number += 1
            supplier = one.suppliers[int(len(one.suppliers) * draw())][0]
            category = CATEGORIES[int(len(CATEGORIES) * draw())]
            level = 5 * (1 + int(8 * draw()))
            cost = round(one.pay * (0.15 + 1.8 * draw()), 2)
            shelf = f"{'ABCDEF'[int(6 * draw())]}-{1 + int(18 * draw())}-{1 + int(5 * draw())}"
            there = int(110 * draw() ** 1.6)
            sku = f"{item[:2].upper()}{2000 + 13 * number}"
            lines.append([sku, f"{item}, {size}", category, supplier, there, level, Styled(cost, "money"), shelf])
    suppliers: list[list[Entry]] = _head("Supplier", "City", "Lead days", "Contact")
    for at, (name, city, days) in enumerate(one.suppliers):
        contact = f"{one.first[at]} {one.last[-1 - at]}"
        suppliers.append([name, city, days, contact])
    return [
        Table("Stock", lines, (2.4, 5.2, 2.6, 4.4, 2.2, 2.4, 2.4, 2.2)),
        Table("Suppliers", suppliers, (4.6, 3.6, 2.4, 4.6)),
    ]


def statement(one: Business, month: int) -> str:
    """Return a month's bank statement as CSV."""
    draw = random.Random(one.seed * 100 + month).random
    lines = ["Day,Text,Amount"]
    for day in range(1, 29):
        for _ in range(1 + int(2 * draw())):
            out = draw() < 0.55
            text = COSTS[int(len(COSTS) * draw())] if out else f"Takings {DEPARTMENTS[int(2 * draw()) + 1]}"
            amount = round(one.rent * (0.01 + 0.12 * draw()) * (-1 if out else 1), 2)
            lines.append(f"{one.year}-{month:02}-{day:02},{text},{amount:.2f}")
    return "\n".join(lines) + "\n"


def _head(*names: str) -> list[list[Entry]]:
    return [[Styled(name, "head") for name in names]]
