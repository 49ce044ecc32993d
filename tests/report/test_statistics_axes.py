"""The report's section on axes: value by value in an ordinary run, in matched pairs where there are any."""

from __future__ import annotations

import re

import numpy as np
import pytest

from fairground.report.statistics_page import figures, statistics_page
from fairground.stats import Summary, Table, summarise, table_of


def a_run(scenarios: int = 30, agents: tuple[str, ...] = ("ada",), dark: float = -0.5) -> Table:
    """Configurations drawn at random; the dark theme hurts."""
    rng = np.random.default_rng(4)
    columns: dict[str, list[object]] = {
        name: [] for name in ("agent", "app", "scenario", "profile", "theme", "rollout", "success")
    }
    grid = [(f"person-{profile}", theme) for profile in range(8) for theme in ("light", "dark", "large")]
    for agent in agents:
        for scenario in range(scenarios):
            for pick in rng.choice(len(grid), 4, replace=False):
                profile, theme = grid[pick]
                for rollout in range(3):
                    passed = int(rng.random() < 0.7 + dark * (theme == "dark"))
                    row = (agent, "notes", f"task-{scenario}", profile, theme, rollout, passed)
                    for name, value in zip(columns, row, strict=True):
                        columns[name].append(value)
    return table_of(columns)


@pytest.fixture(scope="module")
def usual() -> Summary:
    return summarise(a_run(agents=("ada", "bob")), resamples=100)


def test_a_run_at_random_shows_each_value_and_says_which_axis_matters(usual: Summary) -> None:
    page = statistics_page(usual)
    assert re.search(r"The success of <bdi[^>]*>ada</bdi> depends on <bdi[^>]*>theme</bdi> \(2 axes tested", page)
    assert "theme: dark, ada" in page and "theme: dark, bob" in page
    assert page.count("those compared differ along other axes too") == 1
    assert "axis-values" in figures(usual)
    numbers = page.partition('id="axis-values-numbers"')[2].partition("</table>")[0]
    assert numbers.count("<tr") == 1 + 2 * (8 + 3), "a row for each value of each agent, and the head"


def test_where_nothing_matters_the_page_says_that_nothing_is_shown_to() -> None:
    page = statistics_page(summarise(a_run(dark=0.0), resamples=100))
    assert re.search(r"No axis has a significant effect on the success of <bdi[^>]*>ada</bdi> \(2 tested\)", page)


def test_with_too_few_scenarios_and_no_pairs_the_section_is_left_out_with_the_reason() -> None:
    table = table_of(
        {"scenario": ["task"] * 4, "profile": list("aabb"), "theme": list("xxyy"), "success": [0, 1, 1, 1]}
    )
    page = statistics_page(summarise(table, resamples=100))
    assert 'id="sensitivity"' not in page
    assert "has two values in at least three scenarios" in page
