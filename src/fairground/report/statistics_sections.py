"""The sections of a statistics report: which figures, what each means, and what may not be concluded from it."""

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
"""So many differences make a forest plot that one can read; more of them become a matrix."""

MOST_APPS = 80
"""So many apps fit into a figure; the table below it has them all."""

MOST_BROKEN = 40
"""So many apps with errors are drawn."""

TAUS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True)
class Exhibit:
    """A figure with its explanation.

    Attributes:
        figure: What is drawn.
        says: What it shows and how to read it.
        silent: What may not be concluded from it.
        below: Numbers and lists that go with it.
        notes: What must be known of these data in particular.
    """

    figure: Figure
    says: Child
    silent: Child
    below: Child = None
    notes: tuple[Child, ...] = ()


@dataclass(frozen=True)
class Section:
    """A part of the report. Without exhibits it says why it is empty.

    Attributes:
        name: For links.
        title: Its heading.
        exhibits: Its figures.
        absent: Why there are none.
        intro: What stands above them.
        link: A shorter title for the list of sections.
    """

    name: str
    title: str
    exhibits: tuple[Exhibit, ...] = ()
    absent: str = ""
    intro: Child = None
    link: str = ""


def looks(summary: Summary) -> list[tuple[str, Look]]:
    """Names and looks of all contenders, the best first; the same in every figure."""
    return [(str(standing.contender), look_of(place)) for place, standing in enumerate(summary.standings)]


def looks_by_contender(summary: Summary) -> dict[Contender, Look]:
    """The same looks, by contender: two of them may have one name."""
    return {standing.contender: look_of(place) for place, standing in enumerate(summary.standings)}


def standings_figure(summary: Summary) -> Figure:
    """The leaderboard as a forest plot."""
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
    """Every pair: who is better, by how much, and whether that is decided."""
    title = "Who is better than whom"
    pairs = summary.duels
    if not pairs:
        alone = len(summary.standings) == 1
        why = "There is one contender only, so there is nothing to compare." if alone else "No two share an app."
        return Section("differences", title, absent=why)
    draw = _pair_forest if len(pairs) <= FOREST_PAIRS else _pair_matrix
    paired = Counter(duel.comparison.pairing for duel in pairs)
    how = {
        "configurations": "Both contenders were run in the same configurations, so the difference is taken within "
        "them: what makes a configuration hard for both cancels out.",
        "scenarios": "The two share scenarios but not configurations, so the difference is taken within scenarios.",
        "apart": "The two share no scenario, only apps, so both sides are drawn on their own.",
    }
    heads = ("First", "Second", "Difference", "Interval", "p", "p, Holm", "Decided", "Paired by", "Matched")
    rows: Rows = [
        [
            str(one.a), str(one.b),
            Value(point_range(one.difference).partition(" ")[0], one.difference.estimate),
            Value(point_range(one.difference).partition(" ")[2], one.difference.width),
            Value(chance(one.p_value), one.p_value), Value(chance(duel.adjusted), duel.adjusted), _winner(duel),
            one.pairing, Value(f"{one.matched:,}", one.matched),
        ]
        for duel, one in ((duel, duel.comparison) for duel in pairs)
    ]  # fmt: skip
    exhibit = Exhibit(
        draw(summary),
        (
            tag("p", "The first contender's score minus the second's, in percentage points. "
                "Filled marks are decided: Holm's adjustment keeps the chance of any wrong decision among all "
                f"{len(pairs)} pairs at {1 - summary.level:.0%}. Dotted lines are open.")
            if draw is _pair_forest else
            tag("p", "Score of the row minus score of the column, in percentage points. Bold numbers are decided after "
                f"Holm's adjustment over all {len(pairs)} pairs; grey ones are open."),
            [tag("p", f"{count} of {len(pairs)} pairs: " if len(paired) > 1 else None, how.get(kind, kind))
             for kind, count in sorted(paired.items())],
        ),
        "That an open pair is equal: it means that these data cannot tell. That a decided difference matters in "
        "practice: look at its size. An interval is for its own pair alone; only the decision accounts for the number "
        "of pairs, so an interval may leave out zero where the decision is still open.",
        behind("Numbers", table("differences-numbers", heads, rows)),
        attributed((("", note) for duel in pairs for note in duel.comparison.notes), 1),
    )  # fmt: skip
    return Section("differences", title, (exhibit,), link="Differences")


def _winner(duel: Duel) -> str:
    return "open" if duel.better is None else f"{duel.better} is better"


def _told(duel: Duel) -> str:
    one = duel.comparison
    gap = point_range(one.difference)
    return f"{one.a} minus {one.b}: {gap} points; {_winner(duel)}, p {chance(duel.adjusted)}"


