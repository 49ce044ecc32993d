"""One site for all attacks: what one of them breaks, the others find broken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from fairground.arena import Store, add_agents
from fairground.web import Site, serving
from fairground.worlds import Seat
from tests.chromium import open_browser
from tests.recordings import hostile
from tests.web.arena_stage import patient
from tests.web.attacks.stage import NAMES, Crowd, a_run
from tests.web.seat_stage import RECORDER, opened


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
    with opened(folder / "still", *RECORDER) as seat:
        yield seat


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser
