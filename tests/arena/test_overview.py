"""What an admin sees and does, on both databases; and what tells that a ranking is no longer of the newest votes."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairground.arena import (
    FilterSettings,
    Refused,
    Retirement,
    Store,
    Vote,
    accept,
    active_agents,
    all_invitations,
    all_votes,
    apply_filters,
    bring_back,
    cast,
    clear,
    close,
    flag,
    import_votes,
    invite,
    list_agents,
    list_battles,
    list_votes,
    preview_votes,
    retire,
    revoke,
    unflag,
    voter_of,
    votes_version,
)
from fairground.arena.schema import shared
from fairground.arena.store import now
from fairground.core import InvalidInput
from tests.arena.conftest import on_both

from .test_arena import fought, judge


@on_both
def test_the_version_changes_with_everything_that_a_ranking_is_made_of(store: Store) -> None:
    person = judge(store)
    battle = fought(store, person)
    seen = [votes_version(store)]

    def changed(what: str) -> None:
        seen.append(votes_version(store))
        assert seen[-1] not in seen[:-1], what

    cast(store, battle, person, Vote(winner="a"))
    changed("a vote")
    cast(store, battle, person, Vote(winner="b"))
    changed("another mind")
    flag(store, battle, person.id, "too-fast")
    changed("a flag")
    unflag(store, battle, person.id, "too-fast")
    flag(store, battle, person.id, "off-topic")
    changed("a flag for another")
    retire(store, "random", "weak")
    changed("an agent that left")
    close(store, battle)
    changed("a closed battle")
    assert votes_version(store) == seen[-1]


def test_votes_on_a_shared_battle_are_open_until_it_is_closed(store: Store) -> None:
    person = judge(store)
    battle, other = fought(store, person), fought(store, person)
    for one in (battle, other):
        cast(store, one, person, Vote(winner="a"))
    before = votes_version(store)
    with store.write() as connection:
        connection.execute(shared.insert().values(battle=battle, since=now()))
    assert votes_version(store) != before
    assert {row.battle for row in all_votes(store) if row.open} == {battle}
    assert {line.id: line.shared for line in list_battles(store)[0]} == {battle: True, other: False}
    close(store, battle)
    assert not any(row.open for row in all_votes(store))


@on_both
def test_lists_show_no_names_before_the_end_and_find_a_voter_by_few_letters(store: Store) -> None:
    person = judge(store)
    battle = fought(store, person)
    cast(store, battle, person, Vote(winner="tie", comment="so so"))
    (line,), total = list_battles(store, status="judging")
    assert total == 1 and line.agents is None and line.votes == 1
    assert list_battles(store, status="closed") == ([], 0)
    (vote,), _ = list_votes(store)
    assert vote.comment == "so so" and not vote.flags and list_votes(store, flagged=True) == ([], 0)
    assert voter_of(store, battle, person.id[:12]) == person.id
    assert voter_of(store, battle, "%") is None and voter_of(store, "nowhere", person.id) is None
    close(store, battle)
    assert list_battles(store)[0][0].agents is not None


@on_both
def test_what_was_cleared_is_not_found_again(store: Store) -> None:
    person = judge(store)
    battle = fought(store, person)
    cast(store, battle, person, Vote(winner="a"))
    slow = FilterSettings(too_fast=600)  # a busy machine may take a while from the end of a battle to its vote
    assert [one.reason for one in apply_filters(store, settings=slow)] == ["too-fast"]
    assert clear(store, battle, person.id, "too-fast") and not clear(store, battle, person.id, "too-fast")
    assert apply_filters(store, settings=slow) == [] and all_votes(store)[0].counts
    assert apply_filters(store, settings=FilterSettings(too_fast=0)) == []


def test_an_agent_that_is_seldom_correct_is_due_and_can_come_back(store: Store) -> None:
    person = judge(store)
    for seed in range(6):
        cast(store, fought(store, person, seed=seed), person, Vote(winner="a", correct_a="wrong", correct_b="correct"))
    lines = {line.name: line for line in list_agents(store, all_votes(store), Retirement(least=0.5, window=1))}
    assert sum(line.votes for line in lines.values()) == 12
    assert {line.due for line in lines.values() if line.correct is not None and line.correct.estimate == 0} == {True}
    retire(store, "oracle", "just so")
    assert "oracle" not in active_agents(store)
    bring_back(store, "oracle")
    assert "oracle" in active_agents(store)


def test_a_revoked_invitation_lets_nobody_in(store: Store) -> None:
    secret = invite(store, uses=5, note="five")
    (one,) = all_invitations(store)
    assert one.open and one.uses_left == 5 and secret not in repr(one)
    revoke(store, one.id)
    with pytest.raises(Refused, match="used up"):
        accept(store, secret)
    with pytest.raises(Refused, match="no such invitation"):
        revoke(store, "0" * 64)


@on_both
def test_agents_of_elsewhere_come_in_as_retired_and_by_the_names_they_have_here(store: Store, tmp_path: Path) -> None:
    fought(store, judge(store))
    path = tmp_path / "other.csv"
    path.write_text("left,right,winner,category\nours,theirs,left,a\0b\ntheirs,ours,tie,\n")
    looked = preview_votes(path, agents={"ours": "oracle"})
    assert looked.good and looked.agents == {"oracle": 2, "theirs": 2}
    assert import_votes(store, path, rename=looked.rename, agents={"ours": "oracle"}) == 2
    assert "oracle" in active_agents(store) and "theirs" not in active_agents(store)
    assert {row.category for row in all_votes(store)} <= {"ab", ""}
    with pytest.raises(InvalidInput, match="both would be named"):
        import_votes(store, path, agents={"ours": "x", "theirs": "x"})
    with pytest.raises(InvalidInput, match="1 to 200 letters"):
        import_votes(store, path, agents={"ours": "x" * 201})
