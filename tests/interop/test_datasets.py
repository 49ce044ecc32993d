"""Training data: every format is loaded back by the library that reads it, and equals what was recorded."""

from __future__ import annotations

import io
import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from fairground.agents.models.compatible_functions import FUNCTIONS
from fairground.agents.models.context import FORGOTTEN
from fairground.agents.native import DIALECTS, rescaled
from fairground.cli import main
from fairground.core import (
    Action,
    Answer,
    Check,
    Click,
    Done,
    Drag,
    InvalidInput,
    Key,
    Look,
    MouseDown,
    Outcome,
    Scroll,
    Step,
    Type,
    Verdict,
    Wait,
    parse_action,
)
from fairground.core.damage import noticing
from fairground.interop.datasets import ALIASES, Filters, Options, export_dataset, voice
from fairground.interop.datasets.dialects import plain_thought
from fairground.rollout import Recorder, RunSpec, read_episode
from fairground.study import make_split, write_split
from tests.rollout.recordings import SIZE, an_episode, frame, record, run_of

WORK: list[Action] = [Click(point=(10, 20)), Type(text="Ada\n"), Key(keys=("ctrl", "s")), Done()]
NAMES = ("pocket/notes/pin-and-label/i@p/t/u", "pocket/notes/count-label/i@p/t/u")
FAILED = Verdict.of([Check(name="half", passed=True), Check(name="rest", passed=False, weight=3.0)])
DIALECT_NAMES = [*(name for name in DIALECTS if name != "gemini-2.5"), *ALIASES, FUNCTIONS.name, "canonical"]
"""All but the one that can type only together with a click."""


def thinking(index: int) -> dict[str, Any]:
    return {"thought": f"Thought: step {index}.\nAction: click(start_box='(1,2)')"}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with two equal successes, a failure, and an episode that errored."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    one, other = NAMES
    made = [
        (one, lambda path: record(path, "abcda", WORK, episode=an_episode(one), details=thinking)),
        (one, lambda path: record(path, "abcda", WORK, episode=an_episode(one), details=thinking)),
        (other, lambda path: record(path, "ab", [Answer(text="3")], episode=an_episode(other), verdict=FAILED)),
    ]
    run_of(folder, made)
    return folder


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")


def load(path: Path, **options: Any) -> Any:
    """What `datasets` makes of a file or folder."""
    import datasets

    datasets.disable_progress_bars()
    cache = {"cache_dir": str(path.parent / "cache")}
    if path.is_dir():
        return datasets.load_dataset(str(path), **cache, **options)
    return datasets.load_dataset("parquet", data_files=str(path), split="train", **cache, **options)


def pixels(picture: Any) -> np.ndarray[Any, Any]:
    return np.asarray(picture.convert("RGB"))


def texts(row: dict[str, Any], role: str) -> list[str]:
    return [
        part["text"]
        for message in row["messages"]
        if message["role"] == role
        for part in message["content"]
        if part["type"] == "text"
    ]


@pytest.mark.process
def test_conversations_load_with_datasets_and_images_equal_the_frames(run: Path, tmp_path: Path) -> None:
    written = export_dataset(run, tmp_path / "sft.parquet", "sft", Options(filters=Filters((Outcome.PASSED,))))
    rows = load(tmp_path / "sft.parquet")
    assert len(rows) == written.files["sft"].rows == 2
    row = rows[0]
    assert [message["role"] for message in row["messages"]] == ["system", *["user", "assistant"] * 4]
    placeholders = sum(part["type"] == "image" for message in row["messages"] for part in message["content"])
    assert placeholders == len(row["images"]) == 4
    for picture, letter in zip(row["images"], "abcd", strict=True):
        assert np.array_equal(pixels(picture), frame(letter).pixels)
    assert "Do it." in texts(row, "user")[0] and texts(row, "user")[1] == "This is the screen now."
    assert (row["reward"], row["outcome"], row["agent"], row["dialect"]) == (1.0, "passed", "scripted", "qwen3-vl")
    assert row["configuration"] == NAMES[0] and row["step"] is None


