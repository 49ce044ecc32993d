"""What the commands on tables have in common: which rows to read, how to write numbers."""

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

from fairground.cli.output import clean, console, errors
from fairground.core import InvalidInput, NeedsOptions
from fairground.stats import Interval, Table, Votes, join_tables, read_table, read_votes

_ROOMY = 100  # columns of a terminal
_NAMED = 4  # of those whom a note is about

Files = Annotated[
    list[Path],
    typer.Argument(help="Tables (.csv, .jsonl, .json, .parquet), or folders of runs or episodes.", metavar="FILE..."),
]
File = Annotated[
    Path, typer.Argument(help="A table of episodes (.csv, .jsonl, .json, .parquet), or the folder of a run.")
]
Rename = Annotated[
    list[str] | None, typer.Option(help="What a column is called here, such as model=agent; may be repeated.")
]
SuccessAt = Annotated[
    float | None, typer.Option(help="The reward from which on an episode is a success, where no column says.")
]
RewardMax = Annotated[float, typer.Option(help="The highest reward in the table, such as 100 for percentages.")]
ValueMap = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        help="What a word in the column of results means, such as timeout=failed: passed, failed, errored, invalid, or "
        "skip to leave its rows out; may be repeated.",
    ),
]
Missing = Annotated[
    str | None,
    typer.Option(
        help="What rows without a result are: errored (not scored), failed (scored as failures) or skip (left out). "
        "Refused unless given."
    ),
]
VoteMap = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        help="What a word in the column of winners means, such as first=left: left, right, tie, both_bad, or skip to "
        "leave those votes out; may be repeated.",
    ),
]
MissingVotes = Annotated[
    str | None,
    typer.Option("--missing", help="skip: leave votes without a winner out. Refused unless given.", metavar="skip"),
]
Wide = Annotated[
    str | None,
    typer.Option(help="For tables with several columns of results: what each column is: agent, rollout or scenario."),
]
Where = Annotated[list[str] | None, typer.Option(help="Only these rows, such as suite=pocket; may be repeated.")]
Level = Annotated[float, typer.Option(help="Of the intervals.")]
Scheme = Annotated[
    str, typer.Option(help="How intervals are made: clusters (scenarios), or prism (the paper's nested bootstrap).")
]
Resamples = Annotated[int, typer.Option(help="Bootstrap replicates.", min=100, max=1_000_000)]
RandomSeed = Annotated[int, typer.Option("--seed", help="The same seed gives the same figures.", min=0)]
Statistic = Annotated[str, typer.Option(help="What apps add up to: mean, trimmed-mean, median or iqm.")]
Method = Annotated[str, typer.Option(help="Of the intervals of --scheme prism: percentile or bca.")]
Design = Annotated[str, typer.Option(help="For --scheme prism: whether configurations are a grid, sampled, or auto.")]


@dataclass(frozen=True)
class TableOptions:
    """What people say about the tables that they give. Each field is an option of every command that reads tables."""

    rename: Rename = None
    values: ValueMap = None
    missing: Missing = None
    success_at: SuccessAt = None
    reward_max: RewardMax = 1.0
    wide: Wide = None
    where: Where = None


AS_IS = TableOptions()
"""Nothing was said."""


