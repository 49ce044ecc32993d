"""`fairground play`: a person at a page, from the command to the verdict."""

from __future__ import annotations

import http.client
import json
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from fairground.cli.main import main
from fairground.core import Done
from fairground.rollout import read_episode
from tests.note_world import write_note_world
from tests.waiting import eventually
from tests.web.seat_stage import act, socket_of, text_of

pytestmark = pytest.mark.process


@pytest.fixture
def world(tmp_path: Path) -> Path:
    return write_note_world(tmp_path / "terminal", "xterm", "here", "xterm", "-T", "here", "-geometry", "100x30+0+0")


def get(host: str, path: str, cookie: str = "") -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(host, timeout=30)
    connection.request("GET", path, headers={"Cookie": cookie} if cookie else {})
    answer = connection.getresponse()
    answer.body = answer.read()  # type: ignore[attr-defined]
    connection.close()
    return answer


def until(host: str, seat: str, cookie: str, status: str) -> None:
    eventually(lambda: json.loads(get(host, f"/api/live/{seat}", cookie).body)["status"] == status)  # type: ignore[attr-defined]


@pytest.mark.slow
def test_a_task_is_played_judged_and_recorded(world: Path, tmp_path: Path) -> None:
    line = [
        sys.executable,
        "-m",
        "fairground",
        "play",
        str(world),
        "--out",
        str(tmp_path / "e"),
        "--no-video",
        "--json",
    ]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        try:
            assert program.stderr is not None and program.stdout is not None
            address = urlsplit(next(said for said in program.stderr if said.startswith("http")).strip())
            joined = get(address.netloc, address.path)
            assert joined.status == 303
            cookie = re.match(r"[^;]+", joined.headers["set-cookie"])[0]  # type: ignore[index]
            seat = joined.headers["location"].rsplit("/", 1)[1]
            until(address.netloc, seat, cookie, "open")
            with socket_of(f"http://{address.netloc}/", f"/seats/{seat}/stream", cookie) as connection:
                for letter in "printf hello > note.txt\n":
                    assert act(connection, kind="type", text=letter)["type"] == "done"
                assert act(connection, kind="wait", seconds=1)["type"] == "refused"
                assert act(connection, kind="done")["type"] == "done"
            until(address.netloc, seat, cookie, "over")
            assert b"<h1>Passed</h1>" in get(address.netloc, f"/live/{seat}", cookie).body  # type: ignore[attr-defined]
            said = program.stdout.read()
        finally:
            program.terminate()
    episode = json.loads(said)
    *typed, done = (step.action for step in read_episode(tmp_path / "e").steps)
    assert (episode["outcome"], episode["agent"], episode["steps"]) == ("passed", "human", len(typed) + 1)
    assert text_of(typed) == "printf hello > note.txt\n" and done == Done()
    assert Path(episode["page"]).is_file()


def test_what_cannot_be_played_is_said(world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").touch()
    assert main(["play", str(world), "--out", str(tmp_path / "taken"), "--json"]) == 2
    assert "not empty" in json.loads(capsys.readouterr().out)["error"]
    assert main(["play", "desk/nothing", "--json"]) == 2
    assert "nothing" in json.loads(capsys.readouterr().out)["error"]
    assert main(["--help"]) == 0
    assert "fairground play" in capsys.readouterr().out
