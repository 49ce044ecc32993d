"""What tests of the environment server have in common."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fairground.remote import EnvironmentServer
from tests.waiting import eventually

from .stage import BOARDS


@pytest.fixture(scope="module")
def board_server() -> Iterator[EnvironmentServer]:
    """A server of boards with four seats in one browser."""
    with EnvironmentServer(BOARDS, seats=4, share_browser=True) as server:
        yield server


@pytest.fixture
def url(board_server: EnvironmentServer) -> Iterator[str]:
    """The address of the server. No session is left after a test."""
    yield board_server.url
    eventually(lambda: board_server.sessions.in_use == 0)
