"""What tests of the site have in common: a database of their own, their site at an address, a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from fairground.arena import Store
from fairground.web import Site, serving
from tests.chromium import open_browser


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
