"""The training: baselines, cloning, reinforcement learning and evaluation, in steps that a killed training resumes."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch

from examples.train.curve import Point
from examples.train.demonstrations import Demonstrator
from examples.train.evaluation import Records, Row, rate, shown
from examples.train.family import AXES_HELD_OUT, UNSEEN, Family, draw, family
from examples.train.features import Choice, Sample
from examples.train.groups import Curriculum, groups_of
from examples.train.hand import Hand
from examples.train.learning import clone, improve
from examples.train.policy import Policy
from examples.train.rollouts import Attempt, Job, Sessions, attempt, random_attempt
from fairground.core import Configuration, InfrastructureError

HELD_OUT = "instance, profile and theme new"
TRAINING = "training configurations"
CURVE = "learning curve"
NEW_SCENARIOS = "scenarios new"
CLONED, LEARNED = "cloned", "cloned + RL"
_EXPLORATION = 1.6  # temperature of attempts to learn from: at 1, most groups succeed or fail together


@dataclass(frozen=True)
class Plan:
    """How much to do. All numbers but the epochs are episodes or multiples of them.

    Attributes:
        scenarios: What to train on.
        demonstrations: Demonstrations per scenario.
        epochs: Passes over the demonstrations.
        iterations: Updates of the policy gradient.
        groups: Starts per update.
        attempts: Attempts per start.
        test: Configurations per scenario on which all three axes are new.
        axis: Configurations per scenario for each single axis; 0 to leave these out.
        points: How often to evaluate during reinforcement learning.
        seed: Everything drawn follows from it.
    """

    scenarios: tuple[str, ...]
    demonstrations: int = 2
    epochs: int = 40
    iterations: int = 8
    groups: int = 8
    attempts: int = 6
    test: int = 3
    axis: int = 1
    points: int = 2
    seed: int = 0

    @property
    def episodes(self) -> int:
        """Number of episodes that the whole training plays."""
        count = len(self.scenarios)
        learning = count * self.demonstrations + self.iterations * self.groups * self.attempts
        tests = count * self.test * 6 + count * min(2, self.test) * (self.points - 1)
        axes = 2 * count * self.axis * (len(AXES_HELD_OUT) + 1) + (len(UNSEEN) * self.test if self.axis else 0)
        return learning + tests + axes


class Training:
    """A training in a folder. Finished steps are read from the folder instead of being repeated.

    Args:
        plan: How much to do.
        sessions: Sessions of an environment server.
        folder: Where to keep everything.
        tell: Reports what was found.
        note: Called after each episode.
    """

    def __init__(
        self, plan: Plan, sessions: Sessions, folder: Path, tell: Callable[[str], None], note: Callable[[], None]
    ) -> None:
        torch.manual_seed(plan.seed)
        torch.set_num_threads(1)  # attempts run in threads of their own
        self.plan, self.sessions, self.folder, self.tell, self.note = plan, sessions, folder, tell, note
        self.family: Family = family(plan.scenarios, seed=plan.seed)
        self.records = Records(folder / "episodes.jsonl")
        self.policy = Policy().eval()
        self.points: list[Point] = []
        self._begun = time.monotonic()
        self._before = 0.0

    def run(self) -> None:
        """Do everything that is not done yet."""
        self._resume_clock()
        self._test("untrained", 0)
        self._clone()
        self._improve()
        self._axes()
        self._baselines()

    def _clone(self) -> None:
        demonstrations = self._kept("demonstrations.pickle", self._demonstrate)
        good = [one for one in demonstrations if one.result.success]
        self.tell(f"demonstrations: {len(good)} of {len(demonstrations)} oracle episodes in the policy's terms succeed")
        for one in demonstrations:
            if one.stuck:
                self.tell(f"  {one.job.world.id}: {one.stuck}")
        if not good:
            raise InfrastructureError("no demonstration succeeded, so there is nothing to imitate")
        path = self.folder / "cloned.pt"
        if not path.exists():
            optimizer = torch.optim.AdamW(self.policy.parameters(), 1e-3, weight_decay=0.01)
            for epoch in range(self.plan.epochs):
                loss = clone(self.policy, good, optimizer, self.plan.seed + epoch)
            self.tell(f"cloning: {self.plan.epochs} epochs, {loss:.3f} nats per choice")
            self._save(path, {"policy": self.policy.state_dict()})
        self.policy.load_state_dict(torch.load(path)["policy"])
        self._test(CLONED, len(demonstrations))

    def _demonstrate(self) -> list[Attempt]:
        count = self.plan.demonstrations * len(self.plan.scenarios)
        jobs = [Job(world, 0) for world in draw(self.family.training(), count, self.plan.seed)]
        return self.sessions.run(jobs, lambda hand, job: attempt(hand, Demonstrator(job.world), job), self.note)

    def _improve(self) -> None:
        plan = self.plan
        demonstrated = plan.demonstrations * len(plan.scenarios)
        optimizer = torch.optim.AdamW(self.policy.parameters(), 3e-4, weight_decay=0.0)
        curriculum = Curriculum(draw(self.family.training(), 40 * len(plan.scenarios), plan.seed + 1))
        path, done = self.folder / "learned.pt", 0
        if path.exists():
            state = torch.load(path)
            done = state["done"]
            self.policy.load_state_dict(state["policy"])
            optimizer.load_state_dict(state["optimizer"])
            curriculum.load(state["curriculum"])
        stops = {round(plan.iterations * part / plan.points) for part in range(1, plan.points)}
        self.policy.temperature = _EXPLORATION
        for iteration in range(done, plan.iterations):
            starts = curriculum.draw(plan.groups, plan.seed + iteration)
            jobs = [
                Job(world, int(np.random.SeedSequence([plan.seed, iteration, place, number]).generate_state(1)[0]))
                for place, world in enumerate(starts)
                for number in range(plan.attempts)
            ]
            groups = groups_of(self._play(jobs), plan.attempts)
            curriculum.record(groups)
            update = improve(self.policy, groups, optimizer, plan.seed + iteration)
            self.tell(
                f"reinforcement learning {iteration + 1}/{plan.iterations}: {update.success:.0%} of attempts succeed, "
                f"{update.useful} of {update.groups} groups differ"
            )
            done = iteration + 1
            if done in stops:
                self._save(self.folder / f"learned-{done}.pt", {"policy": self.policy.state_dict()})
            state = {"policy": self.policy.state_dict(), "optimizer": optimizer.state_dict(), "done": done}
            self._save(path, state | {"curriculum": curriculum.state()})
        for stop in sorted(stops):
            self.policy.load_state_dict(torch.load(self.folder / f"learned-{stop}.pt")["policy"])
            self._test(f"{LEARNED} {stop}", demonstrated + stop * plan.groups * plan.attempts, quick=True)
        self.policy.load_state_dict(torch.load(path)["policy"])
        self._test(LEARNED, demonstrated + plan.iterations * plan.groups * plan.attempts)

    def _axes(self) -> None:
        if not self.plan.axis:
            return
        sets = {TRAINING: self.family.training()}
        sets |= {f"{axis} new": self.family.testing([axis]) for axis in AXES_HELD_OUT}
        for agent, name in ((CLONED, "cloned.pt"), (LEARNED, "learned.pt")):
            self.policy.load_state_dict(torch.load(self.folder / name)["policy"])
            for of, selection in sets.items():
                worlds = draw(selection, self.plan.axis * len(self.plan.scenarios), self.plan.seed + 2)
                self._evaluate(agent, of, worlds)
        unseen = family(UNSEEN, seed=self.plan.seed).training()
        self._evaluate(LEARNED, NEW_SCENARIOS, draw(unseen, self.plan.test * len(UNSEEN), self.plan.seed + 2))

    def _baselines(self) -> None:
        worlds = self._held_out()
        self._evaluate("do-nothing", HELD_OUT, worlds, lambda hand, job: attempt(hand, _done, job))
        self._evaluate("random", HELD_OUT, worlds, random_attempt)
        oracle = lambda hand, job: attempt(hand, Demonstrator(job.world), job)  # noqa: E731
        self._evaluate("oracle", HELD_OUT, worlds, oracle)

    def _held_out(self) -> list[Configuration]:
        count = self.plan.test * len(self.plan.scenarios)
        return draw(self.family.testing(AXES_HELD_OUT), count, self.plan.seed + 2)

    def _test(self, agent: str, episodes: int, *, quick: bool = False) -> None:
        """Evaluate the policy as it is on held-out configurations: a point of the learning curve."""
        worlds = self._held_out()[: 2 * len(self.plan.scenarios)] if quick else self._held_out()
        minutes = self._minutes()
        rows = self._evaluate(agent, HELD_OUT, worlds, episodes=episodes, minutes=minutes)
        minutes = rows[0]["minutes"]
        said = f"{agent}, {episodes} episodes, {minutes:.0f} min: {shown(rate(rows))}"
        self.points.append(Point(episodes, minutes, rate(rows), said))

    def _evaluate(
        self,
        agent: str,
        of: str,
        worlds: Sequence[Configuration],
        play: Callable[[Hand, Job], Attempt] | None = None,
        **more: float,
    ) -> list[Row]:
        greedy = agent != "untrained"  # the most likely choice of random weights is the same on every page
        jobs = [Job(world, number, greedy) for number, world in enumerate(worlds)]
        run = partial(self._play, jobs) if play is None else partial(self.sessions.run, jobs, play, self.note)
        rows = self.records.evaluate(agent, of, worlds, run, **more)
        self.tell(f"{agent}, {of}: {shown(rate(rows))} of {len(rows)}")
        self._save(self.folder / "clock.pt", {"minutes": self._minutes()})
        return rows

    def _play(self, jobs: Sequence[Job]) -> list[Attempt]:
        def choose(sample: Sample, hand: Hand, generator: np.random.Generator | None) -> tuple[Choice, float]:
            return self.policy.choose(sample, generator)

        return self.sessions.run(jobs, lambda hand, job: attempt(hand, choose, job), self.note)

    def _kept(self, name: str, make: Callable[[], list[Attempt]]) -> list[Attempt]:
        path = self.folder / name
        if not path.exists():
            temporary = path.with_suffix(".new")
            temporary.write_bytes(pickle.dumps(make()))
            os.replace(temporary, path)
        made: list[Attempt] = pickle.loads(path.read_bytes())
        return made

    def _save(self, path: Path, state: dict[str, object]) -> None:
        temporary = path.with_suffix(".new")
        torch.save(state, temporary)
        os.replace(temporary, path)

    def _minutes(self) -> float:
        return self._before + (time.monotonic() - self._begun) / 60

    def _resume_clock(self) -> None:
        path = self.folder / "clock.pt"
        if path.exists():
            self._before = torch.load(path)["minutes"]


def _done(sample: Sample, hand: Hand, generator: np.random.Generator | None) -> tuple[Choice, float]:
    return Choice(len(hand.page.controls)), 0.0