def _pair_forest(summary: Summary) -> Figure:
    known = looks_by_contender(summary)
    rows = []
    for duel in summary.duels:
        one, winner = duel.comparison, duel.better
        colour = paint("muted") if winner is None else known[winner].colour
        shape = known[one.a if winner is None else winner].shape
        rows.append(
            Row(
                f"{_short(one.a)} \N{MINUS SIGN} {_short(one.b)}",
                one.difference,
                Look(colour, shape, None),
                note=point_range(one.difference),
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
        one, clear, said = duel.comparison, duel.better is not None, _told(duel)
        gap = one.difference
        for row, column, sign in ((one.a, one.b, 1), (one.b, one.a, -1)):
            cells[place[row]][place[column]] = Cell(
                sign * gap.estimate / most if clear else 0.0, points(round(sign * gap.estimate, 2)), said, clear
            )
    return figure(
        "differences",
        "Differences between contenders",
        f"A matrix of {len(names)} contenders: each cell is the row's score minus the column's in percentage points.",
        lambda width: matrix(names, names, cells, width=width, corner="Row minus column, percentage points"),
    )


def _short(name: object) -> str:
    said = str(name)
    return said if len(said) <= 24 else f"{said[:23]}…"


def apps(summary: Summary) -> Section:
    """Success of every contender in every app."""
    every = list(dict.fromkeys(app for standing in summary.standings for app in standing.apps))

    def middle(app: str) -> float:
        found = [standing.apps[app].estimate for standing in summary.standings if app in standing.apps]
        return sum(found) / len(found)

    every.sort(key=lambda app: (-middle(app), app))
    shown = every
    if len(every) > MOST_APPS:
        # Those where contenders differ most have the most to say.
        shown = sorted(every, key=lambda app: -_spread(summary, app))[:MOST_APPS]
        shown.sort(key=every.index)
    values = [standing.apps for standing in summary.standings]
    whom = looks(summary)
    drawn = figure(
        "apps",
        "Success by app",
        f"Success rates with intervals of {counted(len(whom), 'contender')} in {counted(len(shown), 'app')}, "
        "from the easiest app to the hardest.",
        lambda width: columns(shown, whom, values, width=width, axis="Success rate", write=rate),
    )
    heads = ("App", *(name for name, _ in whom))
    rows: Rows = [[app, *(_rate_cell(standing, app) for standing in summary.standings)] for app in every]
    some = f" The {MOST_APPS} of {len(every)} apps in which contenders differ most are drawn." if shown != every else ""
    exhibit = Exhibit(
        drawn,
        tag("p", "Each app's success rate: the mean over its scenarios, each counting the same. Apps are sorted by how "
            "easy they were for all contenders together." + some),
        "That a contender is better in an app because its mark lies further right: with many apps, some gaps are "
        "chance, and no test is made here. That an app is hard as such: it was hard with these scenarios. An app with "
        "few scenarios has a rough interval.",
        behind("Numbers", table("apps-numbers", heads, rows), aside="percent, with intervals"),
    )  # fmt: skip
    return Section("apps", "App by app", (exhibit,), link="Apps")


def _spread(summary: Summary, app: str) -> float:
    found = [standing.apps[app].estimate for standing in summary.standings if app in standing.apps]
    return max(found) - min(found)


def _rate_cell(standing: Standing, app: str) -> Value:
    found = standing.apps.get(app)
    return Value("", None) if found is None else Value(rate_range(found), found.estimate)


def profiles(summary: Summary) -> Section:
    """Performance profiles."""
    title = "Performance profiles"
    count = max(len(standing.apps) for standing in summary.standings)
    if count < 3:
        why = f"A profile is a share of apps, and there {'is one app' if count == 1 else 'are two apps'} only."
        return Section("profiles", title, absent=why)
    curves = []
    for (name, look), standing in zip(looks(summary), summary.standings, strict=True):
        found = standing.profile
        half = _at(found.thresholds, found.fraction, 0.5)
        curves.append(
            Curve(
                name, look, tuple(found.thresholds), tuple(found.fraction), tuple(found.low), tuple(found.high),
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
        tag("p", "How evenly success is spread: the height at τ is the share of apps in which a contender's success "
            "rate is at least τ. A curve above another one everywhere belongs to the contender that is better at every "
            "standard. A curve that falls early but ends late belongs to one that excels in some apps and fails in "
            f"others. Bands hold {summary.level:.0%} of the draws at each τ."),
        "That two contenders differ because their curves cross or lie apart: bands are for each τ alone, and neither "
        "paired nor adjusted. That curves of another suite can be laid beside these: with other apps they are other "
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
    """How episodes ended, and what is no result."""
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
                tuple(f"{standing.contender}: {count:,} of {total:,} episodes {name}"
                      for count, (_, name) in zip(counts, kinds, strict=True)),
                tuple(f"{count:,}" for count in counts), f"{total:,}",
            )
        )  # fmt: skip
    drawn = figure(
        "outcomes",
        "How episodes ended",
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
        tag("p", "Passed and failed episodes are results. An episode that the agent broke off has failed. Errored ones "
            "broke through no fault of the agent (unless a note says that agent errors were excluded), invalid ones "
            "had a configuration that could not be solved. Neither is part of the score; the leaderboard has "
            "the score with errors as failures beside it."),
        "That errors do no harm: if they strike where tasks are hard (long episodes break more often), what is left "
        "is easier than what was planned. Contenders whose shares of errors differ much should be run again where "
        "they broke.",
        behind("Numbers", table("outcomes-numbers", heads, numbers)),
    )  # fmt: skip
    return Section("outcomes", "Errors and denominators", (exhibit, *_broken(summary)), link="Errors")


def _broken(summary: Summary) -> tuple[Exhibit, ...]:
    """Where episodes broke: contenders by apps. Nothing, when none did."""
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
    kept = shown[:MOST_BROKEN]
    most = max(errored + invalid for errored, invalid, _ in lost.values())
    cells: list[list[Cell | None]] = []
    for app in kept:
        row: list[Cell | None] = []
        for standing in summary.standings:
            if (standing.contender, app) not in lost:
                row.append(None)
                continue
            errored, invalid, total = lost[standing.contender, app]
            said = f"{app}, {standing.contender}: {errored} errored, {invalid} invalid of {counted(total, 'episode')}"
            row.append(Cell(-(errored + invalid) / most, str(errored + invalid), said, errored + invalid > 0))
        cells.append(row)
    names = [str(standing.contender) for standing in summary.standings]
    drawn = figure(
        "broken",
        "Episodes without a score, by app",
        f"A matrix of {len(kept)} apps and {len(names)} contenders with the number of errored and invalid episodes.",
        lambda width: matrix(kept, names, cells, width=width),
    )
    heads = ("App", "Contender", "Errored", "Invalid", "All")
    rows: Rows = [
        [app, str(contender), *(Value(f"{count:,}", count) for count in counts)]
        for (contender, app), counts in lost.items()
        if counts[0] + counts[1]
    ]
    some = f" The {len(kept)} of {len(shown)} apps with most of them are drawn." if len(kept) < len(shown) else ""
    return (
        Exhibit(
            drawn,
            tag("p", f"Errored and invalid episodes of each contender in each app that has any.{some}"),
            "Why they broke: the episodes' own records say. A number that is the same for all contenders points to the "
            "app or to a configuration, one that is not to the agent's side or to chance.",
            behind("Numbers", table("broken-numbers", heads, rows)),
        ),
    )


def said_already(summary: Summary) -> dict[str, str]:
    """Sections that could say nothing that is not said above, by their names, each with the reason."""
    standings = summary.standings
    ended = {kind for one in standings for kind in Outcome if kind.scored and one.outcomes.get(kind, 0)}
    found: dict[str, str] = {}
    if len(ended) == 1:
        how = f"Every scored episode {ended.pop()}"
        found |= dict.fromkeys(("apps", "profiles"), f"{how}, in every app.")
        found["reliability"] = f"{how}: another attempt changed nothing."
        found["sensitivity"] = f"{how}, whatever the axis."
    if len({app for one in standings for app in one.apps}) == 1:
        found["apps"] = "There is one app only: its success rate is the score."
    if len(standings) == 1:
        means = [f"{name} {plainly(spread.mean.estimate)}" for name, spread in standings[0].spreads.items()]
        told = f" On average: {', '.join(means)}." if means else ""
        found["costs"] = f"There is one contender only, with no other to set it against.{told}"
    if not any(summary.outcomes.get(kind, 0) for kind in Outcome if not kind.scored):
        found["outcomes"] = f"{counted(summary.episodes, 'episode')} in all, every one scored: no errors, none invalid."
    return found


def absent(sections: Sequence[Section]) -> Html | None:
    """One line for each section that has nothing to show."""
    lines = [
        tag("p", tag("b", f"{section.title}: "), section.absent, class_="absent")
        for section in sections
        if not section.exhibits
    ]
    return tag("section", tag("h2", "Left out"), tag("div", lines, class_="lines"), class_="card") if lines else None
