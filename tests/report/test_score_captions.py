"""What the leaderboard of a report says about its scores, and its axis."""

from __future__ import annotations

import re
from typing import Any

from fairground.report.statistics_page import statistics_page
from fairground.report.statistics_words import how_intervals_are_made, what_scores_do_not_say
from fairground.stats import table_of
from fairground.stats.summary import Summary, summarise


def a_summary(*, apps: int = 1, scenarios: int = 1, themes: int = 2, passing: bool = True, **more: Any) -> Summary:
    """Two rollouts per configuration, of which the first passes if `passing`."""
    rows = [
        ("solo", f"app {app}", f"task {scenario}", f"theme {theme}", str(rollout), passing and rollout == 0)
        for app in range(apps)
        for scenario in range(scenarios)
        for theme in range(themes)
        for rollout in range(2)
    ]
    names = ("agent", "app", "scenario", "theme", "rollout", "success")
    table = table_of({name: [row[place] for row in rows] for place, name in enumerate(names)})
    return summarise(table, seed=1, resamples=200, depth="scores", **more)


def captions(**kind: Any) -> str:
    summary = a_summary(**kind)
    return f"{how_intervals_are_made(summary)} {what_scores_do_not_say(summary)}"


def test_the_interval_of_several_scenarios_covers_other_scenarios() -> None:
    assert "other scenarios of these apps" in captions(apps=2, scenarios=3)


def test_the_interval_of_one_scenario_says_nothing_about_others() -> None:
    several = captions()
    assert "other configurations of this scenario" in several
    single = captions(themes=1)
    assert "this configuration again" in single and "rollouts as independent trials" in single
    for caption in (several, single):
        assert "other scenarios of these apps" not in caption and "only one scenario was run" in caption
        assert "the interval says nothing about other scenarios" in caption
    assert "the interval says nothing about other scenarios" in captions(scheme="prism")


def test_with_one_scenario_per_app_the_apps_are_the_sample() -> None:
    caption = captions(apps=3)
    assert "treats the apps as the sample" in caption and "taken as fixed" not in caption


def test_the_axis_of_the_leaderboard_goes_from_0_to_100_percent() -> None:
    page = statistics_page(a_summary(scenarios=3, passing=False))
    ticks = re.search(r'<svg[^>]*class="inline scale".*?</svg>', page, re.DOTALL)
    assert ticks and re.findall(r">(\d+%)<", ticks[0]) == ["0%", "25%", "50%", "75%", "100%"]
