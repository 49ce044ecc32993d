"""An agent that plays recorded actions back without looking: what a benchmark must not reward.

Where every attempt at a task starts the same, it scores what its source scored in the best of its attempts (pass@k).
Where worlds vary, it should score next to nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fairground.agents.protocol import Brief, Turn
from fairground.core import Action, Done, Fail, InvalidInput, Observation

Match: TypeAlias = Literal["task", "screen"]
"""How a recording is chosen.

task: by the instruction and the size of the screen, whatever the world looks like and holds. The instruction is the
    same on every profile, theme and UI state, so this is the blind replay of a recording in worlds that vary.
screen: by these and by the first frame, which must be the recorded one. An agent is not told its configuration; a
    world that starts with the same pixels is as near as it can know.
"""


@dataclass(frozen=True)
class Trajectory:
    """One recorded attempt, as far as a replay needs it.

    Attributes:
        instruction: What was asked.
        size: Of the screen.
        first_frame: Digest of what was seen first.
        actions: What was done, in order.
        task: Which task it was: `suite/app/scenario/instance`. Two tasks may have one instruction.
    """

    instruction: str
    size: tuple[int, int]
    first_frame: str
    actions: tuple[Action, ...]
    task: str = ""


class ReplayAgent:
    """Plays the first recording that fits, and says `fail` at once where none does.

    It sees the first frame only to choose, and nothing after that. A recording that does not end by itself (its budget
    ended it) is followed by `done`.

    Args:
        trajectories: The recordings, successes presumably; earlier ones are preferred.
        match: How one is chosen.
        name: What the agent is called.
    """

    def __init__(self, trajectories: Iterable[Trajectory], *, match: Match = "task", name: str = "replay") -> None:
        if match not in ("task", "screen"):
            raise InvalidInput(f"match: expected task or screen, got {match!r}")
        self.name = name
        self._match = match
        self._known: dict[tuple[str, tuple[int, int]], list[Trajectory]] = {}
        for one in trajectories:
            self._known.setdefault((one.instruction, one.size), []).append(one)
        self._fitting: list[Trajectory] = []
        self._left: list[Action] | None = None

    def begin(self, brief: Brief) -> None:
        """Looks up what was recorded for this instruction."""
        self._fitting = self._known.get((brief.instruction, brief.size), [])
        self._left = None

    def act(self, observation: Observation) -> Turn:
        """The next recorded action."""
        if self._left is None:
            chosen = self._choose(observation)
            if isinstance(chosen, str):
                return Turn(Fail(reason=chosen))
            self._left = list(reversed(chosen.actions))
        return Turn(self._left.pop() if self._left else Done())

    def _choose(self, observation: Observation) -> Trajectory | str:
        """A recording, or why there is none."""
        if not self._fitting:
            return "no recorded success for this task"
        tasks = {one.task for one in self._fitting}
        if self._match == "task" and len(tasks) == 1:
            return self._fitting[0]
        for one in self._fitting:
            if one.first_frame == observation.frame.digest:
                return one
        if self._match == "screen":
            return "no recorded success that began on this screen"
        return f"{len(tasks)} recorded tasks have this instruction, and none began on this screen"
