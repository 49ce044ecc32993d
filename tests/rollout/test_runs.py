"""Runs: the plan, the index, the workers; killed at any instant, nothing lost and nothing twice."""

import collections
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest

from fairground.core import InfrastructureError, InvalidInput, Outcome, UnknownName
from fairground.rollout import (
    Budget,
    Event,
    Finished,
    LocalExecutor,
    RunBusy,
    RunSpec,
    RunStore,
    carry_out,
    make_plan,
    run_table,
)

from .stub_work import SPEC, Stub, plan_of

STUB = Path(__file__).with_name("stub_work.py")


def stub_run(folder: Path, names: list[str], spec: RunSpec = SPEC, *, workers: int = 2, **options: object) -> RunStore:
    store = RunStore.create(folder, spec, plan_of(names))
    carry_out(store, workers=workers, make_work=partial(Stub, folder), **options)  # type: ignore[arg-type]
    return store


def outcomes(store: RunStore) -> dict[str, str | None]:
    return {
        row.planned.configuration.split("/")[2]: row.finished.outcome.value if row.finished else None
        for row in store.rows()
    }


def test_a_plan_follows_from_its_seed() -> None:
    spec = RunSpec(worlds=("pocket/notes",), agent="random", rollouts=2, configs=3)
    plan = make_plan(spec)
    assert plan == make_plan(spec) and len(plan) == 2 * 2 * 3
    assert [one.number for one in plan] == list(range(12))
    assert len({one.seed for one in plan}) == 12
    other = make_plan(spec.model_copy(update={"seed": 1}))
    assert {one.configuration for one in plan} != {one.configuration for one in other}


def test_what_a_scenario_draws_does_not_depend_on_what_else_is_run() -> None:
    alone = make_plan(RunSpec(worlds=("pocket/notes/pin-and-label",), agent="random", configs=3))
    among = make_plan(RunSpec(worlds=("desk", "pocket"), agent="random", configs=3))
    assert {(one.configuration, one.rollout, one.seed) for one in alone} <= {
        (one.configuration, one.rollout, one.seed) for one in among
    }


def test_axes_that_are_not_varied_stay_at_their_first_value() -> None:
    plan = make_plan(RunSpec(worlds=("pocket/notes",), agent="random", configs=None, axes=("theme",)))
    themes = {one.configuration.split("@")[1].split("/")[1] for one in plan}
    profiles = {one.configuration.split("@")[1].split("/")[0] for one in plan}
    assert len(themes) > 1 and len(profiles) == 1
    with pytest.raises(UnknownName, match="unknown axis 'colour'"):
        make_plan(RunSpec(worlds=("pocket",), agent="random", axes=("colour",)))


def test_a_run_that_varies_one_axis_at_a_time_is_resumed_with_the_plan_that_was_stored(tmp_path: Path) -> None:
    spec = RunSpec(worlds=("pocket/notes",), agent="random", rollouts=2, configs=3, design="one-axis-at-a-time")
    plan = make_plan(spec)
    assert len(plan) == 2 * 2 * 3 and plan != make_plan(spec.model_copy(update={"design": "random"}))
    RunStore.create(tmp_path / "run", spec, plan).close()
    with RunStore.open(tmp_path / "run") as store:
        assert store.spec == spec and tuple(row.planned for row in store.rows()) == plan
    older = {key: value for key, value in spec.plain().items() if key != "design"}
    assert RunSpec.parse(older).design == "random", "runs from before there were designs"


def test_a_single_configuration_can_be_run_and_named_twice_is_run_once() -> None:
    world = "pocket/notes/count-label"
    (first, *_) = make_plan(RunSpec(worlds=(world,), agent="random", rollouts=1, configs=1))
    again = make_plan(RunSpec(worlds=(first.configuration, first.configuration), agent="random", rollouts=2))
    assert [one.configuration for one in again] == [first.configuration] * 2


@pytest.mark.process
def test_errors_are_tried_again_within_their_budget_and_never_become_scores(tmp_path: Path) -> None:
    events: list[Event] = []
    with stub_run(tmp_path / "run", ["fine", "error", "always-die"], on_event=events.append) as store:
        assert outcomes(store) == {"fine": "passed", "error": "passed", "always-die": "errored"}
        progress = store.progress()
        assert (progress.retried, progress.finished) == (4, 3)
        dead = next(row for row in store.rows() if "always-die" in row.planned.configuration)
        assert dead.attempts == 3 and dead.finished is not None and "signal SIGKILL" in dead.finished.error
    assert [event.final for event in events].count(False) == 4
    table = run_table(tmp_path / "run")
    assert table.outcomes()[Outcome.ERRORED] == 1 and int(table.scored.sum()) == 2


@pytest.mark.process
def test_a_worker_that_dies_takes_only_its_own_job_with_it_and_what_cannot_be_made_ready_ahead_is_done(
    tmp_path: Path,
) -> None:
    with stub_run(tmp_path / "run", ["unready", "fine-0", "fine-1", "die", "fine-2", "fine-3"]) as store:
        assert set(outcomes(store).values()) == {"passed"}
        assert store.progress().retried == 1


@pytest.mark.slow
def test_a_worker_that_left_an_agent_behind_is_not_used_again(tmp_path: Path) -> None:
    with stub_run(tmp_path / "run", ["tired", "fine"], workers=1) as store:
        assert list(outcomes(store).values()) == ["failed", "passed"]
        assert store.progress().retried == 0
    assert len(list((tmp_path / "run").glob("done-*.txt"))) == 2


