"""The recorder and the reader: what goes in comes out, and nothing else."""

from __future__ import annotations

import json
import math
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import (
    Answer,
    Check,
    Click,
    Configuration,
    Done,
    Drag,
    Episode,
    EpisodeError,
    Fail,
    Fingerprint,
    Frame,
    InfrastructureError,
    InvalidInput,
    Key,
    Look,
    Outcome,
    Scroll,
    State,
    Step,
    Type,
    Verdict,
    Wait,
)
from fairground.rollout.folder import MAX_LINE, read_episode
from fairground.rollout.recorder import Recorder
from fairground.rollout.strictjson import dumps, read_record


def an_episode(**changed: Any) -> Episode:
    fingerprint = Fingerprint(
        digest="0" * 32, fairground="0.1.0", suite="0.1.0", packages={"calc": "7.4"}, stages={"setup": "1" * 32},
        seed=7, runner="namespace", isolated=True, screen="x11 64x48",
    )  # fmt: skip
    fields: dict[str, Any] = {
        "id": "ep-1", "status": "running", "agent": "scripted", "instruction": "Add the column up.", "seed": 7,
        "configuration": Configuration(suite="desk", app="calc", scenario="sum"), "step_budget": 20,
        "started": "2026-01-01T00:00:00Z", "fingerprint": fingerprint,
    }  # fmt: skip
    return Episode(**{**fields, **changed})


def passed(episode: Episode, **changed: Any) -> Episode:
    verdict = Verdict.of([Check(name="the total is right", passed=True, expected=10, found=10)])
    return episode.model_copy(update={"outcome": Outcome.PASSED, "verdict": verdict, "ended_by": "agent", **changed})


def a_frame(seed: int, size: tuple[int, int] = (64, 48)) -> Frame:
    pixels = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    return Frame(pixels)


def a_step(index: int, frame: Frame, **changed: Any) -> Step:
    fields: dict[str, Any] = {"action": Click(point=(index, 2)), "seconds": index * 1.0, "act_ms": 1.5}
    return Step(**{"index": index, "frame": frame.digest, "settle_ms": 3.0, "settled": True, **fields, **changed})


@pytest.mark.process
def test_what_was_recorded_is_read_back(tmp_path: Path) -> None:
    frames = [a_frame(seed) for seed in range(4)]
    steps = [a_step(index, frame) for index, frame in enumerate(frames[1:])]
    with Recorder(tmp_path / "ep", an_episode()) as recorder:
        recorder.first(frames[0])
        recorder.log("setup", "installed\n")
        recorder.state("before", {"~/Documents/book.ods": b"old"}, {"cells": {"A1": 1}})
        for step, frame in zip(steps, frames[1:], strict=True):
            recorder.step(step, frame)
        recorder.log("setup", "and configured\n")
        recorder.state("after", {"~/Documents/book.ods": b"new", "/etc/passwd": b"x"}, {"cells": {"A1": 2}},
                       {"~/gone": "not there"})  # fmt: skip
        written = recorder.close(passed(an_episode(), notes=("memory limit not enforced",)))

    found = read_episode(tmp_path / "ep")
    assert found.complete and not found.problems
    assert found.episode == written
    assert (written.status, written.steps, written.first_frame) == ("complete", 3, frames[0].digest)
    assert found.steps == tuple(steps)
    assert [frame.pixels.tobytes() for frame in found.frames()] == [frame.pixels.tobytes() for frame in frames]
    assert found.log_names() == ("setup",)
    assert found.log("setup") == "installed\nand configured\n"
    assert found.state("before") == State({"~/Documents/book.ods": b"old"}, {"cells": {"A1": 1}})
    after = State({"~/Documents/book.ods": b"new", "/etc/passwd": b"x"}, {"cells": {"A1": 2}}, {"~/gone": "not there"})
    assert found.state("after") == after
    assert found.video is not None and found.video.stat().st_size > 0
    found.verify()


def test_the_first_frame_is_on_disk_before_the_agent_can_end_the_process(tmp_path: Path) -> None:
    frame = a_frame(1)
    with Recorder(tmp_path / "ep", an_episode(), video=False) as recorder:
        recorder.first(frame)
        recorded = read_episode(tmp_path / "ep")
        assert recorded.episode.first_frame == frame.digest and frame.digest in recorded.frame_sizes


