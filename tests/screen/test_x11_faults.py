"""Servers that die, freeze, lie or talk nonsense; programs that attack the picture."""

from __future__ import annotations

import contextlib
import shutil
import signal
import socket
import struct
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import (
    Click,
    Drag,
    InvalidInput,
    Key,
    MissingPrerequisite,
    ScreenError,
    Type,
    Wait,
)
from fairground.sandbox import SandboxSpec, open_sandbox
from fairground.screen import Screen, open_desktop
from fairground.screen import xrequests as x
from fairground.screen.framebuffer import Framebuffer, _parse_header
from fairground.screen.xwire import MAX_REPLY, XConnection

pytestmark = pytest.mark.process

USES: dict[str, Callable[[Any], Any]] = {
    "grab": lambda screen: screen.grab(),
    "click": lambda screen: screen.act(Click(point=(10, 10))),
    "type": lambda screen: screen.act(Type(text="é")),
    "key": lambda screen: screen.act(Key(keys=("ctrl", "s"))),
    "drag": lambda screen: screen.act(Drag(path=((1, 1), (50, 50)))),
    "wait": lambda screen: screen.act(Wait(seconds=60)),
    "settle": lambda screen: screen.settle(),
    "wait_change": lambda screen: screen.wait_change(60),
    "cursor": lambda screen: screen.cursor(),
    "windows": lambda screen: screen.windows(),
    "release": lambda screen: screen.release(),
}


def kill_server(bench: Any) -> None:
    server = bench.desktop.processes["Xvfb"]
    server.kill(signal.SIGKILL)
    server.wait(10)


def test_every_use_of_a_screen_whose_server_was_killed_says_so(own_bench: Any) -> None:
    own_bench.screen.grab()
    kill_server(own_bench)
    for name, use in USES.items():
        with pytest.raises(ScreenError, match="X server"):
            use(own_bench.screen)
            pytest.fail(f"{name} went on")
    assert not own_bench.screen.alive


@pytest.mark.parametrize(
    "use", ["settle", "key", *(pytest.param(use, marks=pytest.mark.slow) for use in ("wait", "wait_change"))]
)
def test_a_server_killed_in_the_middle_of_a_use_is_noticed(own_bench: Any, use: str) -> None:
    own_bench.screen.settle()
    uses = {**USES, "key": lambda screen: screen.act(Key(keys=("a",), seconds=60))}
    if use == "settle":
        own_bench.keep_busy()
        uses["settle"] = lambda screen: screen.settle(60)
    killer = threading.Timer(0.3, kill_server, (own_bench,))
    killer.start()
    with pytest.raises(ScreenError, match="X server"):
        uses[use](own_bench.screen)
    killer.join()


def test_a_frozen_desktop_can_be_seen_and_goes_on_when_thawed(own_bench: Any) -> None:
    client = own_bench.client()
    client.fill((0, 0, 600, 400), 0xFF0000)
    own_bench.screen.settle()
    own_bench.sandbox.freeze()
    assert own_bench.screen.grab().pixels[400, 400].tolist() == [255, 0, 0]
    own_bench.screen._connection.timeout = 0.2
    for _ in range(3):
        with pytest.raises(ScreenError, match="not answer within"):
            own_bench.screen.cursor()
    own_bench.sandbox.thaw()
    own_bench.screen._connection.timeout = 10
    own_bench.screen.act(Click(point=(400, 300)))
    assert own_bench.screen.settle().quiet
    assert own_bench.screen.cursor() == (400, 300)
    client.connection.close()


def test_a_frozen_or_discarded_desktop_is_closed_without_waiting(own_bench: Any) -> None:
    own_bench.sandbox.freeze()
    own_bench.desktop.close()
    own_bench.sandbox.discard()
    own_bench.desktop.close()
    assert not own_bench.screen.alive


def test_a_program_cannot_cut_the_picture_short(own_bench: Any) -> None:
    before = own_bench.screen.grab()
    attack = """
    for file in /proc/[0-9]*/fd/*; do
        case "$(readlink "$file")" in
        *memfd:screen*)
            echo found
            (: > "$file") 2>&1
            truncate -s 0 "$file" 2>&1
            truncate -s 1000000000 "$file" 2>&1
            dd if=/dev/zero of="$file" bs=1 count=160 conv=notrunc 2>&1
            dd if=/dev/zero of="$file" bs=1M count=64 seek=1 conv=notrunc 2>&1
        esac
    done"""
    if own_bench.sandbox.isolated:
        said = own_bench.sandbox.run(["sh", "-c", attack], check=False).stdout
        assert said == b"", "programs do not find it at all"
    said = own_bench.sandbox.run(["sh", "-c", attack], check=False, backstage=True).stdout
    assert b"found" in said, "the attack did not find its target"
    frame = own_bench.screen.grab()
    assert frame.size == before.size
    own_bench.screen.settle(1)


