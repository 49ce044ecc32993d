"""The keeper's way in: reads how the sandbox is to be made, makes it, serves, and cleans up after it.

Two processes: an outer one on the host, which waits and removes what is left, and an inner one, which is the
first process of the sandbox. When the host dies, however it dies, its end of the control socket closes; the
inner one ends, the kernel ends everything inside, and the outer one removes the rest.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import select
import signal
import socket
import struct
import sys
import time
from typing import Any, NoReturn

from . import kernel, mounts, seccomp
from .serve import MESSAGE, Keeper, remove_folder

_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1


def main(control_fd: int) -> NoReturn:
    """Makes the sandbox that the first message on the control socket describes."""
    control = socket.socket(fileno=control_fd)
    message, fds, _, _ = socket.recv_fds(control, MESSAGE, 64)
    if not message:
        sys.exit(0)
    for fd in (control_fd, *fds):  # received files are handed on by exec unless we say no
        os.set_inheritable(fd, False)
    order: dict[str, Any] = json.loads(message)
    order["attach"] = [fds[index] for index in order["attach"]]
    order["thaw"] = None if order["thaw"] is None else fds[order["thaw"]]

    # Before the user namespace, so that the outer process keeps the rights it needs to clean up.
    inner = os.fork()
    if inner == 0:
        make = _inside_namespaces if order["kind"] == "namespace" else _bare
        try:
            make(control, order)
        except OSError as error:
            _refuse(control, error)
        os._exit(0)
    control.close()
    for fd in fds:
        os.close(fd)
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    _, status = os.waitpid(inner, 0)
    _clean_up(order)
    sys.exit(min(abs(os.waitstatus_to_exitcode(status)), 255))


def _inside_namespaces(control: socket.socket, order: dict[str, Any]) -> None:
    _enter_user_namespace(order)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)  # after changing users, which clears it
    kernel.unshare(
        kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS | kernel.CLONE_NEWPID | kernel.CLONE_NEWNET | kernel.CLONE_NEWCGROUP
    )
    first = os.fork()
    if first != 0:
        control.close()
        os._exit(min(abs(os.waitstatus_to_exitcode(os.waitpid(first, 0)[1])), 255))
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    try:
        kernel.sethostname(order["hostname"])
        _raise_loopback()
        mounts.build(
            mounts.Layout(order["layers"], order["writable"], order["disk"], order["hide"], order["hostname"])
        )
        os.umask(0o022)
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        kernel.drop_capabilities()
        seccomp.install()
        _forget_command_line()
        # Nothing inside may read or trace this process, although it belongs to the same user.
        kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    except OSError as error:
        _refuse(control, error)
        os._exit(1)
    env = {
        "HOME": mounts.HOME,
        "USER": mounts.USER,
        "LOGNAME": mounts.USER,
        "SHELL": "/bin/bash",
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/games:/usr/local/games:/usr/sbin:/sbin",
        "XDG_RUNTIME_DIR": f"/run/user/{mounts.UID}",
        "LANG": "C.UTF-8",
        "TMPDIR": "/tmp",
    }
    _serve(control, order, home=mounts.HOME, logs=mounts.LOGS, env=env, namespaced=True)
    os._exit(0)


def _bare(control: socket.socket, order: dict[str, Any]) -> None:
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    os.setsid()
    folder: str = order["folder"]
    for name in ("home", "run", "logs", "tmp"):
        os.mkdir(f"{folder}/{name}", 0o700)
    keep = ("PATH", "LANG", "LD_LIBRARY_PATH", "FONTCONFIG_PATH")
    env = {name: os.environ[name] for name in keep if name in os.environ}
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"} | env
    env |= {"HOME": f"{folder}/home", "XDG_RUNTIME_DIR": f"{folder}/run", "TMPDIR": f"{folder}/tmp", "SHELL": "/bin/bash"}
    _serve(control, order, home=f"{folder}/home", logs=f"{folder}/logs", env=env, namespaced=False)


def _serve(
    control: socket.socket, order: dict[str, Any], *, home: str, logs: str, env: dict[str, str], namespaced: bool
) -> None:
    keeper = Keeper(
        control,
        home=home,
        logs=logs,
        env=env | order["env"],
        attach=order["attach"],
        thaw=order["thaw"],
        processes=order["processes"],
        namespaced=namespaced,
    )
    socket.send_fds(control, [json.dumps({"value": {"home": home}}).encode()], [])
    keeper.serve()
    keeper.end()


def _enter_user_namespace(order: dict[str, Any]) -> None:
    """Becomes the user inside, who is `host_uid` outside: ourselves, or when we are root a user without rights."""
    host_uid, host_gid = order["host_uid"], order["host_gid"]
    if os.geteuid() != 0:
        kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS)
        _open_layers(order)
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{mounts.UID} {host_uid} 1")
        _write("/proc/self/gid_map", f"{mounts.UID} {host_gid} 1")
        return
    # Only a process outside may map a user other than its own: a helper stays there for it.
    ready_r, ready_w = os.pipe()
    me = os.getpid()
    helper = os.fork()
    if helper == 0:
        os.close(ready_w)
        failed = 1
        with contextlib.suppress(OSError):
            if os.read(ready_r, 1):
                _write(f"/proc/{me}/uid_map", f"{mounts.UID} {host_uid} 1")
                _write(f"/proc/{me}/gid_map", f"{mounts.UID} {host_gid} 1")
                failed = 0
        os._exit(failed)
    os.close(ready_r)
    kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS)
    _open_layers(order)
    os.write(ready_w, b"1")
    os.close(ready_w)
    if os.waitpid(helper, 0)[1] != 0:
        raise OSError(1, "the user namespace's map could not be written")
    os.setgroups([])
    os.setresgid(mounts.UID, mounts.UID, mounts.UID)
    os.setresuid(mounts.UID, mounts.UID, mounts.UID)
    # Changing users made us unreadable to ourselves, and /proc/self must be ours for mounting.
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)


def _open_layers(order: dict[str, Any]) -> None:
    """Opens layers in the new mount namespace, while we may still enter folders that are only root's.

    The kernel stacks only folders of the namespace it mounts in, so the host cannot open them for us.
    """
    flags = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
    order["layers"] = [os.open(path, flags) for path in order["layers"]]
    order["writable"] = None if order["writable"] is None else os.open(order["writable"], flags)


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh22x", b"lo", 0)
        flags = struct.unpack_from("16sh", fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", flags | _IFF_UP))


def _forget_command_line() -> None:
    """Blanks what `ps` would show: it names folders of the host."""
    with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    start, end = int(fields[45]), int(fields[46])  # arg_start and arg_end, fields 48 and 49 of proc(5)
    name = b"keeper"
    ctypes.memset(start, 0, end - start)
    ctypes.memmove(start, name, min(len(name), end - start))


def _refuse(control: socket.socket, error: OSError) -> None:
    answer = {"refused": "setup", "message": str(error)}
    with contextlib.suppress(OSError):
        socket.send_fds(control, [json.dumps(answer).encode()], [])


def _write(path: str, text: str) -> None:
    fd = os.open(path, os.O_WRONLY)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def _clean_up(order: dict[str, Any]) -> None:
    if order["folder"]:
        remove_folder(order["folder"])
    deadline = time.monotonic() + 5
    for path in order["cgroups"]:
        # A cgroup can be removed the moment its last process is reaped.
        while time.monotonic() < deadline:
            try:
                os.rmdir(path)
            except FileNotFoundError:
                break
            except OSError:
                select.select([], [], [], 0.002)
                continue
            break
