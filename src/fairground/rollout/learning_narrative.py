"""An episode told in words, for a model that draws lessons from it: what was done, what changed, how it was judged.

What a stranger's agent wrote is told as it is, but in bounds; of a task that asks for an answer, the answer is not.
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
"""So many steps of an episode are told; of a longer one, those in the middle are left out."""

_THOUGHT = 240
_VALUE = 160
_WITHHELD = "[withheld]"
_ROWS, _COLUMNS = ("upper", "middle", "lower"), ("left", "centre", "right")
_LITTLE = 0.001  # of the screen: a cursor that blinks
_NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip


def narrate(found: EpisodeFolder, *, withheld: Sequence[str] = (), answers: bool = False) -> str:
    """An episode in words.

    Args:
        found: The episode, as it was recorded.
        withheld: What must not be told: the answers that were expected.
        answers: Whether the task asks for an answer. Then neither the agent's answer is told, nor what checks expected
            and found.
    """
    lines = [*_steps(found), _ending(found), *_verdict(found.episode.verdict, answers)]
    return withhold("\n".join(lines), withheld)


def sample_frames(found: EpisodeFolder, most: int = 3) -> list[Frame]:
    """A few frames of an episode: the first, the last, and some between, each once."""
    digests = list(dict.fromkeys(found.digests))
    if most < 1 or not digests:
        return []
    places = np.linspace(0, len(digests) - 1, min(most, len(digests))).round().astype(int).tolist()
    return [found.frame(digests[place]) for place in dict.fromkeys(places)]


def expected_answers(verdicts: Iterable[Verdict]) -> tuple[str, ...]:
    """What the checks of a task that asks for an answer expected, as text; what only guards is left out."""
    found: dict[str, None] = {}
    for verdict in verdicts:
        for check in verdict.checks:
            if not check.integrity:
                found |= dict.fromkeys(_leaves(check.expected))
    return tuple(found)


def gives_away(text: str, answers: Iterable[str]) -> bool:
    """Whether a text holds one of the answers as words of its own, in whatever case; numbers also when spelt out.

    The numbers of a list do not count.
    """
    plain = re.sub(r"(?m)^\s*\d+[.)]\s", " ", text)
    return any(_pattern(answer).search(plain) for answer in answers if answer.strip())


def withhold(text: str, answers: Iterable[str]) -> str:
    """The text without the answers."""
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


def _steps(found: EpisodeFolder) -> list[str]:
    steps = found.steps
    head = MAX_STEPS * 2 // 3
    shown = steps if len(steps) <= MAX_STEPS else (*steps[:head], *steps[head - MAX_STEPS :])
    seen: dict[str, Frame | None] = {}
    lines = []
    for place, step in enumerate(shown):
        if place == head and len(shown) < len(steps):
            lines.append(f"({len(steps) - len(shown)} steps are left out here.)")
        before = found.episode.first_frame if step.index == 0 else steps[step.index - 1].frame
        seen = {digest: _frame(found, digest, seen) for digest in (before, step.frame)}
        lines.append(_step(step, "" if step.action.ends else _change(seen[before], seen[step.frame])))
    return lines


def _step(step: Step, change: str) -> str:
    said = f"Step {step.index + 1}: {_action(step.action)}"
    if step.refused:
        return f"{said} It was refused: {_clip(step.refused, _VALUE)}"
    thought = f" (the agent said: {_clip(step.thought, _THOUGHT)})" if step.thought.strip() else ""
    heard = f" It was told: {_clip(' '.join(step.messages), _VALUE)}" if step.messages else ""
    return f"{said}{thought} {change}{heard}".rstrip()


def _action(action: Action) -> str:
    if isinstance(action, Answer):
        return "gave an answer."
    fields = action.model_dump(mode="json", exclude_defaults=True)
    fields.pop("kind", None)
    told = ", ".join(f"{name} {_clip(json.dumps(value, ensure_ascii=False), _VALUE)}" for name, value in fields.items())
    return f"{action.kind.replace('_', ' ')}{f' ({told})' if told else ''}."


def _frame(found: EpisodeFolder, digest: str, seen: dict[str, Frame | None]) -> Frame | None:
    if digest in seen:
        return seen[digest]
    try:
        return found.frame(digest)
    except EpisodeError:  # a frame that is lost costs the narrative a half-sentence, not the lesson
        return None


def _change(before: Frame | None, after: Frame | None) -> str:
    """What changed on the screen, as far as pixels tell."""
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


def _ending(found: EpisodeFolder) -> str:
    ways = {
        "agent": "The agent ended it.",
        "step_budget": "It ran out of steps.",
        "time_budget": "It ran out of time.",
        "agent_error": "The agent broke off with an error of its own.",
        "seat": "The seat broke while the agent was at work in it.",
    }
    return ways.get(found.episode.ended_by, "It ended.")


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
