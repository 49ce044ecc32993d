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
raise SystemExit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "words",
    [
        ("stats",),
        ("report",),
        pytest.param(("stats", "reliability"), marks=pytest.mark.slow),
        pytest.param(("stats", "sensitivity"), marks=pytest.mark.slow),
    ],
)
@pytest.mark.process
def test_statistics_need_no_room_that_needs_linux(words: tuple[str, ...], tmp_path: Path) -> None:
    command = [sys.executable, "-c", ELSEWHERE, *words, str(TABLE)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "atlas-large" in (done.stdout if words[0] == "stats" else (tmp_path / "report.html").read_text())
