"""The companion that a run's interventions make together."""

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
    """Sits beside the agent for one episode, as all interventions of the run together.

    Whatever their order in the run, the instruction is clarified first and a plan is made for what came of that; an
    auditor is heard before the end is judged, feedback is given after.

    Args:
        interventions: Those of the run.
        run: The run's folder, where plans and clarifications are kept.
        pairing: The configuration that all rollouts of the task are counted under.
        advisers: The models to ask.
        agent: The agent; what advisers use is taken off its budget.
        tokens: The most that agent and advisers may use together.
        notes: What a reader of the episode should know of the condition.
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
        """The instruction: clarified, with a plan, or as it was."""
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
        """The auditor's objection, if there is an auditor, it objects, and the agent may be sent back once more."""
        audited = self._one(Audited)
        if audited is None or isinstance(ending.action, Fail) or self._sent_back["audited"] >= audited.rounds:
            return None
        # As it was given: a plan says how, which is none of the auditor's business.
        told = self._clarification.instruction if self._clarification else self._known.world.instruction
        missing = objection(told, ending, self._advisers.ask(audited.model))
        message = objecting(missing) if missing else None
        self._rounds.append(_round(ending, "audited", accepted=not missing, message=message))
        self._sent_back["audited"] += bool(missing)
        self._charge()
        return message

    def review(self, ending: Ending) -> str | None:
        """What the agent is told when it failed and has rounds and tokens left."""
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
        """The condition, the rounds and what everybody used."""
        used = self._advisers.used
        whole, notes = total(own, used)
        condition: dict[str, Any] = {
            "interventions": [one.plain() for one in self._interventions],
            "instruction": self._instruction,
        }
        if self._clarification is not None:
            condition["clarification"] = self._clarification.plain()
        if self._plan is not None:
            condition["plan"] = self._plan.plain()
        if found := [*self._notes, *notes]:
            condition["notes"] = found
        parts: dict[str, Any] = {
            "condition": condition,
            "rounds": self._rounds,
            "replies": self._replies,
            "advisers": {name: usage.plain() for name, usage in used.items()},
            "usage": whole.plain() if whole is not None else None,
        }
        return {name: part for name, part in parts.items() if part}

    @property
    def _known(self) -> Scene:
        assert self._scene is not None, "brief comes first"
        return self._scene

    def _one(self, kind: type[_Kind]) -> _Kind | None:
        return next((one for one in self._interventions if isinstance(one, kind)), None)

    def _place(self) -> Path:
        if not (self._run / "run.sqlite").is_file():
            raise InfrastructureError(
                f"plans and clarifications are kept in the run's folder, and {self._run} is none",
                fix="let all workers share the run's folder (no `ship`)",
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
        found = replied(self._known, question, frames, self._advisers.ask(retry.model))
        self._replies.append({"question": question[:4_000], "message": found.message, **_unsaid(found)})
        self._charge()
        return found.message

    def _advised(self) -> int:
        return sum(usage.tokens for usage in self._advisers.used.values())

    def _spent(self) -> bool:
        own = self._agent.usage if isinstance(self._agent, HasUsage) else None
        return self._tokens is not None and (own.tokens if own else 0) + self._advised() >= self._tokens

    def _charge(self) -> None:
        """Takes what advisers used off what the agent may, so that the episode keeps to its budget."""
        if self._tokens is not None and isinstance(self._agent, ModelAgent):
            self._agent.budget = EpisodeBudget(tokens=max(1, self._tokens - self._advised()))


def _round(ending: Ending, by: str, feedback: Feedback | None = None, **found: Any) -> dict[str, Any]:
    one: dict[str, Any] = {"by": by, "step": ending.step, "action": ending.action.plain(), **found}
    if feedback is not None:
        one |= {"message": feedback.message, **_unsaid(feedback)}
    return one


def _unsaid(feedback: Feedback) -> dict[str, Any]:
    found = {"fallback": feedback.fallback, "rejected": list(feedback.rejected)}
    return {name: value for name, value in found.items() if value}
