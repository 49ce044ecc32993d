"""What a run will take: from earlier runs where there are any, never a price that nobody knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fairground.agents import DoNothing, RandomAgent
from fairground.agents.models import Price, anthropic_agent
from fairground.core import Outcome
from fairground.rollout import Budget, Estimate, Finished, RunSpec, RunStore, estimate, make_plan

WORLD = "pocket/notes/count-label"
MODEL = "claude-opus-5-5"


def spec_of(agent: str = "random", **changed: Any) -> RunSpec:
    return RunSpec(**{"worlds": (WORLD,), "agent": agent, "rollouts": 5, "configs": 2, **changed})


def earlier(folder: Path, agent: str, seconds: float, tokens: int | None = None, cost: float | None = None) -> None:
    spec = spec_of(agent)
    plan = make_plan(spec)
    with RunStore.create(folder, spec, plan) as store:
        for one in plan:
            off = seconds * (one.number % 3 - 1) / 10
            finished = Finished(Outcome.FAILED, 0.0, 10, seconds + off, tokens, cost)
            store.finish(one.number, finished)


def of_model(spec: RunSpec | None = None, *places: Path, model: str = MODEL, price: Price | None = None) -> Estimate:
    spec = spec or spec_of(f"anthropic:{model}")
    agent = anthropic_agent(model, api_key="none")
    agent.price = price or agent.price
    return estimate(spec, make_plan(spec), agent, workers=2, places=places)


def test_without_earlier_runs_the_range_is_wide_and_says_so() -> None:
    spec = spec_of()
    found = estimate(spec, make_plan(spec), RandomAgent(), workers=2)
    assert 0 < found.seconds.low < found.seconds.high and "no earlier run" in found.seconds_from
    assert found.tokens is None and found.dollars is None
    shorter = spec_of(budget=Budget(steps=2))
    less = estimate(shorter, make_plan(shorter), RandomAgent(), workers=2)
    assert less.seconds.high < found.seconds.high


def test_workers_share_the_time_and_no_more_of_them_than_episodes() -> None:
    spec = spec_of("do-nothing")
    one, ten, many = (
        estimate(spec, make_plan(spec), DoNothing(), workers=workers).seconds.high for workers in (1, 10, 1000)
    )
    assert one == pytest.approx(10 * ten) and ten == many


def test_earlier_runs_of_the_agent_in_the_app_are_asked_first(tmp_path: Path) -> None:
    earlier(tmp_path / "slow", "random", 100.0)
    earlier(tmp_path / "other-agent", "do-nothing", 5000.0)
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "run.sqlite").write_bytes(b"no database" * 100)
    spec = spec_of()
    found = estimate(spec, make_plan(spec), RandomAgent(), workers=1, places=[tmp_path, tmp_path / "nowhere"])
    assert 900 < found.seconds.low < 1000 < found.seconds.high < 1150
    assert "10 episodes of this agent in earlier runs" in found.seconds_from
    half = spec_of(budget=Budget(steps=5))  # they took ten
    less = estimate(half, make_plan(half), RandomAgent(), workers=1, places=[tmp_path])
    assert 450 < less.seconds.low < less.seconds.high < 650


def test_tokens_grow_with_frames_and_steps_and_cost_what_the_table_says() -> None:
    found = of_model()
    assert found.tokens is not None and found.dollars is not None and 0 < found.dollars.low < found.dollars.high
    assert MODEL in found.dollars_from
    longer = of_model(spec_of(f"anthropic:{MODEL}", budget=Budget(steps=5)))
    assert longer.tokens is not None and longer.tokens.high < found.tokens.high
    dear = of_model(price=Price(input=400, output=2000))
    assert dear.dollars is not None and dear.dollars.high > 50 * found.dollars.high


def test_a_price_that_is_not_known_is_said_and_never_nothing() -> None:
    found = of_model(model="a-model-of-my-own")
    assert found.tokens is not None and found.tokens.low > 0
    assert found.dollars is None and "no price is known for a-model-of-my-own" in found.dollars_from
    assert found.plain()["dollars"] is None


def test_budgets_bound_what_is_expected() -> None:
    tokens = of_model(spec_of(f"anthropic:{MODEL}", budget=Budget(tokens=1000)))
    assert tokens.tokens is not None and tokens.tokens.high <= 10 * 1000
    dollars = of_model(spec_of(f"anthropic:{MODEL}", budget=Budget(dollars=0.5)))
    assert dollars.dollars is not None and dollars.dollars.high == 0.5 and "budget of $0.5" in dollars.dollars_from


def test_what_earlier_episodes_of_a_model_cost_is_asked_first(tmp_path: Path) -> None:
    earlier(tmp_path / "before", f"anthropic:{MODEL}", 60.0, tokens=1000, cost=2.0)
    found = of_model(None, tmp_path)
    assert found.tokens is not None and found.tokens.low == found.tokens.high == 10_000
    assert found.dollars is not None and found.dollars.low == found.dollars.high == 20.0
