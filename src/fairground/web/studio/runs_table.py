"""The table of runs with their names and status."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fairground.report.html import Child, Html, tag
from fairground.report.statistics_words import reward_range
from fairground.web.studio.runs_labels import tag_links
from fairground.web.studio.runs_parts import dollars, listing, named, no_score, rate_words, run_path, state_pill
from fairground.web.studio.runs_read import RunSummary
from fairground.web.studio.runs_tally import Filter

_WORLDS_NAMED: Final = 2


def run_table(runs: Sequence[RunSummary]) -> Html:
    """Render runs in the given order."""
    costs = any(run.cost for run in runs)
    heads = ("Run", "State", "Score, 95%", "Mean reward", "No score", "Ended", *(["Cost"] if costs else []), "Started")
    rows: list[list[Child]] = []
    for run in runs:
        group = ("in ", tag("a", named(run.group_title), href=run_path(run.group)), ": ") if run.group else None
        about = tag("div", group, named(run.contender), " on ", _worlds(run.worlds), class_="small muted")
        done = tag("progress", value=run.ended, max=max(run.planned, 1), aria_label=f"Episodes of {run.name}")
        listed = f"{run_path(run.name)}/episodes"
        rows.append(
            [
                (tag("a", named(run.title), href=run_path(run.name)), " ", tag_links(run.tags), about),
                state_pill(run),
                rate_words(run.rate),
                reward_range(run.reward),
                no_score(run, lambda which, listed=listed: listed + Filter(outcome=which).query()),  # type: ignore[misc]
                (f"{run.ended:,} of {run.planned:,}", done if run.state != "finished" else None),
                *([dollars(run.cost) if run.cost else ""] if costs else []),
                tag("time", run.started, datetime=run.started),
            ]
        )
    return tag("section", listing(heads, rows, label="Runs", class_="runs"), class_="card")


def _worlds(worlds: Sequence[str]) -> Child:
    """Render the requested worlds on one line. The run's own page lists all of them."""
    if len(worlds) <= _WORLDS_NAMED:
        return named(", ".join(worlds))
    return (named(worlds[0]), tag("span", f" and {len(worlds) - 1:,} others", title=", ".join(worlds[1:])))
