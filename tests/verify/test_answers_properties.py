"""Properties of answer matching: any notation of the right value, no other value, no list of candidates, no text that
breaks it or takes long."""

from __future__ import annotations

import resource
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fairground.verify import match_answer, with_form
from fairground.verify.answers import MAX_ANSWER

TODAY = date(2025, 3, 14)
EXPECTED: dict[str, Any] = {
    "number": 77, "money": "77.00 EUR", "date": "2025-03-14", "time": "10:00", "duration": 77,
    "text": "zebra crossing", "list": ["zebra", "crossing"], "yesno": True,
}  # fmt: skip
KINDS = sorted(EXPECTED)
MOST_SECONDS = 5.0  # processor time of one answer; it takes milliseconds, and a regex that explodes takes hours

WRAPPED = ["{}", "The answer is {}.", "Done. {}", "**{}**", '{{"answer": "{}"}}', "It comes to {}, because I looked."]
UNSURE = [
    "not {}", "It is not {}.", "maybe {}", "I think {}", "either {}", "{}?", "Is it {}?", "{} or something else",
    "{}, but I am not sure",
]  # fmt: skip
BOUNDS = ["at least {}", "about {}", "up to {}", "~{}", "{} or more", "less than {}"]

numbers = st.integers(0, 10**9)
amounts = st.integers(1, 10**8).map(lambda cents: f"{cents // 100}.{cents % 100:02}")
times = st.tuples(st.integers(0, 23), st.integers(0, 59))
day_forms = st.sampled_from(["%d %B %Y", "%B %d, %Y", "%Y-%m-%d", "%A %d %b %Y", "%d %b", "%Y/%m/%d"])
days = st.dates(date(2000, 1, 1), date(2099, 12, 31))


@given(numbers, st.sampled_from(["{}", "{:,}", "{:_}"]), st.sampled_from(WRAPPED))
def test_a_number_is_read_in_any_notation(number: int, form: str, wrapped: str) -> None:
    said = wrapped.format(form.format(number))
    assert match_answer("number", number, said)
    assert not match_answer("number", number + 1, said)


@given(amounts, st.sampled_from(["{} EUR", "EUR {}", "€{}", "{}€", "{} euros"]), st.sampled_from(WRAPPED))
def test_an_amount_is_read_in_any_notation(amount: str, form: str, wrapped: str) -> None:
    for written in (amount, amount.replace(".", ",")):
        said = wrapped.format(form.format(written))
        assert match_answer("money", f"{amount} EUR", said)
        assert not match_answer("money", f"{amount} USD", said)
        assert not match_answer("money", f"{float(amount) + 1:.2f} EUR", said)


@given(times, st.sampled_from(WRAPPED))
def test_a_time_is_read_in_24_hours_and_with_the_half_of_the_day(clock: tuple[int, int], wrapped: str) -> None:
    hour, minute = clock
    half = "pm" if hour >= 12 else "am"
    for said in (f"{hour:02}:{minute:02}", f"{hour}:{minute:02}", f"{(hour - 1) % 12 + 1}:{minute:02} {half}"):
        assert match_answer("time", f"{hour:02}:{minute:02}", wrapped.format(said))
        assert not match_answer("time", f"{(hour + 12) % 24:02}:{minute:02}", wrapped.format(said))


