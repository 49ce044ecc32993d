"""What the commands on tables have in common: which rows to read, how to write numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as Grid

from fairground.cli.output import console, errors
from fairground.core import InvalidInput
from fairground.stats import Interval, Table, read_table

Files = Annotated[list[Path], typer.Argument(help="Tables of episodes: .csv, .jsonl, .parquet.", metavar="FILE...")]
File = Annotated[Path, typer.Argument(help="A table of episodes: .csv, .jsonl or .parquet.")]
Rename = Annotated[
    list[str] | None, typer.Option(help="What a column is called here, such as model=agent; may be repeated.")
]
SuccessAt = Annotated[
    float | None, typer.Option(help="The reward from which on an episode is a success, where no column says.")
]
Where = Annotated[list[str] | None, typer.Option(help="Only these rows, such as suite=pocket; may be repeated.")]
Level = Annotated[float, typer.Option(help="Of the intervals.")]
Resamples = Annotated[int, typer.Option(help="Bootstrap replicates.")]
RandomSeed = Annotated[int, typer.Option("--seed", help="The same seed gives the same figures.")]
Statistic = Annotated[str, typer.Option(help="What apps add up to: mean, trimmed-mean, median or iqm.")]
Method = Annotated[str, typer.Option(help="Of the bootstrap's intervals: percentile or bca.")]
Design = Annotated[str, typer.Option(help="How configurations came about: auto, grid or sampled.")]


def read(
    files: Sequence[Path], rename: Sequence[str] | None, success_at: float | None, where: Sequence[str] | None
) -> Table:
    """The table that the options describe."""
    table = read_table(files, rename=pairs("--rename", rename), success_at=success_at)
    wanted = pairs("--where", where)
    return table.where(**wanted) if wanted else table


def pairs(option: str, given: Sequence[str] | None) -> dict[str, str]:
    """`a=b` as names and values."""
    found = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InvalidInput(f"{option}: expected NAME=VALUE, got {text!r}")
        found[name.strip()] = value.strip()
    return found


def percent(value: float, digits: int = 1) -> str:
    """A share as people read it."""
    return f"{100 * value:.{digits}f}%"


def shown(interval: Interval, *, signed: bool = False) -> str:
    """A share with its interval: `61.2% [55.0, 67.1]`."""
    sign = "+" if signed else ""
    return f"{100 * interval.estimate:{sign}.1f}% [{100 * interval.low:{sign}.1f}, {100 * interval.high:{sign}.1f}]"


def p_shown(value: float) -> str:
    """A p-value; never 0."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def compact(interval: Interval) -> str:
    """A share with its interval, in few letters: `61 [55, 67]`."""
    return f"{100 * interval.estimate:.0f} [{100 * interval.low:.0f}, {100 * interval.high:.0f}]"


def grid(title: str, *columns: str) -> Grid:
    """An empty table. A column whose name begins with `>` is for numbers."""
    made = Grid(box=None, title=escape(title), pad_edge=False, padding=(0, 2, 0, 0))
    made.header_style = "dim"
    for column in columns:
        number = column.startswith(">")
        made.add_column(
            column.lstrip(">"), justify="right" if number else "left", no_wrap=number, min_width=0 if number else 9
        )
    return made


def show(made: Grid) -> None:
    """Prints a table below an empty line. Its title may be wider than it."""
    title, made.title = made.title, None
    console.print(f"\n[bold]{title}[/]", highlight=False)
    console.print(made)


def print_notes(notes: Iterable[tuple[str, str]]) -> None:
    """What must be known to read the figures: each once, with whom it is about ("" for everything)."""
    about: dict[str, list[str]] = {}
    everyone = set()
    for who, note in notes:
        everyone.add(who)
        about.setdefault(note, []).append(who)
    for note, named in about.items():
        whom = "" if set(named) == everyone or "" in named else f"{', '.join(dict.fromkeys(named))}: "
        console.print(f"[yellow]note[/]  {escape(whom + note)}", highlight=False)


@contextmanager
def progress(what: str, *, quiet: bool) -> Iterator[Progress]:
    """A bar on standard error, while there is a person to see it."""
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=errors,
        transient=True,
        disable=quiet or not errors.is_terminal,
    )
    with bar:
        bar.add_task(what, total=None)
        yield bar
