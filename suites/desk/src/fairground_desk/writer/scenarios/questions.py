"""Questions about the content of the documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairground.core import Check, State
from fairground.verify import holds, match_answer
from fairground.verify.reading.document import Document
from fairground.worlds import Move, Press, Say, World
from fairground_desk.writer.documents import LEASE, MINUTES, REPORT
from fairground_desk.writer.reading import document_of, nothing_else, table_of
from fairground_desk.writer.task import WriterTask, people


class Question(WriterTask):
    """Base class of questions about a document; nothing may change."""

    kind = "answer"
    template = "{question} Answer with {form}, and change nothing."
    step_budget = 60

    def right(self, world: World, was: Document) -> tuple[str, Any, Sequence[str]]:
        """Return the kind of the answer, the right answer, and plausible wrong answers."""
        raise NotImplementedError

    def phrase(self, world: World) -> str:
        organisation = people(world)
        question = str(world.parameters["question"]).format(
            task=organisation.minutes.actions.rows[0][0],
            item=organisation.minutes.items[1].title,
            name=organisation.name,
        )
        return self.template.format(question=question, form=world.parameters["form"])

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        was, now = document_of(before, self.document), document_of(after, self.document)
        kind, right, among = self.right(world, was)
        wrong = [value for value in among if value != right]
        passed = match_answer(kind, right, answer, among=wrong, question=world.instruction)
        return [
            holds("the answer is right", passed, expected=right, found=answer, weight=1.0),
            nothing_else("the document is as it was", was, now),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        _, right, _ = self.right(world, self.before(before))
        return [Press("ctrl+End"), Press("ctrl+Home"), Say(str(right))]


class AskLease(Question):
    """Ask about the lease."""

    name = "ask-lease"
    document = LEASE
    instances = {
        "notice": {
            "question": "How many months before the end of a quarter must notice be given under this lease?",
            "form": "the number of months",
            "what": "notice",
        },
        "deposit": {
            "question": "How large is the deposit under this lease?",
            "form": "the amount as a number",
            "what": "deposit",
        },
        "first-year": {
            "question": "How much rent does the tenant pay in one whole year under this lease?",
            "form": "the amount as a number",
            "what": "year",
        },
        "start": {"question": "On which day does this lease begin?", "form": "the date", "what": "start"},
        "schedule": {
            "question": "What do all payments of the schedule at the end of this lease add up to?",
            "form": "the amount as a number",
            "what": "schedule",
        },
    }

    def right(self, world: World, was: Document) -> tuple[str, Any, Sequence[str]]:
        """Take the answer from the terms and from the table."""
        terms = people(world).agreement
        table = table_of(was, "Payments")
        total = sum(int(row[2]) for row in table.grid[1:])
        answers: dict[str, tuple[str, Any]] = {
            "notice": ("number", terms.notice),
            "deposit": ("number", terms.deposit),
            "year": ("number", terms.rent * 12),
            "start": ("date", terms.start),
            "schedule": ("number", total),
        }
        kind, right = answers[str(world.parameters["what"])]
        return kind, right, ()


class AskMinutes(Question):
    """Ask about the decisions of the board."""

    name = "ask-minutes"
    document = MINUTES
    instances = {
        "mover": {
            "question": "Who moved the decision on “{item}” according to these minutes?",
            "form": "the name",
            "what": "mover",
        },
        "owner": {
            "question": "Who is to see to the task “{task}” according to these minutes?",
            "form": "the name",
            "what": "owner",
        },
        "next": {"question": "When is the next meeting of the board of {name}?", "form": "the date", "what": "next"},
        "hours": {
            "question": "How many hours do all tasks of these minutes take together, as estimated in the table?",
            "form": "the number of hours",
            "what": "hours",
        },
    }

    def right(self, world: World, was: Document) -> tuple[str, Any, Sequence[str]]:
        """Take the answer from the text and from the table of tasks."""
        minutes = people(world).minutes
        table = table_of(was, "Tasks")
        answers: dict[str, tuple[str, Any, Sequence[str]]] = {
            "mover": ("text", minutes.items[1].mover, minutes.present),
            "owner": ("text", table.grid[1][1], minutes.present),
            "next": ("date", minutes.next, ()),
            "hours": ("number", sum(int(row[3]) for row in table.grid[1:]), ()),
        }
        return answers[str(world.parameters["what"])]


class AskBudget(Question):
    """Ask about the figures of the report."""

    name = "ask-budget"
    document = REPORT
    instances = {
        "over": {
            "question": "By how much did the programmes that spent more than their budget go over it, all taken "
            "together, according to the table of this report?",
            "form": "the sum as a number",
            "what": "over",
        },
        "largest": {
            "question": "Which programme had the largest budget in the table of this report?",
            "form": "the name of the programme",
            "what": "largest",
        },
        "dearest": {
            "question": "Which programme spent the most for each person that it reached, according to the "
            "table of this report?",
            "form": "the name of the programme",
            "what": "dearest",
        },
        "total": {
            "question": "What did all programmes in the table of this report spend together?",
            "form": "the sum as a number",
            "what": "total",
        },
    }

    def right(self, world: World, was: Document) -> tuple[str, Any, Sequence[str]]:
        rows = [(row[0], int(row[2]), int(row[3]), int(row[4])) for row in table_of(was, "Budget").grid[1:] if row[4]]
        names = [row[0] for row in rows]
        answers: dict[str, tuple[str, Any, Sequence[str]]] = {
            "over": ("number", sum(max(0, spent - budget) for _, budget, spent, _ in rows), ()),
            "largest": ("text", max(rows, key=lambda row: row[1])[0], names),
            "dearest": ("text", max(rows, key=lambda row: row[2] / row[3])[0], names),
            "total": ("number", sum(row[2] for row in rows), ()),
        }
        return answers[str(world.parameters["what"])]


SCENARIOS = (AskLease(), AskMinutes(), AskBudget())
