"""Whose fault it is that a worker process ended: by its exit code, by the kernel's word, and by who runs in it."""

import signal
import threading
from pathlib import Path

import pytest

from fairground.agents import Brief, Turn
from fairground.arena.contest_side import Reined
from fairground.core import Done, Observation, Outcome
from fairground.rollout import Finished, RunSpec, executor
from fairground.rollout.executor import DIED, EXITED
from fairground.rollout.lost_worker import lost_worker
from fairground.rollout.patience import AgentRaised, OutOfTime, Patient
from fairground.rollout.work import Job

from .stub_work import plan_of

JOB = Job(plan_of(["fine"])[0], 0, "episodes/000000")


@pytest.mark.parametrize(
    ("code", "kills", "who"),
    [
        (0, 3, EXITED),
        (7, None, EXITED),
        (-signal.SIGSEGV, 3, DIED),
        (-signal.SIGABRT, 3, DIED),
        (-signal.SIGKILL, 3, DIED),
        (-signal.SIGKILL, 2, "error"),  # the kernel has ended one for want of memory since
        (-signal.SIGKILL, None, "error"),  # it does not say
        (-signal.SIGTERM, 3, DIED),  # an agent that ends its worker as a service manager would
        (-signal.SIGINT, None, DIED),
        (None, 3, "error"),
    ],
)
def test_an_exit_is_the_agents_and_a_kill_for_want_of_memory_is_ours(
    code: int | None, kills: int | None, who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "_memory_kills", lambda: 3)
    assert executor._who_ended(code, kills) == who


@pytest.mark.parametrize(
    ("agent", "ended_by", "outcome"),
    [
        ("agents.py:Mine", DIED, Outcome.FAILED),
        ("agents.py:Mine", EXITED, Outcome.FAILED),
        ("random", EXITED, Outcome.FAILED),
        ("random", DIED, Outcome.ERRORED),
        ("program:./mine", DIED, Outcome.FAILED),
        ("compatible:m@http://127.0.0.1:1", DIED, Outcome.ERRORED),
    ],
)
def test_only_agents_that_can_reach_the_worker_are_blamed_for_its_death(
    agent: str, ended_by: str, outcome: Outcome, tmp_path: Path
) -> None:
    lost = Finished(Outcome.ERRORED, ended_by=ended_by, error="the worker process ended", folder=JOB.folder)
    found = lost_worker(tmp_path, RunSpec(worlds=("s",), agent=agent), JOB, lost)
    assert found.outcome is outcome
    assert (found.ended_by, found.reward) == (("agent_error", 0.0) if outcome.scored else ("error", None))
    excluded = lost_worker(tmp_path, RunSpec(worlds=("s",), agent=agent, agent_errors="excluded"), JOB, lost)
    assert (excluded.outcome, excluded.reward) == (Outcome.ERRORED, None)


class Faulty:
    name = "faulty"

    def begin(self, brief: Brief) -> None:
        raise OutOfTime

    def act(self, observation: Observation) -> Turn:
        return Turn(Done())


def test_what_an_agent_raises_behind_a_harness_is_its_own_and_a_stop_is_not() -> None:
    inner = Faulty()
    reined = Reined(inner, "a", threading.Barrier(1))
    patient = Patient(reined)
    brief = Brief("Do it.", (800, 600), 5)
    with pytest.raises(AgentRaised) as raised:
        patient.begin(brief, None)
    assert raised.value.agent is inner and isinstance(raised.value.error, OutOfTime)
    reined.stop()
    with pytest.raises(OutOfTime):
        patient.begin(brief, None)
    patient.close()
