"""`fairground stats power`: how many votes detect a rating gap between two agents."""

from __future__ import annotations

from typing import Annotated

import typer

from fairground.cli.output import Json, print_entry, print_json
from fairground.cli.stats.options import counted, percent
from fairground.core import InvalidInput
from fairground.stats import detectable_gap, plain, votes_needed


def power(
    gap: Annotated[float | None, typer.Option(metavar="POINTS", help="Rating gap to detect.")] = None,
    votes: Annotated[int | None, typer.Option(help="Instead of --gap: show the gap that N votes detect.")] = None,
    chance: Annotated[
        float, typer.Option("--power", metavar="P", help="Power: probability of detecting the gap.")
    ] = 0.9,
    alpha: Annotated[float, typer.Option(metavar="P", help="Two-sided error rate.")] = 0.05,
    tie_rate: Annotated[float, typer.Option(metavar="SHARE", help="Share of ties.")] = 0.0,
    design_effect: Annotated[
        float, typer.Option(help="Votes per independent vote; `fairground stats rank` measures it.")
    ] = 1.0,
    json: Json = False,
) -> None:
    """Compute how many votes detect a rating gap between two agents.

    \b
    Examples:
      fairground stats power --gap 50
      fairground stats power --votes 400
    """  # noqa: D301 (\b keeps line breaks)
    if (gap is None) == (votes is None):
        raise InvalidInput("expected either --gap or --votes", fix="fairground stats power --gap 50")
    if gap is not None:
        needed = votes_needed(gap, power=chance, alpha=alpha, tie_rate=tie_rate, design_effect=design_effect)
        if json:
            print_json(plain(needed))
            return
        print_entry(
            "",
            f"[bold]{counted(needed.votes, 'vote')}[/] between the two ({needed.decisive:,} independent with a winner; "
            f"{needed.decisive_exact:,} for the exact test) can detect a gap of {needed.gap:g} points, a win share of "
            f"{percent(needed.win_share)}, with power {percent(chance, 0)} at {percent(alpha, 0)}",
            indent=2,
        )
        return
    assert votes is not None
    smallest = detectable_gap(votes, power=chance, alpha=alpha, tie_rate=tie_rate, design_effect=design_effect)
    if json:
        print_json({"votes": votes, "gap": smallest, "power": chance, "alpha": alpha, "design_effect": design_effect})
        return
    print_entry(
        "",
        f"{counted(votes, 'vote')} between two agents can detect a gap of [bold]{smallest:.0f} points[/] with power "
        f"{percent(chance, 0)}",
        indent=2,
    )
