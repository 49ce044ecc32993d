"""The file system of a sandbox: the machine's programs read-only, everything else private.

What is shown of the machine is a list of what programs need. Everything else that lies in /opt, /var or /usr/local
belongs to somebody: results, databases, checkouts.
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
"""For the files of programs that run backstage; others can only read them."""

_READ_ONLY = ("usr", "opt")
_WRITABLE = ("etc", "var")
_DISPLAYS = "/tmp/.X11-unix"
_LOCAL = ("bin", "sbin", "lib", "libexec", "share", "games", "include", "etc")
# Dictionaries, fonts, keyboard layouts and the like, which packages keep there. Programs of a layer bring their own.
_VAR = {
    "lib": (
        "aspell", "dbus", "dictionaries-common", "ghostscript", "ispell", "libreoffice", "misc", "sgml-base", "texmf",
        "xfonts", "xkb", "xml-core",
    ),
    "cache": ("fontconfig", "fonts"),
}  # fmt: skip
_SYSTEM_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_MASKED = ("/etc/ssh",)  # readable by everybody on some machines, and nobody's business inside
_INODES = 200_000  # files that each tree in memory may hold; each costs the kernel about a kilobyte
_TERMINALS = 64


class Outside:
    """The machine's own folders, as far as they are needed inside.

    An overlay refuses a folder below which something else is mounted (a container's /etc/hosts, a disk at
    /var/lib), unless whoever mounts may uncover it. Root may: so as root we take those folders without what is
    mounted in them, before giving our rights away. Without root such a tree is shown as it is, read-only.
    """

    def __init__(self, staged: str = "") -> None:
        self._staged = staged
        self.mounted = _mount_points()

    @staticmethod
    def as_root() -> Outside:
        """Stages the folders for overlays, when something is mounted below one of them and we may mount."""
        outside = Outside()
        names = [name for name in (*_READ_ONLY, *_WRITABLE) if outside.below(name)]
        if not names:
            return outside
        try:
            kernel.unshare(kernel.CLONE_NEWNS)
            kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
            place = "/sys"  # nothing of it is used from here on
            kernel.mount("tmpfs", place, "tmpfs", 0, "mode=755")
            for name in names:
                os.mkdir(f"{place}/{name}")
                kernel.mount(f"/{name}", f"{place}/{name}", "", kernel.MS_BIND)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EACCES, errno.EINVAL):
                raise
            return outside  # root of a container, who may not mount or not uncover
        outside._staged = place
        return outside

    def below(self, name: str) -> list[str]:
        """What is mounted somewhere below one of the machine's folders; of nested mounts, the outermost."""
        found: list[str] = []
        for path in sorted(path for path in self.mounted if path.startswith(f"/{name}/")):
            if not any(path.startswith(f"{outer}/") for outer in found):
                found.append(path)
        return found

    def open(self, name: str) -> int:
        """A folder of the machine, with all that is mounted in it."""
        return os.open(f"/{name}", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)

    def open_alone(self, name: str) -> int:
        """The same, without what is mounted in it if that could be had."""
        mounted = "/" in name and f"/{name}" in self.mounted  # itself, so that it is not in the tree above
        staged = self._staged and not mounted and os.path.isdir(f"{self._staged}/{name}")
        return self.open(f"{self._staged[1:]}/{name}" if staged else name)


def build(order: dict[str, Any], outside: Outside) -> None:
    """Makes the new root and moves into it. Must run in its own user, mount and pid namespaces.

    Args:
        order: What to make: `layers` (open folders, lowest first), `writable` (an open folder that keeps what is
            written, or None for memory), `disk` (bytes for each tree in memory), `opt` (names in /opt to show), `hide`
            (paths to cover) and `hostname`.
        outside: The machine's own folders.
    """
    _Builder(order, outside).build()


