"""Writes `results.csv`: invented results of four agents on a suite of eight apps, to try the statistics on.

The numbers are random but realistic: most tasks are solved nearly always or nearly never, apps differ, some themes and
profiles are harder than others, and occasionally an episode ends with an infrastructure error. The seed is fixed, so
every run writes the same file.

    python examples/make_results.py examples/results.csv
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np

SEED = 21
ROLLOUTS = 3
THEMES = ("light", "dark", "large-text")
PROFILES = ("student", "family-of-five")
# Each app: its difficulty on the logit scale, and its tasks.
APPS = {
    "banking": (0.2, ("pay-bill", "split-transfer", "freeze-card", "find-fee", "monthly-total", "new-payee")),
    "calendar": (0.9, ("add-event", "move-meeting", "decline-invite", "find-free-hour", "weekly-repeat", "share-day")),
    "email": (0.6, ("reply-all", "file-receipts", "forward-thread", "find-attachment", "unsubscribe", "set-rule")),
    "maps": (-0.6, ("plan-route", "save-place", "compare-routes", "opening-hours", "share-location", "avoid-tolls")),
    "notes": (1.3, ("new-note", "merge-notes", "checklist", "search-note", "pin-note", "export-note")),
    "photos": (-0.2, ("make-album", "crop-square", "find-by-date", "hide-photo", "merge-duplicates", "share-link")),
    "shopping": (-0.9, ("reorder", "compare-prices", "apply-voucher", "track-parcel", "return-item", "split-basket")),
    "spreadsheet": (-1.3, ("sum-region", "sort-two-keys", "fix-formula", "pivot", "chart-title", "clean-dates")),
}
# Each contender: agent, condition, skill, seconds per step, cost per step, and probability of an error.
CONTENDERS = (
    ("atlas-large", "", 1.5, 6.5, 0.021, 0.012),
    ("birch-pro", "", 1.35, 4.0, 0.014, 0.020),
    ("cedar-7b", "with memory", 0.1, 2.2, 0.0021, 0.008),
    ("cedar-7b", "no memory", -0.6, 1.9, 0.0018, 0.008),
    ("dune-mini", "", -2.0, 1.2, 0.0006, 0.035),
)
COLUMNS = (
    "agent", "condition", "suite", "app", "scenario", "profile", "theme", "rollout", "outcome", "steps", "seconds",
    "cost",
)  # fmt: skip


def main(path: Path) -> None:
    """Writes the table to `path`."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows(np.random.default_rng(SEED)))


def rows(rng: np.random.Generator) -> list[list[object]]:
    """One row per episode."""
    tasks = [(app, task) for app, (_, names) in APPS.items() for task in names]
    # Bimodal: a task is either within an agent's reach or out of it.
    hard = {task: float(rng.normal(2.2 if rng.random() < 0.5 else -2.2, 0.9)) for task in tasks}
    broken = tasks[int(rng.integers(len(tasks)))]  # a task whose data lack what it asks for
    # An agent's strengths stay the same under another condition.
    tastes = {(who[0], task): float(rng.normal(0, 1.1)) for who in CONTENDERS for task in tasks}
    table: list[list[object]] = []
    for agent, condition, skill, pace, price, fault in CONTENDERS:
        moods = rng.normal(0, 0.9, len(THEMES))
        dislikes = dict(zip(THEMES, (moods - moods.mean()).tolist(), strict=True))
        for app, task in tasks:
            for profile in PROFILES:
                for theme in THEMES:
                    if (app, task) == broken and profile == PROFILES[1]:
                        level = None
                    else:
                        level = skill + APPS[app][0] + hard[app, task] + tastes[agent, (app, task)] + dislikes[theme]
                        level += float(rng.normal(0, 0.6))
                    for rollout in range(1, ROLLOUTS + 1):
                        table.append([
                            agent, condition, "pocket", app, task, profile, theme, rollout,
                            *episode(rng, level, pace, price, fault),
                        ])  # fmt: skip
    return table


def episode(rng: np.random.Generator, level: float | None, pace: float, price: float, fault: float) -> list[object]:
    """Outcome, steps, seconds and cost of an episode; `level` is the logit of success, or None if it is impossible."""
    solved = level is not None and rng.random() < 1 / (1 + np.exp(-level))
    broke = rng.random() < fault
    steps = int(np.clip(rng.gamma(6.0, 2.2 if solved else 3.6), 3, 50))
    if broke:
        steps = int(rng.integers(1, steps + 1))
    seconds = steps * pace * rng.lognormal(0, 0.15)
    cost = steps * price * rng.lognormal(0, 0.2)
    outcome = "errored" if broke else "invalid" if level is None else "passed" if solved else "failed"
    return [outcome, steps, f"{seconds:.1f}", f"{cost:.4f}"]


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "results.csv"))
