"""Recordings of oracles: what was recorded is judged again without a seat, and only what changed is recorded again."""

from __future__ import annotations

import dataclasses
import os
import sqlite3
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import Check, InfrastructureError, State
from fairground.prove import Cache, Options, Status, prove
from fairground.prove.keys import Keys
from fairground.prove.recordings import Made, Recorded, Recordings
from fairground.verify import contains
from fairground.worlds import Enter, Move, Press, Say, Stuck, Suite, World

from . import jotter

names = st.binary(min_size=1, max_size=20).filter(lambda name: b"\0" not in name).map(os.fsdecode)
states = st.builds(
    State,
    files=st.dictionaries(names, st.binary(max_size=50), max_size=4),
    data=st.dictionaries(names, st.lists(st.integers() | names | st.none(), max_size=3), max_size=3),
    missing=st.dictionaries(names, names, max_size=2),
)


class Seat:
    """A rehearsal that counts how often it is opened; its state is what was played."""

    opened = 0

    def __init__(self, world: World) -> None:
        type(self).opened += 1
        self.before = State(files={"~/note.txt": b"before"})
        self.played: list[Move] = []

    def play(self, moves: Sequence[Move]) -> str | None:
        for move in moves:
            if move == Press("f1"):
                raise Stuck("there is no help")
            self.played.append(move)
        last = moves[-1]
        return last.text if isinstance(last, Say) else None

    def state(self) -> State:
        return State(files={"~/note.txt": repr(self.played).encode()})

    def close(self) -> None: ...


@pytest.fixture
def recordings(tmp_path: Path) -> Any:
    Seat.opened = 0
    with Recordings(tmp_path / "recordings.sqlite") as found:
        yield found


def rehearse(recordings: Recordings, *moves: Move, take: int = 1) -> tuple[State, list[str | None], State]:
    rehearsal = Recorded(jotter.world(), "key", recordings, Seat, take=take)
    said: list[str | None] = []
    for move in moves:
        try:
            said.append(rehearsal.play([move]))
        except Stuck as stuck:
            said.append(f"stuck: {stuck.message}")
    end = rehearsal.state()
    rehearsal.close()
    return rehearsal.before, said, end


@given(states, states)
def test_states_come_back_as_they_were(tmp_path_factory: pytest.TempPathFactory, start: State, end: State) -> None:
    with Recordings(tmp_path_factory.mktemp("recordings") / "r.sqlite") as recordings:
        recordings.keep_start("world", start)
        recordings.keep_end("world", "moves", end)
        recordings.keep_made("world", "moves", Made("said", ""))
        assert (recordings.start("world"), recordings.end("world", "moves")) == (start, end)
        assert recordings.made("world", "moves") == Made("said") and len(recordings) == 1
        assert recordings.end("world", "others") is None and recordings.start("elsewhere") is None


def test_moves_that_were_recorded_need_no_seat(recordings: Recordings) -> None:
    moves = (Press("a"), Press("f1"), Say("42"))
    first = rehearse(recordings, *moves)
    assert first[1] == [None, "stuck: there is no help", "42"] and Seat.opened == 1
    assert rehearse(recordings, *moves) == first and Seat.opened == 1


def test_other_moves_are_made_on_a_seat_that_is_brought_there(recordings: Recordings) -> None:
    rehearse(recordings, Press("a"), Press("b"))
    _, _, end = rehearse(recordings, Press("a"), Press("f1"), Press("c"))
    assert Seat.opened == 2 and end.files["~/note.txt"] == repr([Press("a"), Press("c")]).encode()
    rehearse(recordings, Press("a"), Press("f1"), Press("c"))
    assert Seat.opened == 2


def test_a_second_take_is_really_made(recordings: Recordings) -> None:
    rehearse(recordings, Press("a"))
    rehearse(recordings, Press("a"), take=2)
    assert Seat.opened == 2


def test_damaged_contents_are_recorded_again(recordings: Recordings) -> None:
    rehearse(recordings, Press("a"))
    with sqlite3.connect(recordings.path) as db:
        db.execute("UPDATE contents SET packed = x'00'")
    _, _, end = rehearse(recordings, Press("a"))
    assert end.files["~/note.txt"] == repr([Press("a")]).encode() and Seat.opened == 2


def test_a_file_that_is_not_one_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "recordings.sqlite").write_bytes(b"not a database" * 100)
    with pytest.raises(InfrastructureError, match="may be deleted"):
        Recordings(tmp_path / "recordings.sqlite")


# --- keys ------------------------------------------------------------------------------------------------------------


class Plain(jotter.AddLine):
    """In this module, as the others are: an app is its folder without the modules of scenarios."""


class Reworded(Plain):
    """Asks in other words, checks otherwise, and allows more steps."""

    template = "Put {line} under the note, and save it."
    step_budget = 99

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        return [contains("the line is there", world.parameters["line"], jotter.lines(after))]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [Press("ctrl+end"), Enter(str(world.parameters["line"])), Press("ctrl+s")]


class OtherLine(Plain):
    """With another value."""

    instances: ClassVar[Mapping[str, Mapping[str, Any]]] = {"tea": {"line": "green tea"}}


class Opens(Plain):
    """Says something to its app that decides what it opens."""

    opens = "another"


def key(scenario: jotter.AddLine, profile: str = "milk") -> str:
    suite = jotter.suite(None, scenario)
    return Keys(suite).recording(World.of(suite, jotter.world(profile).configuration))


def test_what_judges_is_not_in_the_key_of_a_recording() -> None:
    assert key(Reworded()) == key(Plain())


def test_what_makes_the_state_is_in_the_key_of_a_recording() -> None:
    found = {key(Plain()), key(Plain(), "rice"), key(OtherLine()), key(Opens())}
    assert len(found) == 4


# --- proofs ----------------------------------------------------------------------------------------------------------


def _suite(strict: bool) -> Suite:
    return jotter.suite(None, Plain() if strict else Reworded())


@pytest.mark.process
def test_a_changed_check_is_judged_without_a_seat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = Options(workers=1, mutant_pairs=1, screens=0)
    with Cache(tmp_path / "proofs.sqlite") as cache:
        strict = prove(partial(_suite, True), options=options, cache=cache)
        assert strict.sound and strict.scenarios[0].count(Status.PROVEN) == 2
        monkeypatch.setenv("FAIRGROUND_RUNNER", "there-is-none")  # opening a seat fails from now on
        loose = prove(partial(_suite, False), options=options, cache=cache)
        assert loose.sound and loose.reused == 0 and loose.scenarios[0].count(Status.PROVEN) == 2
        assert loose.mutants.survived > strict.mutants.survived, "and judged otherwise"


@pytest.mark.slow
def test_what_was_judged_can_be_judged_again(tmp_path: Path) -> None:
    options = Options(workers=1, mutant_pairs=1, screens=0)
    with Cache(tmp_path / "proofs.sqlite") as cache:
        first = prove(partial(_suite, False), options=options, cache=cache)
        again = prove(partial(_suite, False), options=dataclasses.replace(options, rejudge=True), cache=cache)
    assert again.mutants == first.mutants and again.reused == 0


def test_a_world_can_be_recorded_again(tmp_path: Path) -> None:
    with Recordings(tmp_path / "recordings.sqlite") as store:
        for world in ("first", "second"):
            store.keep_start(world, State())
            store.keep_made(world, "moves", Made(stuck="no such button"))
            store.keep_end(world, "moves", State())
        store.forget("first")
        assert store.start("first") is None and store.made("first", "moves") is None
        assert store.end("first", "moves") is None and store.end("second", "moves") == State()
