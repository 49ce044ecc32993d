"""PCManFM with Mousepad: move files and log them in a note, or move files that a note lists and tick them off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from fairground.core import Check, State
from fairground.verify import equal, holds
from fairground.worlds import Enter, Move, Press, World
from fairground_desk.files.app import home_of
from fairground_desk.files.homes import Home
from fairground_desk.files.scenarios.moves import go_to, move_to, new_folder, pick, pick_one, show
from fairground_desk.files.scenarios.plan import FilesTask, Plan, inside, name_of, same_modes, shown
from fairground_desk.kit import rest, window
from fairground_desk.mousepad.inspector import text_of
from fairground_desk.mousepad.scenarios.editing import same_form, untouched_lines
from fairground_desk.mousepad.scenarios.moves import go_to as go_to_line
from fairground_desk.mousepad.scenarios.moves import save
from fairground_desk.tasks import files_unchanged
from fairground_desk.together.opening import TEXT_EDITOR, Together, open_from_folder

LOG: Final = "~/Documents/desk log.txt"
ORDERS: Final = "~/Documents/moving list.txt"
_DONE, _OPEN = "[x]", "[ ]"


class NoteTask(Together, FilesTask):
    """Base of tasks that move files and change a text file.

    Attributes:
        note: Path of the text file.
    """

    note: ClassVar[str] = ""
    also: ClassVar[tuple[str, ...]] = ("mousepad",)
    opens_with = TEXT_EDITOR
    step_budget = 140

    def wanted(self, world: World, before: State) -> list[str]:
        """Return the expected lines of the note."""
        raise NotImplementedError

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Check the plan and the note, and guard all other files and permissions."""
        plan = self.plan(world, before).whole(before)
        old, new = text_of(before, self.note), text_of(after, self.note)
        wanted = self.wanted(world, before)
        return [
            *self.judge(world, before, after, answer),
            *self.noted(world, before, new.lines),
            holds(
                "the note is exactly as asked", list(new.lines) == wanted, expected=wanted[-12:],
                found=list(new.lines[-12:]), weight=2.0,
            ),
            untouched_lines(old.lines, wanted, new.lines),
            same_form(old, new),
            files_unchanged(before, after, [*plan.touched, self.note]),
            same_modes(plan, before, after, ()),
        ]  # fmt: skip

    def noted(self, world: World, before: State, found: Sequence[str]) -> list[Check]:
        """Return checks of parts of the note."""
        return []

    def opened(self) -> list[Move]:
        """Open the note from its folder, with the cursor at its start."""
        return [*open_from_folder(self.note, rf"/{name_of(self.note)} - Mousepad$"), Press("ctrl+Home")]

    def closed(self) -> list[Move]:
        """Save the note and close the editor, which brings the file manager to the front."""
        return [*save(self.note), Press("ctrl+q"), window("Mousepad$", gone=True), rest()]


