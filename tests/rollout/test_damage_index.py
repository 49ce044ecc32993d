"""Attacks on the index of a run: single values, the file itself, and what lies beside it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from fairground.core import DamagedData, FairgroundError, Outcome
from fairground.core.damage import noticing
from fairground.rollout import Finished, RunStore, carry_out, run_table
from fairground.rollout.damage import DamagedIndex
from fairground.rollout.index_rows import COLUMNS
from fairground.rollout.store import is_run
from fairground.rollout.verdicts import read_verdicts
from fairground.rollout.verifying import verify_results

from .damage_stage import EPISODES, PASSED, Inline, copied, edit_index, never_a_new_pass, passes, sound_run

FUZZED = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = sound_run(tmp_path_factory.mktemp("sound") / "run")
    for name in ("run.sqlite-wal", "run.sqlite-shm"):
        (run / name).unlink(missing_ok=True)
    return run


@pytest.fixture
def run(sound: Path, tmp_path: Path) -> Path:
    return copied(sound, tmp_path / "run")


def with_index(sound: Path, folder: str) -> Path:
    """A run with an index of its own, and the episodes of the sound one."""
    run = Path(folder) / "run"
    run.mkdir()
    shutil.copyfile(sound / "run.sqlite", run / "run.sqlite")
    for path in sound.glob("episodes/*"):
        shutil.copytree(path, run / "episodes" / path.name, copy_function=os.link)
    return run


VALUES = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.text(max_size=20),
    st.binary(max_size=20),
    st.sampled_from(["passed", "failed", "won", "episodes/000000", "../../etc", "{", "[" * 100_000, b"\xff", "2", "3"]),
)


@given(column=st.sampled_from([*COLUMNS, "seal"]), number=st.integers(0, EPISODES - 1), value=VALUES)
@example(column="reward", number=0, value=float("inf"))
@example(column="outcome", number=1, value="passed")
@example(column="seal", number=1, value=None)
@example(column="manifest", number=1, value=None)
@example(column="number", number=1, value=2**62)
@example(column="number", number=1, value=-7)
@example(column="error", number=1, value=b"\xc3\x28")
@FUZZED
def test_no_value_of_an_episode_makes_a_pass_or_a_traceback(sound: Path, column: str, number: int, value: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = with_index(sound, folder)
        try:
            edit_index(run, f"UPDATE episodes SET {column} = ? WHERE number = {number}", values=(value,))
        except (sqlite3.Error, UnicodeEncodeError):  # SQLite itself refuses it
            return
        never_a_new_pass(run)


@given(key=st.sampled_from(["format", "run", "spec", "started", "planned", "seal"]), value=VALUES)
@example(key="format", value="2")
@example(key="planned", value="3")
@FUZZED
def test_no_value_about_a_run_makes_a_pass_or_a_traceback(sound: Path, key: str, value: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = with_index(sound, folder)
        try:
            edit_index(run, f"UPDATE meta SET value = ? WHERE key = '{key}'", values=(value,))
        except (sqlite3.Error, UnicodeEncodeError):
            return
        never_a_new_pass(run)


@given(flips=st.lists(st.tuples(st.integers(0, 2**20), st.integers(1, 255)), min_size=1, max_size=40))
@FUZZED
def test_no_flipped_byte_makes_a_pass_or_a_traceback(sound: Path, flips: list[tuple[int, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = with_index(sound, folder)
        data = bytearray((run / "run.sqlite").read_bytes())
        for place, change in flips:
            data[place % len(data)] ^= change
        (run / "run.sqlite").write_bytes(data)
        never_a_new_pass(run)
        before = (run / "run.sqlite").read_bytes()
        try:
            RunStore.open(run, write=True).close()
        except FairgroundError as error:
            if isinstance(error, DamagedIndex):
                assert (run / "run.sqlite").read_bytes() == before, "a damaged index was written"


@given(
    edits=st.lists(
        st.tuples(st.sampled_from(["number", "scored", "outcome", "reward", "file"]), VALUES), min_size=1, max_size=3
    )
)
@FUZZED
def test_no_value_of_a_later_verdict_makes_a_pass_or_a_traceback(sound: Path, edits: list[tuple[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = with_index(sound, folder)
        edit_index(
            run,
            "CREATE TABLE verdicts (id INTEGER PRIMARY KEY, number, scored, outcome, reward, file)",
            "INSERT INTO verdicts VALUES (1, 1, '', 'passed', 1.0, 'episodes/000001/verdict-1.json')",
        )
        for column, value in edits:
            try:
                edit_index(run, f"UPDATE verdicts SET {column} = ?", values=(value,))
            except (sqlite3.Error, UnicodeEncodeError):
                return
        never_a_new_pass(run)
        read_verdicts(run)


def zeros(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


FILES: dict[str, Callable[[Path], object]] = {
    "zeros": zeros,
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("not a database\n" * 1000),
    "header": lambda path: path.write_bytes(path.read_bytes()[:100]),
    "no meta": lambda path: edit_index(path.parent, "DROP TABLE meta"),
    "no episodes": lambda path: edit_index(path.parent, "DROP TABLE episodes"),
    "no column": lambda path: edit_index(path.parent, "ALTER TABLE episodes RENAME COLUMN reward TO prize"),
    "no spec": lambda path: edit_index(path.parent, "DELETE FROM meta WHERE key = 'spec'"),
    "spec": lambda path: edit_index(path.parent, "UPDATE meta SET value = '{' WHERE key = 'spec'"),
    "bytes": lambda path: edit_index(path.parent, "UPDATE meta SET value = x'ff' WHERE key = 'spec'"),
}


@pytest.mark.parametrize("name", FILES)
def test_an_index_that_is_none_is_named_and_not_written(run: Path, name: str) -> None:
    path = run / "run.sqlite"
    FILES[name](path)
    before = path.read_bytes()
    for write in (False, True):
        with pytest.raises(DamagedIndex) as told:
            RunStore.open(run, write=write)
        assert str(path) in told.value.message and f"fairground stats {run / 'episodes'}" in (told.value.fix or "")
    assert path.read_bytes() == before
    table = run_table(run / "episodes")
    assert table.outcomes()[Outcome.PASSED] == len(PASSED), "the advice works"


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM n) SELECT x AS key, x AS value FROM n"


@pytest.mark.parametrize(
    "edits",
    [
        ("DROP TABLE meta", f"CREATE VIEW meta AS {ENDLESS}"),
        ("CREATE TRIGGER pass AFTER UPDATE ON episodes BEGIN UPDATE episodes SET outcome = 'passed'; END",),
    ],
    ids=["view", "trigger"],
)
def test_an_index_that_is_a_program_is_refused(run: Path, edits: tuple[str, ...]) -> None:
    edit_index(run, *edits)
    with pytest.raises(DamagedIndex, match="expected tables only"):
        RunStore.open(run)


def test_a_value_that_is_huge_hides_no_other_row(run: Path) -> None:
    edit_index(run, "UPDATE episodes SET error = zeroblob(80000000) WHERE number = 2")
    passed, (found,) = passes(run)
    assert passed == PASSED - {2} and found.number == 2


def test_a_number_that_is_huge_is_not_counted_to(run: Path) -> None:
    as_format_2(run)
    edit_index(run, f"UPDATE episodes SET number = {2**62} WHERE number = 1")
    passed, damaged = passes(run)
    assert passed <= PASSED and damaged[0].number == 1


def test_a_cut_index_gives_an_error_or_what_is_left(run: Path) -> None:
    cut(run / "run.sqlite")
    never_a_new_pass(run)
    with pytest.raises(DamagedData):
        RunStore.open(run, write=True)


def test_an_index_that_is_lost_says_how_to_go_on(run: Path) -> None:
    (run / "run.sqlite").unlink()
    assert not is_run(run)
    reads: tuple[Callable[[Path], object], ...] = (partial(RunStore.open, write=True), run_table)
    for read in reads:
        with pytest.raises(DamagedData, match="the run's index is missing") as told:
            read(run)
        assert f"fairground stats {run / 'episodes'}" in (told.value.fix or "")
    outcomes = run_table(run / "episodes").outcomes()
    assert (outcomes[Outcome.PASSED], outcomes[Outcome.FAILED]) == (3, 3)


def test_an_error_names_row_column_what_was_found_and_expected(run: Path) -> None:
    edit_index(run, "UPDATE episodes SET reward = 'much' WHERE number = 4")
    passed, (found,) = passes(run)
    assert passed == PASSED - {4} and found.number == 4 and found.folder == "episodes/000004"
    assert found.problem == "its row in run.sqlite, column reward: expected a number from 0 to 1, or NULL, found 'much'"
    assert found.advice == f"`fairground resume {run}` runs it again; or restore it from a copy"


@pytest.mark.parametrize(
    ("edit", "numbers"),
    [
        ("UPDATE episodes SET reward = 1.0, outcome = 'passed' WHERE number = 1", [1]),
        ("UPDATE episodes SET folder = 'episodes/000000' WHERE number = 1", [1]),
        ("UPDATE episodes SET seed = 5 WHERE number = 1", [1]),
        ("UPDATE episodes SET cost = 'free' WHERE number = 1", [1]),
        ("UPDATE episodes SET configuration = '?' WHERE number = 1", [1]),
        ("DELETE FROM episodes WHERE number = 1", [1]),
        ("DELETE FROM episodes WHERE number > 2", [3, 4, 5]),
        ("UPDATE episodes SET number = 77 WHERE number = 1", [1, 77]),
    ],
)
def test_damaged_rows_are_listed_and_resuming_runs_their_episodes_again(
    run: Path, edit: str, numbers: list[int]
) -> None:
    edit_index(run, edit)
    _, damaged = passes(run)
    assert [one.number for one in damaged] == numbers
    with RunStore.open(run, write=True) as store:
        doing = Inline(run)
        carry_out(store, executor=doing)
    assert [job.planned.number for job in doing.did] == [number for number in numbers if number < EPISODES]
    assert passes(run) == (PASSED, ()) and verify_results(run).intact == EPISODES


def test_a_row_of_another_run_is_not_a_result_of_this_one(run: Path, tmp_path: Path) -> None:
    other = sound_run(tmp_path / "other")
    edit_index(
        run,
        f"ATTACH '{other / 'run.sqlite'}' AS other",
        "DELETE FROM episodes WHERE number = 0",
        "INSERT INTO episodes SELECT * FROM other.episodes WHERE number = 0",
    )
    passed, (found,) = passes(run)
    assert passed == PASSED - {0} and "belongs to another run" in found.problem


def journal_of(run: Path, to: Path) -> None:
    """The journal that a killed writer of another run left."""
    with RunStore.open(run, write=True) as store, store.committing() as db:
        db.execute("UPDATE episodes SET error = error || ' '")
    with RunStore.open(run, write=True) as store:
        with store.committing() as db:
            db.execute("UPDATE episodes SET error = error || 'x'")
        shutil.copyfile(run / "run.sqlite-wal", to)


def test_a_journal_that_does_not_belong_is_not_written_into_the_index(run: Path, tmp_path: Path) -> None:
    with RunStore.open(run, write=True) as store:  # leaves the file in the mode that has journals
        assert store.progress().finished == EPISODES
    before = (run / "run.sqlite").read_bytes()
    other = sound_run(tmp_path / "other")
    journal_of(other, run / "run.sqlite-wal")
    passed, damaged = passes(run)
    assert not passed and len(damaged) == EPISODES
    with pytest.raises(DamagedIndex, match="the journal next to it belongs to another database") as told:
        RunStore.open(run, write=True)
    assert "run.sqlite-wal" in (told.value.fix or "") and (run / "run.sqlite").read_bytes() == before
    for name in ("run.sqlite-wal", "run.sqlite-shm"):
        (run / name).unlink(missing_ok=True)
    assert passes(run) == (PASSED, ()), "the advice works"


def as_format_2(run: Path) -> None:
    """What the version before left: no checksums in the index, no manifests in the folders."""
    edit_index(
        run,
        *(f"ALTER TABLE episodes DROP COLUMN {name}" for name in ("seal", "manifest", "later")),
        "DELETE FROM meta WHERE key IN ('run', 'planned', 'seal')",
        "UPDATE meta SET value = '2' WHERE key = 'format'",
    )
    for path in run.glob("episodes/*/manifest.json"):
        path.unlink()


def test_a_run_of_the_version_before_is_read_and_says_that_it_cannot_be_checked(run: Path) -> None:
    as_format_2(run)
    before = (run / "run.sqlite").read_bytes()
    run.chmod(0o555)
    try:
        assert passes(run) == (PASSED, ())
        (note,) = [one for one in run_table(run).notes if "checked" in one]
    finally:
        run.chmod(0o755)
    assert note == ("run: 6 of its episodes cannot be checked for damage: they were committed without file checksums")
    assert (run / "run.sqlite").read_bytes() == before, "reading changes nothing"
    assert verify_results(run).unchecked == EPISODES
    edit_index(run, "UPDATE episodes SET outcome = 'won' WHERE number = 0")
    with noticing() as damaged:
        run_table(run)
    assert [one.number for one in damaged] == [0]


def test_going_on_with_a_run_of_the_version_before_adds_checksums(run: Path) -> None:
    as_format_2(run)
    edit_index(
        run,
        "UPDATE episodes SET outcome = NULL, reward = NULL, steps = NULL, seconds = NULL, tokens = NULL, cost = NULL,"
        " ended_by = NULL, error = NULL, folder = NULL, finished = NULL, attempts = 0 WHERE number = 5",
    )
    shutil.rmtree(run / "episodes" / "000005")
    with RunStore.open(run, write=True) as store:
        carry_out(store, executor=Inline(run))
    found = verify_results(run)
    assert (found.intact, found.unchecked, found.damaged) == (1, 5, ())
    edit_index(run, "UPDATE episodes SET outcome = 'passed', reward = 1.0 WHERE number = 1")
    passed, (one,) = passes(run)
    assert passed == PASSED and one.number == 1, "its row is covered from now on"


def test_an_end_that_no_run_writes_is_not_committed(tmp_path: Path) -> None:
    run = sound_run(tmp_path / "run")
    with RunStore.open(run, write=True) as store:
        store.reopen_damaged()
        with store.committing() as db:
            db.execute("UPDATE episodes SET outcome = NULL, reward = NULL, steps = NULL, seconds = NULL, tokens = NULL,"
                       " cost = NULL, ended_by = NULL, error = NULL, folder = NULL WHERE number = 0")  # fmt: skip
            store.seal(0)
        with pytest.raises(FairgroundError, match="column reward: expected a number from 0 to 1"):
            store.finish(0, Finished(Outcome.PASSED, reward=7.0))
        store.finish(0, Finished(Outcome.FAILED, reward=0.0, error="half of a pair: \ud800"))
    assert passes(run)[0] == PASSED - {0}


@pytest.mark.parametrize("instead", ["nothing", "a folder", "a pipe", "a link"])
def test_a_run_that_lost_its_index_is_not_left_out_silently(run: Path, tmp_path: Path, instead: str) -> None:
    """Next to a sound run, in the folder of several agents."""
    both = tmp_path / "both"
    shutil.copytree(run, both / "first")
    shutil.copytree(run, both / "second")
    index = both / "first" / "run.sqlite"
    index.unlink()
    if instead == "a folder":
        index.mkdir()
    elif instead == "a pipe":
        os.mkfifo(index)
    elif instead == "a link":
        index.symlink_to("/dev/zero")
    with noticing() as noted:
        table = run_table(both)
    assert [item.name for item in noted] == [str(both / "first")]
    assert "left out: first: the run's index run.sqlite is missing" in " ".join(table.notes)
    assert table.outcomes()[Outcome.PASSED] == 3
    with pytest.raises(DamagedData):
        run_table(both / "first")
