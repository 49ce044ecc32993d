"""The contact sheet: one picture of a whole episode, whatever the episode."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from fairground.core import (
    Action,
    Check,
    Click,
    Done,
    Drag,
    Frame,
    Key,
    Look,
    Outcome,
    Scroll,
    Step,
    Type,
    Verdict,
)
from fairground.report.scenes import scenes_of
from fairground.report.sheet import MOST, WIDTH, contact_sheet, sample
from fairground.rollout.folder import read_episode
from fairground.rollout.recorder import Recorder
from tests.recordings import an_episode

PINK = np.array([0xF0, 0x24, 0x6E])


def record(
    folder: Path, actions: list[Action], *, size: tuple[int, int] = (640, 400), checks: tuple[Check, ...] = (),
    close: bool = True, refused: str = "", **changed: Any,
) -> Path:  # fmt: skip
    checks = checks or (Check(name="saved", passed=True),)
    verdict = Verdict.of(checks)
    outcome = Outcome.PASSED if verdict.success else Outcome.FAILED
    with Recorder(folder, an_episode(**changed), video=False) as recorder:
        frame = Frame(np.full((size[1], size[0], 3), 255, np.uint8))
        recorder.first(frame)
        for index, action in enumerate(actions):
            step = Step(index=index, action=action, frame=frame.digest, seconds=index, act_ms=1.0, settle_ms=1.0,
                        settled=True, refused=refused)  # fmt: skip
            recorder.step(step, frame)
        if close:
            recorder.close(an_episode(outcome=outcome, verdict=verdict, **changed))
    return folder


def draw(folder: Path) -> np.ndarray:
    with Image.open(io.BytesIO(contact_sheet(folder))) as image:
        assert image.format == "PNG" and image.width == WIDTH
        return np.array(image.convert("RGB")).astype(int)


def pink(sheet: np.ndarray) -> int:
    return int((np.abs(sheet - PINK).sum(2) < 40).sum())


@pytest.mark.parametrize(
    "action",
    [
        Click(point=(0.5, 0.5), space="unit", count=3),
        pytest.param(Click(point=(300, 200)), marks=pytest.mark.slow),
        pytest.param(Drag(path=((50, 50), (500, 300))), marks=pytest.mark.slow),
        pytest.param(Scroll(point=(300, 200), dy=3), marks=pytest.mark.slow),
        pytest.param(Look(region=(100, 100, 400, 300)), marks=pytest.mark.slow),
    ],
)
def test_an_action_is_drawn_on_its_frame(tmp_path: Path, action: Action) -> None:
    assert pink(draw(record(tmp_path / "drawn", [action]))) > 100


def test_an_action_that_was_refused_is_not_drawn(tmp_path: Path) -> None:
    actions: list[Action] = [Click(point=(300, 200)), Drag(path=((50, 50), (500, 300))), Look(region=(9, 9, 400, 300))]
    assert pink(draw(record(tmp_path / "refused", actions, refused="the world was closed"))) == 0


@pytest.mark.parametrize("action", [Type(text="Hello"), pytest.param(Key(keys=("ctrl", "s")), marks=pytest.mark.slow)])
def test_typed_text_is_written_on_its_frame(tmp_path: Path, action: Action) -> None:
    typed, plain = (draw(record(tmp_path / action.kind, [action])) for action in (action, Done()))
    assert (typed.sum(2) < 150).sum() > (plain.sum(2) < 150).sum() + 1000


def test_passing_and_failing_look_different(tmp_path: Path) -> None:
    good = draw(record(tmp_path / "good", [Done()], checks=(Check(name="a", passed=True),)))
    bad = draw(record(tmp_path / "bad", [Done()], checks=(Check(name="a", passed=False, expected=1, found=2),)))
    for sheet, (more, less) in ((good, (1, 0)), (bad, (0, 1))):
        strong = sheet[(sheet.max(2) - sheet.min(2)) > 90]
        assert (strong[:, more] > strong[:, less]).mean() > 0.95


def test_a_long_episode_is_sampled_evenly_with_both_ends(tmp_path: Path) -> None:
    folder = read_episode(record(tmp_path / "ep", [Click(point=(5, 5))] * 100))
    scenes = list(scenes_of(folder))
    chosen = [scene.number for scene in sample(scenes, MOST)]
    assert len(chosen) == MOST and (chosen[0], chosen[-1]) == (1, 101)
    gaps = np.diff(chosen)
    assert set(gaps.tolist()) <= {4, 5}
    assert draw(folder.path).shape[0] < 3000


@pytest.mark.parametrize(
    "size",
    [
        (3000, 5),
        (412, 915),
        *(pytest.param(size, marks=pytest.mark.slow) for size in ((1, 1), (5, 3000), (3840, 2160))),
    ],
)
def test_frames_of_any_shape_fit(tmp_path: Path, size: tuple[int, int]) -> None:
    sheet = draw(record(tmp_path / "ep", [Click(point=(0, 0)), Type(text="x")], size=size))
    assert sheet.shape[0] < 4000


def test_long_and_odd_words_do_not_break_it(tmp_path: Path) -> None:
    odd = "</b> \0\x1b[31m 漢字 🎪 ‮ \n\n" + "x" * 5000
    checks = tuple(Check(name=odd, passed=False, expected=odd, found=[odd]) for _ in range(100))
    folder = record(tmp_path / "ep", [Type(text="x" * 5000)], checks=checks, instruction=odd, agent=odd, error=odd)
    assert draw(folder).shape[0] < 5000


def test_an_incomplete_episode_has_a_sheet_with_what_survived(tmp_path: Path) -> None:
    folder = record(tmp_path / "ep", [Click(point=(300, 200))], close=False)
    for path in (folder / "frames").iterdir():
        path.write_bytes(b"")
    draw(folder)


def test_an_episode_without_frames_has_a_sheet(tmp_path: Path) -> None:
    with Recorder(tmp_path / "ep", an_episode()) as recorder:
        recorder.close(an_episode(outcome=Outcome.ERRORED, error="the app never mapped a window"))
    draw(tmp_path / "ep")
