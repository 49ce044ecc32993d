"""What should have become of files, and how that is compared with what did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fairground.core import Check, InvalidConfiguration, State
from fairground.verify import equal, holds, unchanged
from fairground.worlds import World
from fairground_desk.files.inspector import TRASH, bookmarks, kinds, modes_of, settings_of, trash_of
from fairground_desk.tasks import DeskTask, files_unchanged

MOST_SINGLE = 5
_PASSING = ("ui/win_", "ui/splitter_pos", "ui/side_pane_mode", "ui/maximized")  # what windows write by themselves


@dataclass(frozen=True)
class Plan:
    """What a task does to files and folders.

    Attributes:
        moved: Old path to new path; a folder takes along what is in it.
        copied: Path to the path of the copy.
        made: New folders.
        empty: New files with nothing in them.
        trashed: What is thrown away.
        erased: What is deleted for good.
        links: Path of a new link to what it leads to.
    """

    moved: Mapping[str, str] = field(default_factory=dict)
    copied: Mapping[str, str] = field(default_factory=dict)
    made: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    trashed: tuple[str, ...] = ()
    erased: tuple[str, ...] = ()
    links: Mapping[str, str] = field(default_factory=dict)

    def whole(self, before: State) -> Plan:
        """The same, with what is inside of moved, copied and deleted folders spelt out."""
        there = list(kinds(before))

        def inside(old: str) -> list[str]:
            if old not in there:
                raise InvalidConfiguration(f"{old} is not among the files")
            return [path for path in there if path == old or path.startswith(f"{old}/")]

        def spelt(pairs: Mapping[str, str]) -> dict[str, str]:
            return {path: new + path[len(old) :] for old, new in pairs.items() for path in inside(old)}

        return Plan(spelt(self.moved), spelt(self.copied), self.made, self.empty, self.trashed,
                    tuple(path for old in self.erased for path in inside(old)), self.links)  # fmt: skip

    @property
    def touched(self) -> list[str]:
        return [*self.moved, *self.moved.values(), *self.copied.values(), *self.made, *self.empty, *self.erased,
                *self.links]  # fmt: skip


class FilesTask(DeskTask):
    """A task about files in PCManFM: a plan, and the moves for it."""

    app = "files"
    step_budget = 200  # the file manager has no shortcut for most of it

    def plan(self, world: World, before: State) -> Plan:
        """What should become of the files."""
        return Plan()

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Compares what there is with the plan."""
        return carried_out(self.plan(world, before).whole(before), before, after)

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """The task's own checks, and the guards over all other files, permissions, settings and bookmarks."""
        plan = self.plan(world, before).whole(before)
        thrown = [f"{path}{below}" for path in plan.trashed for below in ("", "/*")]
        allowed = [*map(_literal, plan.touched), *thrown]
        if plan.trashed:
            allowed += [TRASH, f"{TRASH}/*"]
        return [
            *self.judge(world, before, after, answer),
            files_unchanged(before, after, allowed),
            same_modes(plan, before, after, self.other_modes(world, before)),
            self.same_settings(world, before, after),
            self.same_bookmarks(before, after),
        ]

    def other_modes(self, world: World, before: State) -> Sequence[str]:
        return ()

    def other_settings(self, world: World) -> Sequence[str]:
        """Settings that may change, by group and name."""
        return ()

    def same_settings(self, world: World, before: State, after: State) -> Check:
        """A guard: the settings are as they were, but for those of the task."""
        old, new = settings_of(before), settings_of(after)
        passing = [name for name in (*old, *new) if name.startswith(_PASSING) or name not in old]
        return unchanged(
            "the other settings are as they were", old, new, allowed=(*passing, *self.other_settings(world))
        )

    def same_bookmarks(self, before: State, after: State) -> Check:
        """A guard: the bookmarks are as they were, in their order."""
        old, new = ({str(at): one for at, one in enumerate(bookmarks(state))} for state in (before, after))
        return unchanged("the bookmarks are as they were", old, new)


