"""`fairground stats power`: how many votes show a gap between two agents."""

from __future__ import annotations

from typing import Annotated

import typer

from fairground.cli.output import Json, console, print_json
from fairground.cli.stats.options import percent
from fairground.core import InvalidInput
from fairground.stats import detectable_gap, plain, votes_needed


def power(
    gap: Annotated[float | None, typer.Option(help="Rating points that should be seen.")] = None,
    votes: Annotated[int | None, typer.Option(help="Instead: which gap so many votes show.")] = None,
    chance: Annotated[float, typer.Option("--power", help="With this chance.")] = 0.9,
    alpha: Annotated[float, typer.Option(help="Two-sided error rate.")] = 0.05,
    tie_rate: Annotated[float, typer.Option(help="Share of votes that are ties.")] = 0.0,
    design_effect: Annotated[
        float, typer.Option(help="How many votes are worth one independent vote; `stats rank` measures it.")
    ] = 1.0,
    json: Json = False,
) -> None:
    """How many votes between two agents show a gap in rating, or which gap a number of votes shows."""
    if (gap is None) == (votes is None):
        raise InvalidInput("say one of --gap and --votes")
    if gap is not None:
        found = votes_needed(gap, power=chance, alpha=alpha, tie_rate=tie_rate, design_effect=design_effect)
        if json:
            print_json(plain(found))
            return
        console.print(
            f"[bold]{found.votes:,} votes[/] between the two ({found.decisive:,} independent ones with a winner; "
            f"{found.decisive_exact:,} for the exact test) show a gap of {found.gap:g} points, a win share of "
            f"{percent(found.win_share)}, with power {percent(chance, 0)} at {percent(alpha, 0)}",
            highlight=False,
        )
        return
    assert votes is not None
    smallest = detectable_gap(votes, power=chance, alpha=alpha, tie_rate=tie_rate, design_effect=design_effect)
    if json:
        print_json({"votes": votes, "gap": smallest, "power": chance, "alpha": alpha, "design_effect": design_effect})
        return
    console.print(
        f"{votes:,} votes between two agents show a gap of [bold]{smallest:.0f} points[/] with power "
        f"{percent(chance, 0)}",
        highlight=False,
    )
