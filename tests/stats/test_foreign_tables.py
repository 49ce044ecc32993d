"""Tables as others write them: read as they are, with a note of what was understood, or refused with one command."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairground.core import InvalidInput, NeedsOptions, UnknownName
from fairground.stats import Table, count_all, read_table, table_of


def write(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1), encoding="utf-8")
    return path


def told(table: Table) -> list[tuple[str, str, str]]:
    """Agent, scenario and outcome of each row."""
    return [
        (str(table.names["agent"].name(row)), table.names["scenario"].name(row), "pfei"[table.outcome[row]])
        for row in range(len(table))
    ]


def outcomes(table: Table) -> str:
    return "".join(outcome for _, _, outcome in told(table))


# Benchmarks


def test_one_row_per_trial_with_an_empty_result(tmp_path: Path) -> None:
    """As Terminal-Bench's leaderboard has it."""
    rows = "agent,model,task_id,trial_name,is_resolved\n" + "".join(
        f"terminus,{model},{task},{task}.{trial}.{model},{('True', 'False', '')[trial]}\n"
        for model in ("m1", "m2")
        for task in ("hello", "build")
        for trial in range(3)
    )
    path = write(tmp_path / "t.csv", rows)
    with pytest.raises(InvalidInput, match="line 4, column 'is_resolved': empty; 4 of 12 rows .*: lines 4, 7, 10, 13"):
        read_table(path)
    found = read_table(path, missing="errored")
    assert [str(one) for one in found.contenders] == ["terminus [m1]", "terminus [m2]"]
    assert found.names["rollout"].values[0] == "hello.0.m1" and Counter(outcomes(found)) == {"p": 4, "f": 4, "e": 4}
    assert [cells.app_means.tolist() for cells in count_all(found)] == [[0.5], [0.5]]
    assert [cells.episodes for cells in count_all(read_table(path, missing="failed"))] == [6, 6]
    assert len(read_table(path, missing="skip")) == 8


def test_rewards_by_domain_task_and_trial(tmp_path: Path) -> None:
    """As tau-bench writes them."""
    rows = "model,domain,task_id,trial,reward\n" + "".join(
        f"gpt,{domain},{task},{trial},{float(task % 2)}\n"
        for domain in ("airline", "retail")
        for task in range(4)
        for trial in range(2)
    )
    found = read_table(write(tmp_path / "t.csv", rows))
    assert len(found) == 16 and sorted(found.app_names().values) == ["airline", "retail"]
    assert "'domain' is read as the app" in found.notes[1]


def test_a_report_with_lists_of_tasks(tmp_path: Path) -> None:
    """As SWE-bench writes it."""
    report = {
        "total_instances": 5,
        "resolved_instances": 1,
        "completed_ids": ["a", "b"],
        "resolved_ids": ["a"],
        "unresolved_ids": ["b"],
        "empty_patch_ids": ["c"],
        "error_ids": ["d"],
        "incomplete_ids": ["e"],
        "schema_version": 2,
    }
    path = write(tmp_path / "t.json", report)
    with pytest.raises(InvalidInput, match="row 5, column 'outcome': empty"):
        read_table(path)
    found = read_table(path, missing="failed")
    assert [row[1:] for row in told(found)] == [("a", "p"), ("b", "f"), ("c", "f"), ("d", "e"), ("e", "f")]
    assert "'resolved_ids' passed" in found.notes[0] and "'error_ids' errored" in found.notes[0]
    nested = {"config": {}, "results": {"accuracy": 0.5, "successful_tasks": ["a"], "failed_tasks": ["b"]}}
    assert outcomes(read_table(write(path, nested))) == "pf"
    with pytest.raises(InvalidInput, match="expected a list of objects.* keys resolved_ids, total"):
        read_table(write(path, {"resolved_ids": ["a"], "total": 2}))
    with pytest.raises(InvalidInput, match="no column 'scenario'"):
        read_table(write(path, {"resolved_ids": ["a"], "unresolved_ids": ["a"]}))


def test_the_last_part_of_a_dotted_name_is_recognised(tmp_path: Path) -> None:
    """As BrowserGym's experiments write them."""
    rows = (
        "agent.agent_name,env.task_name,env.task_seed,cum_reward,n_steps,err_msg\nx,miniwob.a,0,1.0,3,\nx,b,0,0.0,,oh\n"
    )
    found = read_table(write(tmp_path / "t.csv", rows))
    assert told(found) == [("x", "miniwob.a", "p"), ("x", "b", "f")] and found.numbers["steps"][0] == 3


