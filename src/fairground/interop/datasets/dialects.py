"""Conversations in a model's own dialect: prompts as the agents use them, and actions as the model would write them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from fairground.agents import Brief
from fairground.agents.models.compatible_dialects import MANNERS, text_prompt
from fairground.agents.models.compatible_functions import FUNCTIONS
from fairground.agents.models.context import ImageLimits
from fairground.agents.models.endings import CALL_USER, GIVE_ANSWER, GIVE_UP, SpokenTool, spoken_tools
from fairground.agents.models.prompting import Coordinates, system_prompt
from fairground.agents.native import DIALECTS, Dialect, Inexpressible
from fairground.core import Action, Answer, CallUser, Done, Fail, Look, unknown

Size = tuple[int, int]

ALIASES = {
    "anthropic": "anthropic-20251124",
    "gemini": "gemini-3.5",
    "openai": "openai-computer",
    "qwen": "qwen3-vl",
    "ui-tars": "ui-tars-1.5",
}
"""Short names of dialects."""

CANONICAL = "canonical"
_DONE = "The task is done."
_FOREIGN = re.compile(r"<tool_call>.*|```.*|^\s*(?:Action|Code)\s*:.*", re.DOTALL | re.MULTILINE)
_LABEL = re.compile(r"^\s*Thought\s*:\s*")


@dataclass(frozen=True)
class Voice:
    """How a model is told about a task, and how it writes its actions.

    Attributes:
        name: Full name of the dialect.
        limits: Largest image that the model sees.
        system: Returns the system prompt for a task and an image size.
        write: Returns the model's answer for an action in pixels of the image, a thought, and the image size. Raises
            `Inexpressible`.
    """

    name: str
    limits: ImageLimits
    system: Callable[[Brief, Size], str]
    write: Callable[[Action, str, Size], str]


def voice(name: str) -> Voice:
    """Return the voice of a dialect, by its name or short name.

    Raises:
        UnknownName: There is no such dialect.
    """
    full = ALIASES.get(name, name)
    if full == CANONICAL:
        return Voice(CANONICAL, ImageLimits(20_000, 1 << 28), _canonical_system, _canonical)
    if full in MANNERS and MANNERS[full].words:
        manner = MANNERS[full]

        def system(brief: Brief, size: Size) -> str:
            return f"{text_prompt(brief)}\n\n{manner.explanation(size)}"

        compose = {"uitars": _uitars, "qwen": _plain_text}.get(manner.words, _code)
        return Voice(full, manner.limits, system, partial(_text, manner.dialect, compose))
    known = {**DIALECTS, FUNCTIONS.name: FUNCTIONS}
    if full not in known:
        raise unknown("dialect", name, sorted({*known, *ALIASES, CANONICAL}))
    dialect = known[full]
    if full == "computer-13":
        return Voice(full, ImageLimits(), partial(_tool_system, dialect), partial(_text, dialect, _fenced_json))
    return Voice(full, ImageLimits(), partial(_tool_system, dialect), partial(_tools, dialect))


def plain_thought(text: str) -> str:
    """Return a recorded thought without the actions that a model wrote into it in its own dialect."""
    return _LABEL.sub("", _FOREIGN.sub("", text)).strip()


def _canonical_system(brief: Brief, size: Size) -> str:
    return system_prompt(brief) + "\n\nWrite each action as one JSON object with its `kind`."


def _canonical(action: Action, thought: str, size: Size) -> str:
    written = json.dumps(action.to_pixels(*size).plain(), ensure_ascii=False)
    return f"{thought}\n{written}" if thought else written


# --- models that act in text -----------------------------------------------------------------------------------------


def _text(dialect: Dialect, compose: Callable[[str, list[Any]], str], action: Action, thought: str, size: Size) -> str:
    if isinstance(action, Look) and action.region is not None:
        raise Inexpressible("a look at a region is not exported: images show the whole screen")
    return compose(thought, list(dialect.write(action, size)))


def _uitars(thought: str, calls: list[str]) -> str:
    # One `Action:` with a call per line: its reader takes what follows the last one.
    written = "Action: " + "\n".join(call.removeprefix("Action: ") for call in calls)
    return f"Thought: {thought}\n{written}" if thought else written


def _plain_text(thought: str, calls: list[str]) -> str:
    return "\n".join([thought, *calls] if thought else calls)


def _code(thought: str, calls: list[str]) -> str:
    return _plain_text(thought, ["```python\n" + "\n".join(calls) + "\n```"])


def _fenced_json(thought: str, calls: list[Any]) -> str:
    written = json.dumps(calls[0] if len(calls) == 1 else calls, ensure_ascii=False)
    return _plain_text(thought, [f"```json\n{written}\n```"])


# --- models that call tools ------------------------------------------------------------------------------------------


def _tool_system(dialect: Dialect, brief: Brief, size: Size) -> str:
    coordinates: Coordinates = "grid" if dialect.name.startswith("gemini") else "pixels"
    spoken = [_spoken_tool(tool) for tool in spoken_tools(brief.kind)] if dialect.name != "computer-13" else []
    listed = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in [*dialect.describe_tools(size), *spoken])
    form = "" if dialect.name == "computer-13" else " Write each call as JSON between <tool_call> and </tool_call>."
    return f"{system_prompt(brief, coordinates)}\n\nYour tools:{form}\n<tools>\n{listed}\n</tools>"


def _spoken_tool(tool: SpokenTool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.summary, "parameters": tool.schema()}


def _tools(dialect: Dialect, action: Action, thought: str, size: Size) -> str:
    if isinstance(action, Look) and action.region is not None:
        raise Inexpressible("a look at a region is not exported: images show the whole screen")
    match action:
        case Done():
            return thought or _DONE  # an answer without a call ends the episode
        case Answer():
            calls: list[Any] = [_spoken(dialect, GIVE_ANSWER, action.text)]
        case Fail():
            calls = [_spoken(dialect, GIVE_UP, action.reason)]
        case CallUser():
            calls = [_spoken(dialect, CALL_USER, action.text)]
        case _:
            calls = list(dialect.write(action, size))
    written = [f"<tool_call>\n{json.dumps(call, ensure_ascii=False)}\n</tool_call>" for call in calls]
    return _plain_text(thought, written)


def _spoken(dialect: Dialect, tool: SpokenTool, text: str) -> dict[str, Any]:
    """Return a call of a tool besides the computer, in the form of the vendor's calls."""
    arguments = {tool.field: text}
    family = dialect.name.partition("-")[0]
    if family == "anthropic":
        return {"type": "tool_use", "name": tool.name, "input": arguments}
    if family == "gemini":
        return {"name": tool.name, "args": arguments}
    kind = {"type": "function_call"} if family == "openai" else {}
    return {**kind, "name": tool.name, "arguments": arguments}
