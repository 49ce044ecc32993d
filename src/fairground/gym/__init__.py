"""Gymnasium registration. Importing this module registers every installed suite, app and scenario.

After that, `gymnasium.make("fairground/desk.calc.region-total")` works. Dots replace slashes, because Gymnasium allows
only one slash. Registration loads every suite, so no other module of Fairground imports this one. The environment
itself is in `fairground.env`.
"""

from __future__ import annotations

import gymnasium

from fairground.worlds import suites

__all__ = ["register"]


def register() -> None:
    """Register `fairground/SUITE`, `fairground/SUITE.APP` and `fairground/SUITE.APP.SCENARIO`."""
    for suite in suites().values():
        apps = dict.fromkeys(f"{suite.name}/{scenario.app}" for scenario in suite.scenarios)
        scenarios = [f"{suite.name}/{scenario.app}/{scenario.name}" for scenario in suite.scenarios]
        for world in (suite.name, *apps, *scenarios):
            name = f"fairground/{world.replace('/', '.')}"
            if name not in gymnasium.registry:
                gymnasium.register(
                    id=name,
                    entry_point="fairground.env:FairgroundEnv",
                    # Real software: two launches are equivalent, but not equal in every pixel.
                    nondeterministic=True,
                    kwargs={"world": world},
                )


register()
