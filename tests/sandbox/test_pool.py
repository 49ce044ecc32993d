"""The warm pool: hand-over, refilling, the dead replaced, failures told."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import pytest

from fairground.core import AppError, InfrastructureError
from fairground.sandbox import Pool


@dataclass(eq=False)
class Thing:
    kind: str
    alive: bool = True
    events: list[str] = field(default_factory=list)

    def freeze(self) -> None:
        self.events.append("freeze")

    def thaw(self) -> None:
        self.events.append("thaw")

    def close(self) -> None:
        self.events.append("close")


class Maker:
    def __init__(self) -> None:
        self.made: list[Thing] = []
        self.failure: Exception | None = None
        self._lock = threading.Lock()

    def __call__(self, kind: str) -> Thing:
        with self._lock:
            if self.failure is not None:
                raise self.failure
            thing = Thing(kind)
            self.made.append(thing)
            return thing


def test_what_is_taken_was_frozen_ahead_and_is_thawed() -> None:
    maker = Maker()
    with Pool(maker, size=2) as pool:
        pool.wait_ready("calc", 2)
        thing = pool.take("calc")
        assert thing.events == ["freeze", "thaw"]
        assert thing.kind == "calc"


def test_a_place_that_was_emptied_is_refilled_in_the_background() -> None:
    maker = Maker()
    with Pool(maker, size=2) as pool:
        first = pool.take("calc")
        pool.wait_ready("calc", 2)
        assert len(maker.made) == 3
        assert first not in [pool.take("calc"), pool.take("calc")]


def test_the_dead_are_noticed_closed_and_replaced() -> None:
    maker = Maker()
    with Pool(maker, size=2) as pool:
        pool.wait_ready("calc", 2)
        dead = list(maker.made)
        for thing in dead:
            thing.alive = False
        living = pool.take("calc")
        assert living.alive and living not in dead
        assert all(thing.events[-1] == "close" for thing in dead)
        assert pool.replaced == 2


def test_one_that_dies_while_it_is_thawed_is_replaced_too() -> None:
    class Brittle(Thing):
        def thaw(self) -> None:
            raise AppError("it died in its sleep")

    made: list[Thing] = []

    def build(kind: str) -> Thing:
        made.append(Brittle(kind) if not made else Thing(kind))
        return made[-1]

    with Pool(build, size=1) as pool:
        assert pool.take("calc") is made[1]
        assert made[0].events[-1] == "close"


def test_what_making_one_raised_is_raised_by_take_and_the_pool_lives_on() -> None:
    maker = Maker()
    maker.failure = AppError("calc never showed a window")
    with Pool(maker, size=1) as pool:
        with pytest.raises(AppError, match="never showed"):
            pool.take("calc")
        maker.failure = None
        assert pool.take("calc").alive


def test_a_bug_in_the_builder_reaches_whoever_takes_and_does_not_end_the_workers() -> None:
    maker = Maker()
    maker.failure = ZeroDivisionError("a bug")
    with Pool(maker, size=1) as pool:
        with pytest.raises(ZeroDivisionError):
            pool.take("calc")
        maker.failure = None
        assert pool.take("calc").alive


def test_closing_closes_what_waits_and_refuses_further_takes() -> None:
    maker = Maker()
    pool = Pool(maker, size=3)
    pool.wait_ready("calc", 3)
    pool.close()
    pool.close()
    assert all(thing.events[-1] == "close" for thing in maker.made)
    with pytest.raises(InfrastructureError, match="closed"):
        pool.take("calc")


def test_kinds_are_kept_apart() -> None:
    with Pool(Maker(), size=1, workers=2) as pool:
        assert pool.take("calc").kind == "calc"
        assert pool.take("writer").kind == "writer"


def test_many_takers_at_once_never_get_the_same_one() -> None:
    taken: list[int] = []
    with Pool(Maker(), size=2, workers=2) as pool:
        threads = [threading.Thread(target=lambda: taken.append(id(pool.take("calc")))) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(set(taken)) == 20
