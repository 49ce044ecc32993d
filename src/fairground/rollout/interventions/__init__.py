"""Interventions: what is changed about how an agent is run, named and recorded as the run's condition.

The records are in `spec`. A run has a tuple of them (`RunSpec.interventions`), a person says them in words
(`parse_intervention("retry:simulator,model=openai:gpt-5,rounds=3")`), and `check_interventions` refuses before anything
starts what does not go together or lacks a key. Plan level ones (`deterministic`, `perturbed`) act in `make_plan`. The
others are a `Companion` of each episode: the loop asks it for the instruction (`brief`), at the agent's end before
(`audit`) and after (`review`) it was judged, and when the agent asks a person (`user`).

Plans for tasks, whoever made them, are `Plan` records in the run's folder, one for each configuration, made once:

- `keep_plan(run, configuration, make)` returns the plan that is kept for a configuration, or keeps what `make()`
  returns. Of any number of workers exactly one makes it; the others wait and get the same. A kill leaves a whole plan
  or none.
- `read_plans(run)` are all that are kept, by configuration; `read_clarifications(run)` likewise.
- A configuration here is `Planned.pairing`: the same for all rollouts of a task, also where their themes differ.

`learned-plan` asks `fairground.rollout.learning.learn` for the text, once for each configuration, in a worker, under
`keep_plan`, and appends it to the instruction as it does a fixed plan. Where there is nothing to learn from the text is
empty and the agent has no plan; a note says why.

What an episode's `extra` holds afterwards: `condition` (the interventions, the instruction as the agent saw it, plan,
clarification, notes), `rounds` (each end of the agent: verdict, message, who objected), `advisers` (usage of each
model that was asked) and `usage` (of the agent and its advisers together).
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
