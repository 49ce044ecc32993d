"""Test-time auditing: another model looks at what an agent calls finished, without hearing what it thought."""

from __future__ import annotations

from fairground.core import Answer, InvalidInput, Record
from fairground.rollout.interventions.advisers import Ask, ask_until, filled, prompt, read_answer
from fairground.rollout.interventions.companion import Ending

_LONGEST = 2_000


def objection(instruction: str, ending: Ending, ask: Ask) -> str:
    """What remains to be done in the auditor's eyes; empty when it accepts the end.

    It sees the task as it was given, the frames and, of a question, the answer: nothing that the agent thought, and
    nothing of checks or verdicts.

    Raises:
        AdviserFault: When it says nothing that can be used: that is no acceptance.
    """
    action = ending.action
    words = f"The answer that was given: {action.text[:_LONGEST]!r}" if isinstance(action, Answer) else ""
    question = filled("auditor_task", instruction=instruction, ending=words)
    found = ask_until(ask, _read, question, ending.frames, system=prompt("auditor"))
    return "" if found.finished else found.missing.strip()[:_LONGEST]


def objecting(words: str) -> str:
    """The message that sends the agent back."""
    return filled("objection", words=words)


class _Audit(Record):
    finished: bool
    missing: str = ""


def _read(answer: str) -> _Audit:
    found = read_answer(_Audit, answer)
    if not found.finished and not found.missing.strip():
        raise InvalidInput("finished is false, and missing does not say what is missing")
    return found
