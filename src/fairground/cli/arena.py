"""`fairground arena`: invitations, standings and data of an arena, without its server."""

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

_HELP = """An arena's invitations, standings and data, without its server.

\b
  fairground arena invite --role judge --uses 20       a link for twenty people, good for two weeks
  fairground arena standings                           who is preferred, with intervals
  fairground arena standings --category office         by the votes of one category
  fairground arena agreement                           do people who judge the same battles agree?
  fairground arena filter                              marks votes that should not count; deletes none
  fairground arena export votes.parquet                the votes as a data set
  fairground arena import battles.csv                  another arena's votes; makes the database if there is none

All work on arena/arena.sqlite, where `fairground serve` keeps it, unless --database names another: a path, or
postgresql://USER@HOST/NAME. The server may run meanwhile.
"""

Database = Annotated[str, typer.Option(help="A path, or postgresql://USER@HOST/NAME.")]

arena = typer.Typer(help=_HELP, rich_markup_mode=None, no_args_is_help=True)


@arena.command("invite")
def invite_(
    role: Annotated[str, typer.Option(help="judge or admin.")] = "judge",
    uses: Annotated[int, typer.Option(help="How many people may come in by it.")] = 1,
    days: Annotated[float, typer.Option(help="How long it is good for.")] = 14.0,
    note: Annotated[str, typer.Option(help="For you: admins see it beside the invitation.")] = "",
    url: Annotated[str, typer.Option(help="Where people reach the server.")] = "http://127.0.0.1:8460/",
    database: Database = str(HOME),
    json: Json = False,
) -> None:
    """Makes a link that makes whoever opens it a judge or an admin. It is shown once: only a digest of it is kept."""
    from fairground.arena import invite  # late, here and below: other commands need no database

    with _opened(database) as store:
        link = f"{url.rstrip('/')}/enter/{invite(store, role, uses=uses, days=days, note=note)}"
    if json:
        print_json({"link": link, "role": role, "uses": uses, "days": days})
        return
    print(link)
    console.print(f"[dim]{counted(uses, 'use')} as {role}, within {days:g} days[/]", highlight=False)


@arena.command("standings")
def standings_(
    category: Annotated[str, typer.Option(help="Only votes on tasks of this category.")] = "",
    platform: Annotated[str, typer.Option(help="Only votes on this platform.")] = "",
    database: Database = str(HOME),
    json: Json = False,
) -> None:
    """Ranks the agents by people's votes: ratings with intervals, ranked by their lower ends; correctness beside it.

    Votes that the filters marked do not count. Votes on battles that people may still judge do, unlike on the page.
    """
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
    found = standings(chosen, grouped=not category and not platform)
    if json:
        print_json(plain(found))
        return
    if found.ranking is None:
        console.print(f"no ranking: {label(found.why, 400)}", highlight=False)
    else:
        title = f"{found.votes:,} votes, {percent(found.ranking.level, 0)} intervals ({found.ranking.clustered})"
        made = grid(title, ">rank", "agent", ">rating", ">ranks", ">votes", ">judged correct", ">verified")
        for one in found.ranking.agents:
            correct, verified = found.correct.get(one.agent), found.verified.get(one.agent)
            made.add_row(
                str(one.rank),
                label(one.agent),
                f"{one.rating.estimate:.0f} \\[{one.rating.low:.0f}, {one.rating.high:.0f}]",
                f"{one.ranks[0]}-{one.ranks[1]}" if one.ranks[0] != one.ranks[1] else str(one.ranks[0]),
                f"{one.votes:,}",
                shown(correct.interval) if correct else "",
                shown(verified.interval) if verified else "",
            )
        show(made)
        if found.tests is not None:
            apart = sum(pair.p_holm <= 1 - found.ranking.level for pair in found.tests.pairs)
            console.print(
                f"[bold]all agents alike?[/]  permutation test p {p_shown(found.tests.permutation.p_value)}; {apart} "
                f"of {counted(len(found.tests.pairs), 'pair')} can be told apart (Holm); --json has all tests",
                highlight=False,
            )
        print_notes(("", note) for note in found.ranking.notes)
        if found.unranked:
            few = ", ".join(f"{label(name)} ({number:,})" for name, number in found.unranked.items())
            console.print(f"[dim]too few votes for a rating (at least {FEWEST}): {few}[/]", highlight=False)
    if found.left_out:
        reasons = ", ".join(f"{number:,} {label(why)}" for why, number in sorted(found.left_out.items()))
        console.print(f"[dim]left out: {reasons}[/]", highlight=False)


@arena.command("agreement")
def agreement(database: Database = str(HOME), json: Json = False) -> None:
    """Do people agree who judged the same battles? Krippendorff's alpha: 1 always, 0 as chance would have it."""
    from fairground.arena import agreement as agreement_of
    from fairground.arena import all_votes

    with _opened(database) as store:
        found = agreement_of(all_votes(store))
    if json:
        print_json({name: {"missing": one} if isinstance(one, str) else plain(one) for name, one in found.items()})
        return
    made = grid("agreement of people on the same battles", "about", "scale", ">alpha", ">judged by several", "")
    for name, one in found.items():
        if isinstance(one, Agreement):
            ends = f"{one.alpha.estimate:.2f} \\[{one.alpha.low:.2f}, {one.alpha.high:.2f}]"
            made.add_row(name, one.scale, ends, f"{one.units:,}", "")
        else:
            made.add_row(name, "", "unknown", "", label(one, 200))
    show(made)


