import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairground.core import InvalidInput, NeedsOptions, UnknownName
from fairground.stats.votes.vote_files import read_votes
from fairground.stats.votes.votes import BOTH_BAD, LEFT, RIGHT, TIE, WINNERS, BadVote, Votes, counts

ROWS = [("b", "a", "left"), ("a", "c", "right"), ("c", "b", "tie"), ("a", "b", "both_bad"), ("a", "b", "left")]


def votes_of(rows: list[tuple[str, str, str]]) -> Votes:
    left, right, winner = zip(*rows, strict=True)
    return Votes.of(left, right, winner)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


# --- votes in memory -------------------------------------------------------------------------------------------------


def test_agents_are_sorted_and_codes_follow() -> None:
    votes = votes_of(ROWS)
    assert votes.agents == ("a", "b", "c")
    assert votes.left.tolist() == [1, 0, 2, 0, 0]
    assert votes.right.tolist() == [0, 2, 1, 1, 1]
    assert votes.winner.tolist() == [LEFT, RIGHT, TIE, BOTH_BAD, LEFT]
    assert votes.score.tolist() == [1, 0, 0.5, 0.5, 1]


@pytest.mark.parametrize(
    ("spelling", "code"),
    [
        ("left", LEFT),
        ("model_a", LEFT),
        ("A", LEFT),
        (" right ", RIGHT),
        ("model_b", RIGHT),
        ("b", RIGHT),
        ("tie", TIE),
        ("Tie", TIE),
        ("both_bad", BOTH_BAD),
        ("tie (bothbad)", BOTH_BAD),
        ("both bad", BOTH_BAD),
    ],
)
def test_usual_spellings_of_winners_are_understood(spelling: str, code: int) -> None:
    assert Votes.of(["x"], ["y"], [spelling]).winner.tolist() == [code]


@pytest.mark.parametrize(
    ("rows", "row", "column"),
    [
        ([("a", "b", "left"), ("a", "a", "left")], 1, "right"),
        ([("a", "b", "left"), ("a", "b", "neither")], 1, "winner"),
        ([("a", "b", "")], 0, "winner"),
        ([("a", "b", "left"), ("", "b", "left")], 1, "left"),
        ([("a", " ", "left")], 0, "right"),
    ],
)
def test_a_bad_vote_names_its_row_and_column(rows: list[tuple[str, str, str]], row: int, column: str) -> None:
    with pytest.raises(BadVote, match=f"row {row + 1}, column {column}") as caught:
        votes_of(rows)
    assert (caught.value.row, caught.value.column) == (row, column)


def test_a_vote_for_oneself_is_refused_by_name() -> None:
    with pytest.raises(InvalidInput, match="'x' is on both sides"):
        Votes.of(["x"], ["x"], ["tie"])


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf")])
def test_a_weight_must_be_a_number_from_zero_up(weight: float) -> None:
    with pytest.raises(BadVote, match="row 2, column weight"):
        Votes.of(["a", "a"], ["b", "b"], ["left", "tie"], weight=[1.0, weight])


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(InvalidInput, match="voter: expected 2 values"):
        Votes.of(["a", "a"], ["b", "b"], ["left", "tie"], voter=["v"])
    with pytest.raises(InvalidInput, match="right: expected 2 values"):
        Votes.of(["a", "a"], ["b"], ["left", "tie"])


def test_codes_out_of_range_are_refused() -> None:
    with pytest.raises(BadVote, match="column right"):
        Votes.of_codes(["a", "b"], [0], [2], [0])
    with pytest.raises(BadVote, match="column winner"):
        Votes.of_codes(["a", "b"], [0], [1], [4])
    with pytest.raises(InvalidInput, match="distinct"):
        Votes.of_codes(["a", "a"], [0], [1], [0])


def test_a_matrix_of_wins_becomes_votes() -> None:
    found = counts(Votes.of_wins(["a", "b"], [[0, 3], [1, 0]], [[0, 1], [1, 0]]))
    assert (found.wins.tolist(), found.losses.tolist(), found.ties.tolist()) == ([3], [1], [2])
    with pytest.raises(InvalidInput, match="wins: expected a 2 x 2 matrix"):
        Votes.of_wins(["a", "b"], [[0, 1.5], [1, 0]])
    with pytest.raises(BadVote, match="on both sides"):
        Votes.of_wins(["a", "b"], [[1, 1], [1, 0]])


