"""Names and tags of runs: bounded, whole, and nothing of the run itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fairground.core import InvalidInput
from fairground.rollout import Planned, RunSpec, RunStore
from fairground.rollout.label import LABEL, RunLabel, make_label, read_label, write_label


def make_run(folder: Path) -> Path:
    planned = Planned(number=0, configuration="pocket/notes/pin/i@ada/paper/list", rollout=0, seed=0)
    RunStore.create(folder, RunSpec(worlds=("pocket",), agent="random"), (planned,)).close()
    return folder


def test_a_label_is_read_back_and_changed_in_parts(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    assert read_label(run) == RunLabel()
    write_label(run, name="  First \n look ", tags=["zoom", " zoom", "", "b"])
    assert read_label(run) == RunLabel(name="First look", tags=("zoom", "b"))
    write_label(run, tags=["c"])
    assert write_label(run, name="Second") == read_label(run) == RunLabel(name="Second", tags=("c",))
    assert not list(run.glob(".*tmp"))


def test_a_run_that_is_being_written_can_be_named(tmp_path: Path) -> None:
    run = make_run(tmp_path / "both" / "random")
    with RunStore.open(run, write=True) as store:
        write_label(run, name="now")
        write_label(tmp_path / "both", name="both")
        assert store.spec == RunSpec(worlds=("pocket",), agent="random")
    assert (read_label(run).name, read_label(tmp_path / "both").name) == ("now", "both")


@pytest.mark.parametrize(
    "words",
    [{"name": "x" * 121}, {"tags": ["a b"]}, {"tags": ["a,b"]}, {"tags": ["x" * 41]}, {"name": "a\u202eb"},
     {"tags": [f"t{at}" for at in range(17)]}],
)  # fmt: skip
def test_what_is_no_label_is_refused_and_nothing_is_written(tmp_path: Path, words: dict[str, object]) -> None:
    run = make_run(tmp_path)
    with pytest.raises(InvalidInput, match="label"):
        write_label(run, **words)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        make_label(**words)  # type: ignore[arg-type]
    assert not (run / LABEL).exists()


def test_a_folder_without_a_run_has_no_label(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="holds no run"):
        write_label(tmp_path, name="x")


@pytest.mark.parametrize("content", ["", "[]", '{"name": 5}', '{"format": 2}', json.dumps({"name": "x" * 40_000})])
def test_a_file_that_is_no_label_is_told(tmp_path: Path, content: str) -> None:
    (tmp_path / LABEL).write_text(content)
    with pytest.raises(InvalidInput, match="label.json"):
        read_label(tmp_path)
