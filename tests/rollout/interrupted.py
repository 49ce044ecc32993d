"""Not a test module: interrupts a run, and waits until every process that it started is gone.

A process of its own, because it adopts what the run leaves behind. It imports nothing of ours, which would take longer
than the rest.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any


def interrupted(folder: Path) -> None:
    """A run that gets a Ctrl-C while episodes are under way; waits until every process that it started is gone."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: what it leaves behind becomes ours
    words = ["run", "pocket/notes", "--agent", "random", "--rollouts", "50", "--workers", "1", "--out", str(folder)]
    command = [sys.executable, "-c", "import sys; from fairground.cli import main; sys.exit(main())", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    until(lambda: bool(list(folder.glob("episodes/*/steps.jsonl"))) or process.poll() is not None)
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate()[0].decode()
    gone = until(lambda: not _children(), 30)
    print(json.dumps({"status": process.returncode, "said": said, "left": [] if gone else _children()}))


def until(condition: Any, seconds: float = 100) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        threading.Event().wait(0.02)
    return True


def _children() -> list[str]:
    """Processes that are ours now; those that have ended are let go."""
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                break
        except ChildProcessError:
            return []
    pids = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return [Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ") for pid in pids]


if __name__ == "__main__":
    interrupted(Path(sys.argv[1]))
