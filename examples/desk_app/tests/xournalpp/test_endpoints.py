"""Xournal++ on a real seat: what its inspector says of it, and what it does not."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from my_desk.xournalpp.inspector import inspector

from fairground.agents import make_moves
from fairground.core import State, StateError
from fairground.worlds import Enter, Point, Press, Tap, open_seat, resolve

BOOK = "mechanics.xopp"


@dataclass(frozen=True)
class Attempt:
    """One seat at three instants."""

    before: State
    unsaved: State
    after: State
    dialogs: list[str]


@pytest.fixture(scope="module")
def attempt() -> Iterator[Attempt]:
    """A note, a line and another paper on page 1: before, not yet saved, and saved."""
    with open_seat(resolve("my-desk/xournalpp/jot-note/deadline@student", unproven=True)) as seat:
        dialogs = [node.name for node in seat.screen.tree().walk() if node.role in ("dialog", "alert")]
        make_moves(seat, [Press("ctrl+shift+t"), Point((700, 480)), Enter("Typed")])
        make_moves(seat, [Press("ctrl+shift+p"), Point((600, 400), (800, 420))])
        make_moves(seat, [Tap("Journal"), Tap("Paper Background"), Tap("Graph")])
        unsaved = seat.capture()
        make_moves(seat, [Press("ctrl+s")])
        yield Attempt(seat.before, unsaved, seat.finish(), dialogs)


def ask(state: State, endpoint: str, **arguments: Any) -> Any:
    return inspector.ask(state, endpoint, arguments)


def test_it_opens_without_a_question(attempt: Attempt) -> None:
    assert attempt.dialogs == []


@pytest.mark.endpoint("notebooks", "positive")
def test_all_files_are_listed(attempt: Attempt) -> None:
    assert ask(attempt.after, "notebooks") == ["lab book.xopp", "mechanics.xopp", "reading.xopp"]


@pytest.mark.endpoint("pages", "check-paper", "positive")
def test_a_paper_that_was_changed_is_the_new_one(attempt: Attempt) -> None:
    assert [page["paper"] for page in ask(attempt.after, "pages", notebook=BOOK)] == ["graph", *["lined"] * 4]
    assert ask(attempt.after, "check-paper", notebook=BOOK, page=1, paper="graph")["passed"]


@pytest.mark.endpoint("pages", "check-paper", "negative")
def test_what_is_not_saved_is_not_in_the_file(attempt: Attempt) -> None:
    assert ask(attempt.unsaved, "pages", notebook=BOOK) == ask(attempt.before, "pages", notebook=BOOK)
    assert not ask(attempt.unsaved, "check-paper", notebook=BOOK, page=1, paper="graph")["passed"]


@pytest.mark.endpoint("texts", "check-text", "positive")
def test_what_was_typed_is_on_its_page(attempt: Attempt) -> None:
    assert [one["text"] for one in ask(attempt.after, "texts", notebook=BOOK, page=1)][-1] == "Typed"
    assert ask(attempt.after, "check-text", notebook=BOOK, page=1, text="Typed")["passed"]


@pytest.mark.endpoint("texts", "check-text", "negative")
def test_it_is_on_no_other_page_and_not_there_before(attempt: Attempt) -> None:
    for state, page, text in ((attempt.before, 1, "Typed"), (attempt.after, 2, "Typed"), (attempt.after, 1, "Type")):
        assert not ask(state, "check-text", notebook=BOOK, page=page, text=text)["passed"]
    with pytest.raises(StateError, match="no page 6"):
        ask(attempt.after, "texts", notebook=BOOK, page=6)


@pytest.mark.endpoint("strokes", "positive")
def test_a_line_that_was_drawn_is_there(attempt: Attempt) -> None:
    assert [one["tool"] for one in ask(attempt.after, "strokes", notebook=BOOK, page=1)] == ["pen", "pen"]


@pytest.mark.endpoint("strokes", "negative")
def test_it_is_on_no_other_page(attempt: Attempt) -> None:
    assert len(ask(attempt.after, "strokes", notebook=BOOK, page=2)) == 1


@pytest.mark.endpoint("unsaved", "positive")
def test_changes_that_are_not_saved_show(attempt: Attempt) -> None:
    assert ask(attempt.unsaved, "unsaved") is True


@pytest.mark.endpoint("unsaved", "negative")
def test_before_a_change_and_after_saving_nothing_is_unsaved(attempt: Attempt) -> None:
    assert ask(attempt.before, "unsaved") is False
    assert ask(attempt.after, "unsaved") is False


@pytest.mark.endpoint("notebooks", "negative")
def test_what_is_not_there_is_an_error_and_no_answer(attempt: Attempt) -> None:
    assert ask(State(), "notebooks") == []
    with pytest.raises(StateError, match="not recorded"):
        ask(attempt.after, "pages", notebook="diary.xopp")
