"""The oracle as an agent: a scenario's own moves, performed with real input on a real screen.

Unlike other agents it gets the seat, and reads the initial state and the accessibility tree. Its episodes are recorded
like any other.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from fairground.agents.protocol import Brief, Turn
from fairground.core import (
    Action,
    Answer,
    Click,
    Done,
    Drag,
    Fail,
    InvalidInput,
    Key,
    Node,
    Observation,
    Scroll,
    Type,
    Wait,
    unknown,
)
from fairground.worlds import Act, Command, Enter, Fill, Move, Point, Press, Say, Seat, Stuck, Tap
from fairground.worlds.finding import Place, find_field, find_tap, is_control, walk

_Find: TypeAlias = Callable[[Node], Place]

_PATIENCE = 3.0  # seconds for something to appear: pages may continue loading after they settled
_MOST_PATIENCE = 30.0  # while the programs of a seat are working
_LOOK_AGAIN = 0.25
_SCROLLS = 60
_FAR = 10.0  # maximum number of screens scrolled at once
_BARS = frozenset({"banner", "navigation", "contentinfo"})
_ON_TOP = frozenset({"menu", "dialog", "alert", "file chooser"})
_WINDOWS = frozenset({"frame", "document web", "scroll pane", "viewport"})  # show only what lies inside their bounds
_LEAST = 8  # minimum visible pixels of something at the edge that is pressed


class OracleAgent:
    """Solves scenarios that have an oracle.

    Args:
        slip: Probability that a move is skipped, for an agent that is good but not perfect. After a slip, a stuck agent
            gives up. Without slips, being stuck is an error of the world.
    """

    def __init__(self, slip: float = 0.0) -> None:
        if not 0 <= slip <= 1:
            raise InvalidInput(f"slip is a chance between 0 and 1, got {slip:g}")
        self.name = f"oracle:slip={slip:g}" if slip else "oracle"
        self._slip = slip
        self._seat: Seat | None = None
        self._turns: Iterator[Turn] = iter(())

    def take_seat(self, seat: Seat) -> None:
        """Get the seat before it begins. No ordinary agent gets it."""
        self._seat = seat

    def begin(self, brief: Brief) -> None:
        """Compute the moves from the initial state.

        Raises:
            InvalidInput: If the scenario has no oracle.
        """
        if self._seat is None:
            raise InvalidInput("the oracle needs the seat", fix="run it with `fairground run --agent oracle`")
        seat, self._seat = self._seat, None
        world = seat.world
        moves = world.scenario.oracle(world, seat.before)
        if not moves:
            raise InvalidInput(
                f"{world.scenario.app}/{world.scenario.name} has no oracle", fix="choose scenarios that have one"
            )
        chance = random.Random(brief.seed)
        remaining = [move for move in moves if not self._slip or chance.random() >= self._slip]
        self._turns = self._carefully(seat, remaining) if len(remaining) < len(moves) else carry_out(seat, remaining)

    def act(self, observation: Observation) -> Turn:
        """Return the next input of the current move."""
        return next(self._turns, Turn(Done()))

    def _carefully(self, seat: Seat, moves: Sequence[Move]) -> Iterator[Turn]:
        try:
            yield from carry_out(seat, moves)
        except Stuck as stuck:
            yield Turn(Fail(reason=stuck.message))


def oracle_from(text: str) -> OracleAgent:
    """Create the agent for `oracle` or `oracle:slip=CHANCE`."""
    _, _, options = text.partition(":")
    if not options:
        return OracleAgent()
    name, _, value = options.partition("=")
    if name != "slip":
        raise unknown("option of the oracle", name, ["slip"])
    try:
        return OracleAgent(float(value))
    except ValueError:
        raise InvalidInput(f"slip is a chance between 0 and 1, got {value!r}") from None


def carry_out(seat: Seat, moves: Sequence[Move]) -> Iterator[Turn]:
    """Yield moves as inputs. Each is computed from the screen after the previous one was performed.

    Raises:
        Stuck: If what a move names does not exist, or exists twice.
    """
    answer: str | None = None
    for move in moves:
        match move:
            case Say(text):
                answer = text
            case Press(keys):
                yield Turn(Key(keys=tuple(keys.split("+"))), f"Press {keys}.")
            case Enter(text):
                yield Turn(Type(text=text), "Type.")
            case Point(at, None):
                yield Turn(Click(point=at, button=move.button, count=move.count), f"Click at {at}.")
            case Point(at, to):
                assert to is not None
                yield Turn(Drag(path=(at, to), button=move.button), f"Drag from {at} to {to}.")
            case Command():
                seat.world.app.command(seat, move)
                yield Turn(Wait(seconds=0), f"Asked the app to carry out {move.name}.")
            case Tap():
                where = yield from _reach(seat, partial(find_tap, move=move))
                yield Turn(Click(point=where, count=move.count), f"Tap “{move.name}”.")
            case Fill():
                where = yield from _reach(seat, partial(find_field, move=move))
                yield Turn(Click(point=where), f"Go to “{move.field}”.")
                yield Turn(Key(keys=("ctrl", "a")))
                written: Action = Type(text=move.text) if move.text else Key(keys=("delete",))
                yield Turn(written, f"Fill “{move.field}”.")
            case Act(action):
                yield Turn(action, f"Carry out {action.kind}.")
            case _:
                raise InvalidInput(f"{move!r} is no move", fix="moves are those of fairground.worlds")
    yield Turn(Done() if answer is None else Answer(text=answer))


def make_moves(seat: Seat, moves: Sequence[Move]) -> str | None:
    """Perform moves on an open seat with real input, each after the screen has settled. For tests of an app.

    Returns the text of `Say`, if any.

    Raises:
        Stuck: If what a move names does not exist, or exists twice.
    """
    for turn in carry_out(seat, moves):
        if turn.action.ends:
            return turn.action.text if isinstance(turn.action, Answer) else None
        seat.screen.act(turn.action.to_pixels(*seat.screen.size))
        seat.screen.settle()
    return None


def _reach(seat: Seat, find: _Find) -> Generator[Turn, None, tuple[int, int]]:
    """Scroll until the target can be pressed. Returns where."""
    before: object = None
    sign = 1
    for _ in range(_SCROLLS):
        tree, place = _look(seat, find)
        if (spot := _open_spot(tree, place, seat.screen.size)) is not None:
            return spot
        view = _view(place, seat.screen.size) if place.node.bounds is None else (0, 0, *seat.screen.size)
        now = tuple(entry.node.bounds for entry in walk(tree))
        if now == before:  # the last scroll moved nothing: this is the end, so the target is in the other direction
            if sign < 0 or place.node.bounds is not None:
                break
            sign = -1
        before = now
        dx, dy = _way(tree, place, view)
        left, top, width, height = view
        middle = (left + width // 2, top + height // 2)
        yield Turn(Scroll(point=middle, dx=sign * dx, dy=sign * dy, unit="pixels"), f"Look for “{place.node.name}”.")
    raise Stuck(f"{place.node.role} {place.node.name!r} cannot be brought into sight by scrolling")


def _look(seat: Seat, find: _Find) -> tuple[Node, Place]:
    """Look until the target exists. The timeout starts again while the seat's programs are working."""
    begun = time.monotonic()
    deadline = begun + _PATIENCE
    while True:
        busy = seat.sandbox.at_work()  # checked first, because programs also work to answer for the tree
        tree = seat.screen.tree()
        try:
            return tree, find(tree)
        except Stuck:
            now = time.monotonic()
            if busy:
                deadline = min(now + _PATIENCE, begun + _MOST_PATIENCE)
            if now >= deadline:
                raise
            seat.screen.wait_change(min(deadline - now, _LOOK_AGAIN))


