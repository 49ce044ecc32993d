"""Who decides first, and when nobody else needs to."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest

from fairground.core import Check, Checklist, ChecklistItem, Frame, InvalidInput
from fairground.verify import Decider, JudgeError, by_model, by_picture, by_state, cascade, image_match

FRAME = Frame(np.full((20, 20, 3), 7, np.uint8))
CHECKLIST = Checklist(
    items=(
        ChecklistItem(name="saved"),
        ChecklistItem(name="chart"),
        ChecklistItem(name="colour", weight=2.0),
        ChecklistItem(name="clean", integrity=True),
    )
)


class Judge:
    """A model that finds everything met but what it is told, and counts how often it is asked."""

    def __init__(self, *unmet: str) -> None:
        self.unmet = unmet
        self.asked: list[str] = []

    def ask(self, text: str, frames: Sequence[Frame] = (), *, system: str = "") -> str:
        self.asked.append(text)
        lines = [line for line in text.splitlines() if line[:1].isdigit()]
        items = [
            {"item": number, "met": not any(name in line for name in self.unmet), "evidence": "seen", "pictures": [1]}
            for number, line in enumerate(lines, 1)
        ]
        return json.dumps({"items": items})


def state(**passed: bool) -> Decider:
    return by_state(lambda: [Check(name=name, passed=met) for name, met in passed.items()])


def test_a_model_is_asked_only_about_what_state_and_pictures_leave_open() -> None:
    judge = Judge()
    found = cascade(
        CHECKLIST,
        [
            by_model(judge, "Draw it.", [FRAME]),  # the order of the list does not matter, that of cost does
            by_picture({"chart": lambda: image_match("chart", FRAME, FRAME)}),
            state(saved=True, something_else=False),
        ],
    )
    assert found.verdict.success
    assert found.asked == ("state", "picture", "model")
    assert found.decided_by == {"saved": "state", "chart": "picture", "colour": "model", "clean": "model"}
    assert len(judge.asked) == 1
    assert "saved" not in judge.asked[0]


def test_a_sure_no_ends_it_before_the_model_costs_anything() -> None:
    judge = Judge()
    found = cascade(CHECKLIST, [state(saved=False, chart=True), by_model(judge, "Draw it.", [FRAME])])
    assert judge.asked == []
    assert found.decided_by == {"saved": "state", "chart": "state", "colour": "not asked", "clean": "not asked"}
    assert (found.verdict.success, found.verdict.reward, found.verdict.integrity) == (False, 0.25, True)


def test_an_unsure_no_lets_the_others_speak() -> None:
    unsure = Decider("glance", 1, lambda items: [Check(name="chart", passed=False)], sure=False)
    found = cascade(CHECKLIST, [state(saved=True), unsure, by_model(Judge(), "Draw it.", [FRAME])])
    assert found.decided_by["colour"] == "model"
    assert found.verdict.reward == 0.75


def test_a_guard_that_the_model_finds_violated_makes_the_reward_zero() -> None:
    found = cascade(CHECKLIST, [state(saved=True, chart=True), by_model(Judge("clean"), "Draw it.", [FRAME])])
    assert (found.verdict.reward, found.verdict.integrity) == (0.0, False)


def test_guards_alone_can_be_left_to_the_model() -> None:
    found = cascade(CHECKLIST, [state(saved=True, chart=True, colour=True), by_model(Judge(), "Draw it.", [FRAME])])
    assert found.decided_by["clean"] == "model"
    assert found.verdict.success


def test_what_nobody_can_decide_is_an_error_and_no_score() -> None:
    with pytest.raises(JudgeError, match="nobody could decide 'chart'"):
        cascade(CHECKLIST, [state(saved=True)])


def test_nobody_decides_what_they_were_not_asked() -> None:
    with pytest.raises(InvalidInput, match="not asked about"):
        cascade(CHECKLIST, [Decider("busybody", 0, lambda items: [Check(name="weather", passed=True)])])