def test_a_table_of_rates_is_told_what_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_table(write(tmp_path / "t.csv", "task,model,success_rate\na,m,0.4\nb,m,0.8\n"))
    assert "n_passed and n_trials" in str(caught.value.fix)


# Documents

ROWS = [{"task": "a", "model": "m", "success": True}, {"task": "b", "model": "m", "success": False}]


@pytest.mark.parametrize(
    "document",
    [
        ROWS,
        {"results": ROWS},
        {"version": 1, "metrics": {"accuracy": 0.5}, "whatever": ROWS},
        {"meta": {"n": 2}, "data": {"rows": ROWS}},
        {"model": "m", "results": [{"task": "a", "success": True}, {"task": "b", "success": False}]},
        {"task": ["a", "b"], "model": ["m", "m"], "success": [1, 0]},
        {"task": {"0": "a", "1": "b"}, "model": {"0": "m", "1": "m"}, "success": {"0": True, "1": False}},
        {"columns": ["task", "model", "success"], "index": [0, 1], "data": [["a", "m", 1], ["b", "m", 0]]},
        [["task", "model", "success"], ["a", "m", 1], ["b", "m", 0]],
        {"a": {"model": "m", "success": True}, "b": {"model": "m", "success": False}},
        {"results": {"a": {"model": "m", "passed": "yes"}, "b": {"model": "m", "passed": "no"}}},
        [{**row, "success": None, "result": {"success": row["success"], "log": [1]}} for row in ROWS],
        {
            "tasks": [{"id": "a", "goal": "x"}],
            "simulations": [
                {"id": "u", "task_id": "a", "model": "m", "reward_info": {"reward": 1.0}, "messages": [{"role": "x"}]},
                {"id": "v", "task_id": "b", "model": "m", "reward_info": {"reward": 0.0}, "messages": []},
            ],
        },
        {
            "status": "success",
            "eval": {},
            "model": "m",
            "samples": [
                {"id": "a", "epoch": 1, "scores": {"match": {"value": "C", "answer": "3"}}},
                {"id": "b", "epoch": 1, "scores": {"match": {"value": "I"}}},
            ],
        },
    ],
    ids=[
        *("list", "results", "only list", "deeper", "agent above", "columns", "columns of pandas", "split", "header"),
        *("by task", "results by task", "nested result", "simulations", "samples with scores"),
    ],
)
def test_a_json_document_may_have_many_shapes(tmp_path: Path, document: Any) -> None:
    assert told(read_table(write(tmp_path / "t.json", document))) == [("m", "a", "p"), ("m", "b", "f")]


def test_what_was_understood_of_a_document_is_noted(tmp_path: Path) -> None:
    path = write(tmp_path / "t.json", {"model": "m", "results": [{"task": "a", "result": {"success": True}}]})
    shape, agent, nested, columns = read_table(path).notes
    assert "are those under 'results'" in shape and "'model' at the top" in agent and "'m'" in agent
    assert "'result.success' as 'success'" in nested and "'task' is the scenario" in columns
    truths = read_table(write(path, {"a": True, "b": False}))
    assert [row[1:] for row in told(truths)] == [("a", "p"), ("b", "f")]
    assert "keys of" in truths.notes[0] and "read as scenarios" in truths.notes[0]


@pytest.mark.parametrize(
    "document",
    [{"accuracy": 0.5, "n": 10}, 3, '"text"', [1, 2], [["a", "b"], ["one"]], {}, {"a": {}, "b": 1}, [["a", 1], [2]]],
)
def test_a_document_of_another_shape_is_refused(tmp_path: Path, document: Any) -> None:
    with pytest.raises(InvalidInput, match=r"t.json: (expected a list of objects|no episode)"):
        read_table(write(tmp_path / "t.json", document))


def test_a_document_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairground.stats.tables.json_reading._MOST", 10)
    with pytest.raises(InvalidInput, match="MB of JSON in one value") as caught:
        read_table(write(tmp_path / "t.json", ROWS))
    assert "jsonl" in str(caught.value.fix)
    lines = "".join(json.dumps(row) + "\n" for row in ROWS)
    assert len(read_table(write(tmp_path / "t.json", lines))) == 2, "lines have no limit"


def test_many_files_with_an_episode_each_are_noted_once(tmp_path: Path) -> None:
    paths = [
        write(tmp_path / f"{task}.json", {"task_id": task, "agent": "x", "status": "PASS", "messages": [{"role": "u"}]})
        for task in ("a", "b", "c")
    ]
    found = read_table(paths)
    assert told(found) == [("x", "a", "p"), ("x", "b", "p"), ("x", "c", "p")]
    assert len(found.notes) == 2 and f"{paths[0]} and 2 more" in found.notes[0]


