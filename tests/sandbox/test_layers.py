"""Checkpoints: addressed by content, whole or absent, never stale."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from fairground.core import SandboxError, StageError
from fairground.sandbox import LayerStore, SandboxSpec, hash_path, namespace_support, open_sandbox

pytestmark = pytest.mark.process

namespaces = pytest.mark.skipif(not namespace_support().ok, reason="this machine forbids namespaces")


def write(text: str):
    def build(tree: Path) -> str:
        (tree / "home").mkdir(exist_ok=True)
        (tree / "home" / "note.txt").write_text(text)
        return f"wrote {text}"

    return build


def test_the_same_inputs_are_built_once(tmp_path: Path) -> None:
    store = LayerStore(tmp_path)
    first = store.build({"script": "a"}, write("one"))
    again = store.build({"script": "a"}, write("two"))
    assert first.fresh and not again.fresh
    assert first.path == again.path
    assert (again.path / "home/note.txt").read_text() == "one"
    assert again.log == "wrote one"


def test_a_changed_input_is_never_served_the_old_layer(tmp_path: Path) -> None:
    store = LayerStore(tmp_path)
    old = store.build({"script": "a"}, write("one"))
    new = store.build({"script": "b"}, write("two"))
    assert new.fresh and new.path != old.path


def test_a_build_that_fails_leaves_nothing_that_could_be_found(tmp_path: Path) -> None:
    store = LayerStore(tmp_path)

    def broken(tree: Path) -> str:
        (tree / "half").write_text("done")
        raise StageError("the script failed")

    with pytest.raises(StageError):
        store.build({"script": "a"}, broken)
    assert store.find(store.build({"script": "a"}, write("one")).key) is not None
    assert not list(store.folder.glob("*.partial"))


def test_two_builders_of_one_layer_build_it_once(tmp_path: Path) -> None:
    built: list[int] = []
    gate = threading.Barrier(4)

    def build(tree: Path) -> str:
        built.append(1)
        return ""

    def work() -> None:
        gate.wait()
        LayerStore(tmp_path).build({"script": "a"}, build)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert built == [1]


BUILDER = """
import os, sys
from pathlib import Path
from fairground.sandbox import LayerStore

def build(tree):
    (tree / "half").touch()
    with open("builders", "a") as file:
        print(os.getpid(), file=file)
    sys.stdin.readline()
    (tree / "half").rename(tree / "whole")
    return "done"

store = LayerStore(Path("cache"))
print("begins", flush=True)
layer = store.build({"script": "a"}, build)
assert [path.name for path in layer.path.iterdir()] == ["whole"] and layer.log == "done"
print(f"fresh {layer.fresh}", flush=True)
"""


def test_a_process_waits_for_the_layer_that_another_is_building(tmp_path: Path, until: Callable[..., None]) -> None:
    def start() -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        return subprocess.Popen([sys.executable, "-c", BUILDER], cwd=tmp_path, stdin=pipe, stdout=pipe, text=True)

    with start() as one, start() as other:
        assert one.stdout and other.stdout
        assert one.stdout.readline() == other.stdout.readline() == "begins\n"
        builders = tmp_path / "builders"
        until(lambda: builders.exists() and builders.read_text().endswith("\n"), "nobody builds")
        first, second = (one, other) if str(one.pid) in builders.read_text().split() else (other, one)
        waits = Path(f"/proc/{second.pid}/stat")
        until(lambda: waits.read_text().rpartition(") ")[2].startswith("S"), "it neither waits nor builds")
        assert first.communicate("go on\n", timeout=30)[0] == "fresh True\n"
        assert second.communicate(timeout=30)[0] == "fresh False\n"
    assert builders.read_text() == f"{first.pid}\n"


def test_what_a_killed_build_left_is_not_served_and_can_be_pruned(tmp_path: Path) -> None:
    store = LayerStore(tmp_path)
    key = store.build({"script": "a"}, write("one")).key
    (store.folder / f"{key}.dead.partial" / "tree").mkdir(parents=True)
    (store.folder / "feed").mkdir()  # a folder under a key, without the record that is written last
    assert store.find("feed") is None
    assert store.prune(keep=10) == 1
    assert store.find(key) is not None


def test_pruning_keeps_what_was_used_last(tmp_path: Path) -> None:
    store = LayerStore(tmp_path)
    layers = [store.build({"script": name}, write(name)) for name in "abc"]
    for age, layer in zip((30, 10, 20), layers, strict=True):
        os.utime(layer.path.parent, (1e9 - age, 1e9 - age))
    store.prune(keep=1)
    assert [store.find(layer.key) is not None for layer in layers] == [False, True, False]


def test_a_folder_below_a_stacked_tree_is_refused_with_the_reason() -> None:
    with pytest.raises(SandboxError, match="stacked over /var"):
        LayerStore(Path("/var/tmp/fairground-test"))


@pytest.mark.parametrize("change", ["content", "name", "mode", "link"])
def test_every_change_of_a_folder_changes_its_address(tmp_path: Path, change: str) -> None:
    folder = tmp_path / "world"
    (folder / "files").mkdir(parents=True)
    script = folder / "setup"
    script.write_text("echo one")
    (folder / "link").symlink_to("setup")
    before = hash_path(folder)
    assert before == hash_path(folder)
    match change:
        case "content":
            script.write_text("echo two")
        case "name":
            script.rename(folder / "setup2")
        case "mode":
            script.chmod(0o755)
        case "link":
            (folder / "link").unlink()
            (folder / "link").symlink_to("files")
    assert hash_path(folder) != before


@namespaces
def test_layers_stack_and_what_a_sandbox_writes_stays_in_its_own_layer(tmp_path: Path) -> None:
    store = LayerStore(tmp_path)

    def by_sandbox(below: tuple[Path, ...], script: str):
        def build(tree: Path) -> str:
            sandbox = open_sandbox(SandboxSpec(layers=below, writable=tree), runner="namespace")
            try:
                sandbox.run(["sh", "-c", script])
            finally:
                sandbox.discard()
            return ""

        return build

    first = store.build(1, by_sandbox((), "echo a > ~/a; echo kept > ~/b"))
    second = store.build(2, by_sandbox((first.path,), "rm ~/a; echo c > ~/c; echo more >> ~/b"))
    sandbox = open_sandbox(SandboxSpec(layers=(first.path, second.path)), runner="namespace")
    try:
        assert sorted(entry.path for entry in sandbox.list_files()) == ["b", "c"]
        assert sandbox.read_file("~/b") == b"kept\nmore\n"
        sandbox.run(["sh", "-c", "echo spoiled > ~/b"])
    finally:
        sandbox.discard()
    fresh = open_sandbox(SandboxSpec(layers=(first.path,)), runner="namespace")
    try:
        assert sorted(entry.path for entry in fresh.list_files()) == ["a", "b"]
        assert fresh.read_file("~/b") == b"kept\n"
    finally:
        fresh.discard()
