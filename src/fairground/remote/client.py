"""The Gymnasium environment of a client: the same interface as `FairgroundEnv`, with the seat on a server."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from typing import Any, Final

import gymnasium

from fairground.core import FairgroundError, InvalidInput, Pixels, Verdict, unknown
from fairground.env import action_space, check_observations, decode_action, observation_space
from fairground.remote.answers import ServerLost, sample_from, screen_size
from fairground.remote.bands import BandDecoder
from fairground.remote.connection import Address, Connection
from fairground.remote.errors import Busy, Capacity, Closing, SessionLost, TooLarge
from fairground.remote.protocol import Start
from fairground.worlds import ForkFailed

ANSWER_SECONDS: Final = 600.0
"""Default timeout of a call. Saving and judging a desktop may take minutes."""

CONTINUES: Final = (Busy, Capacity, ForkFailed, TooLarge)
"""Errors after which the episode goes on: nothing happened to it."""

_LOST: Final = (ServerLost, SessionLost, Closing)


class RemoteEnv(gymnasium.Env[dict[str, Any], Any]):
    """A Gymnasium environment whose seat is on an environment server (`fairground serve-env`).

    Spaces, observations, info and errors are those of `FairgroundEnv`. The seat is taken by the first `reset`. All
    arguments can be pickled, so `gymnasium.vector.AsyncVectorEnv([partial(RemoteEnv, url)] * 8)` works. Use one
    environment in one thread at a time; only `cancel` may be called from another.

    Args:
        url: URL of the server, such as `http://127.0.0.1:8470`.
        world: A configuration id or a prefix of one, or several, within what the server offers. Default: all of it.
        observations: Which observations to make.
        token: The server's token. Default: the environment variable `FAIRGROUND_TOKEN`.
        split: Draw only from this side of the server's split.
        lease: Seconds without a call after which the server closes the session. Default: the server's.
        reconnect: Whether `reset` opens a new session if the old one was lost. An episode in progress is never
            continued elsewhere: its next call raises an error in any case.
        timeout: Seconds to wait for an answer.
        render_mode: `rgb_array` or None.

    Raises:
        ServerLost: There is no server at this URL.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 4}

    def __init__(
        self,
        url: str,
        world: str | Sequence[str] | None = None,
        *,
        observations: Sequence[str] = ("screen",),
        token: str | None = None,
        split: str | None = None,
        lease: float | None = None,
        reconnect: bool = False,
        timeout: float = ANSWER_SECONDS,
        render_mode: str | None = None,
    ) -> None:
        check_observations(observations)
        if render_mode not in (None, "rgb_array"):
            raise unknown("render mode", render_mode, ["rgb_array"])
        self.observations = tuple(observations)
        self.render_mode = render_mode
        self.start: Start | None = None
        """The start of the current episode: session, world, seed, fingerprint, step budget."""
        self.last_observation: dict[str, Any] | None = None
        """The last observation. A fork has one before its first step."""
        self._address = Address(url, token)
        self._asked = {
            "world": world if world is None or isinstance(world, str) else list(world),
            "observations": [*observations, *({"screen"} - set(observations) if render_mode else ())],
            "split": split,
            "lease": lease,
        }
        self._reconnect = reconnect
        self._timeout = timeout
        self._connection: Connection | None = None
        self._lost: FairgroundError | None = None
        self._fresh = False  # opened by `open_group`, and not reset by the user yet
        self._running = False
        self._last_frame: Pixels | None = None
        self._decoder = BandDecoder()
        self.server: dict[str, Any] = json.loads(self._address.get("/v1/server"))
        """What the server said about itself when this environment was made."""
        self.size = screen_size(self.server, world)
        self.action_space = action_space()
        self.observation_space = observation_space(self.observations, self.size)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start an episode. The configuration is drawn at random: the same one for the same seed.

        Args:
            seed: Seeds this draw and the following ones of this session.
            options: Restrict the draw, as in `FairgroundEnv.reset`.

        Raises:
            Capacity: All seats of the server are in use.
            ServerLost: The connection was lost, and `reconnect` is off.
            SessionLost: The session was lost, and `reconnect` is off.
        """
        super().reset(seed=seed)
        if self._fresh and seed is None and not options:
            assert self.last_observation is not None
            self._fresh = False
            return self.last_observation, self._info
        self._fresh = self._running = False
        asked = {"seed": None if seed is None else int(seed), "options": options}
        if self._connection is not None and self.start is not None:
            try:
                return self._begin(self._connection.call("reset", session=self.start.session, **asked))
            except _LOST as error:
                self._drop(error)
        if self._lost is not None and not self._reconnect:
            raise type(self._lost)(self._lost.message, fix="make a new environment, or pass reconnect=True")
        return self._begin(self._open(1, asked)[0])

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Perform one action, as `FairgroundEnv.step` does.

        Raises:
            InvalidAction: The action cannot be performed. Nothing happened, and no step was counted.
            InfrastructureError: The seat, the session or the server was lost. The episode has no score.
        """
        if not self._running:
            raise InvalidInput("the episode has ended or has not begun", fix="call reset first")
        canonical = decode_action(action).to_pixels(*self.size)
        self._fresh = False
        stepped = self._call("step", action=canonical.plain())
        terminated, truncated = bool(stepped["terminated"]), bool(stepped["truncated"])
        self._running = not (terminated or truncated)
        return self._observe(stepped["observation"]), float(stepped["reward"]), terminated, truncated, stepped["info"]

    def score(self, answer: str | None = None) -> Verdict:
        """Return the verdict on the state as it is now, as `FairgroundEnv.score` does. The episode continues.

        Args:
            answer: The answer to judge, for tasks that ask for one.
        """
        return Verdict.parse(self._call("score", answer=answer))

    def fork(self, count: int = 1) -> list[RemoteEnv]:
        """Return further environments in the same state, ready to `step`. Each takes a seat of the server.

        Raises:
            ForkFailed: A copy differs. No fork is left; this episode can continue.
            Capacity: The server has fewer free seats.
        """
        return [self._beside(start) for start in self._call("fork", count=count)["sessions"]]

    def cancel(self) -> None:
        """End the episode without a verdict. A call that runs in another thread raises `Cancelled`."""
        self._call("cancel")
        self._running = self._fresh = False

    def render(self) -> Pixels | None:
        """Return the last frame if the render mode is `rgb_array`."""
        return self._last_frame if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        """Close the session, and the connection if no fork or member of the group uses it. May be called twice."""
        connection, self._connection = self._connection, None
        start, self.start = self.start, None
        self._running = self._fresh = False
        self._lost = None
        if connection is None:
            return
        try:
            if start is not None and connection.alive:
                connection.call("close", session=start.session)
        except _LOST:
            pass  # closed already
        finally:
            connection.release()

    def _call(self, method: str, **fields: Any) -> Any:
        if self._connection is None or self.start is None:
            raise self._lost or InvalidInput("the episode has ended or has not begun", fix="call reset first")
        try:
            return self._connection.call(method, session=self.start.session, **fields)
        except _LOST as error:
            self._drop(error)
            raise
        except (InvalidInput, *CONTINUES):
            raise
        except FairgroundError:
            self._running = False
            raise

    def _open(self, count: int, asked: dict[str, Any]) -> list[dict[str, Any]]:
        if asked["seed"] is None:  # so that all draws follow from the seed of the first reset, also after a loss
            asked["seed"] = int(self.np_random.integers(1 << 31))
        self._connection = Connection(self._address, self._timeout).acquire()
        try:
            opened = self._connection.call("open", group=count, **self._asked, **asked)
        except BaseException:
            self._connection.release()
            self._connection = None
            raise
        self._lost = None
        sessions: list[dict[str, Any]] = opened["sessions"]
        return sessions

    def _beside(self, start: dict[str, Any]) -> RemoteEnv:
        """Return an environment like this one for another session of the same connection."""
        assert self._connection is not None
        env = copy.copy(self)
        env._connection = self._connection.acquire()
        env._np_random = None
        env.action_space = action_space()
        env._decoder = BandDecoder()
        env._begin(start)
        return env

    def _begin(self, start: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        self.start = Start.parse(start, where="start")
        self._running = True
        return self._observe(start["observation"]), self._info

    @property
    def _info(self) -> dict[str, Any]:
        assert self.start is not None
        return {"instruction": self.start.instruction, "world": self.start.world}

    def _observe(self, data: dict[str, Any]) -> dict[str, Any]:
        assert self._connection is not None and self.start is not None
        shown = data["frame"]
        frame = None if shown is None else self._decoder.decode(self._connection.png(shown["digest"]))
        self._last_frame = None if frame is None else frame.pixels
        self.last_observation = sample_from(data, self.observations, self.start.instruction, frame)
        return self.last_observation

    def _drop(self, error: FairgroundError) -> None:
        connection, self._connection = self._connection, None
        self.start, self._running, self._lost = None, False, error
        if connection is not None:
            connection.release()


def open_group(
    url: str,
    world: str | Sequence[str] | None,
    count: int,
    *,
    seed: int | None = None,
    options: dict[str, Any] | None = None,
    **settings: Any,
) -> list[RemoteEnv]:
    """Open environments at one start: the same configuration, seed and fingerprint. All are opened, or none.

    The first `reset()` of each returns the start that it is at. They share one connection, and each may be used in a
    thread of its own.

    Args:
        url: URL of the server.
        world: As in `RemoteEnv`.
        count: Number of environments.
        seed: Seeds the draw of the configuration.
        options: Restrict the draw, as in `reset`.
        settings: Further arguments of `RemoteEnv`.

    Raises:
        Capacity: The server has fewer free seats.
    """
    first = RemoteEnv(url, world, **settings)
    gymnasium.Env.reset(first, seed=seed)
    try:
        own, *further = first._open(count, {"seed": seed, "options": options})
        first._begin(own)
        envs = [first, *(first._beside(start) for start in further)]
    except BaseException:
        first.close()
        raise
    for env in envs:
        env._fresh = True
    return envs
