"""Counting, against a reference that is slow and plain."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairground.core import AXES, InvalidInput, UnknownName
from fairground.stats import (
    Cells,
    Contender,
    Table,
    count,
    count_all,
    match,
    match_scenarios,
    table_from_rows,
    table_of,
)

Row = dict[str, Any]


def rows_strategy() -> st.SearchStrategy[list[Row]]:
    """Ragged tables: some columns not there at all, names missing here and there, several suites and conditions."""
    columns = {
        "agent": st.sampled_from(["a", "b"]),
        "condition": st.sampled_from(["", "hot"]),
        "suite": st.sampled_from(["p", "q"]),
        "app": st.sampled_from(["x", "y", "x/z"]),
        "instance": st.sampled_from(["", "1", "10", "9"]),
        "profile": st.sampled_from(["u", "v"]),
        "theme": st.sampled_from(["", "dark"]),
        "ui_state": st.sampled_from(["l", "m"]),
    }
    needed = {
        "scenario": st.sampled_from(["s", "t", "y/s"]),
        "outcome": st.sampled_from(["passed", "failed", "passed", "failed", "errored", "invalid"]),
        "reward": st.integers(0, 4).map(lambda value: value / 4),
    }
    return st.sets(st.sampled_from(sorted(columns))).flatmap(
        lambda there: st.lists(
            st.fixed_dictionaries(needed | {name: columns[name] for name in sorted(there)}), min_size=1, max_size=25
        )
    )


def reference(rows: list[Row], who: Contender, value: str) -> dict[tuple[str, ...], list[float]]:
    """What each configuration's scored episodes are worth."""
    several = len({row.get("suite", "") for row in rows}) > 1
    axes = [axis for axis in AXES if len({row.get(axis, "") for row in rows}) > 1]
    found = defaultdict(list)
    for row in rows:
        if (row.get("agent", ""), row.get("condition", "")) != (who.agent, who.condition):
            continue
        if row["outcome"] not in ("passed", "failed"):
            continue
        app = row.get("app", "") or "all"
        app = f"{row['suite']}/{app}" if several else app
        key = (app, f"{app}/{row['scenario']}", *(row.get(axis, "") for axis in axes))
        found[key].append(row["reward"] if value == "reward" else float(row["outcome"] == "passed"))
    return found


def as_dictionary(cells: Cells) -> dict[tuple[str, ...], list[float]]:
    """The same, from cells."""
    found = {}
    ends = np.cumsum(cells.rollouts)
    for at, (scenario, levels) in enumerate(zip(cells.scenario.tolist(), cells.levels.tolist(), strict=True)):
        chosen = [values[level] for values, level in zip(cells.axis_values, levels, strict=True)]
        key = (cells.apps[cells.app_of[scenario]], cells.scenarios[scenario], *chosen)
        wins, tries = cells.successes[at], int(cells.rollouts[at])
        if cells.values is None:
            found[key] = [1.0] * int(wins) + [0.0] * (tries - int(wins))
        else:
            found[key] = cells.values[ends[at] - tries : ends[at]].tolist()
            assert wins == pytest.approx(sum(found[key]))
    assert len(found) == len(cells)
    return found


def same(one: dict[tuple[str, ...], list[float]], other: dict[tuple[str, ...], list[float]]) -> bool:
    return {key: sorted(values) for key, values in one.items()} == {
        key: sorted(values) for key, values in other.items()
    }


def scored(table: Table) -> list[Contender]:
    return [who for who in table.contenders if (table.rows_of(who) & table.scored).any()]


@settings(deadline=None)
@given(rows_strategy(), st.sampled_from(["success", "reward"]))
def test_counting_agrees_with_a_dictionary(rows: list[Row], value: str) -> None:
    table = table_from_rows(rows)
    for who in scored(table):
        cells = count(table, who, value=value)
        assert same(as_dictionary(cells), reference(rows, who, value))
        assert cells.episodes == int((table.rows_of(who) & table.scored).sum())


