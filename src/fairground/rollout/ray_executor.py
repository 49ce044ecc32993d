"""Where episodes are carried out: the nodes of a Ray cluster, behind the interface of the local executor.

Seats are a resource: start nodes with `ray start ... --resources='{"seats": 8}'` for as many episodes at a time as
they bear; in a cluster where no node says, each CPU counts as one seat. Nodes need this package, the suites, their
programs, and in their own environment the keys of model agents.

Only the process that called writes the index of the run. Artifacts take one of two ways:

- The run's folder is on a file system that every node sees under the same path, as on one machine (the default).
  Workers record straight into it.
- `ship=True`: workers record into a scratch folder of their node, and send each episode back as one piece, which
  appears in the run's folder whole or not at all.

A node that dies takes with it the episodes in hand (errored attempts, tried again elsewhere) and the seats that were
opened ahead (their episodes were not begun, and cost no attempt). A node that joins is used when there are more workers
than seats; those wait for one.
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
"""The resource that nodes offer."""

IDLE = 300.0
"""Seconds that a run waits for the cluster to have any seat for it."""

LARGEST = 512 << 20
"""Bytes of the largest episode that is sent back."""

_STARTS = 10  # workers that die one after the other before any could begin: then it is not one bad node


def need_ray() -> Any:
    """The ray package.

    Raises:
        MissingPrerequisite: When it is not installed.
    """
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise MissingPrerequisite(f"the ray executor needs Ray: {error}", fix="pip install 'fairground[ray]'") from None


def on_ray(
    store: RunStore, *, address: str | None = None, workers: int | None = None, ship: bool = False
) -> RayExecutor:
    """An executor for what a run still lacks; arguments as of `RayExecutor`."""
    progress = store.progress()
    left = max(1, progress.planned - progress.finished)
    make_work = partial(Episodes, spec=store.spec)
    return RayExecutor(make_work, store.folder, address=address, workers=workers, jobs=left, ship=ship)


class RayExecutor:
    """Workers on the nodes of a Ray cluster, each an actor that holds one seat.

    While it is open, this process's standard output goes to its standard error, because Ray writes what it has to say
    about its nodes there. Usage reports of Ray are off in clusters that are started here.

    Args:
        make_work: Makes what a worker does, in the worker, from the folder that it records into.
        run: The run's folder.
        address: Of a cluster (`host:port`, or `auto` for the one on this machine); by default `RAY_ADDRESS`, and
            without that a cluster of this machine alone, for as long as the executor is open.
        workers: Episodes at a time; by default as many as the cluster has seats now.
        jobs: How many there will be, if known; no more workers than that are started.
        ship: Whether nodes send episodes back instead of writing them into the run's folder.
        patience: Seconds after which a job counts as hung.
        idle: Seconds after which a cluster without a seat for us ends the run; it can be resumed.
        largest: Bytes of the largest episode that is sent back.
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
        """How many more jobs fit; a worker that waits for its seat takes none."""
        return sum(AHEAD - len(worker.jobs) for worker in self._workers if worker.ready)

    def submit(self, job: Job) -> None:
        """Gives a job to the worker with the fewest."""
        worker = min((one for one in self._workers if one.ready), key=lambda one: len(one.jobs))
        worker.jobs.append(job)
        if len(worker.jobs) == 1:
            self._do(worker)
        else:
            worker.actor.order.options(concurrency_group="ahead").remote(job)

    def wait(self, seconds: float) -> list[Ended]:
        """Waits until something ended, or so long.

        Raises:
            FairgroundError: When workers cannot begin anywhere, or the cluster has had no seat for too long.
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
                ended += self._bury(worker, f"no end after {self._patience:g} s; its worker was killed")
        if any(worker.ready for worker in self._workers):
            self._seated = now
        elif now - self._seated > self._idle:
            raise InfrastructureError(
                f"no node of the Ray cluster had a seat for this run in {self._idle:g} s",
                fix="see `ray status`, add nodes, then `fairground resume` the run",
            )
        return ended

    def close(self, *, kill: bool = False) -> None:
        """Ends the workers, and leaves the cluster; may be called twice."""
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
        # Only now, and not when it was given: so what a worker that died has not begun is known for certain.
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
            ended += [(one, None) for one in worker.jobs]
            self._ray.wait([worker.actor.end.remote()], timeout=10)
            self._replace(worker)
        elif worker.jobs:
            self._do(worker)
        return ended

    def _keep(self, job: Job, finished: Finished, parcel: bytes) -> Finished:
        try:
            unpack(parcel, self._run / job.folder)
        except EpisodeError as error:
            return errored(job, f"what the node sent is no episode: {error}")
        return finished

    def _bury(self, worker: _Worker, why: str) -> list[Ended]:
        self._replace(worker)
        return lost(worker.jobs, why)

    def _replace(self, worker: _Worker) -> None:
        self._ray.kill(worker.actor)
        self._workers[self._workers.index(worker)] = self._start()

    def _start_again(self, worker: _Worker, error: Exception) -> None:
        """A worker that died because its node did begins elsewhere; one that cannot begin will not elsewhere either."""
        if isinstance(error, self._ray.exceptions.RayTaskError):
            cause = getattr(error, "cause", None)
            if isinstance(cause, FairgroundError):
                raise cause from None
            raise InfrastructureError(f"a worker on the Ray cluster could not begin: {error}") from None
        self._failed_starts += 1
        if self._failed_starts >= _STARTS:
            raise InfrastructureError(
                f"{_STARTS} workers on the Ray cluster died one after the other as they began: {error}",
                fix="do all nodes have this version of fairground, and memory? see their logs",
            ) from None
        self._replace(worker)


class Remote:
    """A worker: lives on a node, in a process of its own, as a Ray actor. Not for direct use."""

    def begin(self, make_work: Callable[[Path], Work], run: Path, ship: bool, largest: int) -> None:
        """Makes the work; here and not when it is made, so that its errors come back as they are."""
        self._scratch = tempfile.TemporaryDirectory(prefix="fairground-") if ship else None
        self._largest = largest
        if self._scratch is None and not (run / "run.sqlite").is_file():
            raise InfrastructureError(
                f"{run} is not to be seen on node {os.uname().nodename}",
                fix="record into a folder that all nodes share, or let them send episodes back (ship)",
            )
        self._folder = run if self._scratch is None else Path(self._scratch.name)
        self._work = make_work(self._folder)

    def order(self, job: Job) -> None:
        """Has what a later job needs made ready."""
        with contextlib.suppress(FairgroundError):  # `do` meets it again, and can say so
            self._work.order(job)

    def do(self, job: Job) -> tuple[Finished, bool, bytes | None]:
        """Does a job: how it ended, whether this worker may do another, and the episode when it is to be sent."""
        finished, goes_on = attempt(self._work, job)
        if self._scratch is None:
            return finished, goes_on, None
        if finished.ended_by == UNWRITTEN:  # on this node; others may have room
            return errored(job, f"node {os.uname().nodename}: {finished.error}"), goes_on, None
        try:
            return finished, goes_on, pack(self._folder / job.folder, self._largest)
        except FairgroundError as error:
            return errored(job, str(error)), goes_on, None

    def end(self) -> None:
        """Lets go of everything."""
        self._work.close()
        if self._scratch is not None:
            self._scratch.cleanup()


@dataclass(eq=False)
class _Worker:
    actor: Any
    call: Any
    """What it was asked and has not answered: to begin, then job by job."""
    ready: bool = False
    jobs: deque[Job] = field(default_factory=deque)
    since: float = 0.0
    """When it was given the job in hand."""


def _connect(ray: Any, address: str | None, workers: int | None) -> None:
    where = address or os.environ.get("RAY_ADDRESS")
    if where and where.startswith("ray://"):
        raise InvalidInput(f"{where} is the address of a Ray client server", fix="start on a node, with --address auto")
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.WARNING}
    if not where:
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        seats = {SEATS: workers or os.cpu_count() or 1}
        options |= {"address": "local", "include_dashboard": False, "resources": seats}
    else:
        options["address"] = where
    try:
        host, _, port = (where or "").rpartition(":")
        if host and port.isdigit():  # Ray itself would try for minutes
            socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
        ray.init(**options)
    except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        raise InfrastructureError(
            f"no Ray cluster {f'at {where}' if where else 'could be started here'}: {error}",
            fix="is it up, and is this the address of its head node? see `ray status`",
        ) from error


def _what_happened(error: Exception) -> str:
    cause = getattr(error, "cause", None)  # what the work raised; none when the worker or its node died
    found = cause or error
    lines = str(found).strip().splitlines() or [""]
    return f"its worker on the Ray cluster {'failed' if cause else 'was lost'}: {type(found).__name__}: {lines[0]}"
