"""Answers in words: what is right however it is written, and what only looks right."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import InvalidConfiguration, UnknownName
from fairground.verify import match_answer

TODAY = date(2025, 3, 14)  # a Friday

WRONG = [
    ("number", 12, "12 or 13"),
    ("number", 12, "11, 12, 13"),
    ("number", 12, "1 2 3 4 5 6 7 8 9 10 11 12"),
    ("number", 12, "112"),
    ("number", 12, "-12"),
    ("number", 1, "1.5"),
    ("number", 3, "three or four"),
    ("number", 3, "many"),
    ("number", 3, "x" * 3000 + " 3"),
    ("number", 1, "The answer is one of the things on the screen."),
    ("number", 1, "It was that one."),
    ("number", 1, "No one."),
    ("number", 0, "no"),
    ("number", 0, "No, it is not."),
    ("number", 0, "I have no idea."),
    ("number", 15, "Those since 2025-07-15"),
    ("number", 2025, "on 15 July 2025"),
    ("money", "2025.00 INR", "my order of 2025-06-12"),
    ("money", "12.50 EUR", "$12.50"),
    ("money", "12.50 EUR", "12.05 €"),
    ("money", "12.50 EUR", "between 12.50 and 13 €"),
    ("date", "2025-03-14", "15 March 2025"),
    ("date", "2025-03-14", "14 March or 15 March"),
    ("date", "2025-03-16", "14, 15 or 16 March"),
    ("date", "2025-03-14", "Monday 14 March"),
    ("date", "2025-03-14", "14 March 2024"),
    ("date", "2025-03-13", "today"),
    ("date", "2025-03-14", "in March"),
    ("time", "14:05", "2:05"),
    ("time", "14:05", "14:05 or 15:05"),
    ("time", "10:00", "100%"),
    ("time", "10:00", "10 %"),
    ("time", "20:00", "2025"),
    ("duration", 125, "2 h"),
    ("duration", 125, "125 hours"),
    ("duration", 125, "2 h 05 min or 3 h"),
    ("text", "Ana", "Ana or Bo"),
    ("text", "Ana", "Anastasia"),
    ("text", "Ana", "Ana " + "blah " * 60),
    ("list", ["Ana", "Bo"], "Ana"),
    ("list", ["Ana"], "Ana, Bo"),
    ("yesno", True, "yes and no"),
    ("yesno", True, "It is not"),
]
RIGHT = [
    ("number", 12, "12"),
    ("number", 12, "You have twelve unread emails."),
    ("number", 1234, "1,234"),
    ("number", 1234, "1 234"),
    ("number", 1234, "1.234"),
    ("number", 1234.5, "1.234,50"),
    ("number", 21, "twenty-one"),
    ("number", 121, "one hundred and twenty one"),
    ("number", 0, "None."),
    ("number", 0, "There is none."),
    ("number", 0, "No emails are unread."),
    ("number", 0, "Not one of them is on."),
    ("number", 1, "One of them is on."),
    ("number", 1, "There is one."),
    ("number", 1, "Only one"),
    ("number", 15, "15 since 2025-07-15"),
    ("number", 5, "٥"),
    ("number", 7, "７"),
    ("money", "1250.50 NGN", "₦1,250.50"),
    ("money", "1250.50 EUR", "1.250,50 €"),
    ("money", "12.5 GBP", "It was £12.50"),
    ("money", "1000 JPY", "1000 yen"),
    ("money", "-20 USD", "-$20"),
    ("money", "12.50 SEK", "12,50\u00a0kr"),
    ("date", "2025-03-14", "14 March 2025"),
    ("date", "2025-03-14", "March 14th, 2025"),
    ("date", "2025-03-14", "Friday, 14 Mar"),
    ("date", "2025-03-14", "14/03/2025"),
    ("date", "2025-03-14", "03/14/2025"),
    ("date", "2025-03-14", "It was today"),
    ("date", "2025-03-13", "Yesterday."),
    ("date", "2025-03-14T09:30:00", "2025-03-14 at 09:30"),
    ("time", "14:05", "2:05 pm"),
    ("time", "14:05", "It leaves at 14:05."),
    ("time", "09:00", "9 am"),
    ("time", "12:00", "noon"),
    ("time", "10:00", "At 10:00, I am 100% sure."),
    ("duration", 125, "2 h 05 min"),
    ("duration", 125, "two hours and five minutes"),
    ("duration", 90, "1.5 hours"),
    ("duration", 125, "2:05"),
    ("duration", 60, "an hour"),
    ("duration", 125, "125"),
    ("text", "Søren Åkesson", "soren akesson"),
    ("text", "İrem Doğan", "It was Irem Dogan."),
    ("text", "q3-report.pdf", "The file “Q3-report.pdf”"),
    ("list", ["Ana", "Bo"], "Bo and Ana"),
    ("list", [], "None"),
    ("yesno", False, "No, it is off."),
]


@pytest.mark.parametrize(("kind", "expected", "answer"), WRONG)
def test_what_is_wrong_or_says_too_much_fails(kind: str, expected: object, answer: str) -> None:
    assert not match_answer(kind, expected, answer, among=["Ana", "Bo", "Cy"] if kind == "text" else (), today=TODAY)


@pytest.mark.parametrize(("kind", "expected", "answer"), RIGHT)
def test_what_is_right_passes_however_it_is_written(kind: str, expected: object, answer: str) -> None:
    assert match_answer(kind, expected, answer, today=TODAY)


QUESTION = "Which product brought the most revenue in the region North over the whole year? Answer with its name."
GUESSES = ["Stand mixer", "Toy penguin", "5", "Barley, 25 kg", "Rosa Nguyen", "2023"]


@pytest.mark.parametrize(
    "between", [", ", "; ", "\n", " or ", " and ", " / ", " | ", ". ", " & ", ", or maybe ", ", it is "]
)
@pytest.mark.parametrize("place", [0, 3, 6])
@pytest.mark.parametrize("count", [2, 3, 6])
def test_a_name_among_guesses_that_nobody_asked_about_is_no_answer(between: str, place: int, count: int) -> None:
    said = GUESSES[:count]
    said.insert(place, "Tent, 2 persons")
    for text in (between.join(said), f"The answer is {between.join(said)}.", f"Answer: {between.join(said)}"):
        assert not match_answer("text", "Tent, 2 persons", text, among=["Tarp", "Rope"], question=QUESTION)


@pytest.mark.parametrize(
    "said",
    [
        "Tent, 2 persons or Stand mixer",
        "Either Stand mixer or Tent, 2 persons",
        "Stand mixer, Tent, 2 persons",
        "Stand mixer at 08:50, Rope at 02:01, Tent, 2 persons",
        "Stand mixer Toy penguin Barley 25 kg Tent, 2 persons Rosa Nguyen",
    ],
)
def test_a_choice_that_is_left_open_is_no_answer(said: str) -> None:
    assert not match_answer("text", "Tent, 2 persons", said, question=QUESTION)


@pytest.mark.parametrize(
    "said",
    [
        "Tent, 2 persons",
        "The product that brought the most revenue in the region North, over the whole year, is Tent, 2 persons.",
        "**Tent, 2 persons** with a total of 1,234,567.89 EUR",
        "Tent, 2 persons (ahead of Rope, Tarp and Stove)",
        "Tent, 2 persons - revenue 12,345.67 EUR",
        "Product: Tent, 2 persons; Revenue: 12,345.67; Region: North",
        "Tent, 2 persons. It brought 12,345.67 EUR, which is the most. I left the workbook unchanged.",
        "In the region North it was Tent, 2 persons, from the category Shelter.",
        "~/Documents/products/Tent, 2 persons",
        "Tent, 2 persons, 03/14/2025",
        "Sure, it is Tent, 2 persons.",
        "Final answer: Tent, 2 persons",
    ],
)
def test_a_name_with_remarks_is_an_answer(said: str) -> None:
    assert match_answer("text", "Tent, 2 persons", said, among=["Hiking boots"], question=QUESTION)


@pytest.mark.parametrize("kind", ["number", "money", "date", "time", "duration", "text", "list", "yesno"])
def test_no_answer_is_never_right(kind: str) -> None:
    expected = {"date": "2025-03-14", "time": "10:00", "list": ["a"], "yesno": 0}.get(kind, 0)
    for nothing in (None, "", "   \n", "\u200b"):
        assert not match_answer(kind, expected, nothing)


def test_what_the_question_named_may_be_repeated() -> None:
    asked = "How many of the 40 emails since 1 March are unread?"
    assert match_answer("number", 3, "3 of the 40 emails", question=asked)
    assert not match_answer("number", 3, "3 of the 41 emails", question=asked)
    assert match_answer("number", 40, "All 40", question=asked)


def test_the_question_alone_answers_nothing() -> None:
    for kind, expected, asked in (
        ("number", 40, "How many of the 40 emails are unread?"),
        ("money", "2025.00 INR", "What did I pay in June 2025?"),
        ("text", "Ana", "Is it Ana?"),
    ):
        assert not match_answer(kind, expected, asked, question=asked)
        assert not match_answer(kind, expected, asked.upper().rstrip("?"), question=asked)


SCENES = ["Movie night", "Rice & beans", "Good morning", "Away"]
ASKED = "Which of my scenes have the hall lamp in them?"


@pytest.mark.parametrize(
    "answer",
    [
        "Movie night, Rice & beans, something else",
        "something else, Movie night and Rice & beans",
        "Movie night, Rice & beans and a third",
        "Movie night\nRice and beans\nMovie day",
        "Rice & beans, Movie night, Away",
        "Movie night, Rice & beans, or whatever you like",
    ],
)
def test_a_list_with_one_entry_too_many_is_wrong(answer: str) -> None:
    assert not match_answer("list", SCENES[:2], answer, among=SCENES, question=ASKED)


@pytest.mark.parametrize(
    "answer",
    [
        "Movie night, Rice & beans",
        "1. rice & beans\n2. movie night",
        "- Movie night\n- Rice & Beans",
        "Two scenes, as far as I can see: Movie night and Rice & beans.",
        "The scenes that have the hall lamp are Movie night and also Rice & beans.",
        "The hall lamp, in my scenes, is in Movie night and Rice & beans",
        "Movie night (with the sofa, dimmed) and Rice & beans. I looked at its page, which names them.",
    ],
)
def test_remarks_around_a_list_are_no_entries_of_it(answer: str) -> None:
    assert match_answer("list", SCENES[:2], answer, among=SCENES, question=ASKED)


def test_a_longer_name_is_not_its_part_and_a_part_is_not_a_rival() -> None:
    assert match_answer("text", "Ana Maria", "Ana Maria", among=["Ana", "Maria"])
    assert not match_answer("text", "Ana", "Ana Maria", among=["Ana Maria", "Maria"])
    assert match_answer("list", ["Ana", "Bo"], "The senders are Bo, and Ana.", among=["Ana", "Bo", "Cy"])
    assert not match_answer("list", ["Ana", "Bo"], "Ana, Bo and Cy", among=["Ana", "Bo", "Cy"])


def test_what_cannot_be_compared_with_is_the_configurations_fault() -> None:
    with pytest.raises(UnknownName, match="number"):
        match_answer("numbr", 3, "3")
    for kind, expected in (("number", "three"), ("date", "soon"), ("time", "late"), ("list", "Ana"), ("text", "!")):
        with pytest.raises(InvalidConfiguration):
            match_answer(kind, expected, "3")


@given(st.integers(-(10**9), 10**9), st.sampled_from(["{}", "{:,}", "It is {}.", "{} in all"]))
def test_every_whole_number_is_known_again(number: int, form: str) -> None:
    assert match_answer("number", number, form.format(number))
    assert not match_answer("number", number + 1, form.format(number))
    assert not match_answer("number", number, f"{number} or {number + 1}")


@given(
    st.dates(date(2000, 1, 1), date(2099, 12, 31)),
    st.sampled_from(["%d %B %Y", "%B %d, %Y", "%Y-%m-%d", "%A %d %b %Y"]),
)
def test_every_day_is_known_again(day: date, form: str) -> None:
    other = day + timedelta(days=1)
    assert match_answer("date", day.isoformat(), day.strftime(form))
    assert not match_answer("date", other.isoformat(), day.strftime(form))
    assert not match_answer("date", day.isoformat(), f"{day.strftime(form)} or {other.strftime(form)}")


@given(st.integers(1, 5000))
def test_every_duration_is_known_again(minutes: int) -> None:
    said = f"{minutes // 60} h {minutes % 60} min"
    assert match_answer("duration", minutes, said) and not match_answer("duration", minutes + 1, said)


@given(st.text(max_size=300), st.sampled_from(["number", "money", "date", "time", "duration", "text", "list", "yesno"]))
def test_no_text_breaks_it(text: str, kind: str) -> None:
    expected = {"date": "2025-03-14", "time": "10:00", "list": ["a"], "yesno": 0, "text": "zebra crossing"}.get(
        kind, 77
    )
    assert match_answer(kind, expected, text, among=["b"], question=text, today=TODAY) in (True, False)
