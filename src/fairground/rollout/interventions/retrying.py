"""Feedback to an agent that failed and may continue: only that it failed, or what a user would say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from fairground.core import Answer, Check, Fail, Frame, InvalidInput
from fairground.rollout.interventions.advisers import AdviserFault, Ask, ask_until, filled, prompt
from fairground.rollout.interventions.companion import Ending, Scene
from fairground.rollout.interventions.guards import answers_of, given_away, looks_like_steps
from fairground.verify import judge

_LONGEST = 1_200  # maximum characters of a message
_SHOWN = 1_500  # maximum characters of what one check expected or found
_TIMES = 2


@dataclass(frozen=True)
class Feedback:
    """A message to the agent, with what was withheld.

    Attributes:
        message: The message to the agent.
        fallback: Why the message says only that it failed, if more was wanted.
        rejected: Messages of the simulator that the mechanical checks rejected.
    """

    message: str
    fallback: str = ""
    rejected: tuple[str, ...] = field(default=())


def binary() -> Feedback:
    """Return feedback that says only that the result is not right yet."""
    return Feedback(prompt("retry_binary"))


def simulated(scene: Scene, ending: Ending, ask: Ask) -> Feedback:
    """Return simulated user feedback on the result, or `binary` feedback if no message passes the checks.

    The simulator sees the instruction, frames and the evidence of failed checks; for question tasks without the
    expected answer. It may say what is wrong, but neither how to fix it nor the answer.
    """
    assert ending.verdict is not None
    failed = [check for check in ending.verdict.checks if not check.passed]
    question = filled(
        "simulator_task",
        instruction=scene.world.instruction,
        ending=_ending_words(ending),
        failed="\n".join(_evidence(check, scene) for check in failed),
    )
    words, rejected, why = _guarded(ask, question, ending.frames, "simulator", _secrets(scene), scene)
    if words is None:
        return Feedback(binary().message, why, rejected)
    return Feedback(filled("retry_simulated", words=words), "", rejected)


def replied(scene: Scene, asked: str, frames: Sequence[Frame], ask: Ask) -> Feedback:
    """Return the simulated user's reply to a question of the agent, checked in the same way."""
    question = filled("simulator_question_task", instruction=scene.world.instruction, question=asked[:_SHOWN])
    words, rejected, why = _guarded(ask, question, frames, "simulator_question", _secrets(scene), scene)
    return Feedback(words or prompt("user_silent"), why, rejected)


def _guarded(
    ask: Ask, question: str, frames: Sequence[Frame], part: str, secrets: tuple[str | int | float, ...], scene: Scene
) -> tuple[str | None, tuple[str, ...], str]:
    rejected: list[str] = []

    def read(answer: str) -> str:
        text = " ".join(answer.split()) if "\n" not in answer.strip() else answer.strip()
        fault = _fault(text, secrets, scene)
        if fault:
            rejected.append(text[:_LONGEST])
            raise InvalidInput(fault)
        return text

    try:
        return ask_until(ask, read, question, frames, system=prompt(part), times=_TIMES), tuple(rejected), ""
    except AdviserFault as error:
        return None, tuple(rejected), error.message[:_LONGEST]


def _fault(text: str, secrets: tuple[str | int | float, ...], scene: Scene) -> str:
    if not text:
        return "the message is empty"
    if len(text) > _LONGEST:
        return f"the message has {len(text)} characters; expected at most {_LONGEST}"
    if given_away(text, secrets, known=scene.world.instruction):
        return "the message gives the answer away"
    if how := looks_like_steps(text):
        return f"the message says how to do it: {how}"
    return ""


def _secrets(scene: Scene) -> tuple[str | int | float, ...]:
    """Return the expected answer of a question task. For action tasks, expected results may be mentioned."""
    if scene.world.scenario.kind != "answer":
        return ()
    return answers_of(judge(scene.world, scene.before, scene.before, None).checks)


def _evidence(check: Check, scene: Scene) -> str:
    seen = json.dumps(check.found, ensure_ascii=False, default=str)[:_SHOWN]
    if scene.world.scenario.kind == "answer" and not check.integrity:
        return f"- not so: {check.name}; you found: {seen}"
    expected = json.dumps(check.expected, ensure_ascii=False, default=str)[:_SHOWN]
    return f"- not so: {check.name}; you expected: {expected}; you found: {seen}"


def _ending_words(ending: Ending) -> str:
    action = ending.action
    if isinstance(action, Answer):
        return f"it answered {action.text[:_SHOWN]!r}"
    if isinstance(action, Fail):
        return "it gave up"
    return "it said that it was done"
