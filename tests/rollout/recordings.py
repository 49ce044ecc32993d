"""Episodes and runs recorded without a seat: frames named by letters, states from the notes app's own database."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from fairground_pocket.notes.app import build

from fairground.core import (
    Action,
    Check,
    Configuration,
    Done,
    Episode,
    Fingerprint,
    Frame,
    Outcome,
    State,
    Step,
    Verdict,
)
from fairground.rollout import EpisodeFolder, Planned, Recorder, RunSpec, RunStore, read_episode
from fairground.rollout.ended import finished_of
from fairground.verify import judge
from fairground.worlds import resolve

SIZE = (100, 50)


def frame(letter: str) -> Frame:
    """A picture that stands for a letter."""
    return Frame(np.full((SIZE[1], SIZE[0], 3), ord(letter), np.uint8))


def an_episode(configuration: str = "s/a/scenario/i@p/t/u", **changed: Any) -> Episode:
    fingerprint = Fingerprint(
        digest="0" * 32, fairground="0", suite="0", packages={}, stages={}, seed=0, runner="none", isolated=True,
        screen="x11 100x50",
    )  # fmt: skip
    return Episode(
        **{
            "id": "e", "status": "running", "agent": "scripted", "instruction": "Do it.", "seed": 0,
            "configuration": Configuration.from_id(configuration), "step_budget": 1000,
            "started": "2026-01-01T00:00:00Z", "fingerprint": fingerprint, **changed,
        }
    )  # fmt: skip


def record(
    folder: Path,
    frames: str,
    actions: Sequence[Action],
    *,
    episode: Episode | None = None,
    states: tuple[State, State] | None = None,
    verdict: Verdict | None = None,
    ended_by: str = "agent",
    details: Callable[[int], dict[str, Any]] = lambda index: {},
) -> EpisodeFolder:
    """Records an episode: the first letter is what is seen first, the others what is seen after each action."""
    started = episode or an_episode()
    found = verdict or Verdict.of([Check(name="it is done", passed=True)])
    with Recorder(folder, started, video=False) as recorder:
        recorder.first(frame(frames[0]))
        if states is not None:
            recorder.state("before", states[0].files, states[0].data)
        for index, (action, letter) in enumerate(zip(actions, frames[1:], strict=True)):
            fields = {"seconds": float(index), "act_ms": 1.0, "settle_ms": 10.0, "settled": True, **details(index)}
            picture = frame(letter)
            recorder.step(Step(index=index, action=action, frame=picture.digest, **fields), picture)
        if states is not None:
            recorder.state("after", states[1].files, states[1].data)
        outcome = Outcome.PASSED if found.success else Outcome.FAILED
        recorder.close(started.model_copy(update={"outcome": outcome, "verdict": found, "ended_by": ended_by}))
    return read_episode(folder)


def run_of(
    folder: Path, episodes: Iterable[tuple[str, Callable[[Path], EpisodeFolder]]], spec: RunSpec | None = None
) -> Path:
    """A run whose episodes are recorded by hand: pairs of a configuration and what records it."""
    made = list(episodes)
    seen: dict[str, int] = {}
    plan = []
    for number, (configuration, _) in enumerate(made):
        rollout = seen[configuration] = seen.get(configuration, -1) + 1
        plan.append(Planned(number=number, configuration=configuration, rollout=rollout, seed=number))
    spec = spec or RunSpec(worlds=("pocket",), agent="scripted")
    with RunStore.create(folder, spec, plan) as store:
        for planned, (_, recording) in zip(plan, made, strict=True):
            name = f"episodes/{planned.number:06d}"
            found = recording(folder / name)
            store.finish(planned.number, finished_of(found.episode, name))
    return folder


def notes_episode(
    folder: Path, configuration: str, *, answer: str | None = None, edit: Callable[[Any], None] = lambda data: None
) -> EpisodeFolder:
    """An episode of the notes app, as if an agent had answered or changed the database; judged as it would be."""
    world = resolve(configuration)
    store = build(world)
    before = store.dump()
    store.close()
    after = copy.deepcopy(before)
    edit(after)
    states = State(data=before), State(data=after)
    episode = an_episode(configuration, instruction=world.instruction, parameters=dict(world.parameters), answer=answer)
    return record(folder, "ab", [Done()], episode=episode, states=states, verdict=judge(world, *states, answer))
