"""Battles and votes as they are kept: counted once, revealed by the vote alone, whole after anything."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Sequence

import pytest

from fairground.arena import (
    FEWEST,
    FilterSettings,
    Person,
    Refused,
    Retirement,
    Side,
    StepMark,
    Store,
    Task,
    Vote,
    accept,
    add_agents,
    agreement,
    all_votes,
    answer,
    apply_filters,
    ask,
    begin,
    cast,
    close,
    consent,
    contenders,
    conversation,
    draw_pair,
    end_side,
    find_battle,
    find_person,
    history,
    interrupt_all,
    invite,
    new_battle,
    new_person,
    pair_weights,
    retire,
    reveal,
    standings,
    to_judge,
)
from fairground.core import InfrastructureError, InvalidInput
from tests.arena.conftest import on_both

TASK = Task(world="desk/calc", text="Add the revenue of the north up", category="office", platform="desktop")
AGENTS = ("oracle", "random", "do-nothing")


def judge(store: Store) -> Person:
    return consent(store, accept(store, invite(store)))


def fought(store: Store, owner: Person, task: Task = TASK, seed: int = 0, among: Sequence[str] | None = None) -> str:
    add_agents(store, AGENTS)
    battle = new_battle(store, owner, task, chance=random.Random(seed), among=among).id
    begin(store, battle, {"a": "same", "b": "same"})
    for number, side in enumerate(("a", "b")):
        end_side(
            store, battle, Side(side, outcome=("passed", "failed")[number], steps=5, questions=number, repetition=0.0)
        )
    to_judge(store, battle)
    return battle


@on_both
def test_a_vote_sent_ten_times_at_once_counts_once(store: Store) -> None:
    person = judge(store)
    battle = fought(store, person)
    counted = []
    gate = threading.Barrier(10)

    def send() -> None:
        gate.wait()
        counted.append(cast(store, battle, person, Vote(winner="a", correct_a="correct", comment="clear")))

    threads = [threading.Thread(target=send) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one.changed for one in counted) == [False] * 9 + [True]
    assert len(all_votes(store)) == 1 and len(history(store, battle, person.id)) == 1


@on_both
def test_a_vote_can_be_changed_until_the_battle_is_closed_and_every_version_is_kept(store: Store) -> None:
    person = judge(store)
    battle = fought(store, person)
    mark = StepMark(side="a", step=3, mark="grounding", note="beside the button")
    cast(store, battle, person, Vote(winner="a", marks=(mark,)))
    changed = cast(store, battle, person, Vote(winner="tie"))
    assert changed.version == 2
    close(store, battle)
    assert cast(store, battle, person, Vote(winner="tie")).version == 2, "the same again is no change"
    with pytest.raises(Refused, match="closed"):
        cast(store, battle, person, Vote(winner="b"))
    told = history(store, battle, person.id)
    assert [one["winner"] for one in told] == ["a", "tie"] and told[0]["marks"][0]["mark"] == "grounding"
    assert [row.winner for row in all_votes(store)] == ["tie"]


def test_identities_are_known_by_the_vote_alone(store: Store) -> None:
    person, other = judge(store), judge(store)
    battle = fought(store, person)
    assert reveal(store, battle, person) is None
    shown = repr(find_battle(store, battle))
    assert not any(name in shown for name in AGENTS)
    counted = cast(store, battle, person, Vote(winner="b"))
    assert (counted.a, counted.b) == contenders(store, battle) == reveal(store, battle, person)
    assert reveal(store, battle, other) is None


@pytest.mark.parametrize("role", ["visitor", "judge"])
def test_who_was_not_invited_or_has_not_agreed_cannot_vote(store: Store, role: str) -> None:
    person = new_person(store, role)
    battle = fought(store, judge(store))
    with pytest.raises(Refused):
        cast(store, battle, person if role == "judge" else consent(store, person), Vote(winner="a"))
    assert all_votes(store) == []


def test_a_battle_that_is_not_over_cannot_be_judged_and_seats_that_differ_are_refused(store: Store) -> None:
    person = judge(store)
    add_agents(store, AGENTS)
    battle = new_battle(store, person, TASK).id
    with pytest.raises(Refused, match="preparing"):
        cast(store, battle, person, Vote(winner="a"))
    with pytest.raises(InvalidInput, match="seats differ"):
        begin(store, battle, {"a": "one", "b": "other"})
    assert find_battle(store, battle).status == "failed"
    with pytest.raises(Refused):
        to_judge(store, battle)


@on_both
def test_an_invitation_is_used_as_often_as_it_says(store: Store) -> None:
    secret = invite(store, uses=2)
    first = accept(store, secret)
    again = new_person(store)
    judge = accept(store, secret, again)
    assert judge.role == "judge" and judge.id != again.id, "who knew the visitor does not know the judge"
    assert find_person(store, again.id) == again
    assert accept(store, invite(store), judge) == judge, "who is one already stays who they are"
    with pytest.raises(Refused):
        accept(store, secret)
    with pytest.raises(Refused):
        accept(store, "made up")
    assert find_person(store, first.id) == first and find_person(store, "nobody") is None


def test_questions_of_agents_are_answered_once_and_by_the_owner(store: Store) -> None:
    person, other = judge(store), judge(store)
    add_agents(store, AGENTS)
    battle = new_battle(store, person, TASK).id
    begin(store, battle, {"a": "same", "b": "same"})
    assert ask(store, battle, "b", "Which sheet?") == 0 and ask(store, battle, "b", "Which cell?") == 1
    with pytest.raises(Refused):
        answer(store, battle, other, "b", 0, "none of yours")
    answer(store, battle, person, "b", 0, "Sales")
    with pytest.raises(Refused):
        answer(store, battle, person, "b", 0, "Sales again")
    assert [(one["question"], one["answer"]) for one in conversation(store, battle)] == [
        ("Which sheet?", "Sales"),
        ("Which cell?", None),
    ]


@on_both
def test_what_ran_when_a_server_died_is_marked_and_votes_are_there(url: str) -> None:
    with Store(url) as store:
        person = judge(store)
        done = fought(store, person)
        cast(store, done, person, Vote(winner="a"))
        running = new_battle(store, person, TASK).id
    with Store(url) as store:
        assert interrupt_all(store) == [running]
        assert find_battle(store, running).status == "interrupted"
        assert [row.battle for row in all_votes(store)] == [done]
        assert new_battle(store, person, TASK).status == "preparing"
        with pytest.raises(Refused, match="voted on this battle"):
            new_battle(store, person, TASK, follows=done)


def test_new_agents_and_uncertain_pairs_meet_more_often_and_sides_are_drawn() -> None:
    met = {frozenset(("old", "older")): 200}
    weights = pair_weights(["old", "older", "new"], met)
    drawn = Counter(draw_pair(weights, random.Random(seed)) for seed in range(400))
    assert sum(count for pair, count in drawn.items() if "new" in pair) > 350
    assert min(drawn["new", "old"], drawn["old", "new"]) > 50
    apart = pair_weights(["x", "y", "z"], {}, {"x": (1000, 1100), "y": (1050, 1150), "z": (500, 600)})
    assert apart["x", "y"] > 2 * apart["x", "z"]
    with pytest.raises(InvalidInput):
        pair_weights(["alone"], {})


def test_an_agent_that_is_hardly_ever_right_has_to_leave(store: Store) -> None:
    rule = Retirement()
    assert not rule.due([False] * 99) and rule.due([False] * 100)
    assert not rule.due([False] * 90 + [True] * 10) and rule.due([True] * 50 + [False] * 95 + [True] * 5)
    add_agents(store, AGENTS)
    retire(store, "random", "under 10% correct")
    drawn = {name for seed in range(30) for name in _pair(store, seed)}
    assert drawn == {"oracle", "do-nothing"}


def _pair(store: Store, seed: int) -> tuple[str, str]:
    return contenders(store, new_battle(store, judge(store), TASK, chance=random.Random(seed)).id)


def test_bad_votes_are_marked_and_never_deleted(store: Store) -> None:
    person = judge(store)
    for _ in range(2):
        own = Task(world="desk/calc", text="hi", own=True)
        cast(store, fought(store, person, own), person, Vote(winner="a"))
    slow = FilterSettings(too_fast=600)  # a busy machine may take a while from the end of a battle to its vote
    reasons = Counter(one.reason for one in apply_filters(store, settings=slow))
    assert reasons == {"off-topic": 2, "too-fast": 2, "duplicate": 1}
    rows = all_votes(store)
    assert len(rows) == 2 and not any(row.counts for row in rows)
    apply_filters(store, settings=slow)
    assert all_votes(store) == rows, "marked once"


def test_the_leaderboard_ranks_counts_and_says_what_is_missing(store: Store) -> None:
    assert standings([]).ranking is None
    people = [judge(store) for _ in range(3)]
    for seed in range(12):
        battle = fought(store, people[0], TASK.model_copy(update={"category": ("office", "web")[seed % 2]}), seed)
        a, b = contenders(store, battle)
        better = "a" if AGENTS.index(a) < AGENTS.index(b) else "b"
        for person in people:
            right = {
                "correct_a": "correct" if a == "oracle" else "wrong",
                "correct_b": "correct" if b == "oracle" else "wrong",
            }
            cast(store, battle, person, Vote.model_validate({"winner": better, **right}))
    found = standings(all_votes(store), resamples=200)
    assert found.ranking is not None and found.ranking.agents[0].agent == "oracle"
    assert found.correct["oracle"].interval.estimate == 1.0 and found.votes == 36
    assert found.observed is not None and found.predicted is not None and found.categories is not None
    assert set(found.general) == set(AGENTS) and found.styles
    said = agreement(all_votes(store))
    assert not isinstance(said["preference"], str) and said["preference"].alpha.estimate == 1.0
    assert isinstance(said["safety"], str)


def test_votes_that_are_few_or_all_alike_give_no_interval_and_so_no_rating(store: Store) -> None:
    person = judge(store)
    for number in range(1, FEWEST + 1):
        battle = fought(store, person, TASK, number, among=AGENTS[:2])
        better = "ab"[contenders(store, battle).index(AGENTS[0])]
        cast(store, battle, person, Vote.parse({"winner": better}))
        found = standings(all_votes(store), resamples=50)
        why = "too few votes" if number < FEWEST else "all votes are for the same agent"
        assert found.ranking is None and found.why.startswith(why) and set(found.unranked.values()) == {number}
        assert found.categories is not None and found.categories.refused == {TASK.category: found.why}


@on_both
def test_a_database_that_is_none_or_of_a_newer_fairground_is_refused_in_words(store: Store, url: str) -> None:
    with store.write() as connection:
        connection.exec_driver_sql("UPDATE arena_version SET version = 99")
    with pytest.raises(InvalidInput, match="newer"):
        Store(url)
    with pytest.raises(InvalidInput, match="SQLite or PostgreSQL"):
        Store("mysql://somewhere/x")
    with pytest.raises(InfrastructureError, match="cannot be used"):
        Store("postgresql://nobody@127.0.0.1:1/x")


@on_both
def test_a_database_from_before_forgets_the_other_measure_of_repetition(url: str) -> None:
    with Store(url) as store:
        battle = fought(store, judge(store))
        assert find_battle(store, battle).sides["a"].repetition == 0.0
        with store.write() as connection:
            connection.exec_driver_sql("UPDATE arena_version SET version = 5")
    for _ in range(2):
        with Store(url) as store:
            assert {side.repetition for side in find_battle(store, battle).sides.values()} == {None}
