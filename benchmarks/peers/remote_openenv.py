"""An echo environment on OpenEnv's own server, measured by OpenEnv's own client over loopback.

python remote_openenv.py FILE SECONDS SESSIONS [SESSIONS ...]

FILE is a PNG. The environment returns the action's text, and with it the PNG as base64 if the text is `picture`. It
does nothing else, so its figures are those of the wire.
"""

from __future__ import annotations

import asyncio
import base64
import json
import multiprocessing
import socket
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import uvicorn
from openenv.core import GenericEnvClient  # type: ignore[import-not-found,import-untyped,unused-ignore]
from openenv.core.env_server import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
    Action,
    Environment,
    Observation,
    State,
    create_fastapi_app,
)


class Say(Action):  # type: ignore[misc,unused-ignore]
    """An action with a text."""

    text: str = ""


class Heard(Observation):  # type: ignore[misc,unused-ignore]
    """The text, and a picture if it was asked for."""

    text: str = ""
    screenshot: str = ""


class Echo(Environment):  # type: ignore[misc,unused-ignore]
    """Returns what it is told."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._picture = Path(sys.argv[1]).read_bytes()

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Heard:
        """Begin an episode."""
        return Heard()

    def step(self, action: Say, timeout_s: float | None = None, **_: Any) -> Heard:
        """Return the text, and the picture if it is asked for."""
        shown = base64.b64encode(self._picture).decode() if action.text == "picture" else ""
        return Heard(text=action.text, screenshot=shown, reward=0.0)

    @property
    def state(self) -> State:
        """No state."""
        return State()


def main(argv: list[str]) -> None:
    """Print steps per second and latencies by number of sessions."""
    seconds, counts = float(argv[2]), [int(count) for count in argv[3:]]
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1024)
        server = multiprocessing.Process(target=_serve, args=(listener, max(counts)), daemon=True)
        server.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        try:
            found = {
                f"{text} {count}": asyncio.run(_measure(url, count, text, seconds))
                for text in ("echo", "picture")
                for count in counts
            }
        finally:
            server.terminate()
            server.join()
    print(json.dumps(found))


def _serve(listener: socket.socket, most: int) -> None:
    app = create_fastapi_app(Echo, Say, Heard, max_concurrent_envs=most)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])


async def _measure(url: str, count: int, text: str, seconds: float) -> dict[str, float]:
    clients = [GenericEnvClient(base_url=url) for _ in range(count)]
    for client in clients:
        await client.connect()
        await client.reset()
    took: list[float] = []
    began = time.perf_counter()
    end = began + seconds

    async def drive(client: Any) -> None:
        while (started := time.perf_counter()) < end:
            result = await client.step({"text": text})
            assert result.observation["text"] == text
            took.append(time.perf_counter() - started)

    await asyncio.gather(*(drive(client) for client in clients))
    elapsed = time.perf_counter() - began
    for client in clients:
        await client.close()
    return {
        "steps": len(took) / elapsed,
        "median": statistics.median(took),
        "p99": sorted(took)[int(0.99 * (len(took) - 1))],
    }


if __name__ == "__main__":
    main(sys.argv)
