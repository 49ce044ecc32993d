"""Prompts, each in its own file under `agents/prompts`."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Literal, TypeAlias

from fairground.agents.protocol import Brief
from fairground.core import MissingPrerequisite

Coordinates: TypeAlias = Literal["pixels", "grid"]
"""How a model names a point: in pixels of what it sees, or on a grid of 1000 independent of the size."""


@cache
def prompt(name: str) -> str:
    """Return the text of a prompt file, stripped."""
    file = resources.files("fairground.agents").joinpath("prompts", f"{name}.md")
    try:
        return file.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        raise MissingPrerequisite(f"the prompt {name}.md is not installed", fix="install fairground again") from None


def system_prompt(brief: Brief, coordinates: Coordinates = "pixels") -> str:
    """Return the system prompt: the model's situation, without the task."""
    return _filled(
        prompt("computer"),
        steps=str(brief.step_budget),
        coordinates=prompt(f"coordinates_{coordinates}"),
        ending=prompt(f"ending_{brief.kind}"),
    )


def task_prompt(brief: Brief) -> str:
    """Return the task, for the first message."""
    return _filled(prompt("task"), instruction=brief.instruction)


def _filled(text: str, **values: str) -> str:
    # Not str.format: an instruction may contain braces.
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    return text
