"""One site for all attacks: what one of them breaks, the others find broken."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from fairground.arena import Store, add_agents
from fairground.sandbox import LayerStore
from fairground.web import Site, serving
from fairground.worlds import Seat, open_seat, resolve
from tests.web.attacks.stage import NAMES, Crowd, a_run, patient
from tests.web.replay_recordings import hostile

_STILL = """
[app]
name = "still"
packages = ["x11-utils"]
launch = ["xev", "-event", "button", "-geometry", "600x400+20+20"]
window = "Event Tester"

[[scenario]]
name = "greet"
instruction = "Write hello into note.txt."

[[scenario.check]]
name = "there is a note"
file = "~/note.txt"
equals = "hello"
"""


@pytest.fixture(scope="package")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("attacks")


@pytest.fixture(scope="package")
def recording(folder: Path) -> Path:
    """An episode with hostile text wherever there is room for text."""
    return hostile(folder / "recording")


@pytest.fixture(scope="package")
def site(folder: Path) -> Iterator[Site]:
    a_run(folder / "runs")
    with Store(folder / "arena.sqlite") as store:
        add_agents(store, NAMES)
        yield Site(store, folder / "home", (folder / "runs",), rates=patient())


@pytest.fixture(scope="package")
def url(site: Site) -> Iterator[str]:
    with serving(site) as url:
        yield url


@pytest.fixture
def crowd(url: str, site: Site) -> Crowd:
    return Crowd.at(url, site)


@pytest.fixture(scope="package")
def seat(folder: Path) -> Iterator[Seat]:
    """A real desktop with a program on it that does nothing."""
    (folder / "still").mkdir()
    (folder / "still" / "world.toml").write_text(_STILL)
    with open_seat(resolve(str(folder / "still")), store=LayerStore(folder / "cache")) as seat:
        yield seat


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        yield browser
        browser.close()
