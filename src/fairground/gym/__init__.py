"""Gymnasium's own door: importing this makes every installed scenario known to it.

`gymnasium.make("fairground/desk.calc.region-total")` then works, with dots for slashes because Gymnasium allows only
one. To know the scenarios every suite has to be loaded, so nothing of fairground imports this: `fairground.env` has
the environment itself.
"""

from __future__ import annotations

import gymnasium

from fairground.worlds import suites

__all__ = ["register"]


def register() -> None:
    """Makes every installed scenario known to Gymnasium as `fairground/SUITE.APP.SCENARIO`."""
    for suite in suites().values():
        for scenario in suite.scenarios:
            name = f"fairground/{suite.name}.{scenario.app}.{scenario.name}"
            if name not in gymnasium.registry:
                gymnasium.register(
                    id=name,
                    entry_point="fairground.env:FairgroundEnv",
                    # Real software: two launches agree in what they mean, not in every pixel.
                    nondeterministic=True,
                    kwargs={"world": f"{suite.name}/{scenario.app}/{scenario.name}"},
                )


register()
