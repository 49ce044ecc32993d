"""Recorded states scored again: what changed is shown, what cannot be scored is said, and nothing is lost."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fairground_pocket.notes.scenarios.count_label import CountLabel

from fairground.cli import main
from fairground.cli.reverify import reverify as command
from fairground.core import Check, Done, EpisodeError, InfrastructureError, InvalidInput, Outcome, State
from fairground.core.damage import noticing
from fairground.rollout import RunBusy, RunSpec, RunStore, read_episode, run_table
from fairground.rollout.reverifying import Rescored, reverify, write_changes
from fairground.rollout.verdicts import (
    LaterVerdict,
    ScoredAgain,
    commit_verdicts,
    read_verdict,
    read_verdicts,
    write_verdict,
)
from fairground.verify import judge
from fairground.worlds import World, resolve

from .recordings import an_episode, notes_episode, record, run_of

HEALTH = "pocket/notes/count-label/health@student/paper/list"
MONEY = "pocket/notes/count-label/money@cafe/paper/list"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three episodes, none of which gives the right number."""
    episodes = [(name, partial(notes_episode, configuration=name, answer="999")) for name in (HEALTH, MONEY, HEALTH)]
    return run_of(tmp_path_factory.mktemp("recorded") / "run", episodes)


@pytest.fixture
def run(recorded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(recorded, tmp_path / "run"))


