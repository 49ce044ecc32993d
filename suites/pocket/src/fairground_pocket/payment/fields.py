"""Fields shared by several forms."""

from __future__ import annotations

from typing import Final

from fairground_pocket.kit import Database, Field
from fairground_pocket.payment.amounts import currency, parse
from fairground_pocket.payment.schema import CATEGORIES

CATEGORY: Final = Field("category", "Category", "sheet", options=[(name, name) for name in CATEGORIES])
PIN: Final = Field(
    "pin", "PIN", "secret", required=True, limit=8, keyboard="numeric", hint="The four digits that you chose"
)


def amount_field(db: Database, label: str = "Amount", name: str = "amount", *, required: bool = True) -> Field:
    """A field for a positive amount."""

    def check(text: str) -> str | None:
        value = parse(db, text)
        if value is None:
            return "This is not an amount"
        return None if value > 0 else "The amount must be more than nothing"

    return Field(name, label, required=required, limit=20, keyboard="decimal", hint=f"In {currency(db)}", check=check)
