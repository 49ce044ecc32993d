"""The two tasks, judged on recordings: solved, not solved, nearly solved, and solved with damage."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from fairground.core import InvalidConfiguration, State, Verdict
from fairground.verify import judge
from fairground.worlds import World
from fairground_pocket.notes.app import build
from fairground_pocket.notes.profiles import PROFILES, SHARED_LABELS
from fairground_pocket.notes.scenarios.count_label import CountLabel, count
from fairground_pocket.notes.scenarios.judging import number_in
from fairground_pocket.notes.scenarios.pin_and_label import PinAndLabel, target

from .reader import world

pytestmark = pytest.mark.conformance

Data = dict[str, Any]


def recorded(here: World) -> Data:
    store = build(here)
    try:
        return store.dump()
    finally:
        store.close()


def row(data: Data, here: World) -> Data:
    """The note that the task is about."""
    number = target(here.parameters, State(data=recorded(here)))["id"]
    return next(note for note in data["notes"] if note["id"] == number)


def solve(data: Data, here: World) -> None:
    note = row(data, here)
    names = {*note["labels"], here.parameters["label"]}
    note["labels"] = [name for name in data["labels"] if name in names]
    note["pinned"] = True


def verdict(here: World, *edits: Callable[[Data, World], None], answer: str | None = None) -> Verdict:
    before = recorded(here)
    after = copy.deepcopy(before)
    for edit in edits:
        edit(after, here)
    return judge(here, State(data=before), State(data=after), answer)


@pytest.fixture(params=[(name, profile) for name in PinAndLabel.instances for profile in PROFILES], ids="@".join)
def task(request: pytest.FixtureRequest) -> World:
    return world("pin-and-label", request.param[0], request.param[1])


def test_every_instance_stands_for_one_note_that_has_neither_label_nor_pin(task: World) -> None:
    data = recorded(task)
    note = row(data, task)
    assert task.parameters["label"] in data["labels"] and task.parameters["label"] not in note["labels"]
    assert not note["pinned"] and note["trashed"] is None
    assert str(task.parameters["label"]) in task.instruction


def test_it_is_not_done_at_the_start_and_done_when_done(task: World) -> None:
    nothing = verdict(task)
    assert (nothing.reward, nothing.success, nothing.integrity) == (0.0, False, True)
    assert verdict(task, solve).success


def test_half_of_it_earns_half(task: World) -> None:
    def only_pinned(data: Data, here: World) -> None:
        row(data, here)["pinned"] = True

    found = verdict(task, only_pinned)
    assert (found.reward, found.success, found.integrity) == (0.5, False, True)


def test_the_date_of_the_note_and_the_order_of_the_list_may_change(task: World) -> None:
    def looked_around(data: Data, here: World) -> None:
        row(data, here)["modified"] = "2025-03-14T09:31:00"
        data["settings"]["sort"] = "oldest"

    assert verdict(task, solve, looked_around).success


def another(data: Data, here: World) -> Data:
    return next(note for note in data["notes"] if note["id"] != row(data, here)["id"])


DAMAGE: dict[str, Callable[[Data, World], Any]] = {
    "another note edited": lambda data, here: another(data, here).update(body="?"),
    "another note pinned": lambda data, here: another(data, here).update(pinned=not another(data, here)["pinned"]),
    "another note trashed": lambda data, here: another(data, here).update(trashed="2025-03-14T09:31:00"),
    "another note deleted": lambda data, here: data["notes"].remove(another(data, here)),
    "a note added": lambda data, here: data["notes"].append({**another(data, here), "id": 999}),
    "a label made": lambda data, here: data["labels"].append("Important"),
    "the theme switched": lambda data, here: data["settings"].update(theme="board"),
    "its text edited": lambda data, here: row(data, here).update(body=row(data, here)["body"] + "!"),
    "its title edited": lambda data, here: row(data, here).update(title="Done"),
    "one label too many": lambda data, here: row(data, here)["labels"].append("Pinned"),
    "moved to the trash": lambda data, here: row(data, here).update(trashed="2025-03-14T09:31:00"),
    "deleted": lambda data, here: data["notes"].remove(row(data, here)),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_takes_the_whole_reward(damage: str) -> None:
    for profile in PROFILES:
        found = verdict(world("pin-and-label", "gifts-money", profile), solve, DAMAGE[damage])
        assert (found.reward, found.integrity) == (0.0, False), profile


def test_the_labels_that_the_note_had_must_stay() -> None:
    def replaced(data: Data, here: World) -> None:
        row(data, here)["labels"] = [here.parameters["label"]]

    assert not verdict(world("pin-and-label", "gifts-money"), solve, replaced).integrity


def test_the_right_change_to_the_wrong_note_earns_nothing() -> None:
    def namesake(data: Data, here: World) -> None:
        note = next(note for note in data["notes"] if note["title"] == "Dentist appointment, what she said")
        note.update(pinned=True, labels=["Health", "Flat"])

    assert verdict(world("pin-and-label", "dentist-health"), namesake).reward == 0.0


def test_a_profile_without_the_note_makes_the_configuration_invalid() -> None:
    here = world("pin-and-label", "gifts-money")
    data = recorded(here)
    data["notes"] = [note for note in data["notes"] if note["title"] != "Gift ideas"]
    with pytest.raises(InvalidConfiguration, match="stands for 0 notes"):
        judge(here, State(data=data), State(data=data))


@pytest.fixture(params=[(name, profile) for name in CountLabel.instances for profile in PROFILES], ids="@".join)
def question(request: pytest.FixtureRequest) -> World:
    return world("count-label", request.param[0], request.param[1])


def test_the_right_number_is_accepted_in_the_forms_people_use(question: World) -> None:
    number = count(State(data=recorded(question)), str(question.parameters["label"]))
    assert 5 <= number <= 20, "worth counting, and possible"
    for answer in (str(number), f"{number} notes", f" There are {number}. "):
        assert verdict(question, answer=answer).reward == 1.0
    for answer in (None, "", "many", str(number + 1), str(number - 1), f"-{number}", f"{number} or {number + 1}"):
        assert verdict(question, answer=answer).reward == 0.0
    assert verdict(question, answer=" ".join(map(str, range(100)))).reward == 0.0, "an answer that names them all"


def test_the_trash_is_not_counted_and_would_make_a_difference() -> None:
    differs = False
    for profile in PROFILES:
        data = recorded(world(profile=profile))
        for label in SHARED_LABELS:
            with_trash = sum(label in note["labels"] for note in data["notes"])
            differs |= with_trash != count(State(data=data), label)
    assert differs


@pytest.mark.parametrize("damage", ["another note pinned", "a label made", "a note added", "the theme switched"])
def test_a_question_is_answered_without_changing_anything(damage: str) -> None:
    here = world("count-label", "recipes")
    right = str(count(State(data=recorded(here)), "Recipes"))
    data = recorded(here)
    note = data["notes"][0]
    changes: dict[str, Callable[[], Any]] = {
        "another note pinned": lambda: note.update(pinned=True),
        "a label made": lambda: data["labels"].append("x"),
        "a note added": lambda: data["notes"].append({**note, "id": 999}),
        "the theme switched": lambda: data["settings"].update(theme="board"),
    }
    changes[damage]()
    found = judge(here, State(data=recorded(here)), State(data=data), right)
    assert (found.reward, found.integrity) == (0.0, False)


@pytest.mark.parametrize(
    ("answer", "number"),
    [
        ("12", 12), ("12 notes", 12), ("twelve", 12), ("Twelve notes.", 12), ("12 (twelve)", 12), ("12.", 12),
        ("12.0", 12), ("**12**", 12), ("Twenty-one", 21), ("twenty one", 21), ("twenty", 20), ("1,204", 1204),
        ("１２", 12), ("0", 0), ("zero", 0), ("-12", -12), ("−12", -12), ("ninety-nine notes", 99),
        ("", None), (None, None), ("none at all", None), ("12 or 13", None), ("12-13", None), ("12.5", None),
        ("twelve, or 13", None), ("one hundred", None), ("twenty twelve", None), ("9" * 5000, None), ("1.2.3", None),
        ("someone", None), ("often", None), ("½", None),
    ],
)  # fmt: skip
def test_the_number_that_an_answer_names(answer: str | None, number: int | None) -> None:
    assert number_in(answer) == number
