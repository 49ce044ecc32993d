"""Folders of /etc and /opt that belong to packages. Only these are visible to programs in a sandbox."""

from __future__ import annotations

import contextlib
import json
import os
import uuid
from functools import cache
from pathlib import Path

from fairground.sandbox.layers import cache_folder

_LISTS = Path("/var/lib/dpkg/info")
_TREES = ("etc", "opt")
_MADE_LATER = {"ca-certificates", "java", "opt", "pki", "ssl"}  # created in /etc by scripts of packages


@cache
def packaged() -> dict[str, frozenset[str]]:
    """Names directly below /etc and /opt that a package lists.

    Looked up once per process, and cached on disk for later processes. On a machine without dpkg: everything in /etc,
    and nothing in /opt.
    """
    if not _LISTS.is_dir():
        return {"etc": frozenset(os.listdir("/etc")), "opt": frozenset()}
    stamp = _LISTS.stat().st_mtime_ns  # a package's list is put in place by a rename
    cached_lists = cache_folder() / "packaged.json"
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):  # missing or damaged
        known = json.loads(cached_lists.read_text(encoding="utf-8"))
        if known["stamp"] == stamp:
            return {tree: frozenset(map(str, known[tree])) for tree in _TREES}
    listed = _read_lists()
    with contextlib.suppress(OSError):  # read-only or full: the next process looks them up again
        cached_lists.parent.mkdir(parents=True, exist_ok=True)
        draft = cached_lists.with_name(f"{cached_lists.name}.{uuid.uuid4().hex[:8]}")
        draft.write_text(json.dumps({"stamp": stamp, **{tree: sorted(listed[tree]) for tree in _TREES}}))
        draft.rename(cached_lists)
    return listed


def _read_lists() -> dict[str, frozenset[str]]:
    names: dict[str, set[str]] = {"etc": set(_MADE_LATER), "opt": set()}
    for path in _LISTS.glob("*.list"):
        text = b"\n" + path.read_bytes()
        for tree in _TREES:
            for part in text.split(f"\n/{tree}/".encode())[1:]:
                names[tree].add(os.fsdecode(part.partition(b"\n")[0].partition(b"/")[0]))
    return {tree: frozenset(found_names) for tree, found_names in names.items()}
