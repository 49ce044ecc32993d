"""Tools besides the computer: ask the user, answer, give up. The same for all vendors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from fairground.agents.native.fields import Fields
from fairground.agents.native.limits import check_limits
from fairground.core import Action, Answer, CallUser, Fail, InvalidAction
from fairground.core.action import MAX_TEXT


@dataclass(frozen=True)
class SpokenTool:
    """A tool with one text argument.

    Attributes:
        name: Its name for the model.
        field: The name of its only argument.
        summary: Its description for the model.
        meaning: The description of the argument.
    """

    name: str
    field: str
    summary: str
    meaning: str

    def schema(self) -> dict[str, Any]:
        """Return its argument as JSON Schema."""
        return {
            "type": "object",
            "properties": {self.field: {"type": "string", "description": self.meaning}},
            "required": [self.field],
            "additionalProperties": False,
        }


CALL_USER = SpokenTool(
    "call_user",
    "question",
    "Ask the person who gave you the task. Use it only when you cannot go on without knowing something that they alone"
    " can know; the reply comes as the result.",
    "the question, in a sentence or two",
)
GIVE_UP = SpokenTool(
    "give_up",
    "reason",
    "End the task without having done it, because it cannot be done. It cannot be taken back.",
    "why it cannot be done",
)
GIVE_ANSWER = SpokenTool(
    "give_answer",
    "answer",
    "Give the answer that the task asks for, and end. It cannot be taken back.",
    "the answer alone, as short as the task allows",
)


def spoken_tools(kind: Literal["action", "answer"]) -> tuple[SpokenTool, ...]:
    """Return the tools for a task of this kind."""
    return (CALL_USER, GIVE_UP, GIVE_ANSWER) if kind == "answer" else (CALL_USER, GIVE_UP)


def read_spoken(tool: SpokenTool, arguments: Any) -> Action:
    """Return the action for a call of one of these tools. Raises `InvalidAction` for invalid arguments."""
    check_limits(arguments)
    fields = Fields(arguments, tool.name)
    text = fields.text(tool.field).strip()
    fields.end()
    if len(text) > MAX_TEXT:
        raise InvalidAction(f"{tool.name}.{tool.field}: {len(text)} characters; expected at most {MAX_TEXT}")
    if tool is CALL_USER:
        return CallUser(text=text)
    return Answer(text=text) if tool is GIVE_ANSWER else Fail(reason=text)
