"""Leaderboard of a group of runs, with one row per agent. No number combines several agents."""

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
    """Render the sections of a group's page. Cached until one of its runs changes."""
    return _sections(tuple((run, summary_of(run).mark) for run in some))


@lru_cache(maxsize=32)
def _sections(marked: Marked) -> tuple[Html | None, ...]:
    summary, contenders = scores_of(marked)
    best_first = [standing.contender for standing in summary.standings] if summary else []
    places = {name: best_first.index(contender) for name, contender in contenders.items()}
    ordered = sorted((run for run, _ in marked), key=lambda run: places.get(run.name, len(places)))
    runs = [summary_of(run) for run in ordered]
    labels = _labels(runs)
    listed = [episode for run in ordered for episode in episodes_of(run)]
    return (
        _leaderboard(ordered, labels, summary, contenders),
        _by_scenario(ordered, labels),
        without_score(listed, labels),
    )


def _labels(runs: Sequence[RunSummary]) -> dict[str, str]:
    """Return a label per run: its agent, with the run's name if two runs have the same agent."""
    often = Counter(run.contender for run in runs)
    return {run.name: run.contender if often[run.contender] == 1 else f"{run.contender}, {run.title}" for run in runs}


def _leaderboard(
    found: Sequence[Found], labels: Mapping[str, str], summary: Summary | None, contenders: Mapping[str, Contender]
) -> Html:
    standings = {standing.contender: standing for standing in summary.standings} if summary else {}
    tallies = [tally(run.name, episodes_of(run)) for run in found]
    costs = any(tally.cost is not None for tally in tallies)
    broke = any(tally.errored for tally in tallies)
    runs = [summary_of(run) for run in found]
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
                tag("a", "with first", href=against, aria_label=f"Compare {labels[name]} with the first")
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
        tag("p", f"The score is {statistic_in_words('mean')}, with an interval clustered by scenario, as in the "
                 "run's report. A rank such as 1 to 2 is the range that is compatible with the significant "
                 "differences. Steps are means and times are medians over the scored "
                 "episodes.", class_="muted small"),
        class_="card",
    )  # fmt: skip


def _notes(runs: Sequence[RunSummary], labels: Mapping[str, str], summary: Summary | None) -> Html | None:
    """Return notes about errors that affect the reading of the scores."""
    excluded = [labels[run.name] for run in runs if run.agent_errors == "excluded"]
    notes = [f"agent errors were excluded from the score of {name}" for name in excluded]
    notes += [note for duel in summary.duels if (note := differing_note(duel))] if summary else []
    return tag("ul", [tag("li", named(note)) for note in notes], class_="notes") if notes else None


def _strict(standing: Standing | None, counts: Tally) -> str:
    """Return the score with errored episodes counted as failures."""
    if standing is None:
        return "0%" if counts.errored else ""
    return rate_words(standing.score_errors_failed or standing.score)


def _score(summary: Summary, standing: Standing, place: int, label: str) -> tuple[Html, str]:
    """Return an agent's score with its interval and its range of ranks."""
    score = rate_words(standing.score)
    bar = inline_bar(standing.score, look_of(place), _SCALE, f"{label}: {score}")
    low, high = rank_range(summary, standing)
    return tag("span", bar, tag("b", score), class_="success"), f"{low}" if low == high else f"{low} to {high}"


def _by_scenario(runs: Sequence[Found], labels: Mapping[str, str]) -> Html:
    """Render apps and their scenarios with one column per agent."""
    cells: dict[tuple[str, str], dict[str, Tally]] = {}
    for run in runs:
        episodes = episodes_of(run)
        for episode in tally_by(episodes, lambda tally: tally.scenario):
            cells.setdefault((_app(episode.name), episode.name), {})[run.name] = episode
        for episode in tally_by(episodes, lambda tally: _app(tally.scenario)):
            cells.setdefault((episode.name, ""), {})[run.name] = episode
    columns = list(labels)
    rows: list[list[Child]] = []
    for app, scenario in sorted(cells):
        tallies = cells[app, scenario]
        head = named(scenario.removeprefix(f"{app}/")) if scenario else tag("b", named(app))
        rows.append([head, *(_cell(name, tallies.get(name), scenario) for name in columns)])
    listed = listing(["Scenario", *labels.values()], rows, label="By scenario", class_="grid")
    caption = "Passed episodes of scored episodes."
    return tag("section", tag("h2", "By scenario"), tag("p", caption, class_="muted"), listed, class_="card")


def _app(scenario: str) -> str:
    return scenario.rpartition("/")[0]


def _cell(run: str, counts: Tally | None, scenario: str) -> Child:
    if counts is None:
        return tag("span", "not run", class_="muted")
    if not scenario:
        return tag("b", f"{counts.passed:,} of {counts.scored:,}")
    text = f"{counts.passed:,} of {counts.scored:,}" if counts.scored > 1 else ""
    kind = "passed" if counts.scored == counts.passed else "" if counts.passed else "failed"
    if not counts.scored:
        kind, text = "errored" if counts.errored else "invalid" if counts.invalid else "waiting", ""
    shown = outcome_pill(kind, text) if kind else pill(text)
    return tag("a", shown, href=f"{run_path(run)}/episodes{Filter(scenario=scenario).query()}")
