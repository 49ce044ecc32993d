"""Nothing outlives a sandbox: not when it is discarded, not when its keeper or its host is killed."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairground.core import FairgroundError, SandboxError
from fairground.sandbox import Limits, Sandbox, SandboxSpec, namespace_support, open_sandbox, runners
from fairground.sandbox.cgroups import ROOT

pytestmark = pytest.mark.process

Until = Callable[..., None]
RUNNERS = ["namespace", "bare"]


@pytest.fixture(params=RUNNERS)
def runner(request: pytest.FixtureRequest) -> str:
    if request.param == "namespace" and not namespace_support().ok:
        pytest.skip(f"no namespaces here: {namespace_support().reason}")
    return str(request.param)


# --- the host is killed ----------------------------------------------------------------------------------------------

HOST = """
import json, multiprocessing, os, sys, time
from pathlib import Path
from fairground.sandbox import SandboxSpec, open_sandbox

def traces(box):
    folders = [str(path) for path in box._cgroup.folders]
    inside = {int(pid) for path in folders for pid in (Path(path) / "cgroup.procs").read_text().split()}
    home = [] if box.isolated else [str(Path(box.home).parent)]
    return {"pids": [box.keeper_pid, box.first_pid, *inside], "folders": [*folders, *home]}

boxes = [open_sandbox(SandboxSpec(), runner=sys.argv[1]) for _ in range(3)]
for box in boxes:
    box.start(["sh", "-c", "trap '' TERM INT HUP; while :; do :; done"])
    box.start(["sh", "-c", "(setsid sleep 1000 &); sleep 1000"])
    box.write_file("~/file", b"x" * 100_000)
boxes[1].freeze()
boxes[2].freeze()
boxes[2].thaw()
if sys.argv[2] == "forked":
    # A worker made by fork holds a copy of everything that its parent has open, and lives on.
    worker = multiprocessing.get_context("fork").Process(target=time.sleep, args=(100,), daemon=True)
    worker.start()
    worker_pid = worker.pid
else:
    worker_pid = None
