from __future__ import annotations

from collections.abc import Sequence

import pytest

from fairground.worlds import Enter, Fill, Move, Press, Say, Stuck, Tap
from fairground_pocket.kit import HOME, Hand, Phone
from fairground_pocket.kit.serving import Request

from .chores import SITE, Chores


@pytest.fixture
def hand() -> Hand:
    return Hand(Phone([SITE], "paper", lambda _: Chores().content("elif-izmir")).respond, "/chores/")


def titles(hand: Hand) -> list[str]:
    return [element.name for element in hand.open("/chores/").reachable() if element.get("class").startswith("row")]


@pytest.mark.parametrize(
    ("moves", "why"),
    [
        ([Tap("Nothing like it")], "is not there"),
        ([Tap("e")], "times"),
        ([Fill("New", "x")], "is not there"),
        ([Tap("Delete it")], "is not there"),
        ([Enter("x")], "nothing has the focus"),
        ([Press("ctrl+s")], "knows Return"),
        ([Tap("Find", role="button")], "is not there"),
        ([Tap("New", within="Elsewhere")], "is not there"),
    ],
)
def test_a_move_that_cannot_be_made_says_why(hand: Hand, moves: Sequence[Move], why: str) -> None:
    with pytest.raises(Stuck, match=why):
        hand.play(moves)


def test_an_open_sheet_leaves_only_itself_and_the_way_home(hand: Hand) -> None:
    hand.open("/chores/1")
    hand.play([Tap("Delete")])
    assert [element.name for element in hand.controls()] == ["Delete it", "Close", HOME]
    hand.play([Tap("Close")])
    assert "Back" in [element.name for element in hand.controls()]
    hand.play([Tap("Delete"), Press("Escape"), Tap("Delete"), Tap(HOME), Tap("Chores")])


def test_what_is_typed_and_ticked_is_what_is_sent(hand: Hand) -> None:
    hand.play([
        Tap("New"), Fill("What", "Größe ✓"), Fill("Note", "one\ntwo"), Fill("PIN", "123456"), Tap("You"), Tap("How"),
        Tap("Slow"), Tap("Monday"), Tap("Tuesday"), Tap("Monday"), Tap("Loudly"), Tap("More Times"), Tap("More Times"),
        Tap("More Times"), Tap("When"), Tap("1 March 2025"), Tap("Add"),
    ])  # fmt: skip
    hand.play([Tap("Größe ✓")])
    assert "Größe ✓|one two|1234|you|slow|1|3|2025-03-01|tu" in hand.page.words()


def test_errors_are_shown_and_what_was_written_is_kept(hand: Hand) -> None:
    hand.play([Tap("New"), Fill("Note", "kept"), Tap("Add")])
    assert hand.page.status == 422 and "What is missing" in hand.page.words() and "kept" in hand.page.html
    assert len(titles(hand)) == 6


def test_return_sends_a_form_and_a_field_takes_no_more_than_it_may(hand: Hand) -> None:
    hand.play([Tap("New"), Fill("What", "x" * 30), Press("Return")])
    assert any(name.startswith("x" * 20 + " ") for name in titles(hand))
    hand.open("/chores/new")
    hand.play([Fill("What", "by newline\n")])
    assert any(name.startswith("by newline") for name in titles(hand))


def test_search_follows_every_letter_and_keeps_the_focus(hand: Hand) -> None:
    hand.play([Fill("Find", "Polish"), Enter(" 0")])
    assert hand.page.path == "/chores/?q=Polish+0"


def test_undo_brings_everything_back_once(hand: Hand) -> None:
    before = titles(hand)
    hand.open("/chores/2")
    hand.play([Tap("Delete"), Tap("Delete it")])
    undo = hand.page
    assert "Deleted" in undo.words()
    hand.play([Tap("Undo")])
    assert titles(hand) == before


def test_what_was_said_is_returned(hand: Hand) -> None:
    assert hand.play([Say("42")]) == "42"


def test_a_change_that_breaks_half_way_changes_nothing() -> None:
    content = Chores().content("elif-izmir")
    phone = Phone([SITE], "paper", lambda _: content)
    with pytest.raises(RuntimeError, match="half way"):
        phone.respond(Request("POST", "/chores/break"))
    assert phone.database("chores").dump() == content
