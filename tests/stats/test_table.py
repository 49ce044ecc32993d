"""Columns from outside become a table, or are refused with row and column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import InvalidInput, NeedsOptions, Outcome, UnknownName
from fairground.stats import Contender, Table, join_tables, table_from_rows, table_of
from fairground.stats.tables.table import NAMES, row_keys


def table(**columns: Any) -> Table:
    """A table with scenarios, unless told otherwise."""
    length = len(next(iter(columns.values())))
    return table_of({"scenario": [f"s{row}" for row in range(length)], **columns})


def names(found: Table, column: str) -> list[str]:
    return [found.names[column].name(row) for row in range(len(found))]


def outcomes(found: Table) -> str:
    """`pfei`: passed, failed, errored, invalid."""
    return "".join("pfei"[code] for code in found.outcome.tolist())


# What success is


@pytest.mark.parametrize(
    "spelt",
    [
        [True, False],
        [1, 0],
        [1.0, 0.0],
        ["1", "0"],
        ["1.0", "0.0"],
        ["1.0000", "0e0"],
        ["true", "false"],
        ["TRUE", "False"],
        ["Yes", "no"],
        [" yes ", "\tno"],
        ["+1", "-0"],
        np.array([True, False]),
        np.array([1, 0], dtype=np.uint8),
        pa.array([True, False]),
        pa.array(["yes", "no"]).dictionary_encode(),
        pa.array([1, 0], pa.float16()),
        (value for value in (1, 0)),
        [True, "no"],
    ],
    ids=lambda spelt: repr(spelt) if isinstance(spelt, list) else type(spelt).__name__,
)
def test_success_has_many_spellings(spelt: Any) -> None:
    assert outcomes(table_of({"scenario": ["a", "b"], "success": spelt})) == "pf"


@pytest.mark.parametrize("wrong", ["2", "-1", "maybe", "0.5", "0x1", "1_0", "१", "tru", 0.3])
def test_what_is_neither_true_nor_false_is_refused_with_its_row(wrong: Any) -> None:
    with pytest.raises(InvalidInput, match=r"table, row 2, column 'success': expected true or false"):
        table(success=[1.0 if isinstance(wrong, float) else "1", wrong])


def test_a_share_as_success_is_pointed_to_rewards() -> None:
    with pytest.raises(InvalidInput) as caught:
        table(success=["0.5"])
    assert "success=reward" in str(caught.value.fix) and "success_at" in str(caught.value.fix)


@pytest.mark.parametrize(
    ("words", "meaning"),
    [
        (["pass", "fail"], "pf"),
        (["PASSED", "Failure"], "pf"),
        (["resolved", "unresolved", "not_resolved", "Not Resolved"], "pfff"),
        (["success", "ERROR", "invalid"], "pei"),
        (["correct", "incorrect", "wrong"], "pff"),
        (["T", "F", "y", "N"], "pfpf"),
        (["✅", "❌"], "pf"),
    ],
)
def test_words_of_others_are_understood_in_both_columns_and_noted(words: list[str], meaning: str) -> None:
    for column in ("success", "outcome"):
        found = table(**{column: words})
        assert outcomes(found) == meaning
        assert len(found.notes) == 1 and all(f"{word!r} " in found.notes[0] for word in words)
    assert table(success=["true", "no", "1", "0.0"]).notes == table(outcome=["passed", "errored"]).notes == ()
    assert outcomes(table(outcome=["1", "0"])) == "pf"


def test_outcomes_are_words_in_any_case() -> None:
    assert outcomes(table(outcome=["passed", "FAILED", " Errored ", "invalid"])) == "pfei"


def test_all_words_that_are_not_understood_are_listed_with_the_option_that_maps_them() -> None:
    with pytest.raises(InvalidInput, match="row 2, column 'outcome': expected passed, failed, errored, invalid") as e:
        table(outcome=["passed", "pased", "timeout", "pased"])
    assert "'pased'; and 'timeout' in other rows" in e.value.message
    assert "--map pased=MEANING --map timeout=MEANING" in str(e.value.fix)


def test_outcome_and_success_must_not_contradict_each_other() -> None:
    for outcome, success in (("passed", 0), ("failed", 1), ("errored", 1), ("invalid", 1)):
        with pytest.raises(InvalidInput, match="row 2, column 'success'.*but the outcome is"):
            table(outcome=["passed", outcome], success=[1, success])


def test_an_errored_episode_is_no_failure_whatever_its_success_says() -> None:
    found = table(outcome=["errored", "errored", "invalid", "failed"], success=[0, None, None, 0])
    assert outcomes(found) == "eeif" and found.scored.tolist() == [False, False, False, True]
    assert found.outcomes()[Outcome.ERRORED] == 2


def test_where_the_outcome_is_empty_success_or_reward_says() -> None:
    assert outcomes(table(outcome=["errored", "", None], success=["", 1, 0])) == "epf"
    assert outcomes(table(outcome=["errored", "", ""], reward=[None, 1, 0])) == "epf"
    for other in ({}, {"success": ["1", ""]}, {"reward": [1, None]}):
        with pytest.raises(InvalidInput, match="row 2, column '.*': empty"):
            table(outcome=["passed", ""], **other)


def test_an_episode_without_result_is_refused_and_the_fix_says_how_to_mark_it() -> None:
    with pytest.raises(InvalidInput, match="row 1, column 'success': empty") as caught:
        table(success=[None, 1])
    assert all(f"--missing {choice}" in str(caught.value.fix) for choice in ("errored", "failed", "skip"))


@pytest.mark.parametrize("empty", [None, "", "nan", "NaN", "null", "None", "n/a", "-"])
def test_results_without_a_value_are_what_is_said(empty: Any) -> None:
    columns = {"scenario": ["a", "b", "c"], "success": ["1", empty, "0"]}
    with pytest.raises(InvalidInput, match="row 2, column 'success': (empty|no result)"):
        table_of(columns)
    for missing, expected in (("errored", "pef"), ("failed", "pff"), ("skip", "pf")):
        found = table_of(columns, missing=missing)
        assert outcomes(found) == expected and "1 of 3 rows of table have no result" in found.notes[-1]
    assert names(table_of(columns, missing="skip"), "scenario") == ["a", "c"]


def test_nan_is_a_missing_result_and_a_missing_number() -> None:
    nan = float("nan")
    for columns in ({"success": [1.0, nan]}, {"reward": [1.0, nan]}, {"outcome": ["passed", "nan"]}):
        with pytest.raises(InvalidInput, match="row 2, column .*: (empty|no result)"):
            table(**columns)
        assert outcomes(table_of({"scenario": ["a", "b"], **columns}, missing="errored")) == "pe"
    assert np.isnan(table(success=[1, 1, 1], cost=[1, nan, 2]).numbers["cost"]).tolist() == [False, True, False]


def test_rows_without_a_result_are_listed() -> None:
    with pytest.raises(InvalidInput, match="row 1, .*; 11 of 12 rows have no result: rows 1, 2, 3, .*8 and 3 more"):
        table(success=[None] * 11 + [1])


def test_a_choice_for_missing_results_that_is_none_is_refused() -> None:
    with pytest.raises(UnknownName, match="unknown choice for missing results 'eror'"):
        table_of({"scenario": ["a"], "success": [1]}, missing="eror")
    with pytest.raises(InvalidInput, match="every row is left out"):
        table_of({"scenario": ["a"], "success": [""]}, missing="skip")


def test_rewards_of_0_and_1_are_results_and_others_need_a_threshold() -> None:
    assert outcomes(table(reward=[0, 1, 0.0])) == "fpf"
    with pytest.raises(InvalidInput, match="row 2, column 'reward': 0.5 is neither 0 nor 1"):
        table(reward=[1, 0.5])
    assert outcomes(table_of({"scenario": ["a", "b", "c"], "reward": [0.49, 0.5, 1]}, success_at=0.5)) == "fpp"


@pytest.mark.parametrize("threshold", [0, -1, 1.5, float("nan"), float("inf")])
def test_a_threshold_that_no_reward_or_every_reward_meets_is_refused(threshold: float) -> None:
    with pytest.raises(InvalidInput, match="success_at: expected a reward above 0 and up to 1"):
        table_of({"scenario": ["a"], "reward": [0.5]}, success_at=threshold)


def test_a_threshold_that_is_not_used_is_said() -> None:
    found = table_of({"scenario": ["a"], "reward": [0.9], "success": [0]}, success_at=0.5)
    assert outcomes(found) == "f" and "success_at is not used" in found.notes[0]
    assert table_of({"scenario": ["a"], "reward": [0.9]}, success_at=0.5).notes == ()


# Numbers


@pytest.mark.parametrize(
    "values",
    [[1, 2.5, None], ["1", " 2.5 ", ""], pa.array([1, 2.5, None]).dictionary_encode(), pa.array(["1", "2.5", None])],
)
def test_numbers_are_numbers_texts_or_missing(values: Any) -> None:
    found = table(success=[1, 1, 1], steps=values).numbers["steps"]
    np.testing.assert_array_equal(found, [1, 2.5, np.nan])


@pytest.mark.parametrize(
    "wrong",
    ["inf", "-inf", "1e400", "-1", "0x10", "1_000", "1,5", "1,000", "٣", "many", 1e300, 2**70],
)
def test_what_is_no_number_is_refused_with_its_row(wrong: Any) -> None:
    good: Any = "1" if isinstance(wrong, str) else 1
    with pytest.raises(InvalidInput, match="row 2, column 'cost': expected a number") as caught:
        table(success=[1, 1, 1], cost=[good, wrong, good])
    if wrong == "1,5":
        assert "point" in str(caught.value.fix)


def test_small_and_signed_zeros_are_numbers() -> None:
    assert table(success=[1, 1, 1], cost=["-0", "1e-400", "+2"]).numbers["cost"].tolist() == [0, 0, 2]


def test_rewards_lie_between_0_and_1() -> None:
    with pytest.raises(InvalidInput, match="row 1, column 'reward': expected a number from 0 to 1, got 1.5"):
        table(success=[1], reward=[1.5])


def test_large_whole_numbers_do_not_trip_over_floats() -> None:
    assert table(success=[1], steps=[2**49 + 1]).numbers["steps"].tolist() == [2**49 + 1]
    with pytest.raises(InvalidInput, match="expected a number from 0 to 1e"):
        table(success=[1], steps=[2**60 + 1])


def test_dates_are_no_numbers() -> None:
    with pytest.raises(InvalidInput, match="column 'seconds': expected numbers, got duration"):
        table(success=[1], seconds=pa.array([1], pa.duration("s")))


# Names


def test_names_may_be_of_any_type_and_lose_blanks_around_them() -> None:
    found = table(
        success=[1, 1, 1],
        app=[" a", "a ", "a"],
        theme=[1, 2, 1],
        profile=[1.0, 2.5, None],
        instance=[True, False, None],
    )
    assert found.names["app"].values == ("a",)
    assert names(found, "theme") == ["1", "2", "1"]
    assert names(found, "profile") == ["1.0", "2.5", ""]
    assert names(found, "instance") == ["true", "false", ""]


def test_a_category_that_no_row_has_is_not_there() -> None:
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 2, None]), pa.array(["x", "never", "y", "\x1b"]))
    found = table(success=[1, 1, 1], app=coded)
    assert sorted(found.names["app"].values) == ["", "x", "y"] and names(found, "app") == ["x", "y", ""]


def test_missing_and_empty_are_the_same_name() -> None:
    assert sorted(table(success=[1, 1, 1], theme=["", None, "d"]).names["theme"].values) == ["", "d"]


def test_lists_and_records_as_names_are_their_json() -> None:
    found = table(success=[1, 1, 1], instance=[{"b": 1, "a": 2}, {"a": 2, "b": 1}, None])
    assert names(found, "instance")[2] == "" and len(found.names["instance"].values) == 2


@pytest.mark.parametrize("wrong", ["a\x1b[31m", "a\x00", "\x07", "a\x9b31m", "\x7f"])
def test_control_characters_are_no_part_of_a_name(wrong: str) -> None:
    with pytest.raises(InvalidInput, match="row 2, column 'agent': expected a name, got .*control character"):
        table(success=[1, 1], agent=["a", wrong])
    assert table(success=[1], agent=["two\nlines\tand a tab"]).contenders == (Contender("two\nlines\tand a tab"),)


def test_nan_and_bytes_are_no_names() -> None:
    with pytest.raises(InvalidInput, match="row 2, column 'app': expected a name, got nan"):
        table(success=[1, 1], app=[1.0, float("nan")])
    with pytest.raises(InvalidInput, match=r"row 2, column 'app': expected a name, got b'\\xff'"):
        table(success=[1, 1], app=pa.array([b"x", b"\xff"]))


def test_every_episode_needs_its_scenario_and_its_agent() -> None:
    with pytest.raises(InvalidInput, match="row 2, column 'scenario': empty"):
        table_of({"scenario": ["a", " "], "success": [1, 1]})
    with pytest.raises(InvalidInput, match="row 1, column 'agent': empty"):
        table(success=[1, 1], agent=[None, "a"])


def test_columns_that_are_not_there_were_not_varied() -> None:
    found = table(success=[1, 0])
    assert all(found.names[name].values == ("",) for name in NAMES if name != "scenario")
    assert found.app_names().values == ("all",)
    assert [str(one) for one in found.contenders] == ["agent"]
    assert found.contender("agent") == Contender("")


# Columns


@pytest.mark.parametrize(
    ("columns", "message", "fix"),
    [
        (
            {"a": ["a"], "b": [1]},
            r"no column 'scenario' .* and no column 'success', 'outcome' or 'reward' .*; it has a, b",
            "--rename a=scenario --rename b=success",
        ),
        ({"scenaro": ["a"], "success": [1]}, "no column 'scenario'", "--rename scenaro=scenario"),
        ({"scenario": ["a"], "quality": ["good"]}, "no column 'success'", "docs/statistics/tables.md"),
        ({"scenario": ["a"], "quality": [0.5]}, "no column 'success'", "docs/statistics/tables.md"),
        ({"scenario": ["a"], "success": [1], " ": [1]}, "a column has no name", "name it"),
        ({"scenario": ["a"], "success": [1], "app": ["x"], "app ": ["y"]}, "column 'app' occurs twice", "drop one"),
    ],
)
def test_a_wrong_column_gets_advice(columns: dict[str, Any], message: str, fix: str) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        table_of(columns)
    assert fix in str(caught.value.fix)


def test_all_columns_that_need_a_new_name_are_told_at_once_as_options_of_a_command() -> None:
    columns = {"stuff": ["t1", "t1", "t2", "t2", "t3", "t3"], "who": ["a", "b"] * 3, "fine": [1, 0, 1, 1, 0, 1]}
    with pytest.raises(NeedsOptions) as caught:
        table_of(columns)
    assert caught.value.options == "--rename stuff=scenario --rename fine=success --rename who=agent"
    assert "rename={'stuff': 'scenario', 'fine': 'success', 'who': 'agent'}" in str(caught.value.fix)


@pytest.mark.parametrize(
    ("columns", "ours"),
    [
        ({"task_id": ["s"], "is_resolved": [True]}, {"task_id": "scenario", "is_resolved": "result"}),
        ({"Task ID": ["s"], "Success?": ["yes"]}, {"Task ID": "scenario", "Success?": "result"}),
        ({"taskId": ["s"], "isResolved": [1]}, {"taskId": "scenario", "isResolved": "result"}),
        ({"question_id": [7], "correct": ["y"]}, {"question_id": "scenario", "correct": "result"}),
        ({"task": ["long text"], "task_id": [3], "reward": [1]}, {"task_id": "scenario"}),
        ({"instance_id": ["s"], "resolved": [1]}, {"instance_id": "scenario", "resolved": "result"}),
        ({"scenario": ["s"], "status": ["PASS"]}, {"status": "result"}),
        ({"scenario": ["s"], "status": [200], "score": [1.0]}, {"score": "result"}),
        ({"scenario": ["s"], "passed": [12], "result": ["pass"]}, {"result": "result"}),
        ({"scenario": ["s"], "success": [1], "model": ["m"], "trial": [2]}, {"model": "agent", "trial": "rollout"}),
        ({"scenario": ["s"], "success": [1], "n_steps": [3], "Cost (USD)": [1]}, {"n_steps": "steps"}),
    ],
)
def test_well_known_names_are_recognised_and_noted(columns: dict[str, Any], ours: dict[str, str]) -> None:
    found = table_of(columns)
    assert len(found) == 1 and outcomes(found) == "p"
    assert found.notes and all(f"{theirs!r} is the {name}" in found.notes[0] for theirs, name in ours.items())
    assert not set(found.extra) & set(ours)


def test_a_column_of_ours_is_never_replaced_by_one_that_is_recognised() -> None:
    found = table(success=[1], passed=[0], agent=["a"], model=["m"], task_id=["t"], steps=[1], n_steps=[2])
    assert outcomes(found) == "p" and names(found, "agent") == ["a"] and found.numbers["steps"].tolist() == [1]
    assert sorted(found.extra) == ["model", "n_steps", "passed", "task_id"] and found.notes == ()


def test_a_recognised_column_that_holds_no_numbers_is_left_alone() -> None:
    found = table(success=[1], total_cost=["cheap"], duration_s=["00:12"])
    assert sorted(found.extra) == ["duration_s", "total_cost"] and not found.numbers


def test_several_models_are_several_agents_and_never_pooled() -> None:
    found = table(success=[1, 0], model=["a", "b"])
    assert [str(one) for one in found.contenders] == ["a", "b"]
    with pytest.raises(NeedsOptions, match="no column 'agent', but 'agents' has several values"):
        table(success=[1, 0], agents=["a", "b"])
    assert not table(success=[1, 0], model=["a", "b"], agent=["x", "y"]).notes


def test_models_of_one_agent_are_conditions() -> None:
    found = table(success=[1, 0, 1], agent=["x", "x", "y"], model=["a", "b", "a"])
    assert [str(one) for one in found.contenders] == ["x [a]", "x [b]", "y [a]"]
    assert "'model' of table has several values for the same agent" in found.notes[0]
    kept = table(success=[1, 0, 1], agent=["x", "x", "y"], model=["a", "b", "a"], condition=["c", "c", "c"])
    assert len(kept.contenders) == 2 and "counted together" in kept.notes[0]


def test_the_same_task_in_two_domains_is_two_tasks() -> None:
    columns = {"task_id": [0, 1, 0, 1], "domain": ["air", "air", "shop", "shop"], "reward": [1, 0, 0, 1]}
    found = table_of(columns)
    assert names(found, "app") == ["air", "air", "shop", "shop"] and "read as the app" in found.notes[1]
    found = table_of({**columns, "task_id": [0, 1, 2, 3]})
    assert names(found, "app") == [""] * 4 and "--rename domain=app" in found.notes[1], "weights are not changed"


def test_a_column_that_may_name_the_agents_is_noted() -> None:
    columns = {"scenario": ["a", "b", "c"] * 2, "success": [1] * 6, "by": ["x"] * 3 + ["y"] * 3}
    (note,) = table_of(columns).notes
    assert "are counted for one agent" in note and "--rename by=agent" in note
    assert not table_of({**columns, "by": ["x", "y"] * 3, "scenario": list("abcdef")}).notes


def test_a_free_column_that_looks_like_ours_is_noted() -> None:
    for column, ours in (("domain", "app"), ("themes", "theme"), ("seed", "instance"), ("score", "reward")):
        found = table(success=[1, 0], **{column: ["a", "b"]})
        assert f"{column}={ours}" in found.notes[0] and column in found.extra
    assert table(success=[1, 0], remark=["a", "b"]).notes == ()


@pytest.mark.parametrize("wrong", ["abc", b"abc", 5, {"a": 1}, None])
def test_a_column_is_a_list_of_values(wrong: Any) -> None:
    with pytest.raises(InvalidInput, match="column 'app': expected a list of values"):
        table_of({"scenario": ["a", "b", "c"], "success": [1, 1, 1], "app": wrong})


def test_columns_have_one_length_and_one_dimension() -> None:
    with pytest.raises(InvalidInput, match="different lengths"):
        table_of({"scenario": ["a"], "success": [1, 0]})
    with pytest.raises(InvalidInput, match="shape"):
        table_of({"scenario": np.array([["a"]]), "success": [1]})


def test_an_empty_table_is_refused() -> None:
    for made in (lambda: table_of({"scenario": [], "success": []}), lambda: table_from_rows([])):
        with pytest.raises(InvalidInput, match="no episode in it"):
            made()
    with pytest.raises(InvalidInput, match="no column 'scenario' .*; it has no columns"):
        table_of({})


def test_a_data_frame_is_columns_and_its_nan_is_missing() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "scenario": ["a", "b", "c"],
            "success": [1.0, 0.0, np.nan],
            "outcome": [None, None, "errored"],
            "cost": [1.0, np.nan, 2.0],
            "theme": pandas.Categorical(["x", None, "x"]),
        }
    )
    found = table_of(frame)
    assert outcomes(found) == "pfe" and names(found, "theme") == ["x", "", "x"]
    np.testing.assert_array_equal(found.numbers["cost"], [1, np.nan, 2])


def test_records_may_lack_what_others_have() -> None:
    found = table_from_rows([{"scenario": "a", "success": 1}, {"scenario": "b", "success": 0, "app": "x", "cost": 2}])
    assert names(found, "app") == ["", "x"] and np.isnan(found.numbers["cost"][0])
    with pytest.raises(InvalidInput, match="row 2: expected a record"):
        table_from_rows([{"scenario": "a", "success": 1}, ["b", 0]])  # type: ignore[list-item]


# The same rollout twice


def test_the_same_rollout_twice_is_refused_and_both_rows_are_named() -> None:
    with pytest.raises(
        InvalidInput, match=r"table, row 3: the same rollout as table, row 1 \(.*rollout '1'\); the only"
    ):
        table_of({"scenario": ["a", "a", "a"], "rollout": [1, 2, 1], "success": [1, 1, 0]})
    with pytest.raises(InvalidInput, match="row 2: the same rollout as table, row 1 .*; 3 such rows"):
        table_of({"scenario": ["a"] * 4, "rollout": [1] * 4, "success": [1] * 4})


def test_attempts_without_a_number_are_different_attempts() -> None:
    assert len(table_of({"scenario": ["a", "a"], "success": [1, 1]})) == 2
    assert len(table_of({"scenario": ["a", "a", "a"], "rollout": ["", None, "1"], "success": [1, 1, 1]})) == 3


def test_the_same_number_in_another_configuration_or_condition_is_another_rollout() -> None:
    for column in ("agent", "condition", "suite", "app", "instance", "profile", "theme", "ui_state"):
        columns = {"scenario": ["a", "a"], "rollout": [1, 1], "success": [1, 1], column: ["x", "y"]}
        assert len(table_of(columns)) == 2


# Who and where


def contenders() -> Table:
    return table(success=[1, 0, 1, 0], agent=["a", "a", "b", "c"], condition=["hot", "cold", "", "hot"])


def test_a_contender_is_found_by_name_agent_or_condition() -> None:
    found = contenders()
    assert [str(one) for one in found.contenders] == ["a [cold]", "a [hot]", "b", "c [hot]"]
    assert found.contender("a [hot]") == Contender("a", "hot")
    assert found.contender("b") == Contender("b")
    assert found.contender("c") == Contender("c", "hot")
    assert found.contender("cold") == Contender("a", "cold")
    assert found.contender(Contender("b")) == Contender("b")


@pytest.mark.parametrize("name", ["a", "hot"])
def test_a_name_that_fits_several_contenders_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="more than one contender"):
        contenders().contender(name)


def test_an_unknown_contender_gets_the_nearest() -> None:
    with pytest.raises(UnknownName) as caught:
        contenders().contender("a [hott]")
    assert "a [hot]" in str(caught.value.fix)
    with pytest.raises(UnknownName):
        contenders().contender(Contender("b", "hot"))


def test_two_contenders_of_one_name_are_refused() -> None:
    found = table(success=[1, 0], agent=["a", "a [hot]"], condition=["hot", ""])
    with pytest.raises(InvalidInput, match=r"two contenders would both be called 'a \[hot\]'"):
        _ = found.contenders


def test_apps_of_several_suites_carry_the_suite() -> None:
    found = table(success=[1, 1, 1], suite=["p", "q", "q"], app=["x", "x", ""])
    assert sorted(found.app_names().values) == ["p/x", "q/all", "q/x"]
    assert table(success=[1], suite=["p"], app=["x"]).app_names().values == ("x",)


@pytest.mark.parametrize(
    ("suites", "apps"), [(["p", "p/q"], ["q/x", "x"]), (["", ""], ["", "all"]), (["", "p"], ["p/x", "x"])]
)
def test_two_apps_of_one_name_are_refused(suites: list[str], apps: list[str]) -> None:
    found = table(success=[1, 1], suite=suites, app=apps)
    with pytest.raises(InvalidInput, match="two apps would both be called"):
        found.app_names()


def test_where_keeps_rows_by_names_and_free_columns() -> None:
    found = table(success=[1, 0, 1], app=["x", "y", "x"], mood=["gay", "sad", None], steps=[1, 2, 3])
    assert len(found.where(app="x")) == 2 and found.where(app="x").names["app"].values == ("x",)
    assert found.where(app="x", mood="gay").numbers["steps"].tolist() == [1]
    assert len(table(success=[1, 0], size=[1, 2]).where(size="2")) == 1


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"app": "z"}, "unknown app 'z'"),
        ({"mood": "hapy"}, "unknown mood 'hapy'"),
        ({"nope": "1"}, "unknown column 'nope'"),
        ({"self": "1"}, "unknown column 'self'"),
        ({"theme": "dark"}, "has no column 'theme'"),
        ({"raw": "x"}, "column 'raw': expected text or numbers, got binary"),
    ],
)
def test_where_refuses_what_is_not_there(wanted: dict[str, str], message: str) -> None:
    found = table(success=[1, 0], app=["x", "y"], mood=["happy", "sad"], raw=pa.array([b"\xff", b"a"]))
    with pytest.raises(InvalidInput, match=message):
        found.where(**wanted)


# Joining


def test_tables_join_by_name() -> None:
    one = table_of({"agent": ["a", "b"], "scenario": ["s", "s"], "success": [1, 0], "cost": [1, 2], "note": ["x", "y"]})
    two = table_of({"agent": ["c", "a"], "scenario": ["t", "t"], "success": [0, 1], "note": [1, 2], "more": [1, 1]})
    both = join_tables([one, two])
    assert names(both, "agent") == ["a", "b", "c", "a"] and outcomes(both) == "pffp"
    np.testing.assert_array_equal(both.numbers["cost"], [1, 2, np.nan, np.nan])
    assert both.extra["note"].to_pylist() == ["x", "y", "1", "2"] and "more" not in both.extra
    assert join_tables([one]) is one
    with pytest.raises(InvalidInput, match="no table"):
        join_tables([])


def test_the_same_rollout_in_two_tables_is_refused_and_found() -> None:
    one = table_of({"scenario": ["s", "t", "u"], "rollout": [1, 1, 1], "success": [1, 0, 1]})
    two = table_of({"scenario": ["v", "t"], "rollout": [1, 1], "success": [1, 0]})
    with pytest.raises(InvalidInput, match="table, row 2: the same rollout as table, row 2"):
        join_tables([one, two])


# Properties

_COLUMNS = st.lists(st.lists(st.integers(0, 3), min_size=5, max_size=5), min_size=1, max_size=5)


@given(_COLUMNS)
def test_rows_have_one_key_exactly_when_all_their_names_agree(columns: list[list[int]]) -> None:
    varied = dict(zip(("app", "theme", "suite", "profile", "instance"), columns, strict=False))
    found = table_of({"scenario": ["s"] * 5, "success": [1] * 5, **varied})
    keys = row_keys([found.names[name] for name in NAMES])
    rows = list(zip(*columns, strict=True))
    for i in range(5):
        for j in range(5):
            assert (keys[i] == keys[j]) == (rows[i] == rows[j])


def test_keys_do_not_overflow_when_every_column_has_many_names() -> None:
    number = 3000
    rng = np.random.default_rng(0)
    columns = {
        name: [f"{value}" for value in rng.permutation(number)]
        for name in ("app", "theme", "profile", "instance", "ui_state", "suite")
    }
    found = table_of({"scenario": [str(row) for row in range(number)], "success": [1] * number, **columns})
    assert len(np.unique(row_keys([found.names[name] for name in NAMES]))) == number


@given(st.permutations(range(6)))
def test_rows_kept_in_any_order_are_those_rows(order: list[int]) -> None:
    columns = {"scenario": list("abcabc"), "app": list("xxyyzz"), "steps": range(6), "free": list("uvwxyz")}
    found = table_of({**columns, "success": [1, 0] * 3})
    kept = found.keep(np.array(order[:4]))
    assert names(kept, "scenario") == ["abcabc"[row] for row in order[:4]]
    assert names(kept, "app") == ["xxyyzz"[row] for row in order[:4]]
    assert kept.numbers["steps"].tolist() == order[:4]
    assert kept.extra["free"].to_pylist() == ["uvwxyz"[row] for row in order[:4]]
