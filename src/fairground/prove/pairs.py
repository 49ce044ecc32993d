"""Is an instance sound on a profile: coherent, feasible, not already done, and solved by its oracle."""

from __future__ import annotations

import itertools
import re
import time
import zlib
from collections.abc import Callable, Sequence

from fairground.core import (
    FairgroundError,
    Incoherent,
    InfrastructureError,
    InvalidConfiguration,
    State,
    StateError,
    Verdict,
)
from fairground.prove.answers import EMPTY, SPAM, STOCK, says
from fairground.prove.findings import Fault, PairProof, Status
from fairground.verify import judge
from fairground.worlds import Move, Rehearsal, Stuck, World

MAX_MOVES = 1_000
"""An oracle that makes more does not end."""

_LEFT_OVER = re.compile(r"\{\{?\s*[a-z_][\w.\[\]]*\s*\}?\}|\$\{[^}]*\}|<[A-Z_]{3,}>")
_MESSAGE = 600
_FEW = 4  # stock answers that each pair is tried with

Open = Callable[[World], Rehearsal]
"""Opens a world to make moves in: without a screen where the app can, on a seat where it cannot."""


class Faulty(Exception):
    """What is wrong with a scenario."""

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(message)
        self.fault, self.message = fault, message[:_MESSAGE]


def prove_pair(make: Callable[[], World], open_: Open, say: Callable[[str], None] = lambda _: None) -> PairProof:
    """Tries one instance on one profile.

    Args:
        make: Looks the world up, which may fail.
        open_: Opens it.
        say: Told what is being done.

    Raises:
        InfrastructureError: When the machine is at fault, which says nothing of the suite.
    """
    started = time.perf_counter()
    tried = ""
    try:
        world = _coherent(make)
        tried = world.id
        found = _try(world, open_, say)
    except Incoherent as error:
        found = PairProof(status=Status.FAULTY, fault=Fault.INCOHERENT, message=error.message[:_MESSAGE])
    except InvalidConfiguration as error:
        found = PairProof(status=Status.INFEASIBLE, message=error.message[:_MESSAGE])
    except Faulty as faulty:
        found = PairProof(status=Status.FAULTY, fault=faulty.fault, message=faulty.message)
    return found.model_copy(update={"tried": tried, "ms": round((time.perf_counter() - started) * 1000, 2)})


def moves_of(world: World, before: State) -> tuple[Move, ...]:
    """The oracle's moves, at most `MAX_MOVES`.

    Raises:
        Faulty: When it broke, or never ends.
        InvalidConfiguration: When the task makes no sense with this data.
    """
    try:
        moves = tuple(itertools.islice(world.scenario.oracle(world, before), MAX_MOVES + 1))
    except InvalidConfiguration:
        raise
    except Exception as error:
        raise Faulty(Fault.ORACLE_BROKE, f"{_said(error)}") from error
    if len(moves) > MAX_MOVES:
        raise Faulty(Fault.TOO_SLOW, f"the oracle makes more than {MAX_MOVES} moves: does it end?")
    return moves


def verdict_of(world: World, before: State, after: State, answer: str | None) -> Verdict:
    """The verdict on a state that nobody has damaged: checks that cannot read it are broken."""
    try:
        return Verdict.of(world.scenario.checks(world, before, after, answer))
    except StateError as error:
        raise Faulty(Fault.CHECKS_BROKE, f"they cannot read the recorded state: {error.message}") from error
    except InvalidConfiguration as error:
        raise Faulty(Fault.CHECKS_BROKE, error.message) from error
    except Exception as error:
        raise Faulty(Fault.CHECKS_BROKE, _said(error)) from error


def shown(move: Move) -> str:
    """A move in a line."""
    inside = ", ".join(
        f"{name}={value!r}" if place else repr(value)
        for place, (name, value) in enumerate(vars(move).items())
        if place == 0 or value not in ("", 1)
    )
    return f"{type(move).__name__}({inside})"[:200]


def _coherent(make: Callable[[], World]) -> World:
    try:
        world = make()
        instruction = world.instruction
    except InvalidConfiguration:  # the profile lacks what the task is about, or the author made a mistake
        raise
    except FairgroundError as error:
        raise Faulty(Fault.INCOHERENT, str(error)) from error
    except Exception as error:
        raise Faulty(Fault.INCOHERENT, _said(error)) from error
    if left := _LEFT_OVER.search(instruction):
        raise Faulty(Fault.INCOHERENT, f"{left[0]} was not filled in: {instruction[:300]}")
    if not instruction.strip():
        raise Faulty(Fault.INCOHERENT, "the instruction is empty")
    return world


