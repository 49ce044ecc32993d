"""Extract fenced code from a model's answer."""

from __future__ import annotations

_FENCE = "```"


def fenced(text: str) -> str:
    """Return everything between fences, in order; the whole text if there are none.

    A word between fences on one line counts too. A fence that is never closed extends to the end.
    """
    lines: list[str] = []
    inside = seen = False
    for line in text.split("\n"):
        bare = line.strip()
        if inside and bare == _FENCE:
            inside = False
        elif inside:
            lines.append(line)
        elif bare.startswith(_FENCE):
            word = bare[len(_FENCE) :].removesuffix(_FENCE) if bare.endswith(_FENCE) else ""
            inside, seen = not word, True
            lines += [word.strip()] if word else []
    return "\n".join(lines) if seen else text
