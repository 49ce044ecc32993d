"""A proof that says how far it is, for a test that kills it."""

import sys
import time
from pathlib import Path

from fairground.prove import Cache, Options, prove

from .wallet import suite


def tell(phase: str, done: int, total: int) -> None:
    print(phase, done, flush=True)
    time.sleep(0.1)


if __name__ == "__main__":
    with Cache(Path(sys.argv[1])) as cache:
        prove(suite, options=Options(browser=False, workers=1, mutant_pairs=0), cache=cache, on_progress=tell)
