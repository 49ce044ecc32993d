"""Attempts: a policy, or any other chooser, in one episode after another, on several sessions at once."""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from examples.train.features import Choice, Past, Sample, encode
from examples.train.hand import Hand, Result
from fairground.agents import Brief, RandomAgent
from fairground.core import Configuration, Frame, InfrastructureError, Observation
from fairground.remote import RemoteEnv, RemoteError, open_group
from fairground.worlds import Stuck

MAX_CHOICES = 12
"""Maximum number of choices per attempt. The longest demonstration has 11."""

RANDOM_ACTIONS = 20
"""Number of actions of the random agent. A demonstration takes about 11."""

_TRIES = 3


class Chooser(Protocol):
    """Decides what to do next. Returns a choice and its log-probability."""

    def __call__(self, sample: Sample, hand: Hand, generator: np.random.Generator | None) -> tuple[Choice, float]: ...


@dataclass(frozen=True)
class Job:
    """One attempt to make.

    Attributes:
        world: The configuration. All attempts at one have the same start.
        seed: Seed of the chooser.
        greedy: Take the most likely choice instead of a random one.
    """

    world: Configuration
    seed: int
    greedy: bool = False


@dataclass
class Attempt:
    """One attempt: its decisions, and how it ended.

    Attributes:
        fingerprint: Identifies the start.
        stuck: Why the demonstrator could not go on, if so.
    """

    job: Job
    samples: list[Sample] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    log_probs: list[float] = field(default_factory=list)
    result: Result = field(default_factory=lambda: Result(0.0, False, 0))
    fingerprint: str = ""
    stuck: str = ""


def attempt(hand: Hand, chooser: Chooser, job: Job) -> Attempt:
    """Make one attempt."""
    made = Attempt(job, fingerprint=hand.begin(job.world.id))
    generator = None if job.greedy else np.random.default_rng(job.seed)
    past = Past()
    while hand.result is None:
        sample, page = encode(hand.task, hand.page, past), hand.page
        try:
            choice, log_prob = chooser(sample, hand, generator)
        except Stuck as stuck:
            made.stuck = stuck.message
            hand.give_up()
            break
        made.samples.append(sample)
        made.choices.append(choice)
        made.log_probs.append(log_prob)
        hand.perform(choice)
        past = past.after(page, choice)
        if len(made.choices) == MAX_CHOICES and hand.result is None:
            hand.give_up()
    assert hand.result is not None
    made.result = hand.result
    return made


def random_attempt(hand: Hand, job: Job) -> Attempt:
    """Let the built-in random agent act: random points, keys and texts."""
    made = Attempt(job, fingerprint=hand.begin(job.world.id))
    agent = RandomAgent()
    agent.begin(Brief(hand.task.instruction, hand.size, RANDOM_ACTIONS, seed=job.seed))
    unseen = Observation(Frame(np.zeros((1, 1, 3), np.uint8)))  # this agent looks at nothing
    while hand.result is None:
        hand.act(agent.act(unseen).action)
    made.result = hand.result
    return made


class Sessions:
    """Several sessions of an environment server, each used by one thread.

    Args:
        url: URL of the server.
        world: What the sessions draw from.
        count: Number of sessions.
    """

    def __init__(self, url: str, world: str, count: int) -> None:
        self.errors = 0
        """Number of attempts that an infrastructure error ended. They were made again, and have no score."""
        self._envs = _opened(url, world, count)
        self._hands: queue.SimpleQueue[Hand] = queue.SimpleQueue()
        for env in self._envs:
            self._hands.put(Hand(env))

    def run(self, jobs: Sequence[Job], play: Callable[[Hand, Job], Attempt], note: Callable[[], None]) -> list[Attempt]:
        """Make attempts in parallel, and return them in the order of the jobs.

        Args:
            jobs: The attempts to make.
            play: Makes an attempt.
            note: Called after each attempt.

        Raises:
            InfrastructureError: An attempt was ended by such errors three times.
        """

        def work(job: Job) -> Attempt:
            hand = self._hands.get()
            try:
                return self._play(hand, job, play)
            finally:
                self._hands.put(hand)
                note()

        threads = ThreadPoolExecutor(len(self._envs))
        try:
            return list(threads.map(work, jobs))
        finally:  # after an error or Ctrl-C, only the attempts in progress end
            threads.shutdown(cancel_futures=True)

    def _play(self, hand: Hand, job: Job, play: Callable[[Hand, Job], Attempt]) -> Attempt:
        for left in reversed(range(_TRIES)):
            try:
                return play(hand, job)
            except (InfrastructureError, RemoteError):
                self.errors += 1
                if not left:
                    raise
        raise AssertionError

    def close(self) -> None:
        """Close the sessions."""
        for env in self._envs:
            env.close()

    def __enter__(self) -> Sessions:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _opened(url: str, world: str, count: int) -> list[RemoteEnv]:
    for left in reversed(range(_TRIES)):
        try:
            return open_group(url, world, count, seed=0, observations=("tree",), reconnect=True)
        except InfrastructureError:
            if not left:
                raise
    raise AssertionError
