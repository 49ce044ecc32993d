"""`fairground arena`: invitations, standings, filters and data of an arena, from the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairground.cli.output import Json, console, print_json
from fairground.cli.stats.options import (
    MissingVotes,
    VoteMap,
    counted,
    grid,
    label,
    p_shown,
    pairs,
    percent,
    print_notes,
    print_read_notes,
    show,
    shown,
)
from fairground.core import InvalidInput, unknown
from fairground.stats import Agreement, plain

if TYPE_CHECKING:
    from fairground.arena import Store

HOME = Path("arena") / "arena.sqlite"

_HELP = """Manage an arena: invitations, standings, filters, data.

\b
Examples:
  fairground arena invite --role judge --uses 20
  fairground arena standings
  fairground arena agreement
  fairground arena export votes.parquet
  fairground arena import battles.csv

All commands use the database of `fairground serve`, arena/arena.sqlite, except with --database. They work while the
server runs.
"""

Database = Annotated[
    str, typer.Option(metavar="DATABASE", help="The arena's database: a path, or postgresql://USER@HOST/NAME.")
]

arena = typer.Typer(help=_HELP, rich_markup_mode=None, no_args_is_help=True, add_completion=False)


@arena.command("invite")
def invite_(
    role: Annotated[str, typer.Option(metavar="ROLE", help="Role of the invited: judge or admin.")] = "judge",
    uses: Annotated[int, typer.Option(help="How many people can use the link.")] = 1,
    days: Annotated[float, typer.Option(metavar="DAYS", help="How long the link is valid.")] = 14.0,
    note: Annotated[str, typer.Option(metavar="NOTE", help="A note that admins see beside the invitation.")] = "",
    url: Annotated[str, typer.Option(metavar="URL", help="Public address of the server.")] = "http://127.0.0.1:8460/",
    database: Database = str(HOME),
    json: Json = False,
) -> None:
    """Create a link that invites judges or admins.

    \b
    Examples:
      fairground arena invite
      fairground arena invite --role judge --uses 20 --days 7

    The link is printed once. The database keeps only a hash of it.
    """  # noqa: D301 (\b keeps line breaks)
    from fairground.arena import invite  # late, here and below: loads the database

    with _opened(database) as store:
        link = f"{url.rstrip('/')}/enter/{invite(store, role, uses=uses, days=days, note=note)}"
    if json:
        print_json({"link": link, "role": role, "uses": uses, "days": days})
        return
    print(link)
    console.print(f"[dim]{counted(uses, 'use')} as {role}, within {days:g} days[/]", highlight=False)


@arena.command("standings")
def standings_(
    category: Annotated[str, typer.Option(metavar="NAME", help="Use only votes on tasks of this category.")] = "",
    platform: Annotated[str, typer.Option(metavar="NAME", help="Use only votes on this platform.")] = "",
    database: Database = str(HOME),
    json: Json = False,
) -> None:
    """Rank agents by people's votes.

    \b
    Examples:
      fairground arena standings
      fairground arena standings --category office

    Ranks by the lower end of each rating's interval, and also shows how often each agent was correct. Excludes votes
    that a filter marked. Includes votes on battles that are still open, which the web page does not.
    """  # noqa: D301 (\b keeps line breaks)
    from fairground.arena import FEWEST, all_votes, standings

    with _opened(database) as store:
        rows = all_votes(store)
    for name, wanted, known in (
        ("category", category, {row.category for row in rows}),
        ("platform", platform, {row.platform for row in rows}),
    ):
        if wanted and wanted not in known:
            raise unknown(name, wanted, sorted(known))
    chosen = [row for row in rows if category in ("", row.category) and platform in ("", row.platform)]
    result = standings(chosen, grouped=not category and not platform)
    if json:
        print_json(plain(result))
        return
    if result.ranking is None:
        console.print(f"no ranking: {label(result.why, 400)}", highlight=False)
    else:
        votes = counted(result.votes, "vote")
        title = f"{votes}, {percent(result.ranking.level, 0)} intervals ({result.ranking.clustered})"
        table = grid(title, ">rank", "agent", ">rating", ">ranks", ">votes", ">judged correct", ">verified")
        for agent in result.ranking.agents:
            correct, verified = result.correct.get(agent.agent), result.verified.get(agent.agent)
            table.add_row(
                str(agent.rank),
                label(agent.agent),
                f"{agent.rating.estimate:.0f} \\[{agent.rating.low:.0f}, {agent.rating.high:.0f}]",
                f"{agent.ranks[0]}-{agent.ranks[1]}" if agent.ranks[0] != agent.ranks[1] else str(agent.ranks[0]),
                f"{agent.votes:,}",
                shown(correct.interval) if correct else "",
                shown(verified.interval) if verified else "",
            )
        show(table)
        if result.tests is not None:
            apart = sum(pair.p_holm <= 1 - result.ranking.level for pair in result.tests.pairs)
            console.print(
                f"[bold]all agents equal?[/]  permutation test p {p_shown(result.tests.permutation.p_value)}; {apart} "
                f"of {counted(len(result.tests.pairs), 'pair')} can be told apart (Holm); --json has all tests",
                highlight=False,
            )
        print_notes(("", note) for note in result.ranking.notes)
        if result.unranked:
            few = ", ".join(f"{label(name)} ({number:,})" for name, number in result.unranked.items())
            console.print(f"[dim]too few votes for a rating (at least {FEWEST}): {few}[/]", highlight=False)
    if result.left_out:
        reasons = ", ".join(f"{number:,} {label(why)}" for why, number in sorted(result.left_out.items()))
        console.print(f"[dim]excluded: {reasons}[/]", highlight=False)


@arena.command("agreement")
def agreement(database: Database = str(HOME), json: Json = False) -> None:
    """Measure the agreement of people who judged the same battles.

    \b
    Example:
      fairground arena agreement

    Krippendorff's alpha is 1 for perfect agreement and 0 for chance agreement.
    """  # noqa: D301 (\b keeps line breaks)
    from fairground.arena import agreement as agreement_of
    from fairground.arena import all_votes

    with _opened(database) as store:
        agreements = agreement_of(all_votes(store))
    if json:
        print_json(
            {name: {"missing": value} if isinstance(value, str) else plain(value) for name, value in agreements.items()}
        )
        return
    table = grid("agreement of people on the same battles", "about", "scale", ">alpha", ">judged by several", "")
    for name, value in agreements.items():
        if isinstance(value, Agreement):
            ends = f"{value.alpha.estimate:.2f} \\[{value.alpha.low:.2f}, {value.alpha.high:.2f}]"
            table.add_row(name, value.scale, ends, f"{value.units:,}", "")
        else:
            table.add_row(name, "", "unknown", "", label(value, 200))
    show(table)


@arena.command("filter")
def filter_(
    too_fast: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", help="Mark votes cast earlier than this. [default: the arena's setting]", min=0, max=600
        ),
    ] = None,
    database: Database = str(HOME),
    json: Json = False,
) -> None:
    """Mark votes that should not count.

    \b
    Example:
      fairground arena filter --too-fast 5

    Marks votes that are repeated, off topic or too fast, and votes of people who contradict everyone else. Deletes no
    vote. Removes marks that no longer apply. A vote that an admin has cleared stays unmarked.
    """  # noqa: D301 (\b keeps line breaks)
    from fairground.arena import apply_filters, current_settings
    from fairground.arena.filters import REASONS

    with _opened(database) as store:
        settings = current_settings(store)
        if too_fast is not None:
            settings = settings.model_copy(update={"too_fast": too_fast})
        marks = apply_filters(store, settings=settings)
    if json:
        print_json([plain(mark) for mark in marks])
        return
    numbers = {reason: sum(mark.reason == reason for mark in marks) for reason in REASONS}
    for reason, meaning in REASONS.items():
        console.print(f"{numbers[reason]:>6,}  [bold]{reason:10}[/] {meaning}", highlight=False)
    console.print(
        f"[dim]{counted(len({(mark.battle, mark.person) for mark in marks}), 'vote')} marked[/]", highlight=False
    )


@arena.command("export")
def export(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="The .jsonl, .parquet or .csv file to write.")],
    whole: Annotated[
        bool, typer.Option("--whole", help="Also export votes that do not count, with the reasons.")
    ] = False,
    database: Database = str(HOME),
    json: Json = False,
) -> None:
    """Export the votes as a data set with one row per vote.

    \b
    Example:
      fairground arena export votes.parquet

    Refers to frames by the folders of their episodes. Does not identify people.
    """  # noqa: D301 (\b keeps line breaks)
    from fairground.arena import export_votes

    with _opened(database) as store:
        number = export_votes(store, path, whole=whole)
    if json:
        print_json({"path": str(path), "votes": number})
    else:
        console.print(f"{counted(number, 'vote')} in {label(path, 200)}", highlight=False)


@arena.command("import")
def import_(
    path: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Votes of another arena: .csv, .tsv, .jsonl, .json or .parquet."),
    ],
    name: Annotated[
        str, typer.Option(metavar="NAME", help="Name of the other arena. [default: the name of the file]")
    ] = "",
    rename: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=NAME", help="Rename a column, such as red=left; may be repeated."),
    ] = None,
    values: VoteMap = None,
    missing: MissingVotes = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(metavar="AGENT=NAME", help="Rename an agent, such as gpt=openai:gpt; may be repeated."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show how the file would be read; import nothing.")
    ] = False,
    database: Database = str(HOME),
    json: Json = False,
) -> None:
    """Import the votes of another arena.

    \b
    Examples:
      fairground arena import battles.csv --dry-run
      fairground arena import battles.csv --rename red=left --rename blue=right

    Needs the columns left, right and winner; also reads voter, task and category. Recognises common other names, such
    as model_a, battle_result and user_id. Imports all rows, or none if a row is not a vote. Importing a file twice
    adds nothing. Creates the database if it does not exist.
    """  # noqa: D301 (\b keeps line breaks)
    from fairground.arena import import_votes, preview_votes

    agents, meanings = pairs("--agent", agent), pairs("--map", values)
    looked = preview_votes(path, rename=pairs("--rename", rename), agents=agents, values=meanings, missing=missing)
    if looked.needs is not None:
        raise looked.needs
    print_read_notes(looked.notes)
    if looked.wrong:
        first = looked.faults[0]
        raise InvalidInput(
            f"{path}: {counted(looked.wrong, 'row')} of {looked.rows:,} "
            f"{'is not a vote' if looked.wrong == 1 else 'are not votes'}; row {first.row}, {first.column}: "
            f"{first.problem}",
            fix="correct or remove these rows (row 1 is below the header); define a value with --map VALUE=left; "
            "skip votes without a winner with --missing skip",
        )
    added = 0
    created = not _exists(database)
    if not dry_run:
        with _opened(database, make=True) as store:
            added = import_votes(
                store,
                path,
                name=name,
                rename=looked.rename,
                agents=agents,
                values=meanings,
                missing=missing,
                recognising=False,
            )
    if json:
        result = {"rows": looked.rows, "added": added, "rename": looked.rename, "agents": looked.agents}
        print_json(result | {"notes": looked.notes, "database": database, "made": created and not dry_run})
        return
    console.print(
        f"{counted(looked.rows, 'vote')} about {counted(len(looked.agents), 'agent')}; "
        + ("nothing was imported" if dry_run else f"{added:,} new" if added else "all were imported before")
        + (f"; created {label(database, 200)}" if created and not dry_run else ""),
        highlight=False,
    )


@contextmanager
def _opened(database: str, *, make: bool = False) -> Iterator[Store]:
    """Opens an existing arena. Creates one only if `make`, since a new database holds no votes."""
    from fairground.arena import Store

    if not _exists(database):
        if not make:
            fix = "name it with --database; `fairground serve` and `fairground arena import` create one"
            raise InvalidInput(f"there is no arena at {database}", fix=fix)
        Path(database).expanduser().parent.mkdir(parents=True, exist_ok=True)
    with Store(database) as store:
        yield store


def _exists(database: str) -> bool:
    return "://" in database or Path(database).expanduser().is_file()
