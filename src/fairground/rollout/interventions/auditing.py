"""Test-time auditing: another model reviews the agent's result without seeing its reasoning."""

from __future__ import annotations

from fairground.core import Answer, InvalidInput, Record
from fairground.rollout.interventions.advisers import Ask, ask_until, filled, prompt, read_answer
from fairground.rollout.interventions.companion import Ending

_LONGEST = 2_000


def objection(instruction: str, ending: Ending, ask: Ask) -> str:
    """Return what remains to be done according to the auditor; empty if it accepts the result.

    The auditor sees the original task, the frames and, for question tasks, the answer. It does not see the agent's
    reasoning, checks or verdicts.

    Raises:
        AdviserFault: If it gives no usable answer; that does not count as acceptance.
    """
    action = ending.action
    words = f"The answer that was given: {action.text[:_LONGEST]!r}" if isinstance(action, Answer) else ""
    question = filled("auditor_task", instruction=instruction, ending=words)
    audit = ask_until(ask, _read, question, ending.frames, system=prompt("auditor"))
    return "" if audit.finished else audit.missing.strip()[:_LONGEST]


def objecting(words: str) -> str:
    """Return the message that sends the agent back."""
    return filled("objection", words=words)


class _Audit(Record):
    finished: bool
    missing: str = ""


def _read(answer: str) -> _Audit:
    audit = read_answer(_Audit, answer)
    if not audit.finished and not audit.missing.strip():
        raise InvalidInput("finished is false, and missing does not say what is missing")
    return audit
