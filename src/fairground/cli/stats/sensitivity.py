"""`fairground stats sensitivity`: what each axis does, and where variance comes from."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import typer

from fairground.cli.output import Json, print_json
from fairground.cli.stats.options import (
    AS_IS,
    Files,
    Level,
    RandomSeed,
    TableOptions,
    folded,
    grid,
    label,
    p_shown,
    points,
    print_notes,
    progress,
    read,
    show,
    takes_tables,
)
from fairground.core import InvalidInput
from fairground.stats import Components, Sensitivities, count_all, plain, variance_components
from fairground.stats import sensitivity as sensitivity_of

_SHOWN = 5  # values of an axis, unless all are asked for


@takes_tables
def sensitivity(
    files: Files,
    tables: TableOptions = AS_IS,
    per_app: Annotated[bool, typer.Option("--per-app", help="Also each app on its own.")] = False,
    all_values: Annotated[
        bool, typer.Option("--all-values", help=f"Every value of an axis, not only the {_SHOWN} clearest.")
    ] = False,
    permutations: Annotated[int, typer.Option(help="For the p-values.", min=100)] = 1000,
    level: Level = 0.95,
    seed: RandomSeed = 0,
    json: Json = False,
) -> None:
    """What each value of an axis does to success; shifts of matched pairs beside chance; and variance components.

    \b
      fairground stats sensitivity results.csv
      fairground stats sensitivity runs/first --all-values --json
    """  # noqa: D301 (click reads \b as: keep these lines)
    table = read(files, tables)
    everyone = count_all(table)
    streams = np.random.default_rng(seed).spawn(len(everyone))
    shifts: dict[str, Sensitivities] = {}
    parts: dict[str, Components] = {}
    notes: list[tuple[str, str]] = []
    with progress("permutations", quiet=json) as bar:
        for at, (cells, stream) in enumerate(zip(everyone, streams, strict=True)):
            who = str(cells.contender)
            try:
                shifts[who] = sensitivity_of(cells, rng=stream, permutations=permutations, level=level)
            except InvalidInput as error:
                notes.append((who, f"{error.message}."))
            try:
                parts[who] = variance_components(cells, rng=stream, level=level)
            except InvalidInput as error:
                notes.append((who, f"no variance components: {error.message}."))
            bar.update(bar.task_ids[0], completed=at + 1, total=len(everyone))
    if json:
        said = [f"{who}: {note}" for who, note in notes]
        print_json({"sensitivity": plain(shifts), "components": plain(parts), "notes": said})
        return
    if any(axis.values for one in shifts.values() for axis in one.marginal.values()):
        _print_values(shifts, all_values)
    if any(one.axes for one in shifts.values()):
        _print_shifts(shifts, per_app)
    if parts:
        _print_components(parts)
    notes += [(who, note) for who, one in shifts.items() for note in _which_axis(one, level)]
    notes += [
        (who, f"{axis}, matched pairs: {why}.") for who, one in shifts.items() for axis, why in one.skipped.items()
    ]
    notes += [(who, note) for who, one in shifts.items() for axis in one.axes for note in axis.notes]
    notes += [(who, note) for who, one in parts.items() for note in one.notes]
    print_notes(notes)


def _print_values(shifts: dict[str, Sensitivities], all_values: bool) -> None:
    made = grid(
        "success rate with a value of an axis minus the rate with its other values, in percentage points",
        *("agent", "axis and value", ">scenarios", ">shift", ">p"),
    )
    for who, found in shifts.items():
        judged = [axis for axis in found.marginal.values() if axis.p_holm is not None]
        for at, axis in enumerate(judged):
            made.add_row(
                folded(who) if at == 0 else "", axis.axis, f"{axis.scenarios:,}", "", p_shown(axis.p_holm or 0)
            )
            shown = axis.values if all_values else axis.values[:_SHOWN]
            for one in shown:
                numbers = (f"{one.scenarios:,}", points(one.shift), p_shown(one.p_holm))
                made.add_row("", f"  {label(one.value)}", *numbers, style="dim")
            if len(axis.values) > len(shown):
                made.add_row("", f"  {len(axis.values) - len(shown)} more: --all-values", style="dim")
        made.add_section()
    show(made)


def _which_axis(found: Sensitivities, level: float) -> list[str]:
    """Which axes matter, and what to keep in mind."""
    tested = [one for one in found.marginal.values() if one.p_holm is not None]
    decided = [one for one in tested if (one.p_holm or 0) <= 1 - level]
    said = []
    if decided:
        listed = ", ".join(f"{one.axis} (p {p_shown(one.p_holm or 0)})" for one in decided)
        said.append(f"Success depends on {listed}; adjusted for {len(tested)} axes tested.")
    elif tested:
        said.append(f"No axis is shown to matter, of {len(tested)} tested. That does not show that none does.")
    return said + [note for one in found.marginal.values() for note in one.notes]


def _print_shifts(shifts: dict[str, Sensitivities], per_app: bool) -> None:
    made = grid(
        "shift of the success rate when one axis changes, in percent: mean (90th percentile)",
        *("agent", "axis", ">pairs", ">shift", ">by chance", ">beyond chance", ">p"),
    )
    for who, found in shifts.items():
        for at, one in enumerate(found.axes):
            excess = one.excess
            made.add_row(
                folded(who) if at == 0 else "",
                one.axis,
                f"{one.pairs:,}",
                f"{100 * one.mad.estimate:.1f} ({100 * one.p90:.0f})",
                f"{100 * one.floor:.1f} ({100 * one.p90_floor:.0f})",
                f"{100 * excess.estimate:+.1f} \\[{100 * excess.low:+.1f}, {100 * excess.high:+.1f}]",
                p_shown(one.p_holm),
            )
            if per_app:
                for app in one.per_app:
                    numbers = (f"{100 * app.mad:.1f}", f"{100 * app.floor:.1f}", f"{100 * app.excess:+.1f}")
                    made.add_row("", f"  {label(app.name)}", f"{app.pairs:,}", *numbers, style="dim")
        made.add_section()
    show(made)


def _print_components(parts: dict[str, Components]) -> None:
    names = list(dict.fromkeys(part.name for one in parts.values() for part in one.parts))
    title = "where the variance of outcomes comes from, in percent"
    made = grid(title, "agent", *(f">{name}" for name in names))
    for who, one in parts.items():
        found = {part.name: part for part in one.parts}
        made.add_row(
            folded(who),
            *(f"{100 * found[name].share:.0f}" if name in found else "-" for name in names),
        )
    show(made)
