"""Greedy decoding, as far as each vendor supports it."""

from __future__ import annotations

from typing import Any

_SEED = 0


def greedy_options(name: str) -> dict[str, Any]:
    """Return the options for greedy decoding of an agent; empty if there are none.

    Args:
        name: Agent name, as for `make_agent`.
    """
    vendor, _, model = name.partition(":")
    if vendor in ("compatible", "gemini"):
        return {"temperature": 0.0, "seed": _SEED}
    if (vendor == "anthropic" and not _thinks(model)) or (vendor == "openai" and model.startswith("gpt-4")):
        return {"temperature": 0.0}
    return {}


def greedy_note(name: str) -> str:
    """Return a note on what is not deterministic in spite of greedy decoding; empty if nothing is."""
    vendor = name.partition(":")[0]
    if vendor not in ("anthropic", "openai", "gemini", "compatible"):
        return ""
    if not greedy_options(name):
        return f"deterministic: {name} accepts no temperature, so its decoding stays random; only the seeds are fixed"
    if vendor in ("anthropic", "openai"):
        return (
            f"deterministic: {name} decodes at temperature 0, but its vendor supports no seed, so answers may "
            "still differ"
        )
    return ""


def _thinks(model: str) -> bool:
    from fairground.agents.models.anthropic_models import traits_of

    return traits_of(model).adaptive
