"""The asynchronous client: many sessions on one connection, with the same calls as coroutines."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from fairground.core import FairgroundError, InvalidInput, Verdict
from fairground.env import check_observations, decode_action
from fairground.remote.answers import encode_request, error_from, read_answer, sample_from
from fairground.remote.bands import BandDecoder
from fairground.remote.client import ANSWER_SECONDS, CONTINUES
from fairground.remote.connection import Address
from fairground.remote.frames import FrameCache
from fairground.remote.protocol import Start


class AsyncClient:
    """A connection to an environment server, for use with `async with`.

    Args:
        url: URL of the server, such as `http://127.0.0.1:8470`.
        token: The server's token. Default: the environment variable `FAIRGROUND_TOKEN`.
        timeout: Seconds to wait for an answer.
    """

    def __init__(self, url: str, *, token: str | None = None, timeout: float = ANSWER_SECONDS) -> None:
        self._address = Address(url, token)
        self._timeout = timeout
        self._frames = FrameCache()
        self._numbers = itertools.count()
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._socket: ClientConnection | None = None
        self._receiver: asyncio.Task[None] | None = None
        self._failure: Exception | None = None

    async def __aenter__(self) -> Self:
        try:
            self._socket = await connect(**self._address.socket_options)
        except (OSError, ValueError, WebSocketException) as error:
            raise self._address.lost(error) from None
        self._failure = None
        self._receiver = asyncio.create_task(self._receive(self._socket))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def server(self) -> dict[str, Any]:
        """Return what the server says about itself: worlds, seats, screen size, capabilities."""
        answer: dict[str, Any] = json.loads(await asyncio.to_thread(self._address.get, "/v1/server"))
        return answer

    async def open(
        self,
        world: str | Sequence[str] | None = None,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,
        observations: Sequence[str] = ("screen",),
        group: int = 1,
        split: str | None = None,
        lease: float | None = None,
    ) -> list[AsyncSession]:
        """Open sessions, each at the start of an episode. All are opened, or none.

        Args:
            world: A configuration id or a prefix of one, or several, within what the server offers. Default: all of it.
            seed: Seeds the draw of the configuration, and the draws of later resets.
            options: Restrict the draw, as in `FairgroundEnv.reset`.
            observations: Which observations to make.
            group: Number of sessions, all with the same configuration, seed and fingerprint.
            split: Draw only from this side of the server's split.
            lease: Seconds without a call after which the server closes a session.

        Raises:
            Capacity: The server has fewer free seats.
        """
        check_observations(observations)
        opened = await self._call(
            "open",
            world=world if world is None or isinstance(world, str) else list(world),
            seed=seed,
            options=options,
            observations=list(observations),
            group=group,
            split=split,
            lease=lease,
        )
        return [await AsyncSession._begun(self, start, observations) for start in opened["sessions"]]

    async def close(self) -> None:
        """End the connection. The server closes its sessions. May be called twice."""
        if self._socket is not None:
            await self._socket.close()
        if self._receiver is not None:
            await self._receiver

    async def _call(self, method: str, **fields: Any) -> Any:
        if self._socket is None or self._failure is not None:
            raise self._address.lost(self._failure or ConnectionError("not connected; use `async with`"))
        number = next(self._numbers)
        message = encode_request(number, method, fields)
        self._waiting[number] = answered = asyncio.get_running_loop().create_future()
        try:
            await self._socket.send(message)
            answer = await asyncio.wait_for(answered, self._timeout)
        except TimeoutError:
            raise self._address.lost(TimeoutError(f"no answer within {self._timeout:g} s")) from None
        except (OSError, WebSocketException) as error:
            raise self._address.lost(error) from None
        finally:
            del self._waiting[number]
        if "error" in answer:
            raise error_from(answer)
        return answer.get("result")

    async def _png(self, digest: str) -> bytes:
        if (kept := self._frames.get(digest)) is not None:
            return kept
        return await asyncio.to_thread(self._address.get, f"/v1/frames/{digest}")

    async def _receive(self, socket: ClientConnection) -> None:
        """Hand answers to those who wait for them, until the connection ends."""
        failure: Exception = ConnectionError("this client closed the connection")
        try:
            async for message in socket:
                if isinstance(message, bytes):
                    self._frames.receive(message)
                    continue
                answer = read_answer(message)
                if answer.get("id") is None:
                    failure = ValueError(str(error_from(answer)))
                    break
                answered = self._waiting.get(answer["id"])
                if answered is not None and not answered.done():
                    answered.set_result(answer)
        except (OSError, WebSocketException) as error:
            failure = error
        self._failure = failure
        for answered in self._waiting.values():
            if not answered.done():
                answered.set_exception(self._address.lost(failure))
        with contextlib.suppress(OSError, WebSocketException):
            await socket.close()


class AsyncSession:
    """A session of an `AsyncClient`. Its calls run one after the other; those of other sessions run meanwhile.

    Attributes:
        start: The start of the current episode: session, world, seed, fingerprint, step budget.
        observation: The last observation, as a sample of the observation space.
        info: The `info` of the last reset or step.
    """

    def __init__(self, client: AsyncClient, start: Start, observations: Sequence[str]) -> None:
        self.start = start
        self.observation: dict[str, Any] = {}
        self.info: dict[str, Any] = {}
        self._client = client
        self._observations = tuple(observations)
        self._decoder = BandDecoder()
        self._running = True

    async def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start another episode, as `FairgroundEnv.reset` does."""
        self._running = False
        return await self._begin(await self._call("reset", seed=seed, options=options))

    async def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Perform one action, as `FairgroundEnv.step` does.

        Raises:
            InvalidAction: The action cannot be performed. Nothing happened, and no step was counted.
            InfrastructureError: The seat, the session or the server was lost. The episode has no score.
        """
        if not self._running:
            raise InvalidInput("the episode has ended or has not begun", fix="call reset first")
        canonical = decode_action(action).to_pixels(*self.start.size)
        stepped = await self._call("step", action=canonical.plain())
        terminated, truncated = bool(stepped["terminated"]), bool(stepped["truncated"])
        self._running = not (terminated or truncated)
        self.info = stepped["info"]
        await self._observe(stepped["observation"])
        return self.observation, float(stepped["reward"]), terminated, truncated, self.info

    async def score(self, answer: str | None = None) -> Verdict:
        """Return the verdict on the state as it is now, as `FairgroundEnv.score` does. The episode continues."""
        return Verdict.parse(await self._call("score", answer=answer))

    async def fork(self, count: int = 1) -> list[AsyncSession]:
        """Return further sessions in the same state, ready to `step`. Each takes a seat of the server."""
        forked = await self._call("fork", count=count)
        return [await AsyncSession._begun(self._client, start, self._observations) for start in forked["sessions"]]

    async def cancel(self) -> None:
        """End the episode without a verdict. A call that runs raises `Cancelled`."""
        await self._call("cancel")
        self._running = False

    async def close(self) -> None:
        """Close the session and free its seat."""
        self._running = False
        await self._call("close")

    @classmethod
    async def _begun(cls, client: AsyncClient, data: dict[str, Any], observations: Sequence[str]) -> AsyncSession:
        session = cls(client, Start.parse(data, where="start"), observations)
        await session._begin(data)
        return session

    async def _begin(self, data: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        self.start = Start.parse(data, where="start")
        self.info = {"instruction": self.start.instruction, "world": self.start.world}
        self._running = True
        await self._observe(data["observation"])
        return self.observation, self.info

    async def _observe(self, data: dict[str, Any]) -> None:
        frame = None
        if data["frame"] is not None and "screen" in self._observations:
            frame = self._decoder.decode(await self._client._png(data["frame"]["digest"]))
        self.observation = sample_from(data, self._observations, self.start.instruction, frame)

    async def _call(self, method: str, **fields: Any) -> Any:
        try:
            return await self._client._call(method, session=self.start.session, **fields)
        except (InvalidInput, *CONTINUES):
            raise
        except FairgroundError:
            self._running = False
            raise
