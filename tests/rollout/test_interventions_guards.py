"""What is held against a model's words: adversarial messages first, and honest ones that must get through."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import Check
from fairground.rollout.interventions.guards import (
    answers_of,
    given_away,
    looks_like_steps,
    lost_parameters,
    names_text,
    numbers_in,
    results_of,
)

QUESTION = "How many notes have the label “Health”? Answer with the number."


@pytest.mark.parametrize(
    "text",
    [
        "It is 23.",
        "The answer should be twenty-three.",
        "You were off: 23, not 25",
        "Twenty three notes have it.",
        "TWENTY\u2011THREE",
        "two\u200b3? no: 2\u200b3",
        "there are 23.0 of them",
        "２３",  # full width
        "(23)",
        "23rd... I mean 23 notes",
        "it's one more than 22 and one less than 24, that is 23!",
    ],
)
def test_a_number_is_found_however_it_is_written(text: str) -> None:
    assert given_away(text, [23], known=QUESTION)
    assert given_away(text, ["23"], known=QUESTION)


@pytest.mark.parametrize("text", ["It is 1,234.50", "1234.5 exactly", "1 234.5", "1'234.50", "1.234,5 in Europe"])
def test_thousands_and_decimals_may_be_parted_in_any_way(text: str) -> None:
    assert given_away(text, [1234.5], known=QUESTION)


@pytest.mark.parametrize(
    "text",
    ["Nobody has it: zero.", "There are none.", "No notes have it."],
)
def test_nothing_is_a_number_too(text: str) -> None:
    assert given_away(text, [0], known=QUESTION)


@pytest.mark.parametrize(
    "text",
    [
        "The city is Reykjavik",
        "It begins like REYKJAVIK and ends so",
        "R-e-y-k-j-a-v-i-k",
        "Rey kja vik",
        "Reyk\u00adja\u200dvik",
        "“reykjavik”",
    ],
)
def test_a_text_is_found_whatever_its_case_spacing_and_punctuation(text: str) -> None:
    assert given_away(text, ["Reykjavik"], known="Which city is it?")


def test_what_was_told_before_is_no_secret_and_what_is_not_said_is_not_found() -> None:
    assert not given_away("The label Health is what I meant.", ["Health"], known=QUESTION)
    assert not given_away("That number is too high; you counted the trash as well.", [23], known=QUESTION)
    assert not given_away("You said 25, and that is wrong.", [23], known=QUESTION)
    assert given_away("The 5 of May and the 7 of May.", [7], known="What comes after the 5 of May?")


@given(st.integers(0, 10_000))
def test_any_number_is_found_in_a_sentence(number: int) -> None:
    assert given_away(f"I would say {number}, really.", [number], known="How many?")
    assert given_away(f"I would say {number:,}, really.", [number], known="How many?")
    assert not given_away("I would not say.", [number + 1], known="How many?")


@given(st.text(max_size=300))
def test_no_text_breaks_the_guards(text: str) -> None:
    numbers_in(text)
    looks_like_steps(text)
    names_text(text, text)
    given_away(text, [text, 3, 2.5], known=text)


@pytest.mark.parametrize(
    "text",
    [
        "1. Open the note\n2. Add the label",
        "1) the note, 2) the label",
        "Do it like this: 1) find it 2) pin it",
        "There are two things, a) the pin and b) the label",
        "Step 1: find it. Step 2: pin it.",
        "- find the note\n- pin it",
        "You should click the pin icon at the top.",
        "Just tap “Save”.",
        "Please press Enter when you are done.",
        "Double-click the cell, and it will work.",
        "Use Ctrl+S to keep it.",
        "It is under File > Save As.",
        "Settings → Labels has it.",
        "First find the note, then open its labels and then add it.",
        "You need to open the labels of the note.",
        "Go to the list. Select the note.",
        "It can be saved by pressing the disk.",
        "Cl\u200bick the pin.",
        "Scroll down to see it",
    ],
)
def test_a_way_to_do_it_is_noticed(text: str) -> None:
    assert looks_like_steps(text)


@pytest.mark.parametrize(
    "text",
    [
        "The note is pinned, but it does not have the label Travel.",
        "You changed the wrong note. I meant the one called Dentist appointment.",
        "The total in cell B7 should have been a formula, and it is a fixed number.",
        "That is not the number I get. Notes in the trash were not meant to be counted.",
        "Nothing seems to have been saved: the file is as it was before.",
        "You clicked something that deleted my list, and I want it back as it was.",
        "Either will do. I have no preference.",
    ],
)
def test_what_a_person_would_say_of_the_result_gets_through(text: str) -> None:
    assert looks_like_steps(text) is None


def test_secrets_are_what_checks_of_the_task_expect_and_not_what_guards_do() -> None:
    checks = [
        Check(name="the number is right", passed=False, expected=23),
        Check(name="each", passed=False, expected={"rows": [{"city": "Oslo", "sum": 412.5}], "seen": True}),
        Check(name="nothing else changed", passed=True, weight=0, expected="unchanged", integrity=True),
    ]
    assert set(answers_of(checks)) == {23, "Oslo", 412.5}
    assert set(results_of(checks, known="The sum of 23 rows")) == {412.5}


def test_parameters_that_the_instruction_names_must_stay() -> None:
    told = "Find “Dentist appointment” and move 3 notes to Health."
    parameters = {"title": "Dentist appointment", "label": "Health", "count": 3, "hidden": "seed-17", "flag": True}
    assert lost_parameters("Move three notes, dentist APPOINTMENT first, to the label Health.", told, parameters) == ()
    assert lost_parameters("Move the notes to Health.", told, parameters) == ("title", "count")
