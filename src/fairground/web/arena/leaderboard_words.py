"""Explanations of the leaderboard figures: what each shows, and what it does not show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Words:
    """Explanation of a figure: how to read it (`says`) and what not to conclude (`silent`)."""

    says: str
    silent: str


RATINGS: Final = Words(
    "Bradley-Terry ratings on the Elo scale: a lead of 100 points means winning 64% of decided votes. Ties and "
    '"both are bad" count as half a win. Agents are ranked by the lower end of the interval, so an agent with few '
    'votes does not lead; an agent with too few votes has no rating. "Ranks" is the range of ranks over bootstrap '
    'samples of the votes. "Sure ranks" are simultaneous: they follow from testing every pair of agents at once. '
    "Votes on the same task, and votes by the same person, are treated as dependent, so the intervals are "
    "clustered. If there are too few tasks, votes are clustered by battle instead.",
    "That a rating holds for other tasks, people or agents: it is relative to those that took part. That agents "
    "with overlapping intervals are equal.",
)
ORDER: Final = Words(
    "The permutation test swaps winners and losers at random, keeping all votes on one task or by one person "
    "together. Pairs are compared by their ratings, and p is Holm-corrected for multiple tests. Cohen's d is the "
    "size of the difference in a single vote: 0.2 is small, 0.5 medium, 0.8 large. Kendall's tau compares the order "
    "with the order after a random share of the votes was reversed: 1 is the same order, 0 an unrelated one.",
    "That two agents are equal if p is large: there may be too few votes. That the difference is large if p is "
    "small: see Cohen's d.",
)
JUDGED: Final = Words(
    "How often people judged an agent's work correct (marks), and how often the verifier passed it (grey lines). "
    "Partly correct does not count as correct. Only scenarios have verifiers, tasks that people wrote do not, so "
    "the two rates can come from different battles.",
    "That the verifier is wrong where the two rates differ, or that people are: look at the battles. That agents "
    "can be compared here as in the ranking: each agent had different tasks.",
)
OBSERVED: Final = Words(
    "How often the agent in the row was preferred to the agent in the column, in percent. Ties count half. Empty if "
    "the two never met.",
    "That a rate from a few votes is reliable: see the intervals in the table.",
)
PREDICTED: Final = Words(
    "The same rates as predicted by the ratings. If the two differ strongly, one number per agent is not enough to "
    "describe the votes.",
    "That these rates were observed: pairs that never met have a prediction too.",
)
GROUPS: Final = Words(
    "Ratings from the votes of each group alone. In each group the mean over its agents is 1000, so a row shows "
    "where an agent is better than elsewhere. Bold: the interval excludes 1000.",
    "That a group is easy or hard: ratings are relative to the agents in it. That a gap between two cells is real: "
    "with few votes the intervals are wide (see the table).",
)
GENERAL: Final = Words(
    "Based on how often people judged an agent correct in each category that these agents share: the harmonic mean "
    "of the rates, times (1 - their coefficient of variation), times (worst rate / mean rate). It is high only if "
    "an agent is equally good in every category.",
    "That a low score means poor work: one weak category is enough. Categories with few judgements are smoothed, "
    "which widens the interval.",
)
STYLES: Final = Words(
    "How often a side was preferred, by how often its agent asked the person (call_user), and by the share of its "
    "actions that belong to a run of three or more identical actions. Ties count half; 50% is chance. Intervals are "
    "clustered by battle and person.",
    "That asking or repeating is the cause: agents that do so differ in other ways too, and harder tasks cause more "
    "of both.",
)
AGREEMENT: Final = Words(
    "Krippendorff's alpha between people who judged the same battles: 1 is full agreement, 0 is agreement by "
    "chance. For ordered answers (ordinal), disagreement counts by distance; a tie lies between the two sides.",
    "That the ranking is wrong if alpha is low: alpha says how reliable a single vote is.",
)
NO_AGREEMENT: Final = "Agreement is not known yet: it needs battles that several people have judged."
WAITING: Final = (
    "will count when those battles can no longer be judged. Until then, counting them could reveal the agents' names."
)
