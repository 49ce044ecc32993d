"""Where answers lie on this machine: code of suites, of Fairground, of the environment they are installed in."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import Distribution, entry_points
from pathlib import Path
from urllib.parse import unquote, urlparse

_PROJECT_FILES = ("pyproject.toml", "setup.py")
# Never hidden as a whole, even if somebody keeps a project right there: programs inside live in them.
_SYSTEM = {
    Path(path) for path in ("/", "/usr", "/usr/local", "/usr/lib", "/usr/share", "/opt", "/etc", "/var", "/var/lib")
}


@cache
def hidden_paths() -> tuple[Path, ...]:
    """Paths that are never to be seen from inside, wherever they are installed. Looked up once a process."""
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
    """A package's folder, and the project around it when it runs from its sources: tests know answers too."""
    package = package.resolve()
    for folder in package.parents[:2]:
        if any((folder / name).is_file() for name in _PROJECT_FILES):
            return {package, folder}
    return {package}


def _distribution_paths(distribution: Distribution) -> Iterator[Path]:
    """What an installed package put on the disk, by the folder that it shares with no other."""
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
