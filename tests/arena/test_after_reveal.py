"""Votes of people who know the names: kept and marked, and the last one before the reveal counts."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import inspect, select

from fairground.arena import (
    Person,
    Redactor,
    Row,
    Side,
    StepMark,
    Store,
    Task,
    Vote,
    accept,
    add_agents,
    all_votes,
    apply_filters,
    battles_of,
    begin,
    cast,
    close,
    consent,
    contenders,
    end_side,
    export_votes,
    fail,
    history,
    identify,
    invite,
    list_agents,
    list_battles,
    list_votes,
    new_battle,
    new_person,
    note_reveals,
    reveal,
    see,
    share,
    standings,
    to_judge,
)
from fairground.arena import store as arena_store
from fairground.arena.filters_settings import change_settings, current_settings
from fairground.arena.identification import keep_identifications
from fairground.arena.schema import metadata, reveals, step_marks, vote_history, votes
from fairground.core import Type
from tests.arena.conftest import on_both
from tests.recordings import a_step

TASK = Task(world="desk/calc", text="Add it up", category="office", platform="desktop")
AGENTS = ("anthropic:claude-opus-4-1", "openai:gpt-5")


def judge(store: Store, role: str = "judge") -> Person:
    return consent(store, accept(store, invite(store, role)))


def fought(store: Store, owner: Person, *, follows: str | None = None) -> str:
    """A battle of somebody's that waits for votes."""
    add_agents(store, AGENTS)
    battle = new_battle(store, owner, TASK, follows=follows).id
    begin(store, battle, {"a": "same", "b": "same"})
    for side in ("a", "b"):
        end_side(store, battle, Side(side, outcome="passed", steps=3))
    to_judge(store, battle)
    return battle


def vote(store: Store, battle: str, person: Person, winner: str) -> None:
    """A vote as the site takes it: the answer tells the names."""
    cast(store, battle, person, Vote(winner=winner))  # type: ignore[arg-type]
    reveal(store, battle, person)


def row_of(store: Store, battle: str, person: Person) -> Row:
    return next(row for row in all_votes(store) if (row.battle, row.person) == (battle, person.id))


@on_both
def test_a_vote_that_is_changed_after_the_reveal_is_kept_and_the_first_one_counts(store: Store) -> None:
    person = judge(store)
    battle = fought(store, person)
    marks = (StepMark(side="a", step=1, mark="good"),)
    assert not cast(store, battle, person, Vote(winner="a", comment="before", marks=marks)).after_reveal
    assert reveal(store, battle, person) == contenders(store, battle)
    changed = cast(store, battle, person, Vote(winner="b", comment="after"))
    assert (changed.version, changed.changed, changed.after_reveal) == (2, True, True)
    row = row_of(store, battle, person)
    assert (row.winner, row.comment, row.version, row.counted) == ("a", "before", 2, 1)
    assert (row.after_reveal, row.winner_after_reveal, row.counts) == (True, "b", True)
    seen = see(store, battle, person)
    assert seen is not None and seen.vote == Vote(winner="b", comment="after") and seen.counted == "a"
    assert [(one["version"], one["winner"], one["after_reveal"]) for one in history(store, battle, person.id)] == [
        (1, "a", False),
        (2, "b", True),
    ]
    with store.read() as connection:
        assert len(connection.execute(select(step_marks)).all()) == 1, "the marks of the vote that counts"
    assert battles_of(store, person)[0].vote == "a"
    line = list_votes(store)[0][0]
    assert (line.winner, line.after_reveal) == ("a", "b")


@on_both
def test_ratings_do_not_move_when_people_change_their_votes_after_the_reveal(store: Store) -> None:
    people = [judge(store) for _ in range(12)]
    given = [(fought(store, person), person) for person in people]
    for battle, person in given:
        won = "a" if contenders(store, battle)[0] == AGENTS[0] else "b"
        vote(store, battle, person, won)
    before = standings(all_votes(store)).observed
    for battle, person in given:
        cast(store, battle, person, Vote(winner="a" if contenders(store, battle)[0] == AGENTS[1] else "b"))
    after = standings(all_votes(store)).observed
    assert before is not None and after is not None and before.rates == after.rates and before.votes == after.votes


