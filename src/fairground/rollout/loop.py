"""The episode loop: runs one agent in one world and records it in one folder."""

from __future__ import annotations

import contextlib
import itertools
import re
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from fairground.agents import Agent, Brief, HasObservations, TakesSeat
from fairground.agents.keys import without_keys
from fairground.agents.models import Usage
from fairground.core import (
    AGENTS_FAULT,
    EndedBy,
    Episode,
    FairgroundError,
    InvalidAction,
    InvalidConfiguration,
    Look,
    Observation,
    Outcome,
    State,
    Step,
    Verdict,
)
from fairground.env import FairgroundEnv, SeatSource, outline
from fairground.rollout.attribution import AgentErrors, ended_by, forfeit
from fairground.rollout.interventions.beside import Beside
from fairground.rollout.interventions.companion import Companion, Scene
from fairground.rollout.patience import OutOfTime, Patient
from fairground.rollout.plan import Budget
from fairground.rollout.raised import AgentRaised, trace, words
from fairground.rollout.recorder import Recorder
from fairground.sandbox import keep_private
from fairground.worlds import World, planned_fingerprint

OBSERVED = ("screen", "cursor")
"""Default observations of an agent."""

MAX_REFUSED = 10
"""An agent counts as stuck after this many refused actions in a row. Each also costs a step."""


def run_episode(
    world: World,
    agent: Agent,
    folder: Path,
    *,
    runner: str | None = None,
    pool: SeatSource | None = None,
    observations: Sequence[str] = (),
    video: bool = True,
    budget: Budget | None = None,
    on_step: Callable[[Step], None] | None = None,
    companion: Companion | None = None,
    settle_seconds: float = 5.0,
    agent_errors: AgentErrors = "failed",
) -> Episode:
    """Run one episode: let an agent attempt a world once, and record it.

    An agent that runs out of steps or time is judged on what it did until then, even if it hangs. A hanging agent is
    left behind in its own thread, and the episode's `extra` has `abandoned` set.

    What the agent causes counts as failed: an exception in its code, an exit of its program, a seat that it broke. The
    verdict then has a failed integrity check in addition to the checks on the state, if the state could still be
    recorded. Problems with the machine, the app or the model's server give the outcome `errored`, and problems with the
    scenario `invalid`. Neither is a score, and neither is raised. Only a folder that cannot be written raises an error,
    because then nothing can be recorded.

    Each attempt within an episode has the scenario's steps and seconds. `budget.seconds` is for all of them together,
    and the companion's own time does not count.

    Args:
        world: The world to attempt.
        agent: The agent.
        folder: Folder for the recording.
        runner: Name of the sandbox runner.
        pool: Source of seats.
        observations: What the agent observes. Default: the agent's own attribute `observations`, or else screen and
            cursor.
        video: Whether to record a video.
        budget: Limits in addition to the scenario's.
        on_step: Called after each step.
        companion: May change the instruction, object to an end, send the agent back after judging, and answer its
            questions. The last verdict is the result.
        settle_seconds: Maximum time to wait after each action until the screen settles.
        agent_errors: With "excluded", what the agent causes is `errored` and not a score.
    """
    keep_private(folder)
    beside = Beside(companion)
    wanted = agent.observations if isinstance(agent, HasObservations) else ()
    env = FairgroundEnv(
        world,
        observations=tuple(observations or wanted or OBSERVED),
        runner=runner,
        pool=pool,
        user=beside.user,
        settle_seconds=settle_seconds,
    )
    scenario = world.scenario
    steps = min(scenario.step_budget, (budget and budget.steps) or scenario.step_budget)
    episode = Episode(
        id=_episode_id(world, agent),
        status="running",
        agent=agent.name,
        configuration=world.configuration,
        parameters=dict(world.parameters),
        instruction=world.instruction,
        seed=world.seed,
        step_budget=steps,
        started=datetime.now(UTC).isoformat(timespec="milliseconds"),
        fingerprint=planned_fingerprint(world),
    )
    fault: _Fault | None = None
    try:
        env.reset(seed=world.seed)
        assert env.seat is not None
        if isinstance(agent, TakesSeat):
            agent.take_seat(env.seat)
        notes = env.seat.sandbox.notes
        episode = episode.model_copy(update={"fingerprint": env.seat.fingerprint, "notes": notes})
    except Exception as error:
        fault = _Fault(error, "error")
    clock = _Clock(env, budget.seconds if budget is not None else None)
    beside.excuse = clock.excuse
    patient = Patient(agent)
    try:
        with Recorder(folder, episode, video=video) as recorder:
            if fault is None:
                fault = _fault(env, lambda: _exchange(env, patient, recorder, clock, steps, beside, on_step))
            seconds = clock.elapsed
            verdict: Verdict | None = None
            if fault is not None and fault.counts(agent_errors):
                fault, verdict = _forfeited(env, recorder, fault)
            usage: list[Usage | None] = []
            for last in (lambda: usage.append(patient.usage()), patient.close):
                late = _fault(env, last)
                if late is not None and fault is None:
                    fault = late
                    if late.counts(agent_errors):
                        fault, verdict = _forfeited(env, recorder, late)
            extra = beside.extra(usage[0] if usage else None)
            if patient.abandoned:
                extra["abandoned"] = True
            episode = episode.model_copy(update={"extra": extra, "seconds": seconds})
            return _close(env, recorder, episode, fault, verdict)
    finally:
        with contextlib.suppress(AgentRaised):  # only if nothing could be written, and then that error is raised
            patient.close()
        env.close()


