"""Two runs compared, as `fairground compare` does it: the same pairing, the same seed, the same figures."""

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
    "configurations": "configurations that both ran: what makes one hard for both cancels out",
    "scenarios": "scenarios that both ran, in configurations of their own",
    "apart": "apps that both ran, and nothing else in common",
}


def compare_page(found: Mapping[str, Found], a: str, b: str) -> list[Child]:
    """What stands on it: a choice, and below it what came out."""
    for name in filter(None, (a, b)):
        if name not in found:
            raise no_run(name, list(found))
    head: list[Child] = [
        tag("nav", tag("a", "Runs", href="/runs"), class_="crumbs", aria_label="Where this is"),
        tag("h1", "Compare two runs"),
        chooser([_summary(one) for one in found.values()], a, b),
    ]
    if not a or not b:
        return head
    if a == b:
        return [*head, empty("A run cannot be compared with itself", "Choose another one.")]
    runs = [summary_of(found[name]) for name in (a, b)]
    for one in runs:
        if not one.ended and one.state != "damaged":
            return [*head, empty("These two cannot be compared", "No episode of ", named(one.name), " has ended yet.")]
    try:
        result = _compared(*((found[one.name], one.mark) for one in runs))
    except FairgroundError as error:
        said = error.message
        for name in (a, b):
            said = said.replace(str(found[name].folder), name)
        return [*head, empty("These two cannot be compared", said[:1].upper() + said[1:], ".")]
    return [*head, *_result(runs, result)]


def chooser(runs: Sequence[RunSummary], a: str = "", b: str = "") -> Html | None:
    """A form that chooses two runs; None where there are no two."""
    some = [one for one in runs if one.state != "damaged" and one.scored]
    if len(some) < 2:
        return None
    if not a and not b:
        a, b = some[0].name, some[1].name
    fields = [_choice(label, name, some, chosen) for label, name, chosen in (("First", "a", a), ("Second", "b", b))]
    button = tag("button", "Compare", type="submit", class_="plain")
    return tag("form", fields, button, action="/runs/compare", method="get", class_="inline card pick")


def _choice(label: str, name: str, runs: Sequence[RunSummary], chosen: str) -> Html:
    options = [
        tag("option", f"{one.name} ({one.contender})", value=one.name, selected=one.name == chosen) for one in runs
    ]
    return tag("label", label, tag("select", options, name=name))


def _summary(found: Found) -> RunSummary:
    try:
        return summary_of(found)
    except Refused:  # gone since it was found
        return RunSummary(found.name, found.group)


@lru_cache(maxsize=32)
def _compared(a: tuple[Found, str], b: tuple[Found, str]) -> Duel:
    """The duel of two runs as they are: where they were found, and their marks."""
    tables: list[Table] = []
    sides: list[RunSide] = []
    for found, _ in (a, b):
        with opened(found) as store:
            tables.append(store_table(store))
            sides.append(replace(side_of(store), folder=Path(found.name)))
    if set(tables[0].contenders) & set(tables[1].contenders):
        tables = [told_apart(one, found.name) for one, (found, _) in zip(tables, (a, b), strict=True)]
    whole = join_tables(tables)
    one, other = (count(whole, each.contenders[0]) for each in tables)
    root = np.random.default_rng(0)
    (rng,), (strict_rng,) = root.spawn(1), root.spawn(1)
    compared = compare(one, other, rng=rng, level=LEVEL)
    strictly = partial(compare, rng=strict_rng, level=LEVEL)
    strict = compare_strictly(whole, one.contender, other.contender, strictly)
    return duel(one, other, compared, *sides, level=LEVEL, errors_failed=strict)


def _result(runs: Sequence[RunSummary], found: Duel) -> list[Child]:
    one = found.comparison
    return [
        tag(
            "section", tag("h2", "Who is better"), _verdict(one), _facts(runs, one), _strictly(found),
            _differences(one),
            tag("p", "The difference is the first minus the second. Each scenario that both ran gives one difference; "
                "these are the sample behind the interval.", class_="muted small"),
            class_="card",
        ),
        _denominators(runs),
        _changes(found),
        _contests(runs, found.contests),
        _notes(found.notes),
    ]  # fmt: skip


def _verdict(one: Comparison) -> Html:
    difference = point_range(one.difference)
    if one.decided is None:
        said = f": they differ by {difference} points. That is not the same as equal."
        return tag("p", pill("open", "odd"), " These data cannot tell ", named(str(one.a)), " from ",
                   named(str(one.b)), said)  # fmt: skip
    loser = one.b if one.decided == one.a else one.a
    return tag("p", pill("decided", "good"), " ", tag("b", named(str(one.decided))), " is better than ",
               named(str(loser)), f": the difference is {difference} percentage points.")  # fmt: skip