# Rows with several episodes


def test_a_column_per_attempt_is_recognised(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "task,Trial 1,Trial 2\na,pass,fail\nb,fail,fail\n")
    found = read_table(path)
    assert [(row[1:]) for row in told(found)] == [("a", "p"), ("b", "f"), ("a", "f"), ("b", "f")]
    assert found.names["rollout"].values == ("Trial 1", "Trial 2")
    assert "'Trial 1', 'Trial 2' contain the results of one rollout each" in found.notes[0]
    with pytest.raises(InvalidInput, match="line 3, column 'Trial 2': empty"):
        read_table(write(path, "task,Trial 1,Trial 2\na,pass,fail\nb,fail,\n"))


def test_a_column_per_agent_is_read_when_told(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "task,difficulty,gpt,claude\na,hard,1,0\nb,easy,1,1\n")
    with pytest.raises(NeedsOptions, match="gpt, claude contain results") as caught:
        read_table(path)
    assert caught.value.options == "--wide agent"
    found = read_table(path, wide="agent")
    assert told(found) == [("gpt", "a", "p"), ("gpt", "b", "p"), ("claude", "a", "f"), ("claude", "b", "p")]
    assert found.extra["difficulty"].to_pylist() == ["hard", "easy"] * 2
    with pytest.raises(InvalidInput, match="line 3, column 'claude': 0.5 is neither 0 nor 1"):
        read_table(write(path, "task,gpt,claude\na,1,0\nb,1,0.5\n"), wide="agent")
    with pytest.raises(UnknownName, match="unknown kind of wide table 'agnet'"):
        read_table(path, wide="agnet")
    with pytest.raises(InvalidInput, match="it has a column 'agent'"):
        read_table(write(path, "task,agent,x\na,b,1\n"), wide="agent")
    with pytest.raises(InvalidInput, match="it has a column 'success'"):
        read_table(write(path, "task,x,success\na,1,1\n"), wide="agent")
    with pytest.raises(InvalidInput, match="no column contains results of one agent"):
        read_table(write(path, "task,x\na,b\n"), wide="agent")


def test_a_column_per_task_is_read_when_told(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "model,t1,t2\nx,1,0\ny,1,1\n")
    with pytest.raises(NeedsOptions) as caught:
        read_table(path)
    assert caught.value.options == "--wide scenario"
    assert sorted(told(read_table(path, wide="scenario")))[:2] == [("x", "t1", "p"), ("x", "t2", "f")]


def test_wide_tables_in_batches_keep_their_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairground.stats.tables.csv_reading._BYTES", 1 << 12)
    rows = "".join(f"t{row},1,0\n" for row in range(3000))
    path = write(tmp_path / "t.csv", f"task,gpt,claude\n{rows}")
    found = told(read_table(path, wide="agent"))
    assert sorted(found) == sorted((agent, f"t{row}", "p" if agent == "gpt" else "f") for row in range(3000)
                                   for agent in ("gpt", "claude"))  # fmt: skip
    with pytest.raises(InvalidInput, match="line 3002, column 'claude': expected true or false"):
        read_table(write(path, f"task,gpt,claude\n{rows}last,1,maybe\n"), wide="agent")


def test_counts_of_attempts_are_attempts(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "task,model,n_passed,n_trials\na,m,2,3\nb,m,0,1\nc,m,0,0\n")
    found = read_table(path)
    assert [row[1:] for row in told(found)] == [("a", "p"), ("a", "p"), ("a", "f"), ("b", "f")]
    assert "'n_passed' of 'n_trials' attempts passed" in found.notes[0]
    with pytest.raises(InvalidInput, match="t.csv, row 1: 4 of 3 attempts passed"):
        read_table(write(path, "task,n_passed,n_trials\na,4,3\n"))
    with pytest.raises(InvalidInput, match="99999999 attempts"):
        read_table(write(path, "task,n_passed,n_trials\na,4,99999999\n"))


# Values and scales


def test_words_can_be_mapped_and_left_out(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "task,status\na,success\nb,timeout\nc,Skipped\nd,error\n")
    with pytest.raises(InvalidInput, match="line 3, column 'status': .* got 'timeout'; and 'Skipped' in other rows"):
        read_table(path)
    found = read_table(path, values={"timeout": "failed", "skipped": "skip"})
    assert [row[1:] for row in told(found)] == [("a", "p"), ("b", "f"), ("d", "e")]
    assert "'timeout' failed (1)" in found.notes[-1] and "'Skipped' left out (1)" in found.notes[-1]
    assert outcomes(read_table(path, values={"timeout": "skip", "skipped": "skip", "error": "failed"})) == "pf"
    with pytest.raises(UnknownName, match="unknown meaning of a result 'fail'"):
        read_table(path, values={"timeout": "fail"})


