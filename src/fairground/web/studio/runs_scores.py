"""Scores of runs as in `fairground run` and its report, cached until a run changes."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from fairground.rollout.duels import told_apart
from fairground.rollout.episode_table import store_table
from fairground.stats import Contender, Summary, Table, join_tables, summarise
from fairground.web.studio.runs_found import Found
from fairground.web.studio.runs_read import opened, summary_of

Marked: TypeAlias = tuple[tuple[Found, str], ...]
"""Runs in a certain state: their folders and change markers."""


@lru_cache(maxsize=128)
def scores_of(some: Marked) -> tuple[Summary | None, dict[str, Contender]]:
    """Return the scores of several runs, and the contender of each run. Runs without a score are left out."""
    tables: dict[str, Table] = {}
    taken: set[Contender] = set()
    for run, _ in some:
        if not summary_of(run).scored:
            continue
        with opened(run) as store:
            table = store_table(store)
        if set(table.contenders) & taken:
            table = told_apart(table, run.name)
        taken |= set(table.contenders)
        tables[run.name] = table
    if not tables:
        return None, {}
    summary = summarise(join_tables(list(tables.values())), depth="scores")
    return summary, {name: table.contenders[0] for name, table in tables.items()}
