"""Searching for an author's pattern in an agent's text, in bounded time.

Some patterns take exponential time on crafted text. Long texts, and patterns with nested repetitions or choices, run in
a separate process with a limit on CPU time.
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
"""Maximum characters of a text to search."""

_SHORT = 5_000  # maximum characters that are searched in this process, for patterns without nested repetitions
_SECONDS = 2  # CPU time
_WAIT = 120  # total timeout in seconds, for a busy machine
_CODE = """
import json, re, resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[1]), int(sys.argv[1])))
pattern, text = json.load(sys.stdin)
found = re.search(pattern, text)
print(json.dumps(found and found.span()))
"""


@lru_cache(maxsize=32)  # the evidence searches again
def search(pattern: str, text: str) -> tuple[int, int] | None:
    """Return the position of the first match.

    Raises:
        StateError: The text is too long, or the search takes too long.
    """
    if len(text) > MAX_TEXT:
        raise StateError(f"a text of {len(text)} characters; patterns are tried on at most {MAX_TEXT}")
    if len(text) <= _SHORT and not _repeats(importlib.import_module("re._parser").parse(pattern), False):
        match = re.search(pattern, text)
        return match.span() if match else None
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
    """Whether an unbounded repetition, or a choice, is nested in another repetition."""
    if isinstance(part, list | tuple) or hasattr(part, "data"):
        parts = list(part)
        if len(parts) == 2 and str(parts[0]) in ("MAX_REPEAT", "MIN_REPEAT"):
            _, most, body = parts[1]
            again = int(most) > 10
            return (inside and again) or _repeats(body, inside or again)
        if inside and len(parts) == 2 and str(parts[0]) == "BRANCH":
            return True
        return any(_repeats(subpattern, inside) for subpattern in parts)
    return False
