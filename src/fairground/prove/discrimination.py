"""Check that the verifier rejects near misses: make mutants of the solution and judge them.

For apps that can be rehearsed without a screen, edited moves are played. For others the oracle is played once, and the
recorded end state is edited.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

from fairground.core import FairgroundError, InvalidConfiguration, State
from fairground.prove.edits import edited_states
from fairground.prove.findings import Fault, MutantProof, Survivor
from fairground.prove.mutants import MOST, Material, Mutant, make_mutants
from fairground.prove.pairs import Faulty, Open, Traced, moves_of, refuse_stock, shown
from fairground.prove.sameness import differences
from fairground.prove.seats import has_rehearsal
from fairground.prove.watching import Watch, watched
from fairground.verify import judge
from fairground.worlds import Move, MutantCount, Rehearsal, Say, Stuck, World
from fairground.worlds.code_trace import Trace

_SHOWN = 6  # maximum number of differences and survivors that are listed
SIDE_EFFECTS = 3
_PLAYED = 2
_BESIDE_AN_ANSWER = 8  # edits of the state, if only an answer is asked for


@dataclass(frozen=True)
class End:
    """How a list of moves ended.

    Attributes:
        after: The final state.
        answer: The answer given.
        made: Indices of the moves that could be made.
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
    again: Open | None = None,
    most: int = MOST,
    say: Callable[[str], None] = lambda _: None,
    trace: Trace | None = None,
    plays: int = _PLAYED,
) -> MutantProof:
    """Make near misses of a solution, and judge them.

    Args:
        world: A world that its oracle solves.
        open_: Opens it.
        others: Other instances of the scenario on the same profile, to borrow values from.
        elsewhere: Other scenarios of the app on the same profile, whose oracles provide side effects.
        again: Opens a world so that the same moves are really made a second time. Default: `open_`.
        most: Maximum number of mutants, in addition to the author's.
        say: Called with the current stage.
        trace: Records the code that took part.
        plays: Maximum number of the author's mutants that are played, if each takes seconds on a seat.
    """
    started = time.perf_counter()
    traced: Traced = trace or nullcontext()
    try:
        if has_rehearsal(world.app):
            bench = _play_mutants(world, open_, others, elsewhere, most, say, traced)
        else:
            bench = _judge_edits(world, open_, again or open_, others, most, say, traced, plays)
        total = sum(bench.kinds.values(), MutantCount())
        proof = MutantProof(count=total, kinds=bench.kinds, survivors=tuple(bench.survivors[:_SHOWN]))
    except Faulty as faulty:
        proof = MutantProof(error=faulty.message)
    units = trace.units() if trace is not None else ()
    ms = round((time.perf_counter() - started) * 1000, 2)
    return proof.model_copy(update={"ms": ms, "units": units})


def play(world: World, open_: Open, moves: Sequence[Move]) -> End:
    """Play moves in a fresh world. Moves that cannot be made are skipped."""
    rehearsal = open_(world)
    try:
        return _play_in(rehearsal, moves)
    finally:
        rehearsal.close()


def _play_in(rehearsal: Rehearsal, moves: Sequence[Move]) -> End:
    answer: str | None = None
    made = set()
    for place, move in enumerate(moves):
        try:
            given = rehearsal.play([move])
        except Stuck:
            continue
        made.add(place)
        answer = given if given is not None else answer
    return End(rehearsal.state(), answer, frozenset(made))


@dataclass(frozen=True)
class _Solution:
    """What the oracle did in a world."""

    before: State
    moves: tuple[Move, ...]
    end: End


def _solve(world: World, open_: Open, traced: Traced) -> _Solution:
    """Play the oracle once."""
    rehearsal = open_(world)
    try:
        with traced:
            moves = moves_of(world, rehearsal.before)
        return _Solution(rehearsal.before, moves, _play_in(rehearsal, moves))
    finally:
        rehearsal.close()


