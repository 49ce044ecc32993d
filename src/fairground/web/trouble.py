"""Error responses: texts for people, and models for the API schema."""

from __future__ import annotations

import re
from typing import Any, Final

from fairground.core import Record

_PATH: Final = re.compile(r"""(?<![\w/:.<~])/(?:[^\s/'"`:;,()<>]+/)*[^\s/'"`:;,()<>]+""")


def unplaced(text: str) -> str:
    """Remove server paths from an error message."""
    return _PATH.sub("(a file on the server)", text)


class Trouble(Record):
    """Body of an error response."""

    error: str
    fix: str | None = None


Responses = dict[int | str, dict[str, Any]]

REFUSED: Final[Responses] = {
    400: {"model": Trouble, "description": "The request cannot be served"},
    422: {"model": Trouble, "description": "The request is not valid"},
}
"""For endpoints with parameters."""

ABSENT: Final[Responses] = {404: {"model": Trouble, "description": "Not found"}, **REFUSED}
"""For endpoints of named objects."""

CHANGING: Final[Responses] = {403: {"model": Trouble, "description": "No session, or no valid CSRF token"}}
"""For endpoints that change something."""
