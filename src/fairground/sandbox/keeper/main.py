"""Entry point of the keeper: read the order, create the sandbox, and clean up after it.

There are two processes. This one stays on the host, waits, and cleans up. The other (`inside.py`) is the first process
of the sandbox. Each ends when the other does, and both end when the host process does. The host is watched as a
process, because its children may keep its end of the control socket open.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import select
import signal
import socket
import sys
import time

from . import inside, kernel
from .folder import make_folder, remove_folder
from .programs import end_descendants
from .serve import MESSAGE, refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_CLEAN_UP_SECONDS = 10.0


def main(control_fd: int) -> NoReturn:
    """Create the sandbox that the first message on the control socket describes."""
    control = socket.socket(fileno=control_fd)
    control.set_inheritable(False)
    message, fds, _, _ = socket.recv_fds(control, MESSAGE, 64, socket.MSG_CMSG_CLOEXEC)
    if not message:
        sys.exit(0)
    order: dict[str, Any] = json.loads(message)
    host = fds[order["host"]]
    order["attach"] = [fds[index] for index in order["attach"]]
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)

    life, serving = os.pipe()  # closes when the serving process ends
    watched, watching = os.pipe()  # closes when this process ends
    try:
        if order["folder"]:
            make_folder(order["folder"], order["host_uid"], order["host_gid"])
    except OSError as error:
        refuse(control, error)
        sys.exit(1)
    inner = os.fork()
    if inner == 0:
        for fd in (life, watching, host):
            os.close(fd)
        inside.enter(control, order, serving, watched)
    control.close()
    for fd in (serving, watched, *fds):
        if fd != host:
            os.close(fd)
    server = _help(inner, life, watching, order)
    if server:
        _await_end(host, life)
    _end(server, order)
    os._exit(0)


def _help(inner: int, life: int, watching: int, order: dict[str, Any]) -> int:
    """Do what the inner process cannot, until it names the serving process. Returns that, or 0 if there is none."""
    with os.fdopen(life, "rb", closefd=False, buffering=0) as lines:
        while line := lines.readline():
            word, _, value = line.decode().strip().partition(" ")
            if word == "serves":
                if int(value) != inner:
                    os.waitpid(inner, 0)  # it only created the namespaces, and its child replaces it
                os.write(watching, b"+")
                return int(value)
            # Only a process outside of a user namespace may map a user other than its own.
            try:
                kernel.write_text(f"/proc/{inner}/uid_map", f"{inside.UID} {order['host_uid']} 1")
                kernel.write_text(f"/proc/{inner}/gid_map", f"{inside.UID} {order['host_gid']} 1")
            except OSError:
                os.write(watching, b"-")
            else:
                os.write(watching, b"+")
    return 0


def _await_end(host: int, life: int) -> None:
    poller = select.poll()
    poller.register(host, select.POLLIN)
    poller.register(life, select.POLLIN)
    poller.poll()


def _end(server: int, order: dict[str, Any]) -> None:
    """End what still runs, and remove what the sandbox left on the host."""
    if order["thaw"]:
        try:
            kernel.write_text(order["thaw"], "THAWED")  # on cgroup v1 a frozen process cannot be killed
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENODEV):
                raise
    if server:
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(server, signal.SIGKILL)
            os.waitpid(server, 0)  # the kernel ends a whole pid namespace with its first process
    if order["kind"] != "namespace":
        end_descendants(_CLEAN_UP_SECONDS)  # orphans become our children here
    if order["folder"]:
        remove_folder(order["folder"])
    deadline = time.monotonic() + _CLEAN_UP_SECONDS
    for path in order["cgroups"]:
        _remove_cgroup(path, deadline)


def _remove_cgroup(path: str, deadline: float) -> None:
    """Remove a cgroup as soon as its last process is reaped, with the groups that programs created below it."""
    while True:
        try:
            for folder, _, _ in os.walk(path, topdown=False):
                os.rmdir(folder)
            return
        except FileNotFoundError:
            return
        except OSError:
            if time.monotonic() > deadline:
                return
            select.select([], [], [], 0.001)
