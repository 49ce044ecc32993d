"""A run's episodes as a file that anybody's tools read, and that `stats.read_table` reads back."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from fairground.core import InvalidInput
from fairground.rollout.disk import writing
from fairground.rollout.ended import ended_episodes, result_folders
from fairground.rollout.episode_table import ended_table
from fairground.stats import Table, join_tables
from fairground.stats.tables.reading import KINDS
from fairground.stats.tables.table import OUTCOMES

_ROWS = 20_000  # of JSON lines at a time


def export_runs(folders: Path | Sequence[Path], output: Path) -> Table:
    """Writes the episodes of runs that have ended, one row each; returns what was written.

    Beyond the columns that statistics know there are `episode_seed`, `attempts`, `tokens`, `ended_by`, `error` and
    `folder`.

    Args:
        folders: Of runs, which may still go on; of several runs side by side; or of episodes outside of a run.
        output: Its ending says what it becomes: .csv, .tsv, .jsonl, .ndjson, .parquet or .pq. Written whole or not at
            all; a file that is there is replaced.
    """
    file_kind(output)
    listed = result_folders([folders] if isinstance(folders, Path) else folders)
    table = join_tables([_with_more(folder) for folder in listed])
    write_table(table, output)
    return table


def write_table(table: Table, output: Path) -> None:
    """Writes any table of episodes; `read_table` reads an equal one back."""
    kind = file_kind(output)
    columns = arrow_table(table)
    draft = output.with_name(f".{output.name}.tmp")
    with writing(output):
        output.parent.mkdir(parents=True, exist_ok=True)
        try:
            if kind == "parquet":
                pa.parquet.write_table(columns, draft)
            elif kind == "jsonl":
                _write_lines(columns, draft)
            else:
                options = pa.csv.WriteOptions(delimiter="\t" if output.suffix.lower() == ".tsv" else ",")
                pa.csv.write_csv(columns, draft, options)
            os.replace(draft, output)
        finally:
            draft.unlink(missing_ok=True)


def arrow_table(table: Table) -> pa.Table:
    """A table of episodes as Arrow has it: names as text, numbers as numbers, null where there is none.

    Columns of names that hold only the empty name are left out: they were not varied.
    """
    columns: dict[str, Any] = {}
    for name, names in table.names.items():
        if names.values != ("",):
            columns[name] = _whole_numbers(names.values, names.codes) if name == "rollout" else _texts(names)
    columns["outcome"] = pa.array([outcome.value for outcome in OUTCOMES]).take(pa.array(table.outcome))
    for name, numbers in table.numbers.items():
        columns[name] = pa.array(numbers, from_pandas=True)  # NaN becomes null
    return pa.table(columns | dict(table.extra))


def file_kind(output: Path) -> str:
    """What a file becomes, by its ending: csv, jsonl or parquet."""
    kind = KINDS.get(output.suffix.lower())
    if kind is None:
        raise InvalidInput(
            f"{output}: expected a name that ends in {', '.join(KINDS)}, got {output.suffix or 'no ending'!r}",
            fix="such as results.csv",
        )
    return kind


def _with_more(folder: Path) -> Table:
    """A folder's table, with what else is known of each episode."""
    ended, notes = ended_episodes(folder)
    table = ended_table(ended, notes, folder)
    more = {
        "episode_seed": pa.array([one.seed for one in ended], pa.int64()),
        "attempts": pa.array([one.attempts for one in ended], pa.int64()),
        "tokens": pa.array([one.finished.tokens for one in ended], pa.int64()),
        "ended_by": pa.array([one.finished.ended_by for one in ended], pa.string()),
        "error": pa.array([one.finished.error for one in ended], pa.string()),
        "folder": pa.array([str(one.home / one.finished.folder) for one in ended], pa.string()),
    }
    return replace(table, extra={**table.extra, **{name: pa.chunked_array([column]) for name, column in more.items()}})


def _texts(names: Any) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(names.codes), pa.array(names.values, pa.string())).cast(pa.string())


def _whole_numbers(values: Sequence[str], codes: np.ndarray[Any, Any]) -> pa.Array:
    """Rollouts as numbers, where that loses nothing."""
    plain = all(
        value.isascii() and value.isdigit() and len(value) < 18 and str(int(value)) == value for value in values
    )
    words = pa.array(map(int, values), pa.int64()) if plain else pa.array(values, pa.string())
    return words.take(pa.array(codes))


def _write_lines(columns: pa.Table, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for batch in columns.to_batches(max_chunksize=_ROWS):
            for row in batch.to_pylist():
                file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
