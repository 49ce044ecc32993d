"""`fairground arena`: an arena's invitations, standings and data from the terminal."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairground.arena import Store, accept, active_agents, all_votes
from fairground.cli import main
from tests.web.arena_stage import fill

Ask = Callable[..., tuple[int, str]]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "arena.sqlite"
    with Store(path) as store:
        fill(store, 120)
    return path


@pytest.fixture
def ask(database: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    def run(*words: str) -> tuple[int, str]:
        status = main(["arena", *words, "--database", str(database)])
        said = capsys.readouterr()
        return status, said.out + said.err

    return run


def told(ask: Ask, *words: str) -> Any:
    status, said = ask(*words, "--json")
    assert status == 0, said
    return json.loads(said)


def test_an_arena_that_is_not_there_is_not_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = tmp_path / "nowhere.sqlite"
    for words in (["standings"], ["agreement"], ["filter"], ["invite"], ["export", str(tmp_path / "x.jsonl")]):
        assert main(["arena", *words, "--database", str(missing)]) == 2
        assert "there is no arena" in capsys.readouterr().err
    assert not missing.exists()


def test_an_invitation_lets_somebody_in(ask: Ask, database: Path) -> None:
    made = told(ask, "invite", "--role", "admin", "--url", "https://arena.example/")
    assert made["link"].startswith("https://arena.example/enter/")
    with Store(database) as store:
        assert accept(store, made["link"].rpartition("/")[2]).role == "admin"
    assert ask("invite", "--role", "king")[0] == 2
    assert ask("invite")[1].splitlines()[0].startswith("http://127.0.0.1:8460/enter/")


def test_standings_are_ranked_with_intervals_for_all_or_a_group(ask: Ask) -> None:
    found = told(ask, "standings")
    first = found["ranking"]["agents"][0]
    assert first["agent"] == "oracle" and first["rating"]["low"] < first["rating"]["estimate"]
    assert set(found["categories"]["rankings"]) == {"office", "files"}
    assert told(ask, "standings", "--category", "office")["votes"] == 60
    status, said = ask("standings", "--platform", "phone")
    assert status == 0 and "60 votes" in said and "oracle" in said
    assert "permutation test p" in said and "of 6 pairs can be told apart" in " ".join(said.split())
    assert "votes treated as independent" in said and "1 voter is too few to cluster by" in " ".join(said.split())
    assert found["tests"]["permutation"]["clusters"] == {} and len(found["tests"]["pairs"]) == 6
    status, said = ask("standings", "--category", "offic")
    assert status == 2 and "office" in said


def test_after_one_vote_there_is_no_rating_yet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = tmp_path / "new.sqlite"
    with Store(database) as store:
        fill(store, 1)
    assert main(["arena", "standings", "--database", str(database)]) == 0
    said = capsys.readouterr().out
    assert "no ranking: too few votes" in said and "[" not in said


def test_filters_mark_and_delete_nothing(ask: Ask, database: Path) -> None:
    assert told(ask, "filter") == []
    assert len(told(ask, "filter", "--too-fast", "31")) == 120
    with Store(database) as store:
        assert len(all_votes(store)) == 120 and not any(row.counts for row in all_votes(store))
    assert "no ranking: there are no votes yet" in ask("standings")[1]
    status, said = ask("filter")
    assert status == 0 and "0 votes marked" in said


def test_agreement_says_why_it_is_unknown(ask: Ask) -> None:
    assert "missing" in told(ask, "agreement")["preference"]
    assert "unknown" in ask("agreement")[1]


def test_votes_go_out_and_come_in_elsewhere(ask: Ask, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "votes.csv"
    assert told(ask, "export", str(out)) == {"path": str(out), "votes": 120}
    assert len(list(csv.DictReader(out.read_text().splitlines()))) == 120
    other = tmp_path / "new folder" / "other.sqlite"
    words = ["arena", "import", str(out), "--database", str(other), "--agent", "oracle=solver"]
    assert main([*words, "--dry-run"]) == 0 and not other.exists()
    said = capsys.readouterr()
    assert "nothing was imported" in said.out and "'a' is the left agent, 'b' is the right agent" in said.err
    assert main(words) == 0
    said = capsys.readouterr()
    assert "120 new; created" in " ".join(said.out.split()) and other.is_file()
    assert main(words) == 0 and "all were imported before" in capsys.readouterr().out
    with Store(other) as store:
        assert len(all_votes(store)) == 120 and not active_agents(store)
        assert "solver" in {row.a for row in all_votes(store)}
    assert ask("export", str(tmp_path / "votes.xlsx"))[0] == 2


def test_a_table_that_is_none_is_refused_with_the_row(ask: Ask, database: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("left,right,winner\na,b,left\na,b,nobody\n")
    status, said = ask("import", str(path))
    assert status == 2 and "1 row of 2 is not a vote; row 2, winner" in said and "--map" in said
    path.write_text("one,two,winner\nx,y,left\ny,x,left\n")
    status, said = ask("import", str(path))
    assert status == 2 and "--rename one=left --rename two=right" in said and "run: fairground arena import" in said
    with Store(database) as store:
        assert len(all_votes(store)) == 120


def test_votes_of_another_arena_come_in_with_one_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, database = tmp_path / "theirs.csv", tmp_path / "arena.sqlite"
    path.write_text(
        "user_id,session_id,task_instruction,agent0_model,agent1_model,agent0_win,agent1_win,agent0,agent1,battle_result"
        "\np1,s1,rename a file,m1,m2,0.0,1.0,m1+c,m2+u,model_b\np2,s2,open it,m2,m1,1.0,0.0,m2+u,m1+c,timeout\n"
        "p2,s3,draw,m2,m1,,,m2+u,m1+c,\n"
    )
    words = ["arena", "import", str(path), "--database", str(database), "--json"]
    assert main(words) == 2 and not database.exists() and "row 2, winner" in capsys.readouterr().out
    assert main([*words, "--map", "timeout=skip", "--missing", "nothing"]) == 2
    capsys.readouterr()
    assert main([*words, "--map", "timeout=tie", "--missing", "skip"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert value["added"] == 2 and value["made"] and value["rename"]["agent0"] == "left" and len(value["notes"]) == 2
    with Store(database) as store:
        rows = all_votes(store)
    assert [(row.a, row.b, row.winner, row.task) for row in rows] == [
        ("m1+c", "m2+u", "b", "rename a file"),
        ("m2+u", "m1+c", "tie", "open it"),
    ]
    assert main(["arena", "standings", "--database", str(tmp_path / "none.sqlite")]) == 2
    assert "fairground arena import" in capsys.readouterr().err and not (tmp_path / "none.sqlite").exists()
