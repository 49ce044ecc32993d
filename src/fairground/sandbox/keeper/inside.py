"""The first process of a sandbox: enter namespaces, drop privileges, mount the file system, and serve requests.

It forks a second keeper in a nested pid namespace, where programs run. Programs cannot see, signal or trace what runs
backstage, such as the X server and the session bus, because those have no process ID there. Both share the same files,
but programs can only read /etc, /var and the backstage folder.
"""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import signal
import socket
import struct
import sys

from . import kernel, mounts, seccomp
from .folder import remove_folder
from .programs import Programs, end_descendants
from .serve import MESSAGE, Keeper, refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

UID = mounts.UID
_CLEAN_UP_SECONDS = 10.0
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1
# Limits per sandbox for resources that the kernel counts per host user.
_SHARES = {
    "max_inotify_instances": 64,
    "max_inotify_watches": 65536,
    "max_user_namespaces": 128,
    "max_mnt_namespaces": 128,
    "max_net_namespaces": 128,
    "max_pid_namespaces": 128,
}


def enter(control: socket.socket, order: dict[str, Any], serving: int, watched: int) -> NoReturn:
    """Create the sandbox and serve until the host or the process outside is gone.

    Args:
        control: The socket to the host.
        order: Describes the sandbox.
        serving: File descriptor to keep open while this process serves.
        watched: File descriptor that closes when the process outside ends.
    """
    try:
        if order["kind"] == "namespace":
            keeper = _in_namespaces(control, order, serving, watched)
        else:
            keeper = _on_the_host(control, order, serving, watched)
        left_alone = keeper.serve(watched)
        if order["folder"] and left_alone:
            # Without namespaces the kernel does not end the programs, and no other process is left to do it.
            control.close()  # notifies the host
            end_descendants(_CLEAN_UP_SECONDS)
            remove_folder(order["folder"])
    except OSError as error:
        refuse(control, error)
        os._exit(1)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    os._exit(0)


def _in_namespaces(control: socket.socket, order: dict[str, Any], serving: int, watched: int) -> Keeper:
    outside = mounts.Outside.as_root() if order["as_root"] else mounts.Outside()
    _enter_user_namespace(order, serving, watched)
    kernel.unshare(
        kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS | kernel.CLONE_NEWPID | kernel.CLONE_NEWNET | kernel.CLONE_NEWCGROUP
    )
    first = os.fork()
    if first != 0:
        os.write(serving, f"serves {first}\n".encode())
        os._exit(0)
    _await(watched)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    kernel.sethostname(order["hostname"])
    _raise_loopback()
    _limit_shares()
    namespaces = (
        [os.open(f"/proc/self/ns/{name}", os.O_RDONLY) for name in ("user", "net")] if order["outbound"] else []
    )
    mounts.build(order, outside)
    _set_limits()
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
    env |= order["env"]
    inner = _fork_inner([control.fileno(), serving, watched, *namespaces], order, env)
    _give_up_rights()
    # Sockets in XDG_RUNTIME_DIR (the accessibility bus) must not be where programs could replace them.
    env |= {"HOME": mounts.BACKSTAGE, "XDG_RUNTIME_DIR": mounts.BACKSTAGE}
    programs = Programs(env, mounts.HOME, order["attach"], order["processes"], namespaced=True)
    return Keeper(control, programs, tell=namespaces, check_attach=order["check_attach"], inner=inner)