@pytest.mark.process
def test_a_job_without_an_end_is_given_up(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    spec = SPEC.model_copy(update={"retries": 50})  # a busy machine may need longer than this for a job that does end
    executor = LocalExecutor(partial(Stub, folder), 1, patience=0.5)
    with RunStore.create(folder, spec, plan_of(["hang"])) as store:
        carry_out(store, executor=executor)
        assert outcomes(store) == {"hang": "passed"} and store.progress().retried >= 1


@pytest.mark.process
def test_a_run_stops_when_its_money_is_spent_and_goes_on_with_more(tmp_path: Path) -> None:
    spec = SPEC.model_copy(update={"budget": Budget(dollars=3.0)})
    names = [f"dear-{number}" for number in range(12)]
    with stub_run(tmp_path / "run", names, spec, workers=1) as store:
        spent = store.progress()
        assert 3 <= spent.cost <= 3 + 2 and spent.finished < 12  # one worker has two jobs at a time
    with RunStore.open(tmp_path / "run", write=True) as again:
        again.spec = spec.model_copy(update={"budget": Budget(dollars=100)})
        whole = carry_out(again, workers=1, make_work=partial(Stub, tmp_path / "run"))
        assert (whole.finished, whole.cost) == (12, 12)


def killed_run(folder: Path, episodes: int | None = None) -> bool:
    """Goes on with a run in a process of its own, which is killed once so many episodes have ended; says if it was."""
    words = [sys.executable, str(STUB), str(folder), *([] if episodes is None else [str(episodes)])]
    done = subprocess.run(words, env=environment(), capture_output=True, text=True)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr[-2000:]
    return done.returncode != 0


def environment() -> dict[str, str]:
    places = [str(STUB.parents[2]), *sys.path]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(places)}


@pytest.mark.parametrize("kills", [1, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.process
def test_a_run_killed_at_random_instants_has_every_episode_once(kills: int, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    plan = plan_of([f"fine-{number}" for number in range(15 * kills)], rollouts=2)
    total = len(plan)
    RunStore.create(folder, SPEC, plan).close()
    draw = random.Random(kills)
    for _ in range(kills):
        assert killed_run(folder, draw.randint(1, 10))
    assert not killed_run(folder)
    with RunStore.open(folder) as store:
        rows = list(store.rows())
        assert [row.planned.number for row in rows] == list(range(total))
        assert all(row.finished is not None and row.finished.outcome is Outcome.PASSED for row in rows)
        assert all(row.attempts == 1 for row in rows)
    begun = collections.Counter(
        int(line.split()[0]) for file in folder.glob("done-*.txt") for line in file.read_text().splitlines()
    )
    assert set(begun) == set(range(total))
    # Only what was under way at a kill is done again: at most two workers with two jobs each.
    assert sum(begun.values()) - total <= 4 * kills


def test_two_processes_cannot_write_one_run_and_others_may_read_it(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with RunStore.create(folder, SPEC, plan_of(["fine"])) as store:
        with pytest.raises(RunBusy, match="is being written by another process"):
            RunStore.open(folder, write=True)
        with RunStore.open(folder) as reader:
            store.finish(0, Finished(Outcome.PASSED, reward=1.0))
            assert reader.progress().finished == 1
            with pytest.raises(InfrastructureError, match="opened read-only"):
                reader.finish(0, Finished(Outcome.PASSED))
    RunStore.open(folder, write=True).close()


def test_an_episode_that_has_ended_stays_as_it_is(tmp_path: Path) -> None:
    with RunStore.create(tmp_path / "run", SPEC, plan_of(["fine"])) as store:
        store.finish(0, Finished(Outcome.PASSED, reward=1.0))
        with pytest.raises(InfrastructureError, match="has already ended"):
            store.finish(0, Finished(Outcome.FAILED, reward=0.0))
        with pytest.raises(InfrastructureError, match="never planned"):
            store.finish(7, Finished(Outcome.PASSED))


def test_a_folder_that_is_no_run_or_not_empty_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="is not a run"):
        RunStore.open(tmp_path)
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(InvalidInput, match="is not empty"):
        RunStore.create(tmp_path, SPEC, plan_of(["fine"]))


def test_a_run_of_another_version_is_refused(tmp_path: Path) -> None:
    RunStore.create(tmp_path / "run", SPEC, plan_of(["fine"])).close()
    with sqlite3.connect(tmp_path / "run" / "run.sqlite") as db:
        db.execute("UPDATE meta SET value = '99' WHERE key = 'format'")
    db.close()
    with pytest.raises(InvalidInput, match="format 99; this version reads formats 2 and 3"):
        RunStore.open(tmp_path / "run")


def test_a_damaged_index_says_so(tmp_path: Path) -> None:
    RunStore.create(tmp_path / "run", SPEC, plan_of(["fine"])).close()
    (tmp_path / "run" / "run.sqlite").write_bytes(b"not a database" * 100)
    with pytest.raises(InfrastructureError, match="run.sqlite"):
        RunStore.open(tmp_path / "run")


@pytest.mark.process
def test_an_interrupted_run_ends_its_workers(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    store = RunStore.create(folder, SPEC, plan_of([f"fine-{number}" for number in range(500)]))

    def interrupt(event: Event) -> None:
        if event.progress.finished == 10:
            raise KeyboardInterrupt

    with store, pytest.raises(KeyboardInterrupt):
        carry_out(store, workers=1, make_work=partial(Stub, folder, 0.002), on_event=interrupt)
    with RunStore.open(folder, write=True) as again:  # would wait for workers that are still there
        assert 10 <= again.progress().finished < 30
    assert not [thread for thread in threading.enumerate() if "worker" in thread.name.lower()]
    assert signal.getsignal(signal.SIGINT) is not None
