"""More sections of a statistics report: reliability, and what success costs."""

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
"""So many points have room for a marker and a whisker each; a longer curve is a line with a band."""

COSTS = {
    "cost": ("Mean cost of an episode", "cost"),
    "steps": ("Mean steps of an episode", "steps"),
    "seconds": ("Mean seconds of an episode", "seconds"),
}


def reliability(summary: Summary) -> Section:
    """Pass^k and pass@k, consistency, and what changes between two contenders."""
    title = "Reliability"
    if _largest(summary) < 2:
        why = "Each configuration was tried once, so nothing can be said about trying again."
        return Section("reliability", title, absent=why)
    exhibits = [_pass_curves(summary), _consistency(summary)]
    exhibits += [_transition(*pair, place) for place, pair in enumerate(_chosen(summary))]
    repeated = all(standing.reliability.tasks == standing.configurations for standing in summary.standings)
    what = (
        "configuration: one scenario with one value on each axis" if repeated else "scenario in all its configurations"
    )
    intro = (
        f"A task is here a {what}. A contender that solves half of the tasks every time is not like one that solves "
        "every task half of the time, though both have the same success rate."
    )
    return Section("reliability", title, tuple(exhibits), intro=intro)


def _pass_curves(summary: Summary) -> Exhibit:
    largest = _largest(summary)

    def curves(hat: bool) -> tuple[Curve, ...]:
        found = []
        for (name, look), standing in zip(looks(summary), summary.standings, strict=True):
            one = standing.reliability.pass_hat if hat else standing.reliability.pass_at
            found.append(
                Curve(
                    name, look, tuple(map(float, one.ks)), tuple(point.estimate for point in one.points),
                    tuple(point.low for point in one.points), tuple(point.high for point in one.points),
                    points=largest <= MOST_POINTS,
                    said=tuple(f"{name}, {one.metric} at k = {k}: {rate_range(point)} percent"
                               for k, point in zip(one.ks, one.points, strict=True)),
                )
            )  # fmt: skip
        return tuple(found)

    hats, ats = curves(True), curves(False)
    step = max(1, math.ceil(largest / 8))
    drawn = figure(
        "reliability",
        "Pass^k and pass@k",
        "Share of tasks solved in all of k attempts (falling) and in at least one of k (rising). "
        + "; ".join(said for curve in hats[:10] for said in curve.said[-1:]),
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
            cells = [cell for one in pair for cell in (Value(rate(one.estimate), one.estimate), _width(one))]
            cells += [Value("", None)] * (4 - len(cells))
            tasks = Value(f"{hat.tasks[place]:,}", hat.tasks[place])
            rows.append([str(standing.contender), Value(str(k), k), *cells, tasks])
    return Exhibit(
        drawn,
        (
            tag("p", "Left: the chance that k attempts at a task all succeed, averaged over tasks. It starts at the "
                "success rate and falls; a reliable contender falls little. Right: the chance that at least one of k "
                "succeeds."),
            tag("p", "Both are unbiased estimates from the rollouts of each task, without replacement."),
        ),
        "How a contender does at larger k than were tried. That a user can have pass@k: choosing the attempt that "
        "succeeded takes somebody who can tell. The intervals are for each k alone.",
        behind("Numbers", table("reliability-numbers", heads, rows)),
        attributed(
            ((one.contender, note) for one in summary.standings for note in one.reliability.pass_hat.notes),
            len(summary.standings),
        ),
    )  # fmt: skip


def _largest(summary: Summary) -> int:
    return max(max(standing.reliability.pass_hat.ks) for standing in summary.standings)


def _width(found: Interval) -> Value:
    return Value(ends(found, 100), found.width)


def _consistency(summary: Summary) -> Exhibit:
    stack: list[Stack] = []
    rows: Rows = []
    for standing in summary.standings:
        found = standing.reliability.consistency
        counts = tuple(found.counts[name] for name, _ in CLASSES)
        shares = [found.shares[name] for name, _ in CLASSES]
        said = tuple(
            f"{standing.contender}: {counted(count, 'task')} solved {name} ({rate_range(share)} percent)"
            for count, share, (name, _) in zip(counts, shares, CLASSES, strict=True)
        )
        inside = tuple(rate(share.estimate) for share in shares)
        stack.append(
            Stack(str(standing.contender), tuple(map(float, counts)), said, inside, counted(found.tasks, "task"))
        )
        cells = [
            cell for count, share in zip(counts, shares, strict=True)
            for cell in (Value(f"{count:,}", count), Value(rate_range(share), share.estimate))
        ]  # fmt: skip
        rows.append([str(standing.contender), *cells])
    heads = ("Contender", "Always", "Percent", "Sometimes", "Percent", "Never", "Percent")
    drawn = figure(
        "consistency",
        "Solved always, sometimes, never",
        "; ".join(said for row in stack[:12] for said in row.said),
        lambda width: stacks(stack, CLASSES, width=width, axis="Share of tasks"),
    )
    return Exhibit(
        drawn,
        tag("p", "Tasks by how many of their rollouts succeeded: all, some, none. What lies in the middle can be won "
            "by trying again; what lies on the right needs a better agent."),
        "That a task solved always will be solved next time: with few rollouts, luck is enough to get there. "
        "More rollouts move tasks into the middle, so that bars with different numbers of rollouts do not compare.",
        behind("Numbers", table("consistency-numbers", heads, rows)),
        attributed(
            ((one.contender, note) for one in summary.standings for note in one.reliability.consistency.notes),
            len(summary.standings),
        ),
    )  # fmt: skip


def _chosen(summary: Summary) -> list[tuple[Duel, Transitions]]:
    """Neighbours in rank and conditions of one agent: where a change is of interest."""
    near = {frozenset(pair) for pair in pairwise(standing.contender for standing in summary.standings)}
    found = []
    for duel in summary.duels:
        a, b = duel.comparison.a, duel.comparison.b
        if duel.transitions is not None and (a.agent == b.agent or frozenset((a, b)) in near):
            found.append((a.agent != b.agent, duel, duel.transitions))
    found.sort(key=lambda one: one[0])  # conditions of one agent first; otherwise as ranked
    return [(duel, moved) for _, duel, moved in found[:MOST_FLOWS]]


def _transition(duel: Duel, found: Transitions, place: int) -> Exhibit:
    base, new = duel.comparison.b, duel.comparison.a
    improved, regressed = len(found.improved), len(found.regressed)
    drawn = figure(
        f"transitions-{place + 1}",
        f"From {printable(str(base))} to {printable(str(new))}",
        f"Of {found.tasks} tasks, {improved} are always solved by {new} and not by {base}; {regressed} the other way.",
        lambda width: flow(found.flow, CLASSES, (str(base), str(new)), width=width),
    )
    test = found.mcnemar
    lists = tag(
        "div",
        _names(f"Now always solved, and not by {base}", found.improved),
        _names(f"No longer always solved, but by {base}", found.regressed),
        class_="changes",
    )
    unit = "successes a task" if found.unit == "counts" else "in a task's success rate"
    return Exhibit(
        drawn,
        (
            tag("p", f"Tasks that both were run on ({found.tasks:,}), by how often they were solved: left by ",
                who(base), ", right by ", who(new), ". Blue flows rise, orange flows fall, grey ones stay."),
            tag("p", f"Always solved: {improved} gained, {regressed} lost (McNemar, {test.recommended}: p "
                f"{_equals(test.p_value)}). Mean change {rounded(found.delta.estimate, 2)} {ends(found.delta, 1, 2)} "
                f"{unit} (Wilcoxon: p {_equals(found.wilcoxon.p_value)})."),
        ),
        "That each listed task was improved or broken: even the same agent, run twice, would move tasks both ways. "
        "Tasks of one scenario resemble each other, which these two tests do not know; the decision above does.",
        behind("Which tasks", lists, aside=f"{improved} gained, {regressed} lost") if improved or regressed else None,
        attributed((("", note) for note in (*found.notes, *found.mcnemar.notes, *found.wilcoxon.notes)), 1),
    )  # fmt: skip


def _equals(p: float) -> str:
    said = chance(p)
    return said if said.startswith("<") else f"= {said}"


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
        said = (
            f"{name}: success {rate_range(standing.score)} percent; {unit} {plain_range(spread.mean)} on average, "
            f"median {plainly(spread.median)}, from {plainly(spread.p10)} to {plainly(spread.p90)} in the middle 80%"
        )
        spots.append(Spot(name, known[standing.contender], spread.mean, standing.score, said))
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
        f"The dashed staircase is the Pareto front: along it, better means more {unit}, and no contender beats those "
        "on it in both."
        if len(best) > 1
        else (who(spots[best[0]].label), " is ahead in both: no other one does as well for less.")
        if len(spots) > 1
        else None
    )
    heads = ["Contender", "Mean", "Interval", "Median", "10th", "90th", "Episodes", "Missing"]
    heads += ["Cost of a success"] if column == "cost" else []
    missing = sum(standing.spreads[column].missing for standing in measured)
    gap = f" {counted(missing, 'scored episode')} without a value {'is' if missing == 1 else 'are'} left out."
    return Exhibit(
        drawn,
        tag("p", f"Score against mean {unit}, with intervals both ways. ", front_said, gap if missing else None),
        "That a contender off the front is worse: intervals may overlap. "
        + ("That costs are those of today: they are what the table says, with the prices of its day."
           if column == "cost" else
           f"That fewer {unit} made it better or worse: failed episodes often run to their budget, so success and "
           f"{unit} depend on each other."),
        behind("Numbers", table(f"success-{column}-numbers", heads, rows)),
    )  # fmt: skip
