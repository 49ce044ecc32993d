from __future__ import annotations

from typing import Any, ClassVar

import pytest

from fairground.core import InvalidConfiguration, InvalidInput, State
from fairground.verify import judge
from fairground.worlds import Stuck, Tap
from fairground_pocket.kit import Answer, Expect, Task
from fairground_pocket.kit.instances import instances

from .chores import AddOne, world


def test_placeholders_are_filled_from_the_profile() -> None:
    here, there = world(), world(profile="priya-pune")
    assert here.instruction != there.instruction
    third = here.app.staged(here).known.other.who  # type: ignore[attr-defined]
    assert here.instruction == f"Add “Buy soap”, like Call {third} of {third}."


def test_the_same_moves_give_the_same_database() -> None:
    states = []
    for _ in range(2):
        here = world()
        rehearsal = here.app.rehearse(here)
        assert rehearsal is not None
        rehearsal.play(here.scenario.oracle(here, rehearsal.before))
        states.append(rehearsal.state())
        assert judge(here, rehearsal.before, rehearsal.state()).success
        rehearsal.close()
    assert states[0] == states[1]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"template": "Add {nobody.name}"}, "placeholder that nothing fills"),
        ({"facts": {"other": "SELECT id FROM chores WHERE id = 99"}}, "this profile has none"),
        ({"facts": {"other": "SELECT id, title, who FROM chores"}}, "ambiguous"),
        ({"facts": {"other": "SELECT id FROM chorus"}}, "no such table"),
        ({"given": {"third": "SELECT id FROM chores LIMIT 0"}}, "this profile has none"),
        ({"needs": (AddOne.needs[0].__class__("chores", "1", 3),)}, "MaxCount"),
        ({"needs": (AddOne.needs[1].__class__("SELECT count(*) FROM chores", "100"),)}, "Balance"),
    ],
)
def test_what_a_profile_lacks_makes_the_configuration_invalid(changes: dict[str, Any], why: str) -> None:
    task = type("Changed", (AddOne,), changes)
    with pytest.raises(InvalidConfiguration, match=why):
        here = world(task)
        here.app.rehearse(here)


def test_a_check_of_a_missing_table_is_the_configurations_fault() -> None:
    class Lost(AddOne):
        expect: ClassVar = (Expect("lost", "SELECT 1 FROM after.nowhere"),)

    here = world(Lost)
    before = _before(here)
    with pytest.raises(InvalidConfiguration, match="nowhere"):
        judge(here, before, before)


def test_an_oracle_that_stops_half_way_is_stuck_with_what_it_did() -> None:
    here = world()
    rehearsal = here.app.rehearse(here)
    assert rehearsal is not None
    with pytest.raises(Stuck):
        rehearsal.play([*here.scenario.oracle(here, rehearsal.before), Tap("Nowhere")])
    assert judge(here, rehearsal.before, rehearsal.state()).success
    rehearsal.close()


@pytest.mark.parametrize(
    ("moves", "found"),
    [
        ([Tap("2"), Tap("Delete"), Tap("Delete it")], "chores chores 3"),
        ([Tap("New"), Tap("Add")], ""),
    ],
)
def test_what_else_changed_is_named(moves: list[Tap], found: str) -> None:
    here = world()
    rehearsal = here.app.rehearse(here)
    assert rehearsal is not None
    hand = rehearsal.hand  # type: ignore[attr-defined]
    rehearsal.play(here.scenario.oracle(here, rehearsal.before))
    hand.open("/chores/")
    rehearsal.play([Tap(hand.page.reachable()[4].name), *moves[1:]] if found else moves)
    verdict = judge(here, rehearsal.before, rehearsal.state())
    assert verdict.integrity is (not found) and found in str(verdict.checks[-1].found)
    rehearsal.close()


def test_looking_is_free() -> None:
    here = world()
    rehearsal = here.app.rehearse(here)
    assert rehearsal is not None
    hand = rehearsal.hand  # type: ignore[attr-defined]
    hand.open("/chores/")
    hand.open("/chores/4")
    assert rehearsal.state() != rehearsal.before
    assert judge(here, rehearsal.before, rehearsal.state()).integrity
    rehearsal.close()


def test_a_task_says_what_it_checks() -> None:
    with pytest.raises(InvalidInput, match="at least one"):
        type("Empty", (Task,), {"name": "empty", "app": "chores"})
    with pytest.raises(InvalidInput, match="kind answer"):
        type("Odd", (AddOne,), {"name": "odd", "answer": Answer("SELECT 1")})


def test_instances_have_readable_names_and_cover_every_value() -> None:
    domain = {"who": ("Zoë", "Bo"), "errand": {f"errand-{n}": {"a": n, "b": -n} for n in range(9)}}
    found = instances(domain, 12)
    assert list(found)[:2] == ["zoe-errand-0", "bo-errand-1"] and len(found) == 12
    assert {entry["a"] for entry in found.values()} == set(range(9))
    assert instances(domain, 12) == found and len(instances(domain, 100)) == 18
    assert instances({"only": ("this",)}, 5) == {"default": {"only": "this"}}


def _before(here: Any) -> State:
    rehearsal = here.app.rehearse(here)
    before: State = rehearsal.before
    rehearsal.close()
    return before


def test_what_holds_at_the_start_earns_nothing_and_must_stay_so() -> None:
    class AndKeep(AddOne):
        expect: ClassVar = (
            *AddOne.expect,
            Expect("there are chores", "SELECT count(*) > 0 FROM after.chores", weight=5),
        )

    here = world(AndKeep)
    rehearsal = here.app.rehearse(here)
    assert rehearsal is not None
    assert judge(here, rehearsal.before, rehearsal.before).reward == 0
    rehearsal.play(here.scenario.oracle(here, rehearsal.before))
    verdict = judge(here, rehearsal.before, rehearsal.state())
    assert verdict.success and [one.weight for one in verdict.checks if one.name == "there are chores"] == [0]
    rehearsal.close()
