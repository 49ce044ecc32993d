"""Winners of votes in their usual spellings: a side, an agent's name, a number, or what each of the two got."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairground.core import unknown
from fairground.stats.tables.results import is_missing, number_of
from fairground.stats.tables.synonyms import bare, short
from fairground.stats.tables.table import Names

WINNERS = ("left", "right", "tie", "both_bad")
"""Possible results of a vote. A vote's code is the index in this tuple."""
LEFT, RIGHT, TIE, BOTH_BAD = range(4)
BAD, SKIP = -1, -2
"""Codes of values that are not a vote, and of votes to leave out."""

# Usual spellings. Compared in lower case, without spaces, dashes, underscores or brackets.
_SPELLINGS = {
    **dict.fromkeys(("left", "a", "modela", "agenta", "first", "1st", "a>b", "a>>b"), LEFT),
    **dict.fromkeys(("right", "b", "modelb", "agentb", "second", "2nd", "b>a", "b>>a", "a<b", "a<<b"), RIGHT),
    **dict.fromkeys(("tie", "tied", "draw", "equal", "same", "both", "bothgood", "a=b", "b=a"), TIE),
    **dict.fromkeys(("bothbad", "tiebothbad"), BOTH_BAD),
}
_IGNORED = str.maketrans("", "", " -_()")
_SCALES = (
    {1.0: LEFT, 0.0: RIGHT, 0.5: TIE},
    {1.0: LEFT, 2.0: RIGHT, 1.5: TIE},
    {1.0: LEFT, -1.0: RIGHT, 0.0: TIE},
)
"""Meanings of numbers. Only a number that occurs in a single one of them (0.5, 2, -1) identifies it."""


@dataclass(frozen=True, eq=False)
class Winners:
    """The winners of some votes.

    Attributes:
        codes: Index in `WINNERS`, `BAD` or `SKIP`, per vote.
        notes: How they were interpreted, if that is not obvious.
        why: Why votes are bad, if that applies to all of them.
        fix: What to do about it.
    """

    codes: NDArray[np.int8]
    notes: tuple[str, ...] = ()
    why: str = ""
    fix: str = "use a, b, model_a, model_b, first, second or the agents' names; map other words with --map WORD=left"


def read_winners(
    said: Names,
    agents: Sequence[str],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    *,
    sides: tuple[str, str] = ("left", "right"),
    values: Mapping[str, str] | None = None,
    missing: str | None = None,
    tied: NDArray[np.bool_] | None = None,
) -> Winners:
    """Read winners in any usual spelling.

    Args:
        said: The winners as written.
        agents: The agents' names.
        left: Left agent of each vote.
        right: Right agent of each vote.
        sides: The table's names of its agent columns: a winner may have the same name.
        values: What words mean here: one of `WINNERS`, or `skip` to leave out those votes.
        missing: `skip` leaves out votes without a winner.
        tied: Votes that another column calls a tie, if they name no winner.
    """
    meaning = np.array([_code(value, sides, values or {}, missing) for value in said.values], dtype=np.int8)
    numbers = {at: number for at, value in enumerate(said.values) if meaning[at] == BAD
               and (number := number_of(value)) is not None}  # fmt: skip
    notes, why, fix = [], "", Winners.fix
    scales = [scale for scale in _SCALES if set(numbers.values()) <= set(scale)]
    if numbers and len(scales) == 1:
        for at, number in numbers.items():
            meaning[at] = scales[0][number]
        meanings = [f"{number:g} is {WINNERS[scales[0][number]]}" for number in sorted(set(numbers.values()))]
        notes.append(f"Winners are numbers: {', '.join(meanings)}.")
    elif numbers and scales:
        why = "0 and 1 may say whether the left agent won, or be the number of the winner"
        fix = "use --map 1=left --map 0=right for the former, --map 0=left --map 1=right for the latter"
    codes = np.append(meaning, np.int8(BAD))[said.codes]
    if tied is not None:
        codes[tied & np.array([is_missing(value) for value in (*said.values, "")])[said.codes]] = TIE
    named = _by_name(said, agents)
    by_name = np.full(len(codes), BAD, dtype=np.int8)
    by_name[named == left], by_name[named == right] = LEFT, RIGHT
    mapped = np.array([value in (values or {}) for value in (*said.values, "")])[said.codes]
    sided = ((codes == LEFT) | (codes == RIGHT)) & ~mapped
    clash = sided & (by_name != BAD) & (by_name != codes)
    if clash.any() and ((by_name != BAD) | ~sided).all():
        word = said.name(int(clash.argmax()))
        why = f"{word!r} is both an agent's name and a side"
        fix = "if they are sides, use --map a=left --map b=right; if they are names, write them differently"
        codes = np.where(sided, BAD, codes).astype(np.int8)
    elif ((codes == BAD) & (by_name != BAD)).any():
        codes = np.where(codes == BAD, by_name, codes).astype(np.int8)
        notes.append("Winners are given by the agents' names.")
    return Winners(codes, tuple(notes), why, fix)


def winners_of_shares(
    left: NDArray[np.float64], right: NDArray[np.float64], tied: NDArray[np.bool_] | None = None
) -> NDArray[np.int8]:
    """Return the winner from what each of the two got: the higher one, or a tie if equal."""
    codes = np.where(left > right, LEFT, np.where(right > left, RIGHT, TIE)).astype(np.int8)
    codes[np.isnan(left) | np.isnan(right)] = BAD
    if tied is not None:
        codes[tied] = TIE
    return codes


def check_values(values: Mapping[str, str], missing: str | None) -> None:
    """Reject meanings that a vote cannot have."""
    for meaning in values.values():
        if meaning not in (*WINNERS, "skip"):
            raise unknown("meaning of a winner", meaning, (*WINNERS, "skip"))
    if missing not in (None, "skip"):
        raise unknown("choice for missing winners", str(missing), ("skip",))


def problem(said: str, why: str = "") -> str:
    """Describe what is wrong with an invalid winner."""
    got = f"got {short(said)!r}" if said else "it is empty"
    return f"expected {', '.join(WINNERS)}; {got}" + (f": {why}" if why else "")


def _code(value: str, sides: tuple[str, str], values: Mapping[str, str], missing: str | None) -> int:
    mapped = values.get(value, values.get(value.lower()))
    if mapped is not None:
        return SKIP if mapped == "skip" else WINNERS.index(mapped)
    if is_missing(value):
        return SKIP if missing == "skip" else BAD
    word = value.lower().removesuffix(" wins").removesuffix(" won").removesuffix(" is better").removesuffix(" better")
    for code, side in ((LEFT, bare(sides[0])), (RIGHT, bare(sides[1]))):
        if bare(word) and (bare(word) == side or side.startswith(f"{bare(word)}_")):
            return code
    return _SPELLINGS.get(word.translate(_IGNORED), BAD)


def _by_name(winners: Names, agents: Sequence[str]) -> NDArray[np.int64]:
    """Return the agent that each vote names, or a number that no agent has."""
    place = {name.casefold(): at for at, name in enumerate(agents)}
    place |= {name: at for at, name in enumerate(agents)}
    known = [place.get(value, place.get(value.casefold(), -1)) for value in winners.values]
    return np.array([*known, -1], dtype=np.int64)[winners.codes]