def enter_inner() -> None:
    """Narrows the view of a new mount namespace to what programs may see and change."""
    kernel.mount("proc", "/proc", "proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
    # Nobody but us has anything to change in /etc: a preloaded library there would run in every program.
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
        whole = {name: self._keep(self.outside.open(name)) for name in (*programs, "etc")}
        alone = {name: self._keep(self.outside.open_alone(name)) for name in (*programs, "etc")}
        local = self._open_parts("usr/local", _LOCAL)
        opt = self._open_parts("opt", self.order["opt"])
        var = {name: self._open_parts(f"var/{name}", parts) for name, parts in _VAR.items()}
        below = self.outside.below("usr") if self._lowers("usr") else []
        again = {path: self._keep(os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in below}

        root = "/tmp"  # any folder that exists: what it held is hidden from here on, and open by number
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
            self._mount_programs(name, whole[name], alone[name])
        for path, fd in again.items():
            if os.path.isdir(f".{path}") and not os.path.ismount(f".{path}"):
                self._bind(f".{path}", fd)
        if os.path.isdir("usr/local") and not os.path.islink("usr/local"):
            self._mount_parts("usr/local", local)
        self._mount_parts("opt", opt)
        self._mount_etc(whole["etc"], alone["etc"])
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
        for path in (*_MASKED, *self.order["hide"]):  # only now, so that links in a path lead where they lead inside
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
        """The layers that have something for a tree, highest first."""
        places = [_by_number(fd, name) for fd in reversed(self.layers)]
        return [place for place in places if os.path.isdir(place)]

    def _open_parts(self, tree: str, names: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Those of a folder's folders that are there: each with all that is mounted in it, and without."""
        found = [name for name in names if os.path.isdir(f"/{tree}/{name}") and not os.path.islink(f"/{tree}/{name}")]
        openers = (self.outside.open, self.outside.open_alone)
        return {
            name: (self._keep(openers[0](path)), self._keep(openers[1](path)))
            for name in found
            if (path := f"{tree}/{name}")
        }

    def _mount_programs(self, name: str, whole: int, alone: int) -> None:
        if lowers := self._lowers(name):
            self._stack(name, [*lowers, _by_number(alone)])
        else:
            # A bind, not an overlay: every sandbox shares what the kernel has cached of the machine's programs.
            self._bind(name, whole)

    def _mount_parts(self, tree: str, parts: dict[str, tuple[int, int]]) -> None:
        """Shows, of one of the machine's folders, only these, and all that layers have in it.

        Stacked over nothing, because a read-only bind would let a program connect to a server of the host that has
        its socket there.
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
            whole, alone = parts[name]
            try:
                self._stack(f"{tree}/{name}", [*(lowers or [".rw/.nothing"]), _by_number(alone)])
            except OSError as error:
                if error.errno != errno.EINVAL or lowers:
                    raise
                self._bind(f"{tree}/{name}", whole)
                continue
            for path in self.outside.below(f"{tree}/{name}"):
                if os.path.isdir(f".{path}"):
                    self._bind(f".{path}", self._keep(os.open(path, os.O_PATH | os.O_CLOEXEC)))
        _remount_read_only(tree)

    def _copy_leaf(self, path: str) -> None:
        """A link or a plain file that the highest layer with it has at the top of a tree."""
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

    def _mount_etc(self, whole: int, alone: int) -> None:
        """The machine's settings, in which files may be added and changed."""
        upper, lowers = self._upper("etc"), self._lowers("etc")
        tables = (_first_file([*lowers, _by_number(alone)], table) for table in ("passwd", "group"))
        _write_identity(upper, self.order["hostname"], *tables)
        try:
            self._overlay("etc", [*lowers, _by_number(alone)], "etc")
        except OSError as error:
            if error.errno != errno.EINVAL or lowers:
                raise
            kernel.mount(_by_number(whole), "etc", "", kernel.MS_BIND | kernel.MS_REC)
            for file in os.listdir(upper):
                if os.path.isfile(f"etc/{file}") and not os.path.islink(f"etc/{file}"):
                    kernel.mount(f"{upper}/{file}", f"etc/{file}", "", kernel.MS_BIND)
            kernel.make_read_only("etc")

    def _mount_var(self, parts: dict[str, dict[str, tuple[int, int]]]) -> None:
        """What layers have in /var, what packages keep there, and room for more."""
        self._overlay("var", self._lowers("var"), "var")
        for folder, names in parts.items():
            for name, (whole, alone) in names.items():
                place = f"var/{folder}/{name}"
                lowers = self._lowers(place)
                os.makedirs(place, exist_ok=True)
                if lowers:
                    self._stack(place, [*lowers, _by_number(alone)])
                else:
                    self._bind(place, whole)
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
    # Blanks, tabs, line feeds and backslashes are written as octal numbers.
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        points = [point.replace(code, character) for point in points]
    return points


def _by_number(fd: int, name: str = "") -> str:
    # By number, because the path may lie below folders that this user cannot enter.
    return f"/proc/self/fd/{fd}/{name}" if name else f"/proc/self/fd/{fd}"


def _check_readable(fd: int, what: str) -> None:
    """A layer that cannot be read would be left out without a word."""
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
    """Puts something empty over a path, if it is there at all."""
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