def test_equal_frames_are_kept_once(tmp_path: Path) -> None:
    same, other = a_frame(1), a_frame(2)
    with Recorder(tmp_path / "ep", an_episode(), video=False) as recorder:
        recorder.first(same)
        for index, frame in enumerate([same, other, same, other, same]):
            recorder.step(a_step(index, Frame(frame.pixels.copy())), frame)
        recorder.close(passed(an_episode()))
    assert sorted(path.name for path in (tmp_path / "ep" / "frames").iterdir()) == sorted(
        f"{frame.digest}.png" for frame in (same, other)
    )


def test_leaving_without_close_leaves_a_marked_incomplete_episode(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), Recorder(tmp_path / "ep", an_episode()) as recorder:
        recorder.first(a_frame(0))
        recorder.step(a_step(0, a_frame(1)), a_frame(1))
        raise ZeroDivisionError
    found = read_episode(tmp_path / "ep")
    assert not found.complete
    assert (found.episode.status, found.episode.outcome) == ("running", None)
    assert len(found.steps) == 1
    assert len(list(found.frames())) == 2


def test_an_episode_without_ffmpeg_is_complete_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with Recorder(tmp_path / "ep", an_episode()) as recorder:
        recorder.first(a_frame(0))
        recorder.close(passed(an_episode()))
    found = read_episode(tmp_path / "ep")
    assert found.complete and found.video is None
    assert found.episode.notes == ("no video: ffmpeg is not installed (fix: apt-get install -y ffmpeg)",)


def test_an_episode_that_errored_before_the_first_frame_can_be_complete(tmp_path: Path) -> None:
    with Recorder(tmp_path / "ep", an_episode()) as recorder:
        recorder.close(an_episode(outcome=Outcome.ERRORED, ended_by="error", error="the app never mapped a window"))
    found = read_episode(tmp_path / "ep")
    assert found.complete and found.episode.outcome is Outcome.ERRORED and found.steps == ()


def test_a_folder_that_holds_anything_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep me")
    with pytest.raises(EpisodeError, match="not empty"):
        Recorder(tmp_path, an_episode())
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    with pytest.raises(EpisodeError, match="not empty"):
        Recorder(tmp_path / "mine.txt", an_episode())
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "ep").mkdir()
    with Recorder(tmp_path / "ep", an_episode(), video=False):
        pass
    assert not read_episode(tmp_path / "ep").complete


