"""Help texts: complete, in plain English, within 80 columns, and without loading what commands need."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from fairground.cli import main
from fairground.cli.loading import load
from fairground.cli.main import _COMMANDS
from fairground.rollout import Recorder
from tests.rollout.recordings import an_episode, frame

pytestmark = pytest.mark.process

LOADED = """
import json, sys
from fairground.cli import main
status = main(sys.argv[1:])
print(json.dumps([status, sorted(sys.modules)]), file=sys.stderr)
"""
HEAVY = ("numpy", "scipy", "gymnasium", "cv2", "PIL", "pyarrow", "fastapi", "sqlalchemy", "rich.markdown")
ROOMS = ("agents", "arena", "env", "prove", "rollout", "sandbox", "stats", "verify", "web", "worlds")


def loaded(*words: str) -> set[str]:
    """What a command has loaded when it ends."""
    done = subprocess.run([sys.executable, "-c", LOADED, *words], capture_output=True, text=True)
    status, modules = json.loads(done.stderr.splitlines()[-1])
    assert status == 0, done.stderr
    return set(modules)


@pytest.mark.parametrize("words", [("--help",), ("run", "--help"), ("--version",)], ids=" ".join)
def test_help_loads_no_room_and_nothing_heavy(words: tuple[str, ...]) -> None:
    found = loaded(*words)
    assert not found & {*HEAVY, *(f"fairground.{room}" for room in ROOMS)}


def test_an_episode_is_shown_without_what_records_and_judges_one(tmp_path: Path) -> None:
    folder = tmp_path / "episode"
    with Recorder(folder, an_episode(), video=False) as recorder:
        recorder.first(frame("a"))
        recorder.close(an_episode().model_copy(update={"outcome": "errored", "ended_by": "error", "error": "gone"}))
    page = folder / "index.html"
    assert main(["show", str(folder)]) == 0 and page.is_file()
    unneeded = {room for room in ROOMS if room not in ("rollout", "report", "screen")}
    assert not loaded("show", str(folder)) & {
        *HEAVY,
        "fairground.rollout.loop",
        *(f"fairground.{one}" for one in unneeded),
    }
    newer = page.stat().st_mtime_ns + 1
    os.utime(folder / "episode.json", ns=(newer, newer))  # such as by `fairground reverify`
    page.write_text("old")
    os.utime(page, ns=(newer, newer))
    assert main(["show", str(folder)]) == 0 and page.read_text() != "old"


def test_every_help_is_in_plain_words_and_begins_with_examples(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    groups = {name: getattr(load(name, place), "commands", {}) for name, place in _COMMANDS.items()}
    every = [words for name, inner in groups.items() for words in ([name], *([name, one] for one in inner))]
    for words in every:
        assert main([*words, "--help"]) == 0
        text = capsys.readouterr().out
        assert f"Usage: fairground {' '.join(words)} " in text
        for internal in ("<", "list[", "RANGE", "x>=", "x<=", "None", " TEXT", " NUMBER", "--install-completion"):
            assert internal not in text, (words, internal)
        assert max(map(len, text.splitlines())) <= 80, words
        paragraphs = text.split("\n\n")
        assert re.fullmatch(r"  [A-Z][^.]+\.", paragraphs[1]), (words, paragraphs[1])  # one line, one sentence
        assert words == ["experiment"] or re.match(r"  Examples?\b.*:\n    fairground ", paragraphs[2]), words
        listed = text.partition("\nCommands:\n")[2]
        assert "..." not in listed, words


def test_every_command_is_listed_with_its_whole_first_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == main(["--help"]) == 0
    first, second = re.split(r"(?=^Usage: )", capsys.readouterr().out, flags=re.MULTILINE)[1:]
    assert first == second
    assert max(map(len, first.splitlines())) <= 80
    listed = " ".join(first.partition("\nFirst steps:\n")[2].split())
    assert "..." not in listed
    assert listed.startswith("doctor Check this machine and print fixes for what is missing. quickstart Write, run")
    assert "stats Compute scores with confidence intervals from any results. behaviour" in listed
    assert all(f" {name} " in f" {listed} " for name in _COMMANDS)


def test_a_group_without_a_command_shows_its_help_and_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["arena"]) == 2
    out, err = capsys.readouterr()
    assert out.startswith("Usage: fairground arena") and err == ""


def test_a_typo_is_answered_with_the_nearest_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["studdy"]) == 2
    assert "Did you mean 'study'" in capsys.readouterr().err


def test_every_example_can_be_parsed(capsys: pytest.CaptureFixture[str]) -> None:
    groups = {name: getattr(load(name, place), "commands", {}) for name, place in _COMMANDS.items()}
    examples = set()
    for words in [[], *([name] for name in groups), *([name, one] for name, inner in groups.items() for one in inner)]:
        assert main([*words, "--help"]) == 0
        examples |= set(re.findall(r"^    fairground (\S.*?)(?: {2,}.*)?$", capsys.readouterr().out, re.MULTILINE))
    assert len(examples) > 80
    for example in examples:
        name, *words = shlex.split(example)
        command = load(name, _COMMANDS[name])
        if inner := groups[name]:
            command = inner[words.pop(0) if words[0] in inner else "summary"]
        command.make_context(name, words).close()  # raises for an unknown option, or a value of the wrong type
