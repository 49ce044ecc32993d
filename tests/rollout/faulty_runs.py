"""Not a test module: runs in processes of their own, where a disk can be small, and what is left behind be seen."""

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

from fairground.agents import Agent, DoNothing, Turn
from fairground.core import Done, FairgroundError, Observation
from fairground.rollout import RunSpec, RunStore, carry_out, index_file, loop
from fairground.rollout.executor import LocalExecutor
from fairground.rollout.work import Episodes, Job

from .recordings import an_episode, record
from .stub_work import SPEC, Stub, plan_of


class Recording(Stub):
    """Writes an episode of some size."""

    def do(self, job: Job) -> Any:
        folder = self._run / job.folder
        if folder.exists():
            raise AssertionError("an attempt that was not recorded must leave nothing")
        record(folder, "ab", [Done()], episode=an_episode(job.planned.configuration))
        (folder / "more.bin").write_bytes(os.urandom(20_000))
        return super().do(job)


class Killed(DoNothing):
    """Is killed as it acts, as the kernel does when memory is short."""

    name = "killed"

    def act(self, observation: Observation) -> Turn:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


class Jumpy(index_file.datetime):  # type: ignore[misc, name-defined]
    """A clock that somebody sets back and forward by days."""

    _looks = 0

    @classmethod
    def now(cls, tz: Any = None) -> Any:
        cls._looks += 1
        days = (-400, 30, -30, 9000)[cls._looks % 4]
        return super().fromtimestamp(time.time() + days * 86_400, tz)


class Mortal(Episodes):
    """The first attempt at an episode kills its worker in the midst of it."""

    def do(self, job: Job) -> Any:
        if job.attempt == 0:
            self._agent = Killed()
        return super().do(job)


class Timeless(Episodes):
    """Works while the clock is being set."""

    def __init__(self, run: Path, spec: RunSpec) -> None:
        loop.datetime = Jumpy  # type: ignore[attr-defined]
        super().__init__(run, spec)


def wasteful(name: str) -> Agent:
    raise FairgroundError("this agent cannot be made here")


def full_disk(root: Path) -> None:
    """On a disk of a few hundred kilobytes: fills it while the run goes on, makes room, resumes."""
    folder, filler = root / "run", root / "filler"
    names = [f"fine-{number}" for number in range(6)]
    with RunStore.create(folder, SPEC, plan_of(names)) as run:

        def fill(event: object) -> None:
            with filler.open("wb", buffering=0) as file:
                try:
                    while True:
                        file.write(b"x" * 512)
                except OSError:
                    pass

        said = ""
        try:
            carry_out(run, executor=LocalExecutor(partial(Recording, folder), 1), on_event=fill)
        except FairgroundError as error:
            said = str(error)
        filler.unlink()
        before = run.progress().finished
        carry_out(run, executor=LocalExecutor(partial(Recording, folder), 1))
        rows = [(row.attempts, row.finished.outcome if row.finished else None) for row in run.rows()]
    print(json.dumps({"said": said, "before": before, "rows": rows}))


def read_only(root: Path) -> None:
    """On a disk that became read-only: a run can be read, and not be gone on with."""
    folder = root / "run"
    with RunStore.create(folder, SPEC, plan_of(["fine", "other"])) as run:
        carry_out(run, executor=LocalExecutor(partial(Recording, folder), 1))
    subprocess.run(["mount", "-o", "remount,ro", str(root)], check=True)
    said = []
    for folder in (root / "run", root / "new"):
        try:
            RunStore.create(folder, SPEC, ()) if folder.name == "new" else RunStore.open(folder, write=True)
        except FairgroundError as error:
            said.append(str(error))
    with RunStore.open(root / "run") as run:
        print(json.dumps({"said": said, "finished": run.progress().finished}))


if __name__ == "__main__":
    globals()[sys.argv[1]](Path(sys.argv[2]))
