"""Environments for TRL's `GRPOTrainer(environment_factory=...)`. Imports neither TRL nor PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PIL import Image

from fairground.core import FairgroundError, InvalidInput
from fairground.remote.client import RemoteEnv
from fairground.remote.errors import Busy


def trl_environment(
    url: str, world: str | Sequence[str] | None = None, *, observations: Sequence[str] = ("screen",), **settings: Any
) -> type[TrlEnvironment]:
    """Return a class without constructor arguments for `GRPOTrainer(environment_factory=...)`.

    Each instance is one rollout with its own session. Columns `seed` and `world` of the dataset choose the
    configuration; rows with the same seed start at the same one, so give every row a seed. Other columns are ignored.

    An infrastructure error has no reward: `get_reward` returns None, which TRL leaves out.

    Args:
        url: URL of the server.
        world: As in `RemoteEnv`.
        observations: What tools return: `screen` as an image, `tree`, `windows` and `cursor` as text.
        settings: Further arguments of `RemoteEnv`.
    """

    class Fairground(TrlEnvironment):
        def __init__(self) -> None:
            super().__init__(RemoteEnv(url, world, observations=observations, **{"reconnect": True} | settings))

    return Fairground


class TrlEnvironment:
    """A rollout. All public methods but `reset` and `get_reward` are tools of the model.

    Args:
        env: The environment.
    """

    def __init__(self, env: RemoteEnv) -> None:
        self._env = env
        self._reward: float | None = None
        self._running = False

    def reset(self, seed: int | None = None, world: str | None = None, **_: Any) -> list[dict[str, Any]]:
        """Start an episode, and return its instruction and the first observation as content parts."""
        self._reward, self._running = None, False
        observation, info = self._env.reset(seed=seed, options=None if world is None else {"world": world})
        self._running = True
        return [{"type": "text", "text": info["instruction"]}, *self._parts(observation)]

    def get_reward(self) -> float | None:
        """Return the reward of the rollout. An episode that still runs is ended and judged first.

        Returns:
            None if the episode has no score, because the infrastructure failed.
        """
        if self._running:
            try:
                self._act(kind="done")
            except FairgroundError:
                return None  # TRL would end the training
        return self._reward

    def click(self, x: int, y: int, button: str = "left", count: int = 1) -> list[dict[str, Any]]:
        """Click at a point of the screen.

        Args:
            x: Pixels from the left edge of the screen.
            y: Pixels from the top edge of the screen.
            button: The mouse button: left, middle or right.
            count: Number of clicks: 1, 2 for a double click, or 3.

        Returns:
            The screen afterwards.
        """
        return self._act(kind="click", point=(x, y), button=button, count=count)

    def move(self, x: int, y: int) -> list[dict[str, Any]]:
        """Move the pointer to a point of the screen.

        Args:
            x: Pixels from the left edge of the screen.
            y: Pixels from the top edge of the screen.

        Returns:
            The screen afterwards.
        """
        return self._act(kind="move", point=(x, y))

    def drag(self, x: int, y: int, to_x: int, to_y: int) -> list[dict[str, Any]]:
        """Drag from one point of the screen to another with the left mouse button.

        Args:
            x: Where the drag starts, in pixels from the left edge.
            y: Where the drag starts, in pixels from the top edge.
            to_x: Where the drag ends, in pixels from the left edge.
            to_y: Where the drag ends, in pixels from the top edge.

        Returns:
            The screen afterwards.
        """
        return self._act(kind="drag", path=((x, y), (to_x, to_y)))

    def scroll(self, x: int, y: int, clicks: int) -> list[dict[str, Any]]:
        """Scroll with the mouse wheel at a point of the screen.

        Args:
            x: Pixels from the left edge of the screen.
            y: Pixels from the top edge of the screen.
            clicks: Wheel clicks. Positive numbers scroll down, negative ones up.

        Returns:
            The screen afterwards.
        """
        return self._act(kind="scroll", point=(x, y), dy=clicks)

    def type(self, text: str) -> list[dict[str, Any]]:
        """Type text with the keyboard.

        Args:
            text: The text. A newline presses Enter.

        Returns:
            The screen afterwards.
        """
        return self._act(kind="type", text=text)

    def key(self, keys: str) -> list[dict[str, Any]]:
        """Press a key, or several keys together.

        Args:
            keys: Names of keys, joined by +, such as enter or ctrl+shift+s.

        Returns:
            The screen afterwards.
        """
        names = [name.strip() for name in keys.replace("++", "+plus").split("+")]
        return self._act(kind="key", keys=[name for name in names if name])

    def wait(self, seconds: float) -> list[dict[str, Any]]:
        """Wait.

        Args:
            seconds: How long to wait.

        Returns:
            The screen afterwards.
        """
        return self._act(kind="wait", seconds=seconds)

    def answer(self, text: str) -> list[dict[str, Any]]:
        """Give the answer that the task asks for, and end the task.

        Args:
            text: The answer.

        Returns:
            The last screen.
        """
        return self._act(kind="answer", text=text)

    def done(self) -> list[dict[str, Any]]:
        """Report that the task is finished, and end it.

        Returns:
            The last screen.
        """
        return self._act(kind="done")

    def _act(self, **action: Any) -> list[dict[str, Any]]:
        if not self._running:
            raise InvalidInput("the task has ended")
        try:
            observation, reward, terminated, truncated, info = self._env.step(action)
        except (InvalidInput, Busy):
            raise  # nothing happened; TRL shows the message to the model
        except FairgroundError:
            self._running = False
            raise
        if terminated or truncated:
            self._running, self._reward = False, reward
        notes = [{"type": "text", "text": message} for message in info["messages"]]
        return [*notes, *self._parts(observation)]

    @staticmethod
    def _parts(observation: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            {"type": "image", "image": Image.fromarray(value)}
            if name == "screen"
            else {"type": "text", "text": str(value.tolist() if name == "cursor" else value)}
            for name, value in observation.items()
            if name != "instruction"
        ]
