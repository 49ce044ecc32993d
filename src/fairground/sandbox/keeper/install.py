"""Run an install script as root over a copy-on-write view of the machine.

Changes below /usr, /opt, /etc, /var and /root go to a layer; the host does not change. The scripts come from a world's
author, and the user chose to run them. This keeps the host clean, but it is not a security boundary.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import NoReturn

from . import kernel

_TREES = ("usr", "opt", "etc", "var", "root")
# Prevents packages from starting their services during installation.
_NO_SERVICES = "#!/bin/sh\nexit 101\n"


def main(order_text: str) -> NoReturn:
    """Build the view that the order describes, run the script in it, and exit with its status."""
    order: dict[str, object] = json.loads(order_text)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    kernel.unshare(kernel.CLONE_NEWNS | kernel.CLONE_NEWPID | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS)
    child = os.fork()
    if child != 0:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        sys.exit(code if code >= 0 else 128 - code)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    layers = [str(path) for path in order["layers"]]  # type: ignore[attr-defined]
    _build(layers, str(order["tree"]), str(order["world"]))
    env = {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root",
        "LANG": "C.UTF-8",
        "DEBIAN_FRONTEND": "noninteractive",
        "FAIRGROUND_STAGE": "install",
    }
    env |= {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
    os.chdir("/world")
    os.execve("/world/install", ["/world/install"], env)


def _build(layers: list[str], tree: str, world: str) -> None:
    kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    root = "/mnt"
    names = [name for name in _TREES if os.path.isdir(f"/{name}")]
    opened = {name: os.open(f"/{name}", os.O_PATH) for name in names}
    tree_fd, world_fd = os.open(tree, os.O_PATH), os.open(world, os.O_PATH)
    below = [os.open(path, os.O_PATH) for path in layers]
    devices, system = os.open("/dev", os.O_PATH), os.open("/sys", os.O_PATH)
    resolver = os.path.realpath("/etc/resolv.conf")
    resolver_fd = os.open(resolver, os.O_PATH) if os.path.isfile(resolver) else None
    links = {name: os.readlink(f"/{name}") for name in os.listdir("/") if os.path.islink(f"/{name}")}

    kernel.mount("tmpfs", root, "tmpfs", 0, "mode=755")
    os.chdir(root)
    for name in ("proc", "sys", "dev", "run", "tmp", "world", "home", *names):
        os.mkdir(name, 0o700 if name == "root" else 0o755)
    for name, target in links.items():
        os.symlink(target, name)
    for name in names:
        for place in (f"/proc/self/fd/{tree_fd}/{name}", f"/proc/self/fd/{tree_fd}/.work/{name}"):
            os.makedirs(place, exist_ok=True)
        os.chmod(f"/proc/self/fd/{tree_fd}/{name}", os.stat(f"/proc/self/fd/{opened[name]}").st_mode & 0o7777)
        lowers = [f"/proc/self/fd/{fd}/{name}" for fd in reversed(below)]
        lowers = [place for place in lowers if os.path.isdir(place)] + [f"/proc/self/fd/{opened[name]}"]
        # userxattr, so that seats in user namespaces understand the markers that this mount creates.
        options = (
            f"lowerdir={':'.join(lowers)},upperdir=/proc/self/fd/{tree_fd}/{name},"
            f"workdir=/proc/self/fd/{tree_fd}/.work/{name},userxattr"
        )
        kernel.mount("overlay", name, "overlay", 0, options)
    kernel.mount(f"/proc/self/fd/{world_fd}", "world", "", kernel.MS_BIND)
    kernel.mount("none", "world", "", kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY)
    kernel.mount(f"/proc/self/fd/{devices}", "dev", "", kernel.MS_BIND | kernel.MS_REC)
    kernel.mount(f"/proc/self/fd/{system}", "sys", "", kernel.MS_BIND | kernel.MS_REC)
    kernel.mount("proc", "proc", "proc")
    kernel.mount("tmpfs", "tmp", "tmpfs", 0, "mode=1777")
    kernel.mount("tmpfs", "run", "tmpfs", 0, "mode=755")
    if resolver_fd is not None and resolver.startswith("/run/"):
        os.makedirs(os.path.dirname(resolver[1:]), exist_ok=True)
        os.close(os.open(resolver[1:], os.O_CREAT | os.O_WRONLY, 0o644))
        kernel.mount(f"/proc/self/fd/{resolver_fd}", resolver[1:], "", kernel.MS_BIND)
    with open("tmp/policy-rc.d", "w", encoding="utf-8") as file:
        file.write(_NO_SERVICES)
    os.chmod("tmp/policy-rc.d", 0o755)
    policy = "usr/sbin/policy-rc.d"
    if not os.path.exists(policy):
        os.close(os.open(policy, os.O_CREAT | os.O_WRONLY, 0o755))
    kernel.mount("tmp/policy-rc.d", policy, "", kernel.MS_BIND)
    kernel.pivot_root(".", ".")
    kernel.unmount(".")
    os.chdir("/")
