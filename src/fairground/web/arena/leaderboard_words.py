"""What each figure of the leaderboard shows, and what may not be concluded from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Words:
    """Said beside a figure: how to read it, and what it does not say."""

    says: str
    silent: str


RATINGS: Final = Words(
    "Bradley-Terry ratings on the Elo scale: 100 points more mean to win 64% of decided votes. Ties count half, and so "
    "does finding both bad. Rank is by the lower end of the interval, so that an agent of which little is known does "
    "not lead; with too few votes it has no rating. Ranks are those that it had when votes were drawn again. Sure "
    "ranks are what is left when every pair is tested, for all agents at once. Votes on one task, and votes of one "
    "person, count as dependent: intervals are as wide as these clusters demand. Where there are too few tasks for "
    "that, a battle takes the place of the task.",
    "That a rating holds for other tasks, other people or other agents: it is relative to those who took part. That "
    "agents whose intervals overlap are equal.",
)
ORDER: Final = Words(
    "The permutation test swaps winner and loser of votes at random, all votes on one task or of one person together. "
    "Pairs are tested by their ratings, and p has Holm's correction for testing many at once. Cohen's d is the size of "
    "the difference in a single vote: 0.2 is small, 0.5 medium, 0.8 large. Kendall's tau compares the order with that "
    "of votes of which some were turned around at random: 1 is the same order, 0 an unrelated one.",
    "That two agents are equal where p is large: the votes may be too few. That a small p makes a difference large: "
    "see Cohen's d.",
)
JUDGED: Final = Words(
    "How often people judged an agent's work correct (marks), and how often the verifier passed it (grey lines). "
    "Partly correct is not correct. There are verifiers for scenarios, and none for tasks in people's own words, so "
    "the two need not be about the same battles.",
    "That a verifier is wrong where the two differ, or that people are: look at the battles. That agents can be "
    "compared here as in the ranking: each met other tasks.",
)
OBSERVED: Final = Words(
    "How often the agent of the row was preferred to the agent of the column, in percent; ties count half. Empty where "
    "two never met.",
    "That a rate from a handful of votes is a fact about the two: the table has the intervals.",
)
PREDICTED: Final = Words(
    "The same as the ratings predict it. Where the two differ much, one number per agent does not tell the whole "
    "story.",
    "That these were seen: pairs that never met have a number too.",
)
GROUPS: Final = Words(
    "Ratings from the votes of each group alone. Each group has the mean 1000 over its own agents, so that a row shows "
    "where an agent stands better than elsewhere. Bold where the interval leaves out 1000.",
    "That a group is easy or hard: ratings are relative to its agents. That a gap between two cells is real: with "
    "fewer votes the intervals, which the table has, are wide.",
)
GENERAL: Final = Words(
    "From how often people judged an agent correct in each category that these agents share: the harmonic mean of the "
    "rates, times 1 minus their coefficient of variation, times the worst over the mean. It is high only where an "
    "agent is good in every category alike.",
    "That a low score means poor work: one weak category is enough. Categories with few judgements are smoothed, and "
    "make the interval wide.",
)
STYLES: Final = Words(
    "How often a side was preferred, by how often its agent asked the person (call_user), and by the share of its "
    "actions that stand in a row of three or more that are alike. Ties count half; half is what chance would give. "
    "Intervals are clustered by battle and person.",
    "That asking or repeating is the cause: agents that do it differ in other ways too, and harder tasks lead to more "
    "of both.",
)
AGREEMENT: Final = Words(
    "Krippendorff's alpha of people who judged the same battles: 1 when they always agree, 0 when they agree as chance "
    "would have it. Answers that have an order (ordinal) count by how far apart they are; a tie lies between the two "
    "sides.",
    "That a low alpha makes the ranking wrong: it says how much one vote can be relied on.",
)
NO_AGREEMENT: Final = "It is not known yet how far people agree: that takes battles that several people judge."
WAITING: Final = (
    "will count when nobody can judge those battles any more: until then the figures must not give away who fought."
)
