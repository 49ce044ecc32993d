"""Clarified instructions: they say what the checks look for, and are audited before use."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

from fairground.core import Check, InvalidInput, Record
from fairground.rollout.interventions.advisers import AdviserFault, Ask, ask_until, filled, prompt, read_answer
from fairground.rollout.interventions.companion import Scene
from fairground.rollout.interventions.guards import (
    answers_of,
    given_away,
    is_number,
    leaves,
    looks_like_steps,
    lost_parameters,
    numbers_in,
    results_of,
)
from fairground.rollout.interventions.kept import Clarification
from fairground.rollout.interventions.spec import Clarified
from fairground.verify import judge

_LONGER = 3.0  # maximum length relative to the original, plus
_ROOM = 600  # this many characters, for very short originals
_SHOWN = 4_000  # maximum characters shown of what one check expects
WITHHELD = "(to be found out; not shown)"


def clarify(spec: Clarified, configuration: str, scene: Scene, clarifier: Ask, auditor: Ask) -> Clarification:
    """Return a clarification for a task, with the class that its audit assigned.

    A clarification that cannot be used (reveals the answer, unreadable, too long, refused) is stored with the class
    `unusable`. It is counted, and later rollouts do not ask again. An unreachable model raises an error.
    """
    world = scene.world
    original = world.instruction
    # Judging the unchanged state gives names, weights and expectations of the checks, without any agent's attempt.
    checks = judge(world, scene.before, scene.before, None).checks
    shown = describe(checks, kind=world.scenario.kind, known=original)
    task = {"kind": world.scenario.kind, "checks": shown}
    proposed = ""

    def read(answer: str) -> str:
        nonlocal proposed
        proposed = read_answer(_Proposed, answer).instruction.strip()
        _refuse_unusable(proposed, scene, checks)
        return proposed

    auditor_name = spec.auditor or spec.model
    fields: dict[str, Any] = {"configuration": configuration, "model": spec.model, "auditor": auditor_name}
    try:
        question = filled("clarify_task", instruction=original, **task)
        clarified = ask_until(clarifier, read, question, system=prompt("clarify"), times=2)
        question = filled("audit_clarification_task", original=original, clarified=clarified, **task)
        audit = ask_until(auditor, _read_audit, question, system=prompt("audit_clarification"))
    except AdviserFault as error:
        return Clarification(
            **fields, original=original, clarified=proposed[:20_000], audit="unusable", reason=error.message[:2_000]
        )
    return Clarification(
        **fields, original=original, clarified=clarified, audit=audit.kind, reason=audit.reason[:2_000]
    )


def describe(checks: Sequence[Check], *, kind: str, known: str) -> str:
    """Describe checks, one per line, without revealing answers or computed results."""
    lines = []
    for check in checks:
        if kind == "answer" and not check.integrity:
            expected: Any = WITHHELD
        else:
            expected = _without_results(check.expected, known)
        share = "a guard: failing it spoils everything" if check.integrity else f"weight {check.weight:g}"
        text = json.dumps(expected, ensure_ascii=False, default=str)
        lines.append(f"- {check.name} ({share}); expected: {text[:_SHOWN]}")
    return "\n".join(lines)


class _Proposed(Record):
    instruction: str


class _Audit(Record):
    kind: Literal["ok", "impossible", "trivial", "harmful"]
    reason: str = ""


def _read_audit(answer: str) -> _Audit:
    return read_answer(_Audit, answer, renamed={"class": "kind"})


def _refuse_unusable(text: str, scene: Scene, checks: Sequence[Check]) -> None:
    original, scenario = scene.world.instruction, scene.world.scenario
    if not text:
        raise InvalidInput("the instruction is empty")
    limit = int(_LONGER * len(original)) + _ROOM
    if len(text) > limit:
        raise InvalidInput(f"the instruction has {len(text)} characters; expected at most {limit}")
    if lost := lost_parameters(text, original, scene.world.parameters):
        raise InvalidInput(f"the instruction no longer says what the task names: {', '.join(lost)}")
    if scenario.kind == "answer":
        gone = given_away(text, answers_of(checks), known=original)
    else:
        # Single digits are ignored: they cannot be told from words such as "one".
        gone = given_away(
            text, [result for result in results_of(checks, known=original) if _long(result)], known=original
        )
    if gone:
        raise InvalidInput("the instruction gives away what is to be found out")
    if (how := looks_like_steps(text)) and not looks_like_steps(original):
        raise InvalidInput(f"the instruction says how to do it: {how}")


def _long(value: str | int | float) -> bool:
    return any(abs(number) >= 10 or number != number.to_integral_value() for number in numbers_in(str(value)))


def _without_results(expected: Any, known: str) -> Any:
    """Return what a check expects, without numbers that the agent was not given."""
    if isinstance(expected, dict):
        return {key: _without_results(value, known) for key, value in expected.items()}
    if isinstance(expected, list | tuple):
        return [_without_results(value, known) for value in expected]
    secret = any(is_number(leaf) and not numbers_in(str(leaf)) <= numbers_in(known) for leaf in leaves(expected))
    return WITHHELD if secret else expected
