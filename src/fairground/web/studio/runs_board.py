"""Runs of several agents that belong together: a leaderboard, one row per agent. No number is over several agents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final
from urllib.parse import quote

from fairground.report.html import Child, Html, tag
from fairground.report.outcomes import outcome_pill
from fairground.report.plots import inline_bar, look_of
from fairground.report.plots.scale import whole
from fairground.report.statistics_words import rank_range, reward_range, statistic_in_words, verdict
from fairground.stats import Contender, Standing, Summary, differing_note
from fairground.web.shell import pill
from fairground.web.studio.runs_found import Found
from fairground.web.studio.runs_page import outcome_figure, without_score
from fairground.web.studio.runs_parts import (
    dollars,
    duration,
    listing,
    named,
    no_score,
    rate_words,
    run_path,
    state_pill,
)
from fairground.web.studio.runs_read import RunSummary, episodes_of, summary_of
from fairground.web.studio.runs_scores import Marked, scores_of
from fairground.web.studio.runs_tally import Filter, Tally, tally, tally_by

_SCALE: Final = whole(6, 134, ticks=2)


def board_sections(some: Sequence[Found]) -> tuple[Html | None, ...]:
    """What the page of several runs shows, remembered until one of them changes."""
    return _sections(tuple((found, summary_of(found).mark) for found in some))


@lru_cache(maxsize=32)
def _sections(some: Marked) -> tuple[Html | None, ...]:
    summary, contenders = scores_of(some)
    best_first = [one.contender for one in summary.standings] if summary else []
    places = {name: best_first.index(contender) for name, contender in contenders.items()}
    found = sorted((one for one, _ in some), key=lambda one: places.get(one.name, len(places)))
    runs = [summary_of(one) for one in found]
    labels = _labels(runs)
    listed = [episode for one in found for episode in episodes_of(one)]
    return (
        _leaderboard(found, labels, summary, contenders),
        _by_scenario(found, labels),
        without_score(listed, labels),
    )


def _labels(runs: Sequence[RunSummary]) -> dict[str, str]:
    """What each run is called beside the others: its agent, and its name where two have the same agent."""
    often = Counter(one.contender for one in runs)
    return {one.name: one.contender if often[one.contender] == 1 else f"{one.contender}, {one.title}" for one in runs}


def _leaderboard(
    found: Sequence[Found], labels: Mapping[str, str], summary: Summary | None, contenders: Mapping[str, Contender]
) -> Html:
    standings = {one.contender: one for one in summary.standings} if summary else {}
    tallies = [tally(one.name, episodes_of(one)) for one in found]
    costs = any(one.cost is not None for one in tallies)
    broke = any(one.errored for one in tallies)
    runs = [summary_of(one) for one in found]
    rows: list[list[Child]] = []
    for place, (run, counts) in enumerate(zip(runs, tallies, strict=True)):
        name = run.name
        standing = standings.get(contenders[name]) if name in contenders else None
        score, rank = _score(summary, standing, place, labels[name]) if summary and standing else ("", "")
        listed = f"{run_path(name)}/episodes"
        against = f"/runs/compare?a={quote(runs[0].name, safe='')}&b={quote(name, safe='')}"
        rows.append(
            [
                (tag("a", named(labels[name]), href=run_path(name)), " ",
                 state_pill(run) if run.state != "finished" else None),
                score or tag("span", "none scored", class_="muted"),
                *([_strict(standing, counts)] if broke else []),
                reward_range(standing.reward) if standing else "",
                rank,
                f"{counts.passed:,} of {counts.scored:,}",
                no_score(run, lambda which, listed=listed: listed + Filter(outcome=which).query()),  # type: ignore[misc]
                f"{run.ended:,} of {run.planned:,}",
                "" if counts.steps is None else f"{counts.steps:.1f}",
                duration(counts.typical),
                *([dollars(counts.cost)] if costs else []),
                tag("a", "with the first", href=against, aria_label=f"Compare {labels[name]} with the first")
                if place and standing else "",
            ]
        )  # fmt: skip
    heads = [
        "Agent",
        "Score, 95%",
        *(["Errors as failures"] if broke else []),
        "Mean reward",
        "Rank",
        "Passed",
        "No score",
        "Ended",
        "Steps",
        "Time",
        *(["Cost"] if costs else []),
    ]
    return tag(
        "section",
        tag("h2", "Leaderboard"),
        tag("div", verdict(summary), class_="verdict") if summary else None,
        listing([*heads, "Compare"], rows, label="Leaderboard", class_="tallies board"),
        _notes(runs, labels, summary),
        outcome_figure(runs, labels) if any(run.ended for run in runs) else None,
        tag("p", f"The score is {statistic_in_words('mean')}, with an interval whose clusters are scenarios: the same "
            "as in the run's report. A rank such as 1 to 2 is the range that the decided differences leave open. Steps "
            "are the mean, time is the median of the scored episodes.", class_="muted small"),
        class_="card",
    )  # fmt: skip


def _notes(runs: Sequence[RunSummary], labels: Mapping[str, str], summary: Summary | None) -> Html | None:
    """What must be known of errors to read the scores rightly."""
    excluded = [labels[run.name] for run in runs if run.agent_errors == "excluded"]
    said = [f"agent errors were excluded from the score of {one}" for one in excluded]
    said += [note for duel in summary.duels if (note := differing_note(duel))] if summary else []
    return tag("ul", [tag("li", named(note)) for note in said], class_="notes") if said else None


def _strict(standing: Standing | None, counts: Tally) -> str:
    """The score with every errored episode as a failed one."""
    if standing is None:
        return "0%" if counts.errored else ""
    return rate_words(standing.score_errors_failed or standing.score)


def _score(summary: Summary, standing: Standing, place: int, label: str) -> tuple[Html, str]:
    """An agent's score with its interval, and the ranks that the decided differences leave open."""
    said = rate_words(standing.score)
    bar = inline_bar(standing.score, look_of(place), _SCALE, f"{label}: {said}")
    low, high = rank_range(summary, standing)
    return tag("span", bar, tag("b", said), class_="success"), f"{low}" if low == high else f"{low} to {high}"


