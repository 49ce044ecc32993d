"""Several who can decide, the cheapest first: state, then pictures, then a model for what is left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from fairground.core import Check, Checklist, ChecklistItem, Frame, InvalidInput, Verdict
from fairground.verify.judge_checklist import JudgeError, Model, judge_by_checklist

NOT_ASKED = "not asked"
"""Who decided an item that no longer mattered."""


@dataclass(frozen=True)
class Decider:
    """Somebody who can decide items of a checklist.

    Attributes:
        name: How the result calls it.
        cost: Only the order counts: state 0, pictures 1, a model 2.
        decide: Given the open items, checks for those that it can decide, by the items' names; others it leaves out.
        sure: Whether its no needs no second opinion, and ends the matter.
    """

    name: str
    cost: float
    decide: Callable[[Sequence[ChecklistItem]], Iterable[Check]]
    sure: bool = True


@dataclass(frozen=True)
class Cascaded:
    """What came of it.

    Attributes:
        verdict: Checks in the order of the checklist.
        decided_by: Who decided each item; `NOT_ASKED` where an earlier no had ended the matter.
        asked: Who was asked, in order.
    """

    verdict: Verdict
    decided_by: Mapping[str, str]
    asked: tuple[str, ...]


def cascade(checklist: Checklist, deciders: Sequence[Decider]) -> Cascaded:
    """Decides a checklist at the least cost.

    Each decider is asked about the items that are still open, in the order of cost. A sure no ends it: the attempt has
    failed, whatever the rest would say. Items that were not asked about then count as not met, so that the reward is
    what has been shown and not what might be.

    Raises:
        JudgeError: Nobody could decide an item.
        InvalidInput: A decider decided an item that it was not asked about.
    """
    found: dict[str, Check] = {}
    decided_by: dict[str, str] = {}
    asked: list[str] = []
    over = False
    for decider in sorted(deciders, key=lambda one: one.cost):
        unsettled = [item for item in checklist.items if item.name not in found]
        if over or not unsettled:
            break
        asked.append(decider.name)
        by_name = {item.name: item for item in unsettled}
        for check in decider.decide(unsettled):
            if check.name not in by_name:
                raise InvalidInput(f"{decider.name} decided {check.name!r}, which it was not asked about")
            item = by_name[check.name]
            found[item.name] = check.model_copy(update={"weight": item.share, "integrity": item.integrity})
            decided_by[item.name] = decider.name
            over = over or (decider.sure and not check.passed)
    left = [item for item in checklist.items if item.name not in found]
    if left and not over:
        raise JudgeError(
            f"nobody could decide {left[0].name!r}; asked: {', '.join(asked) or 'nobody'}",
            fix="add a decider that can, such as by_model",
        )
    for item in left:
        decided_by[item.name] = NOT_ASKED
        # Not as a guard: that nobody asked is no violation.
        found[item.name] = Check(name=item.name, passed=False, weight=item.share, expected=item.claim, found=NOT_ASKED)
    return Cascaded(Verdict.of(found[item.name] for item in checklist.items), decided_by, tuple(asked))


def by_state(checks: Callable[[], Sequence[Check]]) -> Decider:
    """What the recorded state says, by checks of the same names; sure, and for nothing."""

    def decide(items: Sequence[ChecklistItem]) -> list[Check]:
        wanted = {item.name for item in items}
        return [check for check in checks() if check.name in wanted]

    return Decider("state", 0, decide)


def by_picture(matches: Mapping[str, Callable[[], Check]]) -> Decider:
    """What `image_match` says about items, by their names."""

    def decide(items: Sequence[ChecklistItem]) -> list[Check]:
        return [matches[item.name]() for item in items if item.name in matches]

    return Decider("picture", 1, decide)


def by_model(
    model: Model, instruction: str, frames: Sequence[Frame], *, privileged: str = "", attempts: int = 3
) -> Decider:
    """What a model sees, in one question about all that is still open."""

    def decide(items: Sequence[ChecklistItem]) -> tuple[Check, ...]:
        # A list of guards alone has no weight of its own, and needs one to be a list.
        asked = [item.model_copy(update={"weight": item.weight if item.weight else 1.0}) for item in items]
        checklist = Checklist(items=tuple(asked), privileged=privileged)
        return judge_by_checklist(model, instruction, frames, checklist, attempts=attempts).checks

    return Decider("model", 2, decide)
