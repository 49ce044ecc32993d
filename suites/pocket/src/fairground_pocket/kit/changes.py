"""Row-by-row differences between two states, and whether a task allows them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from fairground.core import Check, InvalidConfiguration, State, StateError
from fairground.verify import unchanged
from fairground_pocket.kit.identity import restore_ids

SUFFIX: Final = ".sqlite"
_NEVER_JUDGED: Final = "clock"


@dataclass(frozen=True)
class Add:
    """Rows may be added to a table.

    Attributes:
        table: The table.
        where: SQL about a new row, with `:parameters` and `:fact_columns`.
        at_most: Maximum number of rows; None for any number.
        app: The app, if it is not the task's own.
    """

    table: str
    where: str = "1"
    at_most: int | None = 1
    app: str = ""


@dataclass(frozen=True)
class Change:
    """Columns of rows may change; `where` selects rows in the state before. Without columns, any column may."""

    table: str
    columns: Sequence[str] = ()
    where: str = "1"
    app: str = ""


@dataclass(frozen=True)
class Remove:
    """Rows may be removed; `where` selects rows in the state before."""

    table: str
    where: str = "1"
    app: str = ""


Allowance: TypeAlias = Add | Change | Remove

_Rows: TypeAlias = dict[tuple[Any, ...], dict[str, Any]]
"""Rows by their keys."""


class Comparison:
    """Two states side by side for SQL: `before.mails` and `after.mails`; for another app `after_payment.transfers`.

    A row that was removed and entered again has its old id in `after`; see `identity`.

    Args:
        app: The task's own app.
        before: The state before the episode.
        after: The state after it.
        named: Values for `:names` in all SQL.
        allowed: Changes that the task allows. Rows may differ in these columns and still be the same.
    """

    def __init__(
        self, app: str, before: State, after: State, named: Mapping[str, Any], allowed: Sequence[Allowance] = ()
    ) -> None:
        self.app = app
        self._named = dict(named)
        self._same: set[str] = set()
        self._before, self._after = before, after
        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        self._connection.create_function("fold", 1, lambda text: str(text or "").casefold(), deterministic=True)
        self.apps = [path.removesuffix(SUFFIX) for path in before.files if path.endswith(SUFFIX)]
        for name in self.apps:
            old_content, new_content = before.file(name + SUFFIX), after.file(name + SUFFIX)
            if old_content == new_content:
                self._same.add(name)
            for schema, content in (
                (self._schema("before", name), old_content),
                (self._schema("after", name), new_content),
            ):
                self._connection.execute(f'ATTACH ":memory:" AS "{schema}"')
                self._connection.deserialize(content, name=schema)
            if name not in self._same:
                self._restore_ids(name, [rule for rule in allowed if (rule.app or app) == name])

    def close(self) -> None:
        self._connection.close()

    def value(self, sql: str) -> Any:
        """The first column of the first row of a query, or None."""
        try:
            row = self._connection.execute(sql, self._named).fetchone()
        except sqlite3.Error as error:
            raise InvalidConfiguration(f"a check cannot be made: {error}; its query is {sql!r}") from None
        return None if row is None else row[0]

    def guard(self, allowed: Sequence[Allowance], free: Mapping[str, Sequence[str]]) -> Check:
        """Checks that nothing but the allowed changes differs. The evidence names rows."""
        before: dict[str, Any] = {}
        after: dict[str, Any] = {}
        for name in self.apps:
            if name not in self._same:
                rules = [rule for rule in allowed if (rule.app or self.app) == name]
                for key, old_row, new_row in self._unallowed(name, rules, free.get(name, ())):
                    label = f"{name} {key}"
                    if old_row is not None:
                        before[label] = old_row
                    if new_row is not None:
                        after[label] = new_row
        for path in self._after.files:
            if path.removesuffix(SUFFIX) not in self.apps:
                after[f"the data of {path.removesuffix(SUFFIX)}"] = "changed"
        return unchanged("nothing else changed", before, after)

    def _restore_ids(self, app: str, rules: Sequence[Allowance]) -> None:
        old, new = self._schema("before", app), self._schema("after", app)
        tables = self._tables(old)
        if tables != self._tables(new):
            return  # `guard` reports it
        changing: dict[str, frozenset[str]] = {}
        for rule in rules:
            if isinstance(rule, Change):
                changing[rule.table] = changing.get(rule.table, frozenset()) | frozenset(rule.columns)
        restore_ids(self._connection, old, new, tables, changing)

    def _schema(self, side: str, app: str) -> str:
        return side if app == self.app else f"{side}_{app}"

    def _unallowed(self, app: str, rules: Sequence[Allowance], free: Sequence[str]) -> Iterator[tuple[str, Any, Any]]:
        added: dict[tuple[str, int], int] = {}
        for table, key, old_row, new_row in self._differences(app, free):
            if not self._allowed(app, table, key, old_row, new_row, rules, added):
                shown = ", ".join(str(part) for part in key)
                if old_row is not None and new_row is not None:
                    differing = [column for column in old_row if old_row[column] != new_row[column]]
                    old_row, new_row = ({column: row[column] for column in differing} for row in (old_row, new_row))
                yield f"{table} {shown}", old_row, new_row

    def _differences(self, app: str, free: Sequence[str]) -> Iterator[tuple[str, tuple[Any, ...], Any, Any]]:
        old, new = self._schema("before", app), self._schema("after", app)
        tables = self._tables(old)
        if tables != self._tables(new):
            raise StateError(f"the tables of {app} are not those that it began with")
        for table in tables:
            columns, keys = self._columns(old, table)
            gone = self._only_in(old, new, table, columns, keys)
            come: _Rows = {}
            # Equal counts, and every old row has an equal new row: then no row is new. Most tables are like this.
            if gone or keys == columns or self._count(old, table) != self._count(new, table):
                come = self._only_in(new, old, table, columns, keys)
            for key in sorted({*gone, *come}, key=repr):
                old_row, new_row = gone.get(key), come.get(key)
                if old_row is not None and new_row is not None:
                    for column in old_row:
                        if f"{table}.{column}" in free or f"{table}.{column}={new_row[column]}" in free:
                            old_row[column] = new_row[column]
                if old_row != new_row:
                    yield table, key, old_row, new_row

    def _only_in(self, here: str, there: str, table: str, columns: Sequence[str], keys: Sequence[str]) -> _Rows:
        """The rows without an equal row on the other side, by their keys."""
        if keys == columns:  # the table may have no key, and then a row can occur twice
            chosen = ", ".join(f'"{column}"' for column in columns)
            query = f'SELECT {chosen} FROM "{here}"."{table}" EXCEPT SELECT {chosen} FROM "{there}"."{table}"'
        else:  # takes half the time of EXCEPT, which sorts everything
            chosen = ", ".join(f'one."{column}"' for column in columns)
            key = " AND ".join(f'one."{name}" IS other."{name}"' for name in keys)
            # A column's own collation may ignore case, but a changed case is a change.
            like = " AND ".join(f'one."{name}" IS other."{name}" COLLATE BINARY' for name in columns)
            query = (
                f'SELECT {chosen} FROM "{here}"."{table}" AS one LEFT JOIN "{there}"."{table}" AS other ON {key} '
                f"WHERE NOT ({like})"
            )
        rows = [dict(zip(columns, row, strict=True)) for row in self._connection.execute(query)]
        return {tuple(row[key] for key in keys): row for row in rows}

    def _count(self, schema: str, table: str) -> int:
        return int(self._connection.execute(f'SELECT count(*) FROM "{schema}"."{table}"').fetchone()[0])

    def _allowed(
        self,
        app: str,
        table: str,
        key: tuple[Any, ...],
        one: Mapping[str, Any] | None,
        other: Mapping[str, Any] | None,
        rules: Sequence[Allowance],
        added: dict[tuple[str, int], int],
    ) -> bool:
        rules = [rule for rule in rules if rule.table == table]
        if one is not None and other is not None:
            differing = {column for column in one if one[column] != other[column]}
            if any(
                isinstance(rule, Change)
                and (not rule.columns or differing <= set(rule.columns))
                and self._fits(self._schema("before", app), table, key, rule.where)
                for rule in rules
            ):
                return True
        # A new row may have the id of a removed one: then both must be allowed.
        may_go = one is None or any(
            isinstance(rule, Remove) and self._fits(self._schema("before", app), table, key, rule.where)
            for rule in rules
        )
        return may_go and (other is None or self._may_come(app, table, key, rules, added))

    def _may_come(
        self, app: str, table: str, key: tuple[Any, ...], rules: Sequence[Allowance], added: dict[tuple[str, int], int]
    ) -> bool:
        for number, rule in enumerate(rules):
            count = added.get((table, number), 0)
            if not isinstance(rule, Add) or (rule.at_most is not None and count >= rule.at_most):
                continue
            if self._fits(self._schema("after", app), table, key, rule.where):
                added[table, number] = count + 1
                return True
        return False

    def _fits(self, schema: str, table: str, key: tuple[Any, ...], where: str) -> bool:
        _, keys = self._columns(schema, table)
        chosen = " AND ".join(f'"{column}" IS :key__{number}' for number, column in enumerate(keys))
        named = {**self._named, **{f"key__{number}": value for number, value in enumerate(key)}}
        sql = f'SELECT count(*) FROM "{schema}"."{table}" AS "{table}" WHERE {chosen} AND ({where})'
        try:
            return bool(self._connection.execute(sql, named).fetchone()[0])
        except sqlite3.Error as error:
            raise InvalidConfiguration(f"what may change of {table} cannot be read: {error}; {where!r}") from None

    def _tables(self, schema: str) -> list[str]:
        sql = (
            f"""SELECT name FROM "{schema}".sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY 1"""
        )
        return [name for (name,) in self._connection.execute(sql) if name != _NEVER_JUDGED]

    def _columns(self, schema: str, table: str) -> tuple[list[str], list[str]]:
        """All columns, and the key columns; without a key, all columns are the key."""
        rows = self._connection.execute(f'PRAGMA "{schema}".table_info("{table}")').fetchall()
        columns = [row[1] for row in rows]
        return columns, [row[1] for row in rows if row[5]] or columns


def touched(before: bytes, after: bytes, free: Sequence[str] = ()) -> bool:
    """Whether two databases of one app differ in anything but the clock and the effects of looking."""
    if before == after:
        return False
    path = f"app{SUFFIX}"
    comparison = Comparison("app", State(files={path: before}), State(files={path: after}), {})
    try:
        return not comparison.guard((), {"app": free}).passed
    finally:
        comparison.close()
