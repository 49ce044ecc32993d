"""Measures of behaviour: each shown on a small episode; and means by outcome, against a plain loop."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.cli.behaviour import behaviour as command
from fairground.core import (
    Action,
    Answer,
    CallUser,
    Check,
    Click,
    Done,
    Drag,
    EpisodeError,
    Fail,
    InvalidInput,
    Key,
    Look,
    Move,
    Outcome,
    Scroll,
    Step,
    Type,
    Verdict,
    Wait,
)  # fmt: skip
from fairground.rollout import EpisodeFolder, RunSpec
from fairground.rollout.behaviour import MEASURES, Behaviour, measure, reconsiders
from fairground.rollout.behaviour_by_outcome import Watched, compare_by_outcome, watch_runs
from fairground.stats import Contender, plain

from .recordings import SIZE, an_episode, frame, record, run_of


def click(x: float = 10, y: float = 10, **more: Any) -> Click:
    return Click(point=(x, y), **more)


class InMemory(EpisodeFolder):
    """An episode that was never written down."""

    def frame_size(self, digest: str) -> tuple[int, int]:
        return SIZE


def measured(
    frames: str,
    actions: Sequence[Action],
    *,
    ended_by: str = "agent",
    details: Callable[[int], dict[str, Any]] = lambda index: {},
) -> Behaviour:
    """An episode measured: the first letter is what is seen first, the others what is seen after each action."""
    timing = {"seconds": 0.0, "act_ms": 1.0, "settle_ms": 10.0, "settled": True}
    steps = tuple(
        Step(index=index, action=action, frame=frame(letter).digest, **{**timing, **details(index)})
        for index, (action, letter) in enumerate(zip(actions, frames[1:], strict=True))
    )
    episode = an_episode(first_frame=frame(frames[0]).digest, ended_by=ended_by)
    return measure(InMemory(Path(), episode, steps, complete=True))


def test_doing_nothing_has_nothing_to_measure_and_no_zero_is_made_up() -> None:
    found = measured("AA", [Done()])
    assert (found.steps, found.ended, found.questions, found.refused) == (1, "done", 0, 0)
    nothing = ("repeats", "repetition", "grams", "retries", "idle", "returns", "new_frames", "places", "reflection")
    assert all(getattr(found, name) is None for name in (*nothing, "self_checks", "self_checked"))


def test_acts_that_are_alike_in_a_row_are_repetition_from_the_third_on() -> None:
    found = measured("ABCDEFG", [click(), click(), Type(text="x"), click(), click(11), click(10, 11)])
    assert found.repeats == 3 / 5
    assert found.repetition == 3 / 6  # the last three; the first two are but two


def test_alike_is_the_same_hand_at_about_the_same_place() -> None:
    side = max(SIZE) / 50
    pairs: list[tuple[Action, Action, bool]] = [
        (click(), click(10 + side / 2), True),
        (click(), click(10 + side), False),
        (click(), click(button="right"), False),
        (click(), Click(point=(0.1, 0.2), space="unit"), True),
        (Scroll(dy=3), Scroll(dy=30, unit="pixels"), True),
        (Scroll(dy=3), Scroll(dy=-3), False),
        (Type(text="a"), Type(text="b"), False),
        (Key(keys=("ctrl", "s")), Key(keys=("Control_L", "s")), True),
        (Drag(path=((1, 1), (5, 5), (9, 9))), Drag(path=((1, 1), (9, 9))), True),
    ]
    for one, other, alike in pairs:
        assert (measured("ABC", [one, other]).repeats == 1) is alike, (one, other)


def test_sequences_that_come_again_are_counted() -> None:
    found = measured("ABCDEFG", [click(), Key(keys=("a",)), Look()] * 2)
    assert found.grams == 1 / 4  # of four sequences of three, the last is the first again
    assert found.repetition == 0


def test_a_retry_is_the_same_act_on_the_same_frame() -> None:
    found = measured("AABAA", [click(), Type(text="x"), click(), click()])
    assert found.retries == 1 / 4  # the third click: the second one was on another frame
    assert found.idle == 2 / 4
    assert measured("AAAA", [Wait(), Wait(), Look()]).retries == 0


def test_returns_and_new_frames_tell_a_circle_from_a_walk() -> None:
    circle = measured("ABABA", [click(i) for i in range(4)])
    assert (circle.returns, circle.new_frames) == (3 / 4, 1 / 4)
    walk = measured("ABCDE", [click(i) for i in range(4)])
    assert (walk.returns, walk.new_frames) == (0, 1)


def test_new_places_are_those_that_were_pressed() -> None:
    actions = [click(1, 1), click(1.5, 1.5), click(50, 20), Drag(path=((90, 40), (1, 1))), Move(point=(30, 30))]
    assert measured("ABCDEF", actions).places == 3 / 4


@pytest.mark.parametrize(
    ("thought", "found"),
    [
        ("That didn’t work, let me try again.", True),
        ("I made a MISTAKE", True),
        ("The dialog is wrong", True),
        ("I click on Save", False),
        ("The wrongdoing report, mistaken­ly spelt", False),  # not whole words
        ("", False),
    ],
)
def test_a_thought_reconsiders_when_it_says_so(thought: str, found: bool) -> None:
    assert reconsiders(thought) is found


def test_reflection_is_over_the_steps_that_have_a_thought() -> None:
    thoughts = ["Open the list.", "", "Hmm, that was the wrong one."]
    found = measured("ABCD", [click(), click(20), Done()], details=lambda index: {"thought": thoughts[index]})
    assert found.reflection == 1 / 2


@pytest.mark.parametrize(
    ("frames", "actions", "checks"),
    [
        ("ABCD", [Type(text="x"), Scroll(dy=3), Done()], 1),
        ("ABCBD", [Type(text="x"), click(), click(20), Done()], 1),  # the last click brought back what was seen
        ("ABCDE", [Type(text="x"), click(), click(20), Done()], 0),
        ("ABBBBC", [Type(text="x"), Look(), Wait(), Look(), Done()], 2),
        ("ABC", [Look(), Answer(text="7")], None),  # nothing was changed
        ("ABC", [Type(text="x"), Fail()], None),  # gave up
    ],
)
def test_self_checks_are_looks_between_the_last_change_and_the_end(
    frames: str, actions: Sequence[Action], checks: int | None
) -> None:
    found = measured(frames + frames[-1] * (len(actions) + 1 - len(frames)), actions)
    assert found.self_checks == checks
    assert found.self_checked == (None if checks is None else float(checks > 0))


def test_an_episode_that_a_budget_ended_has_no_self_check() -> None:
    found = measured("ABC", [Type(text="x"), Look()], ended_by="step_budget")
    assert (found.self_checks, found.ended) == (None, "step_budget")


def test_questions_refusals_and_times_are_counted() -> None:
    details = [{"agent_ms": 100.0}, {"agent_ms": 300.0, "refused": "off screen"}, {}, {}]
    actions = [CallUser(text="Which?"), click(1e308), CallUser(), Done()]
    found = measured("ABBBB", actions, details=lambda index: details[index])
    assert (found.questions, found.refused, found.agent_ms, found.settle_ms) == (2, 1 / 4, 100, 10)


ACTIONS = st.one_of(
    st.builds(click, st.floats(allow_nan=False, allow_infinity=False), st.floats(0, 50)),
    st.builds(Click, point=st.tuples(st.floats(0, 1), st.floats(-1e300, 1e300)), space=st.just("unit")),
    st.builds(Scroll, dy=st.integers(-5, 5)),
    st.builds(Type, text=st.sampled_from(["a", "b"])),
    st.sampled_from([Look(), Wait(), CallUser(), Move(), Key(keys=("enter",))]),
)


@given(st.lists(st.tuples(ACTIONS, st.sampled_from("ABC"), st.booleans()), max_size=30), st.booleans())
def test_shares_are_shares_whatever_was_done(steps: list[tuple[Action, str, bool]], ends: bool) -> None:
    actions = [action for action, _, _ in steps] + ([Done()] if ends else [])
    frames = "A" + "".join(letter for _, letter, _ in steps) + ("A" if ends else "")
    refused = ["no" if one else "" for _, _, one in steps] + [""]
    found = measured(frames, actions, details=lambda index: {"refused": refused[index]})
    for name, one in MEASURES.items():
        value = getattr(found, name)
        assert value is None or value >= 0
        assert value is None or one.unit != "share" or value <= 1
    assert found.steps == len(actions)


# --- by outcome ------------------------------------------------------------------------------------------------------


def watched(scenario: str, outcome: str, steps: float, agent: str = "a", **values: float | None) -> Watched:
    nothing = {name: None for name in MEASURES}
    behaviour = Behaviour(**{**nothing, "steps": steps, "questions": 0.0, **values}, ended="done")  # type: ignore[arg-type]
    return Watched(Contender(agent), f"s/a/{scenario}", Outcome(outcome), behaviour)


def test_means_are_by_outcome_and_the_difference_is_passed_minus_failed() -> None:
    rows = [
        watched("x", "passed", 4),
        watched("y", "passed", 6),
        watched("x", "failed", 10),
        watched("y", "failed", 20),
    ]
    (found,) = compare_by_outcome([*rows, watched("y", "errored", 999)])
    steps = found.measures["steps"]
    assert steps.passed is not None and steps.failed is not None and steps.difference is not None
    assert (steps.passed.estimate, steps.failed.estimate, steps.difference.estimate) == (5, 15, -10)
    t = 12.7062  # Student's, with one degree of freedom
    assert (steps.passed.low, steps.passed.high) == pytest.approx((0, 5 + t), abs=1e-3)
    assert steps.passed.method == "t, scenarios as clusters"
    # Scenario x adds -1/2 to the one mean and -5/2 to the other, so both together -(-2): what they share cancels.
    assert steps.difference.width == pytest.approx(2 * t * 4, abs=1e-3)
    assert found.outcomes[Outcome.ERRORED] == 1 and steps.counts == (2, 2)
    plain(found)


def test_a_number_without_an_interval_is_not_shown() -> None:
    (found,) = compare_by_outcome([watched("x", "passed", 4), watched("x", "failed", 1), watched("y", "failed", 2)])
    steps = found.measures["steps"]
    assert steps.passed is None and steps.difference is None and steps.failed is not None
    assert any(note.startswith("one episode passed") for note in found.notes)


def test_an_outcome_that_was_met_in_one_scenario_has_an_interval_over_episodes_and_a_note() -> None:
    rows = [watched("x", "passed", steps) for steps in (1, 2, 3, 4)]
    rows += [watched(name, "failed", 5) for name in "xyz"]
    (found,) = compare_by_outcome(rows)
    steps = found.measures["steps"]
    assert steps.passed is not None and steps.passed.width > 0 and "episodes" in steps.passed.method
    assert steps.failed is not None and "scenarios" in steps.failed.method
    assert any("only one scenario" in note for note in found.notes)
    assert any("width 0" in note for note in found.notes)


def test_agents_are_not_pooled_and_the_order_of_rows_does_not_matter() -> None:
    rows = [
        watched(scenario, outcome, number + len(scenario), agent, retries=number / 10 if number % 3 else None)
        for agent in ("a", "b")
        for scenario in ("x", "yy", "zzz")
        for number, outcome in enumerate(("passed", "failed", "passed", "failed", "failed"))
    ]
    found = compare_by_outcome(rows)
    assert [str(one.contender) for one in found] == ["a", "b"]
    shuffled = [rows[index] for index in np.random.default_rng(1).permutation(len(rows))]
    assert compare_by_outcome(shuffled) == found


def test_the_interval_is_that_of_a_bootstrap_over_scenarios() -> None:
    rng = np.random.default_rng(5)
    rows = [
        watched(f"s{scenario}", "passed" if rng.random() < 0.5 else "failed", float(rng.integers(1, 50)))
        for scenario in range(12)
        for _ in range(6)
    ]
    (found,) = compare_by_outcome(rows)
    means = []
    names = sorted({row.scenario for row in rows})
    for _ in range(4000):
        drawn = [row for name in rng.choice(names, len(names)) for row in rows if row.scenario == name]
        passed = [row.behaviour.steps for row in drawn if row.outcome is Outcome.PASSED]
        failed = [row.behaviour.steps for row in drawn if row.outcome is Outcome.FAILED]
        means.append(np.mean(passed) - np.mean(failed))
    difference = found.measures["steps"].difference
    assert difference is not None
    assert np.quantile(means, [0.025, 0.975]) == pytest.approx([difference.low, difference.high], abs=1.6)


def test_runs_are_measured_and_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    failed = Verdict.of([Check(name="it is done", passed=False)])
    episodes = [
        (
            f"s/a/{name}/i@p/t/u",
            lambda folder, verdict=verdict: record(folder, "ABC", [click(), Done()], verdict=verdict),
        )
        for name, verdict in (("x", None), ("y", None), ("x", failed), ("y", failed))
    ]
    run = run_of(tmp_path / "run", episodes, RunSpec(worlds=("s",), agent="clicker", condition="plain"))
    (run / "episodes" / "000001" / "steps.jsonl").unlink()
    told: list[tuple[int, int]] = []
    rows, problems = watch_runs([run, run], on_done=lambda done, all_: told.append((done, all_)))
    assert told[-1] == (3, 3) and len(rows) == 3, "a run that is named twice is read once"
    assert len(problems) == 1 and "steps.jsonl" in problems[0]
    assert {str(row.contender) for row in rows} == {"clicker [plain]"}
    (found,) = compare_by_outcome(rows)
    assert found.outcomes == {Outcome.PASSED: 1, Outcome.FAILED: 2} and found.scenarios == 2
    assert watch_runs([run], workers=2)[0] == rows


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="neither a run nor an episode"):
        watch_runs([tmp_path])
    with pytest.raises(EpisodeError, match="no first frame"):
        lost = record(tmp_path / "e", "AB", [click()])
        measure(InMemory(lost.path, an_episode(), lost.steps, complete=True))


def test_the_command_shows_means_by_outcome(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    failed = Verdict.of([Check(name="it is done", passed=False)])
    episodes = [
        (
            f"s/a/{name}/i@p/t/u",
            partial(record, frames="ABC"[: 2 + walks], actions=[*[click()][:walks], Done()], verdict=verdict),
        )
        for name, walks, verdict in (("x", 1, None), ("y", 1, None), ("x", 0, failed), ("y", 1, failed))
    ]
    run = run_of(tmp_path / "run", episodes, RunSpec(worlds=("s",), agent="clicker"))
    command([run], workers=1)
    out = capsys.readouterr().out
    assert "clicker: 4 episodes in 2 scenarios" in out and "2.0 [2.0, 2.0]" in out and "+0.5 [" in out
    assert "passed, ended by  2 done" in out and "reflection" not in out, "what nobody has is left out"
    command([run], workers=1, json=True)
    (found,) = json.loads(capsys.readouterr().out)["contenders"]
    assert found["measures"]["steps"]["difference"]["estimate"] == 0.5
