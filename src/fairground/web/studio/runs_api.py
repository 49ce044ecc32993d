"""Runs as JSON."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from pydantic import Field

from fairground.arena import Refused
from fairground.core import Record
from fairground.stats import Interval
from fairground.web.studio.runs_found import Found, find_run, find_runs, places_of
from fairground.web.studio.runs_labels import RunFilter
from fairground.web.studio.runs_list import EACH, members, one_page
from fairground.web.studio.runs_parts import replay_path
from fairground.web.studio.runs_read import RunEpisode, RunSummary, State, episodes_of, summary_of
from fairground.web.studio.runs_scores import scores_of
from fairground.web.studio.runs_tally import Filter, OutcomeWord, Sort, Tally, tally_by
from fairground.web.trouble import ABSENT

router = APIRouter()
Text = Annotated[str, Query(max_length=400)]


class Rate(Record):
    """A share of scored episodes, with its interval."""

    estimate: float
    low: float
    high: float
    level: float = Field(description="the share of such intervals that should hold the truth")
    method: str


class RunEntry(Record):
    """A run in figures."""

    name: str
    title: str = Field(description="the name that a person gave it, or else that of its folder")
    tags: tuple[str, ...] = Field(description="that people gave to it, or to what it was run together with")
    group: str = Field(description="what it was run together with; empty for one that stands alone")
    agent: str
    condition: str
    worlds: tuple[str, ...]
    rollouts: int
    started: str
    state: State = Field(
        description="stopped: not at its end, and not going on; open: people's attempts, to which more may come; "
        "damaged: it cannot be read"
    )
    planned: int = Field(description="episodes in all")
    ended: int
    passed: int
    failed: int
    errored: int = Field(description="never a score")
    invalid: int = Field(description="never a score")
    retried: int
    success: Rate | None = Field(description="out of the scored episodes; null while there are none")
    mean_reward: Rate | None = Field(description="over the same episodes; null while there are none")
    score_errors_failed: Rate | None = Field(description="success with errors as failures; null where none errored")
    agent_errors: Literal["failed", "excluded"] = Field(description="what became of errors of the agent")
    cost: float = Field(description="dollars, as far as known")
    fault: str = Field(description="what is wrong with a damaged one, or was left out of an open one; else empty")
    mark: str = Field(description="another one whenever something has changed")


class ScenarioEntry(Record):
    """What a run did in one scenario."""

    scenario: str
    planned: int
    ended: int
    passed: int
    failed: int
    errored: int
    invalid: int
    success: Rate | None
    mean_reward: Rate | None
    steps: float | None = Field(description="the mean over scored episodes")
    seconds: float
    tokens: int | None
    cost: float | None


class RunDetail(RunEntry):
    """A run, scenario by scenario."""

    scenarios: tuple[ScenarioEntry, ...]


class RunList(Record):
    """Every run that is found here."""

    runs: tuple[RunEntry, ...]


class Mark(Record):
    """Whether a look is worth it."""

    mark: str = Field(description="another one whenever something has changed")
    going: bool = Field(description="more may come soon")


class EpisodeEntry(Record):
    """One episode."""

    run: str
    agent: str = Field(description="with its condition, as statistics call them")
    number: int
    configuration: str
    scenario: str
    rollout: int
    outcome: Literal["passed", "failed", "errored", "invalid"] | None = Field(description="null while it has not ended")
    reward: float | None
    steps: int
    seconds: float
    tokens: int | None
    cost: float | None
    ended_by: str
    error: str
    failed_checks: tuple[str, ...] = Field(description="those of a failed one, as far as its recording can be read")
    replay: str | None = Field(description="the address of its replay")


class EpisodeList(Record):
    """A page of the episodes that fit."""

    total: int = Field(description="how many fit")
    page: int
    pages: int
    each: int = Field(description="episodes on a page")
    episodes: tuple[EpisodeEntry, ...]


@router.get("/api/runs")
def runs(request: Request, text: Text = "", tag: Text = "") -> RunList:
    """All runs, by name; with words that are in what they are called, who acted and where, and with a tag."""
    found, places = [], {}
    for one in find_runs(places_of(request)).values():
        try:
            found.append(summary_of(one))
        except Refused:  # gone since it was found
            continue
        places[one.name] = one
    return RunList(runs=tuple(RunEntry.parse(_run(one, places[one.name])) for one in RunFilter(text, tag)(found)))


@router.get("/api/runs/{name}", responses=ABSENT)
def run(request: Request, name: str) -> RunDetail:
    """One run, scenario by scenario."""
    found = find_run(places_of(request), name)
    summary = summary_of(found)
    rows = [] if summary.state == "damaged" else tally_by(episodes_of(found), lambda one: one.scenario)
    return RunDetail.parse({**_run(summary, found), "scenarios": tuple(map(_scenario, rows))})


@router.get("/api/runs/{name}/mark", responses=ABSENT)
def mark(request: Request, name: str) -> Mark:
    """Whether anything has changed about a run, or about runs that belong together: cheap to ask every second."""
    found = [summary_of(one) for one in members(find_runs(places_of(request)), name)]
    return Mark(mark="-".join(one.mark for one in found), going=any(one.state == "going" for one in found))


@router.get("/api/runs/{name}/episodes", responses=ABSENT)
def episodes(
    request: Request,
    name: str,
    agent: Text = "",
    outcome: OutcomeWord | None = None,
    scenario: Text = "",
    text: Text = "",
    check: Text = "",
    sort: Sort = "",
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
) -> EpisodeList:
    """Episodes of a run, or of runs that belong together, that fit everything that is said; `sort=-steps` and such."""
    some = members(find_runs(places_of(request)), name)
    shown, total, pages = one_page(some, Filter(agent, outcome or "", scenario, text, check, sort), page)
    return EpisodeList(total=total, page=page, pages=pages, each=EACH, episodes=tuple(map(_episode, shown)))


def _run(one: RunSummary, found: Found) -> dict[str, object]:
    strict = None
    if one.errored and one.scored and one.state != "damaged":
        scores, _ = scores_of(((found, one.mark),))
        strict = scores.standings[0].score_errors_failed if scores is not None else None
    return {
        "name": one.name, "title": one.title, "tags": one.tags, "group": one.group, "agent": one.agent,
        "condition": one.condition, "worlds": one.worlds,
        "rollouts": one.rollouts, "started": one.started, "state": one.state, "planned": one.planned,
        "ended": one.ended, "passed": one.passed, "failed": one.failed, "errored": one.errored,
        "invalid": one.invalid, "retried": one.retried, "success": _rate(one.rate),
        "mean_reward": _rate(one.reward), "score_errors_failed": _rate(strict), "agent_errors": one.agent_errors,
        "cost": one.cost,
        "fault": one.fault, "mark": one.mark,
    }  # fmt: skip


def _scenario(one: Tally) -> ScenarioEntry:
    return ScenarioEntry(
        scenario=one.name, planned=one.planned, ended=one.ended, passed=one.passed, failed=one.failed,
        errored=one.errored, invalid=one.invalid, success=_rate(one.rate), mean_reward=_rate(one.reward),
        steps=one.steps, seconds=one.seconds,
        tokens=one.tokens, cost=one.cost,
    )  # fmt: skip


def _episode(one: RunEpisode) -> EpisodeEntry:
    return EpisodeEntry(
        run=one.run, agent=one.contender, number=one.number, configuration=one.configuration, scenario=one.scenario,
        rollout=one.rollout, outcome=one.outcome or None, reward=one.reward, steps=one.steps, seconds=one.seconds,
        tokens=one.tokens, cost=one.cost, ended_by=one.ended_by, error=one.error, failed_checks=one.failed,
        replay=replay_path(one) if one.folder else None,
    )  # fmt: skip


def _rate(rate: Interval | None) -> Rate | None:
    if rate is None:
        return None
    return Rate(estimate=rate.estimate, low=rate.low, high=rate.high, level=rate.level, method=rate.method)
