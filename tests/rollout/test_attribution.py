"""Who caused the end of an episode: an agent must not gain anything by ending it in a way of its own."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fairground.agents import Turn
from fairground.agents.python import PythonAgent
from fairground.cli import main
from fairground.core import Answer, Look, Observation, Outcome, ended_by_words
from fairground.rollout import Budget, RunSpec, carry_out, read_episode, reverify, run_episode, run_table, start_run
from fairground.worlds import Ahead, open_seat, resolve

from .quitters import ACTS, ENDS_WORKER, LATER, NoLength, Quitter

WORLD = "pocket/notes/count-label"
HERE = Path(__file__).parent

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def seats() -> Iterator[Ahead]:
    """One seat, renewed for each episode."""
    source = Ahead(open_seat)
    yield source
    source.close()


QUICK = (
    "exits",
    "turns nothing",
    "blames its model",
    "blames the clock",
    "hides why",
    "hides its notes",
    "hides its class",
    "tells too much",
    *LATER,
)


@pytest.mark.parametrize(
    "how", [one if one in QUICK else pytest.param(one, marks=pytest.mark.slow) for one in (*ACTS, *LATER)]
)
def test_whatever_an_agents_code_raises_is_its_failure(tmp_path: Path, seats: Ahead, how: str) -> None:
    agent = PythonAgent(Quitter(how), "quitter")
    episode = run_episode(resolve(WORLD), agent, tmp_path / "e", video=False, pool=seats)
    assert (episode.outcome, episode.ended_by) == (Outcome.FAILED, "agent_error"), episode.error
    assert episode.verdict is not None and not episode.verdict.integrity and episode.verdict.reward == 0
    guard = episode.verdict.checks[-1]
    assert guard.name == "the agent ended the episode itself" and guard.found == episode.error != ""
    found = read_episode(tmp_path / "e")
    assert found.complete and found.state("after") is not None and len(episode.error) < 30_000


def test_what_an_agent_left_behind_is_judged_beside_its_error_as_evidence(tmp_path: Path, seats: Ahead) -> None:
    honest, quits = (
        run_episode(resolve(WORLD), PythonAgent(Quitter(how), how), tmp_path / how, video=False, pool=seats)
        for how in ("behaves", "raises")
    )
    assert honest.verdict is not None and quits.verdict is not None
    assert quits.verdict.checks[:-1] == honest.verdict.checks
    assert quits.error.startswith("ValueError: I am not sure (")


def test_agent_errors_can_be_excluded_and_are_told_apart_all_the_same(tmp_path: Path, seats: Ahead) -> None:
    agent = PythonAgent(Quitter("blames the scenario"), "quitter")
    episode = run_episode(resolve(WORLD), agent, tmp_path / "e", video=False, pool=seats, agent_errors="excluded")
    assert (episode.outcome, episode.ended_by, episode.verdict) == (Outcome.ERRORED, "agent_error", None)
    assert ended_by_words(episode.ended_by) == "an error of the agent"


# What each exit code comes to is in `test_lost_worker`.
@pytest.mark.parametrize(
    "ways",
    [
        ("ends itself as a service manager would", "kills its process group"),
        pytest.param(tuple(ENDS_WORKER), marks=pytest.mark.slow),
    ],
    ids=["signals", "all"],
)
def test_an_agent_that_ends_its_worker_has_failed_and_is_not_tried_again(tmp_path: Path, ways: tuple[str, ...]) -> None:
    roles, folder = tmp_path / "roles.json", tmp_path / "run"
    ways = (*ways, "behaves")
    agent = f"{HERE / 'quitters.py'}:Quitter:roles={roles}"
    spec = RunSpec(worlds=(WORLD,), agent=agent, rollouts=len(ways), configs=1, retries=2)
    with start_run(folder, spec) as run:
        plan = list(run.rows())
        roles.write_text(json.dumps({row.planned.seed: how for row, how in zip(plan, ways, strict=True)}))
        carry_out(run, workers=1)
        for row, how in zip(run.rows(), ways, strict=True):
            found = row.finished
            assert found is not None and (found.outcome, row.attempts) == (Outcome.FAILED, 1), (how, found)
            assert (found.reward, found.ended_by) == (0.0, "agent" if how == "behaves" else "agent_error"), how
            recorded = read_episode(folder / found.folder)
            assert recorded.complete and recorded.episode.error == found.error and recorded.states.before is not None
        assert run.progress().retried == 0
    assert run_table(folder).outcomes()[Outcome.ERRORED] == 0
    assert not [one for one in reverify(folder) if one.changed or one.problem]


@pytest.mark.slow
def test_an_agent_that_ends_its_worker_is_errored_where_agent_errors_are_excluded(tmp_path: Path) -> None:
    agent = f'{HERE / "quitters.py"}:Quitter:how="ends its process"'
    spec = RunSpec(worlds=(WORLD,), agent=agent, rollouts=1, configs=1, retries=1, agent_errors="excluded")
    with start_run(tmp_path / "run", spec) as run:
        carry_out(run, workers=1)
        (row,) = run.rows()
        assert row.finished is not None and row.attempts == 2
        assert (row.finished.outcome, row.finished.ended_by) == (Outcome.ERRORED, "agent_error")


def test_an_agent_that_raises_when_unsure_scores_what_its_honest_twin_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world = str(HERE.parents[1] / "examples/shopping-list/add-item/tea")
    words = ["--configs", "1", "--rollouts", "2", "--workers", "1", "--json"]
    scores = {}
    for name in ("Honest", "Quitting"):
        folder = tmp_path / name
        assert main(["run", world, "--agent", f"{HERE / 'unsure.py'}:{name}", "--out", str(folder), *words]) == 0
        (standing,) = json.loads(capsys.readouterr().out)["summary"]["standings"]
        scores[name] = (standing["score"]["estimate"], standing["outcomes"], standing["score_errors_failed"])
    assert scores["Honest"] == scores["Quitting"]
    assert scores["Honest"][1:] == ({"passed": 1, "failed": 1, "errored": 0, "invalid": 0}, None)
    assert main(["compare", str(tmp_path / "Quitting"), str(tmp_path / "Honest"), "--json"]) == 0
    (pair,) = json.loads(capsys.readouterr().out)["pairs"]
    assert pair["comparison"]["decided"] is None and pair["comparison"]["difference"]["estimate"] == 0
    assert pair["comparison_errors_failed"] is None


def test_a_solved_task_that_the_agent_broke_off_stays_failed_when_it_is_scored_again(tmp_path: Path) -> None:
    world = str(HERE.parents[1] / "examples/shopping-list/add-item/tea")
    spec = RunSpec(worlds=(world,), agent=f"{HERE / 'unsure.py'}:Undecided", rollouts=2, configs=1)
    with start_run(tmp_path / "run", spec) as run:
        assert any(row.planned.seed % 4 == 0 for row in run.rows()), "in one of them it is sure"
        carry_out(run, workers=1)
        ended = [row.finished for row in run.rows()]
    assert [(one.outcome, one.reward, one.ended_by) for one in ended if one] == [(Outcome.FAILED, 0, "agent_error")] * 2
    found = reverify(tmp_path / "run")
    assert not [one for one in found if one.changed or one.problem]
    verdicts = [one.now_verdict for one in found if one.now_verdict is not None]
    assert any([check.passed for check in verdict.checks[:-1]] == [True] * 3 for verdict in verdicts)
    assert not any(verdict.checks[-1].passed for verdict in verdicts)


class Endless(Exception):
    def __str__(self) -> str:
        threading.Event().wait()
        return ""


class Hanging(Quitter):
    """Raises an error whose message never ends."""

    def act(self, observation: Observation) -> Any:
        raise Endless


def test_an_error_that_hangs_when_it_is_read_ends_with_the_time_budget(tmp_path: Path, seats: Ahead) -> None:
    agent, budget = PythonAgent(Hanging(), "hanging"), Budget(seconds=0.5)
    episode = run_episode(resolve(WORLD), agent, tmp_path / "e", video=False, pool=seats, budget=budget)
    assert (episode.outcome, episode.ended_by) == (Outcome.FAILED, "time_budget") and episode.extra["abandoned"]


def test_texts_with_methods_of_their_own_are_recorded_as_plain_text(tmp_path: Path, seats: Ahead) -> None:
    turns = iter([Turn(Look(), NoLength("hm")), Turn(Answer(text=NoLength("7")))])

    class Speaks(Quitter):
        def act(self, observation: Observation) -> Any:
            return next(turns)

    episode = run_episode(resolve(WORLD), PythonAgent(Speaks(), "speaks"), tmp_path / "e", video=False, pool=seats)
    assert (episode.outcome, episode.ended_by, episode.answer) == (Outcome.FAILED, "agent", "7")
    assert read_episode(tmp_path / "e").steps[0].thought == "hm"
