"""A worker's work that opens no seat, for tests of plans, index and scheduling; and a run that a test can kill."""

import os
import signal
import sys
import time
from functools import partial
from pathlib import Path

from fairground.core import Outcome
from fairground.rollout import Event, Finished, Job, Planned, RunSpec, RunStore, carry_out
from fairground.rollout.store import hold
from fairground.rollout.work import OUTAGE


class Stub:
    """Notes what it was asked to do in a file of its own, and does what the configuration's name says."""

    def __init__(self, run: Path, seconds: float = 0.0) -> None:
        self._run, self._seconds = run, seconds
        self._held = hold(run)

    def order(self, job: Job) -> None:
        if "unready" in job.planned.configuration:
            raise ValueError("nothing can be made ready for it")

    def do(self, job: Job) -> tuple[Finished, bool]:
        with (self._run / f"done-{os.getpid()}.txt").open("a") as file:
            file.write(f"{job.planned.number} {job.attempt}\n")
        time.sleep(self._seconds)
        name = job.planned.configuration
        if "die" in name and job.attempt == 0:
            os.kill(os.getpid(), 9)
        if "always-die" in name:
            os.kill(os.getpid(), 9)
        if "hang" in name and job.attempt == 0:
            time.sleep(1000)
        if "error" in name and job.attempt < 2:
            return Finished(Outcome.ERRORED, ended_by="error", error="no luck", folder=job.folder), True
        if "outage" in name:
            return Finished(Outcome.ERRORED, ended_by=OUTAGE, error="the model gave no answer", folder=job.folder), True
        if "tired" in name:
            return Finished(Outcome.FAILED, reward=0.0, ended_by="time_budget", folder=job.folder), False
        cost = 1.0 if "dear" in name else None
        return Finished(Outcome.PASSED, reward=1.0, steps=3, seconds=0.1, cost=cost, folder=job.folder), True

    def close(self) -> None:
        """Nothing to close."""


def plan_of(names: list[str], rollouts: int = 1) -> tuple[Planned, ...]:
    pairs = [(name, rollout) for name in names for rollout in range(rollouts)]
    return tuple(
        Planned(number=number, configuration=f"s/a/{name}/i@p/t/u", rollout=rollout, seed=number)
        for number, (name, rollout) in enumerate(pairs)
    )


SPEC = RunSpec(worlds=("s",), agent="random")


if __name__ == "__main__":  # goes on with a run until it is done, or until so many have ended and it kills itself
    folder, left = Path(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else None

    def count(event: Event) -> None:
        global left
        if left is not None and (left := left - 1) <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    with RunStore.open(folder, write=True) as store:
        carry_out(store, workers=2, make_work=partial(Stub, folder, 0.004), on_event=count)
