"""Files become tables, or are refused with the line and the column at fault."""

from __future__ import annotations

import csv
import datetime
import decimal
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairground.core import InvalidInput
from fairground.stats import Table, read_columns, read_table
from fairground.stats.tables.table import NAMES, NUMBERS

HEAD = "agent,app,scenario,success\n"
ROWS = "a,x,s,1\nb,x,s,0\n"


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def parquet(path: Path, **columns: Any) -> Path:
    whole = {"agent": ["a", "b"], "app": ["x", "x"], "scenario": ["s", "s"], "success": [True, False]} | columns
    pa.parquet.write_table(pa.table(whole), path)
    return path


def content(table: Table) -> dict[str, list[Any]]:
    """What a table says, row by row, whatever numbers its names have."""
    found: dict[str, list[Any]] = {
        name: [table.names[name].name(row) for row in range(len(table))] for name in NAMES
    }  # fmt: skip
    found["outcome"] = table.outcome.tolist()
    for name in NUMBERS:
        if name in table.numbers:
            found[name] = [None if np.isnan(value) else value for value in table.numbers[name].tolist()]
    return found


def refused(path: Path, **options: Any) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        read_table(path, **options)
    return caught.value


# CSV


@pytest.mark.parametrize(
    "text",
    [
        HEAD + ROWS,
        HEAD + ROWS.rstrip(),
        "\ufeff" + HEAD + ROWS,
        (HEAD + ROWS).replace("\n", "\r\n"),
        (HEAD + ROWS).replace(",", ";"),
        (HEAD + ROWS).replace(",", "\t"),
        "\n\n" + HEAD + "\n" + ROWS + "\n\n",
        " agent , app,scenario ,success\n a , x,s ,1\nb,x,s, 0 \n",
        '"agent","app","scenario","success"\n"a","x","s","1"\n"b","x","s","0"\n',
        '"success",agent,"app",scenario\n1,a,x,s\n0,b,x,s\n',
        "# made, by us\n# today\n\n" + HEAD + ROWS,
        "sep=;\r\n" + (HEAD + ROWS).replace(",", ";"),
    ],
    ids=[
        *("plain", "no last line end", "bom", "crlf", "semicolons", "tabs", "empty lines", "blanks", "quotes", "order"),
        *("comments", "separator for Excel"),
    ],
)
def test_a_csv_file_may_look_in_many_ways(tmp_path: Path, text: str) -> None:
    found = content(read_table(write(tmp_path / "t.csv", text)))
    assert found == content(read_table(write(tmp_path / "plain.csv", HEAD + ROWS)))
    assert found["agent"] == ["a", "b"] and found["outcome"] == [0, 1]


def test_a_tsv_file_has_tabs_or_else_what_it_has(tmp_path: Path) -> None:
    tabs = read_table(write(tmp_path / "t.tsv", "scenario\tsuccess\tapp\na,b,c;d\t1\tx\n"))
    assert content(tabs)["scenario"] == ["a,b,c;d"]
    assert len(read_table(write(tmp_path / "c.tsv", HEAD + ROWS))) == 2


def test_quotes_hold_separators_line_ends_and_quotes(tmp_path: Path) -> None:
    text = HEAD + '"a,b","x\ny","say ""hi""",1\nשלום,"[red]",\'s\',0\n'
    found = content(read_table(write(tmp_path / "t.csv", text)))
    assert found["agent"] == ["a,b", "שלום"] and found["app"] == ["x\ny", "[red]"]
    assert found["scenario"] == ['say "hi"', "'s'"]


