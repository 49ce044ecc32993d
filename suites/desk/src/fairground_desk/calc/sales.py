"""The workbook of a small wholesaler: a year of sales, targets, and a summary that has just been started.

All profiles have the same sheets and regions, so every task works with every profile; products, prices, volumes and
other numbers differ. The same profile gives the same bytes on every machine.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from fairground_desk.calc.odswriter import Entry, Formula, Styled, Table, View, write_ods

REGIONS = ("North", "South", "East", "West", "Central")
SUMMARY_ROWS = 4
"""Number of filled rows in the summary; tasks use the rows below."""


@dataclass(frozen=True)
class Shop:
    """What makes one profile different from another.

    Attributes:
        title: Name of the business.
        year: Year of the sales.
        products: Name, price, and units sold in a typical month.
        summer: Ratio of sales in July to sales in January.
        seed: Seed of the random volumes.
    """

    title: str
    year: int
    products: tuple[tuple[str, float, int], ...]
    summer: float
    seed: int


PROFILES = {
    "outdoor-shop": Shop(
        title="Alder & Pine Outdoor",
        year=2023,
        products=(
            ("Tent, 2 persons", 189.0, 14),
            ("Sleeping bag", 79.5, 26),
            ("Camping stove", 42.9, 33),
            ("Hiking boots", 119.95, 21),
        ),
        summer=2.2,
        seed=20230117,
    ),
    "kitchen-supplies": Shop(
        title="Copper Kettle Supplies",
        year=2024,
        products=(
            ("Frying pan 28 cm", 34.9, 48),
            ("Chef's knife", 58.0, 30),
            ("Stand mixer", 249.0, 9),
            ("Mixing bowls, set", 22.45, 64),
            ("Espresso maker", 41.8, 27),
        ),
        summer=0.7,
        seed=20240302,
    ),
    "museum-shop": Shop(
        title="Polarhavn Museum Shop",
        year=2022,
        products=(
            ("Poster, aurora", 149.0, 22),
            ("Knitted hat", 329.0, 12),
            ("Expedition diary", 245.5, 10),
            ("Toy penguin", 199.0, 31),
            ("Enamel mug", 119.9, 26),
        ),
        summer=2.8,
        seed=20220611,
    ),
    "seed-cooperative": Shop(
        title="Nandi Hills Seed Cooperative",
        year=2023,
        products=(
            ("Barley, 25 kg", 2150.0, 18),
            ("Finger millet, 10 kg", 940.0, 29),
            ("Beans, 5 kg", 615.5, 41),
            ("Hand hoe", 780.0, 16),
        ),
        summer=0.5,
        seed=20231120,
    ),
}

_STRENGTH = {"North": 1.0, "South": 1.25, "East": 0.8, "West": 1.1, "Central": 0.6}


@dataclass(frozen=True)
class Sale:
    """A row of the sheet Sales."""

    day: date
    region: str
    product: str
    units: int
    price: float

    @property
    def revenue(self) -> float:
        """Return the revenue as Calc computes and saves it, without binary rounding errors."""
        return round(self.units * self.price, 2)


def sales(shop: Shop) -> list[Sale]:
    """Return a year of sales, one per month, region and product, in the order of their dates."""
    return sorted(_sales(shop), key=lambda sale: sale.day)


def _sales(shop: Shop) -> Iterator[Sale]:
    # Uses only `random()`: Python guarantees its sequence never changes.
    draw = random.Random(shop.seed).random
    for month in range(1, 13):
        season = 1 + (shop.summer - 1) * (1 - abs(month - 7) / 6)
        for region in REGIONS:
            for product, price, usual in shop.products:
                units = max(1, round(usual * season * _STRENGTH[region] * (0.7 + 0.6 * draw())))
                yield Sale(date(shop.year, month, 1 + int(28 * draw())), region, product, units, price)


def build(shop: Shop, view: View | None = None) -> bytes:
    """Return the workbook as an .ods file that opens at `view`."""
    return write_ods(tables(shop), view)


def tables(shop: Shop) -> list[Table]:
    """Return the sheets of the workbook."""
    rows = sales(shop)
    return [
        Table("Sales", _sales_rows(rows), (2.6, 2.4, 4.2, 2.0, 2.4, 2.8)),
        Table("Targets", _target_rows(shop, rows), (2.6, 2.6, 2.6, 2.6, 2.6)),
        Table("Summary", _summary_rows(shop, rows), (6.5, 3.4)),
    ]


def _sales_rows(rows: list[Sale]) -> list[list[Entry]]:
    head: list[Entry] = [Styled(text, "head") for text in ("Date", "Region", "Product", "Units", "Price", "Revenue")]
    lines: list[list[Entry]] = [head]
    for number, sale in enumerate(rows, 2):
        revenue = Formula(f"of:=[.D{number}]*[.E{number}]", sale.revenue, "money")
        lines.append(
            [Styled(sale.day, "day"), sale.region, sale.product, sale.units, Styled(sale.price, "money"), revenue]
        )
    return lines


def _target_rows(shop: Shop, rows: list[Sale]) -> list[list[Entry]]:
    draw = random.Random(shop.seed + 1).random
    lines: list[list[Entry]] = [[Styled(text, "head") for text in ("Region", "Q1", "Q2", "Q3", "Q4")]]
    for region in REGIONS:
        line: list[Entry] = [region]
        for quarter in range(4):
            sold = sum(row.revenue for row in rows if row.region == region and (row.day.month - 1) // 3 == quarter)
            line.append(float(round(sold * (0.9 + 0.2 * draw()), -2)))
        lines.append(line)
    return lines


def _summary_rows(shop: Shop, rows: list[Sale]) -> list[list[Entry]]:
    last = len(rows) + 1
    units = Formula(f"of:=SUM([$Sales.D2:.D{last}])", float(sum(row.units for row in rows)))
    return [
        [Styled(f"{shop.title}, {shop.year}", "head")],
        [],
        [Styled("Figure", "head"), Styled("Value", "head")],
        ["Units sold, all regions", units],
    ]
