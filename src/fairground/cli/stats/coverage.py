"""`fairground stats coverage` and `ladder`: do the intervals hold, and does `compare` decide as it should?"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import typer

from fairground.cli.output import Json, console, print_json
from fairground.cli.stats.options import Design, Level, RandomSeed, Scheme, grid, percent, progress, show, shown
from fairground.core import InvalidInput
from fairground.stats import (
    DISTRIBUTIONS,
    PAPER_APPS,
    SHAPES,
    Shape,
    StudyShape,
    calibrate,
    plain,
    rate_coverage,
    suite_coverage,
)


def coverage(
    shapes: Annotated[
        list[str] | None,
        typer.Argument(help="Apps x scenarios x configurations x rollouts, such as 8x2x4x3.", metavar="[SHAPE...]"),
    ] = None,
    scheme: Scheme = "clusters",
    experiments: Annotated[int, typer.Option(help="Studies of each kind to make up.", min=10, max=1_000_000)] = 1000,
    difference: Annotated[float, typer.Option(help="Between the two agents, for the power.")] = 0.1,
    level: Level = 0.95,
    seed: RandomSeed = 0,
    json: Json = False,
) -> None:
    """Makes up studies whose truth is known: how often intervals hold it, and how often `compare` decides.

    \b
      fairground stats coverage                     the table of the documentation
      fairground stats coverage 12x4x2x3            a suite shaped like yours
      fairground stats coverage 8x2 --scheme prism  the same with the nested bootstrap (slow)

    Scenario rates are uniform, bimodal (most near 0 or 1), similar (all near a half), hard or easy.
    """  # noqa: D301 (click reads \b as: keep these lines)
    wanted = [StudyShape.of(text) for text in shapes or SHAPES]
    found = []
    with progress("studies", quiet=json) as bar:
        whole = len(wanted) * len(DISTRIBUTIONS) * experiments
        for at, (shape, name) in enumerate((shape, name) for shape in wanted for name in DISTRIBUTIONS):
            before = at * experiments
            found.append(
                calibrate(
                    shape,
                    name,
                    rng=np.random.default_rng([seed, at]),
                    experiments=experiments,
                    scheme=scheme,  # type: ignore[arg-type]  # checked there
                    level=level,
                    difference=difference,
                    progress=lambda done, before=before: bar.update(  # type: ignore[misc]
                        bar.task_ids[0], completed=before + done, total=whole
                    ),
                )
            )
    if json:
        print_json(plain(found))
        return
    made = grid(
        f"how often {percent(level, 0)} intervals hold the truth, and compare decides ({experiments:,} studies each)",
        *("shape", *(f">{name}" for name in DISTRIBUTIONS), ">equals", ">better", ">t test"),
    )
    each = len(DISTRIBUTIONS)
    for at in range(0, len(found), each):
        some = found[at : at + each]
        power = np.mean([one.power.estimate for one in some])
        t_test = np.mean([one.paired_t.estimate for one in some])
        made.add_row(
            some[0].shape,
            *(percent(one.coverage.estimate) for one in some),
            percent(max(one.type_one.estimate for one in some)),
            percent(float(power)),
            percent(float(t_test)),
        )
    show(made)
    console.print(
        f"[dim]equals: two agents alike were told apart, the worst distribution (at most {percent(1 - level, 0)} is "
        f"promised). better: an agent better by {percent(difference, 0)} was found, on average; t test: by a paired t "
        "test over scenarios.[/]",
        highlight=False,
    )


def ladder(
    apps: Annotated[str, typer.Option(help="How many, or their success rates with commas.")] = "15",
    scenarios: Annotated[int, typer.Option(help="In each app.")] = 8,
    axes: Annotated[str, typer.Option(help="Values of each axis, such as 3x3x3; 1 for none.")] = "3x3x3",
    rollouts: Annotated[int, typer.Option(help="Of each configuration.")] = 3,
    scenario_sd: Annotated[float, typer.Option(help="How much scenarios differ within an app.")] = 0.25,
    axis_sd: Annotated[float, typer.Option(help="How much each axis value does for itself.")] = 0.0,
    configuration_sd: Annotated[float, typer.Option(help="How much configurations differ beyond that.")] = 0.05,
    sampled: Annotated[int | None, typer.Option(help="Run only so many configurations of each scenario.")] = None,
    experiments: Annotated[int, typer.Option(help="Benchmarks to make up.", min=10)] = 200,
    resamples: Annotated[int, typer.Option(help="Bootstrap replicates in each.", min=50)] = 500,
    level: Level = 0.95,
    design: Design = "auto",
    seed: RandomSeed = 0,
    json: Json = False,
) -> None:
    """The paper's study of the nested bootstrap: what each level of resampling adds to the coverage."""
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
