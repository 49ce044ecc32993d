"""What filters look for is the admins' to say, on both databases: silly values first, then what comes of a change."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from fairground.arena import (
    FilterSettings,
    Judged,
    Refused,
    Store,
    all_votes,
    apply_filters,
    change_settings,
    clear,
    current_settings,
    find_bad_votes,
    history,
    new_person,
    settings_versions,
)
from fairground.arena.schema import battles, filter_settings, votes
from fairground.core import InvalidInput
from tests.arena.conftest import on_both
from tests.web.arena_stage import fill


@pytest.mark.parametrize(
    "silly",
    [
        {"too_fast": -1}, {"too_fast": 601}, {"too_fast": float("nan")}, {"too_fast": "5"}, {"outlier_level": 0.5},
        {"outlier_level": -0.1}, {"min_shared": 3}, {"min_shared": 8.5}, {"shortest": 1000}, {"duplicates": 1},
        {"phrases": [""]}, {"phrases": ["?!"]}, {"phrases": ["a\0b"]}, {"phrases": ["x" * 201]},
        {"phrases": ["x"] * 101}, {"phrases": "hello"}, {"speed": 3},
    ],
)  # fmt: skip
def test_silly_values_are_refused_by_name(silly: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(silly))):
        FilterSettings.parse(silly)


def test_only_admins_change_them_and_only_what_they_have_seen(store: Store) -> None:
    admin, judge = new_person(store, "admin"), new_person(store, "judge")
    with pytest.raises(Refused, match="only admins"):
        change_settings(store, judge, FilterSettings(too_fast=9), after=0)
    assert change_settings(store, admin, FilterSettings(too_fast=9), after=0).number == 1
    with pytest.raises(Refused, match="in the meantime"):
        change_settings(store, admin, FilterSettings(too_fast=1), after=0)
    assert current_settings(store).too_fast == 9


@on_both
def test_of_admins_at_the_same_time_one_is_first(store: Store) -> None:
    people = [new_person(store, "admin") for _ in range(6)]
    refused: list[Refused] = []
    together = threading.Barrier(len(people))

    def save(place: int) -> None:
        together.wait()
        try:
            change_settings(store, people[place], FilterSettings(too_fast=float(place + 10)), after=0)
        except Refused as error:
            refused.append(error)

    threads = [threading.Thread(target=save, args=(place,)) for place in range(len(people))]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(refused) == len(people) - 1 and len(settings_versions(store)) == 2


def test_who_changed_what_and_when_is_kept(store: Store) -> None:
    first, second = new_person(store, "admin"), new_person(store, "admin")
    assert [one.number for one in settings_versions(store)] == [0] and current_settings(store) == FilterSettings()
    change_settings(store, first, FilterSettings(phrases=("order a pizza",), too_fast=7), after=0)
    same = change_settings(store, second, FilterSettings(phrases=("order a pizza",), too_fast=7), after=1)
    assert same.number == 1, "nothing was changed"
    change_settings(store, second, FilterSettings(too_fast=7), after=1)
    newest, before, begun = settings_versions(store)
    assert (newest.person, newest.before) == (second.id, (("phrases", ("order a pizza",)),))
    assert (before.person, dict(before.before)) == (first.id, {"phrases": (), "too_fast": 5.0})
    assert begun.changed is None and before.changed is not None and newest.changed is not None
    assert before.changed <= newest.changed


def test_a_setting_that_this_version_finds_silly_stays_as_it_was_at_first(store: Store) -> None:
    admin = new_person(store, "admin")
    with store.write() as connection:
        row = {"number": 1, "changed": 0.0, "person": admin.id, "settings": '{"too_fast": -3, "new": 1, "shortest": 3}'}
        connection.execute(filter_settings.insert(), row)
    assert current_settings(store) == FilterSettings(shortest=3)


@on_both
def test_marks_follow_the_settings_and_no_vote_is_touched(store: Store) -> None:
    ids, admin = fill(store, 12), new_person(store, "admin")
    with store.write() as connection:
        for place, id_ in enumerate(ids[:3]):
            words = ("Order a pizza", "order  a pizza!", "x")[place]
            connection.execute(battles.update().where(battles.c.id == id_).values(task=words, own_task=True))
        connection.execute(votes.update().where(votes.c.battle == ids[3]).values(seconds=6.0))
    before = [(row.battle, row.person, row.winner, row.changed, row.version) for row in all_votes(store)]

    def marks(**changed: Any) -> dict[str, set[str]]:
        number = settings_versions(store)[0].number
        change_settings(store, admin, FilterSettings(**changed), after=number)
        apply_filters(store)
        found = {row.battle: set(row.flagged) for row in all_votes(store)}
        assert [(row.battle, row.person, row.winner, row.changed, row.version) for row in all_votes(store)] == before
        return {battle: why for battle, why in found.items() if why}

    pizza, again, letter, quick = ids[:4]
    assert marks() == {again: {"duplicate"}, letter: {"off-topic"}}
    assert marks(too_fast=8.0, duplicates=False) == {letter: {"off-topic"}, quick: {"too-fast"}}
    named = {pizza: {"off-topic"}, again: {"off-topic", "duplicate"}}
    assert marks(phrases=("ORDER A PIZZA",), shortest=0) == named
    person = all_votes(store)[0].person
    assert clear(store, pizza, person, "off-topic")
    assert marks(phrases=("order a pizza",)) == {again: {"off-topic", "duplicate"}, letter: {"off-topic"}}
    assert marks(off_topic=False, duplicates=False, too_fast=0.0) == {}
    assert history(store, quick, person) == []


def test_an_outlier_is_one_by_the_chance_and_the_number_that_are_set() -> None:
    people = ("odd", "p", "q", "r")
    judged = [
        Judged(f"b{at}", person, "", "b" if person == "odd" else "a", float(at)) for at in range(9) for person in people
    ]

    def found(**changed: Any) -> set[str]:
        return {one.person for one in find_bad_votes(judged, FilterSettings(**changed)) if one.reason == "outlier"}

    assert found(outlier_level=0.01) == {"odd"}
    assert found(outlier_level=0.001) == set(), "nine of nine happens to one coin in 512"
    assert found(outlier_level=0.01, min_shared=10) == set()
    assert found(outlier_level=0.0) == set()


@on_both
def test_a_database_from_before_gets_the_table(url: str) -> None:
    with Store(url) as store, store.write() as connection:
        filter_settings.drop(connection)
        connection.exec_driver_sql("UPDATE arena_version SET version = 4")
    with Store(url) as store:
        assert current_settings(store) == FilterSettings()
