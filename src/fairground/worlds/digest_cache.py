"""Digests of source files, kept on disk: parsing hundreds of modules would take seconds at every start."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fairground.sandbox.layers import cache_folder

_FORMAT = "1"


def remembered(kind: str, content: bytes, compute: Callable[[bytes], Any]) -> Any:
    """Return what a pure function computes from a file's content, as JSON data. It is computed once per content.

    Args:
        kind: Name of the function. Change it when the function changes.
        content: Content of the file.
        compute: The function.
    """
    key = hashlib.blake2b(content, digest_size=16, person=f"{_FORMAT}{kind}".encode()[:16]).hexdigest()
    path = digests_folder() / f"{key}.json"
    with contextlib.suppress(OSError, ValueError):
        return json.loads(path.read_bytes())
    result = compute(content)
    with contextlib.suppress(OSError):  # without a cache it only takes longer
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        draft.write_text(json.dumps(result), encoding="utf-8")
        os.replace(draft, path)
    return result


def digests_folder() -> Path:
    """Return the folder of the kept digests. It may be deleted at any time."""
    return cache_folder() / "digests"