@arena.command("filter")
def filter_(
    too_fast: Annotated[
        float | None,
        typer.Option(help="Seconds before which nobody can have looked; else as admins have set it.", min=0, max=600),
    ] = None,
    database: Database = str(HOME),
    json: Json = False,
) -> None:
    """Marks votes that should not count: repeated, off topic, too fast, or by somebody who is against everybody.

    Votes are never deleted: marks that no longer fit are taken back, and what an admin has cleared stays cleared.
    """
    from fairground.arena import apply_filters, current_settings
    from fairground.arena.filters import REASONS

    with _opened(database) as store:
        settings = current_settings(store)
        if too_fast is not None:
            settings = settings.model_copy(update={"too_fast": too_fast})
        found = apply_filters(store, settings=settings)
    if json:
        print_json([plain(one) for one in found])
        return
    numbers = {reason: sum(one.reason == reason for one in found) for reason in REASONS}
    for reason, said in REASONS.items():
        console.print(f"{numbers[reason]:>6,}  [bold]{reason:10}[/] {said}", highlight=False)
    console.print(
        f"[dim]{counted(len({(one.battle, one.person) for one in found}), 'vote')} marked[/]", highlight=False
    )


@arena.command("export")
def export(
    path: Annotated[Path, typer.Argument(help="Ends in .jsonl, .parquet or .csv.")],
    whole: Annotated[bool, typer.Option("--whole", help="Votes that do not count too, with the reasons.")] = False,
    database: Database = str(HOME),
    json: Json = False,
) -> None:
    """Writes the votes as a data set, one a row; frames are named by their episodes' folders, people not at all."""
    from fairground.arena import export_votes

    with _opened(database) as store:
        number = export_votes(store, path, whole=whole)
    if json:
        print_json({"path": str(path), "votes": number})
    else:
        console.print(f"{counted(number, 'vote')} in {label(path, 200)}", highlight=False)


@arena.command("import")
def import_(
    path: Annotated[Path, typer.Argument(help="Another arena's votes: .csv, .tsv, .jsonl, .json or .parquet.")],
    name: Annotated[str, typer.Option(help="What the other arena is called; the file's name unless given.")] = "",
    rename: Annotated[
        list[str] | None, typer.Option(help="What a column is here, such as red=left; may be repeated.")
    ] = None,
    values: VoteMap = None,
    missing: MissingVotes = None,
    agent: Annotated[
        list[str] | None, typer.Option(help="What an agent is called here, such as gpt=openai:gpt; may be repeated.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what is understood.")] = False,
    database: Database = str(HOME),
    json: Json = False,
) -> None:
    """Takes another arena's votes in: all of them, or none when a row is not a vote. A file adds nothing a second time.

    Columns here are left, right and winner; voter, task and category where known. Well-known names of others, such as
    model_a, battle_result and user_id, are recognised. The database is made if there is none.
    """
    from fairground.arena import import_votes, preview_votes

    agents, told = pairs("--agent", agent), pairs("--map", values)
    looked = preview_votes(path, rename=pairs("--rename", rename), agents=agents, values=told, missing=missing)
    if looked.needs is not None:
        raise looked.needs
    print_read_notes(looked.notes)
    if looked.wrong:
        first = looked.faults[0]
        raise InvalidInput(
            f"{path}: {counted(looked.wrong, 'row')} of {looked.rows:,} "
            f"{'is not a vote' if looked.wrong == 1 else 'are not votes'}; row {first.row}, {first.column}: "
            f"{first.problem}",
            fix="correct or drop these rows (the first one is below the header); say what a word means with --map "
            "WORD=left, and leave votes without a winner out with --missing skip",
        )
    added = 0
    made = not _exists(database)
    if not dry_run:
        with _opened(database, make=True) as store:
            added = import_votes(
                store,
                path,
                name=name,
                rename=looked.rename,
                agents=agents,
                values=told,
                missing=missing,
                recognising=False,
            )
    if json:
        found = {"rows": looked.rows, "added": added, "rename": looked.rename, "agents": looked.agents}
        print_json(found | {"notes": looked.notes, "database": database, "made": made and not dry_run})
        return
    console.print(
        f"{counted(looked.rows, 'vote')} about {counted(len(looked.agents), 'agent')}; "
        + ("nothing was taken in" if dry_run else f"{added:,} new" if added else "taken in before, so nothing is new")
        + (f"; made {label(database, 200)}" if made and not dry_run else ""),
        highlight=False,
    )


@contextmanager
def _opened(database: str, *, make: bool = False) -> Iterator[Store]:
    """An arena that exists, unless one may be made: an empty one would only say that nobody has voted."""
    from fairground.arena import Store

    if not _exists(database):
        if not make:
            fix = "--database PATH; fairground serve makes one, and so does fairground arena import"
            raise InvalidInput(f"there is no arena at {database}", fix=fix)
        Path(database).expanduser().parent.mkdir(parents=True, exist_ok=True)
    with Store(database) as store:
        yield store


def _exists(database: str) -> bool:
    return "://" in database or Path(database).expanduser().is_file()
