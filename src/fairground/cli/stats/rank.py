"""`fairground stats rank`: ratings from votes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from fairground.cli.output import Json, console, print_json
from fairground.cli.stats.options import (
    Level,
    MissingVotes,
    RandomSeed,
    Rename,
    VoteMap,
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
    votes: Annotated[Path, typer.Argument(help="Columns left, right, winner; and weight, voter, task, category.")],
    rename: Rename = None,
    values: VoteMap = None,
    missing: MissingVotes = None,
    method: Annotated[str, typer.Option(help="Of the intervals: auto, percentile, bca or sandwich.")] = "auto",
    cluster: Annotated[
        str,
        typer.Option(help="Votes that depend on each other: of a task, of a voter, of both, none; auto: what repeats."),
    ] = "auto",
    anchor: Annotated[str | None, typer.Option(help="Fixes the scale, such as gpt=1000.")] = None,
    prior: Annotated[float | None, typer.Option(help="Virtual ties per agent; needed where groups never met.")] = None,
    covariate: Annotated[list[str] | None, typer.Option(help="A column to control for; may be repeated.")] = None,
    by_category: Annotated[bool, typer.Option("--by-category", help="Ratings for each category too.")] = False,
    tests: Annotated[bool, typer.Option("--tests", help="Permutation test, every pair, sensitivity to noise.")] = False,
    level: Level = 0.95,
    resamples: Annotated[int, typer.Option(help="Bootstrap replicates.")] = 1000,
    seed: RandomSeed = 0,
    json: Json = False,
) -> None:
    """Bradley-Terry ratings on the Elo scale with intervals, ranked by their lower ends."""
    found = read_ballots(votes, rename, values, missing)
    streams = np.random.default_rng(seed).spawn(4)
    options = {"method": method, "cluster": cluster, "level": level, "resamples": resamples, "prior": prior}
    ranking = rank_votes(
        found,
        rng=streams[0],
        anchor=_anchor(anchor),
        covariates=tuple(covariate or ()),
        **options,  # type: ignore[arg-type]
    )
    categories = rank_by_category(found, rng=streams[1], **options) if by_category else None  # type: ignore[arg-type]
    shuffled = permutation_test(found, rng=streams[2], cluster=cluster) if tests else None
    every_pair = pairwise_tests(found, ranking) if tests else ()
    noise = noise_sensitivity(found, rng=streams[3]) if tests else ()
    if json:
        print_json(
            {
                "ranking": plain(ranking),
                "predicted": plain(predicted_win_rates(ranking)),
                "observed": plain(observed_win_rates(found, cluster=cluster, level=level)),
                "categories": plain(categories),
                "permutation": plain(shuffled),
                "pairs": plain(every_pair),
                "noise": plain(noise),
            }
        )
        return
    _print(ranking)
    for name, one in (categories.rankings if categories else {}).items():
        _print(one, name)
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
    title = f"{ranking.votes:,} votes, {percent(ranking.level, 0)} intervals ({ranking.method}, {ranking.clustered})"
    bad = any(one.both_bad for one in ranking.agents)
    made = grid(
        f"{label(category)}: {title}" if category is not None else title,
        *(">rank", "agent", ">rating", ">ranks", ">best", ">won", ">lost", ">tied"),
        *((">both bad",) if bad else ()),
    )
    for one in ranking.agents:
        made.add_row(
            str(one.rank),
            label(one.agent),
            f"{one.rating.estimate:.0f} \\[{one.rating.low:.0f}, {one.rating.high:.0f}]",
            f"{one.ranks[0]}-{one.ranks[1]}" if one.ranks[0] != one.ranks[1] else str(one.ranks[0]),
            percent(one.best, 0),
            f"{one.wins:,}",
            f"{one.losses:,}",
            f"{one.ties:,}",
            *((f"{one.both_bad:,}",) if bad else ()),
        )
    show(made)
    if category is not None:
        return
    if ranking.clusters:
        worth = ranking.votes / max(ranking.design_effect, 1e-9)
        console.print(
            f"design effect {ranking.design_effect:.1f}: these {ranking.votes:,} votes say as much as {worth:,.0f} "
            "independent ones",
            highlight=False,
        )
    console.print(
        "[dim]rank: by the lower end of the rating. ranks: those that the intervals leave open. best: how often it "
        "came first when votes were drawn again.[/]",
        highlight=False,
    )


def _print_tests(
    shuffled: PermutationTest, every_pair: tuple[PairTest, ...], noise: tuple[NoiseSensitivity, ...]
) -> None:
    console.print(
        f"[bold]all agents alike?[/]  permutation test p {p_shown(shuffled.p_value)} ({shuffled.clustered})",
        highlight=False,
    )
    made = grid("every pair, Holm-corrected", "", "against", ">rating gap", ">p", ">Cohen's d", ">votes")
    for pair in every_pair:
        made.add_row(
            label(pair.better),
            label(pair.worse),
            f"{pair.gap.estimate:+.0f} \\[{pair.gap.low:+.0f}, {pair.gap.high:+.0f}]",
            p_shown(pair.p_holm),
            "-" if pair.d is None else f"{pair.d:+.2f}",
            f"{pair.votes:,}",
        )
    show(made)
    for one in noise:
        console.print(
            f"{percent(one.share, 0)} of the votes turned at random: Kendall's tau {one.tau.estimate:.2f} "
            f"\\[{one.tau.low:.2f}, {one.tau.high:.2f}] with this ranking",
            highlight=False,
        )