def test_picked_votes_keep_their_columns_and_lose_absent_agents() -> None:
    votes = Votes.of(
        ["a", "b", "c"],
        ["b", "c", "a"],
        ["left", "tie", "right"],
        weight=[1, 2, 3],
        voter=["v", "w", "v"],
        covariates={"length": [1.0, 2.0, 3.0]},
    )
    kept = votes.where(np.array([1]))
    assert kept.agents == ("b", "c")
    assert (kept.left.tolist(), kept.right.tolist(), kept.winner.tolist()) == ([0], [1], [TIE])
    assert kept.weight is not None and kept.weight.tolist() == [2]
    assert kept.voter is not None and kept.voter.values == ("w",)
    assert kept.covariates["length"].tolist() == [2]


# --- counts ----------------------------------------------------------------------------------------------------------


def test_counts_know_which_side_of_the_pair_won() -> None:
    found = counts(votes_of(ROWS))
    pairs = [(found.agents[i], found.agents[j]) for i, j in zip(found.first, found.second, strict=True)]
    assert pairs == [("a", "b"), ("a", "c"), ("b", "c")]
    assert found.wins.tolist() == [1, 0, 0]  # a over b
    assert found.losses.tolist() == [1, 1, 0]  # b over a, c over a
    assert found.ties.tolist() == [1, 0, 1]


def test_counts_of_very_many_agents_are_the_same() -> None:
    rng = np.random.default_rng(3)
    left = rng.integers(0, 40, 500)
    right = (left + rng.integers(1, 40, 500)) % 40
    winner = rng.integers(0, 4, 500)
    few = counts(Votes.of_codes([f"{i:03}" for i in range(40)], left, right, winner))
    many = counts(Votes.of_codes([f"{i:03}" for i in range(600)], left, right, winner))
    for name in ("first", "second", "wins", "losses", "ties"):
        assert getattr(few, name).tolist() == getattr(many, name).tolist()


def test_weights_are_summed_and_can_be_left_out() -> None:
    votes = Votes.of(["a", "b", "a"], ["b", "a", "b"], ["left", "left", "tie"], weight=[2, 3, 0.5])
    assert counts(votes).wins.tolist() == [2] and counts(votes).losses.tolist() == [3]
    assert counts(votes).ties.tolist() == [0.5]
    assert counts(votes, weighted=False).total.tolist() == [3]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5), st.integers(0, 3)), min_size=1, max_size=60))
