"""Runs as files: what is exported is read back equal, whatever the names and numbers."""

from __future__ import annotations

import json
import math
import string
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairground.cli.export import export as command
from fairground.core import InfrastructureError, InvalidInput, Outcome
from fairground.rollout import Finished, RunSpec, RunStore, run_table
from fairground.rollout.export import export_runs, write_table
from fairground.stats import Table, read_table, summarise, table_of

from .stub_work import plan_of

ENDINGS = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".pq")


def same(one: Table, other: Table) -> bool:
    """Whether two tables hold the same, row by row."""
    named = all(
        [one.names[name].name(row) for row in range(len(one))]
        == [other.names[name].name(row) for row in range(len(other))]
        for name in one.names
    )
    numbers = one.numbers.keys() == other.numbers.keys() and all(
        np.array_equal(values, other.numbers[name], equal_nan=True) for name, values in one.numbers.items()
    )
    extra = one.extra.keys() == other.extra.keys() and all(
        _texts(values) == _texts(other.extra[name]) for name, values in one.extra.items()
    )
    return named and numbers and extra and np.array_equal(one.outcome, other.outcome)


def _texts(values: pa.ChunkedArray) -> list[str]:
    return [value or "" for value in values.cast(pa.string()).to_pylist()]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    spec = RunSpec(worlds=("s",), agent="script:a, b.jsonl", condition='says "hi"')
    with RunStore.create(folder, spec, plan_of(["one", "two", "three", "open"])) as store:
        store.finish(0, Finished(Outcome.PASSED, 1.0, 3, 0.1 + 0.2, 12, 0.07, "agent", folder="episodes/000000"))
        store.finish(1, Finished(Outcome.FAILED, 1 / 3, 30, 1e-7, None, None, "step_budget"))
        store.retry(2, Finished(Outcome.ERRORED, error="no luck", folder="episodes/000002"))
        store.finish(2, Finished(Outcome.ERRORED, ended_by="error", error='line one\nline "two", =1+1\ttab'))
    return folder


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_run_is_read_back_as_it_is(run: Path, tmp_path: Path, ending: str) -> None:
    output = tmp_path / "deep" / f"results{ending}"
    written = export_runs(run, output)
    found = read_table(output)
    assert same(found, written) and found.notes == ()
    plain = run_table(run)
    for name, column in plain.names.items():
        assert [column.name(row) for row in range(3)] == [found.names[name].name(row) for row in range(3)]
    assert _texts(found.extra["attempts"]) == ["1", "1", "2"] and _texts(found.extra["tokens"]) == ["12", "", ""]
    assert "line one\nline" in _texts(found.extra["error"])[2]
    assert summarise(found, resamples=100).standings == summarise(plain, resamples=100).standings
    assert [entry.name for entry in output.parent.iterdir()] == [output.name]


def test_several_runs_become_one_table(run: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    with RunStore.create(other, RunSpec(worlds=("s",), agent="random"), plan_of(["one"])) as store:
        store.finish(0, Finished(Outcome.FAILED, 0.0))
    table = export_runs([run, other, run], tmp_path / "both.csv")
    assert len(table) == 4 and len(read_table(tmp_path / "both.csv").contenders) == 2


NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from("\n\t\",;'"), max_size=12)
NUMBER = st.none() | st.floats(0, 1e15) | st.integers(0, 10**6).map(float)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "agent": st.text(string.printable.strip() + " é漢", min_size=1, max_size=9).filter(str.strip),
            "scenario": NAMES.filter(str.strip),
            "condition": NAMES,
            "theme": NAMES,
            "rollout": NAMES | st.integers(0, 99).map(str) | st.sampled_from(["007", "1e3", "٣"]),
            "outcome": st.sampled_from([outcome.value for outcome in Outcome]),
            "reward": st.none() | st.floats(0, 1),
            "seconds": NUMBER,
            "word": st.none() | NAMES,
        }
    ),
    min_size=1,
    max_size=12,
    unique_by=lambda row: tuple(row[name].strip() for name in ("agent", "scenario", "condition", "theme", "rollout")),
)


@given(rows=ROWS, ending=st.sampled_from(ENDINGS))
@settings(deadline=None)
def test_any_table_that_can_be_made_is_read_back_equal(
    rows: list[dict[str, Any]], ending: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    try:
        table = table_of({name: [row[name] for row in rows] for name in rows[0]})
        _ = table.contenders
    except InvalidInput:
        return  # no table, so nothing to write: blanks of some script around a name, a control character in it
    path = tmp_path_factory.mktemp("table") / f"t{ending}"
    write_table(table, path)
    assert same(read_table(path), table)


def test_json_lines_have_no_nan_and_numbers_stay_numbers(run: Path, tmp_path: Path) -> None:
    export_runs(run, tmp_path / "r.jsonl")
    lines = [json.loads(line, parse_constant=math.nan) for line in (tmp_path / "r.jsonl").read_text().splitlines()]
    assert lines[0]["rollout"] == 0 and lines[0]["seconds"] == 0.1 + 0.2 and lines[1]["cost"] is None


def test_a_file_is_replaced_whole_or_left_alone(run: Path, tmp_path: Path) -> None:
    output = tmp_path / "r.csv"
    output.write_text("old")
    export_runs(run, output)
    assert read_table(output)
    with pytest.raises(InvalidInput, match="expected a file name that ends in"):
        export_runs(run, tmp_path / "r.xlsx")
    (tmp_path / "wall").write_text("")
    with pytest.raises(InfrastructureError, match="could not write"):
        export_runs(run, tmp_path / "wall" / "r.csv")


def test_the_command_says_how_many(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command([run], tmp_path / "r.csv")
    assert "3 episodes" in capsys.readouterr().out
    command([run], tmp_path / "r.csv", json=True)
    assert json.loads(capsys.readouterr().out)["outcomes"]["errored"] == 1
