"""What the recorder promises when it is killed or the disk is full, and what the reader refuses."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairground.core import EpisodeError, State
from fairground.rollout.folder import EpisodeFolder, read_episode

STEPS = 12

RECORD = """
import sys
from pathlib import Path
import numpy as np
from fairground.core import *
from fairground.rollout.recorder import Recorder

def episode(**changed):
    fingerprint = Fingerprint(digest="0" * 32, fairground="0", suite="0", packages={}, stages={}, seed=7,
        runner="namespace", isolated=True, screen="x11 64x48")
    return Episode(id="ep-1", status="running", agent="scripted", instruction="Add.", seed=7, step_budget=20,
        configuration=Configuration(suite="desk", app="calc", scenario="sum"), started="2026-01-01T00:00:00Z",
        fingerprint=fingerprint, **changed)

def frame(seed):
    return Frame(np.random.default_rng(seed).integers(0, 256, (48, 64, 3), dtype=np.uint8))

def record(folder, steps, video=False, state=b"state" * 1000, before_close=lambda: None):
    verdict = Verdict.of([Check(name="total", passed=True)])
    with Recorder(folder, episode(), video=video) as recorder:
        recorder.first(frame(0))
        recorder.state("before", {"book.ods": state})
        for index in range(steps):
            seen = frame(index // 2)  # every other frame is one seen before
            recorder.log("app", f"step {index}\\n")
            recorder.step(Step(index=index, action=Click(point=(1, 2)), frame=seen.digest, seconds=index, act_ms=1,
                settle_ms=1, settled=True, thought="so be it " * 20), seen)
        recorder.state("after", {"book.ods": state})
        before_close()
        recorder.close(episode(outcome=Outcome.PASSED, verdict=verdict))
"""

# A process that has everything imported and forks, so that hundreds of recorders can be killed in a few seconds.
KILL_AT_RANDOM = """
import os, random, signal, time
root, hits, steps = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])

def start(folder):
    child = os.fork()
    if child == 0:
        record(folder, steps)
        (root / f"{folder.name}.closed").touch()
        os._exit(0)
    return child

took = []
for number in range(3):
    began = time.perf_counter()
    os.waitpid(start(root / f"whole-{number}"), 0)
    took.append(time.perf_counter() - began)
whole = min(took)
chance = random.Random(11)
number = 0
while hits:  # until so many were killed at work, however quick the machine is
    folder = root / f"ep-{number}"
    child = start(folder)
    time.sleep(chance.uniform(0, whole * 1.1))  # the instant of the kill: any
    os.kill(child, signal.SIGKILL)
    hits -= os.WIFSIGNALED(os.waitpid(child, 0)[1]) and folder.exists()
    number += 1
print(number)
"""

# Counts every file that is opened, renamed, made or removed, and kills itself at the given one.
KILL_AT_EACH = """
import os, signal
root, steps = Path(sys.argv[1]), int(sys.argv[2])
EVENTS = {"open", "os.rename", "os.mkdir", "os.remove", "subprocess.Popen"}
left = None

def hook(event, args):
    global left
    if left is not None and event in EVENTS:
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(hook)
number, killed = 0, True
while killed:
    child = os.fork()
    if child == 0:
        left = number
        record(root / f"ep-{number}", steps, video=number % 10 == 0)
        left = None
        (root / f"ep-{number}.closed").touch()
        os._exit(0)
    killed = os.waitpid(child, 0)[1] != 0
    number += 1
