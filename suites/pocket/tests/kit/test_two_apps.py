"""A task that spans two apps, and an app that has no part in it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fairground.core import Configuration
from fairground.verify import judge
from fairground.worlds import Fill, Move, Suite, Tap, World
from fairground_pocket.email import Email
from fairground_pocket.kit import HOME, Add, Database, Expect, Known, Row, Task

from .chores import AddOne, Chores


class NoteFromMail(Task):
    """A contact of the mailbox becomes a chore, and is told so."""

    name = "note-from-mail"
    app = "chores"
    also = ("email",)
    template = "Add a chore called “{person.name}”, then write them an email with the subject “{subject}”."
    domain = {"subject": ("Your turn", "A chore for you")}
    inject = (Row("labels", {"name": "Chores"}, app="email"),)
    facts = {"person": "SELECT name, address FROM email.contacts ORDER BY id LIMIT 1 OFFSET 4"}
    expect = (
        Expect("the chore is there", "SELECT count(*) FROM after.chores WHERE title = :person_name"),
        Expect(
            "the mail is sent", "SELECT count(*) FROM after_email.mails WHERE folder = 'sent' AND subject = :subject"
        ),
        Expect("the label was there", "SELECT count(*) FROM before_email.labels WHERE name = 'Chores'", weight=0.1),
    )
    allowed = (
        Add("chores"), Add("mails", app="email"), Add("threads", app="email"), Add("recipients", app="email"),
    )  # fmt: skip

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        """First here, then there."""
        chore: list[Move] = [Tap("New"), Fill("What", known.person.name), Tap("Add")]
        mail = [Tap("Compose"), Fill("To", known.person.name), Fill("Subject", known.subject), Tap("Send")]
        return [*chore, Tap(HOME), Tap("Email"), *mail]


def world(task: Task) -> World:
    suite = Suite(name="test", title="Test", version="1", apps=(Email(), Chores()), scenarios=(task,))
    instance = next(iter(task.instances))
    names = {"app": "chores", "scenario": task.name, "instance": instance, "profile": "george-bristol"}
    return World.of(suite, Configuration(suite="test", theme="paper", ui_state="start", **names))


def test_a_task_can_span_two_apps() -> None:
    here = world(NoteFromMail())
    assert here.instruction.startswith("Add a chore called “Rowan Hale”")
    rehearsal = here.app.rehearse(here)
    assert rehearsal is not None and sorted(rehearsal.before.files) == ["chores.sqlite", "email.sqlite"]
    moves = here.scenario.oracle(here, rehearsal.before)
    rehearsal.play(moves[:5])
    assert judge(here, rehearsal.before, rehearsal.state()).reward == pytest.approx(1 / 2)
    rehearsal.play(moves[5:])
    assert judge(here, rehearsal.before, rehearsal.state()).success
    rehearsal.play([Tap("Settings"), Tap("Play a sound")])
    assert not judge(here, rehearsal.before, rehearsal.state()).integrity, "a change in the other app is a change"
    rehearsal.close()


def test_an_app_that_has_no_part_may_be_looked_at_and_not_touched() -> None:
    here = world(AddOne())
    rehearsal = here.app.rehearse(here)
    assert rehearsal is not None
    rehearsal.play(here.scenario.oracle(here, rehearsal.before))
    rehearsal.play([Tap(HOME), Tap("Email"), Tap("Notifications")])
    rehearsal.play([Tap(rehearsal.hand.controls()[2].name), Tap(HOME), Tap("Email"), Tap("Settings")])  # type: ignore[attr-defined]
    assert judge(here, rehearsal.before, rehearsal.state()).success
    rehearsal.play([Tap("Play a sound")])
    verdict = judge(here, rehearsal.before, rehearsal.state())
    assert not verdict.integrity and "the data of email" in str(verdict.checks[-1].found)
    rehearsal.close()
