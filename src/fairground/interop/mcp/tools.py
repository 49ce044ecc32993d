"""The tools that a client finds: one a kind of action, described by the action itself.

Schemas are kept plain, because clients hand them to models whose makers each understand another part of JSON Schema:
no references, no unions with null, no tuples.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

from fairground.agents import Turn
from fairground.core import ACTION_KINDS, Action, InvalidAction, parse_action, unknown

TASK_TOOL = "task"
TREE_TOOL = "tree"
_THOUGHT = {"type": "string", "description": "why, in a sentence; kept with the recording"}
_UNSAID = ("title", "default")  # in a schema: noise to a model, or null


@dataclass(frozen=True)
class ToolSpec:
    """A tool: its name, what it does, and the schema of its arguments."""

    name: str
    description: str
    schema: dict[str, Any]


def tool_specs() -> list[ToolSpec]:
    """The tools that tell the task and the tree, which cost nothing, and one for every kind of action: a step each."""
    task = "Read this first: what to do, how many steps there are, and the latest screen. Costs no step."
    tree = "The accessibility tree of the screen as indented text: roles, names, values, bounds, states. Costs no step."
    nothing: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
    found = [ToolSpec(TASK_TOOL, task, nothing), ToolSpec(TREE_TOOL, tree, nothing)]
    for kind, model in zip(ACTION_KINDS, get_args(Action), strict=True):
        schema = model.model_json_schema()
        fields = {name: _plain(field) for name, field in schema["properties"].items() if name != "kind"}
        found.append(
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
    return found


def read_call(name: str, arguments: dict[str, Any] | None) -> Turn:
    """The action that a call asks for; raises `InvalidAction` or `UnknownName` with what is wrong with it."""
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
    kept = {name: value for name, value in schema.items() if name not in _UNSAID}
    if "anyOf" in kept:
        (inner,) = (option for option in kept.pop("anyOf") if option != {"type": "null"})
        kept = {**inner, **kept}
    if "prefixItems" in kept:
        kept["items"] = kept.pop("prefixItems")[0]
    if isinstance(kept.get("items"), dict):
        kept["items"] = _plain(kept["items"])
    return kept
