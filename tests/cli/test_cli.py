"""The command line, as people and programs use it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from fairground.cli import main

COMMANDS = ("list", "doctor", "open", "record", "show", "new", "check", "prune", "inspect", "check-app", "quickstart")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `fairground new` writes, untouched."""
    folder = tmp_path_factory.mktemp("cli") / "pad"
    assert main(["new", "mousepad", "--folder", str(folder)]) == 0
    return folder


def test_help_teaches_and_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--help")
    assert code == 0 and "fairground quickstart" in out
    assert all(re.search(rf"^\s+{command}\s", out, re.MULTILINE) for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_json(capsys: pytest.CaptureFixture[str], command: str) -> None:
    code, out, _ = run(capsys, command, "--help")
    assert code == 0 and "--json" in out


OTHERS = (
    "quickstart",
    "resume",
    "clarifications",
    "compare",
    "behaviour",
    "reverify",
    "export",
    "report",
    *COMMANDS[3:7],
)
EACH_ALONE = """
import os, sys
from fairground.cli.loading import load
from fairground.cli.main import _COMMANDS
for command in sys.argv[1:]:
    if not (child := os.fork()):  # with nothing imported but what every command needs
        os._exit(load(command, _COMMANDS[command]).name != command)
    assert os.waitpid(child, 0)[1] == 0, command
"""


@pytest.mark.slow
def test_a_command_needs_nothing_that_another_imported() -> None:
    """Each in a process of its own; other tests start the other commands so."""
    words = [sys.executable, "-W", "error", "-c", EACH_ALONE, *OTHERS]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_list_shows_worlds_and_suggests_for_typos(capsys: pytest.CaptureFixture[str]) -> None:
    assert "desk/calc" in run(capsys, "list")[1]
    assert "region-total" in run(capsys, "list", "desk")[1]
    assert "instances  north" in run(capsys, "list", "desk/calc/region-total")[1]
    assert "Notes, browser page, 412 x 915, 3 profiles x 3 themes" in run(capsys, "list", "pocket/notes")[1]
    assert "LibreOffice Calc, desktop, " in run(capsys, "list", "desk/calc")[1]
    found = json.loads(run(capsys, "list", "desk/calc", "--json")[1])
    assert found["apps"][0]["scenarios"][0]["instances"]["north"]["region"] == "North"
    code, _, err = run(capsys, "list", "dsk")
    assert code == 2 and "did you mean desk" in err
    only = json.loads(run(capsys, "list", "desk/calc/region-total", "--json")[1])
    assert [one["name"] for one in only["apps"][0]["scenarios"]] == ["region-total"]
    code, out, _ = run(capsys, "list", "desk/clac", "--json")
    assert code == 2 and json.loads(out)["fix"] == "did you mean calc?"


def test_list_fits_one_screen(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "list")[1].splitlines()
    assert len(lines) <= 23 and max(map(len, lines)) <= 80  # one line of 24 is the prompt's
    assert lines[-1].startswith("More: fairground list ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nonsense"], "nonsense"),
        (["list", "a", "b"], "unexpected"),
        (["record"], "WORLD"),
        (["record", "desk/clac"], "did you mean calc"),
        (["record", "desk/calc", "--agent", "randm"], "did you mean random"),
        (["record", "desk/calc", "--agent", "script:nothing.jsonl"], "cannot be read"),
        (["record", "desk/calc", "--seed", "x"], "x"),
        (["open", "desk/calc/region-total/nort"], "did you mean north"),
        (["show", "/nonexistent"], "nonexistent"),
        (["check", "/nonexistent"], "fairground new"),
        (["new", "!!!"], "not a valid name"),
    ],
)
def test_a_mistake_gets_an_error_and_no_traceback(
    capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    code, out, err = run(capsys, *words)
    assert code in (1, 2)
    assert message in err and "Traceback" not in out + err


@pytest.mark.process
def test_doctor_finds_what_is_there_and_what_is_not(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    findings = {row["what"]: row for row in json.loads(run(capsys, "doctor", "--json")[1])}
    assert findings["Xvfb"]["status"] == "ok"
    monkeypatch.setenv("PATH", "/nowhere")
    code, out, _ = run(capsys, "doctor", "--json")
    missing = {row["what"]: row for row in json.loads(out)}
    assert code == 1
    assert missing["Xvfb"]["status"] == "missing" and missing["Xvfb"]["fix"] == "apt-get install xvfb"
    assert missing["ffmpeg"]["status"] == "warning"


@pytest.mark.process
def test_what_new_writes_passes_check_and_can_be_attempted(
    capsys: pytest.CaptureFixture[str], world: Path, tmp_path: Path
) -> None:
    capsys.readouterr()
    code, out, err = run(capsys, "check", str(world), "--json", "--screenshot", str(tmp_path / "start.png"))
    assert code == 0, err
    assert json.loads(out)["scenarios"][0]["reward_at_start"] == 0
    assert (tmp_path / "start.png").read_bytes().startswith(b"\x89PNG")

    script = tmp_path / "solve.jsonl"
    script.write_text(
        '{"kind":"key","keys":["ctrl","a"]}\n{"kind":"type","text":"hello"}\n{"kind":"key","keys":["ctrl","s"]}\n'
    )
    episode = tmp_path / "episode"
    code, out, err = run(capsys, "record", str(world), "--agent", f"script:{script}", "--out", str(episode), "--json")
    assert code == 0, err
    assert json.loads(out)["outcome"] == "passed"

    code, out, _ = run(capsys, "show", str(episode))
    assert code == 0 and "passed, reward 1.00" in out and "the file says hello" in out
    shown = json.loads(run(capsys, "show", str(episode), "--json", "--steps")[1])
    assert shown["complete"] and len(shown["step_log"]) == 4 and Path(shown["page"]).is_file()

    code, _, err = run(capsys, "record", str(world), "--out", str(episode))
    assert code == 2 and "not empty" in err


def test_new_does_not_write_over_anything(capsys: pytest.CaptureFixture[str], world: Path) -> None:
    code, _, err = run(capsys, "new", "mousepad", "--folder", str(world))
    assert code == 2 and "already exists" in err


@pytest.mark.process
def test_check_finds_a_world_that_is_already_solved(
    capsys: pytest.CaptureFixture[str], world: Path, tmp_path: Path
) -> None:
    solved = tmp_path / "solved"
    assert main(["new", "mousepad", "--folder", str(solved)]) == 0
    (solved / "files" / "welcome.txt").write_text("hello\n")
    code, _, err = run(capsys, "check", str(solved))
    assert code == 1 and "already solved" in err


@pytest.mark.process
def test_an_episode_that_errored_is_told_apart_by_the_exit_status(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    assert main(["new", "mousepad", "--folder", str(broken)]) == 0
    toml = (broken / "world.toml").read_text().replace('launch = ["mousepad", "~/welcome.txt"]', 'launch = ["false"]')
    (broken / "world.toml").write_text(toml)
    capsys.readouterr()
    code, out, _ = run(capsys, "record", str(broken), "--agent", "do-nothing", "--out", str(tmp_path / "e"), "--json")
    assert code == 1 and json.loads(out)["outcome"] == "errored"


@pytest.mark.process
def test_open_saves_a_screenshot_serves_the_seat_and_ends_with_ctrl_c(world: Path, tmp_path: Path) -> None:
    screenshot = tmp_path / "seat.png"
    process = subprocess.Popen(
        [sys.executable, "-m", "fairground", "open", str(world), "--screenshot", str(screenshot)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "COLUMNS": "300"},
    )
    assert process.stdout is not None
    said = ""
    try:
        for line in process.stdout:
            said += line
            if found := re.search(r"http://127\.0\.0\.1:\S+", line):
                with urllib.request.urlopen(found[0], timeout=10) as page:
                    assert page.status == 200
                break
        assert screenshot.read_bytes().startswith(b"\x89PNG"), said
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=30)
        assert "Traceback" not in said + rest
        assert process.returncode in (0, 130)
    finally:
        process.kill()
        process.wait()
