"""The tools that the MCP server offers: one per action kind, described by the action itself.

The schemas have no references, no unions with null and no tuples, because models support different parts of JSON
Schema.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

from fairground.agents import Turn
from fairground.core import ACTION_KINDS, Action, InvalidAction, parse_action, unknown

TASK_TOOL = "task"
TREE_TOOL = "tree"
_THOUGHT = {"type": "string", "description": "why, in a sentence; kept with the recording"}
_UNSAID = ("title", "default")  # schema keys that are useless to a model, or null


@dataclass(frozen=True)
class ToolSpec:
    """A tool: name, description, and JSON Schema of its arguments."""

    name: str
    description: str
    schema: dict[str, Any]


def tool_specs() -> list[ToolSpec]:
    """Return all tools: the task and the tree, which cost no step, and one per action kind, which costs one."""
    task = "Read this first: what to do, how many steps there are, and the latest screen. Costs no step."
    tree = "The accessibility tree of the screen as indented text: roles, names, values, bounds, states. Costs no step."
    nothing: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
    specs = [ToolSpec(TASK_TOOL, task, nothing), ToolSpec(TREE_TOOL, tree, nothing)]
    for kind, model in zip(ACTION_KINDS, get_args(Action), strict=True):
        schema = model.model_json_schema()
        fields = {name: _plain(field) for name, field in schema["properties"].items() if name != "kind"}
        specs.append(
            ToolSpec(
                kind,
                str(schema["description"]),
                {
                    "type": "object",
                    "properties": {**fields, "thought": _THOUGHT},
                    "required": schema.get("required", []),
                    "additionalProperties": False,
                },
            )
        )
    return specs


def read_call(name: str, arguments: dict[str, Any] | None) -> Turn:
    """Return the action that a call requests.

    Raises:
        InvalidAction: The arguments are not valid.
        UnknownName: There is no such tool.
    """
    if name not in ACTION_KINDS:
        raise unknown("tool", name[:40], [TASK_TOOL, *ACTION_KINDS])
    fields = dict(arguments or {})
    thought = fields.pop("thought", "")
    if not isinstance(thought, str):
        raise InvalidAction(f"{name}.thought: expected text, got {type(thought).__name__}")
    if "kind" in fields:
        raise InvalidAction(f"{name}.kind: unknown field; the tool's name is the kind")
    return Turn(parse_action({**fields, "kind": name}, where=name), thought)


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    result = {name: value for name, value in schema.items() if name not in _UNSAID}
    if "anyOf" in result:
        (inner,) = (option for option in result.pop("anyOf") if option != {"type": "null"})
        result = {**inner, **result}
    if "prefixItems" in result:
        result["items"] = result.pop("prefixItems")[0]
    if isinstance(result.get("items"), dict):
        result["items"] = _plain(result["items"])
    return result
