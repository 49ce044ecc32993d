"""The data of a replay: what an episode says is not believed, and an anonymous one tells nothing of who acted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fairground.arena import Redactor
from fairground.core import Action, Click, Done, Scroll
from fairground.rollout import read_episode
from fairground.web.studio.replay_data import replay_data
from tests.recordings import ACTIONS, record, refusal

HIDE = Redactor(["shrewd-actor:effort=high"])


@pytest.mark.parametrize("said", [10**400, -1, True, "1", None, [1], {}])
def test_costs_that_are_no_costs_are_not_believed(tmp_path: Path, said: Any) -> None:
    folder = record(tmp_path / "ep", [Done()], extra={"usage": {"tokens": said, "dollars": said}})
    about = replay_data(read_episode(folder), frame_url=str).about
    assert about is not None and about.usage is not None
    assert (about.usage.tokens, about.usage.dollars) == (None, None)


def test_an_anonymous_replay_tells_nothing_of_who_acted(tmp_path: Path) -> None:
    said = {"thought": "I am shrewd-actor, also called Claude Sonnet 4.5 by Anthropic.", "messages": ("hello GPT-5",)}
    folder = record(tmp_path / "ep", [*ACTIONS], step=lambda index: {**refusal(index), **said})
    found = replay_data(read_episode(folder), frame_url=lambda digest: f"/battle/a/{digest}", anonymous=HIDE)
    text = found.model_dump_json().lower()
    secrets = ["shrewd", "claude", "anthropic", "sonnet", "gpt", "1234", "2026", "secret-id", "outcome", "verdict"]
    secrets += ["the total", 'agent_ms":1', 'space":"unit', "off the screen", str(tmp_path).lower()]
    assert [secret for secret in secrets if secret in text] == []
    assert found.about is None
    assert found.steps[0].thought == "I am [hidden], also called [hidden] by [hidden]."
    assert found.pictures[found.steps[0].frame].url == f"/battle/a/{found.steps[0].frame}"


def test_agents_that_count_in_different_spaces_look_the_same_when_anonymous(tmp_path: Path) -> None:
    pixels: list[Action] = [Click(point=(160, 100)), Scroll(dy=2), Click(point=(999_999, 0)), Click(), Done()]
    grid: list[Action] = [
        Click(point=(501, 502), space="grid999"), Scroll(dy=240, unit="pixels"),
        Click(point=(1000, 0), space="grid999"), Click(space="grid999"), Done(),
    ]  # fmt: skip
    told = []
    for number, actions in enumerate((pixels, grid)):
        folder = record(
            tmp_path / str(number), actions, step=lambda index: {"refused": f"{index}"} if index == 2 else {}
        )
        found = replay_data(read_episode(folder), frame_url=str, anonymous=HIDE)
        told.append([(step.action, step.words, step.shapes, step.refused) for step in found.steps])
    assert told[0] == told[1]
