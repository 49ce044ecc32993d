"""The report of the replay experiment: pass@k, and the score of a blind script on a static and on a varied suite."""

from __future__ import annotations

from pathlib import Path

import fairground
from fairground.prove.replay_experiment import ReplayResult
from fairground.report.data_table import Rows, Value, table
from fairground.report.html import tag
from fairground.report.page_frame import page_of, section_of, write_page
from fairground.report.plots import Figure, figure, look_of
from fairground.report.plots.curves import Curve, Panel, panels
from fairground.report.plots.scale import percent
from fairground.report.plural import counted
from fairground.report.statistics_sections import Exhibit, Section
from fairground.stats import Interval


def write_replay_page(result: ReplayResult, path: Path) -> Path:
    """Write the page as one HTML file that works offline. Returns its path."""
    header = tag(
        "header",
        tag("div", tag("b", "Fairground"), tag("span", "Replay experiment"), class_="brand"),
        tag("h1", "Does a blind script score as much as the agent?"),
        tag("p", f"{result.agent} was recorded on {counted(result.tasks, 'task')}, and its successful episodes were "
                 "replayed without looking at the screen.",
            class_="measured"),
    )  # fmt: skip
    footer = tag("footer", tag("p", f"Fairground {fairground.__version__}."))
    write_page(path, page_of("Replay experiment", header, tag("main", section_of(_section(result))), footer))
    return path


def replay_figure(result: ReplayResult) -> Figure:
    """Plot the three curves."""
    curves = tuple(
        Curve(
            label, look_of(place), tuple(map(float, result.ks)), tuple(point.estimate for point in points),
            tuple(point.low for point in points), tuple(point.high for point in points), points=True,
            said=tuple(f"{label}, k = {k}: {_said(point)}" for k, point in zip(result.ks, points, strict=True)),
        )
        for place, (label, points) in enumerate(_curves(result))
    )  # fmt: skip
    largest = result.ks[-1]
    return figure(
        "replay",
        "Success rate of a blind replay",
        "; ".join(str(curve.said[-1]) for curve in curves),
        lambda width: panels(
            [Panel("", curves)], width=width, across=1, x=(0.6, largest + 0.4), ticks=tuple(map(float, result.ks)),
            x_axis="Recorded attempts, k", y_axis="Share of tasks", write_x=lambda k: f"{k:.0f}", write_y=percent,
        ),
    )  # fmt: skip


def _curves(result: ReplayResult) -> list[tuple[str, tuple[Interval, ...]]]:
    return [
        ("pass@k of the agent", result.pass_at_k),
        ("replay, static suite", result.static),
        ("replay, varied suite", result.varied),
    ]


def _section(result: ReplayResult) -> Section:
    rows: Rows = []
    for place, k in enumerate(result.ks):
        last = [points[place] for _, points in _curves(result)]
        rows.append([Value(str(k), float(k)), *(Value(_said(interval), interval.estimate) for interval in last)])
    says = tag(
        "p",
        "The script stores the first success among k attempts at each task and replays it without looking at the "
        "screen. If every attempt starts in the same state, it reaches the agent's pass@k. If configurations vary, "
        "knowing the actions is worth little. Compared task by task, the script on the static suite is "
        f"{_points(result.gap[-1])} points from pass@{result.ks[-1]}. Attempts at the static suite are split into "
        "two halves: the script uses one half, and pass@k is measured on the other. Then the halves are swapped; "
        "the curves show the average.",
    )
    silent = "That the suite varies as your users' software does: a low replay score shows only that it varies."
    below = table("numbers", ("k", *(name for name, _ in _curves(result))), rows)
    left = [f"Excluded, and not counted as failed: {counted(count, 'errored or invalid episode')} ({kind})"
            for kind, count in result.unscored.items() if count]  # fmt: skip
    left += [f"Excluded at the largest k: {counted(count, 'task')} without enough scored episodes ({kind})"
             for kind, count in result.left_out.items() if count]  # fmt: skip
    exhibit = Exhibit(replay_figure(result), says, silent, below, tuple(left))
    return Section("replay", "Blind replay", (exhibit,), intro="Bars are 95% intervals over tasks.")


def _points(interval: Interval) -> str:
    return f"{100 * interval.estimate:+.0f} ({100 * interval.low:+.0f} to {100 * interval.high:+.0f})"


def _said(interval: Interval) -> str:
    return f"{interval.estimate:.0%} ({interval.low:.0%} to {interval.high:.0%})"
