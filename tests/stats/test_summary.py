"""The whole of a table in one record, and reliability from cells."""

import json

import numpy as np
import pytest

from fairground.core import InvalidInput, Outcome
from fairground.stats import (
    Contender,
    Table,
    changes,
    count,
    pass_hat_k,
    plain,
    reliability,
    summarise,
    table_from_rows,
)


def episodes(seed: int = 0, agents: str = "abc", rollouts: int = 3) -> list[dict[str, object]]:
    rng = np.random.default_rng(seed)
    ease = {(app, s): rng.random() for app in ("mail", "maps") for s in range(6)}
    return [
        {
            "agent": agent,
            "app": app,
            "scenario": f"s{s}",
            "theme": theme,
            "rollout": r,
            "outcome": "passed" if rng.random() < ease[app, s] ** (1 + 4 * at) else "failed",
            "steps": int(rng.integers(5, 40)),
            "cost": 0.5 + at,
        }
        for at, agent in enumerate(agents)
        for app, s in ease
        for theme in ("dark", "light")
        for r in range(rollouts)
    ]


def shuffled(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    return [rows[at] for at in np.random.default_rng(1).permutation(len(rows))]


def test_the_same_seed_and_rows_in_any_order_give_the_same_figures() -> None:
    rows = episodes()
    one, other = (plain(summarise(table_from_rows(found), resamples=200)) for found in (rows, shuffled(rows)))
    one.pop("source"), other.pop("source")
    assert json.dumps(one) == json.dumps(other)
    assert plain(summarise(table_from_rows(rows), resamples=200, seed=1)) != one


def test_an_agent_has_the_same_figures_whoever_else_is_in_the_table() -> None:
    alone = summarise(table_from_rows(episodes(agents="a")), resamples=300).standings[0]
    among = summarise(table_from_rows(episodes(agents="abc")), resamples=300).standings[0]
    assert among.contender == Contender("a")
    assert alone.score.estimate == among.score.estimate
    assert alone.score.low == pytest.approx(among.score.low, abs=0.05)


def test_errors_are_counted_and_never_scored() -> None:
    rows = episodes(agents="ab")
    clean = summarise(table_from_rows(rows), resamples=200)
    broken = [
        {**row, "rollout": 90 + at, "outcome": outcome} for at, row in enumerate(rows[:10]) for outcome in ("errored",)
    ] + [{**rows[0], "rollout": 99, "outcome": "invalid"}]
    found = summarise(table_from_rows(rows + broken), resamples=200)
    assert [one.score for one in found.standings] == [one.score for one in clean.standings]
    assert found.outcomes[Outcome.ERRORED] == 10 and found.outcomes[Outcome.INVALID] == 1
    a = next(one for one in found.standings if one.contender.agent == "a")
    assert a.outcomes[Outcome.ERRORED] == 10 and sum(one[Outcome.ERRORED] for one in a.app_outcomes.values()) == 10
    assert any("10 errored and 1 invalid" in note for note in found.notes)


def test_an_agent_without_a_scored_episode_is_named_and_left_out() -> None:
    rows = [*episodes(agents="ab"), {**episodes()[0], "agent": "dead", "outcome": "errored"}]
    found = summarise(table_from_rows(rows), resamples=100)
    assert found.unscored == (Contender("dead"),) and len(found.standings) == 2


def test_a_table_of_errors_alone_is_refused() -> None:
    rows = [{**row, "outcome": "errored"} for row in episodes()[:5]]
    with pytest.raises(InvalidInput, match="no episode has a score: 5 errored"):
        summarise(table_from_rows(rows))


def test_one_row_gives_a_summary_that_admits_it_knows_nothing() -> None:
    found = summarise(table_from_rows([{"scenario": "s", "success": True}]), resamples=50)
    (one,) = found.standings
    assert one.score.estimate == 1 and one.score.low < 0.25
    assert any("only one scenario" in note for note in one.notes)
    json.dumps(plain(found))


def test_pairs_are_corrected_for_their_number() -> None:
    found = summarise(table_from_rows(episodes()), resamples=500)
    assert len(found.duels) == 3
    for duel in found.duels:
        assert duel.adjusted >= duel.comparison.p_value
        assert duel.better is None or duel.adjusted <= 0.05
    assert found.duels[1].better == Contender("a")


def test_cost_per_success_counts_failures_as_well() -> None:
    rows = [{"scenario": f"s{at}", "success": at < 2, "cost": 3.0, "steps": at} for at in range(8)]
    (one,) = summarise(table_from_rows(rows), resamples=100).standings
    assert one.cost_per_success == pytest.approx(12.0)
    assert one.spreads["steps"].median == 3.5 and one.spreads["steps"].mean.estimate == 3.5


def test_contenders_that_share_no_app_are_not_compared_and_it_is_said() -> None:
    rows = [{"agent": agent, "app": agent, "scenario": f"s{s}", "success": s % 2} for agent in "ab" for s in range(4)]
    found = summarise(table_from_rows(rows), resamples=100)
    assert found.duels == () and any("share no app" in note for note in found.notes)


def cells_of(rows: list[tuple[str, str, tuple[int, ...]]]) -> Table:
    return table_from_rows(
        {"app": "x", "scenario": scenario, "theme": theme, "success": value}
        for scenario, theme, values in rows
        for value in values
    )


def test_reliability_has_the_golden_pass_hat_k() -> None:
    table = cells_of([("s0", "d", (0, 0, 0)), ("s1", "d", (0, 1, 0)), ("s2", "d", (1, 1, 0)), ("s3", "d", (1, 1, 1))])
    found = reliability(count(table))
    assert [one.estimate for one in found.pass_hat.points] == pytest.approx([0.5, 1 / 3, 0.25])
    assert [one.estimate for one in found.pass_hat.points] == pytest.approx(
        [pass_hat_k([0, 1, 2, 3], [3] * 4, k).estimate for k in (1, 2, 3)]
    )
    assert found.consistency.counts == {"always": 1, "sometimes": 2, "never": 1}


def test_tasks_of_one_scenario_are_drawn_together() -> None:
    """Nine configurations that always end alike are one piece of evidence, not nine."""
    alike = [(f"s{s}", f"t{t}", (s % 2,) * 2) for s in range(6) for t in range(9)]
    alone = [(f"s{s}", "t0", (s % 2,) * 2) for s in range(6)]
    wide = reliability(count(cells_of(alone))).pass_hat.points[0]
    same = reliability(count(cells_of(alike))).pass_hat.points[0]
    assert (same.low, same.high) == (wide.low, wide.high)


def test_without_repetition_a_task_is_a_scenario_in_all_its_configurations() -> None:
    table = cells_of([(f"s{s}", f"t{t}", (int(t < s),)) for s in range(4) for t in range(3)])
    found = reliability(count(table))
    assert found.tasks == 4 and len(found.pass_hat.ks) == 3
    assert any("A task is a scenario" in note for note in found.pass_hat.notes)
    assert changes(count(table), count(table)).tasks == 4


def test_a_k_that_nobody_was_tried_is_refused() -> None:
    table = cells_of([("s0", "d", (0, 1)), ("s1", "d", (1, 1))])
    with pytest.raises(InvalidInput, match="no task was tried that often"):
        reliability(count(table), largest_k=3)


def test_all_successes_do_not_give_a_curve_without_width() -> None:
    table = cells_of([(f"s{s}", "d", (1, 1, 1)) for s in range(5)])
    points = reliability(count(table)).pass_hat.points
    assert all(one.estimate == 1 and one.low < 0.6 for one in points)


def test_the_score_with_errors_as_failures_is_that_of_the_table_where_they_failed() -> None:
    rows = episodes(agents="ab")
    for number, row in enumerate(rows):
        if row["agent"] == "a" and row["outcome"] == "failed":
            row["outcome"] = "errored"
        if number % 40 == 0:
            row["outcome"] = "invalid"
    table = table_from_rows(rows)
    found = summarise(table, depth="scores")
    quits, honest = found.standings
    failed = summarise(table_from_rows([{**row, "outcome": "failed"} if row["outcome"] == "errored" else row
                                        for row in rows]), depth="scores")  # fmt: skip
    strict = {one.contender: one.score for one in failed.standings}
    assert quits.contender == Contender("a") and quits.score.estimate == 1 and honest.score_errors_failed is None
    assert quits.score_errors_failed == strict[Contender("a")] and honest.score == strict[Contender("b")]
    (duel,) = found.duels
    assert duel.better == Contender("a") and duel.errors_failed is not None
    assert duel.errors_failed.difference.estimate < duel.comparison.difference.estimate
    assert plain(found)["standings"][0]["score_errors_failed"]["high"] < 1
    assert summarise(table_from_rows(episodes()), depth="scores").standings[0].score_errors_failed is None


def test_a_conclusion_that_hangs_on_errors_is_told() -> None:
    rows = [
        {"agent": agent, "app": "mail", "scenario": f"s{s}", "rollout": 0, "reward": 0.5,
         "outcome": "passed" if (s < 8) == (agent == "quits") else "errored" if agent == "quits" else "failed"}
        for agent in ("quits", "other") for s in range(16)
    ]  # fmt: skip
    found = summarise(table_from_rows(rows), depth="scores")
    (duel,) = found.duels
    assert duel.better == Contender("quits") and duel.better_errors_failed is None
    said = "quits is better without errored episodes; with errors counted as failures: undecided."
    assert any(note.endswith(said) for note in found.notes)


def test_a_table_that_says_what_ended_an_episode_tells_whose_own_errors_were_excluded() -> None:
    rows = [
        {"agent": agent, "app": "mail", "scenario": f"s{s}", "rollout": 0,
         "outcome": "passed" if s else "errored", "ended_by": "agent_error" if agent == "quits" else "error"}
        for agent in ("quits", "unlucky") for s in range(4)
    ]  # fmt: skip
    notes = summarise(table_from_rows(rows), depth="scores").notes
    assert "agent errors were excluded from the score of quits" in notes