@dataclass(frozen=True)
class _Fault:
    """An error that ended an episode instead of an action or a budget."""

    error: Exception
    cause: EndedBy

    @property
    def raised(self) -> BaseException:
        """The original exception, from the agent's code or ours."""
        return self.error.error if isinstance(self.error, AgentRaised) else self.error

    @property
    def text(self) -> str:
        """Its description."""
        return self.error.text if isinstance(self.error, AgentRaised) else words(self.error)

    @property
    def trace(self) -> str:
        """Its traceback."""
        return self.error.trace if isinstance(self.error, AgentRaised) else trace(self.error)

    @property
    def invalid(self) -> bool:
        """Whether the configuration is at fault."""
        return self.cause == "error" and isinstance(self.raised, InvalidConfiguration)

    def counts(self, agent_errors: AgentErrors) -> bool:
        """Whether it counts as a failure of the agent."""
        return self.cause in AGENTS_FAULT and agent_errors == "failed"


def _fault(env: FairgroundEnv, call: Callable[[], object]) -> _Fault | None:
    """Call something that involves the agent. An exception becomes an outcome, not a crash."""
    try:
        call()
    except Exception as error:
        return _Fault(error, ended_by(error, env))
    return None


def _forfeited(env: FairgroundEnv, recorder: Recorder, fault: _Fault) -> tuple[_Fault, Verdict | None]:
    """Return the verdict for an aborted episode. None if the machine or the configuration turns out to be the cause."""
    try:
        verdict, problem = forfeit(env, fault.cause, fault.text)
    except InvalidConfiguration as error:
        return _Fault(error, "error"), None
    if fault.cause == "seat" and not (env.seat is not None and env.seat.sandbox.alive):
        return replace(fault, cause="error"), None  # the sandbox itself was ending, and everything inside with it
    if problem:
        recorder.log("evidence", without_keys(problem))
    return fault, verdict


class _Clock:
    """Measures the episode's time, and computes the agent's deadline."""

    def __init__(self, env: FairgroundEnv, whole: float | None) -> None:
        self._env, self._seconds, self._whole = env, env.world.scenario.time_budget, whole
        self._began = self._counted = self._attempt = time.monotonic()

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self._began

    @property
    def deadline(self) -> float:
        own = self._attempt + self._seconds
        return own if self._whole is None else min(own, self._counted + self._whole)

    def excuse(self, seconds: float) -> None:
        self._counted += seconds
        self._attempt += seconds
        self._env.excuse(seconds)

    def next_attempt(self) -> None:
        self._attempt = time.monotonic()