found = [traces(box) for box in boxes]
print(json.dumps({"found": found, "worker": worker_pid}), flush=True)
time.sleep(100)
"""


@pytest.mark.parametrize("how", [pytest.param("alone", marks=pytest.mark.slow), "forked"])
def test_nothing_survives_a_host_that_is_killed(runner: str, how: str, until: Until) -> None:
    mounts = _mounts()
    with subprocess.Popen([sys.executable, "-c", HOST, runner, how], stdout=subprocess.PIPE, env=_env()) as host:
        worker = None
        try:
            assert host.stdout is not None
            said = json.loads(host.stdout.readline())
            worker = said["worker"]
            found: list[dict[str, Any]] = said["found"]
            pids = [pid for traces in found for pid in traces["pids"]]
            folders = [Path(path) for traces in found for path in traces["folders"]]
            assert sum(map(_runs, pids)) >= 6 and all(path.is_dir() for path in folders)
            host.kill()
            host.wait()
            until(lambda: not [pid for pid in pids if _runs(pid)], "processes survived their host")
            until(lambda: not [path for path in folders if path.exists()], "folders survived their host")
            until(lambda: _mounts() == mounts, "mounts survived their host")
        finally:
            host.kill()
            if worker is not None:
                os.kill(worker, signal.SIGKILL)


# --- the keeper is killed --------------------------------------------------------------------------------------------


def _killed(runner: str, which: str, frozen: bool, *marks: pytest.MarkDecorator) -> Any:
    return pytest.param(runner, which, frozen, marks=marks, id=f"{runner}-{which}-{'frozen' if frozen else 'running'}")


@pytest.mark.parametrize(
    ("runner", "which", "frozen"),
    [
        _killed("namespace", "outer", True),
        _killed("namespace", "inner", False),
        _killed("bare", "outer", False),
        _killed("bare", "inner", True),
        _killed("namespace", "outer", False, pytest.mark.slow),
        _killed("namespace", "inner", True, pytest.mark.slow),
        _killed("bare", "outer", True, pytest.mark.slow),
        _killed("bare", "inner", False, pytest.mark.slow),
    ],
    indirect=["runner"],
)
def test_a_killed_keeper_is_noticed_and_leaves_nothing(runner: str, which: str, frozen: bool, until: Until) -> None:
    box = open_sandbox(runner=runner)
    program = box.start(["sh", "-c", "echo last words; trap '' TERM; while :; do sleep 0.01; done"])
    until(lambda: "words" in program.output(), "the program did not start")
    traces = _traces(box)
    if frozen:
        box.freeze()
    os.kill(_kept(box).keeper_pid if which == "outer" else _kept(box).first_pid, signal.SIGKILL)
    until(lambda: not box.alive, "nobody noticed")
    with pytest.raises(SandboxError, match="gone|discarded"):
        box.run(["true"])
    with pytest.raises(SandboxError):
        box.read_file("~/x")
    box.discard()
    assert program.wait(10) == -signal.SIGKILL
    assert "last words" in program.output()
    until(lambda: not [pid for pid in traces["pids"] if _runs(pid)], "processes survived their keeper")
    assert not [path for path in traces["folders"] if Path(path).exists()]


def test_a_keeper_that_does_not_answer_is_ended(runner: str, monkeypatch: pytest.MonkeyPatch, until: Until) -> None:
    monkeypatch.setattr("fairground.sandbox.channel._ANSWER_SECONDS", 0.5)
    box = open_sandbox(runner=runner)
    traces = _traces(box)
    os.kill(_kept(box).first_pid, signal.SIGSTOP)
    with pytest.raises(SandboxError, match="did not answer"):
        box.run(["true"])
    assert not box.alive
    box.discard()
    until(lambda: not [pid for pid in traces["pids"] if _runs(pid)], "processes survived")


def test_a_host_that_forgets_a_sandbox_leaves_nothing(runner: str, until: Until) -> None:
    code = "from fairground.sandbox import *; import sys; box = open_sandbox(runner=sys.argv[1])\n"
    code += "box.start(['sleep', '1000']); print(box.keeper_pid, box.first_pid, *box._cgroup.folders, flush=True)"
    done = subprocess.run(
        [sys.executable, "-c", code, runner], capture_output=True, text=True, env=_env(), check=True, timeout=60
    )
    keeper, first, *folders = done.stdout.split()
    until(lambda: not _runs(int(keeper)) and not _runs(int(first)), "processes survived")
    until(lambda: not any(Path(path).exists() for path in folders), "folders survived")


# --- many ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [5, pytest.param(200, marks=pytest.mark.slow)])
def test_sandboxes_opened_and_closed_in_a_loop_leak_nothing(count: int) -> None:
    _needs_namespaces()
    open_sandbox(runner="namespace").discard()  # whatever is kept for good is made now
    before = _held()
    for number in range(count):
        with open_sandbox(runner="namespace") as box:  # type: ignore[attr-defined]
            if number % 10 == 0:
                box.run(["true"])
                box.start(["sleep", "1000"])
                box.write_file("~/file", b"x")
            if number % 20 == 0:
                box.freeze()
    assert _more_than(before) == {}


def test_bare_sandboxes_leak_nothing() -> None:
    open_sandbox(runner="bare").discard()
    before = _held()
    homes = []
    for number in range(4):
        with open_sandbox(runner="bare") as box:  # type: ignore[attr-defined]
            box.start(["sh", "-c", "mkdir -p a/b; chmod 0 a; (setsid sleep 1000 &)"])
            homes.append(Path(box.home).parent)
            if number % 2 == 0:
                box.freeze()
    assert not [home for home in homes if home.exists()]
    assert _more_than(before) == {}


def test_a_tree_deeper_than_paths_can_be_is_removed_with_its_bare_sandbox() -> None:
    box = open_sandbox(runner="bare")
    box.run(["perl", "-e", "for (1..1100) { mkdir 'deep'; chdir 'deep' } chmod 0, '..'"])
    home = Path(box.home).parent
    box.discard()
    assert not home.exists()


@pytest.mark.parametrize("count", [2, pytest.param(5, marks=pytest.mark.slow)])
def test_threads_that_open_and_close_sandboxes_leak_nothing(count: int) -> None:
    _needs_namespaces()
    open_sandbox(runner="namespace").discard()
    before = _held()

    def work() -> None:
        for _ in range(count):
            box = open_sandbox(runner="namespace")
            box.run(["true"])
            box.discard()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert _more_than(before) == {}


# --- half-way --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec",
    [
        SandboxSpec(layers=(Path("/nowhere"),)),
        SandboxSpec(writable=Path("/nowhere")),
        SandboxSpec(writable=Path("/proc")),
        SandboxSpec(layers=(Path("/proc/self/fd"),)),
        SandboxSpec(env={"A=B": ""}),
        SandboxSpec(env={"A": "x" * 200_000}),
        SandboxSpec(hostname="a\nb"),
        SandboxSpec(layers=(Path("/tmp"),) * 500),
    ],
    ids=lambda spec: str(spec)[:60],
)
def test_a_sandbox_that_cannot_be_made_leaves_nothing(spec: SandboxSpec) -> None:
    _needs_namespaces()
    open_sandbox(runner="namespace").discard()
    before = _held()
    with pytest.raises(FairgroundError):
        open_sandbox(spec, runner="namespace")
    assert _more_than(before) == {}


def test_a_layer_that_its_user_cannot_read_is_an_error_and_not_left_out(tmp_path: Path) -> None:
    _needs_namespaces()
    if os.geteuid() != 0:
        pytest.skip("only as root is the sandbox's user another one")
    layer = tmp_path / "layer"
    (layer / "home").mkdir(parents=True)
    layer.chmod(0o700)
    with pytest.raises(SandboxError, match="layer"):
        open_sandbox(SandboxSpec(layers=(layer,)), runner="namespace")


@pytest.mark.parametrize("what", ["Popen", "pidfd_open"])
def test_a_keeper_that_cannot_be_started_leaves_nothing(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    open_sandbox(runner="bare").discard()
    before = _held()

    def refuse(*_: object, **__: object) -> None:
        raise OSError(11, "no more")

    module = "fairground.sandbox.launch.subprocess" if what == "Popen" else "fairground.sandbox.launch.os"
    with monkeypatch.context() as patch:
        patch.setattr(f"{module}.{what}", refuse)
        with pytest.raises(OSError, match="no more"):
            open_sandbox(runner="bare")
    assert _more_than(before) == {}


@pytest.mark.parametrize(
    "limits",
    [{"disk": 0}, {"disk": -1}, {"memory": 0}, {"processes": 0}, {"cpus": 0}, {"cpus": float("nan")}],
    ids=str,
)
def test_limits_that_mean_nothing_are_refused(limits: dict[str, Any]) -> None:
    """A size of 0 would mean no limit to the kernel."""
    with pytest.raises(ValueError, match="Limits"):
        Limits(**limits)


def _kept(box: Sandbox) -> Any:
    assert set(runners()) >= set(RUNNERS)
    return box


def _traces(box: Sandbox) -> dict[str, list[Any]]:
    kept = _kept(box)
    folders = [str(path) for path in kept._cgroup.folders]
    inside = {int(pid) for path in folders for pid in Path(path, "cgroup.procs").read_text().split()}
    home = [] if box.isolated else [str(Path(box.home).parent)]
    return {"pids": [kept.keeper_pid, kept.first_pid, *inside], "folders": [*folders, *home]}


def _held() -> dict[str, set[Any]]:
    """What this process holds, and what on the machine carries its number."""
    me = os.getpid()
    children = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[1]) == me:
            children.append(stat.parent.name)
    return {
        "files": set(range(len(os.listdir("/proc/self/fd")))),  # their number: names of files are used again
        "threads": set(threading.enumerate()),
        "children": set(children),
        "cgroups": {str(path) for path in (*ROOT.glob(f"*/fairground-{me}-*"), *ROOT.glob(f"fairground/*-{me}-*"))},
        "mounts": _mounts(),
    }


def _more_than(before: dict[str, set[Any]]) -> dict[str, set[Any]]:
    """What is held now and was not before; something that an earlier test left behind may have gone since."""
    return {kind: held - before[kind] for kind, held in _held().items() if held - before[kind]}


def _mounts() -> set[str]:
    return set(Path("/proc/self/mountinfo").read_text().splitlines())


def _runs(pid: int) -> bool:
    """Whether there is such a process, and it is not only waiting to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _env() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def _needs_namespaces() -> None:
    if not namespace_support().ok:
        pytest.skip(f"no namespaces here: {namespace_support().reason}")
