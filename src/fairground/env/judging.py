"""Judging the state that an agent left. Failures of the checks count against the agent.

The checks of a proven configuration have run on every state that an oracle, a mutant or a slip leaves. If they break,
time out or run out of memory here, the agent's state caused it, and the agent fails.
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
"""Limits per document that the agent changed."""


def judge_left(
    world: World, before: State, after: State, answer: str | None, budget: ReadingBudget = BUDGET
) -> Verdict:
    """Return the verdict on a state that an agent left.

    Files of a desktop may contain anything, so they are read within limits. The app itself wrote the files of an app in
    a page.
    """
    if not world.app.screen.has_desktop:
        return _judge(world, before, after, answer)
    changed = sum(before.files.get(name) != content for name, content in after.files.items())

    def work() -> bytes:
        result: dict[str, Any]
        try:
            result = {"verdict": _judge(world, before, after, answer).model_dump(mode="python")}
        except InvalidConfiguration as error:
            result = {"invalid": [error.message, error.fix]}
        return json.dumps(plain(result)).encode()

    try:
        answered = json.loads(within(budget.times(changed), f"the recorded state of {world.id}", work))
    except StateError as error:
        return _unreadable(error.message)
    if "invalid" in answered:
        message, fix = answered["invalid"]
        raise InvalidConfiguration(message, fix=fix)
    return Verdict.parse(answered["verdict"])


def _judge(world: World, before: State, after: State, answer: str | None) -> Verdict:
    try:
        return judge(world, before, after, answer)
    except InvalidConfiguration as error:
        if error.__cause__ is None:
            raise  # the scenario raised it deliberately
        if isinstance(error.__cause__, MemoryError):
            raise error.__cause__ from None
        try:
            judge(world, before, before, answer)
        except InvalidConfiguration:
            raise error from None  # the checks fail on any state
        return _unreadable(error.message)


def _unreadable(message: str) -> Verdict:
    return Verdict.of([Check(name="the recorded state can be read", passed=False, expected="readable", found=message)])