print(number)
"""


@pytest.mark.process
def test_a_recorder_killed_at_any_instant_leaves_a_whole_or_a_marked_incomplete_episode(tmp_path: Path) -> None:
    count = int(_python(RECORD + KILL_AT_RANDOM, tmp_path, 6, STEPS).stdout)
    kinds = [_promise(tmp_path / f"ep-{number}") for number in range(count)]
    assert "incomplete" in kinds
    assert [_promise(tmp_path / f"whole-{number}") for number in range(3)] == ["complete"] * 3


@pytest.mark.process
def test_a_recorder_killed_at_each_of_its_file_operations_keeps_the_promise(tmp_path: Path) -> None:
    count = int(_python(RECORD + KILL_AT_EACH, tmp_path, 1).stdout)
    kinds = [_promise(tmp_path / f"ep-{number}") for number in range(count)]
    assert kinds[-1] == "complete"
    assert kinds.count("incomplete") >= 6
    assert "complete" not in kinds[: count // 2], "it may claim to be complete only at the very end"


@pytest.mark.process
def test_a_disk_that_runs_full_at_any_point_is_our_error_and_never_a_complete_episode(tmp_path: Path) -> None:
    namespace = ["unshare", "--user", "--map-root-user", "--mount"]
    if subprocess.run([*namespace, "mount", "-t", "tmpfs", "none", tmp_path], capture_output=True).returncode:
        pytest.skip("user namespaces are off here, so no small disk can be mounted to be filled")
    fill = """
import json, os
from fairground.rollout.folder import read_episode
root = Path(sys.argv[1])
said = {}

def fill():
    with open(root / "filler", "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass

cases = {
    "frames": lambda folder: record(folder, 90),
    "state": lambda folder: record(folder, 2, state=b"x" * 2_000_000),
    "close": lambda folder: record(folder, 2, before_close=fill),
    "begin": lambda folder: (fill(), record(folder, 2)),
}
for name, case in cases.items():
    folder = root / name
    try:
        case(folder)
        said[name] = ["no error", ""]
    except FairgroundError as error:
        said[name] = [type(error).__name__, str(error)]
    said[name].append(folder.exists() and read_episode(folder).complete)
    (root / "filler").unlink(missing_ok=True)
    for path in sorted(root.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
print(json.dumps(said))
"""
    mounted = [*namespace, "sh", "-c", 'mount -t tmpfs -o size=256k none "$1" && shift && exec "$@"', "sh", tmp_path]
    said = json.loads(_python(RECORD + fill, tmp_path, through=mounted).stdout)
    assert sorted(said) == ["begin", "close", "frames", "state"]
    for name, (kind, message, complete) in said.items():
        assert kind == "CannotWrite", (name, message)
        assert "the disk is full" in message and str(tmp_path / name) in message and "fix:" in message
        assert not complete, name


@pytest.mark.process
def test_a_limit_on_the_size_of_files_is_our_error_too(tmp_path: Path) -> None:
    limited = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000))
try:
    record(Path(sys.argv[1]) / "ep", 2)
except InfrastructureError as error:
    print(error)
"""
    said = _python(RECORD + limited, tmp_path).stdout
    assert "limit on file size" in said and str(tmp_path / "ep") in said
    assert not read_episode(tmp_path / "ep").complete


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "ep"
    exec(compile(RECORD, "RECORD", "exec"), recording := dict[str, Any]())
    recording["record"](folder, 4)
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "ep"))


