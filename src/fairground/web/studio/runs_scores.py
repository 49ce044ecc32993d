"""Scores of runs as `fairground run` and its report give them: worked out once, and again only once a run changed."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from fairground.rollout.duels import told_apart
from fairground.rollout.episode_table import store_table
from fairground.stats import Contender, Summary, Table, join_tables, summarise
from fairground.web.studio.runs_found import Found
from fairground.web.studio.runs_read import opened, summary_of

Marked: TypeAlias = tuple[tuple[Found, str], ...]
"""Runs as they are: where they were found, and their marks."""


@lru_cache(maxsize=128)
def scores_of(some: Marked) -> tuple[Summary | None, dict[str, Contender]]:
    """The scores of runs beside each other, and which contender each run is; those without a score are left out."""
    tables: dict[str, Table] = {}
    taken: set[Contender] = set()
    for found, _ in some:
        if not summary_of(found).scored:
            continue
        with opened(found) as store:
            table = store_table(store)
        if set(table.contenders) & taken:
            table = told_apart(table, found.name)
        taken |= set(table.contenders)
        tables[found.name] = table
    if not tables:
        return None, {}
    summary = summarise(join_tables(list(tables.values())), depth="scores")
    return summary, {name: table.contenders[0] for name, table in tables.items()}
