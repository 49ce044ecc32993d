"""Work for a crew that needs no worlds."""

import os
import signal
from collections.abc import Callable


class Doubling:
    """Doubles numbers; some kill it."""

    def do(self, job: int, say: Callable[[str], None]) -> int:
        say(f"at {job}")
        if job % 10 == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return 2 * job

    def close(self) -> None:
        pass


def unable() -> Doubling:
    raise ValueError("no such suite")
