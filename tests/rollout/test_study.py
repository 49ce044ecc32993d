"""Studies: files read strictly, conditions paired on the same configurations, resumed to exactly what was planned."""

from __future__ import annotations

import collections
import contextlib
import os
import random
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fairground.core import InvalidInput, MissingPrerequisite, Outcome, UnknownName
from fairground.report.study_page import study_figures, study_page
from fairground.rollout import Event, RunStore, is_run
from fairground.rollout.interventions import (
    Clarification,
    LearnedPlan,
    keep_clarification,
    read_clarifications,
)
from fairground.rollout.study import StudyRun, StudySpec, read_study, study_runs
from fairground.rollout.study_results import StudyResult, study_result, write_result
from fairground.rollout.study_run import Study, carry_out_study, open_study, plan_study, start_study

from .study_stub import Coins

STUB = Path(__file__).with_name("study_stub.py")
PLANNER = "compatible:planner@http://127.0.0.1:9/v1"
GOOD = """
worlds = ["pocket/notes"]
agents = ["random"]
rollouts = 2
configs = 3

[[conditions]]
name = "deterministic"
interventions = [{ name = "deterministic" }]
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(text)
    return path


def spec_of(*conditions: dict[str, Any], **more: Any) -> StudySpec:
    plain = {"worlds": ["pocket/notes"], "agents": ["random"], "rollouts": 3, "configs": 3, **more}
    return StudySpec.parse({**plain, "conditions": list(conditions)})


DETERMINISTIC = {"name": "deterministic", "interventions": [{"name": "deterministic"}]}
PERTURBED = {"name": "perturbed", "interventions": [{"name": "perturbed"}]}
LEARNED = {"name": "learned", "interventions": [{"name": "learned-plan", "model": PLANNER}], "iterations": 2}


# --- files -----------------------------------------------------------------------------------------------------------

BAD = {
    "unknown key": (GOOD.replace("rollouts", "rolouts"), "unknown key 'rolouts'", "did you mean rollouts"),
    "unknown key of a condition": (GOOD + "iteration = 2\n", "conditions[0]: unknown key 'iteration'", "iterations"),
    "unknown intervention": (GOOD.replace('{ name = "det', '{ name = "dat'), "unknown intervention", "deterministic"),
    "unknown field": (
        GOOD.replace('{ name = "deterministic" }', '{ name = "retry", round = 2 }'),
        "conditions[0].interventions[0]: unknown key 'round'",
        "rounds",
    ),
    "intervention without a name": (GOOD.replace('{ name = "deterministic" }', '"x"'), "a table with a name", "name ="),
    "unknown budget": (GOOD.replace("[[", "[budget]\nstep = 3\n\n[["), "budget: unknown key 'step'", "steps"),
    "one bracket": (GOOD.replace("[[conditions]]", "[conditions]"), "conditions: expected a list", "two brackets"),
    "baseline missing": ('baseline = "plain"\n' + GOOD, "baseline: unknown condition 'plain'", ""),
    "unknown base": (GOOD + 'base = "determinist"\n', "base: unknown condition 'determinist'", ""),
    "two of one name": (GOOD + GOOD.partition("configs = 3")[2], "conditions: 'deterministic' is given twice", ""),
    "two iterations of one name": (
        GOOD + f'\n[[conditions]]\nname = "a"\ninterventions = [{{ name = "learned-plan", model = "{PLANNER}" }}]\n'
        '\n[[conditions]]\nname = "a-iteration-1"\n',
        "'a-iteration-1' is given twice",
        "",
    ),
    "duplicate worlds": (
        GOOD.replace('["pocket/notes"]', '["pocket/notes", "pocket/notes"]'),
        "worlds: 'pocket/notes' is given twice",
        "",
    ),
    "nothing to compare": (GOOD.partition("[[")[0], "needs a condition besides its baseline", ""),
    "a number as text": (GOOD.replace("rollouts = 2", 'rollouts = "2"'), "rollouts: input should be a valid int", ""),
    "a name that is a path": (GOOD.replace('name = "deterministic"\n', 'name = "../x"\n'), "not a valid name", ""),
    "iterations of nothing": (GOOD + "iterations = 2\n", "only learned plans have iterations", ""),
    "its own base": (GOOD + 'base = "deterministic"\n', "the bases form a cycle", ""),
    "a circle of bases": (
        GOOD + 'base = "a"\n[[conditions]]\nname = "a"\nbase = "b"\n[[conditions]]\nname = "b"\nbase = "a"\n',
        "the bases form a cycle",
        "",
    ),
    "runs": (
        GOOD.replace('{ name = "deterministic" }', f'{{ name = "learned-plan", model = "{PLANNER}", runs = ["x"] }}'),
        "a study chooses the runs to learn from itself",
        "",
    ),
    "no TOML": ("worlds = [", "is not valid TOML", ""),
}


@pytest.mark.parametrize("case", BAD)
def test_a_file_that_makes_no_sense_is_refused_with_what_to_do(tmp_path: Path, case: str) -> None:
    text, message, fix = BAD[case]
    with pytest.raises(InvalidInput) as found:
        read_study(written(tmp_path, text))
    assert message in found.value.message and fix in str(found.value)


def test_a_file_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_study(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"title = '\xe9'")
    with pytest.raises(InvalidInput, match="not UTF-8"):
        read_study(tmp_path / "latin.toml")


def test_what_could_not_be_carried_out_is_said_before_anything_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    clarified = {"name": "clarified", "interventions": [{"name": "clarified", "model": "anthropic:claude-sonnet-5-5"}]}
    with pytest.raises(MissingPrerequisite, match="ANTHROPIC_API_KEY"):
        plan_study(spec_of(clarified))
    with pytest.raises(MissingPrerequisite, match="ANTHROPIC_API_KEY"):
        plan_study(spec_of(DETERMINISTIC, agents=["anthropic:claude-sonnet-5-5"]))
    with pytest.raises(UnknownName, match="unknown agent"):
        plan_study(spec_of(DETERMINISTIC, agents=["rondom"]))
    with pytest.raises(UnknownName):
        plan_study(spec_of(DETERMINISTIC, worlds=["pocket/nots"]))
    simulated = {"name": "user", "interventions": [{"name": "retry", "feedback": "simulator"}]}
    with pytest.raises(InvalidInput, match="needs a model"):
        plan_study(spec_of(simulated))


# --- runs ------------------------------------------------------------------------------------------------------------


def test_the_baseline_is_implied_or_named() -> None:
    assert [run.condition for run in study_runs(spec_of(DETERMINISTIC))] == ["baseline", "deterministic"]
    named = spec_of(DETERMINISTIC, PERTURBED, baseline="perturbed")
    assert [(run.condition, run.base) for run in study_runs(named)] == [
        ("perturbed", ""), ("deterministic", "perturbed"),
    ]  # fmt: skip
    mine = spec_of({"name": "baseline", "interventions": [{"name": "retry"}]}, DETERMINISTIC)
    assert [one.name for one in study_runs(mine)[0].spec.interventions] == ["retry"]


def test_runs_come_in_order_of_need_and_iterations_learn_from_all_before() -> None:
    spec = spec_of(
        LEARNED, {"name": "clarified", "interventions": []}, {**LEARNED, "name": "later", "base": "clarified"}
    )
    runs = study_runs(spec)
    assert [run.condition for run in runs] == [
        "baseline", "clarified", "learned-iteration-1", "learned-iteration-2", "later-iteration-1", "later-iteration-2",
    ]  # fmt: skip
    by_name = {run.condition: run for run in runs}
    assert {run.base for run in runs[2:4]} == {"baseline"} and {run.base for run in runs[4:]} == {"clarified"}

    def sources(run: StudyRun) -> tuple[str, ...]:
        return next(one.runs for one in run.spec.interventions if isinstance(one, LearnedPlan))

    assert sources(by_name["learned-iteration-2"]) == ("../baseline", "../learned-iteration-1")
    assert by_name["later-iteration-1"].learns_from == ("runs/random/clarified",)
    done: set[str] = set()
    for run in runs:
        assert set(run.learns_from) <= done
        done.add(run.folder)


def test_agents_have_folders_of_their_own_whatever_they_are_called() -> None:
    spec = spec_of(DETERMINISTIC, agents=["script:a/b.jsonl", "script:a-b.jsonl", "../.."])
    folders = [run.folder for run in study_runs(spec)]
    assert len(set(folders)) == 6 and not any(".." in Path(folder).parts for folder in folders)


def test_every_condition_has_the_same_configurations_and_seeds() -> None:
    planned = plan_study(spec_of(DETERMINISTIC, PERTURBED, {"name": "retry", "interventions": [{"name": "retry"}]}))
    plans = {run.condition: plan for run, plan in planned.plans.items()}
    base = plans["baseline"]
    for plan in plans.values():
        assert [(one.number, one.pairing, one.rollout) for one in plan] == [
            (one.number, one.configuration, one.rollout) for one in base
        ]
    assert plans["retry"] == base
    assert [one.seed for one in plans["perturbed"]] == [one.seed for one in base]
    themes = collections.defaultdict(set)
    for one in plans["perturbed"]:
        themes[one.pairing].add(one.configuration.split("/")[-2])
    assert all(len(found) > 1 for found in themes.values())
    assert planned.episodes == 4 * len(base)


# --- carried out -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, StudyResult]:
    retry = {"name": "retry", "interventions": [{"name": "retry"}]}
    spec = spec_of(PERTURBED, retry, title="<b>Coins</b> & co", configs=16)
    study = start_study(tmp_path_factory.mktemp("coins") / "study", spec)
    carry_out_study(study, make_executor=partial(Coins, errors=0.03))
    return study, study_result(study, resamples=400)


def test_a_condition_that_helps_is_told_from_one_that_harms(finished: tuple[Study, StudyResult]) -> None:
    base, perturbed, retry = finished[1].conditions
    assert (base.condition, base.change) == ("baseline", None)
    assert perturbed.change is not None and retry.change is not None
    assert perturbed.change.difference.estimate < 0 < retry.change.difference.estimate
    moved = retry.change.transitions
    assert len(moved.improved) > len(moved.regressed) and retry.change.wilcoxon_p < 0.05
    # Holm over the two comparisons: no adjusted value is below the raw one.
    assert retry.change.mcnemar_p >= moved.mcnemar.p_value and retry.change.wilcoxon_p >= moved.wilcoxon.p_value
    assert base.reliability is not None and base.k == 3
    curve = base.reliability.pass_hat.points
    assert curve[0].estimate >= curve[-1].estimate and base.reliability.pass_at.points[-1].estimate >= curve[0].estimate


def test_tasks_pair_also_where_themes_differ(finished: tuple[Study, StudyResult]) -> None:
    base, perturbed, _ = finished[1].conditions
    assert perturbed.change is not None and base.reliability is not None
    moved = perturbed.change.transitions
    assert moved.tasks == base.reliability.tasks and not moved.only_base and not moved.only_new


def test_errors_are_counted_apart_with_their_denominators(finished: tuple[Study, StudyResult]) -> None:
    for one in finished[1].conditions:
        errored = one.outcomes.get(Outcome.ERRORED, 0)
        assert errored and one.scored + errored == one.planned
        assert any(f"{errored} of {one.planned} episodes errored" in note for note in one.notes)


def test_the_result_is_the_same_again_and_is_written_whole(finished: tuple[Study, StudyResult]) -> None:
    study, result = finished
    assert study_result(study, resamples=400) == result
    text = write_result(study, result).read_text()
    assert '"wilcoxon_p"' in text and '"rollouts": 3' in text


def test_the_page_says_it_and_escapes_what_strangers_wrote(finished: tuple[Study, StudyResult]) -> None:
    study, result = finished
    page = study_page(study, result)
    assert "&lt;b&gt;Coins&lt;/b&gt;" in page and "<b>Coins" not in page
    assert "tasks became reliable" in page and "Vary the appearance" in page
    assert {"reliability", "differences", "flow-1", "flow-2"} == set(study_figures(result))


def test_a_study_that_has_not_begun_says_so(tmp_path: Path) -> None:
    study = start_study(tmp_path / "study", spec_of(DETERMINISTIC))
    result = study_result(study)
    assert all(one.reliability is None and one.notes == ("This run has not started.",) for one in result.conditions)
    assert "This run has not started." in study_page(study, result)


def test_a_folder_that_is_not_empty_or_no_study_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(InvalidInput, match="is not empty"):
        start_study(tmp_path, spec_of(DETERMINISTIC))
    with pytest.raises(InvalidInput, match="is not a study"):
        open_study(tmp_path)


def test_a_run_whose_money_is_spent_holds_up_only_what_learns_from_it(tmp_path: Path) -> None:
    study = start_study(tmp_path / "study", spec_of(LEARNED, DETERMINISTIC, budget={"dollars": 2.0}))
    waiting = carry_out_study(study, make_executor=partial(Coins, cost=1.0))
    assert [run.condition for run in waiting] == ["learned-iteration-1", "learned-iteration-2"]
    base, other, *later = study_result(study).conditions
    assert base.scored == other.scored == 2 and "have not ended" in base.notes[0]
    assert all(one.notes == ("This run has not started.",) for one in later)


def test_what_was_clarified_for_the_base_is_said_again_in_what_is_compared_with_it(tmp_path: Path) -> None:
    clarified = {"name": "clarified", "model": PLANNER}
    spec = spec_of(
        {"name": "again", "base": "clear", "interventions": [clarified, {"name": "retry"}]},
        {"name": "clear", "interventions": [clarified]},
        {"name": "other", "base": "clear", "interventions": [{**clarified, "auditor": PLANNER}]},
        configs=1,
    )
    study = start_study(tmp_path / "study", spec)

    def clarify(run: StudyRun, store: RunStore) -> None:
        if run.condition == "clear":
            for row in store.rows():
                said = Clarification(
                    configuration=row.planned.pairing, model=PLANNER, auditor=PLANNER, original="Do it.",
                    clarified="Do it now.", audit="ok", reason="",
                )  # fmt: skip
                keep_clarification(store.folder, said.configuration, lambda said=said: said)  # type: ignore[misc]

    assert [run.condition for run in study.runs] == ["baseline", "clear", "again", "other"]
    carry_out_study(study, make_executor=Coins, on_run=clarify)
    told = [read_clarifications(study.place(run)) for run in study.runs]
    assert told[1] and told[2] == told[1] and not told[0] and not told[3]


def test_a_study_that_was_interrupted_goes_on_where_it_was(tmp_path: Path) -> None:
    study = start_study(tmp_path / "study", spec_of(DETERMINISTIC, configs=1))
    seen: list[tuple[str, int]] = []

    def stop(run: StudyRun, event: Event) -> None:
        seen.append((run.condition, event.row.planned.number))
        if len(seen) == 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        carry_out_study(study, make_executor=Coins, on_event=stop)
    carry_out_study(open_study(study.folder), make_executor=Coins, on_event=stop)
    assert seen == [(name, number) for name in ("baseline", "deterministic") for number in range(6)]


@pytest.mark.slow
def test_a_study_killed_at_random_instants_has_every_episode_of_every_run_once(tmp_path: Path) -> None:
    spec = spec_of(DETERMINISTIC, LEARNED, configs=8)
    study = start_study(tmp_path / "study", spec)
    total = plan_study(spec).episodes
    draw = random.Random(4)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(STUB.parents[2]), *sys.path])}
    for goal in (0, draw.randint(1, 120), None):
        before = ended(study)
        with (tmp_path / "stderr.txt").open("wb") as words:
            process = subprocess.Popen([sys.executable, str(STUB), str(study.folder)], env=environment, stderr=words)
            while process.poll() is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(0.01)
                # A goal of 0 is a kill while the first run is being made.
                if goal is not None and (ended(study) - before >= goal > 0 or (goal == 0 and any_trace(study))):
                    process.kill()
                    process.wait()
    assert process.returncode == 0, (tmp_path / "stderr.txt").read_text()[-2000:]
    assert ended(study) == total
    for run in study.runs:
        with RunStore.open(study.place(run)) as store:
            assert store.spec == run.spec
            rows = list(store.rows())
        assert len(rows) * len(study.runs) == total
        assert all(row.attempts == 1 and row.finished is not None for row in rows)


def ended(study: Study) -> int:
    found = 0
    for run in study.runs:
        if is_run(study.place(run)):
            with RunStore.open(study.place(run)) as store:
                found += store.progress().finished
    return found


def any_trace(study: Study) -> bool:
    return study.place(study.runs[0]).exists()


def test_what_a_kill_left_before_a_run_was_there_does_not_stand_in_the_way(tmp_path: Path) -> None:
    study = start_study(tmp_path / "study", spec_of(DETERMINISTIC, configs=1, rollouts=1))
    folder = study.place(study.runs[0])
    folder.mkdir(parents=True)
    for name in (".run.sqlite.tmp", ".run.sqlite.tmp-journal", "run.lock"):
        (folder / name).write_bytes(b"half")
    assert carry_out_study(open_study(study.folder), make_executor=Coins) == ()
    assert ended(study) == 4


def test_a_run_that_the_study_did_not_plan_is_not_mixed_in(tmp_path: Path) -> None:
    study = start_study(tmp_path / "study", spec_of(DETERMINISTIC, configs=1, rollouts=1))
    other = study.runs[0].spec.model_copy(update={"seed": 99})
    RunStore.create(study.place(study.runs[0]), other, ()).close()
    with pytest.raises(InvalidInput, match="does not match the study's plan"):
        carry_out_study(study, make_executor=Coins)


def test_a_study_can_vary_one_axis_at_a_time() -> None:
    runs = study_runs(spec_of(DETERMINISTIC, design="one-axis-at-a-time"))
    assert {run.spec.design for run in runs} == {"one-axis-at-a-time"}
    with pytest.raises(InvalidInput, match="design"):
        spec_of(DETERMINISTIC, design="one-at-a-time")
