"""How money, days and times are written. Amounts are whole numbers of the smallest coin."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final


@dataclass(frozen=True)
class Currency:
    """How a currency is written: its sign and on which side, its decimals, its thousands separator."""

    code: str
    sign: str
    before: bool = True
    decimals: int = 2
    comma: str = ","
    point: str = "."


CURRENCIES: Final = {
    currency.code: currency
    for currency in (
        Currency("NGN", "₦"),
        Currency("SEK", "kr", before=False, comma="\u00a0", point=","),
        Currency("EUR", "€", before=False, comma=".", point=","),
        Currency("JPY", "¥", decimals=0),
        Currency("TRY", "₺", comma=".", point=","),
        Currency("MAD", "MAD", before=False, comma="\u00a0", point=","),
        Currency("GBP", "£"),
        Currency("COP", "$", decimals=0, comma="."),
        Currency("INR", "₹"),
        Currency("CAD", "$"),
        Currency("USD", "$"),
    )
}


def money(amount: int, code: str) -> str:
    """An amount in the smallest coin, as written where the currency is used."""
    currency = CURRENCIES[code]
    unit = 10**currency.decimals
    whole = f"{abs(amount) // unit:,}".replace(",", currency.comma)
    text = f"{whole}{currency.point}{abs(amount) % unit:0{currency.decimals}}" if currency.decimals else whole
    minus = "\u2212" if amount < 0 else ""
    return f"{minus}{currency.sign}{text}" if currency.before else f"{minus}{text}\u00a0{currency.sign}"


def plain_money(amount: int, code: str) -> str:
    """An amount as typed into a field: digits and a point, such as `12.50`."""
    unit = 10 ** CURRENCIES[code].decimals
    return str(amount // unit) if amount % unit == 0 else f"{amount / unit:.{CURRENCIES[code].decimals}f}"


def parse_money(text: str, code: str) -> int | None:
    """Parses a typed amount, with a decimal point or comma. None if it is not an amount."""
    decimals = CURRENCIES[code].decimals
    plain = text.strip().replace(CURRENCIES[code].sign, "").replace(code, "").strip().replace(",", ".")
    whole, _, part = plain.partition(".")
    if not (whole.isascii() and whole.isdigit() and len(whole) <= 9) or len(part) > decimals:
        return None
    if part and not (part.isascii() and part.isdigit()):
        return None
    unit: int = 10**decimals
    return int(whole) * unit + int(part.ljust(decimals, "0") or 0)


def day(moment: date) -> str:
    """Formats a day as `14 March 2025`."""
    return f"{moment.day} {moment:%B} {moment.year}"


def day_in_full(moment: date) -> str:
    """Formats a day as `Friday, 14 March`."""
    return f"{moment:%A}, {moment.day} {moment:%B}"


def clock(moment: datetime) -> str:
    """Formats a time as `09:30`."""
    return f"{moment:%H:%M}"


def when(moment: datetime, now: datetime) -> str:
    """A moment as in a list: the time for today, else the day, with the year if it is another year."""
    days = (now.date() - moment.date()).days
    if days == 0:
        return f"{moment:%H:%M}"
    if days == 1:
        return "Yesterday"
    return f"{moment.day} {moment:%b}" if moment.year == now.year else f"{moment.day} {moment:%b %Y}"


def moment(value: datetime) -> str:
    """Formats a moment as `14 March 2025, 09:30`."""
    return f"{day(value)}, {value:%H:%M}"


def duration(span: timedelta) -> str:
    """Formats a duration as `2 h 05 min`."""
    minutes = int(span.total_seconds()) // 60
    return f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{minutes} min"