def test_a_name_may_be_very_long(tmp_path: Path) -> None:
    found = read_table(write(tmp_path / "t.csv", HEAD + f"{'n' * 300_000},x,s,1\n"))
    assert found.contenders[0].agent == "n" * 300_000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "t.csv: empty"),
        ("\n \n", "t.csv: empty"),
        (HEAD, "no episode in it"),
        (HEAD.strip(), "no episode in it"),
        (HEAD + "\n\n", "no episode in it"),
        (HEAD + "a,x,s,1\n\n\nb,x,s,maybe\n", "line 5, column 'success': expected true or false"),
        (HEAD + 'a,"x\n\ny",s,1\nb,x,s,2\n', "line 5, column 'success'"),
        ("\ufeff\n" + HEAD + "a,x,s,1\r\nb,x,,1\r\n", "line 4, column 'scenario': empty"),
        (HEAD + "a,x,s,1\na,x\n", "line 3: expected 4 columns, got 2: 'a,x'"),
        ("# made, by us\n" + HEAD + "a,x,s,1\na,x,s,maybe\n", "line 4, column 'success'"),
        (HEAD + 'a,"x\ny",s,1\na,x,s,1,9\n', "line 4: expected 4 columns, got 5"),
        (HEAD + "a,x,s,1\n   \n", "line 3: expected 4 columns, got 1"),
        (HEAD + 'a,x,s,1\na,"x,t,0\nb,x,s,1\n', "line 3: a quote is opened and never closed"),
        (HEAD.strip() + ',note\na,x,s,1,fine\na,x,t,1,"oh\nb,x,s,1,\n', "line 3: a quote is opened and never closed"),
        ("agent,agent,scenario,success\na,b,s,1\n", "column 'agent' occurs twice"),
        ("agent, agent,scenario,success\na,b,s,1\n", "column 'agent' occurs twice"),
        (HEAD.encode() + b"a,\xff,s,1\n", "not UTF-8"),
        ((HEAD + ROWS).encode("utf-16"), "not UTF-8"),
        (HEAD + "a,x\0y,s,1\n", r"line 2, column 'app': expected a name, got 'x\\x00y'"),
        (HEAD + ROWS.replace("1", "0.5"), "line 2, column 'success'"),
    ],
)
def test_a_bad_csv_file_is_refused_with_its_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read_table(write(tmp_path / "t.csv", text))


def test_a_quote_within_a_value_is_a_letter(tmp_path: Path) -> None:
    found = read_table(write(tmp_path / "t.csv", HEAD + 'a,5" screen,s,1\n'))
    assert content(found)["app"] == ['5" screen']


def test_bad_letters_far_down_are_found(tmp_path: Path) -> None:
    text = (HEAD + ROWS * 20_000).encode() + b"a,x,caf\xe9,1\n"
    assert "line 40002, column 'scenario': not UTF-8" in str(refused(write(tmp_path / "t.csv", text)))


def test_rows_in_later_batches_have_their_right_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairground.stats.tables.csv_reading._BYTES", 1 << 12)
    text = HEAD + 'a,"two\nlines",s,1\n' * 3000
    assert len(read_table(write(tmp_path / "t.csv", text))) == 3000
    for bad, message in (("a,x,s,?\n", "line 6002, column 'success'"), ("a,x\n", "line 6002: expected 4 columns")):
        assert message in str(refused(write(tmp_path / "t.csv", text + bad + "a,x,s,1\n" * 1000)))
    numbers = "scenario,success,steps\n" + "s,1,1\n" * 3000 + "s,1,many\n"
    assert "line 3002, column 'steps'" in str(refused(write(tmp_path / "t.csv", numbers)))


def test_columns_without_a_name_are_called_by_their_position(tmp_path: Path) -> None:
    found = read_table(write(tmp_path / "t.csv", ",agent,scenario,success,\n0,a,s,1,\n1,b,s,0,\n"))
    assert content(found)["agent"] == ["a", "b"] and sorted(found.extra) == ["unnamed_1", "unnamed_5"]


def test_names_that_begin_like_a_comment_are_names(tmp_path: Path) -> None:
    found = read_table(write(tmp_path / "t.csv", "# Runs,scenario,success\n5,s,1\n6,t,0\n"))
    assert len(found) == 2 and list(found.extra) == ["# Runs"]


def test_decimals_have_commas_where_columns_have_other_separators(tmp_path: Path) -> None:
    rows = "scenario;reward;cost\ns;1,0;1,25\nt;0;nan\n"
    for separator in ";\t|":
        found = read_table(write(tmp_path / "t.csv", rows.replace(";", separator)))
        assert content(found)["cost"] == [1.25, None] and content(found)["outcome"] == [0, 1]
    commas = write(tmp_path / "t.csv", 'scenario,reward,cost\ns,1,"1,250"\n')
    assert "line 2, column 'cost': expected a number, got 1,250" in str(refused(commas)), "that may be thousands"


