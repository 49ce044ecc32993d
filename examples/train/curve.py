"""The learning curve as an SVG figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fairground.report.plots import Curve, Panel, figure, look_of, panels
from fairground.stats import Interval


@dataclass(frozen=True)
class Point:
    """The success rate on held-out configurations at one moment of the training.

    Attributes:
        episodes: Episodes that the policy had learned from.
        minutes: Minutes since the start.
    """

    episodes: int
    minutes: float
    rate: Interval
    said: str


def write_curve(path: Path, learned: Sequence[Point], cloned: Point, chance: Interval) -> None:
    """Write the figure: success on held-out configurations against episodes.

    Args:
        path: Where to write it.
        learned: The policy before training, after cloning and during reinforcement learning.
        cloned: The policy after cloning, for the line of cloning only.
        chance: The random agent.
    """
    end = max(point.episodes for point in learned)
    xs = tuple(float(point.episodes) for point in learned)
    curves = (
        Curve(
            "cloning, then reinforcement learning", look_of(0), xs, tuple(point.rate.estimate for point in learned),
            tuple(point.rate.low for point in learned), tuple(point.rate.high for point in learned), points=True,
            said=tuple(point.said for point in learned),
        ),
        _flat("cloning only", 1, cloned.episodes, end, cloned.rate),
        _flat("random agent", 7, 0, end, chance),
    )  # fmt: skip
    drawn = figure(
        "training",
        "Success on held-out configurations during training",
        "; ".join(point.said for point in learned),
        lambda width: panels(
            [Panel("", curves)], width=width, across=1, x=(-0.02 * end, 1.01 * end), ticks=_ticks(end),
            x_axis="Episodes learned from (demonstrations and attempts)", y_axis="Success, held-out configurations",
            write_x=lambda value: f"{value:g}", write_y=lambda value: f"{100 * value:.0f}%",
        ),
    )  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(drawn.standalone())


def _flat(label: str, place: int, start: float, end: float, rate: Interval) -> Curve:
    said = f"{label}: {100 * rate.estimate:.0f}%"
    return Curve(label, look_of(place), (float(start), float(end)), (rate.estimate,) * 2, (rate.low,) * 2,
                 (rate.high,) * 2, said=said)  # fmt: skip


def _ticks(end: int) -> tuple[float, ...]:
    step = next(size for size in (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10**9) if end / size <= 8)
    return tuple(float(value) for value in range(0, end + 1, step))
