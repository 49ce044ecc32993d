"""Names that users type: their syntax, and suggestions for unknown names."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from fairground.core.errors import InvalidInput, UnknownName

_NAME = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*")


def check_name(kind: str, name: str) -> str:
    """Return the name if it is valid in an id.

    Raises:
        InvalidInput: The name is not valid.
    """
    if not _NAME.fullmatch(name) or len(name) > 80:
        raise InvalidInput(
            f"{kind} {name!r} is not a valid name: expected up to 80 lower-case letters and digits, "
            "in words joined by '-', '_' or '.'"
        )
    return name


def unknown(kind: str, name: str, known: Iterable[str]) -> UnknownName:
    """Create the error for an unknown name. Its fix suggests similar known names."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    if near:
        fix = "did you mean " + " or ".join(near) + "?"
    elif names:
        shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
        fix = f"known: {shown}"
    else:
        fix = f"there is no {kind} yet"
    return UnknownName(f"unknown {kind} {name!r}", fix=fix)
