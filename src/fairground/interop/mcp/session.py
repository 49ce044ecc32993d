"""One episode that a client drives: the seat is opened ahead, the episode begins with the first call."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from fairground.agents import Turn
from fairground.agents.driven import Driven
from fairground.core import Episode, FairgroundError, InvalidInput, Observation, Step
from fairground.env import outline
from fairground.rollout import run_episode
from fairground.worlds import Ahead, Seat, World, open_seat

_BUILDING = 3600.0  # seconds for a seat whose stages have to be built first; the client may ask again meanwhile


class Session:
    """A seat, and the one episode in it.

    Attributes:
        episode: How it ended, once it has.
        failure: What kept it from being recorded.
    """

    def __init__(
        self,
        world: World,
        folder: Path,
        *,
        agent: str,
        runner: str | None,
        observations: Sequence[str] = (),
        video: bool,
        on_step: Callable[[Step], None] | None,
    ) -> None:
        self.world = world
        self.observations = tuple(observations)
        self.episode: Episode | None = None
        self.failure: Exception | None = None
        self._folder, self._runner, self._video, self._on_step = folder, runner, video, on_step
        self._driven = Driven(agent)
        self._seats = _Seats(lambda wanted: open_seat(wanted, runner=runner))
        self._seats.order(world)
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def see(self) -> Observation | None:
        """The latest observation; None when the episode is over."""
        self._begin()
        return self._driven.see()

    def play(self, turn: Turn) -> Observation | None:
        """Acts; None when that was the end of the episode. Raises `InvalidInput` when it had ended before."""
        self._begin()
        return self._driven.play(turn)

    def tree(self) -> str | None:
        """The accessibility tree as text; None when the episode is over. Nothing else uses the seat meanwhile."""
        if self.see() is None or (seat := self._seats.taken) is None:
            return None
        try:
            return outline(seat.screen.tree())
        except FairgroundError as error:  # the episode ended, or the app does not answer
            raise InvalidInput(f"the accessibility tree cannot be read now: {error.message}") from None

    def close(self) -> None:
        """The client is gone: an episode that goes on is given up, judged and recorded; the seat is thrown away."""
        with self._lock:
            thread, self._thread = self._thread, self._thread or threading.Thread()  # none is begun any more
        self._driven.leave("the client left without ending the episode")
        if thread is not None:
            thread.join()
        self._driven.end()
        self._seats.close()

    def _begin(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="episode")
                self._thread.start()

    def _run(self) -> None:
        try:
            self.episode = run_episode(
                self.world,
                self._driven,
                self._folder,
                runner=self._runner,
                pool=self._seats,
                observations=self.observations,
                video=self._video,
                on_step=self._tell,
            )
        except Exception as error:  # the folder cannot be written; the server says so when it ends
            self.failure = error
        finally:
            self._driven.end()

    def _tell(self, step: Step) -> None:
        if self._on_step is not None:
            with contextlib.suppress(OSError):  # whoever listened went away with the client; the episode does not end
                self._on_step(step)


class _Seats(Ahead):
    taken: Seat | None = None

    def take(self, kind: World, timeout: float = _BUILDING) -> Seat:
        self.taken = super().take(kind, timeout)
        return self.taken