def test_of_many_recorders_on_one_folder_one_wins(tmp_path: Path) -> None:
    together = threading.Barrier(8)
    outcomes: list[str] = []

    def record(number: int) -> None:
        together.wait()
        try:
            with Recorder(tmp_path / "ep", an_episode(id=f"ep-{number}"), video=False):
                outcomes.append(f"ep-{number}")
        except EpisodeError:
            outcomes.append("refused")

    threads = [threading.Thread(target=record, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes)[1:] == ["refused"] * 7
    assert read_episode(tmp_path / "ep").episode.id == min(outcomes)
    assert [path.name for path in tmp_path.iterdir()] == ["ep"], "a refused recorder left something behind"


def test_a_write_that_fails_in_the_background_is_raised_by_a_later_call(tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError, match="frames"), Recorder(tmp_path / "ep", an_episode()) as recorder:
        (tmp_path / "ep" / "frames").rmdir()  # while the background writer has nothing to write
        (tmp_path / "ep" / "frames").write_text("in the way")
        recorder.first(a_frame(0))
        for index in range(50):
            recorder.step(a_step(index, a_frame(index + 1)), a_frame(index + 1))
        recorder.close(passed(an_episode()))
    assert '"running"' in (tmp_path / "ep" / "episode.json").read_text()


def test_a_frame_that_cannot_be_encoded_is_our_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(frame: Frame) -> bytes:
        raise ZeroDivisionError("the encoder broke")

    monkeypatch.setattr("fairground.rollout.recorder.encode_png", broken)
    recorder = Recorder(tmp_path / "ep", an_episode())
    with pytest.raises(InfrastructureError, match="the encoder broke"):
        recorder.first(a_frame(0))
    recorder.abandon()
    with pytest.raises(InfrastructureError, match="the encoder broke"):
        recorder.close(passed(an_episode()))


@pytest.mark.parametrize(
    ("episode", "fault"),
    [
        (an_episode(), "outcome: null"),
        (an_episode(outcome=Outcome.PASSED), "verdict: null for outcome passed"),
        (passed(an_episode(), outcome=Outcome.FAILED), "success: True for outcome failed"),
        (passed(an_episode(), outcome=Outcome.ERRORED), "has no score"),
    ],
)
def test_an_episode_that_contradicts_itself_is_not_closed(tmp_path: Path, episode: Episode, fault: str) -> None:
    with Recorder(tmp_path / "ep", an_episode(), video=False) as recorder:
        recorder.first(a_frame(0))
        with pytest.raises(EpisodeError, match=fault):
            recorder.close(episode)
    assert not read_episode(tmp_path / "ep").complete


def test_wrong_use_is_refused(tmp_path: Path) -> None:
    frame = a_frame(0)
    with Recorder(tmp_path / "ep", an_episode(), video=False) as recorder:
        with pytest.raises(InvalidInput, match="before the first frame"):
            recorder.step(a_step(0, frame), frame)
        recorder.first(frame)
        with pytest.raises(InvalidInput, match="already"):
            recorder.first(frame)
        with pytest.raises(InvalidInput, match="expected 0"):
            recorder.step(a_step(1, frame), frame)
        with pytest.raises(InvalidInput, match="digest of its frame"):
            recorder.step(a_step(0, a_frame(1)), frame)
        with pytest.raises(InvalidInput, match="log"):
            recorder.log("../../etc/cron.d/evil", "x")
        recorder.state("after", {})
        with pytest.raises(InvalidInput, match="already"):
            recorder.state("after", {})
        with pytest.raises(InvalidInput, match=r"episode\.id"):
            recorder.close(passed(an_episode(id="another")))
        recorder.close(passed(an_episode()))
        with pytest.raises(EpisodeError, match="closed"):
            recorder.log("late", "x")


def test_names_of_state_files_lead_nowhere(tmp_path: Path) -> None:
    names = ["../../../evil", "/etc/passwd", "..", ".", "", "a/b/c.txt", "x" * 5000 + ".ods", "naïve ☃.txt", "a\0b",
             ".bashrc", "C:\\boot.ini", "c.txt", "-rf"]  # fmt: skip
    files = {name: f"content of {number}".encode() for number, name in enumerate(names)}
    with Recorder(tmp_path / "ep", an_episode(), video=False) as recorder:
        recorder.first(a_frame(0))
        recorder.state("before", files)
        recorder.close(passed(an_episode()))
    state = read_episode(tmp_path / "ep").state("before")
    assert state is not None and state.files == files
    assert [path.name for path in tmp_path.iterdir()] == ["ep"]
    assert len(list((tmp_path / "ep" / "state" / "before").iterdir())) == len(names)


def test_what_json_cannot_say_is_kept_as_text(tmp_path: Path) -> None:
    check = Check(name="odd evidence", passed=True, expected=math.nan, found={1: {b"\xff", math.inf}, "a": np.int64(3)})
    with Recorder(tmp_path / "ep", an_episode(), video=False) as recorder:
        recorder.first(a_frame(0))
        frame = a_frame(1)
        recorder.step(a_step(0, frame, thought="half a pair: \ud83d, and \0"), frame)
        recorder.log("odd", "half a pair: \ud83d\n")
        recorder.close(passed(an_episode(), verdict=Verdict.of([check])))
    found = read_episode(tmp_path / "ep")
    assert found.episode.verdict is not None
    assert found.episode.verdict.checks[0].expected == "nan"
    assert found.episode.verdict.checks[0].found == {"1": ["b'\\xff'", "inf"], "a": 3}
    assert found.steps[0].thought == "half a pair: \ufffd, and \0"
    json.loads((tmp_path / "ep" / "episode.json").read_text(), parse_constant=pytest.fail)


def test_an_endless_thought_is_clipped_and_the_log_too(tmp_path: Path) -> None:
    frame = a_frame(0)
    with Recorder(tmp_path / "ep", an_episode(), video=False) as recorder:
        recorder.first(frame)
        recorder.step(a_step(0, frame, thought="\x01" * 3_000_000, messages=("m" * 9_000,) * 500), frame)
        for _ in range(20):
            recorder.log("chatty", "x" * (1 << 20))
        recorder.close(passed(an_episode()))
    found = read_episode(tmp_path / "ep")
    assert "[clipped: 3,000,000 characters]" in found.steps[0].thought
    assert len((tmp_path / "ep" / "steps.jsonl").read_bytes()) <= MAX_LINE
    assert found.log("chatty") == "x" * (16 << 20) + "\n[clipped here: the log is full]\n"


@pytest.mark.process
def test_frames_of_different_sizes_make_an_episode(tmp_path: Path) -> None:
    with Recorder(tmp_path / "ep", an_episode()) as recorder:
        recorder.first(a_frame(0, (33, 21)))
        recorder.step(a_step(0, a_frame(1, (65, 17))), a_frame(1, (65, 17)))
        episode = recorder.close(passed(an_episode()))
    assert episode.notes == ()
    assert [frame.size for frame in read_episode(tmp_path / "ep").frames()] == [(33, 21), (65, 17)]


def test_permissions_follow_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        with Recorder(tmp_path / "ep", an_episode(), video=False):
            pass
    finally:
        os.umask(old)
    assert (tmp_path / "ep").stat().st_mode & 0o777 == 0o750


coordinates = st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
printable = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40)
spaces = st.sampled_from(["pixels", "unit", "grid999", "grid1000"])
actions = st.one_of(
    st.builds(Click, point=st.none() | coordinates, space=spaces, count=st.integers(1, 3)),
    st.builds(Scroll, point=coordinates, dx=st.floats(-100, 100), dy=st.floats(-100, 100)),
    st.builds(Drag, path=st.lists(coordinates, min_size=2, max_size=5).map(tuple), space=spaces),
    st.builds(Key, keys=st.sampled_from([("ctrl", "s"), ("enter",), ("é",)])),
    st.builds(Type, text=printable),
    st.builds(Wait, seconds=st.floats(0, 100)),
    st.just(Look()),
    st.builds(Answer, text=words),
    st.builds(Fail, reason=words),
    st.just(Done()),
)
times = st.floats(0, 1e9)
steps = st.builds(
    Step, index=st.integers(0, 10**6), action=actions, frame=st.just("0" * 24), seconds=times, act_ms=times,
    settle_ms=times, settled=st.booleans(), agent_ms=times, refused=words, thought=words,
    cursor=st.none() | st.tuples(st.integers(), st.integers()), messages=st.lists(words, max_size=3).map(tuple),
)  # fmt: skip
evidence = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)
checks = st.builds(
    Check, name=words.filter(bool), passed=st.booleans(), weight=st.floats(0.1, 10), expected=evidence, found=evidence,
    integrity=st.booleans(),
)  # fmt: skip


