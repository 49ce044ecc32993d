"""Judging what an agent left: with its checks, and on the agent's account.

Checks of a configuration that was proven run on every state that an oracle, a mutant or a slip leaves. Where they
break, take for ever or use up the memory, that is because of what this agent left, and it fails.
"""

from __future__ import annotations

import json
from typing import Any

from fairground.core import Check, InvalidConfiguration, State, StateError, Verdict
from fairground.core.limited import ReadingBudget, within
from fairground.core.plainjson import plain
from fairground.verify import judge
from fairground.worlds import World

BUDGET = ReadingBudget()
"""For each document that the agent changed."""


def judge_left(
    world: World, before: State, after: State, answer: str | None, budget: ReadingBudget = BUDGET
) -> Verdict:
    """The verdict on a state that an agent left.

    The files on a desktop are whatever the agent made of them, so they are read within limits. Those of an app in a
    page were written by the app.
    """
    if not world.app.screen.has_desktop:
        return _judge(world, before, after, answer)
    changed = sum(before.files.get(name) != content for name, content in after.files.items())

    def work() -> bytes:
        said: dict[str, Any]
        try:
            said = {"verdict": _judge(world, before, after, answer).model_dump(mode="python")}
        except InvalidConfiguration as error:
            said = {"invalid": [error.message, error.fix]}
        return json.dumps(plain(said)).encode()

    try:
        said = json.loads(within(budget.times(changed), f"what was left of {world.id}", work))
    except StateError as error:
        return _unreadable(error.message)
    if "invalid" in said:
        message, fix = said["invalid"]
        raise InvalidConfiguration(message, fix=fix)
    return Verdict.parse(said["verdict"])


def _judge(world: World, before: State, after: State, answer: str | None) -> Verdict:
    try:
        return judge(world, before, after, answer)
    except InvalidConfiguration as error:
        if error.__cause__ is None:
            raise  # the scenario says so itself
        if isinstance(error.__cause__, MemoryError):
            raise error.__cause__ from None
        try:
            judge(world, before, before, answer)
        except InvalidConfiguration:
            raise error from None  # the checks break in any case
        return _unreadable(error.message)


def _unreadable(message: str) -> Verdict:
    return Verdict.of([Check(name="the recorded state can be read", passed=False, expected="readable", found=message)])
