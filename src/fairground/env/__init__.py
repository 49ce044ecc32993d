"""The Gymnasium environment: reset, step, and the observation and action spaces.

`make(id)` creates an environment. To register all installed suites with Gymnasium, import `fairground.gym`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairground.env.environment import FairgroundEnv, SeatSource
from fairground.env.finishing import finish, record
from fairground.env.judging import judge_left
from fairground.env.observing import OBSERVATIONS, as_element, check_observations, observation_space, outline
from fairground.env.spaces import action_space, decode_action, encode_action

__all__ = [
    "OBSERVATIONS",
    "FairgroundEnv",
    "SeatSource",
    "action_space",
    "as_element",
    "check_observations",
    "decode_action",
    "encode_action",
    "finish",
    "judge_left",
    "make",
    "observation_space",
    "outline",
    "record",
]


def make(world: str | Sequence[str], **options: Any) -> FairgroundEnv:
    """Create an environment.

    Args:
        world: A configuration id or a prefix of one (`desk`, `desk/calc`, `desk/calc/region-total`), a folder with a
            world.toml, or several of these. Each `reset` draws from all configurations that match.
        options: Keyword arguments of `FairgroundEnv`.
    """
    return FairgroundEnv(world, **options)
