"""Report sections about the axes: their effect on success, and the sources of variance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairground.report.data_table import Rows, Value, behind, table
from fairground.report.html import Html, tag
from fairground.report.plots import Curve, Dumbbell, Panel, Row, Stack, dumbbells, figure, forest, panels, stacks
from fairground.report.plots.scale import percent, plainly, rounded
from fairground.report.plural import counted
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
"""Maximum number of values drawn per axis: those with the smallest p-values."""

MOST_VALUES = 36
"""Maximum number of values drawn over all axes and contenders."""


def sensitivity(summary: Summary) -> Section:
    """Effect of each axis on success: per value, and in matched pairs."""
    title = "Sensitivity to each axis"
    measured = [(standing, standing.sensitivity) for standing in summary.standings if standing.sensitivity is not None]
    shifted = [
        (standing, effects.marginal[axis])
        for axis in summary.axes
        for standing, effects in measured
        if axis in effects.marginal
    ]
    paired = [
        (axis, standing, one) for axis in summary.axes for standing, every in measured for one in every.axes
        if one.axis == axis
    ]  # fmt: skip
    exhibits = []
    if any(shift.values for _, shift in shifted):
        exhibits.append(_values(summary, shifted))
    if paired:
        exhibits += [_pairs(summary, paired), _exceedance(summary, paired)]
    if not exhibits:
        why = (
            "No axis (instance, profile, theme, ui_state) has two values in at least three scenarios, and no axis "
            "was varied while the others stayed the same."
        )
        return Section("sensitivity", title, absent=why)
    return Section("sensitivity", title, tuple(exhibits), link="Sensitivity")


def _values(summary: Summary, shifted: Sequence[tuple[Standing, AxisShifts]]) -> Exhibit:
    known = looks_by_contender(summary)
    several = len(summary.standings) > 1
    rows = []
    for standing, axis in shifted:
        for level in axis.values[:CLEAREST]:
            name = f"{axis.axis}: {level.value}" + (f", {standing.contender}" if several else "")
            rows.append(
                Row(
                    name, level.shift, known[standing.contender], note=point_range(level.shift),
                    said=f"{name}: {point_range(level.shift)} points, {counted(level.scenarios, 'scenario')}, "
                    f"p {chance(level.p_holm)}",
                    hollow=level.p_holm > 1 - summary.level,
                )
            )  # fmt: skip
    drawn = figure(
        "axis-values",
        "Success with a value, compared with the other values",
        "; ".join(row.said for row in rows[:12]),
        lambda width: forest(
            rows[:MOST_VALUES], width=width, write=lambda value: f"{value * 100:g}", zero=0.0, floor=-1.0, ceiling=1.0,
            axis="Shift of the success rate, percentage points", ends=("less success", "more success"),
        ),
    )  # fmt: skip
    heads = ("Axis", "Value", "Contender", "Scenarios", "Configurations", "Shift", "Interval", "p, Holm")
    numbers: Rows = [
        [
            axis.axis, value.value, str(standing.contender), Value(f"{value.scenarios:,}", value.scenarios),
            Value(f"{value.configurations:,}", value.configurations),
            Value(rounded(value.shift.estimate * 100), value.shift.estimate),
            Value(ends(value.shift, 100), value.shift.width),
            Value(chance(value.p_holm), value.p_holm),
        ]
        for standing, axis in shifted for value in axis.values
    ]  # fmt: skip
    notes = [(standing.contender, note) for standing, axis in shifted for note in axis.notes]
    return Exhibit(
        drawn,
        (
            *(_which_axis(standing, summary.level) for standing in summary.standings),
            tag("p", "For each value of an axis: its success rate minus that of the axis' other values, in the same "
                     f"scenarios. The figure shows up to {CLEAREST} values of each axis, those with the smallest "
                     "p-values. A dotted line is a shift that is not significant after Holm's correction for the "
                     "values of the axis."),
        ),
        "That an axis has no effect because no value is significant: few scenarios give wide intervals. That a "
        "shift is the same everywhere: it is a mean over scenarios. That the shifts are this large: the values in "
        "the figure were selected because they stand out, so their shifts tend to be overestimated.",
        behind("Numbers", table("axis-values-numbers", heads, numbers), aside="percentage points"),
        attributed(notes, len(summary.standings)),
    )  # fmt: skip


def _which_axis(standing: Standing, level: float) -> Html | None:
    tested = [] if standing.sensitivity is None else [
        axis for axis in standing.sensitivity.marginal.values() if axis.p_holm is not None
    ]  # fmt: skip
    decided = [test.axis for test in tested if (test.p_holm or 0) <= 1 - level]
    if not tested:
        return None
    if not decided:
        return tag(
            "p",
            "No axis has a significant effect on the success of ",
            who(standing.contender),
            f" ({len(tested)} tested).",
        )
    return tag("p", "The success of ", who(standing.contender), " depends on ", listed(decided),
               f" ({counted(len(tested), 'axis', 'axes')} tested, by permutation within scenarios, with "
               "Holm's correction).")  # fmt: skip


def _pairs(summary: Summary, paired: Sequence[tuple[str, Standing, Sensitivity]]) -> Exhibit:
    known = looks_by_contender(summary)
    rows = [
        Dumbbell(
            axis, str(standing.contender), known[standing.contender], pairs.mad, pairs.p90, pairs.floor,
            pairs.p90_floor,
            f"{axis}, {standing.contender}: mean shift {rounded(pairs.mad.estimate * 100)} {ends(pairs.mad, 100)} "
            f"points, by noise alone {rounded(pairs.floor * 100)}; 90th percentile {rounded(pairs.p90 * 100)}, "
            f"by noise alone {rounded(pairs.p90_floor * 100)}; {counted(pairs.pairs, 'pair')}",
        )
        for axis, standing, pairs in paired
    ]  # fmt: skip
    drawn = figure(
        "sensitivity",
        "Shift of success along an axis",
        "; ".join(row.said for row in rows[:12]),
        lambda width: dumbbells(
            rows, width=width, write=lambda value: f"{value * 100:g}",
            axis=f"Shift{' between two values of the axis' if width > 400 else ''}, percentage points",
            keys=("mean shift, with its interval", "90th percentile", "expected from noise alone"),
        ),
    )  # fmt: skip
    heads = ("Axis", "Contender", "Pairs", "MAD", "Interval", "Noise", "Excess", "Interval", "90th", "Noise", "p, Holm")
    numbers: Rows = [
        [
            axis, str(standing.contender), Value(f"{pairs.pairs:,}", pairs.pairs),
            *(Value(rounded(v * 100), v) for v in (pairs.mad.estimate,)), Value(ends(pairs.mad, 100), pairs.mad.width),
            Value(rounded(pairs.floor * 100), pairs.floor),
            Value(rounded(pairs.excess.estimate * 100), pairs.excess.estimate),
            Value(ends(pairs.excess, 100), pairs.excess.width), Value(rounded(pairs.p90 * 100), pairs.p90),
            Value(rounded(pairs.p90_floor * 100), pairs.p90_floor), Value(chance(pairs.p_holm), pairs.p_holm),
        ]
        for axis, standing, pairs in paired
    ]  # fmt: skip
    return Exhibit(
        drawn,
        (
            tag("p", "Pairs of configurations that differ only along one axis, and the difference between their "
                     "success rates: the mean (small mark) and the 90th percentile (large mark)."),
            tag("p", "The thin ticks show both values if the axis had no effect: with few rollouts, success rates "
                     "differ by chance. Only the part beyond the tick is an effect of the axis."),
        ),
        "That an axis matters because its mark is far from zero: compare it with the tick. Which direction the "
        "effect has: shifts are absolute here. That an axis has no effect if mark and tick agree: the effect may be "
        "small.",
        behind("Numbers", table("sensitivity-numbers", heads, numbers), aside="percentage points"),
        attributed(
            ((standing.contender, note) for _, standing, pairs in paired for note in pairs.notes),
            len(summary.standings)
        ),
    )  # fmt: skip


def _exceedance(summary: Summary, measured: Sequence[tuple[str, Standing, Sensitivity]]) -> Exhibit:
    known = looks_by_contender(summary)
    axes = list(dict.fromkeys(axis for axis, _, _ in measured))
    shown = []
    for axis in axes:
        curves = []
        floors: list[tuple[float, ...]] = []
        for name, standing, effects in measured:
            if name == axis:
                label = str(standing.contender)
                at = effects.exceedance
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
        "Share of pairs with a larger shift",
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
        tag("p", "For each shift, the share of pairs with a larger shift. The dotted vertical line marks ten "
                 "percentage points. The steps come from the number of rollouts: with three rollouts, shifts are "
                 "multiples of a third."),
        "That curves of studies with different numbers of rollouts can be compared: noise alone raises the curves, "
        "more so with fewer rollouts.",
    )  # fmt: skip


def _above(thresholds: Sequence[float], values: Sequence[float], wanted: float) -> float:
    return values[min(range(len(thresholds)), key=lambda place: abs(thresholds[place] - wanted))]


def components(summary: Summary) -> Section:
    """Sources of variance."""
    title = "Sources of variance"
    measured = [
        (standing.contender, standing.components) for standing in summary.standings if standing.components is not None
    ]
    measured = [(contender, shares) for contender, shares in measured if shares.total > 0]
    if not measured:
        why = "There is no variance to decompose, or too little data."
        return Section("components", title, absent=why)
    names = list(dict.fromkeys(part.name for _, shares in measured for part in shares.parts))
    colours = ["c0", "c5", "c2", "c4", "c3", "c1", "c6", "c7", "ghost", "muted"]
    shades = {name: colours[place % len(colours)] for place, name in enumerate(names)}
    shades["rollout"] = "never"
    stack: list[Stack] = []
    rows: Rows = []
    for contender, found in measured:
        parts = {part.name: part for part in found.parts}
        shares = tuple(parts[name].share if name in parts else 0.0 for name in names)
        tooltips = tuple(
            f"{contender}: {rate(share)} of the variance of an episode comes from {name}"
            for share, name in zip(shares, names, strict=True)
        )
        stack.append(Stack(str(contender), shares, tooltips, tuple(f"{share * 100:.0f}%" for share in shares)))
        for part in found.parts:
            interval = "" if part.interval is None else plain_range(part.interval).partition(" ")[2]
            rows.append(
                [str(contender), part.name, Value(rate(part.share), part.share),
                 Value(plainly(part.sd), part.sd), Value(plainly(part.variance), part.variance),
                 Value(interval, None if part.interval is None else part.interval.width)]
            )  # fmt: skip
    drawn = figure(
        "components",
        "Variance of an episode by source",
        "; ".join(tooltip for row in stack[:8] for tooltip in row.said),
        lambda width: stacks(
            stack, [(name, shades[name]) for name in names], width=width, axis="Share of an episode's variance"
        ),
    )
    heads = ("Contender", "Source", "Share", "SD", "Variance", "Interval of the variance")
    exhibit = Exhibit(
        drawn,
        tag("p", "The success of a single episode varies because apps, scenarios and configurations differ, and "
                 "because an agent does not act identically twice. More rollouts reduce only the last part. If most "
                 "of the variance is between scenarios, more scenarios narrow the interval."),
        "How precisely the parts are known: shares from few scenarios are rough (see the intervals below). That "
        "contenders can be ranked by their shares: one that solves nearly everything or nearly nothing has little "
        "variance of any kind.",
        behind("Numbers", table("components-numbers", heads, rows)),
        attributed(((contender, note) for contender, shares in measured for note in shares.notes), len(measured)),
    )  # fmt: skip
    return Section("components", title, (exhibit,), link="Variance")