@pytest.fixture
def lenient(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the run the verifier is repaired: in the student's phone any answer will do, and a check has a new name."""
    strict = CountLabel.checks

    def checks(self: CountLabel, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        number, guard = strict(self, world, before, after, answer)
        if world.configuration.profile == "student":
            number = number.model_copy(update={"passed": True})
        return [number, guard.model_copy(update={"name": "all else is as it was"})]

    monkeypatch.setattr(CountLabel, "checks", checks)


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def outcomes(found: Sequence[Rescored]) -> list[tuple[Outcome, Outcome | None]]:
    return [(one.before, one.now) for one in found]


def test_the_same_verifiers_come_to_the_same_verdict_and_nothing_is_written(run: Path) -> None:
    before = tree(run)
    told: list[tuple[int, int]] = []
    found = reverify(run, on_done=lambda done, all_: told.append((done, all_)))
    assert outcomes(found) == [(Outcome.FAILED, Outcome.FAILED)] * 3
    assert not any(one.changed or one.checks or one.problem for one in found)
    assert told == [(1, 3), (2, 3), (3, 3)]
    after = tree(run)
    assert {name for name in after if not name.endswith(("-wal", "-shm"))} == {
        name for name in before if not name.endswith(("-wal", "-shm"))
    }
    assert all(after[name] == content for name, content in before.items() if "/episodes/" in name)


@pytest.mark.usefixtures("lenient")
def test_what_changed_is_shown_check_by_check(run: Path) -> None:
    found = reverify(run)
    assert [one.before for one in found] == ["failed", "failed", "failed"]
    assert [one.now for one in found] == ["passed", "failed", "passed"]
    assert all(one.changed for one in found), "a check under another name is a change too"
    changes = {(one.name, one.before, one.now) for one in found[0].checks}
    assert changes == {
        ("the number is right", False, True),
        ("all else is as it was", None, True),
        ("nothing else changed", True, None),
    }
    assert found[0].now_verdict is not None and found[0].now_verdict.reward == 1.0


@pytest.mark.usefixtures("lenient")
def test_new_verdicts_stand_beside_the_old_and_the_index_keeps_both(run: Path) -> None:
    episode = (run / "episodes/000000/episode.json").read_bytes()
    paths = write_changes(run, reverify(run))
    assert len(paths) == 3
    assert (run / "episodes/000000/episode.json").read_bytes() == episode
    assert read_episode(run / "episodes/000000").complete, "the folder is as good as before"
    later = read_verdict(paths[0].parent, paths[0].name)
    assert (later.outcome, later.replaces) == (Outcome.PASSED, Outcome.FAILED)
    assert later.verdict is not None and later.verdict.success

    table = run_table(run)
    assert table.outcomes()[Outcome.PASSED] == 2, "tables count the newest"
    history = [(one.number, one.outcome, one.reward, Path(one.file).name) for one in read_verdicts(run)]
    assert history[0] == (0, Outcome.FAILED, 0.0, "episode.json")
    assert history[1] == (0, Outcome.PASSED, 1.0, paths[0].name)
    assert len(history) == 6

    again = reverify(run)
    assert not any(one.changed for one in again), "compared with what counts now"
    assert write_changes(run, again) == []


def test_going_back_is_one_more_verdict(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    strict = CountLabel.checks
    with monkeypatch.context() as patch:
        patch.setattr(CountLabel, "checks", lambda *_: [Check(name="anything", passed=True)])
        write_changes(run, reverify(run))
    assert CountLabel.checks is strict
    write_changes(run, reverify(run))
    assert [one.outcome for one in read_verdicts(run) if one.number == 1] == ["failed", "passed", "failed"]
    assert run_table(run).outcomes()[Outcome.FAILED] == 3


def test_checks_that_break_today_make_it_invalid_and_never_a_score(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Sequence[Check]:
        raise KeyError("a table that is not there")

    monkeypatch.setattr(CountLabel, "checks", broken)
    found = reverify(run)
    assert outcomes(found) == [(Outcome.FAILED, Outcome.INVALID)] * 3
    assert "a table that is not there" in found[0].problem and found[0].now_verdict is None
    write_changes(run, found)
    assert int(run_table(run).scored.sum()) == 0


def test_what_cannot_be_scored_is_said_and_not_scored(tmp_path: Path) -> None:
    gone = ["nowhere/notes/count-label/health@student/paper/list", "pocket/notes/count-label/helth@student/paper/list"]
    unrecorded = "pocket/notes/count-label/travel@student/paper/list"
    other = "pocket/notes/count-label/ideas@student/paper/list"
    episodes: list[tuple[str, Any]] = [
        *((name, partial(_named, name=name)) for name in gone),
        (unrecorded, partial(_named, name=unrecorded, states=False)),
        (HEALTH, partial(notes_episode, configuration=HEALTH, answer="999")),
        (other, partial(notes_episode, configuration=HEALTH, answer="999")),
        (MONEY, partial(notes_episode, configuration=MONEY, answer="999")),
    ]
    run = run_of(tmp_path / "run", episodes)
    state = run / "episodes/000003/state/state.json"
    state.write_text(state.read_text().replace("{", "[", 1))
    (run / "episodes/000005/episode.json").unlink()
    with noticing() as damaged:
        found = reverify(run)
    assert [(one.number, one.problem) for one in damaged] == [
        (3, "state/state.json: content differs from what was recorded"),
        (5, "episode.json is missing"),
    ]
    problems = ["unknown suite 'nowhere'", "'helth'", "no state was recorded before"]
    problems += [f"holds an episode of {HEALTH}"]
    assert [one.now for one in found] == [None] * 4
    for one, problem in zip(found, problems, strict=True):
        assert problem in one.problem and not one.changed, one
    assert write_changes(run, found) == [] and read_verdicts(run) == []


def _named(folder: Path, name: str, states: bool = True) -> Any:
    both = (State(data={"notes": []}), State(data={"notes": []})) if states else None
    return record(folder, "ab", [Done()], episode=an_episode(name), states=both)


def test_the_task_stays_the_one_that_was_run(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    instances = {**CountLabel.instances, "health": {"label": "Money"}}
    monkeypatch.setattr(CountLabel, "instances", instances)
    found = reverify(run)
    assert not any(one.changed for one in found)
    assert "parameters have changed" in found[0].notes[0] and not found[1].notes


@pytest.mark.process
def test_a_run_of_a_world_folder_is_found_by_what_it_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "mousepad", "--folder", "places/mine"]) == 0
    world = resolve("places/mine")
    file = next(iter(world.app.recorded or world.scenario.recorded), "~/welcome.txt")
    states = State(files={file: b"Welcome"}), State(files={file: b"Welcome"})
    episode = an_episode(world.id, parameters=dict(world.parameters))
    recording = partial(
        record, frames="ab", actions=[Done()], episode=episode, states=states, verdict=judge(world, *states)
    )
    run = run_of(tmp_path / "run", [(world.id, recording)], RunSpec(worlds=("places/mine",), agent="x"))
    (found,) = reverify(run)
    assert (found.now, found.changed, found.problem) == (found.before, False, "")


def test_a_run_that_is_being_written_cannot_be_changed(run: Path) -> None:
    found = reverify(run)
    with RunStore.open(run, write=True), pytest.raises(RunBusy):
        write_changes(run, found)


def test_a_verdict_is_never_written_over(tmp_path: Path) -> None:
    verdict = LaterVerdict(
        scored="2026-01-01T00:00:00+00:00", fairground="1", suite="1", outcome=Outcome.INVALID, verdict=None,
        replaces=Outcome.FAILED,
    )  # fmt: skip
    path = write_verdict(tmp_path, verdict)
    assert path.name == "verdict-20260101T000000Z.json" and read_verdict(tmp_path, path.name) == verdict
    with pytest.raises(InfrastructureError, match="File exists"):
        write_verdict(tmp_path, verdict)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_all_new_verdicts_are_committed_or_none(run: Path) -> None:
    (run / "verdict-1.json").write_bytes(b"{}")
    found = [ScoredAgain(number, "2026-01-01", Outcome.PASSED, 1.0, f"verdict-{number}.json") for number in (1, 2)]
    with RunStore.open(run, write=True) as store, pytest.raises(EpisodeError, match=r"verdict-2\.json: missing"):
        commit_verdicts(store, found)
    assert read_verdicts(run) == [] and run_table(run).outcomes()[Outcome.PASSED] == 0


@pytest.mark.process
def test_other_processes_come_to_the_same(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = reverify(run)
    monkeypatch.setattr("fairground.rollout.abreast.FEW", 0)
    assert reverify(run, workers=2) == here


def test_what_is_no_run_or_has_no_result_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="run.sqlite"):
        reverify(tmp_path)
    RunStore.create(tmp_path / "run", RunSpec(worlds=("pocket",), agent="x"), ()).close()
    with pytest.raises(InvalidInput, match="no episode of this run has a result"):
        reverify(tmp_path / "run")


@pytest.mark.usefixtures("lenient")
def test_the_command_says_what_changed_and_writes_only_when_asked(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command(run, workers=1)
    out = capsys.readouterr().out
    assert "failed -> passed" in out and "the number is right" in out and "nothing was written" in out
    command(run, workers=1, json=True)
    found = json.loads(capsys.readouterr().out)
    assert (found["scored"], found["same"], len(found["changed"]), found["written"]) == (3, 0, 3, [])
    command(run, write=True, workers=1)
    assert "3 verdicts" in capsys.readouterr().out
    command(run, workers=1)
    assert "3 the same, 0 changed" in capsys.readouterr().out
