"""Runs in the studio: broken and hostile ones first, then what a person and a program read of them."""

from __future__ import annotations

import http.client
import json
import math
import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Browser, expect

from fairground.arena import Store, invite
from fairground.cli import main
from fairground.core import Outcome
from fairground.report.statistics_words import point_range
from fairground.rollout import Finished, Planned, RunSpec, RunStore, run_table
from fairground.rollout.label import read_label, write_label
from fairground.rollout.store import is_going
from fairground.stats import Interval, summarise
from fairground.web.site import Site, serving
from fairground.web.studio.runs_found import find_runs
from tests.chromium import note_faults
from tests.web.arena_stage import patient

pytestmark = pytest.mark.process

EVIL = "<img src=x onerror=window.pwned=1>"
SCENARIOS = ("notes/pin", "notes/count", "email/send")
Get = Callable[..., tuple[int, str]]


def plan(number: int) -> tuple[Planned, ...]:
    """Episodes over three scenarios, three rollouts a configuration."""
    names = [f"pocket/{SCENARIOS[at // 3 % 3]}/i{at // 9}@ada/paper/list" for at in range(number)]
    return tuple(Planned(number=at, configuration=name, rollout=at % 3, seed=0) for at, name in enumerate(names))


def finished(outcome: str, at: int) -> Finished:
    """How an episode ended."""
    folder = f"episodes/{at:06}"
    if outcome in ("errored", "invalid"):
        return Finished(Outcome(outcome), ended_by="error", error=f"the browser {EVIL} did not answer", folder=folder)
    reward = 1.0 if outcome == "passed" else 0.25
    return Finished(Outcome(outcome), reward, 4, 2.5, 1000, 0.02, "agent", folder=folder)


def begin(folder: Path, planned: int, agent: str = "random", condition: str = "") -> RunStore:
    """A run of which nothing is done yet."""
    spec = RunSpec(worlds=("pocket",), agent=agent, condition=condition, rollouts=3)
    return RunStore.create(folder, spec, plan(planned))


