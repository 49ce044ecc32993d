"""`fairground stats coverage` and `ladder`: simulations that check the intervals and the comparisons."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import typer

from fairground.cli.output import Json, print_entry, print_json
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
    experiments: Annotated[
        int, typer.Option(help="Number of simulated studies per kind.", min=10, max=1_000_000)
    ] = 1000,
    difference: Annotated[
        float, typer.Option(metavar="SHARE", help="Difference of the two agents, for the power.")
    ] = 0.1,
    level: Level = 0.95,
    seed: RandomSeed = 0,
    json: Json = False,
) -> None:
    """Simulate studies to check the coverage of the intervals.

    \b
    Examples:
      fairground stats coverage
      fairground stats coverage 12x4x2x3
      fairground stats coverage 8x2 --scheme prism

    Shows how often intervals contain the truth, and how often `compare` decides. Success rates of scenarios are
    uniform, bimodal (most near 0 or 1), similar (all near a half), hard or easy. --scheme prism is slow.
    """  # noqa: D301 (\b keeps line breaks)
    wanted = [StudyShape.of(text) for text in shapes or SHAPES]
    calibrations = []
    with progress("studies", quiet=json) as bar:
        total = len(wanted) * len(DISTRIBUTIONS) * experiments
        for at, (shape, name) in enumerate((shape, name) for shape in wanted for name in DISTRIBUTIONS):
            before = at * experiments
            calibrations.append(
                calibrate(
                    shape,
                    name,
                    rng=np.random.default_rng([seed, at]),
                    experiments=experiments,
                    scheme=scheme,  # type: ignore[arg-type]  # checked there
                    level=level,
                    difference=difference,
                    progress=lambda done, before=before: bar.update(  # type: ignore[misc]
                        bar.task_ids[0], completed=before + done, total=total
                    ),
                )
            )
    if json:
        print_json(plain(calibrations))
        return
    table = grid(
        f"how often {percent(level, 0)} intervals contain the truth, and compare decides ({experiments:,} studies)",
        *("shape", *(f">{name}" for name in DISTRIBUTIONS), ">equals", ">better", ">t test"),
    )
    each = len(DISTRIBUTIONS)
    for at in range(0, len(calibrations), each):
        of_shape = calibrations[at : at + each]
        power = np.mean([calibration.power.estimate for calibration in of_shape])
        t_test = np.mean([calibration.paired_t.estimate for calibration in of_shape])
        table.add_row(
            of_shape[0].shape,
            *(percent(calibration.coverage.estimate) for calibration in of_shape),
            percent(max(calibration.type_one.estimate for calibration in of_shape)),
            percent(float(power)),
            percent(float(t_test)),
        )
    show(table)
    print_entry(
        "",
        f"[dim]equals: false positives between two equal agents, in the worst distribution (nominally at most "
        f"{percent(1 - level, 0)}). better: an agent that is better by {percent(difference, 0)} was detected, on "
        "average. t test: detected by a paired t test over scenarios.[/]",
        indent=2,
    )


def ladder(
    apps: Annotated[
        str,
        typer.Option(metavar="APPS", help="Number of apps, or their success rates, separated by commas."),
    ] = "15",
    scenarios: Annotated[int, typer.Option(help="Number of scenarios per app.")] = 8,
    axes: Annotated[str, typer.Option(metavar="SIZES", help="Values per axis, such as 3x3x3; 1 for none.")] = "3x3x3",
    rollouts: Annotated[int, typer.Option(help="Number of rollouts per configuration.")] = 3,
    scenario_sd: Annotated[
        float, typer.Option(metavar="SD", help="Standard deviation of scenarios within an app.")
    ] = 0.25,
    axis_sd: Annotated[
        float, typer.Option(metavar="SD", help="Standard deviation of the effects of axis values.")
    ] = 0.0,
    configuration_sd: Annotated[
        float,
        typer.Option(metavar="SD", help="Standard deviation of configurations beyond that."),
    ] = 0.05,
    sampled: Annotated[int | None, typer.Option(help="Run only N configurations per scenario.")] = None,
    experiments: Annotated[int, typer.Option(help="Number of simulated benchmarks.", min=10)] = 200,
    resamples: Annotated[int, typer.Option(help="Number of bootstrap resamples per benchmark.", min=50)] = 500,
    level: Level = 0.95,
    design: Design = "auto",
    seed: RandomSeed = 0,
    json: Json = False,
) -> None:
    """Simulate what each level of the nested bootstrap adds.

    \b
    Example:
      fairground stats ladder --experiments 100

    Repeats the paper's study: the coverage of intervals by the levels that are resampled.
    """  # noqa: D301 (\b keeps line breaks)
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
        rungs = suite_coverage(
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
        print_json({"suite": plain(rungs), "configuration": plain(single)})
        return
    table = grid(
        f"suite score: how often {percent(level, 0)} intervals contain the truth ({experiments} benchmarks)",
        *("what is resampled", ">coverage", ">mean width"),
    )
    for rung in rungs:
        table.add_row(rung.method, shown(rung.coverage), percent(rung.width))
    show(table)
    table = grid("one configuration's rate, exactly (most rates near 0 or 1)", ">rollouts", ">Wald", ">Wilson")
    for row in zip(single.rollouts, single.wald, single.wilson, strict=True):
        table.add_row(str(row[0]), percent(row[1]), percent(row[2]))
    show(table)


def _rates(text: str) -> tuple[float, ...]:
    try:
        if "," in text or "." in text:
            return tuple(float(part) for part in text.split(","))
        number = int(text)
    except ValueError:
        raise InvalidInput(f"--apps: expected a number, or success rates separated by commas, got {text!r}") from None
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
