"""Deciding a checklist with several deciders, the cheapest first: state, then pictures, then a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from fairground.core import Check, Checklist, ChecklistItem, Frame, InvalidInput, Verdict
from fairground.verify.judge_checklist import JudgeError, Model, judge_by_checklist

NOT_ASKED = "not asked"
"""The decider of an item that no longer mattered."""


@dataclass(frozen=True)
class Decider:
    """Decides items of a checklist.

    Attributes:
        name: Its name in results.
        cost: Defines the order: state 0, pictures 1, a model 2.
        decide: Takes the open items. Returns checks for those it can decide, with the items' names.
        sure: Whether a negative result is final and ends the cascade.
    """

    name: str
    cost: float
    decide: Callable[[Sequence[ChecklistItem]], Iterable[Check]]
    sure: bool = True


@dataclass(frozen=True)
class Cascaded:
    """The result of a cascade.

    Attributes:
        verdict: Checks in the order of the checklist.
        decided_by: The decider of each item; `NOT_ASKED` if an earlier result ended the cascade.
        asked: The deciders that were asked, in order.
    """

    verdict: Verdict
    decided_by: Mapping[str, str]
    asked: tuple[str, ...]


def cascade(checklist: Checklist, deciders: Sequence[Decider]) -> Cascaded:
    """Decide a checklist at the lowest cost.

    Each decider is asked about the items that are still open, in order of cost. A final negative result ends the
    cascade, because the attempt has failed in any case. Remaining items then count as not met, so that the reward
    includes only what was shown.

    Raises:
        JudgeError: No decider could decide an item.
        InvalidInput: A decider decided an item that it was not asked about.
    """
    decided: dict[str, Check] = {}
    decided_by: dict[str, str] = {}
    asked_names: list[str] = []
    over = False
    for decider in sorted(deciders, key=lambda one: one.cost):
        unsettled = [item for item in checklist.items if item.name not in decided]
        if over or not unsettled:
            break
        asked_names.append(decider.name)
        by_name = {item.name: item for item in unsettled}
        for check in decider.decide(unsettled):
            if check.name not in by_name:
                raise InvalidInput(f"{decider.name} decided {check.name!r}, which it was not asked about")
            item = by_name[check.name]
            decided[item.name] = check.model_copy(update={"weight": item.share, "integrity": item.integrity})
            decided_by[item.name] = decider.name
            over = over or (decider.sure and not check.passed)
    left = [item for item in checklist.items if item.name not in decided]
    if left and not over:
        raise JudgeError(
            f"nobody could decide {left[0].name!r}; asked: {', '.join(asked_names) or 'nobody'}",
            fix="add a decider that can, such as by_model",
        )
    for item in left:
        decided_by[item.name] = NOT_ASKED
        # Not as a guard: an item that was not asked is not a violation.
        decided[item.name] = Check(
            name=item.name, passed=False, weight=item.share, expected=item.claim, found=NOT_ASKED
        )
    return Cascaded(Verdict.of(decided[item.name] for item in checklist.items), decided_by, tuple(asked_names))


def by_state(checks: Callable[[], Sequence[Check]]) -> Decider:
    """Decide by the recorded state, with checks of the same names. Final, and free of cost."""

    def decide(items: Sequence[ChecklistItem]) -> list[Check]:
        wanted = {item.name for item in items}
        return [check for check in checks() if check.name in wanted]

    return Decider("state", 0, decide)


def by_picture(matches: Mapping[str, Callable[[], Check]]) -> Decider:
    """Decide by `image_match`, for items by name."""

    def decide(items: Sequence[ChecklistItem]) -> list[Check]:
        return [matches[item.name]() for item in items if item.name in matches]

    return Decider("picture", 1, decide)


def by_model(
    model: Model, instruction: str, frames: Sequence[Frame], *, privileged: str = "", attempts: int = 3
) -> Decider:
    """Decide by a model, in one request about all open items."""

    def decide(items: Sequence[ChecklistItem]) -> tuple[Check, ...]:
        # A checklist needs a weight above 0, which a list of guards alone does not have.
        weighted = [item.model_copy(update={"weight": item.weight if item.weight else 1.0}) for item in items]
        checklist = Checklist(items=tuple(weighted), privileged=privileged)
        return judge_by_checklist(model, instruction, frames, checklist, attempts=attempts).checks

    return Decider("model", 2, decide)