@pytest.mark.process
def test_rows_per_step_have_a_bounded_number_of_frames(run: Path, tmp_path: Path) -> None:
    options = Options(rows="step", history=2, filters=Filters((Outcome.PASSED,), limit=1))
    export_dataset(run, tmp_path / "steps.parquet", "sft", options)
    rows = load(tmp_path / "steps.parquet")
    assert rows["step"][:] == [0, 1, 2, 3]
    assert [len(row["images"]) for row in rows] == [1, 2, 2, 2]
    last = rows[3]
    assert np.array_equal(pixels(last["images"][-1]), frame("d").pixels)
    assert texts(last, "user").count(FORGOTTEN) == 2
    assert last["messages"][-1]["role"] == "assistant" and "terminate" in texts(last, "assistant")[-1]


@pytest.mark.process
def test_trajectories_have_rewards_checks_and_actions(run: Path, tmp_path: Path) -> None:
    export_dataset(run, tmp_path / "rl.parquet", "rl")
    first, _, last = load(tmp_path / "rl.parquet")
    assert [parse_action(json.loads(step["action"])) for step in first["trajectory"]] == WORK
    assert (first["reward"], first["success"], first["ended_by"], first["fingerprint"]) == (
        1.0,
        True,
        "agent",
        "0" * 32,
    )
    assert (last["reward"], last["success"], last["outcome"]) == (0.25, False, "failed")
    assert [(check["name"], check["weight"], check["passed"]) for check in last["checks"]] == [
        ("half", 1.0, True),
        ("rest", 3.0, False),
    ]
    seen = [first["images"][step["observation"]] for step in first["trajectory"]]
    for picture, letter in zip([*seen, first["images"][-1]], "abcda", strict=True):
        assert np.array_equal(pixels(picture), frame(letter).pixels)


@pytest.mark.process
def test_a_dataset_folder_opens_with_the_sides_of_a_split(run: Path, tmp_path: Path) -> None:
    split = make_split("pocket/notes", test=0.5, traits=[])
    options = Options(splits=split, rows="trajectory")
    export_dataset(run, tmp_path / "data", "hf", options)
    loaded = load(tmp_path / "data")
    assert {name: set(rows["scenario"]) for name, rows in loaded.items()} == {
        side: set(split.names(side)) for side in ("train", "test")
    }
    card = (tmp_path / "data" / "README.md").read_text()
    assert "| train |" in card and "Split with seed 0" in card
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["README.md", "data"]
    side = Options(filters=Filters(split=(split, "test")), rows="trajectory")
    report = export_dataset(run, tmp_path / "one", "hf", side)
    assert list(load(tmp_path / "one")) == ["test"]
    assert report.left_out.counts == {"train side of the split": 3 - report.files["test"].rows}


def test_trajectories_in_atif_have_their_images_beside_them(run: Path, tmp_path: Path) -> None:
    export_dataset(run, tmp_path / "atif", "atif")
    folders = sorted((tmp_path / "atif").iterdir())
    assert [folder.name for folder in folders] == ["000000-pin-and-label", "000001-pin-and-label", "000002-count-label"]
    written = json.loads((folders[0] / "trajectory.json").read_text())
    assert [step["step_id"] for step in written["steps"]] == [1, 2, 3, 4, 5]
    call = written["steps"][1]["tool_calls"][0]
    assert call["function_name"] == "computer_action" and parse_action(call["arguments"]) == WORK[0]
    for step in written["steps"]:
        parts = step["message"] if step["source"] == "user" else step["observation"]["results"][0]["content"]
        (source,) = [part["source"] for part in parts if part["type"] == "image"]
        assert not Path(source["path"]).is_absolute()
        with Image.open(folders[0] / source["path"]) as picture:
            assert picture.size == SIZE
    assert written["extra"]["reward"] == 1.0 and written["extra"]["checks"][0]["passed"]


# --- dialects --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DIALECT_NAMES)
def test_every_dialect_reads_its_own_text_back(run: Path, tmp_path: Path, name: str) -> None:
    export_dataset(run, tmp_path / "sft.parquet", "sft", Options(dialect=name, filters=Filters((Outcome.PASSED,))))
    row = pq.read_table(tmp_path / "sft.parquet").to_pylist()[0]
    said = texts(row, "assistant")
    assert all("click(start_box='(1,2)')" not in text for text in said)  # the recorded model's own dialect
    assert [read_back(name, text) for text in said[:3]] == [[action] for action in WORK[:3]]