def _open_spot(tree: Node, place: Place, size: tuple[int, int]) -> tuple[int, int] | None:
    """Return a point of the visible part that nothing else covers. None if too little of it is visible."""
    if (bounds := place.node.bounds) is None:
        return None
    left, top, right, bottom = _edges(bounds)
    cut = left <= 0 or top <= 0 or right >= size[0] or bottom >= size[1]
    for node in place.above:
        if node.role in _WINDOWS and node.bounds is not None and min(node.bounds[2:]) > 0:
            window = _edges(node.bounds)
            cut = cut or left < window[0] or top < window[1] or right > window[2] or bottom > window[3]
            left, top = max(left, window[0]), max(top, window[1])
            right, bottom = min(right, window[2]), min(bottom, window[3])
    if cut and min(right - left, bottom - top) < _LEAST:
        return None
    family = {id(node) for node in (*place.above, *place.node.walk())}
    others = [
        node.bounds
        for node in _layer(tree, place).walk()
        if node.bounds is not None and id(node) not in family and _may_cover(node)
    ]
    for share in (0.5, 0.25, 0.75):
        point = (int(left + (right - left) * share), int(top + (bottom - top) * share))
        if not any(_holds(other, point) for other in others):
            return point
    return None


def _layer(tree: Node, place: Place) -> Node:
    """Return what can cover the target. On a desktop, a menu or dialog is above all windows, so only its own parts."""
    if not any(node.role == "application" for node in place.above):
        return tree
    return next((node for node in reversed(place.above) if node.role in _ON_TOP), tree)


