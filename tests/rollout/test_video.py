"""The video: what browsers play, however odd the frames."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from fairground.core import Frame, InfrastructureError, MissingPrerequisite
from fairground.rollout.video import Shot, hold_times, write_video

pytestmark = pytest.mark.process


def shot(colour: tuple[int, int, int], size: tuple[int, int] = (64, 48), seconds: float = 0.5) -> Shot:
    frame = Frame(np.full((size[1], size[0], 3), colour, np.uint8))
    return Shot(lambda: frame, size, seconds)


def probe(path: Path) -> dict[str, str]:
    argv = ["ffprobe", "-v", "error", "-show_entries", "stream", "-of", "json", str(path)]
    streams = json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)["streams"]
    assert len(streams) == 1
    found: dict[str, str] = streams[0]
    return found


def pictures(path: Path, width: int, height: int) -> list[np.ndarray]:
    argv = ["ffmpeg", "-v", "error", "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    data = subprocess.run(argv, capture_output=True, check=True).stdout
    return list(np.frombuffer(data, np.uint8).reshape(-1, height, width, 3))


def test_a_video_is_what_browsers_play_and_starts_before_it_is_loaded(tmp_path: Path) -> None:
    write_video([shot((200, 30, 30)), shot((30, 30, 200))], tmp_path / "video.mp4")
    found = probe(tmp_path / "video.mp4")
    assert (found["codec_name"], found["pix_fmt"], found["width"], found["height"]) == ("h264", "yuv420p", 64, 48)
    data = (tmp_path / "video.mp4").read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")
    assert [path.name for path in tmp_path.iterdir()] == ["video.mp4"]


def test_each_shot_is_shown_as_long_as_it_should_and_in_its_colours(tmp_path: Path) -> None:
    colours = [(200, 30, 30), (30, 200, 30), (30, 30, 200)]
    shots = [shot(colour, seconds=seconds) for colour, seconds in zip(colours, (0.5, 1.0, 0.25), strict=True)]
    write_video(shots, tmp_path / "video.mp4")
    shown = pictures(tmp_path / "video.mp4", 64, 48)
    assert len(shown) == 2 + 4 + 1
    for picture, colour in zip(shown, [colours[0]] * 2 + [colours[1]] * 4 + [colours[2]], strict=True):
        assert np.abs(picture.mean((0, 1)) - colour).max() < 8


def test_odd_and_mixed_sizes_are_padded_not_stretched(tmp_path: Path) -> None:
    write_video([shot((255, 255, 255), (33, 21)), shot((255, 255, 255), (17, 51))], tmp_path / "video.mp4")
    found = probe(tmp_path / "video.mp4")
    assert (found["width"], found["height"]) == (34, 52)
    first = pictures(tmp_path / "video.mp4", 34, 52)[0]
    assert first[5:15, 5:25].min() > 200
    assert first[30:].max() < 60


def test_a_tiny_frame_makes_a_video(tmp_path: Path) -> None:
    write_video([shot((1, 2, 3), (1, 1))], tmp_path / "video.mp4")
    assert probe(tmp_path / "video.mp4")["width"] == 16


def test_missing_ffmpeg_names_the_line_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingPrerequisite) as caught:
        write_video([shot((1, 2, 3))], tmp_path / "video.mp4")
    assert caught.value.fix == "apt-get install -y ffmpeg"


@pytest.mark.parametrize(
    ("script", "said"),
    [("echo no such encoder >&2; exit 3", "status 3: no such encoder"), ("exec kill -SEGV $$", "status -11")],
)
def test_an_ffmpeg_that_fails_is_our_error_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, said: str
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "ffmpeg").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "bin" / "ffmpeg").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    with pytest.raises(InfrastructureError, match=said):
        write_video([shot((1, 2, 3), (640, 480))] * 5, tmp_path / "video.mp4")
    assert [path.name for path in tmp_path.iterdir()] == ["bin"]


def test_a_place_that_cannot_be_written_is_our_error(tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError, match="No such file"):
        write_video([shot((1, 2, 3))], tmp_path / "missing" / "video.mp4")


def test_no_frames_make_no_video(tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError, match="at least one frame"):
        write_video([], tmp_path / "video.mp4")


def test_waiting_is_cut_short_and_quick_steps_can_be_seen() -> None:
    assert hold_times([0.0, 0.01, 1.01, 61.0]) == [0.75, 1.0, 2.0, 2.0]
    assert hold_times([0.0]) == [2.0]
    assert hold_times([]) == []


def test_a_long_episode_is_played_faster_and_shows_every_step() -> None:
    holds = hold_times([float(second) for second in range(400)])
    assert min(holds) >= 0.25
    assert sum(holds) < 260
    assert min(hold_times([float(second) for second in range(5_000)])) == 0.25
