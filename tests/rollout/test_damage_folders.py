"""Attacks on the folders of a run's episodes: whatever is done to a file, it is named, and never a score."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fairground.core import Outcome
from fairground.core.damage import noticing
from fairground.rollout import Job, RunStore, carry_out, read_episode, run_table, start_run
from fairground.rollout.damage import DamagedEpisode
from fairground.rollout.manifest import content_digest
from fairground.rollout.verdicts import LaterVerdict, ScoredAgain, commit_verdicts, write_verdict
from fairground.rollout.verifying import verify_results

from .damage_stage import EPISODES, PASSED, SPEC, Inline, copied, edit_index, passes, record_job, sound_run

NUMBER = 2
FOLDER = f"episodes/{NUMBER:06d}"
FILES = ("episode.json", "manifest.json", "steps.jsonl", "frames/*.png", "state/state.json", "state/after/*")

Attack = Callable[[Path], None]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sound_run(tmp_path_factory.mktemp("sound") / "run")


@pytest.fixture
def run(sound: Path, tmp_path: Path) -> Path:
    return copied(sound, tmp_path / "run")


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def lengthen(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\n")


def unlink(path: Path) -> None:
    path.unlink()


def become_a_link(path: Path) -> None:
    """Links to the very content: what is at the other end can change at any time."""
    elsewhere = path.with_name(f"{path.name}.elsewhere")
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def become_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def become_a_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def flip(path: Path) -> None:
    """Of the same size, but one letter is another."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


LOUD = (truncate, empty, lengthen, unlink, become_a_link, become_a_folder, become_a_fifo)


@pytest.mark.parametrize("attack", LOUD, ids=lambda attack: attack.__name__)
@pytest.mark.parametrize("pattern", FILES)
def test_a_file_that_is_not_there_as_recorded_is_named_and_not_scored(run: Path, pattern: str, attack: Attack) -> None:
    path = next((run / FOLDER).glob(pattern))
    attack(path)
    passed, damaged = passes(run)
    assert passed == PASSED - {NUMBER}
    (found,) = damaged
    assert (found.number, found.folder) == (NUMBER, FOLDER)
    assert path.name in found.problem
    assert run_table(run).notes[0].startswith(f"1 episode is damaged and not counted: run/{FOLDER}: {found.problem}")


@pytest.mark.parametrize("pattern", FILES)
def test_a_letter_that_was_changed_is_found_by_reading_all(run: Path, pattern: str) -> None:
    path = next((run / FOLDER).glob(pattern))
    flip(path)
    assert [one.number for one in verify_results(run).damaged] == [NUMBER]
    if pattern in ("episode.json", "manifest.json"):
        assert passes(run)[0] == PASSED - {NUMBER}
    with RunStore.open(run, write=True) as store:
        carry_out(store, executor=Inline(run))
    assert verify_results(run).intact == EPISODES, "resuming reads all as well"


def test_an_index_and_files_that_contradict_each_other_are_told(tmp_path: Path) -> None:
    with start_run(tmp_path / "run", SPEC) as store:
        planned = next(store.unfinished()).planned
        finished = record_job(store.folder, Job(planned, 0, FOLDER))
        store.finish(0, replace(finished, reward=0.5))
    (found,) = verify_results(store.folder).damaged
    assert found.problem == "reward: 0.5 in the index, 1.0 in its files"
    shutil.rmtree(store.folder / FOLDER)
    with RunStore.open(store.folder, write=True) as again:
        carry_out(again, executor=Inline(store.folder))
    assert not verify_results(store.folder).damaged, "the advice works"


def test_a_sound_run_is_sound(run: Path) -> None:
    found = verify_results(run)
    assert (found.intact, found.unchecked, found.unfinished, found.damaged) == (EPISODES, 0, 0, ())
    assert passes(run) == (PASSED, ())
    assert run_table(run).notes == ()
    loose = verify_results(run / "episodes")
    assert (loose.intact, loose.damaged) == (EPISODES, ())


def forge(folder: Path) -> None:
    """A failed episode made to say that it passed, with a manifest that fits."""
    path = folder / "episode.json"
    data = path.read_text().replace('"failed"', '"passed"').replace("false", "true").replace("0.0", "1.0")
    path.write_text(data)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"]["episode.json"] = {"size": len(data.encode()), "digest": content_digest(data.encode())}
    (folder / "manifest.json").write_text(json.dumps(manifest))


