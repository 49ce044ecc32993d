"""Rows for reinforcement learning: a trajectory with its actions, reward, the result of each check, and outcome."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from fairground.interop.datasets.parquet import Feature, image
from fairground.interop.datasets.reading import LeftOut
from fairground.interop.datasets.sft import EPISODE, episode_columns
from fairground.interop.datasets.turns import Conversation

COLUMNS: dict[str, Feature] = {
    **EPISODE,
    "success": "bool",
    "integrity": "bool",
    "ended_by": "string",
    "error": "string",
    "answer": "string",
    "seed": "int64",
    "fingerprint": "string",
    "checks": [{"name": "string", "weight": "float64", "passed": "bool", "integrity": "bool", "weak": "bool"}],
    "dialect": "string",
    "system": "string",
    "trajectory": [
        {
            "index": "int64",
            "observation": "int64",
            "action": "string",
            "text": "string",
            "thought": "string",
            "refused": "string",
            "seconds": "float64",
        }
    ],
    "images": ["image"],
}
"""Columns of the layout. `observation` is a position in `images`; the last image is the screen at the end."""


def trajectory_rows(conversation: Conversation, left_out: LeftOut) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield one row for an episode, with its size in bytes. Left out if one of its actions cannot be written.

    An episode without a score has no reward: its `reward`, `success` and `integrity` are null.
    """
    why_not = next((turn.why_not for turn in conversation.turns if turn.why_not), "")
    if why_not:
        left_out.add(why_not, conversation.attempt.name)
        return
    recorded, attempt = conversation.attempt.recorded, conversation.attempt
    episode, verdict = recorded.episode, recorded.episode.verdict
    places = {digest: place for place, digest in enumerate(dict.fromkeys(recorded.digests))}
    places.pop(recorded.digests[-1])
    ordered = [*places, recorded.digests[-1]]  # the last screen comes last, also if it was seen before
    places = {digest: place for place, digest in enumerate(ordered)}
    images = [conversation.image(digest) for digest in ordered]
    row = {
        **episode_columns(conversation),
        "success": None if verdict is None else verdict.success,
        "integrity": None if verdict is None else verdict.integrity,
        "ended_by": episode.ended_by,
        "error": attempt.ended.finished.error,
        "answer": episode.answer,
        "seed": attempt.ended.seed,
        "fingerprint": episode.fingerprint.digest,
        "checks": [
            {name: getattr(check, name) for name in ("name", "weight", "passed", "integrity", "weak")}
            for check in attempt.checks
        ],
        "dialect": conversation.voice.name,
        "system": conversation.system,
        "trajectory": [
            {
                "index": turn.step.index,
                "observation": places[turn.seen],
                "action": json.dumps(turn.step.action.plain(), ensure_ascii=False),
                "text": turn.said,
                "thought": turn.step.thought,
                "refused": turn.step.refused,
                "seconds": turn.step.seconds,
            }
            for turn in conversation.turns
        ],
        "images": [image(data) for data in images],
    }
    yield row, sum(map(len, images))
