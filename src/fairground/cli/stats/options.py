"""Shared by the commands on tables: options, reading, and formatting of numbers and tables."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column
from rich.table import Table as Grid

from fairground.cli.output import clean, console, errors, print_entry
from fairground.core import InvalidInput, NeedsOptions, Outcome
from fairground.report.plural import counted as counted
from fairground.stats import Interval, Table, Votes, join_tables, read_table, read_votes

_ROOMY = 100  # width of a terminal from which names stay on one line
_NAMED = 4  # contenders that a note names

Files = Annotated[
    list[Path],
    typer.Argument(help="Tables (.csv, .jsonl, .json, .parquet), or folders of runs or episodes.", metavar="FILE..."),
]
File = Annotated[
    Path, typer.Argument(metavar="FILE", help="Table of episodes (.csv, .jsonl, .json, .parquet), or folder of a run.")
]
Rename = Annotated[
    list[str] | None, typer.Option(metavar="COLUMN=NAME", help="Rename a column, such as model=agent; may be repeated.")
]
SuccessAt = Annotated[
    float | None,
    typer.Option(metavar="REWARD", help="Smallest reward of a success, for tables without a success column."),
]
RewardMax = Annotated[
    float, typer.Option(metavar="REWARD", help="Highest possible reward, such as 100 for percentages.")
]
ValueMap = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="VALUE=OUTCOME",
        help="Map a value of the result column to passed, failed, errored, invalid or skip (ignore the row), such as "
        "timeout=failed; may be repeated.",
    ),
]
Missing = Annotated[
    str | None,
    typer.Option(
        metavar="OUTCOME",
        help="How to count rows without a result: errored (not scored), failed or skip (ignore the row). "
        "[default: stop with an error]",
    ),
]
VoteMap = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="VALUE=WINNER",
        help="Map a value of the winner column to left, right, tie, both_bad or skip (ignore the vote), such as "
        "first=left; may be repeated.",
    ),
]
MissingVotes = Annotated[
    str | None,
    typer.Option(
        "--missing", help="Set to skip to ignore votes without a winner. [default: stop with an error]", metavar="skip"
    ),
]
Wide = Annotated[
    str | None,
    typer.Option(
        metavar="KIND", help="For tables with one column of results per agent, rollout or scenario: which of these."
    ),
]
Where = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN=VALUE", help="Use only rows with this value, such as suite=pocket; may be repeated."),
]
Level = Annotated[float, typer.Option(metavar="LEVEL", help="Confidence level of the intervals.")]
Scheme = Annotated[
    str,
    typer.Option(
        metavar="SCHEME", help="Interval method: clusters (of scenarios), or prism (the paper's nested bootstrap)."
    ),
]
Resamples = Annotated[int, typer.Option(help="Number of bootstrap resamples.", min=100, max=1_000_000)]
RandomSeed = Annotated[int, typer.Option("--seed", help="Random seed. The same seed gives the same numbers.", min=0)]
Statistic = Annotated[
    str,
    typer.Option(metavar="NAME", help="How to aggregate over apps: mean, trimmed-mean, median or iqm."),
]
Method = Annotated[str, typer.Option(metavar="METHOD", help="Bootstrap interval of --scheme prism: percentile or bca.")]
Design = Annotated[
    str,
    typer.Option(metavar="DESIGN", help="For --scheme prism: configurations are a grid, sampled, or auto (detect)."),
]
Pairing = Annotated[
    str, typer.Option(metavar="UNIT", help="What to match: configurations, scenarios, apart (nothing), or auto.")
]


@dataclass(frozen=True)
class TableOptions:
    """How to read tables. Each field is an option of every command that reads tables."""

    rename: Rename = None
    values: ValueMap = None
    missing: Missing = None
    success_at: SuccessAt = None
    reward_max: RewardMax = 1.0
    wide: Wide = None
    where: Where = None


AS_IS = TableOptions()
"""The defaults: tables with standard columns."""


def takes_tables(command: Callable[..., None]) -> Callable[..., None]:
    """Replaces the parameter `tables` of a command by the options of `TableOptions`."""
    signature = inspect.signature(command, eval_str=True)
    options = inspect.signature(TableOptions, eval_str=True).parameters
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = []
    for name, parameter in signature.parameters.items():
        parameters += list(options.values()) if name == "tables" else [parameter]

    @wraps(command)
    def run(**given: Any) -> None:
        command(tables=TableOptions(**{name: given.pop(name) for name in options}), **given)

    del run.__wrapped__  # else Typer reads the signature of the wrapped function
    run.__annotations__ = {}
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [parameter.replace(kind=keyword) for parameter in parameters]
    )
    return run


def read(files: Sequence[Path], options: TableOptions) -> Table:
    """Reads files and runs as one table. Prints notes of the reader to standard error, also with --json."""
    runs = [path for path in files if path.is_dir()]
    tables = [path for path in files if not path.is_dir()]
    read_tables = []
    if tables:
        read_tables.append(
            read_table(
                tables,
                rename=pairs("--rename", options.rename),
                success_at=options.success_at,
                reward_max=options.reward_max,
                values=pairs("--map", options.values),
                missing=options.missing,
                wide=options.wide,
            )
        )
    if runs:
        read_tables.append(_read_runs(runs))
    table = join_tables(read_tables)
    print_read_notes(table.notes)
    wanted = pairs("--where", options.where)
    return table.where(**wanted) if wanted else table


def _read_runs(folders: Sequence[Path]) -> Table:
    from fairground.rollout import run_table  # late: needs Linux, which tables do not

    try:
        return run_table(folders)
    except InvalidInput:
        from fairground.cli.several_runs import refuse_repeats
        from fairground.rollout.ended import ended_episodes, result_folders

        refuse_repeats(folders, {home: ended_episodes(home)[0] for home in result_folders(folders)})
        raise


def read_ballots(
    path: Path,
    rename: Sequence[str] | None,
    values: Sequence[str] | None = None,
    missing: str | None = None,
    *,
    option: str = "--rename",
) -> Votes:
    """Reads votes. Prints notes of the reader to standard error.

    Args:
        path: The file.
        rename: Values of the option that renames columns.
        values: Values of `--map`.
        missing: How to count votes without a winner.
        option: Name of the option that renames columns, for error messages.
    """
    try:
        votes = read_votes(path, rename=pairs(option, rename), values=pairs("--map", values), missing=missing)
    except NeedsOptions as error:
        options = error.options.replace("--rename ", f"{option} ")
        fix = None if error.fix is None else error.fix.replace("--rename ", f"{option} ")
        raise NeedsOptions(error.message, fix=fix, options=options) from None
    print_read_notes(votes.notes)
    return votes


def print_read_notes(notes: Iterable[str]) -> None:
    """Prints notes of a reader to standard error, so that --json stays one value."""
    for note in notes:
        errors.print(f"[yellow]note[/]  {escape(clean(note))}", highlight=False, soft_wrap=True)


def pairs(option: str, given: Sequence[str] | None) -> dict[str, str]:
    """Parses values of the form `NAME=VALUE`; raises `InvalidInput` for others."""
    result: dict[str, str] = {}
    examples = {"--rename": "model=agent", "--where": "suite=pocket", "--map": "timeout=failed"}
    for text in given or ():
        name, equals, value = text.partition("=")
        name, value = name.strip(), value.strip()
        if not equals or not name:
            raise InvalidInput(
                f"{option}: expected NAME=VALUE, got {text!r}",
                fix=f"such as {option} {examples.get(option, 'name=value')}",
            )
        if result.get(name, value) != value:
            raise InvalidInput(
                f"{option}: {name} is given twice, with {result[name]!r} and {value!r}", fix="give it once"
            )
        result[name] = value
    return result


def label(name: object, width: int = 48) -> str:
    """Escapes and shortens a name for a table."""
    text = clean(str(name))
    return escape(text if len(text) <= width else f"{text[: width - 14]}…{text[-13:]}")


def folded(name: object, width: int = 48) -> str:
    """Like `label`, with the condition on a second line in a narrow terminal."""
    return label(name, width).replace(" \\[", "\n\\[") if console.width < _ROOMY else label(name, width)


def percent(value: float, digits: int = 1) -> str:
    """Formats a share as a percentage."""
    return f"{100 * value:.{digits}f}%"


def shown(interval: Interval) -> str:
    """Formats a share with its interval: `61.2% [55.0, 67.1]`."""
    return f"{100 * interval.estimate:.1f}% \\[{100 * interval.low:.1f}, {100 * interval.high:.1f}]"


def number_shown(interval: Interval) -> str:
    """Formats a number with its interval: `0.61 [0.55, 0.67]`."""
    return f"{interval.estimate:.2f} \\[{interval.low:.2f}, {interval.high:.2f}]"


def points(interval: Interval) -> str:
    """Formats a difference of shares in percentage points: `+5.1 [-1.0, +11.2]`."""
    return f"{100 * interval.estimate:+.1f} \\[{100 * interval.low:+.1f}, {100 * interval.high:+.1f}]"


def p_shown(value: float) -> str:
    """Formats a p-value; small ones as an inequality."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def compact(interval: Interval) -> str:
    """Formats a share with its interval in short: `61 [55, 67]`."""
    return f"{100 * interval.estimate:.0f} \\[{100 * interval.low:.0f}, {100 * interval.high:.0f}]"


