"""What a person sees of a running battle: nothing by which they could tell how long either agent thinks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fairground.arena.pacing import AT_ONCE, TICK, Glimpse, Pacing
from fairground.core import Frame
from tests.waiting import eventually


class Clock:
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self.due: list[tuple[float, Callable[[], None]]] = []

    def later(self, seconds: float, call: Callable[[], None]) -> Callable[[], None]:
        self.due.append((seconds, call))
        return self.due.clear

    def pass_a_tick(self) -> None:
        due, self.due = self.due, []
        for _, call in due:
            call()


def picture(number: int) -> Glimpse:
    return Frame(np.full((4, 6, 3), number, np.uint8)), (number, number)


def seen(paced: Pacing, side: str) -> tuple[str, int, int, int | None]:
    """All that is shown of a side."""
    frame, _ = paced.picture(side)
    shown = None if frame is None else int(frame.pixels[0, 0, 0])
    return paced.state(side), paced.steps(side), paced.questions(side), shown


def started(clock: Clock | None = None) -> tuple[Pacing, list[Any]]:
    told: list[Any] = []
    paced = Pacing(lambda: told.append(None), (clock or Clock()).later)
    for side in "ab":
        paced.began(side, picture(0))
    told.clear()
    return paced, told


def test_a_step_is_shown_when_both_have_done_it() -> None:
    paced, told = started()
    for number in range(1, 6):
        paced.stepped("a", picture(number))
    assert seen(paced, "a") == seen(paced, "b") == ("acting", 0, 0, 0) and told == [], "no news of the faster one"
    for number in range(1, 4):
        paced.stepped("b", picture(10 + number))
        assert seen(paced, "a") == ("acting", number, 0, number) and seen(paced, "b") == (
            "acting",
            number,
            0,
            10 + number,
        )
    assert len(told) == 3


def test_which_side_is_the_faster_one_cannot_be_told() -> None:
    """The same battle twice, with the two sides' speeds exchanged, shows the same at the same moments."""

    def watched(fast: str, slow: str) -> list[tuple[int, int]]:
        paced, _ = started()
        shown = []
        for _ in range(4):
            for side in (fast, fast, slow, fast, slow):
                paced.stepped(side)
                shown.append((paced.steps("a"), paced.steps("b")))
        return shown

    assert watched("a", "b") == watched("b", "a")


def test_an_end_is_shown_when_the_other_has_come_as_far() -> None:
    paced, told = started()
    paced.stepped("a")
    paced.stepped("a")
    paced.ended("a")
    assert paced.state("a") == "acting" and told == []
    paced.stepped("b")
    assert paced.state("a") == "acting"
    paced.stepped("b")
    assert (paced.state("a"), paced.state("b")) == ("ended", "acting")


def test_an_agent_that_goes_on_alone_is_shown_at_fixed_moments_and_never_fast() -> None:
    clock = Clock()
    paced, told = started(clock)
    paced.ended("a")
    assert [seconds for seconds, _ in clock.due] == [TICK]
    told.clear()
    for number in range(1, 3 * AT_ONCE):
        paced.stepped("b", picture(number))
    assert seen(paced, "b") == ("acting", 0, 0, 0) and told == [] and len(clock.due) == 1
    clock.pass_a_tick()
    assert seen(paced, "b") == ("acting", AT_ONCE, 0, AT_ONCE) and len(told) == 1
    paced.ended("b")
    assert paced.state("b") == "acting", "its end is further on"
    clock.pass_a_tick()
    clock.pass_a_tick()
    assert seen(paced, "b")[:2] == ("ended", 3 * AT_ONCE - 1) and clock.due == []


def test_a_question_is_shown_when_the_other_has_come_as_far_and_waits_for_that() -> None:
    paced, told = started()
    paced.stepped("a")
    number = paced.asked("a")
    assert seen(paced, "a")[:3] == ("acting", 0, 0) and told == []
    shown = threading.Event()
    stop = threading.Event()

    def wait() -> None:
        paced.wait_until_shown("a", number, stop.is_set)
        shown.set()

    thread = threading.Thread(target=wait)
    thread.start()
    paced.stepped("b")
    assert seen(paced, "a")[:3] == ("asking", 1, 1)
    thread.join()
    assert shown.is_set()
    paced.answered("a")
    assert paced.state("a") == "acting"
    paced.stepped("a")
    hidden = paced.asked("a")
    stopped = threading.Thread(target=paced.wait_until_shown, args=("a", hidden, stop.is_set))
    stopped.start()
    stop.set()

    def woken() -> bool:
        paced.wake()
        return not stopped.is_alive()

    assert eventually(woken)


@given(st.lists(st.sampled_from(["a", "b", "end a", "end b", "tick"]), max_size=60))
def test_nobody_is_ever_shown_ahead_of_who_still_acts(moves: list[str]) -> None:
    clock = Clock()
    paced, _ = started(clock)
    done, over = {"a": 0, "b": 0}, set[str]()
    for move in moves:
        if move == "tick":
            clock.pass_a_tick()
        elif move.startswith("end"):
            over.add(move[-1])
            paced.ended(move[-1])
        elif move not in over:
            done[move] += 1
            paced.stepped(move)
        for one, other in (("a", "b"), ("b", "a")):
            assert paced.steps(one) <= done[one]
            if other not in over:
                assert paced.steps(one) <= done[other]
            if paced.state(one) == "ended":
                assert one in over and paced.steps(one) == done[one]
        assert len(clock.due) <= 1
    paced.close()
    assert clock.due == []


def test_pictures_that_wait_are_shown_exactly_as_they_were() -> None:
    paced, _ = started()
    noise = Frame(np.random.default_rng(0).integers(0, 255, (40, 60, 3), np.uint8))
    paced.stepped("a", (noise, (3, 4)))
    paced.stepped("b")
    assert paced.picture("a") == (noise, (3, 4))
    assert seen(paced, "b")[3] == 0, "a step without a picture leaves the last one"
