"""Dialects of models behind an OpenAI-compatible server, and the prompts that explain them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Literal

from fairground.agents.models.compatible_functions import FUNCTIONS
from fairground.agents.models.context import ImageLimits
from fairground.agents.models.prompting import Coordinates, prompt
from fairground.agents.native import Dialect, dialect
from fairground.agents.native.dialect import Size
from fairground.agents.protocol import Brief
from fairground.core import unknown

_WHOLE = ImageLimits(side=20_000, pixels=16384 * 28**2)
"""These models' preprocessors accept images up to this size. Coordinates map back exactly if only they resize."""


@dataclass(frozen=True)
class Manner:
    """How a model acts.

    Attributes:
        dialect: What it writes.
        words: The prompt that explains the format; empty for models that call functions.
        limits: Its image limits.
        coordinates: `grid` if coordinates do not depend on the size of the image.
    """

    dialect: Dialect
    words: Literal["", "uitars", "qwen", "pyautogui", "opencua"]
    limits: ImageLimits
    coordinates: Coordinates

    def explanation(self, size: Size) -> str:
        """Return the description of the format, for images of this size."""
        rows = self.dialect.describe_tools(size)
        if self.words == "qwen":
            listed = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        else:
            listed = "\n".join(f"{row['usage']}  # {row['description']}" for row in rows)
        text = prompt(f"compatible_{self.words}")
        return text.replace("{actions}", listed).replace("{width}", str(size[0])).replace("{height}", str(size[1]))


def _text(name: str, words: Literal["uitars", "qwen", "pyautogui", "opencua"], *, pixels: bool = False) -> Manner:
    limits = ImageLimits() if pixels else _WHOLE
    return Manner(dialect(name), words, limits, "pixels" if pixels else "grid")


MANNERS: dict[str, Manner] = {
    manner.dialect.name: manner
    for manner in (
        Manner(FUNCTIONS, "", ImageLimits(), "pixels"),
        _text("ui-tars-1.0", "uitars"),
        _text("ui-tars-1.5", "uitars"),
        _text("ui-tars-grid", "uitars"),
        _text("qwen3-vl", "qwen"),
        _text("qwen3-vl-absolute", "qwen", pixels=True),
        _text("pyautogui", "pyautogui", pixels=True),
        _text("opencua", "opencua"),
        _text("opencua-relative", "opencua"),
    )
}
"""All dialects that such a model may write, by name."""

_BY_MODEL = tuple(
    (re.compile(pattern, re.IGNORECASE), name)
    for pattern, name in (
        (r"doubao.*ui-?tars", "ui-tars-grid"),
        (r"ui-?tars-?1\.5", "ui-tars-1.5"),
        (r"ui-?tars", "ui-tars-1.0"),
        (r"qwen3-?vl", "qwen3-vl"),
        (r"opencua", "opencua"),
    )
)


def manner_of(model: str, name: str | None) -> Manner:
    """Return the manner of this name. Without a name, it follows from the model's name, otherwise `functions`."""
    if name is None:
        name = next((dialect_name for pattern, dialect_name in _BY_MODEL if pattern.search(model)), FUNCTIONS.name)
    if name not in MANNERS:
        raise unknown("dialect", name, MANNERS)
    return MANNERS[name]


def text_prompt(brief: Brief) -> str:
    """Return the system prompt of a model that acts in text. The format description follows it."""
    return prompt("compatible_text").replace("{steps}", str(brief.step_budget))