def grid(title: str, *columns: str) -> Grid:
    """Makes an empty table. Columns whose name begins with `>` hold numbers. Title and names are Rich markup."""
    table = Grid(box=None, title=title, pad_edge=False, padding=(0, 2, 0, 0))
    table.header_style = "dim"
    for column in columns:
        number = column.startswith(">")
        if number:
            table.add_column(column.lstrip(">"), justify="right", no_wrap=True)
        else:  # long names wrap and are not cut off
            table.add_column(column, min_width=9, overflow="fold")
    return table


def show(table: Grid) -> None:
    """Prints a table with its title, after an empty line.

    A table that does not fit is printed wider than the terminal, because Rich would silently cut off numbers.
    """
    title, table.title = table.title, None
    console.print(f"\n[bold]{title}[/]", highlight=False)
    least = sum(map(_least, table.columns))
    roomy = console if least <= console.width else Console(width=least)
    roomy.print(table, highlight=False)


def _least(column: Column) -> int:
    widths = [console.measure(cell).maximum for cell in (column.header, *column.cells)]
    return (max(widths) if column.no_wrap else column.min_width or 0) + 2


def errored_notes(table: Table) -> list[str]:
    """Return a note for each contender with errored episodes, which are not in its figures."""
    counts = {contender: table.outcomes(contender) for contender in table.contenders}
    return [
        f"{contender}: {outcomes[Outcome.ERRORED]:,} of {counted(sum(outcomes.values()), 'episode')} errored and are "
        "not in these figures; `fairground stats` shows the score with errors as failures."
        for contender, outcomes in counts.items()
        if outcomes[Outcome.ERRORED]
    ]


def print_notes(notes: Iterable[tuple[str, str]]) -> None:
    """Prints each note once, with the contenders that it concerns ("" for all)."""
    about: dict[str, list[str]] = {}
    everyone = set()
    for who, note in notes:
        everyone.add(who)
        about.setdefault(note, []).append(who)
    for note, named in about.items():
        names = list(dict.fromkeys(named))
        listed = ", ".join(label(name) for name in names[:_NAMED])
        if len(names) > _NAMED:
            listed += f" and {len(names) - _NAMED} more"
        whom = "" if set(named) == everyone or "" in named else f"{listed}: "
        text = f"{whom}{escape(clean(note))}"
        print_entry("[yellow]note[/]", text if text.endswith((".", "!", "?")) else f"{text}.", indent=6)


@contextmanager
def progress(what: str, *, quiet: bool) -> Iterator[Progress]:
    """Shows a progress bar on standard error, in a terminal."""
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
