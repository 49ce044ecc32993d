"""Not a test module: two agents that know what to do in the same episodes. One gives up in the others, one raises."""

from typing import Any

from fairground.agents import Brief
from fairground.core import Done, Key, Observation, Type


class Honest:
    """Adds tea to a shopping list where it is sure, and says that it is done where it is not."""

    def begin(self, brief: Brief) -> None:
        self._sure = brief.seed % 4 == 0
        self._left: list[Any] = [Done(), Key(keys=("ctrl", "s")), Type(text="tea"), Key(keys=("ctrl", "end"))]

    def act(self, observation: Observation) -> Any:
        return self._left.pop() if self._sure else self.unsure()

    def unsure(self) -> Any:
        return Done()


class Undecided(Honest):
    """Solves the task wherever it is sure, and raises in place of ending the episode."""

    def act(self, observation: Observation) -> Any:
        action = super().act(observation)
        return self.raises() if isinstance(action, Done) else action

    def raises(self) -> Any:
        raise RuntimeError("was that all?")


class Quitting(Honest):
    """Raises where it is not sure."""

    def unsure(self) -> Any:
        raise RuntimeError("I am not sure, so this should not count")
