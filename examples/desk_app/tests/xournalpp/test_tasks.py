"""The tasks, solved by their oracles with real mouse and keyboard."""

from pathlib import Path

import pytest

from fairground.agents import OracleAgent
from fairground.rollout import run_episode
from fairground.worlds import resolve


@pytest.mark.parametrize("name", ["insert-page/plan@pottery/dark/maximized"])
def test_the_oracle_solves_a_task(name: str, tmp_path: Path) -> None:
    world = resolve(f"my-desk/xournalpp/{name}", unproven=True)
    episode = run_episode(world, OracleAgent(), tmp_path / "episode", video=False)
    assert episode.verdict is not None, episode.error
    assert episode.verdict.success, [check for check in episode.verdict.checks if not check.passed]
