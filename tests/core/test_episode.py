"""What is written down about an episode reads back as it was."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import (
    Action,
    Check,
    Click,
    Configuration,
    Done,
    Episode,
    Fingerprint,
    InvalidInput,
    Key,
    Outcome,
    Scroll,
    Step,
    Type,
    Verdict,
    Wait,
)

WORLD = Fingerprint(
    digest="0123456789abcdef",
    fairground="0.1.0",
    suite="0.1.0",
    packages={"libreoffice-calc": "4:7.4.7"},
    stages={"install": "aa", "configure": "bb"},
    seed=7,
    runner="namespace",
    isolated=True,
    screen="x11 1280x720",
)
EPISODE = Episode(
    id="20261115-1",
    status="complete",
    agent="random",
    configuration=Configuration(suite="desk", app="calc", scenario="sum"),
    parameters={"column": "B", "rows": 12, "share": 0.5, "bold": True},
    instruction="Sum column B.",
    seed=7,
    step_budget=30,
    started="2026-11-15T12:00:00Z",
    first_frame="f0",
    fingerprint=WORLD,
    outcome=Outcome.FAILED,
    verdict=Verdict.of([Check(name="the sum stands in B13", passed=False, expected=3.5, found=None)]),
    ended_by="agent",
    steps=2,
    seconds=1.5,
    notes=("memory is not limited",),
    extra={"tokens": {"in": 5}},
)
STEP = Step(index=0, action=Click(point=(3, 4)), frame="f1", seconds=0.5, act_ms=1, settle_ms=12, settled=True)


def reread(record: Any) -> None:
    """By either way of writing."""
    assert type(record).parse(json.loads(record.model_dump_json())) == record
    assert type(record).parse(json.loads(json.dumps(record.plain()))) == record


def test_an_episode_reads_back() -> None:
    reread(EPISODE)
    assert type(Episode.parse(EPISODE.plain()).parameters["bold"]) is bool
    assert type(Episode.parse(EPISODE.plain()).parameters["rows"]) is int


def test_an_episode_that_runs_reads_back() -> None:
    running = EPISODE.model_copy(update={"status": "running", "outcome": None, "verdict": None, "ended_by": ""})
    reread(running)


actions: st.SearchStrategy[Action] = st.one_of(
    st.builds(Click, point=st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)) | st.none(), count=st.integers(1, 3)),
    st.builds(Scroll, dy=st.floats(-100, 100)),
    st.builds(Key, keys=st.lists(st.sampled_from(["ctrl", "a", "Return", "é"]), min_size=1, max_size=4).map(tuple)),
    st.builds(Type, text=st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=20)),
    st.builds(Wait, seconds=st.floats(0, 120)),
    st.just(Done()),
)


@given(
    action=actions,
    index=st.integers(0, 10**6),
    thought=st.text(st.characters(exclude_categories=("Cs",)), max_size=30),
    cursor=st.none() | st.tuples(st.integers(0, 4000), st.integers(0, 4000)),
    messages=st.lists(st.text(st.characters(exclude_categories=("Cs",)), max_size=10), max_size=3).map(tuple),
    seconds=st.floats(0, 1e6),
)
def test_a_step_reads_back(action: Action, index: int, seconds: float, **rest: Any) -> None:
    timing = {"act_ms": 0.1, "settle_ms": 3.25, "settled": False}
    reread(Step(index=index, action=action, frame="f", seconds=seconds, **timing, **rest))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"index": -1}, "step.index: "),
        ({"index": "0"}, "step.index: "),
        ({"settled": "no"}, "step.settled: "),
        ({"seconds": None}, "step.seconds: "),
        ({"surprise": 1}, "step.surprise: unknown field"),
        ({"action": {"kind": "click", "point": [1, None]}}, "step.action.point[1]: "),
        ({"action": {"kind": "clack"}}, "step.action: "),
        ({"action": {}}, "step.action.kind: required, but missing"),
        ({"action": {"kind": "type"}}, "step.action.text: required, but missing"),
        ({"cursor": [1]}, "step.cursor[1]: required, but missing"),
    ],
    ids=str,
)
def test_a_wrong_step_is_refused_with_the_path_to_the_fault(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        Step.parse(STEP.model_dump(mode="json") | change)
    assert caught.value.message.startswith(message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "episode.format: "),
        ({"status": "done"}, "episode.status: "),
        ({"outcome": "won"}, "episode.outcome: "),
        ({"step_budget": 0}, "episode.step_budget: "),
        ({"ended_by": "boredom"}, "episode.ended_by: "),
        ({"parameters": {"x": [1]}}, "episode.parameters.x"),
        ({"configuration": {"suite": "desk", "app": "Calc", "scenario": "sum"}}, "episode.configuration.app: "),
        ({"fingerprint": {}}, "episode.fingerprint.digest: required, but missing"),
    ],
    ids=str,
)
def test_a_wrong_episode_is_refused_with_the_path_to_the_fault(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        Episode.parse(EPISODE.model_dump(mode="json") | change)
    assert caught.value.message.startswith(message)


def test_episodes_do_not_share_what_they_were_not_given() -> None:
    fields = {**dict(EPISODE)}
    del fields["extra"], fields["parameters"]
    one, two = Episode(**fields), Episode(**fields)
    one.extra["seen"] = True
    assert two.extra == {}
