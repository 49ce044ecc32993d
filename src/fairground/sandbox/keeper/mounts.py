"""The file system of a sandbox: the machine's programs read-only, everything else private.

Only listed paths of the machine are visible, namely those that programs need. Other content of /opt, /var or /usr/local
is private: results, databases, checkouts.
"""

from __future__ import annotations

import errno
import os
import stat

from . import kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

USER, UID = "user", 1000
HOME = f"/home/{USER}"

BACKSTAGE = "/run/backstage"
"""For the files of backstage programs. Other programs can only read them."""

_READ_ONLY = ("usr", "opt")
_WRITABLE = ("etc", "var")
_DISPLAYS = "/tmp/.X11-unix"
_LOCAL = ("bin", "sbin", "lib", "libexec", "share", "games", "include", "etc")
# Dictionaries, fonts, keyboard layouts and similar data of packages. Programs of a layer bring their own.
_VAR = {
    "lib": (
        "aspell", "dbus", "dictionaries-common", "ghostscript", "ispell", "libreoffice", "misc", "sgml-base", "texmf",
        "xfonts", "xkb", "xml-core",
    ),
    "cache": ("fontconfig", "fonts"),
}  # fmt: skip
_SYSTEM_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_MASKED = ("/etc/ssh",)  # readable by everyone on some machines, and not needed inside
# Trees of the sandbox's own: nothing of the host is in them, but a host path may have the same name (/home/user/runs).
_OWN = ("/dev", "/home", "/proc", "/run", "/sys", "/tmp")
_INODES = 200_000  # maximum files per in-memory tree; each costs the kernel about a kilobyte
_TERMINALS = 64


class Outside:
    """The machine's own folders, as far as they are needed inside.

    An overlay refuses a folder that has other mounts below it (a container's /etc/hosts, a disk at /var/lib), unless
    the caller may unmount them. Root may. So as root we first take these folders without the mounts in them, and then
    drop our privileges. Without root, such a folder is shown as it is, read-only.
    """

    def __init__(self, staged: str = "") -> None:
        self._staged = staged
        self.mounted = _mount_points()

    @staticmethod
    def as_root() -> Outside:
        """Stage the folders for overlays, if something is mounted below one of them and we may mount."""
        outside = Outside()
        names = [name for name in (*_READ_ONLY, *_WRITABLE) if outside.below(name)]
        if not names:
            return outside
        try:
            kernel.unshare(kernel.CLONE_NEWNS)
            kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
            place = "/sys"  # not used from here on
            kernel.mount("tmpfs", place, "tmpfs", 0, "mode=755")
            for name in names:
                os.mkdir(f"{place}/{name}")
                kernel.mount(f"/{name}", f"{place}/{name}", "", kernel.MS_BIND)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EACCES, errno.EINVAL):
                raise
            return outside  # root of a container, without permission to mount or to unmount
        outside._staged = place
        return outside

    def below(self, name: str) -> list[str]:
        """Mount points below one of the machine's folders. Of nested mounts, only the outermost."""
        outermost: list[str] = []
        for path in sorted(path for path in self.mounted if path.startswith(f"/{name}/")):
            if not any(path.startswith(f"{outer}/") for outer in outermost):
                outermost.append(path)
        return outermost

    def open(self, name: str) -> int:
        """Open a folder of the machine, with all mounts in it."""
        return os.open(f"/{name}", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)

    def open_alone(self, name: str) -> int:
        """Open a folder of the machine, without the mounts in it if possible."""
        mounted = "/" in name and f"/{name}" in self.mounted  # itself a mount, so it is not in the tree above
        staged = self._staged and not mounted and os.path.isdir(f"{self._staged}/{name}")
        return self.open(f"{self._staged[1:]}/{name}" if staged else name)


def build(order: dict[str, Any], outside: Outside) -> None:
    """Create the new root and move into it. Must run in its own user, mount and pid namespaces.

    Args:
        order: What to create: `layers` (open folders, lowest first), `writable` (an open folder that keeps what is
            written, or None for memory), `disk` (bytes for each tree in memory), `opt` (names in /opt to show), `hide`
            (paths to cover) and `hostname`.
        outside: The machine's own folders.
    """
    _Builder(order, outside).build()


