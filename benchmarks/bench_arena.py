"""The arena with 200 concurrent voters: latency on SQLite and PostgreSQL, compared with a bare server.

Each voter requests a page or votes, waits for a think time, and continues. The bare server sends the same number of
bytes from memory to the same client at the same pace. This is the minimum cost of HTTP on this machine.

python benchmarks/bench_arena.py [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from figures import Figure, show

sys.path.append(str(Path(__file__).resolve().parents[1]))  # the voters and databases come from the tests

from fairground.arena import Store, invite
from tests.arena.conftest import PLACES, run_postgresql
from tests.web.arena_stage import fill
from tests.web.voters import Voter, served, to_be_judged

VOTERS = 200
THINK = (1.0, 3.0)  # think time: seconds between an answer and the next request; real voters are slower
WARM_SECONDS = 10.0
SECONDS = 20.0
FLAT_OUT_SECONDS = 5.0
KNOWN_VOTES = 1_000
BATTLES = 20
BAR = 300.0  # ms

_BARE = """
import sys, time
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
from fairground.serving import Listening
body = b"x" * int(sys.argv[1])
async def answer(request):
    await request.body()
    return Response(body, media_type="text/html")
with Listening(Starlette(routes=[Route("/{path:path}", answer, methods=["GET", "PUT"])])) as listening:
    print(listening.url, flush=True)
    sys.stdin.read()
"""


@dataclass
class Times:
    """Latency of each request in ms, and sizes of the answers in bytes."""

    page: list[float] = field(default_factory=list)
    vote: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)


def main(argv: list[str] | None = None) -> int:
    """Measure and print the figures. Returns 0 if every bar was met, else 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="fg-") as folder:
        Path(folder).chmod(0o755)  # PostgreSQL does not run as root
        found = {"SQLite": _arena(Path(folder, "lite"), f"sqlite:///{folder}/arena.sqlite")}
        if PLACES:
            with run_postgresql(Path(folder, "pg"), fsync="on") as url:
                found["PostgreSQL"] = _arena(Path(folder, "home"), url)
    size = int(np.mean(found["SQLite"][0].sizes))
    with _bare(size) as url:
        paced, flat = asyncio.run(_both(url, "", [f"{n}" for n in range(BATTLES)]))
    figures = []
    for name, (times, flat_out) in found.items():
        for what in ("page", "vote"):
            value, least = (_p95(getattr(one, what)) for one in (times, paced))
            figures.append(
                Figure(
                    f"{VOTERS} voters on {name}, think time {THINK[0]:g} to {THINK[1]:g} s: 95th percentile of {what}s",
                    value, "ms", f"under {BAR:g} ms", most=BAR,
                    note=f"bare server {least:.1f} ms: {value / least:.1f} times; "
                    f"median {np.median(getattr(times, what)):.1f} ms of {len(getattr(times, what)):,}",
                )
            )  # fmt: skip
        rate, limit = _rate(flat_out), _rate(flat)
        figures.append(
            Figure(
                f"{VOTERS} voters on {name}, no think time: requests", rate, "per second",
                note=f"bare server {limit:,.0f}: {limit / rate:.1f} times as many",
            )
        )  # fmt: skip
    return show(figures, as_json=wanted.json)


def _arena(home: Path, database: str) -> tuple[Times, Times]:
    with Store(database) as store:
        fill(store, KNOWN_VOTES)
        battles = to_be_judged(store, BATTLES)
        secret = invite(store, uses=VOTERS)
    with served(home, database) as server:
        return asyncio.run(_both(server.url, secret, battles))


async def _both(url: str, secret: str, battles: list[str]) -> tuple[Times, Times]:
    """Measure at the pace of people, then without think time."""
    voters = [Voter(url) for _ in range(VOTERS)]
    if secret:
        for start in range(0, VOTERS, 10):
            await asyncio.gather(*(voter.enter(secret) for voter in voters[start : start + 10]))
    await _measure(voters, battles, THINK, WARM_SECONDS)  # fills caches, such as the leaderboard
    paced = await _measure(voters, battles, THINK, SECONDS)
    flat = await _measure(voters, battles, (0.0, 0.0), FLAT_OUT_SECONDS)
    for voter in voters:
        voter.close()
    return paced, flat


async def _measure(voters: list[Voter], battles: list[str], think: tuple[float, float], seconds: float) -> Times:
    times, end = Times(), time.perf_counter() + seconds
    await asyncio.gather(
        *(_judge(voter, times, battles, think, end, random.Random(n)) for n, voter in enumerate(voters))
    )
    return times


async def _judge(
    voter: Voter, times: Times, battles: list[str], think: tuple[float, float], end: float, chance: random.Random
) -> None:
    """Request the list and a battle, vote on it, and request the leaderboard every other time."""
    await asyncio.sleep(chance.uniform(0, think[1]))  # voters do not start at the same moment
    while True:
        battle = chance.choice(battles)
        vote = {"winner": chance.choice(("a", "b", "tie", "both_bad")), "comment": f"{chance.random()}"}
        for method, path, body in (
            ("GET", "/arena", None),
            ("GET", f"/arena/battles/{battle}", None),
            ("PUT", f"/api/battles/{battle}/vote", vote),
            ("GET", "/leaderboard", None),
        ):
            if path == "/leaderboard" and chance.random() < 0.5:
                continue
            started = time.perf_counter()
            if started > end:
                return
            answer = await voter.ask(method, path, body)
            if answer.status != 429 or think[1]:  # without think time, the rate limit applies
                assert answer.status == 200, answer
            (times.vote if body else times.page).append((time.perf_counter() - started) * 1e3)
            times.sizes.append(len(answer.body))
            await asyncio.sleep(chance.uniform(*think))


@contextmanager
def _bare(size: int) -> Iterator[str]:
    line = [sys.executable, "-c", _BARE, str(size)]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate()


def _p95(values: list[float]) -> float:
    return float(np.percentile(values, 95))


def _rate(times: Times) -> float:
    return (len(times.page) + len(times.vote)) / FLAT_OUT_SECONDS


if __name__ == "__main__":
    sys.exit(main())
