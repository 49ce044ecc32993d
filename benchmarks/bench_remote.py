"""The environment server over loopback: steps, resets and latency of many sessions, and the cost of the wire.

python benchmarks/bench_remote.py [--json] [--seconds 4]

The server is `fairground serve-env` in a process of its own. All its sessions are driven by one asynchronous client.
The cost of the wire is the difference of the medians of a step over the wire and of a step in a local environment. Both
are on seats of their own in the same world, and are measured alternately. Each step types a character, so that
each step sends a new frame of 1280x720.

The peer is an echo environment on OpenEnv's own server and client. It has no seat: its figures are those of its wire
alone.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from figures import Figure, show

from fairground.core import Click, Done, Frame, MissingPrerequisite, Type
from fairground.env import FairgroundEnv
from fairground.remote import AsyncClient, RemoteEnv
from fairground.remote.async_client import AsyncSession
from fairground.screen import encode_png
from fairground.worlds import select

HERE = Path(__file__).resolve().parent
PEER = HERE.parent / ".setup" / "openenv" / "bin" / "python"
PHONE, DESKTOP = "pocket/email", "desk/mousepad"
SESSIONS = (1, 8, 32, 64)
PAIRS = 6


def main(argv: list[str] | None = None) -> int:
    """Measure and print the figures. Returns 0 if every bar was met, else 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seconds", type=float, default=4.0, help="duration of each measurement of a rate")
    wanted = parser.parse_args(argv)
    if not PEER.exists():
        raise MissingPrerequisite(f"the environment of OpenEnv does not exist: {PEER.parent.parent}", fix="make bench")
    overhead, frame = _overhead()
    figures = [
        *overhead,
        *_peer(frame, wanted.seconds / 2),
        *_sessions("phone", PHONE, wanted.seconds, "--share-browser"),
        *_sessions("desktop", DESKTOP, wanted.seconds),
    ]
    return show(figures, as_json=wanted.json)


def _overhead() -> tuple[list[Figure], Frame]:
    """Measure a step locally and over the wire, alternately, on several pairs of seats. Also returns a frame.

    The same step takes some milliseconds more on one seat than on another, so one pair would not tell.
    """
    world = select(DESKTOP).first()
    here: list[float] = []
    there: list[float] = []
    with _serving(world.id, 1) as (url, _):
        for _ in range(PAIRS):
            with contextlib.closing(FairgroundEnv(world)) as local, contextlib.closing(RemoteEnv(url)) as remote:
                envs: tuple[tuple[FairgroundEnv | RemoteEnv, list[float]], ...] = ((local, here), (remote, there))
                for env, _ in envs:
                    env.reset(seed=0)
                    env.step(Type(text="a"))
                for number in range(world.scenario.step_budget - 2):
                    for env, took in envs if number % 2 else reversed(envs):  # neither always comes second
                        started = time.perf_counter()
                        env.step(Type(text="x"))
                        took.append(time.perf_counter() - started)
                assert local.observation is not None
                frame = local.observation.frame
    local_ms, remote_ms = statistics.median(here) * 1e3, statistics.median(there) * 1e3
    size = "x".join(map(str, frame.size))
    return [
        Figure(f"step in the local environment, frame of {size}", local_ms, "ms"),
        Figure("the same step over the wire", remote_ms, "ms"),
        Figure("cost of the wire per step", remote_ms - local_ms, "ms", "at most 5 ms", most=5),
    ], frame


