"""The page of the replay experiment: pass@k, and what a blind script scores on a static and on a varied suite."""

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
from fairground.report.statistics_sections import Exhibit, Section
from fairground.stats import Interval


def write_replay_page(result: ReplayResult, path: Path) -> Path:
    """Writes the page as one HTML file that works offline; returns its path."""
    header = tag(
        "header",
        tag("div", tag("b", "Fairground"), tag("span", "Replay experiment"), class_="brand"),
        tag("h1", "Does a script that never looks score as much as the agent?"),
        tag("p", f"{result.agent} was recorded on {result.tasks} tasks, and its successes were played back blindly.",
            class_="measured"),
    )  # fmt: skip
    footer = tag("footer", tag("p", f"Fairground {fairground.__version__}."))
    write_page(path, page_of("Replay experiment", header, tag("main", section_of(_section(result))), footer))
    return path


def replay_figure(result: ReplayResult) -> Figure:
    """The three curves."""
    curves = tuple(
        Curve(
            label, look_of(place), tuple(map(float, result.ks)), tuple(one.estimate for one in points),
            tuple(one.low for one in points), tuple(one.high for one in points), points=True,
            said=tuple(f"{label}, k = {k}: {_said(one)}" for k, one in zip(result.ks, points, strict=True)),
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
            x_axis="Attempts watched, k", y_axis="Share of tasks", write_x=lambda k: f"{k:.0f}", write_y=percent,
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
        found = [points[place] for _, points in _curves(result)]
        rows.append([Value(str(k), float(k)), *(Value(_said(one), one.estimate) for one in found)])
    says = tag(
        "p",
        "The script keeps the first success among k attempts at each task and plays it back without looking. Where "
        "every attempt starts the same, it scores the agent's pass@k; where configurations vary, knowing the actions "
        f"is worth little. Task by task, the script on the static suite is {_points(result.gap[-1])} points from "
        f"pass@{result.ks[-1]}. Attempts at the static suite come in two halves: the script watches one half, and "
        "pass@k is measured on the other. Then they swap roles; the curves show the average.",
    )
    silent = "That a replay collapses shows that the suite varies, not that it varies as your users' worlds do."
    below = table("numbers", ("k", *(name for name, _ in _curves(result))), rows)
    left = [f"{count} episodes errored or were invalid ({kind}): they are left out, and are not failures"
            for kind, count in result.unscored.items() if count]  # fmt: skip
    left += [f"{count} tasks without enough scored episodes were left out at the largest k ({kind})"
             for kind, count in result.left_out.items() if count]  # fmt: skip
    exhibit = Exhibit(replay_figure(result), says, silent, below, tuple(left))
    return Section("replay", "Blind replay", (exhibit,), intro="Bars are 95% intervals over tasks.")


def _points(one: Interval) -> str:
    return f"{100 * one.estimate:+.0f} ({100 * one.low:+.0f} to {100 * one.high:+.0f})"


def _said(one: Interval) -> str:
    return f"{one.estimate:.0%} ({one.low:.0%} to {one.high:.0%})"
