"""Decide what caused the end of an episode: the agent, damage it did to its seat, or the infrastructure.

Episodes that the agent ends, even by crashing, count as failed. Otherwise an agent that crashes when it is unsure would
be scored only on the tasks it is sure of.
"""

from __future__ import annotations

from typing import Literal

from fairground.agents import TakesSeat
from fairground.agents.models import ModelAgent
from fairground.agents.program import ProgramAgent
from fairground.core import (
    AppError,
    Check,
    EndedBy,
    InfrastructureError,
    InvalidConfiguration,
    SandboxError,
    ScreenError,
    State,
    StateError,
    Verdict,
)
from fairground.env import FairgroundEnv, finish, judge_left, record
from fairground.rollout.raised import AgentRaised, words
from fairground.worlds import Seat

AgentErrors = Literal["failed", "excluded"]
"""Outcome of an episode that the agent aborted or whose seat it broke: `failed`, or `excluded` (recorded as `errored`).
"""

_SEATS_OWN = (ScreenError, AppError, StateError, SandboxError)
_CHECKS: dict[EndedBy, tuple[str, str]] = {
    "agent_error": ("the agent ended the episode itself", "an action that ends it, or a budget that is used up"),
    "seat": ("the seat could be used and recorded until the end", "a seat that works"),
}


def ended_by(error: Exception, env: FairgroundEnv) -> EndedBy:
    """Return what ended an episode that raised an exception after the agent's first turn began."""
    if not isinstance(error, AgentRaised):
        return "seat" if seat_broke(env, error) else "error"
    agent, raised = error.agent, error.error
    if isinstance(agent, TakesSeat):  # an oracle is part of the world, so its errors count as the world's
        return "seat" if seat_broke(env, raised) else "error"
    # Only our own clients are trusted: any other agent could raise the error of a model that does not answer.
    ours = isinstance(agent, ModelAgent | ProgramAgent) and isinstance(raised, InfrastructureError)
    return "error" if ours else "agent_error"


def seat_broke(env: FairgroundEnv, error: BaseException) -> bool:
    """Return whether an error means that something inside the seat was killed, stopped or blocked.

    Only the agent acts inside the seat. A sandbox that is gone is an infrastructure error, and so is an error after the
    state was recorded.
    """
    alive = env.seat is not None and env.seat.sandbox.alive
    return isinstance(error, _SEATS_OWN) and alive and env.after is None


def forfeit(env: FairgroundEnv, cause: EndedBy, error: str) -> tuple[Verdict, str]:
    """Return the verdict for an episode that the agent aborted, and why its state is missing (empty if it is not).

    The state is recorded (`env.after`) and judged where possible. A failed integrity check sets the reward to 0.

    Raises:
        InvalidConfiguration: If the configuration is also at fault.
    """
    problem = ""
    if env.after is None and env.seat is not None:
        env.after, problem = _last_state(env.seat, save=cause != "seat")
    verdict = env.verdict
    if verdict is None and env.after is not None and env.seat is not None:
        try:
            verdict = judge_left(env.world, env.seat.before, env.after, env.answer)
        except InvalidConfiguration:
            raise
        except Exception as broke:
            problem = f"the state could not be judged: {words(broke)}"
    checks = verdict.checks if verdict is not None else ()
    return Verdict.of([*checks, guard(cause, error, weight=0.0 if checks else 1.0)]), problem


def guard(cause: EndedBy, error: str, *, weight: float) -> Check:
    """Return the failed check of an episode that the agent aborted."""
    name, expected = _CHECKS[cause]
    return Check(name=name, passed=False, weight=weight, expected=expected, found=error, integrity=True)


def _last_state(seat: Seat, *, save: bool) -> tuple[State | None, str]:
    """Record the state of a seat. A broken seat is not asked to save first."""
    problem = ""
    if save:
        try:
            return finish(seat), ""
        except Exception as error:  # for example a screen that no longer takes input, so nothing can be saved
            problem = f"the app could not save: {words(error)}\n"
    try:
        return record(seat), problem
    except Exception as error:
        return None, f"{problem}the state could not be recorded: {words(error)}"
