"""Seats that another process has open: found, asked, and gone when they are gone."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairground.core import InfrastructureError, InvalidInput, State, StateError
from fairground.worlds import LiveSeat, Seat, choose_seat, live_seats, open_seat, resolve, share_seat

from .conftest import SETUP, TOML

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("live") / "livepad"
    folder.mkdir()
    (folder / "world.toml").write_text(TOML.replace('name = "pad"', 'name = "livepad"'))
    (folder / "setup").write_text(SETUP)
    (folder / "setup").chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def seat(folder: Path) -> Iterator[Seat]:
    with open_seat(resolve(str(folder))) as seat:
        yield seat


@pytest.fixture
def shared(seat: Seat) -> Iterator[LiveSeat]:
    with share_seat(seat, threading.Lock()) as name:
        yield choose_seat("livepad", "livepad", name)


def say(path: Path, data: bytes) -> bytes:
    """What the seat answers to these bytes."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(10)
        handle = os.open(path.parent, os.O_RDONLY)
        client.connect(f"/proc/self/fd/{handle}/{path.name}")  # a socket's address is short, a test's folder is not
        os.close(handle)
        client.sendall(data)
        client.shutdown(socket.SHUT_WR)
        answer = b""
        while chunk := client.recv(65536):
            answer += chunk
    return answer


@pytest.mark.parametrize(
    "request_",
    [b"", b"\n", b"[]\n", b'{"ask": "everything"}\n', b'{"ask": "state", "of": 1}\n', b"\xff\n", b"[" * 4000],
)
def test_nonsense_gets_an_error_and_the_seat_goes_on(shared: LiveSeat, request_: bytes) -> None:
    assert "error" in json.loads(say(shared.path, request_))
    assert shared.capture().files["~/note.txt"] == b"start\n"


def test_a_flood_is_cut_short(shared: LiveSeat) -> None:
    with contextlib.suppress(ConnectionResetError, BrokenPipeError):  # it may hang up before the flood is over
        assert b"at most 4096 bytes" in say(shared.path, b"x" * 100_000)
    assert shared.capture().missing == {}


def test_only_its_user_can_reach_it(shared: LiveSeat) -> None:
    assert shared.path.stat().st_mode & 0o777 == 0o600
    assert shared.path.parent.stat().st_mode & 0o777 == 0o700


def test_a_capture_is_of_now_and_waits_its_turn(seat: Seat) -> None:
    lock = threading.Lock()
    with share_seat(seat, lock) as name:
        found = choose_seat("livepad", "livepad", name)
        seat.sandbox.write_file("~/note.txt", b"\x00\xffnow")
        taken: list[State] = []
        with lock:
            asking = threading.Thread(target=lambda: taken.append(found.capture()))
            asking.start()
            asking.join(0.2)
            assert not taken, "whoever touches the screen is not disturbed"
        asking.join(60)
        assert taken[0].files == {"~/note.txt": b"\x00\xffnow"}
        seat.sandbox.write_file("~/note.txt", b"start\n")


def test_what_breaks_while_the_state_is_recorded_is_said(shared: LiveSeat, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(error: Exception) -> None:
        def capture(self: Seat) -> State:
            raise error

        monkeypatch.setattr(Seat, "capture", capture)

    broken(StateError("the document is damaged", fix="open another"))
    with pytest.raises(StateError, match="damaged"):
        shared.capture()
    broken(KeyError("cells"))
    with pytest.raises(InfrastructureError, match="could not be recorded: KeyError"):
        shared.capture()


def test_two_seats_are_told_apart_and_a_stale_one_is_removed(shared: LiveSeat, seat: Seat) -> None:
    stale = shared.path.with_name("999999999.sock")
    with socket.socket(socket.AF_UNIX) as gone:
        handle = os.open(stale.parent, os.O_RDONLY)
        gone.bind(f"/proc/self/fd/{handle}/{stale.name}")
        os.close(handle)
    with share_seat(seat, threading.Lock()) as second:
        assert not stale.exists()
        assert {shared.name, second} <= {one.name for one in live_seats()} and shared.name != second
        with pytest.raises(InvalidInput, match=f"2 seats of livepad/livepad are open.*{second}") as error:
            choose_seat("livepad", "livepad")
        assert error.value.fix == f"choose one: --seat {second}"
    assert choose_seat("livepad", "livepad").name == shared.name


def test_none_open_says_how_to_open_one(folder: Path) -> None:
    with pytest.raises(InvalidInput, match="no seat of desk/nothing is open") as error:
        choose_seat("desk", "nothing")
    assert "fairground open desk/nothing" in str(error.value.fix) and "--episode" in str(error.value.fix)
    with pytest.raises(InvalidInput, match="seat 12 of desk is not open"):
        choose_seat("desk", "nothing", "12")


def test_the_seat_that_fairground_open_serves_is_reached_from_here(folder: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fairground", "open", str(folder), "--screenshot", str(tmp_path / "seat.png")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    try:
        said = ""
        for line in process.stdout:
            said += line
            if re.search(r"http://127", line):
                break
        found = choose_seat("livepad", "livepad", str(process.pid))
        assert found.capture().files == {"~/note.txt": b"start\n"}, said
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert not found.path.exists()
        with pytest.raises(InfrastructureError, match="cannot be reached"):
            found.capture()
    finally:
        process.kill()
        process.wait()
