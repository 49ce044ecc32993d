"""Runs peers: the tools that the benchmarks compare with.

They are installed in a separate environment (.setup/peers), because their dependencies are many and old. Each peer is a
script in `peers/` that reads an .npz file and prints one line of JSON.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fairground.core import MissingPrerequisite

HERE = Path(__file__).resolve().parent
PYTHON = HERE.parent / ".setup" / "peers" / "bin" / "python"
SECONDS = 600


def need_peers() -> None:
    """Raise `MissingPrerequisite` with the fix if the peers are not installed."""
    if not PYTHON.exists():
        raise MissingPrerequisite(
            f"the environment of the peers does not exist: {PYTHON.parent.parent}", fix="make bench"
        )


def run_peer(script: str, arrays: Mapping[str, Any], *words: object) -> dict[str, Any]:
    """Run a peer on these arrays and return its measurements."""
    need_peers()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "data.npz"
        np.savez(file, **arrays)
        command = [str(PYTHON), str(HERE / "peers" / script), str(file), *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    if done.returncode:
        raise RuntimeError(f"{script} failed with status {done.returncode}:\n{done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
