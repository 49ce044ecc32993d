"""Seats that another process of this user has open: list them, and ask for their state.

A process shares a seat with a Unix socket in a private folder of this user, named after the process ID. The socket
speaks a small JSON protocol: one request per connection, a line of at most 4 KB. `{"ask": "world"}` returns what is
open there. `{"ask": "state"}` returns the current state, with files in base64. The answer ends with the connection.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import json
import os
import socket
import stat
import struct
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from fairground.core import (
    FairgroundError,
    InfrastructureError,
    InvalidInput,
    Record,
    State,
    StateError,
    parse_json,
)
from fairground.sandbox import cache_folder
from fairground.worlds.seat import Seat

_MAX_REQUEST: Final = 4096
_MAX_ANSWER: Final = 1 << 30
_MAX_WORLD: Final = 1 << 20
_REQUEST_SECONDS: Final = 5.0  # timeout for the request to arrive
_WORLD_SECONDS: Final = 5.0
_STATE_SECONDS: Final = 120.0  # a capture waits for the lock, and may have to ask the app
_PEER: Final = struct.Struct("3i")


class _Request(Record):
    ask: Literal["world", "state"]


class _Shared(Record):
    """What is open there."""

    suite: str
    app: str
    world: str


class _Captured(Record):
    """A state in transit."""

    files: dict[str, str] = {}
    data: dict[str, Any] = {}
    missing: dict[str, str] = {}


class _Refused(Record):
    error: str
    fix: str | None = None
    kind: Literal["state", "other"] = "other"


@dataclass(frozen=True)
class LiveSeat:
    """A seat that a process of this user has open.

    Attributes:
        name: The process ID, by which it is selected.
        suite: Name of the suite.
        app: Name of the app.
        world: Id of its configuration.
        path: Path of the socket.
    """

    name: str
    suite: str
    app: str
    world: str
    path: Path

    def capture(self) -> State:
        """Record the current state. The seat continues undisturbed.

        Raises:
            StateError: The app cannot provide it.
            InfrastructureError: The seat is gone, or does not answer.
        """
        answer = _ask(self.path, "state", limit=_MAX_ANSWER, seconds=_STATE_SECONDS)
        return _unpacked(_Captured.parse(answer, where=f"seat {self.name}"))


@contextlib.contextmanager
def share_seat(seat: Seat, lock: threading.Lock) -> Iterator[str]:
    """Allow other processes of this user to ask for a seat's state while the block runs.

    Args:
        seat: The seat. The caller closes it, after the block.
        lock: Held while the state is recorded. Other users of the seat's screen must hold it too.

    Yields:
        The name of the shared seat.

    Raises:
        InfrastructureError: The socket cannot be created.
    """
    folder = _own_folder()
    _remove_stale(folder)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with contextlib.ExitStack() as stack:
        stack.callback(listener.close)
        name, path = _bind(listener, folder)
        stack.callback(path.unlink, missing_ok=True)
        thread = threading.Thread(
            target=_serve, args=(listener, seat, lock), name="fairground-shared-seat", daemon=True
        )
        thread.start()
        stack.callback(thread.join, _STATE_SECONDS)
        stack.callback(_wake, listener)
        yield name


def live_seats() -> list[LiveSeat]:
    """List the seats that processes of this user have open, oldest first. Removes the sockets of dead processes."""
    try:
        folder = _own_folder()
    except InfrastructureError:
        return []  # without a folder for sockets there are no seats
    seats = []
    for path in _remove_stale(folder):
        try:
            shared = _Shared.parse(_ask(path, "world", limit=_MAX_WORLD, seconds=_WORLD_SECONDS), where=str(path))
        except FairgroundError:
            continue  # it is just closing, or is not a seat
        seats.append(LiveSeat(path.stem, shared.suite, shared.app, shared.world, path))
    return seats


def choose_seat(suite: str, app: str, name: str = "") -> LiveSeat:
    """Return the open seat that the user means.

    Args:
        suite: Name of the suite.
        app: Name of the app.
        name: Name of the seat, if several are open. It may then be any seat of the suite, for tasks that span apps.

    Raises:
        InvalidInput: There is none, or more than one.
    """
    there = live_seats()
    if name:
        for seat in there:
            if seat.name == name and seat.suite == suite:
                return seat
        raise InvalidInput(f"seat {name} of {suite} is not open; {_listed(there)}", fix=_how(suite, app))
    fitting = [seat for seat in there if (seat.suite, seat.app) == (suite, app)]
    if not fitting:
        raise InvalidInput(f"no seat of {suite}/{app} is open; {_listed(there)}", fix=_how(suite, app))
    if len(fitting) > 1:
        fix = f"choose one: --seat {fitting[-1].name}"
        raise InvalidInput(f"{len(fitting)} seats of {suite}/{app} are open; {_listed(fitting)}", fix=fix)
    return fitting[0]


def _how(suite: str, app: str) -> str:
    return f"run fairground open {suite}/{app} in another terminal, or use a recording: --episode or --state"


def _listed(seats: list[LiveSeat]) -> str:
    return "open seats: " + ", ".join(f"{seat.name} ({seat.world})" for seat in seats) if seats else "no seat is open"


# --- server ----------------------------------------------------------------------------------------------------------


def _serve(listener: socket.socket, seat: Seat, lock: threading.Lock) -> None:
    while True:
        try:
            client, _ = listener.accept()
        except OSError:
            return  # it was closed
        with client, contextlib.suppress(OSError):  # a client that disconnects needs no answer
            client.settimeout(_REQUEST_SECONDS)
            answer = _answer(client, seat, lock)
            client.settimeout(_STATE_SECONDS)
            client.sendall(json.dumps(answer).encode())


def _answer(client: socket.socket, seat: Seat, lock: threading.Lock) -> dict[str, Any]:
    try:
        _, user, _ = _PEER.unpack(client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
        if user not in (os.geteuid(), 0):
            raise InvalidInput("this seat belongs to another user")
        request = _Request.parse(parse_json(_line(client), where="request"), where="request")
        if request.ask == "world":
            world = seat.world
            return _Shared(suite=world.suite.name, app=world.app.name, world=world.id).plain()
        with lock:
            seat.check()
            state = seat.capture()
        return _packed(state).plain()
    except FairgroundError as error:
        kind: Literal["state", "other"] = "state" if isinstance(error, StateError) else "other"
        return _Refused(error=error.message, fix=error.fix, kind=kind).plain()
    except OSError:
        raise
    except Exception as error:  # the app's own code failed: report it to the client, and keep the seat open
        return _Refused(error=f"the state could not be recorded: {type(error).__name__}: {error}").plain()


def _line(client: socket.socket) -> bytes:
    data = b""
    deadline = time.monotonic() + _REQUEST_SECONDS
    while b"\n" not in data:
        client.settimeout(max(0.01, deadline - time.monotonic()))
        more = client.recv(_MAX_REQUEST)
        data += more
        if len(data) > _MAX_REQUEST:
            raise InvalidInput(f"a request has at most {_MAX_REQUEST} bytes")
        if not more:
            break
    return data.partition(b"\n")[0]


def _packed(state: State) -> _Captured:
    files = {path: base64.b64encode(content).decode() for path, content in state.files.items()}
    return _Captured(files=files, data=dict(state.data), missing=dict(state.missing))


def _unpacked(captured: _Captured) -> State:
    try:
        files = {path: base64.b64decode(content, validate=True) for path, content in captured.files.items()}
    except binascii.Error as error:
        raise StateError(f"the seat sent a file that is not base64: {error}") from None
    return State(files, captured.data, captured.missing)


def _bind(listener: socket.socket, folder: Path) -> tuple[str, Path]:
    """Listen under the process ID. The name appears only once the socket accepts connections."""
    number = 1
    while (path := folder / f"{os.getpid()}{f'-{number}' if number > 1 else ''}.sock").exists():
        number += 1
    draft = folder / f".{path.stem}"
    try:
        draft.unlink(missing_ok=True)
        with _short(draft) as place:
            listener.bind(place)
        os.chmod(draft, 0o600)
        listener.listen(8)
        os.rename(draft, path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise InfrastructureError(f"cannot listen in {folder}: {error.strerror or error}") from None
    return path.stem, path


def _wake(listener: socket.socket) -> None:
    with contextlib.suppress(OSError):
        listener.shutdown(socket.SHUT_RDWR)  # ends a waiting accept, which closing does not


# --- client ----------------------------------------------------------------------------------------------------------


def _ask(path: Path, what: str, *, limit: int, seconds: float) -> Mapping[str, Any]:
    deadline = time.monotonic() + seconds
    chunks, size = [], 0
    try:
        with _connected(path, seconds) as client:
            client.sendall(json.dumps({"ask": what}).encode() + b"\n")
            while size <= limit:
                client.settimeout(max(0.01, deadline - time.monotonic()))
                chunk = client.recv(1 << 20)
                if not chunk:
                    break
                chunks.append(chunk)
                size += len(chunk)
    except TimeoutError:
        raise InfrastructureError(
            f"seat {path.stem} did not answer within {seconds:g} s",
            fix="check whether its app is busy or its process is stopped",
        ) from None
    except OSError as error:
        raise InfrastructureError(f"seat {path.stem} cannot be reached: {error.strerror or error}") from None
    if size > limit:
        raise StateError(f"seat {path.stem} answered with more than {limit:,} bytes")
    answer = parse_json(b"".join(chunks), where=f"seat {path.stem}")
    if not isinstance(answer, dict):
        raise InfrastructureError(f"seat {path.stem} did not answer with a JSON object")
    if "error" in answer:
        refused = _Refused.parse(answer, where=f"seat {path.stem}")
        error_type = StateError if refused.kind == "state" else InfrastructureError
        raise error_type(refused.error, fix=refused.fix)
    return answer


@contextlib.contextmanager
def _connected(path: Path, seconds: float) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(seconds)
        with _short(path) as place:
            client.connect(place)
        yield client


def _remove_stale(folder: Path) -> list[Path]:
    """The sockets that accept connections, oldest first. The others are removed."""
    sockets = []
    for path in folder.glob("*.sock"):
        try:
            with _connected(path, _WORLD_SECONDS):
                sockets.append((path.stat().st_mtime, path))
        except (ConnectionRefusedError, FileNotFoundError):
            path.unlink(missing_ok=True)
        except OSError:
            continue  # it is too busy to answer now
    return [path for _, path in sorted(sockets)]


def _own_folder() -> Path:
    """The private folder for this user's sockets."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    # With FAIRGROUND_HOME set, the seats are kept separate, like the layers.
    usual = not os.environ.get("FAIRGROUND_HOME") and runtime and os.access(runtime, os.W_OK | os.X_OK)
    folder = Path(runtime) / "fairground" / "seats" if usual else cache_folder() / "seats"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        info = folder.lstat()
    except OSError as error:
        raise InfrastructureError(f"the folder for open seats cannot be created: {folder}: {error.strerror}") from None
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.geteuid() or info.st_mode & 0o077:
        raise InfrastructureError(
            f"{folder} must be a folder that only you can access", fix=f"remove it, or: chmod 700 {folder}"
        )
    return folder


@contextlib.contextmanager
def _short(path: Path) -> Iterator[str]:
    """A path that fits into a socket address, which has at most about a hundred characters."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
