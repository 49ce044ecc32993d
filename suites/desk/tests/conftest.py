"""What the tests of all apps of the desk share."""

from __future__ import annotations

import pytest

from fairground.core import State
from fairground.worlds import Seat


@pytest.fixture(scope="module")
def before(seat: Seat) -> State:
    """The state before anything was touched, of the seat that a module opens."""
    return seat.before