def test_scores_on_another_scale_need_its_end(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "task,score\na,0\nb,80\nc,1\nd,100\n")
    with pytest.raises(NeedsOptions, match="line 3, column 'score': expected a number from 0 to 1, got 80") as caught:
        read_table(path)
    assert caught.value.options == "--reward-max 100 --success-at 100"
    found = read_table(path, reward_max=100, success_at=80)
    assert outcomes(found) == "fpfp" and found.numbers["reward"].tolist() == [0, 0.8, 0.01, 1]
    with pytest.raises(NeedsOptions, match="80 is neither 0 nor 100"):
        read_table(path, reward_max=100)
    with pytest.raises(InvalidInput, match="success_at: expected a reward above 0 and up to 100, got 101"):
        read_table(path, reward_max=100, success_at=101)
    both = write(tmp_path / "both.csv", "task,success,reward\na,1,80\nb,0,1\n")
    assert read_table(both, reward_max=100).numbers["reward"].tolist() == [0.8, 0.01]
    percent = read_table(write(path, "task;score\na;0%\nb;85,5 %\nc;100%\n"), success_at=0.9)
    assert outcomes(percent) == "ffp" and percent.numbers["reward"].tolist() == [0, 0.855, 1]


def test_the_same_rollout_twice_says_what_the_two_differ_in() -> None:
    columns = {"task": ["a", "a"], "trial": [1, 1], "effort": ["low", "high"], "success": [1, 0]}
    with pytest.raises(InvalidInput, match="the same rollout") as caught:
        table_of(columns)
    assert "differ in 'effort'" in str(caught.value.fix) and "--rename effort=condition" in str(caught.value.fix)


def test_any_type_of_column_may_be_free() -> None:
    extra = {"raw": pa.array([b"\xff", b"a"]), "when": np.array(["2026-01-01", "2026-01-02"], dtype="datetime64[D]")}
    found = table_of({"task": ["a", "b"], "success": [1, 0], "domain": [[1], [2]], **extra})
    assert sorted(found.extra) == ["domain", "raw", "when"]


_WORDS = st.sampled_from(
    (
        *("task", "task_id", "model", "agent", "success", "passed", "result", "score", "reward", "results", "trial_1"),
        *("trial_2", "resolved_ids", "unresolved_ids", "columns", "data", "winner", "model_a", "n_passed", "n_trials"),
        *("a", "", "domain"),
    )
)
_SCALARS = ("pass", "fail", "", "nan", "x", "%", 0.5, 1.0)
_VALUES = st.none() | st.booleans() | st.integers(-1, 3) | st.sampled_from(_SCALARS)
_DOCUMENTS = st.recursive(
    _VALUES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_WORDS, inner, max_size=5), max_leaves=30
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_DOCUMENTS, st.sampled_from([None, "errored", "skip"]), st.sampled_from([None, "agent", "scenario"]))
def test_any_document_is_a_table_or_refused(tmp_path: Path, document: Any, missing: str, wide: str) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps(document))
    try:
        assert len(read_table(path, missing=missing, wide=wide)) > 0
    except InvalidInput as error:
        assert "t.json" in error.message


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_WORDS, min_size=1, max_size=6, unique=True), st.lists(st.lists(_VALUES, min_size=6, max_size=6)))
def test_any_csv_file_is_a_table_or_refused(tmp_path: Path, head: list[str], rows: list[list[Any]]) -> None:
    path = tmp_path / "t.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([head, *(row[: len(head)] for row in rows)])
    for options in ({}, {"missing": "failed", "success_at": 0.5}, {"missing": "skip", "wide": "agent"}):
        try:
            found = read_table(path, **options)  # type: ignore[arg-type]
        except InvalidInput as error:
            assert "t.csv" in error.message
        else:
            assert sum(found.outcomes().values()) == len(found) > 0
            assert set(found.outcome.tolist()) <= {0, 1, 2, 3}


def test_votes_are_pointed_to_their_own_command() -> None:
    with pytest.raises(NeedsOptions) as caught:
        table_of({"question_id": [1], "model_a": ["x"], "model_b": ["y"], "winner": ["model_a"]})
    assert "fairground stats rank" in str(caught.value.fix)
