"""One episode driven by an MCP client. The seat opens in advance; the episode begins with the first call."""

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

# timeout in seconds for a seat whose stages must be built first; the client may call again meanwhile
_BUILDING = 3600.0


class Session:
    """A seat, and the one episode in it.

    Attributes:
        episode: The episode, after its end.
        failure: The error that prevented recording, if any.
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
        """Return the latest observation, or None if the episode has ended."""
        self._begin()
        return self._driven.see()

    def play(self, turn: Turn) -> Observation | None:
        """Act. Returns None if that ended the episode.

        Raises:
            InvalidInput: The episode had ended before.
        """
        self._begin()
        return self._driven.play(turn)

    def tree(self) -> str | None:
        """Return the accessibility tree as text, or None if the episode has ended.

        No other call uses the seat meanwhile.
        """
        if self.see() is None or (seat := self._seats.taken) is None:
            return None
        try:
            return outline(seat.screen.tree())
        except FairgroundError as error:  # the episode ended, or the app does not answer
            raise InvalidInput(f"the accessibility tree cannot be read now: {error.message}") from None

    def close(self) -> None:
        """End the session. A running episode ends, and is judged and recorded; the seat is closed."""
        with self._lock:
            thread, self._thread = self._thread, self._thread or threading.Thread()  # prevents a new thread
        self._driven.leave("the client disconnected without ending the episode")
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
        except Exception as error:  # the folder cannot be written; the server raises this when it ends
            self.failure = error
        finally:
            self._driven.end()

    def _tell(self, step: Step) -> None:
        if self._on_step is not None:
            with contextlib.suppress(OSError):  # the listener may be gone with the client; the episode continues
                self._on_step(step)


class _Seats(Ahead):
    taken: Seat | None = None

    def take(self, kind: World, timeout: float = _BUILDING) -> Seat:
        self.taken = super().take(kind, timeout)
        return self.taken
