"""Host paths that programs in a sandbox never see.

These are answers (the code of suites and of Fairground, and the environment they are installed in), results (the
folders of runs, the arena's home), and system folders that belong to no package.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
import threading
from collections.abc import Iterator
from functools import cache
from importlib.metadata import Distribution, entry_points
from pathlib import Path
from urllib.parse import unquote, urlparse

from fairground.sandbox.layers import cache_folder
from fairground.sandbox.packaged import packaged

_PROJECT_FILES = ("pyproject.toml", "setup.py")
_PROGRAMS = {"bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec", "share", "games", "include", "local"}
# Never hidden as a whole, even if a project or results are stored directly there: programs inside need them.
_SYSTEM = {
    Path(path)
    for path in ("/", "/etc", "/home", "/opt", "/srv", "/tmp", "/usr", "/usr/local", "/var", "/var/lib", "/var/tmp")
} | {Path(above, name) for above in ("/usr", "/usr/local") for name in _PROGRAMS}
_SHOWN = {(name,) for name in ("usr", "etc", "opt", "var", "bin", "sbin", "lib", "lib32", "lib64", "libx32")}
_private: set[Path] = set()
_lock = threading.Lock()


def keep_private(folder: Path) -> None:
    """Hide a folder with results, and its siblings, from every sandbox that this process creates from now on."""
    for path in {folder.absolute(), folder.resolve()}:
        place = path if path.parent.resolve() in _SYSTEM else path.parent
        with _lock:
            if place not in _SYSTEM and not any(above in _private for above in (place, *place.parents)):
                _private.add(place)
                _private.update(_other_mounts(place))


def _other_mounts(place: Path) -> set[Path]:
    """Where else a folder is mounted (bind mounts), as far as a sandbox may show that part of the machine."""
    mounts = _mounts()
    around = [mount for mount in mounts if place.resolve().is_relative_to(mount[2])]
    if not around:
        return set()
    device, root, point = max(around, key=lambda mount: len(mount[2].parts))
    inside = root / place.resolve().relative_to(point)
    others = set()
    for other_device, other_root, other_point in mounts:
        if other_device != device or other_point == point:
            continue
        if inside.is_relative_to(other_root):
            others.add(other_point / inside.relative_to(other_root))
        elif other_root.is_relative_to(inside):
            others.add(other_point)
    return {path for path in others if path.parts[1:2] in _SHOWN} - _SYSTEM


def _mounts() -> list[tuple[str, Path, Path]]:
    """Return device, folder on it, and mount point of every mount; later ones cover earlier ones."""
    try:
        lines = Path("/proc/self/mountinfo").read_bytes().splitlines()
    except OSError:
        return []
    fields = [line.split(b" ") for line in lines]
    return [(os.fsdecode(field[2]), _unescaped(field[3]), _unescaped(field[4])) for field in fields]


def _unescaped(path: bytes) -> Path:
    return Path(os.fsdecode(re.sub(rb"\\([0-7]{3})", lambda match: bytes([int(match[1], 8)]), path)))


def hidden_now() -> tuple[Path, ...]:
    """All paths that the next sandbox must hide."""
    with _lock:
        private = tuple(_private)
    return (*hidden_paths(), cache_folder(), *private, *_unpackaged())


def _unpackaged() -> list[Path]:
    """System folders that are neither programs nor a package's settings."""
    known = {"/usr": _PROGRAMS, "/etc": packaged()["etc"]}
    return [
        Path(entry.path)
        for tree, names in known.items()
        for entry in os.scandir(tree)
        if entry.name not in names and entry.is_dir(follow_symlinks=False)
    ]


@cache
def hidden_paths() -> tuple[Path, ...]:
    """Paths of suites and of Fairground, wherever they are installed. Looked up once per process."""
    paths = _with_project(Path(__file__).parents[1])
    if sys.prefix != sys.base_prefix:
        paths.add(Path(sys.prefix))
    for point in entry_points(group="fairground.suites"):
        top = point.module.partition(".")[0]
        spec = importlib.util.find_spec(top)
        for folder in (spec.submodule_search_locations or []) if spec else []:
            paths |= _with_project(Path(folder))
        if spec and spec.origin and not spec.submodule_search_locations:
            paths |= {Path(spec.origin), Path(spec.origin).parent / "__pycache__"}
        if point.dist is not None:
            paths |= set(_distribution_paths(point.dist))
    return tuple(sorted({path.resolve() for path in paths} - _SYSTEM))


def _with_project(package: Path) -> set[Path]:
    """A package's folder, and its project folder if it runs from source, because tests contain answers too."""
    package = package.resolve()
    for folder in package.parents[:2]:
        if any((folder / name).is_file() for name in _PROJECT_FILES):
            return {package, folder}
    return {package}


def _distribution_paths(distribution: Distribution) -> Iterator[Path]:
    """The paths that an installed package owns alone."""
    site = Path(str(distribution.locate_file(""))).resolve()
    for file in distribution.files or []:
        place = Path(str(distribution.locate_file(file))).resolve()
        if place.is_relative_to(site):
            yield site / place.relative_to(site).parts[0]
        elif place.is_relative_to(Path(sys.prefix).resolve()):
            yield place
    origin = distribution.read_text("direct_url.json")
    if origin and (url := urlparse(json.loads(origin).get("url", ""))).scheme == "file":
        yield Path(unquote(url.path))
