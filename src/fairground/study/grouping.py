"""Put similar things on the same side: connected components, packed into train and test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from fairground.core import InvalidInput
from fairground.worlds import derived_seed

Side: TypeAlias = Literal["train", "test"]
SIDES: tuple[Side, Side] = ("train", "test")


def components(names: Iterable[str], edges: Iterable[tuple[str, str]]) -> list[tuple[str, ...]]:
    """Return the connected components of a graph, each sorted, the largest first, then by name."""
    above = {name: name for name in names}

    def root(name: str) -> str:
        while above[name] != name:
            above[name] = name = above[above[name]]
        return name

    for first, second in edges:
        above[root(first)] = root(second)
    groups: dict[str, list[str]] = {}
    for name in sorted(above):
        groups.setdefault(root(name), []).append(name)
    return sorted(map(tuple, groups.values()), key=lambda group: (-len(group), group))


def pack(
    groups: Sequence[Sequence[str]], *, test: float, seed: int, forced: Mapping[str, Side] | None = None
) -> dict[str, Side]:
    """Assign every group to a side, so that the share of names in `test` is near its target.

    The largest group is assigned first, always to the side that is furthest from its target (relative to the target)
    and has room for it. The test side misses its target by less than the size of the largest group that is not forced,
    unless forced groups alone exceed it. Among groups of one size, those of one folder (the name up to its last `/`)
    are adjacent, so that every app gets its share.

    Args:
        groups: Disjoint groups of names.
        test: Share of the test side, above 0 and below 1.
        seed: Decides between groups of one size and folder.
        forced: Sides of names that are decided already.

    Raises:
        InvalidInput: Names of one group are forced to different sides, or a side stays empty.
    """
    if not 0 < test < 1:
        raise InvalidInput(f"the share of the test side is {test:g}", fix="choose one above 0 and below 1, such as 0.2")
    total = sum(map(len, groups))
    left = {"train": total * (1 - test), "test": total * test}
    target = dict(left)
    sides: dict[str, Side] = {}
    free: list[Sequence[str]] = []

    def assign(group: Sequence[str], side: Side) -> None:
        sides.update(dict.fromkeys(group, side))
        left[side] -= len(group)

    for group in groups:
        if (side := _forced(group, forced or {})) is not None:
            assign(group, side)
        else:
            free.append(group)
    free.sort(key=lambda group: (-len(group), _folder(group), derived_seed(seed, min(group), 0), min(group)))
    for number, group in enumerate(free):
        empty = [side for side in SIDES if side not in sides.values()]
        if len(empty) == 1 and sides and number == len(free) - 1:
            assign(group, empty[0])  # the smallest group: a side without any is of no use
            continue
        room = [side for side in SIDES if left[side] >= len(group) - 1e-9]
        if room:
            assign(group, max(room, key=lambda side: (round(left[side] / target[side], 9), target[side])))
        else:
            assign(group, max(SIDES, key=lambda side: (round(left[side], 9), target[side])))
    for side in SIDES:
        if side not in sides.values():
            raise InvalidInput(
                f"nothing is left for the {side} side: "
                + (f"all {total} are similar to each other" if len(groups) == 1 else f"there are only {total}"),
                fix="split more scenarios, or declare pairs as different in an override file",
            )
    return sides


def _forced(group: Sequence[str], forced: Mapping[str, Side]) -> Side | None:
    decided = {name: forced[name] for name in group if name in forced}
    if len(set(decided.values())) > 1:
        train, test = (next(name for name, side in decided.items() if side == wanted) for wanted in SIDES)
        raise InvalidInput(
            f"{train} is forced to train and {test} to test, but they are similar (directly, or through others)",
            fix="force both to one side, or declare the pairs between them as different",
        )
    return next(iter(decided.values()), None)


def _folder(group: Sequence[str]) -> str:
    return min(group).rpartition("/")[0]
