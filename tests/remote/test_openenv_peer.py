"""OpenEnv's own client and validator, from an environment of their own, on our server."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fairground.remote import EnvironmentServer
from tests.waiting import eventually

from .stage import BOARDS

BIN = Path(__file__).parents[2] / ".setup" / "openenv" / "bin"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not (BIN / "openenv").exists(), reason="OpenEnv is not installed; `make test-all` installs it"),
]

EPISODE = """
import base64, json, sys
from openenv.core import GenericEnvClient

with GenericEnvClient(base_url=sys.argv[1]).sync() as env:
    first = env.reset(seed=3)
    looked = env.step({"kind": "look"})
    state = env.state()
    refused = ""
    try:
        env.step({"kind": "jump"})
    except Exception as error:
        refused = f"{type(error).__name__}: {error}"
    ended = env.step({"kind": "done"})
    again = env.reset(seed=3)
    seen = first.observation
    print(json.dumps({
        "instruction": seen["instruction"],
        "png": base64.b64decode(seen["screenshot"])[:4].decode("latin-1"),
        "first": [first.reward, first.done],
        "looked": [looked.observation["step"], looked.reward, looked.done],
        "state": state,
        "refused": refused,
        "ended": [ended.reward, ended.done, (ended.metadata or ended.observation.get("metadata"))],
        "same": again.observation["screenshot_digest"] == seen["screenshot_digest"],
    }))
"""


@pytest.fixture(scope="module")
def server() -> Iterator[EnvironmentServer]:
    with EnvironmentServer(BOARDS, seats=2, share_browser=True) as server:
        yield server


def run(*words: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([str(BIN / words[0]), *words[1:]], capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    return done


def test_its_generic_client_resets_steps_and_closes(server: EnvironmentServer) -> None:
    report: dict[str, Any] = json.loads(run("python", "-c", EPISODE, server.url).stdout.splitlines()[-1])
    assert report["instruction"] in {world.instruction for world in BOARDS}
    assert report["png"] == "\x89PNG" and report["first"][1] is False and report["same"]
    assert report["looked"] == [1, 0.0, False] and report["state"]["step_count"] == 1
    assert "jump" in report["refused"]
    reward, done, metadata = report["ended"]
    assert (reward, done) == (0.0, True) and metadata["outcome"] == "failed" and metadata["checks"]
    eventually(lambda: server.sessions.in_use == 0)


def test_its_validator_passes(server: EnvironmentServer) -> None:
    report = json.loads(run("openenv", "validate", server.url, "--json").stdout)
    assert report["passed"] and not report["summary"]["failed_criteria"], report
    assert report["mode"] == "simulation"
