"""The replay experiment: which episodes count, and what its page says. One run of it opens real seats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from fairground.core import Configuration, InvalidInput, Outcome
from fairground.prove.proving import select
from fairground.prove.replay_experiment import ReplayPlan, ReplayResult, _tasks, replay_experiment
from fairground.report.replay_page import replay_figure, write_replay_page
from fairground.rollout import Finished, RunSpec, RunStore, make_plan
from fairground.stats import wilson

NAME = "pocket/notes/pin-and-label"
PLAN = ReplayPlan(agent="oracle:slip=0.1", tasks=3, watched=2, elsewhere=1)
OUTCOMES = {"P": Outcome.PASSED, "F": Outcome.FAILED, "E": Outcome.ERRORED, "I": Outcome.INVALID}


def ended(folder: Path, runs: Mapping[str, Sequence[str]]) -> None:
    """Finished runs as the experiment makes them: for each task how its episodes ended, in the order of the plan."""
    tasks = _tasks(*select(NAME), PLAN)
    for name, outcomes in runs.items():
        of_task = {
            Configuration.from_id(places[0]).task: list(said) for places, said in zip(tasks, outcomes, strict=True)
        }
        replayed, varied = name.endswith("-replay"), name.startswith("varied")
        spots = slice(2, None) if replayed and varied else slice(0, 2) if varied else slice(0, 1)
        worlds = [place for places in tasks for place in places[spots] if of_task[Configuration.from_id(place).task]]
        spec = RunSpec(
            worlds=tuple(worlds),
            agent=f"replay:{folder / name.removesuffix('-replay')}" if replayed else PLAN.agent,
            rollouts=1 if replayed or varied else 2,
            configs=None,
            seed=2 if name.startswith("static-2") else 1,
        )
        with RunStore.create(folder / name, spec, make_plan(spec)) as store:
            for row in list(store.rows()):
                said = of_task[Configuration.from_id(row.planned.configuration).task].pop(0)
                store.finish(row.planned.number, Finished(OUTCOMES[said]))


def test_errored_episodes_are_left_out_and_counted_and_the_halves_swap_roles(tmp_path: Path) -> None:
    ended(
        tmp_path,
        {
            "static-1": ("PF", "FF", "PE"),
            "static-1-replay": ("P", "", "P"),
            "static-2": ("PP", "FP", "FF"),
            "static-2-replay": ("P", "F", ""),
            "varied": ("PF", "PI", "FF"),
            "varied-replay": ("F", "E", ""),
        },
    )
    found = replay_experiment(NAME, tmp_path, PLAN)
    assert found.ks == (1, 2) and found.tasks == 3
    assert found.unscored == {"static": 1, "varied": 2}
    assert found.left_out == {"static": 1, "varied": 1}
    # k = 1: halves of the tasks pass (1/2, 1), (0, 1/2) and (1, 0); one of the recordings fails when it is played back.
    assert [one.estimate for one in found.pass_at_k] == pytest.approx([(1.5 + 0.5 + 1) / 6, (2 + 1) / 4])
    assert [one.estimate for one in found.static] == pytest.approx([(1.5 + 0 + 1) / 6, 2 / 4])
    assert [one.estimate for one in found.gap] == pytest.approx([-0.5 / 6, -1 / 4])
    # The second task has a success whose replay errored, so that it cannot be judged; the third has no success.
    assert [one.estimate for one in found.varied] == [0, 0]
    assert found.plain()["unscored"] == {"static": 1, "varied": 2}
    assert replay_experiment(NAME, tmp_path, PLAN) == found, "finished runs are taken as they are"


def test_where_everything_errored_there_is_no_result(tmp_path: Path) -> None:
    ended(tmp_path, {"static-1": ("EE",) * 3, "static-2": ("EE",) * 3, "varied": ("FF",) * 3})
    with pytest.raises(InvalidInput, match="12 episodes errored"):
        replay_experiment(NAME, tmp_path, PLAN)


def test_the_replay_page_shows_three_curves_and_what_was_left_out(tmp_path: Path) -> None:
    points = tuple(wilson(count, 10) for count in (3, 6, 8))
    none = tuple(wilson(0, 10) for _ in range(3))
    left_out, unscored = {"static": 0, "varied": 1}, {"static": 0, "varied": 7}
    result = ReplayResult("oracle<b>", (1, 2, 3), points, points, none, none, 10, left_out, unscored)
    page = write_replay_page(result, tmp_path / "replay.html").read_text()
    assert "oracle&lt;b&gt;" in page and "replay, varied suite" in page
    assert "1 task without enough scored episodes" in page
    assert "7 errored or invalid episodes (varied)" in page and "episodes (static)" not in page
    assert replay_figure(result).standalone().startswith("<")


@pytest.mark.slow
def test_a_replay_equals_pass_at_k_where_nothing_varies_and_is_worth_less_where_it_does(tmp_path: Path) -> None:
    first = replay_experiment(NAME, tmp_path, PLAN)
    assert first.static[-1].low <= first.pass_at_k[-1].high and first.pass_at_k[-1].low <= first.static[-1].high
    assert first.varied[-1].estimate < 0.5
    assert replay_experiment(NAME, tmp_path, PLAN) == first, "finished runs are taken as they are"
