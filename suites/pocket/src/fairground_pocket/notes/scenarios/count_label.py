"""How many notes have a label: a question answered by looking."""

from __future__ import annotations

from collections.abc import Sequence

from fairground.core import Check, State
from fairground.verify import holds, match_answer
from fairground.worlds import Move, Say, Scenario, Tap, World
from fairground_pocket.notes.profiles import SHARED_LABELS
from fairground_pocket.notes.scenarios.judging import guard
from fairground_pocket.notes.scenarios.ways import to_the_list


class CountLabel(Scenario):
    """The number of notes with a label, not counting the trash."""

    name = "count-label"
    app = "notes"
    kind = "answer"
    template = (
        "How many notes in the notes app have the label “{label}”? Do not count notes in the trash. "
        "Answer with the number, and change nothing."
    )
    instances = {label.lower(): {"label": label} for label in SHARED_LABELS}
    step_budget = 20

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Compares the answer with the database as it was before the episode."""
        expected = count(before, str(world.parameters["label"]))
        shown = answer[:200] if answer else "no answer"
        right = match_answer("number", expected, answer, question=world.instruction)
        return [
            holds("the number is right", right, expected=expected, found=shown),
            guard(before, after),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Opens the notes with the label and says how many there are."""
        label = str(world.parameters["label"])
        return [*to_the_list(world), Tap(label, role="link", within="Labels"), Say(str(count(before, label)))]


def count(state: State, label: str) -> int:
    """How many notes outside the trash have a label."""
    return sum(label in row["labels"] and row["trashed"] is None for row in state.get("notes"))
