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
    """A success rate of scored episodes, with its interval."""

    estimate: float
    low: float
    high: float
    level: float = Field(description="confidence level of the interval")
    method: str


class RunEntry(Record):
    """Summary of a run."""

    name: str
    title: str = Field(description="its given name, or the name of its folder")
    tags: tuple[str, ...] = Field(description="tags of the run and of its group")
    group: str = Field(description="name of its group; empty if it has none")
    agent: str
    condition: str
    worlds: tuple[str, ...]
    rollouts: int
    started: str
    state: State = Field(
        description="stopped: not finished and not running; open: people's attempts, more can follow; damaged: "
        "cannot be read"
    )
    planned: int = Field(description="total number of planned episodes")
    ended: int
    passed: int
    failed: int
    errored: int = Field(description="not scored")
    invalid: int = Field(description="not scored")
    retried: int
    success: Rate | None = Field(description="over the scored episodes; null if there are none")
    mean_reward: Rate | None = Field(description="over the same episodes; null if there are none")
    score_errors_failed: Rate | None = Field(description="success rate with errors as failures; null if none errored")
    agent_errors: Literal["failed", "excluded"] = Field(description="how errors of the agent were counted")
    cost: float = Field(description="dollars, as far as known")
    fault: str = Field(description="why a run is damaged, or what was left out of an open one; otherwise empty")
    mark: str = Field(description="changes whenever the run changes")


class ScenarioEntry(Record):
    """Results of a run in one scenario."""

    scenario: str
    planned: int
    ended: int
    passed: int
    failed: int
    errored: int
    invalid: int
    success: Rate | None
    mean_reward: Rate | None
    steps: float | None = Field(description="mean over scored episodes")
    seconds: float
    tokens: int | None
    cost: float | None


class RunDetail(RunEntry):
    """A run with its results per scenario."""

    scenarios: tuple[ScenarioEntry, ...]


class RunList(Record):
    """All runs found on this server."""

    runs: tuple[RunEntry, ...]


class Mark(Record):
    """Change marker of a run, for polling."""

    mark: str = Field(description="changes whenever the run changes")
    going: bool = Field(description="whether more results can follow soon")


class EpisodeEntry(Record):
    """An episode in a list."""

    run: str
    agent: str = Field(description="agent with its condition")
    number: int
    configuration: str
    scenario: str
    rollout: int
    outcome: Literal["passed", "failed", "errored", "invalid"] | None = Field(description="null until it has ended")
    reward: float | None
    steps: int
    seconds: float
    tokens: int | None
    cost: float | None
    ended_by: str
    error: str
    failed_checks: tuple[str, ...] = Field(description="failed checks, if the recording can be read")
    replay: str | None = Field(description="URL of its replay")


class EpisodeList(Record):
    """A page of the matching episodes."""

    total: int = Field(description="number of matching episodes")
    page: int
    pages: int
    each: int = Field(description="episodes per page")
    episodes: tuple[EpisodeEntry, ...]


@router.get("/api/runs")
def runs(request: Request, text: Text = "", tag: Text = "") -> RunList:
    """List runs by name. Filter by words in their name, agent and worlds, and by tag."""
    runs, places = [], {}
    for run in find_runs(places_of(request)).values():
        try:
            runs.append(summary_of(run))
        except Refused:  # deleted in the meantime
            continue
        places[run.name] = run
    return RunList(runs=tuple(RunEntry.parse(_run(run, places[run.name])) for run in RunFilter(text, tag)(runs)))


@router.get("/api/runs/{name}", responses=ABSENT)
def run(request: Request, name: str) -> RunDetail:
    """Return a run with its results per scenario."""
    found_run = find_run(places_of(request), name)
    summary = summary_of(found_run)
    rows = [] if summary.state == "damaged" else tally_by(episodes_of(found_run), lambda episode: episode.scenario)
    return RunDetail.parse({**_run(summary, found_run), "scenarios": tuple(map(_scenario, rows))})


@router.get("/api/runs/{name}/mark", responses=ABSENT)
def mark(request: Request, name: str) -> Mark:
    """Return whether a run, or a group of runs, has changed. Cheap enough to poll every second."""
    summaries = [summary_of(member) for member in members(find_runs(places_of(request)), name)]
    return Mark(mark="-".join(run.mark for run in summaries), going=any(run.state == "going" for run in summaries))


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
    """List the episodes of a run, or of a group of runs, that match all filters. Sort with, e.g., `sort=-steps`."""
    runs = members(find_runs(places_of(request)), name)
    shown, total, pages = one_page(runs, Filter(agent, outcome or "", scenario, text, check, sort), page)
    return EpisodeList(total=total, page=page, pages=pages, each=EACH, episodes=tuple(map(_episode, shown)))


def _run(run: RunSummary, place: Found) -> dict[str, object]:
    strict = None
    if run.errored and run.scored and run.state != "damaged":
        scores, _ = scores_of(((place, run.mark),))
        strict = scores.standings[0].score_errors_failed if scores is not None else None
    return {
        "name": run.name, "title": run.title, "tags": run.tags, "group": run.group, "agent": run.agent,
        "condition": run.condition, "worlds": run.worlds,
        "rollouts": run.rollouts, "started": run.started, "state": run.state, "planned": run.planned,
        "ended": run.ended, "passed": run.passed, "failed": run.failed, "errored": run.errored,
        "invalid": run.invalid, "retried": run.retried, "success": _rate(run.rate),
        "mean_reward": _rate(run.reward), "score_errors_failed": _rate(strict), "agent_errors": run.agent_errors,
        "cost": run.cost,
        "fault": run.fault, "mark": run.mark,
    }  # fmt: skip


def _scenario(tally: Tally) -> ScenarioEntry:
    return ScenarioEntry(
        scenario=tally.name, planned=tally.planned, ended=tally.ended, passed=tally.passed, failed=tally.failed,
        errored=tally.errored, invalid=tally.invalid, success=_rate(tally.rate), mean_reward=_rate(tally.reward),
        steps=tally.steps, seconds=tally.seconds,
        tokens=tally.tokens, cost=tally.cost,
    )  # fmt: skip


def _episode(episode: RunEpisode) -> EpisodeEntry:
    return EpisodeEntry(
        run=episode.run, agent=episode.contender, number=episode.number, configuration=episode.configuration,
        scenario=episode.scenario,
        rollout=episode.rollout, outcome=episode.outcome or None, reward=episode.reward, steps=episode.steps,
        seconds=episode.seconds,
        tokens=episode.tokens, cost=episode.cost, ended_by=episode.ended_by, error=episode.error,
        failed_checks=episode.failed,
        replay=replay_path(episode) if episode.folder else None,
    )  # fmt: skip


def _rate(rate: Interval | None) -> Rate | None:
    if rate is None:
        return None
    return Rate(estimate=rate.estimate, low=rate.low, high=rate.high, level=rate.level, method=rate.method)
