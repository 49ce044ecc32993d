"""Peers live in an environment of their own (.setup/peers), because their dependencies are many and old.

Each is a script in `peers/` that reads an .npz file and prints one line of JSON.
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
    """Says what to do where the peers' environment is not there."""
    if not PYTHON.exists():
        raise MissingPrerequisite(f"the peers' environment is not there: {PYTHON.parent.parent}", fix="make bench")


def run_peer(script: str, arrays: Mapping[str, Any], *words: object) -> dict[str, Any]:
    """What a peer measured on these arrays."""
    need_peers()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "data.npz"
        np.savez(file, **arrays)
        command = [str(PYTHON), str(HERE / "peers" / script), str(file), *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    if done.returncode:
        raise RuntimeError(f"{script} ended with status {done.returncode} and said:\n{done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
