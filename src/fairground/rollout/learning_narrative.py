"""Describe an episode in words, for a model that learns from it: actions, screen changes and the verdict.

Text from the agent is included as it is, but limited in length. For question tasks the answer is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from fairground.core import Action, Answer, EpisodeError, Frame, Step, Verdict
from fairground.rollout.folder import EpisodeFolder

MAX_STEPS = 60
"""Maximum number of steps described. In longer episodes the middle is left out."""

_THOUGHT = 240
_VALUE = 160
_WITHHELD = "[withheld]"
_ROWS, _COLUMNS = ("upper", "middle", "lower"), ("left", "centre", "right")
_LITTLE = 0.001  # share of the screen, such as a blinking cursor
_NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip


def narrate(found: EpisodeFolder, *, withheld: Sequence[str] = (), answers: bool = False) -> str:
    """Describe an episode in words.

    Args:
        found: The recorded episode.
        withheld: Texts to withhold: the expected answers.
        answers: Whether the task asks for an answer. If so, the agent's answer and the checks' expected and found
            values are left out.
    """
    lines = [*_steps(found), _ending(found), *_verdict(found.episode.verdict, answers)]
    return withhold("\n".join(lines), withheld)


def sample_frames(found: EpisodeFolder, most: int = 3) -> list[Frame]:
    """Return a few frames of an episode without duplicates: the first, the last, and some between."""
    digests = list(dict.fromkeys(found.digests))
    if most < 1 or not digests:
        return []
    places = np.linspace(0, len(digests) - 1, min(most, len(digests))).round().astype(int).tolist()
    return [found.frame(digests[place]) for place in dict.fromkeys(places)]


def expected_answers(verdicts: Iterable[Verdict]) -> tuple[str, ...]:
    """Return the answers that the checks of a question task expect, as text. Integrity checks are left out."""
    expected: dict[str, None] = {}
    for verdict in verdicts:
        for check in verdict.checks:
            if not check.integrity:
                expected |= dict.fromkeys(_leaves(check.expected))
    return tuple(expected)


def gives_away(text: str, answers: Iterable[str]) -> bool:
    """Return whether a text contains one of the answers as separate words, ignoring case.

    Numbers also match when spelt out.

    Numbers of a numbered list are ignored.
    """
    plain = re.sub(r"(?m)^\s*\d+[.)]\s", " ", text)
    return any(_pattern(answer).search(plain) for answer in answers if answer.strip())


def withhold(text: str, answers: Iterable[str]) -> str:
    """Replace the answers in a text."""
    for answer in sorted(answers, key=len, reverse=True):
        if answer.strip():
            text = _pattern(answer).sub(_WITHHELD, text)
    return text


def _pattern(answer: str) -> re.Pattern[str]:
    forms = [r"\s+".join(map(re.escape, answer.split()))]
    if answer.strip().isdecimal() and int(answer) < len(_NUMBERS):
        forms.append(_NUMBERS[int(answer)])
    return re.compile(rf"(?<![\w.,]){'(?:' + '|'.join(forms) + ')'}(?!\w|[.,]\d)", re.IGNORECASE)


def _leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in _leaves(part)]
    if isinstance(value, list | tuple):
        return [leaf for part in value for leaf in _leaves(part)]
    if value is None or isinstance(value, bool):
        return []
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return [str(value)]


def _steps(recorded: EpisodeFolder) -> list[str]:
    steps = recorded.steps
    head = MAX_STEPS * 2 // 3
    shown = steps if len(steps) <= MAX_STEPS else (*steps[:head], *steps[head - MAX_STEPS :])
    seen: dict[str, Frame | None] = {}
    lines = []
    for place, step in enumerate(shown):
        if place == head and len(shown) < len(steps):
            lines.append(f"({len(steps) - len(shown)} steps are left out here.)")
        before = recorded.episode.first_frame if step.index == 0 else steps[step.index - 1].frame
        seen = {digest: _frame(recorded, digest, seen) for digest in (before, step.frame)}
        lines.append(_step(step, "" if step.action.ends else _change(seen[before], seen[step.frame])))
    return lines


def _step(step: Step, change: str) -> str:
    line = f"Step {step.index + 1}: {_action(step.action)}"
    if step.refused:
        return f"{line} It was refused: {_clip(step.refused, _VALUE)}"
    thought = f" (the agent said: {_clip(step.thought, _THOUGHT)})" if step.thought.strip() else ""
    heard = f" It was told: {_clip(' '.join(step.messages), _VALUE)}" if step.messages else ""
    return f"{line}{thought} {change}{heard}".rstrip()


def _action(action: Action) -> str:
    if isinstance(action, Answer):
        return "gave an answer."
    fields = action.model_dump(mode="json", exclude_defaults=True)
    fields.pop("kind", None)
    arguments = ", ".join(
        f"{name} {_clip(json.dumps(value, ensure_ascii=False), _VALUE)}" for name, value in fields.items()
    )
    return f"{action.kind.replace('_', ' ')}{f' ({arguments})' if arguments else ''}."


def _frame(recorded: EpisodeFolder, digest: str, seen: dict[str, Frame | None]) -> Frame | None:
    if digest in seen:
        return seen[digest]
    try:
        return recorded.frame(digest)
    except EpisodeError:  # a missing frame only shortens the description
        return None


def _change(before: Frame | None, after: Frame | None) -> str:
    """Describe what changed on the screen, based on pixels."""
    if before is None or after is None:
        return ""
    if before.size != after.size:
        return "The screen changed its size."
    changed = (before.pixels != after.pixels).any(axis=2)
    share = float(changed.mean())
    if share == 0:
        return "Nothing changed on the screen."
    if share > 0.5:
        return "Most of the screen changed."
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    height, width = changed.shape
    row, column = (_third(rows, height), _third(columns, width))
    where = "centre" if (row, column) == (1, 1) else f"{_ROWS[row]} {_COLUMNS[column]}"
    much = "A spot" if share < _LITTLE else f"About {max(1, round(share * 100))}% of the screen"
    return f"{much} changed, around the {where}."


def _third(places: Any, size: int) -> int:
    return min(2, int((int(places[0]) + int(places[-1])) / 2 * 3 / size))


def _ending(recorded: EpisodeFolder) -> str:
    ways = {
        "agent": "The agent ended it.",
        "step_budget": "It ran out of steps.",
        "time_budget": "It ran out of time.",
        "agent_error": "The agent broke off with an error of its own.",
        "seat": "The seat broke while the agent was at work in it.",
    }
    return ways.get(recorded.episode.ended_by, "It ended.")


def _verdict(verdict: Verdict | None, answers: bool) -> list[str]:
    if verdict is None:
        return []
    lines = [f"Judged: {'success' if verdict.success else f'failure, with a reward of {verdict.reward:.2f} out of 1'}."]
    for check in verdict.checks:
        line = f"- {'holds' if check.passed else 'does not hold'}: {check.name}"
        if not check.passed and not answers:
            line += f" (found {_clip(json.dumps(check.found, ensure_ascii=False, default=str), _VALUE)})"
        lines.append(line)
    return lines


def _clip(text: str, limit: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else f"{flat[: limit - 1]}…"
