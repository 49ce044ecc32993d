"""Convert JSON documents to records, for the usual shapes of result files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairground.core import InvalidInput
from fairground.stats.tables.synonyms import RESULTS, REWARDS, SUCCESSES, SYNONYMS, bare, listed

_LISTS = (
    *("results", "data", "rows", "records", "episodes", "trials", "simulations", "votes", "battles", "instances"),
    *("samples", "tasks", "evaluations", "items"),
)
"""Keys under which documents store their records, most likely first."""

_BY_RESULT = {
    **dict.fromkeys(("resolved", "passed", "successful", "succeeded", "success", "solved", "correct"), "passed"),
    **dict.fromkeys(("unresolved", "failed", "unsuccessful", "unsolved", "incorrect", "empty_patch"), "failed"),
    **dict.fromkeys(("error", "errored", "errors"), "errored"),
    "incomplete": "",
}
"""Keys of lists of tasks with the same result, such as `resolved_ids`, without their suffixes."""

_SHAPES = (
    "a list of objects, a list of objects under a key such as 'results', an object of columns, an object of tasks, or "
    "lists of tasks such as 'resolved_ids' and 'unresolved_ids'"
)
_RESULT_NAMES = frozenset((*SUCCESSES, *RESULTS, *REWARDS))
_DEPTH = 3
_LOOKED_AT = 50  # number of records inspected


def records_of(value: Any, source: str, notes: list[str]) -> list[dict[str, Any]]:
    """Return the records of a document. How its shape was interpreted is added to the notes.

    Raises:
        InvalidInput: If it has none of the known shapes.
    """
    records = _found(value, notes, source, _DEPTH)
    if records is None:
        what = f"an object with the keys {listed(value)}" if isinstance(value, dict) else f"a {type(value).__name__}"
        raise InvalidInput(
            f"{source}: expected {_SHAPES}; got {what}",
            fix="write one object per episode and line; for a list: jq -c '.[]' FILE.json > FILE.jsonl",
        )
    return records


def _found(value: Any, notes: list[str], source: str, depth: int) -> list[dict[str, Any]] | None:
    if isinstance(value, list):
        if not value or all(isinstance(record, dict) for record in value):
            return value
        return _of_rows(value[0], value[1:]) if isinstance(value[0], list) else None
    if not isinstance(value, dict) or not depth:
        return None
    if isinstance(value.get("columns"), list) and isinstance(value.get("data"), list):
        return _of_rows(value["columns"], value["data"])
    held: dict[str, tuple[list[dict[str, Any]], list[str]]] = {}
    for key in _keys(value):
        inner_notes: list[str] = []
        if inner := _found(value[key], inner_notes, source, depth - 1):
            held[key] = inner, inner_notes
    telling = [key for key, (inner, _) in held.items() if _tell(inner)]
    if _is_record(value) and not telling:
        return [value]
    for key in (telling or list(held))[:1]:
        inner, inner_notes = held[key]
        notes += [f"The rows of {source} are those under {key!r}.", *inner_notes]
        return _with_agent(inner, value, source, notes)
    tasks = {"scenario", *SYNONYMS["scenario"]}
    if not any(bare(key) in tasks for key in value) and (by_result := _by_result(value, source, notes)):
        return by_result
    columns = _of_columns(value)
    return columns if columns is not None else _by_task(value, source, notes)


def _is_record(value: Mapping[str, Any]) -> bool:
    """Return whether an object is one episode: it names a task and a result, each with a single value."""
    single = {bare(key) for key, held in value.items() if not isinstance(held, dict | list)}
    tasks = {"scenario", *SYNONYMS["scenario"]}
    return bool(single & tasks) and bool(single & _RESULT_NAMES)


def _tell(records: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether records contain results or votes, according to their keys."""
    names = {*_RESULT_NAMES, "winner"}
    for record in records[:_LOOKED_AT]:
        inner = [key for held in record.values() if isinstance(held, dict) for key in held]
        if any(bare(key) in names for key in (*record, *inner)):
            return True
    return False


def _keys(value: Mapping[str, Any]) -> list[str]:
    """Return where the records of a document may be: under a usual key, or in any list of objects."""
    usual = [key for name in _LISTS for key in value if bare(key) == name and isinstance(value[key], list | dict)]
    lists = [key for key, held in value.items() if isinstance(held, list) and held and isinstance(held[0], dict)]
    return usual + [key for key in lists if key not in usual]


