"""The environment over a seat: reset, step, and the spaces that go with them.

`make(id)` opens one. Nothing here knows which suites are installed; `fairground.gym` tells Gymnasium about those.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairground.env.environment import OBSERVATIONS, FairgroundEnv, SeatSource, check_observations, outline
from fairground.env.finishing import finish, record
from fairground.env.judging import judge_left
from fairground.env.spaces import action_space, decode_action, encode_action

__all__ = [
    "OBSERVATIONS",
    "FairgroundEnv",
    "SeatSource",
    "action_space",
    "check_observations",
    "decode_action",
    "encode_action",
    "finish",
    "judge_left",
    "make",
    "outline",
    "record",
]


def make(world: str | Sequence[str], **options: Any) -> FairgroundEnv:
    """Opens an environment.

    Args:
        world: A configuration id or the beginning of one (`desk`, `desk/calc`, `desk/calc/region-total`), a folder with
            a world.toml, or several. Each `reset` draws from all configurations that this names.
        options: As for `FairgroundEnv`.
    """
    return FairgroundEnv(world, **options)
