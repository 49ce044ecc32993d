"""Battles fought for real: two seats of one configuration, two agents, a person who answers, stops and goes on."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from fairground.agents import Brief, DoNothing, OracleAgent, Turn
from fairground.agents.models import ModelAgent, Usage
from fairground.arena import (
    FEWEST,
    Person,
    Refused,
    Retirement,
    Side,
    Store,
    Task,
    Vote,
    accept,
    active_agents,
    add_agents,
    answer,
    ask,
    battles_of,
    begin,
    begin_again,
    cast,
    consent,
    contenders,
    conversation,
    end_side,
    find_battle,
    find_vote,
    identifications_of,
    interrupt,
    invite,
    may_see,
    new_battle,
    retire_due,
    reveal,
    settle,
    share,
    to_judge,
)
from fairground.arena.contest import Contests
from fairground.arena.contest_fight import NOBODY
from fairground.arena.contest_ratings import Ratings
from fairground.arena.preparing import Things, lay_out
from fairground.core import CallUser, Done, InfrastructureError, InvalidInput, Look, Observation, Type
from fairground.rollout import read_episode
from fairground.worlds import World, open_seat, resolve
from tests.arena.conftest import on_both
from tests.note_world import write_note_world
from tests.waiting import eventually

WORLD = "pocket/notes/pin-and-label"
SECONDS = 60.0


class Puppet:
    """Plays turns, one of which may be a function that is called when its time has come."""

    def __init__(self, name: str, turns: Sequence[Any] = ()) -> None:
        self.name, self._turns = name, list(turns)
        self.brief: Brief | None = None
        self.heard: list[str] = []

    def begin(self, brief: Brief) -> None:
        self.brief, self._left = brief, iter(self._turns)

    def act(self, observation: Observation) -> Turn:
        self.heard += observation.messages
        turn = next(self._left, Done())
        if callable(turn):
            turn = turn()
        return turn if isinstance(turn, Turn) else Turn(turn)


class OurClient(Puppet, ModelAgent):
    """A puppet whose outages are believed to be its model server's."""

    usage = Usage()

    def close(self) -> None: ...