def _of_rows(columns: Any, rows: Sequence[Any]) -> list[dict[str, Any]] | None:
    """Return records for lists of values below their names."""
    if not all(isinstance(name, str) for name in columns) or len(set(columns)) < len(columns):
        return None
    if not all(isinstance(row, list) and len(row) == len(columns) for row in rows):
        return None
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _of_columns(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return records for an object of columns: lists, or objects keyed by row number, as pandas writes them."""
    columns = list(value.values())
    if columns and all(isinstance(column, dict) for column in columns):
        rows = list(columns[0])
        if not rows or not all(row.isdecimal() for row in rows) or any(list(column) != rows for column in columns):
            return None
        columns = [list(column.values()) for column in columns]
    elif not columns or not all(isinstance(column, list) for column in columns):
        return None
    if len({len(column) for column in columns}) > 1 or any(
        isinstance(value_of_first, dict | list) for value_of_first in columns[0]
    ):
        return None
    return [dict(zip(value, row, strict=True)) for row in zip(*columns, strict=True)]


def _by_result(value: Mapping[str, Any], source: str, notes: list[str]) -> list[dict[str, Any]] | None:
    """Return records for lists of tasks with the same result."""
    lists = {}
    for key, held in value.items():
        name = bare(key)
        for ending in ("_task_ids", "_ids", "_tasks", "_instances"):
            name = name.removesuffix(ending)
        if name in _BY_RESULT and isinstance(held, list):
            lists[key] = _BY_RESULT[name]
    if not {"passed", "failed"} <= set(lists.values()):
        return None
    results: dict[str, str] = {}
    for key, result in lists.items():
        for task in value[key]:
            if isinstance(task, dict | list) or results.setdefault(str(task), result) != result:
                return None
    ended = ", ".join(f"{key!r} {result or 'without a result'}" for key, result in lists.items())
    notes.append(f"Lists of tasks in {source}: {ended}.")
    return _with_agent(
        [{"scenario": task, "outcome": result} for task, result in results.items()], value, source, notes
    )


def _by_task(value: Mapping[str, Any], source: str, notes: list[str]) -> list[dict[str, Any]] | None:
    """Return records for an object with a task per key: its record, or only its result."""
    held = list(value.values())
    if not held:
        return None
    if all(isinstance(record, dict) for record in held):
        notes.append(f"The keys of {source} were read as a column called 'key'.")
        return [{"key": key, **record} for key, record in value.items()]
    if all(isinstance(result, bool) for result in held):
        notes.append(f"The keys of {source} were read as scenarios, and their values as results.")
        return [{"scenario": key, "success": result} for key, result in value.items()]
    return None


def _with_agent(
    records: list[dict[str, Any]], value: Mapping[str, Any], source: str, notes: list[str]
) -> list[dict[str, Any]]:
    """Add the agent that the document names to records that name none."""
    names = ("agent", *SYNONYMS["agent"])
    if any(bare(key) in names for record in records for key in record):
        return records
    for name in names:
        for key, agent_name in value.items():
            if bare(key) == name and isinstance(agent_name, str) and agent_name:
                notes.append(f"{key!r} at the top of {source} was read as the agent: {agent_name!r}.")
                return [{"agent": agent_name, **record} for record in records]
    return records


def nested_results(records: Sequence[Mapping[str, Any]], source: str, notes: list[str]) -> dict[tuple[str, ...], str]:
    """Return where records contain nested results, and what to call them.

    For example `{"result": {"success": true}}`, or Inspect's `{"scores": {"match": {"value": "C"}}}`.
    """
    names: dict[tuple[str, ...], str] = {}
    for record in records:
        for key, held in record.items():
            if isinstance(held, dict):
                for inner, value in held.items():
                    if bare(key) == "scores" and isinstance(value, dict) and "value" in value:
                        names[key, inner, "value"] = f"score_{inner}"
                    elif bare(inner) in _RESULT_NAMES and record.get(inner) is None and not isinstance(value, dict):
                        names[key, inner] = inner
            elif bare(key) in _RESULT_NAMES and held is not None:
                return {}
    if len(names) == 1:
        names = {path: "score" if len(path) > 2 else name for path, name in names.items()}
    if names:
        listing = ", ".join(f"{'.'.join(path)!r} as {name!r}" for path, name in names.items())
        notes.append(f"Rows of {source} contain nested results, which were read as columns: {listing}.")
    return names


def lift(record: dict[str, Any], nested: Mapping[tuple[str, ...], str]) -> None:
    """Move nested results into separate columns."""
    for path, name in nested.items():
        value: Any = record
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if record.get(name) is None:
            record[name] = value