def read_back(name: str, text: str) -> list[Action]:
    """What the agents' own reader makes of a written answer."""
    full = ALIASES.get(name, name)
    if full == "canonical":
        return [parse_action(json.loads(text.rpartition("\n")[2]))]
    dialect = {**DIALECTS, FUNCTIONS.name: FUNCTIONS}[full]
    if full.startswith(("ui-tars", "qwen", "opencua", "pyautogui", "computer")):
        return list(dialect.parse(text, SIZE))
    calls = re.findall(r"<tool_call>\n(.*?)\n</tool_call>", text, re.DOTALL)
    return [action for call in calls for action in dialect.parse(json.loads(call), SIZE)]


@given(
    st.sampled_from(["qwen3-vl", "ui-tars-1.5", "opencua", "gemini-3.5", "anthropic-20251124", "functions"]),
    st.tuples(st.integers(0, 1279), st.integers(0, 719)),
    st.sampled_from([(1280, 720), (640, 360), (900, 506)]),
)
def test_coordinates_are_those_of_the_exported_image(name: str, point: tuple[int, int], size: tuple[int, int]) -> None:
    action = rescaled(Click(point=point), (1280, 720), size)
    text = voice(name).write(action, "", size)
    dialect = {**DIALECTS, FUNCTIONS.name: FUNCTIONS}[name]
    native: Any = text
    if "<tool_call>" in text and not name.startswith("qwen"):
        native = json.loads(text.removeprefix("<tool_call>\n").removesuffix("\n</tool_call>"))
    (read,) = dialect.parse(native, size)
    back = rescaled(read, size, (1280, 720))
    assert isinstance(back, Click) and back.point is not None
    assert all(abs(one - other) <= 3 for one, other in zip(back.point, point, strict=True))  # a grid is coarser


def test_an_action_that_a_dialect_cannot_express_leaves_the_row_out(tmp_path: Path) -> None:
    actions: list[Action] = [Click(point=(1, 1)), MouseDown(button="back"), Done()]
    record(tmp_path / "runs" / "one", "abcd", actions)
    record(tmp_path / "runs" / "two", "ab", [Done()])
    report = export_dataset(tmp_path / "runs", tmp_path / "a.parquet", "sft", Options(dialect="qwen"))
    assert report.files["sft"].rows == 1 and report.left_out.counts == {"qwen3-vl cannot express mouse_down": 1}
    steps = export_dataset(tmp_path / "runs", tmp_path / "b.parquet", "sft", Options(dialect="qwen", rows="step"))
    assert steps.files["sft"].rows == 2
    assert steps.left_out.counts["an action before it cannot be written"] == 1
    assert export_dataset(tmp_path / "runs", tmp_path / "c.parquet", "rl").files["rl"].rows == 2


def test_zooms_refused_actions_and_automation_are_never_taught(tmp_path: Path) -> None:
    record(tmp_path / "zoom" / "e", "ab", [Look(region=(0, 0, 5, 5))])
    with pytest.raises(InvalidInput, match="cannot express look"):
        export_dataset(tmp_path / "zoom", tmp_path / "a.parquet", "sft", Options(dialect="anthropic"))
    record(
        tmp_path / "refused" / "e",
        "abc",
        [Scroll(dy=3), Done()],
        details=lambda index: {"refused": "no", "messages": ("Refused: no",)} if index == 0 else {},
    )
    report = export_dataset(tmp_path / "refused", tmp_path / "b.parquet", "sft", Options(rows="step"))
    assert report.files["sft"].rows == 1 and report.left_out.counts == {"the action was refused": 1}
    row = pq.read_table(tmp_path / "b.parquet").to_pylist()[0]
    assert texts(row, "user")[1].startswith("Refused: no")
    oracle = an_episode(agent="oracle")
    record(tmp_path / "oracle" / "e", "abc", [Wait(seconds=0), Done()], episode=oracle)
    with pytest.raises(InvalidInput, match="the app's automation"):
        export_dataset(tmp_path / "oracle", tmp_path / "c.parquet", "sft")


