"""What a worker does with a planned episode: open the seat ahead, run the agent, record."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from fairground.agents import Agent
from fairground.agents.greedy import greedy_note
from fairground.agents.models import EpisodeBudget, ModelAgent, ModelUnavailable, Unusable, price_of
from fairground.core import Configuration, Outcome
from fairground.rollout.ended import finished_of
from fairground.rollout.interventions.advisers import Advisers
from fairground.rollout.interventions.company import Company
from fairground.rollout.interventions.spec import Deterministic
from fairground.rollout.loop import run_episode
from fairground.rollout.plan import Planned, RunSpec, world_for
from fairground.rollout.replaying import named_agent
from fairground.rollout.store import Finished, hold
from fairground.sandbox import keep_private
from fairground.worlds import Ahead, World, open_seat

UNUSABLE = "unusable"
"""`ended_by` of an attempt whose agent cannot use its model at all. All other episodes would end the same way."""

UNANSWERED = "unanswered"
"""`ended_by` of an attempt whose agent never got a reply. If no episode was scored yet, others may end the same way."""


OUTAGE = "outage"
"""`ended_by` of an attempt whose model answered before and no longer does, despite retries."""


@dataclass(frozen=True)
class Job:
    """One attempt at an episode of a plan.

    Attributes:
        planned: The episode.
        attempt: Index of the attempt, from 0.
        folder: Where to record it, relative to the run's folder.
    """

    planned: Planned
    attempt: int
    folder: str


class Work(Protocol):
    """What a worker process executes. Created in that process."""

    def order(self, job: Job) -> None:
        """Announce a job before its turn, so that what it needs can be prepared."""

    def do(self, job: Job) -> tuple[Finished, bool]:
        """Run a job. Returns how it ended, and whether this process can continue."""

    def close(self) -> None:
        """Release all resources."""


class Episodes:
    """The work of a run: its episodes.

    Args:
        run: The run's folder.
        spec: The run's specification.
        agent: Creates the agent. Default: by its name in `spec`.
        advisers: The models that interventions ask. Default: by their names.
    """

    def __init__(
        self,
        run: Path,
        spec: RunSpec,
        agent: Callable[[str], Agent] | None = None,
        advisers: Advisers | None = None,
    ) -> None:
        self._run, self._spec = run, spec
        self._held = hold(run)
        keep_private(run)
        deterministic = spec.has(Deterministic)
        self._agent = agent(spec.agent) if agent else agent_of(spec)
        self._notes = [note] if deterministic and (note := greedy_note(spec.agent)) else []
        self._advisers = advisers or Advisers(prices=spec.prices)
        if isinstance(self._agent, ModelAgent):
            self._agent.reach()
            self._agent.budget = EpisodeBudget(tokens=spec.budget.tokens)
            self._agent.price = price_of(self._agent.model, spec.prices) or self._agent.price
        self._seats = Ahead(lambda world: open_seat(world, runner=spec.runner))

    def order(self, job: Job) -> None:
        """Open the seat of a job ahead of its turn."""
        self._seats.order(self._world(job))

    def do(self, job: Job) -> tuple[Finished, bool]:
        """Run and record one episode. Replaces a folder left by a killed attempt."""
        folder = self._run / job.folder
        if folder.exists():
            shutil.rmtree(folder)
        episode = run_episode(
            self._world(job),
            self._agent,
            folder,
            runner=self._spec.runner,
            pool=self._seats,
            video=self._spec.video,
            budget=self._spec.budget,
            companion=self._companion(job.planned),
            observations=self._spec.observe,
            agent_errors=self._spec.agent_errors,
        )
        finished = finished_of(episode, job.folder)
        if finished.outcome is Outcome.ERRORED:
            finished = replace(finished, ended_by=self._hopeless() or finished.ended_by)
        return finished, not episode.extra.get("abandoned", False)

    def _hopeless(self) -> str:
        """Return a reason that affects later attempts too (`UNUSABLE`, `UNANSWERED` or `OUTAGE`); empty otherwise."""
        agent = self._agent
        if not isinstance(agent, ModelAgent) or agent.failure is None:
            return ""
        if isinstance(agent.failure, Unusable):
            return UNUSABLE
        if not agent.replied:
            return UNANSWERED
        return OUTAGE if isinstance(agent.failure, ModelUnavailable) else ""

    def _companion(self, planned: Planned) -> Company | None:
        if not self._spec.interventions:
            return None
        return Company(
            self._spec.interventions,
            self._run,
            planned.pairing,
            self._advisers,
            self._agent,
            tokens=self._spec.budget.tokens,
            notes=self._notes,
        )

    def _world(self, job: Job) -> World:
        planned = job.planned
        return world_for(Configuration.from_id(planned.configuration), self._spec, seed=planned.seed)

    def close(self) -> None:
        """Close seats that were opened ahead, and connections to models."""
        self._seats.close()
        self._advisers.close()


def agent_of(spec: RunSpec) -> Agent:
    """Create the agent of a run for this process."""
    home = Path(spec.home) if spec.home else None
    return named_agent(spec.agent, deterministic=spec.has(Deterministic), home=home)
