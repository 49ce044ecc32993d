"""What an agent is told when it failed and may go on: that it did, or what a person would say about it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from fairground.core import Answer, Check, Fail, Frame, InvalidInput
from fairground.rollout.interventions.advisers import AdviserFault, Ask, ask_until, filled, prompt
from fairground.rollout.interventions.companion import Ending, Scene
from fairground.rollout.interventions.guards import answers_of, given_away, looks_like_steps
from fairground.verify import judge

_LONGEST = 1_200  # characters of a message
_SHOWN = 1_500  # characters of what one check expected or found
_TIMES = 2


@dataclass(frozen=True)
class Feedback:
    """A message to the agent, and what was not said.

    Attributes:
        message: What the agent is told.
        fallback: Why it is only told that it failed, where more was wanted.
        rejected: What the simulator wrote and the guard did not let pass.
    """

    message: str
    fallback: str = ""
    rejected: tuple[str, ...] = field(default=())


def binary() -> Feedback:
    """Only that it is not right yet."""
    return Feedback(prompt("retry_binary"))


def simulated(scene: Scene, ending: Ending, ask: Ask) -> Feedback:
    """What the person who wants the task done would say of the result; guarded, and `binary` where that fails.

    Whoever plays the person sees the instruction, frames and the evidence of failed checks, of questions without the
    expected answer. It may say what is wrong; neither how to put it right, nor the answer.
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
    """What that person would reply to a question of the agent's; guarded likewise."""
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
    """The expected answer, of a question; what an action should leave behind may be said."""
    if scene.world.scenario.kind != "answer":
        return ()
    return answers_of(judge(scene.world, scene.before, scene.before, None).checks)


def _evidence(check: Check, scene: Scene) -> str:
    found = json.dumps(check.found, ensure_ascii=False, default=str)[:_SHOWN]
    if scene.world.scenario.kind == "answer" and not check.integrity:
        return f"- not so: {check.name}; you found: {found}"
    expected = json.dumps(check.expected, ensure_ascii=False, default=str)[:_SHOWN]
    return f"- not so: {check.name}; you expected: {expected}; you found: {found}"


def _ending_words(ending: Ending) -> str:
    action = ending.action
    if isinstance(action, Answer):
        return f"it answered {action.text[:_SHOWN]!r}"
    if isinstance(action, Fail):
        return "it gave up"
    return "it said that it was done"
