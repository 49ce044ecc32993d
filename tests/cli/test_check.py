"""`fairground check` and `fairground prove` of a folder with an oracle, on real programs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from fairground.cli import main
from fairground.core import State
from fairground.worlds import open_seat, resolve

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "worlds.md"

HOSTILE = """
[app]
name = "hostile"
packages = ["mousepad"]
launch = ["sh", "-c", "xmessage 'out of paper' & exec mousepad ~/note.txt"]
window = "note"

[[scenario]]
name = "greet"
instruction = "Write {word}."
instances.hello = { word = "hello" }

[[scenario.check]]
name = "the note"
file = "~/note.txt"
equals = "{word}"

[[scenario.check]]
name = "a link"
file = "~/link.json"
json = "/a"
exists = false

[[scenario.check]]
name = "below a linked folder"
file = "~/linked/passwd"
exists = false

[[scenario.check]]
name = "a pipe"
file = "~/pipe"
exists = false

[[scenario.check]]
name = "really absent"
file = "~/absent"
exists = false

[[scenario.check]]
name = "nothing else"
nothing_else_changed = true

[[scenario.oracle]]
tap = "Fiel"
"""
SETUP = """#!/bin/sh
echo hi > ~/note.txt
ln -s /etc/passwd ~/link.json; ln -s /etc ~/linked; mkfifo ~/pipe
"""


def write(folder: Path, toml: str, setup: str, files: dict[str, str] | None = None) -> Path:
    (folder / "files").mkdir(parents=True)
    (folder / "world.toml").write_text(toml)
    (folder / "setup").write_text(setup)
    (folder / "setup").chmod(0o755)
    for name, text in (files or {}).items():
        (folder / "files" / name).write_text(text)
    return folder


@pytest.fixture
def documented(tmp_path: Path) -> Path:
    """The complete example of docs/worlds.md."""
    example = DOCUMENT.read_text().split("## A complete example")[1]
    found = {kind: text for kind, text in re.findall(r"```(toml|json)\n(.*?)```", example, re.DOTALL)}
    setup = "#!/bin/bash\ncp files/app.json ~/app.json\n"
    return write(tmp_path / "editor", found["toml"], setup, {"app.json": found["json"]})


def checked(capsys: pytest.CaptureFixture[str], folder: Path) -> tuple[int, list[dict[str, Any]]]:
    code = main(["check", str(folder), "--json"])
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["scenarios"]
    return code, rows


def picture_of(message: str) -> bytes:
    found = re.search(r"screenshot.*: (\S+\.png)", message)
    assert found is not None, message
    return Path(found[1]).read_bytes()


@pytest.mark.slow
def test_check_solves_the_documented_world_by_its_oracles(capsys: pytest.CaptureFixture[str], documented: Path) -> None:
    code, rows = checked(capsys, documented)
    assert code == 0, rows
    assert [row["oracle"]["moves"] for row in rows] == [8, 2]
    assert rows[0]["checks_at_start"][0]["found"]["found"] == 11
    assert "menu 'View'" in rows[1]["controls"] and rows[1]["dialogs"] == []


@pytest.mark.slow
def test_the_documented_world_is_proven_and_its_oracle_runs_as_an_agent(
    capsys: pytest.CaptureFixture[str], documented: Path, tmp_path: Path
) -> None:
    assert main(["prove", str(documented), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["sound"] and found["totals"]["proven"] == 3
    assert found["totals"]["mutants"]["share_rejected"] > 0.9
    words = [
        "run",
        str(documented),
        "--agent",
        "oracle",
        "--configs",
        "1",
        "--rollouts",
        "1",
        "--out",
        str(tmp_path / "run"),
    ]
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["summary"]["outcomes"]["passed"] == 2


@pytest.mark.process
def test_check_finds_error_dialogs_stuck_oracles_and_never_follows_what_lies_in_wait(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = write(tmp_path / "hostile", HOSTILE, SETUP)
    code, (row,) = checked(capsys, folder)
    assert code == 1
    assert len(row["faults"]) == 2, row["faults"]
    shown, stuck = (fault["message"] for fault in row["faults"])
    assert "'xmessage'" in shown and picture_of(shown).startswith(b"\x89PNG")
    assert "world.toml: scenario greet" in stuck and "Tap('Fiel')" in stuck and "'File'" in stuck
    assert picture_of(stuck).startswith(b"\x89PNG")
    told = {check["name"]: (check["passed"], str(check["found"])) for check in row["checks_at_start"]}
    assert [name for name, (passed, _) in told.items() if passed] == ["really absent", "nothing else"]
    assert (
        "links are not followed" in told["a link"][1] and "links are not followed" in told["below a linked folder"][1]
    )
    assert "not a regular file" in told["a pipe"][1]


@pytest.mark.slow
def test_check_says_what_a_dialog_says_that_is_there_instead_of_the_program(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    toml = HOSTILE.replace('~/note.txt"]', '~/locked.txt"]').replace('window = "note"', 'window = "locked"')
    code, (row,) = checked(
        capsys, write(tmp_path / "locked", toml, f"{SETUP}touch ~/locked.txt; chmod 000 ~/locked.txt\n")
    )
    (fault,) = row["faults"]
    assert code == 1 and "locked.txt: Permission denied" in fault["message"]
    assert picture_of(fault["message"]).startswith(b"\x89PNG")


@pytest.mark.slow
def test_a_guard_sees_what_an_agent_did_to_other_files(documented: Path) -> None:
    world = resolve(f"{documented}/set-value")
    with open_seat(world) as seat:
        seat.sandbox.run(["sh", "-c", "echo x > ~/stray.txt; mkdir ~/.cache/x; ln -s /etc ~/way; mkfifo ~/pipe"])
        after: State = seat.finish()
    guard = world.scenario.checks(world, seat.before, after, None)[2]
    assert set(guard.found["first"]) == {"~/stray.txt", "~/way", "~/pipe"}
    assert "~/app.json" in after.files and not any(path.startswith("~/way/") for path in after.files)
