"""Starting a keeper, and telling it what sandbox to make."""

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
_MOST_LAYERS = 100  # the kernel takes a page of options for all of them
# What programs of a bare sandbox need of ours. A keeper gets nothing else: what it knows goes inside with it.
_KEPT_ENV = ("PATH", "LANG", "LD_LIBRARY_PATH", "FONTCONFIG_PATH")
_HOSTNAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


def make_sandbox(spec: SandboxSpec, *, kind: str, hide: Sequence[Path] = ()) -> KeptSandbox:
    """Starts a keeper, which makes a sandbox of this kind (`namespace` or `bare`)."""
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
            raise SandboxError(f"the sandbox cannot be made: {refusal.message}") from None
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
        raise InvalidInput(f"a hostname has up to 63 of a-z, 0-9 and -, got {spec.hostname!r}")
    if len(spec.layers) > _MOST_LAYERS:
        raise InvalidInput(f"a sandbox has at most {_MOST_LAYERS} layers, got {len(spec.layers)}")
    for path in (*spec.layers, *([spec.writable] if spec.writable else [])):
        if not path.is_dir():
            raise SandboxError(f"layer {path} is not a folder", fix="build it again")


def _start(spec: SandboxSpec, kind: str, hide: Sequence[Path], outbound: Outbound | None) -> Channel:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    said = os.memfd_create("keeper", os.MFD_CLOEXEC)
    keeper: subprocess.Popen[bytes] | None = None
    cgroup = Cgroup()
    try:
        with theirs:
            place = str(Path(__file__).parent)
            # First, because Python starts while we do the rest.
            keeper = subprocess.Popen(
                [sys.executable, "-I", "-S", "-X", "utf8", "-c", _START, place, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
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
                raise InvalidInput(f"a sandbox is described in at most {MESSAGE} bytes, got {len(message)}")
            socket.send_fds(ours, [message], fds)
    except BaseException:
        ours.close()
        if keeper is not None:
            keeper.wait()  # it ends when it finds the socket closed
        os.close(said)
        cgroup.remove()
        raise
    return Channel(ours, keeper, said, cgroup, order["folder"])


def _order(spec: SandboxSpec, kind: str, cgroup: Cgroup, hide: Sequence[Path]) -> dict[str, Any]:
    """What the keeper is told. Open files come with it: the host's process, the cgroups', what is to be held."""
    bare = kind == "bare"
    uid, gid = _outside_user(bare)
    as_root = uid != os.geteuid()
    covered = {str(place) for path in (*spec.hide, *hide) for place in (path.absolute(), path.resolve())}
    # As root the folder's owner is somebody else, who may not be let into this user's place for such folders.
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
    """Who programs are to the host: ourselves, or when we are root somebody without rights."""
    uid, gid = SANDBOX_UID, SANDBOX_UID
    if bare:
        # Without a file system of its own the user needs a line in the host's passwd: D-Bus refuses to run without.
        with contextlib.suppress(KeyError):
            account = pwd.getpwnam("nobody")
            uid, gid = account.pw_uid, account.pw_gid
    if os.geteuid() == 0 and _exists("uid", uid) and _exists("gid", gid):
        return uid, gid
    return os.geteuid(), os.getegid()


def _exists(kind: str, number: int) -> bool:
    """Whether a user or group is known here: root of a container may be root of few, or of itself only."""
    for line in Path(f"/proc/self/{kind}_map").read_text().splitlines():
        first, _, count = map(int, line.split())
        if first <= number < first + count:
            return True
    return False


def _notes(spec: SandboxSpec, kind: str, cgroup: Cgroup) -> Iterator[str]:
    if kind == "bare":
        yield "not isolated: the machine forbids namespaces, so programs can reach the host and its network"
        yield "disk limit not enforced: files lie on the host's disk"
    elif spec.writable is not None:
        yield "disk limit not enforced: what is written is kept in a folder of the host"
    yield from shortcomings(cgroup, spec.limits, own_user=kind != "bare")
