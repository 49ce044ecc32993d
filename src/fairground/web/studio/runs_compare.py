"""Comparison of two runs, with the same pairing, seed and figures as `fairground compare`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Final
from urllib.parse import quote

import numpy as np

from fairground.arena import Refused
from fairground.core import FairgroundError
from fairground.report.html import Child, Html, tag
from fairground.report.plots import Row, figure, flow, forest, look_of
from fairground.report.plots.scale import points
from fairground.report.statistics_behaviour import CLASSES
from fairground.report.statistics_words import chance, counted, point_range, rate
from fairground.rollout.differing import Contest, RunSide, side_of
from fairground.rollout.duels import Duel, duel, told_apart
from fairground.rollout.episode_table import store_table
from fairground.stats import Comparison, Table, compare, compare_strictly, count, join_tables
from fairground.web.shell import empty, fact, pill
from fairground.web.studio.runs_found import Found, no_run
from fairground.web.studio.runs_parts import drawn, listing, named, run_path
from fairground.web.studio.runs_read import RunSummary, opened, summary_of

LEVEL: Final = 0.95
_LISTED: Final = 20
_PAIRED: Final = {
    "configurations": "configurations that both ran, so differences in difficulty cancel out",
    "scenarios": "scenarios that both ran, with different configurations",
    "apart": "apps that both ran, with different scenarios",
}


def compare_page(found: Mapping[str, Found], a: str, b: str) -> list[Child]:
    """Render the choice of two runs and their comparison."""
    for name in filter(None, (a, b)):
        if name not in found:
            raise no_run(name, list(found))
    head: list[Child] = [
        tag("nav", tag("a", "Runs", href="/runs"), class_="crumbs", aria_label="Breadcrumb"),
        tag("h1", "Compare two runs"),
        chooser([_summary(run) for run in found.values()], a, b),
    ]
    if not a or not b:
        return head
    if a == b:
        return [*head, empty("A run cannot be compared with itself", "Choose another run.")]
    runs = [summary_of(found[name]) for name in (a, b)]
    for run in runs:
        if not run.ended and run.state != "damaged":
            return [*head, empty("These two cannot be compared", "No episode of ", named(run.name), " has ended yet.")]
    try:
        result = _compared(*((found[run.name], run.mark) for run in runs))
    except FairgroundError as error:
        problem = error.message
        for name in (a, b):
            problem = problem.replace(str(found[name].folder), name)
        return [*head, empty("These two cannot be compared", problem[:1].upper() + problem[1:], ".")]
    return [*head, *_result(runs, result)]


def chooser(runs: Sequence[RunSummary], a: str = "", b: str = "") -> Html | None:
    """Render a form to choose two runs, or None if there are fewer than two."""
    choices = [run for run in runs if run.state != "damaged" and run.scored]
    if len(choices) < 2:
        return None
    if not a and not b:
        a, b = choices[0].name, choices[1].name
    fields = [_choice(label, name, choices, chosen) for label, name, chosen in (("First", "a", a), ("Second", "b", b))]
    button = tag("button", "Compare", type="submit", class_="plain")
    return tag("form", fields, button, action="/runs/compare", method="get", class_="inline card pick")


def _choice(label: str, name: str, runs: Sequence[RunSummary], chosen: str) -> Html:
    options = [
        tag("option", f"{run.name} ({run.contender})", value=run.name, selected=run.name == chosen) for run in runs
    ]
    return tag("label", label, tag("select", options, name=name))


def _summary(run: Found) -> RunSummary:
    try:
        return summary_of(run)
    except Refused:  # deleted in the meantime
        return RunSummary(run.name, run.group)


@lru_cache(maxsize=32)
def _compared(a: tuple[Found, str], b: tuple[Found, str]) -> Duel:
    """Return the cached comparison of two runs in their current state (folders and change markers)."""
    tables: list[Table] = []
    sides: list[RunSide] = []
    for run, _ in (a, b):
        with opened(run) as store:
            tables.append(store_table(store))
            sides.append(replace(side_of(store), folder=Path(run.name)))
    if set(tables[0].contenders) & set(tables[1].contenders):
        tables = [told_apart(table, run.name) for table, (run, _) in zip(tables, (a, b), strict=True)]
    table = join_tables(tables)
    first, second = (count(table, each.contenders[0]) for each in tables)
    root = np.random.default_rng(0)
    (rng,), (strict_rng,) = root.spawn(1), root.spawn(1)
    compared = compare(first, second, rng=rng, level=LEVEL)
    strictly = partial(compare, rng=strict_rng, level=LEVEL)
    strict = compare_strictly(table, first.contender, second.contender, strictly)
    return duel(first, second, compared, *sides, level=LEVEL, errors_failed=strict)


def _result(runs: Sequence[RunSummary], duel: Duel) -> list[Child]:
    comparison = duel.comparison
    return [
        tag(
            "section", tag("h2", "Result"), _verdict(comparison), _facts(runs, comparison), _strictly(duel),
            _differences(comparison),
            tag("p", "The difference is the first minus the second. Each scenario that both ran contributes one "
                     "difference. The interval is computed from these differences.", class_="muted small"),
            class_="card",
        ),
        _denominators(runs),
        _changes(duel),
        _contests(runs, duel.contests),
        _notes(duel.notes),
    ]  # fmt: skip


def _verdict(comparison: Comparison) -> Html:
    difference = point_range(comparison.difference)
    if comparison.decided is None:
        text = f": the difference is {difference} points. This does not show that they are equal."
        return tag("p", pill("open", "odd"), " The data do not distinguish ", named(str(comparison.a)), " from ",
                   named(str(comparison.b)), text)  # fmt: skip
    loser = comparison.b if comparison.decided == comparison.a else comparison.a
    return tag("p", pill("significant", "good"), " ", tag("b", named(str(comparison.decided))), " is better than ",
               named(str(loser)), f": the difference is {difference} percentage points.")  # fmt: skip


def _strictly(duel: Duel) -> Html | None:
    """Render the comparison with errors counted as failures, if any episode errored."""
    strict = duel.errors_failed
    if strict is None:
        return None
    facts = [
        (f"{strict.a}, errors as failures", rate(strict.scores[0])),
        (f"{strict.b}, errors as failures", rate(strict.scores[1])),
        ("Difference, points", point_range(strict.difference)),
        ("p", chance(strict.p_value)),
    ]
    shown = tag("dl", [fact(name, value) for name, value in facts], class_="facts")
    return tag("div", tag("h3", "With errors counted as failures"), _verdict(strict), shown, class_="stack")


def _facts(runs: Sequence[RunSummary], comparison: Comparison) -> Html:
    facts = [
        (str(comparison.a), rate(comparison.scores[0])),
        (str(comparison.b), rate(comparison.scores[1])),
        ("Difference, points", point_range(comparison.difference)),
        ("p", chance(comparison.p_value)),
        ("Paired on", f"{comparison.matched:,} {comparison.pairing}" if comparison.pairing != "apart" else "nothing"),
    ]
    shown = tag("dl", [fact(name, value) for name, value in facts], class_="facts")
    how = tag("p", f"Paired on {_PAIRED.get(comparison.pairing, comparison.pairing)}.", class_="muted")
    return tag("div", shown, how, class_="stack")


def _differences(comparison: Comparison) -> Html:
    rows = [
        Row(
            "All apps",
            comparison.difference,
            look_of(0),
            point_range(comparison.difference),
            hollow=comparison.decided is None,
        )
    ]
    for app, difference in list(comparison.apps.items())[:40]:
        hollow = 0 in difference
        rows.append(Row(app, difference, look_of(7), point_range(difference), hollow=hollow))
    if len(comparison.apps) == 1:  # otherwise it repeats the app's row
        rows = rows[:1]
    described = "; ".join(f"{row.label}: {row.note} points" for row in rows[:20])
    ends = (f"{comparison.b} better", f"{comparison.a} better")
    return drawn(
        figure("differences", "First minus second, in percentage points", described, lambda width: forest(
            rows, width=width, write=points, axis="Percentage points", zero=0.0, ends=ends, floor=-1.0, ceiling=1.0))
    )  # fmt: skip


def _denominators(runs: Sequence[RunSummary]) -> Html:
    heads = ("Run", "Passed", "Scored", "Errored", "Invalid", "Not ended")
    rows: list[list[Child]] = []
    for run in runs:
        numbers = (run.passed, run.scored, run.errored, run.invalid, run.planned - run.ended)
        name = tag("a", named(run.name), href=run_path(run.name))
        rows.append(
            [(name, tag("div", named(run.contender), class_="small muted")), *(f"{number:,}" for number in numbers)]
        )
    return tag(
        "section", tag("h2", "Number of episodes"), listing(heads, rows, label="Number of episodes"), class_="card"
    )


def _changes(duel: Duel) -> Html | None:
    moves = duel.transitions
    if moves is None:
        return None
    sides = (str(duel.b.contender), str(duel.a.contender))
    chart = figure(
        "changes", "Changes per task",
        f"{len(moves.improved)} tasks improved and {len(moves.regressed)} regressed from {sides[0]} to {sides[1]}.",
        lambda width: flow(moves.flow, CLASSES, sides, width=width),
    )  # fmt: skip
    test = moves.mcnemar
    caption = (
        f"{counted(moves.tasks, 'task')} by how often each was solved. From the second run to the first, "
        f"{test.improved} became always solved and {test.regressed} were no longer always solved (McNemar p "
        f"{chance(test.p_value)}, Wilcoxon p {chance(moves.wilcoxon.p_value)})."
    )
    return tag("section", tag("h2", "Task by task"), tag("p", caption, class_="muted"), drawn(chart), class_="card")


def _contests(runs: Sequence[RunSummary], contests: Sequence[Contest]) -> Html | None:
    if not contests:
        return None
    heads = ("Configuration", runs[0].name, runs[1].name, "Replays")
    rows: list[list[Child]] = []
    for contest in contests[:_LISTED]:
        # Episodes as named by the replay: run and folder.
        both = [f"{run.name}/{folder.name}" for run, folder in
                zip(runs, (contest.a_folder, contest.b_folder), strict=True)]  # fmt: skip
        look = f"/replay/compare?a={quote(both[0], safe='')}&b={quote(both[1], safe='')}"
        rows.append(
            [
                named(contest.configuration),
                f"{contest.a[0]} of {contest.a[1]}",
                f"{contest.b[0]} of {contest.b[1]}",
                tag("a", "Side by side", href=look, aria_label=f"Side by side: {contest.configuration}"),
            ]
        )
    title = f"{counted(len(contests), 'configuration')} with different success rates, largest difference first."
    return tag(
        "section", tag("h2", "Largest differences"), tag("p", title, class_="muted"),
        listing(heads, rows, label="Largest differences"), class_="card",
    )  # fmt: skip


def _notes(notes: Sequence[str]) -> Html | None:
    if not notes:
        return None
    listed = [tag("li", named(note)) for note in dict.fromkeys(notes)]
    return tag("section", tag("h2", "Notes"), tag("ul", listed), class_="card")
