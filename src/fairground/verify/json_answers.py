"""Extracting JSON from a model's answer: fenced, bare, or between sentences. Never executed, and within limits."""

from __future__ import annotations

import re
from typing import Any

from fairground.core import FairgroundError, InvalidInput, parse_json

MAX_ANSWER = 200_000
"""Maximum characters of an answer."""

_FENCE = re.compile(r"^[ \t]*```[^\n`]*\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)
_MAX_DEPTH = 40
_SHOWN = 200


class UnreadableAnswer(FairgroundError):
    """A model's answer does not contain the requested JSON. The model made a mistake, so ask it again."""


def read_json_answer(text: str, *, limit: int = MAX_ANSWER) -> dict[str, Any]:
    """Return the single JSON object in a model's answer.

    The object may stand alone, in a fence, or between sentences. Two objects are an error, because it is unknown which
    one was meant.

    Args:
        text: The model's answer.
        limit: Maximum characters.

    Raises:
        UnreadableAnswer: There is no object, more than one, an incomplete one, or a limit is exceeded. The message can
            be shown to the model.
    """
    if len(text) > limit:
        raise UnreadableAnswer(f"the answer has {len(text)} characters; expected at most {limit}")
    # Braces in prose are not data, so fenced text has priority.
    candidates = [piece for body in _FENCE.findall(text) for piece in _objects(body)] or _objects(text)
    if not candidates:
        raise UnreadableAnswer(f"expected one JSON object, found none in: {text.strip()[:_SHOWN]!r}")
    if len(candidates) > 1:
        raise UnreadableAnswer(f"expected one JSON object, found {len(candidates)}")
    try:
        value = parse_json(candidates[0], where="answer")
    except InvalidInput as error:
        raise UnreadableAnswer(error.message) from None
    if not isinstance(value, dict):  # never true for text that begins with a brace; it narrows the type
        raise UnreadableAnswer("expected a JSON object")
    return value


def _objects(text: str) -> list[str]:
    """The outermost `{...}` of a text, found by counting braces outside strings."""
    objects: list[str] = []
    depth, start, inside, escaped = 0, 0, False, False
    for place, character in enumerate(text):
        if depth and inside:
            inside = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == "{":
            start = start if depth else place
            depth += 1
            if depth > _MAX_DEPTH:
                raise UnreadableAnswer(f"the answer is nested more than {_MAX_DEPTH} deep")
        elif depth and character == '"':
            inside, escaped = True, False
        elif depth and character == "}":
            depth -= 1
            if not depth:
                objects.append(text[start : place + 1])
    if depth:
        raise UnreadableAnswer(f"the JSON object breaks off: {text[start:][:_SHOWN]!r}")
    return objects