# Renaming


def test_columns_are_renamed_and_messages_keep_their_own_names(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "model,domain,task_id,passed\na,x,s,1\nb,x,s,maybe\n")
    names = {"model": "agent", "domain": "app", "task_id": "scenario", "passed": "success"}
    assert "line 3, column 'passed'" in str(refused(path, rename=names))
    found = read_table(write(path, path.read_text().replace("maybe", "0")), rename=names)
    assert content(found)["agent"] == ["a", "b"] and found.extra == {}


@pytest.mark.parametrize(
    ("rename", "message"),
    [
        ({"nope": "agent"}, "unknown column of .* 'nope'"),
        ({"app": "agent"}, "'agent' and 'app' would both be the column 'agent'"),
        ({"app": ""}, "column 'app' needs a new name"),
    ],
)
def test_a_renaming_that_cannot_be_is_refused(tmp_path: Path, rename: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read_table(write(tmp_path / "t.csv", HEAD + ROWS), rename=rename)


def test_two_columns_may_swap_their_names(tmp_path: Path) -> None:
    found = read_table(write(tmp_path / "t.csv", HEAD + ROWS), rename={"app": "agent", "agent": "app"})
    assert content(found)["agent"] == ["x", "x"] and content(found)["app"] == ["a", "b"]


# JSON lines

LINE = '{"agent": "a", "app": "x", "scenario": "s", "success": 1}\n'
OTHER = '{"agent": "b", "app": "x", "scenario": "s", "success": false}\n'


@pytest.mark.parametrize(
    "text",
    [
        LINE + OTHER,
        (LINE + OTHER).rstrip(),
        LINE + OTHER + "\n  \n\n",
        "\ufeff" + LINE + OTHER,
        (LINE + OTHER).replace("\n", "\r\n"),
        (LINE + OTHER).replace('"agent"', '" agent "'),
        LINE + "\n \n" + OTHER,
        f"[{LINE},{OTHER}]",
        f"[\n{LINE},\n{OTHER}]\n",
        "\ufeff " + f"[{LINE},{OTHER}]",
    ],
    ids=[
        *("plain", "no last line end", "empty lines at the end", "bom", "crlf", "blanks", "empty lines", "list"),
        *("list over lines", "list with bom"),
    ],
)
def test_a_file_of_json(tmp_path: Path, text: str) -> None:
    for name in ("t.jsonl", "t.json"):
        found = content(read_table(write(tmp_path / name, text)))
        assert found == content(read_table(write(tmp_path / "plain.csv", HEAD + ROWS)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no episode in it"),
        ("\n\n", "no episode in it"),
        ("{}\n", "no episode in it"),
        (LINE + "{\n", "line 2: not valid JSON"),
        ("[" + LINE, "not valid JSON"),
        (LINE + "null\n", "line 2: expected an object, got null"),
        (LINE + "3\n", "line 2: expected an object, got 3"),
        (LINE + LINE.strip() + "," + OTHER, "line 2: not valid JSON"),
        (LINE + OTHER.replace("false", "Infinity"), "line 2: not valid JSON: Infinity"),
        (LINE + OTHER.replace("false", "NaN"), "line 2, column 'success': empty"),
        (LINE + "\n\n" + OTHER.replace("false", "NaN"), "line 4, column 'success': empty"),
        (LINE + OTHER.replace("{", '{"agent": "z", '), "line 2: .*'agent' occurs twice"),
        (LINE + OTHER.replace('"b"', '"\\ud800"'), "line 2, column 'agent': a lone surrogate"),
        (LINE + OTHER.replace(', "success": false', ""), "line 2, column 'success': empty"),
        (LINE + OTHER.replace('"agent": "b", ', ""), "line 2, column 'agent': empty"),
        (LINE + OTHER.replace("false", "0.5"), "line 2, column 'success': expected true or false"),
        (LINE + OTHER.replace("}", ', "": 1}'), "a column has no name"),
        (LINE.encode() + b'{"agent": "\xff"}\n', "line 2: not valid JSON"),
        ("[" * 100_000 + "\n", "not valid JSON: maximum recursion"),
        ('{"a": ' * 100_000 + "\n", "line 1: not valid JSON: maximum recursion"),
    ],
)
def test_bad_json_lines_are_refused_with_their_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read_table(write(tmp_path / "t.jsonl", text))


def test_json_values_keep_their_meaning_whatever_type_other_lines_have(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"scenario": 1, "success": "1", "steps": "5", "theme": None},
        {"scenario": "1", "success": True, "steps": 6, "theme": 1.0},
        {"scenario": True, "success": 0, "cost": 0.5, "theme": "1.0"},
        {"scenario": {"b": [1], "a": "ü"}, "success": None, "outcome": "errored"},
    ]
    path = write(tmp_path / "t.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    found = content(read_table(path))
    assert found["scenario"] == ["1", "1", "true", '{"a": "ü", "b": [1]}']
    assert found["theme"] == ["", "1.0", "1.0", ""] and found["outcome"] == [0, 0, 1, 2]
    assert found["steps"] == [5, 6, None, None] and found["cost"] == [None, None, 0.5, None]


def test_columns_and_types_that_come_late_fill_what_was_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairground.stats.tables.json_reading._LINES", 3)
    rows: list[dict[str, Any]] = [{"scenario": row, "success": 1, "mark": row} for row in range(7)]
    rows[5] |= {"theme": "dark", "steps": 3}
    rows[6] |= {"scenario": "six", "success": "no", "mark": [1]}
    found = read_table(write(tmp_path / "t.jsonl", "".join(json.dumps(row) + "\n" for row in rows) + "\n"))
    assert content(found)["scenario"] == ["0", "1", "2", "3", "4", "5", "six"]
    assert content(found)["theme"] == [""] * 5 + ["dark", ""] and content(found)["outcome"] == [0] * 6 + [1]
    assert content(found)["steps"][5] == 3 and found.extra["mark"].to_pylist()[-1] == "[1]"


def test_empty_lines_between_batches_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairground.stats.tables.json_reading._LINES", 2)
    for holes in ("", "\n", "\n\n\n"):
        assert len(read_table(write(tmp_path / "t.jsonl", LINE + OTHER + holes + LINE))) == 3


# Parquet


def test_a_parquet_file_may_have_any_types(tmp_path: Path) -> None:
    plain = content(
        read_table(write(tmp_path / "plain.csv", "scenario,app,agent,success,cost\ns,x,a,1,1.5\ns,,b,0,\n"))
    )
    path = tmp_path / "t.parquet"
    parquet(
        path,
        agent=pa.array(["a", "b"], pa.large_string()),
        app=pa.array(["x", None]).dictionary_encode(),
        success=pa.array([decimal.Decimal("1.00"), decimal.Decimal("0.00")]),
        cost=pa.array([decimal.Decimal("1.50"), None]),
    )
    assert content(read_table(path)) == plain
    parquet(
        path,
        app=pa.array(["x", ""], pa.string_view()),
        success=pa.array(["Yes", "No"], pa.large_string()).dictionary_encode(),
        cost=pa.array(["1.5", ""], pa.string_view()),
    )
    assert content(read_table(path)) == plain
    parquet(path, instance=pa.array([datetime.date(2026, 1, 2), None]), theme=pa.nulls(2), rollout=[1, 2])
    assert content(read_table(path))["instance"] == ["2026-01-02", ""]
    assert not read_table(path).names["theme"].varied


def test_lists_in_parquet_become_their_json(tmp_path: Path) -> None:
    found = read_table(parquet(tmp_path / "t.parquet", instance=[{"n": 1}, {"n": 2}], clicks=[[1, 2], None]))
    assert content(found)["instance"] == ['{"n": 1}', '{"n": 2}'] and found.extra["clicks"].to_pylist() == [
        "[1, 2]",
        None,
    ]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"success": [True, None]}, "row 2, column 'success': empty"),
        ({"reward": [1.0, float("inf")]}, "row 2, column 'reward': expected a number, got inf"),
        ({"success": [1.0, float("nan")]}, "row 2, column 'success': empty"),
        ({"scenario": [1.0, float("nan")]}, "row 2, column 'scenario': expected a name, got nan"),
        ({"app": [b"x", b"\xff"]}, "row 2, column 'app': expected a name, got b"),
        ({"seconds": pa.array([1, 2], pa.duration("s"))}, "column 'seconds': expected numbers, got duration"),
        ({"success": [[1], [0]]}, "row 1, column 'success': expected true or false"),
    ],
)
def test_a_bad_parquet_value_is_refused_with_its_row(tmp_path: Path, columns: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read_table(parquet(tmp_path / "t.parquet", **columns))


def test_a_broken_parquet_file_is_refused(tmp_path: Path) -> None:
    whole = parquet(tmp_path / "whole.parquet").read_bytes()
    broken = bytearray(whole)
    broken[20:60] = b"\xff" * 40
    for data in (b"", b"hello", whole[: len(whole) // 2], whole[:-1], bytes(broken)):
        assert "not a readable Parquet file" in str(refused(write(tmp_path / "t.parquet", data)))
    pa.parquet.write_table(pa.table([["a"], ["b"]], names=["scenario", "scenario"]), tmp_path / "t.parquet")
    assert "column 'scenario' occurs twice" in str(refused(tmp_path / "t.parquet"))
    none = pa.table({"scenario": pa.array([], pa.string()), "success": pa.array([], pa.bool_())})
    pa.parquet.write_table(none, tmp_path / "t.parquet")
    assert "no episode in it" in str(refused(tmp_path / "t.parquet"))


# Files


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "results.csv", HEAD + ROWS)
    wrong = refused(tmp_path / "result.csv")
    assert "does not exist" in str(wrong) and "did you mean" in str(wrong.fix) and "results.csv" in str(wrong.fix)
    assert "does not exist" in str(refused(tmp_path / "nowhere" / "t.csv"))
    assert "is a folder" in str(refused(tmp_path))
    assert "expected a file name that ends in .csv" in str(refused(write(tmp_path / "t.xlsx", b"PK")))
    assert "unpack" in str(refused(write(tmp_path / "t.csv.gz", b"")).fix)
    assert "no episode in it" in str(refused(write(tmp_path / "t.json", "[]")))
    assert "got 'no suffix'" in str(refused(write(tmp_path / "t", HEAD)))
    assert len(read_table(write(tmp_path / "T.CSV", HEAD + ROWS))) == 2


def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    for name in ("t.csv", "t.jsonl"):
        (tmp_path / name).touch()
        assert "cannot be read: Permission denied" in str(refused(tmp_path / name))


def test_several_files_are_one_table(tmp_path: Path) -> None:
    one = write(tmp_path / "one.csv", HEAD + ROWS)
    two = write(tmp_path / "two.jsonl", '{"agent": "c", "scenario": "t", "outcome": "errored", "cost": 2, "free": 1}\n')
    both = read_table([one, two])
    assert len(both) == 3 and content(both)["cost"] == [None, None, 2] and not both.extra
    assert content(both)["app"] == ["x", "x", ""] and both.source == f"{one}, {two}"


def test_the_same_file_twice_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", HEAD + ROWS)
    (tmp_path / "link.csv").symlink_to(path)
    for again in (path, tmp_path / "." / "t.csv", tmp_path / "link.csv"):
        with pytest.raises(InvalidInput, match="given twice"):
            read_table([path, again])


def test_a_copy_of_a_rollout_in_another_file_is_found(tmp_path: Path) -> None:
    one = write(tmp_path / "one.csv", "scenario,rollout,success\ns,1,1\nt,1,0\n")
    two = write(tmp_path / "two.csv", "scenario,rollout,success\nu,1,1\ns,2,0\nt,1,0\n")
    with pytest.raises(InvalidInput, match=r"two.csv, row 3: the same rollout as .*one.csv, row 2 .*the only"):
        read_table([one, two])


def test_a_copy_of_a_rollout_in_one_file_is_found_by_line(tmp_path: Path) -> None:
    path = write(tmp_path / "one.csv", "scenario,rollout,success\ns,1,1\n\nt,1,0\ns,1,1\n")
    assert "line 5: the same rollout as" in str(refused(path)) and "line 2 (" in str(refused(path))


def test_columns_of_any_file_are_read_as_text(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "item,who,value\n 1 ,ann,3\n2,bob,\n")
    found = read_columns(path, ("unit", "coder", "value"), rename={"item": "unit", "who": "coder"})
    assert found == {"unit": ["1", "2"], "coder": ["ann", "bob"], "value": ["3", ""]}
    with pytest.raises(InvalidInput, match="no column 'unit'; it has item, who, value"):
        read_columns(path, ("unit",))


# The same table in every kind of file

_NAME = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=6).map(str.strip)
_EPISODE = st.fixed_dictionaries(
    {
        "scenario": _NAME.filter(bool),
        "app": _NAME,
        "theme": st.none() | _NAME,
        "instance": st.none() | st.integers(-5, 5),
        "outcome": st.sampled_from(["passed", "failed", "errored", "invalid"]),
        "steps": st.none() | st.integers(0, 2**40),
        "cost": st.none() | st.floats(0, 1e6),
    }
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_EPISODE, min_size=1, max_size=8))
@pytest.mark.simulation
def test_every_kind_of_file_gives_the_same_table(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    with open(tmp_path / "t.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    write(tmp_path / "t.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    types = {"instance": pa.int64(), "steps": pa.int64(), "cost": pa.float64()}
    schema = pa.schema([(name, types.get(name, pa.string())) for name in rows[0]])
    pa.parquet.write_table(pa.Table.from_pylist(rows, schema), tmp_path / "t.parquet")
    expected = content(read_table(tmp_path / "t.csv"))
    assert [row["outcome"] for row in rows] == [
        ["passed", "failed", "errored", "invalid"][code] for code in expected["outcome"]
    ]
    assert expected["scenario"] == [row["scenario"] for row in rows]
    for name in ("t.jsonl", "t.parquet"):
        found = content(read_table(tmp_path / name))
        assert found == expected


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200), st.sampled_from([b"", HEAD.encode(), b"scenario,success\n", LINE.encode()]))
def test_any_bytes_are_a_table_or_refused(tmp_path: Path, data: bytes, start: bytes) -> None:
    for name in ("t.csv", "t.jsonl", "t.json", "t.parquet"):
        try:
            assert len(read_table(write(tmp_path / name, start + data))) > 0
        except InvalidInput as error:
            assert name in error.message


