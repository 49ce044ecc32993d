"""Rehearsals on a real screen: the same moves, played with real input on a seat."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from fairground.agents.oracle import carry_out
from fairground.core import Answer, FairgroundError, InvalidAction, Scroll, State
from fairground.screen import CdpScreen, encode_png
from fairground.worlds import App, Move, Rehearsal, Seat, Stuck, World, open_seat

_SETTLE_SECONDS = 5.0


def has_rehearsal(app: App) -> bool:
    """Return whether an app can be rehearsed without a screen."""
    return type(app).rehearse is not App.rehearse


class Seats:
    """Opens worlds on seats. A seat is reset to the next world if its app supports that, and discarded otherwise.

    One seat of the last app is kept, so process an app's worlds one after the other. Not thread-safe.
    """

    def __init__(self) -> None:
        self._kept: Seat | None = None

    def open(self, world: World) -> OnSeat:
        """Return a seat at this world, to play moves on."""
        seat, self._kept = self._kept, None
        if seat is not None:
            if seat.world.app.name == world.app.name and _bring(seat, world):
                return OnSeat(seat, self)
            seat.close()
        return OnSeat(open_seat(world), self)

    def keep(self, seat: Seat) -> None:
        """Take a seat back."""
        old, self._kept = self._kept, seat
        if old is not None:
            old.close()

    def picture(self) -> str:
        """Return the final screen of the last moves as a base64 PNG; empty if it cannot be captured."""
        if self._kept is None:
            return ""
        try:
            self._kept.thaw()
            return base64.b64encode(encode_png(self._kept.screen.grab())).decode()
        except FairgroundError:
            return ""

    def close(self) -> None:
        """Close the kept seat."""
        seat, self._kept = self._kept, None
        if seat is not None:
            seat.close()


class OnSeat:
    """A world on a real screen, as a rehearsal."""

    def __init__(self, seat: Seat, seats: Seats) -> None:
        self.before = seat.before
        self.steps = 0
        self._seat: Seat | None = seat
        self._seats = seats
        self._moved = False

    def play(self, moves: Sequence[Move]) -> str | None:
        """Play the moves with real input. Before each move, waits until the screen has settled.

        Within a move it waits only after scrolling, to look again: a user who fills in a field also types without a
        pause.
        """
        assert self._seat is not None
        for move in moves:
            self._rest()
            for turn in carry_out(self._seat, [move]):
                if isinstance(turn.action, Answer):
                    return turn.action.text
                if turn.action.ends:
                    break
                try:
                    self._seat.screen.act(turn.action.to_pixels(*self._seat.screen.size))
                except InvalidAction as error:
                    raise Stuck(error.message) from error
                self.steps += 1
                self._moved = True
                if isinstance(turn.action, Scroll):
                    self._rest()
        return None

    def state(self) -> State:
        """Save what a user expects to be saved, and return the state. The seat is frozen from then on."""
        assert self._seat is not None
        self._rest()
        return self._seat.finish()

    def close(self) -> None:
        """Give the seat back, for reuse."""
        seat, self._seat = self._seat, None
        if seat is not None:
            self._seats.keep(seat)

    def _rest(self) -> None:
        if self._moved and self._seat is not None:
            self._moved = False
            screen = self._seat.screen
            if isinstance(screen, CdpScreen):
                screen.settle(_SETTLE_SECONDS, picture=False)  # the picture is not needed
            else:
                screen.settle(_SETTLE_SECONDS)


def _bring(seat: Seat, world: World) -> bool:
    """Reset a seat to another world. Returns whether that worked."""
    try:
        seat.thaw()
        if not seat.alive or not world.app.reset(seat, world):
            return False
        seat.world = world
        seat.before = seat.capture()
        return True
    except FairgroundError:
        return False  # it died; a new seat is opened instead


def open_anyhow(world: World, seats: Seats) -> Rehearsal:
    """Open a world without a screen if its app can, otherwise on a seat."""
    rehearsal = world.app.rehearse(world) if has_rehearsal(world.app) else None
    return rehearsal if rehearsal is not None else seats.open(world)
