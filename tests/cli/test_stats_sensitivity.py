"""`fairground stats sensitivity`: runs with configurations drawn at random, and with matched ones."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

import pytest

from fairground.cli import main

COLUMNS = ("agent", "app", "scenario", "profile", "theme", "rollout", "success")


def table(path: Path, *, scenarios: int = 30, paired: bool = False, dark: float = -0.5) -> str:
    """An agent that the dark theme hurts and the profile does not; eight profiles, four themes, four configurations."""
    draw = random.Random(3)
    themes, profiles = ("light", "dark", "large", "plain"), tuple(f"person-{number}" for number in range(8))
    rows: list[tuple[object, ...]] = []
    for scenario in range(scenarios):
        drawn = draw.sample([(profile, theme) for profile in profiles for theme in themes], 4)
        if paired:
            drawn = [(drawn[0][0], theme) for theme in themes]
        for profile, theme in drawn:
            for rollout in range(3):
                passed = draw.random() < 0.7 + dark * (theme == "dark")
                rows.append(("one", "app", f"task-{scenario}", profile, theme, rollout, int(passed)))
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    return str(path)


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["stats", "sensitivity", *words]) == 0
    return " ".join(capsys.readouterr().out.split())


def found(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main(["stats", "sensitivity", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)["sensitivity"]["one"]


def test_an_ordinary_run_says_which_axis_matters_and_by_how_much(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = table(tmp_path / "t.csv")
    out = said(capsys, path)
    assert "Success depends on theme (p" in out and "adjusted for 2 tested axes" in out
    assert out.count("those compared differ along other axes too") == 1
    assert "3 more: --all-values" in out and "3 more" not in said(capsys, path, "--all-values")
    marginal = found(capsys, path)["marginal"]
    assert list(marginal) == ["profile", "theme"] and len(marginal["profile"]["values"]) == 8
    first = marginal["theme"]["values"][0]
    assert first["value"] == "dark" and first["shift"]["high"] < -0.2 and first["p_holm"] < 0.01
    assert marginal["profile"]["p_holm"] > 0.05


def test_where_no_axis_matters_it_says_so_and_not_that_none_does(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert "No effect of 2 tested axes is significant." in said(capsys, table(tmp_path / "t.csv", dark=0.0))


def test_with_two_scenarios_there_is_not_enough_and_no_interval(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = table(tmp_path / "t.csv", scenarios=2, paired=True)
    out = said(capsys, path)
    assert "theme: not enough data: at least 3 scenarios must vary this axis, found 2" in out
    assert "minus the rate with its other values" not in out
    theme = found(capsys, path)["marginal"]["theme"]
    assert theme["values"] == [] and theme["p_value"] is None and theme["too_few"]["dark"] == 2


def test_matched_configurations_are_compared_with_each_other(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = table(tmp_path / "t.csv", paired=True)
    assert "drawn at random" not in said(capsys, path)
    result = found(capsys, path)
    assert result["marginal"]["theme"]["within"] == "lines"
    assert [one["axis"] for one in result["axes"]] == ["theme"] and result["axes"][0]["pairs"] == 30 * 6
