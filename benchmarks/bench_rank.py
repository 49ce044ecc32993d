"""A leaderboard of 20 agents from a million votes with 1,000 resamples, compared with other implementations.

Peers are scripts (benchmarks/peers) that run in a separate environment (.setup/peers), which `make bench` creates. They
run fewer resamples, and the time is scaled linearly.

python benchmarks/bench_rank.py [--json]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from figures import Figure, show
from peer import need_peers, run_peer

from fairground.stats.votes.ranking import Ranking, rank
from fairground.stats.votes.votes import Votes

AGENTS, VOTES, RESAMPLES = 20, 1_000_000, 1_000
ROUNDS = 7
BAR_SECONDS, BAR_TIMES, BAR_POINTS = 0.5, 20, 0.05
PEERS = {"scikit-learn, FastChat style": ("rank_fastchat.py", 200), "arena-rank": ("rank_arena.py", 12)}


def main(argv: list[str] | None = None) -> int:
    """Measure and print the figures. Returns 0 if every bar was met, else 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args(argv)
    need_peers()
    return show(_measure(_votes()), as_json=wanted.json)


def _votes() -> dict[str, Any]:
    """Return random votes. Three in ten are ties (`tie` or `both_bad`)."""
    rng = np.random.default_rng(0)
    strengths = rng.normal(0, 1, AGENTS)
    left = rng.integers(0, AGENTS, VOTES)
    right = (left + rng.integers(1, AGENTS, VOTES)) % AGENTS
    lost = rng.random(VOTES) > 1 / (1 + np.exp(strengths[right] - strengths[left]))
    winner = np.where(rng.random(VOTES) < 0.3, rng.integers(2, 4, VOTES), lost)
    return {
        "agents": AGENTS,
        "left": left.astype(np.int32),
        "right": right.astype(np.int32),
        "winner": winner.astype(np.int8),
    }


def _measure(votes: dict[str, Any]) -> list[Figure]:
    names = [f"agent {at:03}" for at in range(AGENTS)]

    def leaderboard(method: str) -> Ranking:
        made = Votes.of_codes(names, votes["left"], votes["right"], votes["winner"])
        return rank(made, rng=np.random.default_rng(1), resamples=RESAMPLES, method=method)

    ours, ranking = _median(lambda: leaderboard("percentile"))
    sandwich, _ = _median(lambda: leaderboard("sandwich"))
    bca, _ = _median(lambda: leaderboard("bca"))
    width = statistics.mean(row.rating.width for row in ranking.agents)
    figures = [
        Figure(
            f"{RESAMPLES:,} resamples of {VOTES:,} votes, {AGENTS} agents, from arrays to intervals",
            ours * 1e3,
            "ms",
            f"under {BAR_SECONDS:g} s",
            most=BAR_SECONDS * 1e3,
            note=f"mean width of an interval {width:.2f} points",
        ),
        Figure("the same with BCa", bca * 1e3, "ms"),
        Figure("the same with sandwich errors", sandwich * 1e3, "ms"),
    ]
    ratings = np.array([ranking[name].rating.estimate for name in names])
    for peer, (script, run) in PEERS.items():
        found = run_peer(script, votes, run)
        seconds = found["fixed"] + RESAMPLES * found["each"]
        note = f"{found['version']}; {run} resamples run, scaled to {RESAMPLES:,}"
        if run >= 100:  # with fewer resamples, the interval bounds are meaningless
            note += f"; mean width {found['width']:.2f} points"
        figures.append(Figure(f"{peer}, bootstrap", seconds, "s", note=note))
        times = seconds / ours
        figures.append(
            Figure(f"speed compared with {peer}", times, "x faster", f"at least {BAR_TIMES}x", least=BAR_TIMES)
        )
        if "sandwich" in found:
            whole = found["fixed"] + found["sandwich"]
            note = (
                f"its default intervals, not scaled; {whole / sandwich:,.0f}x our sandwich; "
                f"mean width {found['sandwich_width']:.2f} points"
            )
            figures.append(Figure(f"{peer}, sandwich", whole, "s", note=note))
        apart = float(np.abs(ratings - found["ratings"]).max())
        bar = f"within {BAR_POINTS:g} points"
        figures.append(Figure(f"largest rating difference from {peer}", apart, "points", bar, most=BAR_POINTS))
    return figures


def _median(job: Callable[[], Ranking]) -> tuple[float, Ranking]:
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        result = job()
        times.append(time.perf_counter() - started)
    return statistics.median(times), result


if __name__ == "__main__":
    sys.exit(main())