def _play_mutants(
    world: World,
    open_: Open,
    others: Sequence[World],
    elsewhere: Sequence[World],
    most: int,
    say: Callable[[str], None],
    traced: Traced,
) -> _Bench:
    """Play lists of edited moves, each in a fresh world."""
    solution = _solve(world, open_, traced)
    with traced:
        if world.scenario.kind == "answer":
            refuse_stock(world, solution.before, solution.end.answer)
        own = _authors(world, solution.before)
    material = Material(
        moves=solution.moves,
        before=solution.before,
        others={source.configuration.instance: _moves_in(source, open_) for source in others},
        elsewhere={
            f"{source.configuration.scenario}/{source.configuration.instance}": _moves_in(source, open_)
            for source in elsewhere
        },
        own=own,
        words=_words(world, others),
        seed=_seed(world),
    )
    bench = _Bench(world, open_, solution, traced)
    for mutant in make_mutants(material, most):
        say(f"mutant: {mutant.kind}, {mutant.name}")
        bench.play(mutant)
    return bench


def _judge_edits(
    world: World,
    open_: Open,
    again: Open,
    others: Sequence[World],
    most: int,
    say: Callable[[str], None],
    traced: Traced,
    plays: int,
) -> _Bench:
    """Judge edits of the oracle's end state, and play a few of the author's mutants."""
    say("the oracle")
    solution = _solve(world, open_, traced)
    before, after, answer = solution.before, solution.end.after, solution.end.answer
    with traced:
        watch = _watch(world, solution)
    bench = _Bench(world, open_, solution, traced, again)
    elsewhere = [
        solved for source in others[:1] if (solved := _solved_elsewhere(source, open_, say, traced)) is not None
    ]
    if world.scenario.kind == "answer":
        with traced:
            refuse_stock(world, before, answer)
        borrowed = {str(place): solved.moves for place, solved in enumerate(elsewhere)}
        material = Material(moves=solution.moves, before=before, others=borrowed, seed=_seed(world))
        for mutant in make_mutants(material, most):
            texts = [move.text for move in mutant.moves if isinstance(move, Say)]
            bench.judge(mutant.kind, mutant.name, End(after, texts[-1] if texts else None, frozenset()))
        most, elsewhere = _BESIDE_AN_ANSWER, []
    say("edits of the recorded state")
    with traced:
        near, own = _near_states(world, before, after), _authors(world, before)
    for name, state in near.items():
        bench.judge("author", name, End(state, answer, frozenset()))
    ends = [solved.end.after for solved in elsewhere]
    clocks = world.app.clocks
    for edit in edited_states(before, after, most=most, seed=_seed(world), others=ends, clocks=clocks, watch=watch):
        bench.judge(edit.kind, edit.name, End(edit.state, answer, frozenset()))
    for name, moves in list(own.items())[:plays]:
        say(f"mutant: {name}")
        bench.play(Mutant("author", name, moves))
    return bench


