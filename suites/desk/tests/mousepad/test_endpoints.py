"""Mousepad in a real seat: it opens without a question, and its inspector says what is there and what is not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from fairground.agents import make_moves
from fairground.core import InvalidInput, State, StateError
from fairground.worlds import Enter, Move, Press, Seat, open_seat, resolve
from fairground_desk.kit import rest
from fairground_desk.mousepad.inspector import MOUSEPAD, SETTINGS
from fairground_desk.mousepad.scenarios.moves import convert, go_to, open_file, replace_all, save

TODO, CONFIG, LETTER = "~/Documents/todo.txt", "~/Documents/berthd.ini", "~/Documents/letters/pilot-association.txt"
NOTES, TABLE, PRICES = (
    "~/Documents/meetings/berth planning.md",
    "~/Documents/shipping-agents.csv",
    "import/harbour-dues",
)

pytestmark = pytest.mark.slow


def play(seat: Seat, *moves: Move) -> None:
    make_moves(seat, moves)


@pytest.fixture(scope="module")
def seat() -> Iterator[Seat]:
    with open_seat(resolve("desk/mousepad/replace-word/setting@harbour/light/letter")) as opened:
        yield opened


@pytest.fixture(scope="module")
def after(seat: Seat, before: State) -> State:
    """A task ticked and saved, a word replaced, tabs widened, and a change in front that nobody saved."""
    play(seat, *open_file(TODO), Press("End"), Enter("!"), *save(TODO))
    play(seat, *open_file(CONFIG), *replace_all("timeout", "patience", word=True), *save(CONFIG))
    play(seat, Press("ctrl+a"), *convert("strip"), Press("alt+v"), Press("u"))
    play(seat, *open_file(LETTER), *go_to(2), Press("shift+End"), Enter("Not saved"), rest())
    return seat.finish()


def ask(state: State, name: str, /, **arguments: Any) -> Any:
    answer = MOUSEPAD.ask(state, name, arguments)
    assert json.dumps(answer)
    return answer


def test_it_opens_the_letter_and_asks_nothing(seat: Seat, before: State) -> None:
    assert [window.title for window in seat.screen.windows()] == [
        "~/Documents/letters/pilot-association.txt - Mousepad"
    ]
    assert not {"dialog", "alert", "info bar"} & {node.role for node in seat.screen.tree().walk()}
    assert len(before.files) > 30 and not before.data.get("live")


@pytest.mark.endpoint("text", "positive")
@pytest.mark.endpoint("line", "positive")
@pytest.mark.endpoint("check-line", "positive")
@pytest.mark.endpoint("check-contains", "positive")
@pytest.mark.endpoint("matches", "positive")
def test_what_was_saved_is_read(after: State) -> None:
    first = "[ ] Order new fenders for Skolten!"
    assert ask(after, "text", path=TODO)["lines"][0] == first == ask(after, "line", path=TODO, number=1)
    assert ask(after, "check-line", path=TODO, number=1, expected=first)["passed"]
    assert ask(after, "check-contains", path=CONFIG, expected="patience = 30\nretries = 3")["passed"]
    assert len(ask(after, "matches", path=CONFIG, word="patience")) == 1


@pytest.mark.endpoint("text", "negative")
@pytest.mark.endpoint("line", "negative")
@pytest.mark.endpoint("check-line", "negative")
@pytest.mark.endpoint("check-contains", "negative")
@pytest.mark.endpoint("matches", "negative")
def test_what_was_not_saved_is_not_in_the_files(before: State, after: State) -> None:
    assert "Not saved" not in ask(after, "text", path=LETTER)["lines"]
    assert ask(after, "line", path=LETTER, number=2) == ask(before, "line", path=LETTER, number=2)
    assert not ask(after, "check-line", path=LETTER, number=2, expected="Not saved")["passed"]
    assert not ask(after, "check-line", path=LETTER, number=9999, expected="")["passed"]
    assert not ask(before, "check-contains", path=CONFIG, expected="patience")["passed"]
    assert ask(after, "matches", path=CONFIG, word="timeout") == []
    for path, number in ((TODO, 0), (TODO, 9999), ("~/Documents/none.txt", 1)):
        with pytest.raises(StateError):
            ask(after, "line", path=path, number=number)
    with pytest.raises(StateError, match="not utf-8"):
        ask(after, "text", path="~/Documents/letters/havnevedtekter.txt")


@pytest.mark.endpoint("form", "positive")
@pytest.mark.endpoint("check-form", "positive")
@pytest.mark.endpoint("headings", "positive")
@pytest.mark.endpoint("entry", "positive")
@pytest.mark.endpoint("size", "positive")
@pytest.mark.endpoint("files", "positive")
def test_how_files_are_written_and_built(after: State) -> None:
    assert ask(after, "form", path="~/Documents/letters/havnevedtekter.txt", encoding="latin-1")["line_end"] == "lf"
    assert ask(after, "check-form", path=f"~/Documents/{PRICES}.csv", line_end="crlf", encoding="ascii")["passed"]
    assert ask(after, "headings", path=NOTES)[1] == "## Berth allocation"
    assert ask(after, "entry", path=CONFIG, section="network", key="patience") == "30"
    assert ask(after, "size", path=TABLE)["lines"] == 65
    assert TODO in ask(after, "files") and len(ask(after, "files")) == len(ask(after, "files", under="~/Documents"))


@pytest.mark.endpoint("form", "negative")
@pytest.mark.endpoint("check-form", "negative")
@pytest.mark.endpoint("headings", "negative")
@pytest.mark.endpoint("entry", "negative")
@pytest.mark.endpoint("size", "negative")
@pytest.mark.endpoint("files", "negative")
def test_what_is_not_there_is_not_found(before: State, after: State) -> None:
    assert ask(after, "form", path=TODO)["trailing_space"] and not ask(after, "form", path=TABLE)["trailing_space"]
    assert not ask(after, "check-form", path=TODO, line_end="crlf")["passed"]
    assert ask(after, "headings", path=TABLE) == []
    with pytest.raises(StateError, match="patience"):
        ask(before, "entry", path=CONFIG, section="network", key="patience")
    with pytest.raises(StateError):
        ask(after, "size", path="~/Documents/none.txt")
    assert ask(after, "files", under="~/Pictures") == []


@pytest.mark.endpoint("preferences", "positive")
@pytest.mark.endpoint("check-preference", "positive")
@pytest.mark.endpoint("searches", "positive")
@pytest.mark.endpoint("recent", "positive")
def test_settings_and_history_are_written_at_once(after: State) -> None:
    assert ask(after, "preferences")["view/show-line-numbers"] == "true"
    assert ask(after, "check-preference", name="view/show-line-numbers", expected="true")["passed"]
    assert "timeout" in ask(after, "searches")["search-history"]
    assert any(path.endswith("/Documents/todo.txt") for path in ask(after, "recent"))


@pytest.mark.endpoint("preferences", "negative")
@pytest.mark.endpoint("check-preference", "negative")
@pytest.mark.endpoint("searches", "negative")
@pytest.mark.endpoint("recent", "negative")
def test_settings_are_the_defaults_until_changed(before: State, after: State) -> None:
    assert ask(before, "preferences")["view/show-line-numbers"] == "false"
    assert not ask(after, "check-preference", name="view/tab-width", expected="4")["passed"]
    assert not ask(after, "check-preference", name="view/nonsense", expected="4")["passed"]
    assert ask(before, "searches") == {}
    assert not any(path.endswith(".csv") for path in ask(after, "recent"))
    broken = State(files={SETTINGS: b"\xff\x00[", "~/.local/share/recently-used.xbel": b"<xbel"})
    for name in ("preferences", "searches", "recent"):
        with pytest.raises(StateError):
            ask(broken, name)


@pytest.mark.endpoint("tabs", "positive")
@pytest.mark.endpoint("screen-text", "positive")
@pytest.mark.endpoint("check-saved", "negative")
def test_what_is_only_on_the_screen_is_recorded(after: State) -> None:
    assert ask(after, "tabs") == {"tabs": ["pilot-association.txt", "todo.txt", "berthd.ini"],
                                  "front": "pilot-association.txt"}  # fmt: skip
    assert "\nNot saved\n" in ask(after, "screen-text")["text"]
    assert not ask(after, "check-saved")["passed"]


@pytest.mark.endpoint("tabs", "negative")
@pytest.mark.endpoint("screen-text", "negative")
@pytest.mark.endpoint("check-saved", "positive")
def test_of_a_program_that_was_not_asked_nothing_is_said(before: State, after: State) -> None:
    for name in ("tabs", "screen-text", "check-saved"):
        with pytest.raises(StateError):
            ask(before, name)
    saved = State(files=after.files, data={**after.data, "live": {**after.get("live"), "modified": [], "dialogs": []}})
    assert ask(saved, "check-saved")["passed"]


def test_wrong_questions_are_told_apart_from_wrong_states(after: State) -> None:
    with pytest.raises(InvalidInput):
        ask(after, "lines", path=TODO)
    with pytest.raises(InvalidInput):
        ask(after, "line", path=TODO, number="first")
