"""Money as it is typed and shown, always in whole numbers of the smallest coin."""

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
    """An amount as it is written where the wallet's owner lives."""
    return formats.money(amount, currency(db))


def signed(db: Database, amount: int) -> str:
    """The same with a plus for what comes in."""
    return ("+" if amount > 0 else "") + shown(db, amount)


def typed(db: Database, amount: int) -> str:
    """An amount as it is typed into a field."""
    return formats.plain_money(amount, currency(db))


def parse(db: Database, text: str) -> int | None:
    """The amount that was typed, or None.

    A point or comma before exactly as many digits as the currency has decimals is the decimal one; before three
    digits it separates thousands.
    """
    code = currency(db)
    decimals = formats.CURRENCIES[code].decimals
    plain = text.replace(formats.CURRENCIES[code].sign, "").replace(code, "").strip()
    found = _TYPED.fullmatch(plain)
    if found is None or len(found["part"] or "") > decimals or (found["comma"] and found["comma"] == found["point"]):
        return None
    whole = re.sub(r"[^0-9]", "", found["whole"])
    if len(whole) > _MOST:
        return None
    coins: int = int(whole) * 10**decimals + int((found["part"] or "").ljust(decimals, "0") or "0")
    return coins
