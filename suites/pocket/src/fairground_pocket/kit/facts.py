"""Facts that a task refers to, looked up in the data by SQL, and the texts that use them.

A fact is one row: `{mail.subject}` in a text, `:mail_subject` in SQL. A query without
a result makes the configuration invalid, so using a fact implies a constraint. A query with several rows does too,
unless it selects one of them with LIMIT.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from fairground.core import Incoherent, InvalidConfiguration, Parameter
from fairground_pocket.kit.database import Database


@dataclass(frozen=True)
class Many:
    """A fact that is a list of rows, such as all mails of a thread; it needs at least `at_least` rows."""

    sql: str
    at_least: int = 1


class Known(SimpleNamespace):
    """Parameters and facts by name: `known.mail.subject`, `known.text`."""

    def bindings(self) -> dict[str, Any]:
        """The same values as SQL bindings: a column of a row is `:fact_column`."""
        named: dict[str, Any] = {}
        for name, value in vars(self).items():
            if isinstance(value, SimpleNamespace):
                named.update({f"{name}_{column}": entry for column, entry in vars(value).items()})
            elif not isinstance(value, list):
                named[name] = value
        return named

    def fill(self, template: str) -> str:
        """Fills the `{placeholders}` of a text."""
        try:
            return template.format_map(vars(self))
        except (KeyError, IndexError, AttributeError) as error:
            known = ", ".join(sorted(vars(self)))
            raise Incoherent(
                f"the text {template[:80]!r} has a placeholder that nothing fills: {error}", fix=f"known: {known}"
            ) from None


def look_up(
    database: Database, facts: Mapping[str, str | Many], parameters: Mapping[str, Parameter], known: Known | None = None
) -> Known:
    """Looks up facts in order: each may use the parameters and the facts before it."""
    values = Known(**(vars(known) if known else {}), **dict(parameters))
    for name, query in facts.items():
        sql = query.sql if isinstance(query, Many) else query
        try:
            rows = database.query(sql, values.bindings())
        except sqlite3.Error as error:
            raise Incoherent(f"fact {name!r} cannot be looked up: {error}; its query is {sql!r}") from None
        setattr(values, name, _many(name, query, rows) if isinstance(query, Many) else _single(name, sql, rows))
    return values


def _many(name: str, query: Many, rows: Sequence[sqlite3.Row]) -> list[SimpleNamespace]:
    if len(rows) < query.at_least:
        raise InvalidConfiguration(f"fact {name!r}: expected at least {query.at_least} rows, found {len(rows)}")
    return [_row(row) for row in rows]


def _single(name: str, sql: str, rows: Sequence[sqlite3.Row]) -> Any:
    if not rows:
        raise InvalidConfiguration(f"fact {name!r}: this profile has none", fix=f"its query is {sql!r}")
    if len(rows) > 1 and not re.search(r"\blimit\b", sql, re.IGNORECASE):
        raise InvalidConfiguration(
            f"fact {name!r} is ambiguous: {len(rows)} rows", fix="say which one by ORDER BY and LIMIT 1"
        )
    return rows[0][0] if len(rows[0].keys()) == 1 else _row(rows[0])


def _row(row: sqlite3.Row) -> SimpleNamespace:
    return SimpleNamespace(**{column: row[column] for column in row.keys()})  # noqa: SIM118 - a Row yields its values
