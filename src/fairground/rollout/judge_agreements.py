"""Agreement between a model judge and the state verifier (the reference): counts, intervals, and disagreements."""

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
    """Agreement on one item, decided by the judge from frames and by the state verifier with a check of the same name.

    Attributes:
        name: Name of the item.
        agreed: Number of episodes where both agree.
        false_passes: Number of episodes where only the judge found it met.
        false_fails: Number of episodes where only the state verifier found it met.
        agreement: Share of episodes where both agree, with a Wilson interval.
    """

    name: str
    agreed: int
    false_passes: int
    false_fails: int
    agreement: Interval

    @property
    def episodes(self) -> int:
        """Number of episodes where both decided this item."""
        return self.agreed + self.false_passes + self.false_fails


@dataclass(frozen=True)
class JudgeAgreement:
    """A judge compared with the state verifier.

    Attributes:
        model: The judge.
        passed: Number of episodes where both say passed.
        failed: Number of episodes where both say failed.
        false_passes: Episodes where the judge says passed and the state verifier failed.
        false_fails: Episodes where the judge says failed and the state verifier passed.
        not_judged: Episodes without a judgement. They count nowhere else.
        agreement: Share of judged episodes where both agree, with a Wilson interval.
        kappa: Cohen's kappa: agreement beyond chance. None if undefined.
        alpha: Krippendorff's alpha, the same for any number of judges. None if undefined.
        items: Agreement per item, lowest first.
        usage: Usage of all judgements, including earlier ones.
        spent: Usage of the judgements made this time.
        notes: Caveats for the reader.
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
        """Number of episodes that both decided."""
        return self.passed + self.failed + len(self.false_passes) + len(self.false_fails)


def judge_agreement(
    episodes: Sequence[Judged], *, model: str, seed: int = 0, level: float = 0.95, replicates: int = 2_000
) -> JudgeAgreement:
    """Compare judgements with the verdicts of the state verifier.

    Args:
        episodes: Episodes from `judge_recorded`, judged or not.
        model: The judge's name.
        seed: Seed of the bootstrap.
        level: Confidence level of the intervals.
        replicates: Number of bootstrap resamples.
    """
    cells: dict[tuple[bool, bool], list[Judged]] = {(a, b): [] for a in (True, False) for b in (True, False)}
    for episode in episodes:
        if episode.judgement is not None:
            cells[episode.state is Outcome.PASSED, episode.judgement.verdict.success].append(episode)
    counts = {cell: len(members) for cell, members in cells.items()}
    judged, agreed = sum(counts.values()), counts[True, True] + counts[False, False]
    notes: list[str] = []
    kappa = alpha = None
    table = [[counts[True, True], counts[True, False]], [counts[False, True], counts[False, False]]]
    rng = np.random.default_rng(seed)
    try:
        ratings = [(state, judge) for (state, judge), number in counts.items() for _ in range(number)]
        alpha = krippendorff_alpha(ratings, rng=rng, level=level, replicates=replicates).alpha
        result = cohens_kappa(table, rng=rng, level=level, replicates=replicates)
        kappa, notes = result.kappa, [*result.notes]
    except InvalidInput as error:
        if judged:
            notes.append(f"Agreement beyond chance is undefined here: {error.message}.")
    tasks = {episode.configuration for episode in episodes if episode.judgement is not None}
    if judged > len(tasks):
        notes.append(
            f"Configurations were judged more than once ({len(tasks)} in {judged} episodes). Intervals treat "
            "episodes as independent, so they are too narrow if attempts at one configuration are alike."
        )
    judgements = [(episode, episode.judgement) for episode in episodes if episode.judgement is not None]
    return JudgeAgreement(
        model=model,
        passed=counts[True, True],
        failed=counts[False, False],
        false_passes=tuple(cells[False, True]),
        false_fails=tuple(cells[True, False]),
        not_judged=tuple(episode for episode in episodes if episode.judgement is None),
        agreement=wilson(agreed, judged, level) if judged else None,
        kappa=kappa,
        alpha=alpha,
        items=_items(episodes, level),
        usage=_sum([judgement.usage for _, judgement in judgements]),
        spent=_sum([judgement.usage for episode, judgement in judgements if not episode.kept]),
        notes=tuple(notes),
    )


def _items(episodes: Sequence[Judged], level: float) -> tuple[ItemAgreement, ...]:
    counts: dict[str, list[int]] = {}
    for episode in episodes:
        if episode.judgement is None:
            continue
        by_state = {check.name: check.passed for check in episode.checks}
        for check in episode.judgement.verdict.checks:
            if check.name in by_state:
                place = 0 if check.passed == by_state[check.name] else 1 if check.passed else 2
                counts.setdefault(check.name, [0, 0, 0])[place] += 1
    items = [
        ItemAgreement(name, agreed, passes, fails, wilson(agreed, agreed + passes + fails, level))
        for name, (agreed, passes, fails) in counts.items()
    ]
    return tuple(sorted(items, key=lambda item: (item.agreement.estimate, -item.episodes, item.name)))


def _sum(all_: Sequence[Usage]) -> Usage:
    names = [name for name in Usage.model_fields if name != "dollars"]
    dollars = [usage.dollars for usage in all_]
    known = [amount for amount in dollars if amount is not None]
    counts = {name: sum(getattr(usage, name) for usage in all_) for name in names}
    return Usage(**counts, dollars=sum(known) if len(known) == len(dollars) else None)