def write_run(folder: Path, outcomes: Sequence[str], planned: int = 0, **words: str) -> Path:
    """A run whose first episodes ended so."""
    with begin(folder, planned or len(outcomes), **words) as store:
        for at, outcome in enumerate(outcomes):
            store.finish(at, finished(outcome, at))
    return folder


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder for runs."""
    (tmp_path / "runs").mkdir()
    return tmp_path / "runs"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, str]]:
    """One server for all tests: each has its own folders for runs."""
    home = tmp_path_factory.mktemp("home")
    with Store(home / "arena.sqlite") as store:
        site = Site(store, home, rates=patient())
        with serving(site) as url:
            yield site, url


@pytest.fixture
def site(server: tuple[Site, str], tmp_path: Path, runs: Path) -> str:
    """A server that looks for runs there."""
    server[0].runs = (runs, tmp_path / "more")
    return server[1]


@pytest.fixture
def get(site: str, tmp_path: Path) -> Get:
    """Asks for an address as it stands, and checks that no answer says where things lie on the server."""

    def ask(path: str, accept: str = "text/html") -> tuple[int, str]:
        connection = http.client.HTTPConnection(urlsplit(site).netloc, timeout=30)
        connection.request("GET", path, headers={"Accept": accept})
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        assert answer.status < 500, body
        assert str(tmp_path) not in body
        return answer.status, body

    return ask


def data(get: Get, path: str) -> Any:
    """What the API answers."""
    status, body = get(path, "application/json")
    assert status == 200, body
    return json.loads(body)


def test_a_name_is_never_a_path(get: Get, runs: Path) -> None:
    write_run(runs.parent / "secret", ["passed"])
    write_run(runs / "first", ["passed"])
    for name in ("..", "%2e%2e", "..%2fsecret", "%2e%2e%2fsecret", "first%2f..%2f..%2fsecret", "%00", "x" * 3000):
        for path in (f"/runs/{name}", f"/runs/{name}/episodes", f"/api/runs/{name}", f"/api/runs/{name}/episodes"):
            assert get(path)[0] in (404, 405), path
    assert get(f"/runs/compare?a={quote('../secret', safe='')}&b=first")[0] == 404
    assert get("/runs/first/episodes/..%2f..%2frun.sqlite")[0] == 404


def test_names_and_texts_of_others_stay_text(get: Get, runs: Path) -> None:
    write_run(runs / EVIL, ["passed", "errored"], agent=f"agent {EVIL}", condition="\"'><b>x")
    write_run(runs / "other", ["passed", "errored"])
    name = quote(EVIL, safe="")
    for path in ("/runs", f"/runs/{name}", f"/runs/{name}/episodes?text={name}", f"/runs/compare?a={name}&b=other"):
        status, body = get(path)
        assert status == 200 and "&lt;img src=x" in body
        assert "<img" not in body and "<b>x" not in body
    assert f"/replay/{name}/000000" in get(f"/runs/{name}/episodes")[1]


def test_a_file_name_that_is_no_text_can_be_opened_all_the_same(get: Get, runs: Path) -> None:
    write_run(Path(os.fsdecode(os.fsencode(runs) + b"/caf\xe9")), ["passed"])
    (one,) = data(get, "/api/runs")["runs"]
    assert get(f"/runs/{quote(one['name'], safe='')}")[0] == 200


def broken_runs(runs: Path) -> list[str]:
    """Runs that somebody broke, each in another way."""
    for name, content in (("empty", b""), ("torn", b"SQLite format 3\0" + b"x" * 500), ("text", b"hello")):
        (runs / name).mkdir()
        (runs / name / "run.sqlite").write_bytes(content)
    edits = {
        "no-spec": "DELETE FROM meta WHERE key = 'spec'",
        "bad-spec": "UPDATE meta SET value = '{' WHERE key = 'spec'",
        "other-spec": "UPDATE meta SET value = '{\"agent\": 3}' WHERE key = 'spec'",
        "newer": "UPDATE meta SET value = '99' WHERE key = 'format'",
        "no-table": "DROP TABLE errors",
    }
    for name, edit in edits.items():
        write_run(runs / name, ["passed", "failed"])
        with sqlite3.connect(runs / name / "run.sqlite") as db:
            db.execute(edit)
        db.close()
    return ["empty", "torn", "text", *edits]


def test_broken_runs_are_told_and_harm_no_other(get: Get, runs: Path) -> None:
    names = broken_runs(runs)
    write_run(runs / "sound", ["passed"])
    states = {one["name"]: one["state"] for one in data(get, "/api/runs")["runs"]}
    assert states == dict.fromkeys(names, "damaged") | {"sound": "finished"}
    listed = get("/runs")[1]
    for name in names:
        assert f"/runs/{name}" in listed
        status, body = get(f"/runs/{name}")
        assert status == 200 and "cannot be read" in body
        assert data(get, f"/api/runs/{name}")["fault"]
        assert get(f"/runs/{name}/episodes")[0] == (200 if name == "no-table" else 400)
        assert get(f"/runs/compare?a={name}&b=sound")[0] == 200
    assert get("/runs/sound")[0] == 200


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE episodes SET outcome = 'won'",
        "UPDATE episodes SET reward = 'much'",
        "UPDATE episodes SET reward = 9e999",
        "UPDATE episodes SET steps = x'00ff'",
        "UPDATE episodes SET configuration = x'00ff', rollout = number",
        "UPDATE episodes SET error = x'c328'",
        "UPDATE episodes SET cost = 'free'",
    ],
)
def test_an_index_that_says_what_no_run_says_is_no_result(get: Get, runs: Path, edit: str) -> None:
    write_run(runs / "odd", ["passed", "failed"])
    write_run(runs / "sound", ["passed", "failed"])
    with sqlite3.connect(runs / "odd" / "run.sqlite") as db:
        db.execute(edit)
    db.close()
    assert get("/runs")[0] == 200
    run = data(get, "/api/runs/odd")
    assert (run["passed"], run["failed"]) == (0, 0) and "2 episodes are damaged and not counted" in run["fault"]
    assert "2 episodes are damaged and not counted" in get("/runs/odd")[1]
    listed = data(get, "/api/runs/odd/episodes")["episodes"]
    assert all(one["outcome"] is None and one["error"].startswith("damaged: ") for one in listed)
    assert get("/runs/odd/episodes")[0] == 200
    get("/runs/compare?a=odd&b=sound")


def test_an_episode_links_only_to_a_folder_that_a_run_makes(get: Get, runs: Path) -> None:
    write_run(runs / "odd", ["passed", "passed"])
    with sqlite3.connect(runs / "odd" / "run.sqlite") as db:
        db.execute("UPDATE episodes SET folder = 'episodes/../../secret' WHERE number = 0")
    db.close()
    first, second = data(get, "/api/runs/odd/episodes")["episodes"]
    assert (first["replay"], second["replay"]) == (None, "/replay/odd/000001")
    assert not re.search('(href|src)="[^"]*secret', get("/runs/odd/episodes")[1])


def test_a_run_may_vanish_while_it_is_looked_at(get: Get, runs: Path) -> None:
    folder = write_run(runs / "brief", ["passed"])
    assert get("/runs/brief")[0] == 200
    shutil.rmtree(folder)
    assert data(get, "/api/runs")["runs"] == []
    assert "No runs yet" in get("/runs")[1]
    for path in ("/runs/brief", "/runs/brief/episodes", "/api/runs/brief", "/api/runs/brief/mark"):
        assert get(path)[0] == 404
    write_run(folder, ["failed"])
    assert data(get, "/api/runs/brief")["failed"] == 1


def test_errors_are_never_scores(get: Get, runs: Path) -> None:
    write_run(runs / "first", ["passed"] * 3 + ["failed"] + ["errored"] * 4 + ["invalid"] * 2, planned=12)
    run = data(get, "/api/runs/first")
    (standing,) = summarise(run_table(runs / "first")).standings  # as `fairground stats` and the report have it
    expected = standing.score
    assert (run["passed"], run["failed"], run["errored"], run["invalid"], run["ended"]) == (3, 1, 4, 2, 10)
    assert run["success"]["estimate"] == expected.estimate == 0.5, "one scenario was passed, the other was not"
    assert run["success"]["low"] == pytest.approx(expected.low) and run["mean_reward"] is not None
    body = get("/runs/first")[1]
    ends = f"50.0% [{100 * expected.low:.1f}, {100 * expected.high:.1f}]"
    assert ends in body and "3 of 4 scored" in body and "10 of 12 episodes have ended" in body
    assert sum(one["planned"] for one in run["scenarios"]) == 12


def test_errors_as_failures_stand_beside_the_score_and_agents_errors_in_words(get: Get, runs: Path) -> None:
    both = runs / "both"
    write_run(both / "lucky", ["passed", "failed"] * 9, agent="lucky")
    spec = RunSpec(worlds=("pocket",), agent="quits", rollouts=3, agent_errors="excluded")
    with RunStore.create(both / "quits", spec, plan(18)) as store:
        for at in range(18):
            quits = Finished(Outcome.ERRORED, ended_by="agent_error", error="not sure")
            store.finish(at, finished("passed", at) if at < 9 else quits)
    note = "agent errors were excluded from the score of quits"
    for path in ("/runs/both", "/runs/both:quits"):
        status, body = get(path)
        assert status == 200 and "Errors as failures" in body and "50.0% [" in body and note in body, path
    assert "Errors as failures" not in get("/runs/both:lucky")[1]
    assert "an error of the agent" in get("/runs/both:quits/episodes")[1]
    body = get("/runs/compare?a=both:quits&b=both:lucky")[1]
    assert "With errors counted as failures" in body and note in body
    listed = {one["agent"]: one for one in data(get, "/api/runs")["runs"]}
    assert listed["quits"]["score_errors_failed"]["estimate"] == 0.5 and listed["quits"]["agent_errors"] == "excluded"
    assert listed["lucky"]["score_errors_failed"] is None and listed["lucky"]["agent_errors"] == "failed"


def test_a_run_without_a_score_has_no_rate(get: Get, runs: Path) -> None:
    write_run(runs / "ours", ["errored", "errored"])
    assert data(get, "/api/runs/ours")["success"] is None
    assert "no score yet" in get("/runs/ours")[1]


def test_a_filter_stands_in_the_address(get: Get, runs: Path) -> None:
    write_run(runs / "first", ["passed", "failed", "errored"] * 6, planned=20)
    count = {
        "": 20,
        "?outcome=failed": 6,
        "?outcome=waiting": 2,
        "?scenario=pocket/email/send": 6,
        "?outcome=errored&scenario=pocket/notes/pin": 2,
        "?text=BROWSER+answer": 6,
        "?text=email+i1": 3,
        "?agent=nobody": 0,
    }
    for query, number in count.items():
        assert data(get, f"/api/runs/first/episodes{query}")["total"] == number, query
        body = get(f"/runs/first/episodes{query}")[1]
        assert ("No episodes match" in body) == (not number)
        assert body.count("Replay of episode") == len(
            [one for one in data(get, f"/api/runs/first/episodes{query}")["episodes"] if one["replay"]]
        )
    body = get("/runs/first/episodes?outcome=failed&text=pin")[1]
    assert '<option value="failed" selected>' in body and 'value="pin"' in body


def test_bad_questions_are_refused_in_words(get: Get, runs: Path) -> None:
    write_run(runs / "first", ["passed"])
    for query in ("outcome=won", "page=0", "page=x", "page=99999999999999999999", f"text={'x' * 5000}"):
        status, body = get(f"/api/runs/first/episodes?{query}", "application/json")
        assert status == 422 and json.loads(body).keys() == {"error", "fix"}
    assert data(get, "/api/runs/first/episodes?page=1000000")["episodes"] == []
    status, body = get("/api/runs/frist", "application/json")
    assert status == 404 and "first" in json.loads(body)["fix"]


@pytest.mark.parametrize("number", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_many_episodes_come_a_page_at_a_time(get: Get, runs: Path, number: int) -> None:
    with begin(runs / "large", number) as store, store.committing() as db:
        db.execute(
            "UPDATE episodes SET outcome = iif(number % 4, 'failed', 'passed'), reward = 0, steps = 1, seconds = 1,"
            " ended_by = 'agent', error = '', folder = printf('episodes/%06d', number)"
        )
        for episode in range(number):
            store.seal(episode)
    first = data(get, "/api/runs/large/episodes")
    assert (first["total"], first["pages"], len(first["episodes"])) == (number, number // 100, 100)
    assert data(get, f"/api/runs/large/episodes?page={number // 100}")["episodes"][-1]["number"] == number - 1
    body = get("/runs/large/episodes?outcome=failed&page=2")[1]
    failed = number - math.ceil(number / 4)
    assert body.count("Replay of episode") == 100 and f"Page 2 of {math.ceil(failed / 100)}" in body
    assert "outcome=failed&amp;page=3" in body


def test_runs_of_one_command_and_of_a_study_belong_together(get: Get, runs: Path) -> None:
    write_run(runs / "both" / "oracle", ["passed"] * 6, agent="oracle")
    write_run(runs / "both" / "random", ["failed"] * 6, agent="random")
    for condition in ("baseline", "retry"):
        write_run(runs / "study" / "runs" / "random" / condition, ["failed"] * 3, condition=condition)
    (runs / "study" / "plan.json").write_text("{}")
    names = [one["name"] for one in data(get, "/api/runs")["runs"]]
    assert names == ["both:oracle", "both:random", "study:random:baseline", "study:random:retry"]
    body = get("/runs/both")[1]
    assert "Leaderboard" in body and "/runs/both%3Aoracle" in body
    assert data(get, "/api/runs/both/episodes?agent=oracle")["total"] == 6
    assert "random [retry]" in get("/runs/study")[1]


def cells(body: str, label: str) -> list[str]:
    """What stands in a column, without markup."""
    found = re.findall(rf'<td data-label="{re.escape(label)}">(.*?)</td>', body)
    return [re.sub("<[^>]*>", "", one).strip() for one in found]


def test_agents_of_one_command_are_never_one_number(get: Get, runs: Path) -> None:
    write_run(runs / "both" / "random", ["failed"] * 8 + ["errored"], agent="random")
    write_run(runs / "both" / "oracle", ["passed"] * 9, agent="oracle")
    body = get("/runs/both")[1]
    assert cells(body, "Agent") == ["oracle", "random", "random"], "two rows of the board, best first, and its error"
    scores = [one.partition(":")[2].partition("%")[0] for one in cells(body, "Score, 95%")]
    assert scores == [" 100.0", " 0.0"]
    assert cells(body, "Passed") == ["9 of 9", "0 of 8"] and cells(body, "Ended") == ["9 of 9", "9 of 9"]
    assert cells(body, "oracle")[0] == "3 of 3" and cells(body, "random")[0] == "0 of 2", "by app"
    for pooled in ("9 of 17", "17 scored", "18 episodes", "52.9"):
        assert pooled not in body


def fail_checks(folder: Path, number: int, *names: str, file: str = "episode.json") -> None:
    """Records which checks an episode failed."""
    place = folder / "episodes" / f"{number:06}"
    place.mkdir(parents=True, exist_ok=True)
    checks = [{"name": name, "passed": False} for name in names] + [{"name": "fine", "passed": True}]
    (place / file).write_text(json.dumps({"verdict": {"checks": checks}}))


def test_failed_checks_are_a_filter_with_counts(get: Get, runs: Path) -> None:
    folder = write_run(runs / "first", ["failed", "failed", "failed", "passed", "failed"])
    fail_checks(folder, 0, "it is saved", EVIL)
    fail_checks(folder, 1, "it is saved")
    fail_checks(folder, 2, "it is old")
    (folder / "episodes" / "000004").mkdir()
    (folder / "episodes" / "000004" / "episode.json").symlink_to(folder / "episodes" / "000000" / "episode.json")
    path = "/api/runs/first/episodes?check="
    assert [one["number"] for one in data(get, f"{path}it+is+saved")["episodes"]] == [0, 1]
    assert data(get, f"{path}it+is+saved")["episodes"][0]["failed_checks"] == ["it is saved", EVIL]
    assert data(get, f"{path}fine")["total"] == 0
    body = get("/runs/first/episodes")[1]
    assert "it is saved (2)</option>" in body and "it is old (1)</option>" in body and "<img" not in body
    assert "The failed checks of 1 failed episode are not known" in body
    fail_checks(folder, 2, "it is new", file="verdict-2.json")
    with sqlite3.connect(folder / "run.sqlite") as db:  # as `fairground reverify --write` leaves it
        db.execute("CREATE TABLE verdicts (id INTEGER PRIMARY KEY, number, scored, outcome, reward, file)")
        db.execute("INSERT INTO verdicts VALUES (1, 2, '', 'failed', 0, 'episodes/000002/verdict-2.json')")
        db.execute("INSERT INTO verdicts VALUES (2, 1, '', 'failed', 0, '../../../../etc/passwd')")
    db.close()
    (new,) = data(get, f"{path}it+is+new")["episodes"]
    assert new["number"] == 2
    assert data(get, f"{path}it+is+saved")["total"] == 1, "an episode whose history no run writes is damaged"


def test_episodes_come_in_the_order_that_the_address_says(get: Get, runs: Path) -> None:
    for agent, steps in (("b", (5, 1)), ("a", (3, 3))):
        with begin(runs / "both" / agent, 3, agent=agent) as store:
            for at, number in enumerate(steps):
                outcome = (Outcome.PASSED, Outcome.FAILED)[at]
                store.finish(at, Finished(outcome, 1 - at / 2, number, 1.0 * number, folder=f"episodes/{at:06}"))

    def order(sort: str) -> list[tuple[str, int]]:
        found = data(get, f"/api/runs/both/episodes?sort={sort}")["episodes"]
        return [(one["agent"], one["number"]) for one in found]

    waiting = [("a", 2), ("b", 2)]
    assert order("steps") == [("b", 1), ("a", 0), ("a", 1), ("b", 0), *waiting]
    assert order("-steps") == [("b", 0), ("a", 0), ("a", 1), ("b", 1), *waiting], "what has no value comes last"
    assert order("outcome") == [("a", 0), ("b", 0), ("a", 1), ("b", 1), *waiting]
    assert order("-agent")[0] == ("b", 0) and order("reward")[0] == ("a", 1) and order("-duration")[0] == ("b", 0)
    body = get("/runs/both/episodes?sort=-steps&outcome=passed")[1]
    assert 'aria-sort="descending"' in body and "outcome=passed&amp;sort=steps" in body, "a head turns the order"
    assert "outcome=passed&amp;sort=-reward" in body
    assert get("/api/runs/both/episodes?sort=luck")[0] == 422 and get("/runs/both/episodes?sort=luck")[0] == 400


def test_names_and_tags_find_runs(get: Get, runs: Path) -> None:
    write_run(runs / "both" / "oracle", ["passed"], agent="oracle")
    write_run(runs / "other", ["passed"])
    write_label(runs / "both", name=f"Two {EVIL}", tags=["baseline"])
    write_label(runs / "other", name="Zoom", tags=["baseline", "zoom"])
    names = {"tag=baseline": 2, "tag=zoom": 1, "text=two": 1, "text=ZOOM+random": 1, "tag=zoom&text=two": 0}
    for query, number in names.items():
        assert len(data(get, f"/api/runs?{query}")["runs"]) == number, query
    body = get("/runs?tag=zoom")[1]
    assert "Zoom" in body and "oracle" not in body and '<option value="baseline">' in body
    assert "Two &lt;img" in get("/runs/both")[1] and "Name and tags" not in get("/runs/both")[1]
    (runs / "other" / "label.json").write_text('{"name": 5}')
    told = get("/runs/other")
    assert told[0] == 200 and "its name and tags cannot be read" in told[1], "the run is shown all the same"
    assert "No runs match" in get("/runs?text=nothing+such")[1]


def test_visitors_are_told_nothing_that_they_cannot_do(get: Get, runs: Path) -> None:
    assert "fairground run" not in get("/runs")[1]
    write_run(runs / "first", ["passed", "failed"])
    (runs / "torn").mkdir()
    (runs / "torn" / "run.sqlite").write_bytes(b"no index")
    for path in ("/runs", "/runs/first", "/runs/torn", "/runs/torn/episodes", "/runs/compare?a=first"):
        body = get(path)[1]
        assert "fairground " not in body.replace("Fairground ", "") and "disk" not in body, path


def test_two_runs_of_one_name_are_told_apart(runs: Path, tmp_path: Path) -> None:
    write_run(runs / "first", ["passed"])
    write_run(tmp_path / "more" / "first", ["failed"])
    write_run(runs / "compare", ["failed"])
    found = find_runs((runs, tmp_path / "more", tmp_path / "absent"))
    assert list(found) == ["compare~2", "first", "first~2"]
    assert found["first~2"].folder == tmp_path / "more" / "first"


def test_two_runs_compare_as_on_the_command_line(get: Get, runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(runs / "good", ["passed", "passed", "failed"] * 9, agent="oracle")
    write_run(runs / "weak", ["passed", "failed", "failed"] * 8 + ["errored"] * 3, agent="random")
    assert main(["compare", str(runs / "good"), str(runs / "weak"), "--json"]) == 0
    difference = json.loads(capsys.readouterr().out)["pairs"][0]["comparison"]["difference"]
    body = get("/runs/compare?a=good&b=weak")[1]
    assert point_range(Interval(**difference)) in body
    assert "The difference is the first minus the second" in body and "Changes per task" in body
    assert "/replay/compare?a=good%2F" in body


def test_what_cannot_be_compared_is_said(get: Get, runs: Path) -> None:
    write_run(runs / "first", ["passed"] * 3)
    write_run(runs / "errors", ["errored"] * 3)
    write_run(runs / "new", [], planned=3)
    assert "cannot be compared with itself" in get("/runs/compare?a=first&b=first")[1]
    for other in ("errors", "new"):
        assert "These two cannot be compared" in get(f"/runs/compare?a=first&b={other}")[1]
    assert get("/runs/compare?a=first&b=nobody")[0] == 404


def test_whether_a_run_goes_on_is_asked_of_the_kernel(runs: Path, get: Get) -> None:
    with begin(runs / "first", 3):
        assert is_going(runs / "first") and data(get, "/api/runs/first")["state"] == "going"
    assert not is_going(runs / "first") and data(get, "/api/runs/first")["state"] == "stopped"


def test_progress_is_seen_without_a_reload(
    browser: Browser, site: str, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fairground.web.studio.runs._interval", lambda runs: 0.05)
    store = begin(runs / "first", 9)
    store.finish(0, finished("passed", 0))
    page = browser.new_page(viewport={"width": 390, "height": 800})
    faults: list[str] = []
    note_faults(page, faults)
    page.goto(f"{site}runs/first")
    page.evaluate("window.kept = true")
    page.get_by_role("link", name="pocket/notes/pin").focus()
    expect(page.locator("#live")).to_contain_text("1 of 9 episodes has ended")
    for at in range(1, 9):
        store.finish(at, finished("failed", at))
    expect(page.locator("#live")).to_contain_text("9 of 9 episodes have ended")
    store.close()
    assert page.evaluate("window.kept") is True
    assert page.evaluate("document.activeElement.textContent") == "pocket/notes/pin"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.goto(f"{site}runs/first/episodes")
    page.locator("select[name=outcome]").select_option("passed")
    expect(page.locator(".episodes tbody tr")).to_have_count(1)
    assert page.url.endswith("/runs/first/episodes?outcome=passed")
    page.close()
    assert faults == []


@pytest.mark.slow
def test_an_admin_names_a_run_and_a_visitor_does_not(browser: Browser, tmp_path: Path, runs: Path) -> None:
    write_run(runs / "both" / "oracle", ["passed"] * 3, agent="oracle")
    write_run(runs / "both" / "random", ["passed", "failed", "failed"], agent="random")
    home = tmp_path / "home"
    home.mkdir()
    with Store(home / "arena.sqlite") as store, serving(Site(store, home, (runs,))) as url:
        page = browser.new_page(viewport={"width": 390, "height": 800})
        faults: list[str] = []
        note_faults(page, faults)
        page.goto(f"{url}runs/both")
        token = page.get_attribute("meta[name=token]", "content") or ""
        answer = page.request.post(
            f"{url}runs/both/label", form={"name": "mine", "token": token}, headers={"Origin": url.rstrip("/")}
        )
        assert answer.status == 403 and not read_label(runs / "both").name
        page.goto(f"{url}enter/{invite(store, 'admin', days=1, note='')}")
        page.get_by_role("button", name="Accept").click()
        page.goto(f"{url}runs/both")
        page.get_by_text("Name and tags").click()
        page.get_by_label("Name", exact=True).fill("A first look")
        page.get_by_label("Tags").fill("baseline, zoom baseline")
        page.get_by_role("button", name="Save").click()
        expect(page.locator("h1")).to_have_text("A first look")
        label = read_label(runs / "both")
        assert (label.name, label.tags) == ("A first look", ("baseline", "zoom"))
        for path in ("runs", "runs/both", "runs/both/episodes", "runs/compare?a=both:oracle&b=both:random"):
            page.goto(url + path)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
            inner = "[...document.querySelectorAll('.scrolls')].every((one) => one.scrollWidth <= one.clientWidth)"
            assert page.evaluate(inner), f"{path}: tables are cards on a phone"
        page.close()
    assert faults == []
