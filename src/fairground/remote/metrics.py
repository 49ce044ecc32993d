"""Counters and latencies of a server, in the text format of Prometheus."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from itertools import accumulate
from typing import Final

BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
"""Upper bounds of the latency histograms in seconds."""


class Metrics:
    """Counts of one server. Used from its event loop only."""

    def __init__(self) -> None:
        self.opened = 0
        self.closed: Counter[str] = Counter()
        self.errors: Counter[tuple[str, str]] = Counter()
        self.frames_sent = 0
        self.frame_bytes = 0
        self._latencies: dict[str, _Histogram] = {}

    def served(self, method: str, seconds: float) -> None:
        """Count a call that was answered without an error."""
        self._latencies.setdefault(method, _Histogram()).add(seconds)

    def failed(self, method: str, kind: str) -> None:
        """Count a call that was answered with an error of this type."""
        self.errors[method, kind] += 1

    def text(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """Return all metrics, with these gauges (name to help and value)."""
        lines: list[str] = []
        for name, (words, value) in gauges.items():
            lines += [*_head(name, "gauge", words), f"fairground_{name} {value:g}"]
        lines += [*_head("sessions_opened_total", "counter", "Sessions opened.")]
        lines += [f"fairground_sessions_opened_total {self.opened}"]
        lines += _head("sessions_closed_total", "counter", "Sessions closed, by what closed them.")
        lines += [f'fairground_sessions_closed_total{{by="{by}"}} {n}' for by, n in sorted(self.closed.items())]
        lines += _head("errors_total", "counter", "Calls answered with an error.")
        for (method, kind), count in sorted(self.errors.items()):
            lines.append(f'fairground_errors_total{{method="{method}",type="{kind}"}} {count}')
        lines += [
            *_head("frames_sent_total", "counter", "Frames sent."),
            f"fairground_frames_sent_total {self.frames_sent}",
        ]
        lines += _head("frame_bytes_total", "counter", "Bytes of the frames sent.")
        lines += [f"fairground_frame_bytes_total {self.frame_bytes}"]
        lines += _head("call_seconds", "histogram", "Time of calls that were answered without an error, by method.")
        for method, histogram in sorted(self._latencies.items()):
            lines += histogram.lines(f'method="{method}"')
        return "\n".join(lines) + "\n"


class _Histogram:
    def __init__(self) -> None:
        self._counts = [0] * (len(BUCKETS) + 1)
        self._sum = 0.0

    def add(self, seconds: float) -> None:
        self._counts[bisect_left(BUCKETS, seconds)] += 1
        self._sum += seconds

    def lines(self, label: str) -> list[str]:
        bounds = [*(f"{bound:g}" for bound in BUCKETS), "+Inf"]
        counts = list(accumulate(self._counts))
        lines = [
            f'fairground_call_seconds_bucket{{{label},le="{bound}"}} {count}'
            for bound, count in zip(bounds, counts, strict=True)
        ]
        return [
            *lines,
            f"fairground_call_seconds_sum{{{label}}} {self._sum:.6f}",
            f"fairground_call_seconds_count{{{label}}} {counts[-1]}",
        ]


def _head(name: str, kind: str, words: str) -> list[str]:
    return [f"# HELP fairground_{name} {words}", f"# TYPE fairground_{name} {kind}"]
