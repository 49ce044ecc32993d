"""`fairground export`: episodes as a table for other tools, or as training data."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from fairground.cli.output import Json, clean, console, errors, listed, print_entry, print_json
from fairground.cli.stats.options import counted
from fairground.core import InvalidInput, Outcome, unknown


class Kind(StrEnum):
    """What is written."""

    TABLE = "table"
    SFT = "sft"
    RL = "rl"
    ATIF = "atif"
    HF = "hf"


class Rows(StrEnum):
    """What a row of training data is."""

    EPISODE = "episode"
    STEP = "step"
    TRAJECTORY = "trajectory"


def export(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs or episodes.", metavar="FOLDER...")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="PATH", help="The file to write; a folder for atif and hf.")
    ],
    format_: Annotated[
        Kind,
        typer.Option(
            "--format",
            help="A table of results (.csv, .jsonl, .parquet), conversations to fine-tune on, RL trajectories, ATIF "
            "trajectories, or a dataset folder.",
        ),
    ] = Kind.TABLE,
    rows: Annotated[
        Rows | None,
        typer.Option(help="What a row of sft and hf is. [default: episode]"),
    ] = None,
    dialect: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Write actions as this model would: qwen, ui-tars, opencua, anthropic, openai, gemini, functions, "
            "canonical, ... [default: qwen; canonical for rl]",
        ),
    ] = "",
    history: Annotated[int, typer.Option(help="Frames per row with --rows step.", min=1)] = 4,
    max_side: Annotated[
        int | None, typer.Option(metavar="PIXELS", help="Shrink images to this size of their longer side.")
    ] = None,
    thoughts: Annotated[bool, typer.Option(help="Include the agent's recorded thoughts.")] = True,
    outcome: Annotated[
        str, typer.Option(metavar="NAMES", help="Outcomes. [default: passed for sft and hf; else passed,failed]")
    ] = "",
    min_reward: Annotated[float | None, typer.Option(metavar="REWARD", help="Lowest reward.")] = None,
    max_steps: Annotated[int | None, typer.Option(help="Highest number of steps.", min=0)] = None,
    agent: Annotated[
        list[str] | None, typer.Option(metavar="AGENT", help="Only episodes of this agent; may be repeated.")
    ] = None,
    deduplicate: Annotated[
        bool, typer.Option("--deduplicate", help="Leave out episodes with equal actions from an equal start.")
    ] = False,
    split: Annotated[
        str, typer.Option(metavar="FILE[:SIDE]", help="Only one side of a split; for hf also both, as two splits.")
    ] = "",
    limit: Annotated[int | None, typer.Option(help="Maximum number of episodes.", min=1)] = None,
    json: Json = False,
) -> None:
    """Export episodes: as a table with one row per episode, or as training data.

    \b
    Examples:
      fairground export runs/first -o first.csv
      fairground export runs/oracle --format sft --dialect ui-tars -o sft.parquet
      fairground export runs/oracle --format hf --rows step -o dataset
      fairground export runs/first --format rl -o rl.parquet
    """  # noqa: D301 (\b keeps line breaks)
    given: dict[str, Any] = {
        "--rows": rows, "--dialect": dialect, "--max-side": max_side, "--outcome": outcome, "--min-reward": min_reward,
        "--max-steps": max_steps, "--agent": agent, "--deduplicate": deduplicate, "--split": split, "--limit": limit,
    }  # fmt: skip
    if format_ is Kind.TABLE:
        if unused := [name for name, value in given.items() if value not in (None, "", False)]:
            raise InvalidInput(f"{', '.join(unused)} has no effect on a table", fix="add --format sft, rl, atif or hf")
        _table(runs, output, json)
        return
    from fairground.interop.datasets import Filters, Format, Options, default_outcomes, export_dataset
    from fairground.study import SIDES, read_side, read_split

    kinds: dict[Kind, Format] = {Kind.SFT: "sft", Kind.RL: "rl", Kind.ATIF: "atif", Kind.HF: "hf"}
    kind = kinds[format_]
    both = bool(split) and split.rpartition(":")[2] not in SIDES
    filters = Filters(
        outcomes=_outcomes(outcome) or default_outcomes(kind),
        min_reward=min_reward,
        max_steps=max_steps,
        agents=tuple(agent or ()),
        deduplicate=deduplicate,
        split=read_side(split) if split and not both else None,
        limit=limit,
    )
    options = Options(
        rows=None if rows is None else rows.value,
        dialect=dialect,
        history=history,
        max_side=max_side,
        thoughts=thoughts,
        filters=filters,
        splits=read_split(split) if both else None,
    )
    result = export_dataset(runs, output, kind, options)
    if json:
        print_json(result.plain())
        return
    for name, figures in result.files.items():
        console.print(
            f"[bold]{counted(figures.rows, 'row')}[/] from {counted(figures.episodes, 'episode')} in {output}"
            + (f" ({name})" if len(result.files) > 1 else ""),
            highlight=False,
            soft_wrap=True,
        )
    for reason, count in result.left_out.counts.most_common():
        print_entry("[yellow]left out[/]", f"{count:,}: {escape(clean(reason))}", indent=10, to=errors)


def _table(runs: list[Path], output: Path, json: bool) -> None:
    from fairground.rollout.export import export_runs

    table = export_runs(runs, output)
    for note in table.notes:
        errors.print(f"[yellow]note[/]  {escape(clean(note))}", highlight=False, soft_wrap=True)
    if json:
        outcomes = {outcome.value: number for outcome, number in table.outcomes().items()}
        print_json({"file": str(output), "episodes": len(table), "outcomes": outcomes})
        return
    console.print(f"[bold]{counted(len(table), 'episode')}[/] in {output}", highlight=False, soft_wrap=True)


def _outcomes(text: str) -> tuple[Outcome, ...]:
    known = {outcome.value: outcome for outcome in Outcome}
    for name in listed(text):
        if name not in known:
            raise unknown("outcome", name, known)
    return tuple(known[name] for name in listed(text))
