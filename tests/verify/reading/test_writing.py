"""Letters of different kinds of writing have looks of their own; what Calc cannot write is read as Calc reads it."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from fairground.core import StateError
from fairground.verify.reading import ods
from fairground.verify.reading.prose import Budget, Run, RunBuilder
from fairground.verify.reading.writing import ASIAN, COMPLEX, WESTERN, writings


def test_what_is_no_letter_goes_with_the_letter_before_it() -> None:
    assert writings("“שלום” abc, 12 日本") == [("“שלום” ", COMPLEX), ("abc, 12 ", WESTERN), ("日本", ASIAN)]
    assert writings("😀 12") == [("😀 12", WESTERN)]
    assert writings("") == []


def test_a_hebrew_word_has_the_weight_of_complex_letters() -> None:
    builder, plain, bold = RunBuilder(Budget("text")), Run(text=""), Run(text="", bold=True)
    builder.add(plain, "ab ", plain, bold)
    builder.add(plain, "שלום x", plain, bold)
    assert [(run.text, run.bold) for run in builder.finish()] == [("ab ", False), ("שלום ", True), ("x", False)]


def test_a_number_that_is_no_date_is_read_as_calc_reads_it_and_other_nonsense_is_refused() -> None:
    assert ods._date("-000-32768-01-01T00:00:00", "sheet") == date(1899, 12, 30)
    assert ods._time("PT-2147483648H00M00S", "sheet") == timedelta()
    assert ods._time("PT-2147483648H-2147483648M-2147483648S", "sheet") == timedelta()
    with pytest.raises(StateError):
        ods._date("-000-32768-02-01", "sheet")
    with pytest.raises(StateError):
        ods._time("PT-5H00M00S", "sheet")