def enter_inner() -> None:
    """Restrict a new mount namespace to what programs may see and change."""
    kernel.mount("proc", "/proc", "proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
    # Programs must not change /etc: a preloaded library there would run in every program.
    for path in ("/etc", "/var", BACKSTAGE, _DISPLAYS):
        _remount_read_only(path)


class _Builder:
    def __init__(self, order: dict[str, Any], outside: Outside) -> None:
        self.layers: list[int] = order["layers"]
        self.writable: int | None = order["writable"]
        self.disk: int = order["disk"]
        self.order = order
        self.outside = outside
        self.opened = [*self.layers] if self.writable is None else [*self.layers, self.writable]

    def build(self) -> None:
        kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
        for number, fd in enumerate(self.layers):
            _check_readable(fd, f"layer {number + 1}")
        devices = {name: self._keep(os.open(f"/dev/{name}", os.O_PATH | os.O_CLOEXEC)) for name in _DEVICES}
        links = {name: os.readlink(f"/{name}") for name in _SYSTEM_LINKS if os.path.islink(f"/{name}")}
        unmerged = [name for name in _SYSTEM_LINKS if os.path.isdir(f"/{name}") and name not in links]
        programs = [name for name in ("usr", *unmerged) if os.path.isdir(f"/{name}")]
        complete = {name: self._keep(self.outside.open(name)) for name in (*programs, "etc")}
        alone = {name: self._keep(self.outside.open_alone(name)) for name in (*programs, "etc")}
        local = self._open_parts("usr/local", _LOCAL)
        opt = self._open_parts("opt", self.order["opt"])
        var = {name: self._open_parts(f"var/{name}", parts) for name, parts in _VAR.items()}
        below = self.outside.below("usr") if self._lowers("usr") else []
        again = {path: self._keep(os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in below}

        root = "/tmp"  # any existing folder: its content is hidden from here on, but still open by file descriptor
        self._tmpfs(root, 4 << 20, "755")
        os.chdir(root)
        folders = ("proc", "sys", "dev", "run", "tmp", "home", "root", "mnt", "media", "srv", ".rw")
        for name in (*folders, *programs, "opt", *_WRITABLE):
            os.mkdir(name, 0o755)
        for name, target in links.items():
            os.symlink(target, name)
        self._tmpfs(".rw", self.disk, "755")
        os.mkdir(".rw/.nothing")
        for name in programs:
            self._mount_programs(name, complete[name], alone[name])
        for path, fd in again.items():
            if os.path.isdir(f".{path}") and not os.path.ismount(f".{path}"):
                self._bind(f".{path}", fd)
        if os.path.isdir("usr/local") and not os.path.islink("usr/local"):
            self._mount_parts("usr/local", local)
        self._mount_parts("opt", opt)
        self._mount_etc(complete["etc"], alone["etc"])
        self._mount_var(var)
        os.mkdir(f".{HOME}", 0o755)
        self._overlay(f".{HOME}", self._lowers("home"), "home")
        kernel.unmount(".rw")
        os.rmdir(".rw")

        self._tmpfs("tmp", self.disk, "1777")
        self._tmpfs("run", 64 << 20, "755")
        for folder in ("run/user", f"run/user/{UID}", "run/lock"):
            os.mkdir(folder, 0o700 if folder.endswith(str(UID)) else 0o755)
        for folder, mode in ((BACKSTAGE[1:], "755"), (_DISPLAYS[1:], "1777")):
            os.mkdir(folder)
            self._tmpfs(folder, 64 << 20, mode)
        self._mount_devices(devices)
        kernel.mount("proc", "proc", "proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)

        kernel.pivot_root(".", ".")
        kernel.unmount(".")
        os.chdir("/")
        for path in (*_MASKED, *self.order["hide"]):  # last, so that links in a path resolve as they do inside
            if not f"{os.path.realpath(path)}/".startswith(tuple(f"{own}/" for own in _OWN)):
                _cover(path)
        _remount_read_only("/")
        for fd in self.opened:
            os.close(fd)

    def _keep(self, fd: int) -> int:
        self.opened.append(fd)
        return fd

    def _tmpfs(self, target: str, size: int, mode: str) -> None:
        options = f"size={size},mode={mode},nr_inodes={_INODES}"
        kernel.mount("tmpfs", target, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, options)

    def _lowers(self, name: str) -> list[str]:
        """The layers that contain a tree, highest first."""
        places = [_by_number(fd, name) for fd in reversed(self.layers)]
        return [place for place in places if os.path.isdir(place)]

    def _open_parts(self, tree: str, names: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Open the existing subfolders with these names: each with all mounts in it, and without."""
        existing = [
            name for name in names if os.path.isdir(f"/{tree}/{name}") and not os.path.islink(f"/{tree}/{name}")
        ]
        openers = (self.outside.open, self.outside.open_alone)
        return {
            name: (self._keep(openers[0](path)), self._keep(openers[1](path)))
            for name in existing
            if (path := f"{tree}/{name}")
        }

    def _mount_programs(self, name: str, complete: int, alone: int) -> None:
        if lowers := self._lowers(name):
            self._stack(name, [*lowers, _by_number(alone)])
        else:
            # A bind, not an overlay, so that all sandboxes share the kernel's cache of the machine's programs.
            self._bind(name, complete)

    def _mount_parts(self, tree: str, parts: dict[str, tuple[int, int]]) -> None:
        """Show only these parts of one of the machine's folders, and everything that layers have in it.

        As overlays, because through a read-only bind a program could connect to a socket file of a server on the host.
        """
        in_layers = {name for place in self._lowers(tree) for name in os.listdir(place)}
        self._tmpfs(tree, 1 << 20, "755")
        for name in sorted({*parts, *in_layers}):
            lowers = self._lowers(f"{tree}/{name}")
            if not lowers and name not in parts:
                self._copy_leaf(f"{tree}/{name}")
                continue
            os.mkdir(f"{tree}/{name}")
            if name not in parts:
                self._stack(f"{tree}/{name}", [".rw/.nothing", *lowers])
                continue
            complete, alone = parts[name]
            try:
                self._stack(f"{tree}/{name}", [*(lowers or [".rw/.nothing"]), _by_number(alone)])
            except OSError as error:
                if error.errno != errno.EINVAL or lowers:
                    raise
                self._bind(f"{tree}/{name}", complete)
                continue
            for path in self.outside.below(f"{tree}/{name}"):
                if os.path.isdir(f".{path}"):
                    self._bind(f".{path}", self._keep(os.open(path, os.O_PATH | os.O_CLOEXEC)))
        _remount_read_only(tree)

    def _copy_leaf(self, path: str) -> None:
        """Copy a link or regular file at the top of a tree from the highest layer that has it."""
        for fd in reversed(self.layers):
            source = _by_number(fd, path)
            if os.path.islink(source):
                os.symlink(os.readlink(source), path)
            elif os.path.isfile(source):
                os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))
                kernel.mount(source, path, "", kernel.MS_BIND)
                kernel.make_read_only(path)
            else:
                continue
            return

    def _mount_etc(self, complete: int, alone: int) -> None:
        """Mount the machine's settings. Files may be added and changed in them."""
        upper, lowers = self._upper("etc"), self._lowers("etc")
        tables = (_first_file([*lowers, _by_number(alone)], table) for table in ("passwd", "group"))
        _write_identity(upper, self.order["hostname"], *tables)
        try:
            self._overlay("etc", [*lowers, _by_number(alone)], "etc")
        except OSError as error:
            if error.errno != errno.EINVAL or lowers:
                raise
            kernel.mount(_by_number(complete), "etc", "", kernel.MS_BIND | kernel.MS_REC)
            for file in os.listdir(upper):
                if os.path.isfile(f"etc/{file}") and not os.path.islink(f"etc/{file}"):
                    kernel.mount(f"{upper}/{file}", f"etc/{file}", "", kernel.MS_BIND)
            kernel.make_read_only("etc")

    def _mount_var(self, parts: dict[str, dict[str, tuple[int, int]]]) -> None:
        """Mount the /var of the layers, the data of packages, and an empty writable part."""
        self._overlay("var", self._lowers("var"), "var")
        for folder, names in parts.items():
            for name, (complete, alone) in names.items():
                place = f"var/{folder}/{name}"
                lowers = self._lowers(place)
                os.makedirs(place, exist_ok=True)
                if lowers:
                    self._stack(place, [*lowers, _by_number(alone)])
                else:
                    self._bind(place, complete)
        os.makedirs("var/tmp", exist_ok=True)
        self._tmpfs("var/tmp", self.disk, "1777")
        for name, target in (("run", "/run"), ("lock", "/run/lock")):
            if not os.path.lexists(f"var/{name}"):
                os.symlink(target, f"var/{name}")

    def _bind(self, target: str, source: int) -> None:
        kernel.mount(_by_number(source), target, "", kernel.MS_BIND | kernel.MS_REC)
        kernel.make_read_only(target)

    def _stack(self, target: str, lowers: list[str]) -> None:
        options = f"lowerdir={':'.join(lowers)},userxattr"
        kernel.mount("overlay", target, "overlay", kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV, options)

    def _upper(self, name: str) -> str:
        base = ".rw" if self.writable is None else _by_number(self.writable)
        os.makedirs(f"{base}/{name}", exist_ok=True)
        return f"{base}/{name}"

    def _overlay(self, target: str, lowers: list[str], name: str) -> None:
        upper, work = self._upper(name), self._upper(f".work/{name}")
        options = f"lowerdir={':'.join(lowers or ['.rw/.nothing'])},upperdir={upper},workdir={work},userxattr"
        kernel.mount("overlay", target, "overlay", kernel.MS_NOSUID | kernel.MS_NODEV, options)

    def _mount_devices(self, devices: dict[str, int]) -> None:
        self._tmpfs("dev", 1 << 20, "755")
        for name, fd in devices.items():
            os.close(os.open(f"dev/{name}", os.O_CREAT | os.O_WRONLY, 0o666))
            kernel.mount(_by_number(fd), f"dev/{name}", "", kernel.MS_BIND)
        os.mkdir("dev/pts")
        options = f"newinstance,ptmxmode=0666,mode=620,max={_TERMINALS}"
        kernel.mount("devpts", "dev/pts", "devpts", kernel.MS_NOSUID | kernel.MS_NOEXEC, options)
        os.mkdir("dev/shm")
        self._tmpfs("dev/shm", self.disk, "1777")
        for link, target in (
            ("ptmx", "pts/ptmx"),
            ("fd", "/proc/self/fd"),
            ("stdin", "/proc/self/fd/0"),
            ("stdout", "/proc/self/fd/1"),
            ("stderr", "/proc/self/fd/2"),
        ):
            os.symlink(target, f"dev/{link}")


def _mount_points() -> list[str]:
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
        points = [line.split(" ")[4] for line in file]
    # Spaces, tabs, line feeds and backslashes are octal escapes.
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        points = [point.replace(code, character) for point in points]
    return points


def _by_number(fd: int, name: str = "") -> str:
    # By file descriptor, because this user may not be able to enter the folders above.
    return f"/proc/self/fd/{fd}/{name}" if name else f"/proc/self/fd/{fd}"


def _check_readable(fd: int, what: str) -> None:
    """Check a layer, because an overlay silently omits one that cannot be read."""
    try:
        os.listdir(_by_number(fd))
    except OSError as error:
        path = os.readlink(_by_number(fd))
        raise OSError(error.errno, f"{what}, {path}, cannot be read by the sandbox's user: {error.strerror}") from None


def _first_file(places: list[str], name: str) -> str:
    for place in places:
        if os.path.isfile(f"{place}/{name}"):
            with open(f"{place}/{name}", encoding="utf-8", errors="replace") as file:
                return file.read(1 << 20)
    return ""


def _remount_read_only(target: str) -> None:
    flags = kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV
    kernel.mount("none", target, "", flags)


def _cover(path: str) -> None:
    """Cover a path with something empty, if it exists."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return
    if stat.S_ISDIR(mode):
        options = "size=64k,mode=755"
        kernel.mount("tmpfs", path, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_RDONLY, options)
    elif not stat.S_ISLNK(mode):
        kernel.mount("/dev/null", path, "", kernel.MS_BIND)


def _write_identity(etc: str, hostname: str, passwd: str, group: str) -> None:
    """Write a fixed user name and host name that do not reveal those of the host."""

    def with_user(table: str, row: str) -> str:
        rows = [line.split(":") for line in table.splitlines()]
        other_rows = [":".join(fields) for fields in rows if fields[0] != USER and fields[2:3] != [str(UID)]]
        return "\n".join([*other_rows, row]) + "\n"

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
