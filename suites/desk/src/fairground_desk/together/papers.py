"""Letters, notes and sheets that tasks add to a profile's files; the bytes are the same on every run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from fairground_desk.calc.business import BUSINESSES
from fairground_desk.calc.odswriter import Entry, Styled, Table, write_ods
from fairground_desk.calc.sales import PROFILES, REGIONS
from fairground_desk.impress.talks import TALKS, Talk
from fairground_desk.writer.odtwriter import Block, Grid, Odt, Text, write_odt
from fairground_desk.writer.organisation import organisation

BANK_LETTER: Final = "~/Documents/letter to the bank.odt"
MEMO: Final = "~/Documents/memo to the board.odt"
HANDOUT: Final = "~/Documents/handout.odt"
ACCOUNTS: Final = "~/Documents/accounts.ods"
NUMBERS: Final = "~/Documents/numbers.ods"
TOTAL: Final = "All regions"


@cache
def bank_letter(profile: str) -> bytes:
    """Return a letter without its chart, which belongs below the last line."""
    shop, business = PROFILES[profile], BUSINESSES[profile]
    writer = f"{business.first[0]} {business.last[0]}"
    return _letter(
        "Letter to the bank",
        writer,
        Text(f"**{shop.title}**"),
        Text(f"{business.first[3]} {business.last[4]}, business accounts"),
        Text("**Our figures**"),
        Text(f"Dear {business.first[3]} {business.last[4]},"),
        Text(
            f"you asked how {shop.title} is doing before we meet about the overdraft. The books of {business.year} are "
            "not audited yet, but the figures are final."
        ),
        Text(
            "We would rather show than tell, so you find //a chart// on this page. It comes straight from our own "
            "sheets, and we shall bring those along."
        ),
        Text("With kind regards"),
        Text(writer),
        Text("The chart:"),
    )


@cache
def memo(profile: str) -> bytes:
    """Return a memo with a placeholder for every value, in a table and in a sentence."""
    shop, business = PROFILES[profile], BUSINESSES[profile]
    rows = (("Region", "Figure"), *((region, f"[{region}]") for region in REGIONS), (TOTAL, "[All]"))
    return _letter(
        "Memo to the board",
        f"{business.first[1]} {business.last[1]}",
        Text(f"{shop.title}: memo to the board", "Title"),
        Text("Where we sell", level=1),
        Text(f"The table shows our five regions in {shop.year}. It was filled in from the list of sales, by hand."),
        Grid("Regions", rows, (6.0, 5.0)),
        Text("What follows from it", level=1),
        Text("The strongest region is **[Best]**, and the weakest is **[Last]**. All regions together make [All]."),
        Text("Please send corrections before the meeting; the list of sales itself is not to be changed."),
    )


def delivery_rows(profile: str, kind: int) -> list[tuple[str, int, float]]:
    """Return the rows of a delivery note: item, number of pieces, unit price."""
    business = BUSINESSES[profile]
    start = kind * 3
    rows = []
    for number in range(7):
        item = business.items[(start + number * 2) % len(business.items)]
        pieces = 6 + (business.seed * 5 + kind * 11 + number * 17) % 43
        price = round(business.pay * (0.21 + ((business.seed + kind * 7 + number * 29) % 37) / 20), 2)
        rows.append((item, pieces, price))
    return rows


@cache
def delivery_note(profile: str, kind: int, title: str) -> bytes:
    """Return a supplier's delivery note with a table."""
    business = BUSINESSES[profile]
    supplier, city, days = business.suppliers[kind % len(business.suppliers)]
    rows = tuple((item, str(pieces), f"{price:.2f}") for item, pieces, price in delivery_rows(profile, kind))
    return _letter(
        title,
        supplier,
        Text(title, "Title"),
        Text(f"{supplier}, {city}. To: {PROFILES[profile].title}"),
        Text(f"All goods left our house complete. Usual time to deliver: {days} days."),
        Grid("Goods", (("Item", "Pieces", "Price"), *rows), (8.0, 3.0, 4.0)),
        Text("Prices are for one piece, without tax. Please count on arrival."),
    )


@cache
def accounts(profile: str, last: str) -> bytes:
    """Return a workbook for the numbers of a report, with last year's sheet, which must stay.

    Args:
        profile: Key of the profile.
        last: Header of the last column.
    """
    client = organisation(profile)
    heads = ("Programme", "Manager", "Budget", "Spent", "People", last)
    old: list[list[Entry]] = [_head(*heads[:1], "Budget", "Spent")]
    old += [[each.name, round(each.budget * 0.9), round(each.spent * 0.87)] for each in client.programmes[:4]]
    return write_ods(
        [
            Table(str(client.year), [_head(*heads)], (6.5, 5.0, 3.0, 3.0, 2.4, 3.0)),
            Table(str(client.year - 1), old, (6.5, 3.0, 3.0)),
        ]
    )


@cache
def handout(profile: str) -> bytes:
    """Return the beginning of a handout for a talk."""
    talk = TALKS[profile]
    return _letter(
        f"Handout: {talk.title}",
        talk.author,
        Text(talk.title, "Title"),
        Text(f"{talk.organisation}. Questions: {talk.website}"),
        Text("For those who could not come", level=1),
        Text(f"This handout repeats what {talk.author} said, **in the same words as on the slides**."),
        Text("What the slides say", level=1),
    )


@cache
def numbers(profile: str) -> bytes:
    """Return a workbook with the headers of a slide's table, and a sheet with the speakers."""
    talk = TALKS[profile]
    people: list[list[Entry]] = [_head("Slide", "Speaker")]
    people += [[part.title, part.speaker] for part in talk.parts]
    return write_ods(
        [
            Table("Figures", [_head(*figures(talk)[0])], (6.0, 3.0, 3.0, 3.0)),
            Table("Speakers", people, (8.0, 5.0)),
        ]
    )


def figures(talk: Talk) -> tuple[tuple[str, ...], ...]:
    """Return the table of a talk's slide, with its header row."""
    return talk.part("figures").rows


def _letter(title: str, author: str, *blocks: Block) -> bytes:
    return write_odt(Odt(title=title, author=author, blocks=blocks))


def _head(*names: str) -> list[Entry]:
    return [Styled(name, "head") for name in names]


def plain(value: float, digits: int = 2) -> str:
    """Return a number without separators: whole, or with all its digits."""
    return f"{value:.{digits}f}" if digits else f"{value:.0f}"


def strongest(values: Sequence[tuple[str, float]]) -> tuple[str, str]:
    """Return the names with the largest and the smallest value."""
    ranked = sorted(values, key=lambda pair: pair[1])
    return ranked[-1][0], ranked[0][0]
