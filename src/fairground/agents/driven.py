"""An agent that is driven from outside the episode loop.

The episode loop asks agents for actions. A protocol client, or a user at a page, sends actions on its own. This class
connects the two: the loop calls `act` in its thread, and the driver calls `see` and `play` in any other thread.
"""

from __future__ import annotations

import threading

from fairground.agents.protocol import Brief, Turn
from fairground.core import Fail, InvalidInput, MissingPrerequisite, Observation

HUMAN = "human"
"""Name of a human agent in results."""


class Driven:
    """An agent for one episode, driven from outside.

    Args:
        name: Name of the agent in results.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.brief: Brief | None = None
        self._changed = threading.Condition()
        self._driving = threading.Lock()
        self._seen: Observation | None = None
        self._asked = False
        self._turn: Turn | None = None
        self._left = ""
        self._over = False

    def begin(self, brief: Brief) -> None:
        """Store the brief for the driver."""
        self.brief = brief

    def act(self, observation: Observation) -> Turn:
        """Show the observation to the driver, and wait for its turn. Gives up if the driver left."""
        with self._changed:
            self._seen, self._asked = observation, True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._turn is not None or self._left or self._over)
            turn, self._turn, self._asked = self._turn, None, False
            return turn if turn is not None else Turn(Fail(reason=self._left))

    def see(self) -> Observation | None:
        """For the driver: return the latest observation once it is its turn. None if the episode is over."""
        with self._changed:
            self._changed.wait_for(lambda: self._asked or self._over)
            return None if self._over else self._seen

    def play(self, turn: Turn) -> Observation | None:
        """For the driver: act, and return the next observation. None if that ended the episode.

        Raises:
            InvalidInput: If the episode was already over.
        """
        with self._driving:
            if self.see() is None:
                raise InvalidInput("the episode is over")
            with self._changed:
                self._turn, self._asked = turn, False
                self._changed.notify_all()
            return self.see()

    def leave(self, reason: str) -> None:
        """For the driver: no more actions will come. The agent gives up with this reason when it is next asked."""
        with self._changed:
            self._left = reason
            self._changed.notify_all()

    def end(self) -> None:
        """For the runner of the episode: it is over, and nothing needs to wait any longer."""
        with self._changed:
            self._over = True
            self._changed.notify_all()


def human_agent() -> Driven:
    """Return a human agent, for a front end that shows the screen and takes input: docs/agents.md, People."""
    return Driven(HUMAN)


def nobody_to_drive() -> MissingPrerequisite:
    """Return the error for naming `human` in a command that opens no page."""
    return MissingPrerequisite(
        "human: a person acts through a page, and this command opens none",
        fix="use `fairground play WORLD` to do a task in the browser, recorded and judged; or drive a "
        "`human_agent()` from your own page: docs/agents.md, People",
    )
