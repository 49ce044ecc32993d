"""Votes that come together, or on what has changed since it was looked at; and how little they ask of the database."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import event, select

from fairground.arena import (
    Refused,
    StepMark,
    Store,
    Vote,
    accept,
    battles_of,
    cast,
    close,
    find_battle,
    find_person,
    history,
    invite,
    new_battle,
    new_person,
    reveal,
    see,
    votes_version,
)
from fairground.arena.schema import step_marks
from tests.arena.conftest import on_both
from tests.arena.test_arena import fought, judge


@on_both
def test_of_many_opinions_at_once_each_is_a_version_and_the_last_one_stands_with_its_marks(store: Store) -> None:
    person = judge(store)
    battle = fought(store, person)
    before = see(store, battle, person)
    gate = threading.Barrier(8)
    versions = []

    def send(step: int) -> None:
        vote = Vote(winner="a", comment=f"{step}", marks=(StepMark(side="a", step=step, mark="good"),))
        gate.wait()
        versions.append(cast(store, battle, person, vote, before).version)  # all have looked before anybody voted

    threads = [threading.Thread(target=send, args=(step,)) for step in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told = history(store, battle, person.id)
    assert sorted(versions) == [one["version"] for one in told] == [*range(1, 9)]
    assert {one["comment"] for one in told} == {f"{step}" for step in range(8)}
    seen = see(store, battle, person)
    assert seen is not None and seen.vote is not None
    assert (seen.version, seen.vote.comment) == (8, told[-1]["comment"])
    with store.read() as connection:
        marked = connection.execute(select(step_marks.c.step)).scalars().all()
    assert marked == [one.step for one in seen.vote.marks] == [int(seen.vote.comment)]


def test_who_looked_before_it_was_closed_cannot_vote_after(store: Store) -> None:
    person = judge(store)
    battle = fought(store, person)
    seen = see(store, battle, person)
    close(store, battle)
    with pytest.raises(Refused, match="closed"):
        cast(store, battle, person, Vote(winner="a"), seen)
    assert history(store, battle, person.id) == []


@on_both
def test_who_votes_and_goes_on_at_once_never_judges_two_that_they_know(store: Store) -> None:
    """Either the vote came first, and nothing follows; or what follows did, and nobody is told who the two are."""
    person = judge(store)
    for _ in range(6):
        battle, gate, refused = fought(store, person), threading.Barrier(2), list[Refused]()

        def follow(battle: str = battle, gate: threading.Barrier = gate, refused: list[Refused] = refused) -> None:
            task = find_battle(store, battle).task
            gate.wait()
            try:
                new_battle(store, person, task, follows=battle)
            except Refused as error:
                refused.append(error)

        thread = threading.Thread(target=follow)
        thread.start()
        gate.wait()
        cast(store, battle, person, Vote(winner="a"))
        told = reveal(store, battle, person)
        thread.join()
        assert bool(refused) == (told is not None)


@on_both
def test_an_invitation_that_makes_nobody_is_not_used(store: Store) -> None:
    secret, visitor = invite(store), new_person(store)
    with counting(store, break_at="INSERT INTO people"), pytest.raises(RuntimeError, match="stops here"):
        accept(store, secret, visitor)
    assert accept(store, secret, visitor).role == "judge"


@on_both
def test_what_is_asked_most_takes_few_statements(store: Store) -> None:
    person = judge(store)
    battle = fought(store, person)
    with counting(store) as said:
        find_person(store, person.id)
        battles_of(store, person)
        votes_version(store)
        seen = see(store, battle, person)
    assert len(said) == 4, said
    with counting(store) as said:
        assert cast(store, battle, person, Vote(winner="a"), seen).changed
    assert len([one for one in said if not one.startswith("BEGIN")]) == 2, said
    seen = see(store, battle, person)
    with counting(store) as said:
        assert not cast(store, battle, person, Vote(winner="a"), seen).changed
    assert not said, "the same again writes nothing"


@contextmanager
def counting(store: Store, break_at: str | None = None) -> Iterator[list[str]]:
    """The statements that the database is sent; it breaks off before one that begins like this."""
    said: list[str] = []

    def note(_: object, __: object, statement: str, *___: object) -> None:
        if break_at is not None and statement.startswith(break_at):
            raise RuntimeError("the machine stops here")
        said.append(statement)

    event.listen(store.engine, "before_cursor_execute", note)
    try:
        yield said
    finally:
        event.remove(store.engine, "before_cursor_execute", note)