def test_images_are_shrunk_and_coordinates_with_them(tmp_path: Path) -> None:
    record(tmp_path / "runs" / "e", "abc", [Drag(path=((0, 0), (99, 49))), Done()])
    options = Options(dialect="anthropic", max_side=64)
    export_dataset(tmp_path / "runs", tmp_path / "a.parquet", "sft", options)
    row = pq.read_table(tmp_path / "a.parquet").to_pylist()[0]
    assert Image.open(io.BytesIO(row["images"][0]["bytes"])).size == (64, 32)
    assert '"coordinate": [63.0, 31.0]' in texts(row, "assistant")[0] or "[63, 31]" in texts(row, "assistant")[0]


@pytest.mark.parametrize(
    ("thought", "left"),
    [
        ("Thought: I see it.\nAction: click(point='<point>1 2</point>')", "I see it."),
        ('I open it.\n<tool_call>\n{"name": "computer_use"}\n</tool_call>', "I open it."),
        ("I type.\n```python\npyautogui.write('x')\n```", "I type."),
        ("Tap “Send”.", "Tap “Send”."),
        ("", ""),
    ],
)
def test_thoughts_lose_the_actions_of_another_dialect(thought: str, left: str) -> None:
    assert plain_thought(thought) == left


# --- filters ---------------------------------------------------------------------------------------------------------


def exported(run: Path, path: Path, filters: Filters, kind: Any = "rl") -> tuple[int, dict[str, int]]:
    report = export_dataset(run, path, kind, Options(filters=filters))
    return report.files[kind].rows, dict(report.left_out.counts)