def person(store: Store, role: str = "judge") -> Person:
    return consent(store, accept(store, invite(store, role)))


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "arena.sqlite") as opened:
        yield opened


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A program that does nothing, opened in a fraction of the time that a browser takes."""
    launch = ("xev", "-event", "button", "-geometry", "600x400+20+20")
    folder = tmp_path_factory.mktemp("worlds") / "still"
    return resolve(str(write_note_world(folder, "x11-utils", "Event Tester", *launch)))


@pytest.fixture
def in_still_world(still: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """For battles of which the app does not matter."""
    for module in ("contest", "contest_fight"):
        monkeypatch.setattr(f"fairground.arena.{module}.find_world", lambda name, own: still)


@contextmanager
def contests(store: Store, home: Path, *agents: Any, **options: Any) -> Iterator[Contests]:
    """Contests of these agents; each fights in one battle at a time."""
    made = {one.name: (lambda one=one: one) for one in agents}
    add_agents(store, list(made))
    running = Contests(store, home, made, **options)
    try:
        yield running
    finally:
        running.close()


def task(text: str = "", **more: Any) -> Task:
    return Task(world=WORLD, text=text or "as the scenario says", own=bool(text), **more)


def ended(store: Store, battle: str) -> str:
    return eventually(lambda: (now := find_battle(store, battle).status) not in ("preparing", "running") and now)


@pytest.mark.process
def test_two_agents_fight_in_the_same_world_and_both_are_recorded_without_their_names(
    arena: Store, tmp_path: Path
) -> None:
    shown: list[tuple[str, str]] = []
    left: list[tuple[str, str]] = []

    def on_seat(battle: str, side: str, seat: Any) -> str:
        shown.append((battle, side))
        return f"seat-{side}"

    with contests(
        arena, tmp_path, OracleAgent(), DoNothing(), on_seat=on_seat, on_left=lambda *one: left.append(one)
    ) as running:
        owner = person(arena)
        battle = running.propose(owner, task()).id
        assert ended(arena, battle) == "judging"
    found = find_battle(arena, battle)
    assert sorted(side.outcome for side in found.sides.values()) == ["failed", "passed"]
    assert {side.reward for side in found.sides.values()} >= {1.0} and found.fingerprint
    assert sorted(shown) == sorted(left) == [(battle, "a"), (battle, "b")]
    episodes = [read_episode(tmp_path / found.sides[side].episode) for side in "ab"]
    assert [one.episode.agent for one in episodes] == ["arena-a", "arena-b"] and all(one.complete for one in episodes)
    assert len({one.episode.fingerprint.digest for one in episodes}) == 1
    for path in (tmp_path / "battles").rglob("*"):
        assert not any(name in path.name for name in ("oracle", "do-nothing"))
        if path.suffix in (".json", ".jsonl"):
            assert not any(f'"{name}"' in path.read_text() for name in ("oracle", "do-nothing"))


@pytest.mark.process
@pytest.mark.usefixtures("in_still_world")
def test_questions_reach_the_person_the_answer_goes_back_and_silence_is_told_as_such(
    arena: Store, tmp_path: Path
) -> None:
    answered = threading.Event()

    def ask_nobody() -> Turn:
        assert answered.wait(SECONDS)
        return Turn(CallUser(text="Is anybody there?"))

    asking = Puppet("asking", [CallUser(text="Which label?"), Look(), Look(), Look()])
    alone = Puppet("alone", [ask_nobody, Look(), Look()])
    # A task in somebody's own words: who needs an oracle cannot fight.
    with contests(arena, tmp_path, asking, alone, OracleAgent()) as running:
        owner, other = person(arena), person(arena)
        battle = running.propose(owner, task("Sort my notes")).id

        def asked() -> Any:
            """The question, once the person may see it: it is kept a moment before it is shown."""
            found = next((one for one in conversation(arena, battle) if one["question"] == "Which label?"), None)
            paced = running.pacing(battle)
            return found if found and paced and paced.questions(found["side"]) > found["number"] else None

        one = eventually(asked)
        with pytest.raises(Refused):
            running.answer(battle, other, one["side"], one["number"], "none of yours")
        running.answer(battle, owner, one["side"], one["number"], "The blue one")
        eventually(lambda: asking.heard)
        running.ground.answer_seconds = 0.1  # for the other, to whom nobody says anything
        answered.set()
        assert ended(arena, battle) == "judging"
        late = next(one for one in conversation(arena, battle) if one["question"] == "Is anybody there?")
        with pytest.raises(Refused):
            running.answer(battle, owner, late["side"], late["number"], "too late")
    assert asking.heard == ["The blue one"] and alone.heard == [NOBODY]
    assert asking.brief is not None and asking.brief == alone.brief and asking.brief.instruction == "Sort my notes"
    sides = find_battle(arena, battle).sides.values()
    assert {(side.questions, side.outcome, side.reward) for side in sides} == {(1, "ended", None)}, "no score"
    assert sorted(side.repetition for side in sides) == [0, 0.75], "three in a row are repetition, two are not"
    recorded = read_episode(tmp_path / "battles" / battle / "a").episode
    assert (recorded.instruction, recorded.agent, recorded.extra) == ("Sort my notes", "arena-a", {})


@pytest.mark.process
@pytest.mark.usefixtures("in_still_world")
@pytest.mark.slow
def test_an_agent_that_is_done_is_shown_no_further_than_one_that_thinks_and_what_it_typed_is_kept(
    arena: Store, tmp_path: Path
) -> None:
    turn, shown, left = threading.Semaphore(0), list[str](), list[str]()

    def think() -> Turn:
        assert turn.acquire(timeout=SECONDS)
        return Turn(Look())

    fast = Puppet("Quicksilver-1", [Type(text="I am Quick"), Type(text="silver."), Look()])
    slow = Puppet("Slowcoach-1", [think, think, think])
    with contests(
        arena, tmp_path, fast, slow, on_seat=lambda _, side, seat: shown.append(side) or f"seat-{side}",
        on_left=lambda _, side: left.append(side),
    ) as running:  # fmt: skip
        battle = running.propose(person(arena), task("Wait")).id
        ahead = "ab"[contenders(arena, battle).index("Quicksilver-1")]
        folder = tmp_path / "battles" / battle / ahead
        eventually(lambda: folder.exists() and read_episode(folder).complete)
        for number in range(3):
            now = running.now(battle)
            assert now is not None and {(one.state, one.steps) for one in now.values()} == {("acting", number)}
            assert left == [], "a seat that is gone would tell who has ended"
            turn.release()
            eventually(lambda number=number: running.now(battle)["a"].steps == number + 1)  # type: ignore[index]
        assert ended(arena, battle) == "judging"
        assert sorted(shown) == sorted(left) == ["a", "b"]
    (typed,) = identifications_of(arena, [battle])[battle]
    assert (typed.side, typed.channel, typed.step, typed.text) == (ahead, "typed", 1, "I am Quicksilver.")


@pytest.mark.process
@pytest.mark.usefixtures("in_still_world")
def test_a_battle_is_stopped_while_an_agent_thinks_and_can_be_judged(arena: Store, tmp_path: Path) -> None:
    forever, thinking = threading.Event(), threading.Event()

    def think() -> Turn:
        thinking.set()
        forever.wait(SECONDS)
        return Turn(Done())

    with contests(arena, tmp_path, Puppet("slow", [Look(), think]), DoNothing()) as running:
        owner = person(arena)
        hasty = running.propose(owner, task("Never mind")).id
        running.stop(hasty)
        assert ended(arena, hasty) == "failed" and "before it started" in find_battle(arena, hasty).why
        assert not (tmp_path / "battles" / hasty).exists()
        battle = running.propose(owner, task("Wait")).id
        assert thinking.wait(SECONDS)
        running.stop(battle)
        assert ended(arena, battle) == "judging"
        with pytest.raises(Refused):
            running.stop(battle)
    forever.set()
    steps = sorted(side.steps or 0 for side in find_battle(arena, battle).sides.values())
    assert steps == [1, 1]
    extras = [read_episode(tmp_path / "battles" / battle / side).episode.extra for side in "ab"]
    assert {"stopped": True} in extras


@pytest.mark.process
@pytest.mark.usefixtures("in_still_world")
@pytest.mark.slow
def test_one_battle_runs_at_a_time_others_wait_their_turn_and_a_third_is_refused(arena: Store, tmp_path: Path) -> None:
    go = threading.Event()

    def wait() -> Turn:
        go.wait(SECONDS)
        return Turn(Done())

    with contests(arena, tmp_path, Puppet("one", [wait]), Puppet("other", [wait])) as running:
        owner = person(arena)
        first = running.propose(owner, task("First")).id
        second = running.propose(owner, task("Second")).id
        assert running.position(first) is None and running.position(second) == 1
        with pytest.raises(Refused, match="unfinished"):
            running.propose(owner, task("Third"))
        third = running.propose(person(arena), task("Somebody else's")).id
        assert running.position(third) == 2
        running.stop(second)
        assert find_battle(arena, second).status == "failed" and running.position(third) == 1
        running.stop(third)
        go.set()
        assert ended(arena, first) == "judging"


@pytest.mark.usefixtures("in_still_world")
@pytest.mark.slow
def test_a_follow_up_goes_on_in_the_same_seats_until_the_vote(arena: Store, tmp_path: Path) -> None:
    one, other = Puppet("one"), Puppet("other")
    with contests(arena, tmp_path, one, other) as running:
        owner = person(arena)
        first = running.propose(owner, task("Write a note")).id
        assert ended(arena, first) == "judging"
        eventually(lambda: running.can_follow(find_battle(arena, first), owner))
        with pytest.raises(Refused):
            running.follow_up(first, person(arena), "Somebody else goes on")
        second = running.follow_up(first, owner, "Now delete it").id
        assert ended(arena, second) == "judging"
        assert one.brief is not None and "Write a note" in one.brief.instruction
        assert one.brief.instruction.endswith("Now delete it")
        assert find_battle(arena, second).follows == first
        cast(arena, first, owner, Vote(winner="a"))
        assert reveal(arena, first, owner) is None, "the same two are still to be judged"
        cast(arena, second, owner, Vote(winner="b"))
        running.voted(second)
        assert reveal(arena, first, owner) == reveal(arena, second, owner) is not None
        with pytest.raises(Refused, match="cannot continue"):
            running.follow_up(second, owner, "And now?")


@pytest.mark.process
@pytest.mark.usefixtures("in_still_world")
def test_a_broken_agent_makes_no_score_names_nobody_and_the_battle_can_be_fought_again(
    arena: Store, tmp_path: Path
) -> None:
    broken = True

    def maybe() -> Turn:
        if broken:
            raise InfrastructureError("Flaky-Model-3 has no credit left")
        return Turn(Done())

    with contests(arena, tmp_path, OurClient("Flaky-Model-3", [maybe]), DoNothing()) as running:
        owner = person(arena)
        battle = running.propose(owner, task("Try")).id
        assert ended(arena, battle) == "failed"
        why = find_battle(arena, battle).why
        assert "no score" in why and "Flaky" not in why
        with pytest.raises(Refused):
            running.rerun(battle, person(arena))
        broken = False
        running.rerun(battle, owner)
        assert ended(arena, battle) == "judging"
        with pytest.raises(Refused):
            begin_again(arena, battle, owner)


@pytest.mark.process
@pytest.mark.usefixtures("in_still_world")
def test_seats_into_which_something_else_was_put_are_refused(
    arena: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = iter(["one thing", "another"])
    monkeypatch.setattr("fairground.arena.contest_fight.lay_out", lambda seat, things: next(found))
    with contests(arena, tmp_path, Puppet("one"), Puppet("other")) as running:
        battle = running.propose(person(arena), task("Go")).id
        assert ended(arena, battle) == "failed" and "seats differ" in find_battle(arena, battle).why
    assert not (tmp_path / "battles").exists()


@pytest.mark.process
@pytest.mark.usefixtures("in_still_world")
def test_what_runs_when_the_server_ends_is_marked_and_can_be_begun_again(arena: Store, tmp_path: Path) -> None:
    acting = threading.Event()

    def act() -> Turn:
        acting.set()
        threading.Event().wait(SECONDS)
        return Turn(Done())

    owner = person(arena)
    with contests(arena, tmp_path, Puppet("one", [act]), DoNothing()) as running:
        battle = running.propose(owner, task("Go")).id
        assert acting.wait(SECONDS)
    assert find_battle(arena, battle).status == "interrupted"
    begin_again(arena, battle, owner)
    assert find_battle(arena, battle).status == "preparing"


# --- what is prepared -------------------------------------------------------------------------------------------------


@pytest.mark.process
def test_what_lies_in_a_seat_counts_for_its_fingerprint(still: World) -> None:
    with open_seat(still) as seat:
        digests = [lay_out(seat, Things({name: data})) for name, data in (("a", b"1"), ("a", b"2"), ("b/c", b"1"))]
        assert len(set(digests)) == 3 and lay_out(seat, Things()) == ""
        assert seat.sandbox.read_file("~/Desktop/b/c") == b"1"


# --- what is kept -----------------------------------------------------------------------------------------------------


def test_who_may_see_a_battle(store: Store) -> None:
    add_agents(store, ["one", "other"])
    owner, judge, admin = person(store), person(store), person(store, "admin")
    battle = new_battle(store, owner, task())
    assert [may_see(store, battle, one) for one in (owner, judge, admin)] == [True, False, True]
    share(store, battle.id)
    share(store, battle.id)
    assert may_see(store, battle, judge) and battles_of(store, judge) == []
    begin(store, battle.id, {"a": "x", "b": "x"})
    to_judge(store, battle.id)
    assert [(one.id, one.mine, one.vote) for one in battles_of(store, judge)] == [(battle.id, False, None)]
    cast(store, battle.id, judge, Vote(winner="tie"))
    assert battles_of(store, judge)[0].vote == "tie" and battles_of(store, owner)[0].mine


@on_both
def test_ten_battles_at_once_are_still_two_and_one_that_was_interrupted_begins_blank(store: Store) -> None:
    add_agents(store, ["one", "other", "third"])
    owner = person(store)
    begun: list[str] = []
    gate = threading.Barrier(10)

    def propose() -> None:
        gate.wait()
        with suppress(Refused):
            begun.append(new_battle(store, owner, task(), among=["one", "other"], most=2).id)

    threads = [threading.Thread(target=propose) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    first, second = begun
    assert sorted(contenders(store, first)) == ["one", "other"]
    begin(store, first, {"a": "x", "b": "x"})
    number = ask(store, first, "a", "Which?")
    assert settle(store, first, "a", number, "nobody") == "nobody"
    with pytest.raises(Refused):
        answer(store, first, owner, "a", number, "late")
    end_side(store, first, Side("a", outcome="errored", steps=3))
    interrupt(store, [first])
    assert (find_battle(store, first).status, find_battle(store, second).status) == ("interrupted", "preparing")
    before = contenders(store, first)
    begin_again(store, first, owner, most=2)
    again = find_battle(store, first)
    assert (again.status, again.sides["a"].steps, again.fingerprint) == ("preparing", None, "")
    assert conversation(store, first) == [] and contenders(store, first) == before


def test_ratings_say_how_sure_they_are_once_there_are_votes(store: Store) -> None:
    add_agents(store, ["one", "other"])
    owner, ratings = person(store), Ratings(store)
    assert ratings.intervals() == {}
    for number, winner in enumerate(("a", "b", "tie") * 4):
        assert number >= FEWEST or ratings.intervals() == {}, "as uncertain as can be"
        battle = new_battle(store, owner, task()).id
        begin(store, battle, {"a": "x", "b": "x"})
        to_judge(store, battle)
        cast(store, battle, owner, Vote.parse({"winner": winner}))
    found = ratings.intervals()
    assert set(found) == {"one", "other"} and all(low < high for low, high in found.values())


def test_an_agent_that_is_never_right_leaves_after_its_last_vote(store: Store) -> None:
    add_agents(store, ["good", "bad"])
    owner, rule = person(store), Retirement(window=3)
    for _ in range(3):
        battle = new_battle(store, owner, task(), among=["good", "bad"])
        begin(store, battle.id, {"a": "x", "b": "x"})
        end_side(store, battle.id, Side("a", outcome="ended"))
        to_judge(store, battle.id)
        assert active_agents(store) == ["bad", "good"]
        left = "correct_a" if contenders(store, battle.id)[0] == "good" else "correct_b"
        right = "correct_b" if left == "correct_a" else "correct_a"
        cast(store, battle.id, owner, Vote.parse({"winner": "a", left: "correct", right: "wrong"}))
        retire_due(store, [battle.id], rule)
    assert active_agents(store) == ["good"]
    with pytest.raises(InvalidInput):
        new_battle(store, owner, task())


@pytest.mark.process
@pytest.mark.usefixtures("in_still_world")
def test_an_agent_that_raises_when_unsure_can_be_voted_against(arena: Store, tmp_path: Path) -> None:
    def unsure() -> Turn:
        raise RuntimeError("I am not sure, says Quitter-9")

    with contests(arena, tmp_path, Puppet("Quitter-9", [unsure]), DoNothing()) as running:
        battle = running.propose(owner := person(arena), task("Try")).id
        assert ended(arena, battle) == "judging"
        assert "Quitter" not in find_battle(arena, battle).why
        cast(arena, battle, owner, Vote(winner="both_bad"))
        assert find_vote(arena, battle, owner) is not None
