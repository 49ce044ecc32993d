"""`fairground stats agreement`: the agreement of people who label the same things."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from fairground.cli.output import Json, print_entry, print_json
from fairground.cli.stats.options import Level, RandomSeed, Rename, pairs, print_notes
from fairground.core import InvalidInput
from fairground.stats import krippendorff_alpha, plain, ratings_from_triples, read_columns

_MOST_GRADES = 11  # from 0 to 10


def agreement(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Table with one row per label: columns unit, coder, value.")
    ],
    rename: Rename = None,
    scale: Annotated[
        str | None,
        typer.Option(
            metavar="SCALE", help="nominal, ordinal, interval or ratio. [default: nominal; ordinal with --order]"
        ),
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(metavar="LABELS", help="Labels of an ordinal scale in order, such as worse,tie,better."),
    ] = None,
    level: Level = 0.95,
    seed: RandomSeed = 0,
    json: Json = False,
) -> None:
    """Measure the agreement of labels with Krippendorff's alpha.

    \b
    Examples:
      fairground stats agreement labels.csv
      fairground stats agreement labels.csv --order worse,tie,better

    Missing labels are allowed. Alpha is 1 for perfect agreement and 0 for chance agreement.
    """  # noqa: D301 (\b keeps line breaks)
    scale = scale or ("nominal" if order is None else "ordinal")
    if order is not None and scale != "ordinal":
        raise InvalidInput(f"--order needs --scale ordinal, got --scale {scale}", fix="remove one of them")
    columns = read_columns(file, ("unit", "coder", "value"), rename=pairs("--rename", rename))
    values: list[object] = list(columns["value"])
    if order is not None:
        place = {label.strip(): float(number) for number, label in enumerate(order.split(","))}
        values = [_place(file, row, text, place) for row, text in enumerate(columns["value"], 1)]
    elif scale != "nominal":
        values = [_number(file, row, text) for row, text in enumerate(columns["value"], 1)]
    result = krippendorff_alpha(
        ratings_from_triples(zip(columns["unit"], columns["coder"], values, strict=True)),
        rng=np.random.default_rng(seed),
        scale=scale,  # type: ignore[arg-type]  # checked there
        level=level,
    )
    if json:
        print_json(plain(result))
        return
    alpha = result.alpha
    print_entry(
        "",
        f"[bold]Krippendorff's alpha[/] ({scale})  {alpha.estimate:.3f} \\[{alpha.low:.3f}, {alpha.high:.3f}]   "
        f"{result.units:,} units, {result.values:,} labels",
        indent=2,
    )
    hint = _order_hint(set(columns["value"])) if scale == "nominal" else None
    print_notes(("", note) for note in (*result.notes, *((hint,) if hint else ())))


def _order_hint(labels: set[str]) -> str | None:
    """Returns a note for labels that seem to be ordered, since the nominal scale ignores order."""
    known = labels - {""}
    if 3 <= len(known) <= _MOST_GRADES and all(label.lstrip("-").isdecimal() for label in known):
        return "the labels are integers: if they are grades, use --scale ordinal, which counts distances"
    if "tie" in known and len(known) == 3:
        ends = sorted(known - {"tie"})
        return f"a tie lies between the other two: use --order {ends[0]},tie,{ends[1]}, which counts distances"
    return None


def _place(file: Path, row: int, text: str, place: dict[str, float]) -> float | None:
    if text and text not in place:
        raise InvalidInput(
            f"{file}, row {row}, column 'value': expected one of {', '.join(place)}, got {text!r}",
            fix="name every label in --order",
        )
    return place[text] if text else None


def _number(file: Path, row: int, text: str) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        raise InvalidInput(
            f"{file}, row {row}, column 'value': expected a number, got {text!r}",
            fix="use --scale nominal for labels without order, or give the order with --order",
        ) from None
