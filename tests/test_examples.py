"""The examples in examples/ work unchanged."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fairground.cli import main

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.process


@pytest.mark.slow
def test_the_shopping_list_opens_and_none_of_its_tasks_is_already_done(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(ROOT / "examples/shopping-list"), "--json"]) == 0
    assert [row["reward_at_start"] for row in json.loads(capsys.readouterr().out)["scenarios"]] == [0, 0]


@pytest.mark.parametrize(
    ("world", "script"),
    [
        ("examples/shopping-list/add-item/tea", "examples/shopping-list/add-tea.jsonl"),
        pytest.param(
            "examples/shopping-list/add-item/tea@garten/dark",
            "examples/shopping-list/add-tea.jsonl",
            marks=pytest.mark.slow,
        ),
        pytest.param("desk/calc/region-total/north", "examples/calc-region-total.jsonl", marks=pytest.mark.slow),
        pytest.param(
            "desk/calc/region-total/north@kitchen-supplies/light/scrolled",
            "examples/calc-region-total.jsonl",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_script_solves_its_world(capsys: pytest.CaptureFixture[str], tmp_path: Path, world: str, script: str) -> None:
    place = str(ROOT / world) if world.startswith("examples") else world
    words = [
        "record",
        place,
        "--agent",
        f"script:{ROOT / script}",
        "--out",
        str(tmp_path / "e"),
        "--no-video",
        "--json",
    ]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["outcome"] == "passed"


def test_the_loop_of_training_code_runs() -> None:
    done = subprocess.run(
        [sys.executable, "examples/random_agent.py", "examples/shopping-list", "2"],
        cwd=ROOT, capture_output=True, text=True, timeout=100, check=True,
    )  # fmt: skip
    assert done.stdout.count("episode ") == 2
