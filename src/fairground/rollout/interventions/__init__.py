"""Interventions change how an agent is run. A run's interventions are recorded as its condition.

The records are in `spec`. A run has a tuple of them (`RunSpec.interventions`). `parse_intervention` reads their text
form (`"retry:simulator,model=openai:gpt-5,rounds=3"`). `check_interventions` rejects invalid combinations and missing
API keys before anything starts. Plan-level interventions (`deterministic`, `perturbed`) act in `make_plan`. The others
act through a `Companion` of each episode. The episode loop calls it for the instruction (`brief`), when the agent ends,
before (`audit`) and after (`review`) judging, and when the agent asks the user (`user`).

Plans for tasks are `Plan` records in the run's folder, one per configuration, created once:

- `keep_plan(run, configuration, make)` returns the stored plan of a configuration, or stores what `make()` returns.
  Exactly one worker creates it; the others wait and get the same plan. Files are written atomically.
- `read_plans(run)` returns all stored plans by configuration. `read_clarifications(run)` does the same for
  clarifications.
- The configuration is `Planned.pairing`: the same for all rollouts of a task, even if their themes differ.

`learned-plan` calls `fairground.rollout.learning.learn` once per configuration, in a worker, under `keep_plan`. The
text is appended to the instruction like a fixed plan. If there is nothing to learn from, the text is empty, the agent
gets no plan, and a note says why.

An episode's `extra` then contains `condition` (the interventions, the instruction as the agent saw it, plan,
clarification, notes), `rounds` (each end of the agent: verdict, message, who objected), `advisers` (usage per model)
and `usage` (of the agent and its advisers together).
"""

from fairground.rollout.interventions.advisers import AdviserFault, Ask
from fairground.rollout.interventions.checking import check_interventions
from fairground.rollout.interventions.companion import Companion, Ending, Scene
from fairground.rollout.interventions.company import Company
from fairground.rollout.interventions.kept import (
    Clarification,
    Plan,
    keep_clarification,
    keep_plan,
    read_clarifications,
    read_plans,
)
from fairground.rollout.interventions.spec import (
    Audited,
    Clarified,
    Deterministic,
    FixedPlan,
    Intervention,
    LearnedPlan,
    Perturbed,
    Retry,
)
from fairground.rollout.interventions.words import condition_of, parse_intervention

__all__ = [
    "AdviserFault",
    "Ask",
    "Audited",
    "Clarification",
    "Clarified",
    "Companion",
    "Company",
    "Deterministic",
    "Ending",
    "FixedPlan",
    "Intervention",
    "LearnedPlan",
    "Perturbed",
    "Plan",
    "Retry",
    "Scene",
    "check_interventions",
    "condition_of",
    "keep_clarification",
    "keep_plan",
    "parse_intervention",
    "read_clarifications",
    "read_plans",
]
