"""Starting a keeper with a description of the sandbox."""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import re
import socket
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fairground.core import InvalidInput, SandboxError
from fairground.sandbox.cgroups import Cgroup, make_cgroup, shortcomings
from fairground.sandbox.channel import Channel, Refusal
from fairground.sandbox.keeper.serve import MESSAGE
from fairground.sandbox.kept import SANDBOX_UID, KeptSandbox, checked_env
from fairground.sandbox.network import Outbound
from fairground.sandbox.packaged import packaged
from fairground.sandbox.protocol import SandboxSpec

_START = "import sys; sys.path.append(sys.argv[1]); from keeper.main import main; main(int(sys.argv[2]))"
_MOST_LAYERS = 100  # the kernel allows one page of mount options for all of them
# Variables that programs of a bare sandbox need. The keeper gets no others, because its memory is part of the sandbox.
_KEPT_ENV = ("PATH", "LANG", "LD_LIBRARY_PATH", "FONTCONFIG_PATH")
_HOSTNAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


def make_sandbox(spec: SandboxSpec, *, kind: str, hide: Sequence[Path] = ()) -> KeptSandbox:
    """Start a keeper, which creates a sandbox of this kind (`namespace` or `bare`)."""
    _check(spec)
    with contextlib.ExitStack() as temporary, contextlib.ExitStack() as undo:
        outbound = None
        if spec.network == "outbound" and kind == "namespace":
            outbound = temporary.enter_context(Outbound())
        channel = _start(spec, kind, hide, outbound)
        undo.callback(channel.end)
        try:
            ready, fds = channel.await_ready()
        except Refusal as refusal:
            raise SandboxError(f"the sandbox cannot be created: {refusal.message}") from refusal
        for fd in fds:
            temporary.callback(os.close, fd)
        for folder, attached in zip(channel.cgroup.folders, ready["attached"], strict=True):
            if not attached:
                channel.cgroup.give_up(folder)
        if outbound is not None:
            channel.helpers.append(outbound.connect(*fds))
        undo.pop_all()
    return KeptSandbox(kind, channel, ready["home"], ready["backstage"], tuple(_notes(spec, kind, channel.cgroup)))


def _check(spec: SandboxSpec) -> None:
    if not _HOSTNAME.fullmatch(spec.hostname):
        raise InvalidInput(f"a hostname has up to 63 characters of a-z, 0-9 and -, got {spec.hostname!r}")
    if len(spec.layers) > _MOST_LAYERS:
        raise InvalidInput(f"a sandbox has at most {_MOST_LAYERS} layers, got {len(spec.layers)}")
    for path in (*spec.layers, *([spec.writable] if spec.writable else [])):
        if not path.is_dir():
            raise SandboxError(f"layer {path} is not a folder", fix="build it again")


def _start(spec: SandboxSpec, kind: str, hide: Sequence[Path], outbound: Outbound | None) -> Channel:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    printed = os.memfd_create("keeper", os.MFD_CLOEXEC)
    keeper: subprocess.Popen[bytes] | None = None
    cgroup = Cgroup()
    try:
        with theirs:
            place = str(Path(__file__).parent)
            # First, because Python starts up while we do the rest.
            keeper = subprocess.Popen(
                [sys.executable, "-I", "-S", "-X", "utf8", "-c", _START, place, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=printed,
                env={name: os.environ[name] for name in _KEPT_ENV if name in os.environ},
                start_new_session=True,
                cwd="/",
            )
        cgroup = make_cgroup(spec.limits)
        with contextlib.ExitStack() as stack:
            fds = [os.pidfd_open(os.getpid())]
            stack.callback(os.close, fds[0])
            for fd in cgroup.open_attach():
                stack.callback(os.close, fd)
                fds.append(fd)
            order = _order(spec, kind, cgroup, hide)
            if outbound is not None:
                fds.append(outbound.held)
            message = json.dumps(order).encode()
            if len(message) > MESSAGE:
                raise InvalidInput(f"the description of a sandbox has at most {MESSAGE} bytes, got {len(message)}")
            socket.send_fds(ours, [message], fds)
    except BaseException:
        ours.close()
        if keeper is not None:
            keeper.wait()  # it ends when it finds the socket closed
        os.close(printed)
        cgroup.remove()
        raise
    return Channel(ours, keeper, printed, cgroup, order["folder"])


def _order(spec: SandboxSpec, kind: str, cgroup: Cgroup, hide: Sequence[Path]) -> dict[str, Any]:
    """The description for the keeper.

    Open files come with it: the host's process, the cgroups', and what it must hold.
    """
    bare = kind == "bare"
    uid, gid = _outside_user(bare)
    as_root = uid != os.geteuid()
    covered = {str(place) for path in (*spec.hide, *hide) for place in (path.absolute(), path.resolve())}
    # As root, the folder belongs to another user, who may not be able to enter this user's temporary folder.
    temporary = "/tmp" if as_root else tempfile.gettempdir()
    return {
        "kind": kind,
        "host": 0,
        "attach": list(range(1, 1 + len(cgroup.folders))),
        "check_attach": cgroup.unified,
        "cgroups": [str(path) for path in cgroup.folders],
        "thaw": str(cgroup.thaw_file or ""),
        "layers": [str(path.absolute()) for path in spec.layers],
        "writable": None if spec.writable is None else str(spec.writable.absolute()),
        "folder": f"{temporary}/fairground-{uuid.uuid4().hex[:12]}" if bare else "",
        "env": checked_env(spec.env),
        "processes": None if bare else spec.limits.processes,
        "disk": spec.limits.disk,
        "hide": sorted(covered),
        "opt": [] if bare else sorted(packaged()["opt"]),
        "hostname": spec.hostname,
        "outbound": spec.network == "outbound" and not bare,
        "as_root": as_root,
        "host_uid": uid,
        "host_gid": gid,
    }


def _outside_user(bare: bool) -> tuple[int, int]:
    """The host user of programs: ourselves, or if we are root, a user without privileges."""
    uid, gid = SANDBOX_UID, SANDBOX_UID
    if bare:
        # Without its own file system, the user needs an entry in the host's passwd: D-Bus does not run without one.
        with contextlib.suppress(KeyError):
            account = pwd.getpwnam("nobody")
            uid, gid = account.pw_uid, account.pw_gid
    if os.geteuid() == 0 and _exists("uid", uid) and _exists("gid", gid):
        return uid, gid
    return os.geteuid(), os.getegid()


def _exists(kind: str, number: int) -> bool:
    """Whether a user or group ID is mapped here. In a container, root may have few IDs, or only its own."""
    for line in Path(f"/proc/self/{kind}_map").read_text().splitlines():
        first, _, count = map(int, line.split())
        if first <= number < first + count:
            return True
    return False


def _notes(spec: SandboxSpec, kind: str, cgroup: Cgroup) -> Iterator[str]:
    if kind == "bare":
        yield "not isolated: this machine does not allow namespaces, so programs can access the host and its network"
        yield "disk limit not enforced: files are on the host's disk"
    elif spec.writable is not None:
        yield "disk limit not enforced: files are written to a folder on the host"
    yield from shortcomings(cgroup, spec.limits, own_user=kind != "bare")
