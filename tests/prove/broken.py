"""Tasks that are wrong, one fault each; and what a proof must say of them."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Sequence

from fairground.core import Check, State
from fairground.prove import Fault
from fairground.verify import holds
from fairground.worlds import Move, Say, Suite, Tap, World

from .wallet import Pay, Spent, Wallet


class Unresolved(Pay):
    template = "Pay {person} the {sum}."


class LeftOver(Pay):
    template = "Pay {person} what {{contact.name}} asked for."


class HalfWay(Pay):
    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [*super().oracle(world, before)[:2], Tap("Pay everybody"), Tap("Send")]


class Unfinished(Pay):
    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return super().oracle(world, before)[:-1]


class Unwritten(Pay):
    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return ()


class BrokenOracle(Pay):
    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [Tap(before.get("people")[99]["name"])]


class Endless(Pay):
    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return itertools.repeat(Tap("Home"))  # type: ignore[return-value]


class Hanging(Pay):
    def oracle(self, world: World, before: State) -> Sequence[Move]:
        while True:
            pass


class Deaf(Pay):
    """Cannot even be interrupted."""

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        while True:
            try:
                time.sleep(100)
            except BaseException:
                continue  # which is what this one is for: a prover must end it all the same


class Deadly(Pay):
    def oracle(self, world: World, before: State) -> Sequence[Move]:
        os.kill(os.getpid(), 9)
        return ()


class OverBudget(Pay):
    step_budget = 3


class MissingTable(Pay):
    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        return [holds("a receipt is there", bool(after.get("receipts")))]


class Raising(Pay):
    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        return [holds("the last payment", after.get("payments")[100]["cents"] == 1)]


class NoChecks(Pay):
    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        return []


class Always(Pay):
    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        return [holds("there are people", bool(after.get("people")))]


class Never(Pay):
    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        return [holds("there is a payment of nothing", any(row["cents"] == 0 for row in after.get("payments")))]


class Moody(Pay):
    looks = 0

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        type(self).looks += 1
        paid = len(after.get("payments")) > len(before.get("payments"))
        return [holds("a payment is there", paid, found=self.looks)]


class AnyAnswer(Spent):
    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        return [holds("there is an answer", answer is not None)]


class AnyNumber(Spent):
    """Takes whatever has the right number in it, however many others."""

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        return [holds("the number of people", "3" in (answer or "").replace(",", " ").split())]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [Say("3")]


FAULTS = {
    Unresolved: (Fault.INCOHERENT, "'sum'"),
    LeftOver: (Fault.INCOHERENT, "{contact.name}"),
    HalfWay: (Fault.STUCK, "move 3 of 4, Tap('Pay everybody'): there is no"),
    Unfinished: (Fault.UNSOLVED, "the payment is there, once: expected"),
    Unwritten: (Fault.NO_ORACLE, ""),
    BrokenOracle: (Fault.ORACLE_BROKE, "IndexError"),
    Endless: (Fault.TOO_SLOW, "more than 1000 moves"),
    OverBudget: (Fault.OVER_BUDGET, "6 moves, but a budget of 3"),
    MissingTable: (Fault.CHECKS_BROKE, "no data named 'receipts'"),
    Raising: (Fault.CHECKS_BROKE, "IndexError"),
    NoChecks: (Fault.CHECKS_BROKE, "at least one check"),
    Always: (Fault.TRIVIAL, "every check passes"),
    Never: (Fault.UNSOLVED, "a payment of nothing"),
    Moody: (Fault.NOT_DETERMINISTIC, "a payment is there"),
    AnyAnswer: (Fault.ANSWER, "'' passes"),
    AnyNumber: (Fault.ANSWER, "passes, but the oracle answers '3'"),
}
"""What is found without a process of its own."""


def hanging_suite() -> Suite:
    """Tasks that hang or kill, beside one that is sound."""
    hanging = [Hanging(), Deaf(), Deadly()]
    for scenario in hanging:
        scenario.name = type(scenario).__name__.lower()  # type: ignore[misc]
        scenario.instances = {"bo": Pay.instances["bo"]}  # type: ignore[misc]
    app = Wallet()
    app.profiles = {"ana": app.profiles["ana"]}  # type: ignore[misc]
    return Suite(name="tiny", title="Tiny", version="1", apps=(app,), scenarios=(*hanging, Pay()))
