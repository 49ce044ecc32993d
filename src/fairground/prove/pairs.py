"""Prove that an instance is sound on a profile: coherent, feasible, not already done, and solved by its oracle."""

from __future__ import annotations

import itertools
import re
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

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
from fairground.worlds.code_trace import Trace

MAX_MOVES = 1_000
"""Maximum number of moves of an oracle. More means that it does not end."""

_LEFT_OVER = re.compile(r"\{\{?\s*[a-z_][\w.\[\]]*\s*\}?\}|\$\{[^}]*\}|<[A-Z_]{3,}>")
_MESSAGE = 600
_FEW = 4  # stock answers that each pair is tried with

Traced = AbstractContextManager[object]
"""A block of code that takes part in a proof."""

Open = Callable[[World], Rehearsal]
"""Opens a world to play moves: without a screen if the app can, otherwise on a seat."""


class Faulty(Exception):
    """A fault of a scenario."""

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(message)
        self.fault, self.message = fault, message[:_MESSAGE]


def prove_pair(
    make: Callable[[], World],
    open_: Open,
    say: Callable[[str], None] = lambda _: None,
    trace: Trace | None = None,
) -> PairProof:
    """Try one instance on one profile.

    Args:
        make: Looks up the world, which may fail.
        open_: Opens it.
        say: Called with the current stage.
        trace: Records the code that took part.

    Raises:
        InfrastructureError: If the machine is at fault, which says nothing about the suite.
    """
    started = time.perf_counter()
    tried = ""
    traced: Traced = trace or nullcontext()
    try:
        with traced:
            world = _coherent(make)
        tried = world.id
        proof = _try(world, open_, say, traced)
    except Incoherent as error:
        proof = PairProof(status=Status.FAULTY, fault=Fault.INCOHERENT, message=error.message[:_MESSAGE])
    except InvalidConfiguration as error:
        proof = PairProof(status=Status.INFEASIBLE, message=error.message[:_MESSAGE])
    except Faulty as faulty:
        proof = PairProof(status=Status.FAULTY, fault=faulty.fault, message=faulty.message)
    units = trace.units() if trace is not None else ()
    ms = round((time.perf_counter() - started) * 1000, 2)
    return proof.model_copy(update={"tried": tried, "ms": ms, "units": units})


def moves_of(world: World, before: State) -> tuple[Move, ...]:
    """Return the oracle's moves, at most `MAX_MOVES`.

    Raises:
        Faulty: If the oracle raised an error, or never ends.
        InvalidConfiguration: If the task makes no sense with this data.
    """
    try:
        moves = tuple(itertools.islice(world.scenario.oracle(world, before), MAX_MOVES + 1))
    except InvalidConfiguration:
        raise
    except Exception as error:
        raise Faulty(Fault.ORACLE_BROKE, f"{_said(error)}") from error
    if len(moves) > MAX_MOVES:
        raise Faulty(Fault.TOO_SLOW, f"the oracle makes more than {MAX_MOVES} moves; check that it ends")
    return moves


def verdict_of(world: World, before: State, after: State, answer: str | None) -> Verdict:
    """Return the verdict on an undamaged state. Checks that cannot read it are faulty."""
    try:
        return Verdict.of(world.scenario.checks(world, before, after, answer))
    except StateError as error:
        raise Faulty(Fault.CHECKS_BROKE, f"they cannot read the recorded state: {error.message}") from error
    except InvalidConfiguration as error:
        raise Faulty(Fault.CHECKS_BROKE, error.message) from error
    except Exception as error:
        raise Faulty(Fault.CHECKS_BROKE, _said(error)) from error


def shown(move: Move) -> str:
    """Return a move in one line."""
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
    except InvalidConfiguration:  # the profile lacks what the task needs, or the author made a mistake
        raise
    except FairgroundError as error:
        raise Faulty(Fault.INCOHERENT, str(error)) from error
    except Exception as error:
        raise Faulty(Fault.INCOHERENT, _said(error)) from error
    if left := _LEFT_OVER.search(instruction):
        raise Faulty(Fault.INCOHERENT, f"placeholder {left[0]} was not filled in: {instruction[:300]}")
    if not instruction.strip():
        raise Faulty(Fault.INCOHERENT, "the instruction is empty")
    return world


