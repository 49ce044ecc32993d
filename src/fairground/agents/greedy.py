"""Greedy decoding, as far as each vendor has it: the least chance that a model can be run with."""

from __future__ import annotations

from typing import Any

_SEED = 0


def greedy_options(name: str) -> dict[str, Any]:
    """The options with which an agent of this name decodes greedily; empty where it has none.

    Args:
        name: As for `make_agent`.
    """
    vendor, _, model = name.partition(":")
    if vendor in ("compatible", "gemini"):
        return {"temperature": 0.0, "seed": _SEED}
    if (vendor == "anthropic" and not _thinks(model)) or (vendor == "openai" and model.startswith("gpt-4")):
        return {"temperature": 0.0}
    return {}


def greedy_note(name: str) -> str:
    """What is not deterministic about an agent of this name although it decodes greedily; empty when nothing is."""
    vendor = name.partition(":")[0]
    if vendor not in ("anthropic", "openai", "gemini", "compatible"):
        return ""
    if not greedy_options(name):
        return f"deterministic: {name} takes no temperature, so its decoding keeps its chance; only the seeds are fixed"
    if vendor in ("anthropic", "openai"):
        return f"deterministic: {name} decodes at temperature 0; its vendor has no seed, and answers may still differ"
    return ""


def _thinks(model: str) -> bool:
    from fairground.agents.models.anthropic_models import traits_of

    return traits_of(model).adaptive
