"""Shared pytest configuration for the library and the suites: tiers, time budgets, parallel tests and fixtures."""

import fcntl
import gc
import json
import os
import random
import re
import signal
import socket
import statistics
import struct
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Tests run in parallel, so extra threads for matrix products only compete. Must be set before NumPy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Tests are about code, not about whether all of it has been proven since it was edited; `prove --check` tells that.
os.environ.setdefault("FAIRGROUND_ALLOW_STALE", "1")

# Shells start background jobs with SIGINT ignored. Programs that tests start and interrupt would inherit this.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No deadlines, because machines that run tests are busy.
settings.register_profile(  # the same examples in every run; `make test-all` tries new ones
    "fairground", deadline=None, max_examples=20, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("quick", settings.get_profile("fairground"), max_examples=4)  # `make quick`
settings.register_profile(
    "thorough", settings.get_profile("fairground"), max_examples=300, derandomize=False
)  # `make test-all`
settings.load_profile("fairground")


# --- tiers -----------------------------------------------------------------------------------------------------------

TIERS = {
    0: "pure logic",
    1: "real programs, servers and simulations: one example per behaviour",
    2: "conformance of every app",
    3: "live oracles and everything long",
}
_MARKS = {"process": 1, "simulation": 1, "conformance": 2, "slow": 3}
_ALL_MARKED = re.compile(r"^pytestmark = \[?\s*pytest\.mark\.(process|conformance|slow)\b", re.MULTILINE)
_STARTING = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.exec"}
_running: list[pytest.Item] = []


def tier(item: pytest.Item) -> int:
    """Return the tier of a test from its marks. A test without marks is pure logic."""
    return max((number for mark, number in _MARKS.items() if item.get_closest_marker(mark)), default=0)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that `make quick`, `make test`, `make test-all` and `scripts/soak` use."""
    group = parser.getgroup("fairground")
    listed = "; ".join(f"{number}: {what}" for number, what in TIERS.items())
    group.addoption("--tier", type=int, default=3, choices=list(TIERS), help=f"run tests up to this tier ({listed})")
    group.addoption("--shuffle", type=int, metavar="SEED", help="shuffle the files and the tests within each file")
    group.addoption("--record-durations", action="store_true", help="write tests/durations.json from this run")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip files whose tests all start programs in tier 0 runs, without importing them."""
    if config.getoption("--tier") > 0 or collection_path.suffix != ".py":
        return None
    marked = re.search(
        r"^pytestmark = \[?\s*pytest\.mark\.(process|conformance|slow)\b", collection_path.read_text(), re.MULTILINE
    )
    return True if marked else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests above the requested tier, and shuffle if requested."""
    wanted = [item for item in items if tier(item) <= config.getoption("--tier")]
    if len(wanted) < len(items):
        chosen = set(wanted)
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    if (seed := config.getoption("--shuffle")) is not None:
        files: dict[Path, list[pytest.Item]] = defaultdict(list)
        for item in wanted:
            files[item.path].append(item)
        draw = random.Random(seed)  # every worker of a session draws the same order
        groups = list(files.values())
        draw.shuffle(groups)
        for group in groups:
            draw.shuffle(group)
        wanted = [item for group in groups for item in group]
    items[:] = wanted


def _refuse_programs(event: str, details: tuple[Any, ...]) -> None:
    """Fail a test of tier 0 at the call that starts a program."""
    if event in _STARTING and _running and tier(_running[-1]) == 0:
        pytest.fail(f"a test of tier 0 starts a program ({event} {details[:1]}); mark it: @pytest.mark.process")


sys.addaudithook(_refuse_programs)

# --- time budgets ----------------------------------------------------------------------------------------------------

DURATIONS = Path(__file__).parent / "tests" / "durations.json"
_LISTED = 0.5  # seconds; faster tests count only in the sum of their tier
_spent: dict[str, float] = defaultdict(float)
_tiers: dict[str, int] = {}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up the time of each test, including its fixtures."""
    _spent[report.nodeid] += report.duration
    _tiers[report.nodeid] = dict(report.user_properties).get("tier", 0)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Compare the time of each tier with its budget. If a tier exceeds it, list the tests that became slower."""
    if hasattr(config, "workerinput") or not DURATIONS.is_file():
        return
    recorded = json.loads(DURATIONS.read_text())
    if config.getoption("--record-durations"):
        recorded["tests"] = {name: round(spent, 1) for name, spent in sorted(_spent.items()) if spent >= _LISTED}
        DURATIONS.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n")
    before: dict[str, float] = recorded["tests"]
    ratios = [spent / before[name] for name, spent in _spent.items() if name in before]
    slower = statistics.median(ratios) if ratios else 1.0  # a busy machine slows down all tests alike
    for number in sorted(set(_tiers.values())):
        names = [name for name, its in _tiers.items() if its == number]
        seconds, budget = sum(_spent[name] for name in names), recorded["budget"].get(str(number))
        line = f"tier {number} ({TIERS[number]}): {len(names):,} tests, {seconds:.0f} s in total over all processes"
        if budget is None or seconds <= budget:
            terminalreporter.write_line(line + (f", budget {budget:.0f} s" if budget else ""))
            continue
        terminalreporter.write_line(f"{line}: over its budget of {budget:.0f} s", yellow=True)
        if slower > 1.2:
            terminalreporter.write_line(
                f"  all tests took {slower:.1f}x their time in tests/durations.json (busy machine?)"
            )
        growth = {name: _spent[name] - slower * before.get(name, _LISTED) for name in names}
        for name in sorted((name for name in names if growth[name] > 0), key=lambda one: -growth[one])[:10]:
            was = f"{before[name]:.1f} s" if name in before else f"new, or below {_LISTED} s"
            terminalreporter.write_line(f"  {_spent[name]:6.1f} s (was {was})  {name}")


# --- parallel tests --------------------------------------------------------------------------------------------------


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Iterator[None]:
    """Exclude the collected tests from garbage collection, which would traverse all of them repeatedly."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Track the running test. While a test marked `alone` runs, no other worker of this session runs a test."""
    item.user_properties.append(("tier", tier(item)))
    _running.append(item)
    try:
        return (yield from _beside_others(item))
    finally:
        _running.pop()


def _beside_others(item: pytest.Item) -> Iterator[None]:
    if (folder := _shared_folder(item.config)) is None:
        return (yield)
    alone = item.get_closest_marker("alone") is not None
    with open(folder / "tests.lock", "w") as tests:
        with open(folder / "next.lock", "w") as following:
            fcntl.flock(following, fcntl.LOCK_EX)  # a test that waits to run alone is not overtaken
            fcntl.flock(tests, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        try:
            return (yield)
        finally:
            fcntl.flock(tests, fcntl.LOCK_UN)  # closing is not enough if the test forked a child that still runs


@pytest.fixture(scope="session", autouse=True)
def own_cache(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Use a checkpoint cache for this session only: no stale checkpoints, and nothing is left in the user's cache.

    The workers of a session share it, so that each checkpoint is built once.
    """
    home = (_shared_folder(pytestconfig) or tmp_path_factory.getbasetemp()) / "checkpoints"
    home.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRGROUND_HOME", str(home))
        yield


def _shared_folder(config: pytest.Config) -> Path | None:
    """Return the folder that the workers of this session share, or None without workers (`pytest -n`)."""
    if not hasattr(config, "workerinput"):
        return None
    factory: pytest.TempPathFactory = config._tmp_path_factory  # type: ignore[attr-defined]
    return factory.getbasetemp().parent


@pytest.fixture
def kill_screen() -> Callable[[Any], None]:
    """A function that kills the Xvfb process of a seat's display, to simulate a crash."""

    def kill(seat: Any) -> None:
        with seat.sandbox.connect(f"/tmp/.X11-unix/X{seat.env['DISPLAY'][1:]}") as connection:
            credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        os.kill(struct.unpack("3i", credentials)[0], signal.SIGKILL)

    return kill