def test_a_vote_may_be_changed_as_long_as_the_names_are_not_told(store: Store) -> None:
    person = judge(store)
    first = fought(store, person)
    second = fought(store, person, follows=first)
    vote(store, first, person, "a")
    vote(store, first, person, "b")
    assert (row := row_of(store, first, person)).winner == "b" and row.counted == 2 and not row.after_reveal
    vote(store, second, person, "tie")
    for battle in (first, second):
        vote(store, battle, person, "both_bad")
    assert [row_of(store, one, person).winner for one in (first, second)] == ["b", "tie"]
    assert all(row_of(store, one, person).after_reveal for one in (first, second))


def test_names_that_are_told_because_a_follow_up_failed_are_noted_when_they_are_told(store: Store) -> None:
    person = judge(store)
    first = fought(store, person)
    later = new_battle(store, person, TASK, follows=first).id
    vote(store, first, person, "a")
    fail(store, later, "it broke")
    assert (seen := see(store, first, person)) is not None and not seen.revealed
    assert reveal(store, first, person) is not None
    vote(store, first, person, "b")
    assert row_of(store, first, person).winner == "a"


def test_whoever_knew_the_names_before_voting_is_marked_and_nobody_else_is(store: Store) -> None:
    owner, other = judge(store), judge(store)
    battle = fought(store, owner)
    share(store, battle)
    note_reveals(store, [battle], other, "export")
    vote(store, battle, other, "a")
    vote(store, battle, owner, "b")
    known, blind = row_of(store, battle, other), row_of(store, battle, owner)
    assert (known.flagged, known.counted, known.after_reveal) == (("after-reveal",), None, True)
    assert blind.counts and blind.counted == 1 and not blind.after_reveal
    apply_filters(store)
    assert row_of(store, battle, other).flagged.count("after-reveal") == 1, "the filters do not take it back"


def test_an_admin_who_has_exported_the_votes_knows_the_names(store: Store, tmp_path: Path) -> None:
    owner, admin = judge(store), judge(store, "admin")
    battle = fought(store, owner)
    later = fought(store, owner, follows=battle)
    vote(store, battle, owner, "a")
    vote(store, later, owner, "a")
    assert export_votes(store, tmp_path / "votes.jsonl", whole=True, reader=admin) == 2
    vote(store, later, admin, "b")
    assert row_of(store, later, admin).flagged == ("after-reveal",)
    told = [json.loads(line) for line in (tmp_path / "votes.jsonl").read_text().splitlines()]
    assert {(one["after_reveal"], one["counted"], one["winner_after_reveal"], one["identified"]) for one in told} == {
        (False, 1, None, "")
    }


def test_what_a_browser_was_told_it_knows_under_its_next_id_and_under_its_last(store: Store) -> None:
    visitor = new_person(store)
    one = consent(store, accept(store, invite(store), visitor))
    admin = consent(store, accept(store, invite(store, "admin"), one))
    assert len({visitor.id, one.id, admin.id}) == 3
    first, second = fought(store, one), fought(store, admin)
    vote(store, first, one, "a")
    vote(store, first, admin, "b")
    assert row_of(store, first, admin).flagged == ("after-reveal",)
    share(store, second)
    vote(store, second, admin, "b")
    vote(store, second, one, "a")
    assert row_of(store, second, one).flagged == ("after-reveal",)
    stranger = judge(store, "admin")
    vote(store, first, stranger, "b")
    assert row_of(store, first, stranger).counts


def test_lists_of_admins_name_nobody_who_may_still_be_judged_in_what_followed(store: Store) -> None:
    owner = judge(store)
    first = fought(store, owner)
    later = fought(store, owner, follows=first)
    vote(store, first, owner, "a")
    close(store, first)
    agents = {line.id: line.agents for line in list_battles(store)[0]}
    assert agents == {first: None, later: None}
    assert {line.votes for line in list_agents(store, all_votes(store))} == {0}, "a number that changes would tell"
    vote(store, later, owner, "a")
    close(store, later)
    assert set(contenders(store, first)) == set(AGENTS)
    assert all(line.agents for line in list_battles(store)[0])


def test_comments_name_nobody_who_may_still_be_judged(store: Store) -> None:
    owner = judge(store)
    battle = fought(store, owner)
    share(store, battle)
    cast(store, battle, owner, Vote(winner="a", comment="A is Cl\u0430ude, I think"))
    assert list_votes(store)[0][0].comment == "A is [hidden], I think"
    close(store, battle)
    assert "ude" in list_votes(store)[0][0].comment


# --- agents that type their names -------------------------------------------------------------------------------------


