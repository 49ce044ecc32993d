"""Plans that are learned: what earlier episodes of a task teach, put into words by a model that reads them."""

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
"""Characters of a plan; a longer one is asked for again."""

MAX_ATTEMPTS = 8
"""Episodes that are told: the latest of each kind, for a model reads only so much."""

MAX_FRAMES = 6
"""Pictures that are shown in all."""

_ASKS = 2
_PLAN = re.compile(r"<plan>(.*?)</plan>", re.DOTALL | re.IGNORECASE)

Situation = Literal["both", "failures", "explore", "history"]


@dataclass(frozen=True)
class Lesson:
    """What was learned for one task.

    Attributes:
        plan: What the agent is told; empty when it is told nothing.
        note: Why there is no plan, or where it comes from.
    """

    plan: str
    note: str = ""


@dataclass(frozen=True)
class _Round:
    """The episodes of one task in one earlier run, and the plan that they had."""

    passed: tuple[EpisodeFolder, ...]
    failed: tuple[EpisodeFolder, ...]
    plan: str


def learn(spec: LearnedPlan, configuration: Configuration, instruction: str, ask: Ask, *, run: Path) -> Lesson:
    """Draws a plan for a task from its episodes in earlier runs.

    Where all of the latest succeeded the agent is reliable already: it is given the plan that they had, if any, and no
    model is asked. A plan that holds the expected answer of a task that asks for one is asked for again, and then
    dropped; so is what is no plan.

    Args:
        spec: From which runs, and from what in them.
        configuration: The task: what episodes of it are counted under, whatever theme they were run in.
        instruction: What the agent was asked.
        ask: Asks the model.
        run: The folder of the run that will use the plan. A relative folder in `spec` begins there, so that runs which
            lie side by side can be moved together; or else where we are, as a person who types it means it.

    Raises:
        InvalidInput: When an earlier run cannot be read, or has not ended.
    """
    if not spec.runs:
        raise InvalidInput("learned-plan: there are no runs to learn from", fix="name them, the latest last: runs=DIR")
    folders = [run / one if is_run(run / one) else Path(one) for one in spec.runs]
    if spec.learn_from != "history":
        folders = folders[-1:]
    rounds = [_round(folder, configuration.id) for folder in folders]
    latest = rounds[-1]
    if not latest.passed and not latest.failed:
        return Lesson("", "no episode of this task was scored, so there is nothing to learn from")
    if not latest.failed:
        if latest.plan:
            return Lesson(latest.plan, "every episode with the plan before succeeded: it is kept")
        return Lesson("", "every episode succeeded: already reliable")
    situation, shown = _choice(spec, rounds)
    answers = _kind(folders[-1], configuration) == "answer"
    secret = expected_answers(
        one.episode.verdict
        for found in rounds
        for one in (*found.passed, *found.failed)
        if answers and one.episode.verdict is not None
    )
    question = _question(situation, instruction, latest.plan, _told(shown, secret, answers), answers)
    return _asked(ask, question, _frames(shown), secret)


def _choice(spec: LearnedPlan, rounds: Sequence[_Round]) -> tuple[Situation, list[EpisodeFolder]]:
    """Which episodes are told, and what the model is told about them: the latest round last, or else the closest."""
    passed = [one for found in rounds for one in found.passed]
    failed = [one for found in rounds for one in found.failed]
    if passed and spec.learn_from == "failures":
        return "failures", failed[-MAX_ATTEMPTS:]
    if not passed:
        return "explore", sorted(failed, key=lambda one: _reward(one.episode))[-MAX_ATTEMPTS:]
    half = MAX_ATTEMPTS // 2
    chosen = {one.path for one in (*passed[-half:], *failed[-half:])}
    shown = [one for found in rounds for one in (*found.passed, *found.failed) if one.path in chosen]
    return ("history" if len(rounds) > 1 else "both"), shown


def _reward(episode: Episode) -> float:
    return episode.verdict.reward if episode.verdict is not None else 0.0


def _told(shown: Sequence[EpisodeFolder], secret: Sequence[str], answers: bool) -> str:
    parts = []
    for number, found in enumerate(shown, 1):
        head = f"Attempt {number} of {len(shown)} ({found.episode.outcome}):"
        parts.append(f"{head}\n\n{narrate(found, withheld=secret, answers=answers)}")
    return "\n\n".join(parts)


def _frames(shown: Sequence[EpisodeFolder]) -> list[Frame]:
    """How the app looks in the first and in the last of the attempts that are told."""
    frames: list[Frame] = []
    for found in [*shown[:1], *shown[1:][-1:]]:
        try:
            frames += sample_frames(found, MAX_FRAMES // 2)
        except EpisodeError:  # pictures help; the words alone will do
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
            said = ask(f"{question}\n{again}".strip(), frames, system=prompt("learn_system"))
        except ModelRefused:
            return Lesson("", "the model declined to write a plan")
        plan = _plan_in(said)
        if plan is None:
            again, note = prompt("learn_again_form"), "the model wrote no plan that can be used: dropped"
        elif gives_away(plan, secret):
            again, note = prompt("learn_again_answer"), "the plan held the expected answer: dropped"
        else:
            return Lesson(plan)
    return Lesson("", note)


def _plan_in(said: str) -> str | None:
    found = _PLAN.findall(said)
    plan = found[-1].strip() if found else ""
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
                f"{folder}: not every episode of {task} has ended", fix=f"fairground resume {folder}, then go on"
            )
        if row.finished.outcome.scored:
            found = read_episode(folder / row.finished.folder)
            (passed if row.finished.outcome is Outcome.PASSED else failed).append(found)
    return _Round(tuple(passed), tuple(failed), _plan_of(folder, task) if spec.has(LearnedPlan) else "")


def _plan_of(folder: Path, task: str) -> str:
    kept = read_plans(folder).get(task)
    return kept.text if kept is not None else ""


def _kind(folder: Path, configuration: Configuration) -> str:
    with RunStore.open(folder) as store:
        return world_for(configuration, store.spec, seed=0).scenario.kind
