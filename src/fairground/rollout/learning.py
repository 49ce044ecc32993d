"""Learned plans: a model reads earlier episodes of a task and writes a plan."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fairground.agents.models import ModelRefused
from fairground.core import Configuration, Episode, EpisodeError, Frame, InvalidInput, Outcome
from fairground.rollout.folder import EpisodeFolder, read_episode
from fairground.rollout.interventions.advisers import Ask, filled, prompt
from fairground.rollout.interventions.kept import read_plans
from fairground.rollout.interventions.spec import LearnedPlan
from fairground.rollout.learning_narrative import expected_answers, gives_away, narrate, sample_frames
from fairground.rollout.plan import world_for
from fairground.rollout.store import RunStore, is_run

MAX_PLAN = 6_000
"""Maximum characters of a plan. A longer plan is requested again."""

MAX_ATTEMPTS = 8
"""Maximum number of episodes described to the model: the latest of each kind."""

MAX_FRAMES = 6
"""Maximum number of frames shown in total."""

_ASKS = 2
_PLAN = re.compile(r"<plan>(.*?)</plan>", re.DOTALL | re.IGNORECASE)

Situation = Literal["both", "failures", "explore", "history"]


@dataclass(frozen=True)
class Lesson:
    """What was learned for one task.

    Attributes:
        plan: The plan for the agent; empty if there is none.
        note: Why there is no plan, or where it comes from.
    """

    plan: str
    note: str = ""


@dataclass(frozen=True)
class _Round:
    """The episodes of one task in one earlier run, and the plan they used."""

    passed: tuple[EpisodeFolder, ...]
    failed: tuple[EpisodeFolder, ...]
    plan: str


def learn(spec: LearnedPlan, configuration: Configuration, instruction: str, ask: Ask, *, run: Path) -> Lesson:
    """Make a plan for a task from its episodes in earlier runs.

    If all episodes of the latest run passed, the agent is already reliable: it keeps the plan that they used, if any,
    and no model is asked. A plan that contains the expected answer of a question task is requested again, then dropped.
    So is an unusable plan.

    Args:
        spec: The runs to learn from, and what to use of them.
        configuration: The configuration that the task's episodes count for, in any theme.
        instruction: The agent's instruction.
        ask: Asks the model.
        run: Folder of the run that will use the plan. Relative folders in `spec` are resolved against it first, so that
            runs side by side can be moved together, then against the working directory.

    Raises:
        InvalidInput: If an earlier run cannot be read, or has not ended.
    """
    if not spec.runs:
        raise InvalidInput(
            "learned-plan: there are no runs to learn from",
            fix="add the folders of earlier runs, latest last: runs=DIR",
        )
    folders = [run / folder if is_run(run / folder) else Path(folder) for folder in spec.runs]
    if spec.learn_from != "history":
        folders = folders[-1:]
    rounds = [_round(folder, configuration.id) for folder in folders]
    latest = rounds[-1]
    if not latest.passed and not latest.failed:
        return Lesson("", "no episode of this task was scored, so there is nothing to learn from")
    if not latest.failed:
        if latest.plan:
            return Lesson(latest.plan, "every episode with the previous plan passed: it is kept")
        return Lesson("", "every episode passed: the agent is already reliable")
    situation, shown = _choice(spec, rounds)
    answers = _kind(folders[-1], configuration) == "answer"
    secret = expected_answers(
        attempt.episode.verdict
        for earlier in rounds
        for attempt in (*earlier.passed, *earlier.failed)
        if answers and attempt.episode.verdict is not None
    )
    question = _question(situation, instruction, latest.plan, _told(shown, secret, answers), answers)
    return _asked(ask, question, _frames(shown), secret)


def _choice(spec: LearnedPlan, rounds: Sequence[_Round]) -> tuple[Situation, list[EpisodeFolder]]:
    """Return what to learn from, and the episodes to describe: the latest, or those with the highest reward."""
    passed = [attempt for earlier in rounds for attempt in earlier.passed]
    failed = [attempt for earlier in rounds for attempt in earlier.failed]
    if passed and spec.learn_from == "failures":
        return "failures", failed[-MAX_ATTEMPTS:]
    if not passed:
        return "explore", sorted(failed, key=lambda attempt: _reward(attempt.episode))[-MAX_ATTEMPTS:]
    half = MAX_ATTEMPTS // 2
    chosen = {attempt.path for attempt in (*passed[-half:], *failed[-half:])}
    shown = [attempt for earlier in rounds for attempt in (*earlier.passed, *earlier.failed) if attempt.path in chosen]
    return ("history" if len(rounds) > 1 else "both"), shown


def _reward(episode: Episode) -> float:
    return episode.verdict.reward if episode.verdict is not None else 0.0


def _told(shown: Sequence[EpisodeFolder], secret: Sequence[str], answers: bool) -> str:
    parts = []
    for number, attempt in enumerate(shown, 1):
        head = f"Attempt {number} of {len(shown)} ({attempt.episode.outcome}):"
        parts.append(f"{head}\n\n{narrate(attempt, withheld=secret, answers=answers)}")
    return "\n\n".join(parts)


def _frames(shown: Sequence[EpisodeFolder]) -> list[Frame]:
    """Return sample frames of the first and the last described attempt."""
    frames: list[Frame] = []
    for attempt in [*shown[:1], *shown[1:][-1:]]:
        try:
            frames += sample_frames(attempt, MAX_FRAMES // 2)
        except EpisodeError:  # frames are optional; the text alone is enough
            continue
    return frames


def _question(situation: Situation, instruction: str, before: str, attempts: str, answers: bool) -> str:
    previous = filled("learn_previous", plan=before) if before else ""
    text = filled(
        "learn_task",
        rules=prompt("learn_answer") if answers else "",
        situation=prompt(f"learn_{situation}"),
        previous=previous,
        instruction=instruction,
        attempts=attempts,
    )
    return re.sub(r"\n{3,}", "\n\n", text)


def _asked(ask: Ask, question: str, frames: Sequence[Frame], secret: Sequence[str]) -> Lesson:
    again, note = "", ""
    for _ in range(_ASKS):
        try:
            answer = ask(f"{question}\n{again}".strip(), frames, system=prompt("learn_system"))
        except ModelRefused:
            return Lesson("", "the model refused to write a plan")
        plan = _plan_in(answer)
        if plan is None:
            again, note = prompt("learn_again_form"), "the model wrote no usable plan: dropped"
        elif gives_away(plan, secret):
            again, note = prompt("learn_again_answer"), "the plan contained the expected answer: dropped"
        else:
            return Lesson(plan)
    return Lesson("", note)


def _plan_in(answer: str) -> str | None:
    plans = _PLAN.findall(answer)
    plan = plans[-1].strip() if plans else ""
    return plan if 0 < len(plan) <= MAX_PLAN else None


def _round(folder: Path, task: str) -> _Round:
    passed: list[EpisodeFolder] = []
    failed: list[EpisodeFolder] = []
    with RunStore.open(folder) as store:
        rows = [row for row in store.rows() if row.planned.pairing == task]
        spec = store.spec
    for row in rows:
        if row.finished is None:
            raise InvalidInput(
                f"{folder}: not every episode of {task} has ended", fix=f"run `fairground resume {folder}` first"
            )
        if row.finished.outcome.scored:
            recorded = read_episode(folder / row.finished.folder)
            (passed if row.finished.outcome is Outcome.PASSED else failed).append(recorded)
    return _Round(tuple(passed), tuple(failed), _plan_of(folder, task) if spec.has(LearnedPlan) else "")


def _plan_of(folder: Path, task: str) -> str:
    stored = read_plans(folder).get(task)
    return stored.text if stored is not None else ""


def _kind(folder: Path, configuration: Configuration) -> str:
    with RunStore.open(folder) as store:
        return world_for(configuration, store.spec, seed=0).scenario.kind
