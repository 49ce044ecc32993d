"""`fairground stats coverage`: do the intervals hold, on a benchmark shaped like yours?"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import typer

from fairground.cli.output import Json, print_json
from fairground.cli.stats.options import Design, Level, RandomSeed, grid, percent, progress, show, shown
from fairground.core import InvalidInput
from fairground.stats import PAPER_APPS, Shape, plain, rate_coverage, suite_coverage


def coverage(
    apps: Annotated[str, typer.Option(help="How many, or their success rates with commas.")] = "15",
    scenarios: Annotated[int, typer.Option(help="In each app.")] = 8,
    axes: Annotated[str, typer.Option(help="Values of each axis, such as 3x3x3; 1 for none.")] = "3x3x3",
    rollouts: Annotated[int, typer.Option(help="Of each configuration.")] = 3,
    scenario_sd: Annotated[float, typer.Option(help="How much scenarios differ within an app.")] = 0.25,
    axis_sd: Annotated[float, typer.Option(help="How much each axis value does for itself.")] = 0.0,
    configuration_sd: Annotated[float, typer.Option(help="How much configurations differ beyond that.")] = 0.05,
    sampled: Annotated[int | None, typer.Option(help="Run only so many configurations a scenario.")] = None,
    experiments: Annotated[int, typer.Option(help="Benchmarks to make up.", min=10)] = 200,
    resamples: Annotated[int, typer.Option(help="Bootstrap replicates in each.", min=50)] = 500,
    level: Level = 0.95,
    design: Design = "auto",
    seed: RandomSeed = 0,
    json: Json = False,
) -> None:
    """Makes up benchmarks whose truth is known, and counts how often each kind of interval holds it."""
    shape = Shape(
        apps=_rates(apps),
        scenarios=scenarios,
        axes=_axes(axes),
        rollouts=rollouts,
        scenario_sd=scenario_sd,
        axis_sd=axis_sd,
        configuration_sd=configuration_sd,
        sampled=sampled,
    )
    with progress("experiments", quiet=json) as bar:
        found = suite_coverage(
            shape,
            rng=np.random.default_rng(seed),
            experiments=experiments,
            resamples=resamples,
            level=level,
            design=design,  # type: ignore[arg-type]  # checked there
            progress=lambda done: bar.update(bar.task_ids[0], completed=done, total=experiments),
        )
    single = rate_coverage(sorted({1, 3, rollouts, 20}), level=level)
    if json:
        print_json({"suite": plain(found), "configuration": plain(single)})
        return
    made = grid(
        f"suite score: how often {percent(level, 0)} intervals hold the truth ({experiments} benchmarks)",
        *("what is resampled", ">coverage", ">mean width"),
    )
    for one in found:
        made.add_row(one.method, shown(one.coverage), percent(one.width))
    show(made)
    made = grid("one configuration's rate, exactly (most rates near 0 or 1)", ">rollouts", ">Wald", ">Wilson")
    for row in zip(single.rollouts, single.wald, single.wilson, strict=True):
        made.add_row(str(row[0]), percent(row[1]), percent(row[2]))
    show(made)


def _rates(text: str) -> tuple[float, ...]:
    try:
        if "," in text or "." in text:
            return tuple(float(part) for part in text.split(","))
        number = int(text)
    except ValueError:
        raise InvalidInput(f"--apps: expected a number, or success rates with commas, got {text!r}") from None
    if number < 1:
        raise InvalidInput(f"--apps: expected at least 1, got {number}")
    if number == len(PAPER_APPS):
        return PAPER_APPS
    return tuple(np.linspace(PAPER_APPS[0], PAPER_APPS[-1], number).tolist()) if number > 1 else (0.41,)


def _axes(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.lower().split("x"))
    except ValueError:
        raise InvalidInput(f"--axes: expected sizes such as 3x3x3, got {text!r}") from None
