"""Export a run's episodes to a file for other tools. `stats.read_table` reads it back."""

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

_ROWS = 20_000  # rows of JSON lines per batch


def export_runs(folders: Path | Sequence[Path], output: Path) -> Table:
    """Write the finished episodes of runs to a file, one row per episode. Returns the table that was written.

    Beyond the columns used by the statistics there are `episode_seed`, `attempts`, `tokens`, `ended_by`, `error` and
    `folder`.

    Args:
        folders: Folders of runs (finished or not), of several runs side by side, or of episodes outside of a run.
        output: Target file. Its suffix selects the format: .csv, .tsv, .jsonl, .ndjson, .parquet or .pq. The file is
            written atomically and replaces an existing one.
    """
    file_kind(output)
    listed = result_folders([folders] if isinstance(folders, Path) else folders)
    table = join_tables([_with_more(folder) for folder in listed])
    write_table(table, output)
    return table


def write_table(table: Table, output: Path) -> None:
    """Write any table of episodes. `read_table` reads an equal table back."""
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
    """Convert a table of episodes to Arrow: names as text, numbers as numbers, missing values as null.

    Name columns that hold only the empty name are left out: they were not varied.
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
    """Return the file format for a path's suffix: csv, jsonl or parquet."""
    kind = KINDS.get(output.suffix.lower())
    if kind is None:
        raise InvalidInput(
            f"{output}: expected a file name that ends in {', '.join(KINDS)}, got {output.suffix or 'no suffix'!r}",
            fix="use a name such as results.csv",
        )
    return kind


def _with_more(folder: Path) -> Table:
    """Return a folder's table with the additional columns."""
    ended, notes = ended_episodes(folder)
    table = ended_table(ended, notes, folder)
    more = {
        "episode_seed": pa.array([episode.seed for episode in ended], pa.int64()),
        "attempts": pa.array([episode.attempts for episode in ended], pa.int64()),
        "tokens": pa.array([episode.finished.tokens for episode in ended], pa.int64()),
        "ended_by": pa.array([episode.finished.ended_by for episode in ended], pa.string()),
        "error": pa.array([episode.finished.error for episode in ended], pa.string()),
        "folder": pa.array([str(episode.home / episode.finished.folder) for episode in ended], pa.string()),
    }
    return replace(table, extra={**table.extra, **{name: pa.chunked_array([column]) for name, column in more.items()}})


def _texts(names: Any) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(names.codes), pa.array(names.values, pa.string())).cast(pa.string())


def _whole_numbers(values: Sequence[str], codes: np.ndarray[Any, Any]) -> pa.Array:
    """Return rollouts as integers if that loses nothing, otherwise as text."""
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
