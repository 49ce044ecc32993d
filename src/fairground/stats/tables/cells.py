"""Cells: counts of episodes per contender and configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fairground.core import AXES, InvalidInput, unknown
from fairground.stats.tables.table import NUMBERS, PASSED, Contender, Names, Table, row_keys


@dataclass(frozen=True, eq=False)
class Cells:
    """One contender's scored episodes, nested: app > scenario > configuration > rollout.

    Cells are sorted by scenario and then by level, and scenarios by app, so that groups are contiguous.

    Attributes:
        contender: The contender.
        apps: Names of the apps, prefixed by the suite if the table has several.
        scenarios: Names of the scenarios, each prefixed by its app: `notes/pin`.
        app_of: App of each scenario.
        axes: Names of the axes that were varied anywhere in the table.
        axis_values: Names of the values of each of these axes.
        scenario: Scenario of each cell.
        levels: Value of each cell and axis.
        successes: Number of passed episodes per cell; the sum of the values if those are not 0 and 1.
        rollouts: Number of scored episodes per cell.
        values: Value of each episode, cell after cell, if that is not success; otherwise None.
    """

    contender: Contender
    apps: tuple[str, ...]
    scenarios: tuple[str, ...]
    app_of: NDArray[np.int32]
    axes: tuple[str, ...]
    axis_values: tuple[tuple[str, ...], ...]
    scenario: NDArray[np.int32]
    levels: NDArray[np.int32]
    successes: NDArray[np.float64]
    rollouts: NDArray[np.int64]
    values: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.scenario)

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """Success rate of each cell."""
        rates: NDArray[np.float64] = self.successes / self.rollouts
        return rates

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Start of each scenario's cells, and finally their end."""
        return np.searchsorted(self.scenario, np.arange(len(self.scenarios) + 1)).astype(np.int64)

    @cached_property
    def scenario_means(self) -> NDArray[np.float64]:
        """Mean of each scenario over its cells, with equal weights of configurations."""
        sizes = np.diff(self.starts)
        scenario_means: NDArray[np.float64] = np.bincount(self.scenario, self.means, len(self.scenarios)) / sizes
        return scenario_means

    @cached_property
    def app_means(self) -> NDArray[np.float64]:
        """Mean of each app over its scenarios, with equal weights of scenarios."""
        sizes = np.bincount(self.app_of, minlength=len(self.apps))
        app_means: NDArray[np.float64] = np.bincount(self.app_of, self.scenario_means, len(self.apps)) / sizes
        return app_means

    @property
    def episodes(self) -> int:
        """Number of scored episodes."""
        return int(self.rollouts.sum())

    def configuration(self, cell: int) -> str:
        """Return a cell's name: `app/scenario@value/value`, with the axes that were varied."""
        chosen = [values[level] for values, level in zip(self.axis_values, self.levels[cell].tolist(), strict=True)]
        return _configuration(self.scenarios[int(self.scenario[cell])], chosen)

    def keep(self, mask: NDArray[np.bool_]) -> Cells:
        """Return some of the cells. Scenarios and apps without any are dropped; axes and their values stay."""
        scenarios = np.unique(self.scenario[mask])
        apps = np.unique(self.app_of[scenarios])
        return replace(
            self,
            apps=tuple(self.apps[app] for app in apps.tolist()),
            scenarios=tuple(self.scenarios[scenario] for scenario in scenarios.tolist()),
            app_of=np.searchsorted(apps, self.app_of[scenarios]).astype(np.int32),
            scenario=np.searchsorted(scenarios, self.scenario[mask]).astype(np.int32),
            levels=self.levels[mask],
            successes=self.successes[mask],
            rollouts=self.rollouts[mask],
            values=None if self.values is None else self.values[np.repeat(mask, self.rollouts)],
        )


def count(table: Table, contender: str | Contender | None = None, *, value: str = "success") -> Cells:
    """Count one contender's episodes. Errored and invalid ones are left out; `table.outcomes()` has their number.

    Args:
        table: The episodes.
        contender: The contender. May be omitted if there is only one.
        value: Value of an episode: `success`, or a column of numbers such as `reward`.

    Raises:
        InvalidInput: If there is nothing to count, or a value is missing.
    """
    who = _only(table) if contender is None else table.contender(contender)
    rows = np.flatnonzero(table.rows_of(who) & table.scored)
    if not len(rows):
        counts = ", ".join(f"{number} {outcome}" for outcome, number in table.outcomes(who).items() if number)
        raise InvalidInput(
            f"{who} has no scored episode: {counts}",
            fix="errored and invalid episodes are not results; run them again, or leave this agent out",
        )
    axes = tuple(axis for axis in AXES if table.names[axis].varied)
    _refuse_mixed(table, axes)
    apps, scenarios, *levels = (
        _sorted(column, rows)
        for column in (table.app_names(), table.names["scenario"], *(table.names[axis] for axis in axes))
    )
    _, first, cell = np.unique(row_keys([apps, scenarios, *levels]), return_index=True, return_inverse=True)
    pairs = row_keys([apps, scenarios])[first]
    _, leaders, scenario_of = np.unique(pairs, return_index=True, return_inverse=True)
    leaders = first[leaders]
    used, app_of = np.unique(apps.codes[leaders], return_inverse=True)
    worth = _worth(table, rows, value)
    rollouts = np.bincount(cell)
    return Cells(
        contender=who,
        apps=tuple(apps.values[code] for code in used.tolist()),
        scenarios=tuple(f"{apps.name(row)}/{scenarios.name(row)}" for row in leaders.tolist()),
        app_of=app_of.astype(np.int32),
        axes=axes,
        axis_values=tuple(column.values for column in levels),
        scenario=scenario_of.astype(np.int32),
        levels=np.array([column.codes[first] for column in levels], dtype=np.int32).reshape(len(axes), -1).T
        if axes
        else np.empty((len(first), 0), dtype=np.int32),
        successes=np.bincount(cell, worth, len(rollouts)).astype(np.float64),
        rollouts=rollouts,
        values=None if value == "success" else worth[np.argsort(cell, kind="stable")],
    )


