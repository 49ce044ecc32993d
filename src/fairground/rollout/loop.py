"""The episode loop: one agent, one world, one folder."""

from __future__ import annotations

import contextlib
import itertools
import re
import secrets
import time
import traceback
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
from fairground.rollout.attribution import AgentErrors, ended_by, forfeit, words
from fairground.rollout.interventions.beside import Beside
from fairground.rollout.interventions.companion import Companion, Scene
from fairground.rollout.patience import AgentRaised, OutOfTime, Patient
from fairground.rollout.plan import Budget
from fairground.rollout.recorder import Recorder
from fairground.sandbox import keep_private
from fairground.worlds import World, planned_fingerprint

OBSERVED = ("screen", "cursor")
"""What an agent observes where nobody says."""

MAX_REFUSED = 10
"""Refused actions in a row after which an agent is taken to be stuck: each costs a step anyway."""


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
    """Lets an agent attempt a world once, and records it.

    An agent that runs out of steps or time is judged on what it did until then, also when it hangs: it is then left
    behind in a thread of its own, and the episode's `extra` says so under `abandoned`.

    What the agent causes counts as failed: an exception of its code, an end of its program, a seat that it broke. The
    verdict then has a failed guard beside the checks on the state, if that could still be recorded. What goes wrong
    with the machine, the app or the model's server is an outcome (`errored`), and what is wrong with the scenario
    another (`invalid`); neither is a score, and neither is raised. Only a folder that cannot be written raises, because
    then there is nowhere to say so.

    A `companion` may change the instruction, object to an end, send the agent back once it was judged, and answer its
    questions; how it was judged last is the result. Each attempt of one episode has the steps and seconds of the
    scenario; `budget.seconds` is for all of them, and the companion's own time counts for none.

    The agent observes what `observations` names; without it, what its own attribute of that name does; without that,
    screen and cursor. After each action the screen has `settle_seconds` to come to rest. With `agent_errors="excluded"`
    what the agent causes is `errored` too, and not a score.
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
        with contextlib.suppress(AgentRaised):  # only where nothing could be written: that error is the one to raise
            patient.close()
        env.close()


@dataclass(frozen=True)
class _Fault:
    """What ended an episode in place of an action or a budget."""

    error: Exception
    cause: EndedBy

    @property
    def raised(self) -> BaseException:
        """What was raised, by whichever code."""
        return self.error.error if isinstance(self.error, AgentRaised) else self.error

    def counts(self, agent_errors: AgentErrors) -> bool:
        """Whether it is a failure of the agent."""
        return self.cause in AGENTS_FAULT and agent_errors == "failed"


def _fault(env: FairgroundEnv, call: Callable[[], object]) -> _Fault | None:
    """Does something that the agent takes part in; whatever is raised is an outcome, not a crash."""
    try:
        call()
    except Exception as error:
        return _Fault(error, ended_by(error, env))
    return None


def _forfeited(env: FairgroundEnv, recorder: Recorder, fault: _Fault) -> tuple[_Fault, Verdict | None]:
    """The verdict on what the agent broke off; none where it turns out that the machine or the configuration did."""
    try:
        verdict, problem = forfeit(env, fault.cause, words(fault.raised))
    except InvalidConfiguration as error:
        return _Fault(error, "error"), None
    if fault.cause == "seat" and not (env.seat is not None and env.seat.sandbox.alive):
        return replace(fault, cause="error"), None  # it was about to end, and with it all that is inside
    if problem:
        recorder.log("evidence", without_keys(problem))
    return fault, verdict


class _Clock:
    """Time since the episode began, and until when the agent has some."""

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
    """Observation for action until the end; refused actions cost a step and come back as a message."""
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
    last = steps - 1  # of the attempt under way
    for index in itertools.count():
        asked = time.monotonic()
        try:
            if index == 0:
                agent.begin(brief, clock.deadline)
            turn = agent.act(observation, clock.deadline)
        except OutOfTime:
            env.give_up("time_budget")
            return
        agent_ms = (time.monotonic() - asked) * 1000
        action, thought = turn.action, turn.thought
        # Without a step left there is nothing that an objection could be for.
        objection = beside.audit(action, index) if action.ends and index < last else ""
        refused = ""
        try:
            # An end that is objected to is a step spent; what was performed already is only looked at.
            env.step(Look() if objection or turn.performed else action)
            refused_in_a_row = 0
        except InvalidAction as error:
            refused = str(error)
            refused_in_a_row += 1
            env.step(Look())  # the step is spent; the agent sees the screen and why
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
            frame="",  # named by the recorder, on its own thread: the digest takes longer than all else here
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
    if env.after is not None:  # also where the checks broke: a corrected verifier can still judge what was recorded
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
        raised = fault.raised
        if not isinstance(raised, FairgroundError):
            recorder.log("traceback", without_keys("".join(traceback.format_exception(raised))))
        invalid = fault.cause == "error" and isinstance(raised, InvalidConfiguration)
        unscored = Outcome.INVALID if invalid else Outcome.ERRORED
        update |= {
            "outcome": unscored if verdict is None else Outcome.FAILED,
            "verdict": verdict,
            "ended_by": fault.cause,
            "answer": env.answer if verdict is not None else None,
            "error": words(raised),
        }
    return recorder.close(episode.model_copy(update=update))


def _record_state(recorder: Recorder, when: Literal["before", "after"], state: State) -> None:
    recorder.state(when, state.files, state.data, state.missing)


def _record_tree(recorder: Recorder, place: int, observation: Observation) -> None:
    if observation.tree is not None:  # only when it was asked for
        recorder.tree(place, outline(observation.tree))


def _with_messages(observation: Observation, *messages: str) -> Observation:
    said = tuple(message for message in messages if message)
    return replace(observation, messages=(*observation.messages, *said)) if said else observation


def _episode_id(world: World, agent: Agent) -> str:
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    name = re.sub(r"[^a-z0-9]+", "-", f"{world.configuration.scenario}-{agent.name}".lower()).strip("-")
    return f"{stamp}-{name}-{secrets.token_hex(3)}"
