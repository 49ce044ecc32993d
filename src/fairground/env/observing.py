"""Observations as elements of a Gymnasium space."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from gymnasium import spaces

from fairground.core import Node, Observation, unknown
from fairground.env.spaces import AnyText

OBSERVATIONS = ("screen", "cursor", "tree", "windows", "instruction")
_TREE_TEXT = 4_000_000


def observation_space(names: Sequence[str], size: tuple[int, int]) -> spaces.Dict:
    """Return the Gymnasium space of these observations on a screen of this size."""
    width, height = size
    every: dict[str, spaces.Space[Any]] = {
        "screen": spaces.Box(0, 255, (height, width, 3), np.uint8),
        "cursor": spaces.Box(np.array([-1, -1]), np.array([width, height]), dtype=np.int32),
        "tree": AnyText(_TREE_TEXT),
        "windows": AnyText(100_000),
        "instruction": AnyText(100_000),
    }
    return spaces.Dict({name: every[name] for name in names})


def as_sample(observation: Observation, names: Sequence[str], instruction: str) -> dict[str, Any]:
    """Return an observation as an element of the space of these names."""
    sample: dict[str, Any] = {}
    if "screen" in names:
        sample["screen"] = observation.frame.pixels
    if "cursor" in names:
        sample["cursor"] = np.array(observation.cursor or (-1, -1), np.int32)
    if "tree" in names:
        sample["tree"] = outline(observation.tree)[:_TREE_TEXT]
    if "windows" in names:
        sample["windows"] = json.dumps([asdict(window) for window in observation.windows or ()])[:100_000]
    if "instruction" in names:
        sample["instruction"] = instruction
    return sample


def check_observations(names: Sequence[str]) -> None:
    """Check the names of observations.

    Raises:
        UnknownName: A name is not an observation.
    """
    for name in names:
        if name not in OBSERVATIONS:
            raise unknown("observation", name, OBSERVATIONS)


def outline(tree: Node | None) -> str:
    """Return an accessibility tree as indented text for models."""
    lines: list[str] = []
    stack = [(tree, 0)] if tree is not None else []
    while stack:
        node, depth = stack.pop()
        parts = [node.role, json.dumps(node.name, ensure_ascii=False) if node.name else ""]
        parts += [f"= {node.value}" if node.value else "", str(list(node.bounds)) if node.bounds else ""]
        parts += [" ".join(node.states)]
        lines.append("  " * depth + " ".join(part for part in parts if part))
        stack += [(child, depth + 1) for child in reversed(node.children)]
    return "\n".join(lines)