def test_a_forged_folder_is_not_a_pass(run: Path) -> None:
    forge(run / "episodes" / "000001")
    assert read_episode(run / "episodes" / "000001").episode.outcome == "passed", "by itself it is consistent"
    passed, (found,) = passes(run)
    assert passed == PASSED and found.number == 1
    assert found.problem == "manifest.json differs from the one committed with this episode"


def test_episodes_that_change_places_are_both_damaged(run: Path) -> None:
    one, other, aside = (run / "episodes" / name for name in ("000000", "000001", "aside"))
    one.rename(aside)
    other.rename(one)
    aside.rename(other)
    passed, damaged = passes(run)
    assert passed == PASSED - {0} and [found.number for found in damaged] == [0, 1]


@pytest.mark.parametrize("which", [FOLDER, "episodes"])
def test_a_folder_that_became_a_link_is_damaged(run: Path, tmp_path: Path, which: str) -> None:
    shutil.move(run / which, tmp_path / "elsewhere")
    (run / which).symlink_to(tmp_path / "elsewhere")
    passed, damaged = passes(run)
    assert NUMBER not in passed and NUMBER in {found.number for found in damaged}
    assert all("is a link or not a folder" in found.problem for found in damaged)


def test_a_folder_that_is_gone_is_damaged(run: Path) -> None:
    shutil.rmtree(run / FOLDER)
    passed, (found,) = passes(run)
    assert passed == PASSED - {NUMBER} and found.problem == "the episode's folder is missing"


def test_what_is_added_to_a_folder_harms_nothing(run: Path) -> None:
    (run / FOLDER / "index.html").write_text("a page")
    (run / FOLDER / "judgement-1.json").write_text("{}")
    assert passes(run) == (PASSED, ()) and not verify_results(run).damaged


def test_an_episode_outside_of_a_run_is_checked_by_its_own_manifest(run: Path) -> None:
    folder = run / FOLDER
    truncate(next(folder.glob("state/after/*")))
    with pytest.raises(DamagedEpisode, match="marked complete, but state/after"):
        read_episode(folder)
    flip(next((run / "episodes/000000").glob("state/after/*")))
    read_episode(run / "episodes/000000")
    with pytest.raises(DamagedEpisode, match="content differs from what was recorded"):
        read_episode(run / "episodes/000000").verify()
    with noticing() as damaged:
        found = verify_results(run / "episodes")
    assert [one.folder for one in damaged] == ["000000", "000002"] and found.intact == EPISODES - 2


def test_resuming_runs_damaged_episodes_again_and_nothing_else(run: Path) -> None:
    shutil.rmtree(run / "episodes" / "000004")
    truncate(run / FOLDER / "episode.json")
    with RunStore.open(run, write=True) as store:
        doing = Inline(run)
        carry_out(store, executor=doing)
    assert [(job.planned.number, job.folder) for job in doing.did] == [
        (2, "episodes/000002-1"),
        (4, "episodes/000004-1"),
    ]
    assert passes(run) == (PASSED, ()) and verify_results(run).intact == EPISODES
    assert (run / FOLDER / "steps.jsonl").is_file(), "what is damaged stays, to be looked at"


def test_a_later_verdict_is_covered_too(run: Path) -> None:
    folder = run / "episodes" / "000001"
    verdict = read_episode(run / "episodes" / "000000").episode.verdict
    later = LaterVerdict(
        scored="2026-01-01T00:00:00+00:00",
        fairground="1",
        suite="1",
        outcome=Outcome.PASSED,
        verdict=verdict,
        replaces=Outcome.FAILED,
    )
    with RunStore.open(run, write=True) as store:
        path = write_verdict(folder, later)
        scored = ScoredAgain(1, later.scored, later.outcome, 1.0, f"episodes/000001/{path.name}")
        commit_verdicts(store, [scored])
    assert passes(run) == (PASSED | {1}, ()) and not verify_results(run).damaged
    whole = path.read_bytes()
    flip(path)
    passed, (found,) = passes(run)
    assert passed == PASSED and found.problem == f"{path.name}: content differs from what was committed"
    path.unlink()
    assert passes(run)[0] == PASSED
    path.write_bytes(whole)
    assert passes(run) == (PASSED | {1}, ())
    edit_index(run, "UPDATE verdicts SET outcome = 'failed', reward = 0.0 WHERE outcome = 'passed'")
    passed, (found,) = passes(run)
    assert passed == PASSED and "does not end with the verdict that counts" in found.problem
    with RunStore.open(run, write=True) as store:
        carry_out(store, executor=Inline(run))
    assert passes(run) == (PASSED, ()), "run again, it fails as before"
