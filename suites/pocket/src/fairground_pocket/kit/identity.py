"""Rows that were removed and entered again get their old ids back, so that tasks can select rows by id.

Deleting an entry and adding the same one again is a legitimate route, but the database gives the new row another id.
Rows are recognised by what they say: by a UNIQUE column, by equal content, or by equal content apart from the columns
that the task asks to change.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

_ID: Final = "INTEGER"

_Row: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class _Table:
    """A table whose rows have an id.

    Attributes:
        id: The column of ids.
        columns: All other columns.
        unique: Groups of columns that no two rows share.
        parents: Tables that it refers to.
    """

    name: str
    id: str
    columns: tuple[str, ...]
    unique: tuple[tuple[str, ...], ...]
    parents: frozenset[str]


def restore_ids(
    connection: sqlite3.Connection,
    before: str,
    after: str,
    tables: Sequence[str],
    changing: Mapping[str, frozenset[str]],
) -> None:
    """Give rows of one schema that replace rows of another their old ids, and update what refers to them.

    Args:
        connection: Has both schemas attached.
        before: The schema to compare with.
        after: The schema that is changed.
        tables: The tables of both.
        changing: Columns that the task may change, by table. Rows may differ there and still be the same.
    """
    references = {
        (row[2], table, row[3])
        for table in tables
        for row in connection.execute(f'PRAGMA "{before}".foreign_key_list("{table}")')
    }
    for table in _parents_first(list(_with_ids(connection, before, tables))):
        # Parents come first: their new ids have been replaced in the rows that are compared here.
        gone = _only_in(connection, before, after, table)
        come = _only_in(connection, after, before, table) if gone else {}
        for old_id, new_id in _same_rows(table, gone, come, changing.get(table.name, frozenset())):
            renamed = [(table.name, table.id), *((child, column) for parent, child, column in references
                                                if parent == table.name)]  # fmt: skip
            for name, column in renamed:
                connection.execute(
                    f'UPDATE OR IGNORE "{after}"."{name}" SET "{column}" = ? WHERE "{column}" = ?', (old_id, new_id)
                )


def _with_ids(connection: sqlite3.Connection, schema: str, tables: Sequence[str]) -> Iterator[_Table]:
    for name in tables:
        columns = connection.execute(f'PRAGMA "{schema}".table_info("{name}")').fetchall()
        keys = [row for row in columns if row[5]]
        parents = [row[2] for row in connection.execute(f'PRAGMA "{schema}".foreign_key_list("{name}")')]
        if len(keys) != 1 or keys[0][2].upper() != _ID:
            continue
        unique = tuple(
            tuple(row[2] for row in connection.execute(f'PRAGMA "{schema}".index_info("{index[1]}")'))
            for index in connection.execute(f'PRAGMA "{schema}".index_list("{name}")').fetchall()
            if index[2]
        )
        others = tuple(row[1] for row in columns if not row[5])
        yield _Table(name, keys[0][1], others, unique, frozenset(parents) - {name})


def _parents_first(tables: list[_Table]) -> Iterator[_Table]:
    left = {table.name: table for table in tables}
    while left:
        ready = [table for table in left.values() if not table.parents & left.keys()] or [next(iter(left.values()))]
        for table in ready:
            yield left.pop(table.name)


def _only_in(connection: sqlite3.Connection, here: str, there: str, table: _Table) -> dict[Any, _Row]:
    """The rows whose ids the other side does not have."""
    columns = ", ".join(f'"{column}"' for column in (table.id, *table.columns))
    query = (
        f'SELECT {columns} FROM "{here}"."{table.name}" '
        f'WHERE "{table.id}" NOT IN (SELECT "{table.id}" FROM "{there}"."{table.name}")'
    )
    return {row[0]: dict(zip(table.columns, row[1:], strict=True)) for row in connection.execute(query)}


def _same_rows(
    table: _Table, gone: dict[Any, _Row], come: dict[Any, _Row], changing: frozenset[str]
) -> Iterator[tuple[Any, Any]]:
    """Pairs of old and new ids of the same row. Removes them from both sides."""
    stable = tuple(column for column in table.columns if column not in changing)
    for columns in (*table.unique, table.columns, stable):
        old_ids, new_ids = (_by_content(rows, columns) for rows in (gone, come))
        for content, old in old_ids.items():
            new = new_ids.get(content, [])
            # Rows with equal content are interchangeable. Rows that differ elsewhere must be unmistakable.
            if len(old) == len(new) == 1 or columns == table.columns:
                for old_id, new_id in zip(old, new, strict=False):
                    del gone[old_id], come[new_id]
                    yield old_id, new_id


def _by_content(rows: dict[Any, _Row], columns: Sequence[str]) -> dict[tuple[Any, ...], list[Any]]:
    ids: dict[tuple[Any, ...], list[Any]] = {}
    for id_, row in rows.items():
        content = tuple(_folded(row[column]) for column in columns)
        if columns and any(value is not None for value in content):
            ids.setdefault(content, []).append(id_)
    return ids


def _folded(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value
