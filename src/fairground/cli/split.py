"""`fairground split`: scenarios for training and for testing, without similar ones on both sides."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from fairground.cli.output import Json, clean, console, errors, listed, print_entry, print_json

if TYPE_CHECKING:
    from fairground.study import Split


class Held(StrEnum):
    """What can be held out as a whole."""

    APP = "app"
    PROFILE = "profile"
    THEME = "theme"
    UI_STATE = "ui_state"


def split(
    worlds: Annotated[
        list[str] | None,
        typer.Argument(metavar="WORLDS", help="Suites, apps or scenarios, such as pocket or desk/calc."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="The split file to write.")
    ] = None,
    test: Annotated[float, typer.Option(help="Share of the test side, between 0 and 1.")] = 0.2,
    seed: Annotated[int, typer.Option(help="Random seed. The same seed gives the same split.", min=0)] = 0,
    edge: Annotated[
        float, typer.Option(help="Scenarios with this similarity (1 to 8) or more stay on one side.", min=1, max=8)
    ] = 4.0,
    hold_out: Annotated[
        Held | None,
        typer.Option("--hold-out", help="Hold out whole apps, or profiles, themes or ui_states of every app."),
    ] = None,
    names: Annotated[
        str, typer.Option(metavar="NAMES", help="What to hold out, separated by commas. [default: chosen by the seed]")
    ] = "",
    override: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="TOML file in which a person declared pairs as same or different, and sides."
        ),
    ] = None,
    similarity: Annotated[
        str,
        typer.Option(metavar="MODULE:FUNCTION", help="Your own similarity from 1 to 8, used within apps."),
    ] = "",
    page: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page to review similar pairs, with reasons.")
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Check an existing split against the installed suites; make none."),
    ] = None,
    json: Json = False,
) -> int:
    """Split scenarios into train and test without similar ones on both sides.

    \b
    Examples:
      fairground split pocket -o split.json --page review.html
      fairground run pocket --split split.json:train --agent oracle
      fairground split desk --hold-out app --names gimp,calc -o split.json
      fairground split --check split.json
    """  # noqa: D301 (\b keeps line breaks)
    from fairground.core import NeedsOptions
    from fairground.study import Overrides, make_split, read_overrides, suite_traits, write_split

    if check is not None:
        return _check(check, json)
    if not worlds:
        raise NeedsOptions("split needs at least one suite, app or scenario", options="pocket")
    similar = hold_out in (None, Held.APP)
    traits = suite_traits(worlds) if similar else []
    made = make_split(
        *worlds,
        test=test,
        seed=seed,
        edge=edge,
        hold_out=None if hold_out is None else hold_out.value,
        names=listed(names),
        overrides=read_overrides(override) if override is not None else Overrides(),
        similarity=similarity,
        traits=traits,
    )
    if output is not None:
        write_split(made, output)
    if page is not None:
        from fairground.report.split_page import write_split_page

        write_split_page(made, traits, page)
    figures = _figures(made, traits)
    if json:
        print_json({**figures, "file": str(output or ""), "page": str(page or ""), "split": made.plain()})
    else:
        _print(made, figures, output, page)
    return 0


def _check(path: Path, json: bool) -> int:
    from fairground.study import check_split, read_split

    faults = check_split(read_split(path))
    if json:
        print_json({"file": str(path), "faults": faults})
    else:
        for fault in faults:
            errors.print(f"[bold red]fault:[/] {escape(clean(fault))}", highlight=False, soft_wrap=True)
        if not faults:
            console.print(f"{path}: nothing similar crosses, and no scenario has changed", highlight=False)
    return 1 if faults else 0


def _figures(made: Split, traits: Any) -> dict[str, Any]:
    from fairground.study import pair_count

    sizes = Counter(row.component for row in made.scenarios)
    suites = [[each for each in traits if each.name.startswith(f"{name}/")] for name in made.suites]
    counts = [pair_count(members) for members in suites if members]
    within, across = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0)
    apart = sum(pair.first.rpartition("/")[0] != pair.second.rpartition("/")[0] for pair in made.pairs)
    return {
        "train": sum(row.side == "train" for row in made.scenarios),
        "test": sum(row.side == "test" for row in made.scenarios),
        "unused": sum(row.side == "unused" for row in made.scenarios),
        "both": sum(row.side is None for row in made.scenarios),
        "pairs_within_apps": within,
        "pairs_across_apps": across,
        "similar_within_apps": len(made.pairs) - apart,
        "similar_across_apps": apart,
        "singletons": sum(size == 1 for size in sizes.values()),
        "largest_component": max(sizes.values()),
    }


def _print(made: Split, figures: dict[str, Any], output: Path | None, page: Path | None) -> None:
    from fairground.cli.stats.options import counted

    if figures["both"]:
        assert made.hold_out is not None
        held = made.hold_out
        for app, values in held.values.items():
            print_entry("[bold]test[/]", f"{escape(app)}: {held.axis} {escape(', '.join(values))}")
    else:
        unused = f", {figures['unused']:,} unused (similar to held-out ones)" if figures["unused"] else ""
        share = figures["test"] / max(1, figures["train"] + figures["test"])
        console.print(
            f"[bold]{figures['train']:,}[/] train, [bold]{figures['test']:,}[/] test ({share:.1%}){unused}",
            highlight=False,
        )
        console.print(
            f"{counted(figures['similar_within_apps'], 'similar pair')} of {figures['pairs_within_apps']:,} "
            f"within apps, {figures['similar_across_apps']:,} of {figures['pairs_across_apps']:,} across apps; "
            "none crosses",
            highlight=False,
            soft_wrap=True,
        )
        if made.hold_out is None:
            largest = figures["largest_component"]
            console.print(
                f"{counted(figures['singletons'], 'scenario')} similar to no other; the largest group has {largest}",
                highlight=False,
            )
        else:
            apps = sorted({row.name.rpartition("/")[0] for row in made.scenarios if row.side == "test"})
            print_entry("[bold]test[/]", escape(", ".join(apps)))
    for label, path in (("file", output), ("page", page)):
        if path is not None:
            console.print(f"[bold]{label}[/]   {path}", highlight=False, soft_wrap=True)