@given(st.integers(1, 6000), st.sampled_from(["{} h {} min", "{} hours and {} minutes", "{}h{}m"]))
def test_a_duration_is_read_in_any_notation(minutes: int, form: str) -> None:
    for said in (form.format(minutes // 60, minutes % 60), f"{minutes} minutes", str(minutes)):
        assert match_answer("duration", minutes, said)
        assert not match_answer("duration", minutes + 1, said)


@given(days, day_forms, st.sampled_from(WRAPPED))
def test_a_day_is_read_in_any_notation(day: date, form: str, wrapped: str) -> None:
    said = wrapped.format(day.strftime(form))
    assert match_answer("date", day.isoformat(), said)
    assert not match_answer("date", (day + timedelta(days=1)).isoformat(), said)


@given(numbers, numbers, st.sampled_from([", ", " ", "; ", "\n", " or ", " and ", "/", " - ", ",", " to ", ". "]))
def test_two_numbers_are_no_answer(first: int, second: int, between: str) -> None:
    assume(first != second)
    said = f"{first}{between}{second}"
    assert not match_answer("number", first, said) and not match_answer("number", second, said)


@given(amounts, amounts, st.sampled_from([", ", " ", "; ", "\n", " or ", " and ", " / ", " - "]))
def test_two_amounts_are_no_answer(first: str, second: str, between: str) -> None:
    assume(float(first) != float(second))
    said = f"{first} EUR{between}{second} EUR"
    assert not match_answer("money", f"{first} EUR", said) and not match_answer("money", f"{second} EUR", said)


@given(days, days, day_forms, st.sampled_from([", ", "; ", "\n", " or ", " and ", " to "]))
def test_two_days_are_no_answer(first: date, second: date, form: str, between: str) -> None:
    assume((first.month, first.day) != (second.month, second.day))
    said = f"{first.strftime(form)}{between}{second.strftime(form)}"
    assert not match_answer("date", first.isoformat(), said)
    assert not match_answer("date", second.isoformat(), said)


@given(times, times, st.sampled_from([", ", "; ", "\n", " or ", " and ", "-", " to "]))
def test_two_times_are_no_answer(first: tuple[int, int], second: tuple[int, int], between: str) -> None:
    assume(first != second)
    one, other = (f"{hour:02}:{minute:02}" for hour, minute in (first, second))
    assert not match_answer("time", one, one + between + other) and not match_answer(
        "time", other, one + between + other
    )


@pytest.mark.parametrize("form", UNSURE + BOUNDS)
@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("number", "77"),
        ("money", "77.00 EUR"),
        ("date", "14 March 2025"),
        ("time", "10:00"),
        ("duration", "1 h 17 min"),
    ],
)
def test_a_value_that_is_denied_bounded_or_guessed_is_no_answer(kind: str, said: str, form: str) -> None:
    assert match_answer(kind, EXPECTED[kind], said)
    assert not match_answer(kind, EXPECTED[kind], form.format(said))


@pytest.mark.parametrize("form", UNSURE)
def test_a_name_that_is_denied_or_guessed_is_no_answer(form: str) -> None:
    assert not match_answer("text", "Signe Dahl", form.format("Signe Dahl"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_question_states_the_form_once_and_its_example_is_wrong(kind: str) -> None:
    asked = with_form("What is it?", kind)
    assert asked.startswith("What is it? Answer with ") and with_form(asked, kind) == asked
    for right in ("12.50 EUR", "8.20 GBP") if kind == "money" else ("14:05", "09:50") if kind == "time" else ():
        example = with_form("What is it?", kind, right).rpartition("such as ")[2].removesuffix(".")
        assert not match_answer(kind, right, example)
    assert not match_answer(kind, EXPECTED[kind], asked, question=asked)


def test_the_example_in_a_question_is_not_a_fact_to_repeat() -> None:
    asked = with_form("How much do I get back?", "money")
    assert "12.50 EUR" in asked
    assert not match_answer("money", "48.90 EUR", "12.50 EUR, 48.90 EUR", question=asked)
    assert not match_answer("money", "48.90 EUR", "12.50 EUR", question=asked)


@given(st.text(max_size=300), st.sampled_from(KINDS))
def test_no_text_breaks_it(text: str, kind: str) -> None:
    assert match_answer(kind, EXPECTED[kind], text, among=["b"], question=text[::-1], today=TODAY) in (True, False)


PIECES = ["1/", "12:", "1 000 ", "{", "not ", "twenty-", "at least ", "kr "]


@pytest.mark.parametrize("kind", KINDS)
def test_no_text_takes_long(kind: str) -> None:
    for first in PIECES:
        for second in ("1", "x"):
            said = ((first + second) * MAX_ANSWER)[:MAX_ANSWER]
            started = resource.getrusage(resource.RUSAGE_SELF).ru_utime
            match_answer(kind, EXPECTED[kind], said, among=["b"], question=said[:500], today=TODAY)
            assert resource.getrusage(resource.RUSAGE_SELF).ru_utime - started < MOST_SECONDS, (first, second)
