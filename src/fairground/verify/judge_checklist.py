"""A model as judge: it decides the items of a checklist from frames, without any text of the agent.

A judge sees only what was visible. State checks are cheaper and cannot be deceived for what the software itself knows,
so `cascade` asks them first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Protocol

from pydantic import Field

from fairground.core import (
    Check,
    Checklist,
    ChecklistItem,
    Frame,
    InfrastructureError,
    InvalidInput,
    Record,
    Verdict,
    fingerprint,
)
from fairground.verify.json_answers import UnreadableAnswer, read_json_answer

MAX_EVIDENCE = 2_000
"""Maximum characters of evidence per item."""

_PROMPTS = ("judge_system", "judge_question", "judge_again")


class Model(Protocol):
    """The model interface that a judge needs; `fairground.agents.models.Asker` implements it."""

    def ask(self, text: str, frames: Sequence[Frame] = (), *, system: str = "") -> str:
        """Return the model's answer to a question about pictures."""


class JudgeError(InfrastructureError):
    """The judge did not reach a judgement. This is an error, never a score."""


class _Decided(Record):
    item: int = Field(ge=1)
    met: bool
    evidence: str = Field(min_length=1, max_length=MAX_EVIDENCE)
    pictures: tuple[int, ...] = Field(max_length=100)


class _Answer(Record):
    items: tuple[_Decided, ...] = Field(max_length=100)


def judge_by_checklist(
    model: Model, instruction: str, frames: Sequence[Frame], checklist: Checklist, *, attempts: int = 3
) -> Verdict:
    """Judge an attempt with a model.

    The model sees the instruction, the frames, and the checklist with its privileged facts. It does not see thoughts,
    messages or answers of the agent.

    Args:
        model: The model.
        instruction: The task, as given to the agent.
        frames: The recorded frames, in order; `sampled` selects them.
        checklist: The items to decide.
        attempts: Maximum number of requests before an unusable answer becomes an error.

    Returns:
        A check per item, with the model's evidence. A violated guard makes the reward 0.

    Raises:
        JudgeError: No answer decided every item exactly once and with evidence.
        FairgroundError: Raised by the model: it refuses, or its server does not answer.
    """
    if not frames:
        raise JudgeError("there is no frame to judge by")
    if attempts < 1:
        raise InvalidInput(f"attempts is {attempts}; expected at least 1")
    question = _question(instruction, checklist, len(frames))
    complaint = ""
    for _ in range(attempts):
        again = _filled(prompt("judge_again"), complaint=complaint) if complaint else ""
        reply = model.ask(f"{question}\n\n{again}".strip(), frames, system=prompt("judge_system"))
        try:
            return Verdict.of(_checks(reply, checklist, len(frames)))
        except (UnreadableAnswer, InvalidInput) as error:
            complaint = error.message[:MAX_EVIDENCE]
    raise JudgeError(
        f"none of {attempts} answers decided the checklist; of the last: {complaint}",
        fix="judge by another model, or make the checklist shorter",
    )


def sampled(count: int, limit: int) -> tuple[int, ...]:
    """Select frames for a judge: the first, the last, and others evenly between, at most `limit`."""
    if limit < 2:
        raise InvalidInput(f"a judge is shown {limit} frames; expected at least 2", fix="the first and the last")
    if count <= limit:
        return tuple(range(count))
    return tuple(round(place * (count - 1) / (limit - 1)) for place in range(limit))


def prompt_digest() -> str:
    """Return a digest of the prompts, because judgements with different prompts are not comparable."""
    return fingerprint([prompt(name) for name in _PROMPTS])


@cache
def prompt(name: str) -> str:
    """Return the text of a prompt file of this package."""
    return resources.files("fairground.verify").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8").strip()


def _question(instruction: str, checklist: Checklist, frames: int) -> str:
    items = "\n".join(_line(number, item) for number, item in enumerate(checklist.items, 1))
    return _filled(
        prompt("judge_question"),
        frames=str(frames),
        count=str(len(checklist.items)),
        # As JSON, so that no text of a task or file can imitate another part of the prompt.
        instruction=json.dumps(instruction, ensure_ascii=False),
        privileged=json.dumps(checklist.privileged, ensure_ascii=False) if checklist.privileged else "(none)",
        items=items,
    )


def _line(number: int, item: ChecklistItem) -> str:
    kind = "guard" if item.integrity else "task"
    return f"{number}. ({kind}) {json.dumps(item.claim, ensure_ascii=False)}"


def _checks(said: str, checklist: Checklist, frames: int) -> list[Check]:
    answer = _Answer.parse(read_json_answer(said), where="answer")
    by_number = {decided.item: decided for decided in answer.items}
    wanted = range(1, len(checklist.items) + 1)
    if len(by_number) < len(answer.items):
        raise UnreadableAnswer("an item was decided twice; decide each once")
    if unknown := sorted(set(by_number) - set(wanted)):
        raise UnreadableAnswer(f"there is no item {unknown[0]}; the items are 1 to {len(wanted)}")
    if missing := sorted(set(wanted) - set(by_number)):
        raise UnreadableAnswer(f"item {missing[0]} was not decided; decide all, 1 to {len(wanted)}")
    return [_check(checklist.items[number - 1], by_number[number], frames) for number in wanted]


def _check(item: ChecklistItem, decided: _Decided, frames: int) -> Check:
    if not decided.evidence.strip():
        raise UnreadableAnswer(f"item {decided.item} has no evidence")
    if wrong := [number for number in decided.pictures if not 1 <= number <= frames]:
        raise UnreadableAnswer(f"item {decided.item} names picture {wrong[0]}; there are {frames}")
    if decided.met and not item.integrity and not decided.pictures:
        raise UnreadableAnswer(f"item {decided.item} is met, but no picture is named that shows it")
    decision = {"evidence": decided.evidence, "pictures": list(decided.pictures)}
    return Check(
        name=item.name,
        passed=decided.met,
        weight=item.share,
        expected=item.claim,
        found=decision,
        integrity=item.integrity,
    )


def _filled(text: str, **values: str) -> str:
    # In one pass, and not with str.format, because a task may contain braces.
    return re.sub(r"\{(\w+)\}", lambda match: values.get(match[1], match[0]), text)
