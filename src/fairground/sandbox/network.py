"""Outbound network access for a sandbox, with slirp4netns. The host's loopback stays unreachable."""

from __future__ import annotations

import os
import shutil
import subprocess

from fairground.core import MissingPrerequisite, SandboxError


class Outbound:
    """The resources to connect one sandbox. Close it once the sandbox is connected.

    Attributes:
        held: File descriptor that only the first process of the sandbox keeps open. slirp4netns ends when it is closed,
            so it ends with the sandbox, even if the host process dies.
    """

    def __init__(self) -> None:
        program = shutil.which("slirp4netns")
        if program is None:
            raise MissingPrerequisite(
                "network 'outbound' needs slirp4netns, which is not installed", fix="apt-get install slirp4netns"
            )
        self._program = program
        self._end, self.held = os.pipe()

    def __enter__(self) -> Outbound:
        return self

    def __exit__(self, *_: object) -> None:
        self._close_held()
        os.close(self._end)

    def connect(self, user: int, network: int) -> subprocess.Popen[bytes]:
        """Start slirp4netns for these open namespaces, and wait until the connection works."""
        self._close_held()  # the sandbox holds it now
        ready_r, ready_w = os.pipe()
        said_r, said_w = os.pipe()
        os.set_blocking(said_w, False)  # drop output that does not fit, instead of blocking slirp4netns
        os.set_blocking(said_r, False)
        # As root, slirp4netns drops its privileges and its file system. Other users would have to be root of the
        # namespace, which has no root.
        confined = ["--enable-sandbox"] if os.geteuid() == 0 else []
        try:
            helper = subprocess.Popen(
                [
                    self._program, "--configure", "--mtu=65520", "--disable-host-loopback", "--enable-seccomp",
                    *confined, f"--ready-fd={ready_w}", f"--exit-fd={self._end}",
                    f"--userns-path=/proc/self/fd/{user}", "--netns-type=path", f"/proc/self/fd/{network}", "tap0",
                ],
                # including the reading end, so that writing never fails
                pass_fds=[ready_w, self._end, user, network, said_r],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said_w,
                start_new_session=True,
            )  # fmt: skip
            os.close(ready_w)
            ready_w = -1
            if os.read(ready_r, 1) != b"1":
                helper.kill()
                helper.wait()
                printed = os.read(said_r, 1 << 16).decode(errors="replace").strip()[-500:]
                raise _failure(printed)
        finally:
            for fd in (ready_r, ready_w, said_r, said_w):
                if fd >= 0:
                    os.close(fd)
        return helper

    def _close_held(self) -> None:
        if self.held >= 0:
            os.close(self.held)
            self.held = -1


def _failure(printed: str) -> SandboxError | MissingPrerequisite:
    message = f"slirp4netns cannot connect the sandbox: {printed}"
    if "/dev/net/tun" not in printed:
        return SandboxError(message)
    fix = "chmod 666 /dev/net/tun" if os.path.exists("/dev/net/tun") else "modprobe tun"
    return MissingPrerequisite(message, fix=f"as root: {fix}")
