"""A DevTools connection to a running Chromium over pipes, which nothing inside the sandbox can reach."""

from __future__ import annotations

import json
import os
import select
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from fairground.core import AppError
from fairground.sandbox import Process, Sandbox

MAX_MESSAGE: Final = 16 << 20
SECONDS: Final = 10.0

_READ_FD, _WRITE_FD = 3, 4  # file descriptors on which Chromium expects its pipes
_CHUNK: Final = 1 << 16


class Debugger:
    """A Chromium started with `--remote-debugging-pipe`, and its DevTools connection.

    The connection subscribes to no events, so the browser writes only answers and needs no reader thread.

    Args:
        sandbox: Sandbox to start it in.
        argv: The command.
        env: Environment of the seat's desktop.
    """

    def __init__(self, sandbox: Sandbox, argv: Sequence[str], env: Mapping[str, str]) -> None:
        its_reader, self._writer = os.pipe2(os.O_CLOEXEC)
        self._reader, its_writer = os.pipe2(os.O_CLOEXEC)
        self._last_id = 0
        self._buffer = b""
        self._closed = False
        try:
            fds = {_READ_FD: its_reader, _WRITE_FD: its_writer}
            self.process: Process = sandbox.start([*argv, "--remote-debugging-pipe"], env=env, fds=fds)
        except BaseException:
            self.close()
            raise
        finally:
            os.close(its_reader)
            os.close(its_writer)

    def call(
        self, method: str, params: Mapping[str, Any] | None = None, *, session: str = "", seconds: float = SECONDS
    ) -> dict[str, Any]:
        """Call a method of the DevTools protocol and return its result.

        Raises:
            AppError: The browser has exited, refused the call, or did not answer in time.
        """
        self._last_id += 1
        message = {"id": self._last_id, "method": method, "params": dict(params or {})}
        if session:
            message["sessionId"] = session
        deadline = time.monotonic() + seconds
        try:
            os.write(self._writer, json.dumps(message).encode() + b"\0")
        except OSError as error:
            raise AppError(f"the browser is gone: {error}") from None
        while True:
            answer = self._next(deadline, method)
            if answer.get("id") == self._last_id:
                break
        if "error" in answer:
            raise AppError(f"{method}: the browser refused: {str(answer['error'])[:300]}")
        result = answer.get("result")
        return result if isinstance(result, dict) else {}

    def close(self) -> None:
        """Close the pipes, which makes the browser exit. May be called twice."""
        if not self._closed:
            self._closed = True
            os.close(self._writer)
            os.close(self._reader)

    def _next(self, deadline: float, method: str) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._reader], [], [], left)[0]:
                raise AppError(f"{method}: the browser did not answer in time")
            data = os.read(self._reader, _CHUNK)
            if not data or len(self._buffer) > MAX_MESSAGE:
                raise AppError(f"{method}: the browser is gone, or says too much")
            self._buffer += data
        text, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(text)
        return message if isinstance(message, dict) else {}