def test_a_screen_is_closed_once_and_for_all_and_a_frame_outlives_it(own_bench: Any) -> None:
    assert isinstance(own_bench.screen, Screen)
    frame = own_bench.screen.grab()
    own_bench.screen.close()
    own_bench.screen.close()
    for use in (own_bench.screen.grab, own_bench.screen.cursor, own_bench.screen.settle):
        with pytest.raises(ScreenError, match="closed"):
            use()
    own_bench.desktop.close()
    own_bench.desktop.close()
    assert all(process.poll() is not None for process in own_bench.desktop.processes.values())
    assert frame.pixels.sum() > 0
    number = own_bench.desktop.display[1:]
    left = own_bench.sandbox.run(["sh", "-c", f"ls -d /tmp/.X{number}-lock /tmp/.X11-unix/X{number}"], check=False)
    assert left.stdout == b""


def test_frames_can_be_grabbed_while_another_thread_waits(each_bench: Any) -> None:
    each_bench.keep_busy()
    settled: list[Any] = []
    waiting = threading.Thread(target=lambda: settled.append(each_bench.screen.settle(0.5)))
    waiting.start()
    frames = 0
    while waiting.is_alive():
        frames += each_bench.screen.grab().size == (1280, 720)
    waiting.join()
    # Which of the two depends on how often the waiting thread got to look, beside one that grabs without a pause.
    reasons = ("programs are still working", "the picture has not been stable for long enough")
    assert not settled[0].quiet and settled[0].reason in reasons
    assert frames > 10


def test_two_desktops_in_one_sandbox_do_not_meet(each_bench: Any) -> None:
    size = (333, 221)  # odd, and of no known screen
    other = open_desktop(each_bench.sandbox, size, window_manager=False, accessibility=False)
    try:
        assert other.display != each_bench.desktop.display
        each_bench.client(title="here")
        assert other.screen.windows() == ()
        other.screen.act(Click(point=(332, 220)))
        assert other.screen.grab().size == size
        assert other.screen.settle().quiet
    finally:
        other.close()


@pytest.mark.parametrize(
    "program", ["Xvfb", *(pytest.param(program, marks=pytest.mark.slow) for program in ("openbox", "dbus-daemon"))]
)
def test_a_missing_program_is_named_with_the_line_that_installs_it(program: str) -> None:
    # Not pytest's folder, which only we may enter: programs in a sandbox are somebody else.
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    for name in {"sh", "mktemp", "ln", "mkdir", "mkfifo", "Xvfb", "xkbcomp", "openbox", "dbus-daemon"} - {program}:
        (folder / name).symlink_to(str(shutil.which(name)))
    sandbox = open_sandbox(SandboxSpec(env={"PATH": str(folder)}), runner="bare")
    try:
        package = {"Xvfb": "xvfb", "dbus-daemon": "dbus"}.get(program, program)
        with pytest.raises(MissingPrerequisite, match=f"needs {program}") as caught:
            open_desktop(sandbox)
        assert caught.value.fix == f"apt-get install {package}"
    finally:
        sandbox.discard()
        shutil.rmtree(folder)


@pytest.mark.parametrize("size", [(0, 720), (1280, -1), (63, 63), (100_000, 100)])
def test_an_impossible_size_is_refused(size: tuple[int, int]) -> None:
    with pytest.raises(InvalidInput, match="expected 64 to"):
        open_desktop(None, size)  # type: ignore[arg-type]


@pytest.mark.slow
def test_an_odd_size_with_another_resolution_works(each_bench: Any) -> None:
    other = open_desktop(each_bench.sandbox, (333, 221), dpi=120)
    try:
        other.screen.act(Click(point=(332, 220)))
        assert other.screen.settle().quiet
        assert other.screen.grab().size == (333, 221)
    finally:
        other.close()


# A server that is not one.


@pytest.fixture
def serve() -> Iterator[Callable[..., XConnection]]:
    """Connects to a server that greets, says `later` whatever it is asked, and leaves or stays."""
    opened: list[Any] = []

    def connect(greets: bytes, later: bytes = b"", *, stays: bool = True) -> XConnection:
        ours, theirs = socket.socketpair()
        opened.append(theirs)
        theirs.sendall(greets)
        if not stays:
            theirs.shutdown(socket.SHUT_WR)
        connection = XConnection(ours, timeout=0.3)
        opened.append(connection)
        theirs.sendall(later)
        return connection

    yield connect
    for each in opened:
        each.close()