@settings(deadline=None)
@given(rows_strategy(), st.randoms(use_true_random=False))
def test_counting_does_not_care_for_the_order_of_rows_or_columns(rows: list[Row], random: Any) -> None:
    shuffled = random.sample(rows, len(rows))
    turned = [dict(reversed(row.items())) for row in shuffled]
    one, other = table_from_rows(rows), table_from_rows(turned)
    for who in scored(one):
        a, b = count(one, who), count(other, who)
        assert (a.apps, a.scenarios, a.axes, a.axis_values) == (b.apps, b.scenarios, b.axes, b.axis_values)
        for name in ("app_of", "scenario", "levels", "successes", "rollouts"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


@settings(deadline=None)
@given(rows_strategy())
def test_cells_are_sorted_so_that_what_belongs_together_lies_together(rows: list[Row]) -> None:
    table = table_from_rows(rows)
    for who in scored(table):
        cells = count(table, who)
        keys = [
            (int(cells.app_of[s]), s, *level)
            for s, level in zip(cells.scenario.tolist(), cells.levels.tolist(), strict=True)
        ]
        assert keys == sorted(set(keys))
        assert list(cells.apps) == sorted(set(cells.apps))
        assert set(cells.scenario.tolist()) == set(range(len(cells.scenarios)))
        assert set(cells.app_of.tolist()) == set(range(len(cells.apps)))
        assert cells.starts.tolist()[-1] == len(cells) and (cells.rollouts > 0).all()


@settings(deadline=None)
@given(rows_strategy())
def test_means_give_every_configuration_scenario_and_app_one_voice(rows: list[Row]) -> None:
    table = table_from_rows(rows)
    for who in scored(table):
        cells = count(table, who)
        tree: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for key, values in reference(rows, who, "success").items():
            tree[key[0]][key[1]].append(float(np.mean(values)))
        expected = [float(np.mean([np.mean(cell) for cell in tree[app].values()])) for app in cells.apps]
        np.testing.assert_allclose(cells.app_means, expected)


@settings(deadline=None)
@given(rows_strategy(), st.sampled_from(["success", "reward"]))
def test_matching_is_the_intersection_of_configurations(rows: list[Row], value: str) -> None:
    table = table_from_rows(rows)
    everyone = scored(table)
    for one, other in pairwise(everyone):
        a, b = count(table, one, value=value), count(table, other, value=value)
        sides = as_dictionary(a), as_dictionary(b)
        both = set(sides[0]) & set(sides[1])
        if not both:
            with pytest.raises(InvalidInput, match="share no configuration"):
                match(a, b)
        else:
            kept = match(a, b)
            for cells, whole in zip(kept, sides, strict=True):
                assert same(as_dictionary(cells), {key: whole[key] for key in both})
            assert [kept[0].configuration(at) for at in range(len(kept[0]))] == [
                kept[1].configuration(at) for at in range(len(kept[1]))
            ]
        scenarios = {key[:2] for key in sides[0]} & {key[:2] for key in sides[1]}
        if not scenarios:
            with pytest.raises(InvalidInput, match="share no scenario"):
                match_scenarios(a, b)
        else:
            for cells, whole in zip(match_scenarios(a, b), sides, strict=True):
                assert same(as_dictionary(cells), {key: item for key, item in whole.items() if key[:2] in scenarios})


@settings(deadline=None)
@given(rows_strategy(), st.integers(0, 2**25 - 1))
def test_keeping_cells_drops_what_is_left_without_any(rows: list[Row], bits: int) -> None:
    table = table_from_rows(rows)
    for who in scored(table):
        cells = count(table, who, value="reward")
        mask = np.array([bool(bits >> at & 1) for at in range(len(cells))])
        if mask.any():
            whole = list(as_dictionary(cells).items())
            assert as_dictionary(cells.keep(mask)) == {key: item for at, (key, item) in enumerate(whole) if mask[at]}


def test_scenarios_of_one_name_in_two_apps_are_two() -> None:
    rows = [{"app": app, "scenario": "s", "success": value} for app, value in (("x", 1), ("y", 0), ("y", 0))]
    cells = count(table_from_rows(rows))
    assert cells.scenarios == ("x/s", "y/s") and cells.app_means.tolist() == [1, 0]


@pytest.mark.parametrize(
    "pair",
    [
        ({"app": "a", "scenario": "b/c"}, {"app": "a/b", "scenario": "c"}),
        ({"suite": "p", "app": "q", "scenario": "x/s"}, {"suite": "p/q", "app": "x", "scenario": "s"}),
        ({"scenario": "s", "theme": "a/b", "profile": "c"}, {"scenario": "s", "theme": "b", "profile": "c/a"}),
        ({"scenario": "s@d", "theme": "e"}, {"scenario": "s", "theme": "d@e"}),
    ],
)
def test_configurations_that_would_have_one_name_are_refused(pair: tuple[Row, Row]) -> None:
    rows = [row | {"agent": agent, "success": 1} for agent, row in zip("xy", pair, strict=True)]
    table = table_from_rows(rows)
    for agent in "xy":
        with pytest.raises(InvalidInput, match="two configurations would both be called"):
            count(table, agent)


def test_slashes_that_mix_nothing_up_are_fine() -> None:
    rows = [
        {"app": "a", "scenario": "b/c", "theme": "d/e", "profile": "f", "success": 1},
        {"app": "a/b", "scenario": "d", "theme": "d", "profile": "g", "success": 0},
    ]
    assert count(table_from_rows(rows)).scenarios == ("a/b/c", "a/b/d")


def test_an_axis_counts_as_varied_when_any_contender_varied_it() -> None:
    rows = [
        {"agent": "a", "scenario": "s", "theme": "d", "success": 1},
        {"agent": "b", "scenario": "s", "theme": "l", "success": 1},
    ]
    one, two = count_all(table_from_rows(rows))
    assert one.axes == two.axes == ("theme",) and one.axis_values == (("d", "l"),)
    assert one.configuration(0) == "all/s@d" and two.configuration(0) == "all/s@l"
    with pytest.raises(InvalidInput, match="share no configuration"):
        match(one, two)


def test_cells_of_different_tables_are_not_matched() -> None:
    one = count(table_of({"scenario": ["s", "s"], "theme": ["d", "l"], "success": [1, 1]}))
    two = count(table_of({"scenario": ["s", "s"], "theme": ["d", "e"], "success": [1, 1]}))
    with pytest.raises(InvalidInput, match="different tables"):
        match(one, two)


def test_whoever_has_no_scored_episode_cannot_be_counted() -> None:
    table = table_of({"agent": ["a", "a", "b"], "scenario": list("stu"), "outcome": ["errored", "invalid", "passed"]})
    with pytest.raises(InvalidInput, match="a has no scored episode: 1 errored, 1 invalid"):
        count(table, "a")
    assert [str(cells.contender) for cells in count_all(table)] == ["b"]
    with pytest.raises(InvalidInput, match="no episode has a score: 2 errored"):
        count_all(table_of({"scenario": ["s", "t"], "outcome": ["errored", "errored"]}))


def test_the_contender_may_be_left_out_only_when_there_is_one() -> None:
    table = table_of({"agent": ["a", "b"], "scenario": ["s", "s"], "success": [1, 0]})
    with pytest.raises(InvalidInput, match="table has 2 contenders: a, b"):
        count(table)
    with pytest.raises(UnknownName):
        count(table, "c")
    assert count(table.where(agent="a")).contender == Contender("a")


def test_an_episode_may_be_worth_a_number_that_every_scored_one_has() -> None:
    columns = {"scenario": ["s", "s", "t"], "outcome": ["passed", "failed", "errored"], "steps": [3, 5, None]}
    cells = count(table_of(columns), value="steps")
    assert cells.successes.tolist() == [8] and cells.values is not None and cells.values.tolist() == [3, 5]
    with pytest.raises(InvalidInput, match="column 'steps' is empty in 1 of 2 scored episodes"):
        count(table_of({**columns, "steps": [3, None, 1]}), value="steps")
    with pytest.raises(InvalidInput, match="has no column 'cost'"):
        count(table_of(columns), value="cost")
    with pytest.raises(UnknownName, match="unknown value 'step'"):
        count(table_of(columns), value="step")
