"""People's attempts among the runs: who may see them, what is no attempt, and what is read of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fairground.arena import Store
from fairground.core import Outcome
from fairground.rollout import Finished, Planned, RunSpec, RunStore
from fairground.stats import wilson
from fairground.web import Site, serving
from fairground.web.studio.runs_plays import open_plays, plays_mark
from tests.recordings import ACTIONS, CHECKS, CONFIGURATION, record
from tests.web.arena_stage import HOSTILE, Client, judge, patient

pytestmark = pytest.mark.process

PATHS = ("/runs/plays", "/runs/plays/episodes", "/api/runs/plays", "/api/runs/plays/episodes", "/api/runs/plays/mark")


def play(plays: Path, name: str, at: int = 0, *, passed: bool = False, agent: str = "human", close: bool = True) -> str:
    """An attempt that somebody made on the first of January, that many minutes past midnight."""
    started = f"2026-01-01T00:{at:02}:00Z"
    record(plays / name, ACTIONS[-1:], close=close, checks=CHECKS[passed:], agent=agent, started=started, extra={})
    return name


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with Store(tmp_path / "arena.sqlite") as store:
        yield Site(store, tmp_path / "home", (tmp_path / "runs",), rates=patient(), plays=(tmp_path / "episodes",))


@pytest.fixture
def plays(site: Site) -> Path:
    return site.home / "plays"


@pytest.fixture
def come(site: Site) -> Iterator[Callable[[str], Client]]:
    with serving(site) as url:
        yield lambda role: Client(url, site, judge(site.store, role))


def test_what_people_did_is_for_judges_and_admins(come: Callable[[str], Client], plays: Path) -> None:
    name = play(plays, "20260101-000000-sum-human-0a1b2c")
    replays = (f"/replay/plays/{name}", f"/api/replays/plays/{name}", f"/api/replays/plays/{name}/download")
    visitor = come("visitor")
    for path in (*PATHS, *replays):
        assert visitor.get(path).status == 404, path
        for role in ("judge", "admin"):
            assert come(role).get(path).status == 200, path
    assert visitor.get("/api/runs").json == {"runs": []} and "plays" not in visitor.get("/runs").text


def test_only_attempts_of_people_that_have_ended_are_read(
    come: Callable[[str], Client], plays: Path, tmp_path: Path
) -> None:
    play(plays, "first")
    play(plays, "of-an-agent", agent="oracle")
    play(plays, "still-going", close=False)
    play(tmp_path, "elsewhere")
    play(plays, f"named {HOSTILE.replace('/', '_')}")
    (plays / "linked").symlink_to(tmp_path / "elsewhere")
    (plays / "broken").mkdir()
    (plays / "broken" / "episode.json").write_text("{")
    (plays / "empty").mkdir()
    person = come("judge")
    listed = person.get("/api/runs/plays/episodes").json["episodes"]
    assert [one["replay"] for one in listed] == ["/replay/plays/first"]
    assert "1 of the recordings cannot be read" in person.get("/runs/plays").text
    for name in ("of-an-agent", "still-going", "linked", "broken", "empty", "..", "..%2f..%2felsewhere", "first%2f.."):
        assert person.get(f"/replay/plays/{name}").status == 404, name


def test_attempts_are_a_run_with_rates_filters_and_replays(come: Callable[[str], Client], plays: Path) -> None:
    for at, (name, passed) in enumerate((("c", True), ("a", False), ("b", True))):
        play(plays, name, at, passed=passed)
    person = come("judge")
    (run,) = person.get("/api/runs").json["runs"]
    told = {key: run[key] for key in ("name", "agent", "worlds", "state", "planned", "passed", "failed", "fault")}
    assert told == {
        "name": "plays", "agent": "human", "worlds": ["desk/calc"], "state": "open", "planned": 3, "passed": 2,
        "failed": 1, "fault": "",
    }  # fmt: skip
    assert run["success"]["low"] == pytest.approx(wilson(2, 3).low)
    episodes = person.get("/api/runs/plays/episodes").json["episodes"]
    assert [(one["replay"][-1], one["rollout"], one["outcome"]) for one in episodes] == [
        ("c", 0, "passed"), ("a", 1, "failed"), ("b", 2, "passed"),
    ]  # fmt: skip
    assert person.get("/api/runs/plays/episodes?outcome=failed&text=CALC").json["total"] == 1
    page = person.get("/runs/plays").text
    assert "attempts by people" in page and "2 of 3 scored" in page
    assert "/replay/plays/a" in person.get("/runs/plays/episodes?outcome=failed").text


def test_people_are_compared_with_agents_and_their_replays_side_by_side(
    come: Callable[[str], Client], plays: Path, tmp_path: Path
) -> None:
    for at, name in enumerate("abc"):
        play(plays, name, at, passed=True)
    run = tmp_path / "runs" / "weak"
    plan = tuple(Planned(number=at, configuration=CONFIGURATION.id, rollout=at, seed=0) for at in range(3))
    with RunStore.create(run, RunSpec(worlds=("desk/calc",), agent="random"), plan) as store:
        for at in range(3):
            record(run / "episodes" / f"{at:06}", ACTIONS[-1:])
            store.finish(at, Finished(Outcome.FAILED, 0.0, 1, 1.0, folder=f"episodes/{at:06}"))
    person = come("judge")
    page = person.get("/runs/compare?a=plays&b=weak").text
    assert "first minus the second" in page and "/replay/compare?a=plays%2Fa&amp;b=weak%2F000000" in page
    assert person.get("/replay/compare?a=plays%2Fa&b=weak%2F000000").status == 200
    assert "plays/b" in person.get("/replay/compare?a=weak%2F000000").text


def test_an_attempt_shows_up_and_goes_away_again(come: Callable[[str], Client], plays: Path, tmp_path: Path) -> None:
    person = come("judge")
    assert "No runs yet" in person.get("/runs").text
    play(plays, "first")
    before = person.get("/api/runs/plays/mark").json["mark"]
    play(plays, "second", 1)
    assert person.get("/api/runs/plays/mark").json["mark"] != before
    assert person.get("/api/runs/plays").json["planned"] == 2
    shutil.rmtree(plays)
    assert person.get("/runs/plays").status == 404
    play(tmp_path / "episodes", "at-the-terminal")
    assert [one["name"] for one in person.get("/api/runs").json["runs"]] == ["episodes"]


def test_numbers_that_are_none_harm_no_other_attempt(plays: Path) -> None:
    play(plays, "sound")
    edits = {"tokens": {"extra": {"usage": {"tokens": "many", "dollars": 1e300}}}, "usage": {"extra": {"usage": ["x"]}}}
    edits |= {"seed": {"seed": -1}, "steps": {"steps": 10**30}, "seconds": {"seconds": 1e300}}
    for name, edit in edits.items():
        path = plays / play(plays, name) / "episode.json"
        before = plays_mark(plays)
        path.write_text(json.dumps(json.loads(path.read_text()) | edit))
        (path.parent / "manifest.json").unlink()  # as an earlier version left it
        assert plays_mark(plays) != before
    with open_plays(plays) as store:
        rows = {row.finished.folder: row.finished for row in store.rows() if row.finished is not None}
    assert rows.keys() == {"sound", "tokens", "usage"}
    assert (rows["tokens"].tokens, rows["tokens"].cost) == (None, None)
