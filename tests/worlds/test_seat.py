"""Seats over real programs: opening, recording, and every way in which an app can fail to open."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fairground.core import AppError, InfrastructureError, Key, MissingPrerequisite, ScreenError, StageError, Type
from fairground.sandbox import LayerStore, Pool, namespace_support
from fairground.worlds import Seat, World, open_seat, resolve

Writer = Callable[..., Path]
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="install layers are built by root")
namespaces = pytest.mark.skipif(not namespace_support().ok, reason="this machine forbids namespaces")
bare = pytest.param("bare", marks=pytest.mark.slow)
RUNNERS = ["namespace", bare] if namespace_support().ok else ["bare"]

pytestmark = pytest.mark.process


@pytest.mark.parametrize("runner", RUNNERS)
def test_a_seat_opens_real_software_and_records_what_is_done_in_it(
    write_world: Writer, store: LayerStore, runner: str
) -> None:
    world = resolve(str(write_world()))
    with open_seat(world, runner=runner, store=store) as seat:
        assert seat.before.files == {"~/note.txt": b"start\n"}
        assert seat.fingerprint.runner == runner
        assert seat.fingerprint.isolated is (runner == "namespace")
        assert seat.fingerprint.packages["mousepad"]
        seat.screen.act(Key(keys=("ctrl", "a")))
        seat.screen.act(Type(text="hello"))
        seat.screen.act(Key(keys=("ctrl", "s")))
        assert seat.screen.settle().quiet
        after = seat.finish()
    assert after.files["~/note.txt"].strip() == b"hello"


@namespaces
def test_nothing_in_the_seat_knows_the_answer(write_world: Writer, store: LayerStore) -> None:
    world = resolve(str(write_world({'equals = "{word}"': 'equals = "zq7x-{word}"'})))
    with open_seat(world, store=store) as seat:
        places = ["/home", "/tmp", "/run", "/etc", "/var", "/opt", "/srv", "/mnt", "/root"]
        found = seat.sandbox.run(["grep", "-rIl", "zq7x-", *places], check=False, timeout=60)
    assert found.stdout == b""


@namespaces
def test_stages_are_built_once_and_again_when_a_script_changes(write_world: Writer, store: LayerStore) -> None:
    folder = write_world()
    keys = []
    for text in ("one", "one", "two"):
        (folder / "setup").write_text(f"#!/bin/sh\necho {text} > ~/note.txt\n")
        with open_seat(resolve(str(folder)), store=store) as seat:
            keys.append(seat.fingerprint.stages["setup"])
            assert seat.before.files["~/note.txt"] == f"{text}\n".encode()
    assert keys[0] == keys[1] != keys[2]


@namespaces
def test_a_failing_stage_stops_with_its_output(write_world: Writer, store: LayerStore) -> None:
    world = resolve(str(write_world(setup="#!/bin/sh\necho looking for data; echo no data >&2; exit 3\n")))
    with pytest.raises(StageError) as caught:
        open_seat(world, store=store)
    assert "no data" in str(caught.value) and "status 3" in str(caught.value)
    assert not [path for path in store.folder.iterdir() if path.suffix == ".partial"]


@as_root
@namespaces
def test_install_changes_a_layer_and_not_the_machine(write_world: Writer, store: LayerStore) -> None:
    marker = "/usr/local/share/fairground-test-marker"
    script = f"#!/bin/sh\nset -e\nid -u > {marker}\necho gone > /etc/fairground-test\nrm -f /usr/bin/mousepad.bak\n"
    world = resolve(str(write_world(install=script)))
    with open_seat(world, store=store) as seat:
        assert seat.sandbox.read_file(marker) == b"0\n"
        assert seat.sandbox.read_file("/etc/fairground-test") == b"gone\n"
    assert not Path(marker).exists() and not Path("/etc/fairground-test").exists()


@as_root
@namespaces
@pytest.mark.slow
def test_a_failing_install_stops_with_its_output(write_world: Writer, store: LayerStore) -> None:
    world = resolve(str(write_world(install="#!/bin/sh\necho disk on fire\nexit 9\n")))
    with pytest.raises(StageError, match="disk on fire"):
        open_seat(world, store=store)


def test_a_missing_package_is_named_in_one_line_to_run(write_world: Writer, store: LayerStore) -> None:
    world = resolve(str(write_world({'["mousepad"]': '["mousepad", "no-such-package-a", "no-such-package-b"]'})))
    with pytest.raises(MissingPrerequisite) as caught:
        open_seat(world, store=store)
    assert "apt-get install" in str(caught.value.fix)
    assert "no-such-package-a no-such-package-b" in str(caught.value.fix)


def launching(command: str, ready_seconds: float = 20) -> dict[str, str]:
    return {
        '["mousepad", "~/note.txt"]': f'["sh", "-c", "{command}"]',
        "ready_seconds = 30": f"ready_seconds = {ready_seconds}",
    }


@pytest.mark.parametrize(
    ("command", "message", "ready_seconds"),
    [
        ("echo cannot open display >&2; exit 5", "status 5.*cannot open display", 20),
        pytest.param("kill -SEGV $$", "status -11", 20, marks=pytest.mark.slow),
        ("exec sleep 1000", "showed no window.*windows: none", 0.5),
    ],
)
def test_an_app_that_exits_or_hangs_is_an_error_with_its_output(
    write_world: Writer, store: LayerStore, command: str, message: str, ready_seconds: float
) -> None:
    world = resolve(str(write_world(launching(command, ready_seconds))))
    with pytest.raises(AppError, match="(?s)" + message):
        open_seat(world, store=store)


@pytest.mark.slow  # waits as long as a busy machine may need until the window is there
def test_an_app_that_shows_another_window_is_an_error_that_names_it(write_world: Writer, store: LayerStore) -> None:
    with pytest.raises(AppError, match="windows: 'other'"):
        open_seat(resolve(str(write_world(launching("exec xterm -T other")))), store=store)


def test_a_program_that_is_not_there_is_a_missing_prerequisite(write_world: Writer, store: LayerStore) -> None:
    world = resolve(str(write_world({'["mousepad", "~/note.txt"]': '["no-such-program"]'})))
    with pytest.raises(MissingPrerequisite, match="no-such-program"):
        open_seat(world, store=store)


@pytest.mark.slow
def test_a_screen_that_is_killed_is_noticed_at_the_next_touch(
    write_world: Writer, store: LayerStore, kill_screen: Callable[[Seat], None]
) -> None:
    with open_seat(resolve(str(write_world())), store=store) as seat:
        assert seat.alive
        kill_screen(seat)
        with pytest.raises(ScreenError):
            while True:  # the kernel tells us in its own time
                seat.screen.act(Type(text="x"))
                seat.screen.grab()
        assert not seat.alive


@namespaces
def test_a_warm_seat_is_handed_over_alive_and_a_dead_one_is_replaced(write_world: Writer, store: LayerStore) -> None:
    world = resolve(str(write_world()))

    def build(world: World) -> Seat:
        return open_seat(world, runner="namespace", store=store)

    with Pool(build, size=1) as pool:
        pool.wait_ready(world)
        seat = pool.take(world)
        seat.screen.act(Key(keys=("ctrl", "a")))
        assert seat.screen.settle().quiet
        seat.close()
        pool.wait_ready(world)
        waiting = pool._ready[world][0]
        os.kill(waiting.sandbox.keeper_pid, signal.SIGKILL)
        deadline = time.monotonic() + 60
        while waiting.alive and time.monotonic() < deadline:  # the kernel tells us in its own time
            time.sleep(0.001)
        fresh = pool.take(world)
        assert fresh is not waiting and fresh.alive
        assert fresh.capture().files["~/note.txt"] == b"start\n"
        fresh.close()


@pytest.mark.slow
def test_a_builder_that_cannot_build_is_told_to_whoever_takes(write_world: Writer, store: LayerStore) -> None:
    world = resolve(str(write_world(launching("exit 4"))))
    with Pool(lambda world: open_seat(world, store=store), size=1) as pool, pytest.raises(InfrastructureError):
        pool.take(world)
