"""Plans drawn from earlier episodes: what is told of them, what is asked, and what must never come out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.agents.models import ModelRefused
from fairground.core import (
    Action,
    Answer,
    Check,
    Click,
    Configuration,
    Done,
    Frame,
    InvalidInput,
    Outcome,
    Type,
    Verdict,
)
from fairground.rollout import EpisodeFolder, Finished, RunSpec, RunStore, make_plan
from fairground.rollout.interventions import LearnedPlan, Plan, keep_plan, read_plans
from fairground.rollout.interventions.planning import learned_plan
from fairground.rollout.learning import MAX_PLAN, Lesson, learn
from fairground.rollout.learning_narrative import MAX_STEPS, expected_answers, gives_away, narrate, withhold

from .advised import Advice, in_turn
from .recordings import an_episode, record, run_of
from .stub_work import plan_of


def first_of(scenario: str) -> str:
    spec = RunSpec(worlds=(f"pocket/notes/{scenario}",), agent="random", rollouts=1, configs=1)
    return make_plan(spec)[0].configuration


PIN, COUNT = first_of("pin-and-label"), first_of("count-label")
PLAN = "<plan>1. Open the note. 2. Pin it.</plan>"
MODEL = "compatible:m@http://127.0.0.1:9/v1"


def verdict(passed: bool, *, expected: Any = "pinned", found: Any = "unpinned", half: bool = False) -> Verdict:
    checks = [Check(name="the note is pinned", passed=passed, expected=expected, found=found)]
    return Verdict.of([*checks, Check(name="the label is there", passed=passed or half)])


def attempt(
    folder: Path,
    passed: bool,
    *,
    task: str = PIN,
    actions: Sequence[Action] = (Click(point=(1, 2)), Done()),
    **judged: Any,
) -> EpisodeFolder:
    letters = "ab" + "b" * (len(actions) - 1)
    return record(
        folder, letters, actions, episode=an_episode(task, instruction="Do it."), verdict=verdict(passed, **judged)
    )


def attempts(*passed: bool, task: str = PIN, **more: Any) -> list[tuple[str, Callable[[Path], EpisodeFolder]]]:
    return [(task, partial(attempt, passed=one, task=task, **more)) for one in passed]


class Model:
    """Answers in turn, and keeps what it was asked."""

    def __init__(self, *answers: str) -> None:
        self._say = in_turn(*answers)
        self.asked: list[str] = []
        self.frames: list[int] = []

    def __call__(self, text: str, frames: Sequence[Frame] = (), *, system: str = "") -> str:
        assert system
        self.asked.append(text)
        self.frames.append(len(frames))
        said: str = self._say(text)
        return said


def lesson(model: Model, *runs: Path, learn_from: Any = "both", task: str = PIN) -> Lesson:
    spec = LearnedPlan(model=MODEL, learn_from=learn_from, runs=tuple(map(str, runs)))
    return learn(spec, Configuration.from_id(task), "Do it.", model, run=runs[-1] / "next")


# --- which episodes teach what ---------------------------------------------------------------------------------------


def test_successes_and_failures_are_both_told_and_a_few_frames_are_shown(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", attempts(True, False, False))
    model = Model(f"I think so.\n{PLAN}")
    assert lesson(model, run) == Lesson("1. Open the note. 2. Pin it.")
    (asked,) = model.asked
    assert "Do it." in asked and asked.count("Attempt ") == 3 and "(passed)" in asked and "(failed)" in asked
    assert "some attempts succeeded and some failed" in asked
    assert 'does not hold: the note is pinned (found "unpinned")' in asked
    assert 0 < model.frames[0] <= 6


def test_from_failures_only_no_success_is_told(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", attempts(True, False, False))
    model = Model(PLAN)
    lesson(model, run, learn_from="failures")
    assert "(passed)" not in model.asked[0] and model.asked[0].count("(failed)") == 2


def test_where_all_failed_the_model_builds_on_what_came_closest(tmp_path: Path) -> None:
    near, far = attempts(False, half=True)[0], attempts(False)[0]
    run = run_of(tmp_path / "run", [near, far])
    for learn_from in ("both", "failures"):
        model = Model(PLAN)
        lesson(model, run, learn_from=learn_from)
        assert "Every attempt of the same agent failed" in model.asked[0]
        assert "with a reward of 0.50 out of 1" in model.asked[0]


def test_where_all_succeeded_nobody_is_asked_and_there_is_no_plan(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", attempts(True, True))
    model = Model(PLAN)
    assert lesson(model, run) == Lesson("", "every episode passed: the agent is already reliable")
    assert model.asked == []


def test_history_tells_earlier_iterations_too(tmp_path: Path) -> None:
    first = run_of(tmp_path / "first", attempts(True, False))
    second = run_of(tmp_path / "second", attempts(False, False))
    model, latest = Model(PLAN), Model(PLAN)
    lesson(model, first, second, learn_from="history")
    lesson(latest, first, second, learn_from="both")
    assert "from several rounds" in model.asked[0] and "(passed)" in model.asked[0]
    assert "(passed)" not in latest.asked[0]


def learned_run(folder: Path, text: str, *passed: bool) -> Path:
    spec = RunSpec(worlds=("pocket",), agent="scripted", interventions=(LearnedPlan(model=MODEL, runs=("../a",)),))
    run = run_of(folder, attempts(*passed), spec)
    keep_plan(run, PIN, lambda: Plan(configuration=PIN, source="learned-plan", model=MODEL, text=text))
    return run


def test_the_plan_of_the_iteration_before_goes_in_and_is_refined(tmp_path: Path) -> None:
    run = learned_run(tmp_path / "run", "Click {{attempts}} the star.", True, False)
    model = Model(PLAN)
    lesson(model, run)
    assert "Click {{attempts}} the star." in model.asked[0] and "Write an improved plan" in model.asked[0]


def test_a_plan_with_which_all_succeeded_is_kept(tmp_path: Path) -> None:
    run = learned_run(tmp_path / "run", "Click the star.", True, True)
    model = Model(PLAN)
    assert lesson(model, run).plan == "Click the star." and model.asked == []


def test_errored_episodes_teach_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    planned = plan_of(["x"])[0].model_copy(update={"configuration": PIN})
    with RunStore.create(folder, RunSpec(worlds=("pocket",), agent="random"), [planned]) as store:
        store.finish(0, Finished(Outcome.ERRORED, error="no luck", folder="episodes/000000"))
    assert lesson(Model(PLAN), folder).note.startswith("no episode of this task was scored")


def test_a_run_that_goes_on_is_not_learned_from(tmp_path: Path) -> None:
    planned = plan_of(["x"])[0].model_copy(update={"configuration": PIN})
    RunStore.create(tmp_path / "run", RunSpec(worlds=("pocket",), agent="random"), [planned]).close()
    with pytest.raises(InvalidInput, match="not every episode of .* has ended"):
        lesson(Model(PLAN), tmp_path / "run")


# --- what must never come out ----------------------------------------------------------------------------------------


def counted(tmp_path: Path, *, expected: Any = 7) -> Path:
    told = (Click(point=(1, 2)), Type(text="there are 7"), Answer(text="7"))
    good = partial(attempt, passed=True, task=COUNT, actions=told, expected=expected, found="7")
    bad = partial(attempt, passed=False, task=COUNT, actions=told, expected=expected, found="8")
    return run_of(tmp_path / "run", [(COUNT, good), (COUNT, bad)])


def test_the_expected_answer_is_not_told_to_the_model(tmp_path: Path) -> None:
    model = Model("<plan>Count the notes.</plan>")
    assert lesson(model, counted(tmp_path), task=COUNT).plan == "Count the notes."
    assert "gave an answer" in model.asked[0] and "there are [withheld]" in model.asked[0]
    assert not gives_away(model.asked[0].partition("Attempt 1")[2].replace("Step 7", ""), ["7"])
    assert "must not say it" in model.asked[0]


@pytest.mark.parametrize("leak", ["There are 7.", "there are SEVEN of them", "Answer “7”", "7", "It is 7, I think."])
def test_a_plan_that_gives_the_answer_away_is_asked_for_again_and_then_dropped(tmp_path: Path, leak: str) -> None:
    model = Model(f"<plan>{leak}</plan>")
    found = lesson(model, counted(tmp_path), task=COUNT)
    assert found == Lesson("", "the plan contained the expected answer: dropped") and len(model.asked) == 2
    assert "could not be used because it held" in model.asked[1]
    better = Model(f"<plan>{leak}</plan>", "<plan>Count them.</plan>")
    assert lesson(better, tmp_path / "run", task=COUNT).plan == "Count them."


def test_the_numbers_of_a_list_give_nothing_away() -> None:
    listed = "\n".join(f"{number}. Do this." for number in range(1, 9))
    assert not gives_away(listed, ["7"]) and gives_away(listed + "\n9. Say 7.", ["7"])
    assert not gives_away("There are 17, or 7.5, or 70.", ["7"])
    assert gives_away("It costs  12.50   euros", ["12.50 Euros"])


@given(st.text(max_size=20), st.text(max_size=60), st.text(max_size=60))
def test_what_is_withheld_is_not_given_away(answer: str, before: str, after: str) -> None:
    text = withhold(f"{before} {answer} {after}", [answer])
    assert not answer.strip() or not gives_away(text.replace("[withheld]", "\ud800"), [answer])


def test_expected_answers_are_the_leaves_of_what_checks_expected_but_not_of_guards() -> None:
    checks = [
        Check(name="a", passed=True, expected={"one of": ["Ann", 3.0, None, True]}),
        Check(name="b", passed=True, expected=12, integrity=True),
    ]
    assert expected_answers([Verdict.of(checks)]) == ("Ann", "3")


@pytest.mark.parametrize(
    "said", ["No plan at all.", "<plan>  </plan>", f"<plan>{'x' * (MAX_PLAN + 1)}</plan>", "<plan>"]
)
def test_what_is_no_plan_is_asked_for_again_and_then_dropped(tmp_path: Path, said: str) -> None:
    run = run_of(tmp_path / "run", attempts(True, False))
    model = Model(said)
    assert lesson(model, run) == Lesson("", "the model wrote no usable plan: dropped")
    assert len(model.asked) == 2


def test_a_model_that_declines_leaves_the_agent_without_a_plan(tmp_path: Path) -> None:
    def declines(text: str, frames: Sequence[Frame] = (), *, system: str = "") -> str:
        raise ModelRefused("no")

    run = run_of(tmp_path / "run", attempts(False))
    spec = LearnedPlan(model=MODEL, runs=(str(run),))
    found = learn(spec, Configuration.from_id(PIN), "Do it.", declines, run=run)
    assert found == Lesson("", "the model refused to write a plan")


# --- narratives ------------------------------------------------------------------------------------------------------


def test_a_narrative_tells_actions_changes_refusals_and_the_verdict(tmp_path: Path) -> None:
    found = record(
        tmp_path / "e",
        "abbb",
        [Click(point=(10, 20)), Type(text="tea\n" * 500), Done()],
        verdict=verdict(False),
        details=lambda index: {"refused": "off screen"} if index == 1 else {"thought": "I think."},
    )
    lines = narrate(found).splitlines()
    assert lines[0] == "Step 1: click (point [10.0, 20.0]). (the agent said: I think.) Most of the screen changed."
    assert lines[1].startswith("Step 2: type (text") and lines[1].endswith("It was refused: off screen")
    assert len(lines[1]) < 300
    assert "Judged: failure, with a reward of 0.00 out of 1." in lines


def test_a_long_episode_is_told_in_bounds(tmp_path: Path) -> None:
    steps = MAX_STEPS + 40
    found = record(tmp_path / "e", "a" + "ab" * (steps // 2), [Click(point=(1, 1))] * steps)
    told = narrate(found)
    assert told.count("Step ") == MAX_STEPS and "(40 steps are left out here.)" in told
    assert told.index(f"Step {steps}:") > told.index("left out")


# --- kept, in a run --------------------------------------------------------------------------------------------------


def test_a_plan_is_kept_once_with_its_note_and_asked_over_a_real_wire(tmp_path: Path) -> None:
    run_of(tmp_path / "base", attempts(True, False))
    spec = RunSpec(worlds=("pocket",), agent="random")
    RunStore.create(tmp_path / "next", spec, plan_of(["x"])).close()
    with Advice(in_turn(PLAN)) as advice:
        learned = LearnedPlan(model=advice.model, runs=("../base",))
        ask = advice.advisers().ask(advice.model)
        run = tmp_path / "next"
        made = [keep_plan(run, PIN, lambda: learned_plan(learned, PIN, "Do it.", ask, run)) for _ in range(3)]
        assert len(advice.questions) == 1 and advice.questions[0].pictures > 0
    assert made[0] == made[1] == made[2] == read_plans(run)[PIN]
    assert made[0].text == "1. Open the note. 2. Pin it." and made[0].source == "learned-plan"