def _fork_inner(not_for_it: list[int], order: dict[str, Any], env: dict[str, str]) -> socket.socket:
    """Start the keeper of the namespace for programs, without these open files. Returns the socket to it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    here = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
    kernel.unshare(kernel.CLONE_NEWPID)  # applies to children only, and is undone below after the first one
    if os.fork() == 0:
        try:
            for fd in (*not_for_it, ours.fileno(), here):
                os.close(fd)
            kernel.unshare(kernel.CLONE_NEWNS)
            mounts.enter_inner()
            _give_up_rights()
            programs = Programs(env, mounts.HOME, order["attach"], order["processes"], namespaced=True)
            Keeper(theirs, programs, tell=[], check_attach=order["check_attach"]).serve(-1)
        except BaseException:
            sys.excepthook(*sys.exc_info())
        os._exit(1)
    theirs.close()
    kernel.setns(here, kernel.CLONE_NEWPID)
    os.close(here)
    message, fds, _, _ = socket.recv_fds(ours, MESSAGE, 1, socket.MSG_CMSG_CLOEXEC)
    for fd in fds:
        os.close(fd)
    if not message:
        raise OSError(errno.ECHILD, "the namespace for programs could not be created")
    return ours


def _give_up_rights() -> None:
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.drop_capabilities()
    seccomp.install()
    _hide()


def _on_the_host(control: socket.socket, order: dict[str, Any], serving: int, watched: int) -> Keeper:
    """Set up a sandbox without namespaces: as the same user, or if we are root, as a user without privileges."""
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    os.write(serving, f"serves {os.getpid()}\n".encode())
    _await(watched)
    _set_limits()
    if order["as_root"]:
        os.setgroups([])
        os.setresgid(order["host_gid"], order["host_gid"], order["host_gid"])
        os.setresuid(order["host_uid"], order["host_uid"], order["host_uid"])
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    _hide()
    folder: str = order["folder"]
    keep = ("PATH", "LANG", "LD_LIBRARY_PATH", "FONTCONFIG_PATH")
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
    env |= {name: os.environ[name] for name in keep if name in os.environ}
    env |= {
        "HOME": f"{folder}/home",
        "XDG_RUNTIME_DIR": f"{folder}/run",
        "TMPDIR": f"{folder}/tmp",
        "SHELL": "/bin/bash",
    }
    programs = Programs(env | order["env"], env["HOME"], order["attach"], order["processes"], namespaced=False)
    return Keeper(control, programs, tell=[], check_attach=order["check_attach"])


def _enter_user_namespace(order: dict[str, Any], serving: int, watched: int) -> None:
    """Become the user inside, who is `host_uid` outside: ourselves, or if we are root, a user without privileges."""
    kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS)
    # An overlay accepts only folders of the mount namespace it is mounted in, so the host cannot open them for us. Only
    # root may enter some of them, and only the sandbox's user others: what cannot be opened now is tried again later.
    folders = {path: _open_folder(path) for path in (*order["layers"], order["writable"]) if path is not None}
    _change_user(order, serving, watched)
    folders = {path: _open_folder(path, must=True) if fd is None else fd for path, fd in folders.items()}
    order["layers"] = [folders[path] for path in order["layers"]]
    order["writable"] = None if order["writable"] is None else folders[order["writable"]]


def _change_user(order: dict[str, Any], serving: int, watched: int) -> None:
    if not order["as_root"]:
        kernel.write_text("/proc/self/setgroups", "deny")
        kernel.write_text("/proc/self/uid_map", f"{UID} {order['host_uid']} 1")
        kernel.write_text("/proc/self/gid_map", f"{UID} {order['host_gid']} 1")
        return
    os.write(serving, b"map\n")
    _await(watched)
    os.setgroups([])
    os.setresgid(UID, UID, UID)
    os.setresuid(UID, UID, UID)
    # Changing users made /proc/self inaccessible to us, but mounting needs it.
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)


def _open_folder(path: str, *, must: bool = False) -> int | None:
    try:
        return os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except PermissionError:
        if must:
            raise
        return None


def _await(watched: int) -> None:
    answer = os.read(watched, 1)
    if answer == b"-":
        raise PermissionError(1, "the user namespace's map could not be written")
    if not answer:
        os._exit(1)  # the process outside is gone


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh22x", b"lo", 0)
        flags = struct.unpack_from("16sh", fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", flags | _IFF_UP))


def _limit_shares() -> None:
    for name, most in _SHARES.items():
        path = f"/proc/sys/user/{name}"
        if os.path.exists(path):
            kernel.write_text(path, str(most))


def _set_limits() -> None:
    os.umask(0o022)
    # if the machine runs out of memory, the kernel kills programs here first
    kernel.write_text("/proc/self/oom_score_adj", "500")
    # With a limit of 1 byte the kernel neither writes a core dump nor calls the host's handler for core dumps.
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    least = 0 if most == 0 else 1
    resource.setrlimit(resource.RLIMIT_CORE, (least, least))


def _hide() -> None:
    """Prevent programs of the same user from reading or tracing this process."""
    kernel.set_name("keeper")
    kernel.blank_command_line("keeper")
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
