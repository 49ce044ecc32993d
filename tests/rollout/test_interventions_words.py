"""Interventions in words, and as they act on a plan: what is refused, what is drawn, what stays paired."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairground.agents.builtin import make_agent
from fairground.agents.greedy import greedy_note, greedy_options
from fairground.core import Configuration, InvalidInput, MissingPrerequisite, Outcome, UnknownName
from fairground.rollout import Finished, RunSpec, RunStore, make_plan, run_table
from fairground.rollout.interventions import (
    Audited,
    Clarified,
    Deterministic,
    FixedPlan,
    Intervention,
    LearnedPlan,
    Perturbed,
    Retry,
    check_interventions,
    parse_intervention,
)
from fairground.rollout.plan import plan_notes
from tests.worlds.conftest import SETUP, TOML

LOCAL = "compatible:org/a-model@http://127.0.0.1:9/v1"

WORDS: list[tuple[str, Intervention]] = [
    ("deterministic", Deterministic()),
    ("perturbed", Perturbed()),
    ("retry", Retry()),
    ("retry:binary,rounds=3", Retry(rounds=3)),
    ("retry:rounds=3", Retry(rounds=3)),
    (f"retry:simulator,model={LOCAL},rounds=3", Retry(feedback="simulator", model=LOCAL, rounds=3)),
    ("fixed-plan:openai:gpt-5", FixedPlan(model="openai:gpt-5")),
    (f"fixed-plan:{LOCAL}", FixedPlan(model=LOCAL)),
    ("fixed-plan:compatible:a,b@http://h/v1,c", FixedPlan(model="compatible:a,b@http://h/v1,c")),
    (f"clarified:openai:gpt-5,auditor={LOCAL}", Clarified(model="openai:gpt-5", auditor=LOCAL)),
    ("audited:model=openai:gpt-5,rounds=1", Audited(model="openai:gpt-5", rounds=1)),
    (
        "learned-plan:openai:gpt-5,from=failures,runs=a;b/c",
        LearnedPlan(model="openai:gpt-5", learn_from="failures", runs=("a", "b/c")),
    ),
]


@pytest.mark.parametrize(("words", "meant"), WORDS, ids=[words for words, _ in WORDS])
def test_words_become_records(words: str, meant: Intervention) -> None:
    assert parse_intervention(words) == meant


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("retries", "did you mean retry?"),
        ("", "unknown intervention"),
        ("fixed-plan", "fixed-plan needs a model"),
        ("fixed-plan:", "fixed-plan needs a model"),
        ("retry:simulate", "feedback"),
        ("retry:binary,round=3", "did you mean rounds?"),
        ("retry:rounds=many", "rounds must be a whole number, got 'many'"),
        ("retry:rounds=0", "greater than or equal to 1"),
        ("retry:rounds=2,rounds=3", "rounds is given twice"),
        ("deterministic:now", "deterministic takes no value"),
        ("audited:openai:x,rounds=", "rounds is empty"),
        ("learned-plan:openai:x,from=luck", "learn_from"),
        ("retry:" + "x" * 10_000, "characters"),
    ],
)
def test_words_that_say_nothing_are_refused_with_what_would(words: str, said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_intervention(words)
    assert said in str(caught.value)


def test_what_does_not_go_together_is_refused_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPATIBLE_API_KEY", "k")
    check_interventions([Retry(), Audited(model=LOCAL), Clarified(model=LOCAL), FixedPlan(model=LOCAL)])
    wrong: list[tuple[list[Intervention], str]] = [
        ([FixedPlan(model=LOCAL), LearnedPlan(model=LOCAL, runs=("a",))], "cannot be combined"),
        ([Retry(), Retry(rounds=2)], "retry is given twice"),
        ([Retry(feedback="simulator")], "needs a model that plays the user"),
        ([Retry(model=LOCAL)], "uses no model"),
        ([LearnedPlan(model=LOCAL)], "no runs to learn from"),
    ]
    for interventions, said in wrong:
        with pytest.raises(InvalidInput, match=said):
            check_interventions(interventions)
    with pytest.raises(InvalidInput, match="without --ship"):
        check_interventions([FixedPlan(model=LOCAL)], shared=False)
    check_interventions([Retry()], shared=False)


def test_a_missing_key_and_an_unknown_vendor_are_told_before_anything_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(MissingPrerequisite):
        check_interventions([Audited(model="openai:gpt-5")])
    with pytest.raises(UnknownName, match="openai:MODEL"):
        check_interventions([Audited(model="opnai:gpt-5")])


def test_the_condition_is_named_by_the_interventions_unless_it_has_a_name() -> None:
    spec = RunSpec(worlds=("pocket",), agent="random", interventions=(Clarified(model=LOCAL), Retry()))
    assert spec.condition == "clarified+retry"
    assert RunSpec.parse(spec.plain()) == spec
    assert RunSpec.parse({**spec.plain(), "condition": "mine"}).condition == "mine"
    old = {"format": 1, "worlds": ["pocket"], "agent": "random", "condition": ""}  # of before there were any
    assert RunSpec.parse(old).interventions == () and RunSpec.parse(old).condition == ""


def plan_with(*interventions: Intervention, worlds: str = "pocket/notes", rollouts: int = 4):
    spec = RunSpec(worlds=(worlds,), agent="random", rollouts=rollouts, configs=3, interventions=interventions)
    return spec, make_plan(spec)


def test_rollouts_of_a_deterministic_run_share_a_seed_and_nothing_else_changes() -> None:
    _, plain = plan_with()
    _, same = plan_with(Deterministic())
    assert [one.configuration for one in plain] == [one.configuration for one in same]
    for configuration in {one.configuration for one in same}:
        assert len({one.seed for one in same if one.configuration == configuration}) == 1
    assert [one.seed for one in same if one.rollout == 0] == [one.seed for one in plain if one.rollout == 0]


def test_a_perturbed_run_shows_every_theme_once_before_any_again_and_stays_paired() -> None:
    _, plain = plan_with(rollouts=9)
    spec, perturbed = plan_with(Perturbed(), rollouts=9)
    assert perturbed == make_plan(spec)
    assert [(one.configuration, one.rollout, one.seed) for one in plain] == [
        (one.pairing, one.rollout, one.seed) for one in perturbed
    ]
    for drawn in {one.pairing for one in perturbed}:
        shown = [Configuration.from_id(one.configuration) for one in perturbed if one.pairing == drawn]
        themes = [one.theme for one in shown]
        assert shown[0].id == drawn and len(set(themes)) > 1
        count = len(set(themes))
        assert len(set(themes[:count])) == count and themes[count : 2 * count] == themes[:count][: 9 - count]
        assert {(one.task, one.profile, one.ui_state) for one in shown} == {
            (shown[0].task, shown[0].profile, shown[0].ui_state)
        }


def test_rollouts_in_several_themes_are_one_task_in_the_run_table(tmp_path: Path) -> None:
    # All themes are drawn, so the same configuration stands for several tasks in one rollout.
    spec = RunSpec(
        worlds=("pocket/notes/count-label",),
        agent="random",
        configs=None,
        axes=("theme",),
        interventions=(Perturbed(),),
    )
    plan = make_plan(spec)
    with RunStore.create(tmp_path / "run", spec, plan) as store:
        for one in plan:
            store.finish(one.number, Finished(Outcome.PASSED, reward=1.0, steps=1, seconds=1.0))
        assert [row.planned for row in store.rows()] == list(plan)
    table = run_table(tmp_path / "run")
    themes = table.names["theme"]
    found = [themes.values[code] for code in themes.codes]
    assert found == [Configuration.from_id(one.pairing).theme for one in plan]


def test_a_perturbation_that_can_change_nothing_is_noted_and_not_refused(tmp_path: Path) -> None:
    spec, plan = plan_with(Perturbed())
    assert plan_notes(spec, plan) == ()
    (tmp_path / "world.toml").write_text(TOML)
    (tmp_path / "setup").write_text(SETUP)
    (tmp_path / "setup").chmod(0o755)
    spec = RunSpec(worlds=(str(tmp_path),), agent="random", interventions=(Perturbed(),))
    plan = make_plan(spec)
    assert all(one.paired_with == "" for one in plan)
    (note,) = plan_notes(spec, plan)
    assert "perturbed has no effect in" in note


def test_models_decode_greedily_as_far_as_their_vendor_lets_them() -> None:
    assert greedy_options(LOCAL) == {"temperature": 0.0, "seed": 0} and greedy_note(LOCAL) == ""
    assert greedy_options("gemini:gemini-3.5-flash")["temperature"] == 0.0
    assert greedy_options("anthropic:claude-sonnet-4-5") == {"temperature": 0.0}
    assert "no seed" in greedy_note("anthropic:claude-sonnet-4-5")
    for name in ("anthropic:claude-sonnet-5-5", "openai:gpt-5.4-mini"):
        assert greedy_options(name) == {} and "accepts no temperature" in greedy_note(name)
    for name in ("random", "do-nothing", "script:x", "oracle"):
        assert greedy_options(name) == {} and greedy_note(name) == ""
    spec, plan = plan_with(Deterministic())
    assert plan_notes(spec, plan) == ()
    told = plan_notes(spec.model_copy(update={"agent": "openai:gpt-5.4-mini"}), plan)
    assert len(told) == 1 and "accepts no temperature" in told[0]
    assert make_agent(LOCAL, deterministic=True).name == make_agent(LOCAL).name
