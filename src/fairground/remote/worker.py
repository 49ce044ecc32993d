"""One environment behind a session: performs its calls in one thread, and answers with plain data and a PNG."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from fairground.core import (
    FairgroundError,
    Frame,
    InfrastructureError,
    InvalidAction,
    InvalidInput,
    Outcome,
    Verdict,
    parse_action,
)
from fairground.env import FairgroundEnv, check_observations, outline
from fairground.remote.bands import BandEncoder
from fairground.remote.errors import EpisodeOver
from fairground.remote.seats import Seats
from fairground.rollout.attribution import forfeit, seat_broke
from fairground.rollout.raised import words
from fairground.worlds import World


@dataclass(frozen=True)
class Opening:
    """What an episode starts with.

    Attributes:
        world: The world of the episode.
        upcoming: The world that probably follows, to open its seat in advance.
    """

    world: World
    upcoming: World | None = None


@dataclass(frozen=True)
class Picture:
    """An encoded frame.

    Attributes:
        digest: Digest of the PNG.
    """

    digest: str
    png: bytes
    size: tuple[int, int]


@dataclass(frozen=True)
class Reply:
    """The answer to a call.

    Attributes:
        data: The answer as plain data.
        picture: The frame that it names, if any.
        over: Whether the episode has ended.
    """

    data: dict[str, Any]
    picture: Picture | None = None
    over: bool = False


class Worker:
    """An environment, its last frame, and the state of its episode. Not thread-safe: one call at a time.

    Args:
        observations: What to observe.
        seats: Where seats come from. By default, the environment opens its own.
        runner: Which runner creates sandboxes.
    """

    def __init__(
        self,
        observations: Sequence[str],
        *,
        seats: Seats | None = None,
        runner: str | None = None,
    ) -> None:
        check_observations(observations)
        self.observations = tuple(observations)
        self._seats, self._runner = seats, runner
        self._env: FairgroundEnv | None = None
        self._encoder = BandEncoder()
        self._picture: Picture | None = None
        self._over = True

    def reset(self, opening: Opening) -> Reply:
        """Start an episode."""
        self._over = True
        try:
            if self._env is None:
                self._env = self._new_env(opening.world)
            self._env.reset(options={"world": opening.world})
        except BaseException:
            self.close()
            raise
        self._over = False
        if self._seats is not None and opening.upcoming is not None:
            self._seats.order(self, opening.upcoming)
        return self._start()

    def step(self, action: dict[str, Any]) -> Reply:
        """Perform an action. What the agent broke in its seat ends the episode as failed.

        Raises:
            InvalidAction: The action cannot be performed. Nothing happened.
            EpisodeOver: The episode has ended.
            InfrastructureError: The seat was lost. The episode has no verdict; the session can be reset.
        """
        env = self._running()
        try:
            _, reward, terminated, truncated, info = env.step(parse_action(action))
        except InvalidAction:
            raise
        except Exception as error:
            return self._failed(env, error)
        self._over = terminated or truncated
        return self._stepped(env, float(reward), terminated, truncated, info)

    def score(self, answer: str | None) -> Reply:
        """Judge the state as it is now, without disturbing the episode."""
        return Reply(self._running().score(answer).plain())

    def fork(self, count: int) -> list[tuple[Worker, Reply]]:
        """Return workers with environments in the same state, each with the start of its episode.

        Raises:
            ForkFailed: The state cannot be copied, or a copy differs. The episode of this worker goes on.
        """
        workers = [Worker(self.observations, seats=self._seats, runner=self._runner) for _ in range(count)]
        for worker, env in zip(workers, self._running().fork(count), strict=True):
            worker._env, worker._over = env, False
        try:
            return [(worker, worker._start()) for worker in workers]
        except BaseException:
            for worker in workers:
                worker.close()
            raise

    def cancel(self) -> Reply:
        """End the episode without a verdict."""
        self._over = True
        return Reply({"cancelled": True}, over=True)

    def close(self) -> None:
        """Close the environment and its seat."""
        self._over = True
        if self._seats is not None:
            self._seats.drop(self)
        env, self._env = self._env, None
        if env is not None:
            env.close()

    def _new_env(self, world: World) -> FairgroundEnv:
        # Without "screen", the environment makes no array of pixels per observation; the frame is observed anyway.
        observations = [name for name in self.observations if name not in ("screen", "instruction")]
        return FairgroundEnv(world, observations=observations, pool=self._seats, runner=self._runner)

    def _running(self) -> FairgroundEnv:
        if self._env is None or self._over:
            raise EpisodeOver("the episode has ended or has not begun", fix="call reset first")
        return self._env

    def _failed(self, env: FairgroundEnv, error: Exception) -> Reply:
        """Decide who caused an error, as the episode loop does: the agent, or the infrastructure."""
        self._over = True
        verdict: Verdict | None = None
        try:
            if seat_broke(env, error) and not self._lost(env):
                verdict, _ = forfeit(env, "seat", words(error))
            if verdict is None or env.seat is None or not env.seat.sandbox.alive or self._lost(env):
                raise error
        except Exception as reason:
            with contextlib.suppress(FairgroundError):  # the seat is broken; the reason is raised below
                self.close()
            if isinstance(reason, FairgroundError) and not isinstance(reason, InvalidInput):
                raise
            raise InfrastructureError(f"the step failed: {words(reason)}") from reason
        info = {
            "settled": False,
            "step": env.observation.step if env.observation else 0,
            "messages": [],
            "outcome": str(Outcome.FAILED),
            "ended_by": "seat",
            "verdict": verdict.plain(),
            "error": words(error),
        }
        return self._stepped(env, verdict.reward, True, False, info)

    def _lost(self, env: FairgroundEnv) -> bool:
        return self._seats is not None and env.seat is not None and self._seats.lost(env.seat)

    def _start(self) -> Reply:
        env = self._env
        assert env is not None and env.seat is not None
        world = env.seat.world
        data = {
            "world": world.id,
            "instruction": world.instruction,
            "kind": world.scenario.kind,
            "seed": world.seed,
            "fingerprint": env.seat.fingerprint.digest,
            "size": list(env.size),
            "step_budget": world.scenario.step_budget,
            "observation": self._observation(env),
        }
        return Reply(data, self._shown())

    def _stepped(
        self, env: FairgroundEnv, reward: float, terminated: bool, truncated: bool, info: dict[str, Any]
    ) -> Reply:
        data = {
            "observation": self._observation(env),
            "reward": reward,
            "terminated": terminated,
            "truncated": truncated,
            "info": info,
        }
        return Reply(data, self._shown(), over=self._over)

    def _observation(self, env: FairgroundEnv) -> dict[str, Any]:
        seen = env.observation
        assert seen is not None
        if "screen" in self.observations:
            self._picture = self._encode(seen.frame)
        picture = self._shown()
        width, height = picture.size if picture else (0, 0)
        windows = seen.windows
        return {
            "frame": {"digest": picture.digest, "width": width, "height": height} if picture else None,
            "step": seen.step,
            "cursor": seen.cursor,
            "tree": outline(seen.tree) if seen.tree is not None else None,
            "windows": [asdict(window) for window in windows] if windows is not None else None,
            "messages": list(seen.messages),
        }

    def _shown(self) -> Picture | None:
        return self._picture if "screen" in self.observations else None

    def _encode(self, frame: Frame) -> Picture:
        png = self._encoder.encode(frame)
        if self._picture is not None and png == self._picture.png:
            return self._picture
        # The digest is of the PNG, which is much smaller than the pixels.
        return Picture(hashlib.blake2b(png, digest_size=16).hexdigest(), png, frame.size)
