"""`fairground report`: a table of episodes as a page."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from fairground.cli.output import Json, console, print_json
from fairground.cli.stats.options import (
    Design,
    Files,
    Level,
    Method,
    RandomSeed,
    Rename,
    Resamples,
    Statistic,
    SuccessAt,
    Where,
    label,
    pairs,
    progress,
    read,
)
from fairground.core import InvalidInput
from fairground.report import figures as draw
from fairground.report import write_report
from fairground.stats import observed_win_rates, rank, read_votes, summarise


def report(
    files: Files,
    output: Annotated[Path, typer.Option("-o", "--output", help="The page to write.")] = Path("report.html"),
    votes: Annotated[Path | None, typer.Option(help="Votes on the same agents: left, right, winner.")] = None,
    figures: Annotated[Path | None, typer.Option(help="Also each figure as an .svg file, in this folder.")] = None,
    rename_votes: Annotated[
        list[str] | None, typer.Option(help="What a column of the votes is called here, such as model_a=left.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Of the page.")] = None,
    rename: Rename = None,
    success_at: SuccessAt = None,
    where: Where = None,
    statistic: Statistic = "mean",
    level: Level = 0.95,
    resamples: Resamples = 2000,
    method: Method = "percentile",
    design: Design = "auto",
    seed: RandomSeed = 0,
    browser: Annotated[bool, typer.Option("--browser", help="Open the page in a browser.")] = False,
    json: Json = False,
) -> None:
    """Writes one self-contained page: leaderboard, forest plots, reliability, sensitivity, cost, errors, methods."""
    _check(output, [*files, *([] if votes is None else [votes])])
    table = read(files, rename, success_at, where)
    ballots = None if votes is None else read_votes(votes, rename=pairs("--rename-votes", rename_votes))
    with progress("working out", quiet=json) as bar:
        summary = summarise(
            table,
            seed=seed,
            statistic=statistic,
            level=level,
            resamples=resamples,
            method=method,  # type: ignore[arg-type]  # checked there
            design=design,  # type: ignore[arg-type]
            progress=lambda _, done, all_: bar.update(bar.task_ids[0], completed=done, total=all_),
        )
    ranking = None if ballots is None else rank(ballots, rng=np.random.default_rng(seed), level=level)
    observed = None if ballots is None else observed_win_rates(ballots)
    page = write_report(summary, output, ranking=ranking, observed=observed, title=title)
    drawn = [] if figures is None else _write(figures, draw(summary, ranking=ranking, observed=observed))
    if json:
        print_json({"page": str(page), "figures": [str(path) for path in drawn], "agents": len(summary.standings)})
    else:
        console.print(f"[bold]page[/]     {label(page, 1000)}", highlight=False, soft_wrap=True)
        if drawn:
            console.print(f"[bold]figures[/]  {len(drawn)} in {label(figures, 1000)}", highlight=False, soft_wrap=True)
    if browser:
        webbrowser.open(page.resolve().as_uri())


def _check(output: Path, inputs: list[Path]) -> None:
    """Refuses before the work what could not be written after it, and above all to write over somebody's results."""
    if output.resolve() in [path.resolve() for path in inputs]:
        raise InvalidInput(f"--output: {output} is what is to be read", fix="name another file, such as report.html")
    if output.is_dir():
        raise InvalidInput(
            f"--output: {output} is a folder", fix=f"name a file in it, such as {output / 'report.html'}"
        )
    if output.suffix.lower() not in (".html", ".htm"):
        raise InvalidInput(f"--output: expected a name that ends in .html, got {output.name!r}", fix="report.html")
    if not output.parent.is_dir():
        raise InvalidInput(f"--output: there is no folder {output.parent}", fix="make it, or write elsewhere")


def _write(folder: Path, drawings: dict[str, str]) -> list[Path]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        paths = []
        for name, svg in drawings.items():
            paths.append(folder / f"{name}.svg")
            paths[-1].write_text(svg, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(
            f"--figures: cannot write into {folder}: {error.strerror}", fix="name another folder"
        ) from None
    return paths