def test_swapping_the_sides_of_a_vote_changes_no_count(rows: list[tuple[int, int, int]]) -> None:
    left = np.array([row[0] for row in rows])
    right = (left + [row[1] for row in rows]) % 6
    winner = np.array([row[2] for row in rows])
    names = list("abcdef")
    mirrored = np.array([RIGHT, LEFT, TIE, BOTH_BAD])[winner]
    one, other = (
        counts(Votes.of_codes(names, left, right, winner)),
        counts(Votes.of_codes(names, right, left, mirrored)),
    )
    assert one.total.sum() == len(rows)
    for name in ("first", "second", "wins", "losses", "ties"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()


# --- files -----------------------------------------------------------------------------------------------------------

HEADER = "left,right,winner,weight,voter,task,category,length,remark"
LINES = ["a,b,left,1,v1,t1,web,3.5,good", "b,c,tie,0.5,v2,t2,office,,", "c,a,both_bad,2,v1,t1,web,-1,x"]


def files(folder: Path) -> list[Path]:
    names = HEADER.split(",")
    rows = [dict(zip(names, line.split(","), strict=True)) for line in LINES]
    numbers = {"weight", "length"}
    typed = [
        {name: (float(value) if name in numbers else value) if value else None for name, value in row.items()}
        for row in rows
    ]
    table = pa.Table.from_pylist(typed)
    table = table.set_column(0, "left", table["left"].dictionary_encode())
    pq.write_table(table, folder / "votes.parquet")
    write(folder / "votes.jsonl", "".join(json.dumps(row) + "\n" for row in typed))
    write(folder / "votes.csv", "\n".join([HEADER, *LINES]) + "\n")
    return [folder / f"votes.{kind}" for kind in ("csv", "jsonl", "parquet")]


def test_three_kinds_of_file_say_the_same(tmp_path: Path) -> None:
    for path in files(tmp_path):
        votes = read_votes(path)
        assert votes.agents == ("a", "b", "c"), path
        assert votes.left.tolist() == [0, 1, 2] and votes.right.tolist() == [1, 2, 0]
        assert votes.winner.tolist() == [LEFT, TIE, BOTH_BAD]
        assert votes.weight is not None and votes.weight.tolist() == [1, 0.5, 2]
        assert votes.voter is not None and [votes.voter.name(row) for row in range(3)] == ["v1", "v2", "v1"]
        assert votes.task is not None and votes.task.values == ("t1", "t2")
        assert votes.category is not None and votes.category.codes.tolist() == [1, 0, 1]
        np.testing.assert_array_equal(votes.covariates["length"], [3.5, np.nan, -1])
        assert [votes.free["remark"].name(row) for row in range(3)] == ["good", "", "x"]


def test_columns_can_be_renamed(tmp_path: Path) -> None:
    path = write(tmp_path / "arena.csv", "red,blue,winner,judge\nx,y,b,j\ny,x,a,k\n")
    with pytest.raises(NeedsOptions, match="no column 'left' and no column 'right'; it has red, blue") as caught:
        read_votes(path)
    assert caught.value.options == "--rename red=left --rename blue=right"
    votes = read_votes(path, rename={"red": "left", "blue": "right"})
    assert votes.agents == ("x", "y") and votes.winner.tolist() == [RIGHT, LEFT] and votes.voter is not None
    assert read_votes(path, rename={"red": "left", "blue": "right", "judge": "who"}).voter is None
    with pytest.raises(UnknownName, match="model_c"):
        read_votes(path, rename={"model_c": "left"})
    with pytest.raises(InvalidInput, match="two columns have the same name after renaming: 'left'"):
        read_votes(path, rename={"red": "left", "blue": "left"})


def test_all_columns_that_are_missing_are_told_at_once(tmp_path: Path) -> None:
    path = write(tmp_path / "v.csv", "id,red,blue,who\n1,x,y,one\n2,y,x,two\n3,x,z,one\n4,z,y,two\n")
    with pytest.raises(NeedsOptions, match="no column 'left' and no column 'right' and no column 'winner'") as caught:
        read_votes(path)
    assert caught.value.options == "--rename red=left --rename blue=right --rename who=winner"
    with pytest.raises(NeedsOptions) as caught:
        read_votes(write(path, "p,q\n1,2\n"))
    assert not caught.value.options and "COLUMN1=left" in str(caught.value.fix)


# --- votes of others -------------------------------------------------------------------------------------------------

ARENA_HARD = "".join(
    json.dumps({"question_id": row % 3, "model_a": "x", "model_b": "y", "winner": winner}) + "\n"
    for row, winner in enumerate(["model_a", "model_b", "tie", "tie (bothbad)"])
)
AGENT_ARENA = (
    "user_id,session_id,platform,task_instruction,agent0_model,agent1_model,agent0_method,agent1_method,agent0_win,"
    "agent1_win,agent0,agent1,battle_result,verified\n"
    "p1,s1,Ubuntu,rename a file,m1,m2,c,u,0.0,1.0,m1+c,m2+u,model_b,True\n"
    "p1,s2,Windows,open settings,m2,m3,u,c,0.5,0.5,m2+u,m3+c,tie,True\n"
)


def said(votes: Votes) -> list[tuple[str, str, str]]:
    return [
        (votes.agents[left], votes.agents[right], WINNERS[winner])
        for left, right, winner in zip(votes.left, votes.right, votes.winner, strict=True)
    ]


def test_votes_of_other_arenas_need_no_option(tmp_path: Path) -> None:
    votes = read_votes(write(tmp_path / "v.jsonl", ARENA_HARD))
    assert said(votes) == [("x", "y", winner) for winner in ("left", "right", "tie", "both_bad")]
    assert votes.task is not None and votes.task.values == ("0", "1", "2")
    for told in ("'model_a' is the left agent", "'model_b' is the right agent", "'question_id' is the task"):
        assert told in votes.notes[0]
    votes = read_votes(write(tmp_path / "v.csv", AGENT_ARENA))
    assert said(votes) == [("m1+c", "m2+u", "right"), ("m2+u", "m3+c", "tie")]
    assert votes.voter is not None and votes.voter.values == ("p1",) and votes.task is not None
    votes = read_votes(tmp_path / "v.csv", rename={"battle_result": "other"})
    assert said(votes) == [("m1+c", "m2+u", "right"), ("m2+u", "m3+c", "tie")]
    assert "the agent with more of 'agent0_win' and 'agent1_win'" in votes.notes[1]
    document = {"meta": {}, "evaluations": [json.loads(line) for line in ARENA_HARD.splitlines()]}
    assert len(read_votes(write(tmp_path / "v.json", json.dumps(document)))) == 4


@pytest.mark.parametrize(
    ("head", "rows", "winners"),
    [
        ("model_a,model_b,winner_model_a,winner_model_b,winner_tie", ["1,0,0", "0,1,0", "0,0,1"], "lrt"),
        ("Model A,Model B,Winner", ["A", "model_b", "Tie"], "lrt"),
        ("agent0,agent1,winner", ["agent0", "agent1", "draw"], "lrt"),
        ("agent1,agent2,winner", ["agent1", "agent2", "agent2 wins"], "lrr"),
        ("agent0_model,agent1_model,vote", ["agent0", "agent1", "tie"], "lrt"),
        ("model_1,model_2,preference", ["1", "2", "1.5"], "lrt"),
        ("left,right,winner", ["1", "0", "0.5"], "lrt"),
        ("left,right,winner", ["1.0", "-1.0", "0"], "lrt"),
        ("left,right,winner", ["X", "y", "equal"], "lrt"),
        ("left_model,right_model,result", ["left", "right", "both_good"], "lrt"),
        ("player_1,player_2,winner", ["first", "second", "both bad"], "lrb"),
        ("a,b,verdict", ["A>>B", "B>A", "A=B"], "lrt"),
        ("model_a,model_b,score_a,score_b", ["7,3", "2,9", "5,5"], "lrt"),
        ("a,b,a_won,b_won", ["true,false", "no,yes", "True,TRUE"], "lrt"),
        ("model_a,model_b,winner_model,is_tie", ["x,0", "y,0", ",1"], "lrt"),
    ],
)
def test_winners_have_many_spellings(tmp_path: Path, head: str, rows: list[str], winners: str) -> None:
    votes = read_votes(write(tmp_path / "v.csv", head + "\n" + "".join(f"x,y,{row}\n" for row in rows)))
    assert "".join(winner[0] for _, _, winner in said(votes)) == winners
    assert not votes.covariates and not votes.free


def test_a_winner_and_a_loser_are_left_and_right(tmp_path: Path) -> None:
    votes = read_votes(write(tmp_path / "v.csv", "winner,loser,draw\nx,y,0\ny,x,1\n"))
    assert said(votes) == [("x", "y", "left"), ("y", "x", "tie")]
    votes = read_votes(write(tmp_path / "v.csv", "chosen_model,rejected_model,prompt\nx,y,hi\n"))
    assert said(votes) == [("x", "y", "left")] and votes.task is not None


def test_texts_called_a_and_b_are_not_the_agents(tmp_path: Path) -> None:
    votes = read_votes(write(tmp_path / "v.csv", "a,b,model_a,model_b,winner\nhello,hi,x,y,a\n"))
    assert votes.agents == ("x", "y") and sorted(votes.free) == ["a", "b"]


def test_what_could_mean_two_things_is_refused_until_it_is_said(tmp_path: Path) -> None:
    path = write(tmp_path / "v.csv", "left,right,winner\nx,y,1\ny,x,0\n")
    with pytest.raises(BadVote, match="line 2, column winner: .* 0 and 1 may say") as caught:
        read_votes(path)
    assert "--map 1=left --map 0=right" in str(caught.value.fix)
    assert read_votes(path, values={"0": "left", "1": "right"}).winner.tolist() == [RIGHT, LEFT]
    path = write(tmp_path / "v.csv", "left,right,winner\nb,a,b\na,b,b\n")
    with pytest.raises(BadVote, match="'b' is both an agent's name and a side"):
        read_votes(path)
    assert read_votes(path, values={"b": "right"}).winner.tolist() == [RIGHT, RIGHT]
    path = write(tmp_path / "v.csv", "left,right,winner\nx,y,0\nx,y,1\nx,y,2\n")
    with pytest.raises(BadVote, match="line 2, column winner"):
        read_votes(path)


def test_a_winner_who_was_not_there_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "v.csv", "left,right,winner\nx,y,x\ny,z,x\n")
    with pytest.raises(BadVote, match="line 3, column winner: .*; got 'x'"):
        read_votes(path)


