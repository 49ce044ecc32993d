"""System calls that Python does not provide. Each raises `OSError` with a description of the attempt."""

from __future__ import annotations

import ctypes
import errno
import os
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
PR_SET_NAME, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 15, 36, 38

RESOLVE_NO_MAGICLINKS, RESOLVE_NO_SYMLINKS = 0x02, 0x04
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_MOUNT_ATTR_RDONLY, _MOUNT_ATTR_NOSUID, _MOUNT_ATTR_NODEV = 1, 2, 4
# The same numbers on every architecture.
_SYS_CLOSE_RANGE, _SYS_OPENAT2, _SYS_MOUNT_SETATTR = 436, 437, 442
_CLOSE_RANGE_CLOEXEC = 4
_SYS_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_SYS_CAPSET = {"x86_64": 126, "aarch64": 91}

MACHINE = os.uname().machine


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def unshare(flags: int) -> None:
    """Move to new namespaces of the kinds in `flags`."""
    _checked(_libc.unshare(flags), f"unshare(0x{flags:x})")


def setns(fd: int, kind: int) -> None:
    """Enter the namespace that an open file refers to."""
    _checked(_libc.setns(fd, kind), f"setns(0x{kind:x})")


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Mount a file system, or with MS_BIND a folder, at `target`."""
    result = _libc.mount(
        os.fsencode(source), os.fsencode(target), kind.encode() or None, ctypes.c_ulong(flags), options.encode() or None
    )
    _checked(result, f"mount {kind or 'bind'} {source} at {target} ({options[:200]})")


def unmount(target: str) -> None:
    """Detach a mount. It disappears once nothing uses it."""
    _checked(_libc.umount2(os.fsencode(target), MNT_DETACH), f"umount {target}")


def make_read_only(target: str) -> None:
    """Make a mount and all mounts below it read-only, without set-user-ID programs and devices."""
    attributes = _MOUNT_ATTR_RDONLY | _MOUNT_ATTR_NOSUID | _MOUNT_ATTR_NODEV
    change = ctypes.create_string_buffer(struct.pack("=QQQQ", attributes, 0, 0, 0))
    result = _libc.syscall(
        _SYS_MOUNT_SETATTR, _AT_FDCWD, os.fsencode(target), _AT_RECURSIVE, change, ctypes.c_size_t(32)
    )
    _checked(result, f"mount_setattr read-only {target}")


def pivot_root(new: str, old: str) -> None:
    """Make `new` the root, and mount the old root at `old`."""
    _checked(_libc.syscall(_number(_SYS_PIVOT_ROOT), new.encode(), old.encode()), f"pivot_root {new}")


def prctl(option: int, *arguments: int) -> None:
    """Call prctl with one of the PR_ options above."""
    _checked(_libc.prctl(option, *(ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0)[:4])), f"prctl({option})")


def set_name(name: str) -> None:
    """Set the process name that `ps` shows."""
    text = ctypes.create_string_buffer(name.encode()[:15])
    prctl(PR_SET_NAME, ctypes.addressof(text))


def sethostname(name: str) -> None:
    """Set the host name of this UTS namespace."""
    raw = name.encode()
    _checked(_libc.sethostname(raw, len(raw)), "sethostname")


def drop_capabilities() -> None:
    """Drop every capability, for this process and for programs that it executes."""
    for capability in range(64):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:
            break  # past the last capability of this kernel
    header = ctypes.create_string_buffer(struct.pack("=Ii", 0x20080522, 0))
    nothing = ctypes.create_string_buffer(24)
    _checked(_libc.syscall(_number(_SYS_CAPSET), header, nothing), "capset")


def open_inside(
    path: str, flags: int, mode: int = 0, *, folder: int = _AT_FDCWD, resolve: int = RESOLVE_NO_MAGICLINKS
) -> int:
    """Open a path without following magic links of /proc.

    A program can create a symlink to `/proc/1/fd/5`. If the keeper followed it, it would open its own file.
    """
    flags |= os.O_CLOEXEC
    how = ctypes.create_string_buffer(struct.pack("=QQQ", flags, mode, resolve))
    fd = int(_libc.syscall(_SYS_OPENAT2, folder, os.fsencode(path), how, ctypes.c_size_t(24)))
    if fd >= 0:
        return fd
    number = ctypes.get_errno()
    if number == errno.ENOSYS:  # before Linux 5.6 there are no namespace sandboxes, and bare ones make no such promise
        return os.open(path, flags, mode, dir_fd=None if folder == _AT_FDCWD else folder)
    raise OSError(number, os.strerror(number), path)


def close_on_exec(first: int) -> None:
    """Set close-on-exec for every file descriptor from this number on."""
    _checked(
        _libc.syscall(_SYS_CLOSE_RANGE, ctypes.c_uint(first), ctypes.c_uint(0xFFFFFFFF), _CLOSE_RANGE_CLOEXEC),
        "close_range",
    )


def blank_command_line(name: str) -> None:
    """Replace the command line that `ps` shows, because it names folders of the host."""
    with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    start, end = int(fields[45]), int(fields[46])  # arg_start and arg_end: fields 48 and 49 in proc(5)
    ctypes.memset(start, 0, end - start)
    ctypes.memmove(start, name.encode(), min(len(name), end - start - 1))


def write_text(path: str, text: str) -> None:
    """Write to a file of /proc or a cgroup, in a single write call."""
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def _number(numbers: dict[str, int]) -> int:
    if MACHINE not in numbers:
        raise OSError(errno.ENOSYS, f"sandboxes need {' or '.join(numbers)}, this machine is {MACHINE}")
    return numbers[MACHINE]