def carried_out(plan: Plan, before: State, after: State) -> list[Check]:
    """Whether a plan was carried out: some of it one by one, and all of it."""
    single: dict[str, bool] = {}
    there, was = kinds(after), kinds(before)
    for old, new in plan.moved.items():
        if was[old] == "file":
            single[f"{old} is now {new}"] = _same(before, old, after, new) and old not in there
        else:
            single[f"the folder {old} is now {new}"] = there.get(new) == was[old] and old not in there
    for old, new in plan.copied.items():
        same = _same(before, old, after, new) if was[old] == "file" else there.get(new) == was[old]
        single[f"{new} is a copy of {old}"] = same
    for path in plan.made:
        single[f"there is a folder {path}"] = there.get(path) == "folder"
    for path in plan.empty:
        single[f"there is an empty file {path}"] = after.files.get(path) == b""
    for path in plan.erased:
        single[f"{path} is gone for good"] = path not in there and path not in trash_of(after)
    for path, target in plan.links.items():
        leads = there.get(path) == "link" and modes_of(after).get(path, {}).get("target") == target
        single[f"{path} is a link to {target}"] = leads
    if plan.trashed:
        single |= _thrown_away(plan.trashed, before, after)
    step = max(1, -(-len(single) // MOST_SINGLE))
    some = [holds(name, passed, expected=True, found=passed) for name, passed in list(single.items())[::step]]
    failed = [name for name, passed in single.items() if not passed]
    return [*some, holds("all of it is done", not failed, expected=f"{len(single)} changes", found=failed or "all",
                         weight=2.0)]  # fmt: skip


def same_modes(plan: Plan, before: State, after: State, allowed: Sequence[str]) -> Check:
    """A guard: files have the permissions that they had, also where they were moved or copied to; new ones usual ones.

    Args:
        plan: What should have become of the files, spelt out.
        before: The state before.
        after: The state after.
        allowed: Paths whose permissions the task is about; where they lead is compared all the same.
    """
    old = modes_of(before)
    gone = {*plan.moved, *plan.erased, *(path for top in plan.trashed for path in old if _is_in(path, top))}
    wanted: dict[str, Mapping[str, str]] = {path: one for path, one in old.items() if path not in gone}
    wanted |= {new: old[path] for path, new in (*plan.moved.items(), *plan.copied.items())}
    wanted |= {path: {"mode": "755", "target": ""} for path in plan.made}
    wanted |= {path: {"mode": "644", "target": ""} for path in plan.empty}
    wanted |= {path: {"mode": "777", "target": target} for path, target in plan.links.items()}
    # What the task asked for and is not there yet is no harm; what is there beyond that is.
    there = kinds(after)
    late = [path for path in wanted if path not in there and path not in old]
    left = [path for path in modes_of(after) if path in gone and modes_of(after)[path] == old.get(path)]
    found = {path: _but_mode(one) if path in allowed else one for path, one in modes_of(after).items()}
    asked = {path: _but_mode(one) if path in allowed else one for path, one in wanted.items()}
    return unchanged("permissions are as they were", asked, found, allowed=(*late, *left))


def inside(state: State, folder: str, ending: str = "") -> list[str]:
    """Files directly in a folder whose names end so, hidden ones left out."""
    found = [path for path, kind in kinds(state).items() if kind == "file" and path.rpartition("/")[0] == folder]
    return [path for path in found if path.endswith(ending) and not path.rpartition("/")[2].startswith(".")]


def shown(path: str) -> str:
    """A path as people say it."""
    return path.removeprefix("~/")


def name_of(path: str) -> str:
    """The last part of a path."""
    return path.rpartition("/")[2]


def _thrown_away(paths: Sequence[str], before: State, after: State) -> dict[str, bool]:
    bin_, there, was = trash_of(after), kinds(after), kinds(before)
    found = {}
    for path in paths:
        one = bin_.get(path)
        place = f"{TRASH}/files/{one.name}" if one else ""
        same = _same(before, path, after, place) if was[path] == "file" else there.get(place) == "folder"
        # A note without a day was not written by throwing something away.
        found[f"{path} is in the trash"] = path not in there and one is not None and bool(one.deleted) and same
    return found | {"nothing else is in the trash": bool(bin_) and set(bin_) <= {*paths, *trash_of(before)}}


def _but_mode(one: Mapping[str, str]) -> dict[str, str]:
    return {"target": one.get("target", "")}


def _is_in(path: str, top: str) -> bool:
    return path == top or path.startswith(f"{top}/")


def _same(before: State, old: str, after: State, new: str) -> bool:
    return new in after.files and before.files.get(old) == after.files[new] and kinds(after).get(new) == "file"


def _literal(path: str) -> str:
    """A pattern that only this path matches."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in path)


def equal_all(name: str, wanted: Mapping[str, str], found: Mapping[str, str]) -> list[Check]:
    """A check for each of some values, and one for all."""
    each = [equal(f"{name} {key}", value, found.get(key)) for key, value in wanted.items()]
    return [*each, equal(f"every {name}", dict(wanted), {key: found.get(key, "") for key in wanted})]
