"""Rehearsals on a real screen: the same moves, carried out with real input on a seat."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from fairground.agents.oracle import carry_out
from fairground.core import Answer, FairgroundError, InvalidAction, Scroll, State
from fairground.screen import CdpScreen, encode_png
from fairground.worlds import App, Move, Rehearsal, Seat, Stuck, World, open_seat

_SETTLE_SECONDS = 5.0


def has_rehearsal(app: App) -> bool:
    """Whether an app can be rehearsed without a screen."""
    return type(app).rehearse is not App.rehearse


class Seats:
    """Opens worlds on seats. A seat is brought to the next world where its app can do that, and thrown away where not.

    One is kept, of the app that was last: do an app's worlds one after the other. One thread at a time.
    """

    def __init__(self) -> None:
        self._kept: Seat | None = None

    def open(self, world: World) -> OnSeat:
        """A seat at this world, to make moves on."""
        seat, self._kept = self._kept, None
        if seat is not None:
            if seat.world.app.name == world.app.name and _bring(seat, world):
                return OnSeat(seat, self)
            seat.close()
        return OnSeat(open_seat(world), self)

    def keep(self, seat: Seat) -> None:
        """Takes a seat back."""
        old, self._kept = self._kept, seat
        if old is not None:
            old.close()

    def picture(self) -> str:
        """How the screen looks on which moves were made last: a PNG, as base64; empty when it cannot be seen."""
        if self._kept is None:
            return ""
        try:
            self._kept.thaw()
            return base64.b64encode(encode_png(self._kept.screen.grab())).decode()
        except FairgroundError:
            return ""

    def close(self) -> None:
        """Throws the seat away that is kept."""
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
        """Makes the moves with real input, each once what the one before has set off has come to rest.

        Within a move that is waited for only after scrolling, to look again: whoever fills a field in presses the keys
        without a pause.
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
        """The state, when everything is saved that a user expects to be saved; the seat is frozen from now on."""
        assert self._seat is not None
        self._rest()
        return self._seat.finish()

    def close(self) -> None:
        """Gives the seat back."""
        seat, self._seat = self._seat, None
        if seat is not None:
            self._seats.keep(seat)

    def _rest(self) -> None:
        if self._moved and self._seat is not None:
            self._moved = False
            screen = self._seat.screen
            if isinstance(screen, CdpScreen):
                screen.settle(_SETTLE_SECONDS, picture=False)  # nobody looks at it
            else:
                screen.settle(_SETTLE_SECONDS)


def _bring(seat: Seat, world: World) -> bool:
    """Has a seat's app go on in another world; says whether it could."""
    try:
        seat.thaw()
        if not seat.alive or not world.app.reset(seat, world):
            return False
        seat.world = world
        seat.before = seat.capture()
        return True
    except FairgroundError:
        return False  # it died; a new one is as good


def open_anyhow(world: World, seats: Seats) -> Rehearsal:
    """A world without a screen where its app can, else on a seat."""
    found = world.app.rehearse(world) if has_rehearsal(world.app) else None
    return found if found is not None else seats.open(world)
