"""Parses and formats money, always in whole numbers of the smallest coin."""

from __future__ import annotations

import re
from typing import Final

from fairground_pocket.kit import Database, formats

_MOST: Final = 9
_TYPED: Final = re.compile(
    r"(?P<whole>[0-9]{1,3}(?:(?P<comma>[ \u00a0.,'])[0-9]{3})(?:(?P=comma)[0-9]{3})*|[0-9]{1,12})"
    r"(?:(?P<point>[.,])(?P<part>[0-9]{1,2}))?",
    re.ASCII,
)


def currency(db: Database) -> str:
    """Code of the wallet's currency."""
    return str(db.one("SELECT currency FROM wallet"))


def shown(db: Database, amount: int) -> str:
    """An amount as written where the wallet's owner lives."""
    return formats.money(amount, currency(db))


def signed(db: Database, amount: int) -> str:
    """An amount as `shown`, with a plus sign if it comes in."""
    return ("+" if amount > 0 else "") + shown(db, amount)


def typed(db: Database, amount: int) -> str:
    """An amount as typed into a field."""
    return formats.plain_money(amount, currency(db))


def parse(db: Database, text: str) -> int | None:
    """Parses a typed amount; None if it is not one.

    A point or comma is the decimal separator if exactly as many digits follow as the currency has decimals. It is a
    thousands separator if three digits follow.
    """
    code = currency(db)
    decimals = formats.CURRENCIES[code].decimals
    plain = text.replace(formats.CURRENCIES[code].sign, "").replace(code, "").strip()
    match = _TYPED.fullmatch(plain)
    if match is None or len(match["part"] or "") > decimals or (match["comma"] and match["comma"] == match["point"]):
        return None
    whole = re.sub(r"[^0-9]", "", match["whole"])
    if len(whole) > _MOST:
        return None
    coins: int = int(whole) * 10**decimals + int((match["part"] or "").ljust(decimals, "0") or "0")
    return coins