class _Bench:
    """Judges mutants one after the other, and counts the results."""

    def __init__(
        self, world: World, open_: Open, solution: _Solution, traced: Traced, again: Open | None = None
    ) -> None:
        self._traced = traced
        self._world, self._open, self._solution, self._again = world, open_, solution, again or open_
        self._before, self._oracle = solution.before, solution.end
        self._restless: frozenset[str] | None = None
        self.kinds: dict[str, MutantCount] = {}
        self.survivors: list[Survivor] = []

    def play(self, mutant: Mutant) -> None:
        """Play a mutant, and judge its end."""
        end = play(self._world, self._open, mutant.moves)
        if mutant.edited and not mutant.edited & end.made:
            self._count(mutant.kind, "not_made")
        else:
            self.judge(mutant.kind, mutant.name, end, mutant.moves)

    def judge(self, kind: str, name: str, end: End, moves: tuple[Move, ...] = ()) -> None:
        """Judge an end.

        Args:
            kind: Kind of mutation.
            name: Description of the mutation.
            end: The result.
            moves: The moves that led there; empty if the recording was edited.
        """
        survivor = Survivor(
            configuration=self._world.id,
            kind=kind,
            name=name[:300],
            moves=tuple(shown(move) for move in moves[:40]),
            answer=end.answer[:300] if end.answer is not None else None,
        )
        try:
            with self._traced:
                success = judge(self._world, self._before, end.after, end.answer).success
        except FairgroundError as error:
            self._survived(survivor, broke=error.message[:300])
            return
        if not success:
            self._count(kind, "unmoved" if end.answer is None and end.after == self._before else "rejected")
            return
        differing = self._differs(end, played=bool(moves))
        if not differing and end.answer == self._oracle.answer:
            self._count(kind, "equivalent")
        else:
            self._survived(survivor, differs=dict(list(differing.items())[:_SHOWN]))

    def _count(self, kind: str, became: str) -> None:
        self.kinds[kind] = self.kinds.get(kind, MutantCount()) + MutantCount(**{became: 1})

    def _survived(self, survivor: Survivor, **found: object) -> None:
        self.survivors.append(survivor.model_copy(update=found))
        self._count(survivor.kind, "survived")

    def _differs(self, end: End, *, played: bool) -> dict[str, str]:
        """Return where an end differs from the oracle's, except where two runs of the oracle differ too."""
        clocks = self._world.app.clocks
        differing = differences(self._oracle.after, end.after, clocks)
        if differing and played and self._restless is None:
            again = play(self._world, self._again, self._solution.moves)
            self._restless = frozenset(differences(self._oracle.after, again.after, clocks))
        return {
            place: f"{_short(expected)} → {_short(actual)}"
            for place, (expected, actual) in differing.items()
            if not played or place not in (self._restless or ())
        }


def _authors(world: World, before: State) -> dict[str, tuple[Move, ...]]:
    """Return the author's own mutants."""
    try:
        return {name: tuple(edited) for name, edited in world.scenario.mutants(world, before).items()}
    except InvalidConfiguration:
        raise
    except Exception as error:
        raise Faulty(Fault.ORACLE_BROKE, f"the author's mutants raised {type(error).__name__}: {error}") from error


def _near_states(world: World, before: State, after: State) -> dict[str, State]:
    """Return the author's own edited states."""
    try:
        return dict(world.scenario.near_states(world, before, after))
    except InvalidConfiguration:
        raise
    except Exception as error:
        raise Faulty(Fault.ORACLE_BROKE, f"the author's near states raised {type(error).__name__}: {error}") from error


def _watch(world: World, solution: _Solution) -> Watch:
    """Return what the checks read of a solved state, without what the task leaves open. They must accept that state."""
    state, watch = watched(solution.end.after)
    verdict = judge(world, solution.before, state, solution.end.answer)
    if not verdict.success:
        failed = ", ".join(check.name for check in verdict.checks if not check.passed)
        raise Faulty(Fault.UNSOLVED, f"the oracle does not reach full reward: {failed}")
    for place in (tuple(name.split(".")) for name in world.scenario.left_open):
        watch.data -= {seen for seen in watch.data if seen[: len(place)] == place}
    return watch


def _solved_elsewhere(world: World, open_: Open, say: Callable[[str], None], traced: Traced) -> _Solution | None:
    """Return what the oracle does in another world, or None if it fails."""
    say(f"the oracle of {world.configuration.instance}")
    try:
        return _solve(world, open_, traced)
    except (Faulty, InvalidConfiguration):
        return None


def _moves_in(world: World, open_: Open) -> tuple[Move, ...]:
    """Return the oracle's moves in another world; empty if it fails."""
    try:
        rehearsal = open_(world)
        try:
            return moves_of(world, rehearsal.before)
        finally:
            rehearsal.close()
    except (Faulty, InvalidConfiguration):
        return ()


def _words(world: World, others: Sequence[World]) -> list[tuple[str, str]]:
    """Return pairs of parameter values: of this instance, and of another instance."""
    return [
        (str(value), str(other.parameters[name]))
        for other in others
        for name, value in world.parameters.items()
        if name in other.parameters and other.parameters[name] != value and not isinstance(value, bool)
    ]


def _seed(world: World) -> int:
    return zlib.crc32(world.id.encode())


def _short(value: object) -> str:
    text = "nothing" if value is None else str(value) or "empty"
    return text if len(text) <= 60 else text[:57] + "..."
