"""Sections of the page of one run: progress, results per scenario, and episodes without a score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from fairground.core import ended_by_words
from fairground.report.html import Child, Html, tag
from fairground.report.outcomes import outcome_pill
from fairground.report.plots import Stack, figure, stacks
from fairground.report.statistics_words import reward_range, statistic_in_words
from fairground.stats import Summary
from fairground.web.shell import fact
from fairground.web.studio.runs_parts import (
    dollars,
    drawn,
    duration,
    ended_words,
    listing,
    named,
    rate_words,
    replay_path,
    run_path,
    state_pill,
    tally_table,
)
from fairground.web.studio.runs_read import RunEpisode, RunSummary
from fairground.web.studio.runs_tally import Filter, Tally, tally_by

_FAULTS: Final = 8  # maximum number of kinds of errors to list
_PARTS: Final = (
    ("passed", "passed"), ("failed", "failed"), ("errored", "errored"), ("invalid", "invalid"), ("left to run", "soft"),
)  # fmt: skip


def standing(run: RunSummary, whole: Tally, scores: Summary | None) -> Html:
    """Render progress and results so far.

    Args:
        run: The run.
        whole: Tally of all its episodes.
        scores: Scores as in `fairground run` and its report; None if nothing was scored.
    """
    own = scores.standings[0] if scores is not None else None
    score, strict = (own.score, own.score_errors_failed) if own is not None else (None, None)
    facts: list[tuple[str, Child]] = [
        ("Score, 95%", rate_words(score)),
        *([("Errors as failures, 95%", rate_words(strict))] if strict is not None else []),
        ("Mean reward", reward_range(whole.reward)),
        ("Passed", f"{whole.passed:,} of {whole.scored:,} scored"),
        ("Errored", outcome_pill("errored", f"{whole.errored:,}") if whole.errored else "0"),
        ("Invalid", outcome_pill("invalid", f"{whole.invalid:,}") if whole.invalid else "0"),
        ("Retried", f"{run.retried:,}"),
        ("Time in episodes", duration(whole.seconds)),
        ("Median time", duration(whole.typical) or "none yet"),
        ("Cost", dollars(run.cost) if run.cost or whole.cost is not None else "not counted"),
    ]
    if whole.tokens is not None:
        facts.append(("Tokens", f"{whole.tokens:,}"))
    bar = tag("progress", value=whole.ended, max=max(whole.planned, 1), aria_label="Completed episodes")
    return tag(
        "section",
        tag("div", tag("h2", "Status"), state_pill(run), tag("span", ended_words(whole), class_="muted push"),
            class_="row"),
        bar if run.state != "finished" else None,
        tag("dl", [fact(name, value) for name, value in facts], class_="facts"),
        outcome_figure([run]) if whole.ended else None,
        tag("p", f"The score is {statistic_in_words('mean')}, with an interval clustered by scenario, as in the "
                 "run's report.", class_="muted small"),
        tag("ul", [tag("li", named(note)) for note in scores.notes], class_="notes") if scores else None,
        class_="card",
    )  # fmt: skip


def by_scenario(name: str, listed: Sequence[RunEpisode]) -> Html:
    """Render the results of a run per scenario."""

    def path(one: Tally, outcome: str = "") -> str:
        return f"{run_path(name)}/episodes{Filter(scenario=one.name, outcome=outcome).query()}"

    rows = tally_by(listed, lambda episode: episode.scenario)
    shown = tally_table(rows, what="Scenario", label="By scenario", link=path, outcome=path)
    return tag("section", tag("h2", "By scenario"), shown, class_="card")


def without_score(listed: Sequence[RunEpisode], labels: Mapping[str, str] | None = None) -> Html | None:
    """Render errors by frequency. They do not affect the score.

    Args:
        listed: Episodes.
        labels: Label per run, if there are several runs.
    """
    broken = [episode for episode in listed if episode.outcome in ("errored", "invalid")]
    if not broken:
        return None
    kinds: dict[tuple[str, str, str], list[RunEpisode]] = {}
    for episode in broken:
        kinds.setdefault(
            (episode.run if labels else "", episode.outcome, episode.error or ended_by_words(episode.ended_by)), []
        ).append(episode)
    often = sorted(kinds.items(), key=lambda pair: -len(pair[1]))
    rows: list[list[Child]] = []
    for (run, outcome, error), episodes in often[:_FAULTS]:
        look = tag("a", episodes[0].folder, href=replay_path(episodes[0])) if episodes[0].folder else ""
        who = [named(labels[run])] if labels else []
        rows.append([outcome_pill(outcome), *who, named(error), f"{len(episodes):,}", look])
    more = tag("p", f"{len(kinds) - _FAULTS:,} more kinds.", class_="muted") if len(kinds) > _FAULTS else None
    heads = ("Outcome", *(["Agent"] if labels else []), "Error", "Episodes", "Example")
    caption = (
        "Errored: an infrastructure error, or an agent error that was excluded. Invalid: a fault of the "
        "configuration. Neither affects the score."
    )
    return tag(
        "section", tag("h2", "Not scored"), tag("p", caption, class_="muted"),
        listing(heads, rows, label="Errors"), more, class_="card",
    )  # fmt: skip


def outcome_figure(runs: Sequence[RunSummary], labels: Mapping[str, str] | None = None) -> Html:
    """Plot how episodes ended, with one bar per run."""
    rows = []
    for run in runs:
        counts = (run.passed, run.failed, run.errored, run.invalid, run.planned - run.ended)
        tooltips = [f"{count:,} {name}" for count, (name, _) in zip(counts, _PARTS, strict=True)]
        shown = tuple(f"{count:,}" for count in counts)
        label = labels[run.name] if labels else "episodes"
        rows.append(Stack(label, tuple(map(float, counts)), tuple(tooltips), shown, f"{run.planned:,}"))
    described = "; ".join(f"{row.label}: {', '.join(row.said)}" for row in rows[:12])
    chart = figure("outcomes", "Outcomes", described,
                  lambda width: stacks(rows, _PARTS, width=width, axis="Share of episodes"))  # fmt: skip
    return drawn(chart)
