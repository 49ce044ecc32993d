"""Whole episodes: scripted servers of both of OpenAI's protocols, the SDK, the agents, and a real application."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairground.core import Outcome
from fairground.rollout import read_episode, run_episode

from .openai_stage import compatible_at, openai_at
from .stage import Time
from .test_anthropic_episode import world
from .wire.openai_wire import OpenAIServer, act, busy, completes, computer, message, reasoning, responds

END, SAVE = act("keypress", keys=["CTRL", "END"]), act("keypress", keys=["CTRL", "S"])

pytestmark = pytest.mark.process


def test_openais_model_solves_a_task_in_a_real_seat(tmp_path: Path) -> None:
    time = Time()
    script = [
        responds(reasoning("The list is open."), computer(act("click", button="left", x=640, y=360), END)),
        busy(retry_after="1"),
        responds(computer(act("type", text="tea"), SAVE)),
        responds(message("Tea is on the list, and it is saved.")),
    ]
    with OpenAIServer(script) as server:
        episode = run_episode(world(), openai_at(server, time=time), tmp_path / "e", video=False)
    assert (episode.outcome, episode.ended_by, episode.steps) == (Outcome.PASSED, "agent", 5), episode.error
    assert server.complaints == [] and time.waits == [1.0] and episode.agent == "openai:gpt-5.4-mini"
    usage = episode.extra["usage"]
    assert (usage["requests"], usage["failures"], usage["tokens"]) == (3, 1, 3150) and usage["dollars"] > 0
    assert read_episode(tmp_path / "e").steps[0].thought == "The list is open."


@pytest.mark.slow
def test_a_text_model_solves_a_task_in_a_real_seat(tmp_path: Path) -> None:
    script = [
        completes("Thought: The list.\nAction: click(start_box='<|box_start|>(644,364)<|box_end|>')", usage=None),
        completes("Thought: To its end.\nAction: hotkey(key='ctrl end')"),
        completes("Thought: Tea.\nAction: type(content='tea')"),
        completes("Thought: Save.\nAction: hotkey(key='ctrl s')"),
        completes("Thought: It is there.\nAction: finished()"),
    ]
    with OpenAIServer(script) as server:
        episode = run_episode(world(), compatible_at(server, "ui-tars-1.5-7b"), tmp_path / "e", video=False)
    assert (episode.outcome, episode.ended_by, episode.steps) == (Outcome.PASSED, "agent", 5), episode.error
    assert server.complaints == [] and episode.extra["usage"]["dollars"] is None
