"""What tests of the site have in common: a database of their own, their site at an address, a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from fairground.arena import Store
from fairground.web import Site, serving
from fairground.worlds import resolve
from tests.arena.conftest import disk_not_waited_for
from tests.chromium import open_browser
from tests.note_world import write_note_world
from tests.web.seat_stage import RECORDER


@pytest.fixture(scope="session", autouse=True)
def no_waiting_for_the_disk() -> Iterator[None]:
    """Commits do not wait for the disk: no test cuts the power, and a busy disk takes longer than all else."""
    with disk_not_waited_for():
        yield


@pytest.fixture(scope="module")
def in_still_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Battles open a program that does nothing: for those of which the app does not matter."""
    folder = write_note_world(tmp_path_factory.mktemp("worlds") / "still", *RECORDER)
    with pytest.MonkeyPatch.context() as patch:
        for module in ("contest", "contest_fight"):
            patch.setattr(f"fairground.arena.{module}.find_world", lambda name, own: resolve(str(folder)))
        yield


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An arena's database with nothing in it."""
    with Store(tmp_path / "arena.sqlite") as store:
        yield store


@pytest.fixture
def url(site: Site) -> Iterator[str]:
    """Where the site of a module is served; what that has on it, each module says by its own fixture `site`."""
    with serving(site) as url:
        yield url


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Not for longer than a module: other tests run event loops of their own, and cannot beside it."""
    with open_browser() as browser:
        yield browser