def test_votes_on_a_battle_in_which_an_agent_typed_its_name_do_not_count(store: Store) -> None:
    owner, admin = judge(store), judge(store, "admin")
    battle = fought(store, owner)
    found = identify("a", [a_step(0, Type(text="I am Cla")), a_step(1, Type(text="ude."))], Redactor(AGENTS))
    keep_identifications(store, battle, found)
    vote(store, battle, owner, "a")
    row = row_of(store, battle, owner)
    assert (row.flagged, row.identified) == (("identified",), "a")
    apply_filters(store)
    assert row_of(store, battle, owner).flagged.count("identified") == 1
    assert (line := list_battles(store)[0][0]).identified == "a" and line.evidence == (), "the evidence names it"
    close(store, battle)
    evidence = list_battles(store)[0][0].evidence
    assert [(one.channel, one.step, one.text, one.seen) for one in evidence] == [("typed", 1, "I am Claude.", True)]
    counted = {line.name: line.identified for line in list_agents(store, all_votes(store))}
    assert counted == {name: int(name == contenders(store, battle)[0]) for name in AGENTS}
    change_settings(store, admin, current_settings(store).model_copy(update={"identified": False}), after=0)
    apply_filters(store)
    assert "identified" not in row_of(store, battle, owner).flagged, "an arena may count them all the same"


def test_a_name_that_was_typed_counts_for_the_whole_series(store: Store) -> None:
    owner = judge(store)
    wrote = identify("b", [a_step(0, Type(text="I am Claude"))], Redactor(AGENTS))
    for typed_in in (0, 1, 2):
        battles = [fought(store, owner)]
        for number in range(3):
            keep_identifications(store, battles[number], wrote if number == typed_in else [])
            battles.append(fought(store, owner, follows=battles[number]))
        keep_identifications(store, battles[3], [])
        for battle in battles:
            vote(store, battle, owner, "a")
            assert row_of(store, battle, owner).flagged == ("identified",)
    agents = list_agents(store, all_votes(store))
    assert sum(line.identified for line in agents) == 3, "each is counted once"


def test_sides_are_drawn_and_say_nothing_of_names_or_ids(store: Store) -> None:
    owner = judge(store)
    add_agents(store, AGENTS)
    drawn = [new_battle(store, owner, TASK).id for _ in range(64)]
    first = Counter(contenders(store, battle)[0] for battle in drawn)
    assert min(first[name] for name in AGENTS) >= 8, "less likely than one in a thousand million"
    for digit in range(32):
        odd = [contenders(store, battle)[0] == AGENTS[0] for battle in drawn if int(battle[digit], 16) % 2]
        assert 0 < sum(odd) < len(odd), f"digit {digit} of the id would tell"


# --- databases of before ----------------------------------------------------------------------------------------------


@on_both
def test_a_database_of_before_is_brought_up_to_date(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(url) as store:
        person = judge(store)
        battle, untouched = fought(store, person), fought(store, person)
        cast(store, battle, person, Vote(winner="a", marks=(StepMark(side="a", step=1, mark="good"),)))
        cast(store, battle, person, Vote(winner="b", comment="I know them now"))
        cast(store, untouched, person, Vote(winner="tie"))
        with store.write() as connection:
            for column in ("people.browser", "votes.after_reveal", "votes.counted", "vote_history.after_reveal"):
                table, _, name = column.partition(".")
                connection.exec_driver_sql(f"ALTER TABLE {table} DROP COLUMN {name}")
            for table in ("reveals", "identifications"):
                metadata.tables[table].drop(connection)
            before = len(arena_store.MIGRATIONS) - 1
            connection.execute(arena_store._version.update().values(version=before))
    for _ in range(2):  # the second time there is nothing to be done
        with Store(url) as store:
            row = row_of(store, battle, person)
            assert (row.winner, row.comment, row.version, row.counted) == ("a", "", 2, 1)
            assert row.after_reveal and row.winner_after_reveal == "b"
            assert row_of(store, untouched, person).winner == "tie"
            with store.read() as connection:
                assert {one["name"] for one in inspect(connection).get_columns("votes")} == set(votes.c.keys())
                assert len(connection.execute(select(step_marks)).all()) == 1
                assert len(connection.execute(select(reveals)).all()) == 2
                marked = connection.execute(select(vote_history.c.after_reveal).order_by(vote_history.c.version))
                assert sorted(marked.scalars()) == [False, False, True]
    with Store(url) as store:
        vote(store, untouched, person, "a")
        assert row_of(store, untouched, person).winner == "tie"
