"""Installed Debian packages and their versions, read from dpkg's status file without running dpkg."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from fairground.core import MissingPrerequisite

_STATUS = "var/lib/dpkg/status"


def package_versions(packages: Iterable[str], layers: Sequence[Path] = ()) -> dict[str, str]:
    """Return the version of each package, on this machine with these layers over it.

    Raises:
        MissingPrerequisite: Some packages are missing. The fix is one command that installs all of them.
    """
    places = [*(layer / _STATUS for layer in reversed(layers)), Path("/") / _STATUS]
    status = next((place for place in places if place.is_file()), None)
    if status is None:
        return dict.fromkeys(packages, "unknown: no dpkg on this machine")
    info = status.stat()
    installed = _read(status, info.st_mtime_ns, info.st_size)
    wanted = list(packages)
    missing = [name for name in wanted if name not in installed]
    if missing:
        raise MissingPrerequisite(
            f"{'packages' if len(missing) > 1 else 'package'} {', '.join(missing)} not installed",
            fix=f"apt-get install --no-install-recommends {' '.join(missing)}   (as root)",
        )
    return {name: installed[name] for name in wanted}


def machine_state() -> str:
    """Return a digest of the packages installed on this machine. It changes with every package."""
    status = Path("/") / _STATUS
    if not status.is_file():
        return "no dpkg"
    info = status.stat()
    return _digest(status, info.st_mtime_ns, info.st_size)


@lru_cache(maxsize=4)
def _digest(status: Path, _modified: int, _size: int) -> str:
    return hashlib.blake2b(status.read_bytes(), digest_size=16).hexdigest()


@lru_cache(maxsize=16)
def _read(status: Path, _modified: int, _size: int) -> dict[str, str]:
    versions: dict[str, str] = {}
    for block in status.read_text(encoding="utf-8", errors="replace").split("\n\n"):
        fields = dict(
            line.split(": ", 1) for line in block.splitlines() if ": " in line and not line.startswith((" ", "\t"))
        )
        if fields.get("Status", "").endswith(" installed"):
            versions[fields["Package"]] = fields.get("Version", "")
    return versions