@given(steps)
def test_any_step_survives_the_round_trip(step: Step) -> None:
    line = dumps(step)
    assert line.count(b"\n") == 1 and line.endswith(b"\n")
    assert read_record(Step, line, where="step") == step


@given(
    st.lists(checks, min_size=1, max_size=4).map(Verdict.of),
    st.dictionaries(words, words | st.integers(-(2**60), 2**60) | st.booleans(), max_size=3),
    words,
    st.dictionaries(words, evidence, max_size=3),
    st.none() | words,
)
def test_any_episode_survives_the_round_trip(
    verdict: Verdict, parameters: dict[str, Any], text: str, extra: dict[str, Any], answer: str | None
) -> None:
    outcome = Outcome.PASSED if verdict.success else Outcome.FAILED
    episode = an_episode(
        verdict=verdict, outcome=outcome, parameters=parameters, instruction=text, extra=extra, answer=answer
    )
    assert read_record(Episode, dumps(episode, indent=2), where="episode") == episode


@pytest.mark.parametrize("nested", [90, 150, 250, 450, 100_000])
def test_data_of_any_depth_leaves_an_episode_that_can_be_read(tmp_path: Path, nested: int) -> None:
    data: list[Any] = []
    for _ in range(nested):
        data = [data]
    episode, frame = an_episode(), a_frame(1)
    with Recorder(tmp_path / "e", episode, video=False) as recorder:
        recorder.first(frame)
        try:
            recorder.state("after", {}, {"tabs": data})
        except InvalidInput:
            assert nested > 90
        verdict = Verdict.of([Check(name="tabs", passed=False, found=data if nested < 1000 else None)])
        failed = {"outcome": Outcome.FAILED, "verdict": verdict, "first_frame": frame.digest}
        recorder.close(episode.model_copy(update=failed))
    read = read_episode(tmp_path / "e")
    assert read.episode.outcome is Outcome.FAILED and (read.state("after") is not None) == (nested == 90)


def test_evidence_of_any_size_leaves_an_episode_with_its_outcome(tmp_path: Path) -> None:
    episode, frame = an_episode(), a_frame(1)
    checks = [Check(name="text", passed=False, found="x" * (40 << 20)), Check(name="n", passed=True, found={"a": 1})]
    with Recorder(tmp_path / "e", episode, video=False) as recorder:
        recorder.first(frame)
        failed = {"outcome": Outcome.FAILED, "verdict": Verdict.of(checks), "first_frame": frame.digest}
        recorder.close(episode.model_copy(update=failed))
    read = read_episode(tmp_path / "e").episode
    assert read.outcome is Outcome.FAILED and read.verdict is not None
    assert read.verdict.checks[0].found.endswith("[clipped: 41,943,040 characters]")
    assert read.verdict.checks[1].found == {"a": 1}
