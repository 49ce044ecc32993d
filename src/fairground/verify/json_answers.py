"""Taking JSON out of what a model says: fenced, bare, or between sentences; never executed, and within limits."""

from __future__ import annotations

import re
from typing import Any

from fairground.core import FairgroundError, InvalidInput, parse_json

MAX_ANSWER = 200_000
"""Characters of an answer that are looked at."""

_FENCE = re.compile(r"^[ \t]*```[^\n`]*\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)
_MAX_DEPTH = 40
_SHOWN = 200


class UnreadableAnswer(FairgroundError):
    """A model's answer that does not hold the JSON it was asked for. The model's mistake, and worth asking again."""


def read_json_answer(text: str, *, limit: int = MAX_ANSWER) -> dict[str, Any]:
    """The one JSON object in a model's answer.

    It may stand alone, in a fence, or between sentences. Two of them are an error rather than a guess: which one was
    meant, nobody knows.

    Args:
        text: What the model said.
        limit: The most characters that are read.

    Raises:
        UnreadableAnswer: There is no object, more than one, half of one, or more than the limits allow; the message can
            be shown to the model.
    """
    if len(text) > limit:
        raise UnreadableAnswer(f"the answer has {len(text)} characters; expected at most {limit}")
    # Braces in prose are no data, so what is fenced counts first.
    found = [piece for body in _FENCE.findall(text) for piece in _objects(body)] or _objects(text)
    if not found:
        raise UnreadableAnswer(f"expected one JSON object, found none in: {text.strip()[:_SHOWN]!r}")
    if len(found) > 1:
        raise UnreadableAnswer(f"expected one JSON object, found {len(found)}")
    try:
        value = parse_json(found[0], where="answer")
    except InvalidInput as error:
        raise UnreadableAnswer(error.message) from None
    if not isinstance(value, dict):  # never of a text that begins with a brace, but a type is a promise
        raise UnreadableAnswer("expected a JSON object")
    return value


def _objects(text: str) -> list[str]:
    """The outermost `{...}` of a text, by counting braces outside strings."""
    found: list[str] = []
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
                found.append(text[start : place + 1])
    if depth:
        raise UnreadableAnswer(f"the JSON object breaks off: {text[start:][:_SHOWN]!r}")
    return found
