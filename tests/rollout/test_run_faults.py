"""Runs in trouble: agents that misbehave, servers, disks, clocks and kernels that do. No score comes of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tracemalloc
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fairground.cli import main
from fairground.core import Click, FairgroundError, InfrastructureError, Outcome, Step
from fairground.rollout import (
    AgentUnusable,
    Budget,
    Event,
    LocalExecutor,
    Recorder,
    RunSpec,
    RunStore,
    carry_out,
    read_episode,
    run_table,
    start_run,
)
from fairground.rollout import index_file as index
from fairground.rollout.disk import CannotWrite
from fairground.rollout.work import Episodes
from tests.agents.models.wire.openai_rules import KEY
from tests.agents.models.wire.openai_wire import OpenAIServer, broken, busy, completes, failed, returns, tool_call

from .faulty_runs import Jumpy, Mortal, Timeless, wasteful
from .recordings import an_episode, frame
from .stub_work import SPEC, Stub, plan_of

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WORLD = "pocket/notes/count-label"

# What each way to misbehave comes to: the outcome, who ended it, and words of the error.
FATE = {
    "floods its output": ("failed", "agent_error", "more than 1,048,576 bytes"),
    "floods its errors": ("failed", "agent", ""),
    "thinks too much": ("failed", "agent_error", "more than 1,048,576 bytes"),
    "crashes": ("failed", "agent_error", "killed by SIGSEGV"),
    "exits": ("failed", "agent_error", "exited with status 0 before it answered"),
    "closes its output": ("failed", "agent_error", "closed its standard output while it was running"),
    "closes its input": ("failed", "agent_error", "closed its standard input while it was running"),
    "talks garbage": ("failed", "agent_error", "invalid answers in a row"),
    "never stops": ("failed", "step_budget", ""),
    "asks and asks": ("failed", "step_budget", ""),
    "behaves": ("failed", "agent", ""),
}
QUICK = ("floods its output", "crashes", "behaves")

pytestmark = pytest.mark.process


# What a program does wrong is named one by one, without a seat, in `tests/agents/test_program.py`.
@pytest.mark.parametrize("ways", [QUICK, pytest.param(tuple(FATE), marks=pytest.mark.slow)], ids=["some", "all"])
def test_whatever_an_agent_does_its_episode_ends_and_the_others_are_unharmed(
    tmp_path: Path, ways: tuple[str, ...]
) -> None:
    roles, folder = tmp_path / "roles.json", tmp_path / "run"
    spec = RunSpec(
        worlds=(WORLD,),
        agent=f"program:{sys.executable} -S {HERE / 'faulty_agent.py'} {roles}",
        rollouts=len(ways),
        configs=1,
        retries=2,
        budget=Budget(steps=4),
    )
    with start_run(folder, spec) as run:
        rows = list(run.rows())
        roles.write_text(json.dumps({row.planned.seed: how for row, how in zip(rows, ways, strict=True)}))
        carry_out(run, workers=1)
        for row, how in zip(run.rows(), ways, strict=True):
            (outcome, ended_by, words), found = FATE[how], row.finished
            assert found is not None and (found.outcome.value, found.ended_by) == (outcome, ended_by), (how, found)
            assert words in found.error and found.reward is not None and row.attempts == 1, how
            assert read_episode(folder / found.folder).complete
    assert int(run_table(folder).scored.sum()) == len(ways)


def test_thoughts_without_end_fill_neither_the_memory_nor_the_disk(tmp_path: Path) -> None:
    tracemalloc.start()
    with Recorder(tmp_path / "e", an_episode(), video=False) as recorder:
        recorder.first(frame("a"))
        for at in range(4):
            flood = "x" * (20 << 20)
            step = Step(
                index=at, action=Click(point=(1, 2)), frame="", seconds=at, act_ms=1, settle_ms=1, settled=True,
                thought=flood,
            )  # fmt: skip
            recorder.step(step, frame("b"))
            del flood, step
        held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held < 30 << 20  # at most the one that is being written
    assert (tmp_path / "e" / "steps.jsonl").stat().st_size < 1 << 20


@pytest.mark.slow
def test_a_model_server_in_trouble_costs_time_and_no_score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPATIBLE_API_KEY", KEY)
    too_large = failed(400, "invalid_request_error", "The image is too large: at most 0.1 megapixels.")
    answers = [
        busy(retry_after="0"),
        broken(),
        returns(b'{"choices": [{"mess'),
        completes(None, tool_call("click", x=5, y=5)),
        too_large,
        completes("Done."),
        *[failed(400, "invalid_request_error", "Unknown parameter.")] * 2,
    ]
    with OpenAIServer(answers) as server:
        agent = f"compatible:a-model@{server.url}/v1"
        spec = RunSpec(
            worlds=("pocket/notes/pin-and-label",),
            agent=agent,
            rollouts=2,
            configs=1,
            retries=1,
            prices={"a-model": {"input": 1.0, "output": 2.0}},  # type: ignore[dict-item]
        )
        with start_run(tmp_path / "run", RunSpec.parse(spec.plain())) as run:
            carry_out(run, workers=1)
            first, second = (row.finished for row in run.rows())
            spent = run.progress()
    assert first is not None and (first.outcome, first.steps) == (Outcome.FAILED, 2), first
    assert second is not None and second.outcome is Outcome.ERRORED and "Unknown parameter" in second.error
    assert first.tokens == 2100 and first.cost == pytest.approx(0.0022) and second.reward is None
    assert spent.retried == 1 and spent.cost == pytest.approx(0.0022)


@pytest.mark.slow
def test_a_run_whose_model_cannot_be_asked_stops_at_once_and_can_be_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("COMPATIBLE_API_KEY", KEY)
    with OpenAIServer([busy(retry_after="0"), failed(401, "authentication_error", "no such key")]) as server:
        agent = f"compatible:a-model@{server.url}/v1"
        spec = RunSpec(worlds=(WORLD,), agent=agent, rollouts=2, configs=1, budget=Budget(steps=1))
        with start_run(tmp_path / "run", spec) as run:
            with pytest.raises(AgentUnusable, match="(?s)no such key.*COMPATIBLE_API_KEY.*fairground resume"):
                carry_out(run, workers=1)
            assert len(server.asked) == 2 and [row.attempts for row in run.rows()] == [0, 0]
            assert "a-model: retrying in 0 ms (attempt 2 of 8): 429" in caplog.text, "told by the worker's parent"
            server.script[:] = [completes("Done."), completes("Done.")]
            carry_out(run, workers=1)
            assert run.progress().outcomes == {Outcome.FAILED: 2}


def test_a_run_whose_model_server_is_not_there_ends_before_its_first_episode(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with OpenAIServer([]) as server:
        pass
    out = tmp_path / "run"
    words = ["run", WORLD, "--agent", f"compatible:x@{server.url}/v1", "--out", str(out)]
    assert main(words) == 1
    said = capsys.readouterr().err
    assert (
        f"no server answers at {server.url}/v1 (connection refused)" in said and "correct its address after @" in said
    )
    assert not (out / "episodes").exists()


def test_a_run_whose_model_no_longer_answers_stops_before_it_has_spent_its_attempts(tmp_path: Path) -> None:
    names = ["outage-one", "well", "outage-two", "outage-three", "outage-four", "outage-five"]
    with RunStore.create(tmp_path / "run", SPEC, plan_of(names)) as run:
        with pytest.raises(AgentUnusable, match="gave no answer"):
            carry_out(run, workers=1, make_work=partial(Stub, run.folder))
        progress = run.progress()
    assert progress.finished == 1 and progress.retried == 2, "one before the score, and the first of two in a row"


def test_errored_episodes_can_be_tried_again(tmp_path: Path) -> None:
    with RunStore.create(tmp_path / "run", SPEC.model_copy(update={"retries": 0}), plan_of(["error", "well"])) as run:
        work = partial(Stub, run.folder)
        carry_out(run, workers=1, make_work=work)
        for expected in (Outcome.ERRORED, Outcome.PASSED):  # it has luck at the third attempt
            assert run.reopen_errored() == 1
            carry_out(run, workers=1, make_work=work)
            row = next(run.rows())
            assert row.finished is not None and row.finished.outcome is expected
        assert row.finished.folder == "episodes/000000-2" and run.progress().retried == 2
        assert run.reopen_errored() == 0


def test_without_a_key_nothing_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    out = tmp_path / "run"
    assert main(["run", WORLD, "--agent", "anthropic:claude-sonnet-5-5", "--out", str(out)]) == 1
    said = capsys.readouterr().err
    assert "no API key for Anthropic's model" in said and "ANTHROPIC_API_KEY" in said
    assert not out.exists()


def test_a_worker_killed_with_an_episode_in_hand_is_an_error_that_is_tried_again(tmp_path: Path) -> None:
    """As the kernel kills what takes too much memory: with a real seat open, in the midst of an episode."""
    spec = RunSpec(worlds=(WORLD,), agent="do-nothing", rollouts=1, configs=1)
    events: list[Event] = []
    with start_run(tmp_path / "run", spec) as run:
        executor = LocalExecutor(partial(Mortal, tmp_path / "run", spec), 1)
        carry_out(run, executor=executor, on_event=events.append)
        (row,) = run.rows()
        assert row.attempts == 2 and row.finished is not None and row.finished.outcome is Outcome.FAILED
    (lost,) = [event for event in events if not event.final]
    assert "signal SIGKILL" in lost.finished.error and lost.finished.reward is None


@pytest.mark.slow
def test_a_clock_that_is_set_back_and_forward_changes_no_duration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "datetime", Jumpy)
    spec = RunSpec(worlds=(WORLD,), agent="random", rollouts=1, configs=1, budget=Budget(steps=3))
    with start_run(tmp_path / "run", spec) as run:
        carry_out(run, executor=LocalExecutor(partial(Timeless, tmp_path / "run", spec), 1))
        for row in run.rows():
            assert row.finished is not None and row.finished.outcome is Outcome.FAILED
            assert 0 < row.finished.seconds < 100
            recorded = read_episode(tmp_path / "run" / row.finished.folder)
            times = [step.seconds for step in recorded.steps]
            assert times == sorted(times) and times[0] > 0 and times[-1] < 100
            assert abs(datetime.fromisoformat(recorded.episode.started) - datetime.now(UTC)) > timedelta(days=20)


def test_workers_that_cannot_begin_stop_the_run_and_spend_no_attempt(tmp_path: Path) -> None:
    with RunStore.create(tmp_path / "run", SPEC, plan_of(["fine", "other"])) as run:
        executor = LocalExecutor(partial(Episodes, tmp_path / "run", SPEC, wasteful), 1)
        with pytest.raises(FairgroundError, match="cannot be made here"):
            carry_out(run, executor=executor)
        assert [(row.attempts, row.finished) for row in run.rows()] == [(0, None), (0, None)]


@pytest.mark.slow
def test_workers_that_die_as_they_begin_stop_the_run_and_spend_no_attempt(tmp_path: Path) -> None:
    with RunStore.create(tmp_path / "run", SPEC, plan_of(["fine", "other"])) as run:
        executor = LocalExecutor(partial(os._exit, 7), 1)
        with pytest.raises(InfrastructureError, match="before they started a job; the last with status 7"):
            carry_out(run, executor=executor)
        assert [(row.attempts, row.finished) for row in run.rows()] == [(0, None), (0, None)]


def test_a_folder_removed_while_the_run_goes_on_ends_it_with_a_word(tmp_path: Path) -> None:
    folder = tmp_path / "run"

    def remove(event: Event) -> None:
        shutil.rmtree(folder, ignore_errors=True)

    run = RunStore.create(folder, SPEC, plan_of([f"fine-{number}" for number in range(50)]))
    with run, pytest.raises(CannotWrite, match=r"run\.sqlite was removed|could not write"):
        carry_out(run, workers=1, make_work=partial(Stub, folder), on_event=remove)


def in_small_disk(what: str, root: Path, options: str) -> Any:
    """Runs a part of `faulty_runs` on a disk of its own, which nobody else sees; as root and as anybody else."""
    root.mkdir()
    mount = f'mount -t tmpfs -o {options} none "$1" && exec "$2" -m tests.rollout.faulty_runs "$0" "$1"'
    words = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount, what, str(root), sys.executable]
    return in_process(words)


def in_process(words: list[str]) -> Any:
    place = os.pathsep.join([str(ROOT), *sys.path])
    done = subprocess.run(words, cwd=ROOT, env={**os.environ, "PYTHONPATH": place}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_a_full_disk_stops_the_run_and_it_goes_on_when_there_is_room(tmp_path: Path) -> None:
    found = in_small_disk("full_disk", tmp_path / "disk", "size=600k")
    assert "disk is full" in found["said"] and found["before"] < 6
    assert found["rows"] == [[1, "passed"]] * 6  # no attempt was spent on the disk


@pytest.mark.slow
def test_a_read_only_folder_is_refused_with_a_word_and_can_still_be_read(tmp_path: Path) -> None:
    found = in_small_disk("read_only", tmp_path / "disk", "size=4m")
    assert len(found["said"]) == 2 and found["finished"] == 2
    assert all("Read-only file system" in said and "--out" in said for said in found["said"])


def test_a_run_of_another_version_or_in_use_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    with RunStore.create(folder, SPEC, plan_of(["fine"])):
        assert main(["resume", str(folder)]) == 1
        assert "is being written by another process" in capsys.readouterr().err
        assert main(["run", WORLD, "--agent", "random", "--out", str(folder)]) == 2
        assert "is not empty" in capsys.readouterr().err


def test_ctrl_c_leaves_a_run_to_resume_and_no_process(tmp_path: Path) -> None:
    words = [sys.executable, str(HERE / "interrupted.py"), str(tmp_path / "run")]
    found = in_process(words)
    assert found["status"] == 130 and "fairground resume" in found["said"] and "Traceback" not in found["said"]
    assert found["left"] == []
    with RunStore.open(tmp_path / "run", write=True) as run:  # at once: no worker is there any more
        assert run.progress().planned > run.progress().finished