def _try(world: World, open_: Open, say: Callable[[str], None], traced: Traced) -> PairProof:
    say("making the world")
    with traced:  # what a scenario injects is its own code, too
        rehearsal = _opened(world, open_)
    try:
        before = rehearsal.before
        say("computing the oracle's moves")
        with traced:
            moves = moves_of(world, before)
            say("the checks, on the initial state")
            start = _not_yet(world, before)
        if not moves:
            raise Faulty(Fault.NO_ORACLE, f"{world.scenario.name} returns no moves")
        if len(moves) > world.scenario.step_budget:
            raise Faulty(Fault.OVER_BUDGET, f"{len(moves)} moves, but a budget of {world.scenario.step_budget} steps")
        answer = _play(rehearsal, moves, say)
        try:
            after = rehearsal.state()
        except Stuck as stuck:
            raise Faulty(Fault.STUCK, stuck.message) from stuck
    finally:
        rehearsal.close()
    say("the checks, on the final state")
    with traced:
        verdict = verdict_of(world, before, after, answer)
    _solved(verdict, verdict_of(world, before, after, answer))
    with traced:
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
    """Play one move at a time, so that an error names its move."""
    answer: str | None = None
    for number, move in enumerate(moves, 1):
        where = f"move {number} of {len(moves)}, {shown(move)}"
        say(where)
        try:
            given = rehearsal.play([move])
        except Stuck as stuck:
            raise Faulty(Fault.STUCK, f"{where}: {stuck.message}") from stuck
        except (InvalidConfiguration, InfrastructureError):
            raise
        except Exception as error:
            raise Faulty(Fault.WORLD_BROKE, f"{where}: {_said(error)}") from error
        answer = given if given is not None else answer
    return answer


def _not_yet(world: World, before: State) -> float:
    """Check that the task is not solved at the start. Returns the reward for doing nothing.

    A check that cannot read a file that is yet to be created fails, as it does for an agent that does nothing.
    """
    try:
        verdict = verdict_of(world, before, before, None)
    except Faulty as faulty:
        if isinstance(faulty.__cause__, StateError):
            return 0.0
        raise
    if verdict.success:
        raise Faulty(Fault.TRIVIAL, "every check passes on the initial state")
    return verdict.reward


def _solved(first: Verdict, second: Verdict) -> None:
    """Check that a state that was judged twice was found solved both times."""
    if first != second:
        pairs = zip(first.checks, second.checks, strict=False)
        which = next((check.name for check, repeated in pairs if check != repeated), "their number")
        raise Faulty(
            Fault.NOT_DETERMINISTIC, f"judging the oracle's end state twice gave different results for: {which}"
        )
    if first.success:
        return
    failed = [
        f"{check.name}: expected {check.expected!r}, found {check.found!r}"
        for check in first.checks
        if not check.passed
    ]
    more = f" (and {len(failed) - 2} more)" if len(failed) > 2 else ""
    details = "; ".join(line[:280] for line in failed[:2])
    raise Faulty(Fault.UNSOLVED, f"reward {first.reward:.3g}; {details}{more}")


def _some_stock(world: World) -> tuple[str, ...]:
    """Return a few stock answers, different for each pair: checks of a large state are slow, and pairs are many."""
    begin = zlib.crc32(world.id.encode())
    turn = [STOCK[(begin + place * 7) % len(STOCK)] for place in range(_FEW)]
    return ("", EMPTY[begin % len(EMPTY)], SPAM[begin % len(SPAM)], *turn)


def refuse_stock(
    world: World, before: State, answer: str | None, stock: Sequence[str] = (*EMPTY, *SPAM, *STOCK)
) -> tuple[str, ...]:
    """Check that no empty or stock answer is accepted. Returns the stock answers that happen to be right.

    Raises:
        Faulty: If one is accepted that is not part of the oracle's answer.
    """
    guessed = []
    for text in dict.fromkeys((*stock, world.instruction)):
        if not judge(world, before, before, text).success:
            continue
        if text not in STOCK or not says(answer, text):
            raise Faulty(Fault.ANSWER, f"{text[:80]!r} passes, but the oracle answers {answer!r}")
        guessed.append(text)
    return tuple(guessed)


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, FairgroundError) else f"{type(error).__name__}: {error}"
