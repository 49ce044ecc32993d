"""Demonstrations: the oracle of a scenario, restricted to what the policy can express."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from examples.train.features import Choice, Sample
from examples.train.hand import Hand
from fairground.core import Configuration, Node
from fairground.worlds import Fill, Move, Stuck, Tap, resolve
from fairground.worlds.finding import find_field, find_tap


class Demonstrator:
    """Plays the oracle's moves for one configuration, as choices of the policy.

    The moves are computed here, from the scenario and the data of the profile. The server only sees clicks and keys,
    so its reward also checks the demonstration. Text is reduced to the part that stands in the instruction: a search
    for `subject:"Rent"` becomes one for `Rent`.

    Raises:
        Stuck: A move is neither a tap nor a text of the instruction, or what it names is not on the screen.
    """

    def __init__(self, configuration: Configuration) -> None:
        self._moves = iter(oracle_moves(configuration))

    def __call__(self, sample: Sample, hand: Hand, generator: np.random.Generator | None) -> tuple[Choice, float]:
        """Return the next move as a choice."""
        move = next(self._moves, None)
        if move is None:
            return Choice(len(hand.page.controls)), 0.0
        nodes = [Node(control.role, control.name) for control in hand.page.controls]
        screen = Node("document", children=tuple(nodes))
        if isinstance(move, Tap):
            found = find_tap(screen, Tap(move.name, move.role))
        elif isinstance(move, Fill):
            found = find_field(screen, Fill(move.field, move.text))
        else:
            raise Stuck(f"the policy cannot express {type(move).__name__}")
        number = next(place for place, node in enumerate(nodes) if node is found.node)
        if isinstance(move, Tap):
            return Choice(number), 0.0
        span = hand.task.span(move.text)
        if span is None:
            raise Stuck(f"{move.text!r} does not stand in the instruction")
        return Choice(number, *span), 0.0


def oracle_moves(configuration: Configuration) -> Sequence[Move]:
    """Return the oracle's moves for a configuration, computed without a screen."""
    world = resolve(configuration.id)
    rehearsal = world.app.rehearse(world)
    if rehearsal is None:
        raise Stuck(f"{configuration.app} cannot be rehearsed, so its oracle's moves are not known without a seat")
    try:
        return world.scenario.oracle(world, rehearsal.before)
    finally:
        rehearsal.close()
