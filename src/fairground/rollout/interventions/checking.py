"""Reject interventions that cannot be combined or carried out, before anything starts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fairground.agents.models import Asker, make_asker
from fairground.core import InvalidInput
from fairground.rollout.interventions.advisers import Advisers
from fairground.rollout.interventions.spec import (
    Audited,
    Clarified,
    FixedPlan,
    Intervention,
    LearnedPlan,
    Retry,
)


def check_interventions(
    interventions: Sequence[Intervention], *, shared: bool = True, make: Callable[[str], Asker] = make_asker
) -> None:
    """Raise an error for interventions that cannot be run.

    Makes no request. For each model it checks only that the SDK and the API key are present.

    Args:
        interventions: The interventions of a run.
        shared: Whether all workers see the run's folder, where plans and clarifications are stored.
        make: Creates an asker for a model name.

    Raises:
        InvalidInput: If interventions contradict each other, occur twice, or lack a required field.
        MissingPrerequisite: If a model's SDK or API key is missing.
    """
    _refuse_combinations(interventions)
    stored = [
        intervention.name
        for intervention in interventions
        if isinstance(intervention, FixedPlan | LearnedPlan | Clarified)
    ]
    if stored and not shared:
        raise InvalidInput(
            f"{stored[0]} stores its results in the run's folder, which all workers must share",
            fix="use a folder that all nodes share, without --ship",
        )
    advisers = Advisers(make)
    try:
        advisers.check(models_of(interventions))
    finally:
        advisers.close()


def models_of(interventions: Sequence[Intervention]) -> tuple[str, ...]:
    """Return the models that interventions ask, without duplicates."""
    models: list[str] = []
    for intervention in interventions:
        if isinstance(intervention, FixedPlan | LearnedPlan | Clarified | Audited):
            models.append(intervention.model)
        if isinstance(intervention, Clarified) and intervention.auditor:
            models.append(intervention.auditor)
        if isinstance(intervention, Retry) and intervention.feedback == "simulator":
            models.append(intervention.model)
    return tuple(dict.fromkeys(models))


def _refuse_combinations(interventions: Sequence[Intervention]) -> None:
    names = [intervention.name for intervention in interventions]
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput(f"{name} is given twice", fix="give each intervention once")
    if "fixed-plan" in names and "learned-plan" in names:
        raise InvalidInput(
            "fixed-plan and learned-plan cannot be combined: an agent can follow only one plan",
            fix="leave one of them out",
        )
    for option in interventions:
        if isinstance(option, Retry) and option.feedback == "simulator" and not option.model:
            raise InvalidInput(
                "retry:simulator needs a model that plays the user", fix="write retry:simulator,model=VENDOR:MODEL"
            )
        if isinstance(option, Retry) and option.feedback == "binary" and option.model:
            raise InvalidInput(
                f"retry:binary uses no model, but {option.model} was given",
                fix="remove the model, or write retry:simulator",
            )
        if isinstance(option, LearnedPlan) and not option.runs:
            raise InvalidInput(
                "learned-plan has no runs to learn from",
                fix="write learned-plan:MODEL,runs=DIR;DIR, or use `fairground study`, which fills them in",
            )