def count_rewards(table: Table, contender: str | Contender) -> Cells | None:
    """Count with rewards as values. None if a scored episode has none."""
    reward = table.numbers.get("reward")
    if reward is None or np.isnan(reward[table.rows_of(table.contender(contender)) & table.scored]).any():
        return None
    return count(table, contender, value="reward")


def count_all(table: Table, *, value: str = "success") -> tuple[Cells, ...]:
    """Count every contender that has a scored episode."""
    counted = []
    for contender in table.contenders:
        if (table.rows_of(contender) & table.scored).any():
            counted.append(count(table, contender, value=value))
    if not counted:
        counts = ", ".join(f"{number} {outcome}" for outcome, number in table.outcomes().items() if number)
        raise InvalidInput(
            f"no episode has a score: {counts}", fix="errored and invalid episodes are not results; run them again"
        )
    return tuple(counted)


def match(one: Cells, other: Cells) -> tuple[Cells, Cells]:
    """Return the cells of two contenders at the configurations that both have, in the same order.

    Both must come from one table, so that their axes are the same.
    """
    if one.axes != other.axes or one.axis_values != other.axis_values:
        raise InvalidInput("the two were counted in different tables", fix="count both in one table: see join_tables")
    keys = [_keys(cells) for cells in (one, other)]
    both = set(keys[0]) & set(keys[1])
    if not both:
        raise InvalidInput(
            f"{one.contender} and {other.contender} share no configuration",
            fix="compare agents that were run in the same configurations",
        )
    kept = [np.fromiter((key in both for key in own), dtype=bool, count=len(own)) for own in keys]
    return one.keep(kept[0]), other.keep(kept[1])


def match_scenarios(one: Cells, other: Cells) -> tuple[Cells, Cells]:
    """Return the cells of two contenders in the scenarios that both have."""
    both = sorted(set(one.scenarios) & set(other.scenarios))
    if not both:
        raise InvalidInput(
            f"{one.contender} and {other.contender} share no scenario",
            fix="compare agents that were run in the same scenarios",
        )
    kept = [np.isin(np.array(cells.scenarios)[cells.scenario], both) for cells in (one, other)]
    return one.keep(kept[0]), other.keep(kept[1])


def _keys(cells: Cells) -> list[tuple[object, ...]]:
    names = [cells.scenarios[scenario] for scenario in cells.scenario.tolist()]
    return [(name, *levels) for name, levels in zip(names, cells.levels.tolist(), strict=True)]


def _refuse_mixed(table: Table, axes: tuple[str, ...]) -> None:
    """Reject configurations with the same name: `b/c` of app `a` and `c` of app `a/b` are both `a/b/c`.

    Contenders are matched by these names, and results list them.
    """
    apps, scenarios = table.app_names(), table.names["scenario"]
    columns = [table.names[axis] for axis in axes]
    parts = len({name.count("/") for name in apps.values}) > 1
    slashes = sum(any("/" in value for value in column.values) for column in columns) > 1
    ats = any("@" in value for value in scenarios.values) and any(
        "@" in value for column in columns for value in column.values
    )
    if not (parts or slashes or ats):
        return
    _, rows = np.unique(row_keys([apps, scenarios, *columns]), return_index=True)
    seen: dict[str, int] = {}
    for row in rows.tolist():
        name = _configuration(f"{apps.name(row)}/{scenarios.name(row)}", [column.name(row) for column in columns])
        if name in seen:
            raise InvalidInput(
                f"{table.source}: two configurations would both be called {name!r}",
                fix="use names without / and @, so that they can be distinguished",
            )
        seen[name] = row


def _configuration(scenario: str, chosen: Sequence[str]) -> str:
    return f"{scenario}@{'/'.join(chosen)}" if chosen else scenario


def _only(table: Table) -> Contender:
    everyone = table.contenders
    if len(everyone) != 1:
        raise InvalidInput(
            f"{table.source} has {len(everyone)} contenders: {', '.join(map(str, everyone[:8]))}",
            fix="name one of them",
        )
    return everyone[0]


def _sorted(column: Names, rows: NDArray[np.int64]) -> Names:
    """Return the column at some rows, with sorted names, so that results do not depend on the order of rows."""
    order = sorted(range(len(column.values)), key=column.values.__getitem__)
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return Names(tuple(column.values[code] for code in order), place[column.codes[rows]])


def _worth(table: Table, rows: NDArray[np.int64], value: str) -> NDArray[np.float64]:
    if value == "success":
        return np.asarray(table.outcome[rows] == PASSED, dtype=np.float64)
    if value not in table.numbers:
        known = ["success", *table.numbers]
        if value in NUMBERS:
            raise InvalidInput(f"{table.source} has no column {value!r}", fix=f"use one of {', '.join(known)}")
        raise unknown("value", value, known)
    values = table.numbers[value][rows]
    missing = int(np.isnan(values).sum())
    if missing:
        raise InvalidInput(
            f"column {value!r} is empty in {missing} of {len(rows)} scored episodes",
            fix="fill it, or leave those episodes out",
        )
    return values
