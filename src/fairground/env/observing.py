"""Observations as elements of a Gymnasium space."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from gymnasium import spaces

from fairground.core import Node, Observation, unknown
from fairground.env.spaces import AnyText

OBSERVATIONS = ("screen", "cursor", "tree", "windows", "instruction")
_TEXT = 100_000
_TREE_TEXT = 4_000_000


def observation_space(names: Sequence[str], size: tuple[int, int]) -> spaces.Dict:
    """Return the Gymnasium space of these observations on a screen of this size."""
    width, height = size
    every: dict[str, spaces.Space[Any]] = {
        "screen": spaces.Box(0, 255, (height, width, 3), np.uint8),
        "cursor": spaces.Box(np.array([-1, -1]), np.array([width, height]), dtype=np.int32),
        "tree": AnyText(_TREE_TEXT),
        "windows": AnyText(_TEXT),
        "instruction": AnyText(_TEXT),
    }
    return spaces.Dict({name: every[name] for name in names})


def as_sample(observation: Observation, names: Sequence[str], instruction: str) -> dict[str, Any]:
    """Return an observation as an element of the space of these names."""
    values: dict[str, Callable[[], Any]] = {
        "screen": lambda: observation.frame.pixels,
        "cursor": lambda: observation.cursor,
        "tree": lambda: outline(observation.tree),
        "windows": lambda: [asdict(window) for window in observation.windows or ()],
        "instruction": lambda: instruction,
    }
    return {name: as_element(name, values[name]()) for name in names}


def as_element(name: str, value: Any) -> Any:
    """Return an observation as an element of its space.

    Args:
        name: Name of the observation.
        value: Its plain value: pixels, a point, text, or a list of windows. None if the screen has none.
    """
    match name:
        case "cursor":
            return np.array(value or (-1, -1), np.int32)
        case "tree":
            return (value or "")[:_TREE_TEXT]
        case "windows":
            return json.dumps(value or [])[:_TEXT]
    return value


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
