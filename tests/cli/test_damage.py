"""Every command that reads results names what is damaged, does not count it, and exits with status 3."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.cli import main
from fairground.rollout.index_rows import COLUMNS
from tests.rollout.damage_stage import EPISODES, PASSED, copied, edit_index, sound_run
from tests.rollout.test_damage_folders import forge
from tests.rollout.test_damage_index import FUZZED, VALUES, with_index

DAMAGED = 3
READING = {
    "stats": ["stats", "RUN"],
    "report": ["report", "RUN", "-o", "OUT/page.html"],
    "show": ["show", "RUN"],
    "export": ["export", "RUN", "-o", "OUT/table.csv"],
    "behaviour": ["behaviour", "RUN", "--workers", "1"],
    "compare": ["compare", "RUN", "OTHER"],
    "reverify": ["reverify", "RUN", "--workers", "1"],
    "verify-run": ["verify-run", "RUN"],
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sound_run(tmp_path_factory.mktemp("sound") / "run")


@pytest.fixture
def run(sound: Path, tmp_path: Path) -> Path:
    return copied(sound, tmp_path / "run")


def words_of(command: str, run: Path, sound: Path) -> list[str]:
    places = {"RUN": str(run), "OTHER": str(sound)}
    return [places.get(word, word.replace("OUT", str(run.parent))) for word in READING[command]]


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any, str]:
    capsys.readouterr()
    status = main(list(words))
    said = capsys.readouterr()
    return status, json.loads(said.out) if "--json" in words else said.out, said.err


@pytest.mark.parametrize("command", READING)
def test_what_is_damaged_is_named_and_sets_the_status(
    command: str, run: Path, sound: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = words_of(command, run, sound)
    status, plain, _ = told(capsys, *words, "--json")
    assert status == 0 and not plain.get("damaged")
    shutil.rmtree(run / "episodes" / "000002")
    edit_index(run, "UPDATE episodes SET outcome = 'passed', reward = 1.0 WHERE number = 1")
    status, plain, _ = told(capsys, *words, "--json")
    assert status == DAMAGED
    assert [(one["number"], one["folder"]) for one in plain["damaged"]] == [
        (1, "episodes/000001"),
        (2, "episodes/000002"),
    ]
    assert all(f"fairground resume {run}" in one["fix"] for one in plain["damaged"])
    status, _, said = told(capsys, *words)
    assert status == DAMAGED and "2 episodes are not as recorded, and not counted" in said
    assert str(run / "episodes/000002") in said and "the episode's folder is missing" in said
    assert f"fairground resume {run}" in said and "Traceback" not in said


@given(
    command=st.sampled_from(["stats", "show", "export", "behaviour", "verify-run"]),
    column=st.sampled_from(COLUMNS),
    number=st.integers(0, EPISODES - 1),
    value=VALUES,
)
@FUZZED
def test_no_value_in_the_index_makes_a_command_fail_without_words(
    sound: Path, capsys: pytest.CaptureFixture[str], command: str, column: str, number: int, value: Any
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = with_index(sound, folder)
        before = quoted(run, column, number)
        try:
            edit_index(run, f"UPDATE episodes SET {column} = ? WHERE number = {number}", values=(value,))
        except (sqlite3.Error, UnicodeEncodeError):
            return
        same = quoted(run, column, number) == before
        status, plain, _ = told(capsys, *words_of(command, run, sound), "--json")
        assert status == (0 if same else DAMAGED), plain
        assert same or plain["damaged"]


def quoted(run: Path, column: str, number: int) -> object:
    """A value with its type, as SQLite writes it; None where there is no such row."""
    db = sqlite3.connect(run / "run.sqlite")
    db.text_factory = bytes
    found = db.execute(f"SELECT quote({column}) FROM episodes WHERE number = {number}").fetchone()
    db.close()
    return found


def test_only_what_is_sound_is_counted(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit_index(run, "UPDATE episodes SET outcome = 'passed', reward = 1.0 WHERE number = 1")
    _, plain, _ = told(capsys, "stats", str(run), "--json")
    assert plain["outcomes"]["passed"] == len(PASSED) and plain["outcomes"]["failed"] == 2
    told(capsys, "report", str(run), "-o", str(run.parent / "page.html"))
    assert "1 episode is damaged and not counted" in (run.parent / "page.html").read_text()


def test_a_run_whose_every_episode_is_damaged_has_the_status_too(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(run / "episodes")
    status, plain, _ = told(capsys, "stats", str(run), "--json")
    assert status == DAMAGED and "6 episodes are damaged" in plain["error"] and len(plain["damaged"]) == 6


@pytest.mark.parametrize("command", READING)
def test_a_damaged_index_has_the_status_and_a_way_on(
    command: str, run: Path, sound: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (run / "run.sqlite").write_bytes(bytes(4096))
    status, _, said = told(capsys, *words_of(command, run, sound))
    assert status == DAMAGED and f"{run / 'run.sqlite'} is damaged" in said
    assert f"fairground stats {run / 'episodes'}" in said
    status, plain, _ = told(capsys, "stats", str(run / "episodes"), "--json")
    assert status == 0 and plain["outcomes"]["passed"] == len(PASSED)


def test_show_compares_an_episode_with_what_its_run_committed(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = run / "episodes" / "000001"
    assert told(capsys, "show", str(folder))[0] == 0
    forge(folder)
    status, plain, _ = told(capsys, "show", str(folder), "--json")
    assert status == DAMAGED and plain["damaged"][0]["number"] == 1
    (folder / "steps.jsonl").write_text("")
    status, _, said = told(capsys, "show", str(folder))
    assert status == DAMAGED and "marked complete, but" in said


def test_episodes_outside_of_a_run_have_the_status_too(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (run / "run.sqlite").unlink()
    (run / "episodes" / "000000" / "steps.jsonl").unlink()
    status, plain, _ = told(capsys, "stats", str(run / "episodes"), "--json")
    assert status == DAMAGED and plain["outcomes"]["passed"] == len(PASSED) - 1
    (one,) = plain["damaged"]
    assert one["folder"] == "000000" and one["number"] is None and "record the episode again" in one["fix"]


def test_a_run_whose_spec_was_edited_is_not_gone_on_with(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit_index(run, "UPDATE meta SET value = replace(value, 'do-nothing', 'random') WHERE key = 'spec'")
    before = (run / "run.sqlite").read_bytes()
    for command in ("resume", "stats"):
        status, _, said = told(capsys, command, str(run))
        assert status == DAMAGED and "do not match their checksum" in said
    assert (run / "run.sqlite").read_bytes() == before


def test_show_of_an_episode_that_cannot_be_read_has_the_status_too(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = run / "episodes" / "000001"
    (folder / "episode.json").write_text("")
    status, _, said = told(capsys, "show", str(folder))
    assert status == DAMAGED and "episode.json has 0 bytes" in said


def test_a_state_that_was_overwritten_with_as_many_bytes_has_the_status_too(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index = run / "episodes" / "000001" / "state" / "state.json"
    index.write_bytes(b"x" * index.stat().st_size)
    status, _, said = told(capsys, "show", str(index.parent.parent))
    assert status == DAMAGED and "marked complete, but state: not strict JSON" in said
