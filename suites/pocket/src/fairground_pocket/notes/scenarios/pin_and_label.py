"""Find a note, add a label, and pin it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairground.core import Check, InvalidConfiguration, Parameter, State
from fairground.verify import contains, equal
from fairground.worlds import Fill, Move, Press, Scenario, Tap, World
from fairground_pocket.notes.scenarios.judging import Row, guard
from fairground_pocket.notes.scenarios.ways import to_the_list


class PinAndLabel(Scenario):
    """A note, identified by its title or by its position within a label, gets a label and is pinned."""

    name = "pin-and-label"
    app = "notes"
    template = (
        "In the notes app, find {which}. Add the label “{label}” to it, keep the labels it has, and pin it. "
        "Leave everything else as it is."
    )
    instances = {
        "dentist-health": {"title": "Dentist appointment", "label": "Health"},
        "passport-travel": {"title": "Passport renewal", "label": "Travel"},
        "gifts-money": {"title": "Gift ideas", "label": "Money"},
        "packing-travel": {"title": "Packing list", "label": "Travel"},
        "books-ideas": {"title": "Books to read", "label": "Ideas"},
        "oldest-recipe-health": {"position": "longest ago", "of": "Recipes", "label": "Health"},
        "latest-travel-recipes": {"position": "most recently", "of": "Travel", "label": "Recipes"},
    }
    step_budget = 30

    def instruction(self, parameters: Mapping[str, Parameter]) -> str:
        """The instruction. A note identified by its position is not named by its title."""
        if "title" in parameters:
            which = f"the note titled “{parameters['title']}”"
        else:
            which = f"the note with the label “{parameters['of']}” that was edited {parameters['position']}"
        return self.template.format(which=which, label=parameters["label"])

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Judges the target note, looked up in the state before, and everything around it."""
        label = str(world.parameters["label"])
        number = target(world.parameters, before)["id"]
        note = next((row for row in after.get("notes") if row["id"] == number), {"labels": [], "pinned": False})

        def without_the_task(row: Row) -> Row:
            if row["id"] != number:
                return row
            labels = [name for name in row["labels"] if name != label]
            return {**row, "labels": labels, "pinned": "", "modified": ""}

        return [
            contains("the note has the label", label, note["labels"]),
            equal("the note is pinned", True, note["pinned"]),
            guard(before, after, same=without_the_task),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Searches for the note, adds the label in the form, pins it."""
        label = str(world.parameters["label"])
        note = target(world.parameters, before)
        add: list[Move] = (
            [] if label in note["labels"] else [Tap("Edit note"), Tap(label, role="checkbox"), Tap("Save")]
        )
        pin: list[Move] = [] if note["pinned"] else [Tap("Pin", role="button")]
        search: list[Move] = [Fill("Search notes", note["title"]), Press("enter")]
        return [*to_the_list(world), *search, Tap(note["title"], role="link"), *add, *pin]


def target(parameters: Mapping[str, Parameter], state: State) -> Row:
    """The target note."""
    rows: list[Row] = [row for row in state.get("notes") if row["trashed"] is None]
    if "title" in parameters:
        matches = [row for row in rows if row["title"] == parameters["title"]]
    else:
        of_label = [row for row in rows if parameters["of"] in row["labels"]]
        of_label.sort(key=lambda row: row["modified"], reverse=parameters["position"] == "most recently")
        matches = of_label[:1]
    if len(matches) != 1:
        raise InvalidConfiguration(f"{dict(parameters)} stands for {len(matches)} notes of this profile; expected one")
    return matches[0]
