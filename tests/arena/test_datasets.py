"""Data sets: what counts goes out without names of people, other arenas' votes come in once."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from fairground.arena import StepMark, Store, Vote, all_votes, cast, export_votes, flag, import_votes, standings
from fairground.core import InvalidInput
from tests.arena.conftest import on_both

from .test_arena import fought, judge


def test_votes_go_out_with_their_marks_and_without_people(store: Store, tmp_path: Path) -> None:
    person = judge(store)
    first, second = fought(store, person), fought(store, person)
    cast(store, first, person, Vote(winner="a", comment="ok", marks=(StepMark(side="b", step=2, mark="planning"),)))
    cast(store, second, person, Vote(winner="tie"))
    flag(store, second, person.id, "too-fast")
    assert export_votes(store, tmp_path / "votes.jsonl") == 1
    (row,) = [json.loads(line) for line in (tmp_path / "votes.jsonl").read_text().splitlines()]
    assert row["winner"] == "a" and row["marks"][0]["mark"] == "planning" and person.id not in json.dumps(row)
    assert export_votes(store, tmp_path / "votes.parquet", whole=True) == 2
    table = pq.read_table(tmp_path / "votes.parquet").to_pylist()
    assert [one["flagged"] for one in table] == [[], ["too-fast"]]
    with pytest.raises(InvalidInput, match="jsonl, .parquet or"):
        export_votes(store, tmp_path / "votes.xlsx")
    with pytest.raises(InvalidInput, match="cannot be written"):
        export_votes(store, tmp_path / "nowhere" / "votes.jsonl")


@on_both
def test_another_arenas_table_comes_in_once(store: Store, tmp_path: Path) -> None:
    lines = ["model_a,model_b,winner,judge,category"]
    lines += [f"one,two,{'model_a' if n % 3 else 'tie'},p{n % 4},office" for n in range(20)]
    path = tmp_path / "other.csv"
    path.write_text("\n".join(lines))
    names = {"model_a": "left", "model_b": "right", "judge": "voter"}
    assert import_votes(store, path, rename=names) == 20 and import_votes(store, path, rename=names) == 0
    rows = all_votes(store)
    assert len(rows) == 20 and {row.category for row in rows} == {"office"} and len({row.person for row in rows}) == 4
    found = standings(rows, resamples=100)
    assert found.ranking is not None and found.ranking.agents[0].agent == "one"
