"""`fairground report`: an HTML report of runs or result tables."""

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
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="The HTML page to write.")] = Path(
        "report.html"
    ),
    votes: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Votes on the same agents, with columns left, right, winner.")
    ] = None,
    figures: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Also write each figure as an .svg file into this folder.")
    ] = None,
    rename_votes: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=NAME", help="Rename a column of the votes, such as model_a=left; may be repeated."
        ),
    ] = None,
    title: Annotated[str | None, typer.Option(metavar="TITLE", help="Title of the page.")] = None,
    tables: TableOptions = AS_IS,
    statistic: Statistic = "mean",
    level: Level = 0.95,
    scheme: Scheme = "clusters",
    resamples: Resamples = 2000,
    method: Method = "percentile",
    design: Design = "auto",
    seed: RandomSeed = 0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that Fairground did not write.")] = False,
    browser: Annotated[bool, typer.Option("--browser", help="Open the page in your browser.")] = False,
    json: Json = False,
) -> None:
    """Write an HTML report of runs or of any results.

    \b
    Examples:
      fairground report runs/first
      fairground report results.csv -o page.html

    The report is one self-contained page: leaderboard, failures, reliability, sensitivity, cost, errors and methods.
    An existing report is replaced. Other files are not, except with --force.
    """  # noqa: D301 (\b keeps line breaks)
    _check(output, [*files, *([] if votes is None else [votes])], force=force)
    table = read(files, tables)
    ballots = None if votes is None else read_ballots(votes, rename_votes, option="--rename-votes")
    with progress("statistics", quiet=json) as bar:
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
    """Returns pictures of failed episodes; None where no run is among the files, since tables have no recordings."""
    folders = [path for path in files if path.is_dir()]
    if not folders:
        return None
    from fairground.report import run_gallery  # late: needs Linux, which tables do not
    from fairground.rollout import runs_in

    return run_gallery([run for folder in folders for run in runs_in(folder)], output)


def _check(output: Path, inputs: list[Path], *, force: bool) -> None:
    """Raises `InvalidInput` before the work where the page could not be written, or would replace an input."""
    if output.resolve() in [path.resolve() for path in inputs]:
        raise InvalidInput(f"--output: {output} is one of the inputs", fix="name another file, such as report.html")
    if output.is_dir():
        raise InvalidInput(
            f"--output: {output} is a folder", fix=f"name a file in it, such as {output / 'report.html'}"
        )
    if output.suffix.lower() not in (".html", ".htm"):
        raise InvalidInput(f"--output: expected a name that ends in .html, got {output.name!r}", fix="report.html")
    if not output.parent.is_dir():
        raise InvalidInput(f"--output: there is no folder {output.parent}", fix="create it, or choose another folder")
    if not force:
        _spare("--output", output)


def _spare(option: str, path: Path) -> None:
    """Raises `InvalidInput` for an existing file that Fairground did not write."""
    if path.exists() and not is_ours(path):
        raise InvalidInput(
            f"{option}: {path} already exists, and Fairground did not write it",
            fix=f"choose another name with {option}, or overwrite it with --force",
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
