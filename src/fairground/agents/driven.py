"""An agent that somebody else moves: the episode waits for it, and it waits for whoever drives.

The episode loop asks agents for actions. A client of a protocol, or a person at a page, comes with actions of its own
accord. This is where the two meet: the loop calls `act` in its thread, the driver `see` and `play` in any other.
"""

from __future__ import annotations

import threading

from fairground.agents.protocol import Brief, Turn
from fairground.core import Fail, InvalidInput, MissingPrerequisite, Observation

HUMAN = "human"
"""What a person is called in results."""


class Driven:
    """An agent for one episode, driven from outside.

    Args:
        name: What the agent is called in results.
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
        """Keeps the brief for whoever drives."""
        self.brief = brief

    def act(self, observation: Observation) -> Turn:
        """Shows the observation to whoever drives, and waits for what they play; if they left, gives up."""
        with self._changed:
            self._seen, self._asked = observation, True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._turn is not None or self._left or self._over)
            turn, self._turn, self._asked = self._turn, None, False
            return turn if turn is not None else Turn(Fail(reason=self._left))

    def see(self) -> Observation | None:
        """For the driver: the latest observation, as soon as it is their turn; None when the episode is over."""
        with self._changed:
            self._changed.wait_for(lambda: self._asked or self._over)
            return None if self._over else self._seen

    def play(self, turn: Turn) -> Observation | None:
        """For the driver: acts, and returns what is seen then; None when that ended the episode.

        Raises:
            InvalidInput: When the episode was over before.
        """
        with self._driving:
            if self.see() is None:
                raise InvalidInput("the episode is over")
            with self._changed:
                self._turn, self._asked = turn, False
                self._changed.notify_all()
            return self.see()

    def leave(self, reason: str) -> None:
        """For the driver: nothing more will come. The agent gives up with this reason when it is next asked."""
        with self._changed:
            self._left = reason
            self._changed.notify_all()

    def end(self) -> None:
        """For whoever ran the episode: it is over, and nobody needs to wait any longer."""
        with self._changed:
            self._over = True
            self._changed.notify_all()


def human_agent() -> Driven:
    """A person as an agent, for whatever shows them the screen and takes their input: docs/agents.md, People."""
    return Driven(HUMAN)


def nobody_to_drive() -> MissingPrerequisite:
    """What to say to somebody who named `human` where there is no page to act through."""
    return MissingPrerequisite(
        "human: a person acts through a page, and this command opens none",
        fix="try a task in the browser, recorded and judged, with `fairground play WORLD`; or drive a "
        "`human_agent()` from a page of your own: docs/agents.md, People",
    )