# Size

_MEASURE = """
import sys
from fairground.stats import count_all, read_table

def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) // 1024

before = peak()
table = read_table(sys.argv[1])
assert len(table) == int(sys.argv[2])
assert sum(cells.episodes for cells in count_all(table)) == len(table)
print(peak() - before)
"""


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the peak of memory from /proc")
def test_a_million_episodes_are_read_in_bounded_memory(tmp_path: Path) -> None:
    rng, number = np.random.default_rng(0), 1_000_000
    words = {"agent": 4, "app": 15, "scenario": 26, "profile": 3, "theme": 3, "ui_state": 3}
    columns: dict[str, Any] = {
        name: pa.array([f"{name}-{value}" for value in range(size)]).take(pa.array(rng.integers(size, size=number)))
        for name, size in words.items()
    }
    columns |= {
        "success": rng.integers(2, size=number),
        "steps": rng.integers(50, size=number),
        "seconds": np.round(rng.gamma(2, 30, number), 1),
    }
    made = pa.table(columns)
    pa.csv.write_csv(made, tmp_path / "t.csv")
    pa.parquet.write_table(made, tmp_path / "t.parquet")
    megabytes = {}
    for name in ("t.csv", "t.parquet"):
        command = [sys.executable, "-c", _MEASURE, str(tmp_path / name), str(number)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=180)
        assert done.returncode == 0, done.stderr
        megabytes[name] = int(done.stdout)
    # A table of a million holds some 60 MB; a reader that keeps texts or objects of all rows needs over a thousand.
    assert max(megabytes.values()) < 600, megabytes
