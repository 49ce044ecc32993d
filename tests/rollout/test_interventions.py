"""Interventions in real seats, with models behind a real server whose answers make each branch happen."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from fairground.core import Episode, Frame, Outcome, State
from fairground.rollout import read_episode
from fairground.rollout.interventions import (
    Audited,
    Clarification,
    Clarified,
    FixedPlan,
    Retry,
    Scene,
    read_clarifications,
    read_plans,
)
from fairground.rollout.interventions.clarifying import clarify
from fairground.worlds import Ahead, open_seat
from tests.agents.models.openai_stage import compatible_at, words_in
from tests.agents.models.wire.openai_wire import OpenAIServer, completes, tool_call

from . import advised
from .advised import DONE, DOWN, SOLVE, Advice, Follows, in_turn, world

Attempt = Callable[..., Episode]
ASK = {"kind": "call_user", "text": "Which tea?"}


def answer(text: str) -> dict[str, str]:
    return {"kind": "answer", "text": text}


@pytest.fixture(scope="module")
def seats() -> Iterator[Ahead]:
    """One seat, renewed for each episode."""
    source = Ahead(open_seat)
    yield source
    source.close()


@pytest.fixture
def attempt(seats: Ahead) -> Attempt:
    """Runs one episode with interventions."""
    return partial(advised.attempt, pool=seats)


# --- retry -----------------------------------------------------------------------------------------------------------


@pytest.mark.process
def test_an_agent_that_failed_is_told_only_that_and_goes_on_in_the_same_seat(attempt: Attempt, tmp_path: Path) -> None:
    type_first, save = SOLVE[:2], SOLVE[2:]
    agent = Follows(*type_first, DONE, *save, DONE)
    episode = attempt(tmp_path, agent, None, Retry())
    assert (episode.outcome, episode.steps, episode.ended_by) == (Outcome.PASSED, 5, "agent"), episode.error
    first, last = episode.extra["rounds"]
    assert (first["verdict"]["success"], last["verdict"]["success"]) == (False, True)
    assert first["step"] == 2 and "message" not in last
    assert agent.heard == [first["message"]] and "XYZZY" not in first["message"] and "tea" not in first["message"]
    folder = read_episode(tmp_path / "run" / "episode-0")
    assert folder.complete and folder.steps[2].messages == (first["message"],)
    assert episode.verdict is not None and episode.verdict.success


@pytest.mark.process
def test_rounds_are_counted_steps_are_fresh_and_the_last_verdict_counts(attempt: Attempt, tmp_path: Path) -> None:
    look = {"kind": "look"}
    episode = attempt(tmp_path, Follows(*[look] * 5, DONE, *[look] * 5, DONE, *[look] * 5, DONE), None, Retry(rounds=2))
    assert (episode.outcome, episode.steps, episode.ended_by) == (Outcome.FAILED, 18, "agent")
    assert [("message" in one) for one in episode.extra["rounds"]] == [True, True, False]
    ended = attempt(tmp_path, Follows(DONE, *[look] * 9), None, Retry(rounds=2))
    assert (ended.outcome, ended.steps, ended.ended_by) == (Outcome.FAILED, 1 + 6, "step_budget")
    assert len(ended.extra["rounds"]) == 1


@pytest.mark.process
def test_a_simulated_user_says_what_is_wrong_from_the_evidence(attempt: Attempt, tmp_path: Path) -> None:
    agent = Follows(DONE, *SOLVE, DONE)
    with Advice(in_turn("There is still no tea on my list.")) as advice:
        episode = attempt(tmp_path, agent, advice, Retry(feedback="simulator", model=advice.model))
    assert episode.outcome == Outcome.PASSED, episode.error
    assert "There is still no tea on my list." in agent.heard[0] and "XYZZY" not in agent.heard[0]
    (asked,) = advice.questions
    assert "XYZZY the drink stands there" in asked.words and "milk" in asked.words and asked.pictures >= 1
    assert episode.extra["advisers"][advice.model]["requests"] == 1
    assert episode.extra["usage"]["tokens"] == 1050  # an agent without a model, and one question


@pytest.mark.process
def test_a_simulated_user_that_gives_steps_is_asked_again_and_then_says_only_that_it_failed(
    attempt: Attempt, tmp_path: Path
) -> None:
    steps = "1. Press Ctrl+End\n2. Type tea\n3. Press Ctrl+S"
    model = in_turn(steps, "Tea is missing.", steps, "Just click at the end of the list and type it.")
    agent = Follows(DONE, DONE, DONE)
    with Advice(model) as advice:
        episode = attempt(tmp_path, agent, advice, Retry(feedback="simulator", model=advice.model, rounds=2))
    first, second, last = episode.extra["rounds"]
    assert first["rejected"] == [steps] and "fallback" not in first and "Tea is missing." in first["message"]
    assert len(second["rejected"]) == 2 and "says how to do it" in second["fallback"]
    assert "Tea is missing." in agent.heard[0] and "click" not in agent.heard[1].casefold()
    assert "says how to do it" in advice.words[1] and "message" not in last


@pytest.mark.process
def test_the_answer_to_a_question_is_never_said_and_the_model_does_not_know_it(
    attempt: Attempt, tmp_path: Path
) -> None:
    agent = Follows(answer("7"), ASK, answer("2"))
    with Advice(in_turn("It has 2 lines.", "The list has two of them.", "You missed it: 2\u200b !")) as advice:
        retry = Retry(feedback="simulator", model=advice.model)
        episode = attempt(tmp_path, agent, advice, retry, scenario="count-lines")
    assert (episode.outcome, episode.answer) == (Outcome.PASSED, "2"), episode.error
    assert len(agent.heard) == 2 and not any(word in " ".join(agent.heard) for word in ("2", "two"))
    assert "gives the answer away" in episode.extra["rounds"][0]["fallback"]
    assert "gives the answer away" in episode.extra["replies"][0]["fallback"]
    assert "you found" in advice.words[0] and "you expected" not in advice.words[0]


@pytest.mark.process
def test_a_simulated_user_answers_questions(attempt: Attempt, tmp_path: Path) -> None:
    agent = Follows(ASK, *SOLVE, DONE)
    with Advice(in_turn("Any kind will do.")) as advice:
        episode = attempt(tmp_path, agent, advice, Retry(feedback="simulator", model=advice.model))
    assert episode.outcome == Outcome.PASSED and agent.heard == ["Any kind will do."]
    assert episode.extra["replies"] == [{"question": "Which tea?", "message": "Any kind will do."}]
    assert "Which tea?" in advice.words[0] and "XYZZY" not in advice.words[0]


@pytest.mark.slow
def test_a_simulated_user_who_cannot_be_reached_is_an_error_and_no_result(attempt: Attempt, tmp_path: Path) -> None:
    with Advice(in_turn(DOWN)) as advice:
        episode = attempt(tmp_path, Follows(DONE), advice, Retry(feedback="simulator", model=advice.model))
    assert (episode.outcome, episode.verdict) == (Outcome.ERRORED, None) and "gave no answer" in episode.error
    assert episode.extra["usage"]["failures"] == 1


@pytest.mark.slow
def test_a_spent_budget_of_tokens_ends_the_rounds(attempt: Attempt, tmp_path: Path) -> None:
    with Advice(in_turn("Tea is missing.")) as advice:
        retry = Retry(feedback="simulator", model=advice.model, rounds=9)
        episode = attempt(tmp_path, Follows(*[DONE] * 20), advice, retry, tokens=2000)
    assert episode.outcome == Outcome.FAILED and len(advice.questions) == 2  # 1,050 tokens each
    assert len(episode.extra["rounds"]) == 3


@pytest.mark.process
def test_a_model_goes_on_in_its_conversation_and_all_that_was_asked_is_paid(attempt: Attempt, tmp_path: Path) -> None:
    script = [
        completes("Done."),
        completes(None, tool_call("key", keys=["ctrl", "end"]), tool_call("type", text="tea")),
        completes(None, tool_call("key", keys=["ctrl", "s"])),
        completes("Now it is there."),
    ]
    with OpenAIServer(script) as server, Advice(in_turn("Tea is missing.")) as advice:
        agent = compatible_at(server)
        retry = Retry(feedback="simulator", model=advice.model)
        episode = attempt(tmp_path, agent, advice, retry, tokens=100_000)
    assert (episode.outcome, episode.steps) == (Outcome.PASSED, 5), episode.error
    told = words_in(server.bodies[1]["messages"])
    assert "Tea is missing." in told and "Add tea to the list and save it." in told and server.complaints == []
    assert "XYZZY" not in told and len(server.bodies) == 4
    used = episode.extra["usage"]
    assert (used["requests"], used["tokens"]) == (5, 5 * 1050) and agent.usage.requests == 4
    assert agent.budget.tokens == 100_000 - 1050


# --- audited ---------------------------------------------------------------------------------------------------------

FINE, MISSING = {"finished": True, "missing": ""}, {"finished": False, "missing": "The list was not saved."}


@pytest.mark.process
def test_an_auditor_sees_frames_and_no_thoughts_and_may_send_an_agent_back(attempt: Attempt, tmp_path: Path) -> None:
    thinking = [{**SOLVE[0]}, SOLVE[1], DONE, SOLVE[2], DONE]
    agent = Follows(*thinking)
    with Advice(in_turn(MISSING, FINE)) as advice:
        episode = attempt(tmp_path, agent, advice, Audited(model=advice.model))
    assert (episode.outcome, episode.steps) == (Outcome.PASSED, 5), episode.error
    assert [one["accepted"] for one in episode.extra["rounds"]] == [False, True]
    assert len(agent.heard) == 1 and "The list was not saved." in agent.heard[0]
    for question in advice.questions:
        assert question.pictures >= 2 and "Add tea to the list" in question.words
        assert "XYZZY" not in question.words and "milk" not in question.words and "reward" not in question.words
    assert [step.action.kind for step in read_episode(tmp_path / "run" / "episode-0").steps][2] == "done"


@pytest.mark.process
def test_an_auditor_objects_within_its_rounds_and_the_step_budget(attempt: Attempt, tmp_path: Path) -> None:
    with Advice(in_turn(MISSING)) as advice:
        thrice = attempt(tmp_path, Follows(DONE, DONE, DONE), advice, Audited(model=advice.model, rounds=2))
        assert (thrice.outcome, thrice.steps, len(advice.questions)) == (Outcome.FAILED, 3, 2)
        look = {"kind": "look"}
        late = attempt(tmp_path, Follows(*[look] * 5, DONE), advice, Audited(model=advice.model))
        assert (late.steps, late.ended_by, len(advice.questions)) == (6, "agent", 2)
        gave_up = attempt(tmp_path, Follows({"kind": "fail"}), advice, Audited(model=advice.model))
        assert gave_up.steps == 1 and len(advice.questions) == 2


@pytest.mark.slow
def test_an_answer_that_was_objected_to_may_be_given_again_and_counts(attempt: Attempt, tmp_path: Path) -> None:
    with Advice(in_turn(MISSING, FINE)) as advice:
        agent = Follows(answer("3"), answer("2"))
        episode = attempt(tmp_path, agent, advice, Audited(model=advice.model), scenario="count-lines")
    assert (episode.outcome, episode.answer, episode.steps) == (Outcome.PASSED, "2", 2)
    assert "'3'" in advice.words[0] and "'2'" in advice.words[1]


@pytest.mark.process
def test_an_auditor_that_fails_is_an_error_and_no_acceptance(attempt: Attempt, tmp_path: Path) -> None:
    with Advice(in_turn("Looks fine to me!", {"finished": False}, {"finished": "yes"})) as advice:
        episode = attempt(tmp_path, Follows(DONE), advice, Audited(model=advice.model))
    assert (episode.outcome, episode.verdict) == (Outcome.ERRORED, None) and len(advice.questions) == 3
    assert "gave 3 unusable answers" in episode.error


@pytest.mark.slow
def test_audited_and_retried_the_auditor_comes_first(attempt: Attempt, tmp_path: Path) -> None:
    agent = Follows(DONE, DONE, *SOLVE, DONE)
    with Advice(in_turn(MISSING, FINE, FINE)) as advice:
        episode = attempt(tmp_path, agent, advice, Retry(), Audited(model=advice.model))
    assert episode.outcome == Outcome.PASSED, episode.error
    assert [one["by"] for one in episode.extra["rounds"]] == ["audited", "audited", "retry", "audited", "retry"]


# --- before the episode ----------------------------------------------------------------------------------------------


def adviser(words: str) -> object:
    if "you write the plan" in words:
        return "Look for the end of the list.\nPut it there, and keep the file."
    if "you audit it" in words:
        return {"class": "ok", "reason": "The same, said better."}
    if "You improve the wording" in words:
        return {"instruction": "Add tea to the list, on a line of its own or not, and save the file."}
    return "Tea is missing."


@pytest.mark.process
def test_a_plan_is_made_once_and_given_in_every_rollout(attempt: Attempt, tmp_path: Path) -> None:
    with Advice(adviser) as advice:
        agents = [Follows(*SOLVE, DONE), Follows(*SOLVE, DONE)]
        episodes = [attempt(tmp_path, agent, advice, FixedPlan(model=advice.model)) for agent in agents]
    assert [one.outcome for one in episodes] == [Outcome.PASSED, Outcome.PASSED]
    assert len(advice.questions) == 1 and advice.questions[0].pictures == 1
    assert agents[0].instruction == agents[1].instruction == episodes[1].extra["condition"]["instruction"]
    assert agents[0].instruction.startswith("Add tea to the list and save it.")
    assert "Look for the end of the list." in agents[0].instruction
    assert episodes[0].instruction == "Add tea to the list and save it."
    (plan,) = read_plans(tmp_path / "run").values()
    assert plan.plain() == episodes[0].extra["condition"]["plan"] == episodes[1].extra["condition"]["plan"]
    assert episodes[0].extra["usage"]["requests"] == 1 and "usage" not in episodes[1].extra


@pytest.mark.slow
def test_clarified_planned_and_retried_together(attempt: Attempt, tmp_path: Path) -> None:
    with Advice(adviser) as advice:
        model = advice.model
        agent = Follows(DONE, *SOLVE, DONE)
        kinds = (FixedPlan(model=model), Retry(feedback="simulator", model=model), Clarified(model=model))
        episode = attempt(tmp_path, agent, advice, *kinds)
    assert episode.outcome == Outcome.PASSED, episode.error
    assert agent.instruction.startswith("Add tea to the list, on a line of its own or not, and save the file.")
    assert "Look for the end of the list." in agent.instruction
    kinds_asked = ["You improve", "you audit it", "you write the plan", "You play the person"]
    assert all(part in words for part, words in zip(kinds_asked, advice.words, strict=True))
    assert "on a line of its own" in advice.words[2]  # the plan is for what the agent is told
    assert episode.extra["condition"]["clarification"]["audit"] == "ok"


def clarifies(text: object, kind: object = "ok") -> Callable[[str], object]:
    return lambda words: {"class": kind, "reason": "Because."} if "you audit it" in words else {"instruction": text}


@pytest.mark.slow
def test_a_clarification_that_is_not_ok_is_kept_and_not_used(attempt: Attempt, tmp_path: Path) -> None:
    proposed = "Add tea, and only tea, to the list; save it."
    with Advice(clarifies(proposed, "harmful")) as advice:
        agent = Follows(DONE)
        episode = attempt(tmp_path, agent, advice, Clarified(model=advice.model))
    assert agent.instruction == "Add tea to the list and save it."
    (kept,) = read_clarifications(tmp_path / "run").values()
    assert (kept.audit, kept.reason, kept.clarified) == ("harmful", "Because.", proposed)
    assert episode.extra["condition"]["clarification"] == kept.plain()


def clarified(advice: Advice, scenario: str = "add-tea") -> Clarification:
    """Without a seat: what is recorded of one is all that a clarifier is shown of it."""
    before = State(files={"~/list.txt": b"milk\nbread\n"})
    scene = Scene(world(scenario), before, Frame(np.zeros((4, 4, 3), np.uint8)))
    ask = advice.advisers().ask(advice.model)
    return clarify(Clarified(model=advice.model), scene.world.id, scene, ask, ask)


@pytest.mark.parametrize("kind", ["ok", "impossible", "trivial", "harmful"])
def test_an_audit_gives_one_of_four_classes_and_only_ok_is_used(kind: str) -> None:
    with Advice(clarifies("Add tea to the list, please, and save it.", kind)) as advice:
        kept = clarified(advice)
    assert (kept.audit, kept.reason) == (kind, "Because.")
    assert (kept.instruction == kept.clarified) == (kind == "ok")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Add something to the list and save it.", "no longer says what the task names: thing"),
        ("Add tea to the list. " * 60, "characters; expected at most"),
        ("", "is empty"),
        ("Add tea: 1. press Ctrl+End 2. type tea 3. press Ctrl+S", "says how to do it"),
        (7, "instruction"),
    ],
)
def test_a_clarification_that_does_not_pass_the_guard_is_never_audited(text: object, why: str) -> None:
    with Advice(clarifies(text)) as advice:
        kept = clarified(advice)
    assert kept.audit == "unusable" and why in kept.reason and kept.instruction == kept.original
    assert len(advice.questions) == 2 and why in advice.words[1]


@pytest.mark.parametrize("leak", ["that is 2,", "(two of them)", "\uff12 that is", "a pair, as you will see,"])
def test_no_way_to_say_the_answer_gets_past_the_guard(leak: str) -> None:
    with Advice(clarifies(f"How many lines, {leak} does the list have? Change nothing.")) as advice:
        kept = clarified(advice, "count-lines")
    assert kept.audit == "unusable" and "gives away" in kept.reason


@pytest.mark.process
def test_the_answer_is_neither_shown_to_a_clarifier_nor_let_through(attempt: Attempt, tmp_path: Path) -> None:
    with Advice(clarifies("How many lines, that is 2, does the list have? Change nothing.")) as advice:
        agent = Follows(answer("2"))
        episode = attempt(tmp_path, agent, advice, Clarified(model=advice.model), scenario="count-lines")
    kept = episode.extra["condition"]["clarification"]
    assert kept["audit"] == "unusable" and "gives away" in kept["reason"]
    assert agent.instruction == "How many lines does the list have? Change nothing."
    assert "XYZZY the count" in advice.words[0] and "expected: 2" not in advice.words[0]
    assert "not shown" in advice.words[0]


@pytest.mark.slow
def test_an_unreadable_audit_is_no_consent_and_an_unreachable_one_is_an_error(attempt: Attempt, tmp_path: Path) -> None:
    with Advice(clarifies("Add tea to the list, please, and save it.", "fine")) as advice:
        assert clarified(advice).audit == "unusable"
    with Advice(lambda words: DOWN if "you audit it" in words else {"instruction": "Add tea, and save."}) as advice:
        episode = attempt(tmp_path, Follows(DONE), advice, Clarified(model=advice.model))
        assert episode.outcome == Outcome.ERRORED and read_clarifications(tmp_path / "run") == {}


@pytest.mark.process
def test_extra_is_plain_data_that_can_be_read_back(attempt: Attempt, tmp_path: Path) -> None:
    with Advice(adviser) as advice:
        attempt(tmp_path, Follows(DONE), advice, Clarified(model=advice.model), Retry(rounds=1))
    read = json.loads((tmp_path / "run" / "episode-0" / "episode.json").read_text())
    assert [one["name"] for one in read["extra"]["condition"]["interventions"]] == ["clarified", "retry"]
    assert set(read["extra"]) == {"condition", "rounds", "advisers", "usage"}
