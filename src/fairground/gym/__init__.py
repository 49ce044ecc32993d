"""The Gymnasium environment over a seat, and the spaces that go with it.

`make(id)` opens one; `gymnasium.make("fairground/desk.calc.region-total")` works too, with dots for slashes
because Gymnasium allows only one.
"""

from __future__ import annotations

from typing import Any

import gymnasium

from fairground.gym.env import OBSERVATIONS, FairgroundEnv, SeatSource
from fairground.gym.spaces import action_space, decode_action, encode_action
from fairground.worlds import suites

__all__ = [
    "OBSERVATIONS",
    "FairgroundEnv",
    "SeatSource",
    "action_space",
    "decode_action",
    "encode_action",
    "make",
    "register",
]


def make(world: str, **options: Any) -> FairgroundEnv:
    """Opens an environment.

    Args:
        world: A configuration id or the beginning of one (`desk/calc/region-total`), or a folder with a world.toml.
        options: As for `FairgroundEnv`.
    """
    return FairgroundEnv(world, **options)


def register() -> None:
    """Makes every installed scenario known to Gymnasium as `fairground/SUITE.APP.SCENARIO`."""
    for suite in suites().values():
        for scenario in suite.scenarios:
            name = f"fairground/{suite.name}.{scenario.app}.{scenario.name}"
            if name not in gymnasium.registry:
                gymnasium.register(
                    id=name,
                    entry_point="fairground.gym:FairgroundEnv",
                    # Real software: two launches agree in what they mean, not in every pixel.
                    nondeterministic=True,
                    kwargs={"world": f"{suite.name}/{scenario.app}/{scenario.name}"},
                )


register()
