"""What is said when something cannot be done: to people, and in the schema that programs read."""

from __future__ import annotations

import re
from typing import Any, Final

from fairground.core import Record

_PATH: Final = re.compile(r"""(?<![\w/:.<~])/(?:[^\s/'"`:;,()<>]+/)*[^\s/'"`:;,()<>]+""")


def unplaced(text: str) -> str:
    """What went wrong, without where things lie on the server: for people who only look at it."""
    return _PATH.sub("(a file of the server)", text)


class Trouble(Record):
    """What went wrong, in words."""

    error: str
    fix: str | None = None


Responses = dict[int | str, dict[str, Any]]

REFUSED: Final[Responses] = {
    400: {"model": Trouble, "description": "What was asked for cannot be given"},
    422: {"model": Trouble, "description": "The request does not have the form it must have"},
}
"""For everything that takes parameters."""

ABSENT: Final[Responses] = {404: {"model": Trouble, "description": "There is nothing of that name"}, **REFUSED}
"""For everything that is about something with a name."""

CHANGING: Final[Responses] = {403: {"model": Trouble, "description": "No session, or not the token of its pages"}}
"""For everything that changes something."""