class SortAndLog(NoteTask):
    """Move downloads to a new folder, and log them. Spans PCManFM and Mousepad."""

    name = "sort-and-log"
    note = LOG
    instances = {
        "papers": {"ending": ".pdf", "to": "~/Documents/Papers", "day": "2026-04-02"},
        "tables": {"ending": ".csv", "to": "~/Documents/Tables", "day": "2026-04-03"},
        "scans": {"ending": ".png", "to": "~/Pictures/Scans", "day": "2026-04-07"},
    }

    def phrase(self, world: World) -> str:
        wanted = world.parameters
        return (
            f"Move all {wanted['ending']} files from Downloads to a new folder {shown(str(wanted['to']))}, and note it "
            f'in the text file {shown(LOG)}: below its last line add the line "{wanted["day"]} moved to '
            f'{shown(str(wanted["to"]))}:" and then one line for every file that was moved, with "- " before its full '
            "name, in alphabetical order. No blank lines between these, every line ended by a line break, and what the "
            "log says already stays. Save it."
        )

    def papers(self, world: World) -> Mapping[str, bytes]:
        home = home_of(world)
        lines = [f"{home.owner}: what was done on this desk", ""]
        for month, client in zip(("2026-01-12", "2026-02-09", "2026-03-11"), home.clients, strict=True):
            lines += [f"{month} sent to {client}:", f"- {month[:7]} {client}.pdf"]
        return {LOG: "".join(f"{line}\n" for line in lines).encode()}

    def plan(self, world: World, before: State) -> Plan:
        to = str(world.parameters["to"])
        return Plan(moved={path: f"{to}/{name_of(path)}" for path in self._files(world, before)}, made=(to,))

    def wanted(self, world: World, before: State) -> list[str]:
        return [*text_of(before, LOG).lines, *self._entry(world, before)]

    def noted(self, world: World, before: State, found: Sequence[str]) -> list[Check]:
        head, *names = self._entry(world, before)
        later = list(found[len(text_of(before, LOG).lines) :])
        return [
            equal("the entry begins with day and folder", head, later[0] if later else None),
            equal("it names every file that was moved", sorted(names), sorted(later[1:])),
            holds("it names them in order", bool(later[1:]) and later[1:] == sorted(later[1:]), found=later[1:9]),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        to, ending = str(world.parameters["to"]), world.parameters["ending"]
        entry = "".join(f"{line}\n" for line in self._entry(world, before))
        return [
            *go_to(to.rpartition("/")[0]), *new_folder(name_of(to)), *pick("~/Downloads", f"*{ending}"), *move_to(to),
            *self.opened(), Press("ctrl+End"), Enter(entry), *self.closed(), *show("*"),
        ]  # fmt: skip

    def _files(self, world: World, before: State) -> list[str]:
        return inside(before, "~/Downloads", str(world.parameters["ending"]))

    def _entry(self, world: World, before: State) -> list[str]:
        names = sorted(name_of(path) for path in self._files(world, before))
        return [f"{world.parameters['day']} moved to {shown(str(world.parameters['to']))}:",
                *(f"- {name}" for name in names)]  # fmt: skip


class FollowTheList(NoteTask):
    """Move files as a list in a text file says, and tick them off. Spans PCManFM and Mousepad."""

    name = "follow-the-list"
    note = ORDERS
    step_budget = 240
    instances = {
        "friday": {"part": "Friday"},
        "monday": {"part": "Monday"},
        "month-end": {"part": "Month end"},
    }

    def phrase(self, world: World) -> str:
        part = world.parameters["part"]
        return (
            f'In the text file {shown(ORDERS)} somebody wrote down what goes where. Carry out the part "{part}", and '
            "only that: every line of it names a file, and after the arrow the folder that it should be moved to, all "
            "as seen from the home folder; the folders are there already and the files keep their names. Then tick "
            f"those lines off in the list: {_OPEN} at their beginning becomes {_DONE}. All else in the list stays as "
            "it is. Save it."
        )

    def papers(self, world: World) -> Mapping[str, bytes]:
        lines = [f"Where things go ({home_of(world).owner})"]
        for part, moved in orders(home_of(world)).items():
            lines += ["", f"== {part} ==", *(f"{_OPEN} {old} -> {folder}" for old, folder in moved)]
        return {ORDERS: "".join(f"{line}\n" for line in lines).encode()}

    def plan(self, world: World, before: State) -> Plan:
        moved = {f"~/{old}": f"~/{folder}/{name_of(old)}" for old, folder in self._orders(world)}
        return Plan(moved=moved)

    def wanted(self, world: World, before: State) -> list[str]:
        return [self._ticked(world, line) for line in text_of(before, ORDERS).lines]

    def noted(self, world: World, before: State, found: Sequence[str]) -> list[Check]:
        ticked = [f"{_DONE} {old} -> {folder}" for old, folder in self._orders(world)]
        left = sum(line.startswith(_OPEN) for line in text_of(before, ORDERS).lines) - len(ticked)
        return [
            equal("the lines are ticked off", ticked, [line for line in found if line.startswith(_DONE)]),
            holds(
                "the others are not", any(line in found for line in ticked)
                and sum(line.startswith(_OPEN) for line in found) == left, expected=left, found=list(found[:20]),
            ),
        ]  # fmt: skip

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        lines = text_of(before, ORDERS).lines
        moves: list[Move] = []
        for old, folder in self._orders(world):
            moves += [*pick_one(f"~/{old}"), *move_to(f"~/{folder}"), *show("*")]
        moves += self.opened()
        for old, folder in self._orders(world):
            moves += [
                *go_to_line(lines.index(f"{_OPEN} {old} -> {folder}") + 1),
                *([Press("shift+Right")] * len(_OPEN)),
            ]
            moves.append(Enter(_DONE))
        return [*moves, *self.closed()]

    def _orders(self, world: World) -> list[tuple[str, str]]:
        return orders(home_of(world))[str(world.parameters["part"])]

    def _ticked(self, world: World, line: str) -> str:
        done = {f"{_OPEN} {old} -> {folder}" for old, folder in self._orders(world)}
        return line.replace(_OPEN, _DONE, 1) if line in done else line


def orders(home: Home) -> dict[str, list[tuple[str, str]]]:
    """Return the entries of the list, by part: a file, and its target folder below the home folder."""
    first, second = (f"Projects/{name}" for name in home.projects)
    return {
        "Friday": [
            (f"Documents/{home.papers[0]}.txt", second),
            ("Downloads/manual.pdf", "Documents/Contracts"),
            (f"{first}/images/logo.png", f"Pictures/{home.second}"),
        ],
        "Monday": [
            ("Downloads/licence.txt", "Documents/Notes"),
            (f"Downloads/statement-{home.clients[1]}.pdf", "Documents/Invoices"),
            (f"{first}/budget.csv", "Downloads"),
        ],
        "Month end": [
            (f"Documents/{home.papers[3]}.txt", f"{second}/drafts"),
            (f"Pictures/{home.second}/{home.subjects[1]}-2.jpg", f"Pictures/{home.album}"),
            ("Downloads/ticket.pdf", "Documents/Contracts"),
        ],
    }


SCENARIOS = (SortAndLog(), FollowTheList())
