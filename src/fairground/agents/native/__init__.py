"""Native action formats, both ways: what a model wrote to canonical actions, and canonical actions to what it reads.

Pure translation, without any vendor's SDK: the agents that talk to models use it, and so may anything that turns
recorded episodes into a model's own words. `dialect("anthropic-20251124")` finds one by name.
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
"""Every dialect by name."""


def dialect(name: str) -> Dialect:
    """The dialect of this name; raises `UnknownName` with the nearest ones."""
    if name not in DIALECTS:
        raise unknown("dialect", name, DIALECTS)
    return DIALECTS[name]


__all__ = ["DIALECTS", "Dialect", "Inexpressible", "dialect", "rescaled", "smart_resize"]
