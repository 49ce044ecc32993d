"""Report sections about reliability and about the cost of success."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from fairground.report.data_table import Rows, Value, behind, table
from fairground.report.html import Child, Html, tag
from fairground.report.plots import (
    Curve,
    Panel,
    Spot,
    Stack,
    figure,
    flow,
    panels,
    scatter,
    stacks,
)
from fairground.report.plots.scale import percent, plainly, rounded
from fairground.report.plots.scatter import front
from fairground.report.plots.svg import printable
from fairground.report.statistics_sections import Exhibit, Section, looks, looks_by_contender
from fairground.report.statistics_words import attributed, chance, counted, ends, plain_range, rate, rate_range, who
from fairground.stats.interval import Interval

if TYPE_CHECKING:
    from fairground.stats.summary import Duel, Standing, Summary
    from fairground.stats.tasks.transitions import Transitions

CLASSES = (("always", "always"), ("sometimes", "sometimes"), ("never", "never"))
MOST_FLOWS = 4
MOST_NAMES = 200
MOST_POINTS = 12
"""Maximum number of points drawn with markers and whiskers; a longer curve is drawn as a line with a band."""

COSTS = {
    "cost": ("Mean cost per episode", "cost"),
    "steps": ("Mean steps per episode", "steps"),
    "seconds": ("Mean seconds per episode", "seconds"),
}


def reliability(summary: Summary) -> Section:
    """Pass^k and pass@k, consistency, and changes between two contenders."""
    title = "Reliability"
    if _largest(summary) < 2:
        why = "Each configuration was tried only once, so reliability cannot be estimated."
        return Section("reliability", title, absent=why)
    exhibits = [_pass_curves(summary), _consistency(summary)]
    exhibits += [_transition(*pair, place) for place, pair in enumerate(_chosen(summary))]
    repeated = all(standing.reliability.tasks == standing.configurations for standing in summary.standings)
    what = (
        "configuration: one scenario with one value on each axis"
        if repeated
        else "scenario with all its configurations"
    )
    intro = (
        f"Here a task is a {what}. A contender that always solves half of the tasks differs from one that solves "
        "every task half of the time, although both have the same success rate."
    )
    return Section("reliability", title, tuple(exhibits), intro=intro)


def _pass_curves(summary: Summary) -> Exhibit:
    largest = _largest(summary)

    def curves(hat: bool) -> tuple[Curve, ...]:
        lines = []
        for (name, look), standing in zip(looks(summary), summary.standings, strict=True):
            curve = standing.reliability.pass_hat if hat else standing.reliability.pass_at
            lines.append(
                Curve(
                    name, look, tuple(map(float, curve.ks)), tuple(point.estimate for point in curve.points),
                    tuple(point.low for point in curve.points), tuple(point.high for point in curve.points),
                    points=largest <= MOST_POINTS,
                    said=tuple(f"{name}, {curve.metric} at k = {k}: {rate_range(point)} percent"
                               for k, point in zip(curve.ks, curve.points, strict=True)),
                )
            )  # fmt: skip
        return tuple(lines)

    hats, ats = curves(True), curves(False)
    step = max(1, math.ceil(largest / 8))
    drawn = figure(
        "reliability",
        "Pass^k and pass@k",
        "Share of tasks solved in all of k attempts (falling) and in at least one of k (rising). "
        + "; ".join(tooltip for curve in hats[:10] for tooltip in curve.said[-1:]),
        lambda width: panels(
            [Panel("Pass^k: solved in all of k attempts", hats), Panel("pass@k: solved in at least one", ats)],
            width=width, across=2, x=(0.6, largest + 0.4), ticks=tuple(map(float, range(1, largest + 1, step))),
            x_axis="Attempts k", y_axis="Share of tasks", write_x=lambda k: f"{k:.0f}", write_y=percent,
            tall=240 if width > 400 else 200,
        ),
    )  # fmt: skip
    heads = ("Contender", "k", "Pass^k", "Interval", "pass@k", "Interval", "Tasks")
    rows: Rows = []
    for standing in summary.standings:
        hat, at = standing.reliability.pass_hat, standing.reliability.pass_at
        for place, k in enumerate(hat.ks):
            pair = [hat.points[place], at.points[place]] if place < len(at.points) else [hat.points[place]]
            cells = [
                cell
                for interval in pair
                for cell in (Value(rate(interval.estimate), interval.estimate), _width(interval))
            ]
            cells += [Value("", None)] * (4 - len(cells))
            tasks = Value(f"{hat.tasks[place]:,}", hat.tasks[place])
            rows.append([str(standing.contender), Value(str(k), k), *cells, tasks])
    return Exhibit(
        drawn,
        (
            tag("p", "Left: the probability that all of k attempts at a task succeed, averaged over tasks. It "
                     "starts at the success rate and falls; a reliable contender falls little. Right: the "
                     "probability that at least one of k attempts succeeds."),
            tag("p", "Both are unbiased estimates from the rollouts of each task, drawn without replacement."),
        ),
        "What happens at larger k than were tried. That a user gets pass@k: choosing the successful attempt "
        "requires recognising it. That the intervals hold jointly: each is for one k.",
        behind("Numbers", table("reliability-numbers", heads, rows)),
        attributed(
            ((standing.contender, note) for standing in summary.standings
             for note in standing.reliability.pass_hat.notes),
            len(summary.standings),
        ),
    )  # fmt: skip


def _largest(summary: Summary) -> int:
    return max(max(standing.reliability.pass_hat.ks) for standing in summary.standings)


def _width(interval: Interval) -> Value:
    return Value(ends(interval, 100), interval.width)


def _consistency(summary: Summary) -> Exhibit:
    stack: list[Stack] = []
    rows: Rows = []
    for standing in summary.standings:
        consistency = standing.reliability.consistency
        counts = tuple(consistency.counts[name] for name, _ in CLASSES)
        shares = [consistency.shares[name] for name, _ in CLASSES]
        tooltips = tuple(
            f"{standing.contender}: {counted(count, 'task')} solved {name} ({rate_range(share)} percent)"
            for count, share, (name, _) in zip(counts, shares, CLASSES, strict=True)
        )
        inside = tuple(rate(share.estimate) for share in shares)
        stack.append(
            Stack(
                str(standing.contender), tuple(map(float, counts)), tooltips, inside, counted(consistency.tasks, "task")
            )
        )
        cells = [
            cell for count, share in zip(counts, shares, strict=True)
            for cell in (Value(f"{count:,}", count), Value(rate_range(share), share.estimate))
        ]  # fmt: skip
        rows.append([str(standing.contender), *cells])
    heads = ("Contender", "Always", "Percent", "Sometimes", "Percent", "Never", "Percent")
    drawn = figure(
        "consistency",
        "Tasks solved always, sometimes and never",
        "; ".join(tooltip for row in stack[:12] for tooltip in row.said),
        lambda width: stacks(stack, CLASSES, width=width, axis="Share of tasks"),
    )
    return Exhibit(
        drawn,
        tag("p", "Tasks by how many of their rollouts succeeded: all, some or none. Tasks in the middle can be "
                 "solved by retrying; tasks on the right need a better agent."),
        "That an always solved task will be solved next time: with few rollouts, this can be luck. That bars with "
        "different numbers of rollouts can be compared: more rollouts move tasks into the middle.",
        behind("Numbers", table("consistency-numbers", heads, rows)),
        attributed(
            ((standing.contender, note) for standing in summary.standings
             for note in standing.reliability.consistency.notes),
            len(summary.standings),
        ),
    )  # fmt: skip


def _chosen(summary: Summary) -> list[tuple[Duel, Transitions]]:
    """Choose pairs of interest: conditions of one agent, and neighbours in rank."""
    near = {frozenset(pair) for pair in pairwise(standing.contender for standing in summary.standings)}
    chosen = []
    for duel in summary.duels:
        a, b = duel.comparison.a, duel.comparison.b
        if duel.transitions is not None and (a.agent == b.agent or frozenset((a, b)) in near):
            chosen.append((a.agent != b.agent, duel, duel.transitions))
    chosen.sort(key=lambda pair: pair[0])  # conditions of one agent first; otherwise by rank
    return [(duel, moved) for _, duel, moved in chosen[:MOST_FLOWS]]


def _transition(duel: Duel, transitions: Transitions, place: int) -> Exhibit:
    base, new = duel.comparison.b, duel.comparison.a
    improved, regressed = len(transitions.improved), len(transitions.regressed)
    drawn = figure(
        f"transitions-{place + 1}",
        f"From {printable(str(base))} to {printable(str(new))}",
        f"Of {counted(transitions.tasks, 'task')}, always solved by {new} but not by {base}: {improved}; the other "
        f"way round: {regressed}.",
        lambda width: flow(transitions.flow, CLASSES, (str(base), str(new)), width=width),
    )
    test = transitions.mcnemar
    lists = tag(
        "div",
        _names(f"Always solved now, but not by {base}", transitions.improved),
        _names(f"No longer always solved, but always by {base}", transitions.regressed),
        class_="changes",
    )
    unit = "successes per task" if transitions.unit == "counts" else "in a task's success rate"
    return Exhibit(
        drawn,
        (
            tag("p", f"Tasks that both ran ({transitions.tasks:,}), by how often they were solved: on the left by ",
                who(base), ", on the right by "
                           "", who(new), ". Blue flows are improvements, orange flows are regressions, "
                                                    "grey flows are unchanged."),
            tag("p", f"Always solved: {improved} gained, {regressed} lost (McNemar, {test.recommended}: p "
                     f"{_equals(test.p_value)}). Mean change {rounded(transitions.delta.estimate, 2)} "
                     f"{ends(transitions.delta, 1, 2)} {unit} (Wilcoxon: p {_equals(transitions.wilcoxon.p_value)})."),
        ),
        "That each listed task was really improved or broken: even the same agent, run twice, would move tasks both "
        "ways. That the tasks are independent, as these two tests assume: tasks of one scenario are alike. The "
        "pairwise comparison above accounts for that.",
        behind("Tasks", lists, aside=f"{improved} gained, {regressed} lost") if improved or regressed else None,
        attributed(
            (("", note) for note in (*transitions.notes, *transitions.mcnemar.notes, *transitions.wilcoxon.notes)), 1
        ),
    )  # fmt: skip


def _equals(p: float) -> str:
    text = chance(p)
    return text if text.startswith("<") else f"= {text}"


def _names(title: str, names: Sequence[object]) -> Html:
    items: list[Child] = [tag("li", who(name)) for name in names[:MOST_NAMES]]
    if len(names) > MOST_NAMES:
        items.append(tag("li", f"and {len(names) - MOST_NAMES:,} more"))
    shown = tag("ul", items) if items else tag("p", "none")
    return tag("div", tag("h4", printable(title)), shown)


def costs(summary: Summary) -> Section:
    """Success against cost, steps and seconds."""
    title = "Cost and steps"
    exhibits = []
    for column, (axis, unit) in COSTS.items():
        measured = [standing for standing in summary.standings if column in standing.spreads]
        if measured:
            exhibits.append(_against(summary, measured, column, axis, unit))
    if not exhibits:
        return Section("costs", title, absent="The table has no column of steps, seconds or cost.")
    return Section("costs", title, tuple(exhibits))


def _against(summary: Summary, measured: Sequence[Standing], column: str, axis: str, unit: str) -> Exhibit:
    known = looks_by_contender(summary)
    spots = []
    rows: Rows = []
    for standing in measured:
        name, spread = str(standing.contender), standing.spreads[column]
        tooltip = (
            f"{name}: success {rate_range(standing.score)} percent; {unit} {plain_range(spread.mean)} on average, "
            f"median {plainly(spread.median)}, from {plainly(spread.p10)} to {plainly(spread.p90)} in the middle 80%"
        )
        spots.append(Spot(name, known[standing.contender], spread.mean, standing.score, tooltip))
        each = standing.cost_per_success
        rows.append(
            [
                name, Value(plainly(spread.mean.estimate), spread.mean.estimate),
                Value(plain_range(spread.mean).partition(" ")[2], spread.mean.width),
                Value(plainly(spread.median), spread.median), Value(plainly(spread.p10), spread.p10),
                Value(plainly(spread.p90), spread.p90), Value(f"{spread.count:,}", spread.count),
                Value(f"{spread.missing:,}", spread.missing),
                *((Value("" if each is None else plainly(each), each),) if column == "cost" else ()),
            ]
        )  # fmt: skip
    drawn = figure(
        f"success-{column}",
        f"Success against {unit}",
        "; ".join(spot.said for spot in spots[:12]),
        lambda width: scatter(spots, width=width, x_axis=axis, y_axis="Score", write=plainly),
    )
    best = front([(spot.x.estimate, spot.y.estimate) for spot in spots])
    front_said: Child = (
        f"The dashed staircase is the Pareto front: no contender beats those on it in both score and {unit}."
        if len(best) > 1
        else (who(spots[best[0]].label), " is best in both: no other contender does as well for less.")
        if len(spots) > 1
        else None
    )
    heads = ["Contender", "Mean", "Interval", "Median", "10th", "90th", "Episodes", "Missing"]
    heads += ["Cost per success"] if column == "cost" else []
    missing = sum(standing.spreads[column].missing for standing in measured)
    gap = f" {counted(missing, 'scored episode')} without a value {'is' if missing == 1 else 'are'} excluded."
    return Exhibit(
        drawn,
        tag("p", f"Score against mean {unit}, with intervals in both directions. "
                 "", front_said, gap if missing else None),
        "That a contender off the front is worse: intervals may overlap. "
        + ("That costs are current: they come from the table, with the prices of its day."
           if column == "cost" else
           f"That fewer {unit} caused more or less success: failed episodes often use their whole budget, so "
           f"success and {unit} depend on each other."),
        behind("Numbers", table(f"success-{column}-numbers", heads, rows)),
    )  # fmt: skip
