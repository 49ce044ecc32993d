"""A way out of a sandbox that has no network: slirp4netns, which speaks for it and refuses the host's loopback."""

from __future__ import annotations

import os
import shutil
import subprocess

from fairground.core import MissingPrerequisite, SandboxError


class Outbound:
    """What is needed to connect one sandbox; to be closed once it is connected.

    Attributes:
        held: To be kept open by the first process of the sandbox, and by nobody else: slirp4netns ends when
            it is closed, so it ends with the sandbox, whatever becomes of the host.
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
        """Starts slirp4netns for these open namespaces, and waits until the way is open."""
        self._close_held()  # the sandbox holds it now
        ready_r, ready_w = os.pipe()
        said_r, said_w = os.pipe()
        os.set_blocking(said_w, False)  # what does not fit is lost, instead of making it wait for a reader
        os.set_blocking(said_r, False)
        # Root gives up its rights and the file system. Others would have to be root of the namespace, which nobody is.
        confined = ["--enable-sandbox"] if os.geteuid() == 0 else []
        try:
            helper = subprocess.Popen(
                [
                    self._program, "--configure", "--mtu=65520", "--disable-host-loopback", "--enable-seccomp",
                    *confined, f"--ready-fd={ready_w}", f"--exit-fd={self._end}",
                    f"--userns-path=/proc/self/fd/{user}", "--netns-type=path", f"/proc/self/fd/{network}", "tap0",
                ],
                pass_fds=[ready_w, self._end, user, network, said_r],  # its own reader, so that it never lacks one
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
                said = os.read(said_r, 1 << 16).decode(errors="replace").strip()[-500:]
                raise _failure(said)
        finally:
            for fd in (ready_r, ready_w, said_r, said_w):
                if fd >= 0:
                    os.close(fd)
        return helper

    def _close_held(self) -> None:
        if self.held >= 0:
            os.close(self.held)
            self.held = -1


def _failure(said: str) -> SandboxError | MissingPrerequisite:
    message = f"slirp4netns cannot connect the sandbox: {said}"
    if "/dev/net/tun" not in said:
        return SandboxError(message)
    fix = "chmod 666 /dev/net/tun" if os.path.exists("/dev/net/tun") else "modprobe tun"
    return MissingPrerequisite(message, fix=f"as root: {fix}")
