"""Plans that are made before an episode and followed in all rollouts of a task."""

from __future__ import annotations

from pathlib import Path

from fairground.core import Configuration, InvalidInput
from fairground.rollout.interventions.advisers import Ask, ask_until, filled, prompt
from fairground.rollout.interventions.companion import Scene
from fairground.rollout.interventions.kept import Plan
from fairground.rollout.interventions.spec import FixedPlan, LearnedPlan

MAX_PLAN = 8_000
"""Maximum number of characters of a plan."""


def fixed_plan(spec: FixedPlan, configuration: str, instruction: str, scene: Scene, ask: Ask) -> Plan:
    """Make a plan from the instruction and the first frame."""
    text = ask_until(
        ask, _read_plan, filled("plan_task", instruction=instruction), (scene.first,), system=prompt("plan")
    )
    return Plan(configuration=configuration, source="fixed-plan", model=spec.model, text=text)


def learned_plan(spec: LearnedPlan, configuration: str, instruction: str, ask: Ask, run: Path) -> Plan:
    """Make a plan from episodes of earlier runs.

    Its text is empty if there is nothing to learn from; the note says why.
    """
    from fairground.rollout.learning import learn  # which reads runs, and so stands above this package

    lesson = learn(spec, Configuration.from_id(configuration), instruction, ask, run=run)
    return Plan(
        configuration=configuration, source="learned-plan", model=spec.model, text=lesson.plan, note=lesson.note
    )


def with_plan(instruction: str, plan: Plan) -> str:
    """Return the instruction with the plan appended, if there is one."""
    return filled("with_plan", instruction=instruction, plan=plan.text) if plan.text else instruction


def _read_plan(answer: str) -> str:
    text = answer.strip()
    if not text:
        raise InvalidInput("the plan is empty")
    if len(text) > MAX_PLAN:
        raise InvalidInput(f"the plan has {len(text)} characters; expected at most {MAX_PLAN}")
    return text
