"""An agent that blindly plays back recorded actions: what a benchmark must not reward.

If every attempt at a task starts the same, it scores what its source scored in its best attempt (pass@k). If worlds
vary, it should score almost nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fairground.agents.protocol import Brief, Turn
from fairground.core import Action, Done, Fail, InvalidInput, Observation

Match: TypeAlias = Literal["task", "screen"]
"""How a recording is chosen.

- `task`: By the instruction and the size of the screen. The instruction is the same on every profile, theme and UI
  state, so this is the blind replay of a recording in worlds that vary.
- `screen`: By these and the first frame, which must equal the recorded one. An agent does not know its configuration; a
  world that starts with the same pixels is the closest match it can find.
"""


@dataclass(frozen=True)
class Trajectory:
    """One recorded attempt, as needed for a replay.

    Attributes:
        instruction: The instruction.
        size: Size of the screen.
        first_frame: Digest of the first frame.
        actions: The actions, in order.
        task: The task: `suite/app/scenario/instance`. Two tasks may have the same instruction.
    """

    instruction: str
    size: tuple[int, int]
    first_frame: str
    actions: tuple[Action, ...]
    task: str = ""


class ReplayAgent:
    """Plays the first matching recording, and fails immediately if there is none.

    It uses the first frame only to choose a recording, and looks at nothing after that. A recording without an ending
    action (its budget ended it) is followed by `done`.

    Args:
        trajectories: The recordings, usually successes. Earlier ones are preferred.
        match: How one is chosen.
        name: Name of the agent.
    """

    def __init__(self, trajectories: Iterable[Trajectory], *, match: Match = "task", name: str = "replay") -> None:
        if match not in ("task", "screen"):
            raise InvalidInput(f"match: expected task or screen, got {match!r}")
        self.name = name
        self._match = match
        self._known: dict[tuple[str, tuple[int, int]], list[Trajectory]] = {}
        for trajectory in trajectories:
            self._known.setdefault((trajectory.instruction, trajectory.size), []).append(trajectory)
        self._fitting: list[Trajectory] = []
        self._left: list[Action] | None = None

    def begin(self, brief: Brief) -> None:
        """Look up the recordings for this instruction."""
        self._fitting = self._known.get((brief.instruction, brief.size), [])
        self._left = None

    def act(self, observation: Observation) -> Turn:
        """Return the next recorded action."""
        if self._left is None:
            chosen = self._choose(observation)
            if isinstance(chosen, str):
                return Turn(Fail(reason=chosen))
            self._left = list(reversed(chosen.actions))
        return Turn(self._left.pop() if self._left else Done())

    def _choose(self, observation: Observation) -> Trajectory | str:
        """Return a recording, or why there is none."""
        if not self._fitting:
            return "no recorded success for this task"
        tasks = {trajectory.task for trajectory in self._fitting}
        if self._match == "task" and len(tasks) == 1:
            return self._fitting[0]
        for candidate in self._fitting:
            if candidate.first_frame == observation.frame.digest:
                return candidate
        if self._match == "screen":
            return "no recorded success that began on this screen"
        return f"{len(tasks)} recorded tasks have this instruction, but none started on this screen"
