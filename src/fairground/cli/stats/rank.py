"""`fairground stats rank`: ratings from votes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from fairground.cli.output import Json, print_entry, print_json
from fairground.cli.stats.options import (
    Level,
    MissingVotes,
    RandomSeed,
    Rename,
    VoteMap,
    counted,
    grid,
    label,
    p_shown,
    percent,
    print_notes,
    read_ballots,
    show,
)
from fairground.core import InvalidInput
from fairground.stats import (
    NoiseSensitivity,
    PairTest,
    PermutationTest,
    Ranking,
    noise_sensitivity,
    observed_win_rates,
    pairwise_tests,
    permutation_test,
    plain,
    predicted_win_rates,
    rank_by_category,
)
from fairground.stats import rank as rank_votes


def rank(
    votes: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Table of votes: columns left, right, winner; optionally weight, voter, task, category.",
        ),
    ],
    rename: Rename = None,
    values: VoteMap = None,
    missing: MissingVotes = None,
    method: Annotated[
        str,
        typer.Option(metavar="METHOD", help="Interval method: percentile, bca, sandwich, or auto."),
    ] = "auto",
    cluster: Annotated[
        str,
        typer.Option(
            metavar="UNIT", help="Votes that depend on each other: task, voter, both, none, or auto (what repeats)."
        ),
    ] = "auto",
    anchor: Annotated[
        str | None, typer.Option(metavar="AGENT=RATING", help="Fix the rating of one agent, such as gpt=1000.")
    ] = None,
    prior: Annotated[
        float | None,
        typer.Option(help="Virtual ties per agent. Needed where groups of agents never met."),
    ] = None,
    covariate: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Column to control for; may be repeated."),
    ] = None,
    by_category: Annotated[bool, typer.Option("--by-category", help="Also rank each category.")] = False,
    tests: Annotated[
        bool,
        typer.Option("--tests", help="Also run a permutation test, test every pair, and measure sensitivity to noise."),
    ] = False,
    level: Level = 0.95,
    resamples: Annotated[int, typer.Option(help="Number of bootstrap resamples.")] = 1000,
    seed: RandomSeed = 0,
    json: Json = False,
) -> None:
    """Rank agents by votes, with Bradley-Terry ratings.

    \b
    Examples:
      fairground stats rank votes.csv
      fairground stats rank votes.csv --anchor gpt=1000 --tests

    Ratings are on the Elo scale. Agents are ranked by the lower ends of their intervals.
    """  # noqa: D301 (\b keeps line breaks)
    ballots = read_ballots(votes, rename, values, missing)
    streams = np.random.default_rng(seed).spawn(4)
    options = {"method": method, "cluster": cluster, "level": level, "resamples": resamples, "prior": prior}
    ranking = rank_votes(
        ballots,
        rng=streams[0],
        anchor=_anchor(anchor),
        covariates=tuple(covariate or ()),
        **options,  # type: ignore[arg-type]
    )
    categories = rank_by_category(ballots, rng=streams[1], **options) if by_category else None  # type: ignore[arg-type]
    shuffled = permutation_test(ballots, rng=streams[2], cluster=cluster) if tests else None
    every_pair = pairwise_tests(ballots, ranking) if tests else ()
    noise = noise_sensitivity(ballots, rng=streams[3]) if tests else ()
    if json:
        print_json(
            {
                "ranking": plain(ranking),
                "predicted": plain(predicted_win_rates(ranking)),
                "observed": plain(observed_win_rates(ballots, cluster=cluster, level=level)),
                "categories": plain(categories),
                "permutation": plain(shuffled),
                "pairs": plain(every_pair),
                "noise": plain(noise),
            }
        )
        return
    _print(ranking)
    for name, of_category in (categories.rankings if categories else {}).items():
        _print(of_category, name)
    if shuffled is not None:
        _print_tests(shuffled, every_pair, noise)
    refused = categories.refused if categories else {}
    print_notes([*(("", note) for note in ranking.notes), *refused.items()])


def _anchor(text: str | None) -> tuple[str, float] | None:
    if text is None:
        return None
    agent, _, rating = text.rpartition("=")
    try:
        number = float(rating)
    except ValueError:
        number = math.nan
    if not agent or not math.isfinite(number):
        raise InvalidInput(f"--anchor: expected AGENT=RATING, got {text!r}", fix="such as --anchor gpt=1000")
    return agent, number


def _print(ranking: Ranking, category: str | None = None) -> None:
    votes = counted(ranking.votes, "vote")
    title = f"{votes}, {percent(ranking.level, 0)} intervals ({ranking.method}, {ranking.clustered})"
    bad = any(agent.both_bad for agent in ranking.agents)
    table = grid(
        f"{label(category)}: {title}" if category is not None else title,
        *(">rank", "agent", ">rating", ">ranks", ">best", ">won", ">lost", ">tied"),
        *((">both bad",) if bad else ()),
    )
    for agent in ranking.agents:
        table.add_row(
            str(agent.rank),
            label(agent.agent),
            f"{agent.rating.estimate:.0f} \\[{agent.rating.low:.0f}, {agent.rating.high:.0f}]",
            f"{agent.ranks[0]}-{agent.ranks[1]}" if agent.ranks[0] != agent.ranks[1] else str(agent.ranks[0]),
            percent(agent.best, 0),
            f"{agent.wins:,}",
            f"{agent.losses:,}",
            f"{agent.ties:,}",
            *((f"{agent.both_bad:,}",) if bad else ()),
        )
    show(table)
    if category is not None:
        return
    if ranking.clusters:
        worth = ranking.votes / max(ranking.design_effect, 1e-9)
        print_entry(
            "",
            f"design effect {ranking.design_effect:.1f}: {counted(ranking.votes, 'vote')} with as much information as "
            f"{worth:,.0f} independent ones",
            indent=2,
        )
    print_entry(
        "",
        "[dim]rank: by the lower end of the rating. ranks: all that the intervals allow. best: how often the agent "
        "came first in the bootstrap.[/]",
        indent=2,
    )


def _print_tests(
    shuffled: PermutationTest, every_pair: tuple[PairTest, ...], noise: tuple[NoiseSensitivity, ...]
) -> None:
    print_entry(
        "",
        f"[bold]all agents equal?[/]  permutation test p {p_shown(shuffled.p_value)} ({shuffled.clustered})",
        indent=2,
    )
    table = grid("every pair, Holm-corrected", "", "against", ">rating gap", ">p", ">Cohen's d", ">votes")
    for pair in every_pair:
        table.add_row(
            label(pair.better),
            label(pair.worse),
            f"{pair.gap.estimate:+.0f} \\[{pair.gap.low:+.0f}, {pair.gap.high:+.0f}]",
            p_shown(pair.p_holm),
            "-" if pair.d is None else f"{pair.d:+.2f}",
            f"{pair.votes:,}",
        )
    show(table)
    for noisy in noise:
        print_entry(
            "",
            f"{percent(noisy.share, 0)} of the votes flipped at random: Kendall's tau {noisy.tau.estimate:.2f} "
            f"\\[{noisy.tau.low:.2f}, {noisy.tau.high:.2f}] with this ranking",
            indent=2,
        )