def takes_tables(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the options of `TableOptions`, where it has the parameter `tables`."""
    signature = inspect.signature(command, eval_str=True)
    options = inspect.signature(TableOptions, eval_str=True).parameters
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = []
    for name, parameter in signature.parameters.items():
        parameters += list(options.values()) if name == "tables" else [parameter]

    @wraps(command)
    def run(**given: Any) -> None:
        command(tables=TableOptions(**{name: given.pop(name) for name in options}), **given)

    del run.__wrapped__  # Typer would look at what is wrapped
    run.__annotations__ = {}
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [parameter.replace(kind=keyword) for parameter in parameters]
    )
    return run


def read(files: Sequence[Path], options: TableOptions) -> Table:
    """The table that the options describe. What its reader noted is said on standard error, also with --json."""
    runs = [path for path in files if path.is_dir()]
    tables = [path for path in files if not path.is_dir()]
    found = []
    if tables:
        found.append(
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
        from fairground.rollout import run_table  # which needs Linux; tables do not

        found.append(run_table(runs))
    table = join_tables(found)
    print_read_notes(table.notes)
    wanted = pairs("--where", options.where)
    return table.where(**wanted) if wanted else table


def read_ballots(
    path: Path,
    rename: Sequence[str] | None,
    values: Sequence[str] | None = None,
    missing: str | None = None,
    *,
    option: str = "--rename",
) -> Votes:
    """The votes that the options describe; notes as above.

    Args:
        path: The file.
        rename: What its columns are called.
        values: What its winners mean.
        missing: What votes without a winner are.
        option: What the option that renames is called here.
    """
    try:
        votes = read_votes(path, rename=pairs(option, rename), values=pairs("--map", values), missing=missing)
    except NeedsOptions as error:
        said = error.options.replace("--rename ", f"{option} ")
        fix = None if error.fix is None else error.fix.replace("--rename ", f"{option} ")
        raise NeedsOptions(error.message, fix=fix, options=said) from None
    print_read_notes(votes.notes)
    return votes


def print_read_notes(notes: Iterable[str]) -> None:
    """What a reader understood: on standard error, so that --json stays one value."""
    for note in notes:
        errors.print(f"[yellow]note[/]  {escape(clean(note))}", highlight=False, soft_wrap=True)


def pairs(option: str, given: Sequence[str] | None) -> dict[str, str]:
    """`a=b` as names and values."""
    found: dict[str, str] = {}
    examples = {"--rename": "model=agent", "--where": "suite=pocket", "--map": "timeout=failed"}
    for text in given or ():
        name, equals, value = text.partition("=")
        name, value = name.strip(), value.strip()
        if not equals or not name:
            raise InvalidInput(
                f"{option}: expected NAME=VALUE, got {text!r}",
                fix=f"such as {option} {examples.get(option, 'name=value')}",
            )
        if found.get(name, value) != value:
            raise InvalidInput(
                f"{option}: {name} is there twice, with {found[name]!r} and {value!r}", fix="say it once"
            )
        found[name] = value
    return found


def label(name: object, width: int = 48) -> str:
    """A name as it goes into a table: harmless, and not too long."""
    text = clean(str(name))
    return escape(text if len(text) <= width else f"{text[: width - 14]}…{text[-13:]}")


def folded(name: object, width: int = 48) -> str:
    """The same, with a condition on a line of its own where there is little room."""
    return label(name, width).replace(" \\[", "\n\\[") if console.width < _ROOMY else label(name, width)


def counted(number: int, thing: str) -> str:
    """`1 episode`, `4,320 episodes`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def percent(value: float, digits: int = 1) -> str:
    """A share as people read it."""
    return f"{100 * value:.{digits}f}%"


def shown(interval: Interval) -> str:
    """A share with its interval: `61.2% [55.0, 67.1]`."""
    return f"{100 * interval.estimate:.1f}% \\[{100 * interval.low:.1f}, {100 * interval.high:.1f}]"


def number_shown(interval: Interval) -> str:
    """A number with its interval: `0.61 [0.55, 0.67]`."""
    return f"{interval.estimate:.2f} \\[{interval.low:.2f}, {interval.high:.2f}]"


def points(interval: Interval) -> str:
    """A difference of shares, in percentage points: `+5.1 [-1.0, +11.2]`."""
    return f"{100 * interval.estimate:+.1f} \\[{100 * interval.low:+.1f}, {100 * interval.high:+.1f}]"


def p_shown(value: float) -> str:
    """A p-value; never 0."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def compact(interval: Interval) -> str:
    """A share with its interval, in few letters: `61 [55, 67]`."""
    return f"{100 * interval.estimate:.0f} \\[{100 * interval.low:.0f}, {100 * interval.high:.0f}]"


def grid(title: str, *columns: str) -> Grid:
    """An empty table. A column whose name begins with `>` is for numbers. Title and names are markup."""
    made = Grid(box=None, title=title, pad_edge=False, padding=(0, 2, 0, 0))
    made.header_style = "dim"
    for column in columns:
        number = column.startswith(">")
        if number:
            made.add_column(column.lstrip(">"), justify="right", no_wrap=True)
        else:  # a long name goes on in the next line, and is not cut
            made.add_column(column, min_width=9, overflow="fold")
    return made


def show(made: Grid) -> None:
    """Prints a table below an empty line. Its title may be wider than it.

    A table that does not fit is printed wider than the terminal: Rich would leave out numbers without a word.
    """
    title, made.title = made.title, None
    console.print(f"\n[bold]{title}[/]", highlight=False)
    least = sum(map(_least, made.columns))
    roomy = console if least <= console.width else Console(width=least)
    roomy.print(made, highlight=False)


def _least(column: Column) -> int:
    widths = [console.measure(cell).maximum for cell in (column.header, *column.cells)]
    return (max(widths) if column.no_wrap else column.min_width or 0) + 2


def print_notes(notes: Iterable[tuple[str, str]]) -> None:
    """What must be known to read the figures: each once, with whom it is about ("" for everything)."""
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
        made = Grid.grid(padding=(0, 2, 0, 0))  # so that later lines stand below the first
        made.add_row("[yellow]note[/]", text if text.endswith((".", "!", "?")) else f"{text}.")
        console.print(made)


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