def _peer(frame: Frame, seconds: float) -> list[Figure]:
    with tempfile.NamedTemporaryFile(suffix=".png") as file:
        file.write(encode_png(frame))
        file.flush()
        script = HERE / "peers" / "remote_openenv.py"
        command = [str(PEER), str(script), file.name, str(seconds), "1", "8"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode:
        raise RuntimeError(f"{script.name} failed with status {done.returncode}:\n{done.stderr[-2000:]}")
    rates = json.loads(done.stdout.splitlines()[-1])
    size = "x".join(map(str, frame.size))
    names = {"echo": "OpenEnv echo", "picture": f"OpenEnv echo with a PNG of {size}"}
    figures = []
    for key, row in rates.items():
        text, count = key.split()
        note = f"median {_time(row['median'])}, p99 {_time(row['p99'])}; no seat"
        figures.append(Figure(f"{names[text]}, {_plural(int(count))}", row["steps"], "steps/s", note=note))
    return figures


def _sessions(kind: str, world: str, seconds: float, *options: str) -> list[Figure]:
    with _serving(world, max(SESSIONS), *options) as (url, pid):
        return asyncio.run(_drive(kind, url, pid, seconds))


async def _drive(kind: str, url: str, pid: int, seconds: float) -> list[Figure]:
    figures, memory = [], {0: 0.0}
    async with AsyncClient(url) as client:
        sessions: list[AsyncSession] = []
        for count in SESSIONS:
            while len(sessions) < count:
                batch = range(min(8, count - len(sessions)))
                opened = await asyncio.gather(*(client.open(seed=len(sessions) + number) for number in batch))
                sessions += [session for group in opened for session in group]
            memory[count] = _memory(pid)
            steps, step_rate = await _repeat(sessions, seconds, _tap)
            resets, reset_rate = await _repeat(sessions, seconds, _reset)
            title = f"{kind}, {_plural(count)}"
            figures.append(Figure(f"{title}: taps", step_rate, "steps/s", note=_latency(steps)))
            note = f"{_latency(resets)}; judged and reset"
            figures.append(Figure(f"{title}: episodes", reset_rate, "resets/s", note=note))
    first, last = SESSIONS[0], SESSIONS[-1]
    each = (memory[last] - memory[first]) / (last - first)
    figures.append(Figure(f"{kind}: memory per further idle session", each / 1e6, "MB"))
    return figures


async def _repeat(
    sessions: Sequence[AsyncSession], seconds: float, work: Callable[[AsyncSession, random.Random], Awaitable[float]]
) -> tuple[list[float], float]:
    """Let all sessions work for some time. Returns the seconds that each piece of work took, and pieces per second."""
    took: list[float] = []
    started = time.perf_counter()
    end = started + seconds

    async def repeat(number: int, session: AsyncSession) -> None:
        draw = random.Random(number)
        while time.perf_counter() < end:
            took.append(await work(session, draw))

    await asyncio.gather(*(repeat(number, session) for number, session in enumerate(sessions)))
    return took, len(took) / (time.perf_counter() - started)  # the last pieces end later than asked for


async def _tap(session: AsyncSession, draw: random.Random) -> float:
    width, height = session.start.size
    started = time.perf_counter()
    *_, terminated, truncated, _ = await session.step(Click(point=(draw.randrange(width), draw.randrange(height))))
    took = time.perf_counter() - started
    if terminated or truncated:
        await session.reset()
    return took


async def _reset(session: AsyncSession, draw: random.Random) -> float:
    started = time.perf_counter()
    await session.step(Done())
    await session.reset()
    return time.perf_counter() - started


@contextlib.contextmanager
def _serving(world: str, seats: int, *options: str) -> Iterator[tuple[str, int]]:
    """Run a server in a process of its own. Yields its URL and process id."""
    words = ["serve-env", world, "--seats", str(seats), "--port", "0", "--warm", "0", "--json", *options]
    process = subprocess.Popen([sys.executable, "-m", "fairground", *words], stdout=subprocess.PIPE, text=True)
    try:
        yield _read_facts(process)["url"], process.pid
    finally:
        process.terminate()
        process.wait(60)
        assert process.stdout is not None
        process.stdout.close()


def _read_facts(process: subprocess.Popen[str]) -> dict[str, Any]:
    text = ""
    assert process.stdout is not None
    for line in process.stdout:
        text += line
        with contextlib.suppress(ValueError):
            facts: dict[str, Any] = json.loads(text)
            return facts
    raise RuntimeError(f"the server ended with status {process.wait()}: {text}")


def _memory(pid: int) -> float:
    """Return the memory of a process and all its descendants in bytes; shared pages are counted once in all."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            children.setdefault(int(stat.read_text().rpartition(")")[2].split()[1]), []).append(int(stat.parent.name))
    total, stack = 0, [pid]
    while stack:
        process = stack.pop()
        stack += children.get(process, [])
        with contextlib.suppress(OSError):  # it ended meanwhile
            rows = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
            total += sum(int(row.split()[1]) * 1024 for row in rows if row.startswith("Pss:"))
    return total


def _latency(took: Sequence[float]) -> str:
    return f"median {_time(statistics.median(took))}, p99 {_time(_p99(took))}"


def _time(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"


def _p99(took: Sequence[float]) -> float:
    return sorted(took)[int(0.99 * (len(took) - 1))]


def _plural(count: int) -> str:
    return f"{count} session{'s' if count > 1 else ''}"


if __name__ == "__main__":
    sys.exit(main())
