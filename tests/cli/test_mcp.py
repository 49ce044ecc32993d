"""`fairground mcp`, as a client's settings start it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from fairground.cli import main
from fairground.core import Outcome
from fairground.rollout import read_episode

ROOT = Path(__file__).resolve().parents[2]
WORLD = str(ROOT / "examples/shopping-list/last-week")


@pytest.mark.process
def test_a_client_answers_a_question_and_people_read_of_it_on_standard_error(tmp_path: Path) -> None:
    async def story() -> None:
        words = ["-m", "fairground", "mcp", WORLD, "--agent", "my-model", "--out", str(tmp_path / "e")]
        wanted = StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))
        with open(tmp_path / "errors", "w") as errors, anyio.fail_after(90):
            async with Client(stdio_client(wanted, errlog=errors)) as seat:
                assert "call `answer`" in (seat.instructions or "")
                await seat.call_tool("answer", {"text": "It was lamp oil."})

    anyio.run(story)
    episode = read_episode(tmp_path / "e").episode
    assert (episode.agent, episode.outcome, episode.answer) == ("my-model", Outcome.PASSED, "It was lamp oil.")
    said = (tmp_path / "errors").read_text()
    assert "waiting for the client" in said and "passed, reward 1.00, steps: 1" in said and "fairground show" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [(["desk/clac"], "did you mean calc"), ([WORLD, "--out", str(ROOT / "docs")], "not empty")],
)
def test_a_mistake_is_said_on_standard_error_before_anything_starts(
    capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main(["mcp", *words]) == 2
    out, err = capsys.readouterr()
    assert message in err and out == ""
