"""`fairground stats sensitivity`: the effect of each axis, and the sources of variance."""

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
    counted,
    errored_notes,
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

_SHOWN = 5  # values per axis, except with --all-values


@takes_tables
def sensitivity(
    files: Files,
    tables: TableOptions = AS_IS,
    per_app: Annotated[bool, typer.Option("--per-app", help="Also show each app separately.")] = False,
    all_values: Annotated[
        bool, typer.Option("--all-values", help=f"Show all values of each axis, not only the {_SHOWN} clearest.")
    ] = False,
    permutations: Annotated[int, typer.Option(help="Number of permutations for the p-values.", min=100)] = 1000,
    level: Level = 0.95,
    seed: RandomSeed = 0,
    json: Json = False,
) -> None:
    """Show how success depends on each axis, such as the theme.

    \b
    Examples:
      fairground stats sensitivity results.csv
      fairground stats sensitivity runs/first --all-values

    Shows the effect of each value of an axis, the shifts between matched pairs compared with chance, and the variance
    components.
    """  # noqa: D301 (\b keeps line breaks)
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
    notes += [("", note) for note in errored_notes(table)]
    if json:
        lines = [f"{who}: {note}" if who else note for who, note in [("", note) for note in table.notes] + notes]
        print_json({"sensitivity": plain(shifts), "components": plain(parts), "notes": lines})
        return
    if any(axis.values for shift in shifts.values() for axis in shift.marginal.values()):
        _print_values(shifts, all_values)
    if any(shift.axes for shift in shifts.values()):
        _print_shifts(shifts, per_app)
    if parts:
        _print_components(parts)
    notes += [(who, note) for who, shift in shifts.items() for note in _which_axis(shift, level)]
    notes += [
        (who, f"{axis}, matched pairs: {why}.") for who, shift in shifts.items() for axis, why in shift.skipped.items()
    ]
    notes += [(who, note) for who, shift in shifts.items() for axis in shift.axes for note in axis.notes]
    notes += [(who, note) for who, part in parts.items() for note in part.notes]
    print_notes(notes)


def _print_values(shifts: dict[str, Sensitivities], all_values: bool) -> None:
    table = grid(
        "success rate with a value of an axis minus the rate with its other values, in percentage points",
        *("agent", "axis and value", ">scenarios", ">shift", ">p"),
    )
    for who, effects in shifts.items():
        judged = [axis for axis in effects.marginal.values() if axis.p_holm is not None]
        for at, axis in enumerate(judged):
            table.add_row(
                folded(who) if at == 0 else "", axis.axis, f"{axis.scenarios:,}", "", p_shown(axis.p_holm or 0)
            )
            shown = axis.values if all_values else axis.values[:_SHOWN]
            for effect in shown:
                numbers = (f"{effect.scenarios:,}", points(effect.shift), p_shown(effect.p_holm))
                table.add_row("", f"  {label(effect.value)}", *numbers, style="dim")
            if len(axis.values) > len(shown):
                table.add_row("", f"  {len(axis.values) - len(shown)} more: --all-values", style="dim")
        table.add_section()
    show(table)


def _which_axis(effects: Sensitivities, level: float) -> list[str]:
    """Returns notes on which axes matter."""
    tested = [axis for axis in effects.marginal.values() if axis.p_holm is not None]
    decided = [axis for axis in tested if (axis.p_holm or 0) <= 1 - level]
    axes = counted(len(tested), "tested axis", "tested axes")
    notes = []
    if decided:
        listed = ", ".join(f"{axis.axis} (p {p_shown(axis.p_holm or 0)})" for axis in decided)
        notes.append(f"Success depends on {listed}; adjusted for {axes}.")
    elif tested:
        notes.append(f"No effect of {axes} is significant. This does not prove that there is none.")
    return notes + [note for axis in effects.marginal.values() for note in axis.notes]


def _print_shifts(shifts: dict[str, Sensitivities], per_app: bool) -> None:
    table = grid(
        "shift of the success rate when one axis changes, in percent: mean (90th percentile)",
        *("agent", "axis", ">pairs", ">shift", ">by chance", ">beyond chance", ">p"),
    )
    for who, effects in shifts.items():
        for at, axis in enumerate(effects.axes):
            excess = axis.excess
            table.add_row(
                folded(who) if at == 0 else "",
                axis.axis,
                f"{axis.pairs:,}",
                f"{100 * axis.mad.estimate:.1f} ({100 * axis.p90:.0f})",
                f"{100 * axis.floor:.1f} ({100 * axis.p90_floor:.0f})",
                f"{100 * excess.estimate:+.1f} \\[{100 * excess.low:+.1f}, {100 * excess.high:+.1f}]",
                p_shown(axis.p_holm),
            )
            if per_app:
                for app in axis.per_app:
                    numbers = (f"{100 * app.mad:.1f}", f"{100 * app.floor:.1f}", f"{100 * app.excess:+.1f}")
                    table.add_row("", f"  {label(app.name)}", f"{app.pairs:,}", *numbers, style="dim")
        table.add_section()
    show(table)


def _print_components(parts: dict[str, Components]) -> None:
    names = list(dict.fromkeys(part.name for components in parts.values() for part in components.parts))
    title = "where the variance of outcomes comes from, in percent"
    table = grid(title, "agent", *(f">{name}" for name in names))
    for who, components in parts.items():
        by_name = {part.name: part for part in components.parts}
        table.add_row(
            folded(who),
            *(f"{100 * by_name[name].share:.0f}" if name in by_name else "-" for name in names),
        )
    show(table)
