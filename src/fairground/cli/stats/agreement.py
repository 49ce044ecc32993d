"""`fairground stats agreement`: do people who label the same things agree?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from fairground.cli.output import Json, console, print_json
from fairground.cli.stats.options import Level, RandomSeed, Rename, pairs, print_notes
from fairground.core import InvalidInput
from fairground.stats import krippendorff_alpha, plain, ratings_from_triples, read_columns


def agreement(
    file: Annotated[Path, typer.Argument(help="One row a label: columns unit, coder, value.")],
    rename: Rename = None,
    scale: Annotated[str, typer.Option(help="nominal, ordinal, interval or ratio.")] = "nominal",
    level: Level = 0.95,
    seed: RandomSeed = 0,
    json: Json = False,
) -> None:
    """Krippendorff's alpha, with missing values and an interval."""
    columns = read_columns(file, ("unit", "coder", "value"), rename=pairs("--rename", rename))
    values: list[object] = list(columns["value"])
    if scale != "nominal":
        values = [_number(file, row, text) for row, text in enumerate(columns["value"], 1)]
    found = krippendorff_alpha(
        ratings_from_triples(zip(columns["unit"], columns["coder"], values, strict=True)),
        rng=np.random.default_rng(seed),
        scale=scale,  # type: ignore[arg-type]  # checked there
        level=level,
    )
    if json:
        print_json(plain(found))
        return
    alpha = found.alpha
    console.print(
        f"[bold]Krippendorff's alpha[/] ({scale})  {alpha.estimate:.3f} \\[{alpha.low:.3f}, {alpha.high:.3f}]   "
        f"{found.units:,} units, {found.values:,} labels",
        highlight=False,
    )
    print_notes(("", note) for note in found.notes)


def _number(file: Path, row: int, text: str) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        raise InvalidInput(
            f"{file}, row {row}, column 'value': expected a number, got {text!r}", fix="--scale nominal takes any label"
        ) from None
