"""The file changes that a task expects, and checks that compare them with the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fairground.core import Check, InvalidConfiguration, State
from fairground.verify import equal, holds, unchanged
from fairground.worlds import World
from fairground_desk.files.inspector import TRASH, bookmarks, kinds, modes_of, settings_of, trash_of
from fairground_desk.tasks import DeskTask, files_unchanged

MOST_SINGLE = 5
_PASSING = (
    "ui/win_",
    "ui/splitter_pos",
    "ui/side_pane_mode",
    "ui/maximized",
)  # settings that windows write by themselves


@dataclass(frozen=True)
class Plan:
    """The changes that a task makes to files and folders.

    Attributes:
        moved: Old path to new path; a folder moves with its contents.
        copied: Path to the path of the copy.
        made: New folders.
        empty: New empty files.
        trashed: Paths that go to the trash.
        erased: Paths that are deleted permanently.
        links: Path of a new link to its target.
    """

    moved: Mapping[str, str] = field(default_factory=dict)
    copied: Mapping[str, str] = field(default_factory=dict)
    made: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    trashed: tuple[str, ...] = ()
    erased: tuple[str, ...] = ()
    links: Mapping[str, str] = field(default_factory=dict)

    def whole(self, before: State) -> Plan:
        """Return the plan with the contents of moved, copied and deleted folders listed."""
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
    """A scenario in PCManFM, defined by a plan."""

    app = "files"
    step_budget = 200  # PCManFM has no shortcut for most operations

    def plan(self, world: World, before: State) -> Plan:
        """Return the expected changes."""
        return Plan()

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Compare the files with the plan."""
        return carried_out(self.plan(world, before).whole(before), before, after)

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Return the task's checks, and guards over all other files, permissions, settings and bookmarks."""
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
        """Return the settings that may change, as `group/name`."""
        return ()

    def same_settings(self, world: World, before: State, after: State) -> Check:
        """Guard that the settings are unchanged, except for those of the task."""
        old, new = settings_of(before), settings_of(after)
        passing = [name for name in (*old, *new) if name.startswith(_PASSING)]
        return unchanged(
            "the other settings are as they were", old, new, allowed=(*passing, *self.other_settings(world))
        )

    def same_bookmarks(self, before: State, after: State) -> Check:
        """Guard that the bookmarks are unchanged and in the same order."""
        old, new = ({str(at): mark for at, mark in enumerate(bookmarks(state))} for state in (before, after))
        return unchanged("the bookmarks are as they were", old, new)


def carried_out(plan: Plan, before: State, after: State) -> list[Check]:
    """Check that a plan was carried out: some changes one by one, and all together."""
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
    single_checks = [holds(name, passed, expected=True, found=passed) for name, passed in list(single.items())[::step]]
    failed = [name for name, passed in single.items() if not passed]
    return [*single_checks, holds("all of it is done", not failed, expected=f"{len(single)} changes",
                                  found=failed or "all", weight=2.0)]  # fmt: skip


def same_modes(plan: Plan, before: State, after: State, allowed: Sequence[str]) -> Check:
    """Guard permissions: moved and copied files keep theirs, new files have the default ones.

    Args:
        plan: The expected changes, as `whole` returns them.
        before: The state before.
        after: The state after.
        allowed: Paths whose permissions may change; their link targets are still compared.
    """
    old = modes_of(before)
    gone = {*plan.moved, *plan.erased, *(path for top in plan.trashed for path in old if _is_in(path, top))}
    wanted: dict[str, Mapping[str, str]] = {path: mode for path, mode in old.items() if path not in gone}
    wanted |= {new: old[path] for path, new in (*plan.moved.items(), *plan.copied.items())}
    wanted |= {path: {"mode": "755", "target": ""} for path in plan.made}
    wanted |= {path: {"mode": "644", "target": ""} for path in plan.empty}
    wanted |= {path: {"mode": "777", "target": target} for path, target in plan.links.items()}
    # Missing files of the plan are ignored here, because other checks count them. Unexpected files are not.
    there = kinds(after)
    late = [path for path in wanted if path not in there and path not in old]
    left = [path for path in modes_of(after) if path in gone and modes_of(after)[path] == old.get(path)]
    current = {path: _but_mode(mode) if path in allowed else mode for path, mode in modes_of(after).items()}
    asked = {path: _but_mode(mode) if path in allowed else mode for path, mode in wanted.items()}
    return unchanged("permissions are as they were", asked, current, allowed=(*late, *left))


def inside(state: State, folder: str, ending: str = "") -> list[str]:
    """Return the files directly in a folder with this ending, without hidden files."""
    files = [path for path, kind in kinds(state).items() if kind == "file" and path.rpartition("/")[0] == folder]
    return [path for path in files if path.endswith(ending) and not path.rpartition("/")[2].startswith(".")]


def shown(path: str) -> str:
    """Return a path as it is written in instructions."""
    return path.removeprefix("~/")


def name_of(path: str) -> str:
    """Return the last part of a path."""
    return path.rpartition("/")[2]


def _thrown_away(paths: Sequence[str], before: State, after: State) -> dict[str, bool]:
    bin_, there, was = trash_of(after), kinds(after), kinds(before)
    facts = {}
    for path in paths:
        entry = bin_.get(path)
        place = f"{TRASH}/files/{entry.name}" if entry else ""
        same = _same(before, path, after, place) if was[path] == "file" else there.get(place) == "folder"
        # A trash entry without a deletion date was not written by the file manager.
        facts[f"{path} is in the trash"] = path not in there and entry is not None and bool(entry.deleted) and same
    return facts | {"nothing else is in the trash": bool(bin_) and set(bin_) <= {*paths, *trash_of(before)}}


def _but_mode(one: Mapping[str, str]) -> dict[str, str]:
    return {"target": one.get("target", "")}


def _is_in(path: str, top: str) -> bool:
    return path == top or path.startswith(f"{top}/")


def _same(before: State, old: str, after: State, new: str) -> bool:
    return new in after.files and before.files.get(old) == after.files[new] and kinds(after).get(new) == "file"


def _literal(path: str) -> str:
    """A pattern that matches only this path."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in path)


def equal_all(name: str, wanted: Mapping[str, str], found: Mapping[str, str]) -> list[Check]:
    """Return a check per value, and one for all."""
    each = [equal(f"{name} {key}", value, found.get(key)) for key, value in wanted.items()]
    return [*each, equal(f"every {name}", dict(wanted), {key: found.get(key, "") for key in wanted})]