def test_votes_can_be_left_out(tmp_path: Path) -> None:
    path = write(tmp_path / "v.csv", "left,right,winner\nx,y,a\nx,z,error\nx,y,\nx,y,nan\n")
    with pytest.raises(BadVote, match="line 3, column winner: .* got 'error'"):
        read_votes(path)
    with pytest.raises(BadVote, match="line 4, column winner: .* it is empty") as caught:
        read_votes(path, values={"error": "skip"})
    assert "--missing skip" in str(caught.value.fix)
    votes = read_votes(path, values={"error": "skip"}, missing="skip")
    assert said(votes) == [("x", "y", "left")] and "3 of 4 votes" in votes.notes[-1]
    with pytest.raises(UnknownName, match="unknown choice for missing winners 'failed'"):
        read_votes(path, missing="failed")
    with pytest.raises(UnknownName, match="unknown meaning of a winner 'won'"):
        read_votes(path, values={"error": "won"})
    with pytest.raises(InvalidInput, match="every vote is left out"):
        read_votes(path, values={"error": "skip", "a": "skip"}, missing="skip")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("a,a,left,1", "line 4, column right: 'a' is on both sides"),
        ("a,b,me,1", "line 4, column winner: expected left, right, tie, both_bad; got 'me'"),
        ("a,b,,1", "line 4, column winner: .*it is empty"),
        (",b,left,1", "line 4, column left: it is empty"),
        ("a,b,left,-1", "line 4, column weight: expected a number of 0 or more, got -1.0"),
        ("a,b,left,nan", "line 4, column weight"),
        ("a,b,left,much", "line 4, column weight: expected a number of 0 or more, got 'much'"),
        ("a,b,left,", "line 4, column weight: it is empty"),
    ],
)
def test_an_error_names_file_line_and_column(tmp_path: Path, line: str, told: str) -> None:
    path = write(tmp_path / "votes.csv", f"left,right,winner,weight\na,b,left,1\nb,a,tie,1\n{line}\na,b,left,1\n")
    with pytest.raises(InvalidInput, match=f"{path}, {told}"):
        read_votes(path)


