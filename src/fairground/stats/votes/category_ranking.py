"""One leaderboard per category of tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fairground.core import InvalidInput
from fairground.stats.votes.ranking import Ranking, check_options, rank
from fairground.stats.votes.votes import Votes


@dataclass(frozen=True)
class CategoryRankings:
    """One leaderboard per category.

    Attributes:
        rankings: By category. Each has mean 1000 over its own agents, so ratings of two categories are comparable only
            if both have the same agents.
        refused: Categories that cannot be ranked, with the reason.
    """

    rankings: Mapping[str, Ranking]
    refused: Mapping[str, str]


def rank_by_category(
    votes: Votes,
    *,
    rng: np.random.Generator,
    resamples: int = 1000,
    level: float = 0.95,
    method: str = "auto",
    cluster: str = "auto",
    anchor: tuple[str, float] | None = None,
    prior: float | None = None,
) -> CategoryRankings:
    """Rank the votes of each category separately. The options are those of `rank`.

    Raises:
        InvalidInput: If votes have no category.
    """
    if votes.category is None or "" in votes.category.values:
        raise InvalidInput("a ranking by category needs a category for every vote", fix="add a column 'category'")
    check_options(level, method, cluster, resamples)
    rankings, refused = {}, {}
    # Each category has its own generator, so that its results do not depend on the other categories.
    for (code, name), own in zip(enumerate(votes.category.values), rng.spawn(len(votes.category.values)), strict=True):
        chosen = votes.where(votes.category.codes == code)
        try:
            rankings[name] = rank(
                chosen,
                rng=own,
                resamples=resamples,
                level=level,
                method=method,
                cluster=cluster,
                anchor=anchor,
                prior=prior,
            )
        except InvalidInput as error:
            refused[name] = error.message
    return CategoryRankings(rankings, refused)
