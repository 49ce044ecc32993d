"""For every test, of the library and of the suites."""

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

# Tests run side by side, so threads for one product of matrices only wait for each other. Before NumPy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A shell that starts something in the background has it ignore Ctrl-C, and so would the programs that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Without a clock, because machines that run tests are busy ones.
settings.register_profile(  # the same examples every time: what is new is looked for by `make test-all`
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
    """The tier of a test, from its marks; without any it is pure logic."""
    return max((number for mark, number in _MARKS.items() if item.get_closest_marker(mark)), default=0)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of `make quick`, `make test`, `make test-all` and `scripts/soak`."""
    group = parser.getgroup("fairground")
    listed = "; ".join(f"{number}: {what}" for number, what in TIERS.items())
    group.addoption("--tier", type=int, default=3, choices=list(TIERS), help=f"run tests up to this tier ({listed})")
    group.addoption("--shuffle", type=int, metavar="SEED", help="another order of files and of tests in them")
    group.addoption("--record-durations", action="store_true", help="write tests/durations.json from this run")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Quick runs do not even import files whose tests all start programs."""
    if config.getoption("--tier") > 0 or collection_path.suffix != ".py":
        return None
    marked = re.search(
        r"^pytestmark = \[?\s*pytest\.mark\.(process|conformance|slow)\b", collection_path.read_text(), re.MULTILINE
    )
    return True if marked else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out the tiers that were not asked for, and shuffles."""
    wanted = [item for item in items if tier(item) <= config.getoption("--tier")]
    if len(wanted) < len(items):
        chosen = set(wanted)
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    if (seed := config.getoption("--shuffle")) is not None:
        files: dict[Path, list[pytest.Item]] = defaultdict(list)
        for item in wanted:
            files[item.path].append(item)
        draw = random.Random(seed)  # every process of a session draws the same order
        groups = list(files.values())
        draw.shuffle(groups)
        for group in groups:
            draw.shuffle(group)
        wanted = [item for group in groups for item in group]
    items[:] = wanted


def _refuse_programs(event: str, details: tuple[Any, ...]) -> None:
    """Fails a test of tier 0 that starts a program, at the place where it does."""
    if event in _STARTING and _running and tier(_running[-1]) == 0:
        pytest.fail(f"a test of tier 0 starts a program ({event} {details[:1]}); mark it: @pytest.mark.process")


sys.addaudithook(_refuse_programs)

# --- time budgets ----------------------------------------------------------------------------------------------------

DURATIONS = Path(__file__).parent / "tests" / "durations.json"
_LISTED = 0.5  # seconds; quicker tests are only counted in the sum of their tier
_spent: dict[str, float] = defaultdict(float)
_tiers: dict[str, int] = {}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Adds up what each test took, with its fixtures."""
    _spent[report.nodeid] += report.duration
    _tiers[report.nodeid] = dict(report.user_properties).get("tier", 0)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Compares the time of each tier with its budget; a tier that exceeds it names the tests that grew."""
    if hasattr(config, "workerinput") or not DURATIONS.is_file():
        return
    recorded = json.loads(DURATIONS.read_text())
    if config.getoption("--record-durations"):
        recorded["tests"] = {name: round(spent, 1) for name, spent in sorted(_spent.items()) if spent >= _LISTED}
        DURATIONS.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n")
    before: dict[str, float] = recorded["tests"]
    ratios = [spent / before[name] for name, spent in _spent.items() if name in before]
    slower = statistics.median(ratios) if ratios else 1.0  # a busy machine slows all tests alike
    for number in sorted(set(_tiers.values())):
        names = [name for name, its in _tiers.items() if its == number]
        seconds, budget = sum(_spent[name] for name in names), recorded["budget"].get(str(number))
        line = f"tier {number} ({TIERS[number]}): {len(names):,} tests, {seconds:.0f} s in all processes together"
        if budget is None or seconds <= budget:
            terminalreporter.write_line(line + (f", budget {budget:.0f} s" if budget else ""))
            continue
        terminalreporter.write_line(f"{line}: over its budget of {budget:.0f} s", yellow=True)
        if slower > 1.2:
            terminalreporter.write_line(f"  all tests took {slower:.1f}x what tests/durations.json says")
        growth = {name: _spent[name] - slower * before.get(name, _LISTED) for name in names}
        for name in sorted((name for name in names if growth[name] > 0), key=lambda one: -growth[one])[:10]:
            was = f"{before[name]:.1f} s" if name in before else f"new, or below {_LISTED} s"
            terminalreporter.write_line(f"  {_spent[name]:6.1f} s (was {was})  {name}")


# --- tests beside each other -----------------------------------------------------------------------------------------


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Iterator[None]:
    """What was collected stays: the garbage collector, which walked through all of it again and again, skips it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Notes which test runs. While one marked `alone` does, no other process of this session runs a test."""
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
            fcntl.flock(following, fcntl.LOCK_EX)  # who waits to be alone is not overtaken
            fcntl.flock(tests, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        try:
            return (yield)
        finally:
            fcntl.flock(tests, fcntl.LOCK_UN)  # closing is not enough when the test forked, and the child lives on


@pytest.fixture(scope="session", autouse=True)
def own_cache(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Checkpoints of this session only: nothing stale is found, and nothing is left in the user's cache.

    The processes of a session share them, so that each is built once.
    """
    home = (_shared_folder(pytestconfig) or tmp_path_factory.getbasetemp()) / "checkpoints"
    home.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRGROUND_HOME", str(home))
        yield


def _shared_folder(config: pytest.Config) -> Path | None:
    """Where the processes of this session meet, if there are several (`pytest -n`)."""
    if not hasattr(config, "workerinput"):
        return None
    factory: pytest.TempPathFactory = config._tmp_path_factory  # type: ignore[attr-defined]
    return factory.getbasetemp().parent


@pytest.fixture
def kill_screen() -> Callable[[Any], None]:
    """Kills a seat's Xvfb, as a failing machine would: the very one that listens at its display."""

    def kill(seat: Any) -> None:
        with seat.sandbox.connect(f"/tmp/.X11-unix/X{seat.env['DISPLAY'][1:]}") as connection:
            credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        os.kill(struct.unpack("3i", credentials)[0], signal.SIGKILL)

    return kill