def _strictly(found: Duel) -> Html | None:
    """The same with errors counted as failures, where any episode errored."""
    one = found.errors_failed
    if one is None:
        return None
    facts = [
        (f"{one.a}, errors as failures", rate(one.scores[0])),
        (f"{one.b}, errors as failures", rate(one.scores[1])),
        ("Difference, points", point_range(one.difference)),
        ("p", chance(one.p_value)),
    ]
    shown = tag("dl", [fact(name, value) for name, value in facts], class_="facts")
    return tag("div", tag("h3", "With errors counted as failures"), _verdict(one), shown, class_="stack")


def _facts(runs: Sequence[RunSummary], one: Comparison) -> Html:
    facts = [
        (str(one.a), rate(one.scores[0])),
        (str(one.b), rate(one.scores[1])),
        ("Difference, points", point_range(one.difference)),
        ("p", chance(one.p_value)),
        ("Paired on", f"{one.matched:,} {one.pairing}" if one.pairing != "apart" else "nothing"),
    ]
    shown = tag("dl", [fact(name, value) for name, value in facts], class_="facts")
    how = tag("p", f"Paired on {_PAIRED.get(one.pairing, one.pairing)}.", class_="muted")
    return tag("div", shown, how, class_="stack")


def _differences(one: Comparison) -> Html:
    rows = [Row("All apps", one.difference, look_of(0), point_range(one.difference), hollow=one.decided is None)]
    for app, difference in list(one.apps.items())[:40]:
        hollow = 0 in difference
        rows.append(Row(app, difference, look_of(7), point_range(difference), hollow=hollow))
    if len(one.apps) == 1:  # then it says the same twice
        rows = rows[:1]
    described = "; ".join(f"{row.label}: {row.note} points" for row in rows[:20])
    ends = (f"{one.b} better", f"{one.a} better")
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
        rows.append([(name, tag("div", named(run.contender), class_="small muted")), *(f"{one:,}" for one in numbers)])
    return tag("section", tag("h2", "Out of how many"), listing(heads, rows, label="Denominators"), class_="card")


def _changes(found: Duel) -> Html | None:
    moves = found.transitions
    if moves is None:
        return None
    sides = (str(found.b.contender), str(found.a.contender))
    made = figure(
        "changes", "What became of each task",
        f"{len(moves.improved)} tasks improved and {len(moves.regressed)} regressed from {sides[0]} to {sides[1]}.",
        lambda width: flow(moves.flow, CLASSES, sides, width=width),
    )  # fmt: skip
    test = moves.mcnemar
    said = (
        f"{counted(moves.tasks, 'task')} by how often each was solved. From the second to the first, "
        f"{test.improved} became solved every time and {test.regressed} ceased to be "
        f"(McNemar p {chance(test.p_value)}, Wilcoxon p {chance(moves.wilcoxon.p_value)})."
    )
    return tag("section", tag("h2", "Task by task"), tag("p", said, class_="muted"), drawn(made), class_="card")


def _contests(runs: Sequence[RunSummary], found: Sequence[Contest]) -> Html | None:
    if not found:
        return None
    heads = ("Configuration", runs[0].name, runs[1].name, "Replays")
    rows: list[list[Child]] = []
    for one in found[:_LISTED]:
        # As the replay calls episodes: run and folder.
        both = [f"{run.name}/{folder.name}" for run, folder in
                zip(runs, (one.a_folder, one.b_folder), strict=True)]  # fmt: skip
        look = f"/replay/compare?a={quote(both[0], safe='')}&b={quote(both[1], safe='')}"
        rows.append(
            [
                named(one.configuration),
                f"{one.a[0]} of {one.a[1]}",
                f"{one.b[0]} of {one.b[1]}",
                tag("a", "Side by side", href=look, aria_label=f"Side by side: {one.configuration}"),
            ]
        )
    title = f"{counted(len(found), 'configuration')} with unlike success, the largest differences first."
    return tag(
        "section", tag("h2", "Where they differ most"), tag("p", title, class_="muted"),
        listing(heads, rows, label="Where they differ most"), class_="card",
    )  # fmt: skip


def _notes(notes: Sequence[str]) -> Html | None:
    if not notes:
        return None
    listed = [tag("li", named(note)) for note in dict.fromkeys(notes)]
    return tag("section", tag("h2", "To be known"), tag("ul", listed), class_="card")
