"""`fairground compare`: who is better, where they differ, and what was not the same about their worlds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fairground.cli import main
from fairground.core import Done, Outcome
from fairground.rollout import Budget, Finished, Planned, RunSpec, RunStore
from tests.rollout.recordings import an_episode, record

NAMES = [f"s{number}" for number in range(12)]


def a_run(
    folder: Path, passed: set[str], *, agent: str = "random", errored: str = "", ended: int = 99, **spec: Any
) -> Path:
    """A run of twelve configurations, of which those named passed, and one may have errored."""
    plan = [
        Planned(number=at, configuration=f"s/a/{name}/i@p/t/u", rollout=0, seed=at) for at, name in enumerate(NAMES)
    ]
    with RunStore.create(folder, RunSpec(worlds=("s",), agent=agent, **spec), plan) as store:
        for one, name in zip(plan[:ended], NAMES, strict=False):
            place = f"episodes/{one.number:06d}"
            if name == errored:
                store.finish(one.number, Finished(Outcome.ERRORED, error="no luck", folder=place))
                continue
            outcome = Outcome.PASSED if name in passed else Outcome.FAILED
            store.finish(one.number, Finished(outcome, float(name in passed), 3, 1.0, folder=place))
    return folder


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main(["compare", *map(str, words), "--resamples", "200"])
    out, err = capsys.readouterr()
    return code, out if "--json" in words else " ".join(out.split()), err  # a terminal breaks lines where it likes


def compared(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    code, out, err = run(capsys, *words, "--json")
    assert code == 0, err
    return json.loads(out)


def test_runs_are_paired_and_the_better_one_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    good = a_run(tmp_path / "good", set(NAMES), agent="careful")
    poor = a_run(tmp_path / "poor", {"s0"}, agent="hasty")
    found = compared(capsys, good, poor)
    (pair,) = found["pairs"]
    assert pair["comparison"]["pairing"] == "configurations" and pair["comparison"]["matched"] == 12
    assert pair["comparison"]["difference"]["low"] > 0 and pair["comparison"]["decided"]["agent"] == "careful"
    changes = pair["transitions"]["mcnemar"]
    assert (changes["improved"], changes["regressed"], changes["difference"]) == (11, 0, 11)
    code, out, _ = run(capsys, good, poor)
    assert code == 0 and "careful is better" in out and "b - c = 11 - 0 = +11" in out


def test_what_one_won_and_the_other_lost_is_listed_with_episodes_to_open(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    one = a_run(tmp_path / "one", {"s0", "s1"}, agent="one")
    other = a_run(tmp_path / "other", {"s1", "s2"}, agent="other")
    contests = compared(capsys, one, other)["pairs"][0]["contests"]
    assert [(c["configuration"], c["a"], c["b"]) for c in contests] == [
        ("s/a/s0/i@p/t/u", [1, 1], [0, 1]),
        ("s/a/s2/i@p/t/u", [0, 1], [1, 1]),
    ]
    assert contests[0]["a_folder"] == str(one / "episodes/000000")
    assert f"fairground show {one}/episodes/000000" in run(capsys, one, other)[1]


def test_errors_are_no_losses_and_what_has_not_ended_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    one = a_run(tmp_path / "one", set(NAMES), agent="one", errored="s3")
    other = a_run(tmp_path / "other", set(NAMES), agent="other", ended=10)
    found = compared(capsys, one, other)
    first, second = found["contenders"]
    assert (first["outcomes"]["errored"], first["not_ended"], second["not_ended"]) == (1, 0, 2)
    (pair,) = found["pairs"]
    assert pair["comparison"]["matched"] == 9 and pair["comparison"]["difference"]["estimate"] == 0
    assert any("other is not finished: 10 of 12" in note for note in pair["notes"])
    assert "invalid still to run one 11 11 1 0 0 other 10 10 0 0 2 " in run(capsys, one, other)[1]
    third = a_run(tmp_path / "third", set(NAMES), agent="third")
    assert "still to run" not in run(capsys, one, third)[1]


def test_two_runs_of_one_agent_are_told_apart_by_their_folders(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    one, other = (a_run(tmp_path / name / "run", {"s0"}) for name in ("before", "after"))
    names = [who["contender"] for who in compared(capsys, one, other)["contenders"]]
    assert names == [f"random [{one}]", f"random [{other}]"]
    code, _, err = run(capsys, one, one)
    assert code == 2 and "is given twice" in err
    code, _, err = run(capsys, one)
    assert code == 2 and "nothing to compare" in err


def test_unlike_budgets_and_worlds_are_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    one = a_run(tmp_path / "one", {"s0"}, agent="one", budget=Budget(steps=10))
    other = a_run(tmp_path / "other", {"s0"}, agent="other", budget=Budget(steps=20))
    for folder, suite, screen in ((one, "1.0", "x11 100x50"), (other, "1.1", "x11 100x50")):
        fingerprint = an_episode().fingerprint.model_copy(update={"suite": suite, "screen": screen})
        started = an_episode("s/a/s0/i@p/t/u", fingerprint=fingerprint)
        record(folder / "episodes" / "000000", "ab", [Done()], episode=started)
    notes = compared(capsys, one, other)["pairs"][0]["notes"]
    assert any("different budgets: steps 10 and 20" in note for note in notes)
    worlds = [note for note in notes if "different worlds" in note]
    assert len(worlds) == 1 and "suite 1.0 and 1.1" in worlds[0]


def test_more_than_two_are_corrected_for_the_number_of_pairs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    runs = [a_run(tmp_path / name, set(NAMES[:much]), agent=name) for name, much in (("a", 12), ("b", 6), ("c", 0))]
    pairs = compared(capsys, *runs)["pairs"]
    assert len(pairs) == 3
    assert all(pair["adjusted_p"] >= pair["comparison"]["p_value"] for pair in pairs)


def test_a_run_is_compared_with_a_table_and_written_as_a_page(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    table = tmp_path / "theirs.csv"
    lines = [f"them,s,a,{name},i,p,t,u,0,{at % 2}" for at, name in enumerate(NAMES)]
    head = "agent,suite,app,scenario,instance,profile,theme,ui_state,rollout,success"
    table.write_text("\n".join([head, *lines]) + "\n")
    ours = a_run(tmp_path / "ours", set(NAMES), agent="us")
    page = tmp_path / "compare.html"
    code, out, err = run(capsys, ours, table, "--page", page)
    assert code == 0 and str(page) in out, err
    assert "them" in page.read_text()
    code, _, err = run(capsys, ours, table, "--page", tmp_path / "run.sqlite")
    assert code == 2 and ".html" in err


def test_all_that_is_missing_is_named_with_what_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = run(capsys, "runs/first", "runs/second")
    assert code == 2 and "runs/first and runs/second do not exist" in err and "`fairground run` makes them" in err
    a_run(tmp_path / "runs" / "third", set())
    code, _, err = run(capsys, "runs/third", "runs/second")
    assert code == 2 and "runs/second does not exist" in err and "runs/third" in err


def test_errors_as_failures_stand_beside_the_comparison_and_a_conclusion_that_differs_is_said(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    sure = {"s0", "s1", "s2", "s3", "s4", "s5"}
    plan = [
        Planned(number=at, configuration=f"s/a/{name}/i@p/t/u", rollout=0, seed=at) for at, name in enumerate(NAMES)
    ]
    spec = RunSpec(worlds=("s",), agent="quits", agent_errors="excluded")
    with RunStore.create(tmp_path / "quits", spec, plan) as store:
        for one, name in zip(plan, NAMES, strict=True):
            quits = Finished(Outcome.ERRORED, ended_by="agent_error", error="not sure")
            store.finish(one.number, Finished(Outcome.PASSED, 1.0, 3, 1.0) if name in sure else quits)
    honest = a_run(tmp_path / "honest", set(), agent="honest")
    pair = compared(capsys, tmp_path / "quits", honest)["pairs"][0]
    assert pair["comparison"]["scores"] == [1.0, 0.0]
    assert pair["comparison_errors_failed"]["scores"] == [0.5, 0.0]
    assert any("agent errors were excluded from the score of quits" in note for note in pair["notes"])
    code, out, _ = run(capsys, tmp_path / "quits", honest)
    assert code == 0 and "with errors counted as failures: quits 50.0% honest 0.0%" in out

    other = a_run(tmp_path / "other", set(NAMES) - sure, agent="other")
    pair = compared(capsys, tmp_path / "quits", other)["pairs"][0]
    assert pair["comparison"]["decided"]["agent"] == "quits" and pair["comparison_errors_failed"]["decided"] is None
    said = "quits is better without errored episodes; with errors counted as failures: undecided."
    assert any(note.endswith(said) for note in pair["notes"])
