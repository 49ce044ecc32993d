"""Shared by the tasks of the payment app: SQL for people, amounts and months, checks of added rows, and routes.

Sizes are in tenths of a euro of purchasing power, so that an instance uses a sensible amount in any currency.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.kit import Database, Known
from fairground_pocket.payment.listing import request_name
from fairground_pocket.payment.store import row_name

PIN: Final = "SELECT value FROM settings WHERE name = 'pin'"
WHO: Final = "SELECT id, name, handle, email FROM contacts WHERE role = :role"
BALANCE: Final = "(SELECT coalesce(sum(amount), 0) FROM transactions WHERE card IS NULL)"
PAYMENT_LIMIT: Final = "(SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'payment_limit')"

_PLAIN: Final = "CASE WHEN v % unit = 0 THEN CAST(v / unit AS TEXT) ELSE printf('%d.%02d', v / unit, v % unit) END"
_NAMES: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
MONTH_WORD: Final = " ".join(f"WHEN '{place:02}' THEN '{name}'" for place, name in enumerate(_NAMES, 1))
"""SQL cases for the two digits of a month."""

MONTH: Final = (
    f"SELECT key, CASE substr(key, 6, 2) {MONTH_WORD} END || ' ' || substr(key, 1, 4) AS name FROM "
    "(SELECT substr(date(now, 'start of month', '-' || :back || ' months'), 1, 7) AS key FROM clock)"
)
"""The month that is `back` months ago."""


def day_words(expression: str) -> str:
    """SQL for a day in words: `14 March 2025`."""
    return (
        f"CAST(strftime('%d', {expression}) AS INTEGER) || ' ' || CASE strftime('%m', {expression}) {MONTH_WORD} END "
        f"|| ' ' || strftime('%Y', {expression})"
    )


def amount(expression: str = ":size * worth / 10") -> str:
    """A fact about an amount: `amount` in the smallest coin, `plain` as typed, `text` with its currency."""
    return (
        f"SELECT v AS amount, {_PLAIN} AS plain, {_PLAIN} || ' ' || currency AS text "
        f"FROM (SELECT ({expression}) AS v, unit, currency FROM wallet)"
    )


def money(query: str) -> str:
    """The single amount that a query gives, as an answer of kind `money`."""
    return f"SELECT {_PLAIN} || ' ' || currency FROM (SELECT ({query}) AS v, unit, currency FROM wallet)"


def added(table: str, where: str) -> str:
    """SQL for the number of added rows that meet a condition."""
    return f"SELECT count(*) FROM after.{table} WHERE id NOT IN (SELECT id FROM before.{table}) AND {where}"


def cases(names: str, *rows: Sequence[Any]) -> Mapping[str, Any]:
    """A domain of cases: the first item of each is its name, the rest are values of `names`."""
    return {str(key): dict(zip(names.split(), values, strict=True)) for key, *values in rows}


def person(name: str) -> list[Move]:
    """From the first screen to a person's page."""
    return [Tap("People"), Fill("Search people", name), Tap(name)]


def send(name: str, plain: str, pin: str, *, note: str = "", category: str = "", source: str = "") -> list[Move]:
    """From the first screen to a sent payment."""
    moves: list[Move] = [*person(name), Tap("Send money"), Fill("Amount", plain)]
    if note:
        moves.append(Fill("Note", note))
    if category:
        moves += [Tap("Category"), Tap(category)]
    if source:
        moves.append(Tap(source))
    return [*moves, Tap("Continue"), Fill("PIN", pin), Tap("Pay now")]


def request_row(data: Database, number: int) -> str:
    """The name of a request in lists."""
    row = data.row("SELECT r.*, c.name FROM requests r JOIN contacts c ON c.id = r.contact WHERE r.id = ?", number)
    assert row is not None
    return request_name(data, row)


def transaction_row(data: Database, number: int) -> str:
    """The name of a transaction in lists."""
    return row_name(data, data.row("SELECT * FROM transactions WHERE id = ?", number))


def statement(known: Known) -> list[Move]:
    """From the first screen to the statement of a month."""
    return [Tap("More"), Tap("Statements"), Tap(known.month.name)]
