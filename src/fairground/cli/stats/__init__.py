"""`fairground stats`: correct intervals for anybody's table of episodes, one file per command."""

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

_HELP = """Correct intervals for a table of episodes, ours or anybody's.

\b
  fairground stats results.csv                     scores with intervals, who is better than whom
  fairground stats compare results.csv A B         two agents: difference, per app, which tasks changed
  fairground stats reliability results.csv         Pass^k, pass@k, tasks solved always, sometimes, never
  fairground stats sensitivity results.csv         what theme, profile, ... do, and where variance comes from
  fairground stats rank votes.csv                  Bradley-Terry ratings from votes
  fairground stats agreement labels.csv            Krippendorff's alpha of several people's labels
  fairground stats plan pilot.csv --half-width .03 how many scenarios, configurations and rollouts
  fairground stats power --gap 50                  how many votes
  fairground stats coverage 8x2x4x3                do the intervals hold on a benchmark like yours?
  fairground stats ladder                          what each level of the paper's nested bootstrap adds

A table has one row per episode: .csv, .jsonl, .json or .parquet. It needs `scenario` and one of `success`, `outcome`,
`reward`; it may have agent, condition, suite, app, instance, profile, theme, ui_state, rollout, steps, seconds, cost.
Well-known names of others (task_id, model, is_resolved, score, ...) are recognised; --rename, --map, --missing and
--wide say the rest.
"""


class _SummaryFirst(TyperGroup):
    """`fairground stats FILE` is `fairground stats summary FILE`."""

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


stats = typer.Typer(cls=_SummaryFirst, help=_HELP, rich_markup_mode=None)
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
