"""Sections of a statistics report on the axes: what each does to success, and where the variance comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairground.report.data_table import Rows, Value, behind, table
from fairground.report.html import Html, tag
from fairground.report.plots import Curve, Dumbbell, Panel, Row, Stack, dumbbells, figure, forest, panels, stacks
from fairground.report.plots.scale import percent, plainly, rounded
from fairground.report.statistics_sections import Exhibit, Section, looks_by_contender
from fairground.report.statistics_words import (
    attributed,
    chance,
    ends,
    listed,
    plain_range,
    point_range,
    rate,
    who,
)

if TYPE_CHECKING:
    from fairground.stats.axes.marginal_shifts import AxisShifts
    from fairground.stats.axes.sensitivity import Sensitivity
    from fairground.stats.summary import Standing, Summary

CLEAREST = 3
"""So many values of each axis are drawn, those with the smallest p-values."""

MOST_VALUES = 36
"""So many values of all axes and contenders are drawn."""


def sensitivity(summary: Summary) -> Section:
    """What each axis does to success: value by value, and in matched pairs."""
    title = "Sensitivity to each axis"
    measured = [(standing, standing.sensitivity) for standing in summary.standings if standing.sensitivity is not None]
    shifted = [
        (standing, one.marginal[axis]) for axis in summary.axes for standing, one in measured if axis in one.marginal
    ]
    paired = [
        (axis, standing, one) for axis in summary.axes for standing, every in measured for one in every.axes
        if one.axis == axis
    ]  # fmt: skip
    exhibits = []
    if any(one.values for _, one in shifted):
        exhibits.append(_values(summary, shifted))
    if paired:
        exhibits += [_pairs(summary, paired), _exceedance(summary, paired)]
    if not exhibits:
        why = (
            "No axis (instance, profile, theme, ui_state) has a value that stands beside another one in three "
            "scenarios, and none was varied with the rest kept the same."
        )
        return Section("sensitivity", title, absent=why)
    return Section("sensitivity", title, tuple(exhibits), link="Sensitivity")


def _values(summary: Summary, shifted: Sequence[tuple[Standing, AxisShifts]]) -> Exhibit:
    known = looks_by_contender(summary)
    several = len(summary.standings) > 1
    rows = []
    for standing, axis in shifted:
        for one in axis.values[:CLEAREST]:
            name = f"{axis.axis}: {one.value}" + (f", {standing.contender}" if several else "")
            rows.append(
                Row(
                    name, one.shift, known[standing.contender], note=point_range(one.shift),
                    said=f"{name}: {point_range(one.shift)} points, {one.scenarios} scenarios, p {chance(one.p_holm)}",
                    hollow=one.p_holm > 1 - summary.level,
                )
            )  # fmt: skip
    drawn = figure(
        "axis-values",
        "Success with a value, against the other values",
        "; ".join(row.said for row in rows[:12]),
        lambda width: forest(
            rows[:MOST_VALUES], width=width, write=lambda value: f"{value * 100:g}", zero=0.0, floor=-1.0, ceiling=1.0,
            axis="Shift of the success rate, percentage points", ends=("less success", "more success"),
        ),
    )  # fmt: skip
    heads = ("Axis", "Value", "Contender", "Scenarios", "Configurations", "Shift", "Interval", "p, Holm")
    numbers: Rows = [
        [
            axis.axis, one.value, str(standing.contender), Value(f"{one.scenarios:,}", one.scenarios),
            Value(f"{one.configurations:,}", one.configurations),
            Value(rounded(one.shift.estimate * 100), one.shift.estimate), Value(ends(one.shift, 100), one.shift.width),
            Value(chance(one.p_holm), one.p_holm),
        ]
        for standing, axis in shifted for one in axis.values
    ]  # fmt: skip
    notes = [(standing.contender, note) for standing, axis in shifted for note in axis.notes]
    return Exhibit(
        drawn,
        (
            *(_which_axis(standing, summary.level) for standing in summary.standings),
            tag("p", "For each value of an axis: its success rate minus that of the axis' other values, in the same "
                f"scenarios. The figure shows up to {CLEAREST} values of each axis, those with the smallest p-values. "
                "A dotted line is a shift that is not decided after Holm's adjustment for the values of the axis."),
        ),
        "That an axis does nothing because none of its values is decided: few scenarios make wide intervals. That a "
        "shift is the same everywhere: it is a mean over scenarios. The values in the figure were chosen because they "
        "stand out, so their shifts tend to look larger than they are.",
        behind("Numbers", table("axis-values-numbers", heads, numbers), aside="percentage points"),
        attributed(notes, len(summary.standings)),
    )  # fmt: skip


def _which_axis(standing: Standing, level: float) -> Html | None:
    tested = [] if standing.sensitivity is None else [
        one for one in standing.sensitivity.marginal.values() if one.p_holm is not None
    ]  # fmt: skip
    decided = [one.axis for one in tested if (one.p_holm or 0) <= 1 - level]
    if not tested:
        return None
    if not decided:
        return tag(
            "p", "No axis is shown to change the success of ", who(standing.contender), f" ({len(tested)} tested)."
        )
    return tag("p", "The success of ", who(standing.contender), " depends on ", listed(decided),
               f" ({len(tested)} axes tested, by permutation within scenarios, adjusted by Holm).")  # fmt: skip


def _pairs(summary: Summary, paired: Sequence[tuple[str, Standing, Sensitivity]]) -> Exhibit:
    known = looks_by_contender(summary)
    rows = [
        Dumbbell(
            axis, str(standing.contender), known[standing.contender], one.mad, one.p90, one.floor, one.p90_floor,
            f"{axis}, {standing.contender}: mean shift {rounded(one.mad.estimate * 100)} {ends(one.mad, 100)} points, "
            f"by noise alone {rounded(one.floor * 100)}; 90th percentile {rounded(one.p90 * 100)}, by noise alone "
            f"{rounded(one.p90_floor * 100)}; {one.pairs:,} pairs",
        )
        for axis, standing, one in paired
    ]  # fmt: skip
    drawn = figure(
        "sensitivity",
        "How far an axis moves success",
        "; ".join(row.said for row in rows[:12]),
        lambda width: dumbbells(
            rows, width=width, write=lambda value: f"{value * 100:g}",
            axis=f"Shift{' between two values of the axis' if width > 400 else ''}, percentage points",
            keys=("mean shift, with its interval", "90th percentile", "what noise alone would give"),
        ),
    )  # fmt: skip
    heads = ("Axis", "Contender", "Pairs", "MAD", "Interval", "Noise", "Excess", "Interval", "90th", "Noise", "p, Holm")
    numbers: Rows = [
        [
            axis, str(standing.contender), Value(f"{one.pairs:,}", one.pairs),
            *(Value(rounded(v * 100), v) for v in (one.mad.estimate,)), Value(ends(one.mad, 100), one.mad.width),
            Value(rounded(one.floor * 100), one.floor), Value(rounded(one.excess.estimate * 100), one.excess.estimate),
            Value(ends(one.excess, 100), one.excess.width), Value(rounded(one.p90 * 100), one.p90),
            Value(rounded(one.p90_floor * 100), one.p90_floor), Value(chance(one.p_holm), one.p_holm),
        ]
        for axis, standing, one in paired
    ]  # fmt: skip
    return Exhibit(
        drawn,
        (
            tag("p", "Pairs of configurations that differ along one axis only, and by how much their success rates "
                "differ: on average (small mark) and in the worst tenth of pairs (large mark)."),
            tag("p", "The thin ticks show what both would be if the axis did nothing: a handful of rollouts differ by "
                "luck alone. Only what lies beyond the tick is the axis' doing."),
        ),
        "That an axis matters because its mark is far from zero: compare it with the tick. That the direction is "
        "known: a shift has no sign here. That an axis has no effect when mark and tick agree: it may be small.",
        behind("Numbers", table("sensitivity-numbers", heads, numbers), aside="percentage points"),
        attributed(
            ((standing.contender, note) for _, standing, one in paired for note in one.notes), len(summary.standings)
        ),
    )  # fmt: skip


def _exceedance(summary: Summary, found: Sequence[tuple[str, Standing, Sensitivity]]) -> Exhibit:
    known = looks_by_contender(summary)
    axes = list(dict.fromkeys(axis for axis, _, _ in found))
    shown = []
    for axis in axes:
        curves = []
        floors: list[tuple[float, ...]] = []
        for name, standing, one in found:
            if name == axis:
                label = str(standing.contender)
                at = one.exceedance
                curves.append(
                    Curve(
                        label, known[standing.contender], tuple(at.thresholds), tuple(at.fraction), step=False,
                        said=f"{axis}, {label}: {rate(_above(at.thresholds, at.fraction, 0.1))} of pairs shift by more "
                        f"than 10 points; by noise alone {rate(_above(at.thresholds, at.floor, 0.1))}",
                    )
                )  # fmt: skip
                floors.append(tuple(at.floor))
        mean = tuple(sum(values) / len(values) for values in zip(*floors, strict=True))
        ghost = Curve("", curves[0].look, curves[0].x, mean)
        shown.append(Panel(axis, tuple(curves), ghost=ghost, at=0.1))
    drawn = figure(
        "exceedance",
        "Share of pairs that shift by more",
        "; ".join(str(curve.said) for panel in shown for curve in panel.curves[:6]),
        lambda width: panels(
            shown, width=width, across=2 if len(shown) in (2, 4) else 3, x=(0.0, 1.0),
            ticks=(0.0, 0.25, 0.5, 0.75, 1.0), x_axis="Shift of more than",
            y_axis="Share of pairs", write_x=percent, write_y=percent, tall=190, fitted=True,
            ghost="by noise alone, mean over contenders",
        ),
    )  # fmt: skip
    return Exhibit(
        drawn,
        tag("p", "For each shift, the share of pairs that shift by more. The dotted vertical line marks ten percentage "
            "points. The steps come from the number of rollouts: with three of them, shifts are multiples of a third."),
        "That a curve of one study can be laid beside one of another study with other numbers of rollouts: noise alone "
        "lifts curves, and more so with fewer rollouts.",
    )  # fmt: skip


def _above(thresholds: Sequence[float], values: Sequence[float], wanted: float) -> float:
    return values[min(range(len(thresholds)), key=lambda place: abs(thresholds[place] - wanted))]


def components(summary: Summary) -> Section:
    """Where the variance comes from."""
    title = "Where the variance comes from"
    measured = [(one.contender, one.components) for one in summary.standings if one.components is not None]
    measured = [(contender, found) for contender, found in measured if found.total > 0]
    if not measured:
        why = "There is no variance to take apart, or too little data to do it."
        return Section("components", title, absent=why)
    names = list(dict.fromkeys(part.name for _, found in measured for part in found.parts))
    colours = ["c0", "c5", "c2", "c4", "c3", "c1", "c6", "c7", "ghost", "muted"]
    shades = {name: colours[place % len(colours)] for place, name in enumerate(names)}
    shades["rollout"] = "never"
    stack: list[Stack] = []
    rows: Rows = []
    for contender, found in measured:
        parts = {part.name: part for part in found.parts}
        shares = tuple(parts[name].share if name in parts else 0.0 for name in names)
        said = tuple(
            f"{contender}: {rate(share)} of the variance of an episode comes from {name}"
            for share, name in zip(shares, names, strict=True)
        )
        stack.append(Stack(str(contender), shares, said, tuple(f"{share * 100:.0f}%" for share in shares)))
        for part in found.parts:
            interval = "" if part.interval is None else plain_range(part.interval).partition(" ")[2]
            rows.append(
                [str(contender), part.name, Value(rate(part.share), part.share),
                 Value(plainly(part.sd), part.sd), Value(plainly(part.variance), part.variance),
                 Value(interval, None if part.interval is None else part.interval.width)]
            )  # fmt: skip
    drawn = figure(
        "components",
        "Variance of an episode, by source",
        "; ".join(said for row in stack[:8] for said in row.said),
        lambda width: stacks(
            stack, [(name, shades[name]) for name in names], width=width, axis="Share of an episode's variance"
        ),
    )
    heads = ("Contender", "Source", "Share", "SD", "Variance", "Interval of the variance")
    exhibit = Exhibit(
        drawn,
        tag("p", "Success of a single episode varies because apps, scenarios and configurations differ, and because an "
            "agent does not do the same thing twice. More rollouts shrink only the last part; if most of the variance "
            "lies between scenarios, more scenarios are what narrows the interval."),
        "How well the parts are known: shares of few scenarios are rough (see the intervals below). A contender that "
        "solves nearly all or nearly nothing has little variance of any kind, so shares of two contenders do not rank "
        "them.",
        behind("Numbers", table("components-numbers", heads, rows)),
        attributed(((contender, note) for contender, found in measured for note in found.notes), len(measured)),
    )  # fmt: skip
    return Section("components", title, (exhibit,), link="Variance")
