"""What needs no world must work where there can be none: on other operating systems."""

import subprocess
import sys
from pathlib import Path

import pytest

TABLE = Path(__file__).resolve().parents[2] / "examples" / "results.csv"

ELSEWHERE = """
import sys
# What other systems lack, and the rooms that build on it.
absent = ["fcntl", "termios", "pwd", "grp", "resource", "gymnasium", "cv2", "uvicorn"]
rooms = ("sandbox", "screen", "worlds", "verify", "gym", "agents", "rollout", "web")
absent += [f"fairground.{room}" for room in rooms]
for name in absent:
    sys.modules[name] = None
from fairground.cli import main
for command in sys.argv[2:]:
    assert main([*command.split(), sys.argv[1]]) == 0, command
"""


@pytest.mark.parametrize(
    "commands",
    [
        ("stats", "report"),
        pytest.param(("stats reliability", "stats sensitivity"), marks=pytest.mark.slow),
    ],
)
@pytest.mark.process
def test_statistics_need_no_room_that_needs_linux(commands: tuple[str, ...], tmp_path: Path) -> None:
    words = [sys.executable, "-c", ELSEWHERE, str(TABLE), *commands]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "atlas-large" in done.stdout
    assert "report" not in commands or "atlas-large" in (tmp_path / "report.html").read_text()