def test_filters_leave_out_and_say_why(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    assert exported(run, path, Filters(min_reward=0.5)) == (2, {"reward below 0.5": 1})
    assert exported(run, path, Filters(max_steps=1)) == (1, {"more than 1 steps": 2})
    assert exported(run, path, Filters(deduplicate=True)) == (2, {"duplicate": 1})
    assert exported(run, path, Filters(limit=1)) == (1, {"over the limit": 2})
    assert exported(run, path, Filters((Outcome.FAILED,))) == (1, {"outcome passed": 2})
    with pytest.raises(InvalidInput, match="3 another agent"):
        exported(run, path, Filters(agents=("random",)))


def test_an_errored_episode_is_left_out_unless_asked_for_and_has_no_reward(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    spec = RunSpec(worlds=("s",), agent="scripted")
    run_of(folder, [(NAMES[0], lambda path: record(path, "ab", [Done()], episode=an_episode(NAMES[0])))], spec)
    lost = tmp_path / "lost"
    run_of(lost, [(NAMES[0], record_errored)], spec)
    report = export_dataset([folder, lost], tmp_path / "a.parquet", "rl")
    assert report.files["rl"].rows == 1 and report.left_out.counts == {"outcome errored": 1}
    wanted = Options(filters=Filters((Outcome.ERRORED,)))
    export_dataset([folder, lost], tmp_path / "b.parquet", "rl", wanted)
    (row,) = pq.read_table(tmp_path / "b.parquet").to_pylist()
    assert row["reward"] is None and row["success"] is None and row["checks"] == [] and row["outcome"] == "errored"


def record_errored(path: Path) -> Any:
    started = an_episode(NAMES[0])
    with Recorder(path, started, video=False) as recorder:
        recorder.first(frame("a"))
        timing: dict[str, Any] = {"seconds": 0.0, "act_ms": 1.0, "settle_ms": 1.0, "settled": True}
        recorder.step(Step(index=0, action=Click(point=(1, 1)), frame=frame("b").digest, **timing), frame("b"))
        recorder.close(
            started.model_copy(update={"outcome": Outcome.ERRORED, "ended_by": "error", "error": "no memory"})
        )
    return read_episode(path)


# --- faults ----------------------------------------------------------------------------------------------------------


def test_a_damaged_frame_leaves_the_whole_episode_out_and_is_listed(run: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    victim = copy / "episodes" / "000000"
    data = (victim / "frames" / f"{frame('b').digest}.png").read_bytes()
    other = (victim / "frames" / f"{frame('c').digest}.png").read_bytes()
    assert len(data) == len(other)  # the manifest's sizes cannot tell
    (victim / "frames" / f"{frame('b').digest}.png").write_bytes(other)
    with noticing() as damaged:
        report = export_dataset(copy, tmp_path / "a.parquet", "sft", Options(rows="step"))
    assert [(entry.folder, "digest" in entry.problem) for entry in damaged] == [("episodes/000000", True)]
    assert report.left_out.counts["damaged"] == 1
    assert {row["episode"] for row in pq.read_table(tmp_path / "a.parquet").to_pylist()} == {"e"}
    status = main(["export", str(copy), "--format", "rl", "-o", str(tmp_path / "b.parquet"), "--json"])
    assert status == 3


def test_bad_options_are_refused_before_anything_is_written(run: Path, tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine.txt").write_text("mine")
    cases: list[tuple[Path, Any, Options, str]] = [
        (tmp_path / "a.csv", "sft", Options(), "ends in .parquet"),
        (tmp_path / "a.parquet", "sft", Options(dialect="klingon"), "unknown dialect"),
        (tmp_path / "a.parquet", "sft", Options(rows="trajectory"), "has no rows per trajectory"),
        (tmp_path / "a.parquet", "rl", Options(rows="step"), "has no rows per step"),
        (tmp_path / "a.parquet", "sft", Options(history=0), "0 frames"),
        (tmp_path / "a.parquet", "sft", Options(max_side=3), "too small"),
        (tmp_path / "a.parquet", "nonsense", Options(), "unknown format"),
        (full, "hf", Options(), "not empty"),
        (full, "atif", Options(), "not empty"),
    ]
    for path, kind, options, message in cases:
        with pytest.raises(InvalidInput, match=message):
            export_dataset(run, path, kind, options)
    with pytest.raises(InvalidInput, match="no episode was left"):
        export_dataset(run, tmp_path / "none", "hf", Options(filters=Filters(min_reward=2.0)))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["full"]
    assert [path.name for path in full.iterdir()] == ["mine.txt"]


def test_a_recording_with_an_invalid_start_has_no_timestamps(tmp_path: Path) -> None:
    record(tmp_path / "runs" / "e", "ab", [Done()], episode=an_episode(started="some day"))
    export_dataset(tmp_path / "runs", tmp_path / "atif", "atif")
    (folder,) = (tmp_path / "atif").iterdir()
    assert all("timestamp" not in step for step in json.loads((folder / "trajectory.json").read_text())["steps"])


def test_row_groups_are_written_as_they_fill(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairground.interop.datasets.parquet._GROUP_BYTES", 1)
    export_dataset(run, tmp_path / "a.parquet", "sft", Options(rows="step", filters=Filters((Outcome.PASSED,))))
    assert pq.ParquetFile(tmp_path / "a.parquet").num_row_groups >= 8


def test_the_command_prints_what_was_written_and_left_out(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "a.parquet")
    words = ["export", str(run), "--format", "sft", "--dialect", "ui-tars", "--deduplicate", "-o", path]
    assert main([*words, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["dialect"] == "ui-tars-1.5" and printed["written"]["sft"]["rows"] == 1
    assert printed["left_out"]["duplicate"]["count"] == 1 and printed["left_out"]["outcome failed"]["count"] == 1
    assert main(words) == 0
    assert "1 row from 1 episode" in capsys.readouterr().out
    assert main(["export", str(run), "--dialect", "qwen", "-o", str(tmp_path / "t.csv")]) == 2
    assert "has no effect on a table" in capsys.readouterr().err
    assert main(["export", str(run), "-o", str(tmp_path / "t.csv")]) == 0
    split = make_split("pocket/notes", test=0.5, traits=[])
    write_split(split, tmp_path / "split.json")
    assert main([*words[:4], "--split", str(tmp_path / "split.json"), "-o", path]) == 2
    assert "FILE:train" in capsys.readouterr().err
    sides = ["export", str(run), "--format", "hf", "--outcome", "passed,failed", "--dialect", "canonical"]
    assert main([*sides, "--split", str(tmp_path / "split.json"), "-o", str(tmp_path / "d"), "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)["written"]) == {"train", "test"}
    assert main([*sides, "--outcome", "nonsense", "-o", str(tmp_path / "e")]) == 2
