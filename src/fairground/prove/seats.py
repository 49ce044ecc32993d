"""Rehearsals on a real screen: the same moves, carried out with real input on a seat."""

from __future__ import annotations

from collections.abc import Sequence

from fairground.agents.oracle import carry_out
from fairground.core import Answer, FairgroundError, InvalidAction, State
from fairground.worlds import App, Move, Rehearsal, Seat, Stuck, World, open_seat

_SETTLE_SECONDS = 5.0


def has_rehearsal(app: App) -> bool:
    """Whether an app can be rehearsed without a screen."""
    return type(app).rehearse is not App.rehearse


class Seats:
    """Opens worlds on seats. A seat is brought to the next world where its app can do that, and thrown away where not.

    One thread at a time.
    """

    def __init__(self) -> None:
        self._kept: dict[str, Seat] = {}

    def open(self, world: World) -> OnSeat:
        """A seat at this world, to make moves on."""
        seat = self._kept.pop(world.app.name, None)
        if seat is not None:
            try:
                seat.thaw()
                if seat.alive and world.app.reset(seat, world):
                    seat.world = world
                    seat.before = seat.capture()
                    return OnSeat(seat, self)
            except FairgroundError:
                pass  # it died; a new one is as good
            seat.close()
        return OnSeat(open_seat(world), self)

    def keep(self, seat: Seat) -> None:
        """Takes a seat back."""
        old, self._kept[seat.world.app.name] = self._kept.get(seat.world.app.name), seat
        if old is not None:
            old.close()

    def close(self) -> None:
        """Throws all seats away."""
        while self._kept:
            self._kept.popitem()[1].close()


class OnSeat:
    """A world on a real screen, as a rehearsal."""

    def __init__(self, seat: Seat, seats: Seats) -> None:
        self.before = seat.before
        self.steps = 0
        self._seat: Seat | None = seat
        self._seats = seats

    def play(self, moves: Sequence[Move]) -> str | None:
        """Makes the moves with real input."""
        assert self._seat is not None
        screen = self._seat.screen
        for turn in carry_out(self._seat, moves):
            if isinstance(turn.action, Answer):
                return turn.action.text
            if turn.action.ends:
                break
            try:
                screen.act(turn.action.to_pixels(*screen.size))
            except InvalidAction as error:
                raise Stuck(error.message) from error
            self.steps += 1
            screen.settle(_SETTLE_SECONDS)
        return None

    def state(self) -> State:
        """The state, when everything is saved that a user expects to be saved; the seat is frozen from now on."""
        assert self._seat is not None
        return self._seat.finish()

    def close(self) -> None:
        """Gives the seat back."""
        seat, self._seat = self._seat, None
        if seat is not None:
            self._seats.keep(seat)


def open_anyhow(world: World, seats: Seats) -> Rehearsal:
    """A world without a screen where its app can, else on a seat."""
    found = world.app.rehearse(world) if has_rehearsal(world.app) else None
    return found if found is not None else seats.open(world)
