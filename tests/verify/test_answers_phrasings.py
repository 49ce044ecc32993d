"""The table of phrasings: what is accepted and rejected, by kind and notation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from fairground.verify import match_answer

TABLE = Path(__file__).parent / "phrasings.txt"
TODAY = date(2025, 3, 14)  # a Friday
MOST_FALSE_REJECTS = 0.02


@dataclass(frozen=True)
class Phrasing:
    """A line of the table."""

    kind: str
    expected: Any
    among: tuple[str, ...]
    right: bool
    answer: str
    question: str

    def accepted(self) -> bool:
        return match_answer(
            self.kind, self.expected, self.answer, among=self.among, question=self.question, today=TODAY
        )


def phrasings() -> Iterator[Phrasing]:
    question = ""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("?"):
            question = line[1:].strip()
        elif line.strip() and not line.startswith("#"):
            kind, wanted, verdict, answer = (part.strip() for part in line.split(" | ", 3))
            assert verdict in ("right", "wrong"), line
            wanted, _, others = wanted.partition(" ; among ")
            expected: Any = wanted
            if kind == "list":
                expected = wanted.split("; ")
            elif kind == "yesno":
                expected = wanted == "yes"
            among = tuple(others.split("; ")) if others else ()
            yield Phrasing(kind, expected, among, verdict == "right", answer.replace("\\n", "\n"), question)


@pytest.fixture(scope="module")
def table() -> list[Phrasing]:
    return list(phrasings())


def test_the_table_covers_all_kinds_with_right_and_wrong_answers(table: list[Phrasing]) -> None:
    assert len(table) >= 400
    assert len(set(table_key(row) for row in table)) == len(table)
    counts = Counter((row.kind, row.right) for row in table)
    for kind in ("number", "money", "date", "time", "duration", "text", "list", "yesno"):
        assert counts[kind, True] >= 7 and counts[kind, False] >= 7, kind


def test_no_wrong_answer_of_the_table_is_accepted(table: list[Phrasing]) -> None:
    assert [row for row in table if not row.right and row.accepted()] == []


def test_few_right_answers_of_the_table_are_rejected(table: list[Phrasing]) -> None:
    right = [row for row in table if row.right]
    rejected = [row for row in right if not row.accepted()]
    assert len(rejected) < MOST_FALSE_REJECTS * len(right), rejected


def table_key(row: Phrasing) -> tuple[str, str, str, str]:
    return row.kind, str(row.expected), row.question, row.answer
