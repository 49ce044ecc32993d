"""Names that clients ask for: only what is served, and never a folder of the server."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairground.core import InvalidConfiguration, InvalidInput
from fairground.remote.drawing import Draws, narrow, screen_size
from fairground.worlds import ScreenSpec, select
from tests.note_world import write_note_world
from tests.worlds.board import Board, world

from .stage import BOARDS

SERVED = select(*BOARDS)


class Wide(Board):
    screen = ScreenSpec("cdp", (800, 600))


@pytest.mark.parametrize(
    ("names", "count"),
    [
        (None, 4),
        ("boards", 4),
        ("*", 4),
        ("boards/board/read", 4),
        ("boards/board/read/default@long", 2),
        ("boards/*/*/*@*/blue", 2),
        (["boards/board/read/default@long/blue/default"], 1),
        (["boards/board/read/default@long", "boards/board/read/default@long/blue"], 2),
    ],
)
def test_a_name_selects_within_what_is_served(names: str | list[str] | None, count: int) -> None:
    chosen = narrow(SERVED, names)
    assert len(set(chosen)) == count and set(chosen) <= set(SERVED)


def test_what_is_not_served_is_not_looked_up(tmp_path: Path) -> None:
    folder = write_note_world(tmp_path / "secret", "xterm", "x", "xterm")
    for name in (str(folder), "pocket", "pocket/notes", "boards/other", "boards/board/read/default@tall", "", "/", "@"):
        with pytest.raises((InvalidInput, InvalidConfiguration)):
            narrow(SERVED, name)
    with pytest.raises((InvalidInput, InvalidConfiguration)):
        Draws.seeded(SERVED, 1).draw(None, {"next": str(folder)})


def test_draws_of_copies_are_equal_and_independent() -> None:
    draws = Draws.seeded(SERVED, 5)
    draws.draw(None, {})
    first, second = draws.copies(2)
    drawn = [[copy.draw(None, {})[0] for _ in range(5)] for copy in (first, second)]
    assert drawn[0] == drawn[1]
    assert Draws.seeded(SERVED, 5).draw(5, {}) == Draws.seeded(SERVED, 9).draw(5, {})


def test_the_following_world_is_the_next_draw() -> None:
    draws = Draws.seeded(SERVED, 8)
    for _ in range(5):
        _, following = draws.draw(None, {}, further=True)
        assert draws.draw(None, {}) == (following, None)
    _, following = draws.draw(None, {"theme": "blue"}, further=True)
    assert following is None
    _, following = draws.draw(None, {"theme": "blue", "next": "boards/board/read/default@long/blue"}, further=True)
    assert following is not None and following.id.endswith("@long/blue/default")


def test_a_refused_draw_changes_nothing() -> None:
    draws, same = Draws.seeded(SERVED, 3), Draws.seeded(SERVED, 3)
    for options in ({"theme": "pink"}, {"world": "nobody"}, {"theme": 1}, {"colour": "red"}):
        with pytest.raises((InvalidInput, InvalidConfiguration)):
            draws.draw(77, options)
    assert draws.draw(None, {}) == same.draw(None, {})


def test_a_session_has_one_screen_size() -> None:
    assert screen_size(SERVED) == (412, 915)
    with pytest.raises(InvalidInput, match="same screen size"):
        screen_size(select(*BOARDS, world(Wide())))
