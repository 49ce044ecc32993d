"""Small benchmarks for tests, as cells."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fairground.stats import Cells, Contender, count, table_from_rows


def grid_cells(
    rng: np.random.Generator,
    apps: int = 3,
    scenarios: int = 5,
    axes: tuple[int, ...] = (3, 2),
    rollouts: int = 4,
    contender: str = "a",
) -> Cells:
    """A complete grid with rates that differ at every level."""
    number, size = apps * scenarios, int(np.prod(axes, dtype=int))
    rates = np.clip(np.repeat(rng.uniform(0.2, 0.8, apps), scenarios) + rng.normal(0, 0.25, number), 0, 1)
    rates = np.clip(rates[:, None] + rng.normal(0, 0.1, (number, size)), 0, 1)
    places = np.array(list(np.ndindex(*axes)), dtype=int).reshape(size, len(axes))
    return Cells(
        contender=Contender(contender),
        apps=tuple(f"app{app:02}" for app in range(apps)),
        scenarios=tuple(f"app{at // scenarios:02}/s{at % scenarios:02}" for at in range(number)),
        app_of=np.repeat(np.arange(apps), scenarios).astype(np.int32),
        axes=tuple(["profile", "theme", "ui_state"][: len(axes)]),
        axis_values=tuple(tuple(map(str, range(values))) for values in axes),
        scenario=np.repeat(np.arange(number), size).astype(np.int32),
        levels=np.tile(places, (number, 1)).astype(np.int32),
        successes=rng.binomial(rollouts, rates).astype(np.float64).reshape(-1),
        rollouts=np.full(number * size, rollouts),
    )


def some_of(cells: Cells, rng: np.random.Generator, share: float = 0.7, fewest: int = 1) -> Cells:
    """The same with cells missing, and with rollouts missing in others."""
    mask = rng.random(len(cells)) < share
    for scenario in range(len(cells.scenarios)):
        members = np.flatnonzero(cells.scenario == scenario)
        mask[members[:fewest]] = True
    kept = cells.keep(mask)
    rollouts = rng.integers(1, kept.rollouts + 1)
    successes = np.minimum(kept.successes, rollouts)
    return Cells(**{**vars_of(kept), "rollouts": rollouts, "successes": successes})


def vars_of(cells: Cells) -> dict[str, Any]:
    """A record's fields, without what it has worked out."""
    return {name: getattr(cells, name) for name in Cells.__dataclass_fields__}


def tree(rows: Sequence[tuple[str, str, str, Sequence[int]]]) -> Cells:
    """Cells from (app, scenario, theme, outcomes)."""
    episodes = [
        {"app": app, "scenario": scenario, "theme": theme, "success": value}
        for app, scenario, theme, outcomes in rows
        for value in outcomes
    ]
    return count(table_from_rows(episodes))


TINY = (
    ("app0", "s0", "dark", (1, 0)),
    ("app0", "s0", "light", (1, 1)),
    ("app0", "s1", "dark", (0, 0)),
    ("app0", "s1", "light", (0, 1)),
    ("app1", "s0", "dark", (1, 0)),
)
"""The tree of the golden values: two apps, the second with one scenario in one configuration."""
