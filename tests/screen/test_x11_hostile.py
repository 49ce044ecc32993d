"""Programs on a desktop that try to end, stop or block what the desktop consists of."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from fairground.core import Click, Key, ScreenError, Type
from fairground.sandbox import namespace_support
from fairground.screen import xrequests as x

from .conftest import until

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(not namespace_support().ok, reason="only an isolated desktop is out of reach"),
    pytest.mark.parametrize("own_bench", ["namespace"], indirect=True),
]

_GRAB_SERVER, _KILL_CLIENT = 36, 113
HELPERS = ("Xvfb", "openbox", "dbus-daemon", "at-spi-bus-launcher")

KILL_EVERYTHING = """
import os, signal
for number in (signal.SIGSTOP, signal.SIGKILL):
    for pid in range(2, 400):
        if pid not in (os.getpid(), os.getppid()):
            try:
                os.kill(pid, number)
            except OSError:
                pass
for name in ("Xvfb", "openbox", "dbus-daemon", "at-spi-bus-launcher"):
    os.system(f"pkill -9 {name}; killall -9 {name}; pkill -STOP {name}")
"""
REMOVE_SOCKETS = """
import os, shutil
for place in ("/tmp/.X11-unix", "/run/backstage"):
    shutil.rmtree(place, ignore_errors=True)
    try:
        os.rename(place, place + ".gone")
    except OSError:
        pass
"""


def works(own_bench: Any) -> bool:
    """Whether the desktop still takes input and new programs."""
    own_bench.screen.act(Click(point=(400, 300)))
    own_bench.screen.act(Key(keys=("a",)))
    own_bench.screen.grab()
    return all(own_bench.desktop.processes[name].poll() is None for name in HELPERS)


@pytest.mark.parametrize("attack", [KILL_EVERYTHING, REMOVE_SOCKETS], ids=["kill", "remove sockets"])
def test_a_terminal_cannot_end_or_stop_the_desktop(own_bench: Any, attack: str) -> None:
    own_bench.sandbox.run(["python3", "-c", attack], env=own_bench.desktop.env, check=False)
    assert works(own_bench)
    own_bench.open("mousepad", title="Mousepad")
    own_bench.screen.act(Type(text="still here"))
    assert any(node.role for node in own_bench.screen.tree().walk())


def test_a_program_that_never_lets_go_of_the_server_does_not_hold_us(own_bench: Any) -> None:
    client = own_bench.client(title="greedy")
    client.connection.send(struct.pack("<BxH", _GRAB_SERVER, 1))
    client.connection.sync()
    assert works(own_bench)
    own_bench.screen.act(Type(text="typed while somebody holds the server"))
    assert own_bench.screen.windows() is not None
    assert own_bench.screen.cursor() == (400, 300)


def test_a_window_manager_whose_connection_is_cut_comes_back(own_bench: Any) -> None:
    client = own_bench.client(title="hostile")
    for _ in range(3):
        until(own_bench.screen.has_window_manager, "a window manager")
        check = client.connection.atoms("_NET_SUPPORTING_WM_CHECK")["_NET_SUPPORTING_WM_CHECK"]
        manager = x.property_words(client.connection.ask(x.get_property(client.connection.root, check))[0])[0]
        client.connection.send(struct.pack("<BxHI", _KILL_CLIENT, 2, manager))
        client.connection.sync()
    until(own_bench.screen.has_window_manager, "a window manager")
    own_bench.open("mousepad", title="Mousepad")


def test_a_screen_whose_connection_is_cut_says_so_while_the_server_lives(own_bench: Any) -> None:
    client = own_bench.client(title="hostile")
    ours = own_bench.screen._connection._id_base | 1
    client.connection.send(struct.pack("<BxHI", _KILL_CLIENT, 2, ours))
    client.connection.sync()
    with pytest.raises(ScreenError, match="closed the connection|broke"):
        for _ in range(100):
            own_bench.screen.act(Key(keys=("a",)))
    assert own_bench.sandbox.alive and own_bench.desktop.processes["Xvfb"].poll() is None


def test_no_socket_of_the_desktop_can_be_replaced(own_bench: Any) -> None:
    """A program that replaces the socket of a bus would answer in place of the desktop."""
    script = """
address="$(gdbus call --session -d org.a11y.Bus -o /org/a11y/bus -m org.a11y.Bus.GetAddress)"
for place in "$address" "$DBUS_SESSION_BUS_ADDRESS"; do
  socket="$(expr "$place" : ".*unix:path=\\([^,']*\\)")" && [ -S "$socket" ] || { echo "no socket in $place"; exit 3; }
  mv "$socket" "$socket.old" && echo "replaced $socket"
done
exit 0
"""
    done = own_bench.sandbox.run(["sh", "-c", script], env=own_bench.desktop.env, check=False)
    assert (done.code, done.stdout) == (0, b""), done