def _exchange(
    env: FairgroundEnv,
    agent: Patient,
    recorder: Recorder,
    clock: _Clock,
    steps: int,
    beside: Beside,
    on_step: Callable[[Step], None] | None,
) -> None:
    """Exchange observations and actions until the end. A refused action costs a step and is reported as a message."""
    assert env.seat is not None and env.observation is not None
    scenario = env.world.scenario
    _record_state(recorder, "before", env.seat.before)
    observation = env.observation
    recorder.first(observation.frame)
    _record_tree(recorder, 0, observation)
    beside.see(observation.frame)
    refused_in_a_row = 0
    instruction = beside.brief(Scene(env.world, env.seat.before, observation.frame))
    brief = Brief(instruction, env.size, steps, scenario.kind, env.world.seed, env.observations)
    last = steps - 1  # last step of the current attempt
    for index in itertools.count():
        turn_began = time.monotonic()
        try:
            if index == 0:
                agent.begin(brief, clock.deadline)
            turn = agent.act(observation, clock.deadline)
        except OutOfTime:
            env.give_up("time_budget")
            return
        agent_ms = (time.monotonic() - turn_began) * 1000
        action, thought = turn.action, turn.thought
        # Without a step left, an objection would have no effect.
        objection = beside.audit(action, index) if action.ends and index < last else ""
        refused = ""
        try:
            # An end that is objected to costs a step. An action that was already performed is not performed again.
            env.step(Look() if objection or turn.performed else action)
            refused_in_a_row = 0
        except InvalidAction as error:
            refused = str(error)
            refused_in_a_row += 1
            env.step(Look())  # the step is used up; the agent sees the screen and the reason
        seconds, act_ms, settled = clock.elapsed, env.act_seconds * 1000, env.settled
        assert env.observation is not None
        beside.see(env.observation.frame)
        if action.ends and env.outcome is not None and env.ended_by == "agent":
            message = beside.review(action, index, env.verdict)
            if message:
                env.go_on(message)
                clock.next_attempt()
                last = index + steps
        observation = _with_messages(env.observation, objection, refused and f"Refused: {refused}")
        step = Step(
            index=index,
            action=action,
            frame="",  # set by the recorder on its own thread, because computing the digest is slow
            seconds=seconds,
            act_ms=act_ms,
            settle_ms=settled.seconds * 1000,
            settled=settled.quiet,
            agent_ms=agent_ms,
            refused=refused,
            thought=thought,
            cursor=observation.cursor,
            messages=observation.messages,
        )
        recorder.step(step, observation.frame)
        _record_tree(recorder, index + 1, observation)
        if on_step is not None:
            on_step(step.model_copy(update={"frame": observation.frame.digest}))
        if env.outcome is not None:
            return
        if refused_in_a_row >= MAX_REFUSED:
            env.give_up()
            return
        if index >= last:
            env.give_up("step_budget")
            return


def _close(
    env: FairgroundEnv, recorder: Recorder, episode: Episode, fault: _Fault | None, verdict: Verdict | None
) -> Episode:
    if env.seat is not None:
        for name, text in env.seat.logs.items():
            recorder.log(name, text)
    if (
        env.after is not None
    ):  # also if the checks failed with an error: a corrected verifier can still judge the recorded state
        _record_state(recorder, "after", env.after)
    update: dict[str, object] = {"status": "complete"}
    if fault is None:
        update |= {
            "outcome": env.outcome,
            "verdict": env.verdict,
            "ended_by": env.ended_by,
            "answer": env.answer,
        }
    else:
        if not issubclass(type(fault.raised), FairgroundError):
            recorder.log("traceback", fault.trace)
        unscored = Outcome.INVALID if fault.invalid else Outcome.ERRORED
        update |= {
            "outcome": unscored if verdict is None else Outcome.FAILED,
            "verdict": verdict,
            "ended_by": fault.cause,
            "answer": env.answer if verdict is not None else None,
            "error": fault.text,
        }
    return recorder.close(episode.model_copy(update=update))


def _record_state(recorder: Recorder, when: Literal["before", "after"], state: State) -> None:
    recorder.state(when, state.files, state.data, state.missing)


def _record_tree(recorder: Recorder, place: int, observation: Observation) -> None:
    if observation.tree is not None:  # only if it was requested
        recorder.tree(place, outline(observation.tree))


def _with_messages(observation: Observation, *messages: str) -> Observation:
    non_empty = tuple(message for message in messages if message)
    return replace(observation, messages=(*observation.messages, *non_empty)) if non_empty else observation


def _episode_id(world: World, agent: Agent) -> str:
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    name = re.sub(r"[^a-z0-9]+", "-", f"{world.configuration.scenario}-{agent.name}".lower()).strip("-")
    return f"{stamp}-{name}-{secrets.token_hex(3)}"
