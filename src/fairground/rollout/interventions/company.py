"""The companion that combines all interventions of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from fairground.agents import Agent, HasUsage
from fairground.agents.models import EpisodeBudget, ModelAgent, Usage
from fairground.core import Fail, Frame, InfrastructureError
from fairground.rollout.interventions.advisers import Advisers, total
from fairground.rollout.interventions.auditing import objecting, objection
from fairground.rollout.interventions.clarifying import clarify
from fairground.rollout.interventions.companion import Ending, Scene
from fairground.rollout.interventions.kept import Clarification, Plan, keep_clarification, keep_plan
from fairground.rollout.interventions.planning import fixed_plan, learned_plan, with_plan
from fairground.rollout.interventions.retrying import Feedback, binary, replied, simulated
from fairground.rollout.interventions.spec import (
    Audited,
    Clarified,
    FixedPlan,
    Intervention,
    LearnedPlan,
    Retry,
)

_Kind = TypeVar("_Kind", FixedPlan, Clarified, Retry, LearnedPlan, Audited)


class Company:
    """Accompanies an agent for one episode and applies all interventions of the run.

    The order in the run does not matter. The instruction is clarified first, then a plan is made for the result. An
    auditor is asked before judging; feedback is given after.

    Args:
        interventions: The interventions of the run.
        run: The run's folder, where plans and clarifications are stored.
        pairing: The configuration that all rollouts of the task count for.
        advisers: The models to ask.
        agent: The agent. Advisers' usage is deducted from its budget.
        tokens: Maximum tokens that agent and advisers may use together.
        notes: Notes on the condition for readers of the episode.
    """

    def __init__(
        self,
        interventions: Sequence[Intervention],
        run: Path,
        pairing: str,
        advisers: Advisers,
        agent: Agent,
        *,
        tokens: int | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        self._interventions, self._run, self._pairing = tuple(interventions), run, pairing
        self._advisers, self._agent, self._tokens = advisers, agent, tokens
        self._notes = list(notes)
        self._scene: Scene | None = None
        self._instruction = ""
        self._clarification: Clarification | None = None
        self._plan: Plan | None = None
        self._rounds: list[dict[str, Any]] = []
        self._replies: list[dict[str, Any]] = []
        self._sent_back = {"audited": 0, "retry": 0}
        retry = self._one(Retry)
        simulates = retry is not None and retry.feedback == "simulator"
        self.user: Callable[[str, Sequence[Frame]], str] | None = self._reply if simulates else None
        advisers.begin()

    def brief(self, scene: Scene) -> str:
        """Return the instruction, clarified and with a plan where the run asks for it."""
        self._scene = scene
        instruction = scene.world.instruction
        if (clarified := self._one(Clarified)) is not None:
            ask, auditor = self._advisers.ask(clarified.model), self._advisers.ask(clarified.auditor or clarified.model)
            self._clarification = keep_clarification(
                self._place(), self._pairing, lambda: clarify(clarified, self._pairing, scene, ask, auditor)
            )
            instruction = self._clarification.instruction
        if (make := self._planner(scene, instruction)) is not None:
            self._plan = keep_plan(self._place(), self._pairing, make)
            instruction = with_plan(instruction, self._plan)
        self._instruction = instruction
        self._charge()
        return instruction

    def audit(self, ending: Ending) -> str | None:
        """Return the auditor's objection, if it objects and the agent may be sent back once more."""
        audited = self._one(Audited)
        if audited is None or isinstance(ending.action, Fail) or self._sent_back["audited"] >= audited.rounds:
            return None
        # The original or clarified instruction, without the plan: a plan says how, which the auditor does not judge.
        instruction = self._clarification.instruction if self._clarification else self._known.world.instruction
        missing = objection(instruction, ending, self._advisers.ask(audited.model))
        message = objecting(missing) if missing else None
        self._rounds.append(_round(ending, "audited", accepted=not missing, message=message))
        self._sent_back["audited"] += bool(missing)
        self._charge()
        return message

    def review(self, ending: Ending) -> str | None:
        """Return the feedback for a failed agent that has rounds and tokens left."""
        retry, verdict = self._one(Retry), ending.verdict
        if retry is None or verdict is None:
            return None
        feedback: Feedback | None = None
        if not verdict.success and self._sent_back["retry"] < retry.rounds and not self._spent():
            if retry.feedback == "binary":
                feedback = binary()
            else:
                feedback = simulated(self._known, ending, self._advisers.ask(retry.model))
            self._sent_back["retry"] += 1
        self._rounds.append(_round(ending, "retry", feedback, verdict=verdict.plain()))
        self._charge()
        return feedback.message if feedback else None

    def extra(self, own: Usage | None) -> dict[str, Any]:
        """Return the condition, the rounds, and the usage of agent and advisers."""
        used = self._advisers.used
        combined, notes = total(own, used)
        condition: dict[str, Any] = {
            "interventions": [intervention.plain() for intervention in self._interventions],
            "instruction": self._instruction,
        }
        if self._clarification is not None:
            condition["clarification"] = self._clarification.plain()
        if self._plan is not None:
            condition["plan"] = self._plan.plain()
        if all_notes := [*self._notes, *notes]:
            condition["notes"] = all_notes
        parts: dict[str, Any] = {
            "condition": condition,
            "rounds": self._rounds,
            "replies": self._replies,
            "advisers": {name: usage.plain() for name, usage in used.items()},
            "usage": combined.plain() if combined is not None else None,
        }
        return {name: part for name, part in parts.items() if part}

    @property
    def _known(self) -> Scene:
        assert self._scene is not None, "brief must be called first"
        return self._scene

    def _one(self, kind: type[_Kind]) -> _Kind | None:
        return next((intervention for intervention in self._interventions if isinstance(intervention, kind)), None)

    def _place(self) -> Path:
        if not (self._run / "run.sqlite").is_file():
            raise InfrastructureError(
                f"plans and clarifications are stored in the run's folder, but {self._run} is not a run",
                fix="let all workers share the run's folder (without `--ship`)",
            )
        return self._run

    def _planner(self, scene: Scene, instruction: str) -> Callable[[], Plan] | None:
        if (fixed := self._one(FixedPlan)) is not None:
            ask = self._advisers.ask(fixed.model)
            return lambda: fixed_plan(fixed, self._pairing, instruction, scene, ask)
        if (learned := self._one(LearnedPlan)) is not None:
            ask = self._advisers.ask(learned.model)
            return lambda: learned_plan(learned, self._pairing, instruction, ask, self._run)
        return None

    def _reply(self, question: str, frames: Sequence[Frame]) -> str:
        retry = self._one(Retry)
        assert retry is not None
        reply = replied(self._known, question, frames, self._advisers.ask(retry.model))
        self._replies.append({"question": question[:4_000], "message": reply.message, **_unsaid(reply)})
        self._charge()
        return reply.message

    def _advised(self) -> int:
        return sum(usage.tokens for usage in self._advisers.used.values())

    def _spent(self) -> bool:
        own = self._agent.usage if isinstance(self._agent, HasUsage) else None
        return self._tokens is not None and (own.tokens if own else 0) + self._advised() >= self._tokens

    def _charge(self) -> None:
        """Deduct the advisers' usage from the agent's budget, so that the episode keeps to its budget."""
        if self._tokens is not None and isinstance(self._agent, ModelAgent):
            self._agent.budget = EpisodeBudget(tokens=max(1, self._tokens - self._advised()))


def _round(ending: Ending, by: str, feedback: Feedback | None = None, **found: Any) -> dict[str, Any]:
    entry: dict[str, Any] = {"by": by, "step": ending.step, "action": ending.action.plain(), **found}
    if feedback is not None:
        entry |= {"message": feedback.message, **_unsaid(feedback)}
    return entry


def _unsaid(feedback: Feedback) -> dict[str, Any]:
    fields = {"fallback": feedback.fallback, "rejected": list(feedback.rejected)}
    return {name: value for name, value in fields.items() if value}
