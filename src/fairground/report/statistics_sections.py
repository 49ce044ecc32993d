"""The sections of a statistics report: figures, their explanations, and what not to conclude from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairground.core import Outcome
from fairground.report.data_table import Rows, Value, behind, table
from fairground.report.html import Child, Html, tag
from fairground.report.palette import paint
from fairground.report.plots import (
    Cell,
    Curve,
    Figure,
    Look,
    Panel,
    Row,
    Stack,
    columns,
    figure,
    forest,
    look_of,
    matrix,
    panels,
    stacks,
)
from fairground.report.plots.scale import percent, plainly, points
from fairground.report.statistics_words import (
    attributed,
    chance,
    counted,
    point_range,
    rate,
    rate_range,
    statistic_in_words,
)

if TYPE_CHECKING:
    from fairground.stats.suites.bootstrap import Profile
    from fairground.stats.summary import Duel, Standing, Summary
    from fairground.stats.tables.table import Contender

FOREST_PAIRS = 21
"""Maximum number of differences in a forest plot; more are drawn as a matrix."""

MOST_APPS = 80
"""Maximum number of apps in a figure; the table below it lists all."""

MOST_BROKEN = 40
"""Maximum number of apps with errors in a figure."""

TAUS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True)
class Exhibit:
    """A figure with its explanation.

    Attributes:
        figure: The figure.
        says: What it shows and how to read it.
        silent: What not to conclude from it.
        below: Tables and lists below it.
        notes: Remarks about these data.
    """

    figure: Figure
    says: Child
    silent: Child
    below: Child = None
    notes: tuple[Child, ...] = ()


@dataclass(frozen=True)
class Section:
    """A section of the report. Without exhibits it says why it is empty.

    Attributes:
        name: Name for links.
        title: Its heading.
        exhibits: Its figures.
        absent: Why there are none.
        intro: Text above them.
        link: A shorter title for the list of sections.
    """

    name: str
    title: str
    exhibits: tuple[Exhibit, ...] = ()
    absent: str = ""
    intro: Child = None
    link: str = ""


def looks(summary: Summary) -> list[tuple[str, Look]]:
    """Return names and appearance of all contenders, best first; the same in every figure."""
    return [(str(standing.contender), look_of(place)) for place, standing in enumerate(summary.standings)]


def looks_by_contender(summary: Summary) -> dict[Contender, Look]:
    """Return the same by contender: two contenders can have the same name."""
    return {standing.contender: look_of(place) for place, standing in enumerate(summary.standings)}


def standings_figure(summary: Summary) -> Figure:
    """Plot the leaderboard as a forest plot."""
    rows = [
        Row(
            name,
            standing.score,
            look,
            note=rate_range(standing.score),
            said=f"{name}: {rate_range(standing.score)} percent",
        )
        for (name, look), standing in zip(looks(summary), summary.standings, strict=True)
    ]
    axis = f"Score in percent: {statistic_in_words(summary.statistic)}"
    return figure(
        "standings",
        "Scores with intervals",
        "Each contender's score with its interval. " + "; ".join(row.said for row in rows[:20]),
        lambda width: forest(
            rows, width=width, write=percent, axis=axis if width > 400 else "Score", floor=0.0, ceiling=1.0
        ),
    )


def differences(summary: Summary) -> Section:
    """Every pair of contenders: which is better, by how much, and whether that is significant."""
    title = "Pairwise comparison"
    pairs = summary.duels
    if not pairs:
        alone = len(summary.standings) == 1
        why = "There is only one contender, so there is nothing to compare." if alone else "No two share an app."
        return Section("differences", title, absent=why)
    draw = _pair_forest if len(pairs) <= FOREST_PAIRS else _pair_matrix
    paired = Counter(duel.comparison.pairing for duel in pairs)
    how = {
        "configurations": "Both contenders were run with the same configurations, so the difference is taken within "
        "them: what makes a configuration hard for both cancels out.",
        "scenarios": "The two share scenarios but not configurations, so the difference is taken within scenarios.",
        "apart": "The two share only apps and no scenarios, so their samples are compared independently.",
    }
    heads = ("First", "Second", "Difference", "Interval", "p", "p, Holm", "Significant", "Paired by", "Matched")
    rows: Rows = [
        [
            str(comparison.a), str(comparison.b),
            Value(point_range(comparison.difference).partition(" ")[0], comparison.difference.estimate),
            Value(point_range(comparison.difference).partition(" ")[2], comparison.difference.width),
            Value(chance(comparison.p_value), comparison.p_value), Value(chance(duel.adjusted), duel.adjusted),
            _winner(duel),
            comparison.pairing, Value(f"{comparison.matched:,}", comparison.matched),
        ]
        for duel, comparison in ((duel, duel.comparison) for duel in pairs)
    ]  # fmt: skip
    exhibit = Exhibit(
        draw(summary),
        (
            tag("p", "The first contender's score minus the second's, in percentage points. Filled marks are "
                     "significant: Holm's correction limits the probability of any false positive among "
                     f"{counted(len(pairs), 'pair')} to {1 - summary.level:.0%}. Dotted lines are not significant.")
            if draw is _pair_forest else
            tag("p", "Score of the row minus score of the column, in percentage points. Bold numbers are "
                     f"significant after Holm's correction over all {len(pairs)} pairs; grey ones are not."),
            [tag("p", f"{count} of {len(pairs)} pairs: " if len(paired) > 1 else None, how.get(kind, kind))
             for kind, count in sorted(paired.items())],
        ),
        "That a pair without a significant difference is equal: there may be too little data. That a significant "
        "difference matters in practice: look at its size. That an interval that excludes zero is significant: "
        "intervals are for one pair each, and only the test accounts for the number of pairs.",
        behind("Numbers", table("differences-numbers", heads, rows)),
        attributed((("", note) for duel in pairs for note in duel.comparison.notes), 1),
    )  # fmt: skip
    return Section("differences", title, (exhibit,), link="Differences")


def _winner(duel: Duel) -> str:
    return "open" if duel.better is None else f"{duel.better} is better"


def _told(duel: Duel) -> str:
    comparison = duel.comparison
    gap = point_range(comparison.difference)
    return f"{comparison.a} minus {comparison.b}: {gap} points; {_winner(duel)}, p {chance(duel.adjusted)}"


def _pair_forest(summary: Summary) -> Figure:
    known = looks_by_contender(summary)
    rows = []
    for duel in summary.duels:
        comparison, winner = duel.comparison, duel.better
        colour = paint("muted") if winner is None else known[winner].colour
        shape = known[comparison.a if winner is None else winner].shape
        rows.append(
            Row(
                f"{_short(comparison.a)} \N{MINUS SIGN} {_short(comparison.b)}",
                comparison.difference,
                Look(colour, shape, None),
                note=point_range(comparison.difference),
                said=_told(duel),
                hollow=winner is None,
            )
        )
    return figure(
        "differences",
        "Differences between contenders",
        "Differences with intervals. " + "; ".join(row.said for row in rows[:20]),
        lambda width: forest(
            rows, width=width, write=points, axis="Difference in percentage points", zero=0.0,
            ends=("second better", "first better"), apart=width < 400,
        ),
    )  # fmt: skip


def _pair_matrix(summary: Summary) -> Figure:
    names = [str(standing.contender) for standing in summary.standings]
    place = {standing.contender: index for index, standing in enumerate(summary.standings)}
    cells: list[list[Cell | None]] = [[None] * len(names) for _ in names]
    most = max(abs(duel.comparison.difference.estimate) for duel in summary.duels) or 1.0
    for duel in summary.duels:
        comparison, clear, tooltip = duel.comparison, duel.better is not None, _told(duel)
        gap = comparison.difference
        for row, column, sign in ((comparison.a, comparison.b, 1), (comparison.b, comparison.a, -1)):
            cells[place[row]][place[column]] = Cell(
                sign * gap.estimate / most if clear else 0.0, points(round(sign * gap.estimate, 2)), tooltip, clear
            )
    return figure(
        "differences",
        "Differences between contenders",
        f"Matrix of {len(names)} contenders: each cell is the row's score minus the column's in percentage points.",
        lambda width: matrix(names, names, cells, width=width, corner="Row minus column, percentage points"),
    )


def _short(name: object) -> str:
    text = str(name)
    return text if len(text) <= 24 else f"{text[:23]}…"


def apps(summary: Summary) -> Section:
    """Success of every contender in every app."""
    every = list(dict.fromkeys(app for standing in summary.standings for app in standing.apps))

    def middle(app: str) -> float:
        rates = [standing.apps[app].estimate for standing in summary.standings if app in standing.apps]
        return sum(rates) / len(rates)

    every.sort(key=lambda app: (-middle(app), app))
    shown = every
    if len(every) > MOST_APPS:
        # Keep the apps in which contenders differ most.
        shown = sorted(every, key=lambda app: -_spread(summary, app))[:MOST_APPS]
        shown.sort(key=every.index)
    values = [standing.apps for standing in summary.standings]
    whom = looks(summary)
    drawn = figure(
        "apps",
        "Success by app",
        f"Success rates with intervals of {counted(len(whom), 'contender')} in {counted(len(shown), 'app')}, from "
        "the easiest to the hardest app.",
        lambda width: columns(shown, whom, values, width=width, axis="Success rate", write=rate),
    )
    heads = ("App", *(name for name, _ in whom))
    rows: Rows = [[app, *(_rate_cell(standing, app) for standing in summary.standings)] for app in every]
    note = f" Drawn are the {MOST_APPS} of {len(every)} apps where contenders differ most." if shown != every else ""
    exhibit = Exhibit(
        drawn,
        tag("p", "Each app's success rate: the mean over its scenarios, with equal weights. Apps are sorted from "
                 "easy to hard, over all contenders." + note),
        "That a contender is better in an app because its mark is further right: with many apps some gaps are "
        "chance, and nothing is tested here. That an app is hard in general: it was hard with these scenarios. That "
        "an interval is precise in an app with few scenarios.",
        behind("Numbers", table("apps-numbers", heads, rows), aside="percent, with intervals"),
    )  # fmt: skip
    return Section("apps", "Results by app", (exhibit,), link="Apps")


def _spread(summary: Summary, app: str) -> float:
    rates = [standing.apps[app].estimate for standing in summary.standings if app in standing.apps]
    return max(rates) - min(rates)


def _rate_cell(standing: Standing, app: str) -> Value:
    interval = standing.apps.get(app)
    return Value("", None) if interval is None else Value(rate_range(interval), interval.estimate)


def profiles(summary: Summary) -> Section:
    """Performance profiles."""
    title = "Performance profiles"
    count = max(len(standing.apps) for standing in summary.standings)
    if count < 3:
        why = f"A profile is a share of apps, and there {'is only one app' if count == 1 else 'are only two apps'}."
        return Section("profiles", title, absent=why)
    curves = []
    for (name, look), standing in zip(looks(summary), summary.standings, strict=True):
        profile = standing.profile
        half = _at(profile.thresholds, profile.fraction, 0.5)
        curves.append(
            Curve(
                name, look, tuple(profile.thresholds), tuple(profile.fraction), tuple(profile.low), tuple(profile.high),
                step=True, said=f"{name}: at least half of the attempts succeed in {percent(round(half, 3))} of apps",
            )
        )  # fmt: skip
    drawn = figure(
        "profiles",
        "Share of apps that reach each success rate",
        "For each success rate tau, the share of apps in which a contender reaches it. "
        + "; ".join(str(curve.said) for curve in curves[:12]),
        lambda width: panels(
            [Panel("", tuple(curves))], width=width, across=1, x=(0.0, 1.0), ticks=(0.0, 0.2, 0.4, 0.6, 0.8, 1.0),
            x_axis="Success rate τ", y_axis="Share of apps with at least τ", write_x=percent, write_y=percent,
            tall=280 if width > 400 else 230,
        ),
    )  # fmt: skip
    heads = ("At least", *(curve.label for curve in curves))
    rows: Rows = [
        [Value(percent(tau), tau), *(_share_cell(standing.profile, tau) for standing in summary.standings)]
        for tau in TAUS
    ]
    exhibit = Exhibit(
        drawn,
        tag("p", "How evenly success is distributed: the height at τ is the share of apps in which a contender's "
                 "success rate is at least τ. A curve that is above another one everywhere belongs to the contender "
                 "that is better at every threshold. A curve that falls early but ends late belongs to a contender "
                 f"that excels in some apps and fails in others. Bands are pointwise {summary.level:.0%} bootstrap "
                 "intervals."),
        "That two contenders differ because their curves cross or lie apart: bands are pointwise, and neither "
        "paired nor corrected. That these curves can be compared with those of another suite: other apps give other "
        "curves.",
        behind("Numbers", table("profiles-numbers", heads, rows), aside="share of apps"),
    )  # fmt: skip
    return Section("profiles", title, (exhibit,), link="Profiles")


def _at(thresholds: Sequence[float], values: Sequence[float], wanted: float) -> float:
    return values[min(range(len(thresholds)), key=lambda place: abs(thresholds[place] - wanted))]


def _share_cell(profile: Profile, tau: float) -> Value:
    share = _at(profile.thresholds, profile.fraction, tau)
    return Value(percent(round(share, 3)), share)


def outcomes(summary: Summary) -> Section:
    """Outcomes of episodes, and those without a score."""
    rows = []
    kinds = (
        (Outcome.PASSED, "passed"), (Outcome.FAILED, "failed"), (Outcome.ERRORED, "errored"),
        (Outcome.INVALID, "invalid"),
    )  # fmt: skip
    for standing in summary.standings:
        counts = [standing.outcomes.get(kind, 0) for kind, _ in kinds]
        total = sum(counts)
        rows.append(
            Stack(
                str(standing.contender), tuple(map(float, counts)),
                tuple(f"{standing.contender}: {count:,} of {counted(total, 'episode')} {name}"
                      for count, (_, name) in zip(counts, kinds, strict=True)),
                tuple(f"{count:,}" for count in counts), f"{total:,}",
            )
        )  # fmt: skip
    drawn = figure(
        "outcomes",
        "Outcomes",
        "; ".join(" ".join(row.said) for row in rows[:12]),
        lambda width: stacks(rows, [(name, name) for _, name in kinds], width=width, axis="Share of episodes"),
    )
    heads = ("Contender", "Passed", "Failed", "Errored", "Invalid", "All", "Scored")
    numbers: Rows = []
    for standing in summary.standings:
        counts = [standing.outcomes.get(kind, 0) for kind, _ in kinds]
        cells = [Value(f"{count:,}", count) for count in (*counts, sum(counts), counts[0] + counts[1])]
        numbers.append([str(standing.contender), *cells])
    exhibit = Exhibit(
        drawn,
        tag("p", "Passed and failed episodes are results. An episode that the agent aborted has failed. Errored "
                 "episodes were broken by the infrastructure (unless a note says that agent errors were excluded). "
                 "Invalid episodes had a configuration that could not be solved. Neither affects the score; if "
                 "episodes errored, the leaderboard also shows the score with errors as failures."),
        "That errors are harmless: if they occur where tasks are hard (long episodes break more often), the "
        "remaining tasks are easier than planned. If shares of errors differ strongly between contenders, run the "
        "errored episodes again.",
        behind("Numbers", table("outcomes-numbers", heads, numbers)),
    )  # fmt: skip
    return Section("outcomes", "Errors and denominators", (exhibit, *_broken(summary)), link="Errors")


def _broken(summary: Summary) -> tuple[Exhibit, ...]:
    """Plot errors per contender and app; None if there are none."""
    lost = {
        (standing.contender, app): (counts[Outcome.ERRORED], counts[Outcome.INVALID], sum(counts.values()))
        for standing in summary.standings
        for app, counts in standing.app_outcomes.items()
    }
    totals: dict[str, int] = {}
    for (_, app), (errored, invalid, _) in lost.items():
        totals[app] = totals.get(app, 0) + errored + invalid
    shown = sorted((app for app, count in totals.items() if count), key=lambda app: (-totals[app], app))
    if not shown:
        return ()
    worst = shown[:MOST_BROKEN]
    most = max(errored + invalid for errored, invalid, _ in lost.values())
    cells: list[list[Cell | None]] = []
    for app in worst:
        row: list[Cell | None] = []
        for standing in summary.standings:
            if (standing.contender, app) not in lost:
                row.append(None)
                continue
            errored, invalid, total = lost[standing.contender, app]
            tooltip = (
                f"{app}, {standing.contender}: {errored} errored, {invalid} invalid of {counted(total, 'episode')}"
            )
            row.append(Cell(-(errored + invalid) / most, str(errored + invalid), tooltip, errored + invalid > 0))
        cells.append(row)
    names = [str(standing.contender) for standing in summary.standings]
    drawn = figure(
        "broken",
        "Episodes without a score, by app",
        f"Matrix of {len(worst)} apps and {len(names)} contenders with the number of errored and invalid episodes.",
        lambda width: matrix(worst, names, cells, width=width),
    )
    heads = ("App", "Contender", "Errored", "Invalid", "All")
    rows: Rows = [
        [app, str(contender), *(Value(f"{count:,}", count) for count in counts)]
        for (contender, app), counts in lost.items()
        if counts[0] + counts[1]
    ]
    note = f" Drawn are the {len(worst)} of {len(shown)} apps with the most errors." if len(worst) < len(shown) else ""
    return (
        Exhibit(
            drawn,
            tag("p", f"Errored and invalid episodes of each contender, for each app that has any.{note}"),
            "Why they broke: see the episodes' own records. A similar number for all contenders suggests a fault of "
            "the app or a configuration; different numbers suggest the agent or chance.",
            behind("Numbers", table("broken-numbers", heads, rows)),
        ),
    )


def said_already(summary: Summary) -> dict[str, str]:
    """Return the names of sections that would add no information, each with the reason."""
    standings = summary.standings
    ended = {kind for standing in standings for kind in Outcome if kind.scored and standing.outcomes.get(kind, 0)}
    reasons: dict[str, str] = {}
    if len(ended) == 1:
        how = f"Every scored episode {ended.pop()}"
        reasons |= dict.fromkeys(("apps", "profiles"), f"{how}, in every app.")
        reasons["reliability"] = f"{how}: another attempt changed nothing."
        reasons["sensitivity"] = f"{how}, whatever the axis."
    if len({app for standing in standings for app in standing.apps}) == 1:
        reasons["apps"] = "There is only one app: its success rate is the score."
    if len(standings) == 1:
        means = [f"{name} {plainly(spread.mean.estimate)}" for name, spread in standings[0].spreads.items()]
        averages = f" On average: {', '.join(means)}." if means else ""
        reasons["costs"] = f"There is only one contender, so there is nothing to compare.{averages}"
    if not any(summary.outcomes.get(kind, 0) for kind in Outcome if not kind.scored):
        reasons["outcomes"] = (
            f"{counted(summary.episodes, 'episode')} in total, all scored: none errored, none invalid."
        )
    return reasons


def absent(sections: Sequence[Section]) -> Html | None:
    """Render one line for each section without content."""
    lines = [
        tag("p", tag("b", f"{section.title}: "), section.absent, class_="absent")
        for section in sections
        if not section.exhibits
    ]
    return (
        tag("section", tag("h2", "Omitted sections"), tag("div", lines, class_="lines"), class_="card")
        if lines
        else None
    )
