"""How far a judge agrees with the state verifier, which knows better: counts, intervals, and where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairground.agents.models import Usage
from fairground.core import InvalidInput, Outcome
from fairground.rollout.judged import Judged
from fairground.stats import Interval, cohens_kappa, krippendorff_alpha, wilson


@dataclass(frozen=True)
class ItemAgreement:
    """An item that both decided: the judge by frames, the state verifier by a check of the same name.

    Attributes:
        name: Of the item.
        agreed: How often both said the same.
        false_passes: How often only the judge found it met.
        false_fails: How often only the state verifier did.
        agreement: The share of episodes where both said the same; Wilson's interval.
    """

    name: str
    agreed: int
    false_passes: int
    false_fails: int
    agreement: Interval

    @property
    def episodes(self) -> int:
        """How often both decided it."""
        return self.agreed + self.false_passes + self.false_fails


@dataclass(frozen=True)
class JudgeAgreement:
    """A judge against the state verifier.

    Attributes:
        model: The judge.
        passed: Both say passed.
        failed: Both say failed.
        false_passes: The judge says passed, the state failed.
        false_fails: The judge says failed, the state passed.
        not_judged: Episodes without a judgement, which count nowhere else.
        agreement: Share of judged episodes where both say the same; Wilson's interval.
        kappa: Cohen's, beyond chance; None where it has no value.
        alpha: Krippendorff's, the same for any number of judges; None where it has no value.
        items: Agreement item by item, the worst first.
        usage: What the judgements took, those of earlier times included.
        spent: What they took this time.
        notes: What must not be over-read.
    """

    model: str
    passed: int
    failed: int
    false_passes: tuple[Judged, ...]
    false_fails: tuple[Judged, ...]
    not_judged: tuple[Judged, ...]
    agreement: Interval | None
    kappa: Interval | None
    alpha: Interval | None
    items: tuple[ItemAgreement, ...]
    usage: Usage
    spent: Usage
    notes: tuple[str, ...] = ()

    @property
    def judged(self) -> int:
        """Episodes that both decided."""
        return self.passed + self.failed + len(self.false_passes) + len(self.false_fails)


def judge_agreement(
    episodes: Sequence[Judged], *, model: str, seed: int = 0, level: float = 0.95, replicates: int = 2_000
) -> JudgeAgreement:
    """Sets judgements against the verdicts of the state verifier.

    Args:
        episodes: Judged or not, from `judge_recorded`.
        model: The judge's name.
        seed: Of the resamples.
        level: Of the intervals.
        replicates: Bootstrap resamples.
    """
    cells: dict[tuple[bool, bool], list[Judged]] = {(a, b): [] for a in (True, False) for b in (True, False)}
    for one in episodes:
        if one.judgement is not None:
            cells[one.state is Outcome.PASSED, one.judgement.verdict.success].append(one)
    counts = {cell: len(found) for cell, found in cells.items()}
    judged, agreed = sum(counts.values()), counts[True, True] + counts[False, False]
    notes: list[str] = []
    kappa = alpha = None
    table = [[counts[True, True], counts[True, False]], [counts[False, True], counts[False, False]]]
    rng = np.random.default_rng(seed)
    try:
        ratings = [(state, judge) for (state, judge), number in counts.items() for _ in range(number)]
        alpha = krippendorff_alpha(ratings, rng=rng, level=level, replicates=replicates).alpha
        found = cohens_kappa(table, rng=rng, level=level, replicates=replicates)
        kappa, notes = found.kappa, [*found.notes]
    except InvalidInput as error:
        if judged:
            notes.append(f"Agreement beyond chance has no value here: {error.message}.")
    tasks = {one.configuration for one in episodes if one.judgement is not None}
    if judged > len(tasks):
        notes.append(
            f"Configurations were judged more than once ({len(tasks)} in {judged} episodes). Intervals take each "
            "episode for a case of its own, and are too narrow as far as attempts at one configuration are alike."
        )
    judgements = [(one, one.judgement) for one in episodes if one.judgement is not None]
    return JudgeAgreement(
        model=model,
        passed=counts[True, True],
        failed=counts[False, False],
        false_passes=tuple(cells[False, True]),
        false_fails=tuple(cells[True, False]),
        not_judged=tuple(one for one in episodes if one.judgement is None),
        agreement=wilson(agreed, judged, level) if judged else None,
        kappa=kappa,
        alpha=alpha,
        items=_items(episodes, level),
        usage=_sum([judgement.usage for _, judgement in judgements]),
        spent=_sum([judgement.usage for one, judgement in judgements if not one.kept]),
        notes=tuple(notes),
    )


def _items(episodes: Sequence[Judged], level: float) -> tuple[ItemAgreement, ...]:
    counts: dict[str, list[int]] = {}
    for one in episodes:
        if one.judgement is None:
            continue
        by_state = {check.name: check.passed for check in one.checks}
        for check in one.judgement.verdict.checks:
            if check.name in by_state:
                place = 0 if check.passed == by_state[check.name] else 1 if check.passed else 2
                counts.setdefault(check.name, [0, 0, 0])[place] += 1
    found = [
        ItemAgreement(name, agreed, passes, fails, wilson(agreed, agreed + passes + fails, level))
        for name, (agreed, passes, fails) in counts.items()
    ]
    return tuple(sorted(found, key=lambda item: (item.agreement.estimate, -item.episodes, item.name)))


def _sum(all_: Sequence[Usage]) -> Usage:
    names = [name for name in Usage.model_fields if name != "dollars"]
    dollars = [one.dollars for one in all_]
    known = [one for one in dollars if one is not None]
    counts = {name: sum(getattr(one, name) for one in all_) for name in names}
    return Usage(**counts, dollars=sum(known) if len(known) == len(dollars) else None)
