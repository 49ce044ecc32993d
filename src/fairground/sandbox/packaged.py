"""Which folders of /etc and /opt packages brought along: those are shown to programs, and the others are somebody's."""

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
_MADE_LATER = {"ca-certificates", "java", "opt", "pki", "ssl"}  # in /etc, by scripts of packages


@cache
def packaged() -> dict[str, frozenset[str]]:
    """Names directly below /etc and /opt that a package lists. Looked up once per process, and kept for the next ones.

    On a machine without dpkg, everything in /etc and nothing in /opt.
    """
    if not _LISTS.is_dir():
        return {"etc": frozenset(os.listdir("/etc")), "opt": frozenset()}
    stamp = _LISTS.stat().st_mtime_ns  # a package's list appears under its name by a rename
    kept = cache_folder() / "packaged.json"
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):  # there is none, or it is damaged
        known = json.loads(kept.read_text(encoding="utf-8"))
        if known["stamp"] == stamp:
            return {tree: frozenset(map(str, known[tree])) for tree in _TREES}
    found = _read_lists()
    with contextlib.suppress(OSError):  # read-only or full: the next process looks again
        kept.parent.mkdir(parents=True, exist_ok=True)
        draft = kept.with_name(f"{kept.name}.{uuid.uuid4().hex[:8]}")
        draft.write_text(json.dumps({"stamp": stamp, **{tree: sorted(found[tree]) for tree in _TREES}}))
        draft.rename(kept)
    return found


def _read_lists() -> dict[str, frozenset[str]]:
    names: dict[str, set[str]] = {"etc": set(_MADE_LATER), "opt": set()}
    for path in _LISTS.glob("*.list"):
        text = b"\n" + path.read_bytes()
        for tree in _TREES:
            for part in text.split(f"\n/{tree}/".encode())[1:]:
                names[tree].add(os.fsdecode(part.partition(b"\n")[0].partition(b"/")[0]))
    return {tree: frozenset(some) for tree, some in names.items()}
