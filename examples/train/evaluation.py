"""Success rates with intervals that respect the nesting of episodes in configurations and scenarios."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from examples.train.rollouts import Attempt
from fairground.core import Configuration
from fairground.stats import Interval, compare, count, score, table_from_rows

Row = dict[str, Any]


@dataclass(frozen=True)
class Records:
    """The evaluation episodes so far, in a file that `fairground stats` reads: one row per episode.

    An evaluation is written when it is complete. A training that was killed repeats the one it was in.
    """

    path: Path

    def rows(self, agent: str = "", of: str = "") -> list[Row]:
        """Return the episodes, all or those of an agent and of a set of configurations."""
        if not self.path.exists():
            return []
        rows = [json.loads(line) for line in self.path.read_text().splitlines()]
        return [row for row in rows if agent in ("", row["agent"]) and of in ("", row["set"])]

    def evaluate(
        self, agent: str, of: str, worlds: Sequence[Configuration], run: Callable[[], Sequence[Attempt]], **more: Any
    ) -> list[Row]:
        """Return the episodes of an agent on a set, and make them first if they are missing.

        Args:
            agent: Name of the agent.
            of: Name of the set.
            worlds: Its configurations.
            run: Makes one attempt at each of them.
            more: Further columns.
        """
        present = self.rows(agent, of)
        if len(present) == len(worlds):
            return present
        made = [_row(agent, of, one) | more for one in run()]
        kept = [row for row in self.rows() if (row["agent"], row["set"]) != (agent, of)]
        temporary = self.path.with_suffix(".new")
        temporary.write_text("".join(json.dumps(row) + "\n" for row in kept + made))
        os.replace(temporary, self.path)
        return made


def rate(rows: Sequence[Row]) -> Interval:
    """Return the success rate of the episodes of one agent."""
    return score(count(table_from_rows(_plain(rows))), rng=np.random.default_rng(0))


def gain(rows: Sequence[Row], better: str, worse: str) -> Interval:
    """Return the difference of two agents' success rates, over the configurations that both tried."""
    table = table_from_rows(_plain(rows))
    return compare(count(table, better), count(table, worse), rng=np.random.default_rng(0)).difference


def shown(interval: Interval) -> str:
    """Write an interval in percent."""
    return f"{100 * interval.estimate:.0f}% [{100 * interval.low:.0f}, {100 * interval.high:.0f}]"


def _row(agent: str, of: str, one: Attempt) -> Row:
    world = one.job.world
    return {
        "agent": agent, "set": of, "app": world.app, "scenario": world.scenario, "instance": world.instance,
        "profile": world.profile, "theme": world.theme, "ui_state": world.ui_state,
        "outcome": "passed" if one.result.success else "failed", "reward": one.result.reward,
        "steps": one.result.steps,
    }  # fmt: skip


def _plain(rows: Sequence[Row]) -> list[Row]:
    columns = ("agent", "app", "scenario", "instance", "profile", "theme", "ui_state", "outcome", "reward", "steps")
    return [{name: row[name] for name in columns} for row in rows]
