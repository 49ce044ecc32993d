"""Find and replace: names, patterns, whole lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from fairground.core import State
from fairground.worlds import Move, World
from fairground_desk.mousepad.app import workplace
from fairground_desk.mousepad.scenarios.editing import EditTask, shown
from fairground_desk.mousepad.scenarios.moves import replace_all
from fairground_desk.mousepad.workplaces import Rename


class ReplaceWord(EditTask):
    """Replace a whole word everywhere, but not inside of longer words."""

    name = "replace-word"
    instances = {"person": {"which": "person"}, "thing": {"which": "thing"}, "place": {"which": "place"},
                 "setting": {"which": "setting"}}  # fmt: skip

    def rename(self, world: World) -> Rename:
        return workplace(world).renames[str(world.parameters["which"])]

    def path(self, world: World) -> str:
        """Return the path of the file that contains the word."""
        return workplace(world).path(self.rename(world).role)

    def phrase(self, world: World) -> str:
        word = self.rename(world)
        return (
            f'In {shown(self.path(world))} the word "{word.old}" has to become "{word.new}" wherever it stands on its '
            f'own, spelt exactly like that. Longer words such as "{word.longer}" and other spellings with capital or '
            "small letters stay as they are. Save the file under its own name."
        )

    def wanted(self, world: World, lines: Sequence[str]) -> list[str]:
        word = self.rename(world)
        return [re.sub(rf"\b{re.escape(word.old)}\b", word.new, line) for line in lines]

    def edit(self, world: World, lines: Sequence[str]) -> list[Move]:
        word = self.rename(world)
        return replace_all(word.old, word.new, word=True)

    def near_states(self, world: World, before: State, after: State) -> Mapping[str, State]:
        """Also replaced inside of longer words, or regardless of case."""
        word, path = self.rename(world), self.path(world)
        text = before.text(path)
        greedy = text.replace(word.old, word.new)
        loose = re.sub(rf"\b{re.escape(word.old)}\b", word.new, text, flags=re.IGNORECASE)
        texts = {"longer words replaced too": greedy, "other spellings replaced too": loose}
        return {name: with_text(after, path, new) for name, new in texts.items() if new != after.text(path)}


class RewritePattern(EditTask):
    """Rewrite dates, times, amounts or spaces in another notation, with a regular expression."""

    name = "rewrite-pattern"
    instances = {
        "dates": {
            "role": "contacts", "old": r"(\d\d)\.(\d\d)\.(\d{4})", "new": r"\3-\2-\1",
            "ask": "every date is written day.month.year, such as 05.11.2019. Rewrite all of them as "
                   "year-month-day, such as 2019-11-05",
        },
        "times": {
            "role": "notes", "old": r"\b(\d{1,2})h(\d\d)\b", "new": r"\1:\2",
            "ask": "times of day are written with an h, such as 8h45. Rewrite all of them with a colon, such as 8:45",
        },
        "amounts": {
            "role": "dos", "old": r"(\d+)\.(\d{3}),(\d\d)", "new": r"\1\2.\3",
            "ask": "amounts are written like 7.250,40. Rewrite all of them without the separator of thousands and with "
                   "a decimal point, like 7250.40; the dates stay",
        },
        "spacing": {
            "role": "config", "old": r"^([^#=]+?) = ", "new": r"\1=",
            "ask": "there is a space on each side of the equals signs. Take those spaces out, so that every setting "
                   "reads like key=value",
        },
    }  # fmt: skip

    def phrase(self, world: World) -> str:
        return f"In {shown(self.path(world))}, {world.parameters['ask']}. Save the file under its own name."

    def wanted(self, world: World, lines: Sequence[str]) -> list[str]:
        old, new = str(world.parameters["old"]), str(world.parameters["new"])
        return [re.sub(old, new, line) for line in lines]

    def edit(self, world: World, lines: Sequence[str]) -> list[Move]:
        return replace_all(str(world.parameters["old"]), str(world.parameters["new"]), regex=True)


class DeleteLines(EditTask):
    """Delete all lines of a kind."""

    name = "delete-lines"
    instances = {
        "closed": {"role": "contacts", "line": r".*,closed", "ask": "whose status is closed", "what": "rows"},
        "paused": {"role": "contacts", "line": r".*,paused", "ask": "whose status is paused", "what": "rows"},
        "done": {"role": "todo", "line": r"\[x\].*", "ask": "that are ticked with [x]", "what": "lines"},
        "comments": {"role": "config", "line": r"#.*", "ask": "that begin with #", "what": "lines"},
    }

    def phrase(self, world: World) -> str:
        asked = world.parameters
        return (
            f"Delete all {asked['what']} {asked['ask']} from {shown(self.path(world))}, each with its line break, so "
            "that no gap is left. The others stay as they are, in their order. Save the file under its own name."
        )

    def wanted(self, world: World, lines: Sequence[str]) -> list[str]:
        return [line for line in lines if not re.fullmatch(str(world.parameters["line"]), line)]

    def edit(self, world: World, lines: Sequence[str]) -> list[Move]:
        """Replace the lines and their line ends with nothing."""
        return replace_all(rf"^{world.parameters['line']}\n", "", regex=True)

    def near_states(self, world: World, before: State, after: State) -> Mapping[str, State]:
        """Lines that were emptied instead of deleted."""
        path = self.path(world)
        lines = before.text(path).split("\n")
        pattern = re.compile(str(world.parameters["line"]))
        emptied = "\n".join("" if pattern.fullmatch(line) else line for line in lines)
        return {"emptied": with_text(after, path, emptied)}


def with_text(state: State, path: str, text: str) -> State:
    """Return a state in which a file has another text."""
    return State(files={**state.files, path: text.encode()}, data=state.data, missing=state.missing)
