"""Looking for an author's pattern in an agent's text, in bounded time.

Some patterns take time that grows exponentially with a text that is made for it. Long texts, and patterns in which a
repetition or a choice repeats, are tried in a process of their own with a limit of processor time.
"""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from functools import lru_cache
from typing import Any

from fairground.core import StateError

MAX_TEXT = 100_000
"""Characters of a text that a pattern is tried on."""

_SHORT = 5_000  # characters that are tried here, where nothing repeats a repetition
_SECONDS = 2  # of processor time
_WAIT = 120  # seconds in all, on a busy machine
_CODE = """
import json, re, resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[1]), int(sys.argv[1])))
pattern, text = json.load(sys.stdin)
found = re.search(pattern, text)
print(json.dumps(found and found.span()))
"""


@lru_cache(maxsize=32)  # evidence looks again
def search(pattern: str, text: str) -> tuple[int, int] | None:
    """Where a pattern is first found in a text.

    Raises:
        StateError: The text is too long, or looking takes too long.
    """
    if len(text) > MAX_TEXT:
        raise StateError(f"a text of {len(text)} characters; patterns are tried on at most {MAX_TEXT}")
    if len(text) <= _SHORT and not _repeats(importlib.import_module("re._parser").parse(pattern), False):
        found = re.search(pattern, text)
        return found.span() if found else None
    words = [sys.executable, "-I", "-S", "-c", _CODE, str(_SECONDS)]
    try:
        done = subprocess.run(words, input=json.dumps([pattern, text]), capture_output=True, text=True, timeout=_WAIT)
    except subprocess.TimeoutExpired:
        done = None
    if done is None or done.returncode != 0:
        raise StateError(f"the pattern {pattern[:80]!r} takes more than {_SECONDS} s on this text")
    span = json.loads(done.stdout)
    return (span[0], span[1]) if span else None


def _repeats(part: Any, inside: bool) -> bool:
    """Whether a repetition without a small bound, or a choice, stands in another repetition."""
    if isinstance(part, list | tuple) or hasattr(part, "data"):
        parts = list(part)
        if len(parts) == 2 and str(parts[0]) in ("MAX_REPEAT", "MIN_REPEAT"):
            _, most, body = parts[1]
            again = int(most) > 10
            return (inside and again) or _repeats(body, inside or again)
        if inside and len(parts) == 2 and str(parts[0]) == "BRANCH":
            return True
        return any(_repeats(one, inside) for one in parts)
    return False
