"""`fairground serve-env` as a program: what it prints, what it refuses, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fairground.cli.main import main
from tests.waiting import eventually

from .stage import call, open_session, request
from .test_server_faults import _below

WORLD = "pocket/notes/count-label"
TOKEN = "0123456789abcdef"


@contextmanager
def served(*options: str, **environment: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run the program until the block ends. Yields the process and what it printed first."""
    command = [sys.executable, "-m", "fairground", "serve-env", WORLD, "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}) as process:
        try:
            assert process.stdout is not None
            ending = "}\n" if "--json" in options else "Press Ctrl-C to stop.\n"
            lines = list(iter(process.stdout.readline, ending))
            yield process, "".join(lines) + ending
        finally:
            process.kill()


@pytest.mark.process
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # the printed line leaves that to Python
def test_it_prints_how_to_connect_and_sigterm_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    options = ("--seats", "2", "--share-browser", "--token-file", str(tmp_path / "token"))
    with served(*options) as (process, text):
        url = text.split()[1]
        assert url.startswith("http://127.0.0.1:") and "seats     2" in text and WORLD in text
        lines = [line.strip() for line in text.splitlines() if line.startswith("  ")]
        assert len(lines) == 3 and url in lines[1] and TOKEN not in text
        probe = "assert env.reset()[1]['world'].startswith('pocket/notes/count-label'); env.close()"
        exec("\n".join([*lines, probe]), {})
        headers = {"Authorization": f"Bearer {TOKEN}"}
        assert request(url, "POST", "/v1/sessions", {}, headers=headers)[0] == 201
        children = _below(process.pid)
        assert children
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert not any(os.path.exists(f"/proc/{child}") for child in children)


@pytest.mark.process
@pytest.mark.slow
def test_killing_it_leaves_no_seat_and_sessions_are_lost() -> None:
    with served("--json", "--warm", "0") as (process, text):
        facts = json.loads(text)
        session = open_session(facts["url"])["session"]
        children = _below(process.pid)
        assert facts["seats"] == 1 and len(children) > 2
        process.kill()
        process.wait(60)
        eventually(lambda: not any(os.path.exists(f"/proc/{child}") for child in children))
    with served("--json", "--port", facts["url"].rpartition(":")[2]) as (_, text):
        assert json.loads(text)["url"] == facts["url"]
        assert call(facts["url"], session, "reset")[1]["error"]["type"] == "unknown_session"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--host", "0.0.0.0"], "needs a token"),
        (["--token-file", "absent"], "cannot be read"),
        (["--token-file", "short"], "at least 16"),
        (["--token-file", "spaces"], "without spaces"),
        (["--tls-cert", "short"], "belong together"),
        (["--tls-cert", "short", "--tls-key", "short"], "cannot be used"),
        (["--observe", "smell"], "unknown observation"),
        (["--split", "short"], "FILE:train"),
        (["--split", "short:maybe"], "FILE:train"),
        (["--split", "absent:train"], "absent"),
    ],
)
def test_wrong_options_are_reported_with_a_fix(
    options: list[str],
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "short").write_text("abc")
    (tmp_path / "spaces").write_text("a token with spaces in it")
    assert main(["serve-env", WORLD, "--port", "0", "--json", *options]) in (1, 2)
    assert expected in capsys.readouterr().out


def test_a_short_token_in_the_environment_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FAIRGROUND_TOKEN", "abc")
    assert main(["serve-env", WORLD, "--json"]) == 2
    assert "FAIRGROUND_TOKEN" in capsys.readouterr().out
