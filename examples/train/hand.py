"""Performs the policy's choices in an environment, as a person would: scroll, press, type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from examples.train.features import Choice, Task, read_task
from examples.train.page import Control, Page, read_page
from fairground.core import Action
from fairground.remote import RemoteEnv

_SCROLLS = 12
_SCREEN = 0.6  # share of the screen that one scroll moves


@dataclass(frozen=True)
class Result:
    """How an episode ended."""

    reward: float
    success: bool
    steps: int


class Hand:
    """Performs choices in an environment that observes `tree`.

    A control that is off screen is scrolled into view first. If it cannot be reached, nothing happens, and the policy
    chooses again on the same page.

    Args:
        env: The environment.
    """

    def __init__(self, env: RemoteEnv) -> None:
        self.task: Task = read_task("")
        self.page = Page("", ())
        self.result: Result | None = None
        self.size = env.size
        self._env = env
        self._steps = 0

    def begin(self, world: str) -> str:
        """Start an episode at this configuration. Returns the fingerprint of the start."""
        observation, info = self._env.reset(seed=0, options={"world": world})
        self.task = read_task(info["instruction"])
        self.page = read_page(observation["tree"], self.size)
        self.result = None
        self._steps = 0
        assert self._env.start is not None
        return self._env.start.fingerprint

    def perform(self, choice: Choice) -> None:
        """Perform a choice of the policy."""
        if choice.control >= len(self.page.controls):
            self.give_up()
            return
        control = self._reach(self.page.controls[choice.control])
        if control is None or control.spot is None:
            return
        pressed = "focused" in control.states and control.takes_text
        if not pressed:
            self.act({"kind": "click", "point": control.spot})
        if choice.start >= 0:
            if control.value:
                self.act({"kind": "key", "keys": ["ctrl", "a"]})
            self.act({"kind": "type", "text": self.task.copied(choice)})

    def give_up(self) -> None:
        """End the episode by saying that the task is done."""
        self.act({"kind": "done"})

    def _reach(self, wanted: Control) -> Control | None:
        """Scroll until a control can be pressed, and return it as it is then."""
        place = self.page.controls.index(wanted)
        number = [control.key for control in self.page.controls[:place]].count(wanted.key)
        for _ in range(_SCROLLS):
            same = [control for control in self.page.controls if control.key == wanted.key]
            if self.result is not None or number >= len(same):
                return None
            control = same[number]
            if control.spot is not None:
                return control
            before = self.page
            self._scroll(control)
            if self.page == before:
                return None
        return None

    def _scroll(self, control: Control) -> None:
        place = self.page.controls.index(control)
        visible = [number for number, other in enumerate(self.page.controls) if other.spot is not None]
        ahead = sum(number < place for number in visible) * 2 >= len(visible)
        width, height = self.size
        distance = int(height * _SCREEN) * (1 if ahead else -1)
        middle = (width // 2, int(height * 0.65))
        self.act({"kind": "scroll", "point": middle, "dx": 0, "dy": distance, "unit": "pixels"})

    def act(self, action: Action | dict[str, Any]) -> None:
        """Perform a canonical action. Nothing happens after the end of the episode."""
        if self.result is not None:
            return
        observation, reward, terminated, truncated, info = self._env.step(action)
        self._steps += 1
        self.page = read_page(observation["tree"], self.size)
        if terminated or truncated:
            self.result = Result(float(reward), info["outcome"] == "passed", self._steps)
