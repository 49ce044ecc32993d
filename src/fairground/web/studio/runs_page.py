"""Sections of a run's page: how it stands, by scenario, by agent, and what has no score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from fairground.report.html import Child, Html, tag
from fairground.report.plots import Row, Stack, figure, forest, look_of, stacks
from fairground.report.plots.scale import percent
from fairground.web.shell import fact, pill, table
from fairground.web.studio.runs_parts import (
    dollars,
    drawn,
    duration,
    ended_words,
    named,
    rate_words,
    replay_path,
    run_path,
    state_pill,
    tally_table,
)
from fairground.web.studio.runs_read import RunEpisode, RunSummary
from fairground.web.studio.runs_tally import Filter, Tally, tally_by

_FAULTS: Final = 8  # kinds of errors that are listed
_PARTS: Final = (
    ("passed", "passed"), ("failed", "failed"), ("errored", "errored"), ("invalid", "invalid"), ("not ended", "soft"),
)  # fmt: skip


def standing(runs: Sequence[RunSummary], whole: Tally) -> Html:
    """How far it is, and what came out so far."""
    cost = sum(one.cost for one in runs)
    retried = sum(one.retried for one in runs)
    facts: list[tuple[str, Child]] = [
        ("Success, 95%", rate_words(whole.rate)),
        ("Passed", f"{whole.passed:,} of {whole.scored:,} scored"),
        ("Errored", pill(f"{whole.errored:,}", "bad") if whole.errored else "0"),
        ("Invalid", pill(f"{whole.invalid:,}", "odd") if whole.invalid else "0"),
        ("Tried again", f"{retried:,}"),
        ("Time in episodes", duration(whole.seconds)),
        ("A typical one", duration(whole.typical) or "none yet"),
        ("Cost", dollars(cost) if cost or whole.cost is not None else "none counted"),
    ]
    if whole.tokens is not None:
        facts.append(("Tokens", f"{whole.tokens:,}"))
    # Of several, the one that goes on says most.
    order = ("going", "stopped", "open", "finished", "damaged")
    state_said = state_pill(min(runs, key=lambda one: order.index(one.state))) if runs else None
    bar = tag("progress", value=whole.ended, max=max(whole.planned, 1), aria_label="Episodes that have ended")
    return tag(
        "section",
        tag("div", tag("h2", "How it stands"), state_said, tag("span", ended_words(whole), class_="muted push"),
            class_="row"),
        bar,
        tag("dl", [fact(name, value) for name, value in facts], class_="facts"),
        _outcomes(runs) if whole.ended else None,
        tag("p", "Success is out of the scored episodes. Its interval takes scenarios as drawn at random, and knows "
            "that attempts at one resemble each other. ",
            tag("code", "fairground report"), " also draws scenarios and configurations.", class_="muted small"),
        class_="card",
    )  # fmt: skip


def by_scenario(name: str, listed: Sequence[RunEpisode]) -> Html:
    """What a run did in each scenario."""

    def path(one: Tally, outcome: str = "") -> str:
        return f"{run_path(name)}/episodes{Filter(scenario=one.name, outcome=outcome).query()}"

    rows = tally_by(listed, lambda one: one.scenario)
    shown = tally_table(rows, what="Scenario", label="By scenario", link=path, outcome=path)
    return tag("section", tag("h2", "By scenario"), shown, class_="card")


def by_agent(listed: Sequence[RunEpisode], runs: Sequence[RunSummary]) -> Html:
    """Runs that belong together, each with its agent and condition."""
    often = Counter(one.contender for one in runs)
    labels = {one.name: one.contender if often[one.contender] == 1 else f"{one.contender}, {one.name}" for one in runs}
    tallies = tally_by(listed, lambda one: one.run)
    return tag("section", tag("h2", "By agent"), _rates(tallies, labels), _by_run(tallies, labels), class_="card")


def without_score(listed: Sequence[RunEpisode]) -> Html | None:
    """What broke, most often first; none of it is a score."""
    broken = [one for one in listed if one.outcome in ("errored", "invalid")]
    if not broken:
        return None
    kinds = Counter((one.outcome, one.error or one.ended_by) for one in broken)
    example: dict[tuple[str, str], RunEpisode] = {}
    for one in broken:
        example.setdefault((one.outcome, one.error or one.ended_by), one)
    rows: list[list[Child]] = []
    for (outcome, error), number in kinds.most_common(_FAULTS):
        one = example[outcome, error]
        look = tag("a", one.folder, href=replay_path(one)) if one.folder else ""
        rows.append([pill(outcome, "bad" if outcome == "errored" else "odd"), named(error), f"{number:,}", look])
    more = tag("p", f"And {len(kinds) - _FAULTS:,} kinds more.", class_="muted") if len(kinds) > _FAULTS else None
    heads = ("Outcome", "What happened", "Episodes", "For example")
    said = "Errored is ours, invalid is the configuration's. Neither counts against the agent."
    return tag(
        "section", tag("h2", "Without a score"), tag("p", said, class_="muted"),
        table(heads, rows, label="Errors"), more, class_="card",
    )  # fmt: skip


def _outcomes(runs: Sequence[RunSummary]) -> Html:
    rows = []
    for run in runs:
        counts = (run.passed, run.failed, run.errored, run.invalid, run.planned - run.ended)
        said = [f"{count:,} {name}" for count, (name, _) in zip(counts, _PARTS, strict=True)]
        label = run.contender if len(runs) > 1 else "episodes"
        shown = tuple(f"{count:,}" for count in counts)
        rows.append(Stack(label, tuple(map(float, counts)), tuple(said), shown, f"{run.planned:,}"))
    described = "; ".join(f"{row.label}: {', '.join(row.said)}" for row in rows[:12])
    made = figure("outcomes", "How episodes ended", described,
                  lambda width: stacks(rows, _PARTS, width=width, axis="Share of episodes"))  # fmt: skip
    return drawn(made)


def _rates(contenders: Sequence[Tally], labels: dict[str, str]) -> Html | None:
    rows = [
        Row(labels[one.name], one.rate, look_of(place), note=rate_words(one.rate))
        for place, one in enumerate(contenders)
        if one.rate is not None
    ]
    if not rows:
        return None
    described = "; ".join(f"{row.label}: {row.note}" for row in rows[:20])
    return drawn(
        figure("rates", "Success with intervals", described, lambda width: forest(
            rows, width=width, write=percent, axis="Success", floor=0.0, ceiling=1.0))
    )  # fmt: skip


def _by_run(contenders: Sequence[Tally], labels: dict[str, str]) -> Html:
    paths = {labels[one.name]: run_path(one.name) for one in contenders}
    rows = [replace(one, name=labels[one.name]) for one in contenders]
    return tally_table(
        rows, what="Agent", label="Runs by agent", link=lambda one: paths[one.name],
        outcome=lambda one, which: f"{paths[one.name]}/episodes{Filter(outcome=which).query()}",
    )  # fmt: skip
