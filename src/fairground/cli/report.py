"""`fairground report`: a table of episodes as a page."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from fairground.cli.output import Json, console, print_json
from fairground.cli.stats.options import (
    AS_IS,
    Design,
    Files,
    Level,
    Method,
    RandomSeed,
    Resamples,
    Scheme,
    Statistic,
    TableOptions,
    label,
    progress,
    read,
    read_ballots,
    takes_tables,
)
from fairground.core import InvalidInput
from fairground.core.writing import replace_with, writing
from fairground.report import figures as draw
from fairground.report import write_report
from fairground.report.html import Html
from fairground.report.page_frame import is_ours
from fairground.stats import observed_win_rates, rank, summarise


@takes_tables
def report(
    files: Files,
    output: Annotated[Path, typer.Option("-o", "--output", help="The page to write.")] = Path("report.html"),
    votes: Annotated[Path | None, typer.Option(help="Votes on the same agents: left, right, winner.")] = None,
    figures: Annotated[Path | None, typer.Option(help="Also each figure as an .svg file, in this folder.")] = None,
    rename_votes: Annotated[
        list[str] | None, typer.Option(help="What a column of the votes is called here, such as model_a=left.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Of the page.")] = None,
    tables: TableOptions = AS_IS,
    statistic: Statistic = "mean",
    level: Level = 0.95,
    scheme: Scheme = "clusters",
    resamples: Resamples = 2000,
    method: Method = "percentile",
    design: Design = "auto",
    seed: RandomSeed = 0,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files of these names also where Fairground did not write them.")
    ] = False,
    browser: Annotated[bool, typer.Option("--browser", help="Open the page in a browser.")] = False,
    json: Json = False,
) -> None:
    """Writes one self-contained page: leaderboard, what failed, reliability, sensitivity, cost, errors, methods.

    \b
      fairground report runs/first                     report.html, of a run
      fairground report results.csv -o page.html       of any table of episodes

    A report that is there already is written again; any other file is left alone.
    """  # noqa: D301 (click reads \b as: keep these lines)
    _check(output, [*files, *([] if votes is None else [votes])], force=force)
    table = read(files, tables)
    ballots = None if votes is None else read_ballots(votes, rename_votes, option="--rename-votes")
    with progress("working out", quiet=json) as bar:
        summary = summarise(
            table,
            seed=seed,
            statistic=statistic,
            level=level,
            resamples=resamples,
            scheme=scheme,  # type: ignore[arg-type]  # checked there
            method=method,  # type: ignore[arg-type]
            design=design,  # type: ignore[arg-type]
            progress=lambda _, done, all_: bar.update(bar.task_ids[0], completed=done, total=all_),
        )
    ranking = None if ballots is None else rank(ballots, rng=np.random.default_rng(seed), level=level)
    observed = None if ballots is None else observed_win_rates(ballots)
    pictures = None if tables.where else _pictures(files, output)
    page = write_report(
        summary, output, ranking=ranking, observed=observed, title=title, pictures=pictures, force=force
    )
    drawings = {} if figures is None else draw(summary, ranking=ranking, observed=observed)
    drawn = [] if figures is None else _write(figures, drawings, force=force)
    if json:
        print_json({"page": str(page), "figures": [str(path) for path in drawn], "agents": len(summary.standings)})
    else:
        console.print(f"[bold]page[/]     {label(page, 1000)}", highlight=False, soft_wrap=True)
        if drawn:
            console.print(f"[bold]figures[/]  {len(drawn)} in {label(figures, 1000)}", highlight=False, soft_wrap=True)
    if browser:
        webbrowser.open(page.resolve().as_uri())


def _pictures(files: list[Path], output: Path) -> Html | None:
    """What failed and how it looked, where runs are among what is read; tables have no recordings."""
    folders = [path for path in files if path.is_dir()]
    if not folders:
        return None
    from fairground.report import run_gallery  # which needs Linux; tables do not
    from fairground.rollout import runs_in

    return run_gallery([run for folder in folders for run in runs_in(folder)], output)


def _check(output: Path, inputs: list[Path], *, force: bool) -> None:
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
    if not force:
        _spare("--output", output)


def _spare(option: str, path: Path) -> None:
    """Refuses to write over what somebody else wrote."""
    if path.exists() and not is_ours(path):
        raise InvalidInput(
            f"{option}: {path} is there already, and Fairground did not write it",
            fix=f"name another one with {option}, or replace it with --force",
        )


def _write(folder: Path, drawings: dict[str, str], *, force: bool) -> list[Path]:
    paths = [folder / f"{name}.svg" for name in drawings]
    for path in paths if not force else ():
        _spare("--figures", path)
    if any(place.exists() and not place.is_dir() for place in (folder, *folder.parents)):
        raise InvalidInput(f"--figures: cannot write into {folder}: a file is in the way", fix="name another folder")
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for path, svg in zip(paths, drawings.values(), strict=True):
        with writing(path):
            replace_with(path, svg.encode(), durable=False)
    return paths
