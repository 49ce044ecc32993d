"""Native action formats of models, translated to and from canonical actions.

Pure translation, without any vendor's SDK. Model agents use it, and so may tools that convert recorded episodes into a
model's format. `dialect("anthropic-20251124")` returns one by name.
"""

from fairground.agents.native import anthropic, computer13, gemini, openai, pyautogui, qwen, uitars
from fairground.agents.native.coordinates import rescaled, smart_resize
from fairground.agents.native.dialect import Dialect, Inexpressible
from fairground.core import unknown

DIALECTS: dict[str, Dialect] = {
    each.name: each
    for family in (anthropic, openai, gemini, uitars, qwen, pyautogui, computer13)
    for each in family.DIALECTS
}
"""All dialects by name."""


def dialect(name: str) -> Dialect:
    """Return the dialect of this name. Raises `UnknownName` with the nearest names."""
    if name not in DIALECTS:
        raise unknown("dialect", name, DIALECTS)
    return DIALECTS[name]


__all__ = ["DIALECTS", "Dialect", "Inexpressible", "dialect", "rescaled", "smart_resize"]
