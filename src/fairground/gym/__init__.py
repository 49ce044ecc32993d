"""Registration with Gymnasium: importing this registers every installed suite, app and scenario.

`gymnasium.make("fairground/desk.calc.region-total")` then works, with dots for slashes because Gymnasium allows only
one slash. To know the scenarios every suite has to be loaded, so nothing of fairground imports this: `fairground.env`
has the environment itself.
"""

from __future__ import annotations

import gymnasium

from fairground.worlds import suites

__all__ = ["register"]


def register() -> None:
    """Registers `fairground/SUITE`, `fairground/SUITE.APP` and `fairground/SUITE.APP.SCENARIO`."""
    for suite in suites().values():
        apps = dict.fromkeys(f"{suite.name}/{scenario.app}" for scenario in suite.scenarios)
        scenarios = [f"{suite.name}/{scenario.app}/{scenario.name}" for scenario in suite.scenarios]
        for world in (suite.name, *apps, *scenarios):
            name = f"fairground/{world.replace('/', '.')}"
            if name not in gymnasium.registry:
                gymnasium.register(
                    id=name,
                    entry_point="fairground.env:FairgroundEnv",
                    # Real software: two launches agree in what they mean, not in every pixel.
                    nondeterministic=True,
                    kwargs={"world": world},
                )


register()
