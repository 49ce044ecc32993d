"""What must stay on the server: keys of agents, and where its files lie."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairground.agents import Brief, Turn
from fairground.arena import Store, add_agents
from fairground.core import MissingPrerequisite, Observation
from fairground.web import Site, serving
from fairground.web.playing import Play
from fairground.web.studio.catalogue_looks import LookBook
from fairground.worlds import App, Suite, find_app, resolve
from tests.waiting import eventually
from tests.web.arena_stage import Client, judge, patient
from tests.web.attacks.stage import WORLD, Crowd

pytestmark = pytest.mark.process

KEY = "sk-live-4f9b7c2d81e6"


class Careless:
    """An agent that puts its key into everything that it says."""

    def __init__(self, name: str, key: str) -> None:
        self.name, self._key = name, key

    def begin(self, brief: Brief) -> None: ...

    def act(self, observation: Observation) -> Turn:
        raise RuntimeError(f"401: the key {self._key} is not known")


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Site, str]]:
    """A site whose agents fail, each in its own way, with their key in their mouth."""
    monkeypatch.setenv("CARELESS_API_KEY", KEY)

    def make(name: str, key: str) -> Careless:
        return Careless(name, key)

    def unable() -> Careless:
        raise MissingPrerequisite(f"the key {os.environ['CARELESS_API_KEY']} has expired")

    agents = {f"careless-{n}": (lambda n=n: make(f"careless-{n}", KEY)) for n in range(2)}
    with Store(tmp_path / "arena.sqlite") as store:
        add_agents(store, [*agents, "careless-unable"])
        yield Site(store, tmp_path / "home", (), {**agents, "careless-unable": unable}, rates=patient()), KEY


@pytest.mark.process
@pytest.mark.usefixtures("in_still_world")
def test_the_key_of_an_agent_is_in_no_answer_and_in_no_log(
    broken: tuple[Site, str], caplog: pytest.LogCaptureFixture
) -> None:
    site, key = broken
    caplog.set_level(logging.DEBUG)
    heard = []
    with serving(site) as url:
        one, admin = Client(url, site, judge(site.store)), Client(url, site, judge(site.store, "admin"))
        begun = one.post("/api/battles", {"own": True, "world": WORLD, "text": "Pin it"})
        assert begun.status == 201, begun.text
        here = f"/api/battles/{begun.json['id']}"
        eventually(lambda: one.get(here).json["status"] not in ("preparing", "running"), 90.0)
        paths = (here, f"{here}/a/replay", f"{here}/b/replay", f"/arena/battles/{begun.json['id']}", "/arena", "/live",
                 "/api/battles", "/leaderboard", "/api/leaderboard", "/api/openapi.json", "/admin", "/admin/agents",
                 "/admin/battles", "/api/admin/battles", "/api/admin/agents",
                 "/api/admin/export?whole=true")  # fmt: skip
        heard = [f"{answer.headers}{answer.text}" for client in (one, admin) for answer in map(client.get, paths)]
        heard.append(begun.text)
    assert not [said for said in heard if key in said]
    assert key not in caplog.text
    kept = [path for path in site.home.rglob("*") if path.is_file() and key.encode() in path.read_bytes()]
    assert kept == [], "what is recorded is shown, and published"
    assert not [said for said in heard[:7] if "careless" in said], "the leaderboard names everybody, a battle nobody"


def test_where_files_lie_is_told_to_nobody(site: Site, crowd: Crowd, folder: Path) -> None:
    run = folder / "runs" / "damaged"
    run.mkdir(exist_ok=True)
    (run / "run.sqlite").write_bytes(b"no database")
    paths = ("/runs", "/runs/damaged", "/runs/damaged/episodes", "/api/runs", "/api/runs/damaged",
             "/replay/damaged/000000",
             "/api/runs/damaged/episodes", "/api/replays/damaged/000000", "/runs/compare?a=damaged&b=first",
             "/api/replays/first/000009", "/api/live/none/replay", "/live/new?world=none",
             "/api/battles/none")  # fmt: skip
    for path in paths:
        for accept in ("text/html", "application/json"):
            answer = crowd.admin.get(path, accept)
            assert answer.status < 500 and str(folder) not in answer.text and "/tmp" not in answer.text, path


@pytest.mark.process
def test_why_no_picture_could_be_made_is_not_told_to_strangers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = LookBook(tmp_path / "looks")
    suite, app = find_app("pocket/notes")
    monkeypatch.setenv("PATH", str(tmp_path))  # nothing can be started
    (tmp_path / "looks").write_text("in the way")
    book.ask(suite, app)
    fault = eventually(lambda: fault_of(book, suite, app))
    book.close()
    assert str(tmp_path) not in fault and "/tmp" not in fault


def fault_of(book: LookBook, suite: Suite, app: App) -> str:
    found = book.looks(suite, app)
    return "" if found.making else found.fault


@pytest.mark.process
def test_an_attempt_that_cannot_be_recorded_does_not_say_where(site: Site, crowd: Crowd, tmp_path: Path) -> None:
    (tmp_path / "full").write_text("in the way")
    play = Play(site.house, resolve(WORLD), tmp_path / "full" / "here", crowd.owner.person.id)
    play.start()
    play.wait()
    page = crowd.owner.get(f"/live/{play.id}").text
    assert "could not be recorded" in page and str(tmp_path) not in page


def test_errors_of_forms_and_json_repeat_nothing_secret(crowd: Crowd) -> None:
    said = {"role": "judge", "uses": KEY * 1_000, "token": KEY}
    answer = crowd.admin.send(
        "POST", "/api/admin/invitations", json.dumps(said).encode(), {"Content-Type": "application/json"}
    )
    assert answer.status == 422 and KEY not in answer.text and len(answer.text) < 1_000
