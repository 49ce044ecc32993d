"""Rows for supervised fine-tuning, as TRL's trainer for vision models reads them.

`messages` has placeholders for images, and `images` has the images in their order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fairground.agents.models.context import FORGOTTEN
from fairground.interop.datasets.parquet import Feature, image
from fairground.interop.datasets.reading import LeftOut
from fairground.interop.datasets.turns import Conversation, Turn

EPISODE: dict[str, Feature] = {
    "episode": "string",
    "agent": "string",
    "configuration": "string",
    "app": "string",
    "scenario": "string",
    "instruction": "string",
    "outcome": "string",
    "reward": "float64",
    "steps": "int64",
}
"""Columns that describe the episode of a row."""

COLUMNS: dict[str, Feature] = {
    "messages": [{"role": "string", "content": [{"type": "string", "text": "string"}]}],
    "images": ["image"],
    "dialect": "string",
    "step": "int64",
    **EPISODE,
}
"""Columns of the layout. `step` is null in rows of whole episodes."""


def episode_columns(conversation: Conversation) -> dict[str, Any]:
    """Return the values that describe an episode."""
    episode, finished = conversation.attempt.recorded.episode, conversation.attempt.ended.finished
    configuration = episode.configuration
    return {
        "episode": episode.id,
        "agent": conversation.attempt.ended.agent,
        "configuration": configuration.id,
        "app": f"{configuration.suite}/{configuration.app}",
        "scenario": f"{configuration.suite}/{configuration.app}/{configuration.scenario}",
        "instruction": episode.instruction,
        "outcome": finished.outcome.value,
        "reward": finished.reward,
        "steps": len(conversation.turns),
    }


def episode_rows(conversation: Conversation, left_out: LeftOut) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield one row for a whole episode, with its size in bytes. Left out if one of its actions cannot be written."""
    name = conversation.attempt.name
    if not conversation.turns:
        left_out.add("it has no step", name)
    elif why_not := next((turn.why_not for turn in conversation.turns if turn.why_not), ""):
        left_out.add(why_not, name)
    else:
        yield _row(conversation, conversation.turns, len(conversation.turns), None)


def step_rows(conversation: Conversation, left_out: LeftOut, history: int) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield one row per step that was performed: the conversation so far, with the newest frames, and what follows.

    Older frames are replaced by the sentence that agents use for it, so that rows look like what a model sees. A row is
    left out if an action in it cannot be written.

    Args:
        conversation: The episode.
        left_out: Where rows that are left out are counted.
        history: Number of frames per row, including the newest.
    """
    why_not = ""
    for number, turn in enumerate(conversation.turns):
        why_not = why_not or turn.why_not
        name = f"{conversation.attempt.name}, step {turn.step.index}"
        if turn.step.refused:
            left_out.add("the action was refused", name)
        elif why_not:
            left_out.add(why_not if turn.why_not else "an action before it cannot be written", name)
        else:
            yield _row(conversation, conversation.turns[: number + 1], history, turn.step.index)


def _row(
    conversation: Conversation, turns: Sequence[Turn], frames: int, step: int | None
) -> tuple[dict[str, Any], int]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": [_text(conversation.system)]}]
    images: list[bytes] = []
    for number, turn in enumerate(turns):
        shown = number >= len(turns) - frames
        seen = {"type": "image", "text": None} if shown else _text(FORGOTTEN)
        messages.append({"role": "user", "content": [_text(turn.heard), seen]})
        messages.append({"role": "assistant", "content": [_text(turn.said or "")]})
        if shown:
            images.append(conversation.image(turn.seen))
    row = {
        "messages": messages,
        "images": [image(data) for data in images],
        "dialect": conversation.voice.name,
        "step": step,
        **episode_columns(conversation),
    }
    return row, sum(map(len, images)) + sum(len(part["text"] or "") for m in messages for part in m["content"])


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
