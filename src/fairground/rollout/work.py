"""What a worker does with an episode of a plan: opens the seat ahead, lets the agent try, records."""

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
"""How an attempt ended whose agent cannot ask its model at all: every other episode of the run would end like it."""

UNANSWERED = "unanswered"
"""How an attempt ended whose agent has never had a reply: so may every other, if none of the run was scored yet."""


OUTAGE = "outage"
"""How an attempt ended whose model answered before and no longer does, however often it was asked."""


@dataclass(frozen=True)
class Job:
    """One attempt at an episode of a plan.

    Attributes:
        planned: Which episode.
        attempt: 0 for the first.
        folder: Where to record it, below the run's folder.
    """

    planned: Planned
    attempt: int
    folder: str


class Work(Protocol):
    """What a worker process does; made in that process."""

    def order(self, job: Job) -> None:
        """Told of a job before its turn, so that what it needs can be made ready."""

    def do(self, job: Job) -> tuple[Finished, bool]:
        """Does it; and says whether this process may do another."""

    def close(self) -> None:
        """Lets go of everything."""


class Episodes:
    """The work of a run.

    Args:
        run: The run's folder.
        spec: What was asked for.
        agent: Makes the agent; by its name in `spec` unless given.
        advisers: The models that interventions ask; by their names unless given.
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
        """Has the seat opened."""
        self._seats.order(self._world(job))

    def do(self, job: Job) -> tuple[Finished, bool]:
        """One episode, recorded; a folder left by an attempt that was killed is replaced."""
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
        """How an attempt ended that says something about those that follow; empty for any other."""
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
        """Closes seats that were opened ahead, and connections to models."""
        self._seats.close()
        self._advisers.close()


def agent_of(spec: RunSpec) -> Agent:
    """The agent of a run, made for this process."""
    home = Path(spec.home) if spec.home else None
    return named_agent(spec.agent, deterministic=spec.has(Deterministic), home=home)