def _try(world: World, open_: Open, say: Callable[[str], None]) -> PairProof:
    say("making the world")
    rehearsal = _opened(world, open_)
    try:
        before = rehearsal.before
        say("the oracle, working its moves out")
        moves = moves_of(world, before)
        say("the checks, on the state before")
        start = _not_yet(world, before)
        if not moves:
            raise Faulty(Fault.NO_ORACLE, f"{world.scenario.name} returns no moves")
        if len(moves) > world.scenario.step_budget:
            raise Faulty(Fault.OVER_BUDGET, f"{len(moves)} moves, and a budget of {world.scenario.step_budget} steps")
        answer = _play(rehearsal, moves, say)
        after = rehearsal.state()
    finally:
        rehearsal.close()
    say("the checks, on the state after")
    _solved(world, before, after, answer)
    guessed = refuse_stock(world, before, answer, _some_stock(world)) if world.scenario.kind == "answer" else ()
    return PairProof(status=Status.PROVEN, moves=len(moves), answer=answer, start=start, guessed=guessed)


def _opened(world: World, open_: Open) -> Rehearsal:
    try:
        return open_(world)
    except (InvalidConfiguration, InfrastructureError):
        raise
    except Exception as error:
        raise Faulty(Fault.WORLD_BROKE, _said(error)) from error


def _play(rehearsal: Rehearsal, moves: Sequence[Move], say: Callable[[str], None]) -> str | None:
    """One move at a time, so that what is wrong has a place."""
    answer: str | None = None
    for number, move in enumerate(moves, 1):
        where = f"move {number} of {len(moves)}, {shown(move)}"
        say(where)
        try:
            said = rehearsal.play([move])
        except Stuck as stuck:
            raise Faulty(Fault.STUCK, f"{where}: {stuck.message}") from stuck
        except (InvalidConfiguration, InfrastructureError):
            raise
        except Exception as error:
            raise Faulty(Fault.WORLD_BROKE, f"{where}: {_said(error)}") from error
        answer = said if said is not None else answer
    return answer


def _not_yet(world: World, before: State) -> float:
    """That nothing is solved at the start; the reward of doing nothing.

    A check that cannot read what is only to be made has failed, as it has for an agent that did nothing.
    """
    try:
        verdict = verdict_of(world, before, before, None)
    except Faulty as faulty:
        if isinstance(faulty.__cause__, StateError):
            return 0.0
        raise
    if verdict.success:
        raise Faulty(Fault.TRIVIAL, "every check passes on the state before")
    return verdict.reward


def _solved(world: World, before: State, after: State, answer: str | None) -> None:
    first, second = (verdict_of(world, before, after, answer) for _ in range(2))
    if first != second:
        pairs = zip(first.checks, second.checks, strict=False)
        which = next((one.name for one, other in pairs if one != other), "their number")
        raise Faulty(Fault.NOT_DETERMINISTIC, f"two looks at the oracle's end differ in: {which}")
    if first.success:
        return
    failed = [f"{one.name}: expected {one.expected!r}, found {one.found!r}" for one in first.checks if not one.passed]
    more = f" (and {len(failed) - 2} more)" if len(failed) > 2 else ""
    told = "; ".join(line[:280] for line in failed[:2])
    raise Faulty(Fault.UNSOLVED, f"reward {first.reward:.3g}; {told}{more}")


def _some_stock(world: World) -> tuple[str, ...]:
    """A few for each pair, others for the next: checks that read a large state take time, and pairs are many."""
    begin = zlib.crc32(world.id.encode())
    turn = [STOCK[(begin + place * 7) % len(STOCK)] for place in range(_FEW)]
    return ("", EMPTY[begin % len(EMPTY)], SPAM[begin % len(SPAM)], *turn)


def refuse_stock(
    world: World, before: State, answer: str | None, stock: Sequence[str] = (*EMPTY, *SPAM, *STOCK)
) -> tuple[str, ...]:
    """That no answer is taken which says nothing; the stock answers that happen to be right here.

    Raises:
        Faulty: When one is taken that is not in what the oracle says.
    """
    guessed = []
    for text in dict.fromkeys((*stock, world.instruction)):
        if not judge(world, before, before, text).success:
            continue
        if text not in STOCK or not says(answer, text):
            raise Faulty(Fault.ANSWER, f"{text[:80]!r} passes, where the oracle says {answer!r}")
        guessed.append(text)
    return tuple(guessed)


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, FairgroundError) else f"{type(error).__name__}: {error}"