def _may_cover(node: Node) -> bool:
    """Return whether a node may cover others: controls, and bars of a page that stay while it is scrolled."""
    return is_control(node) or node.role in _BARS


def _edges(bounds: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    left, top, width, height = bounds
    return left, top, left + width, top + height


def _holds(bounds: tuple[int, int, int, int], point: tuple[int, int]) -> bool:
    left, top, width, height = bounds
    return left <= point[0] < left + width and top <= point[1] < top + height


def _view(place: Place, size: tuple[int, int]) -> tuple[int, int, int, int]:
    """Return where to scroll: the visible part of the innermost container."""
    for node in reversed(place.above):
        if node.bounds is not None and node.bounds[2] >= _LEAST and node.bounds[3] >= _LEAST:
            left, top, width, height = node.bounds
            left, top = max(left, 0), max(top, 0)
            return left, top, min(width, size[0] - left), min(height, size[1] - top)
    return 0, 0, *size


def _way(tree: Node, place: Place, view: tuple[int, int, int, int]) -> tuple[float, float]:
    """Return how far to scroll, and in which direction: towards the target's place among the visible nodes."""
    order = [entry.node for entry in walk(tree)]
    around = next((node for node in reversed(place.above) if node.bounds is not None), tree)
    inside = {id(node) for node in around.walk()} - {id(around)}
    at = next(number for number, node in enumerate(order) if node is place.node)
    seen = [(number, node.bounds) for number, node in enumerate(order) if node.bounds and id(node) in inside]
    if place.node.bounds is not None:  # it is visible, but covered or cut off: move it towards the middle
        _, top, _, height = place.node.bounds
        return 0.0, top + (height - view[3]) / 2
    if not seen:
        return 0.0, 0.7 * max(view[3], 200)
    ahead = sum(number < at for number, _ in seen) * 2 >= len(seen)
    gap = min(abs(number - at) for number, _ in seen if (number < at) == ahead)
    # As many screens as there are nodes before it, and a little less, so that it is not skipped.
    screens = max(0.7, min(0.7 * gap / len(seen), _FAR)) * (1 if ahead else -1)
    lefts, tops = ({bounds[way] for _, bounds in seen} for way in (0, 1))
    beside = len(lefts) > 1 and len(tops) == 1  # a heading and its own text are in one line too, but not side by side
    return (view[2] * screens, 0.0) if beside else (0.0, max(view[3], 200) * screens)
