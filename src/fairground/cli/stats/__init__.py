"""`fairground stats`: statistics of any table of episodes or votes; one module per command."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from fairground.cli.stats.agreement import agreement
from fairground.cli.stats.compare import compare
from fairground.cli.stats.coverage import coverage, ladder
from fairground.cli.stats.plan import plan
from fairground.cli.stats.power import power
from fairground.cli.stats.rank import rank
from fairground.cli.stats.reliability import reliability
from fairground.cli.stats.sensitivity import sensitivity
from fairground.cli.stats.summary import summary
from fairground.core import InvalidInput

_HELP = """Compute scores with confidence intervals from any results.

\b
Examples:
  fairground stats runs/first
  fairground stats results.csv
  fairground stats compare results.csv AGENT_A AGENT_B
  fairground stats reliability results.csv
  fairground stats plan pilot.csv --half-width 0.03

`fairground stats FILE` is short for `fairground stats summary FILE`.

A table (.csv, .jsonl, .json or .parquet) has one row per episode. Required columns: scenario, and one of success,
outcome and reward. Optional columns: agent, condition, suite, app, instance, profile, theme, ui_state, rollout, steps,
seconds, cost. Common other names, such as task_id, model, is_resolved and score, are recognised. Describe other tables
with --rename, --map, --missing and --wide.
"""


class _SummaryFirst(TyperGroup):
    """Makes `summary` the default command: `stats FILE` is `stats summary FILE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args:
            args = ["--help"]
        elif args[0] not in self.commands and args[0] != "--help":
            near = difflib.get_close_matches(args[0], list(self.commands), n=1, cutoff=0.7)
            if near and not Path(args[0]).exists():
                raise InvalidInput(
                    f"stats: expected a table or a command, got {args[0]!r}", fix=f"did you mean stats {near[0]}?"
                )
            args = ["summary", *args]
        return super().parse_args(ctx, args)


stats = typer.Typer(cls=_SummaryFirst, help=_HELP, rich_markup_mode=None, add_completion=False)
stats.command("summary")(summary)
stats.command("compare")(compare)
stats.command("reliability")(reliability)
stats.command("sensitivity")(sensitivity)
stats.command("rank")(rank)
stats.command("agreement")(agreement)
stats.command("plan")(plan)
stats.command("power")(power)
stats.command("coverage")(coverage)
stats.command("ladder")(ladder)
