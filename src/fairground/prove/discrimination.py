"""Does the verifier tell near misses from the solution: mutants played out and judged."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fairground.core import FairgroundError, InvalidConfiguration, State
from fairground.prove.findings import MutantProof, Survivor
from fairground.prove.mutants import MOST, Material, Mutant, make_mutants
from fairground.prove.pairs import Faulty, Open, moves_of, refuse_stock, shown
from fairground.prove.sameness import differences
from fairground.verify import judge
from fairground.worlds import Move, MutantCount, Stuck, World

_SHOWN = 6  # differences and survivors that are spelt out
SIDE_EFFECTS = 3


@dataclass(frozen=True)
class End:
    """How a list of moves ended.

    Attributes:
        after: The state.
        answer: What was said.
        made: Places of the moves that could be made.
    """

    after: State
    answer: str | None
    made: frozenset[int]


def try_mutants(
    world: World,
    open_: Open,
    others: Sequence[World] = (),
    elsewhere: Sequence[World] = (),
    *,
    most: int = MOST,
    say: Callable[[str], None] = lambda _: None,
) -> MutantProof:
    """Plays near misses of a solution, each in a fresh world, and has them judged.

    Args:
        world: One that its oracle solves.
        open_: Opens it.
        others: Other instances of the scenario on the same profile, to borrow from.
        elsewhere: Other scenarios of the app on the same profile, whose oracles make side effects.
        most: Mutants at most, beside the author's.
        say: Told what is being done.
    """
    started = time.perf_counter()
    rehearsal = open_(world)
    try:
        before = rehearsal.before
        moves = moves_of(world, before)
        try:
            own = {name: tuple(edited) for name, edited in world.scenario.mutants(world, before).items()}
        except InvalidConfiguration:
            raise
        except Exception as error:
            return MutantProof(error=f"the author's mutants broke: {type(error).__name__}: {error}"[:400])
    finally:
        rehearsal.close()
    oracle = play(world, open_, moves)
    try:
        if world.scenario.kind == "answer":
            refuse_stock(world, before, oracle.answer)
    except Faulty as faulty:
        return MutantProof(error=faulty.message)
    material = Material(
        moves=moves,
        before=before,
        others={one.configuration.instance: _moves_in(one, open_) for one in others},
        elsewhere={
            f"{one.configuration.scenario}/{one.configuration.instance}": _moves_in(one, open_) for one in elsewhere
        },
        own=own,
        words=_words(world, others),
        seed=zlib.crc32(world.id.encode()),
    )
    bench = _Bench(world, open_, before, oracle, moves)
    for mutant in make_mutants(material, most):
        say(f"mutant: {mutant.kind}, {mutant.name}")
        bench.add(mutant)
    ms = round((time.perf_counter() - started) * 1000, 2)
    total = sum(bench.kinds.values(), MutantCount())
    return MutantProof(count=total, kinds=bench.kinds, survivors=tuple(bench.survivors[:_SHOWN]), ms=ms)


def play(world: World, open_: Open, moves: Sequence[Move]) -> End:
    """Makes moves in a fresh world; one that cannot be made is left out."""
    rehearsal = open_(world)
    answer: str | None = None
    made = set()
    try:
        for place, move in enumerate(moves):
            try:
                said = rehearsal.play([move])
            except Stuck:
                continue
            made.add(place)
            answer = said if said is not None else answer
        return End(rehearsal.state(), answer, frozenset(made))
    finally:
        rehearsal.close()


class _Bench:
    """Where mutants are judged, one after the other."""

    def __init__(self, world: World, open_: Open, before: State, oracle: End, moves: tuple[Move, ...]) -> None:
        self._world, self._open, self._before, self._oracle, self._moves = world, open_, before, oracle, moves
        self._restless: frozenset[str] | None = None
        self.kinds: dict[str, MutantCount] = {}
        self.survivors: list[Survivor] = []

    def add(self, mutant: Mutant) -> None:
        kept = self.kinds.get(mutant.kind, MutantCount())
        self.kinds[mutant.kind] = kept + MutantCount(**{self._became(mutant): 1})

    def _became(self, mutant: Mutant) -> str:
        end = play(self._world, self._open, mutant.moves)
        if mutant.edited and not mutant.edited & end.made:
            return "not_made"
        try:
            success = judge(self._world, self._before, end.after, end.answer).success
        except FairgroundError as error:
            self._survived(mutant, end, {}, broke=error.message[:300])
            return "survived"
        if not success:
            return "unmoved" if end.answer is None and end.after == self._before else "rejected"
        found = self._differs(end)
        if not found and end.answer == self._oracle.answer:
            return "equivalent"
        self._survived(mutant, end, found)
        return "survived"

    def _differs(self, end: End) -> dict[str, str]:
        """Where an end differs from the oracle's, but for what differs between two ends of the oracle too."""
        clocks = self._world.app.clocks
        found = differences(self._oracle.after, end.after, clocks)
        if found and self._restless is None:
            again = play(self._world, self._open, self._moves)
            self._restless = frozenset(differences(self._oracle.after, again.after, clocks))
        return {
            place: f"{_short(one)} → {_short(other)}"
            for place, (one, other) in found.items()
            if place not in (self._restless or ())
        }

    def _survived(self, mutant: Mutant, end: End, differs: dict[str, str], broke: str = "") -> None:
        self.survivors.append(
            Survivor(
                configuration=self._world.id,
                kind=mutant.kind,
                name=mutant.name,
                moves=tuple(shown(move) for move in mutant.moves[:40]),
                differs=dict(list(differs.items())[:_SHOWN]),
                answer=end.answer[:300] if end.answer is not None else None,
                broke=broke,
            )
        )


def _moves_in(world: World, open_: Open) -> tuple[Move, ...]:
    """What the oracle does in another world; nothing where it cannot."""
    try:
        rehearsal = open_(world)
        try:
            return moves_of(world, rehearsal.before)
        finally:
            rehearsal.close()
    except (Faulty, InvalidConfiguration):
        return ()


def _words(world: World, others: Sequence[World]) -> list[tuple[str, str]]:
    """Values of this instance's parameters, each with that of another instance."""
    return [
        (str(value), str(other.parameters[name]))
        for other in others
        for name, value in world.parameters.items()
        if name in other.parameters and other.parameters[name] != value and not isinstance(value, bool)
    ]


def _short(value: object) -> str:
    text = "nothing" if value is None else str(value) or "empty"
    return text if len(text) <= 60 else text[:57] + "..."
