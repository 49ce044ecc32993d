"""Deleting an entry and adding the same one again is a legitimate way to change it."""

from __future__ import annotations

import pytest

from fairground.core import Verdict
from fairground.verify import judge
from fairground.worlds import Fill, Move, Tap, World, resolve
from fairground_pocket.kit.database import Database

pytestmark = pytest.mark.conformance


def entered_again(world: World, **other: str) -> Verdict:
    """Delete the contact that the task is about and add it again, with the number that the oracle would enter."""
    rehearsal = world.app.rehearse(world)
    assert rehearsal is not None
    moves = list(world.scenario.oracle(world, rehearsal.before))
    number = next(move.text for move in moves if isinstance(move, Fill) and move.field == "Phone")
    contact = dict(next(row for row in contacts(world) if row["name"] in world.instruction))
    fields = {"Name": contact["name"], "Email address": contact["address"], "Phone": number, "Note": contact["note"]}
    to_the_contact = moves[: next(i for i, move in enumerate(moves) if move == Tap("Edit contact"))]
    again: list[Move] = [Tap("Delete contact"), Tap("Delete", role="button"), Tap("New contact")]
    again += [Fill(label, text) for label, text in {**fields, **other}.items()]
    rehearsal.play([*to_the_contact, *again, Tap("Save")])
    return judge(world, rehearsal.before, rehearsal.state())


def contacts(world: World) -> list[dict[str, str]]:
    rehearsal = world.app.rehearse(world)
    assert rehearsal is not None
    return [dict(row) for row in Database(rehearsal.before.file("email.sqlite")).query("SELECT * FROM contacts", {})]


def a_contact_that_is_no_favourite() -> World:
    scenario = resolve("pocket/email/change-phone").scenario
    worlds = (resolve(f"pocket/email/change-phone/{instance}") for instance in scenario.instances)
    return next(
        world
        for world in worlds
        if not next(row["favourite"] for row in contacts(world) if row["name"] in world.instruction)
    )


def test_a_contact_entered_again_with_the_new_number_counts_as_changed() -> None:
    assert entered_again(a_contact_that_is_no_favourite()).success


def test_a_contact_entered_again_without_its_note_does_not() -> None:
    verdict = entered_again(a_contact_that_is_no_favourite(), Note="something else")
    assert not verdict.success
    assert [check.name for check in verdict.checks if not check.passed] == ["nothing else changed"]