def greeting() -> bytes:
    body = struct.pack("<IIIIHHBBBBBBBB4x", 1, 0x200000, 0x1FFFFF, 0, 0, 0xFFFF, 1, 0, 0, 0, 32, 32, 8, 255)
    body += struct.pack("<IIIIIHH", 77, 0, 0, 0, 0, 640, 480) + bytes(16)
    return struct.pack("<BBHHH", 1, 0, 11, 0, len(body) // 4) + body


def test_a_greeting_is_understood(serve: Any) -> None:
    connection = serve(greeting())
    assert (connection.root, connection.size, connection.keycodes) == (77, (640, 480), range(8, 256))


def test_a_refused_connection_says_why(serve: Any) -> None:
    reason = b"No protocol specified\n\0\0"
    with pytest.raises(ScreenError, match="No protocol specified"):
        serve(struct.pack("<BBHHH", 0, 22, 11, 0, len(reason) // 4) + reason)


@pytest.mark.parametrize("part", [b"", b"\1", greeting()[:20], greeting()[:-30]])
def test_a_greeting_that_stops_half_way_is_an_error(serve: Any, part: bytes) -> None:
    with pytest.raises(ScreenError, match="is gone"):
        serve(part, stays=False)


def test_a_server_that_says_nothing_is_not_waited_for_for_ever(serve: Any) -> None:
    with pytest.raises(ScreenError, match="did not answer within 0.3 s"):
        serve(b"")


def test_a_gigantic_reply_is_refused_before_it_is_read(serve: Any) -> None:
    connection = serve(greeting(), struct.pack("<BxHI24x", 1, 1, MAX_REPLY))
    with pytest.raises(ScreenError, match="the limit is"):
        connection.sync()


def test_a_reply_that_nobody_asked_for_is_an_error(serve: Any) -> None:
    connection = serve(greeting(), struct.pack("<BxHI24x", 1, 99, 0))
    with pytest.raises(ScreenError, match="without a request"):
        connection.sync()


def test_a_refused_request_is_named(serve: Any) -> None:
    connection = serve(greeting(), struct.pack("<BBHIHB21x", 0, 3, 1, 0, 0, 43))
    with pytest.raises(ScreenError, match="BadWindow for request 43.0"):
        connection.sync()


def test_a_server_that_does_not_read_is_not_waited_for_for_ever(serve: Any) -> None:
    connection = serve(greeting())
    with pytest.raises(ScreenError, match="did not read our input"):
        connection.send(*[x.fake_input(1, x.MOTION)] * 100_000)


def test_endless_events_do_not_fill_the_memory(serve: Any) -> None:
    connection = serve(greeting(), struct.pack("<BBH28x", 22, 0, 0) * 3000)
    while connection.wait_event(0.1):
        pass
    assert len(connection.events) == 1024


@given(st.binary(max_size=400))
def test_nonsense_from_the_server_is_an_error_and_nothing_worse(nonsense: bytes) -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        theirs.sendall(greeting() + nonsense)
        theirs.shutdown(socket.SHUT_WR)
        with pytest.raises(ScreenError), contextlib.closing(XConnection(ours)) as connection:
            connection.ask_each(x.query_pointer(1), x.get_keyboard_mapping(8, 248))
            connection.sync()


@given(st.binary(min_size=32, max_size=200))
def test_replies_of_any_content_can_be_read(body: bytes) -> None:
    readers: list[Callable[[bytes], object]] = [
        x.extension_opcode, x.value, x.property_bytes, x.property_words, x.pointer, x.children, x.geometry,
        x.is_viewable, x.position, x.keyboard_mapping, x.modifier_mapping,
    ]  # fmt: skip
    for reader in readers:
        reader(body)


HEADER = [160, 7, 2, 24, 640, 480, 0, 0, 32, 0, 32, 32, 2560, 4, 0xFF0000, 0xFF00, 0xFF, 8, 256, 256]
LENGTH = 160 + 256 * 12 + 2560 * 480


def test_a_proper_header_is_understood() -> None:
    assert _parse_header(struct.pack(">20I", *HEADER), LENGTH) == (3232, 640, 480, 2560)


@pytest.mark.parametrize(
    ("field", "value"),
    [(0, 8), (0, 1 << 31), (1, 6), (2, 1), (3, 16), (4, 0), (4, 99_999), (5, 0), (5, 481), (7, 1), (11, 16), (12, 4),
     (12, 2562), (14, 0xFF), (19, 1 << 30)],
)  # fmt: skip
def test_a_wrong_header_is_refused(field: int, value: int) -> None:
    header = list(HEADER)
    header[field] = value
    with pytest.raises(ScreenError, match="framebuffer"):
        _parse_header(struct.pack(">20I", *header), LENGTH)


@given(st.lists(st.integers(0, 2**32 - 1), min_size=20, max_size=20), st.integers(0, 1 << 24))
def test_any_header_is_understood_or_refused(header: list[int], length: int) -> None:
    try:
        offset, _, height, stride = _parse_header(struct.pack(">20I", *header), length)
    except ScreenError:
        return
    assert offset + stride * height <= length


def test_memory_that_nobody_laid_out_is_refused() -> None:
    framebuffer = Framebuffer()
    with pytest.raises(ScreenError, match="not mapped"):
        framebuffer.pixels()
    with pytest.raises(ScreenError, match="empty"):
        framebuffer.map()
    framebuffer.close()
    framebuffer.close()
