"""Seats of a server: reused, opened in advance, and closed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fairground.remote.seats import Seats
from fairground.worlds import Suite, World
from tests.waiting import eventually
from tests.worlds.board import BOARD, READ

from .stage import BOARDS

pytestmark = pytest.mark.process
SHORT, _, LONG, _ = BOARDS
OTHER = World.of(
    Suite("others", "Others", "1", (BOARD,), (READ,), origin="test"),
    SHORT.configuration.model_copy(update={"suite": "others"}),
)


@pytest.fixture
def seats() -> Iterator[Seats]:
    seats = Seats(2, warm=1, share=True)
    yield seats
    seats.close()
    assert seats._open == 0


def test_a_seat_that_was_given_back_is_used_again(seats: Seats) -> None:
    first = seats.take(SHORT)
    first.finish()
    seats.give_back(first)
    again = seats.take(LONG)
    assert again is first and again.world == LONG and again.capture() == again.before
    again.close()


def test_a_broken_seat_is_not_used_again(seats: Seats) -> None:
    first = seats.take(SHORT)
    seats.give_back(first)
    first.close()
    with seats.take(SHORT) as second:
        assert second is not first and second.alive


def test_an_ordered_seat_waits_frozen_and_is_taken_by_an_equal_world(seats: Seats) -> None:
    seats.order("me", LONG)
    seats.order("you", SHORT)  # one at a time: this one is not opened
    eventually(lambda: seats._orders["me"][1].done())
    assert seats._orders["me"][1].result().sandbox.frozen and "you" not in seats._orders
    with seats.take(SHORT) as other, seats.take(LONG) as ordered:
        assert other.world == SHORT and ordered.world == LONG and not ordered.sandbox.frozen
        assert seats._open == 2


def test_an_order_that_is_dropped_or_replaced_leaves_a_seat_for_reuse(seats: Seats) -> None:
    seats.order("me", LONG)
    eventually(lambda: seats._orders["me"][1].done())
    waiting = seats._orders["me"][1].result()
    seats.order("me", SHORT)
    with seats.take(SHORT) as taken:
        assert taken is waiting and taken.world == SHORT
    seats.drop("me")


def test_an_idle_seat_makes_room_for_one_of_another_app() -> None:
    seats = Seats(1, share=True)
    try:
        first = seats.take(SHORT)
        seats.give_back(first)
        with seats.take(OTHER) as other:
            assert other is not first and not first.sandbox.alive and seats._open == 1
    finally:
        seats.close()