def test_the_line_is_right_after_blank_lines_and_line_ends_in_values(tmp_path: Path) -> None:
    path = write(tmp_path / "votes.csv", 'left,right,winner,remark\na,b,left,"two\nlines"\n\na,b,nobody,x\n')
    with pytest.raises(InvalidInput, match="line 5, column winner"):
        read_votes(path)


def test_an_error_names_the_column_as_the_file_calls_it(tmp_path: Path) -> None:
    path = write(tmp_path / "votes.jsonl", '{"model_a": "x", "right": "x", "won": "a"}\n')
    with pytest.raises(InvalidInput, match="line 1, column model_a|line 1, column right"):
        read_votes(path, rename={"model_a": "left", "won": "winner"})
    path = write(tmp_path / "votes.jsonl", '{"model_a": "x", "right": "y", "won": "c"}\n')
    with pytest.raises(InvalidInput, match="line 1, column won"):
        read_votes(path, rename={"model_a": "left", "won": "winner"})


@pytest.mark.parametrize("text", ["", "left,right,winner\n"])
def test_an_empty_file_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidInput, match="empty|no vote"):
        read_votes(write(tmp_path / "votes.csv", text))


def test_an_agent_may_have_a_number_for_a_name(tmp_path: Path) -> None:
    path = write(tmp_path / "votes.jsonl", '{"left": 1, "right": 2, "winner": "a"}\n')
    assert read_votes(path).agents == ("1", "2")
    assert read_votes(write(tmp_path / "v.csv", "left,right,winner\n007,7,a\n")).agents == ("007", "7")


def test_a_free_column_of_numbers_and_words_stays_text(tmp_path: Path) -> None:
    votes = read_votes(write(tmp_path / "v.csv", "left,right,winner,note\na,b,a,1\na,b,a,x\n"))
    assert votes.free["note"].values == ("1", "x") and not votes.covariates


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.sampled_from("lmn"), st.sampled_from("xyz"), st.sampled_from(["a", "b", "tie"])), min_size=1)
)
def test_reading_gives_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str]]
) -> None:
    path = tmp_path_factory.mktemp("votes") / "v.csv"
    write(path, "left,right,winner\n" + "".join(",".join(row) + "\n" for row in rows))
    read, made = read_votes(path), votes_of(rows)
    assert read.agents == made.agents
    for name in ("left", "right", "winner"):
        assert getattr(read, name).tolist() == getattr(made, name).tolist()


_CELLS = st.sampled_from(["x", "y", "a", "b", "left", "tie", "1", "0", "0.5", "2", "", "nan", "model_a", "true", "7"])
_HEADS = st.sampled_from(
    ["left", "right", "winner", "model_a", "model_b", "agent0", "agent1", "agent0_win", "agent1_win", "loser", "is_tie"]
)


@settings(deadline=None)
@given(st.lists(_HEADS, min_size=2, max_size=6, unique=True), st.lists(st.lists(_CELLS, min_size=6, max_size=6)))
def test_any_table_is_votes_or_refused(
    tmp_path_factory: pytest.TempPathFactory, head: list[str], rows: list[list[str]]
) -> None:
    text = "".join(",".join(row[: len(head)]) + "\n" for row in [head, *rows])
    path = write(tmp_path_factory.mktemp("votes") / "v.csv", text)
    for missing in (None, "skip"):
        try:
            votes = read_votes(path, missing=missing)
        except InvalidInput as error:
            assert "v.csv" in error.message
        else:
            assert 0 < len(votes) <= len(rows) and (votes.left != votes.right).all()
