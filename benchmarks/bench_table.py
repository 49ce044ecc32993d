"""Ten million episodes, from file to interval: time and peak memory.

python benchmarks/bench_table.py [--json]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from figures import Figure, show

EPISODES = 10_000_000
GIGABYTES = 4.0
_CHILD = """
import json, resource, sys, time
import numpy as np
from fairground.stats import bootstrap, count, read_table, suite_interval
started = time.perf_counter()
table = read_table(sys.argv[1])
read = time.perf_counter() - started
found = suite_interval(bootstrap(count(table, "agent-0"), rng=np.random.default_rng(0), resamples=2000))
done = time.perf_counter() - started
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(json.dumps({"rows": len(table), "read": read, "all": done, "peak": peak, "estimate": found.estimate}))
"""


def main(argv: list[str] | None = None) -> int:
    """Measure and print the figures. Returns 0 if every bar was met, else 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args(argv)
    return show(_measure(), as_json=wanted.json)


def _measure() -> list[Figure]:
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("parquet", "csv"):
            file = Path(folder) / f"episodes.{kind}"
            _write(file)
            size = file.stat().st_size / 2**20
            done = subprocess.run(
                [sys.executable, "-c", _CHILD, str(file)], capture_output=True, text=True, check=True, timeout=600
            )
            file.unlink()
            found = json.loads(done.stdout)
            assert found["rows"] == EPISODES
            figures.append(
                Figure(
                    f"{EPISODES:,} episodes from .{kind}, peak memory",
                    found["peak"],
                    "GB",
                    f"under {GIGABYTES:g} GB",
                    most=GIGABYTES,
                    note=f"{size:,.0f} MB read at {EPISODES / found['read'] / 1e6:.1f} million rows per second; "
                    f"counted and bootstrapped after {found['all']:.0f} s",
                )
            )
    return figures


def _write(file: Path) -> None:
    """Write 5 agents x 15 apps x 26 scenarios x 3 x 3 x 3 configurations x 190 rollouts, unordered, in batches."""
    sizes = {"agent": 5, "app": 15, "scenario": 26, "profile": 3, "theme": 3, "ui_state": 3, "rollout": 190}
    rng = np.random.default_rng(0)
    whole = int(np.prod(list(sizes.values())))
    writer: pa.csv.CSVWriter | pa.parquet.ParquetWriter | None = None
    for start in range(0, EPISODES, 1_000_000):
        # A stride that is coprime to the number of rows visits every row once, in scattered order.
        places = (np.arange(start, min(start + 1_000_000, EPISODES)) * 7_368_787) % whole
        columns: dict[str, pa.Array] = {}
        for name, size in sizes.items():
            words = pa.array([f"{name}-{at}" for at in range(size)])
            columns[name] = pa.DictionaryArray.from_arrays((places % size).astype(np.int32), words).cast(pa.string())
            places = places // size
        number = len(columns["agent"])
        columns["success"] = pa.array(rng.random(number) < 0.4)
        columns["steps"] = pa.array(rng.integers(3, 50, number))
        columns["seconds"] = pa.array(np.round(rng.exponential(60, number), 2))
        batch = pa.table(columns)
        if writer is None:
            kind = pa.csv.CSVWriter if file.suffix == ".csv" else pa.parquet.ParquetWriter
            writer = kind(file, batch.schema)
        writer.write_table(batch)
    assert writer is not None
    writer.close()


if __name__ == "__main__":
    sys.exit(main())
