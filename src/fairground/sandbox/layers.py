"""Checkpoints: folders with a content-addressed key over all their inputs.

A layer is built once, in a folder with a temporary name, and then renamed to its key. So an existing layer is always
complete, even if builds were killed. A changed input gives another key, so a stale layer is never used.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import stat
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairground.core import SandboxError, fingerprint
from fairground.sandbox.keeper.folder import remove_folder
from fairground.sandbox.kept import SANDBOX_UID

_META = "layer.json"
_OVERLAID = ("usr", "opt", "etc", "var")


def cache_folder() -> Path:
    """The folder of the cache: `FAIRGROUND_HOME`, or this user's cache folder."""
    if home := os.environ.get("FAIRGROUND_HOME"):
        return Path(home)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fairground"


@dataclass(frozen=True)
class Layer:
    """A finished checkpoint.

    Attributes:
        key: Content digest of its inputs.
        path: Folder with `usr`, `etc`, `home` and so on, for `SandboxSpec.layers`.
        log: Output of the scripts that built it.
        fresh: Whether it was built just now, rather than found.
    """

    key: str
    path: Path
    log: str
    fresh: bool


class LayerStore:
    """Layers in one folder, shared by all processes on this machine."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = (folder or cache_folder()).absolute() / "layers"
        if self.folder.parts[1] in _OVERLAID:
            raise SandboxError(
                f"checkpoints cannot be stored in {self.folder}: sandboxes are stacked over /{self.folder.parts[1]}",
                fix=f"set FAIRGROUND_HOME to a folder outside /{', /'.join(_OVERLAID)}",
            )
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SandboxError(
                f"checkpoints cannot be stored in {self.folder}: {error.strerror}",
                fix="set FAIRGROUND_HOME to a writable folder",
            ) from None

    def find(self, key: str) -> Layer | None:
        """Return the layer with this key if it exists."""
        path = self.folder / key
        try:
            meta = json.loads((path / _META).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # `prune` removes the least recently used
        return Layer(key, path / "tree", meta["log"], fresh=False)

    def build(self, inputs: Any, builder: Callable[[Path], str]) -> Layer:
        """Return the layer for these inputs. If it does not exist, `builder` creates it.

        Args:
            inputs: Plain data that identifies the content of everything the result depends on.
            builder: Fills the given folder and returns a log. If it raises, nothing is kept.
        """
        key = fingerprint(inputs)
        if layer := self.find(key):
            return layer
        with self._lock(key):
            if layer := self.find(key):
                return layer  # another process was faster
            work = self.folder / f"{key}.{uuid.uuid4().hex[:8]}.partial"
            try:
                tree = work / "tree"
                tree.mkdir(parents=True)
                if os.geteuid() == 0:
                    os.chown(tree, SANDBOX_UID, SANDBOX_UID)
                log = builder(tree)
                remove_tree(tree / ".work")
                meta = {"key": key, "inputs": inputs, "log": log, "built": time.time()}
                (work / _META).write_text(json.dumps(meta), encoding="utf-8")
                work.rename(self.folder / key)
            except OSError as error:
                raise SandboxError(f"checkpoint {key[:12]} cannot be written to {self.folder}: {error}") from error
            finally:
                remove_tree(work)
        return Layer(key, self.folder / key / "tree", log, fresh=True)

    def prune(self, keep: int = 200) -> int:
        """Remove all but the `keep` most recently used layers, and leftovers of killed builds. Returns how many."""
        entries = [path for path in self.folder.iterdir() if path.is_dir()]
        finished = sorted((path for path in entries if "." not in path.name), key=lambda path: path.stat().st_mtime)
        doomed = finished[: max(0, len(finished) - keep)]
        for path in entries:
            if path.suffix == ".partial":
                with self._lock(path.name.split(".")[0], wait=False) as held:
                    if held:
                        doomed.append(path)
        for path in doomed:
            remove_tree(path)
        return len(doomed)

    @contextlib.contextmanager
    def _lock(self, key: str, *, wait: bool = True) -> Iterator[bool]:
        path = self.folder / f"{key}.lock"
        with path.open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except BlockingIOError:
                yield False
                return
            yield True


def hash_path(path: Path) -> str:
    """Return a content digest of a file or folder: names, kinds, execute permissions, contents and link targets.

    Empty if the path does not exist.
    """
    if not os.path.lexists(path):
        return ""
    digest = hashlib.blake2b(digest_size=16)
    for entry in sorted(path.rglob("*")) if path.is_dir() else [path]:
        info = entry.lstat()
        if "__pycache__" in entry.parts:
            continue
        if stat.S_ISLNK(info.st_mode):
            content = os.readlink(entry).encode(errors="surrogateescape")
        elif stat.S_ISREG(info.st_mode):
            content = entry.read_bytes()
        else:
            content = b""
        name = "" if entry == path else str(entry.relative_to(path))
        head = f"{name}\0{stat.S_IFMT(info.st_mode)}\0{info.st_mode & 0o111}\0{len(content)}\0"
        digest.update(head.encode(errors="surrogateescape") + content)
    return digest.hexdigest()


def remove_tree(path: Path) -> None:
    """Remove a folder if it exists, whatever programs left in it."""
    remove_folder(str(path))
