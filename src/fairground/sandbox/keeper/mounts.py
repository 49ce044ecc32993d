"""The file system of a sandbox: the machine's programs read-only, everything else private."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass

from . import kernel

USER, UID = "user", 1000
HOME = f"/home/{USER}"
LOGS = "/run/keeper"

_READ_ONLY = ("usr", "opt")
_OVERLAID = ("etc", "var")
_SYSTEM_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
# Readable by everybody on some machines, and nobody's business inside.
_MASKED = ("/var/mail", "/var/spool", "/var/backups", "/var/log", "/etc/ssh", "/var/lib/docker")


@dataclass(frozen=True)
class Layout:
    """What to mount.

    Attributes:
        layers: Open folders (file numbers), lowest first.
        writable: Open folder that keeps what is written, or None for memory.
        disk: Bytes for each tree that is kept in memory.
        hide: Paths to cover.
        hostname: The machine's name inside.
    """

    layers: Sequence[int]
    writable: int | None
    disk: int
    hide: Sequence[str]
    hostname: str


def build(layout: Layout) -> None:
    """Makes the new root and moves into it. Must run in its own user, mount and pid namespaces."""
    kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    host = {name: _open_folder(f"/{name}") for name in (*_READ_ONLY, *_OVERLAID) if os.path.isdir(f"/{name}")}
    devices = {name: os.open(f"/dev/{name}", os.O_PATH | os.O_CLOEXEC) for name in _DEVICES}
    links = {name: os.readlink(f"/{name}") for name in _SYSTEM_LINKS if os.path.islink(f"/{name}")}
    unmerged = [name for name in _SYSTEM_LINKS if os.path.isdir(f"/{name}") and not os.path.islink(f"/{name}")]
    host |= {name: _open_folder(f"/{name}") for name in unmerged}

    root = "/tmp"  # any folder that exists: what it held is hidden from here on, and open by number
    _tmpfs(root, 4 << 20, "755")
    os.chdir(root)
    for name in ("proc", "sys", "dev", "run", "tmp", "home", "root", "mnt", "media", "srv", ".rw", *host):
        os.mkdir(name, 0o755)
    for name, target in links.items():
        os.symlink(target, name)

    _tmpfs(".rw", layout.disk, "755")
    for name in (*_READ_ONLY, *unmerged):
        if name in host:
            _mount_read_only(name, host[name], layout)
    for name in _OVERLAID:
        upper = _upper(layout, name)
        if name == "etc":
            _write_identity(upper, layout.hostname, *(_lower_file(layout, host, f"etc/{n}") for n in ("passwd", "group")))
        _overlay(name, _lowers(layout, name, host.get(name)), upper, _work(layout, name))
    os.mkdir(f".{HOME}", 0o755)
    _overlay(f".{HOME}", _lowers(layout, "home", None), _upper(layout, "home"), _work(layout, "home"))
    kernel.unmount(".rw")
    os.rmdir(".rw")

    _tmpfs("tmp", layout.disk, "1777")
    if os.path.isdir("var/tmp"):
        _tmpfs("var/tmp", layout.disk, "1777")
    _tmpfs("run", 64 << 20, "755")
    for folder in ("run/user", f"run/user/{UID}", "run/lock", f".{LOGS}"):
        os.mkdir(folder, 0o700 if folder.endswith((str(UID), "keeper")) else 0o755)
    _tmpfs(f".{LOGS}", 16 << 20, "700")
    os.makedirs("tmp/.X11-unix", mode=0o1777, exist_ok=True)
    _mount_devices(devices, layout.disk)
    kernel.mount("proc", "proc", "proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
    for path in (*_MASKED, *layout.hide):
        _cover(path)

    kernel.pivot_root(".", ".")
    kernel.unmount(".")
    os.chdir("/")
    _remount_read_only("/")
    for fd in (*host.values(), *devices.values(), *layout.layers):
        os.close(fd)
    if layout.writable is not None:
        os.close(layout.writable)


def _open_folder(path: str) -> int:
    return os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)


def _by_number(fd: int, name: str = "") -> str:
    # By number, because the path may lie below folders that this user cannot enter.
    return f"/proc/self/fd/{fd}/{name}" if name else f"/proc/self/fd/{fd}"


def _tmpfs(target: str, size: int, mode: str) -> None:
    options = f"size={size},mode={mode},nr_inodes=200000"
    kernel.mount("tmpfs", target, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, options)


def _lowers(layout: Layout, name: str, host: int | None) -> list[str]:
    found = [_by_number(fd, name) for fd in reversed(layout.layers) if os.path.isdir(_by_number(fd, name))]
    return [*found, _by_number(host)] if host is not None else found


def _lower_file(layout: Layout, host: dict[str, int], path: str) -> str:
    top, _, rest = path.partition("/")
    for place in [*(_by_number(fd, path) for fd in reversed(layout.layers)), f"{_by_number(host[top])}/{rest}"]:
        if os.path.isfile(place):
            with open(place, encoding="utf-8", errors="replace") as file:
                return file.read(1 << 20)
    return ""


def _upper(layout: Layout, name: str) -> str:
    base = ".rw" if layout.writable is None else _by_number(layout.writable)
    os.makedirs(f"{base}/{name}", exist_ok=True)
    return f"{base}/{name}"


def _work(layout: Layout, name: str) -> str:
    base = ".rw" if layout.writable is None else _by_number(layout.writable)
    os.makedirs(f"{base}/.work/{name}", exist_ok=True)
    return f"{base}/.work/{name}"


def _overlay(target: str, lowers: list[str], upper: str, work: str) -> None:
    if not lowers:
        os.makedirs(".rw/.nothing", exist_ok=True)
        lowers = [".rw/.nothing"]
    options = f"lowerdir={':'.join(lowers)},upperdir={upper},workdir={work},userxattr"
    kernel.mount("overlay", target, "overlay", kernel.MS_NOSUID | kernel.MS_NODEV, options)


def _mount_read_only(name: str, host: int, layout: Layout) -> None:
    lowers = _lowers(layout, name, host)
    if len(lowers) == 1:
        kernel.mount(lowers[0], name, "", kernel.MS_BIND | kernel.MS_REC)
        _remount_read_only(name)
    else:
        options = f"lowerdir={':'.join(lowers)},userxattr"
        kernel.mount("overlay", name, "overlay", kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV, options)


def _remount_read_only(target: str) -> None:
    # Flags that the host set are locked in a user namespace; leaving one out is refused.
    flags = kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV
    kept = os.statvfs(target).f_flag & (os.ST_NOEXEC | os.ST_NOATIME | os.ST_NODIRATIME | os.ST_RELATIME)
    relatime = 1 << 21 if kept & os.ST_RELATIME else 0
    kernel.mount("none", target, "", flags | (kept & ~os.ST_RELATIME) | relatime)


def _mount_devices(devices: dict[str, int], disk: int) -> None:
    _tmpfs("dev", 1 << 20, "755")
    for name, fd in devices.items():
        os.close(os.open(f"dev/{name}", os.O_CREAT | os.O_WRONLY, 0o666))
        kernel.mount(_by_number(fd), f"dev/{name}", "", kernel.MS_BIND)
    os.mkdir("dev/pts")
    kernel.mount("devpts", "dev/pts", "devpts", kernel.MS_NOSUID, "newinstance,ptmxmode=0666,mode=620")
    os.mkdir("dev/shm")
    _tmpfs("dev/shm", disk, "1777")
    for link, target in (
        ("ptmx", "pts/ptmx"),
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
    ):
        os.symlink(target, f"dev/{link}")


def _cover(path: str) -> None:
    """Puts something empty over a path, if it is there at all."""
    inside = f".{path}"
    try:
        mode = os.lstat(inside).st_mode
    except OSError:
        return
    if stat.S_ISDIR(mode):
        options = "size=64k,mode=755"
        kernel.mount("tmpfs", inside, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_RDONLY, options)
    elif stat.S_ISREG(mode):
        kernel.mount("./dev/null", inside, "", kernel.MS_BIND)


def _write_identity(etc: str, hostname: str, passwd: str, group: str) -> None:
    """A user of our own, whoever runs us, and a machine without the host's name."""

    def with_user(table: str, row: str) -> str:
        rows = [line.split(":") for line in table.splitlines()]
        kept = [":".join(fields) for fields in rows if fields[0] != USER and fields[2:3] != [str(UID)]]
        return "\n".join([*kept, row]) + "\n"

    files = {
        "passwd": with_user(passwd, f"{USER}:x:{UID}:{UID}:{USER}:{HOME}:/bin/bash"),
        "group": with_user(group, f"{USER}:x:{UID}:"),
        "hostname": f"{hostname}\n",
        "hosts": f"127.0.0.1 localhost {hostname}\n::1 localhost\n",
        "resolv.conf": "nameserver 10.0.2.3\n",
        "machine-id": "0123456789abcdef0123456789abcdef\n",
    }
    for name, text in files.items():
        path = f"{etc}/{name}"
        if os.path.lexists(path):
            os.unlink(path)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
