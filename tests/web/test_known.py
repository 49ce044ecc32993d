"""Who asked a moment ago is known, but never as somebody they no longer are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import event

from fairground.arena import Person, Store, new_person
from fairground.arena.schema import people
from fairground.web.session import Known


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "arena.sqlite") as store:
        yield store


@pytest.fixture
def admin(store: Store) -> Person:
    return new_person(store, "admin")


def demote(store: Store, person: Person) -> None:
    """As another server would: nobody here hears of it."""
    with store.write() as connection:
        connection.execute(people.update().where(people.c.id == person.id).values(role="visitor"))


def test_who_changed_while_they_were_looked_up_is_not_kept_as_they_were(store: Store, admin: Person) -> None:
    known, read = Known(seconds=3600), []

    def meanwhile(*_: object) -> None:
        read.append(True)
        if len(read) == 1:  # the look-up itself, which has its answer
            demote(store, admin)
            known.forget(admin.id)

    with store.write():  # a first connection for writing would join the listeners while they are called
        pass
    event.listen(store.engine, "after_cursor_execute", meanwhile)
    known.look_up(store, admin.id)
    found = known.find(admin.id) or known.look_up(store, admin.id)
    assert found is not None and found.role == "visitor"


def test_who_was_forgotten_is_looked_up_anew(store: Store, admin: Person) -> None:
    known = Known(seconds=3600)
    known.look_up(store, admin.id)
    demote(store, admin)
    assert known.find(admin.id) == admin, "others' changes show after some seconds"
    known.forget(admin.id)
    assert known.find(admin.id) is None
    found = known.look_up(store, admin.id)
    assert found is not None and found.role == "visitor" and known.find(admin.id) == found


def test_nobody_is_known_for_longer_than_the_time(store: Store, admin: Person) -> None:
    known = Known(seconds=0)
    assert known.look_up(store, admin.id) == admin
    assert known.find(admin.id) is None


def test_people_who_are_none_are_not_kept(store: Store, admin: Person) -> None:
    known = Known(seconds=3600, most=1)
    known.look_up(store, admin.id)
    for made_up in range(20):
        assert known.look_up(store, f"nobody-{made_up}") is None and known.find(f"nobody-{made_up}") is None
    assert known.find(admin.id) == admin, "nor do they drive anybody out"


def test_many_people_do_not_pile_up(store: Store) -> None:
    known = Known(seconds=3600, most=3)
    crowd = [new_person(store) for _ in range(10)]
    for one in crowd:
        assert known.look_up(store, one.id) == one == known.find(one.id)
        assert sum(known.find(other.id) is not None for other in crowd) <= 3
