"""A site with a recorded run, and browsers of people who visit it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from fairground.agents import Agent
from fairground.arena import (
    Person,
    Side,
    Store,
    Task,
    add_agents,
    begin,
    consent,
    end_side,
    new_battle,
    new_person,
    to_judge,
)
from fairground.core import Check, Outcome
from fairground.rollout import Finished, Planned, RunSpec, RunStore, named_agent
from fairground.web import Site, serving
from fairground.worlds import resolve
from tests.chromium import MILLISECONDS, open_browser
from tests.recordings import ACTIONS, record
from tests.web.end_to_end.browsing import Ear

WORLD = "pocket/notes/pin-and-label"
AGENTS = ("oracle", "random")


class Visit(Protocol):
    """Opens a page of the site for somebody: a new visitor unless `person` says who."""

    def __call__(self, path: str, person: Person | None = None, *, ear: Ear | None = None, **options: Any) -> Page: ...


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="package")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of one episode that passed."""
    folder = tmp_path_factory.mktemp("runs")
    planned = [Planned(number=0, configuration=resolve(WORLD).id, rollout=0, seed=0)]
    with RunStore.create(folder / "first", RunSpec(worlds=(WORLD,), agent="oracle"), planned) as store:
        store.finish(0, Finished(Outcome.PASSED, reward=1.0, steps=len(ACTIONS), folder="episodes/000000"))
    record(folder / "first" / "episodes" / "000000", ACTIONS, checks=(Check(name="there is a note", passed=True),))
    return folder


@pytest.fixture(scope="module")
def agents() -> dict[str, Callable[[], Agent]]:
    """Who fights; a module may have others."""
    return {name: partial(named_agent, name) for name in AGENTS}


@pytest.fixture(scope="module")
def site(
    tmp_path_factory: pytest.TempPathFactory, runs: Path, agents: dict[str, Callable[[], Agent]]
) -> Iterator[Site]:
    home = tmp_path_factory.mktemp("home")
    with Store(home / "arena.sqlite") as store:
        add_agents(store, list(agents))
        yield Site(store, home, (runs,), agents)


@pytest.fixture(scope="module")
def url(site: Site) -> Iterator[str]:
    with serving(site) as url:
        yield url.rstrip("/")


@pytest.fixture
def visit(browser: Browser, site: Site, url: str) -> Iterator[Visit]:
    """In none of the pages a script may fail, a request may fail, or anything may be asked of another machine."""
    contexts: list[BrowserContext] = []
    ears: list[Ear] = []

    def open_page(path: str, person: Person | None = None, *, ear: Ear | None = None, **options: Any) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        if person is not None:
            context.add_cookies([{"name": "fairground", "value": site.signer.cookie(person.id), "url": url}])
        page = context.new_page()
        page.set_default_timeout(MILLISECONDS)
        ears.append(ear or Ear())
        ears[-1].listen(page)
        page.goto(url + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [fault for ear in ears for fault in ear.faults] == []


@pytest.fixture
def judge(site: Site) -> Person:
    """Somebody who may vote."""
    return consent(site.store, new_person(site.store, "judge"))


@pytest.fixture
def fought(site: Site, runs: Path, judge: Person) -> str:
    """A battle of the judge's that waits for their vote; both sides did what the recorded run did."""
    world = resolve(WORLD)
    battle = new_battle(
        site.store, judge, Task(world=world.id, text=world.instruction, category="notes", platform="phone")
    )
    begin(site.store, battle.id, {"a": "same", "b": "same"})
    for side in ("a", "b"):
        place = f"battles/{battle.id}/{side}"
        shutil.copytree(runs / "first" / "episodes" / "000000", site.home / place)
        end_side(site.store, battle.id, Side(side, episode=place, outcome="passed", reward=1.0, steps=4))
    to_judge(site.store, battle.id)
    return battle.id


@pytest.fixture(scope="session")
def keep_picture() -> Callable[[Page, str], None]:
    """Keeps a picture of the page where FAIRGROUND_PICTURES says, for people to look at."""
    folder = os.environ.get("FAIRGROUND_PICTURES")

    def keep(page: Page, name: str) -> None:
        if folder:
            page.screenshot(path=f"{folder}/{name}.png", full_page=True)

    return keep
