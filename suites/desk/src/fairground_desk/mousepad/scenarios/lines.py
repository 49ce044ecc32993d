"""Lines: sorting, moving, changing case, adding."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fairground.worlds import Enter, Move, Press, World
from fairground_desk.mousepad.app import workplace
from fairground_desk.mousepad.documents import CONTACTS
from fairground_desk.mousepad.scenarios.editing import EditTask, shown
from fairground_desk.mousepad.scenarios.moves import convert, go_to, replace_all, select_lines

_ORDERS = {
    "a-z": "alphabetically from A to Z, with digits before letters",
    "z-a": "alphabetically backwards, from Z to A, with digits after letters",
    "smallest": "by the number after the comma, the smallest first",
    "largest": "by the number after the comma, the largest first",
}


class SortList(EditTask):
    """Sort a list of a dozen lines."""

    name = "sort-list"
    instances = {name: {"role": "list", "order": name} for name in _ORDERS}

    def phrase(self, world: World) -> str:
        return (
            f"Sort the lines of {shown(self.path(world))} {_ORDERS[str(world.parameters['order'])]}. Every line stays "
            "as it is; only the order changes. Save the file under its own name."
        )

    def wanted(self, world: World, lines: Sequence[str]) -> list[str]:
        order = str(world.parameters["order"])
        if order in ("a-z", "z-a"):
            return sorted(lines, key=str.casefold, reverse=order == "z-a")
        numbers = {line: int(re.findall(r"\d+", line.partition(",")[2])[0]) for line in lines}
        return sorted(lines, key=numbers.__getitem__, reverse=order == "largest")

    def edit(self, world: World, lines: Sequence[str]) -> list[Move]:
        """Mousepad cannot sort, so the sorted list is typed."""
        return [Press("ctrl+a"), Enter("".join(f"{line}\n" for line in self.wanted(world, lines)))]


class MoveSection(EditTask):
    """Move a section of the minutes to another place."""

    name = "move-section"
    instances = {
        "fifth-to-top": {"role": "notes", "which": 4, "to": 0},
        "first-to-end": {"role": "notes", "which": 0, "to": 5},
        "second-behind-fourth": {"role": "notes", "which": 1, "to": 3},
        "last-to-second": {"role": "notes", "which": 5, "to": 1},
    }

    def phrase(self, world: World) -> str:
        topics = list(workplace(world).topics)
        which, to = int(world.parameters["which"]), int(world.parameters["to"])
        moved = topics.pop(which)
        place = (f'right before the section "{topics[0]}"' if to == 0
                 else f'right behind the section "{topics[to - 1]}"')  # fmt: skip
        return (
            f'In the minutes {shown(self.path(world))}, move the section "{moved}" (its heading and everything up to '
            f"the next heading, or up to the line that says who wrote the minutes) {place}. Keep every line of it as "
            "it is, blank ones included, and all other sections in their order. Save the file under its own name."
        )

    def wanted(self, world: World, lines: Sequence[str]) -> list[str]:
        head, sections, tail = _sections(lines)
        sections.insert(int(world.parameters["to"]), sections.pop(int(world.parameters["which"])))
        return [*head, *(line for section in sections for line in section), *tail]

    def edit(self, world: World, lines: Sequence[str]) -> list[Move]:
        head, sections, _ = _sections(lines)
        which, to = int(world.parameters["which"]), int(world.parameters["to"])
        start = len(head) + sum(map(len, sections[:which])) + 1
        moved = sections.pop(which)
        end = len(head) + sum(map(len, sections[:to])) + 1
        return [*select_lines(start, len(moved)), Press("ctrl+x"), *go_to(end), Press("ctrl+v")]


class ChangeCase(EditTask):
    """Change the case of a text, or of some lines."""

    name = "change-case"
    instances = {
        "list-capitals": {"role": "list", "which": "", "to": "upper", "ask": "all letters of {path}"},
        "tasks-small": {"role": "todo", "which": "", "to": "lower", "ask": "all letters of {path}"},
        "headings-capitals": {
            "role": "notes", "which": "## .*", "to": "upper", "ask": "the headings that begin with ## in {path}",
        },
        "sections-capitals": {
            "role": "config", "which": r"\[.*\]", "to": "upper", "ask": "the names of sections in {path}, [like this],",
        },
    }  # fmt: skip

    def phrase(self, world: World) -> str:
        what = str(world.parameters["ask"]).format(path=shown(self.path(world)))
        letters = "capital" if world.parameters["to"] == "upper" else "small"
        return f"Turn {what} into {letters} letters and change nothing else. Save the file under its own name."

    def wanted(self, world: World, lines: Sequence[str]) -> list[str]:
        which = re.compile(str(world.parameters["which"]) or ".*")
        turn = str.upper if world.parameters["to"] == "upper" else str.lower
        return [turn(line) if which.fullmatch(line) else line for line in lines]

    def edit(self, world: World, lines: Sequence[str]) -> list[Move]:
        """Use the menu command for the whole text, and a regular expression for some lines."""
        if not world.parameters["which"]:
            return [Press("ctrl+a"), *convert(str(world.parameters["to"]))]
        return replace_all(f"^({world.parameters['which']})$", r"\U\1", regex=True)


class AddLine(EditTask):
    """Add a line at a described place."""

    name = "add-line"
    instances = {
        "contact": {"role": "contacts", "row": 20},
        "contact-early": {"role": "contacts", "row": 7},
        "action": {"role": "notes", "topic": 1},
        "action-late": {"role": "notes", "topic": 4},
        "task": {"role": "todo"},
    }

    def line(self, world: World) -> str:
        place = workplace(world)
        if world.parameters["role"] == "contacts":
            where = f"Garden Row 5,{place.towns[0]},{place.country} 41 52 63"
            return f"{2000 + CONTACTS},Alex Winter,{where},01.04.2026,active"
        return "- [ ] Alex Winter: send the slides to everybody" if "topic" in world.parameters else "[ ] Thank Alex"

    def phrase(self, world: World) -> str:
        asked = world.parameters
        if "row" in asked:
            where = f"directly below the row with the id {1000 + int(asked['row'])}"
        elif "topic" in asked:
            topic = workplace(world).topics[int(asked["topic"])]
            where = f'directly below the last point of the list (the lines that begin with "- [ ]") under "{topic}"'
        else:
            where = "as the very first line"
        return (
            f"Add this line to {shown(self.path(world))}, {where}:\n\n{self.line(world)}\n\n"
            "Leave all other lines as they are, and save the file under its own name."
        )

    def spot(self, world: World, lines: Sequence[str]) -> int:
        """Return the line, counted from 0, before which it belongs."""
        asked = world.parameters
        if "row" in asked:
            return next(at for at, line in enumerate(lines) if line.startswith(f"{1000 + int(asked['row'])},")) + 1
        if "topic" in asked:
            start = lines.index(f"## {workplace(world).topics[int(asked['topic'])]}")
            first = next(at for at in range(start, len(lines)) if lines[at].startswith("- [ ]"))
            return next(at for at in range(first, len(lines)) if not lines[at].startswith("- [ ]"))
        return 0

    def wanted(self, world: World, lines: Sequence[str]) -> list[str]:
        at = self.spot(world, lines)
        return [*lines[:at], self.line(world), *lines[at:]]

    def edit(self, world: World, lines: Sequence[str]) -> list[Move]:
        return [*go_to(self.spot(world, lines) + 1), Enter(f"{self.line(world)}\n")]


def _sections(lines: Sequence[str]) -> tuple[list[str], list[list[str]], list[str]]:
    """The text before the first heading, the sections, and the last line."""
    starts = [at for at, line in enumerate(lines) if line.startswith("## ")]
    ends = [*starts[1:], len(lines) - 1]
    return list(lines[: starts[0]]), [list(lines[a:b]) for a, b in zip(starts, ends, strict=True)], list(lines[-1:])
