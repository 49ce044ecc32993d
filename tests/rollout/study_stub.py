"""Studies without seats: an executor that throws a coin for each episode, and a study that a test can kill."""

import hashlib
import sys
from pathlib import Path

from fairground.core import Outcome
from fairground.rollout import Finished, Job, RunStore
from fairground.rollout.study_run import carry_out_study, open_study

CHANCES = {"baseline": 0.6, "deterministic": 0.6, "perturbed": 0.35, "retry": 0.9}


class Coins:
    """Passes as often as condition and task allow; the same again for the same plan. Needs no processes."""

    room = 1

    def __init__(self, store: RunStore, errors: float = 0.0, cost: float | None = None) -> None:
        self._name, self._errors, self._cost = store.spec.condition, errors, cost
        self._chance = CHANCES.get(self._name, 0.8)
        self._jobs: list[Job] = []

    def submit(self, job: Job) -> None:
        self._jobs.append(job)
        self.room = 0

    def wait(self, seconds: float) -> list[tuple[Job, Finished | None]]:
        done: list[tuple[Job, Finished | None]] = [(job, self._throw(job)) for job in self._jobs]
        self._jobs, self.room = [], 1
        return done

    def close(self, *, kill: bool = False) -> None:
        """Nothing to end."""

    def _throw(self, job: Job) -> Finished:
        planned = job.planned
        if _share(f"error {self._name} {planned.number}") < self._errors:
            return Finished(Outcome.ERRORED, ended_by="error", error="no luck", folder=job.folder)
        luck = _share(f"{self._name} {planned.pairing} {planned.rollout}")
        passed = luck < 0.5 * self._chance + 0.5 * (_share(planned.pairing) < self._chance)
        outcome = Outcome.PASSED if passed else Outcome.FAILED
        return Finished(outcome, reward=float(passed), steps=3, seconds=0.1, cost=self._cost, folder=job.folder)


def _share(text: str) -> float:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big") / 2**32


if __name__ == "__main__":  # goes on with a study until it is done, or killed
    carry_out_study(open_study(Path(sys.argv[1])), make_executor=Coins)
