"""System calls that Python does not offer, each raising `OSError` with what was attempted."""

from __future__ import annotations

import ctypes
import os
import platform
import struct

_libc = ctypes.CDLL(None, use_errno=True)

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 32, 4096, 16384, 1 << 18
MNT_DETACH = 2

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_SECCOMP = 1, 4, 24, 22
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 36, 38

RESOLVE_NO_MAGICLINKS = 0x02
_SYS_OPENAT2 = 437  # the same on every architecture
_SYS_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_SYS_CAPSET = {"x86_64": 126, "aarch64": 91}

MACHINE = platform.machine()


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def unshare(flags: int) -> None:
    """Leaves the namespaces named by `flags` for new ones."""
    _checked(_libc.unshare(flags), f"unshare(0x{flags:x})")


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Mounts a file system, or with MS_BIND a folder, at `target`."""
    result = _libc.mount(
        source.encode(), target.encode(), kind.encode() or None, ctypes.c_ulong(flags), options.encode() or None
    )
    _checked(result, f"mount {kind or 'bind'} {source} at {target} ({options[:200]})")


def unmount(target: str) -> None:
    """Detaches a mount; it is gone once nothing uses it."""
    _checked(_libc.umount2(target.encode(), MNT_DETACH), f"umount {target}")


def pivot_root(new: str, old: str) -> None:
    """Makes `new` the root and puts the old one at `old`."""
    _checked(_libc.syscall(_SYS_PIVOT_ROOT[MACHINE], new.encode(), old.encode()), f"pivot_root {new}")


def prctl(option: int, *arguments: int) -> None:
    """One of the PR_ options above."""
    _checked(_libc.prctl(option, *(ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0)[:4])), f"prctl({option})")


def sethostname(name: str) -> None:
    """Names this UTS namespace."""
    raw = name.encode()
    _checked(_libc.sethostname(raw, len(raw)), "sethostname")


def drop_capabilities() -> None:
    """Gives up every capability, now and for what is executed later."""
    for capability in range(64):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:
            break  # past the last one this kernel knows
    header = ctypes.create_string_buffer(struct.pack("=Ii", 0x20080522, 0))
    nothing = ctypes.create_string_buffer(24)
    _checked(_libc.syscall(_SYS_CAPSET[MACHINE], header, nothing), "capset")


def open_inside(path: str, flags: int, mode: int = 0) -> int:
    """Opens a path without following the magic links of /proc.

    A program can leave a symlink to `/proc/1/fd/5`; followed by the keeper it would be the keeper's file.
    """
    how = ctypes.create_string_buffer(struct.pack("=QQQ", flags | os.O_CLOEXEC, mode, RESOLVE_NO_MAGICLINKS))
    fd = _libc.syscall(_SYS_OPENAT2, -100, path.encode(), how, ctypes.c_size_t(24))
    if fd < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), path)
    return int(fd)
