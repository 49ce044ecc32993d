"""Executor that runs episodes on the nodes of a Ray cluster.

Seats are a Ray resource. Start nodes with `ray start ... --resources='{"seats": 8}'` to allow eight episodes in
parallel. If no node declares seats, each CPU counts as one seat. Nodes need this package, the suites, their programs,
and the API keys of model agents in their own environment.

Only the calling process writes the run's index. Episodes are stored in one of two ways:

- The run's folder is on a file system that every node sees under the same path (the default). Workers record directly
  into it.
- `ship=True`: workers record into a scratch folder of their node, and send each episode back as an archive, which is
  unpacked atomically into the run's folder.

If a node dies, its current episodes become errored attempts and are retried elsewhere. Episodes whose seats were opened
ahead had not begun, and cost no attempt. A node that joins is used if there are more workers than seats: the remaining
workers wait for seats.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import socket
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from fairground.core import EpisodeError, FairgroundError, InfrastructureError, InvalidInput, MissingPrerequisite
from fairground.rollout.executor import AHEAD, PATIENCE, UNWRITTEN, Ended, attempt, errored, lost
from fairground.rollout.parcel import pack, unpack
from fairground.rollout.store import Finished, RunStore
from fairground.rollout.work import Episodes, Job, Work

SEATS = "seats"
"""Name of the Ray resource that nodes offer."""

IDLE = 300.0
"""Seconds that a run waits for the cluster to offer a seat."""

LARGEST = 512 << 20
"""Maximum size in bytes of an episode that is sent back."""

_STARTS = 10  # consecutive workers that die before they start; more is not just one bad node


def need_ray() -> Any:
    """Import the ray package.

    Raises:
        MissingPrerequisite: If it is not installed.
    """
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise MissingPrerequisite(f"the ray executor needs Ray: {error}", fix="pip install 'fairground[ray]'") from None


def on_ray(
    store: RunStore, *, address: str | None = None, workers: int | None = None, ship: bool = False
) -> RayExecutor:
    """Return an executor for the remaining episodes of a run. Arguments as for `RayExecutor`."""
    progress = store.progress()
    left = max(1, progress.planned - progress.finished)
    make_work = partial(Episodes, spec=store.spec)
    return RayExecutor(make_work, store.folder, address=address, workers=workers, jobs=left, ship=ship)


class RayExecutor:
    """Workers on the nodes of a Ray cluster. Each worker is an actor that holds one seat.

    While it is open, this process's standard output is redirected to standard error, because Ray prints messages about
    its nodes to standard output. Ray usage reports are off in clusters started here.

    Args:
        make_work: Creates the work object in the worker, given the folder to record into.
        run: The run's folder.
        address: Address of a cluster (`host:port`, or `auto` for the one on this machine). Default: `RAY_ADDRESS`, or
            else a local cluster that lives as long as the executor.
        workers: Number of episodes in parallel. Default: the current number of seats in the cluster.
        jobs: Number of jobs, if known. No more workers than that are started.
        ship: Whether nodes send episodes back instead of writing them into the run's folder.
        patience: Timeout of a job in seconds.
        idle: Seconds without a seat after which the run ends. It can be resumed.
        largest: Maximum size in bytes of an episode that is sent back.
    """

    def __init__(
        self,
        make_work: Callable[[Path], Work],
        run: Path,
        *,
        address: str | None = None,
        workers: int | None = None,
        jobs: int | None = None,
        ship: bool = False,
        patience: float = PATIENCE,
        idle: float = IDLE,
        largest: int = LARGEST,
    ) -> None:
        self._ray = need_ray()
        self._make_work, self._run = make_work, run.resolve()
        self._ship, self._largest = ship, largest
        self._patience, self._idle = patience, idle
        self._workers: list[_Worker] = []
        self._failed_starts = 0
        self._seated = time.monotonic()
        self._left = contextlib.ExitStack()
        try:
            if not self._ray.is_initialized():
                self._left.enter_context(contextlib.redirect_stdout(sys.stderr))
                self._left.callback(self._ray.shutdown)
                _connect(self._ray, address, workers)
            offered = self._ray.cluster_resources()
            seats = int(offered.get(SEATS, 0))
            self._claim = {"resources": {SEATS: 1}, "num_cpus": 0} if seats else {"num_cpus": 1}
            count = workers or seats or int(offered.get("CPU", 0))
            if not count:
                raise InfrastructureError(
                    "the Ray cluster offers neither seats nor CPUs",
                    fix="start nodes with: ray start --address=HOST:PORT --resources='{\"seats\": 4}'",
                )
            for _ in range(min(count, jobs or count)):
                self._workers.append(self._start())
        except BaseException:
            self.close(kill=True)
            raise

    @property
    def room(self) -> int:
        """Number of jobs it can accept now. A worker that waits for its seat accepts none."""
        return sum(AHEAD - len(worker.jobs) for worker in self._workers if worker.ready)

    def submit(self, job: Job) -> None:
        """Queue a job at the worker with the fewest jobs."""
        worker = min((ready for ready in self._workers if ready.ready), key=lambda ready: len(ready.jobs))
        worker.jobs.append(job)
        if len(worker.jobs) == 1:
            self._do(worker)
        else:
            worker.actor.order.options(concurrency_group="ahead").remote(job)

    def wait(self, seconds: float) -> list[Ended]:
        """Wait until a job ends, at most `seconds`.

        Raises:
            FairgroundError: If workers cannot start anywhere, or the cluster had no seat for too long.
        """
        calls = {worker.call: worker for worker in self._workers if worker.call is not None}
        ended: list[Ended] = []
        if calls:
            self._ray.wait(list(calls), timeout=seconds)
            done, _ = self._ray.wait(list(calls), num_returns=len(calls), timeout=0)
            for call in done:
                ended += self._receive(calls[call])
        now = time.monotonic()
        for worker in list(self._workers):
            if worker.jobs and now - worker.since > self._patience:
                ended += self._bury(worker, f"timed out after {self._patience:g} s; its worker was killed")
        if any(worker.ready for worker in self._workers):
            self._seated = now
        elif now - self._seated > self._idle:
            raise InfrastructureError(
                f"no node of the Ray cluster had a seat for this run in {self._idle:g} s",
                fix="check `ray status`, add nodes, then continue the run with `fairground resume`",
            )
        return ended

    def close(self, *, kill: bool = False) -> None:
        """Stop the workers and disconnect from the cluster. May be called twice."""
        workers, self._workers = self._workers, []
        with self._left:
            if not kill:
                ends = [worker.actor.end.remote() for worker in workers if worker.ready]
                if ends:
                    self._ray.wait(ends, num_returns=len(ends), timeout=30)
            for worker in workers:
                self._ray.kill(worker.actor)

    def _start(self) -> _Worker:
        remote = self._ray.remote(**self._claim, concurrency_groups={"ahead": 1}, scheduling_strategy="SPREAD")(Remote)
        actor = remote.remote()
        return _Worker(actor, actor.begin.remote(self._make_work, self._run, self._ship, self._largest))

    def _do(self, worker: _Worker) -> None:
        # Sent now and not when it was queued, so that we know which jobs a dead worker had not started.
        worker.since = time.monotonic()
        worker.call = worker.actor.do.remote(worker.jobs[0])

    def _receive(self, worker: _Worker) -> list[Ended]:
        try:
            answer = self._ray.get(worker.call)
        except self._ray.exceptions.RayError as error:
            if worker.ready:
                return self._bury(worker, _what_happened(error))
            self._start_again(worker, error)
            return []
        worker.call = None
        if not worker.ready:
            worker.ready, self._failed_starts = True, 0
            return []
        finished, goes_on, parcel = answer
        job = worker.jobs.popleft()
        if parcel is not None:
            finished = self._keep(job, finished, parcel)
        ended: list[Ended] = [(job, finished)]
        if not goes_on:
            ended += [(queued, None) for queued in worker.jobs]
            self._ray.wait([worker.actor.end.remote()], timeout=10)
            self._replace(worker)
        elif worker.jobs:
            self._do(worker)
        return ended

    def _keep(self, job: Job, finished: Finished, parcel: bytes) -> Finished:
        try:
            unpack(parcel, self._run / job.folder)
        except EpisodeError as error:
            return errored(job, f"the node sent an invalid episode: {error}")
        return finished

    def _bury(self, worker: _Worker, why: str) -> list[Ended]:
        self._replace(worker)
        return lost(worker.jobs, why)

    def _replace(self, worker: _Worker) -> None:
        self._ray.kill(worker.actor)
        self._workers[self._workers.index(worker)] = self._start()

    def _start_again(self, worker: _Worker, error: Exception) -> None:
        """Restart a worker whose node died.

        An error in the worker's own start-up is raised: it would fail elsewhere too.
        """
        if isinstance(error, self._ray.exceptions.RayTaskError):
            cause = getattr(error, "cause", None)
            if isinstance(cause, FairgroundError):
                raise cause from None
            raise InfrastructureError(f"a worker on the Ray cluster could not start: {error}") from None
        self._failed_starts += 1
        if self._failed_starts >= _STARTS:
            raise InfrastructureError(
                f"{_STARTS} workers in a row died on the Ray cluster while starting: {error}",
                fix="check in the nodes' logs that all nodes have this version of fairground and enough memory",
            ) from None
        self._replace(worker)


class Remote:
    """A worker: a Ray actor in its own process on a node. Not for direct use."""

    def begin(self, make_work: Callable[[Path], Work], run: Path, ship: bool, largest: int) -> None:
        """Create the work object. Not done in the constructor, so that exceptions reach the caller unchanged."""
        self._scratch = tempfile.TemporaryDirectory(prefix="fairground-") if ship else None
        self._largest = largest
        if self._scratch is None and not (run / "run.sqlite").is_file():
            raise InfrastructureError(
                f"{run} is not visible on node {os.uname().nodename}",
                fix="record into a folder that all nodes share, or let nodes send episodes back (ship)",
            )
        self._folder = run if self._scratch is None else Path(self._scratch.name)
        self._work = make_work(self._folder)

    def order(self, job: Job) -> None:
        """Prepare what a later job needs."""
        with contextlib.suppress(FairgroundError):  # `do` raises the same error, and reports it
            self._work.order(job)

    def do(self, job: Job) -> tuple[Finished, bool, bytes | None]:
        """Run a job. Returns how it ended, whether this worker can continue, and the episode if it is to be sent."""
        finished, goes_on = attempt(self._work, job)
        if self._scratch is None:
            return finished, goes_on, None
        if finished.ended_by == UNWRITTEN:  # the disk of this node is full; others may have space
            return errored(job, f"node {os.uname().nodename}: {finished.error}"), goes_on, None
        try:
            return finished, goes_on, pack(self._folder / job.folder, self._largest)
        except FairgroundError as error:
            return errored(job, str(error)), goes_on, None

    def end(self) -> None:
        """Close the work object and remove the scratch folder."""
        self._work.close()
        if self._scratch is not None:
            self._scratch.cleanup()


@dataclass(eq=False)
class _Worker:
    actor: Any
    call: Any
    """The pending call: to start, then one job after the other."""
    ready: bool = False
    jobs: deque[Job] = field(default_factory=deque)
    since: float = 0.0
    """When it was given the current job."""


def _connect(ray: Any, address: str | None, workers: int | None) -> None:
    where = address or os.environ.get("RAY_ADDRESS")
    if where and where.startswith("ray://"):
        raise InvalidInput(
            f"{where} is the address of a Ray client server",
            fix="run this on a node of the cluster, with --address auto",
        )
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.WARNING}
    if not where:
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        seats = {SEATS: workers or os.cpu_count() or 1}
        options |= {"address": "local", "include_dashboard": False, "resources": seats}
    else:
        options["address"] = where
    try:
        host, _, port = (where or "").rpartition(":")
        if host and port.isdigit():  # Ray itself would retry for minutes
            socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
        ray.init(**options)
    except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        raise InfrastructureError(
            f"no Ray cluster {f'at {where}' if where else 'could be started here'}: {error}",
            fix="check with `ray status` that the cluster is up, and that this is the address of its head node",
        ) from error


def _what_happened(error: Exception) -> str:
    cause = getattr(error, "cause", None)  # what the work raised; None if the worker or its node died
    reason = cause or error
    lines = str(reason).strip().splitlines() or [""]
    return f"its worker on the Ray cluster {'failed' if cause else 'was lost'}: {type(reason).__name__}: {lines[0]}"
