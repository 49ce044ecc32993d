"""The code that stands between fences in a model's answer."""

from __future__ import annotations

_FENCE = "```"


def fenced(text: str) -> str:
    """What stands between fences, all of it in order; the whole text when there are none.

    A word between fences on one line counts too, and a fence that is never closed goes to the end.
    """
    found: list[str] = []
    inside = seen = False
    for line in text.split("\n"):
        bare = line.strip()
        if inside and bare == _FENCE:
            inside = False
        elif inside:
            found.append(line)
        elif bare.startswith(_FENCE):
            word = bare[len(_FENCE) :].removesuffix(_FENCE) if bare.endswith(_FENCE) else ""
            inside, seen = not word, True
            found += [word.strip()] if word else []
    return "\n".join(found) if seen else text
