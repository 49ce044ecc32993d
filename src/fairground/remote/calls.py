"""Calls on sessions, for any transport: parse the parameters, perform the call, count it, keep the frame."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from fairground.core import InvalidInput, unknown
from fairground.remote.errors import to_wire
from fairground.remote.metrics import Metrics
from fairground.remote.protocol import (
    REQUESTS,
    ForkRequest,
    OpenRequest,
    ResetRequest,
    ScoreRequest,
    StepRequest,
)
from fairground.remote.sessions import Owner, Sessions
from fairground.remote.worker import Picture, Reply

_STORE_BYTES: Final = 128 << 20


@dataclass(frozen=True)
class Answer:
    """The result of a call, and the frames that it names."""

    data: dict[str, Any]
    pictures: tuple[Picture, ...] = ()


class Calls:
    """The methods of the wire.

    Args:
        sessions: The table of sessions.
        metrics: Where to count.
    """

    def __init__(self, sessions: Sessions, metrics: Metrics) -> None:
        self.sessions, self.metrics = sessions, metrics
        self.pictures = PictureStore()

    async def call(self, method: str, session: str | None, fields: Mapping[str, Any], owner: Owner | None) -> Answer:
        """Perform a call.

        Raises:
            FairgroundError: What `to_wire` makes an answer of.
        """
        began = time.monotonic()
        known = method if method in REQUESTS else "unknown"
        try:
            answer = await self._call(method, session, fields, owner)
        except Exception as error:
            self.metrics.failed(known, to_wire(error)[1]["type"])
            raise
        self.metrics.served(known, time.monotonic() - began)
        for picture in answer.pictures:
            self.pictures.add(picture)
        return answer

    async def _call(self, method: str, session: str | None, fields: Mapping[str, Any], owner: Owner | None) -> Answer:
        if method not in REQUESTS:
            raise unknown("method", method[:60], REQUESTS)
        try:
            request = REQUESTS[method].parse(dict(fields), where=method)
        except RecursionError:
            raise InvalidInput(f"{method}: the message is nested too deeply") from None
        table = self.sessions
        if method == "open":
            if session is not None:
                raise InvalidInput("open: `session` is not expected; the server chooses it")
            return _several(await table.open(cast(OpenRequest, request), owner))
        if session is None:
            raise InvalidInput(f"{method}: `session` is required, but missing")
        match method:
            case "reset":
                return _single(await table.reset(session, cast(ResetRequest, request)))
            case "step":
                return _single(await table.step(session, cast(StepRequest, request)))
            case "score":
                return _single(await table.score(session, cast(ScoreRequest, request)))
            case "fork":
                return _several(await table.fork(session, cast(ForkRequest, request), owner))
            case "cancel":
                return _single(await table.cancel(session))
        await table.close(session)
        return Answer({"closed": True})


class PictureStore:
    """The last frames that were sent, for clients that fetch them by digest. Bounded by bytes."""

    def __init__(self, limit: int = _STORE_BYTES) -> None:
        self._limit, self._bytes = limit, 0
        self._pictures: OrderedDict[str, Picture] = OrderedDict()

    def add(self, picture: Picture) -> None:
        """Keep a frame. The frames that were used longest ago are dropped."""
        if picture.digest in self._pictures:
            self._pictures.move_to_end(picture.digest)
            return
        self._pictures[picture.digest] = picture
        self._bytes += len(picture.png)
        while self._bytes > self._limit and len(self._pictures) > 1:
            self._bytes -= len(self._pictures.popitem(last=False)[1].png)

    def get(self, digest: str) -> Picture | None:
        """Return a frame, or None if it was dropped or never sent."""
        return self._pictures.get(digest)


def _single(reply: Reply) -> Answer:
    return Answer(reply.data, (reply.picture,) if reply.picture else ())


def _several(replies: list[Reply]) -> Answer:
    pictures = {reply.picture.digest: reply.picture for reply in replies if reply.picture}
    return Answer({"sessions": [reply.data for reply in replies]}, tuple(pictures.values()))
