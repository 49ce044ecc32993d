"""Refusing, before anything starts, interventions that do not go together or that nobody could carry out."""

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
    """Raises for what cannot be run. Makes no request: of every model only the SDK and the key are looked for.

    Args:
        interventions: Those of a run.
        shared: Whether all workers see the run's folder, where plans and clarifications are kept.
        make: Makes an asker by a model's name.

    Raises:
        InvalidInput: Two that contradict each other, one that is there twice, or one that lacks what it needs.
        MissingPrerequisite: A model's SDK or key is missing.
    """
    _refuse_combinations(interventions)
    kept = [one.name for one in interventions if isinstance(one, FixedPlan | LearnedPlan | Clarified)]
    if kept and not shared:
        raise InvalidInput(
            f"{kept[0]} keeps what it makes in the run's folder, for all workers",
            fix="use a folder that all nodes share, without --ship",
        )
    advisers = Advisers(make)
    try:
        advisers.check(models_of(interventions))
    finally:
        advisers.close()


def models_of(interventions: Sequence[Intervention]) -> tuple[str, ...]:
    """The models that interventions ask, each once."""
    found: list[str] = []
    for one in interventions:
        if isinstance(one, FixedPlan | LearnedPlan | Clarified | Audited):
            found.append(one.model)
        if isinstance(one, Clarified) and one.auditor:
            found.append(one.auditor)
        if isinstance(one, Retry) and one.feedback == "simulator":
            found.append(one.model)
    return tuple(dict.fromkeys(found))


def _refuse_combinations(interventions: Sequence[Intervention]) -> None:
    names = [one.name for one in interventions]
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput(f"{name} is there twice", fix="give each intervention once")
    if "fixed-plan" in names and "learned-plan" in names:
        raise InvalidInput(
            "fixed-plan and learned-plan do not go together: an agent can follow one plan", fix="leave one of them out"
        )
    for one in interventions:
        if isinstance(one, Retry) and one.feedback == "simulator" and not one.model:
            raise InvalidInput(
                "retry:simulator needs a model that plays the user", fix="write retry:simulator,model=VENDOR:MODEL"
            )
        if isinstance(one, Retry) and one.feedback == "binary" and one.model:
            raise InvalidInput(
                f"retry:binary asks no model, and {one.model} was given", fix="leave it out, or write retry:simulator"
            )
        if isinstance(one, LearnedPlan) and not one.runs:
            raise InvalidInput(
                "learned-plan has no runs to learn from",
                fix="write learned-plan:MODEL,runs=DIR;DIR, or let `fairground study` give it them",
            )
