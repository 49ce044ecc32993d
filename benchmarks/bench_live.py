"""The live view of a 1280x720 seat: frames per second, CPU cost for the server, and input latency.

The desktop shows a full-screen terminal that scrolls constantly. This process grabs, encodes and sends frames. Drawing
and watching happen in other processes, so the CPU time of this process is the cost of the live view.

python benchmarks/bench_live.py [--json]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from figures import Figure, show
from websockets.sync.client import connect
from websockets.typing import Origin

from fairground.arena import Store, new_person
from fairground.core import Type
from fairground.sandbox import open_sandbox
from fairground.screen import Desktop, Screen, encode_jpeg, open_desktop
from fairground.web import Site, serving
from fairground.web.house import Drive

SIZE = (1280, 720)
SECONDS, ROUNDS, LETTERS = 10.0, 100, 40
QUIET = 0.4  # seconds without a frame after which the screen counts as quiet
MOVING = (
    "ls -l /usr/bin /usr/lib > list; n=1; while :; do tail -n +$n list | head -n 60; n=$((n+7)); "
    "[ $n -gt 900 ] && n=1; sleep 0.02; done"
)
# Watches from a separate process, as a browser does: receives a frame, then requests the next.
WATCH = """
import sys, time
from websockets.sync.client import connect
address, origin, cookie, seconds = sys.argv[1:]
with connect(address, origin=origin, additional_headers={"Cookie": cookie}, max_size=None, proxy=None) as connection:
    count = size = 0
    end = None
    while end is None or time.monotonic() < end:
        message = connection.recv(20)
        if isinstance(message, bytes):
            connection.send('{"type": "drawn"}')
            if end is None:
                print("ready", flush=True)
                end = time.monotonic() + float(seconds)
            else:
                count, size = count + 1, size + len(message)
    print(count, size, flush=True)
"""


def main(argv: list[str] | None = None) -> int:
    """Measure and print the figures. Returns 0 if every bar was met, else 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args(argv)
    with _desktop(MOVING) as desktop:
        figures = _raw(desktop.screen) + _stream(desktop)
    with _desktop("exec cat") as desktop:
        figures += _input(desktop)
    return show(figures, as_json=wanted.json)


def _raw(screen: Screen) -> list[Figure]:
    """Measure the minimum cost of a frame: grab and encode only."""
    spent = []
    for _ in range(ROUNDS):
        started = time.thread_time()
        encode_jpeg(screen.grab(), 80)
        spent.append(time.thread_time() - started)
    each = statistics.median(spent)
    return [Figure("raw grab and JPEG", each * 1e3, "ms", note=f"{each * 15:.1%} of a core at 15 frames per second")]


def _stream(desktop: Desktop) -> list[Figure]:
    with _shown(desktop, "nobody") as stream:
        line = [sys.executable, "-c", WATCH, stream.address, stream.origin, stream.cookie, str(SECONDS)]
        with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as viewer:
            assert viewer.stdout is not None and viewer.stdout.readline() == "ready\n"
            began, used = time.monotonic(), time.process_time()
            count, size = map(int, viewer.stdout.readline().split())
            wall, used = time.monotonic() - began, time.process_time() - used
    rate, share = count / wall, used / wall
    note = f"{size / max(count, 1) / 1e3:.0f} kB per frame"
    return [
        Figure("frames of a moving desktop", rate, "per second", "at least 15", least=15, note=note),
        Figure("server CPU for these frames", share * 100, "% of a core", "under 25%", most=25),
    ]


def _input(desktop: Desktop) -> list[Figure]:
    """Measure the time from sending a key to the frame that shows it, over loopback."""
    spent, raw = [], []
    with _shown(desktop, "owner") as stream:
        headers = {"Cookie": stream.cookie}
        with connect(
            stream.address, origin=Origin(stream.origin), additional_headers=headers, max_size=None, proxy=None
        ) as viewer:
            for number in range(LETTERS):
                _wait_quiet(viewer.recv, viewer.send)
                began = time.perf_counter()
                viewer.send(json.dumps({"type": "act", "id": number, "action": {"kind": "type", "text": "x"}}))
                while not isinstance(viewer.recv(10), bytes):
                    pass
                spent.append(time.perf_counter() - began)
                viewer.send('{"type": "drawn"}')
    for _ in range(LETTERS):
        desktop.screen.settle()
        began = time.perf_counter()
        desktop.screen.act(Type(text="x"))
        desktop.screen.wait_change(5)
        raw.append(time.perf_counter() - began)
    seen = statistics.median(spent)
    return [
        Figure("raw key to changed pixel", statistics.median(raw) * 1e3, "ms"),
        Figure(
            "key to frame, live", seen * 1e3, "ms", "under 100 ms", most=100, note=f"worst {max(spent) * 1e3:.0f} ms"
        ),
    ]


def _wait_quiet(receive: Callable[[float], Any], send: Callable[[str], None]) -> None:
    with contextlib.suppress(TimeoutError):
        while True:
            if isinstance(receive(QUIET), bytes):
                send('{"type": "drawn"}')


@dataclass(frozen=True)
class _About:
    id: str = "a moving desktop"
    instruction: str = ""


@dataclass(frozen=True)
class _Seat:
    screen: Screen
    world: _About = _About()

    def check(self) -> None:
        """Do nothing: this seat cannot break."""


@dataclass(frozen=True)
class _Stream:
    address: str
    origin: str
    cookie: str


@contextlib.contextmanager
def _shown(desktop: Desktop, drive: Drive) -> Iterator[_Stream]:
    """Serve the desktop on a site and return its address and credentials."""
    with tempfile.TemporaryDirectory() as home, Store(Path(home) / "arena.sqlite") as store:
        site = Site(store, Path(home))
        person = new_person(store, "judge")
        with serving(site) as url:
            lock = threading.Lock()
            hosted = site.house.add(_Seat(desktop.screen), owner=person.id, drive=drive, title="moving", lock=lock)
            address = url.replace("http", "ws", 1) + f"seats/{hosted.id}/stream"
            try:
                yield _Stream(address, url.rstrip("/"), f"fairground={site.signer.cookie(person.id)}")
            finally:
                site.house.remove(hosted.id)


@contextlib.contextmanager
def _desktop(script: str) -> Iterator[Desktop]:
    """Open a desktop with a full-screen terminal that runs a script."""
    sandbox = open_sandbox()
    try:
        desktop = open_desktop(sandbox, SIZE)
        try:
            sandbox.start(["xterm", "-geometry", "210x55+0+0", "-e", "sh", "-c", script], env=desktop.env)
            while not desktop.screen.windows():
                desktop.screen.wait_change(0.25)
            desktop.screen.settle(2)
            yield desktop
        finally:
            desktop.close()
    finally:
        sandbox.discard()


if __name__ == "__main__":
    sys.exit(main())
