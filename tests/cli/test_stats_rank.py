"""`fairground stats rank` and `stats power`: which votes depend on each other is said, and can be chosen."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from fairground.cli import main


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    """Three agents, 40 tasks of 9 votes that mostly agree, all by one voter."""
    chance = random.Random(0)
    lines = ["model_a,model_b,winner,task,voter"]
    for task in range(40):
        one, other = chance.sample(["ash", "birch", "cedar"], 2)
        favoured = chance.random() < (0.7 if one < other else 0.3)
        for _ in range(9):
            said = favoured if chance.random() < 0.9 else not favoured
            lines.append(f"{one},{other},{'model_a' if said else 'model_b'},t{task},judge")
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], path: Path, *words: str) -> str:
    renames = ("--rename", "model_a=left", "--rename", "model_b=right")
    assert main(["stats", "rank", str(path), *renames, *words]) == 0
    return " ".join(capsys.readouterr().out.split())


def width(found: Any) -> float:
    rating = next(one["rating"] for one in found["ranking"]["agents"] if one["agent"] == "ash")
    return float(rating["high"] - rating["low"])


def test_votes_on_one_task_are_kept_together_by_default(votes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = run(capsys, votes, "--tests")
    assert "360 votes, 95% intervals (percentile, clustered by 40 tasks)" in said
    assert "1 voter are too few" not in said and "1 voter is too few to cluster by" in said
    assert "360 votes with as much information as" in said
    assert "permutation test p" in said and said.count("clustered by 40 tasks") == 2
    found, alone = (json.loads(run(capsys, votes, "--tests", "--json", *more)) for more in ((), ("--cluster", "none")))
    assert found["ranking"]["clusters"] == found["permutation"]["clusters"] == {"task": 40}
    assert found["ranking"]["design_effect"] > 4 and alone["ranking"]["design_effect"] == 1
    assert width(found) > 1.8 * width(alone)
    assert found["permutation"]["p_value"] > 5 * alone["permutation"]["p_value"]
    assert max(one["p_holm"] for one in found["pairs"]) > max(one["p_holm"] for one in alone["pairs"])
    pair, single = (one["observed"]["intervals"][0][1] for one in (found, alone))
    assert pair["high"] - pair["low"] > 1.5 * (single["high"] - single["low"])


def test_votes_that_are_taken_as_independent_are_said_to_be(votes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = run(capsys, votes, "--cluster", "none")
    assert "(percentile, votes treated as independent)" in said and "design effect" not in said


def test_an_unknown_cluster_is_refused(votes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", "rank", str(votes), "--rename", "model_a=left", "--rename", "model_b=right",
                 "--cluster", "moon"]) != 0  # fmt: skip
    assert "cluster: expected auto, none, task, voter, both, got 'moon'" in capsys.readouterr().err


def test_votes_that_depend_on_each_other_are_needed_in_larger_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", "power", "--gap", "50", "--design-effect", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["votes"], found["decisive"], found["design_effect"]) == (1022, 511, 2)
