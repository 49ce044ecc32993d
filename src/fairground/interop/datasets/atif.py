"""Trajectories in ATIF, Harbor's Agent Trajectory Interchange Format: a folder per episode, with its images."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import fairground
from fairground.core.writing import writing
from fairground.interop.datasets.reading import Attempt
from fairground.interop.datasets.turns import Conversation

VERSION = "ATIF-v1.6"
"""The first version with images."""

FUNCTION = "computer_action"


def write_trajectory(conversation: Conversation, folder: Path) -> int:
    """Write `trajectory.json` and `images/` into a new folder. Returns the number of images."""
    recorded = conversation.attempt.recorded
    digests = list(dict.fromkeys(recorded.digests))
    with writing(folder):
        (folder / "images").mkdir(parents=True)
        for digest in digests:
            (folder / "images" / f"{digest}.png").write_bytes(conversation.image(digest))
        text = json.dumps(trajectory(conversation), ensure_ascii=False, indent=1, allow_nan=False)
        (folder / "trajectory.json").write_text(text + "\n", encoding="utf-8")
    return len(digests)


def trajectory(conversation: Conversation) -> dict[str, Any]:
    """Return the content of `trajectory.json`."""
    attempt, episode = conversation.attempt, conversation.attempt.recorded.episode
    usage = episode.extra.get("usage")
    metrics: dict[str, Any] = {"total_steps": len(conversation.turns)}
    if isinstance(usage, dict) and attempt.ended.finished.cost is not None:
        metrics["total_cost_usd"] = attempt.ended.finished.cost
    first = attempt.recorded.digests[0]
    opening = {
        "step_id": 1,
        **_timestamp(attempt, 0.0),
        "source": "user",
        "message": [{"type": "text", "text": episode.instruction}, _image(first)],
    }
    return {
        "schema_version": VERSION,
        "session_id": episode.id,
        "agent": _agent(attempt),
        "steps": [opening, *(_step(conversation, number) for number in range(len(conversation.turns)))],
        "final_metrics": metrics,
        "extra": _extra(attempt),
    }


def _step(conversation: Conversation, number: int) -> dict[str, Any]:
    turn = conversation.turns[number]
    step, call = turn.step, f"call_{number + 1}"
    text = "\n".join([*step.messages, *([f"Refused: {step.refused}"] if step.refused and not step.messages else [])])
    after = [{"type": "text", "text": text}] if text else []
    return {
        "step_id": number + 2,
        **_timestamp(conversation.attempt, step.seconds),
        "source": "agent",
        "message": step.thought,
        "tool_calls": [{"tool_call_id": call, "function_name": FUNCTION, "arguments": step.action.plain()}],
        "observation": {"results": [{"source_call_id": call, "content": [*after, _image(step.frame)]}]},
        "extra": {"agent_ms": step.agent_ms, "settled": step.settled, "refused": step.refused},
    }


def _timestamp(attempt: Attempt, seconds: float) -> dict[str, str]:
    """Return the time of a step; empty if the recording does not say in a valid form when it began."""
    try:
        began = datetime.fromisoformat(attempt.recorded.episode.started)
        return {"timestamp": (began + timedelta(seconds=seconds)).isoformat()}
    except (ValueError, OverflowError):
        return {}


def _image(digest: str) -> dict[str, Any]:
    return {"type": "image", "source": {"media_type": "image/png", "path": f"images/{digest}.png"}}


def _agent(attempt: Attempt) -> dict[str, Any]:
    kind, _, model = attempt.ended.agent.partition(":")
    named = {"model_name": model} if kind in ("anthropic", "openai", "gemini", "compatible") and model else {}
    return {"name": attempt.ended.agent, "version": fairground.__version__, **named}


def _extra(attempt: Attempt) -> dict[str, Any]:
    episode, verdict, finished = attempt.recorded.episode, attempt.recorded.episode.verdict, attempt.ended.finished
    return {
        "configuration": episode.configuration.id,
        "outcome": finished.outcome.value,
        "reward": finished.reward,
        "ended_by": episode.ended_by,
        "fingerprint": episode.fingerprint.digest,
        "checks": [] if verdict is None else [check.plain() for check in verdict.checks],
    }
