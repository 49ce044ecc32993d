"""An environment server in a process of its own, which ends with this one."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator

from fairground.core import InfrastructureError
from fairground.remote import EnvironmentServer


@contextlib.contextmanager
def serve(world: str, seats: int) -> Iterator[str]:
    """Start a server for these worlds, and stop it at the end. Yields its URL.

    The same as `fairground serve-env WORLD --seats N --share-browser` in another terminal, or on another machine.

    Raises:
        InfrastructureError: The server could not start.
    """
    command = [sys.executable, "-m", "examples.train.server", world, str(seats)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            if not (url := process.stdout.readline().strip()):
                raise InfrastructureError("the environment server did not start", fix="read its error above")
            yield url
        finally:
            process.stdin.close()


def _serve(world: str, seats: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the trainer, which closes the input below
    with EnvironmentServer(world, seats=seats, share_browser=True) as server:
        print(server.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    _serve(sys.argv[1], int(sys.argv[2]))