def change_summary(**fields: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "episode.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))

    return change


def change_step(number: int, **fields: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "steps.jsonl"
        lines = path.read_text().splitlines()
        lines[number] = json.dumps({**json.loads(lines[number]), **fields})
        path.write_text("\n".join(lines) + "\n")

    return change


def change_state(**fields: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "state" / "state.json"
        index = json.loads(path.read_text())
        index["after"]["files"]["book.ods"].update(fields)
        path.write_text(json.dumps(index))

    return change


def replace(name: str, data: bytes) -> Callable[[Path], None]:
    return lambda folder: _write(folder / name, data)


def link(name: str, target: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        shutil.rmtree(folder / name) if (folder / name).is_dir() else (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(target)

    return change


def remove_frame(folder: Path) -> None:
    next((folder / "frames").iterdir()).unlink()


def link_a_frame(folder: Path) -> None:
    path = next((folder / "frames").iterdir())
    path.rename(folder / "elsewhere.png")
    path.symlink_to(folder / "elsewhere.png")


def a_pipe(folder: Path) -> None:
    (folder / "steps.jsonl").unlink()
    os.mkfifo(folder / "steps.jsonl")


def a_bomb(folder: Path) -> None:
    path = next((folder / "frames").iterdir())
    data = bytearray(path.read_bytes())
    data[16:24] = (100_000).to_bytes(4, "big") * 2
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda folder: (folder / "episode.json").unlink(), "episode.json: missing"),
        (replace("episode.json", b""), "episode.json: not strict JSON"),
        (replace("episode.json", b"\xff\xfe"), "episode.json: not strict JSON"),
        (replace("episode.json", b"[" * 200_000), "episode.json: not strict JSON"),
        (replace("episode.json", b'{"seed": ' + b"9" * 10_000 + b"}"), "episode.json: not strict JSON"),
        (replace("episode.json", b'{"seed": NaN}'), "NaN is not a JSON value"),
        (replace("episode.json", b'{"seed": 1, "seed": 2}'), "duplicate name in an object"),
        (replace("episode.json", b"[]"), "episode: input should be an object"),
        (replace("episode.json", b" " * (33 << 20)), "episode.json: 34,603,008 bytes, expected at most 33,554,432"),
        (change_summary(format=2), "episode.format: expected 1, got 2"),
        (change_summary(seed="7"), "episode.seed: input should be a valid integer, got '7'"),
        (change_summary(surprise=1), "episode.surprise: unknown field"),
        (change_summary(outcome="won"), "episode.outcome"),
        (change_summary(first_frame="../../etc/passwd"), "episode.first_frame: expected 24 hexadecimal digits"),
        (change_summary(first_frame="0" * 24), "frames/000000000000000000000000.png: missing"),
        (change_summary(outcome=None), "episode.outcome: null"),
        (change_summary(verdict=None), "episode.verdict: null for outcome passed"),
        (change_summary(steps=5), "episode.steps: 5, but steps.jsonl has 4"),
        (change_step(2, frame="../../../../etc/passwd"), "steps[2].frame: expected 24 hexadecimal digits"),
        (change_step(2, frame="0" * 23 + "/"), "steps[2].frame: expected 24 hexadecimal digits"),
        (change_step(2, frame="0" * 24 + "\n"), "steps[2].frame: expected 24 hexadecimal digits"),
        (change_step(1, index=2), "steps[1].index: expected 1, got 2"),
        (change_step(1, settled="yes"), "steps[1].settled"),
        (change_step(3, action={"kind": "explode"}), "steps[3].action"),
        (change_step(3, action={"kind": "click", "count": 9}), "steps[3].action.click.count"),
        (change_step(0, thought="x" * (3 << 20)), "steps[0]: a line over"),
        (lambda folder: (folder / "steps.jsonl").unlink(), "steps.jsonl: missing"),
        (replace("steps.jsonl", b""), "episode.steps: 4, but steps.jsonl has 0"),
        (replace("steps.jsonl", b'{"index": 0'), "steps[0]: the last line of steps.jsonl is incomplete"),
        (replace("steps.jsonl", b"\n"), "steps[0]: not strict JSON"),
        (replace("steps.jsonl", b"x" * (5 << 20)), "steps[0]: a line over"),
        (a_pipe, "steps.jsonl: not a regular file"),
        (link("steps.jsonl", "/etc/hostname"), "steps.jsonl: a link"),
        (link("episode.json", "/etc/hostname"), "episode.json: a link"),
        (link("frames", "/etc"), "a link or not a folder"),
        (link_a_frame, ".png: a link"),
        (remove_frame, ".png: missing"),
        (a_bomb, "100000x100000, expected at most"),
        (change_state(file="../../../../etc/passwd"), "state.after.files.book.ods.file"),
        (change_state(file="000-/../../x"), "state.after.files.book.ods.file"),
        (change_state(file="001-gone.ods"), "state/after/001-gone.ods: missing"),
        (change_state(size=3), "state/after/000-book.ods: 5,000 bytes, expected 3"),
        (link("state/after/000-book.ods", "/etc/hostname"), "state/after/000-book.ods: a link"),
    ],
)
def test_a_folder_that_is_not_as_it_should_be_is_refused(
    folder: Path, change: Callable[[Path], None], fault: str
) -> None:
    assert read_episode(folder).complete
    change(folder)
    with pytest.raises(EpisodeError) as caught:
        read_episode(folder)
    assert fault in str(caught.value)
    assert str(folder) in str(caught.value)


def test_content_that_was_exchanged_is_noticed(folder: Path) -> None:
    episode = read_episode(folder)
    first, second = list(dict.fromkeys(episode.digests))[:2]
    (folder / "frames" / f"{first}.png").write_bytes((folder / "frames" / f"{second}.png").read_bytes())
    with pytest.raises(EpisodeError, match="expected the one in its name"):
        episode.frame(first)
    (folder / "state" / "after" / "000-book.ods").write_bytes(b"fatso" * 1000)
    with pytest.raises(EpisodeError, match="content differs from what was recorded"):
        episode.state("after")
    half = (folder / "frames" / f"{second}.png").read_bytes()[:200]
    (folder / "frames" / f"{second}.png").write_bytes(half)
    with pytest.raises(EpisodeError, match="not a complete PNG"):
        episode.frame(second)
    with pytest.raises(EpisodeError):
        episode.verify()


@pytest.mark.parametrize("digest", ["../../etc/passwd", "", "0" * 25, "A" * 24, "0" * 23 + "\n"])
def test_a_digest_that_is_a_path_is_refused(folder: Path, digest: str) -> None:
    episode = read_episode(folder)
    for ask in (episode.frame, episode.frame_size, episode.frame_path):
        with pytest.raises(EpisodeError, match="hexadecimal"):
            ask(digest)


def test_a_log_outside_the_folder_is_not_read(folder: Path) -> None:
    (folder / "logs" / "hosts.txt").symlink_to("/etc/hosts")
    episode = read_episode(folder)
    assert episode.log_names() == ("app",)
    for name in ("hosts", "../../x", "/etc/hosts"):
        with pytest.raises(EpisodeError):
            episode.log(name)


def test_a_torn_last_line_of_an_incomplete_episode_is_dropped_and_said(folder: Path) -> None:
    change_summary(status="running", outcome=None, verdict=None, steps=0)(folder)
    data = (folder / "steps.jsonl").read_bytes()
    (folder / "steps.jsonl").write_bytes(data[:-20])
    found = read_episode(folder)
    assert not found.complete
    assert len(found.steps) == 3
    assert found.problems == ("steps[3]: the last line was incomplete and is dropped",)


def test_an_incomplete_episode_says_which_frames_are_lost(folder: Path) -> None:
    change_summary(status="running", outcome=None, verdict=None, steps=0)(folder)
    for path in (folder / "frames").iterdir():
        path.write_bytes(b"")
    found = read_episode(folder)
    assert len(found.steps) == 4
    assert len(found.problems) == 2 and all("not a PNG" in problem for problem in found.problems)


def _promise(folder: Path) -> str:
    """Checks that a folder keeps the promise, and says which half of it."""
    if not folder.exists():
        return "not begun"
    found = read_episode(folder)
    closed = folder.with_name(f"{folder.name}.closed").exists()
    assert found.complete or not closed, "the recorder said that it was closed"
    assert not [problem for problem in found.problems if "torn" not in problem], found.problems
    found.verify()
    assert [step.index for step in found.steps] == list(range(len(found.steps)))
    return _kind(found)


def _kind(found: EpisodeFolder) -> str:
    if not found.complete:
        assert found.episode.status == "running" and found.episode.outcome is None
        return "incomplete"
    assert found.episode.outcome is not None and found.episode.steps == len(found.steps)
    assert found.state("after") == found.state("before") == State({"book.ods": b"state" * 1000})
    return "complete"


def _python(
    source: str, *arguments: object, through: list[str | Path] | tuple[()] = ()
) -> subprocess.CompletedProcess[str]:
    argv = [*map(str, through), sys.executable, "-c", source, *map(str, arguments)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)