def _by_scenario(some: Sequence[Found], labels: Mapping[str, str]) -> Html:
    """Apps and their scenarios, with a column per agent."""
    found: dict[tuple[str, str], dict[str, Tally]] = {}
    for run in some:
        episodes = episodes_of(run)
        for one in tally_by(episodes, lambda one: one.scenario):
            found.setdefault((_app(one.name), one.name), {})[run.name] = one
        for one in tally_by(episodes, lambda one: _app(one.scenario)):
            found.setdefault((one.name, ""), {})[run.name] = one
    columns = list(labels)
    rows: list[list[Child]] = []
    for app, scenario in sorted(found):
        tallies = found[app, scenario]
        head = named(scenario.removeprefix(f"{app}/")) if scenario else tag("b", named(app))
        rows.append([head, *(_cell(name, tallies.get(name), scenario) for name in columns)])
    listed = listing(["Scenario", *labels.values()], rows, label="By scenario", class_="grid")
    said = "Episodes that passed, of those that were scored."
    return tag("section", tag("h2", "By scenario"), tag("p", said, class_="muted"), listed, class_="card")


def _app(scenario: str) -> str:
    return scenario.rpartition("/")[0]


def _cell(run: str, counts: Tally | None, scenario: str) -> Child:
    if counts is None:
        return tag("span", "not run", class_="muted")
    if not scenario:
        return tag("b", f"{counts.passed:,} of {counts.scored:,}")
    said = f"{counts.passed:,} of {counts.scored:,}" if counts.scored > 1 else ""
    kind = "passed" if counts.scored == counts.passed else "" if counts.passed else "failed"
    if not counts.scored:
        kind, said = "errored" if counts.errored else "invalid" if counts.invalid else "waiting", ""
    shown = outcome_pill(kind, said) if kind else pill(said)
    return tag("a", shown, href=f"{run_path(run)}/episodes{Filter(scenario=scenario).query()}")
